"""Compute limits of judged figures, AUC and d'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import hypot, inf, nan, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError, check_confidence
from fairtrial.core.trials import Trials
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    Claim,
    Threshold,
    claim,
    claim_of_values,
    claims_along,
    counted_spread,
    local_weights,
    student_quantile,
)
from fairtrial.inference.intervals import RateInterval, normal_quantile, rate_interval
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.person_counts import ClassName
from fairtrial.inference.split import TrialSets, system_name
from fairtrial.inference.variance import ClassSpread, Floats, welch
from fairtrial.rules.measures import Measure, MeasureLike, Weights, as_measure

_Number = TypeVar("_Number", float, Floats)

_MORE_ERRORS = 0.5
_FARTHEST = 2.0
_MORE_DEGREES = 5
"""Chosen so that single rates cover well from 20 people and 10 impostors up; `make study` shows how well."""


def careful_variance(own: ClassSpread) -> float:
    """The variance of a rate with half an error more, made by somebody with a typical number of trials."""
    return own.variance + _MORE_ERRORS * sqrt(own.trials / own.people) / own.trials**2


def careful_degrees(own: ClassSpread) -> float:
    """Degrees of freedom that are few where there are few people, or where few people make the errors."""
    return max(min(own.people - 1, own.concentration + _MORE_DEGREES), 1.0)


def worth(rate: float, own: ClassSpread) -> float:
    """How many independent trials would have the same careful variance."""
    nearest = min(max(min(rate, 1 - rate), 1 / own.trials) + _MORE_ERRORS / own.trials, 0.5)
    return nearest * (1 - nearest) / careful_variance(own)


def wilson_limits(rate: _Number, trials: _Number, quantile: _Number) -> tuple[_Number, _Number]:
    """Wilson's limits of a rate or of an array of them, for a number of trials that need not be whole."""
    share = quantile**2 / trials
    middle = (rate + share / 2) / (1 + share)
    reach = quantile * (rate * (1 - rate) / trials + share / (4 * trials)) ** 0.5 / (1 + share)
    return middle - reach, middle + reach


