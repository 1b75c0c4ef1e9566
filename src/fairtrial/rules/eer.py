"""The equal error rate, by the name of its definition.

Where FAR and FRR never meet, definitions differ: five genuine and five impostor scores may give 0.4 by one
and 0.3 by another, and both are right. So a definition has a name here and goes with the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.checks import check_choice
from fairtrial.counting.errors import ErrorCounts, ScoreData, ScoreSource, as_source
from fairtrial.counting.search import crossing_points, hull_points
from fairtrial.rules.criteria import CRITERIA, choose_thresholds
from fairtrial.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Result, Table, percent, threshold_text

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

    Examples
    --------
    >>> from fairtrial import equal_error_rate
    >>> found = equal_error_rate(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    >>> found
    <EqualErrorRate: EER 22.50 % by step-mean, threshold 0.5>
    >>> found.threshold, found.counts.false_accepts, found.counts.false_rejects
    (0.5, 1, 1)
    """

    value: float
    definition: EerDefinition
    counts: ErrorCounts

    @property
    def threshold(self) -> float:
        """The threshold where abs(FAR - FRR) is smallest."""
        return float(self.counts.threshold)

    def to_dict(self) -> dict[str, Any]:
        """The value, its definition, its threshold and the counts there."""
        return {
            "eer": self.value,
            "definition": self.definition,
            "kind": "a posteriori",
            "threshold": self.threshold,
            **self.counts.to_dict(),
        }

    def summary(self) -> str:
        """The rate, its definition and its threshold."""
        return f"EER {percent(self.value)} by {self.definition}, threshold {threshold_text(self.threshold)}"

    def tables(self) -> tuple[Table, ...]:
        """The rate and the errors at its threshold, in one row."""
        columns = (
            Column("eer", "EER", "rate"),
            Column("definition", "definition"),
            Column("threshold", "threshold", "threshold"),
            *RATE_COLUMNS,
            *COUNT_COLUMNS,
        )
        return (Table.of("eer", "Equal error rate, a posteriori", columns, [self.to_dict()]),)


def equal_error_rate(
    data: ScoreData, *, definition: EerDefinition = "step-mean", system: str | None = None
) -> EqualErrorRate:
    """Compute the equal error rate of one source of scores.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    definition : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        ``step-mean``, ``step-low``, ``step-high``: (FAR + FRR)/2, the smaller or the larger of the two at the threshold
        where abs(FAR - FRR) is smallest. ``interpolated``: where the straight line between the two neighbouring points
        of the ROC meets FAR = FRR. ``rocch``: where the ROC convex hull meets it.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    EqualErrorRate
        The value with its definition, its threshold and the counts there.

    Raises
    ------
    ParameterError
        A definition that does not exist.

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
    source = as_source(data, system=system)
    nearest = choose_thresholds(source, "eer", 0.5)[0].scalar()
    far, frr = nearest.far, nearest.frr
    if definition == "step-mean":
        value = nearest.hter
    elif definition == "step-low":
        value = min(far, frr)
    elif definition == "step-high":
        value = max(far, frr)
    elif definition == "interpolated":
        value = where_equal(_around_equality(source))
    else:
        value = where_equal(hull_points(source))
    return EqualErrorRate(value, definition, nearest)


def _around_equality(source: ScoreSource) -> ErrorCounts:
    rule = CRITERIA["eer"]
    assert rule.level is not None
    return crossing_points(source, rule.level, np.array([0.5]))


def where_equal(points: ErrorCounts) -> float:
    """Where the line through points by rising threshold passes from FAR >= FRR to FAR < FRR.

    Scores of -inf are never accepted; with so many of them that FRR is the larger from the start, the rates
    are nowhere equal and their mean at the start stands for them.
    """
    accepts, rejects = points.false_accepts.tolist(), points.false_rejects.tolist()
    surplus = [a * points.genuine - r * points.impostor for a, r in zip(accepts, rejects, strict=True)]
    if surplus[0] < 0:
        return float(points[0].hter)
    last, weight = crossing_of(surplus)
    met = accepts[last] if weight == 0 else accepts[last] + weight * (accepts[last + 1] - accepts[last])
    return float(Fraction(met) / points.impostor)


def crossing_of(surplus: Sequence[int]) -> tuple[int, Fraction]:
    """Where numbers that begin at 0 or above and never rise pass 0: the last that is not below, and how far on it is.

    Examples
    --------
    >>> crossing_of([5, 1, -3])
    (1, Fraction(1, 4))
    """
    last = max(index for index, value in enumerate(surplus) if value >= 0)
    if surplus[last] == 0:
        return last, Fraction(0)
    return last, Fraction(surplus[last], surplus[last] - surplus[last + 1])
