"""Compute the equal error rate and the break-even point by named definitions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import check_choice
from fairtrial.core.results import Field, Result, fields_of, table_of
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Table
from fairtrial.core.words import percent, threshold_text
from fairtrial.counting.cells import CountedCells
from fairtrial.counting.counter import Counter
from fairtrial.counting.search import crossing_points, hull_of_points, hull_points
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source
from fairtrial.rules.bounds import Bounds, bounded_choices, edge_points
from fairtrial.rules.criteria import CRITERIA, Criterion, choose_thresholds
from fairtrial.rules.measures import MEASURES, Measure, precision, recall

EerDefinition: TypeAlias = Literal["step-mean", "step-low", "step-high", "interpolated", "rocch"]


@dataclass(frozen=True, slots=True, repr=False)
class EqualErrorRate(Result):
    """An equal error rate: a posteriori, since threshold and rate come from the same scores.

    Attributes
    ----------
    value : float
        The rate, a fraction.
    definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}
        The definition that was used.
    counts : ErrorCounts
        The errors at the threshold where abs(FAR - FRR) is smallest.
    bounds : Bounds or None
        From a counter, bounds of the rate of the scores; None if the rate is exact.

    Examples
    --------
    >>> from fairtrial import equal_error_rate
    >>> result = equal_error_rate(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    >>> result
    <EqualErrorRate: EER 22.50 % by step-mean, threshold 0.5>
    >>> result.threshold, result.counts.false_accepts, result.counts.false_rejects
    (0.5, 1, 1)
    """

    FIELDS: ClassVar = (
        Field("eer", "EER", "rate", get="value"),
        Field("definition", "definition"),
        Field("kind", get=lambda _: "a posteriori"),
        Field("threshold", "threshold", "threshold"),
        *fields_of("counts", (*RATE_COLUMNS, *COUNT_COLUMNS)),
    )
    value: float
    definition: EerDefinition
    counts: ErrorCounts
    bounds: Bounds | None = None

    @property
    def threshold(self) -> float:
        """The threshold where abs(FAR - FRR) is smallest."""
        return float(self.counts.threshold)

    def answer(self) -> str:
        """Write the rate, its definition and its threshold."""
        return f"EER {percent(self.value)} by {self.definition}, threshold {threshold_text(self.threshold)}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the rate and the errors at its threshold, in one row."""
        return (table_of("eer", "Equal error rate, a posteriori", self.FIELDS, [self]),)


def equal_error_rate(
    data: ScoreData, *, definition: EerDefinition = "step-mean", system: str | None = None
) -> EqualErrorRate:
    """Compute the equal error rate of one source of scores.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource, Counter or tuple of two array_like
        Trials, a data frame of them, a source of scores, a counter, or a pair of arrays ``(genuine, impostor)``.
    definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        ``step-mean``, ``step-low``, ``step-high``: (FAR + FRR)/2, the smaller or the larger of the two at the threshold
        where abs(FAR - FRR) is smallest. ``interpolated``: where the straight line between the two neighbouring points
        of the ROC meets FAR = FRR. ``rocch``: where the ROC convex hull meets it.
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    EqualErrorRate
        The value with its definition, its threshold and the counts there; from a counter, with bounds.

    Raises
    ------
    ParameterError
        If the definition is unknown.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (8).

    Examples
    --------
    >>> scores = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> equal_error_rate(scores).value, equal_error_rate(scores, definition="rocch").value
    (0.225, 0.15384615384615385)
    """
    check_choice("EER definition", definition, get_args(EerDefinition))
    rule = CRITERIA["eer"]
    assert rule.level is not None
    if isinstance(data, Counter):
        return _counted_eer(data.cells(system), rule, definition)
    source = as_source(data, system=system)
    nearest = choose_thresholds(source, rule, 0.5)[0].scalar()
    if definition in _STEPS:
        return EqualErrorRate(float(_STEPS[definition](nearest)), definition, nearest)
    interpolated = definition == "interpolated"
    points = crossing_points(source, rule.level, np.array([0.5])) if interpolated else hull_points(source)
    return EqualErrorRate(where_equal(points), definition, nearest)


_STEPS: dict[str, Measure] = {
    "step-mean": MEASURES["hter"],
    "step-low": Measure("eer-low", lambda counts, alpha: np.minimum(counts.far, counts.frr), "EER"),
    "step-high": Measure("eer-high", lambda counts, alpha: np.maximum(counts.far, counts.frr), "EER"),
}


def _counted_eer(cells: CountedCells, rule: Criterion, definition: EerDefinition) -> EqualErrorRate:
    """Compute the equal error rate at the ends of cells, with bounds of that of the scores."""
    counts, (boxes,) = bounded_choices(cells, rule, 0.5)
    nearest = counts[0].scalar()
    if definition in _STEPS:
        step = _STEPS[definition]
        return EqualErrorRate(float(step(nearest)), definition, nearest, boxes.of(step))
    edges = edge_points(cells)
    if definition == "interpolated":
        value = where_equal(edges)
        surplus = _surplus(edges)
        last = max((index for index, excess in enumerate(surplus) if excess >= 0), default=0)
        if not cells.level or surplus[0] <= 0 or surplus[last] == 0:
            return EqualErrorRate(value, definition, nearest, Bounds(value, value))
        # within one cell the line through the points of its scores may meet FAR = FRR anywhere in this rectangle
        low = max(float(edges.far[last + 1]), float(edges.frr[last]))
        high = min(float(edges.far[last]), float(edges.frr[last + 1]))
        return EqualErrorRate(value, definition, nearest, Bounds(min(low, value), max(high, value)))
    high = where_equal(edges[hull_of_points(edges)])
    # a corner between two ends has the accepts of the end after it and the rejects of the end before it
    accepts, rejects = np.repeat(edges.false_accepts, 2)[1:], np.repeat(edges.false_rejects, 2)[:-1]
    corners = ErrorCounts(np.full(len(accepts), np.nan), accepts, rejects, edges.genuine, edges.impostor)
    low = where_equal(corners[hull_of_points(corners)]) if cells.level else high
    return EqualErrorRate(high, definition, nearest, Bounds(min(low, high), high))


def _surplus(points: ErrorCounts) -> list[int]:
    """Compute FAR - FRR times all pairs of trials, exactly."""
    accepts, rejects = points.false_accepts.tolist(), points.false_rejects.tolist()
    return [a * points.genuine - r * points.impostor for a, r in zip(accepts, rejects, strict=True)]


def where_equal(points: ErrorCounts) -> float:
    """Compute the rate at which the line through points by rising threshold passes from FAR >= FRR to FAR < FRR.

    Scores of -inf are never accepted. If they make FRR the larger from the start, the rates are nowhere equal, and
    their mean at the start is taken.
    """
    surplus = _surplus(points)
    if surplus[0] < 0:
        return float(points[0].hter)
    return float(_at_zero(surplus, points.false_accepts.tolist()) / points.impostor)


def _at_zero(surplus: list[int], values: list[int]) -> Fraction:
    """Interpolate values at the zero of a surplus that starts at 0 or above and never rises."""
    last = max(index for index, excess in enumerate(surplus) if excess >= 0)
    if surplus[last] == 0:
        return Fraction(values[last])
    weight = Fraction(surplus[last], surplus[last] - surplus[last + 1])
    return values[last] + weight * (values[last + 1] - values[last])


BreakEvenDefinition: TypeAlias = Literal["interpolated", "step"]


@dataclass(frozen=True, slots=True, repr=False)
class BreakEvenPoint(Result):
    """Where precision equals recall: a posteriori, since threshold and figure come from the same scores.

    Attributes
    ----------
    value : float
        Precision and recall where they are equal, a fraction.
    definition : {"interpolated", "step"}
        The definition that was used.
    counts : ErrorCounts
        The errors at the threshold that accepts most nearly as many trials as are genuine.

    Examples
    --------
    >>> from fairtrial.rules import break_even_point
    >>> result = break_even_point(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    >>> result.precision, result.recall, result.threshold
    (0.75, 0.75, 0.5)
    """

    FIELDS: ClassVar = (
        Field("break_even", "break-even point", "rate", get="value"),
        Field("definition", "definition"),
        Field("kind", get=lambda _: "a posteriori"),
        Field("threshold", "threshold", "threshold"),
        Field("precision", "precision", "rate"),
        Field("recall", "recall", "rate"),
        *(Field(name, get=f"counts.{name}") for name in ("far", "frr", "hter")),
        *fields_of("counts", COUNT_COLUMNS),
    )
    value: float
    definition: BreakEvenDefinition
    counts: ErrorCounts

    @property
    def threshold(self) -> float:
        """The threshold that accepts most nearly as many trials as are genuine."""
        return float(self.counts.threshold)

    @property
    def precision(self) -> float:
        """The precision at that threshold."""
        return float(precision(self.counts))

    @property
    def recall(self) -> float:
        """The recall at that threshold; it differs from the precision only if scores of several trials are equal."""
        return float(recall(self.counts))

    def answer(self) -> str:
        """Write the value, its definition and its threshold."""
        where = f"threshold {threshold_text(self.threshold)}"
        return f"break-even point {percent(self.value)}, {self.definition}, {where}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the value and the errors at its threshold, in one row."""
        return (table_of("break_even", "Break-even point, a posteriori", self.FIELDS, [self]),)


def break_even_point(
    data: ScoreData, *, definition: BreakEvenDefinition = "interpolated", system: str | None = None
) -> BreakEvenPoint:
    """Compute the break-even point of precision and recall of one source of scores.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    definition : {"interpolated", "step"}, default "interpolated"
        Without equal scores both definitions are the same: the precision among as many of the highest scores as there
        are genuine trials. If that number falls among equal scores, ``interpolated`` takes the proportion of them that
        is missing, which is the mean over all their orders. ``step`` takes the mean of precision and recall at the
        threshold that accepts most nearly as many trials as are genuine, eq. (8).
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    BreakEvenPoint
        The value with its definition, its threshold and the counts there.

    Raises
    ------
    ParameterError
        If the definition is unknown.

    Notes
    -----
    Precision depends on how many impostor trials there are for each genuine one, and so does the break-even point. If
    more genuine trials have no score (``-inf``) than there are impostor trials, the mean of precision and recall with
    all others accepted is taken.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (8) with eq. (4); Sebastiani 2002.

    Examples
    --------
    >>> break_even_point(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])).value
    0.75
    """
    check_choice("definition", definition, get_args(BreakEvenDefinition))
    source, rule = as_source(data, system=system), CRITERIA["break-even"]
    nearest = choose_thresholds(source, rule, 0.5)[0].scalar()
    value = float((precision(nearest) + recall(nearest)) / 2)
    if definition == "interpolated":
        assert rule.level is not None
        points = crossing_points(source, rule.level, np.zeros(1))
        surplus = (points.false_accepts - points.false_rejects).tolist()
        if surplus[0] >= 0:
            value = float(1 - _at_zero(surplus, points.false_rejects.tolist()) / points.genuine)
    return BreakEvenPoint(value, definition, nearest)
