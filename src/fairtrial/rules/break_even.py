"""The break-even point of precision and recall, by the name of its definition.

Precision is TP / (TP + FP) and recall TP / (TP + FN): they are equal where FP = FN, that is, where as many trials are
accepted as there are genuine ones. Where no genuine trial is accepted both are 0, which is no break-even point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.checks import check_choice
from fairtrial.counting.errors import ErrorCounts, ScoreData, ScoreSource, as_source
from fairtrial.counting.search import crossing_points
from fairtrial.rules.criteria import CRITERIA, choose_thresholds
from fairtrial.rules.eer import crossing_of
from fairtrial.rules.measures import precision, recall
from fairtrial.tables import COUNT_COLUMNS, Column, Result, Table, percent, threshold_text

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
    >>> from fairtrial import break_even_point
    >>> found = break_even_point(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    >>> found.precision, found.recall, found.threshold
    (0.75, 0.75, 0.5)
    """

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
        """The recall at that threshold; it differs from the precision only where scores of several trials are equal."""
        return float(recall(self.counts))

    def to_dict(self) -> dict[str, Any]:
        """The value, its definition, its threshold and the counts there."""
        return {
            "break_even": self.value,
            "definition": self.definition,
            "kind": "a posteriori",
            "threshold": self.threshold,
            "precision": self.precision,
            "recall": self.recall,
            **self.counts.to_dict(),
        }

    def summary(self) -> str:
        """The value, its definition and its threshold."""
        where = f"threshold {threshold_text(self.threshold)}"
        return f"break-even point {percent(self.value)}, {self.definition}, {where}"

    def tables(self) -> tuple[Table, ...]:
        """The value and the errors at its threshold, in one row."""
        columns = (
            Column("break_even", "break-even point", "rate"),
            Column("definition", "definition"),
            Column("threshold", "threshold", "threshold"),
            Column("precision", "precision", "rate"),
            Column("recall", "recall", "rate"),
            *COUNT_COLUMNS,
        )
        return (Table.of("break_even", "Break-even point, a posteriori", columns, [self.to_dict()]),)


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
        are genuine trials. If that number falls among equal scores, ``interpolated`` takes the share of them that is
        missing, which is the mean over all orders that they could be in. ``step`` takes the mean of precision and
        recall at the threshold that accepts most nearly as many trials as are genuine, eq. (8).
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    BreakEvenPoint
        The value with its definition, its threshold and the counts there.

    Raises
    ------
    ParameterError
        A definition that does not exist.

    Notes
    -----
    Precision depends on how many impostor trials there are for each genuine one, and so does the break-even point. If
    more genuine trials have no score (``-inf``) than there are impostor trials, so many trials are never accepted; then
    the mean of precision and recall where all others are accepted stands for it.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (8) with eq. (4); Sebastiani 2002.

    Examples
    --------
    >>> break_even_point(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])).value
    0.75
    """
    check_choice("definition", definition, get_args(BreakEvenDefinition))
    source = as_source(data, system=system)
    nearest = choose_thresholds(source, "break-even", 0.5)[0].scalar()
    value = (precision(nearest) + recall(nearest)) / 2 if definition == "step" else _where_equal(source, nearest)
    return BreakEvenPoint(float(value), definition, nearest)


def _where_equal(source: ScoreSource, nearest: ErrorCounts) -> float:
    rule = CRITERIA["break-even"]
    assert rule.level is not None
    points = crossing_points(source, rule.level, np.zeros(1))
    surplus = (points.false_accepts - points.false_rejects).tolist()
    if surplus[0] < 0:
        return float((precision(nearest) + recall(nearest)) / 2)
    last, weight = crossing_of(surplus)
    rejects = points.false_rejects.tolist()
    missed = rejects[last] if weight == 0 else rejects[last] + weight * (rejects[last + 1] - rejects[last])
    return float(1 - Fraction(missed) / points.genuine)
