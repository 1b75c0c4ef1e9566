"""Variance when trials share people: contributions of trials summed by person.

An error rate at a fixed threshold is a sum of contributions, one a trial. Trials of the same person go
together, so their contributions are summed before they are squared. With both roles counting, two trials
are dependent when any person takes part in both: the sum over persons, less the pairs of persons that were
counted twice (Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011; Aronow, Samii & Assenova 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import Cluster, known_cluster, people_of
from fairtrial.intervals.rates import HTER, ErrorWeights, RateInterval
from fairtrial.trials import Trials


def wrong_decisions(trials: Trials, system: str | None, threshold: float) -> NDArray[np.bool_]:
    """Which trials a system decides wrongly at a threshold."""
    accepted: NDArray[np.bool_] = trials.column(system).astype(np.float64, copy=False) > threshold
    return np.not_equal(accepted, trials.genuine)


def contributions(genuine: NDArray[np.bool_], wrong: NDArray[Any], weights: ErrorWeights) -> NDArray[np.float64]:
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

    def quantile(self, confidence: float) -> float:
        """How many standard deviations the confidence asks for, by Student's t."""
        from scipy.special import stdtrit

        if not 0 < confidence < 1:
            raise ParameterError(f"confidence must be between 0 and 1, not {confidence}")
        return float(stdtrit(self.degrees, (1 + confidence) / 2))


def cluster_variance(
    trials: Trials, deviations: NDArray[np.float64], *, cluster: Cluster | None = None
) -> ClusterVariance:
    """Compute the variance of a sum of contributions when trials share people.

    Raises
    ------
    TrialsError
        Ids that are not there, or one person only.

    Notes
    -----
    The variance of each class has one degree of freedom fewer than there are people; those of the sum are
    Welch's and Satterthwaite's. A variance of d degrees is taken times (d + 1) / d, as n / (n - 1) is for n people.
    """
    chosen = known_cluster(trials, cluster)
    codes = [np.arange(len(trials))] if chosen == "none" else list(people_of(trials, chosen))
    names: list[str] = ["claim", "subject"] if chosen == "both" else [chosen]
    genuine, impostor = (
        _class_variance(deviations[rows], [column[rows] for column in codes], names, word)
        for rows, word in ((trials.genuine, "genuine"), (~trials.genuine, "impostor"))
    )
    degrees = _degrees([genuine, impostor])
    return ClusterVariance(_summed(codes, deviations) * (degrees + 1) / degrees, degrees, chosen, genuine, impostor)


def _class_variance(
    deviations: NDArray[np.float64], codes: list[NDArray[Any]], names: list[str], word: str
) -> ClassVariance:
    people = [int(np.count_nonzero(np.bincount(column))) for column in codes]
    for name, count in zip(names, people, strict=True):
        if count < 2 and name != "none":
            raise TrialsError(f"all {word} trials have the same {name}: spread between people needs at least two")
    fewest = max(min(people), 2)
    return ClassVariance(_summed(codes, deviations) * fewest / (fewest - 1), min(people))


def _degrees(parts: list[ClassVariance]) -> float:
    """Welch's degrees of freedom of a sum of variances."""
    degrees = [max(part.people - 1, 1) for part in parts]
    total = sum(part.variance for part in parts)
    if total <= 0:
        return min(degrees)
    return total**2 / sum(part.variance**2 / own for part, own in zip(parts, degrees, strict=True))


def _summed(codes: list[NDArray[Any]], deviations: NDArray[np.float64]) -> float:
    """Products of contributions, summed over all pairs of trials that share somebody."""
    if len(codes) == 1:
        return _sum_of_squares(codes[0], deviations)
    claim, subject = codes
    apart = np.flatnonzero(claim != subject)
    size = int(max(claim.max(), subject.max())) + 1
    by_person = np.bincount(claim, deviations, size) + np.bincount(subject[apart], deviations[apart], size)
    low, high = np.minimum(claim[apart], subject[apart]), np.maximum(claim[apart], subject[apart])
    counted_twice = _sum_of_squares(np.unique(low * size + high, return_inverse=True)[1], deviations[apart])
    variance = float(np.sum(by_person**2)) - counted_twice
    if variance <= 0:  # a difference of sums may come out so with few people
        variance = max(_sum_of_squares(claim, deviations), _sum_of_squares(subject, deviations))
    return variance


def _sum_of_squares(codes: NDArray[Any], deviations: NDArray[np.float64]) -> float:
    return float(np.sum(np.bincount(codes, deviations) ** 2))


def cluster_interval(
    trials: Trials,
    threshold: float,
    *,
    system: str | None = None,
    weights: ErrorWeights = HTER,
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
    return interval_of_decisions(trials, wrong, weights=weights, cluster=cluster, confidence=confidence)


def interval_of_decisions(
    trials: Trials,
    wrong: NDArray[np.bool_],
    *,
    weights: ErrorWeights = HTER,
    cluster: Cluster | None = None,
    confidence: float = 0.95,
) -> RateInterval:
    """The same for decisions that are known already, such as those of a cross-validation.

    Notes
    -----
    Each rate gets Wilson's limits for as many independent trials as would have its variance; with no error,
    or nothing but errors, for as many as there are people. The distances of the limits from the rates are put
    together as their standard deviations would be, correlation included (Zou & Donner 2008). So the interval
    is wider above than below where errors are few, and never of width zero.
    """
    total = cluster_variance(trials, contributions(trials.genuine, wrong, weights), cluster=cluster)
    quantile = total.quantile(confidence)
    below, above = [], []
    estimate = 0.0
    for rows, weight, own in (
        (~trials.genuine, weights.far, total.impostor),
        (trials.genuine, weights.frr, total.genuine),
    ):
        rate = float(wrong[rows].mean())
        # rates of 0 and 1 have no variance of their own to tell how much the trials are worth
        worth = weight**2 * rate * (1 - rate) / own.variance if own.variance > 0 else float(own.people)
        low, high = _wilson(rate, worth, quantile)
        below.append(weight * (rate - low))
        above.append(weight * (high - rate))
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
        weights.name,
    )


def _wilson(rate: float, trials: float, quantile: float) -> tuple[float, float]:
    """Wilson's limits of a rate, for a number of trials that need not be whole."""
    share = quantile**2 / trials
    middle = (rate + share / 2) / (1 + share)
    reach = quantile * sqrt(rate * (1 - rate) / trials + share / (4 * trials)) / (1 + share)
    return middle - reach, middle + reach
