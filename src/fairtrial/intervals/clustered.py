"""A rate and its limits: its variance made careful, what it is worth in independent trials, limits between 0 and 1."""

from __future__ import annotations

from math import sqrt
from typing import TypeVar

import numpy as np

from fairtrial.spread import ClassSpread, Floats

_Number = TypeVar("_Number", float, Floats)

_MORE_ERRORS = 0.5
_FARTHEST = 2.0
_MORE_DEGREES = 5
"""Chosen so that single rates cover well from 20 people and 10 impostors up; `make study` shows how well."""


def careful_variance(own: ClassSpread) -> float:
    """The variance of a rate with half an error more, made by somebody with a typical number of trials."""
    return own.variance + _MORE_ERRORS * sqrt(own.trials / own.people) / own.trials**2


def careful_degrees(own: ClassSpread) -> float:
    """Degrees of freedom that are few where there are few people, or where few people make the errors."""
    return max(min(own.people - 1, own.concentration + _MORE_DEGREES), 1.0)


def worth(rate: float, own: ClassSpread) -> float:
    """How many independent trials would have the same careful variance."""
    nearest = min(max(min(rate, 1 - rate), 1 / own.trials) + _MORE_ERRORS / own.trials, 0.5)
    return nearest * (1 - nearest) / careful_variance(own)


def wilson_limits(rate: _Number, trials: _Number, quantile: _Number) -> tuple[_Number, _Number]:
    """Wilson's limits of a rate or of an array of them, for a number of trials that need not be whole."""
    share = quantile**2 / trials
    middle = (rate + share / 2) / (1 + share)
    reach = quantile * (rate * (1 - rate) / trials + share / (4 * trials)) ** 0.5 / (1 + share)
    return middle - reach, middle + reach


def reach_by_log_odds(share: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """How far limits are below and above a share, if they are so far away on the scale of the log-odds.

    Near 0 and 1 that scale knows no limit on the other side, so none is more than twice as far away as asked for.
    """
    from scipy.special import expit, logit

    inner = (share > 0) & (share < 1)
    known = np.where(inner, share, 0.5)
    scaled = reach / (known * (1 - known))
    sides = known - expit(logit(known) - scaled), expit(logit(known) + scaled) - known
    below, above = (np.where(inner, np.minimum(side, _FARTHEST * reach), reach) for side in sides)
    return below, above
