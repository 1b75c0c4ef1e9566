"""Bands around an Expected Performance Curve: at each alpha by itself, or holding the whole curve at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_confidence
from fairtrial.claims import Threshold, largest_of_all
from fairtrial.epc import PerformanceCurve
from fairtrial.intervals.bootstrap import Bootstrap, centred_along
from fairtrial.intervals.judged import intervals_along
from fairtrial.intervals.rates import normal_quantile
from fairtrial.intervals.resampled import resampled_curve
from fairtrial.rules.measures import Measure
from fairtrial.tables import Column, Result, Table, every_tenth, plural

BandKind: TypeAlias = Literal["pointwise", "simultaneous"]
BandMethod: TypeAlias = Literal["cluster", "bootstrap"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Result):
    """The limits of a band, one pair per value of alpha."""

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
        """The column that a table of the curve shows of it."""
        return Column("band", f"{self.described}, threshold {self.threshold}", self.measure.interval_kind)

    @property
    def described(self) -> str:
        """Confidence, method and kind in words."""
        by = " bootstrap" if self.method == "bootstrap" else ""
        return f"{100 * self.confidence:g} %{by} band, {self.kind}"

    def summary(self) -> str:
        """What kind of band it is."""
        points = plural(len(self.alpha), "point")
        return f"{self.described}, threshold {self.threshold}, {points}, cluster {self.cluster}"

    def tables(self) -> tuple[Table, ...]:
        """One row per alpha."""
        columns = (Column("alpha", "alpha", "number"), Column("estimate", "estimate", self.measure.kind), self.column())
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(zip(self.alpha.tolist(), self.estimate.tolist(), ends, strict=True))
        return (Table("band", "Band around a performance curve", columns, rows, shown=every_tenth(len(rows))),)


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
    curve
        A curve of one system; it knows its trials and who shares them. A pooled curve has none.
    kind
        ``pointwise``: at each alpha its interval. ``simultaneous``: intervals that are wider by as much as the largest
        of all deviations along the curve asks for, so that the whole curve lies within.
    method
        ``cluster``: the intervals of `judged_interval`. ``bootstrap``: replicates of test, and of dev where the
        threshold is re-estimated, drawn by people where ids are known; the interval of Bengio, Mariéthoz & Keller
        2005, centred at their mean.
    confidence
        Of the band.
    threshold
        ``re-estimated``: a band for the curve of the system, its thresholds chosen on new dev trials. ``fixed``: for
        the curve of these thresholds.
    n_resamples, rng, workers
        For ``bootstrap``; threads do not change the result.

    Returns
    -------
    Band
        Limits at every alpha. Where the threshold is to be re-estimated and dev shows no error of one kind, nothing
        tells how far it would move: `supported` says where it does, and a simultaneous band holds the curve there.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5 and Fig. 7.
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
    found = intervals_along(judgement, measure=curve.measure, confidence=confidence, threshold=threshold)
    estimate, low, high = (np.array([getattr(each, name) for each in found]) for name in ("estimate", "low", "high"))
    if kind == "simultaneous":
        critical = largest_of_all(
            [(1.0, judgement)], curve.measure, supported, confidence=confidence, threshold=threshold
        )
        wider = max(critical / normal_quantile(confidence), 1.0) if np.isfinite(critical) else 1.0
        low, high = estimate - wider * (estimate - low), estimate + wider * (high - estimate)
        if curve.measure.is_share:
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
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
