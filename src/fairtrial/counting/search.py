"""Exact threshold search: the few error counts among which every optimum lies.

Candidates are -inf and every distinct score. Two facts make it unnecessary to look at them all:

- A cost that is linear, or only quasi-convex, in (false accepts, false rejects) is smallest at a vertex of
  the lower convex hull of those points. This holds for weighted error rates, detection costs, F1 and for
  weighted sums of precision and recall.
- A cost ``|level(t) - target|`` whose level never falls as the threshold rises is smallest beside the place
  where the level passes the target.

For many scores, a pass counts them in cells; cells that cannot hold an optimum are left alone, and only the
scores of the others are looked at. Both searches are exact for any scores; a good fit of the cells makes
them quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.cells import Cells, cell_of, fit_cells, position, refine_cells
from fairtrial.counting.errors import ErrorCounts, Genuine, Scores, ScoreSource, add_by_class

Level: TypeAlias = Callable[[ErrorCounts], NDArray[np.float64]]
_Choice: TypeAlias = Callable[[ErrorCounts], NDArray[np.bool_]]
"""From the counts at the cells' edges to the cells that may hold what is sought."""

_SORT_AT_ONCE = 1 << 15
_MAX_CELLS = 1 << 18
_ROUNDS = 6


def all_points(source: ScoreSource) -> ErrorCounts:
    """Error counts at -inf and at every distinct score, by rising threshold."""
    return _all_points(source, *_join(source.tally(_GatherTally())))


def hull_points(source: ScoreSource) -> ErrorCounts:
    """Error counts at the vertices of the lower convex hull, by rising threshold: the ROC convex hull."""
    points = _candidates(source, cells_below_hull, _MAX_CELLS)
    return points[hull_of_points(points)]


def crossing_points(source: ScoreSource, level: Level, targets: NDArray[np.float64]) -> ErrorCounts:
    """Error counts at the candidates around the place where `level` passes each target.

    For each target they hold both ends of the run of candidates with the highest level up to the target,
    and of the run with the lowest level above it.
    """
    # a few cells a target are looked into, so a few thousand cells are fine enough
    points = _candidates(source, lambda edges: cells_at_crossings(level(edges), targets), 4096 * (1 + len(targets)))
    keep = _crossing_ends(level(points), targets)
    return points[np.unique(np.clip(keep, 0, len(points) - 1))]


@dataclass(frozen=True, slots=True)
class _CellTally:
    """How many scores of each class are in each cell: row 0 impostor, row 1 genuine."""

    cells: Cells

    def start(self) -> NDArray[np.int64]:
        return np.zeros((2, self.cells.count), dtype=np.int64)

    def add(self, total: NDArray[np.int64], scores: Scores, genuine: Genuine) -> NDArray[np.int64]:
        return add_by_class(total, cell_of(self.cells, scores), genuine)

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


