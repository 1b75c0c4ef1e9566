"""Bands around an Expected Performance Curve: at each alpha by itself, or holding the whole curve at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import check_choice, check_confidence
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.words import level_text, plural
from fairtrial.evaluation.epc import PerformanceCurve, alpha_ranges
from fairtrial.inference.bootstrap import Bootstrap, centred_along, resampled_curve
from fairtrial.inference.estimates import GIVEN_ALONG, Threshold, neighbour_correlations, tube_quantile
from fairtrial.inference.limits import intervals_along
from fairtrial.rules.measures import Measure

BandKind: TypeAlias = Literal["pointwise", "simultaneous"]
BandMethod: TypeAlias = Literal["cluster", "bootstrap"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Result):
    """The limits of a band, one pair per value of alpha.

    Attributes
    ----------
    alpha : ndarray of float
        The alphas of the curve, shape (alphas,).
    estimate : ndarray of float
        The curve itself, shape (alphas,).
    low, high : ndarray of float
        The limits, shape (alphas,).
    kind : {"pointwise", "simultaneous"}
        Whether each alpha has its interval, or the whole curve lies within.
    confidence : float
        The level of confidence, between 0 and 1.
    cluster : str
        What dependent trials share.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    supported : ndarray of bool
        Where dev shows errors of both kinds, shape (alphas,); elsewhere nothing tells how far the threshold would move.
    measure : Measure
        What is reported.
    method : {"cluster", "bootstrap"}
        How the limits were found.

    Examples
    --------
    >>> from fairtrial import Trials, performance_curve
    >>> from fairtrial.evaluation import curve_band
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> curve_band(performance_curve(trials, trials, alphas=[0.25, 0.5, 0.75])).low.shape
    (3,)
    """

    alpha: NDArray[np.float64]
    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: BandKind
    confidence: float
    cluster: str
    threshold: Threshold
    supported: NDArray[np.bool_]
    measure: Measure
    method: BandMethod = "cluster"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "supported": self.supported.tolist(),
            "kind": self.kind,
            "confidence": self.confidence,
            "cluster": self.cluster,
            "band_threshold": self.threshold,
            "band_method": self.method,
        }

    def column(self) -> Column:
        """Give the column that a table of the curve shows of it.

        Returns
        -------
        Column
            The column.
        """
        return Column("band", f"{self.described}, {GIVEN_ALONG[self.threshold]}", self.measure.interval_kind)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know of the band."""
        if self.supported.all():
            return ()
        where = alpha_ranges(self.alpha, ~self.supported)
        return (f"the band may be too narrow at alpha {where}, where dev lacks errors",)

    @property
    def described(self) -> str:
        """Confidence, method and kind in words."""
        by = " bootstrap" if self.method == "bootstrap" else ""
        return f"{level_text(self.confidence)}{by} band, {self.kind}"

    def answer(self) -> str:
        """What kind of band it is."""
        points = plural(len(self.alpha), "point")
        return f"{self.described}, {GIVEN_ALONG[self.threshold]}, {points}, cluster {self.cluster}"

    def tables(self) -> tuple[Table, ...]:
        """One row per alpha."""
        columns = (Column("alpha", "alpha", "number"), Column("estimate", "estimate", self.measure.kind), self.column())
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(zip(self.alpha.tolist(), self.estimate.tolist(), ends, strict=True))
        shown = every_tenth(len(rows))
        return (Table("band", "Band around a performance curve", columns, rows, self.notes, shown=shown),)


def curve_band(
    curve: PerformanceCurve,
    *,
    kind: BandKind = "pointwise",
    method: BandMethod = "cluster",
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> Band:
    """Put a band around a curve.

    Parameters
    ----------
    curve : PerformanceCurve
        A curve of one system; it knows its trials and who shares them. A pooled curve has none.
    kind : {"pointwise", "simultaneous"}, default "pointwise"
        ``pointwise``: at each alpha its interval. ``simultaneous``: intervals that are wider by as much as the largest
        of all deviations along the curve asks for, so that the whole curve lies within.
    method : {"cluster", "bootstrap"}, default "cluster"
        ``cluster``: the intervals of `judged_interval`. ``bootstrap``: replicates of test, and of dev where the
        threshold is re-estimated, drawn by people where ids are known; the interval of Bengio, Mariéthoz & Keller 2005,
        centred at their mean.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the threshold counts as re-estimated from other dev trials, or as fixed. The band is then for the curve
        of the system, or for that of these thresholds.
    n_resamples : int, default 10000
        How many resamples are drawn, for ``bootstrap``.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is for ``bootstrap``.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are threads, for ``bootstrap``.

    Returns
    -------
    Band
        Limits at every alpha. Where the threshold is to be re-estimated and dev shows no error of one kind, nothing
        tells how far it would move: `supported` says where it does, and a simultaneous band holds the curve there.

    Raises
    ------
    ParameterError
        A kind, method or number that cannot be, or a pooled curve.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5 and Fig. 7.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, performance_curve
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> curve = performance_curve(dev, test, criterion="wer-equal", alphas=[0.25, 0.5, 0.75])
    >>> band = curve_band(curve, kind="simultaneous")
    >>> bool(np.all((band.low < curve.hter) & (curve.hter < band.high)))
    True
    """
    check_choice("kind", kind, get_args(BandKind))
    check_choice("method", method, get_args(BandMethod))
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    judgement = curve.judged()
    supported = judgement.supported if threshold == "re-estimated" else np.ones(len(curve.alpha), dtype=bool)
    sharing = judgement.sets.sharing
    if method == "bootstrap":
        drawn, given = resampled_curve(
            judgement, curve.measure, threshold=threshold, n_resamples=n_resamples, rng=rng, workers=workers
        )
        low, high = _along_replicates(drawn, supported, confidence, kind == "simultaneous")
        if curve.measure.is_share:
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        return Band(
            curve.alpha, curve.value, low, high, kind, confidence, sharing, given, supported, curve.measure, method
        )
    level = confidence
    if kind == "simultaneous" and supported.any():
        from scipy.special import ndtr

        correlations = neighbour_correlations([(1.0, judgement)], curve.measure, supported, threshold)
        level = float(2 * ndtr(tube_quantile(correlations, confidence)) - 1)
    found = intervals_along(judgement, measure=curve.measure, confidence=level, threshold=threshold)
    estimate, low, high = (np.array([getattr(each, name) for each in found]) for name in ("estimate", "low", "high"))
    given = found[0].threshold
    return Band(curve.alpha, estimate, low, high, kind, confidence, sharing, given, supported, curve.measure)


def _along_replicates(
    drawn: Sequence[Bootstrap], supported: NDArray[np.bool_], confidence: float, simultaneous: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centred intervals; all at once where dev supports them."""
    low, high, _ = centred_along(drawn, confidence=confidence, simultaneous=False)
    if simultaneous and supported.any():
        held = [each for each, kept in zip(drawn, supported, strict=True) if kept]
        low[supported], high[supported], _ = centred_along(held, confidence=confidence, simultaneous=True)
    return low, high
