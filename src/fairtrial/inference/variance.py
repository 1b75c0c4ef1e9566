"""Variances of error rates by what two trials share (a U-statistic; Owen 2007, Gallas 2006).

People are exchangeable, so the variance of a mean over n trials is exactly

.. math:: V = n^{-2} \\sum_\\kappa N_\\kappa \\gamma_\\kappa

where two trials share the claimed person, the subject, both, or are the same one (:math:`\\kappa`), :math:`N_\\kappa`
counts ordered pairs of trials and :math:`\\gamma_\\kappa` is their covariance. With :math:`Q_\\kappa` the mean product
of centred values over those pairs, :math:`\\gamma_\\kappa = Q_\\kappa - Q_{none}` is unbiased. Sums by person give all
of it. See docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

BOTH = "both"
_TAIL_DEPENDENCE = 1.5
"""Covariances between trials follow the power 1.5 of p(1-p) into the tail: 1 is full dependence of the most extreme
scores of a person, 2 is none (Ledford & Tawn 1996)."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Centred products of columns of values over the trials of one class, by what two trials share.

    Attributes
    ----------
    trials : int
        The number of trials.
    pairs : dict of str to float
        The number of ordered pairs of different trials that share a role, or ``both``.
    products : dict of str to ndarray
        The sum of products over those pairs, shape (columns, columns).
    same : ndarray
        The sum of products over single trials, shape (columns, columns).
    sums : dict of str to ndarray
        Centred sums by person for each role, shape (people, columns); people have the same numbers in all sets.
    counts : dict of str to ndarray
        Trials by person for each role.
    scale : ndarray
        By how much p(1-p) at the rate asked for differs from that of each column.
    """

    trials: int
    pairs: dict[str, float]
    products: dict[str, Floats]
    same: Floats
    sums: dict[str, Floats]
    counts: dict[str, Floats]
    scale: Floats

    @property
    def unrelated(self) -> float:
        """The number of ordered pairs of trials that share nobody."""
        return float(self.trials) ** 2 - self.trials - sum(self.pairs.values())

    @property
    def effective(self) -> float:
        """Kish's effective number of people, in the role with fewer; of trials without ids."""
        return min((effective_people(counts) for counts in self.counts.values()), default=float(self.trials))

    def columns(self, which: Sequence[int]) -> Moments:
        """Give the moments of some of the columns."""
        square = np.ix_(which, which)
        products = {kind: values[square] for kind, values in self.products.items()}
        sums = {role: values[:, which] for role, values in self.sums.items()}
        return replace(self, products=products, same=self.same[square], sums=sums, scale=self.scale[which])

    def component(self, kind: str, a: Floats, b: Floats) -> float:
        """Estimate the covariance of two trials that share `kind`, for two combinations of the columns."""
        bent = self.scale ** (_TAIL_DEPENDENCE / 2)
        related = sum((a * bent) @ products @ (b * bent) for products in self.products.values())
        related += (a * bent) @ self.same @ (b * bent)
        apart = -related / self.unrelated if self.unrelated > 0 else 0.0
        if kind == "same":
            straight = np.sqrt(self.scale)
            # trials that are less alike than by chance do not make a trial less like itself
            return float((a * straight) @ self.same @ (b * straight) / self.trials - min(apart, 0.0))
        if not self.pairs[kind]:
            return 0.0
        return float((a * bent) @ self.products[kind] @ (b * bent) / self.pairs[kind] - apart)

    def fourth(self, role: str, weights: Floats) -> float:
        """Give the sum of fourth powers of people's sums about the square of their mean square."""
        squares = (self.sums[role] @ (weights * self.scale ** (_TAIL_DEPENDENCE / 2))) ** 2
        people = np.count_nonzero(self.counts[role])
        return float(np.sum(squares**2) - squares.sum() ** 2 / max(people, 1))


