"""Variance when trials share people: contributions of trials summed by person.

An error rate at a fixed threshold is a sum of contributions, one a trial. Trials of the same person go
together, so their contributions are summed before they are squared. With both roles counting, two trials
are dependent when any person takes part in both: the sum over persons, less the pairs of persons that were
counted twice (Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011; Aronow, Samii & Assenova 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_confidence
from fairtrial.errors import TrialsError
from fairtrial.intervals.rates import RateInterval
from fairtrial.people import Cluster, known_cluster, people_of
from fairtrial.rules.measures import MeasureLike, Weights, as_measure, linear_weights
from fairtrial.trials import Trials

_ROUNDING = 1e-12


def wrong_decisions(trials: Trials, system: str | None, threshold: float) -> NDArray[np.bool_]:
    """Which trials a system decides wrongly at a threshold."""
    accepted: NDArray[np.bool_] = trials.column(system).astype(np.float64, copy=False) > threshold
    return np.not_equal(accepted, trials.genuine)


def contributions(genuine: NDArray[np.bool_], wrong: NDArray[Any], weights: Weights) -> NDArray[np.float64]:
    """What each trial adds to the deviation of a weighted sum of class means; they sum to 0.

    `wrong` is 1 for an error and 0 for none, the difference of two systems' errors, or any other number a
    trial whose means over both classes are what is reported.
    """
    values = wrong.astype(np.float64)
    for rows, weight in ((genuine, weights.frr), (~genuine, weights.far)):
        count = np.count_nonzero(rows)
        if not count:
            raise TrialsError("there is no trial of one class; error rates need both")
        values[rows] = weight * (values[rows] - values[rows].mean()) / count
    return values


@dataclass(frozen=True, slots=True)
class ClassVariance:
    """What the trials of one class add to a variance, and the smaller number of people in a role there."""

    variance: float
    people: int


@dataclass(frozen=True, slots=True)
class ClusterVariance:
    """A variance and its degrees of freedom, who was taken as sharing trials, and what each class adds."""

    variance: float
    degrees: float
    cluster: Cluster
    genuine: ClassVariance
    impostor: ClassVariance

    @property
    def people(self) -> int:
        """The smallest number of people in a class and role."""
        return min(self.genuine.people, self.impostor.people)

    def as_normal(self, estimate: float) -> float:
        """The standard normal deviate that is as improbable as the estimate is by Student's t."""
        from scipy.special import ndtri, stdtr

        if self.variance <= 0:
            return 0.0 if estimate == 0 else float(np.copysign(np.inf, estimate))
        statistic = estimate / sqrt(self.variance)
        return float(np.copysign(ndtri(stdtr(self.degrees, -abs(statistic))), statistic))

    def quantile(self, confidence: float) -> float:
        """How many standard deviations the confidence asks for, by Student's t."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, (1 + check_confidence(confidence)) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class _Members:
    """Who takes part in the trials of one class: the people of each trial, and pairs of two people as numbers."""

    rows: NDArray[np.int64]
    people: tuple[NDArray[np.int64], ...]
    apart: NDArray[np.bool_]
    """Which trials are of two people."""
    pairs: NDArray[np.int64]
    """For those: which two."""
    pair_of: NDArray[np.int64]
    """The same for all trials, 0 where there is one person."""
    person_trials: NDArray[np.float64]
    """In how many trials each person takes part."""
    pair_trials: NDArray[np.float64]
    pair_squares: float
    """The sum of the squares of these."""
    fewest: int

    def sums(self, which: NDArray[np.int64] | slice, values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
        """Values of some trials summed by person; a trial of two people counts for both."""
        found = np.bincount(self.people[0][which], values, size).astype(np.float64)
        if len(self.people) > 1:
            two = self.apart[which]
            found += np.bincount(self.people[1][which][two], values[two], size)
        return found

    def counted_twice(self, values: NDArray[np.float64]) -> float:
        """What the sum over persons counts twice: trials of the same two people."""
        return _sum_of_squares(self.pairs, values[self.apart]) if len(self.pairs) else 0.0

    def one_way(self, values: NDArray[np.float64]) -> float:
        """The larger sum over one role, for a difference of sums that came out negative with few people."""
        return max(_sum_of_squares(column, values) for column in self.people)

    def centred(
        self, which: NDArray[np.int64], values: NDArray[np.float64], weight: float, size: int
    ) -> tuple[NDArray[np.float64], float]:
        """The sums by person and what they count twice, of contributions that are all alike but for a few trials."""
        mean, scale = values.sum() / len(self.rows), weight / len(self.rows)
        by_person = scale * (self.sums(which, values, size) - mean * self.person_trials)
        if not len(self.pairs):
            return by_person, 0.0
        two = self.apart[which]
        pairs, place = np.unique(self.pair_of[which[two]], return_inverse=True)
        hits = np.bincount(place, values[two], len(pairs))
        alike = mean**2 * self.pair_squares
        return by_person, scale**2 * (alike + float(np.sum(hits * (hits - 2 * mean * self.pair_trials[pairs]))))


@dataclass(frozen=True, slots=True, eq=False)
class SharedPeople:
    """Which trials share people: found once, used for any contributions of the same trials.

    Notes
    -----
    The variance of each class has one degree of freedom fewer than there are people; those of the sum are Welch's
    and Satterthwaite's. A variance of d degrees is taken times (d + 1) / d, as n / (n - 1) is for n people.
    """

    cluster: Cluster
    size: int
    is_genuine: NDArray[np.bool_]
    place: NDArray[np.int64]
    """Where each trial stands among those of its class."""
    genuine: _Members
    impostor: _Members

    @classmethod
    def of(cls, trials: Trials, cluster: Cluster | None = None) -> SharedPeople:
        """Find out who takes part in which trials.

        Raises
        ------
        TrialsError
            Ids that are not there, or one person only.
        """
        chosen = known_cluster(trials, cluster)
        codes = people_of(trials, chosen)
        size = max(int(column.max(initial=-1)) for column in codes) + 1
        names: list[str] = ["claim", "subject"] if chosen == "both" else [] if chosen == "none" else [chosen]
        genuine, impostor = (
            _members(np.flatnonzero(rows), codes, size, names, word)
            for rows, word in ((trials.genuine, "genuine"), (~trials.genuine, "impostor"))
        )
        place = np.empty(len(trials), dtype=np.int64)
        for part in (genuine, impostor):
            place[part.rows] = np.arange(len(part.rows))
        return cls(chosen, size, trials.genuine, place, genuine, impostor)

    def variance(self, deviations: NDArray[np.float64]) -> ClusterVariance:
        """The variance of a sum of contributions, one a trial."""
        parts = (self.genuine, self.impostor)
        own = [deviations[part.rows] for part in parts]
        sums = [part.sums(slice(None), values, self.size) for part, values in zip(parts, own, strict=True)]
        twice = [part.counted_twice(values) for part, values in zip(parts, own, strict=True)]
        return self._put_together(sums, twice, lambda: deviations)

    def error_variance(self, wrong: NDArray[Any], weights: Weights) -> ClusterVariance:
        """The variance of a weighted sum of the class means of errors, or of differences of errors.

        The same as that of their `contributions`, at a cost that grows with the number of errors only.
        """
        hits = np.flatnonzero(wrong)
        values = wrong[hits].astype(np.float64)
        sums, twice = [], []
        for part, weight, which in (
            (self.genuine, weights.frr, self.is_genuine[hits]),
            (self.impostor, weights.far, ~self.is_genuine[hits]),
        ):
            by_person, double = part.centred(self.place[hits[which]], values[which], weight, self.size)
            sums.append(by_person)
            twice.append(double)
        return self._put_together(sums, twice, lambda: contributions(self.is_genuine, wrong, weights))

    def _put_together(
        self,
        sums: list[NDArray[np.float64]],
        twice: list[float],
        deviations: Callable[[], NDArray[np.float64]],
    ) -> ClusterVariance:
        """From sums by person to variances; contributions are asked for only where a difference is lost to rounding."""
        parts = (self.genuine, self.impostor)
        squares = [float(np.sum(by_person**2)) for by_person in sums]
        variances = [square - double for square, double in zip(squares, twice, strict=True)]
        total = float(np.sum((sums[0] + sums[1]) ** 2)) - sum(twice)
        lost = [v <= _ROUNDING * s and s > 0 for v, s in zip(variances, squares, strict=True)]
        all_lost = total <= _ROUNDING * sum(squares) and sum(squares) > 0
        if any(lost) or all_lost:
            whole = deviations()
            values = [whole[part.rows] for part in parts]
            variances = [
                part.one_way(each) if gone else variance
                for gone, variance, part, each in zip(lost, variances, parts, values, strict=True)
            ]
            total = self._one_way(values) if all_lost else total
        classes = []
        for part, variance in zip(parts, variances, strict=True):
            fewest = max(part.fewest, 2)
            classes.append(ClassVariance(variance * fewest / (fewest - 1), part.fewest))
        degrees = _degrees(classes)
        return ClusterVariance(total * (degrees + 1) / degrees, degrees, self.cluster, *classes)

    def _one_way(self, values: list[NDArray[np.float64]]) -> float:
        parts = (self.genuine, self.impostor)
        sums = [
            sum(np.bincount(p.people[k], v, self.size) for p, v in zip(parts, values, strict=True))
            for k in range(len(self.genuine.people))
        ]
        return max(float(np.sum(role**2)) for role in sums)


def _members(
    rows: NDArray[np.int64], codes: list[NDArray[np.int64]], size: int, names: list[str], word: str
) -> _Members:
    people = tuple(column[rows] for column in codes)
    counts = [int(np.count_nonzero(np.bincount(column, minlength=size))) for column in people]
    for name, count in zip(names, counts, strict=False):
        if count < 2:
            raise TrialsError(f"all {word} trials have the same {name}: spread between people needs at least two")
    apart = people[0] != people[-1]
    first, second = people[0][apart], people[-1][apart]
    codes_of_pairs = np.minimum(first, second) * size + np.maximum(first, second)
    pairs = np.unique(codes_of_pairs, return_inverse=True)[1].astype(np.int64)
    pair_of = np.zeros(len(rows), dtype=np.int64)
    pair_of[apart] = pairs
    trials = np.bincount(people[0], minlength=size).astype(np.float64)
    if len(people) > 1:
        trials += np.bincount(second, minlength=size)
    pair_trials = np.bincount(pairs).astype(np.float64)
    pair_squares = float(np.sum(pair_trials**2))
    return _Members(rows, people, apart, pairs, pair_of, trials, pair_trials, pair_squares, min(counts))


def cluster_variance(
    trials: Trials, deviations: NDArray[np.float64], *, cluster: Cluster | None = None
) -> ClusterVariance:
    """Compute the variance of a sum of contributions when trials share people; see `SharedPeople`."""
    return SharedPeople.of(trials, cluster).variance(deviations)


def _degrees(parts: list[ClassVariance]) -> float:
    """Welch's degrees of freedom of a sum of variances."""
    degrees = [max(part.people - 1, 1) for part in parts]
    total = sum(part.variance for part in parts)
    if total <= 0:
        return min(degrees)
    return total**2 / sum(part.variance**2 / own for part, own in zip(parts, degrees, strict=True))


