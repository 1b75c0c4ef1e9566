"""Choose thresholds and count errors; from counters, with guaranteed bounds.

At the end of a cell both error counts are exact. Within a cell false accepts fall and false rejects rise with the
threshold, so each lies between its values at the two ends, and a measure that is monotone in each error count lies
between its values at the corners.

The threshold that a criterion chooses is bounded by what cannot be excluded: the best of the ends of cells, and every
cell in which a score might do as well or better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, check_classes
from fairtrial.counting.cells import CountedCells, scores_at
from fairtrial.counting.counter import Counter
from fairtrial.counting.kernels import Integers, positions_of
from fairtrial.counting.search import (
    BoundedCost,
    cells_at_crossings,
    cells_below_hull,
    cells_within_bounds,
    errors_within,
)
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.rules.criteria import Criterion, best_of_points, choose_thresholds
from fairtrial.rules.measures import Measure

_NEAR = 1e-12
_LOWEST = int(positions_of(np.array([-np.inf]))[0])


class Bounds(NamedTuple):
    """Guaranteed bounds of a figure."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """The distance of the bounds; 0 if the figure is exact."""
        return 0.0 if self.low == self.high else self.high - self.low

    @property
    def relative_width(self) -> float:
        """The distance of the bounds relative to the upper one; 0 if the figure is exact."""
        return self.width / abs(self.high) if self.width and self.high else 0.0

    def to_dict(self) -> dict[str, float]:
        """Return the names of the command line's JSON."""
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True, eq=False)
class ErrorBoxes:
    """Ranges in which a threshold may lie, and the fewest and the most errors in each.

    `first` and `last` are positions on the axis of scores, both included.
    """

    first: Integers
    last: Integers
    accepts: tuple[Integers, Integers]
    rejects: tuple[Integers, Integers]
    genuine: int
    impostor: int

    @classmethod
    def at(cls, place: int) -> ErrorBoxes:
        """Make a range of one position, without errors."""
        zero = np.zeros(1, dtype=np.int64)
        return cls(zero + place, zero + place, (zero, zero), (zero, zero), 0, 0)

    @property
    def threshold(self) -> Bounds:
        """The lowest and the highest threshold."""
        low, high = scores_at(np.array([self.first.min(), self.last.max()])).tolist()
        return Bounds(low, high)

    def of(self, measure: Measure, alpha: float = 0.5) -> Bounds:
        """Bound a measure that is monotone in each error count."""
        corners = [
            np.asarray(measure(ErrorCounts(None, accepts, rejects, self.genuine, self.impostor), alpha))
            for accepts in self.accepts
            for rejects in self.rejects
        ]
        return Bounds(float(np.min(corners)), float(np.max(corners)))


@dataclass(frozen=True, slots=True, eq=False)
class BoundedCounts:
    """Errors at one threshold per alpha; from a counter, with boxes that bound those of the scores."""

    counts: ErrorCounts
    boxes: tuple[ErrorBoxes, ...] | None = None

    def bounds(self, measure: Measure, index: int, alpha: float = 0.5) -> Bounds | None:
        """Bound a measure that is monotone in each error count; None if it is exact."""
        return None if self.boxes is None else self.boxes[index].of(measure, alpha)


def choose(
    dev: ScoreData, rule: Criterion, alphas: ArrayLike, *, system: str | None, judged: ScoreData
) -> BoundedCounts:
    """Choose the threshold of each alpha and count its errors on dev.

    A counter can only choose ends of its cells; they are coarsened to what a counter of the judged trials can count.
    """
    if not isinstance(dev, Counter):
        return BoundedCounts(choose_thresholds(as_source(dev, system=system, what="dev"), rule, alphas))
    cells = dev.cells(system)
    if isinstance(judged, Counter):
        if dev.precision != judged.precision:
            raise ParameterError(
                f"dev was counted with precision {dev.precision:g} and test with {judged.precision:g}; "
                "count both with the same precision"
            )
        cells = cells.coarsened(max(cells.level, judged.cells(system).level))
    best, boxes = bounded_choices(cells, rule, alphas)
    return BoundedCounts(best, boxes)


def count(data: ScoreData, at: BoundedCounts, *, system: str | None) -> BoundedCounts:
    """Count the errors at chosen thresholds, and in the ranges in which they may lie."""
    thresholds = np.asarray(at.counts.threshold)
    if isinstance(data, Counter):
        cells, places = data.cells(system), positions_of(thresholds)
        check_classes(*cells.totals, "the counts of test")
        ends = boxes_at(cells, places, places)
        counts = ErrorCounts(thresholds, ends.accepts[0], ends.rejects[1], ends.genuine, ends.impostor)
        ranges = at.boxes or [ErrorBoxes.at(place) for place in places]
        return BoundedCounts(counts, tuple(boxes_at(cells, box.first, box.last) for box in ranges))
    source = as_source(data, system=system, what="test")
    if at.boxes is None:
        return BoundedCounts(count_errors(source, thresholds))
    limits = [scores_at(np.concatenate([box.first, box.last])) for box in at.boxes]
    counts = count_errors(source, np.concatenate([thresholds, *limits]))
    boxes, start = [], len(thresholds)
    for box in at.boxes:
        middle, stop = start + len(box.first), start + 2 * len(box.first)
        low, high = counts[start:middle], counts[middle:stop]
        accepts, rejects = (high.false_accepts, low.false_accepts), (low.false_rejects, high.false_rejects)
        boxes.append(ErrorBoxes(box.first, box.last, accepts, rejects, counts.genuine, counts.impostor))
        start = stop
    return BoundedCounts(counts[: len(thresholds)], tuple(boxes))


