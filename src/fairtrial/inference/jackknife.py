"""The jackknife over people (CV3): a variance from what leaving each person out changes.

For counts of errors by person, whose trials are not known one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from fairtrial.inference.variance import Floats

_MOST_LEVERAGE = 0.9
_MORE_ERRORS = 0.5
_MORE_DEGREES = 5


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """The variance of one class, the effective number of people, the trials, and how evenly people make it up."""

    variance: float
    people: float
    trials: int
    concentration: float


def concentration(squares: Floats, total: float) -> float:
    """Give the degrees of freedom of a sum of squares by its fourth moments."""
    if total <= 0:
        return 1.0
    fourth = float(np.sum(squares**2)) - total**2 / max(int(np.count_nonzero(squares)), 1)
    return 2 * total**2 / fourth if fourth > 1e-12 * total**2 else float(len(squares))


def without_one(sums: Floats, proportions: Floats) -> Floats:
    """Give by how much a mean changes without each person, from their sums and their proportions of the trials."""
    return np.asarray(sums / (1 - np.minimum(proportions, _MOST_LEVERAGE)))


def one_fewer(people: float) -> float:
    """Give the jackknife's (n - 1) / n."""
    return max(people - 1, 1.0) / max(people, 2.0)


def careful_variance(own: ClassSpread) -> float:
    """Give the variance of a rate with half an error more, made by somebody with a typical number of trials."""
    return own.variance + _MORE_ERRORS * sqrt(own.trials / own.people) / own.trials**2


def careful_degrees(own: ClassSpread) -> float:
    """Give degrees of freedom that are few with few people, or if few people make the errors."""
    return max(min(own.people - 1, own.concentration + _MORE_DEGREES), 1.0)


def worth(rate: float, own: ClassSpread) -> float:
    """Give the number of independent trials with the same conservative variance."""
    nearest = min(max(min(rate, 1 - rate), 1 / own.trials) + _MORE_ERRORS / own.trials, 0.5)
    return nearest * (1 - nearest) / careful_variance(own)