def _sum_of_squares(codes: NDArray[Any], deviations: NDArray[np.float64]) -> float:
    return float(np.sum(np.bincount(codes, deviations) ** 2))


def cluster_interval(
    trials: Trials,
    threshold: float,
    *,
    system: str | None = None,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    cluster: Cluster | None = None,
    confidence: float = 0.95,
) -> RateInterval:
    """Compute the interval of an error rate at a fixed threshold when trials share people.

    Parameters
    ----------
    cluster
        Whose trials go together: ``claim``, ``subject`` or ``both``; by default all ids that are known.
    """
    wrong = wrong_decisions(trials, system, threshold)
    return interval_of_decisions(trials, wrong, measure=measure, alpha=alpha, cluster=cluster, confidence=confidence)


def interval_of_decisions(
    trials: Trials,
    wrong: NDArray[np.bool_],
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    cluster: Cluster | None = None,
    confidence: float = 0.95,
    shared: SharedPeople | None = None,
) -> RateInterval:
    """The same for decisions that are known already, such as those of a cross-validation.

    Parameters
    ----------
    shared
        Which trials share people, if that was found out before.

    Notes
    -----
    Each rate gets Wilson's limits for as many independent trials as would have its variance; with no error,
    or nothing but errors, for as many as there are people. The distances of the limits from the rates are put
    together as their standard deviations would be, correlation included (Zou & Donner 2008). So the interval
    is wider above than below where errors are few, and never of width zero.
    """
    weights = linear_weights(measure, alpha)
    people = shared or SharedPeople.of(trials, cluster)
    total = people.error_variance(wrong, weights)
    quantile = total.quantile(confidence)
    below, above = [], []
    estimate = weights.constant
    for rows, weight, own in (
        (~trials.genuine, weights.far, total.impostor),
        (trials.genuine, weights.frr, total.genuine),
    ):
        rate = float(wrong[rows].mean())
        # rates of 0 and 1 have no variance of their own to tell how much the trials are worth
        worth = weight**2 * rate * (1 - rate) / own.variance if own.variance > 0 else float(own.people)
        low, high = _wilson(rate, worth, quantile)
        distances = (rate - low, high - rate) if weight >= 0 else (high - rate, rate - low)
        below.append(abs(weight) * distances[0])
        above.append(abs(weight) * distances[1])
        estimate += weight * rate
    variances = total.impostor.variance, total.genuine.variance
    product = sqrt(variances[0] * variances[1])
    correlation = float(np.clip((total.variance - sum(variances)) / (2 * product), -1, 1)) if product > 0 else 0.0
    reach = [
        sqrt(max(side[0] ** 2 + side[1] ** 2 + 2 * correlation * side[0] * side[1], 0.0)) for side in (below, above)
    ]
    return RateInterval(
        estimate,
        estimate - reach[0],
        estimate + reach[1],
        sqrt(total.variance),
        confidence,
        f"cluster-{total.cluster}",
        as_measure(measure).name,
    )


def _wilson(rate: float, trials: float, quantile: float) -> tuple[float, float]:
    """Wilson's limits of a rate, for a number of trials that need not be whole."""
    share = quantile**2 / trials
    middle = (rate + share / 2) / (1 + share)
    reach = quantile * sqrt(rate * (1 - rate) / trials + share / (4 * trials)) / (1 + share)
    return middle - reach, middle + reach
