"""Figures that are weighted sums of class means of any value per trial: what varies in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.people import People
from fairtrial.spread import Floats, Spread, independent_spread
from fairtrial.trial_sets import TrialSets


def spread_of_values(
    people: People | None, genuine: NDArray[np.bool_], values: Floats, weights: tuple[float, float]
) -> Spread:
    """The variance of a weighted sum of class means; weights are those of impostor and of genuine trials."""
    if people is None:
        return independent_spread(genuine, values, weights)
    return people.error_variance(values, weights)


def sum_of_class_means(values: Floats, genuine: NDArray[np.bool_]) -> float:
    """The mean over genuine trials and that over impostor trials together."""
    return float(values[genuine].mean() + values[~genuine].mean())


def by_class(influence: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Influences as values whose means over both classes add up to what they add up to."""
    return np.asarray(influence * np.where(genuine, genuine.sum(), (~genuine).sum()))


def in_both(sets: TrialSets, on_dev: Floats, on_test: Floats, weights: tuple[float, float]) -> float:
    """Twice the covariance of what dev and test add to a figure, by people who take part in both."""
    dev, test = sets.people
    if dev is None or test is None or not sets.overlap:
        return 0.0
    first, second = dev.error_sums(on_dev), test.error_sums(on_test, weights)
    size = min(len(first), len(second))
    return 2 * float(first[:size] @ second[:size])
