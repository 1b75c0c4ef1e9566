"""Guaranteed bounds: where the errors at a threshold lie when scores are known by their cells only.

At the end of a cell both kinds of errors are exact. Within a cell false accepts fall and false rejects rise with the
threshold, so each lies between its values at the two ends, and a figure that goes one way with each kind of error
lies between its values at the corners.

The threshold that a criterion chooses is bounded by what cannot be excluded: the best of the ends of cells, and every
cell in which a score might do as well or better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.checks import check_classes
from fairtrial.counting.errors import ErrorCounts
from fairtrial.counting.search import (
    BoundedCost,
    cells_at_crossings,
    cells_below_hull,
    cells_within_bounds,
    errors_within,
)
from fairtrial.errors import ParameterError
from fairtrial.rules.criteria import Criterion, best_of_points
from fairtrial.rules.measures import Measure
from fairtrial.scale.axis import Integers, positions_of, scores_at
from fairtrial.scale.cells import CountedCells

_NEAR = 1e-12
_LOWEST = int(positions_of(np.array([-np.inf]))[0])


class Bounds(NamedTuple):
    """Two numbers between which a figure lies for certain."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """How far apart they are; 0 where the figure is exact."""
        return 0.0 if self.low == self.high else self.high - self.low

    def to_dict(self) -> dict[str, float]:
        """The names of the command line's JSON."""
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True, eq=False)
class ErrorBoxes:
    """Several places where a threshold may lie, and between which numbers the errors are at each.

    Thresholds are positions on the axis of scores, both ends included.
    """

    first: Integers
    last: Integers
    accepts: tuple[Integers, Integers]
    """The fewest and the most false accepts."""
    rejects: tuple[Integers, Integers]
    genuine: int
    impostor: int

    @property
    def threshold(self) -> Bounds:
        """The lowest and the highest threshold."""
        low, high = scores_at(np.array([self.first.min(), self.last.max()])).tolist()
        return Bounds(low, high)

    def of(self, measure: Measure, alpha: float = 0.5) -> Bounds:
        """Between which values a measure lies that goes one way with each kind of errors."""
        corners = [
            np.asarray(measure(ErrorCounts(None, accepts, rejects, self.genuine, self.impostor), alpha))
            for accepts in self.accepts
            for rejects in self.rejects
        ]
        return Bounds(float(np.min(corners)), float(np.max(corners)))


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a criterion chooses at one alpha: the best of the ends of cells, and what cannot be excluded."""

    best: ErrorCounts
    """Exact errors at a threshold that is the end of a cell."""
    boxes: ErrorBoxes


def edge_points(cells: CountedCells) -> ErrorCounts:
    """Exact errors at -inf and at the ends of all cells above it."""
    own = _above_lowest(cells)
    genuine, impostor = cells.totals
    below = np.array([impostor, genuine])[:, None] - own.counts.sum(axis=1, keepdims=True)
    rejected = np.concatenate([below, below + np.cumsum(own.counts, axis=1)], axis=1)
    thresholds = np.concatenate([[-np.inf], scores_at(own.ends)])
    return ErrorCounts(thresholds, impostor - rejected[0], rejected[1], genuine, impostor)


def _above_lowest(cells: CountedCells) -> CountedCells:
    """The cells above -inf."""
    return cells.only(slice(1, None)) if len(cells) and cells.starts[0] == _LOWEST else cells


def boxes_at(cells: CountedCells, first: Integers, last: Integers) -> ErrorBoxes:
    """Between which numbers the errors lie when thresholds lie between these positions."""
    upto = np.concatenate([np.zeros((2, 1), dtype=np.int64), np.cumsum(cells.counts, axis=1)], axis=1)
    fewest = upto[:, np.searchsorted(cells.ends, first, side="right")]
    most = upto[:, np.searchsorted(cells.starts, last, side="right")]
    genuine, impostor = cells.totals
    accepts = impostor - most[0], impostor - fewest[0]
    return ErrorBoxes(first, last, accepts, (fewest[1], most[1]), genuine, impostor)


def bounded_choices(cells: CountedCells, rule: Criterion, alphas: ArrayLike) -> list[Choice]:
    """What a criterion chooses at each alpha, as far as cells tell.

    Raises
    ------
    ParameterError
        A criterion that may look at any threshold whatever: cells cannot bound it unless they are exact.
    TrialsError
        A class without scores.
    """
    weights = rule.resolve_alphas(alphas)
    check_classes(*cells.totals, "the counts")
    own, edges = _above_lowest(cells), edge_points(cells)
    found: dict[int, Choice] = {}
    for which, used in rule.used_at(weights):
        found |= dict(zip(np.flatnonzero(which).tolist(), _choices(own, edges, used, weights[which]), strict=True))
    return [found[k] for k in range(len(weights))]


def _choices(own: CountedCells, edges: ErrorCounts, rule: Criterion, alphas: NDArray[np.float64]) -> list[Choice]:
    inner = (own.starts < own.ends) & (own.counts.sum(axis=0) > 1)
    kept = 1 + np.flatnonzero(_worth_a_look(edges, rule, alphas, exact=not inner.any()))
    points = edges[np.concatenate([[0], kept])]
    within = kept[inner[kept - 1]]
    lowest = _LowestCosts(edges, within, rule)
    choices = []
    for alpha, place in zip(alphas.tolist(), best_of_points(points, rule, alphas).tolist(), strict=True):
        best = points[place]
        cost = float(rule.cost(best, alpha))
        chosen = 0 if place == 0 else int(kept[place - 1])
        possible = within[lowest(alpha) <= cost + _NEAR * max(1.0, abs(cost))]
        choices.append(Choice(best.scalar(), _boxes(own, edges, chosen, possible)))
    return choices


def _worth_a_look(
    edges: ErrorCounts, rule: Criterion, alphas: NDArray[np.float64], *, exact: bool
) -> NDArray[np.bool_]:
    """Which cells may hold what a criterion chooses at any of the alphas."""
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


class _LowestCosts:
    """The lowest cost that a score within each of some cells could have."""

    def __init__(self, edges: ErrorCounts, within: Integers, rule: Criterion) -> None:
        self._rule = rule
        before, after = edges[within - 1], edges[within]
        self._ends = before, after
        self._within = errors_within(before, after)
        self._levels = None if rule.level is None else (rule.level(before), rule.level(after))

    def __call__(self, alpha: float) -> NDArray[np.float64]:
        rule = self._rule
        fewest, most = self._within
        if rule.search == "bounds" and isinstance(rule.cost, BoundedCost):
            return rule.cost.floor(fewest, most, alpha)
        if self._levels is None or rule.target is None or rule.search != "crossing":
            # such costs never fall where errors are added: none is below that of the fewest of both kinds
            return np.broadcast_to(rule.cost(fewest, alpha), fewest.false_accepts.shape)
        target = float(rule.target(np.array([alpha]))[0])
        passed = (self._levels[0] <= target + _NEAR) & (self._levels[1] >= target - _NEAR)
        nearest = np.minimum(*(np.asarray(rule.cost(end, alpha)) for end in self._ends))
        return np.where(passed, -np.inf, nearest)


def _boxes(own: CountedCells, edges: ErrorCounts, chosen: int, possible: Integers) -> ErrorBoxes:
    """The chosen end of a cell, exactly, and the insides of cells that cannot be excluded."""
    starts, ends = own.starts, own.ends
    first = starts[possible - 1]
    last = ends[possible - 1]
    mine = [_LOWEST, _LOWEST] if chosen == 0 else [int(starts[chosen - 1]), int(ends[chosen - 1])]
    accepts, rejects = edges.false_accepts, edges.false_rejects
    return ErrorBoxes(
        np.append(first, mine[0]),
        np.append(last, mine[1]),
        (np.append(accepts[possible], accepts[chosen]), np.append(accepts[possible - 1], accepts[chosen])),
        (np.append(rejects[possible - 1], rejects[chosen]), np.append(rejects[possible], rejects[chosen])),
        edges.genuine,
        edges.impostor,
    )
