"""Variances of error rates by what two trials share (a U-statistic; Owen 2007, Gallas 2006).

People are exchangeable, so the variance of a mean over n trials is exactly

.. math:: V = n^{-2} \\sum_\\kappa N_\\kappa \\gamma_\\kappa

where two trials share the claimed person, the subject, both, or are the same one (:math:`\\kappa`), :math:`N_\\kappa`
counts ordered pairs of trials and :math:`\\gamma_\\kappa` is their covariance. With :math:`Q_\\kappa` the mean product
of centred values over those pairs, :math:`\\gamma_\\kappa = Q_\\kappa - Q_{none}` is unbiased. Sums by person give all
of it. See docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

BOTH, SAME = "both", "same"
TAIL_DEPENDENCE = 1.5
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
        The ratio of p(1-p) at the rate of interest to that of each column.
    effective : float
        Kish's effective number of people, in the role with fewer; of trials without ids.
    squares : callable or None
        For a role and weights of the columns, the sum of squares over each person's trials; None without ids.
    """

    trials: int
    pairs: dict[str, float]
    products: dict[str, Floats]
    same: Floats
    sums: dict[str, Floats]
    counts: dict[str, Floats]
    scale: Floats
    effective: float
    squares: Callable[[str, Floats], Floats] | None = None

    @property
    def unrelated(self) -> float:
        """The number of ordered pairs of trials that share no person."""
        return float(self.trials) ** 2 - self.trials - sum(self.pairs.values())

    def columns(self, which: Sequence[int], scale: Floats) -> Moments:
        """Select columns, with the scale of each."""
        square = np.ix_(which, which)
        products = {kind: values[square] for kind, values in self.products.items()}
        sums = {role: values[:, which] for role, values in self.sums.items()}
        squares = self.squares

        def selected_squares(role: str, weights: Floats) -> Floats:
            assert squares is not None
            all_weights = np.zeros(len(self.scale))
            np.add.at(all_weights, which, weights)
            return squares(role, all_weights)

        same = self.same[square]
        return replace(self, products=products, same=same, sums=sums, scale=scale, squares=selected_squares)

    def components(self, a: Floats, b: Floats) -> dict[str, float]:
        """Estimate the covariances of two trials, for two combinations of the columns, by what the trials share."""
        left, right = (weights * self.scale ** (TAIL_DEPENDENCE / 2) for weights in (a, b))
        products = {kind: float(left @ product @ right) for kind, product in self.products.items()}
        related = sum(products.values()) + float(left @ self.same @ right)
        unrelated = -related / self.unrelated if self.unrelated > 0 else 0.0  # all centred products add up to 0
        covariances = {
            kind: product / self.pairs[kind] - unrelated if self.pairs[kind] else 0.0
            for kind, product in products.items()
        }
        left, right = (weights * np.sqrt(self.scale) for weights in (a, b))
        # a positive mean product of unrelated trials is chance: it must not lower the variance of single trials
        covariances[SAME] = float(left @ self.same @ right) / self.trials - min(unrelated, 0.0)
        return covariances

    def fourth(self, role: str, weights: Floats) -> float:
        """Estimate the variance of the sum of products over pairs of trials that share a role.

        People are independent, and each adds the square of its sum less the sum of its squares.
        """
        scaled = weights * self.scale ** (TAIL_DEPENDENCE / 2)
        pairs = (self.sums[role] @ scaled) ** 2
        if self.squares is not None:
            pairs = pairs - self.squares(role, scaled)
        people = np.count_nonzero(self.counts[role])
        return float(pairs @ pairs - pairs.sum() ** 2 / max(people, 1))


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
    """Variance components of one set of trials, estimated on this set and on similar ones.

    Attributes
    ----------
    sets : sequence of (Moments, Moments)
        Moments of genuine and impostor trials of each set. Variances are those of the first; covariances are averaged
        over all sets with the same roles, weighted by their effective numbers of people.
    """

    sets: Sequence[tuple[Moments, Moments]]

    @cached_property
    def _weighted(self) -> list[list[tuple[float, Moments]]]:
        """For each class the sets with the same roles as the first, each with its weight in averages."""
        by_class = []
        for which in (0, 1):
            roles = self.sets[0][which].pairs.keys()
            similar = [moments[which] for moments in self.sets if moments[which].pairs.keys() == roles]
            total = sum(moments.effective for moments in similar)
            by_class.append([(moments.effective / total, moments) for moments in similar])
        return by_class

    def _average(self, which: int, a: Floats, b: Floats) -> dict[str, float]:
        """Average the covariances of one class over the sets, for two combinations of the columns."""
        average: dict[str, float] = {}
        for weight, moments in self._weighted[which]:
            for kind, value in moments.components(a, b).items():
                average[kind] = average.get(kind, 0.0) + weight * value
        return average

    def _class_variance(self, which: int, weights: Floats) -> float:
        """Estimate the variance of one class, at least that of independent trials."""
        first = self.sets[0][which]
        if not weights.any():
            return 0.0
        average = self._average(which, weights, weights)
        shared = sum(number * average[kind] for kind, number in first.pairs.items())
        return (first.trials * max(average[SAME], 0.0) + max(shared, 0.0)) / first.trials**2

    def _noise(self, which: int, weights: Floats, variance: float) -> float:
        """Estimate half the variance of the variance of one class, from fourth moments of people's sums."""
        first = self.sets[0][which]
        roles = [kind for kind in first.pairs if kind != BOTH]
        if not roles or not weights.any():
            return 0.0
        noise = 0.0
        for weight, moments in self._weighted[which]:
            for role in roles:
                if moments.pairs[role]:
                    ratio = weight * first.pairs[role] / first.trials**2 / moments.pairs[role]
                    noise += ratio**2 * moments.fourth(role, weights)
        # at most as many degrees of freedom as people, less one
        people = sum(moments.effective - 1 for _, moments in self._weighted[which])
        return max(noise, 2 * variance**2 / max(people, 1.0))

    def parts(self, genuine: Floats, impostor: Floats) -> tuple[float, float, float]:
        """Estimate the variances of weighted sums of FRR and of FAR, and their covariance, bounded by theirs."""
        frr, far = self._class_variance(0, genuine), self._class_variance(1, impostor)
        limit = sqrt(frr * far)
        covariance = float(np.clip(self._between_classes(genuine, impostor), -limit, limit)) if limit > 0 else 0.0
        return frr, far, covariance

    def variance(self, genuine: Sequence[float] | Floats, impostor: Sequence[float] | Floats) -> Variance:
        """Estimate the variance of a weighted sum of the columns' means.

        Parameters
        ----------
        genuine, impostor
            The weights of the columns of each class.
        """
        weights = np.asarray(genuine, dtype=np.float64), np.asarray(impostor, dtype=np.float64)
        frr, far, covariance = self.parts(*weights)
        noise = self._noise(0, weights[0], frr) + self._noise(1, weights[1], far)
        df = max(2 * (frr + far) ** 2 / noise, 2.0) if noise > 0 else inf
        return Variance(max(frr + far + 2 * covariance, 0.0), frr, far, covariance, df)

    def value(self, genuine: Floats, impostor: Floats) -> float:
        """Estimate the variance alone, without its degrees of freedom; see `variance`."""
        frr, far, covariance = self.parts(genuine, impostor)
        return max(frr + far + 2 * covariance, 0.0)

    def _between_classes(self, genuine: Floats, impostor: Floats) -> float:
        """Estimate the covariance of the two class means through people who take part in both."""
        target, total, weight = self.sets[0], 0.0, 0.0
        for moments in self.sets:
            covariance, pairs = _cross(moments[0], moments[1], genuine, impostor)
            if pairs:
                weight += moments[1].effective
                total += moments[1].effective * covariance
        if not weight:
            return 0.0
        return total / weight * _meetings(*target) / (target[0].trials * target[1].trials)

    def covariance(self, a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
        """Estimate the covariance of two weighted sums, each given by its weights for genuine and impostor columns."""
        plus, minus = (self.value(a[0] + sign * b[0], a[1] + sign * b[1]) for sign in (1, -1))
        return (plus - minus) / 4

    def correlation(self, a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
        """Estimate the correlation of two weighted sums; 0 if one of them does not vary."""
        product = self.value(*a) * self.value(*b)
        return self.covariance(a, b) / sqrt(product) if product > 0 else 0.0

    def across(self, other: tuple[Moments, Moments], a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
        """Estimate the covariance of a weighted sum on this set and one on another, through people in both.

        No trial is in both sets; the columns are the same in both.
        """
        here, total = self.sets[0], 0.0
        for which in (0, 1):
            one, two = here[which], other[which]
            average = self._average(which, a[which], b[which])
            for role in one.pairs.keys() & two.counts.keys():
                size = min(len(one.counts[role]), len(two.counts[role]))
                meetings = float(one.counts[role][:size] @ two.counts[role][:size])
                total += meetings * average[role] / (one.trials * two.trials)
        for first, second, weights in ((here[0], other[1], (a[0], b[1])), (other[0], here[1], (b[0], a[1]))):
            covariance, pairs = _cross(*here, *weights)
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
    left = [sums @ (a * genuine.scale ** (TAIL_DEPENDENCE / 2)) for sums in genuine.sums.values()]
    right = [sums @ (b * impostor.scale ** (TAIL_DEPENDENCE / 2)) for sums in impostor.sums.values()]
    for first in left:
        for second in right:
            size = min(len(first), len(second))
            products += float(first[:size] @ second[:size])
    unrelated = genuine.trials * impostor.trials - pairs
    return products / pairs + (products / unrelated if unrelated > 0 else 0.0), pairs


def effective_people(trials: NDArray[Any]) -> float:
    """Compute Kish's effective number of people from the number of trials of each."""
    return float(trials.sum() ** 2 / np.sum(np.square(trials, dtype=np.float64)))


def welch(parts: Sequence[tuple[float, float]]) -> float:
    """Compute Satterthwaite's degrees of freedom of a sum of variances, from variance and degrees of each part."""
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return min(df for _, df in parts)
    inverse = sum((variance / total) ** 2 / df for variance, df in parts)
    return 1 / inverse if inverse > 0 else inf
