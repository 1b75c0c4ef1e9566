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
class ClusterVariance:
    """A variance, who was taken as sharing trials, and the smallest number of people in a class and role."""

    variance: float
    cluster: Cluster
    people: int

    def quantile(self, confidence: float) -> float:
        """How many standard deviations the confidence asks for: Student's t with one fewer than the people."""
        from scipy.special import stdtrit

        if not 0 < confidence < 1:
            raise ParameterError(f"confidence must be between 0 and 1, not {confidence}")
        return float(stdtrit(self.people - 1, (1 + confidence) / 2))


def cluster_variance(
    trials: Trials, deviations: NDArray[np.float64], *, cluster: Cluster | None = None
) -> ClusterVariance:
    """Compute the variance of a sum of contributions when trials share people.

    Raises
    ------
    TrialsError
        Ids that are not there, or one person only.
    """
    chosen = known_cluster(trials, cluster)
    if chosen == "none":
        count = len(deviations)
        return ClusterVariance(float(np.sum(deviations**2)) * count / max(count - 1, 1), chosen, count)
    if chosen != "both":
        (codes,) = people_of(trials, chosen)
        people = _count(trials, codes, chosen)
        return ClusterVariance(_sum_of_squares(codes, deviations) * people / (people - 1), chosen, people)
    claim, subject = people_of(trials, chosen)
    people = min(_count(trials, claim, "claim"), _count(trials, subject, "subject"))
    apart = np.flatnonzero(claim != subject)
    size = int(max(claim.max(), subject.max())) + 1
    by_person = np.bincount(claim, deviations, size) + np.bincount(subject[apart], deviations[apart], size)
    low, high = np.minimum(claim[apart], subject[apart]), np.maximum(claim[apart], subject[apart])
    counted_twice = _sum_of_squares(np.unique(low * size + high, return_inverse=True)[1], deviations[apart])
    variance = float(np.sum(by_person**2)) - counted_twice
    if variance <= 0:  # a difference of sums may come out so with few people
        variance = max(_sum_of_squares(claim, deviations), _sum_of_squares(subject, deviations))
    return ClusterVariance(variance * people / (people - 1), chosen, people)


def _count(trials: Trials, codes: NDArray[Any], name: str) -> int:
    """How many people there are, in the class that has fewer of them."""
    counts = []
    for word, rows in (("genuine", trials.genuine), ("impostor", ~trials.genuine)):
        counts.append(int(np.count_nonzero(np.bincount(codes[rows]))))
        if counts[-1] < 2:
            raise TrialsError(f"all {word} trials have the same {name}: spread between people needs at least two")
    return min(counts)


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
    below, above, variances = [], [], []
    estimate = 0.0
    for rows, part in (
        (~trials.genuine, ErrorWeights("far", weights.far, 0.0)),
        (trials.genuine, ErrorWeights("frr", 0.0, weights.frr)),
    ):
        weight, rate = part.far + part.frr, float(wrong[rows].mean())
        own = cluster_variance(trials, contributions(trials.genuine, wrong, part), cluster=cluster)
        # rates of 0 and 1 have no variance of their own to tell how much the trials are worth
        worth = weight**2 * rate * (1 - rate) / own.variance if own.variance > 0 else float(own.people)
        low, high = _wilson(rate, worth, quantile)
        below.append(weight * (rate - low))
        above.append(weight * (high - rate))
        variances.append(own.variance)
        estimate += weight * rate
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
