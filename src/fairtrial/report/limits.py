"""The intervals that pages show at thresholds that no result holds: who shares trials, and how they are made."""

from __future__ import annotations

import numpy as np

from fairtrial.axes import Floats
from fairtrial.counting.errors import ErrorCounts
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import TrialsError
from fairtrial.intervals.clusters import SharedPeople, interval_of_decisions, wrong_decisions
from fairtrial.intervals.rates import RateInterval, hter_interval
from fairtrial.people import Cluster
from fairtrial.trials import Trials


def sharing(test: Trials, cluster: Cluster | None = None) -> SharedPeople | None:
    """Who shares test trials; None where all count as independent: no ids, one person only, or so asked for."""
    if cluster == "none" or (cluster is None and not (test.claim or test.subject)):
        return None
    try:
        return SharedPeople.of(test, cluster)
    except TrialsError:
        if cluster is not None:
            raise
        return None


def interval_at(
    test: Trials, counts: ErrorCounts, system: str, shared: SharedPeople | None, confidence: float
) -> RateInterval:
    """The interval of the HTER at one threshold, given that threshold."""
    if shared is None:
        return hter_interval(counts, confidence=confidence)
    wrong = wrong_decisions(test, system, float(counts.threshold))
    return interval_of_decisions(test, wrong, confidence=confidence, shared=shared)


def limits_along(
    test: Trials, curve: PerformanceCurve, system: str, shared: SharedPeople | None, confidence: float
) -> tuple[Floats, Floats]:
    """The limits of the HTER along a curve; NaN where no single threshold was used."""
    known: dict[float, RateInterval] = {}
    found = np.full((2, len(curve.alpha)), np.nan)
    for place, threshold in enumerate(curve.threshold.tolist()):
        if np.isnan(threshold):
            continue
        if threshold not in known:
            known[threshold] = interval_at(test, curve.counts[place].scalar(), system, shared, confidence)
        found[:, place] = known[threshold].interval
    return found[0], found[1]