def reach_by_log_odds(share: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """How far limits are below and above a share, if they are so far away on the scale of the log-odds.

    Near 0 and 1 that scale knows no limit on the other side, so none is more than twice as far away as asked for.
    """
    from scipy.special import expit, logit

    inner = (share > 0) & (share < 1)
    known = np.where(inner, share, 0.5)
    scaled = reach / (known * (1 - known))
    sides = known - expit(logit(known) - scaled), expit(logit(known) + scaled) - known
    below, above = (np.where(inner, np.minimum(side, _FARTHEST * reach), reach) for side in sides)
    return below, above


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
    >>> from fairtrial.inference import TrialSets, judge
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
        sharing=judgement.sharing,
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


def counted_interval(
    counts: ErrorCounts, *, measure: MeasureLike = "hter", alpha: float = 0.5, confidence: float = 0.95
) -> RateInterval:
    """Compute Wilson's interval of a measure from counts alone, all trials independent, the threshold fixed."""
    known = as_measure(measure)
    spread = counted_spread(counts, local_weights(known, counts, alpha))
    estimate = Claim(float(known(counts, alpha)), spread, 0.0, spread.degrees, "fixed")
    return claimed_interval(estimate, counts, known, alpha=alpha, confidence=confidence, sharing="none")


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


_D_PRIME = "d'"
_NO_ERROR = "every genuine score is above every impostor score; the interval is that of one person in error"


def auc_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    """Compute the area under the ROC, P(genuine > impostor) + P(equal) / 2, on the judged trials, and its interval.

    Each trial contributes the share of the other class that it is ordered wrongly with; the variance of their two
    means is that of DeLong et al., and contributions are summed by person where trials share people.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed where there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Wilson's limits for as many independent trials as would have the variance.

    Raises
    ------
    TrialsError
        Judged trials that are not Trials, or several systems and none named.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under correlated ROC curves, Biometrics 44, 1988; Obuchowski,
    Nonparametric analysis of clustered ROC curve data, Biometrics 53, 1997.

    Examples
    --------
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> found = auc_interval(TrialSets(None, trials))
    >>> round(found.estimate, 4), round(found.low, 2), round(found.high, 2)
    (0.9, 0.41, 0.99)
    """
    trials, name = _judged(sets, system)
    wrong = _placements(trials.column(name), trials.genuine)
    error = float(wrong[trials.genuine].mean())
    claim = claim_of_values(sets, error, wrong)
    spread, quantile = claim.spread, claim.quantile(check_confidence(confidence))
    worth = error * (1 - error) / spread.variance if spread.variance > 0 else spread.people
    low, high = wilson_limits(error, worth, quantile)
    note = "" if 0 < error < 1 else _NO_ERROR if error == 0 else "every genuine score is below every impostor score"
    return RateInterval(
        1 - error,
        max(1 - high, 0.0),
        min(1 - low, 1.0),
        spread.sigma,
        confidence,
        "delong",
        "auc",
        note=note,
        label="AUC",
        sharing=sets.sharing,
    )


def _placements(scores: NDArray[np.floating], genuine: NDArray[np.bool_]) -> Floats:
    """Of each trial, the share of the other class that it is ordered wrongly with; equal scores count half."""
    found = np.empty(len(scores))
    for rows, sign in ((genuine, 1), (~genuine, -1)):
        others = np.sort(sign * scores[~rows])
        own = sign * scores[rows]
        above = len(others) - (np.searchsorted(others, own, "left") + np.searchsorted(others, own, "right")) / 2
        found[rows] = above / len(others)
    return found


def d_prime_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    r"""Compute d', the distance of the class means in standard deviations, on the judged trials, and its interval.

    .. math:: d' = (\mu_G - \mu_I) / \sqrt{(\sigma_G^2 + \sigma_I^2) / 2}

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed where there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Student's limits and the variance of the tangent; NaN, and a note that says why, where there is no d':
        where a score is infinite, or where no class has any spread.

    Raises
    ------
    TrialsError
        Judged trials that are not Trials, or several systems and none named.

    References
    ----------
    Daugman, The importance of being random, Pattern Recognition 36, 2003: decidability.

    Examples
    --------
    >>> trials = Trials.from_arrays([2.0, 4.0, 0.0, 2.0], [True, True, False, False])
    >>> d_prime_interval(TrialSets(None, trials)).estimate
    2.0
    """
    trials, name = _judged(sets, system)
    scores = trials.column(name).astype(np.float64, copy=False)
    check_confidence(confidence)
    if not np.isfinite(scores).all():
        return _no_d_prime("a score is infinite, so that there is no mean", confidence, sets)
    halves = scores / 2 - float(np.median(scores)) / 2  # neither far from 0 nor too large to be squared
    scores = halves / (float(np.max(np.abs(halves))) or 1.0)
    means, variances = zip(
        *((float(scores[rows].mean()), float(scores[rows].var())) for rows in (trials.genuine, ~trials.genuine)),
        strict=True,
    )
    width = sqrt(sum(variances) / 2)
    if width == 0:
        return _no_d_prime("all scores of a class are the same, so that there is no spread", confidence, sets)
    estimate = (means[0] - means[1]) / width
    tangent = np.empty(len(scores))
    for rows, sign, mean in ((trials.genuine, 1, means[0]), (~trials.genuine, -1, means[1])):
        away = scores[rows] - mean
        tangent[rows] = sign * away / width - estimate * away**2 / (4 * width**2)
    claim = claim_of_values(sets, estimate, tangent)
    reach = claim.quantile(confidence) * claim.sigma
    return RateInterval(
        estimate,
        estimate - reach,
        estimate + reach,
        claim.sigma,
        confidence,
        "student",
        "d-prime",
        is_share=False,
        label=_D_PRIME,
        sharing=sets.sharing,
    )


def _no_d_prime(why: str, confidence: float, sets: TrialSets) -> RateInterval:
    unknown = (nan, nan, nan, nan, confidence, "student", "d-prime")
    return RateInterval(*unknown, note=why, is_share=False, label=_D_PRIME, sharing=sets.sharing)


def _judged(sets: TrialSets, system: str | None) -> tuple[Trials, str]:
    if not isinstance(sets.test, Trials):
        raise TrialsError("AUC and d' with intervals need test as Trials; build them with Trials.from_arrays")
    return sets.test, system_name(sets.test, system)