@dataclass(frozen=True, slots=True)
class _ExtremesTally:
    """The lowest and the highest score in each of the chosen cells."""

    cells: Cells
    chosen: NDArray[np.bool_]

    def start(self) -> NDArray[np.float64]:
        return np.stack([np.full(self.cells.count, np.inf), np.full(self.cells.count, -np.inf)])

    def add(self, total: NDArray[np.float64], scores: Scores, genuine: Genuine) -> NDArray[np.float64]:
        cells = cell_of(self.cells, scores)
        here = np.flatnonzero(self.chosen[cells])
        cells, values = cells[here], scores[here].astype(np.float64)
        np.minimum.at(total[0], cells, values)
        np.maximum.at(total[1], cells, values)
        return total

    def merge(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([np.minimum(a[0], b[0]), np.maximum(a[1], b[1])])


_Gathered: TypeAlias = tuple[list[Scores], list[Scores]]


@dataclass(frozen=True, slots=True)
class _GatherTally:
    """The scores in the chosen cells, or all of them: impostor scores, genuine scores."""

    cells: Cells | None = None
    chosen: NDArray[np.bool_] | None = None

    def start(self) -> _Gathered:
        return [], []

    def add(self, total: _Gathered, scores: Scores, genuine: Genuine) -> _Gathered:
        if self.cells is not None and self.chosen is not None:
            here = np.flatnonzero(self.chosen[cell_of(self.cells, scores)])
            scores = scores[here]
            genuine = genuine if isinstance(genuine, bool) else genuine[here]
        if isinstance(genuine, bool):
            total[int(genuine)].append(scores)
        else:
            total[0].append(scores[~genuine])
            total[1].append(scores[genuine])
        return total

    def merge(self, a: _Gathered, b: _Gathered) -> _Gathered:
        return a[0] + b[0], a[1] + b[1]


def _join(gathered: _Gathered) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    impostor, genuine = (np.sort(np.concatenate([np.empty(0), *part], dtype=np.float64)) for part in gathered)
    return impostor, genuine


def _all_points(source: ScoreSource, impostor: NDArray[np.float64], genuine: NDArray[np.float64]) -> ErrorCounts:
    thresholds = np.concatenate([[-np.inf], _distinct(impostor, genuine)])
    if len(thresholds) > 1 and thresholds[1] == -np.inf:
        thresholds = thresholds[1:]
    rejected_impostors = np.searchsorted(impostor, thresholds, side="right")
    return ErrorCounts(
        thresholds,
        source.impostor - rejected_impostors,
        np.searchsorted(genuine, thresholds, side="right"),
        source.genuine,
        source.impostor,
    )


def _distinct(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distinct values of two sorted arrays; a stable sort merges them in one go."""
    merged = np.sort(np.concatenate([a, b]), kind="stable")
    return merged[np.concatenate([[True], merged[1:] != merged[:-1]])] if len(merged) else merged


def _candidates(source: ScoreSource, choose: _Choice, fineness: int) -> ErrorCounts:
    """Error counts at -inf and at every distinct score of the cells that `choose` keeps."""
    size = source.genuine + source.impostor
    if size <= _SORT_AT_ONCE:
        return all_points(source)
    cells: Cells = fit_cells(
        source.sample(1 << 16 if size > 1 << 22 else 1 << 12), min(fineness, _MAX_CELLS, size // 16)
    )
    before = np.inf
    for _ in range(_ROUNDS):
        counts = source.tally(_CellTally(cells))
        per_cell = counts.sum(axis=0)
        filled = 1 + np.flatnonzero(per_cell[1:])
        chosen = np.zeros(cells.count, dtype=bool)
        chosen[filled[choose(_edges(source, counts, filled))]] = True
        atoms = np.zeros(0, dtype=np.int64), np.zeros(0)
        if per_cell[chosen].sum() <= size // 8:
            break
        lowest, highest = source.tally(_ExtremesTally(cells, chosen))
        single = np.flatnonzero(chosen & (lowest == highest))
        atoms = single, lowest[single]
        chosen[single] = False
        load = per_cell[chosen].sum()
        if load <= size // 8 or load > before / 2:
            break
        before = load
        cells = _divide(cells, lowest, highest, np.where(chosen, per_cell, 0))
    gathered = _join(source.tally(_GatherTally(cells, chosen)))
    return _points_in(source, cells, counts, chosen, gathered, atoms)


def _edges(source: ScoreSource, counts: NDArray[np.int64], filled: NDArray[np.int64]) -> ErrorCounts:
    """Error counts at -inf and at the highest score of each filled cell; those scores are not known yet."""
    rejected = np.cumsum(np.concatenate([counts[:, :1], counts[:, filled]], axis=1), axis=1)
    nowhere = np.full(rejected.shape[1], np.nan)
    return ErrorCounts(nowhere, source.impostor - rejected[0], rejected[1], source.genuine, source.impostor)


def _divide(cells: Cells, lowest: NDArray[np.float64], highest: NDArray[np.float64], load: NDArray[np.int64]) -> Cells:
    """Divide the loaded cells in proportion to their loads."""
    loaded = load > 0
    parts = np.where(loaded, np.clip(load * (_MAX_CELLS / load.sum()), 2, _MAX_CELLS), 1).astype(np.int64)
    limit = np.finfo(np.float64).max
    ends = [
        position(np.clip(np.where(loaded, end, 0.0), -limit, limit), ordinal=cells.ordinal) for end in (lowest, highest)
    ]
    return refine_cells(cells, ends[0], ends[1], parts)


def _points_in(
    source: ScoreSource,
    cells: Cells,
    counts: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    gathered: tuple[NDArray[np.float64], NDArray[np.float64]],
    atoms: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> ErrorCounts:
    impostor, genuine = gathered
    thresholds = _distinct(impostor, genuine)
    # what lies below a threshold: what was gathered up to it, and all that was left in lower cells
    left = np.cumsum(np.where(chosen, 0, counts), axis=1)[:, cell_of(cells, thresholds)]
    whole = np.cumsum(counts, axis=1)[:, atoms[0]]
    rejected = [
        np.concatenate([counts[row, :1], np.searchsorted(scores, thresholds, side="right") + left[row], whole[row]])
        for row, scores in enumerate((impostor, genuine))
    ]
    every = np.concatenate([[-np.inf], thresholds, atoms[1]])
    order = np.argsort(every)
    points = ErrorCounts(every, source.impostor - rejected[0], rejected[1], source.genuine, source.impostor)
    return points[order]


def cells_below_hull(edges: ErrorCounts) -> NDArray[np.bool_]:
    """Cells that may hold a vertex of the hull of all points, given the points at their edges."""
    accepts, rejects = edges.false_accepts, edges.false_rejects
    hull = _drop_concave(edges)
    # within a cell no point is better than its highest edge's accepts with its lowest edge's rejects
    at_best = np.interp(-accepts[1:].astype(np.float64), -accepts[hull].astype(np.float64), rejects[hull])
    mixed = (np.diff(accepts) < 0) & (np.diff(rejects) > 0)
    keep: NDArray[np.bool_] = mixed & (at_best * (1 + 1e-12) > rejects[:-1])
    keep[hull[hull > 0] - 1] = True
    return keep


def _drop_concave(points: ErrorCounts) -> NDArray[np.int64]:
    """Drop most points that are no vertices of the lower hull, and no vertex.

    A point on or above the line between two others is no vertex. Taking its neighbours as the two others,
    over and over, leaves few; rounding may leave some more.
    """
    accepts = points.false_accepts.astype(np.float64)
    rejects = points.false_rejects.astype(np.float64)
    exact = points.genuine * points.impostor < 2**53
    tolerance = 0.0 if exact else 1e-15
    keep = np.arange(len(accepts))
    while len(keep) > 2:
        gained, lost = -np.diff(accepts[keep]), np.diff(rejects[keep])
        rising, falling = lost[1:] * gained[:-1], lost[:-1] * gained[1:]
        vertex = falling - rising < tolerance * (falling + rising)
        if vertex.sum() > 0.9 * len(vertex):
            break
        keep = keep[np.concatenate([[True], vertex, [True]])]
    return keep


def hull_of_points(points: ErrorCounts) -> NDArray[np.int64]:
    """The vertices of the lower hull, in exact integers."""
    kept: list[int] = []
    places: list[tuple[int, int]] = []
    candidates = _drop_concave(points)
    accepts = points.false_accepts[candidates].tolist()
    rejects = points.false_rejects[candidates].tolist()
    for index, a, r in zip(candidates.tolist(), accepts, rejects, strict=True):
        while len(places) > 1:
            (a0, r0), (a1, r1) = places[-2:]
            if (r1 - r0) * (a1 - a) < (r - r1) * (a0 - a1):
                break
            places.pop()
            kept.pop()
        kept.append(index)
        places.append((a, r))
    return np.array(kept, dtype=np.int64)


def _crossing_ends(levels: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each target the ends of the runs of equal level on both sides of it, and their neighbours."""
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
    """The cells on both sides of the edges that `_crossing_ends` finds, given the levels at the edges."""
    keep = np.zeros(len(levels) - 1, dtype=bool)
    ends = _crossing_ends(levels, targets)
    for cell in (ends - 1, ends):
        keep[cell[(cell >= 0) & (cell < len(keep))]] = True
    return keep
