"""Compute limits of judged figures, AUC and d'."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import check_confidence
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    Estimate,
    Rates,
    Threshold,
    estimate,
    estimate_of_values,
    estimates_along,
    local_weights,
    wilson_limits,
)
from fairtrial.inference.intervals import RateInterval, rate_interval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets
from fairtrial.inference.student import student_quantile
from fairtrial.inference.variance import Floats, Variance
from fairtrial.rules.measures import Measure, MeasureLike, as_measure


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
        limits of a proportion stay between 0 and 1.
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
        If the measure is unknown or the confidence out of range.

    Notes
    -----
    Covariances by what two trials share give the variance of each rate; Wilson's limits for the effective number of
    trials, with Student's quantile, are put together by MOVER. The threshold adds the figure at the thresholds that dev
    does not reject (Woodruff). See docs/methods.md.

    References
    ----------
    Owen, The pigeonhole bootstrap, 2007; Woodruff, Confidence intervals for medians and other position measures, 1952;
    Zou & Donner, Construction of confidence limits about effect measures, 2008.

    Examples
    --------
    >>> from fairtrial.inference import TrialSets, judge
    >>> sets = TrialSets(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> interval = judged_interval(judge(sets), measure="far", threshold="fixed")
    >>> interval.estimate, interval.method, interval.threshold
    (0.5, 'wilson', 'fixed')
    """
    known = as_measure(measure)
    made = estimate([(1.0, judgement)], known, index=index, threshold=threshold)
    return estimated_interval(made, known, confidence=check_confidence(confidence), sharing=judgement.sharing)


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
    made = estimates_along([(1.0, judgement)], known, threshold=threshold)
    return [estimated_interval(each, known, confidence=confidence, sharing=judgement.sharing) for each in made]


def estimated_interval(made: Estimate, measure: Measure, *, confidence: float, sharing: Cluster) -> RateInterval:
    """Give the interval of an estimate of a measure."""
    low, high = made.interval(confidence)
    return RateInterval(
        made.value,
        low,
        high,
        made.sigma,
        confidence,
        "wilson",
        measure.name,
        made.threshold,
        is_share=measure.is_share,
        label=measure.label,
        sharing=sharing,
    )


def counted_interval(
    counts: ErrorCounts, *, measure: MeasureLike = "hter", alpha: float = 0.5, confidence: float = 0.95
) -> RateInterval:
    """Compute Wilson's interval of a measure from counts alone, all trials independent, the threshold fixed."""
    known = as_measure(measure)
    weights = local_weights(known, counts, alpha)
    parts = []
    for rate, weight, trials in ((counts.frr, weights.frr, counts.genuine), (counts.far, weights.far, counts.impostor)):
        parts.append((float(rate), float(weight), float(trials)))
    frr, far = (weight**2 * rate * (1 - rate) / max(trials - 1, 1) for rate, weight, trials in parts)
    rates = Rates(tuple(part for part in parts if part[1]), 0.0)
    ends = (0.0, 1.0) if known.is_share else (-inf, inf)
    made = Estimate(float(known(counts, alpha)), Variance(frr + far, frr, far, 0.0, inf), rates=rates, ends=ends)
    return estimated_interval(made, known, confidence=confidence, sharing="none")


def judged_intervals(
    judgement: Judgement, *, measure: MeasureLike = "hter", index: int = 0, confidence: float = 0.95
) -> tuple[RateInterval, ...]:
    """Compute the leading interval, that with the threshold fixed, and that for independent trials."""
    known = as_measure(measure)
    thresholds: Sequence[Threshold] = ("re-estimated", "fixed") if judgement.can_move else ("fixed",)
    intervals = [
        judged_interval(judgement, measure=known, index=index, confidence=confidence, threshold=threshold)
        for threshold in thresholds
    ]
    if known.weights is not None:
        counts, alpha = judgement.at(index), float(judgement.alpha[index])
        intervals.append(rate_interval(counts, measure=known, alpha=alpha, confidence=confidence))
    return tuple(intervals)


