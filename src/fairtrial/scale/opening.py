"""Open trials wherever they lie: files of any size, Arrow datasets, maps of files, chunks as they come."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from os import PathLike, fspath
from typing import Any

import numpy as np

from fairtrial.counting.errors import processors
from fairtrial.errors import ParameterError, shown
from fairtrial.formats.finishing import as_options
from fairtrial.formats.fragments import dataset_pieces, remote_dataset
from fairtrial.formats.opening import TrialPiece, open_pieces, set_of_pieces
from fairtrial.formats.sheets import ReadOptions, check_labels
from fairtrial.scale.arrays import array_parts, chunk_parts
from fairtrial.scale.opened import OpenTrials, PassState
from fairtrial.scale.passing import Survey

_MEMORY = "1GB"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_LEAST_MEMORY = 64 * 10**6
_LEAST_READ = 1 << 16
_SHARE = 8
"""Each thread reads this part of its share of the memory at once: columns are decoded, checked and counted."""


def open_trials(
    data: Any,
    genuine: Any = None,
    *,
    systems: Sequence[str] | None = None,
    format: str | None = None,
    memory: int | str = _MEMORY,
    executor: Executor | None = None,
    progress: Callable[[PassState], None] | None = None,
    **options: Any,
) -> OpenTrials:
    """Open trials that need not fit in memory; they are read, piece by piece, whenever something is asked.

    Parameters
    ----------
    data : object
        A file, a glob, a directory of Parquet files, or several: parts of one set, each with trials of its own of the
        same systems (Parquet, CSV, TSV, bob's formats; compressed text too). An address such as ``s3://...`` of
        Parquet, through fsspec. A ``pyarrow.dataset.Dataset``. An array of scores, such as a memory map, with
        `genuine`. Chunks: a list or another iterable that can be gone through again, or a function that gives one; each
        chunk is `Trials` or a pair ``(scores, genuine)``.
    genuine : array_like, optional
        Whether the claim of each trial is true, for an array of scores: boolean, shape (trials,).
    systems : sequence of str, optional
        The names of the systems, for arrays and pairs; which systems of a file to use.
    format : str, optional
        The name of a format in `FORMATS`; by default the content of the files tells.
    memory : int or str, default "1GB"
        How much memory to use, in bytes or as in ``"1GB"``. What is read at once and gathered keeps within it.
    executor : concurrent.futures.Executor, optional
        Where pieces are counted: any `concurrent.futures.Executor`, as of processes, mpi4py or Dask
        (``client.get_executor()``); by default threads of this process.
    progress : callable, optional
        Called as work proceeds, with a `PassState` after each piece.
    **options : object
        The fields of `ReadOptions`, for files.

    Returns
    -------
    OpenTrials
        To be given to `evaluate`, `performance_curve` and others in place of `Trials`.

    Raises
    ------
    InputError
        As for `read_trials`; for what is wrong further down in a file, when it is first passed over.
    TrialsError
        As for `read_trials`.
    ParameterError
        An option that means nothing to the data, or memory that is not a size.

    Examples
    --------
    >>> import numpy as np
    >>> def chunks():
    ...     for seed in range(3):
    ...         rng = np.random.default_rng(seed)
    ...         genuine = rng.random(1000) < 0.5
    ...         yield rng.normal(2.0 * genuine), genuine
    >>> trials = open_trials(chunks)
    >>> len(trials), trials.passes
    (3000, 1)
    """
    room = check_memory(memory)
    threads = processors() if executor is None else 1
    size = max(room // (threads * _SHARE), _LEAST_READ)
    open_ = partial(OpenTrials, memory=room, executor=executor, progress=progress)
    if isinstance(data, np.ndarray):
        names, parts = array_parts(data, genuine, systems, options.pop("nan", "error"), max(size // 64, 1 << 12))
        _refuse(options, "an array")
        return open_(parts, names, origin="the array")
    if genuine is not None:
        raise ParameterError("genuine goes with an array of scores; files and chunks say themselves what is genuine")
    if _are_paths(data):
        settings = as_options({**options, **({} if systems is None else {"systems": tuple(systems)})})
        names, pieces = _open_files(data, format, settings, size)
        origin = ", ".join(fspath(path) for path in ([data] if isinstance(data, (str, PathLike)) else data[:3]))
        named = bool(settings.names) or all(each.piece.named for each in pieces)
        return open_(pieces, names, origin=origin, named=named, check=partial(_check, settings, origin))
    if hasattr(data, "get_fragments"):
        settings = as_options({**options, **({} if systems is None else {"systems": tuple(systems)})})
        fragments = dataset_pieces(data, settings, size, name="the dataset")
        names, pieces = set_of_pieces(fragments, settings, "dataset", "the dataset")
        return open_(pieces, names, origin="the dataset", check=partial(_check, settings, "the dataset"))
    names, chunks = chunk_parts(data, systems, options.pop("nan", "error"))
    _refuse(options, "chunks")
    return open_(chunks, names, origin="the chunks")


def _open_files(
    data: Any, format: str | None, options: ReadOptions, size: int
) -> tuple[tuple[str, ...], tuple[TrialPiece, ...]]:
    if isinstance(data, str) and re.match(r"[a-z0-9+]{2,}://", data):
        return set_of_pieces(dataset_pieces(remote_dataset(data), options, size, name=data), options, "parquet", data)
    return open_pieces(data, format, options, size)


def _are_paths(data: Any) -> bool:
    some = data if isinstance(data, (list, tuple)) and data else [data]
    return all(isinstance(entry, (str, PathLike)) for entry in some)


def _refuse(options: dict[str, Any], what: str) -> None:
    if options:
        raise ParameterError(f"{', '.join(options)}: means nothing to {what}; leave it out")


def _check(options: ReadOptions, origin: str, survey: Survey) -> None:
    """Labels are of one coding over all pieces, and those that were given occur somewhere."""
    check_labels(survey.labels, options, origin)


def check_memory(memory: int | str) -> int:
    """A number of bytes, also given as in "1GB" or "500 MiB".

    Raises
    ------
    ParameterError
        Something else, or too little to work with.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(memory).upper())
    if found is None or found[2] not in _UNITS:
        raise ParameterError(f"memory must be a number of bytes, as in 500MB or 4GB, not {shown(memory)}")
    size = int(float(found[1]) * _UNITS[found[2]])
    if size < _LEAST_MEMORY:
        raise ParameterError(f"memory of {memory} is too little to work with; give at least {_LEAST_MEMORY // 10**6}MB")
    return size
