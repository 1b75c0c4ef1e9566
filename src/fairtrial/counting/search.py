"""Exact threshold search: the few error counts among which every optimum lies.

Candidates are -inf and every distinct score. Three facts make it unnecessary to look at them all:

- A cost that is linear, or only quasi-convex, in (false accepts, false rejects) is smallest at a vertex of
  the lower convex hull of those points. This holds for weighted error rates, detection costs, F1 and for
  weighted sums of precision and recall.
- A cost ``|level(t) - target|`` whose level never falls as the threshold rises is smallest beside the place
  where the level passes the target.
- Any other cost that is bounded from below by the fewest and the most errors of a stretch of scores is smallest in a
  stretch whose bound is no higher than the lowest known cost. This holds for a target of precision.

For many scores, a pass counts them in cells; cells that cannot hold an optimum are skipped, and only the scores of the
others are looked at. All searches are exact for any scores; a good fit of the cells makes them quick.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.kernels import Cells, Integers, passes_for, position, refine_cells
from fairtrial.counting.tallies import (
    MAX_CELLS,
    ArraySource,
    ErrorCounts,
    Genuine,
    Scores,
    ScoreSource,
    SortedSource,
    add_counts,
    count_errors,
)

Level: TypeAlias = Callable[[ErrorCounts], NDArray[np.float64]]
Choice: TypeAlias = Callable[[ErrorCounts], NDArray[np.bool_]]
"""From the counts at the edges of cells to the cells that may hold an optimum."""

_ROUNDS = 6
_MOST_SORTED = 1 << 22  # scores up to which error counts at all of them are kept in memory (100 MB)

_PER_CELL = 32  # scores in a cell of those that were sorted
_SAMPLE = 1 << 14  # scores of each array that tell where to look


@runtime_checkable
class BoundedCost(Protocol):
    """A cost of errors at an alpha with `floor`, its lower bound for errors between the fewest and the most."""

    def __call__(self, counts: ErrorCounts, alpha: Any, /) -> Any: ...

    def floor(self, fewest: ErrorCounts, most: ErrorCounts, alpha: float, /) -> NDArray[np.float64]: ...


def all_points(source: ScoreSource) -> ErrorCounts:
    """Count errors at -inf and at every distinct score, by rising threshold."""
    if isinstance(source, SortedSource):
        return source.points
    thresholds, rejected = _distinct(*_join(source.tally(GatherTally())))
    if len(thresholds) == 0 or thresholds[0] > -np.inf:
        thresholds = np.concatenate([[-np.inf], thresholds])
        rejected = np.concatenate([np.zeros((2, 1), dtype=np.int64), rejected], axis=1)
    return _points(source, thresholds, rejected)


def _points(source: ScoreSource, thresholds: NDArray[np.float64], rejected: Integers) -> ErrorCounts:
    """Make error counts from the impostor and genuine scores at or below thresholds."""
    return ErrorCounts(thresholds, source.impostor - rejected[0], rejected[1], source.genuine, source.impostor)


def sort_once(source: ScoreSource) -> ScoreSource:
    """Sort the scores of a source for questions about many thresholds, unless they are not in memory or too many."""
    in_memory = all(isinstance(each, ArraySource) for each in getattr(source, "sources", (source,)))
    if not in_memory or source.genuine + source.impostor > _MOST_SORTED:
        return source
    return SortedSource(source, all_points(source))


def hull_points(source: ScoreSource) -> ErrorCounts:
    """Count errors at the vertices of the lower convex hull, by rising threshold: the ROC convex hull."""
    points = _candidates(source, cells_below_hull, MAX_CELLS)
    return points[hull_of_points(points)]


def points_beside(source: ScoreSource, keep: Callable[[ErrorCounts], Integers]) -> ErrorCounts:
    """Count errors at the scores around some places of the curve, if all scores would be too many to sort.

    Parameters
    ----------
    keep
        From the counts at many places along the curve, by rising threshold, to the indices of those that matter.
    """
    return _candidates(source, lambda edges: _cells_beside(keep(edges), len(edges) - 1), MAX_CELLS)


def _cells_beside(edges: Integers, count: int) -> NDArray[np.bool_]:
    """Choose the cells on both sides of edges."""
    chosen = np.zeros(count, dtype=bool)
    for beside in (edges - 1, edges):
        chosen[beside[(beside >= 0) & (beside < count)]] = True
    return chosen


def crossing_points(source: ScoreSource, level: Level, targets: NDArray[np.float64]) -> ErrorCounts:
    """Count errors at the candidates around the place where `level` passes each target.

    For each target they hold both ends of the run of candidates with the highest level up to the target, and of the run
    with the lowest level above it.
    """
    points = _between_samples(source, level, targets)
    if points is None:
        # a few cells a target are looked into, so a few thousand cells are fine enough
        points = _candidates(source, lambda edges: cells_at_crossings(level(edges), targets), 4096 * (1 + len(targets)))
    keep = _crossing_ends(level(points), targets)
    return points[np.unique(np.clip(keep, 0, len(points) - 1))]


def _between_samples(source: ScoreSource, level: Level, targets: NDArray[np.float64]) -> ErrorCounts | None:
    """Count errors at the candidates between two scores of a sample, if few lie there and all crossings do.

    The level passes the targets where that of the sample does, give or take two standard errors of both rates. One pass
    counts what is lower and gathers what is between, where the search goes on.
    """
    if not isinstance(source, ArraySource) or source.genuine + source.impostor < 16 * _SAMPLE:
        return None
    parts = []
    for scores, genuine in source.parts:
        rows = slice(None, None, max(1, len(scores) // _SAMPLE))
        parts.append((scores[rows], genuine if isinstance(genuine, bool) else genuine[rows]))
    sample = _join(ArraySource(tuple(parts), 0, 0).tally(GatherTally()))
    if not all(map(len, sample)):
        return None
    thresholds = np.unique(np.concatenate([each[:: max(1, _SAMPLE >> 10)] for each in sample]))
    rates = np.stack([np.searchsorted(each, thresholds, side="right") / len(each) for each in sample])
    sizes, totals = np.array([[len(each)] for each in sample]), np.array([[source.impostor], [source.genuine]])
    margin = 2 * np.sqrt((rates * (1 - rates) + 1 / sizes) / sizes)
    low, high = (level(_points(source, thresholds, totals * np.clip(rates + end, 0, 1))) for end in (margin, -margin))
    first, last = np.flatnonzero(low < targets.min()), np.flatnonzero(high > targets.max())
    if not len(first) or not len(last) or first[-1] >= last[0]:
        return None
    if ((rates[:, last[0]] - rates[:, first[-1]]) @ totals)[0] > source.room:
        return None
    start, stop = thresholds[[first[-1], last[0]]].tolist()
    *gathered, below = source.tally(SplitTally(start, stop))
    impostor, right = (np.concatenate(part) for part in gathered)
    between = ArraySource(((impostor, False), (right, True)), len(right), len(impostor))
    higher = source.impostor - int(below[0, 0]) - len(impostor)

    def of_all(points: ErrorCounts) -> ErrorCounts:
        thresholds = np.maximum(points.threshold, start)
        accepts, rejects = points.false_accepts + higher, points.false_rejects + int(below[1, 0])
        return ErrorCounts(thresholds, accepts, rejects, source.genuine, source.impostor)

    points = of_all(crossing_points(between, lambda points: level(of_all(points)), targets))
    ends = _crossing_ends(level(points), targets)
    return points if ends.min() >= 0 and ends.max() < len(points) else None


def bounded_points(source: ScoreSource, cost: BoundedCost, alphas: NDArray[np.float64]) -> ErrorCounts:
    """Count errors at the candidates among which the cost is smallest for each alpha, and at some others."""
    # the work grows with cells times alphas
    fineness = max(MAX_CELLS // (1 + len(alphas)), 4096)
    return _candidates(source, lambda edges: cells_within_bounds(edges, cost, alphas), fineness)


def cells_within_bounds(edges: ErrorCounts, cost: BoundedCost, alphas: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Choose cells that may hold the smallest cost for one of the alphas, given the points at their edges."""
    fewest, most = errors_within(edges[:-1], edges[1:])
    keep = np.zeros(len(edges) - 1, dtype=bool)
    for alpha in alphas.tolist():
        known = float(np.min(cost(edges, alpha)))
        keep |= cost.floor(fewest, most, alpha) <= known + 1e-12 * max(1.0, abs(known))
    return keep


