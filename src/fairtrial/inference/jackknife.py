"""The jackknife over people (CV3): a variance from what leaving each person out changes.

For tables of people whose trials are not at hand one by one: groups of trials, and counts of errors by person.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.inference.people import Members
from fairtrial.inference.variance import Components, Floats

_Number = TypeVar("_Number", float, Floats)
_MOST_LEVERAGE = 0.9
_AT_LEAST = 0.5
"""The proportion of the variance of independent trials that a variance by people is not below."""
_MORE_ERRORS = 0.5
_MORE_DEGREES = 5
_FARTHEST = 2.0


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """The variance of one class, the effective number of people, the trials, and how evenly people make it up."""

    variance: float
    people: float
    trials: int
    concentration: float


def independent_class(variance: float, trials: int) -> ClassSpread:
    """Give the spread of one class of independent trials, from the variance of a single trial."""
    return ClassSpread(variance / max(trials - 1, 1), float(trials), trials, float(trials))


def one_error(members: Members) -> ClassSpread:
    """Give the spread of one error, made by people who have the fewest trials."""
    trials = np.sum([members.person_trials[column] for column in members.people], axis=0)
    error = np.zeros(len(trials), dtype=bool)
    error[int(np.argmin(trials))] = True
    moments = members.moments([error])
    variance = Components([(moments, moments)]).variance([1.0], [0.0]).value
    return ClassSpread(variance, members.effective, len(trials), 1.0)


def not_below_half(by_people: _Number, independent: _Number) -> _Number:
    """Give a variance by people, or half of that of independent trials if that is more."""
    larger: _Number = np.maximum(by_people, _AT_LEAST * independent)
    return larger


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


def reach_by_log_odds(rate: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Give the distances of limits below and above a rate on the scale of the log-odds, at most twice the reach."""
    from scipy.special import expit, logit

    inner: NDArray[np.bool_] = (rate > 0) & (rate < 1)
    known = np.where(inner, rate, 0.5)
    scaled = reach / (known * (1 - known))
    sides = known - expit(logit(known) - scaled), expit(logit(known) + scaled) - known
    below, above = (np.where(inner, np.minimum(side, _FARTHEST * reach), reach) for side in sides)
    return below, above
