"""Give pages and the explorer the curves of systems along thresholds: EPC, DET, ROC and score densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.core.results import plain
from fairtrial.core.words import as_in_files, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.evaluation.roc import RocCurve, roc_curve
from fairtrial.figures.axes import (
    TOGETHER,
    DetLimits,
    Floats,
    alpha_label,
    det_axis,
    det_limits,
    highest_within,
    linear_axis,
    probit,
    rate_axis,
)
from fairtrial.figures.scores import Densities, densities_of
from fairtrial.inference.decide import Judgement, judge
from fairtrial.inference.estimates import intervals_along
from fairtrial.inference.intervals import RateInterval
from fairtrial.rules.criteria import Criterion

_PAGE_POINTS = 300


@dataclass(frozen=True, slots=True, eq=False)
class SystemCurves:
    """The errors of one system along alpha and along the threshold, and its scores."""

    name: str
    curve: PerformanceCurve
    roc: RocCurve
    densities: Densities

    @classmethod
    def of(cls, curve: PerformanceCurve, *, name: str = "", max_points: int = 2000) -> SystemCurves:
        """Compute the curves of the trials that a curve along alpha was judged on."""
        judgement = curve.judged()
        trials, system = judgement.trials, judgement.system
        roc = roc_curve(trials, system=system, max_points=max_points)
        return cls(name or system, curve, roc, densities_of(trials, system))

    @property
    def highest(self) -> float:
        """The highest HTER along alpha, but for the ends."""
        return highest_within(self.curve.alpha, self.curve.hter)

    def chart(self) -> dict[str, Any]:
        """Give the curves of the charts `epc`, `det` and `density`."""
        densities = self.densities if as_in_files(self.curve.system, 1) > 0 else self.densities.mirrored
        return {
            "name": self.name,
            "alpha": self.curve.alpha,
            "hter": self.curve.hter,
            "det": {"x": probit(self.roc.far), "y": probit(self.roc.frr)},
            "density": densities.chart(),
        }


def along_alpha(judgement: Judgement) -> Judgement:
    """Judge the same trials at all weights of FAR, by the criterion's nearest relative."""
    rule = judgement.criterion.along_alpha
    return judge(judgement.sets, system=judgement.system, criterion=rule, alphas=alpha_grid())


def _shared_axes(limits: DetLimits, criterion: Criterion) -> dict[str, Any]:
    """Give the axes that several systems share, and the criterion of their curves along alpha."""
    det = {"x": det_axis(term("FAR"), limits.far), "y": det_axis(term("FRR"), limits.frr)}
    return {"criterion": criterion.name, "alpha": linear_axis(alpha_label(criterion), (0.0, 1.0)), "det": det}


def overview_charts(systems: Sequence[SystemCurves]) -> dict[str, Any]:
    """Give the charts of the first look at several systems, without operating points.

    The ROC axes end at four times the equal error rate of the worst system.
    """
    limits = det_limits([(system.roc.far, system.roc.frr) for system in systems], [])
    farthest = min(1.0, 4 * max(float(np.maximum(system.roc.far, system.roc.frr).min()) for system in systems) or 0.01)
    far = linear_axis(term("FAR"), (0.0, farthest), percent=True)
    frr = linear_axis(f"1 - {term('FRR')}", (1.0 - farthest, 1.0), percent=True)
    axes = {
        **_shared_axes(limits, systems[0].curve.criterion),
        "hter": rate_axis("HTER", 1.3 * max(system.highest for system in systems)),
        "roc": {"x": far, "y": frr},
    }
    curves = [{**system.chart(), "roc": {"x": system.roc.far, "y": 1 - system.roc.frr}} for system in systems]
    return dict(plain({"systems": curves, "axes": axes}))


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCurve:
    """A system along alpha, with the intervals there, and the operating point that was asked for."""

    curve: PerformanceCurve
    counts: ErrorCounts
    threshold: float
    interval: RateInterval
    alpha: float | None
    """The weight of FAR that leads to the operating point, if there is one."""
    name: str = ""
    """That of the system by default."""
    along: Sequence[RateInterval] = ()
    """At each alpha, if intervals are known at more than that of the point."""

    @classmethod
    def of(cls, judgement: Judgement, interval: RateInterval) -> JudgedCurve:
        """Judge the same trials along alpha."""
        assert judgement.dev is not None
        along = along_alpha(judgement)
        intervals = intervals_along(along, confidence=interval.confidence, threshold=interval.threshold)
        weight = judgement.criterion.weight_of_far(float(judgement.alpha[0]))
        threshold = float(judgement.dev.threshold[0])  # of folds, which have several, that of all trials
        return cls(curve_of(along), judgement.at(0), threshold, interval, weight, along=intervals)

    def limits(self, along: Sequence[RateInterval], interval: RateInterval) -> tuple[Floats, Floats]:
        """Give limits along alpha; those of the operating point are its own, perhaps by another method."""
        curve = self.curve
        ends = [each.interval for each in along] if along else np.full((len(curve.alpha), 2), np.nan)
        low, high = np.array(ends, dtype=np.float64).T
        at_point = (curve.alpha == self.alpha) & (curve.far == self.counts.far) & (curve.frr == self.counts.frr)
        low[at_point], high[at_point] = interval.interval
        return low, high


def judged_charts(systems: Sequence[JudgedCurve], label: str) -> dict[str, Any]:
    """Give the charts of systems with operating points that move, and the axes they share; `label` is the HTER's.

    An axis of the HTER is high enough for the curve, those behind it and most of its band.
    """
    all_curves = [SystemCurves.of(each.curve, name=each.name, max_points=_PAGE_POINTS) for each in systems]
    points = [(float(each.counts.far), float(each.counts.frr)) for each in systems]
    det = det_limits([(curves.roc.far, curves.roc.frr) for curves in all_curves], points)
    together = len(systems) <= TOGETHER
    behind = max(curves.highest for curves in all_curves) if together else 0.0
    charts = []
    for each, curves, (far, frr) in zip(systems, all_curves, points, strict=True):
        curve, hter, (low, high) = each.curve, float(each.counts.hter), each.limits(each.along, each.interval)
        middle = (curve.alpha >= 0.1) & (curve.alpha <= 0.9) & ~np.isnan(high)
        highest = max(curves.highest, behind, float(high[middle].max(initial=0.0)), hter)
        (at_x, at_y), (x, y) = det.place(curve.far, curve.frr), det.place([far], [frr])
        asked = {"alpha": each.alpha, "threshold": as_in_files(curve.system, each.threshold)}
        asked |= {"low": each.interval.low, "high": each.interval.high, "x": x[0], "y": y[0]}
        charts.append(
            {
                **curves.chart(),
                "threshold": as_in_files(curve.system, curve.threshold),
                "far": curve.far,
                "frr": curve.frr,
                "low": low,
                "high": high,
                "at": {"x": at_x, "y": at_y},
                "axis": rate_axis(label, highest),
                "asked": {**asked, "far": far, "frr": frr, "hter": hter},
            }
        )
    shared = _shared_axes(det, systems[0].curve.criterion)
    return dict(plain({"systems": charts, "together": together, **shared}))
