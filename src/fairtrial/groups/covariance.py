"""Compute simultaneous limits, differences and ratios of the rates of several groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairtrial.inference.estimates import wilson_limits
from fairtrial.inference.group_covariance import GroupedRates
from fairtrial.inference.jackknife import careful_degrees, not_below_half, reach_by_log_odds, worth
from fairtrial.inference.variance import Floats

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


_DRAWS = 10_000
_AT_ONCE = 100
_MOST = 37.0
_FEW_DRAWS = 20
_TINY = 1e-300
_NOTHING = 1e-6
_Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RateFamily:
    """One rate of several groups, and how they vary together.

    Parameters
    ----------
    grouped
        The rates on the judged trials, with their covariance at this threshold.
    moves
        How far each rate moves with one standard deviation of the threshold; None if the threshold is fixed.
    joint
        Twice the covariance of the two parts, of each rate with each, through people who are in both dev and test.
    seed
        Of the normal deviates.
    """

    grouped: GroupedRates
    moves: Floats | None = None
    joint: Floats | None = None
    seed: int = 0

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.grouped.errors)

    def kept(self, which: NDArray[np.bool_]) -> RateFamily:
        """Some of the groups only."""
        places = np.flatnonzero(which)
        return RateFamily(
            self.grouped.kept(which),
            None if self.moves is None else self.moves[places],
            None if self.joint is None else self.joint[np.ix_(places, places)],
            self.seed,
        )

    @cached_property
    def rate(self) -> Floats:
        """The rate of each group."""
        return self.grouped.rate

    @property
    def threshold_moves(self) -> bool:
        """Whether the threshold is re-estimated."""
        return self.moves is not None

    @property
    def sigma(self) -> Floats:
        """The standard deviation of each rate."""
        return np.sqrt(np.diag(self.covariance) + np.maximum(np.diag(self._by_threshold), 0))

    @cached_property
    def _worth(self) -> Floats:
        if self.grouped.moved is None:
            return self.grouped.trials.astype(np.float64)
        return np.array([worth(r, own) for r, own in zip(self.rate.tolist(), self.grouped.spreads, strict=True)])

    @cached_property
    def _degrees(self) -> Floats:
        if self.grouped.moved is None:
            return np.full(self.size, np.inf)
        return np.array([careful_degrees(own) for own in self.grouped.spreads])

    @cached_property
    def covariance(self) -> Floats:
        """On the judged trials; where there is no error, that of one."""
        found = self.grouped.covariance.copy()
        np.fill_diagonal(found, [own.variance for own in self.grouped.spreads])
        return found

    @cached_property
    def _by_threshold(self) -> Floats:
        """What the threshold adds to the covariance of each rate with each."""
        if self.moves is None:
            return np.zeros((self.size, self.size))
        found = np.outer(self.moves, self.moves)
        return found if self.joint is None else found + self.joint

    @cached_property
    def pairs(self) -> tuple[_Places, _Places]:
        """Every two groups, the first before the second."""
        return np.triu_indices(self.size, 1)

    def limits(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of every rate at a critical value, within 0 and 1."""
        low, high = self.limits_at_threshold(critical)
        moved = self.moved_reach(np.diag(self._by_threshold), np.diag(self.covariance), self.people, critical)
        below, above = reach_by_log_odds(self.rate, moved)
        reach = np.hypot(self.rate - low, below), np.hypot(high - self.rate, above)
        return np.maximum(self.rate - reach[0], 0.0), np.minimum(self.rate + reach[1], 1.0)

    def limits_at_threshold(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of every rate at a critical value, the threshold taken as it is."""
        return self._fixed_limits(np.arange(self.size), np.full(self.size, critical))

    def _fixed_limits(self, which: _Places, critical: Floats) -> tuple[Floats, Floats]:
        """The limits of some rates at this threshold, each at a critical value of its own."""
        return wilson_limits(self.rate[which], self._worth[which], _quantile(self._degrees[which], critical))

    @cached_property
    def people(self) -> Floats:
        """As many people of equal weight each group is worth."""
        return np.array([own.people for own in self.grouped.spreads])

    def moved_reach(self, moved: Floats, fixed: Floats, people: Floats, critical: Floats | float) -> Floats:
        """How far the threshold's part of variances reaches, beside a fixed part that rests on so many people."""
        if self.moves is None:
            return np.zeros_like(moved)
        moved = np.maximum(moved, 0)
        share = np.divide(fixed, moved + fixed, out=np.ones_like(moved), where=moved + fixed > 0)
        # Welch's degrees of freedom: those of what the threshold adds are infinite
        rough = share**2 / np.maximum(people - 1, 1.0)
        degrees = np.divide(1.0, rough, out=np.full_like(rough, np.inf), where=rough > 0)
        return _quantile(degrees, critical) * np.sqrt(moved)

    def critical(self, confidence: float) -> float:
        """The critical value at which the limits of all rates hold together."""
        return critical_of(self._largest_rate, confidence)

    @cached_property
    def _largest_rate(self) -> Floats:
        """The largest standardised deviation of all rates in each draw."""
        return largest_normal_of(self.covariance + self._by_threshold, self.seed)

    def pair_critical(self, confidence: float) -> float:
        """The critical value at which the limits of all differences and ratios hold together."""
        return critical_of(self._largest_difference, confidence)

    @cached_property
    def _largest_difference(self) -> Floats:
        """The largest standardised difference of two groups in each draw, sorted; if all are alike.

        No difference is larger than if all errors were made in one of the two groups (Tarone 1990).
        """
        mean = float(np.sum(self.grouped.errors) / np.sum(self.grouped.trials))
        normal = _normal(self.grouped.alike * mean * (1 - mean) + self._by_threshold, self.seed)
        first, second = self.pairs
        errors, others, share = self._effective
        none, every = np.zeros_like(errors), errors + others
        above, below = self._deviate(upper_tail(every, none, share)), self._deviate(upper_tail(every, none, 1 - share))
        found = np.zeros(_DRAWS)
        for start in range(0, len(first), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            apart = _standardised(normal[:, first[part]] - normal[:, second[part]])
            np.maximum(found, np.max(abs(np.clip(apart, -below[part], above[part])), axis=1), out=found)
        return np.sort(found)

    @cached_property
    def _effective(self) -> tuple[Floats, Floats, Floats]:
        """Of every pair: the errors of both as if trials were independent, and the share of the first's trials."""
        first, second = self.pairs
        alike, rate = self.grouped.alike, self.rate
        worth = 1 / np.diag(alike)
        share = worth[first] / (worth[first] + worth[second])
        mean = share * rate[first] + (1 - share) * rate[second]
        spread = np.maximum(mean * (1 - mean), _TINY)
        # people who are in both groups tell themselves how their difference varies, trials by chance at the least
        told = _of_difference(self.covariance, first, second) / spread
        chance = 1 / self.grouped.trials[first] + 1 / self.grouped.trials[second]
        crossed = self.grouped.crossed[first, second]
        apart = np.where(crossed, not_below_half(told, chance), _of_difference(alike, first, second))
        apart += _of_difference(self._by_threshold, first, second) / spread
        # what the two have in common makes their difference surer, as more trials would; and so does a larger rate
        correct = np.maximum(1 - mean, 2 / (1 + np.minimum(worth[first], worth[second])))
        scale = (alike[first, first] + alike[second, second]) / np.maximum(apart * correct, _TINY)
        return rate[first] * worth[first] * scale, rate[second] * worth[second] * scale, share

    @cached_property
    def _pair_degrees(self) -> Floats:
        """Degrees of freedom of what people add to a difference: told from all groups together, or from both."""
        first, second = self.pairs
        if self.grouped.moved is None:
            return np.full(len(first), np.inf)
        everybody = max(float(np.sum(self.grouped.people)) - self.size, 1.0)
        own = np.maximum(np.minimum(self.people[first], self.people[second]) - 1, 1.0)
        return np.where(self.grouped.crossed[first, second], own, everybody)

    @cached_property
    def statistics(self) -> Floats:
        """How many standard deviations each difference of two rates is away from 0, as a normal deviate."""
        errors, others, share = self._effective
        above, below = upper_tail(errors, others, share), upper_tail(others, errors, 1 - share)
        found = self._deviate(np.minimum(above, below))
        first, second = self.pairs
        return np.where(self.rate[first] == self.rate[second], 0.0, np.where(above <= below, found, -found))

    def _deviate(self, tail: Floats) -> Floats:
        """The normal deviate of a tail, from 0 on; it is told with as many degrees of freedom as there are."""
        from scipy.special import ndtri, stdtr

        deviate = -ndtri(np.clip(tail, _TINY, 0.5))
        degrees = self._pair_degrees
        finite = np.where(np.isfinite(degrees), degrees, 1.0)
        return np.where(np.isfinite(degrees), -ndtri(np.maximum(stdtr(finite, -deviate), _TINY)), deviate)

    def adjusted(self, statistics: Floats) -> Floats:
        """P values for all differences together: how often the largest of all is beyond each statistic."""
        from scipy.special import ndtr

        beyond = _DRAWS - np.searchsorted(self._largest_difference, abs(statistics))
        alone = 2 * ndtr(-abs(statistics))
        bonferroni = np.minimum(alone * len(self.pairs[0]), 1.0)
        # the draws are too few to tell p values that are this small
        found = np.where(beyond >= _FEW_DRAWS, beyond / _DRAWS, np.minimum(bonferroni, _FEW_DRAWS / _DRAWS))
        return np.maximum(found, alone)

    def ratio_limits(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of the first rate over the second, of every pair; infinite where the second may be 0.

        They exclude 1 exactly where the statistic is beyond the critical value.
        """
        from scipy.special import ndtr

        errors, others, share = self._effective
        tail = ndtr(-_quantile(self._pair_degrees, critical))
        low, high = lowest_share(errors, others, tail), 1 - lowest_share(others, errors, tail)
        odds = share / (1 - share)
        with np.errstate(divide="ignore"):
            return low / (1 - low) / odds, np.where(high < 1, high / (1 - high) / odds, np.inf)

    def difference_limits(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of the first rate less the second, of every pair.

        The distances of the limits of both rates, put together. Where that would say something else than the
        statistic, the critical value is changed until it does not: 0 is excluded exactly where the statistic is beyond.
        """
        first, second = self.pairs
        estimate, own, statistic = (
            self.rate[first] - self.rate[second],
            self._statistics_by_limits,
            abs(self.statistics),
        )
        disagree = (own > critical) != (statistic > critical)
        values = np.where(disagree, critical * own / np.maximum(statistic, _NOTHING), critical)
        values = np.minimum(values, _MOST)
        below, above = self._reach_below(first, second, values), self._reach_below(second, first, values)
        return estimate - below, estimate + above

    def _reach_below(self, first: _Places, second: _Places, critical: Floats) -> Floats:
        """How far the lower limit of each difference is away from it."""
        below = self.rate[first] - self._fixed_limits(first, critical)[0]
        above = self._fixed_limits(second, critical)[1] - self.rate[second]
        variances = np.diag(self.covariance)
        correlation = correlation_of(self.covariance[first, second], variances[first], variances[second])
        moved = _of_difference(self._by_threshold, first, second)
        fixed = _of_difference(self.covariance, first, second)
        people = np.minimum(self.people[first], self.people[second])
        reach = self.moved_reach(moved, np.maximum(fixed, 0), people, critical)
        together = np.maximum(below**2 + above**2 - 2 * correlation * below * above, 0)
        return np.asarray(np.sqrt(together + reach**2))

    @cached_property
    def _statistics_by_limits(self) -> Floats:
        """The critical value at which the distances of the limits of both rates, put together, just reach 0."""
        first, second = self.pairs
        estimate = self.rate[first] - self.rate[second]
        upper, lower = np.where(estimate >= 0, first, second), np.where(estimate >= 0, second, first)
        return last_below(
            lambda critical: abs(estimate) > self._reach_below(upper, lower, critical),
            np.zeros(len(first)),
            np.full(len(first), _MOST),
        )


def _normal(covariance: Floats, seed: int) -> Floats:
    """Normal deviates with this covariance: one row per draw."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T  # symmetric, so the same by any library
    return np.asarray(np.random.default_rng([seed, 5]).normal(size=(_DRAWS, len(covariance))) @ root)


def largest_normal_of(covariance: Floats, seed: int) -> Floats:
    """The largest of normal deviates with this covariance in their standard deviations, in many draws."""
    return np.asarray(np.max(abs(_standardised(_normal(covariance, seed))), axis=1))


def critical_of(largest: Floats, confidence: float) -> float:
    """The critical value of the largest of several deviates, from draws of it: not below that of a single one."""
    from scipy.special import ndtri

    return max(float(np.quantile(largest, confidence)), float(ndtri((1 + confidence) / 2)))


def _standardised(normal: Floats) -> Floats:
    """All columns in their standard deviations."""
    sigma = np.sqrt(np.mean(normal**2, axis=0))
    return normal / np.where(sigma > 0, sigma, 1)


def correlation_of(covariance: Floats, one: Floats, other: Floats) -> Floats:
    """Correlations from covariances and the variances of both; 0 where one of them does not vary."""
    scale = np.sqrt(one * other)
    return np.clip(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0), -1, 1)


def _of_difference(covariance: Floats, first: _Places, second: _Places) -> Floats:
    """The variance of the difference of two, from the covariance of each with each."""
    return np.asarray(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])


def _quantile(degrees: Floats, critical: Floats | float) -> Floats:
    """Student's quantile at the same tail as a normal deviate."""
    from scipy.special import ndtr, stdtrit

    normal = np.broadcast_to(np.asarray(critical, dtype=np.float64), degrees.shape)
    finite = np.where(np.isfinite(degrees), degrees, 1.0)
    return np.asarray(np.where(np.isfinite(degrees), -stdtrit(finite, ndtr(-normal)), normal))


@dataclass(frozen=True, eq=False)
class HalfTotals:
    """The mean of FAR and FRR of every group; both are of the same groups in the same order."""

    far: RateFamily
    frr: RateFamily

    @property
    def rate(self) -> Floats:
        """The HTER of each group."""
        return (self.far.rate + self.frr.rate) / 2

    @cached_property
    def _between(self) -> Floats:
        """The covariance of each FAR with each FRR, through people who are in both."""
        far, frr = self.far.grouped.moved, self.frr.grouped.moved
        if far is None or frr is None:
            return np.zeros((self.far.size, self.far.size))
        return np.asarray(far.T @ frr)

    @cached_property
    def _moved(self) -> Floats:
        """What the threshold adds to the variance of each."""
        if self.far.moves is None or self.frr.moves is None:
            return np.zeros(self.far.size)
        return np.asarray(((self.far.moves + self.frr.moves) / 2) ** 2)

    @cached_property
    def _covariance(self) -> Floats:
        both = self._between + self._between.T
        found = (self.far.covariance + self.frr.covariance + both) / 4
        apart = (np.diag(self.far.covariance) + np.diag(self.frr.covariance)) / 4
        np.fill_diagonal(found, not_below_half(np.diag(found), apart))
        return found

    @property
    def threshold_moves(self) -> bool:
        """Whether the threshold is re-estimated."""
        return self.far.threshold_moves

    @property
    def sigma(self) -> Floats:
        """The standard deviation of each."""
        return np.sqrt(np.diag(self._covariance) + self._moved)

    def critical(self, confidence: float) -> float:
        """The critical value at which the limits of all hold together."""
        return critical_of(largest_normal_of(self._covariance + np.diag(self._moved), self.far.seed), confidence)

    def limits(self, critical: float) -> tuple[Floats, Floats]:
        """The limits of every HTER, the distances of those of both rates put together."""
        variances = [np.diag(own.covariance) for own in (self.far, self.frr)]
        correlation = correlation_of(np.diag(self._between), *variances)
        (far_low, far_high), (frr_low, frr_high) = (own.limits_at_threshold(critical) for own in (self.far, self.frr))
        sides = (
            (self.far.rate - far_low, self.frr.rate - frr_low),
            (far_high - self.far.rate, frr_high - self.frr.rate),
        )
        people = np.minimum(self.far.people, self.frr.people)
        moved = self.far.moved_reach(self._moved, np.diag(self._covariance), people, critical)
        below, above = (
            np.sqrt(np.maximum(one**2 + other**2 + 2 * correlation * one * other, 0) / 4 + moved**2)
            for one, other in sides
        )
        return np.maximum(self.rate - below, 0.0), np.minimum(self.rate + above, 1.0)
