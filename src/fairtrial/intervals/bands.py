"""Bands around an Expected Performance Curve: at each alpha by itself, or holding the whole curve at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_confidence
from fairtrial.claims import Threshold, largest_of_all
from fairtrial.epc import PerformanceCurve
from fairtrial.intervals.judged import intervals_along
from fairtrial.intervals.rates import normal_quantile
from fairtrial.tables import Column, Result, Table, every_tenth, plural

BandKind: TypeAlias = Literal["pointwise", "simultaneous"]


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
        }

    def column(self) -> Column:
        """The column that a table of the curve shows of it."""
        return Column("band", f"{100 * self.confidence:g} % band, {self.kind}, threshold {self.threshold}", "interval")

    @property
    def described(self) -> str:
        """What kind of band it is, for the title of a figure."""
        return f"{100 * self.confidence:g} % {self.kind} bands, threshold {self.threshold}"

    def summary(self) -> str:
        """What kind of band it is."""
        points = plural(len(self.alpha), "point")
        return f"{100 * self.confidence:g} %, {self.kind}, threshold {self.threshold}, {points}, cluster {self.cluster}"

    def tables(self) -> tuple[Table, ...]:
        """One row per alpha."""
        columns = (Column("alpha", "alpha", "number"), Column("estimate", "estimate", "rate"), self.column())
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(zip(self.alpha.tolist(), self.estimate.tolist(), ends, strict=True))
        return (Table("band", "Band around a performance curve", columns, rows, shown=every_tenth(len(rows))),)


def curve_band(
    curve: PerformanceCurve,
    *,
    kind: BandKind = "pointwise",
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> Band:
    """Put a band around a curve.

    Parameters
    ----------
    curve
        A curve of one system; it knows its trials and who shares them. A pooled curve has none.
    kind
        ``pointwise``: at each alpha its interval. ``simultaneous``: intervals that are wider by as much as the largest
        of all deviations along the curve asks for, so that the whole curve lies within.
    threshold
        ``re-estimated``: a band for the curve of the system, its thresholds chosen on new dev trials. ``fixed``: for
        the curve of these thresholds.

    Returns
    -------
    Band
        Limits at every alpha. Where the threshold is to be re-estimated and dev shows no error of one kind, nothing
        tells how far it would move: `supported` says where it does, and a simultaneous band holds the curve there.
    """
    check_choice("kind", kind, get_args(BandKind))
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    judgement = curve.judged()
    supported = judgement.supported if threshold == "re-estimated" else np.ones(len(curve.alpha), dtype=bool)
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
    sharing = judgement.sets.sharing
    return Band(curve.alpha, estimate, low, high, kind, confidence, sharing, found[0].threshold, supported)
