"""The counting kernel: exact error counts at given thresholds, in one pass over any source of scores.

A *source* hands its scores, chunk by chunk, to a *tally*. The totals of chunks add up, so chunks may be counted in any
order and any process. Arrays are the source here; `pieces` has those of files and clusters.

A trial is accepted when its score is **greater than** the threshold: FAR(t) = #{impostor > t} / NI and
FRR(t) = #{genuine <= t} / NC.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.trials import Frame, Trials, trials_of
from fairtrial.core.words import percent, plural, threshold_text
from fairtrial.counting.kernels import Cells, Integers, compare_ranks, fit_cells, passes_for

Total = TypeVar("Total")
Scores: TypeAlias = NDArray[np.floating]
Genuine: TypeAlias = NDArray[np.bool_] | bool
"""Which scores of a chunk are genuine: a mask, or one answer for all of them."""

SORT_AT_ONCE = 1 << 15
"""The number of scores up to which sorting them is fastest."""
MAX_CELLS = 1 << 18
_COMPARED = 2
"""The number of thresholds up to which comparing each score with each is fastest."""
_CHUNK = 1 << 22
_MAX_THREADS = 4


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Errors at one threshold or at several: the raw material of every measure.

    The counts are integers, integer arrays or fractions, so a formula of an `ErrorCounts` gives a number, an array or
    an exact fraction.

    Attributes
    ----------
    threshold : float or ndarray of float
        The threshold; NaN if counts at several are added.
    false_accepts : int or ndarray of int
        Impostor trials with a score above the threshold.
    false_rejects : int or ndarray of int
        Genuine trials with a score at or below the threshold.
    genuine : int
        The number of genuine trials.
    impostor : int
        The number of impostor trials.

    Examples
    --------
    >>> counts = ErrorCounts(0.5, false_accepts=3, false_rejects=1, genuine=20, impostor=100)
    >>> counts.far, counts.frr, counts.hter
    (0.03, 0.05, 0.04)
    """

    threshold: Any
    false_accepts: Any
    false_rejects: Any
    genuine: Any
    impostor: Any

    def __repr__(self) -> str:
        if np.ndim(self.false_accepts) == 0 and self.genuine and self.impostor:
            far, frr, threshold = percent(float(self.far)), percent(float(self.frr)), threshold_text(self.threshold)
            accepts, rejects = f"{self.false_accepts} of {self.impostor:,}", f"{self.false_rejects} of {self.genuine:,}"
            return f"<ErrorCounts: FAR {far} ({accepts}), FRR {frr} ({rejects}), threshold {threshold}>"
        trials = ""
        if np.ndim(self.genuine) == np.ndim(self.impostor) == 0:
            trials = f" on {self.genuine:,} genuine and {self.impostor:,} impostor trials"
        return f"<ErrorCounts: {plural(np.size(self.false_accepts), 'threshold')}{trials}>"

    @property
    def far(self) -> Any:
        """The proportion of impostor trials that were accepted."""
        return self.false_accepts / self.impostor

    @property
    def frr(self) -> Any:
        """The proportion of genuine trials that were rejected."""
        return self.false_rejects / self.genuine

    @property
    def hter(self) -> Any:
        """(FAR + FRR) / 2."""
        return (self.far + self.frr) / 2

    def __getitem__(self, which: Any) -> ErrorCounts:
        return ErrorCounts(
            self.threshold[which], self.false_accepts[which], self.false_rejects[which], self.genuine, self.impostor
        )

    def __len__(self) -> int:
        return len(self.threshold)

    def __bool__(self) -> bool:
        return True

    def scalar(self) -> ErrorCounts:
        """Give plain Python numbers instead of zero-dimensional arrays.

        Returns
        -------
        ErrorCounts
            The same counts.
        """
        return ErrorCounts(
            float(self.threshold),
            int(self.false_accepts),
            int(self.false_rejects),
            int(self.genuine),
            int(self.impostor),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give rates and counts under the names of the command line's JSON, as numbers or lists of them.

        Returns
        -------
        dict
            Rates are fractions.
        """
        counts = self if np.ndim(self.false_accepts) else self.scalar()
        names = ("far", "frr", "hter", "false_accepts", "false_rejects")
        values = {name: np.asarray(getattr(counts, name)).tolist() for name in names}
        return values | {"genuine": counts.genuine, "impostor": counts.impostor}


class Tally(Protocol[Total]):
    """A count of scores: a total to start from, a chunk added to a total, two totals added."""

    def start(self) -> Total: ...

    def add(self, total: Total, scores: Scores, genuine: Genuine) -> Total:
        """Add one chunk; the total given may be changed in place."""
        ...

    def merge(self, a: Total, b: Total) -> Total:
        """Add two totals; the first may be changed in place."""
        ...


class ScoreSource(Protocol):
    """Scores that can be passed over as often as needed. None of them is NaN.

    It is a protocol: any object with these members is a source. `as_source` makes one.

    Examples
    --------
    >>> from fairtrial.counting import as_source
    >>> as_source(([0.9, 0.4], [0.1, 0.5, 0.4])).impostor
    3
    """

    @property
    def genuine(self) -> int:
        """The number of genuine scores."""
        ...

    @property
    def impostor(self) -> int:
        """The number of impostor scores."""
        ...

    @property
    def room(self) -> int:
        """The number of scores that may be gathered at once, if fewer will do."""
        ...

    def lay_cells(self, fineness: int) -> Cells | None:
        """Lay cells in which the scores are spread evenly. They guide the work and never change a result.

        Parameters
        ----------
        fineness : int
            The approximate number of cells.

        Returns
        -------
        Cells or None
            The cells; None if it is faster to sort all scores.
        """
        ...

    def tally(self, what: Tally[Total]) -> Total:
        """Pass once over all scores.

        Parameters
        ----------
        what : Tally
            What to count of each chunk.

        Returns
        -------
        object
            The total.
        """
        ...


class Sources(Protocol):
    """Trials of several systems that are not held in memory: pieces of files, or counters."""

    @property
    def systems(self) -> tuple[str, ...]: ...

    @property
    def has_scores(self) -> bool:
        """Whether scores can be passed over, and not only counts of them."""
        ...

    @property
    def notes(self) -> tuple[Any, ...]: ...

    def check_system(self, system: str | None) -> str:
        """Check the name of a system; None for the only one."""
        ...

    def source_of(self, system: str | None) -> ScoreSource:
        """Give the scores of one system; None for the only one."""
        ...

    def same_as(self, other: Any) -> bool:
        """Compare two sets of trials."""
        ...

    def run_together(self, works: Sequence[Callable[[], Total]]) -> list[Total]:
        """Run functions that count trials, and let each pass over the trials answer all of them."""
        ...

    @property
    def ids(self) -> Collection[str]:
        """The ids of the trials."""
        ...

    @property
    def roster(self) -> Any:
        """The names of all people, as a `Roster`."""
        ...

    def people_between(
        self,
        systems: Sequence[str],
        thresholds: Sequence[NDArray[np.float64]],
        cluster: Any,
        numbers: Mapping[str, int],
    ) -> Any:
        """Count people's trials between rising thresholds of each system, as `PersonCounts`; None if it cannot.

        `numbers` has the number of each person by name.
        """
        ...


@dataclass(frozen=True, slots=True)
class ArraySource:
    """Scores in memory: arrays, each with a mask of its genuine scores or one answer for all."""

    parts: tuple[tuple[Scores, Genuine], ...]
    genuine: int
    impostor: int

    @property
    def room(self) -> int:
        return (self.genuine + self.impostor) // 8

    def lay_cells(self, fineness: int) -> Cells | None:
        size = self.genuine + self.impostor
        if size <= SORT_AT_ONCE:
            return None
        fineness = min(fineness, MAX_CELLS, size // 16)
        cells = fit_cells(self._sample(1 << 14 if size > 1 << 22 else 1 << 12), fineness)
        if cells.starts and size > 1 << 22:  # crowded scores need a larger sample
            cells = fit_cells(self._sample(1 << 16), fineness)
        return cells

    def _sample(self, size: int) -> Scores:
        """Sample about `size` scores evenly from the source."""
        step = max(1, (self.genuine + self.impostor) // size)
        # at least some thousands of a small part, so that a rare class in an array of its own is not missed
        return np.concatenate([scores[:: max(1, min(step, len(scores) // 4096))] for scores, _ in self.parts])

    def tally(self, what: Tally[Total]) -> Total:
        # both NumPy and the compiled passes release the interpreter's lock, so threads share the work
        threads = max(1, min(processors(), _MAX_THREADS, (self.genuine + self.impostor) >> 20))
        chunks = list(self._chunks(threads))
        if threads < 2:
            return _tally_chunks(what, chunks)
        with ThreadPoolExecutor(threads) as pool:
            parts = [pool.submit(_tally_chunks, what, chunks[k::threads]) for k in range(threads)]
            return reduce(what.merge, (part.result() for part in parts))

    def _chunks(self, threads: int) -> Iterator[tuple[Scores, Genuine]]:
        """Cut the scores into pieces, as many of each array for every thread."""
        for scores, genuine in self.parts:
            pieces = threads * -(-len(scores) // (threads * _CHUNK))
            ends = [len(scores) * k // pieces for k in range(1, pieces + 1)] if pieces else []
            for start, stop in pairwise([0, *ends]):
                yield scores[start:stop], genuine if isinstance(genuine, bool) else genuine[start:stop]


@dataclass(frozen=True, slots=True)
class PooledSource:
    """The scores of several sources as one."""

    sources: tuple[ScoreSource, ...]

    @property
    def genuine(self) -> int:
        return sum(source.genuine for source in self.sources)

    @property
    def impostor(self) -> int:
        return sum(source.impostor for source in self.sources)

    @property
    def room(self) -> int:
        return sum(source.room for source in self.sources)

    def lay_cells(self, fineness: int) -> Cells | None:
        if self.genuine + self.impostor <= SORT_AT_ONCE:
            return None
        laid = [source.lay_cells(fineness) for source in self.sources]
        return next((cells for cells in laid if cells is not None), None)

    def tally(self, what: Tally[Total]) -> Total:
        return reduce(what.merge, (source.tally(what) for source in self.sources))


@dataclass(frozen=True, slots=True)
class SortedSource:
    """Scores in memory that were sorted once, for questions about many thresholds.

    Attributes
    ----------
    points : ErrorCounts
        Error counts at -inf and at every distinct score, by rising threshold.
    """

    source: ScoreSource
    points: ErrorCounts

    @property
    def genuine(self) -> int:
        return self.source.genuine

    @property
    def impostor(self) -> int:
        return self.source.impostor

    @property
    def room(self) -> int:
        return self.genuine + self.impostor

    def lay_cells(self, fineness: int) -> Cells | None:
        return None

    def tally(self, what: Tally[Total]) -> Total:
        return self.source.tally(what)


def _tally_chunks(what: Tally[Total], chunks: Sequence[tuple[Scores, Genuine]]) -> Total:
    total = what.start()
    for scores, genuine in chunks:
        total = what.add(total, scores, genuine)
    return total


def processors() -> int:
    """Give the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


ScoreData: TypeAlias = Trials | Frame | Sources | ScoreSource | tuple[ArrayLike, ArrayLike]
"""Trials, also those of a data frame or of files of any size, a source, or a pair of arrays ``(genuine, impostor)``."""


def has_sources(data: object) -> TypeGuard[Sources]:
    """Check for trials that are not in memory as arrays."""
    return hasattr(data, "source_of")


def _is_source(data: object) -> TypeGuard[ScoreSource]:
    return hasattr(data, "tally")


def as_source(data: ScoreData, *, system: str | None = None, what: str = "scores") -> ScoreSource:
    """Make a source of scores, which all counting uses; a source stays unchanged.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    system : str, optional
        The name of the system; not needed if there is only one.
    what : str, default "scores"
        The name of the data in errors.

    Returns
    -------
    ScoreSource
        The scores of one system.

    Raises
    ------
    TrialsError
        If a class has no scores, a score is NaN, or no system is named of several.

    Examples
    --------
    >>> source = as_source(([0.9, 0.4], [0.1, 0.5, 0.4]))
    >>> source.genuine, source.impostor
    (2, 3)
    """
    source: ScoreSource
    if isinstance(data, Frame):
        data = trials_of(data, what)
    if isinstance(data, Trials):
        scores = data.column(system)
        genuine = int(np.count_nonzero(data.genuine))
        source = ArraySource(((scores, data.genuine),), genuine, len(scores) - genuine)
    elif isinstance(data, tuple) and len(data) == 2:
        arrays = [
            score_array(part, f"{what}, {name}") for part, name in zip(data, ("genuine", "impostor"), strict=True)
        ]
        _refuse_labels(arrays, what)
        source = ArraySource(((arrays[0], True), (arrays[1], False)), len(arrays[0]), len(arrays[1]))
    elif has_sources(data):
        return data.source_of(system)
    elif _is_source(data):
        source = data
    else:
        is_name = isinstance(data, str | os.PathLike)
        hint = "; read files with read_pair(dev, test) or read_trials(file)" if is_name else ""
        raise TrialsError(
            f"{what}: expected Trials, a data frame or a pair of arrays (genuine scores, impostor scores), not "
            f"{type(data).__name__}{hint}"
        )
    if not isinstance(source, ArraySource):
        return source  # other sources check their classes in the first pass
    check_classes(source.genuine, source.impostor, what)
    return source


def _refuse_labels(arrays: Sequence[Scores], what: str) -> None:
    """Raise an error for labels and scores, as scikit-learn takes them, instead of scores of the two classes."""
    if len(arrays[0]) != len(arrays[1]) or len(arrays[0]) < 20:
        return
    for one, other in (arrays, arrays[::-1]):
        if np.isin(one[:20], (-1, 0, 1)).all() and len(np.unique(one)) == 2 and len(np.unique(other)) > 2:
            raise TrialsError(
                f"{what}: one of the two arrays holds labels; give the scores of genuine and of impostor trials, as in "
                "(scores[y == 1], scores[y == 0]), or Trials.from_arrays(scores, y == 1)"
            )


def score_array(values: ArrayLike, what: str) -> Scores:
    """Check scores, one per trial, and give them as an array of 32 or 64 bits; `what` names them in errors."""
    scores = np.asarray(values)
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise TrialsError(f"{what}: some scores are masked; drop or reject trials without a score first")
    if scores.dtype not in (np.float32, np.float64):
        if scores.dtype.kind not in "fiub" and scores.size:
            raise TrialsError(f"{what}: scores must be numbers, not {scores.dtype}")
        scores = scores.astype(np.float64)
    if scores.ndim != 1:
        raise TrialsError(f"{what}: scores must be a one-dimensional array, not of shape {scores.shape}")
    if ArraySource(((scores, True),), len(scores), 0).tally(_NanTally()):
        row = int(np.flatnonzero(np.isnan(scores))[0])
        raise TrialsError(f"{what}: the score at index {row} is NaN; drop or reject trials without a score first")
    return scores


class _NanTally:
    """Find whether a score is NaN."""

    def start(self) -> bool:
        return False

    def add(self, total: bool, scores: Scores, genuine: Genuine) -> bool:
        return total or bool(scores.size and np.isnan(np.min(scores)))

    def merge(self, a: bool, b: bool) -> bool:
        return a or b


@dataclass(frozen=True, slots=True)
class RankTally:
    """Count scores by the number of thresholds below them: row 0 impostor, row 1 genuine.

    Attributes
    ----------
    thresholds : ndarray of float
        Rising thresholds.
    cells : Cells
        Cells laid over the thresholds.
    below : ndarray of int
        For each cell, the number of thresholds in lower cells.
    bound : ndarray of float
        The only threshold in the cell; inf if there is none, NaN if there are several.
    """

    thresholds: NDArray[np.float64]
    cells: Cells
    below: Integers
    bound: NDArray[np.float64]

    def start(self) -> Integers:
        return np.zeros((2, len(self.thresholds) + 1), dtype=np.int64)

    def add(self, total: Integers, scores: Scores, genuine: Genuine) -> Integers:
        if len(self.thresholds) > _COMPARED:
            passes_for(scores).count_ranks(total, self, scores, genuine)
        else:
            compare_ranks(total, self.thresholds, scores, genuine)
        return total

    def ranks(self, scores: Scores) -> Integers:
        """Count the thresholds below each score."""
        cells = self.cells.locate(scores)
        ranks, bounds = self.below[cells], self.bound[cells]
        ranks += scores > bounds
        several = np.flatnonzero(np.isnan(bounds))
        ranks[several] = np.searchsorted(self.thresholds, scores[several], side="left")
        return ranks

    def merge(self, a: Integers, b: Integers) -> Integers:
        return a + b


def count_errors(data: ScoreData, thresholds: ArrayLike, *, system: str | None = None) -> ErrorCounts:
    """Count false acceptances and false rejections at each threshold, in the order given.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    thresholds : array_like
        One threshold or an array of them, infinite ones included.
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    ErrorCounts
        Errors in the shape of `thresholds`.

    Raises
    ------
    ParameterError
        If a threshold is NaN.
    TrialsError
        As for `as_source`.

    Notes
    -----
    One pass, without sorting the scores: the cell of a score gives the number of thresholds below it, except in the
    few cells that hold several thresholds.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (1).

    Examples
    --------
    >>> counts = count_errors(([0.9, 0.4], [0.1, 0.5, 0.4]), [0.4, 0.5])
    >>> counts.false_accepts, counts.false_rejects
    (array([1, 0]), array([1, 1]))
    """
    # a source may hold one class only here: a block of held-out trials, say
    source = data if _is_source(data) else as_source(data, system=system)
    wanted = np.asarray(thresholds, dtype=np.float64)
    if np.isnan(wanted).any():
        raise ParameterError("a threshold is NaN; thresholds must be numbers, -inf or inf")
    if isinstance(source, SortedSource):
        places = np.searchsorted(source.points.threshold, wanted, side="right") - 1
        return replace(source.points[places], threshold=wanted)
    unique, inverse = np.unique(wanted, return_inverse=True)
    counts = source.tally(rank_tally(unique))
    # a score of rank r is above thresholds 0 .. r-1, so it is not above threshold j when r <= j
    rejected = np.cumsum(counts, axis=1)[:, :-1]
    false_accepts = source.impostor - rejected[0]
    inverse = inverse.reshape(wanted.shape)
    return ErrorCounts(wanted, false_accepts[inverse], rejected[1][inverse], source.genuine, source.impostor)


def rank_tally(thresholds: NDArray[np.float64]) -> RankTally:
    """Lay cells over rising thresholds, so that ranks among them are looked up and seldom searched for."""
    finite = thresholds[np.isfinite(thresholds)]
    with np.errstate(over="ignore"):
        # some way beyond the thresholds, so that scores there are spread over cells, too
        beyond = 10 * (finite[-1:] - finite[:1]) / len(thresholds)
        around = np.concatenate([finite[:1] - beyond, finite, finite[-1:] + beyond])
    cells = fit_cells(around, int(np.clip(128 * (20 + len(thresholds)), 1 << 10, 1 << 16)))
    held = cells.locate(thresholds)
    within = np.bincount(held, minlength=cells.count)
    bound = np.full(cells.count, np.inf)
    bound[held] = np.where(within[held] == 1, thresholds, np.nan)
    return RankTally(thresholds, cells, np.cumsum(within) - within, bound)


def add_counts(parts: Sequence[ErrorCounts]) -> ErrorCounts:
    """Add errors and trials, each part at its own threshold; the threshold is NaN if they differ."""
    thresholds = np.stack([part.threshold for part in parts])
    same = (thresholds == thresholds[0]).all(axis=0)
    return ErrorCounts(
        np.where(same, thresholds[0], np.nan),
        sum(part.false_accepts for part in parts),
        sum(part.false_rejects for part in parts),
        sum(part.genuine for part in parts),
        sum(part.impostor for part in parts),
    )
