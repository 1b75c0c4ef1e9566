"""Rates of groups at one threshold: an estimate of each, simultaneous limits, and every two compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, expit, ndtr, ndtri, stdtr, stdtrit

from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.words import cut, listed
from fairtrial.groups.membership import Codes, Membership
from fairtrial.inference.decide import Judgement, once
from fairtrial.inference.estimates import Estimate, Rates, Threshold, components, estimate, estimated_interval
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Members
from fairtrial.inference.thresholds import DEVIATIONS
from fairtrial.inference.variance import TAIL_DEPENDENCE, Floats
from fairtrial.rules.measures import MEASURES

Rate: TypeAlias = Literal["far", "frr"]
RATES: tuple[Rate, Rate] = ("far", "frr")
MOST_THAT_MEET = 30
"""Largest number of groups whose pairs of claim and impostor are shown."""
_FEW_TWICE = 0.1  # the proportion of claims below which being in two groups is taken for a mistake
_DRAWS = 10_000
_FEW_DRAWS = 20  # number of draws below which a p value is Bonferroni's
_TOGETHER = 100  # number of pairs of groups whose draws are in memory together
_TINY = 1e-300
_HALVINGS = 50
_ROUNDS = 5  # number of iterations in which a limit and its design effect settle
_DIRECTIONS = 97  # number of pairs of deviates that are tried for the limits of a sum of two rates
_FARTHEST = 700.0  # log-odds beyond which a proportion is 0 or 1
_Places: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TailRates(Rates):
    """Jeffreys' limits of each rate, with the larger design effect of the rate and the limit.

    Limits of many groups lie far in the tails. There, too, Jeffreys' are near the mid-p limits of the binomial
    distribution, and Wilson's are not (Brown, Cai & DasGupta 2001).
    """

    trials: tuple[int, ...] = ()  # the number of trials of each part

    def limits(self, which: int, quantile: Any) -> tuple[Any, Any]:
        """Give the limits of one of the rates, at one quantile or at several."""
        (rate, _, effective), trials, tail = self.parts[which], self.trials[which], ndtr(-quantile)
        low = high = rate
        for _ in range(_ROUNDS):
            below, above = (np.minimum(effective, at_rate(effective, trials, rate, limit)) for limit in (low, high))
            low = np.minimum(betaincinv(rate * below + 0.5, (1 - rate) * below + 0.5, tail), rate)
            high = np.maximum(1 - betaincinv((1 - rate) * above + 0.5, rate * above + 0.5, tail), rate)
        return low if rate > 0 else 0.0 * tail, high if rate < 1 else 0.0 * tail + 1.0

    def sides(self, quantile: float) -> tuple[float, float]:
        """Give the distances of the limits below and above a rate or the sum of two.

        The limits of a sum are its extremes over all pairs of rates with this joint deviate. MOVER would take an
        ellipse, which far in the tails is too small towards 0: if both rates are too high by chance, so would be the
        lower limit.
        """
        if len(self.parts) == 1:
            return Rates.sides(self, quantile)
        angle = np.linspace(0, 2 * np.pi, _DIRECTIONS)
        joint = self.correlation * np.cos(angle) + np.sqrt(1 - self.correlation**2) * np.sin(angle)
        total = value = 0.0
        for which, (deviate, (rate, weight, _)) in enumerate(zip((np.cos(angle), joint), self.parts, strict=True)):
            low, high = self.limits(which, quantile * abs(deviate))
            total = total + weight * np.where(deviate < 0, low, high)
            value += weight * rate
        return value - float(np.min(total)), float(np.max(total)) - value


def at_rate(effective: Any, trials: Any, rate: Any, other: Any) -> Any:
    """Give the effective number of trials at another rate: covariances between trials follow a power of p(1-p)."""
    here, there = (np.clip(each, 0.5 / trials, 1 - 0.5 / trials) for each in (rate, other))
    ratio = there * (1 - there) / (here * (1 - here))
    return trials / (1 + (trials / effective - 1) * ratio ** (TAIL_DEPENDENCE - 1))


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """A figure of several groups."""

    measure: str
    names: tuple[Any, ...]  # the groups, or pairs of the group of the claim and that of the impostor
    estimates: tuple[Estimate, ...]
    correlation: Floats  # of their deviations through the test trials, shape (groups, groups)
    seed: int = 0

    @cached_property
    def rate(self) -> Floats:
        """The figure of each group."""
        return np.array([each.value for each in self.estimates])

    @cached_property
    def sigma(self) -> Floats:
        """The standard deviation of each."""
        return np.array([each.sigma for each in self.estimates])

    @cached_property
    def variance(self) -> Floats:
        """The variance of each through the test trials, the threshold fixed."""
        return np.array([each.variance.value for each in self.estimates])

    @cached_property
    def by_threshold(self) -> Floats:
        """The covariance that the threshold adds, which all groups share."""
        slopes, shared = np.zeros((2, len(self.estimates)))
        for k, each in enumerate(self.estimates):
            if each.moves:
                slopes[k] = np.diff(np.interp([-1.0, 1.0], DEVIATIONS, each.moves[0]))[0] / 2
                shared[k] = each.correlation[0, 1] * np.sqrt(each.variance.value)
        joint = np.outer(shared, slopes)
        return np.outer(slopes, slopes) + joint + joint.T

    def limits(self, critical: float) -> tuple[Floats, Floats]:
        """Give the limits of each at a critical value."""
        low, high = np.array([each.interval(_confidence(critical)) for each in self.estimates]).T
        return low, high

    @cached_property
    def _largest(self) -> Floats:
        """Draw the largest standardised deviation of all."""
        deviation = np.sqrt(self.variance)
        normal = _normal(self.correlation * np.outer(deviation, deviation) + self.by_threshold, self.seed)
        return np.asarray(np.max(abs(_standardised(normal)), axis=1))

    def critical(self, confidence: float) -> float:
        """Give the critical value at which the limits of all hold together."""
        return _critical(self._largest, confidence)

    def intervals(self, confidence: float) -> dict[Any, RateInterval]:
        """Compute intervals that hold for all together, by name."""
        of_one = partial(estimated_interval, confidence=_confidence(self.critical(confidence)), sharing="none")
        intervals = (of_one(each, MEASURES[self.measure]) for each in self.estimates)
        each_of_all = (replace(each, confidence=confidence, limits="simultaneous") for each in intervals)
        return dict(zip(self.names, each_of_all, strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class RateFamily(Family):
    """FAR or FRR of several groups."""

    errors: NDArray[np.int64]
    trials: NDArray[np.int64]
    people: Floats  # the effective number of people of each group, in the role with fewer
    crossed: NDArray[np.bool_]  # which groups have claims in common, shape (groups, groups)

    @cached_property
    def counts(self) -> dict[Any, tuple[int, int]]:
        """Errors and trials by name."""
        return dict(zip(self.names, zip(self.errors.tolist(), self.trials.tolist(), strict=True), strict=True))

    @cached_property
    def overall(self) -> float:
        """The rate of all groups together."""
        return float(self.errors.sum() / max(self.trials.sum(), 1))

    @cached_property
    def effective(self) -> Floats:
        """The effective number of trials of each group, if all groups have the overall rate."""
        effective = np.array([0.0 if each.rates is None else each.rates.parts[0][2] for each in self.estimates])
        return np.asarray(at_rate(effective, self.trials, self.rate, self.overall))

    @cached_property
    def pairs(self) -> tuple[_Places, _Places]:
        """Every two groups, the first before the second."""
        return np.triu_indices(len(self.estimates), 1)

    @cached_property
    def _errors_of_pairs(self) -> tuple[Floats, Floats, Floats]:
        """Give the errors of both groups of each pair as if trials were independent, and the first's part of trials.

        The variance of the difference is not below that of independent trials.
        """
        first, second = self.pairs
        one, other = self.effective[first], self.effective[second]
        proportion = one / (one + other)
        mean = proportion * self.rate[first] + (1 - proportion) * self.rate[second]
        mean = np.clip(mean, 0.5 / np.minimum(one, other), 1 - 0.5 / np.minimum(one, other))
        variance = 1 / one + 1 / other - 2 * self.correlation[first, second] / np.sqrt(one * other)
        variance = np.maximum(variance, 1 / self.trials[first] + 1 / self.trials[second])
        variance += _of_difference(self.by_threshold, first, second) / (mean * (1 - mean))
        # a smaller variance of the difference counts as more trials, and so does a larger rate
        scale = (1 / one + 1 / other) / (variance * (1 - mean))
        return self.rate[first] * one * scale, self.rate[second] * other * scale, proportion

    @cached_property
    def _pair_df(self) -> Floats:
        """Satterthwaite's degrees of freedom; not more than people less one if groups share claims."""
        first, second = self.pairs
        rough = self.variance**2 / np.array([each.variance.df for each in self.estimates])
        with np.errstate(divide="ignore", invalid="ignore"):
            df = (self.variance[first] + self.variance[second]) ** 2 / (rough[first] + rough[second])
        people = np.maximum(np.minimum(self.people[first], self.people[second]) - 1, 1.0)
        return np.where(self.crossed[first, second], np.fmin(df, people), np.where(np.isnan(df), inf, df))

    @cached_property
    def statistics(self) -> Floats:
        """The normal deviate of each difference of two rates."""
        errors, others, proportion = self._errors_of_pairs
        above, below = upper_tail(errors, others, proportion), upper_tail(others, errors, 1 - proportion)
        deviate = self._deviate(np.minimum(above, below))
        first, second = self.pairs
        return np.where(self.rate[first] == self.rate[second], 0.0, np.where(above <= below, deviate, -deviate))

    def _deviate(self, tail: Floats) -> Floats:
        """Give the normal deviate, from 0 on, with the p value of Student's t at this tail of a normal one."""
        deviate = -ndtri(np.clip(tail, _TINY, 0.5))
        df = self._pair_df
        finite = np.where(np.isfinite(df), df, 1.0)
        return np.where(np.isfinite(df), -ndtri(np.maximum(stdtr(finite, -deviate), _TINY)), deviate)

    @cached_property
    def _largest_difference(self) -> Floats:
        """Draw the largest standardised difference of two equal groups, sorted.

        No difference is larger than if all errors were made in one of the two groups (Tarone 1990).
        """
        mean = self.overall * (1 - self.overall)
        covariance = mean * self.correlation / np.sqrt(np.outer(self.effective, self.effective))
        normal = _normal(covariance + self.by_threshold, self.seed)
        first, second = self.pairs
        errors, others, proportion = self._errors_of_pairs
        none, every = np.zeros_like(errors), errors + others
        above = self._deviate(upper_tail(every, none, proportion))
        below = self._deviate(upper_tail(every, none, 1 - proportion))
        largest = np.zeros(_DRAWS)
        for start in range(0, len(first), _TOGETHER):
            some = slice(start, start + _TOGETHER)
            apart = _standardised(normal[:, first[some]] - normal[:, second[some]])
            np.maximum(largest, np.max(abs(np.clip(apart, -below[some], above[some])), axis=1), out=largest)
        return np.sort(largest)

    def pair_critical(self, confidence: float) -> float:
        """Give the critical value at which the limits of all differences and ratios hold together."""
        return _critical(self._largest_difference, confidence)

    def adjusted(self, statistics: Floats) -> Floats:
        """Give p values for all differences together: how often the largest of all is beyond each statistic."""
        beyond = _DRAWS - np.searchsorted(self._largest_difference, abs(statistics))
        alone = 2 * ndtr(-abs(statistics))
        bonferroni = np.minimum(alone * len(self.pairs[0]), 1.0)
        # the draws are too few for p values that are this small
        together = np.where(beyond >= _FEW_DRAWS, beyond / _DRAWS, np.minimum(bonferroni, _FEW_DRAWS / _DRAWS))
        return np.maximum(together, alone)

    def ratio_limits(self, critical: float) -> tuple[Floats, Floats]:
        """Give the limits of the first rate over the second, of every pair; infinite if the second may be 0.

        They exclude 1 exactly if the statistic is beyond the critical value.
        """
        errors, others, proportion = self._errors_of_pairs
        tail = ndtr(-_student(self._pair_df, critical))
        low, high = lowest_proportion(errors, others, tail), 1 - lowest_proportion(others, errors, tail)
        odds = proportion / (1 - proportion)
        with np.errstate(divide="ignore"):
            return low / (1 - low) / odds, np.where(high < 1, high / (1 - high) / odds, inf)

    def difference_limits(self, critical: float) -> tuple[Floats, Floats]:
        """Give the limits of the first rate less the second, of every pair (MOVER; Zou & Donner 2008).

        They exclude 0 exactly if the statistic is beyond the critical value: if MOVER would not agree, the limit next
        to 0 has the standard deviation of the statistic.
        """
        first, second = self.pairs
        fixed = [replace(each, moves=()) for each in self.estimates]
        quantiles = _student(np.array([each.df for each in fixed]), critical)
        limits = [each.limits(quantile) for each, quantile in zip(fixed, quantiles.tolist(), strict=True)]
        low, high = np.clip(np.array(limits).T, 0.0, 1.0)
        below, above = self.rate - low, high - self.rate
        moved = critical**2 * np.maximum(_of_difference(self.by_threshold, first, second), 0)

        def reach(upper: _Places, lower: _Places) -> Floats:
            joint = 2 * self.correlation[upper, lower] * below[upper] * above[lower]
            return np.asarray(np.sqrt(np.maximum(below[upper] ** 2 + above[lower] ** 2 - joint, 0) + moved))

        difference, statistic = self.rate[first] - self.rate[second], abs(self.statistics)
        low, high = difference - reach(first, second), difference + reach(second, first)
        disagree = ((low > 0) | (high < 0)) != (statistic > critical)
        nearest = np.clip(difference * (1 - critical / np.maximum(statistic, _TINY)), -1.0, 1.0)
        return (
            np.where(disagree & (difference > 0), nearest, low),
            np.where(disagree & (difference < 0), nearest, high),
        )