def errors_within(low: ErrorCounts, high: ErrorCounts) -> tuple[ErrorCounts, ErrorCounts]:
    """Give the fewest and the most errors of both kinds between a lower and a higher threshold."""
    fewest, most = (
        ErrorCounts(low.threshold, fa.false_accepts, fr.false_rejects, low.genuine, low.impostor)
        for fa, fr in ((high, low), (low, high))
    )
    return fewest, most


@dataclass(frozen=True, slots=True)
class CellTally:
    """Count the scores of each class in each cell: row 0 impostor, row 1 genuine."""

    cells: Cells

    def start(self) -> Integers:
        return np.zeros((2, self.cells.count), dtype=np.int64)

    def add(self, total: Integers, scores: Scores, genuine: Genuine) -> Integers:
        passes_for(scores).sift(total, self.cells, None, scores, genuine)
        return total

    def merge(self, a: Integers, b: Integers) -> Integers:
        a += b
        return a


@dataclass(frozen=True, slots=True)
class _ExtremesTally:
    """Find the lowest and the highest score in each of the chosen cells."""

    cells: Cells
    chosen: NDArray[np.bool_]

    def start(self) -> NDArray[np.float64]:
        return np.stack([np.full(self.cells.count, np.inf), np.full(self.cells.count, -np.inf)])

    def add(self, total: NDArray[np.float64], scores: Scores, genuine: Genuine) -> NDArray[np.float64]:
        passes_for(scores).find_extremes(total, self.cells, self.chosen, scores)
        return total

    def merge(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([np.minimum(a[0], b[0]), np.maximum(a[1], b[1])])


_Gathered: TypeAlias = tuple[list[Scores], list[Scores]]


@dataclass(frozen=True, slots=True)
class GatherTally:
    """Gather the scores in the chosen cells, or all of them: impostor scores, genuine scores."""

    cells: Cells | None = None
    chosen: NDArray[np.bool_] | None = None

    def start(self) -> _Gathered:
        return [], []

    def add(self, total: _Gathered, scores: Scores, genuine: Genuine) -> _Gathered:
        if self.cells is not None:
            uncounted = np.empty((2, 0), dtype=np.int64)
            parts = passes_for(scores).sift(uncounted, self.cells, self.chosen, scores, genuine)
        elif isinstance(genuine, bool):
            parts = (scores[:0], scores) if genuine else (scores, scores[:0])
        else:
            parts = scores[~genuine], scores[genuine]
        for gathered, part in zip(total, parts, strict=True):
            gathered.append(part)
        return total

    def merge(self, a: _Gathered, b: _Gathered) -> _Gathered:
        return a[0] + b[0], a[1] + b[1]


@dataclass(frozen=True, slots=True)
class SplitTally:
    """Count the scores up to `low`, row 0 impostor, row 1 genuine; gather those above it up to `high`."""

    low: float
    high: float

    def start(self) -> tuple[list[Scores], list[Scores], Integers]:
        return [], [], np.zeros((2, 1), dtype=np.int64)

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        for gathered, part in zip(
            total, passes_for(scores).split(total[2], self.low, self.high, scores, genuine), strict=False
        ):
            gathered.append(part)
        return total

    def merge(self, a: Any, b: Any) -> Any:
        return tuple(one + other for one, other in zip(a, b, strict=True))


def _join(gathered: _Gathered) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sort the gathered scores of each class."""
    impostor, genuine = (_sorted(part) if part else np.empty(0) for part in gathered)
    return impostor, genuine


def _sorted(part: list[Scores]) -> NDArray[np.float64]:
    scores = np.concatenate(part)
    scores.sort()
    values = scores.astype(np.float64, copy=False)
    values += 0.0  # -0.0 equals 0.0 in its bits too
    return values


def _distinct(
    impostor: NDArray[np.float64], genuine: NDArray[np.float64], left: Integers | None = None
) -> tuple[NDArray[np.float64], Integers]:
    """Merge two sorted arrays: the distinct values, and the number of entries of each array at or below them.

    `left` is added to these numbers, for each value of both arrays in their common order.
    """
    size = len(impostor) + len(genuine)
    places = np.searchsorted(impostor, genuine, side="right") + np.arange(len(genuine))
    true = np.zeros(size, dtype=bool)
    true[places] = True
    merged = np.empty(size)
    merged[places], merged[~true] = genuine, impostor
    rejected = np.empty((2, size), dtype=np.int64)
    np.cumsum(true, out=rejected[1])
    np.subtract(np.arange(1, size + 1), rejected[1], out=rejected[0])
    if left is not None:
        rejected += left
    last = np.append(merged[1:] != merged[:-1], True)[:size]
    return (merged, rejected) if last.all() else (merged[last], rejected[:, last])


def _candidates(source: ScoreSource, choose: Choice, fineness: int) -> ErrorCounts:
    """Count errors at -inf and at every distinct score of the cells that `choose` keeps."""
    if isinstance(source, SortedSource):
        return _of_chosen_cells(source.points, choose)
    parts = getattr(source, "sources", ())
    if parts and all(isinstance(part, SortedSource) for part in parts):
        return _of_pooled_cells(parts, choose)
    cells = source.lay_cells(fineness)
    if cells is None:
        return all_points(source)
    before = np.inf
    for rounds_left in reversed(range(_ROUNDS)):
        counts = source.tally(CellTally(cells))
        per_cell = counts.sum(axis=0)
        filled = 1 + np.flatnonzero(per_cell[1:])
        rejected = np.cumsum(counts, axis=1)
        # the edges are -inf and the highest scores of filled cells, which are not known yet
        edges = rejected
        if len(filled) + 1 < rejected.shape[1]:
            edges = rejected.take(np.concatenate([[0], filled]), axis=1)
        chosen = np.zeros(cells.count, dtype=bool)
        chosen[filled[choose(_points(source, np.broadcast_to(np.nan, edges.shape[1]), edges))]] = True
        single, single_scores = np.zeros(0, dtype=np.int64), np.zeros(0)
        load = per_cell[chosen].sum()
        if load <= source.room:
            break
        if cells.smooth and not cells.starts:  # the spans of the cells bound their scores closely enough
            low, high = cells.spans()
        else:
            lowest, highest = source.tally(_ExtremesTally(cells, chosen))
            single = np.flatnonzero(chosen & (lowest == highest))
            single_scores = lowest[single]
            chosen[single] = False
            load = per_cell[chosen].sum()
            if load <= source.room or load > before / 2 or not rounds_left:
                break
            limit = np.finfo(np.float64).max
            low, high = (
                position(np.clip(np.where(chosen, end, 0.0), -limit, limit), ordinal=cells.ordinal)
                for end in (lowest, highest)
            )
        before = load
        # divide the chosen cells in proportion to their scores
        parts = np.where(chosen, np.clip(per_cell * (MAX_CELLS / load), 2, MAX_CELLS), 1)
        cells = refine_cells(cells, low, high, np.where(low < high, parts, 1).astype(np.int64))
    # below a threshold: what was gathered up to it, and all that was left in lower cells
    held = np.flatnonzero(chosen)
    here = counts[:, held]
    lower = rejected[:, held] - np.cumsum(here, axis=1)
    gathered = _join(source.tally(GatherTally(cells, chosen)))
    thresholds, within = _distinct(*gathered, np.repeat(lower, here.sum(axis=0), axis=1))
    thresholds = np.concatenate([[-np.inf], thresholds, single_scores])
    points = _points(source, thresholds, np.concatenate([rejected[:, :1], within, rejected[:, single]], axis=1))
    return points[np.argsort(thresholds, kind="stable")] if len(single) else points


def _of_chosen_cells(points: ErrorCounts, choose: Choice) -> ErrorCounts:
    """Give the points of the cells that `choose` keeps, each cell a run of known points."""
    edges = np.append(np.arange(0, len(points) - 1, _PER_CELL), len(points) - 1)
    inside = np.repeat(choose(points[edges]), np.diff(edges))
    return points[np.concatenate([[0], 1 + np.flatnonzero(inside)])]


def _of_pooled_cells(parts: Sequence[SortedSource], choose: Choice) -> ErrorCounts:
    """Give the points of the cells that `choose` keeps, of several sources that are sorted each by itself."""

    def count(thresholds: NDArray[np.float64]) -> ErrorCounts:
        return add_counts([count_errors(part, thresholds) for part in parts])

    scores = [part.points.threshold for part in parts]
    edges = np.unique(np.concatenate([each[::_PER_CELL] for each in scores] + [each[-1:] for each in scores]))
    chosen = choose(count(edges))
    inside = [edges[:1]]
    for each in scores:
        places = np.searchsorted(each, edges, side="right")
        inside.append(each[places[0] :][np.repeat(chosen, np.diff(places))])
    return count(np.unique(np.concatenate(inside)))


def cells_below_hull(edges: ErrorCounts) -> NDArray[np.bool_]:
    """Choose cells that may hold a vertex of the hull of all points, given the points at their edges."""
    low, high = edges[:-1], edges[1:]
    # within a cell no point is better than its highest edge's accepts with its lowest edge's rejects
    best = ErrorCounts(high.threshold, high.false_accepts, low.false_rejects, edges.genuine, edges.impostor)
    near = _below(best, edges[_few_of(edges)])
    hull = _drop_concave(edges, np.concatenate([[0], near + 1]))
    near = near[
        (low.false_accepts[near] > high.false_accepts[near]) & (low.false_rejects[near] < high.false_rejects[near])
    ]
    keep = np.zeros(len(low), dtype=bool)
    keep[near[_below(best[near], edges[hull])]] = True
    keep[hull[hull > 0] - 1] = True
    return keep


def _below(points: ErrorCounts, vertices: ErrorCounts) -> Integers:
    """Find the points on or below the line through vertices."""
    line = np.interp(
        -points.false_accepts.astype(np.float64),
        -vertices.false_accepts.astype(np.float64),
        vertices.false_rejects.astype(np.float64),
    )
    return np.flatnonzero(points.false_rejects <= line * (1 + 1e-12))


def _few_of(points: ErrorCounts) -> Integers:
    """Approximate the hull of all points from some of them: few points, with all vertices on or below them."""
    some = np.arange(0, len(points), 64)
    return _drop_concave(points, np.concatenate([some, [len(points) - 1]]))


def _drop_concave(points: ErrorCounts, keep: Integers) -> Integers:
    """Drop most points that are not vertices of the lower hull of those to keep, and no vertex.

    A point on or above the line between its two neighbors is not a vertex. Dropping such points repeatedly leaves few;
    rounding may leave some more.
    """
    accepts = points.false_accepts[keep].astype(np.float64)
    rejects = points.false_rejects[keep].astype(np.float64)
    exact = points.genuine * points.impostor < 2**53
    tolerance = 0.0 if exact else 1e-15
    while len(keep) > 2:
        gained, lost = -np.diff(accepts), np.diff(rejects)
        rising, falling = lost[1:] * gained[:-1], lost[:-1] * gained[1:]
        vertex = falling - rising < tolerance * (falling + rising)
        if vertex.sum() > 0.9 * len(vertex):
            break
        left = np.concatenate([[True], vertex, [True]])
        keep, accepts, rejects = keep[left], accepts[left], rejects[left]
    return keep


def hull_of_points(points: ErrorCounts) -> Integers:
    """Find the vertices of the lower hull, in exact integers."""
    kept: list[int] = []
    places: list[tuple[int, int]] = []
    # at a vertex the last step has gained something, and the next one loses something
    accepts, rejects = points.false_accepts, points.false_rejects
    turns = np.ones(len(points), dtype=bool)
    turns[1:-1] = (accepts[1:-1] < accepts[:-2]) & (rejects[2:] > rejects[1:-1])
    turning = np.flatnonzero(turns)
    some = points[turning]
    candidates = turning[_drop_concave(some, _below(some, some[_few_of(some)]))]
    for index, a, r in zip(
        candidates.tolist(), accepts[candidates].tolist(), rejects[candidates].tolist(), strict=True
    ):
        while len(places) > 1:
            (a0, r0), (a1, r1) = places[-2:]
            if (r1 - r0) * (a1 - a) < (r - r1) * (a0 - a1):
                break
            places.pop()
            kept.pop()
        kept.append(index)
        places.append((a, r))
    return np.array(kept, dtype=np.int64)


def _crossing_ends(levels: NDArray[np.float64], targets: NDArray[np.float64]) -> Integers:
    """Find, for each target, the ends of the runs of equal level on both sides of it, and their neighbors."""
    rising = np.maximum.accumulate(levels)  # rounding may have put neighbours out of order
    above = np.searchsorted(rising, targets, side="right")
    below = np.maximum(above - 1, 0)
    ends = [
        np.searchsorted(rising, rising[below], side="left"),
        below,
        above,
        np.searchsorted(rising, rising[np.minimum(above, len(rising) - 1)], side="right") - 1,
    ]
    return np.concatenate([end + step for end in ends for step in (-1, 0, 1)])


def cells_at_crossings(levels: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Choose the cells around the place where the level passes each target, given the levels at their edges."""
    return _cells_beside(_crossing_ends(levels, targets), len(levels) - 1)
