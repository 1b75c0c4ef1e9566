"""Figures that are sums of both class means of values by trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.spread import Floats


def sum_of_class_means(values: Floats, genuine: NDArray[np.bool_]) -> float:
    """The mean over genuine trials and that over impostor trials together."""
    return float(values[genuine].mean() + values[~genuine].mean())


def by_class(influence: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Influences as values whose means over both classes add up to what they add up to."""
    return np.asarray(influence * np.where(genuine, genuine.sum(), (~genuine).sum()))