_D_PRIME = "d'"
_NO_ERROR = "every genuine score is above every impostor score; the interval is that of one person in error"


def auc_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    """Compute the area under the ROC, P(genuine > impostor) + P(equal) / 2, on the judged trials, and its interval.

    Each trial contributes the proportion of the other class that it is ordered wrongly with; the variance of their two
    means is that of DeLong et al., and contributions are summed by person if trials share people.

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed if there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Wilson's limits for as many independent trials as would have the variance.

    Raises
    ------
    TrialsError
        If the judged trials are not Trials, or there are several systems and none is named.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, Comparing the areas under correlated ROC curves, Biometrics 44, 1988; Obuchowski,
    Nonparametric analysis of clustered ROC curve data, Biometrics 53, 1997.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> area = auc_interval(TrialSets(None, trials))
    >>> round(area.estimate, 4), round(area.low, 2), round(area.high, 2)
    (0.9, 0.52, 0.99)
    """
    trials = sets.trials()
    wrong = _placements(trials.column(system), trials.genuine)
    error = float(wrong[trials.genuine].mean())
    made = estimate_of_values(sets, error, wrong)
    spread = made.variance.value
    effective = error * (1 - error) / spread if spread > 0 else made.people
    low, high = wilson_limits(error, effective, student_quantile(made.df, check_confidence(confidence)))
    note = "" if 0 < error < 1 else _NO_ERROR if error == 0 else "every genuine score is below every impostor score"
    return RateInterval(
        1 - error,
        max(1 - high, 0.0),
        min(1 - low, 1.0),
        made.sigma,
        confidence,
        "delong",
        "auc",
        note=note,
        label="AUC",
        sharing=sets.sharing,
    )


def _placements(scores: NDArray[np.floating], genuine: NDArray[np.bool_]) -> Floats:
    """Give the proportion of the other class that each trial is ordered wrongly with; equal scores count half."""
    wrong = np.empty(len(scores))
    for rows, sign in ((genuine, 1), (~genuine, -1)):
        others = np.sort(sign * scores[~rows])
        placed = sign * scores[rows]
        above = len(others) - (np.searchsorted(others, placed, "left") + np.searchsorted(others, placed, "right")) / 2
        wrong[rows] = above / len(others)
    return wrong


def d_prime_interval(sets: TrialSets, *, system: str | None = None, confidence: float = 0.95) -> RateInterval:
    r"""Compute d', the distance of the class means in standard deviations, on the judged trials, and its interval.

    .. math:: d' = (\mu_G - \mu_I) / \sqrt{(\sigma_G^2 + \sigma_I^2) / 2}

    Parameters
    ----------
    sets : TrialSets
        Dev and test trials, and who shares them. No threshold is needed, so dev does not matter.
    system : str, optional
        The name of the system; not needed if there is only one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        With Student's limits and the variance of the tangent; NaN, and a note that says why, if a score is infinite or
        no class has any spread.

    Raises
    ------
    TrialsError
        If the judged trials are not Trials, or there are several systems and none is named.

    References
    ----------
    Daugman, The importance of being random, Pattern Recognition 36, 2003: decidability.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> trials = Trials.from_arrays([2.0, 4.0, 0.0, 2.0], [True, True, False, False])
    >>> d_prime_interval(TrialSets(None, trials)).estimate
    2.0
    """
    trials = sets.trials()
    scores = trials.column(system).astype(np.float64, copy=False)
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
    distance = (means[0] - means[1]) / width
    tangent = np.empty(len(scores))
    for rows, sign, mean in ((trials.genuine, 1, means[0]), (~trials.genuine, -1, means[1])):
        away = scores[rows] - mean
        tangent[rows] = sign * away / width - distance * away**2 / (4 * width**2)
    made = estimate_of_values(sets, distance, tangent)
    low, high = made.interval(confidence)
    return RateInterval(
        distance,
        low,
        high,
        made.sigma,
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
