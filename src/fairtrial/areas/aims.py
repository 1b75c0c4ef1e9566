"""The targets that thresholds aim at on dev, and how much each threshold counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.areas.results import AreaConvention
from fairtrial.checks import check_choice
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError
from fairtrial.rules.measures import Measure, MeasureLike
from fairtrial.rules.pairs import MeasurePair, as_pair
from fairtrial.rules.targets import direction
from fairtrial.spread import Floats


@dataclass(frozen=True, slots=True)
class Aims:
    """The targets of two measures that thresholds aim at."""

    pair: MeasurePair
    low: float
    high: float
    convention: AreaConvention

    @classmethod
    def of(
        cls, v1: MeasureLike, v2: MeasureLike, low: float, high: float, convention: AreaConvention | None = None
    ) -> Aims:
        """The aims that a caller asks for."""
        if not 0 <= low < high <= 1:
            raise ParameterError(
                f"the range of targets must lie within 0 and 1 and not be empty, not {low:g} to {high:g}"
            )
        pair = as_pair(v1, v2)
        turning = [own.name for own in (pair.v1, pair.v2) if not direction(own)]
        if convention is None:
            return cls(pair, low, high, "step" if turning else "interpolated")
        check_choice("convention", convention, get_args(AreaConvention))
        if convention == "interpolated" and turning:
            raise ParameterError(
                f"a target of {turning[0]} may be met at several thresholds, so it cannot be interpolated; use "
                'convention="step"'
            )
        return cls(pair, low, high, convention)

    def weights(self, points: ErrorCounts, own: Measure) -> Floats:
        """How much each of dev's thresholds counts where they aim at all targets of one of the measures."""
        values = np.asarray(own(points))
        if self.convention == "step":
            return _step_weights(values, points, self.low, self.high)
        forward = direction(own) > 0
        found = _interpolated_weights(values if forward else values[::-1], self.low, self.high)
        return found if forward else found[::-1]

    def moved_by(self, points: ErrorCounts, own: Measure, value: Floats) -> tuple[Floats, Floats]:
        """By how much an error on dev at each threshold moves the area: a false accept, and a false reject.

        By parts, the area is minus the sum of the measure on dev times the step of `value` on test to the next
        threshold, within the range of targets; an error moves the measure by its slope.
        """
        values = np.asarray(own(points))
        rising = direction(own) or float(np.sign(np.dot(values - values.mean(), np.arange(len(values)))))
        inside = (self.low < values) & (values < self.high)
        step = -rising * inside * np.diff(value, append=value[-1:]) / (self.high - self.low)
        by_far, by_frr = slopes_of(own, points)
        return step * by_far, step * by_frr


def slopes_of(measure: Measure, counts: ErrorCounts) -> tuple[Floats, Floats]:
    """The derivatives of a measure with respect to FAR and to FRR, at each threshold."""
    by_accepts, by_rejects, _, _ = measure.gradient(counts)
    size = len(counts)
    return np.broadcast_to(by_accepts * counts.impostor, size), np.broadcast_to(by_rejects * counts.genuine, size)


def _interpolated_weights(rate: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Weights of values on straight lines between neighbours; a run of equal rate has no width."""
    left, right = np.clip(rate[:-1], low, high), np.clip(rate[1:], low, high)
    width = np.diff(rate)
    middle = (left + right) / 2 - rate[:-1]
    towards = np.divide(middle, width, out=np.zeros_like(width), where=width > 0)
    weights = np.zeros(len(rate))
    weights[:-1] += (right - left) * (1 - towards)
    weights[1:] += (right - left) * towards
    # scores of -inf are never accepted, so some targets may be out of reach: the nearest point stands for them
    weights[0] += np.clip(rate[0], low, high) - low
    weights[-1] += high - np.clip(rate[-1], low, high)
    return weights / (high - low)


def _step_weights(values: Floats, points: ErrorCounts, low: float, high: float) -> Floats:
    """Weights of the nearest value: the best threshold of each value takes all targets that are nearest to it.

    Best is, as for every criterion, the smallest FAR + FRR and then the lowest threshold.
    """
    errors = points.false_accepts * points.genuine + points.false_rejects * points.impostor
    order = np.lexsort((points.threshold, errors, values))
    best = order[np.flatnonzero(np.diff(values[order], prepend=-np.inf) > 0)]
    bounds = np.concatenate([[-np.inf], (values[best][1:] + values[best][:-1]) / 2, [np.inf]])
    weights = np.zeros(len(values))
    weights[best] = np.diff(np.clip(bounds, low, high)) / (high - low)
    return weights
