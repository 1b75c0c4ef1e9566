"""Intervals of judged figures: with the threshold re-estimated or fixed, for trials that share people or do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import hypot, inf, sqrt

import numpy as np

from fairtrial.checks import check_confidence
from fairtrial.claims import Claim, Threshold, claim, claims_along, local_weights, student_quantile
from fairtrial.counted_people import ClassName
from fairtrial.counting.errors import ErrorCounts
from fairtrial.intervals.clustered import careful_degrees, careful_variance, reach_by_log_odds, wilson_limits, worth
from fairtrial.intervals.rates import RateInterval, normal_quantile, rate_interval
from fairtrial.judging import Judgement
from fairtrial.people import Cluster, People
from fairtrial.rules.measures import Measure, MeasureLike, Weights, as_measure
from fairtrial.spread import ClassSpread, welch


def judged_interval(
    judgement: Judgement,
    *,
    measure: MeasureLike = "hter",
    index: int = 0,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> RateInterval:
    """Compute the interval of a measure of a judgement.

    Parameters
    ----------
    judgement : Judgement
        A system on the judged trials.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`. The
        limits of one that is a share stay between 0 and 1.
    index : int, default 0
        Which of the alphas, by its place.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the threshold counts as re-estimated from other dev trials, or as fixed: how good the system is, or how
        good this threshold is. Thresholds that were given are always fixed.

    Returns
    -------
    RateInterval
        Estimate, limits, standard deviation, and which of the two it is.

    Raises
    ------
    ParameterError
        A measure or confidence that cannot be.

    Notes
    -----
    Of a weighted sum of FAR and FRR, each rate gets Wilson's limits for as many independent trials as would have its
    variance. Where trials share people, half an error is added to tell that number from, with the variance of a trial
    times the square root of trials per person, and the quantile is Student's, with few degrees of freedom where few
    people make the errors. Without any error both are as if there were one. So an interval is never of width zero, and
    the first error does not make it narrower. The distances of the limits from the rates are put together as their
    standard deviations would be (Zou & Donner 2008). Any other measure has Student's interval of its tangent, on the
    logit scale if it is a share.

    References
    ----------
    Cameron, Gelbach & Miller, Robust inference with multiway clustering, 2011; Zou & Donner, Construction of confidence
    limits about effect measures, 2008.

    Examples
    --------
    >>> from fairtrial import TrialSets, judge
    >>> sets = TrialSets(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> found = judged_interval(judge(sets), measure="far", threshold="fixed")
    >>> found.estimate, found.method, found.threshold
    (0.5, 'wilson', 'fixed')
    """
    known = as_measure(measure)
    found = claim([(1.0, judgement)], known, index=index, threshold=threshold)
    return _interval(found, judgement, known, index, check_confidence(confidence))


def intervals_along(
    judgement: Judgement,
    *,
    measure: MeasureLike = "hter",
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> list[RateInterval]:
    """Compute the interval of a measure at every alpha of a judgement; see `judged_interval`."""
    known = as_measure(measure)
    check_confidence(confidence)
    found = claims_along([(1.0, judgement)], known, threshold=threshold)
    return [_interval(each, judgement, known, index, confidence) for index, each in enumerate(found)]


def _interval(found: Claim, judgement: Judgement, measure: Measure, index: int, confidence: float) -> RateInterval:
    people, counted = judgement.sets.people[1], judgement.counted_people
    one_error: Callable[[ClassName], ClassSpread] | None = None
    if people is not None:
        one_error = partial(one_error_of, people)
    elif counted is not None:
        one_error = counted.one_error
    return claimed_interval(
        found,
        judgement.at(index),
        measure,
        alpha=float(judgement.alpha[index]),
        confidence=confidence,
        sharing=judgement.sets.sharing,
        one_error=one_error,
    )


def one_error_of(people: People, word: ClassName) -> ClassSpread:
    """What one error of a class would add to its rate, made by people who have the fewest trials."""
    return (people.genuine if word == "genuine" else people.impostor).one_error(people.size)


def claimed_interval(
    found: Claim,
    counts: ErrorCounts,
    measure: Measure,
    *,
    alpha: float,
    confidence: float,
    sharing: Cluster,
    one_error: Callable[[ClassName], ClassSpread] | None = None,
) -> RateInterval:
    """The interval of a claim, from its variance and the counts behind it; see `judged_interval`.

    `one_error` says what one error of a class would add where it has none; None where trials are independent.
    """
    weights = measure.weights_at(alpha)
    if weights is None:
        low, high = _limits_of_tangent(found, measure, counts, alpha, confidence, one_error)
    else:
        low, high = limits_of_sum(found, weights, counts, confidence, one_error=one_error)
    if measure.is_share:
        low, high = max(low, 0.0), min(high, 1.0)
    return RateInterval(
        found.estimate,
        low,
        high,
        found.sigma,
        confidence,
        "student" if weights is None else "wilson",
        measure.name,
        found.threshold,
        is_share=measure.is_share,
        label=measure.label,
        sharing=sharing,
    )


def judged_intervals(
    judgement: Judgement, *, measure: MeasureLike = "hter", index: int = 0, confidence: float = 0.95
) -> tuple[RateInterval, ...]:
    """The interval to go by first, then with the threshold fixed, then as if all trials were independent."""
    known = as_measure(measure)
    thresholds: Sequence[Threshold] = ("re-estimated", "fixed") if judgement.movement is not None else ("fixed",)
    found = [
        judged_interval(judgement, measure=known, index=index, confidence=confidence, threshold=threshold)
        for threshold in thresholds
    ]
    if known.weights is not None:
        counts, alpha = judgement.at(index), float(judgement.alpha[index])
        found.append(rate_interval(counts, measure=known, alpha=alpha, confidence=confidence))
    return tuple(found)


def limits_of_sum(
    found: Claim,
    weights: Weights,
    counts: ErrorCounts,
    confidence: float,
    *,
    one_error: Callable[[ClassName], ClassSpread] | None,
    together: bool = False,
) -> tuple[float, float]:
    """The limits of a weighted sum of two error rates; see `judged_interval`.

    `together` takes one quantile for the two rates and what the threshold adds, with Welch's degrees of freedom of all
    three, in place of one for each.
    """
    parts = _Rate.both(found, weights, counts, one_error)
    degrees = [own.degrees for own in parts]
    moving = found.degrees
    if together and one_error is not None:
        varying = [(own.weight**2 * own.variance, own.degrees) for own in parts if own.weight]
        moving = welch([*varying, (max(found.moved, 0.0), found.degrees)])
        degrees = [moving, moving]
    below, above = [], []
    for own, freedom in zip(parts, degrees, strict=True):
        sides = own.sides(confidence, freedom)
        below.append(sides[0])
        above.append(sides[1])
    correlation = _correlation(found)
    moved = student_quantile(moving, confidence) * sqrt(max(found.moved, 0.0))
    low, high = _student_limits(found.estimate, moved, weights.bounds)
    reach = [
        sqrt(max(side[0] ** 2 + side[1] ** 2 + 2 * correlation * side[0] * side[1] + moved**2, 0.0))
        for side, moved in ((below, found.estimate - low), (above, high - found.estimate))
    ]
    least, most = weights.bounds
    return max(found.estimate - reach[0], least), min(found.estimate + reach[1], most)


def _limits_of_tangent(
    found: Claim,
    measure: Measure,
    counts: ErrorCounts,
    alpha: float,
    confidence: float,
    one_error: Callable[[ClassName], ClassSpread] | None,
) -> tuple[float, float]:
    """The limits of any other measure: Student's, of its tangent, and those of rates that show no variance."""
    ends = (0.0, 1.0) if measure.is_share else (-inf, inf)
    low, high = _student_limits(found.estimate, found.quantile(confidence) * found.sigma, ends)
    parts = _Rate.both(found, local_weights(measure, counts, alpha), counts, one_error)
    still = [own.sides(confidence, own.degrees) for own in parts if own.rate in (0.0, 1.0)]
    below, above = hypot(found.estimate - low, *(side[0] for side in still)), [side[1] for side in still]
    return found.estimate - below, found.estimate + hypot(high - found.estimate, *above)


@dataclass(frozen=True, slots=True)
class _Rate:
    """One of the two rates of a sum: Wilson's limits for as many independent trials as it is worth."""

    rate: float
    weight: float
    trials: float
    """How many independent trials have its variance."""
    variance: float
    degrees: float

    @classmethod
    def both(
        cls,
        found: Claim,
        weights: Weights,
        counts: ErrorCounts,
        one_error: Callable[[ClassName], ClassSpread] | None,
    ) -> tuple[_Rate, _Rate]:
        """FAR and FRR; `one_error` is None where all trials are independent."""
        far = cls._of(float(counts.far), weights.far, found.spread.impostor, one_error, "impostor")
        return far, cls._of(float(counts.frr), weights.frr, found.spread.genuine, one_error, "genuine")

    @classmethod
    def _of(
        cls,
        rate: float,
        weight: float,
        own: ClassSpread,
        one_error: Callable[[ClassName], ClassSpread] | None,
        word: ClassName,
    ) -> _Rate:
        if weight == 0 or one_error is None:
            return cls(rate, weight, own.trials, rate * (1 - rate) / own.trials, inf)
        # without any error nothing tells the variance; with one there would be at least this
        known = one_error(word) if own.variance == 0 else replace(own, variance=own.variance / weight**2)
        return cls(rate, weight, worth(rate, known), careful_variance(known), careful_degrees(known))

    def sides(self, confidence: float, degrees: float) -> tuple[float, float]:
        """How far the sum's limits are below and above it through this rate alone.

        Wilson's limits, with a quantile of Student's t; normal ones where degrees of freedom are infinite.
        """
        if self.weight == 0:
            return 0.0, 0.0
        quantile = normal_quantile(confidence) if degrees == inf else student_quantile(degrees, confidence)
        low, high = wilson_limits(self.rate, self.trials, quantile)
        sides = abs(self.weight) * (self.rate - low), abs(self.weight) * (high - self.rate)
        # a negative weight turns the limits of the rate round
        return sides if self.weight > 0 else sides[::-1]


def _correlation(found: Claim) -> float:
    """The correlation of what the two classes add, through people who are in both."""
    genuine, impostor = found.spread.genuine.variance, found.spread.impostor.variance
    product = sqrt(genuine * impostor)
    return float(np.clip((found.spread.variance - genuine - impostor) / (2 * product), -1, 1)) if product > 0 else 0.0


def _student_limits(estimate: float, reach: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Limits that are so far away; within the ends that there are, on the scale of the log-odds."""
    width = ends[1] - ends[0]
    if not 0 < width < inf:
        return estimate - reach, estimate + reach
    below, above = reach_by_log_odds(np.array((estimate - ends[0]) / width), np.array(reach / width))
    return estimate - width * float(below), estimate + width * float(above)