def upper_tail(errors: Floats, others: Floats, proportion: Floats) -> Floats:
    """Compute the mid-p value of these errors of the first rate, or more, of all errors, by its expected proportion."""
    at_least = betainc(np.maximum(errors, 1.0), others + 1, proportion)
    # interpolate the tail between 0 and 1 errors
    at_least = np.where(errors < 1, 1 - errors * (1 - at_least), at_least)
    tiny = np.finfo(np.float64).tiny
    more = np.where(others > 0, betainc(errors + 1, np.maximum(others, tiny), proportion), 0.0)
    return np.asarray((at_least + more) / 2)


def lowest_proportion(errors: Floats, others: Floats, tail: Floats) -> Floats:
    """Bisect the log-odds for the largest proportion of the first rate whose `upper_tail` is below `tail`."""
    low, high = np.full(errors.shape, -_FARTHEST), np.full(errors.shape, _FARTHEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = upper_tail(errors, others, expit(middle)) < tail
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    # with less than one error of the first nothing may be too low
    return np.where(low > -_FARTHEST, expit(low), 0.0)


def _normal(covariance: Floats, seed: int) -> Floats:
    """Draw normal deviates with this covariance: one row per draw."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T  # symmetric, so the same by any library
    return np.asarray(np.random.default_rng([seed, 5]).normal(size=(_DRAWS, len(covariance))) @ root)


def _standardised(normal: Floats) -> Floats:
    """Divide columns by their standard deviations."""
    sigma = np.sqrt(np.mean(normal**2, axis=0))
    return normal / np.where(sigma > 0, sigma, 1)


def _critical(largest: Floats, confidence: float) -> float:
    """Give the quantile of the largest of several deviates, not below that of a single one."""
    return max(float(np.quantile(largest, confidence)), float(ndtri((1 + confidence) / 2)))


def _confidence(critical: float) -> float:
    """Give the level of confidence of limits at a normal deviate."""
    return float(2 * ndtr(critical) - 1)


def _of_difference(covariance: Floats, first: _Places, second: _Places) -> Floats:
    """Give the variance of the difference of two, from the covariance of each with each."""
    return np.asarray(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])


def _student(df: Floats, critical: float) -> Floats:
    """Give Student's quantile at the same tail as a normal deviate."""
    finite = np.where(np.isfinite(df), df, 1.0)
    return np.asarray(np.where(np.isfinite(df), -stdtrit(finite, ndtr(-critical)), critical))


def people_correlation(part: Members, groups: Codes, wrong: NDArray[np.bool_], count: int) -> tuple[Floats, Floats]:
    """Correlate the error rates of groups of trials of one class through people who take part in several of them.

    The second result is the number of pairs of trials with the same claim, by group and group.
    """
    from scipy.sparse import coo_array

    def products(columns: Sequence[NDArray[np.int64]], values: Floats) -> Floats:
        """Sum values by person (or pair of people) and group, and multiply the sums of every two groups."""
        rows = [np.arange(len(groups)), *(np.flatnonzero(part.is_pair) for _ in columns[1:])]
        units = np.concatenate([column[trials] for column, trials in zip(columns, rows, strict=True)])
        every = np.concatenate(rows)
        table = coo_array((values[every], (units, groups[every])), shape=(1 + units.max(initial=0), count)).tocsr()
        return np.asarray((table.T @ table).toarray())

    rates = np.bincount(groups, wrong, count) / np.maximum(np.bincount(groups, minlength=count), 1)
    residuals = wrong - rates[groups]
    covariance = np.zeros((count, count))
    for columns in part.by_role.values():
        covariance += products(columns, residuals)
    if len(part.people) > 1:
        covariance -= products([part.pair_of], residuals)  # sums by person count these twice
    # not below that of independent trials
    variance = np.maximum(np.diag(covariance), np.bincount(groups, residuals**2, count))
    return _correlation(covariance, np.sqrt(variance)), products(part.people[:1], np.ones(len(groups)))


def _correlation(covariance: Floats, deviation: Floats) -> Floats:
    """Divide covariances by standard deviations; 0 for what does not vary."""
    scale = np.outer(deviation, deviation)
    correlation = np.clip(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0), -1, 1)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _estimate(part: Judgement, measure: str, threshold: Threshold) -> Estimate:
    """Estimate a figure of a group."""
    figure, counts = estimate([(1.0, part)], MEASURES[measure], threshold=threshold), part.at(0)
    assert figure.rates is not None
    trials = {"far": (counts.impostor,), "frr": (counts.genuine,), "hter": (counts.genuine, counts.impostor)}[measure]
    return replace(figure, rates=TailRates(figure.rates.parts, figure.rates.correlation, trials))


