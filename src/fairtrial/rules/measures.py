"""What is reported: figures computed from error counts at a threshold.

Person authentication, text categorisation and medicine name the same four counts differently; all of their
measures are here, in one registry, and a user's own function of an `ErrorCounts` is as good as any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError

Formula: TypeAlias = Callable[[ErrorCounts, Any], Any]
"""From error counts and alpha to a value; arrays and fractions go through it as numbers do."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A named figure: how it is computed and which way is better."""

    name: str
    formula: Formula
    label: str
    higher_is_better: bool = False
    is_share: bool = True
    """Whether it lies between 0 and 1 and is shown in percent."""

    def __call__(self, counts: ErrorCounts, alpha: Any = 0.5) -> Any:
        """The value at the counts given; `alpha` matters to the weighted error rate only."""
        try:
            return self.formula(counts, alpha) + 0.0
        except Exception as error:  # a user's function may fail in any way
            raise ParameterError(f"measure {self.name} failed: {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class DetectionCosts:
    """Costs and priors of a detection cost function; by default those of the NIST speaker evaluations."""

    cost_fr: float = 10.0
    prior_genuine: float = 0.01
    cost_fa: float = 1.0
    prior_impostor: float = 0.99

    def __post_init__(self) -> None:
        for name in ("cost_fr", "prior_genuine", "cost_fa", "prior_impostor"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be a number of at least 0, not {value}")
        for name in ("prior_genuine", "prior_impostor"):
            if getattr(self, name) > 1:
                raise ParameterError(f"{name} must be at most 1, not {getattr(self, name)}")

    def __call__(self, counts: ErrorCounts, alpha: Any = None) -> Any:
        """Cost_fr Prior_genuine FRR + Cost_fa Prior_impostor FAR."""
        weight_fr, weight_fa = self.cost_fr * self.prior_genuine, self.cost_fa * self.prior_impostor
        return weight_fr * counts.frr + weight_fa * counts.far


def share(part: Any, whole: Any) -> Any:
    """`part / whole`, and 0 where there is nothing to divide: of no accepted trial none is right."""
    if isinstance(whole, np.ndarray):
        result = np.zeros(np.broadcast(part, whole).shape)
        np.divide(part, whole, out=result, where=whole != 0)
        return result
    return part / whole if whole else part * 0


def hter(counts: ErrorCounts, alpha: Any = None) -> Any:
    """(FAR + FRR) / 2."""
    return counts.hter


def far(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of impostor trials that are accepted."""
    return counts.far


def frr(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of genuine trials that are rejected."""
    return counts.frr


def wer(counts: ErrorCounts, alpha: Any) -> Any:
    """Weighted error rate alpha FAR + (1 - alpha) FRR."""
    return alpha * counts.far + (1 - alpha) * counts.frr


def class_error(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of all trials decided wrongly."""
    return (counts.false_accepts + counts.false_rejects) / (counts.genuine + counts.impostor)


def precision(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of accepted trials that are genuine; 0 where none is accepted."""
    right = counts.genuine - counts.false_rejects
    return share(right, right + counts.false_accepts)


def recall(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of genuine trials that are accepted: 1 - FRR."""
    return (counts.genuine - counts.false_rejects) / counts.genuine


def specificity(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The share of impostor trials that are rejected: 1 - FAR."""
    return (counts.impostor - counts.false_accepts) / counts.impostor


def f1(counts: ErrorCounts, alpha: Any = None) -> Any:
    """The harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN); 0 where no genuine is accepted."""
    right = counts.genuine - counts.false_rejects
    return share(2 * right, 2 * right + counts.false_accepts + counts.false_rejects)


MEASURES: dict[str, Measure] = {}


def register_measure(measure: Measure) -> Measure:
    """Make a measure known by its name, to the command line too."""
    MEASURES[measure.name] = measure
    return measure


for _measure in (
    Measure("hter", hter, "HTER"),
    Measure("far", far, "FAR"),
    Measure("frr", frr, "FRR"),
    Measure("wer", wer, "WER"),
    Measure("dcf", DetectionCosts(), "DCF", is_share=False),
    Measure("class-error", class_error, "Classification error"),
    Measure("precision", precision, "Precision", higher_is_better=True),
    Measure("recall", recall, "Recall", higher_is_better=True),
    Measure("f1", f1, "F1", higher_is_better=True),
    Measure("sensitivity", recall, "Sensitivity", higher_is_better=True),
    Measure("specificity", specificity, "Specificity", higher_is_better=True),
):
    register_measure(_measure)


MeasureLike: TypeAlias = str | Measure | DetectionCosts | Callable[[ErrorCounts], Any]
"""A measure, its name, detection costs, or a user's function of an `ErrorCounts`."""


def as_measure(measure: MeasureLike) -> Measure:
    """A measure by its name, a user's function of an `ErrorCounts`, or a measure as it is."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, DetectionCosts):
        return Measure("dcf", measure, "DCF", is_share=False)
    if callable(measure):
        function = measure
        name = getattr(function, "__name__", "measure").strip("<>")
        return Measure(name, lambda counts, alpha: function(counts), name, is_share=False)
    if not isinstance(measure, str) or measure not in MEASURES:
        raise ParameterError(f"there is no measure {measure!r}; there are {', '.join(MEASURES)}")
    return MEASURES[measure]
