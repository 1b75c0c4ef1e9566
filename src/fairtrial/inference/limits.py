"""Compute limits of judged figures."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from fairtrial.core.errors import check_confidence
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    Estimate,
    Rates,
    Threshold,
    estimate,
    estimates_along,
    local_weights,
)
from fairtrial.inference.intervals import RateInterval, rate_interval
from fairtrial.inference.people import Cluster
from fairtrial.inference.variance import Variance
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
