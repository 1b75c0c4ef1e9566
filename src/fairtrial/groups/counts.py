"""Two error rates compared by their numbers of errors, as if so many had been seen in so many independent trials.

Given the errors of both together, those of the first are a share of them: binomial, with the share that its trials
have if the rates are equal. Numbers of errors need not be whole. Tails are those of the middle p value: half of the
probability of what was seen itself. So few errors are judged by what they are, not by a normal curve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fairtrial.spread import Floats

_HALVINGS = 50
_FARTHEST = 700.0
"""Log-odds beyond which a share is 0 or 1."""


def last_below(is_below: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Where something that is true of low numbers ends to be true, of each pair of bounds, by halving."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def upper_tail(errors: Floats, others: Floats, share: Floats) -> Floats:
    """How probable so many of all errors, or more, are where their share is given.

    Parameters
    ----------
    errors, others
        The numbers of errors of the first rate and of the second.
    share
        The expected share of the first.

    Returns
    -------
    ndarray
        The middle p values, one per pair.
    """
    from scipy.special import betainc

    tiny = np.finfo(np.float64).tiny
    so_many = betainc(np.maximum(errors, 1.0), others + 1, share)
    # less than one error is something between one and none, after which everything is as probable
    so_many = np.where(errors < 1, 1 - errors * (1 - so_many), so_many)
    more = np.where(others > 0, betainc(errors + 1, np.maximum(others, tiny), share), 0.0)
    return np.asarray((so_many + more) / 2)


def lowest_share(errors: Floats, others: Floats, tail: Floats) -> Floats:
    """The share of the first rate at which so many of all errors, or more, are as probable as `tail`."""
    from scipy.special import expit

    ends = np.full(errors.shape, -_FARTHEST), np.full(errors.shape, _FARTHEST)
    low = last_below(lambda middle: upper_tail(errors, others, expit(middle)) < tail, *ends)
    # with less than one error of the first nothing may be too low
    return np.where(low > -_FARTHEST, expit(low), 0.0)
