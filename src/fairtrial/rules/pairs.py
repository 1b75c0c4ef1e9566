"""Pairs of antagonist measures V1 and V2, of which one gains what the other loses as the threshold moves.

Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 2: FAR and FRR, precision and recall,
sensitivity and specificity, or a user's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError
from fairtrial.rules.measures import MEASURES, Measure, MeasureLike, Weights, as_measure, linear_measure


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """V1 and V2, which must both be better if higher, or both if lower."""

    v1: Measure
    v2: Measure

    def __post_init__(self) -> None:
        if self.v1.higher_is_better != self.v2.higher_is_better:
            low, high = (self.v2, self.v1) if self.v1.higher_is_better else (self.v1, self.v2)
            raise ParameterError(
                f"{self.v1.name} and {self.v2.name} have no mean to speak of: {high.name} is better if higher and "
                f"{low.name} if lower; pair far with frr, precision with recall, or sensitivity with specificity"
            )

    @property
    def mean(self) -> Measure:
        """(V1 + V2) / 2: the HTER of FAR and FRR."""
        if {self.v1.name, self.v2.name} == {"far", "frr"}:
            return MEASURES["hter"]
        name = f"mean-{self.v1.name}-{self.v2.name}"
        label = f"mean of {self.v1.label} and {self.v2.label}"
        better, share = self.v1.higher_is_better, self.v1.is_share and self.v2.is_share
        one, other = self.v1.weights_at(), self.v2.weights_at()
        if one is not None and other is not None:
            halves = Weights(*((a + b) / 2 for a, b in zip(one, other, strict=True)))
            return linear_measure(name, label, halves, higher_is_better=better, is_share=share)
        return Measure(name, _Mean(self.v1, self.v2), label, better, share)


def as_pair(v1: MeasureLike, v2: MeasureLike) -> MeasurePair:
    """A pair of measures, each by its name or a user's own.

    Raises
    ------
    ParameterError
        A name that is not registered, or a measure that is better if higher with one that is better if lower.
    """
    return MeasurePair(as_measure(v1), as_measure(v2))


@dataclass(frozen=True, slots=True)
class _Mean:
    """The mean of two measures as a formula."""

    v1: Measure
    v2: Measure

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return (self.v1.formula(counts, alpha) + self.v2.formula(counts, alpha)) / 2
