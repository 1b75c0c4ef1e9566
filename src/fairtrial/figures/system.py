"""Give pages and the explorer the curves of systems along thresholds: EPC, DET, ROC and score densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.words import as_in_files, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.evaluation.roc import RocCurve, roc_curve
from fairtrial.figures.scores import Densities, densities_of
from fairtrial.figures.style import (
    TOGETHER,
    DetLimits,
    Floats,
    alpha_axis,
    det_axis,
    det_limits,
    highest_within,
    linear_axis,
    probit,
    rate_axis,
)
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

    def to_dict(self) -> dict[str, Any]:
        """Give the curves of the charts `epc`, `det` and `density`."""
        return {
            "name": self.name,
            "alpha": self.curve.alpha.tolist(),
            "hter": self.curve.hter.tolist(),
            "det": {"x": probit(self.roc.far).tolist(), "y": probit(self.roc.frr).tolist()},
            "density": (self.densities if as_in_files(self.curve.system, 1) > 0 else self.densities.mirrored).to_dict(),
        }


def along_alpha(judgement: Judgement) -> Judgement:
    """Judge the same trials at all weights of FAR, by the criterion's nearest relative."""
    rule = judgement.criterion.along_alpha
    return judge(judgement.sets, system=judgement.system, criterion=rule, alphas=alpha_grid())


def shared_axes(limits: DetLimits, criterion: Criterion) -> dict[str, Any]:
    """Give the axes that several systems share, and the criterion of their curves along alpha."""
    far, frr = term("FAR"), term("FRR")
    return {
        "criterion": criterion.name,
        "alpha": alpha_axis(criterion).to_dict(),
        "det": {"x": det_axis(far, limits.far).to_dict(), "y": det_axis(frr, limits.frr).to_dict()},
    }


def overview_charts(systems: Sequence[SystemCurves]) -> dict[str, Any]:
    """Give the charts of the first look at several systems, without operating points.

    The ROC axes end at four times the equal error rate of the worst system.
    """
    limits = det_limits([(system.roc.far, system.roc.frr) for system in systems], [])
    farthest = min(1.0, 4 * max(float(np.maximum(system.roc.far, system.roc.frr).min()) for system in systems) or 0.01)
    far = linear_axis(term("FAR"), (0.0, farthest), percent=True)
    frr = linear_axis(f"1 - {term('FRR')}", (1.0 - farthest, 1.0), percent=True)
    axes = {
        **shared_axes(limits, systems[0].curve.criterion),
        "hter": rate_axis("HTER", 1.3 * max(system.highest for system in systems)).to_dict(),
        "roc": {"x": far.to_dict(), "y": frr.to_dict()},
    }
    curves = [
        {**system.to_dict(), "roc": {"x": system.roc.far.tolist(), "y": (1 - system.roc.frr).tolist()}}
        for system in systems
    ]
    return {"systems": curves, "axes": axes}


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCurves:
    """The curves of a system with limits of the HTER along alpha, and the operating point that was asked for."""

    curves: SystemCurves
    low: Floats
    high: Floats
    counts: ErrorCounts
    threshold: float
    interval: RateInterval
    alpha: float | None
    """The weight of FAR that leads to the operating point, if there is one."""
    at_point: NDArray[np.bool_]
    """Which of the values of alpha lead to the operating point."""

    @classmethod
    def of(
        cls,
        curve: PerformanceCurve,
        counts: ErrorCounts,
        threshold: float,
        interval: RateInterval,
        alpha: float | None,
        *,
        name: str = "",
        along: Sequence[RateInterval] = (),
    ) -> JudgedCurves:
        """Compute curves; `along` are the intervals at each alpha, if they are known at more than that of the point."""
        low, high = limits_of(along) if along else np.full((2, len(curve.alpha)), np.nan)
        # an interval by another method than along the curve is the one that the table shows
        at_point = (curve.alpha == alpha) & (curve.far == counts.far) & (curve.frr == counts.frr)
        low[at_point], high[at_point] = interval.interval
        curves = SystemCurves.of(curve, name=name, max_points=_PAGE_POINTS)
        return cls(curves, low, high, counts, threshold, interval, alpha, at_point)

    @classmethod
    def of_judgement(
        cls, judgement: Judgement, counts: ErrorCounts, threshold: float, interval: RateInterval
    ) -> JudgedCurves:
        """Compute the curves of a judged system."""
        along = along_alpha(judgement)
        intervals = intervals_along(along, confidence=interval.confidence, threshold=interval.threshold)
        weight = judgement.criterion.weight_of_far(float(judgement.alpha[0]))
        return cls.of(curve_of(along), counts, threshold, interval, weight, along=intervals)

    def to_dict(self, limits: DetLimits, behind: float, label: str) -> dict[str, Any]:
        """Give the charts, on an axis that is high enough for the curve, those behind it and most of its band."""
        curve, rates = self.curves.curve, {name: float(getattr(self.counts, name)) for name in ("far", "frr", "hter")}
        middle = (curve.alpha >= 0.1) & (curve.alpha <= 0.9) & ~np.isnan(self.high)
        highest = max(self.curves.highest, behind, float(self.high[middle].max(initial=0.0)), rates["hter"])
        at, asked = limits.place(curve.far, curve.frr), limits.place([rates["far"]], [rates["frr"]])
        return {
            **self.curves.to_dict(),
            "threshold": as_in_files(curve.system, curve.threshold).tolist(),
            "far": curve.far.tolist(),
            "frr": curve.frr.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "at": {"x": at[0].tolist(), "y": at[1].tolist()},
            "axis": rate_axis(label, highest).to_dict(),
            "asked": {
                "alpha": self.alpha,
                "threshold": as_in_files(curve.system, self.threshold),
                "low": self.interval.low,
                "high": self.interval.high,
                "x": float(asked[0][0]),
                "y": float(asked[1][0]),
                **rates,
            },
        }


def limits_of(intervals: Sequence[RateInterval]) -> tuple[Floats, Floats]:
    """Give lower and upper limits as arrays."""
    low, high = np.array([interval.interval for interval in intervals]).T
    return low, high


def judged_charts(systems: Sequence[JudgedCurves], label: str) -> dict[str, Any]:
    """Give the charts of systems with operating points that move, and the axes they share; `label` is the HTER's."""
    limits = det_limits(
        [(system.curves.roc.far, system.curves.roc.frr) for system in systems],
        [(float(system.counts.far), float(system.counts.frr)) for system in systems],
    )
    together = len(systems) <= TOGETHER
    behind = max(system.curves.highest for system in systems) if together else 0.0
    return {
        "systems": [system.to_dict(limits, behind, label) for system in systems],
        "together": together,
        **shared_axes(limits, systems[0].curves.curve.criterion),
    }