def rate_family(
    judgement: Judgement, parts: Mapping[Any, Judgement], codes: Codes, rate: Rate, threshold: Threshold
) -> RateFamily:
    """Estimate one rate of every group, whose judged trials are `parts`, at the threshold of all.

    `codes` are the group of each judged trial, by its place among the parts.
    """
    which = int(rate == "far")
    people = judgement.sets.people[1]
    correlation, pairs = np.eye(len(parts)), np.zeros((len(parts), len(parts)))
    if people is not None and people.cluster != "none":
        rows = people.classes[which].rows
        correlation, pairs = people_correlation(people.classes[which], codes[rows], judgement.wrong()[rows], len(parts))
    counts = [part.at(0) for part in parts.values()]
    return RateFamily(
        measure=rate,
        names=tuple(parts),
        estimates=tuple(_estimate(part, rate, threshold) for part in parts.values()),
        correlation=correlation,
        seed=judgement.sets.seed,
        errors=np.array([each.false_accepts if which else each.false_rejects for each in counts], dtype=np.int64),
        trials=np.array([each.impostor if which else each.genuine for each in counts], dtype=np.int64),
        people=np.array([components([part], 0, "test").sets[0][which].effective for part in parts.values()]),
        crossed=(pairs > 0) & ~np.eye(len(parts), dtype=bool),
    )