@dataclass(frozen=True, slots=True)
class Variance:
    """The variance of a weighted sum of FRR and FAR, the part of each class, and Satterthwaite's degrees of freedom."""

    value: float
    genuine: float
    impostor: float
    covariance: float
    df: float

    @property
    def correlation(self) -> float:
        """The correlation of FRR and FAR through people who take part in trials of both classes."""
        product = sqrt(self.genuine * self.impostor)
        return self.covariance / product if product > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Components:
    """Variance components of one set of trials, read on this set and on others that are like it.

    Attributes
    ----------
    readings : sequence of (Moments, Moments)
        Moments of genuine and impostor trials. The first set is the one whose variances are asked for; covariances are
        averaged over all sets with the same roles, weighted by their effective numbers of people.
    """

    readings: Sequence[tuple[Moments, Moments]]

    def _of_class(self, which: int) -> list[Moments]:
        first = self.readings[0][which]
        return [moments[which] for moments in self.readings if moments[which].pairs.keys() == first.pairs.keys()]

    @cached_property
    def _shares(self) -> list[list[float]]:
        """The weight of each set in the average, by class."""
        effective = [[moments.effective for moments in self._of_class(which)] for which in (0, 1)]
        return [[each / sum(every) for each in every] for every in effective]

    def _average(self, which: int, kind: str, a: Floats, b: Floats) -> float:
        sets = zip(self._shares[which], self._of_class(which), strict=True)
        return sum(share * moments.component(kind, a, b) for share, moments in sets)

    def _class_variance(self, which: int, weights: Floats) -> tuple[float, float]:
        """Give the variance of one class, and that of this estimate times one half.

        What is true of the parameters holds for the estimates: no covariance is negative, trials that share both people
        are at least as alike as both kinds of sharing together, and a trial is at least as like itself.
        """
        own = self.readings[0][which]
        if not weights.any():
            return 0.0, 0.0
        roles = [kind for kind in own.pairs if kind != BOTH]
        components = {kind: max(self._average(which, kind, weights, weights), 0.0) for kind in roles}
        if BOTH in own.pairs:
            both = self._average(which, BOTH, weights, weights)
            components[BOTH] = max(both, sum(components.values()))
        itself = max(self._average(which, "same", weights, weights), *components.values(), 0.0)
        total = own.trials * itself + sum(own.pairs[kind] * value for kind, value in components.items())
        noise = 0.0
        for share, moments in zip(self._shares[which], self._of_class(which), strict=True):
            for role in roles:
                if moments.pairs[role]:
                    ratio = share * own.pairs[role] / own.trials**2 / moments.pairs[role]
                    noise += ratio**2 * moments.fourth(role, weights)
        variance = total / own.trials**2
        if roles:  # never more degrees of freedom than people less one
            people = sum(moments.effective - 1 for moments in self._of_class(which))
            noise = max(noise, 2 * variance**2 / max(people, 1.0))
        return variance, noise

    def variance(self, genuine: Sequence[float] | Floats, impostor: Sequence[float] | Floats) -> Variance:
        """Estimate the variance of a weighted sum of the columns' means.

        Parameters
        ----------
        genuine, impostor
            The weights of the columns of each class.
        """
        weights = np.asarray(genuine, dtype=np.float64), np.asarray(impostor, dtype=np.float64)
        (frr, frr_noise), (far, far_noise) = (self._class_variance(which, weights[which]) for which in (0, 1))
        limit = sqrt(frr * far)
        covariance = float(np.clip(self._between_classes(*weights), -limit, limit)) if limit > 0 else 0.0
        noise = frr_noise + far_noise
        df = max(2 * (frr + far) ** 2 / noise, 2.0) if noise > 0 else inf
        return Variance(max(frr + far + 2 * covariance, 0.0), frr, far, covariance, df)

    def _between_classes(self, genuine: Floats, impostor: Floats) -> float:
        """Estimate the covariance of the two class means through people who take part in both."""
        target, total, weight = self.readings[0], 0.0, 0.0
        for moments in self.readings:
            covariance, pairs = _cross(moments[0], moments[1], genuine, impostor)
            if pairs:
                weight += moments[1].effective
                total += moments[1].effective * covariance
        if not weight:
            return 0.0
        return total / weight * _meetings(*target) / (target[0].trials * target[1].trials)

    def covariance(self, a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
        """Estimate the covariance of two weighted sums, each given by its weights for genuine and impostor columns."""
        plus = self.variance(a[0] + b[0], a[1] + b[1]).value
        return (plus - self.variance(a[0] - b[0], a[1] - b[1]).value) / 4

    def across(self, other: tuple[Moments, Moments], a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
        """Estimate the covariance of a weighted sum on this set and one on another, through people who are in both.

        No trial is in both sets; the columns are the same in both.
        """
        total = 0.0
        for which in (0, 1):
            own, foreign = self.readings[0][which], other[which]
            for role in own.pairs.keys() & foreign.counts.keys():
                size = min(len(own.counts[role]), len(foreign.counts[role]))
                meetings = float(own.counts[role][:size] @ foreign.counts[role][:size])
                component = self._average(which, role, a[which], b[which])
                total += meetings * component / (own.trials * foreign.trials)
        here = self.readings[0]
        for first, second, weights in ((here[0], other[1], (a[0], b[1])), (other[0], here[1], (b[0], a[1]))):
            covariance, pairs = _cross(*self.readings[0], *weights)
            if pairs:
                total += covariance * _meetings(first, second) / (first.trials * second.trials)
        return total


def _meetings(genuine: Moments, impostor: Moments) -> float:
    """Count pairs of a genuine and an impostor trial with a person in common."""
    total = 0.0
    for trials in genuine.counts.values():
        for others in impostor.counts.values():
            size = min(len(trials), len(others))
            total += float(trials[:size] @ others[:size])
    return total


def _cross(genuine: Moments, impostor: Moments, a: Floats, b: Floats) -> tuple[float, float]:
    """Estimate the covariance of a genuine and an impostor trial with a person in common, and count such pairs."""
    pairs = _meetings(genuine, impostor)
    if not pairs:
        return 0.0, 0.0
    products = 0.0
    left = [sums @ (a * genuine.scale ** (_TAIL_DEPENDENCE / 2)) for sums in genuine.sums.values()]
    right = [sums @ (b * impostor.scale ** (_TAIL_DEPENDENCE / 2)) for sums in impostor.sums.values()]
    for first in left:
        for second in right:
            size = min(len(first), len(second))
            products += float(first[:size] @ second[:size])
    unrelated = genuine.trials * impostor.trials - pairs
    return products / pairs + (products / unrelated if unrelated > 0 else 0.0), pairs


def effective_people(trials: NDArray[Any]) -> float:
    """Kish's effective number of people, from the trials of each."""
    return float(trials.sum() ** 2 / np.sum(np.square(trials, dtype=np.float64)))


def welch(parts: Sequence[tuple[float, float]]) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances, each given with its own."""
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return min(df for _, df in parts)
    rough = sum((variance / total) ** 2 / df for variance, df in parts)
    return 1 / rough if rough > 0 else inf
