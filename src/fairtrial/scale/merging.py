"""Many saved counters read and merged into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from fairtrial.counting.errors import processors
from fairtrial.errors import FairtrialError, InputError, ParameterError
from fairtrial.formats.files import PathLike
from fairtrial.scale.counter import Counter

_MOST_THREADS = 4
_BY_THREAD = 8
"""Files that are worth a thread."""


def load_counters(paths: Sequence[PathLike], *, progress: Callable[[int], None] | None = None) -> Counter:
    """Read saved counters and merge them all.

    Parameters
    ----------
    paths : sequence of str or path-like
        Files of counters of the same systems, precision and thresholds, at least one.
    progress : callable, optional
        Called as work proceeds, with 1 after each file.

    Returns
    -------
    Counter
        All that they have counted; the same whatever their order.

    Raises
    ------
    InputError
        A file that cannot be read, or is of other settings than the first one.
    ParameterError
        No file at all.

    Examples
    --------
    >>> import tempfile
    >>> from fairtrial import Counter
    >>> counter = Counter()
    >>> counter.update([0.9, 0.4, 0.1, 0.5], [True, True, False, False])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     counter.save(f"{folder}/one.ftc")
    ...     load_counters([f"{folder}/one.ftc", f"{folder}/one.ftc"])
    <Counter: 4 genuine and 4 impostor trials, 1 system: system>
    """
    if not paths:
        raise ParameterError("there must be at least one file of counts to merge")
    first, *others = paths
    whole = Counter.load(first)
    _advance(progress)
    threads = max(1, min(processors(), _MOST_THREADS, len(others) // _BY_THREAD))
    # each thread merges a share of the files into a counter of its own: the result is the same for any sharing
    with ThreadPoolExecutor(threads) as pool:
        shares = [
            pool.submit(_merge_into, whole.emptied(), first, others[k::threads], progress) for k in range(threads)
        ]
        for share in shares:
            whole.merge(share.result())
    return whole


def _merge_into(
    counter: Counter, first: PathLike, paths: Sequence[PathLike], progress: Callable[[int], None] | None
) -> Counter:
    for path in paths:
        part = Counter.load(path)
        try:
            counter.merge(part)
        except FairtrialError as error:
            raise InputError(f"{path}: does not fit {first}: {error}") from error
        _advance(progress)
    return counter


def _advance(progress: Callable[[int], None] | None) -> None:
    if progress is not None:
        progress(1)