@dataclass(frozen=True, eq=False)
class JudgedGroups:
    """The groups of judged trials, at one threshold for all."""

    judgement: Judgement
    membership: Membership
    threshold: Threshold

    @cached_property
    def trials(self) -> dict[Rate, NDArray[np.int64]]:
        """The number of trials of each group for each rate."""
        genuine, codes, count = self.judgement.trials.genuine, self.membership.trial, len(self.membership.names)
        return {
            "far": np.bincount(codes[~genuine], minlength=count),
            "frr": np.bincount(codes[genuine], minlength=count),
        }

    def _names(self, which: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(name for name, kept in zip(self.membership.names, which, strict=True) if kept)

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The groups that have trials at all."""
        return self._names((self.trials["far"] > 0) | (self.trials["frr"] > 0))

    def names(self, rate: Rate) -> tuple[str, ...]:
        """Give the groups that have trials for a rate."""
        return self._names(self.trials[rate] > 0)

    @property
    def without_genuine(self) -> tuple[str, ...]:
        """The groups that have impostor trials only, such as kinds of attack."""
        return self._names((self.trials["far"] > 0) & (self.trials["frr"] == 0))

    @cached_property
    def _claims(self) -> tuple[Codes, Codes]:
        """Who is claimed in each group, or behind its probes: people and groups, each pair once."""
        ids = self.judgement.trials.ids
        role = next((role for role in ("claim", "subject") if role in ids), None)
        if role is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        count = len(self.membership.names)
        pairs = np.unique(ids[role].numbered().codes.astype(np.int64) * count + self.membership.trial)
        return pairs // count, pairs % count

    @cached_property
    def people(self) -> dict[str, int]:
        """The number of people claimed in each group, or behind its probes; empty if nobody is known."""
        people, groups = self._claims
        numbers = np.bincount(groups, minlength=len(self.membership.names)).tolist()
        return dict(zip(self.membership.names, numbers, strict=True)) if len(people) else {}

    @cached_property
    def crossed(self) -> set[str]:
        """The groups that share claims with others, as if everybody is tested with every device."""
        people, groups = self._claims
        return {self.membership.names[group] for group in np.unique(groups[np.bincount(people)[people] > 1])}

    @property
    def notes(self) -> Iterator[Note]:
        """Notes on who is in the groups, also if few claims are in two groups and all others in one."""
        yield from self.membership.notes
        people, groups = self._claims
        times, ids = np.bincount(people), self.judgement.trials.ids
        twice, claims = np.flatnonzero(times > 1), np.count_nonzero(times)
        if "claim" in ids and 0 < len(twice) <= _FEW_TWICE * claims:
            template = (
                "{claims:plural claim} of {people:count} in more than one group, such as {name} in {groups}: is that "
                "intended?"
            )
            name = cut(ids["claim"].numbered().names[twice[0]])
            both = listed((self.membership.names[group] for group in groups[people == twice[0]]), 3)
            yield Note("in-two-groups", template, claims=len(twice), people=int(claims), name=name, groups=both)

    def curves(self, judgement: Judgement, chosen: Sequence[str] | None = None) -> dict[str, Judgement]:
        """Judge each group that has impostor trials, or those `chosen`, by one or several thresholds of all."""
        for name in chosen or ():
            if name not in self.present:
                raise ParameterError(f"there is no group {name!r}; there are {listed(self.present)}")
            if name not in self.names("far"):
                raise ParameterError(f"the group {name!r} has no impostor trials, and a curve needs some")
        return {name: _group_of(judgement, self, name) for name in self.names("far") if not chosen or name in chosen}

    @cached_property
    def families(self) -> dict[Rate, RateFamily]:
        """Each rate of the groups that have trials for it."""
        families: dict[Rate, RateFamily] = {}
        for rate in RATES:
            places = np.cumsum(self.trials[rate] > 0) - 1
            parts = {name: _group_of(self.judgement, self, name) for name in self.names(rate)}
            families[rate] = rate_family(self.judgement, parts, places[self.membership.trial], rate, self.threshold)
        return families

    @cached_property
    def half_totals(self) -> Family | None:
        """The HTER of the groups that have trials of both classes; None if none has."""
        names = self._names((self.trials["far"] > 0) & (self.trials["frr"] > 0))
        if not names:
            return None
        estimates = tuple(_estimate(_group_of(self.judgement, self, name), "hter", self.threshold) for name in names)
        covariance = np.zeros((len(names), len(names)))
        for rate in RATES:
            places = [self.families[rate].names.index(name) for name in names]
            deviation = np.sqrt(self.families[rate].variance[places]) / 2
            covariance += self.families[rate].correlation[np.ix_(places, places)] * np.outer(deviation, deviation)
        deviation = np.sqrt([each.variance.value for each in estimates])
        correlation = _correlation(covariance, deviation)
        return Family(
            measure="hter", names=names, estimates=estimates, correlation=correlation, seed=self.judgement.sets.seed
        )

    @property
    def too_many_meet(self) -> bool:
        """Whether there are more pairs of groups than anybody would look at."""
        return self.membership.impostor is not None and len(self.membership.names) > MOST_THAT_MEET

    def meetings(self) -> RateFamily | None:
        """Give the FAR of impostors of each group against claims of each group; None if unknown, or too many."""
        if self.membership.impostor is None or self.too_many_meet:
            return None
        names, genuine, claims = self.membership.names, self.judgement.trials.genuine, self.membership.trial
        cells, places = np.unique(
            np.where(genuine, -1, claims * len(names) + self.membership.impostor), return_inverse=True
        )
        clients = [np.flatnonzero(genuine & (claims == group)) for group in range(len(names))]
        _, *impostors = np.split(np.argsort(places, kind="stable"), np.cumsum(np.bincount(places))[:-1])
        parts = {}
        for cell, impostor in zip(cells[1:].tolist(), impostors, strict=True):
            claim = cell // len(names)
            client = clients[claim] if len(clients[claim]) else np.flatnonzero(genuine)
            trials = np.concatenate([client, impostor])
            parts[names[claim], names[cell % len(names)]] = self.judgement.within(trials, alone=True)
        return rate_family(self.judgement, parts, places - 1, "far", self.threshold)


@once
def _group_of(judgement: Judgement, groups: JudgedGroups, name: str) -> Judgement:
    """Judge one group by the thresholds of all; trials of a class that it lacks are those of all groups.

    If groups share claims, two trials of a claim are less correlated in all dev trials than in one group.
    """
    rows = groups.membership.trial == groups.membership.names.index(name)
    for of_class in (judgement.trials.genuine, ~judgement.trials.genuine):
        if not np.any(rows & of_class):
            rows = rows | of_class
    return judgement.within(np.flatnonzero(rows), alone=name in groups.crossed)
