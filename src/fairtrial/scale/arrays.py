"""Parts of trials that are not files: arrays, which may be maps of large files, and chunks as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.formats.opening import ReadTrials
from fairtrial.trials import NanPolicy, Trials


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPart:
    """Rows of arrays that may lie on disk."""

    scores: NDArray[np.floating]
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    nan: NanPolicy
    first: int
    """The index of its first row."""

    @property
    def rows(self) -> int:
        """How many trials it has."""
        return len(self.genuine)

    @property
    def size(self) -> int:
        """How many bytes are read."""
        return int(self.scores.nbytes + self.genuine.nbytes)

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems."""
        try:
            found = Trials.from_arrays(self.scores, self.genuine, systems=self.systems, nan=self.nan)
        except TrialsError as error:
            raise TrialsError(f"rows from index {self.first:,} on: {error}") from error
        yield ReadTrials(found.select(systems))


@dataclass(frozen=True, slots=True, eq=False)
class ChunkPart:
    """Chunks of trials that a function, or an iterable, gives anew each time."""

    chunks: Callable[[], Any] | Iterable[Any]
    systems: tuple[str, ...]
    nan: NanPolicy
    name: str
    rows: None = None
    size: int = 1

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems, chunk by chunk."""
        for index, chunk in enumerate(_given(self.chunks)):
            try:
                found = _as_trials(chunk, self.systems, self.nan)
                missing = [name for name in self.systems if name not in found.systems]
                if missing:
                    raise TrialsError(f"has no scores of {listed(missing)}")
            except TrialsError as error:
                raise TrialsError(f"{self.name}, chunk {index}: {error}") from error
            if len(found):
                yield ReadTrials(found.select(systems))


def _given(chunks: Callable[[], Any] | Iterable[Any]) -> Iterable[Any]:
    found = chunks() if callable(chunks) else chunks
    return [found] if isinstance(found, (Trials, tuple)) else found


def _as_trials(chunk: Any, systems: Sequence[str] | None, nan: NanPolicy) -> Trials:
    """Trials of what a chunk may be: trials, or a pair of scores and a mask of those that are genuine."""
    if isinstance(chunk, Trials):
        return chunk
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return Trials.from_arrays(*chunk, systems=systems, nan=nan)
    raise TrialsError(f"a chunk must be Trials or a pair (scores, genuine), not {type(chunk).__name__}")


def array_parts(
    scores: NDArray[Any], genuine: Any, systems: Sequence[str] | None, nan: NanPolicy, rows: int
) -> tuple[tuple[str, ...], list[ArrayPart]]:
    """The systems and the parts of arrays of one row per trial."""
    table = scores[:, None] if scores.ndim == 1 else scores
    flags = np.asanyarray(genuine)
    if table.ndim != 2 or flags.shape != table.shape[:1] or flags.dtype != np.bool_:
        raise TrialsError(
            f"scores of shape {scores.shape} need a boolean array genuine with one entry per trial, not {flags.dtype} "
            f"of shape {flags.shape}"
        )
    names = Trials.from_arrays(table[:0], flags[:0], systems=systems).systems
    starts = range(0, len(flags), rows)
    return names, [ArrayPart(table[k : k + rows], flags[k : k + rows], names, nan, k) for k in starts]


def chunk_parts(data: Any, systems: Sequence[str] | None, nan: NanPolicy) -> tuple[tuple[str, ...], list[ChunkPart]]:
    """The systems and the parts of an iterable of chunks, or of a function that gives one."""
    if _iter_is_spent(data):
        raise ParameterError(
            "trials are read more than once, and a generator gives its chunks only once; give the function that makes "
            "it, as in open_trials(chunks) in place of open_trials(chunks())"
        )
    given: list[Any] = list(data) if isinstance(data, (list, tuple)) else [data]
    first = next((chunk for part in given for chunk in _given(_one(part))), None)
    if first is None:
        raise TrialsError("there is no chunk of trials")
    try:
        names = _as_trials(first, systems, nan).systems
    except TrialsError as error:
        raise TrialsError(f"part 0, chunk 0: {error}") from error
    return names, [ChunkPart(_one(part), names, nan, f"part {index}") for index, part in enumerate(given)]


def _one(part: Any) -> Any:
    """A function or an iterable of chunks; a single chunk as an iterable of it."""
    return [part] if isinstance(part, (Trials, tuple)) else part


def _iter_is_spent(data: Any) -> bool:
    """Whether something can be gone through once only."""
    return not callable(data) and hasattr(data, "__next__")
