"""Compute intervals of rates at a fixed threshold, from counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from fairtrial.core.errors import check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import figure_text, figures_text, interval_title, level_text, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.people import Cluster
from fairtrial.rules.measures import MeasureLike, Weights, as_measure, label_of, linear_weights

if TYPE_CHECKING:
    from fairtrial.inference.estimates import Threshold

ENOUGH = 10
"""The smallest n p (1 - p) for a normal approximation: footnote 2 of Bengio & Mariéthoz 2004."""


class Interval(NamedTuple):
    """The two limits of an interval.

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
    """An interval for a rate, with its estimate and standard deviation.

    Attributes
    ----------
    estimate : float
        The figure itself, a fraction if it is a proportion.
    low : float
        The lower limit.
    high : float
        The upper limit.
    sigma : float
        The standard deviation of the estimate.
    confidence : float
        The level of confidence, between 0 and 1.
    limits : str
        How the limits are computed, such as ``independent``, ``wilson`` or ``student``.
    measure : str
        What the interval is of.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    note : Note or str
        What the reader should know; empty if there is nothing.
    is_share : bool
        Whether it is shown in percent; a cost is not.
    label : str
        The name of the measure in tables and figures; that of the registered measure by default.
    sharing : {"none", "claim", "subject", "both"}
        What dependent trials share; the variance is then estimated by person.

    Examples
    --------
    >>> from fairtrial.published import published_counts
    >>> interval = rate_interval(published_counts(far=0.0115, frr=0.025, impostor=112000, genuine=400))
    >>> interval
    <RateInterval: HTER 1.83 % (1.06 to 2.59 %, 95 % independent, threshold fixed)>
    >>> round(100 * interval.width, 3)
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
    note: Note | str = ""
    is_share: bool = True
    label: str = ""
    sharing: Cluster = "none"

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", label_of(self.measure))

    @property
    def method(self) -> str:
        """The name of the method: ``cluster-both`` and the like if trials share people, else that of the limits."""
        return self.limits if self.sharing == "none" else f"cluster-{self.sharing}"

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.low, self.high)

    @property
    def width(self) -> float:
        """The distance of the two ends."""
        return self.high - self.low

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
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
            **({"note": str(self.note)} if self.note else {}),
        }

    def answer(self) -> str:
        """Write the estimate and its interval."""
        ends = f"{figures_text(self.low, self.high, self.is_share)}, {level_text(self.confidence)} {self.method}"
        ends += f", threshold {self.threshold}"
        return f"{term(self.label)} {figure_text(self.estimate, self.is_share)} ({ends})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the interval in one row."""
        columns = (
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("estimate", "estimate", "figure"),
            Column("sigma", "sigma", "figure", optional=True),
            Column("interval", interval_title(self.confidence), "figures"),
            Column("width", "width", "width"),
            Column("method", "method"),
            Column("confidence", "confidence", "level", detail=True),
        )
        share = self.is_share
        figures = (self.estimate, share), (self.sigma, share), (*self.interval, share), (self.width, share)
        row = (self.measure, self.label, *figures, self.method, self.confidence)
        note = Note("interval", "{note}", note=self.note) if isinstance(self.note, str) else self.note
        notes = (note.of(term(self.label)),) if self.note else ()
        return (Table("intervals", f"{level_text(self.confidence)} intervals of error rates", columns, (row,), notes),)


def normal_quantile(confidence: float) -> float:
    """Compute the two-sided standard normal quantile of a confidence level."""
    return NormalDist().inv_cdf((1 + check_confidence(confidence)) / 2)


def independent_variance(counts: ErrorCounts, weights: Weights) -> float:
    """Compute the variance of a linear measure if all trials are independent: eqs. (13) and (14)."""
    by_far = weights.far**2 * counts.far * (1 - counts.far) / counts.impostor
    by_frr = weights.frr**2 * counts.frr * (1 - counts.frr) / counts.genuine
    return float(by_far + by_frr)


def normal_interval(
    estimate: float,
    sigma: float,
    *,
    confidence: float,
    method: str,
    measure: str,
    note: Note | str = "",
    within: tuple[float, float] = (0.0, 1.0),
    is_share: bool = True,
    label: str = "",
) -> RateInterval:
    """Compute the normal interval of an estimate, clipped to the range of the measure."""
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
        The level of confidence, between 0 and 1: the proportion of data sets whose interval should hold the true value.

    Returns
    -------
    RateInterval
        The interval, with the estimate and its standard deviation.

    Raises
    ------
    ParameterError
        If the measure is not linear, or the confidence is outside (0, 1).

    Notes
    -----
    The limits stay within the values at rates of 0 and 1; without errors the width is zero. Trials that share people
    are not independent, and this interval is then too narrow.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (13), (14).

    Examples
    --------
    >>> from fairtrial.published import published_counts
    >>> model_a = published_counts(far=0.0115, frr=0.025, impostor=112000, genuine=400)
    >>> interval = rate_interval(model_a)
    >>> round(interval.low, 5), round(interval.high, 5)
    (0.01059, 0.02591)
    """
    measure = as_measure(measure)
    weights = linear_weights(measure, alpha)
    sigma = sqrt(independent_variance(counts, weights))
    note: Note | str = ""
    if not sigma:
        note = Note("no-error", "no error to estimate a width from")
    elif few := rates_with_few_errors(counts, weights):
        products = " and ".join(f"{{{name.lower()}:number}} for {{{name}}}" for name in few)
        values: dict[str, Any] = {name.lower(): value for name, value in few.items()}
        note = Note(
            "few-errors",
            f"too few errors for a normal approximation: n p (1 - p) is {products}, below {{enough}}",
            **values,
            enough=ENOUGH,
        )
    return normal_interval(
        float(weights.value(counts)),
        sigma,
        confidence=confidence,
        method="independent",
        measure=measure.name,
        note=note,
        within=weights.bounds,
        is_share=measure.is_share,
        label=measure.label,
    )


def rates_with_few_errors(counts: ErrorCounts, weights: Weights) -> dict[str, float]:
    """Compute n p (1 - p) of the rates with fewer than 10, for which a normal approximation is poor.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, footnote 2.
    """
    parts = (
        ("FAR", weights.far, float(counts.far), counts.impostor),
        ("FRR", weights.frr, float(counts.frr), counts.genuine),
    )
    return {name: n * p * (1 - p) for name, weight, p, n in parts if weight and n * p * (1 - p) < ENOUGH}
