"""What the interactive figures show of a system: its errors at every alpha, its DET curve, its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import roc_curve
from fairtrial.epc import PerformanceCurve, alpha_grid, performance_curve
from fairtrial.intervals.clusters import SharedPeople, interval_of_decisions, wrong_decisions
from fairtrial.intervals.rates import hter_interval
from fairtrial.rules.criteria import Criterion
from fairtrial.trials import Trials

_BINS = 60
_DET_POINTS = 300


@dataclass(frozen=True, slots=True)
class Asked:
    """The operating point that was asked for: errors on test, threshold, interval, and alpha if it has one."""

    counts: ErrorCounts
    threshold: float
    low: float
    high: float
    alpha: float | None

    def to_dict(self) -> dict[str, Any]:
        """What the page gets."""
        rates = {name: float(getattr(self.counts, name)) for name in ("far", "frr", "hter")}
        return {"alpha": self.alpha, "threshold": self.threshold, "low": self.low, "high": self.high, **rates}


def system_view(
    dev: Trials,
    test: Trials,
    *,
    name: str,
    criterion: Criterion,
    asked: Asked,
    shared: SharedPeople | None,
    confidence: float = 0.95,
    curve: PerformanceCurve | None = None,
    group: str = "",
) -> dict[str, Any]:
    """What is drawn for one system; dev and test hold that system only.

    Parameters
    ----------
    asked
        The operating point that was asked for.
    shared
        Which test trials share people; None: all are independent.
    curve
        The curve along alpha, if it is known already.
    """
    found = curve or performance_curve(
        dev, test, alphas=alpha_grid(), criterion=criterion.along_alpha, system=test.systems[0]
    )
    low, high = _intervals(test, found, shared, confidence)
    return {
        "name": name,
        "group": group,
        "alpha": found.alpha.tolist(),
        "threshold": found.threshold.tolist(),
        "far": found.far.tolist(),
        "frr": found.frr.tolist(),
        "hter": found.hter.tolist(),
        "low": low,
        "high": high,
        "asked": asked.to_dict(),
        **posterior_view(test),
    }


def posterior_view(trials: Trials) -> dict[str, Any]:
    """The DET curve and the densities of the scores of one system."""
    roc = roc_curve(trials, max_points=_DET_POINTS)
    return {"det": {"far": roc.far.tolist(), "frr": roc.frr.tolist()}, "density": _densities(trials)}


def _intervals(
    test: Trials, curve: PerformanceCurve, shared: SharedPeople | None, confidence: float
) -> tuple[list[float | None], list[float | None]]:
    known: dict[float, tuple[float, float]] = {}
    pairs: list[tuple[float, float] | tuple[None, None]] = []
    for index, threshold in enumerate(curve.threshold.tolist()):
        if np.isnan(threshold):
            pairs.append((None, None))
            continue
        if threshold not in known:
            if shared is None:
                interval = hter_interval(curve.counts[index].scalar(), confidence=confidence)
            else:
                wrong = wrong_decisions(test, None, threshold)
                interval = interval_of_decisions(test, wrong, confidence=confidence, shared=shared)
            known[threshold] = (interval.low, interval.high)
        pairs.append(known[threshold])
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _densities(trials: Trials) -> dict[str, Any]:
    """Histograms of both classes on the same bins, each of area 1; outliers are left out of the picture."""
    scores = trials.column().astype(np.float64, copy=False)
    finite = np.isfinite(scores)
    shown = scores[finite]
    if not len(shown):
        return {"edges": [0.0, 1.0], "genuine": [0.0], "impostor": [0.0]}
    ends = [np.quantile(shown[flags], [0.002, 0.998]) for flags in _classes(trials.genuine[finite]) if flags.any()]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if high <= low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _BINS + 1)
    genuine, impostor = (
        np.histogram(shown[flags], edges)[0] / max(np.count_nonzero(flags), 1) / (edges[1] - edges[0])
        for flags in _classes(trials.genuine[finite])
    )
    return {"edges": edges.tolist(), "genuine": genuine.tolist(), "impostor": impostor.tolist()}


def _classes(genuine: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return genuine, ~genuine


def people_of_test(test: Trials) -> SharedPeople | None:
    """Who shares test trials; None where no ids tell."""
    return SharedPeople.of(test) if {"claim", "subject"} & set(test.ids) else None
