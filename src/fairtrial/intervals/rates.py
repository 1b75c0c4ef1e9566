"""Normal intervals for rates at a fixed threshold, from error counts or from published rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from scipy.special import ndtri

from fairtrial.checks import check_confidence, check_count, check_rate
from fairtrial.claims import Threshold
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError
from fairtrial.people import Cluster
from fairtrial.rules.measures import MeasureLike, Weights, as_measure, label_of, linear_weights
from fairtrial.tables import Column, Result, Table, figure_text, figures_text, interval_title, level_text, number_text

ENOUGH = 10
"""The n p (1 - p) from which a binomial may be taken for normal: footnote 2 of Bengio & Mariéthoz 2004."""


class Interval(NamedTuple):
    """The two ends of an interval.

    Attributes
    ----------
    low : float
        The lower end.
    high : float
        The upper end.

    Examples
    --------
    >>> low, high = Interval(0.01, 0.03)
    >>> low
    0.01
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class RateInterval(Result):
    """An interval for a rate, with the estimate and the standard deviation it was made of.

    Attributes
    ----------
    estimate : float
        The figure itself, a fraction where it is a share.
    low : float
        The lower limit.
    high : float
        The upper limit.
    sigma : float
        The standard deviation of the estimate.
    confidence : float
        The level of confidence, between 0 and 1.
    limits : str
        How the limits are found, such as ``independent``, ``wilson`` or ``student``.
    measure : str
        What the interval is of.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    note : str
        What the reader should know; empty where there is nothing.
    is_share : bool
        Whether it is shown in percent; a cost is not.
    label : str
        How tables and figures call the measure; that of the registered measure of this name by default.
    sharing : {"none", "claim", "subject", "both"}
        What dependent trials share; their variance is then found by person.

    Examples
    --------
    >>> from fairtrial import hter_interval, published_counts
    >>> found = hter_interval(published_counts(far=0.0115, frr=0.025, impostor=112000, genuine=400))
    >>> found
    <RateInterval: HTER 1.83 % (1.06 to 2.59 %, 95 % independent, threshold fixed)>
    >>> round(100 * found.width, 3)
    1.531
    """

    estimate: float
    low: float
    high: float
    sigma: float
    confidence: float
    limits: str
    measure: str = "hter"
    threshold: Threshold = "fixed"
    note: str = ""
    is_share: bool = True
    label: str = ""
    sharing: Cluster = "none"

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", label_of(self.measure))

    @property
    def method(self) -> str:
        """Its name: ``cluster-both`` and the like where trials share people, else how the limits are found."""
        return self.limits if self.sharing == "none" else f"cluster-{self.sharing}"

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.low, self.high)

    @property
    def width(self) -> float:
        """How far the two ends are apart."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "measure": self.measure,
            "estimate": self.estimate,
            "sigma": self.sigma,
            "low": self.low,
            "high": self.high,
            "width": self.width,
            "confidence": self.confidence,
            "method": self.method,
            "threshold": self.threshold,
            **({"note": self.note} if self.note else {}),
        }

    def summary(self) -> str:
        """The estimate and its interval."""
        ends = f"{figures_text(self.low, self.high, self.is_share)}, {level_text(self.confidence)} {self.method}"
        ends += f", threshold {self.threshold}"
        return f"{self.label} {figure_text(self.estimate, self.is_share)} ({ends})"

    def tables(self) -> tuple[Table, ...]:
        """The interval in one row."""
        columns = (
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("estimate", "estimate", "figure"),
            Column("sigma", "sigma", "figure"),
            Column("interval", interval_title(self.confidence), "figures"),
            Column("width", "width", "width"),
            Column("method", "method"),
            Column("confidence", "confidence", "level", detail=True),
        )
        share = self.is_share
        figures = (self.estimate, share), (self.sigma, share), (*self.interval, share), (self.width, share)
        row = (self.measure, self.label, *figures, self.method, self.confidence)
        notes = (f"{self.label}: {self.note}",) if self.note else ()
        return (Table("intervals", f"{level_text(self.confidence)} intervals of error rates", columns, (row,), notes),)


def published_counts(
    *,
    impostor: int,
    genuine: int,
    far: float | None = None,
    frr: float | None = None,
    false_accepts: int | None = None,
    false_rejects: int | None = None,
) -> ErrorCounts:
    """Make error counts from published rates, which need not give whole errors, or from published numbers of errors.

    Parameters
    ----------
    impostor, genuine : int
        How many trials of the class.
    far, frr : float, optional
        The error rate, a fraction.
    false_accepts, false_rejects : int, optional
        How many errors, in place of the rate. Of each class either the rate or the number is given.

    Returns
    -------
    ErrorCounts
        What intervals and tests of published figures take; the threshold is not known.

    Raises
    ------
    ParameterError
        A rate outside [0, 1], a number of errors that is not whole or above that of the trials, no trial of a class,
        or neither or both of a rate and a number of errors.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (1).

    Examples
    --------
    >>> published_counts(false_accepts=1285, false_rejects=10, impostor=112000, genuine=400).frr
    0.025
    """
    accepts = _errors("far", far, "false_accepts", false_accepts, impostor, "impostor")
    rejects = _errors("frr", frr, "false_rejects", false_rejects, genuine, "genuine")
    return ErrorCounts(float("nan"), accepts, rejects, genuine, impostor)


def _errors(rate_name: str, rate: float | None, errors_name: str, errors: int | None, trials: int, kind: str) -> float:
    """The errors of one class, given as a rate or as a number."""
    if trials < 1:
        raise ParameterError(f"there must be at least one {kind} trial, not {trials}")
    check_count(f"the number of {kind} trials", trials)
    if (rate is None) == (errors is None):
        given = "neither was" if rate is None else "both were"
        raise ParameterError(f"give either {rate_name}=... or {errors_name}=...; {given} given")
    if rate is not None:
        return check_rate(rate_name.upper(), rate) * trials
    assert errors is not None
    words = errors_name.replace("_", " ")
    if check_count(f"the number of {words}", errors) > trials:
        raise ParameterError(f"there are {errors:,} {words}, but only {trials:,} {kind} trials")
    return int(errors)


def normal_quantile(confidence: float) -> float:
    """How many standard deviations on either side hold this share of a normal distribution."""
    return float(ndtri((1 + check_confidence(confidence)) / 2))


def independent_variance(counts: ErrorCounts, weights: Weights) -> float:
    """The variance of a linear measure when all trials are independent."""
    by_far = weights.far**2 * counts.far * (1 - counts.far) / counts.impostor
    by_frr = weights.frr**2 * counts.frr * (1 - counts.frr) / counts.genuine
    return float(by_far + by_frr)


def _normal_interval(
    estimate: float,
    sigma: float,
    *,
    confidence: float,
    method: str,
    measure: str,
    note: str = "",
    within: tuple[float, float] = (0.0, 1.0),
    is_share: bool = True,
    label: str = "",
) -> RateInterval:
    """The estimate and as many standard deviations on either side as the confidence asks for, within what can be."""
    reach = normal_quantile(confidence) * sigma
    low, high = max(estimate - reach, within[0]), min(estimate + reach, within[1])
    return RateInterval(
        estimate, low, high, sigma, confidence, method, measure, note=note, is_share=is_share, label=label
    )


def rate_interval(
    counts: ErrorCounts, *, measure: MeasureLike = "hter", alpha: float = 0.5, confidence: float = 0.95
) -> RateInterval:
    r"""Compute the interval of a weighted sum of FAR and FRR at a fixed threshold, all trials independent.

    .. math:: \sigma^2 = w_a^2 FAR (1 - FAR) / NI + w_r^2 FRR (1 - FRR) / NC

    Parameters
    ----------
    counts : ErrorCounts
        Errors and trials at one threshold, or `published_counts`.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a linear measure: hter, far, frr, wer, dcf, recall, sensitivity, specificity,
        `DetectionCosts`, or a user's.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1: the share of data sets whose interval should hold the true value.

    Returns
    -------
    RateInterval
        The interval, with the estimate and its standard deviation.

    Raises
    ------
    ParameterError
        A measure that is not linear, or a confidence outside (0, 1).

    Notes
    -----
    The limits are kept within what rates of 0 and 1 give; without errors the width is zero. Trials that share people
    are not independent, and this interval is then too narrow.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (13), (14).

    Examples
    --------
    >>> model_a = published_counts(far=0.0115, frr=0.025, impostor=112000, genuine=400)
    >>> interval = rate_interval(model_a)
    >>> round(interval.low, 5), round(interval.high, 5)
    (0.01059, 0.02591)
    """
    known, weights = as_measure(measure), linear_weights(measure, alpha)
    sigma = sqrt(independent_variance(counts, weights))
    return _normal_interval(
        float(weights.value(counts)),
        sigma,
        confidence=confidence,
        method="independent",
        measure=known.name,
        note=_few_errors(counts, weights) if sigma else "no error to estimate a width from",
        within=weights.bounds,
        is_share=known.is_share,
        label=known.label,
    )


def rates_with_few_errors(counts: ErrorCounts, weights: Weights) -> dict[str, float]:
    """The rates that are hardly normal, with their n p (1 - p), which is below 10.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, footnote 2.
    """
    parts = (
        ("FAR", weights.far, float(counts.far), counts.impostor),
        ("FRR", weights.frr, float(counts.frr), counts.genuine),
    )
    return {name: found for name, weight, p, n in parts if weight and (found := n * p * (1 - p)) < ENOUGH}


def _few_errors(counts: ErrorCounts, weights: Weights) -> str:
    found = rates_with_few_errors(counts, weights)
    parts = " and ".join(f"{number_text(value)} for {name}" for name, value in found.items())
    return f"few errors for a normal distribution: n p (1 - p) is {parts}, below {ENOUGH}" if parts else ""


def hter_interval(counts: ErrorCounts, *, confidence: float = 0.95) -> RateInterval:
    """Compute the interval of an HTER at a fixed threshold, all trials independent: eq. (13).

    Parameters
    ----------
    counts : ErrorCounts
        Errors and trials at one threshold, or `published_counts`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        The interval, with the estimate and its standard deviation.

    Raises
    ------
    ParameterError
        A confidence outside (0, 1).

    Notes
    -----
    Trials that share people are not independent, and this interval is then too narrow; `judged_interval` goes by
    people.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13).

    Examples
    --------
    >>> found = hter_interval(published_counts(far=0.0115, frr=0.025, impostor=112000, genuine=400))
    >>> round(found.low, 5), round(found.high, 5)
    (0.01059, 0.02591)
    """
    return rate_interval(counts, confidence=confidence)


NAIVE = "takes an HTER for a proportion of all trials"
CLASS = "the classification error hardly sees the rarer class"
"""What is wrong with the two."""


def beside_proper(what: str, sigma: float, proper: float, equation: int) -> str:
    """Say of a standard deviation that is kept for comparison whether it is over-optimistic: computed, not assumed."""
    if sigma == proper:
        return f"{what}; the standard deviation is that of eq. ({equation})"
    if not proper:
        return f"{what}; eq. ({equation}) has no spread at all here"
    times = f"{number_text(sigma / proper, 3)} times that of eq. ({equation})"
    if sigma < proper:
        return f"over-optimistic: {what}, and the standard deviation is {times}"
    return f"not over-optimistic here: {what}, but the standard deviation is {times}"


def naive_interval(counts: ErrorCounts, *, confidence: float = 0.95) -> RateInterval:
    """Compute the interval that takes an HTER for a proportion of all trials, eq. (18): kept for comparison.

    It is mostly far too narrow, since the rarer class decides and not the number of all trials; the note says whether
    it is here.

    Parameters
    ----------
    counts : ErrorCounts
        Errors and trials at one threshold, or `published_counts`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        The interval of the HTER.

    Raises
    ------
    ParameterError
        A confidence outside (0, 1).

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (18).

    Examples
    --------
    >>> naive_interval(published_counts(far=0.01, frr=0, impostor=112000, genuine=400)).note.split(":")[0]
    'not over-optimistic here'
    """
    hter = float(counts.hter)
    sigma = sqrt(hter * (1 - hter) / (counts.genuine + counts.impostor))
    note = beside_proper(NAIVE, sigma, hter_interval(counts).sigma, 13)
    return _normal_interval(
        hter, sigma, confidence=confidence, method="naive", measure="naive", note=note, label="Naive HTER"
    )


def class_interval(counts: ErrorCounts, *, confidence: float = 0.95) -> RateInterval:
    """Compute the interval of the classification error, eq. (17): kept for comparison with that of an HTER.

    Parameters
    ----------
    counts : ErrorCounts
        Errors and trials at one threshold, or `published_counts`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    RateInterval
        The interval of all errors over all trials.

    Raises
    ------
    ParameterError
        A confidence outside (0, 1).

    Notes
    -----
    Kept for comparison: the rarer class hardly counts, and the interval is mostly too narrow for an HTER.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (17).

    Examples
    --------
    >>> model_a = published_counts(false_accepts=1285, false_rejects=10, impostor=112000, genuine=400)
    >>> round(100 * class_interval(model_a).width, 3)
    0.125
    """
    trials = counts.genuine + counts.impostor
    error = float((counts.false_accepts + counts.false_rejects) / trials)
    sigma = sqrt(error * (1 - error) / trials)
    note = beside_proper(CLASS, sigma, hter_interval(counts).sigma, 13)
    label = label_of("class-error")
    return _normal_interval(
        error, sigma, confidence=confidence, method="class", measure="class", note=note, label=label
    )
