"""The first look: curves and densities of systems, without anything that takes long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.axes import Axis, Floats, det_axis, det_limits, linear_ticks, percent_axis, probit
from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import RocCurve, roc_curve
from fairtrial.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.judging import judge
from fairtrial.report.views import Densities, alpha_axis, densities_of, highest_within
from fairtrial.tables import Terms, translate
from fairtrial.trial_sets import TrialSets
from fairtrial.trials import Trials

_MOST_POINTS = 2000
"""Of a curve, without losing an extreme."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One system: its DET and ROC curve, its expected performance curve and its scores, which are sorted once."""

    system: str
    roc: RocCurve
    epc: PerformanceCurve
    densities: Densities
    genuine: Floats
    impostor: Floats

    @classmethod
    def of(cls, sets: TrialSets, system: str) -> Look:
        """Look at the judged trials of a system."""
        assert isinstance(sets.test, Trials)
        trials = sets.test.select([system])
        along = judge(sets, system=system, criterion="wer-min", alphas=alpha_grid())
        scores = trials.column().astype(np.float64)
        ordered = (np.sort(scores[rows]) for rows in (trials.genuine, ~trials.genuine))
        return cls(system, roc_curve(trials, max_points=_MOST_POINTS), curve_of(along), densities_of(trials), *ordered)

    def at(self, threshold: float) -> ErrorCounts:
        """The errors at a threshold that is being dragged: looked up, not counted."""
        rejected, below = (int(np.searchsorted(own, threshold, "right")) for own in (self.genuine, self.impostor))
        count = len(self.impostor)
        return ErrorCounts(threshold, count - below, rejected, len(self.genuine), count)

    def to_dict(self) -> dict[str, Any]:
        """What the browser draws."""
        far, frr = self.roc.far, self.roc.frr
        return {
            "name": self.system,
            "threshold": self.roc.threshold.tolist(),
            "far": far.tolist(),
            "frr": frr.tolist(),
            "det": {"x": probit(far).tolist(), "y": probit(frr).tolist()},
            "alpha": self.epc.alpha.tolist(),
            "hter": self.epc.hter.tolist(),
            "density": self.densities.to_dict(),
        }


def shown_together(looks: Sequence[Look], terms: Terms = "default") -> dict[str, Any]:
    """Some systems and the axes that they share."""
    limits = det_limits([(look.roc.far, look.roc.frr) for look in looks], [])
    far, frr = (translate(name, terms) for name in ("FAR", "FRR"))
    highest = max(highest_within(look.epc.alpha, look.epc.hter) for look in looks)
    return {
        "systems": [look.to_dict() for look in looks],
        "axes": {
            "alpha": alpha_axis(terms).to_dict(),
            "hter": percent_axis("HTER", 1.3 * highest).to_dict(),
            "det": {"x": det_axis(far, limits.far).to_dict(), "y": det_axis(frr, limits.frr).to_dict()},
            "roc": {"x": _share_axis(far), "y": _share_axis(f"1 - {frr}")},
        },
        "limits": {"far": list(limits.far), "frr": list(limits.frr)},
    }


def _share_axis(label: str) -> dict[str, Any]:
    ticks = tuple((value / 100, text) for value, text in linear_ticks(0, 100))
    return Axis(f"{label} (%)", 0.0, 1.0, ticks).to_dict()


def drawable(values: Floats) -> list[float | None]:
    """Numbers for a browser; what is not finite is not drawn."""
    return [float(value) if np.isfinite(value) else None for value in values]
