"""A variance and its degrees of freedom: what each class of trials adds, and how it is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError

Floats: TypeAlias = NDArray[np.float64]
_Number = TypeVar("_Number", float, Floats)

_MOST_LEVERAGE = 0.9
_AT_LEAST = 0.5
"""The share of the variance of independent trials that a variance by people is not below."""


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """What the trials of one class add to a variance, and how many people that rests on."""

    variance: float
    people: float
    """The effective number of people of the role with fewer of them: as many as would matter equally."""
    trials: int
    concentration: float
    """Degrees of freedom by how evenly the sum of squares is spread over people; few where few people err."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A variance and its degrees of freedom, and what each class adds."""

    variance: float
    degrees: float
    genuine: ClassSpread
    impostor: ClassSpread
    hidden: float = 0.0
    """The variance that classes without a discordant trial may hide, of a difference; not part of `variance`."""

    @property
    def sigma(self) -> float:
        """The standard deviation."""
        return sqrt(self.variance)

    @property
    def people(self) -> float:
        """The smallest effective number of people in a class and role."""
        return min(self.genuine.people, self.impostor.people)


def independent_spread(
    genuine: NDArray[np.bool_], errors: NDArray[Any], weights: tuple[float, float] = (1.0, 1.0)
) -> Spread:
    """The variance of a weighted sum of class means of errors when every trial is of other people."""
    classes = []
    for rows, weight in ((genuine, weights[1]), (~genuine, weights[0])):
        own = errors[rows].astype(np.float64)
        if not len(own):
            raise TrialsError("there is no trial of one class; error rates need both")
        classes.append(independent_class(weight**2 * float(own.var()), len(own)))
    return put_classes_together(*classes)


def independent_class(variance: float, trials: int) -> ClassSpread:
    """What one class of independent trials adds, from the variance of a single trial."""
    return ClassSpread(variance / max(trials - 1, 1), float(trials), trials, float(trials))


def put_classes_together(genuine: ClassSpread, impostor: ClassSpread) -> Spread:
    """The spread of a sum of two classes that have nobody in common."""
    degrees = welch([(own.variance, max(own.people - 1, 1.0)) for own in (genuine, impostor)])
    return Spread(genuine.variance + impostor.variance, degrees, genuine, impostor)


def hidden_variance(own: ClassSpread) -> float:
    """The variance that a class may hide in which two systems decide every trial alike.

    As Wilson's limits of a rate without errors, which are about four errors away, with the variance of a trial times
    the square root of trials per person.
    """
    return 4 * sqrt(own.trials / own.people) / own.trials**2


def not_below_half(by_people: _Number, independent: _Number) -> _Number:
    """A variance by people, or an array of them, or half of that of independent trials where that is more.

    Where people have no effects it is chance which of the two is larger, so the larger one is too large on average.
    Half of the second still keeps a variance from 0 where all people err alike.
    """
    found: _Number = np.maximum(by_people, _AT_LEAST * independent)
    return found


def contributions(genuine: NDArray[np.bool_], values: NDArray[Any], weights: tuple[float, float]) -> Floats:
    """What each trial adds to the deviation of a weighted sum of class means; they sum to 0 in each class.

    `values` is 1 for an error and 0 for none, the difference of two systems' errors, or any other number per trial
    whose means over both classes are what is reported. Weights are those of FAR and of FRR.
    """
    found = values.astype(np.float64)
    for rows, weight in ((genuine, weights[1]), (~genuine, weights[0])):
        count = np.count_nonzero(rows)
        if not count:
            raise TrialsError("there is no trial of one class; error rates need both")
        found[rows] = weight * (found[rows] - found[rows].mean()) / count
    return found


def welch(parts: Sequence[tuple[float, float]]) -> float:
    """Welch's degrees of freedom of a sum of variances, each given with its own."""
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return min(degrees for _, degrees in parts)
    rough = sum((variance / total) ** 2 / degrees for variance, degrees in parts)
    return 1 / rough if rough > 0 else inf


def concentration(squares: Floats, total: float) -> float:
    """Degrees of freedom of a sum of squares by its fourth moments."""
    if total <= 0:
        return 1.0
    fourth = float(np.sum(squares**2)) - total**2 / max(int(np.count_nonzero(squares)), 1)
    return 2 * total**2 / fourth if fourth > 1e-12 * total**2 else float(len(squares))


def effective_people(trials: Floats) -> float:
    """How many people of equal weight people with so many trials each are worth (Kish)."""
    return float(trials.sum() ** 2 / np.sum(trials**2))


def without_one(sums: Floats, shares: Floats) -> Floats:
    """By how much a mean changes without each person: their sum, and more the larger their share of the trials."""
    return np.asarray(sums / (1 - np.minimum(shares, _MOST_LEVERAGE)))


def one_fewer(people: float) -> float:
    """The jackknife's (n - 1) / n."""
    return max(people - 1, 1.0) / max(people, 2.0)
