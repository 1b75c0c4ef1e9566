"""Aiming at a target: how far a measure is from it, eqs. (12) to (14) of Bengio, Mariéthoz & Keller 2005.

A measure that only FAR or only FRR makes never turns back as the threshold rises, so its target is met at one place.
Others, such as precision, may meet it at several. All that is used of them is that errors never make them better: what
they can be between two thresholds then lies between what the fewest and the most errors there would make of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ErrorCounts
from fairtrial.rules.measures import Measure

End: TypeAlias = Literal["lowest", "highest"]


@dataclass(frozen=True, slots=True)
class OffTarget:
    """The distance of a measure from its target, eq. (14)."""

    measure: Measure

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return abs(alpha - _value(self.measure, counts))

    def floor(self, fewest: ErrorCounts, most: ErrorCounts, alpha: float) -> NDArray[np.float64]:
        """The least it can be for errors between the fewest and the most."""
        ends = [np.asarray(_value(self.measure, counts)) for counts in (fewest, most)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        return np.asarray(np.maximum(np.maximum(low - alpha, alpha - high), 0.0))


@dataclass(frozen=True, slots=True)
class KeptTarget:
    """How far a threshold is from an end of all trials, if it keeps the target; else by how much it misses it.

    Shares are at most 1, so whatever misses the target costs more than all that keep it.
    """

    measure: Measure
    end: End

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return self._cost(_value(self.measure, counts), self._beyond(counts), alpha)

    def floor(self, fewest: ErrorCounts, most: ErrorCounts, alpha: float) -> NDArray[np.float64]:
        """The least it can be for errors between the fewest and the most."""
        # the lower of two thresholds makes more false accepts and fewer false rejects
        near, far = (fewest.false_rejects, most.false_accepts), (most.false_rejects, fewest.false_accepts)
        rejects, accepts = near if self.end == "lowest" else far
        beyond = self._beyond(ErrorCounts(None, accepts, rejects, fewest.genuine, fewest.impostor))
        return np.asarray(self._cost(_value(self.measure, fewest), beyond, alpha))

    def _cost(self, value: Any, beyond: Any, alpha: Any) -> Any:
        missed_by = alpha - value if self.measure.higher_is_better else value - alpha
        missed = missed_by > 0
        return missed * (2 + missed_by) + (1 - missed) * beyond

    def _beyond(self, counts: ErrorCounts) -> Any:
        """The share of all trials that lie below the threshold, or above it: accepted ones."""
        accepted = counts.genuine - counts.false_rejects + counts.false_accepts
        whole = counts.genuine + counts.impostor
        return (whole - accepted if self.end == "lowest" else accepted) / whole


@dataclass(frozen=True, slots=True)
class Rising:
    """A measure, or its negative, as a level that never falls as the threshold rises."""

    measure: Measure
    sign: int

    def __call__(self, counts: ErrorCounts) -> NDArray[np.float64]:
        return np.asarray(self.sign * _value(self.measure, counts))


def direction(measure: Measure) -> int:
    """1 where a measure rises with the threshold, -1 where it falls, 0 where it may do both."""
    weights = measure.weights_at(0.5)
    if weights is None or (weights.far and weights.frr):
        return 0
    return int(np.sign(weights.frr - weights.far))


def kept_end(measure: Measure) -> End:
    """Which threshold of those that keep a target costs least: the highest for what genuine trials alone decide."""
    weights = measure.weights_at(0.5)
    return "highest" if weights is not None and not weights.far else "lowest"


def _value(measure: Measure, counts: ErrorCounts) -> Any:
    """The measure; alpha is the target here, so a weight of FAR is a half."""
    return measure.formula(counts, 0.5)
