"""Many saved counters read and merged into one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from fairtrial.errors import FairtrialError, InputError, ParameterError
from fairtrial.formats.files import PathLike
from fairtrial.scale.counter import Counter

_READERS = 2
_AHEAD = 4


def load_counters(paths: Sequence[PathLike], *, progress: Callable[[int], None] | None = None) -> Counter:
    """Read saved counters and merge them all.

    Parameters
    ----------
    paths
        Files of counters of the same systems, precision and thresholds, at least one.
    progress
        Called with 1 after each file.

    Returns
    -------
    Counter
        All that they have counted; the same whatever their order.

    Raises
    ------
    InputError
        A file that cannot be read, or is of other settings than the first one.
    """
    if not paths:
        raise ParameterError("there must be at least one file of counts to merge")
    whole: Counter | None = None
    for path, part in zip(paths, _loaded(paths), strict=True):
        if whole is None:
            whole = part
        else:
            try:
                whole.merge(part)
            except FairtrialError as error:
                raise InputError(f"{path}: does not fit {paths[0]}: {error}") from error
        if progress is not None:
            progress(1)
    assert whole is not None
    return whole


def _loaded(paths: Sequence[PathLike]) -> Iterator[Counter]:
    """The counters one after the other, a few of them read ahead while others are merged."""
    with ThreadPoolExecutor(_READERS) as pool:
        ahead = deque(pool.submit(Counter.load, path) for path in paths[:_AHEAD])
        for path in [*paths[_AHEAD:], *[None] * len(ahead)]:
            yield ahead.popleft().result()
            if path is not None:
                ahead.append(pool.submit(Counter.load, path))
