"""What the interactive figures draw: axes, and of each system its errors at every alpha, its DET curve, its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.axes import (
    ALPHA,
    ALPHA_ENDS,
    Axis,
    DetLimits,
    Floats,
    check_drawable,
    det_axis,
    det_limits,
    linear_ticks,
    percent_axis,
    probit,
    score_range,
)
from fairtrial.claims import Threshold
from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import RocCurve, roc_curve
from fairtrial.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.intervals.judged import intervals_along
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement, judge
from fairtrial.report.page import Captions
from fairtrial.tables import Terms, translate
from fairtrial.trials import Trials

_BINS = 60
_DET_POINTS = 300
_SAMPLED = 1_000_000
TOGETHER = 12
"""So many systems are drawn faintly behind the one that was chosen."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The operating point that was asked for: errors on test, threshold, interval, and alpha if it has one."""

    counts: ErrorCounts
    threshold: float
    low: float
    high: float
    alpha: float | None

    @classmethod
    def of(cls, counts: ErrorCounts, threshold: float, interval: RateInterval, alpha: float | None) -> Asked:
        """The point with its interval."""
        return cls(counts, threshold, interval.low, interval.high, alpha)


@dataclass(frozen=True, slots=True, eq=False)
class Densities:
    """Histograms of both classes on the same bins of equal width, each of area 1."""

    low: float
    high: float
    """Where the first bin begins, and the last one ends."""
    genuine: Floats
    impostor: Floats

    def to_dict(self) -> dict[str, Any]:
        """What the page gets."""
        return {
            "genuine": self.genuine.tolist(),
            "impostor": self.impostor.tolist(),
            "top": 1.05 * float(max(self.genuine.max(), self.impostor.max())) or 1.0,
            "scores": Axis("score", self.low, self.high, linear_ticks(self.low, self.high)).to_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class SystemView:
    """What is drawn of one system."""

    name: str
    curve: PerformanceCurve
    low: Floats
    high: Floats
    asked: Asked
    roc: RocCurve
    densities: Densities

    @property
    def highest(self) -> float:
        """The highest HTER along alpha, but for the ends."""
        return highest_within(self.curve.alpha, self.curve.hter)

    def to_dict(self, limits: DetLimits, hter: Axis) -> dict[str, Any]:
        """What the page gets, with places on axes that are known."""
        asked, curve = self.asked, self.curve
        rates = {name: float(getattr(asked.counts, name)) for name in ("far", "frr", "hter")}
        det = limits.place([rates["far"]], [rates["frr"]])
        return {
            "name": self.name,
            "alpha": curve.alpha.tolist(),
            "threshold": curve.threshold.tolist(),
            "far": curve.far.tolist(),
            "frr": curve.frr.tolist(),
            "hter": curve.hter.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "at": _places(limits.place(curve.far, curve.frr)),
            "det": _places((probit(self.roc.far), probit(self.roc.frr))),
            "density": self.densities.to_dict(),
            "axis": hter.to_dict(),
            "asked": {
                "alpha": asked.alpha,
                "threshold": asked.threshold,
                "low": asked.low,
                "high": asked.high,
                "x": float(det[0][0]),
                "y": float(det[1][0]),
                **rates,
            },
        }


def _places(found: tuple[Floats, Floats]) -> dict[str, list[float]]:
    return {"x": found[0].tolist(), "y": found[1].tolist()}


def judged_view(
    judgement: Judgement, *, name: str, asked: Asked, confidence: float, threshold: Threshold
) -> SystemView:
    """What is drawn of a system that was judged: also at all other weights of FAR, by the criterion's nearest kin."""
    along = judge(
        judgement.sets, system=judgement.system, criterion=judgement.criterion.along_alpha, alphas=alpha_grid()
    )
    return curve_view(curve_of(along), name=name, asked=asked, confidence=confidence, threshold=threshold)


def curve_view(
    curve: PerformanceCurve, *, name: str, asked: Asked, confidence: float, threshold: Threshold
) -> SystemView:
    """What is drawn of one system.

    Parameters
    ----------
    curve
        Its errors along alpha.
    asked
        The operating point that was asked for.
    confidence, threshold
        Of the limits of the HTER along the curve.
    """
    judgement = curve.judged()
    limits = intervals_along(judgement, confidence=confidence, threshold=threshold)
    low, high = (np.array([getattr(each, end) for each in limits]) for end in ("low", "high"))
    # replicates of all alphas together are not quite those of one: where both are known, the table's count
    same = (curve.alpha == asked.alpha) & (curve.far == asked.counts.far) & (curve.frr == asked.counts.frr)
    low[same], high[same] = asked.low, asked.high
    trials = judgement.trials.select([judgement.system])
    return SystemView(name, curve, low, high, asked, roc_curve(trials, max_points=_DET_POINTS), densities_of(trials))


def explored(views: Sequence[SystemView], captions: Captions, terms: Terms) -> dict[str, Any]:
    """The part of a page that can be moved: systems and the axes they share."""
    limits = det_limits(
        [(view.roc.far, view.roc.frr) for view in views],
        [(float(view.asked.counts.far), float(view.asked.counts.frr)) for view in views],
    )
    together = len(views) <= TOGETHER
    behind = max(view.highest for view in views) if together else 0.0
    return {
        "systems": [view.to_dict(limits, _hter_axis(view, behind, captions.hter)) for view in views],
        "together": together,
        "alpha": alpha_axis(terms).to_dict(),
        "det": {
            "x": det_axis(translate("FAR", terms), limits.far).to_dict(),
            "y": det_axis(translate("FRR", terms), limits.frr).to_dict(),
        },
        "no_threshold": captions.no_threshold,
        "captions": {"epc": captions.epc, "curve": captions.curve, "interval": captions.interval},
    }


def alpha_axis(terms: Terms) -> Axis:
    """The axis of an Expected Performance Curve."""
    return Axis(translate(ALPHA, terms), 0.0, 1.0, linear_ticks(0, 1))


def highest_within(alpha: Floats, values: Floats) -> float:
    """The highest value, but for the ends of alpha."""
    return float(values[(alpha >= ALPHA_ENDS) & (alpha <= 1 - ALPHA_ENDS)].max(initial=0.0))


def _hter_axis(view: SystemView, behind: float, label: str) -> Axis:
    """High enough for the curve, those behind it and most of its band."""
    middle = (view.curve.alpha >= 0.1) & (view.curve.alpha <= 0.9) & ~np.isnan(view.high)
    reach = float(view.high[middle].max(initial=0.0))
    return percent_axis(label, max(view.highest, behind, reach, float(view.asked.counts.hter)))


def densities_of(trials: Trials) -> Densities:
    """Outliers are left out of the picture."""
    scores = trials.column().astype(np.float64, copy=False)
    finite = np.isfinite(scores)
    shown = scores[finite]
    if not len(shown):
        return Densities(0.0, 1.0, np.zeros(1), np.zeros(1))
    check_drawable(shown)
    some = slice(None, None, 1 + len(shown) // _SAMPLED)  # where the axis ends need not be known to the last digit
    ends = [
        np.quantile(shown[some][flags], [0.002, 0.998])
        for flags in _classes(trials.genuine[finite][some])
        if flags.any()
    ]
    low, high = score_range(float(min(end[0] for end in ends)), float(max(end[1] for end in ends)))
    edges = np.linspace(low, high, _BINS + 1)
    genuine, impostor = (
        np.histogram(shown[flags], edges)[0] / max(np.count_nonzero(flags), 1) / (edges[1] - edges[0])
        for flags in _classes(trials.genuine[finite])
    )
    return Densities(low, high, genuine, impostor)


def _classes(genuine: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return genuine, ~genuine