def edge_points(cells: CountedCells) -> ErrorCounts:
    """Count the exact errors at -inf and at the ends of all cells above it."""
    above = _above_lowest(cells)
    genuine, impostor = cells.totals
    below = np.array([impostor, genuine])[:, None] - above.counts.sum(axis=1, keepdims=True)
    rejected = np.concatenate([below, below + np.cumsum(above.counts, axis=1)], axis=1)
    thresholds = np.concatenate([[-np.inf], scores_at(above.ends)])
    return ErrorCounts(thresholds, impostor - rejected[0], rejected[1], genuine, impostor)


def _above_lowest(cells: CountedCells) -> CountedCells:
    """Select the cells above -inf."""
    return cells.only(slice(1, None)) if len(cells) and cells.starts[0] == _LOWEST else cells


def boxes_at(cells: CountedCells, first: Integers, last: Integers) -> ErrorBoxes:
    """Bound the errors of thresholds between these positions."""
    upto = np.concatenate([np.zeros((2, 1), dtype=np.int64), np.cumsum(cells.counts, axis=1)], axis=1)
    fewest = upto[:, np.searchsorted(cells.ends, first, side="right")]
    most = upto[:, np.searchsorted(cells.starts, last, side="right")]
    genuine, impostor = cells.totals
    accepts = impostor - most[0], impostor - fewest[0]
    return ErrorBoxes(first, last, accepts, (fewest[1], most[1]), genuine, impostor)


def bounded_choices(
    cells: CountedCells, rule: Criterion, alphas: ArrayLike
) -> tuple[ErrorCounts, tuple[ErrorBoxes, ...]]:
    """Choose the threshold of each alpha from counts in cells, and all ranges in which it might lie.

    Returns
    -------
    tuple of (ErrorCounts, tuple of ErrorBoxes)
        Exact errors at the best of the ends of cells, and for each alpha all ranges that cannot be excluded.

    Raises
    ------
    ParameterError
        If the criterion may choose any threshold: cells cannot bound it unless they are exact.
    TrialsError
        If a class has no scores.
    """
    weights = rule.resolve_alphas(alphas)
    check_classes(*cells.totals, "the counts")
    above, edges = _above_lowest(cells), edge_points(cells)
    # positions of the first and the last threshold of each edge: -inf, then the cells
    first, last = (np.concatenate([[_LOWEST], ends]) for ends in (above.starts, above.ends))
    accepts, rejects = edges.false_accepts, edges.false_rejects
    chosen, boxes = np.zeros(len(weights), dtype=np.int64), [ErrorBoxes.at(0)] * len(weights)
    inner = (above.starts < above.ends) & (above.counts.sum(axis=0) > 1)
    for which, used in rule.used_at(weights):
        candidates = 1 + np.flatnonzero(_possible_cells(edges, used, weights[which], exact=not inner.any()))
        places = np.concatenate([[0], candidates])
        within = candidates[inner[candidates - 1]]
        lowest = _lowest_costs(edges[within - 1], edges[within], used)
        best = places[best_of_points(edges[places], used, weights[which])]
        for index, place in zip(np.flatnonzero(which).tolist(), best.tolist(), strict=True):
            alpha = float(weights[index])
            cost = float(used.cost(edges[place], alpha))
            # the chosen end of a cell, exactly, and the insides of cells that cannot be excluded
            possible = within[lowest(alpha) <= cost + _NEAR * max(1.0, abs(cost))]
            after, before = np.append(possible, place), np.append(possible - 1, place)
            chosen[index] = place
            boxes[index] = ErrorBoxes(
                first[after],
                last[after],
                (accepts[after], accepts[before]),
                (rejects[before], rejects[after]),
                edges.genuine,
                edges.impostor,
            )
    return edges[chosen], tuple(boxes)


def _possible_cells(
    edges: ErrorCounts, rule: Criterion, alphas: NDArray[np.float64], *, exact: bool
) -> NDArray[np.bool_]:
    """Mark the cells that may hold the threshold of any of the alphas."""
    if rule.search == "hull" and not (rule.ties_within_edges and edges.false_rejects[0]):
        return cells_below_hull(edges)
    if rule.search == "crossing" and rule.level is not None and rule.target is not None:
        return cells_at_crossings(rule.level(edges), rule.target(alphas))
    if rule.search == "bounds" and isinstance(rule.cost, BoundedCost):
        return cells_within_bounds(edges, rule.cost, alphas)
    if rule.search == "all" and not exact:
        raise ParameterError(
            f"criterion {rule.name} may choose any threshold, so counts in cells cannot bound it; read the scores "
            "themselves, or take a criterion of fairtrial"
        )
    return np.ones(len(edges) - 1, dtype=bool)


def _lowest_costs(before: ErrorCounts, after: ErrorCounts, rule: Criterion) -> Callable[[float], NDArray[np.float64]]:
    """Make a function of alpha that bounds costs within cells from below; cells are given by their two ends."""
    fewest, most = errors_within(before, after)
    levels = None if rule.level is None else (rule.level(before), rule.level(after))

    def lowest(alpha: float) -> NDArray[np.float64]:
        if rule.search == "bounds" and isinstance(rule.cost, BoundedCost):
            return rule.cost.floor(fewest, most, alpha)
        if levels is None or rule.target is None or rule.search != "crossing":
            # such costs never fall as errors are added: none is below that of the fewest of both kinds
            return np.broadcast_to(rule.cost(fewest, alpha), fewest.false_accepts.shape)
        target = float(rule.target(np.array([alpha]))[0])
        passed = (levels[0] <= target + _NEAR) & (levels[1] >= target - _NEAR)
        nearest = np.minimum(*(np.asarray(rule.cost(end, alpha)) for end in (before, after)))
        return np.where(passed, -np.inf, nearest)

    return lowest
