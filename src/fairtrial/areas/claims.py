"""How sure an area is: what each trial of dev and test adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.areas.aims import Aims, slopes_of
from fairtrial.areas.results import AreaName
from fairtrial.claims import Claim, claim_of_values
from fairtrial.counting.errors import as_source, count_errors
from fairtrial.counting.search import all_points
from fairtrial.errors import TrialsError
from fairtrial.spread import Floats
from fairtrial.trial_sets import TrialSets
from fairtrial.trials import Trials


def area_claims(sets: TrialSets, systems: list[tuple[float, str]], aims: Aims) -> dict[AreaName, Claim]:
    """An area is a weighted mean of figures at dev's thresholds, so it is a sum over test trials and over dev trials.

    A test trial adds what the thresholds that decide it wrongly weigh, times the slope of the figure there. A dev
    trial adds what its errors move the thresholds by, times what that changes on test.
    """
    if not isinstance(sets.dev, Trials) or not isinstance(sets.test, Trials):
        raise TrialsError("areas with intervals and tests need dev and test as Trials")
    dev, test = sets.dev, sets.test
    parts = [(sign, _by_trial(dev, test, system, aims)) for sign, system in systems]
    names: tuple[AreaName, ...] = ("e_v1", "e_v2", "g")
    found: dict[AreaName, Claim] = {}
    for name in names:
        on_test = np.sum([sign * own.test[name] for sign, own in parts], axis=0)
        on_dev = np.sum([sign * own.dev[name] for sign, own in parts], axis=0)
        estimate = float(sum(sign * own.estimate[name] for sign, own in parts))
        found[name] = claim_of_values(sets, estimate, on_test, on_dev, differs=len(parts) > 1)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _ByTrial:
    """The areas of one system, what each test trial adds to them, and each dev trial through the thresholds."""

    estimate: dict[AreaName, float]
    test: dict[AreaName, Floats]
    dev: dict[AreaName, Floats]


def _by_trial(dev: Trials, test: Trials, system: str, aims: Aims) -> _ByTrial:
    points = all_points(as_source(dev, system=system, what="dev"))
    on_test = count_errors(as_source(test, system=system, what="test"), points.threshold)
    mean = aims.pair.mean
    value, slopes = np.asarray(mean(on_test)), slopes_of(mean, on_test)
    estimates, by_test, by_dev = [], [], []
    for own in (aims.pair.v1, aims.pair.v2):
        weight = aims.weights(points, own)
        estimates.append(float(np.dot(weight, value)))
        by_test.append(_summed(test, system, points.threshold, weight * slopes[0], weight * slopes[1]))
        by_dev.append(_summed(dev, system, points.threshold, *aims.moved_by(points, own, value)))
    return _ByTrial(_with_mean(estimates), _with_mean(by_test), _with_mean(by_dev))


def _with_mean(both: Sequence[Any]) -> dict[AreaName, Any]:
    return {"e_v1": both[0], "e_v2": both[1], "g": (both[0] + both[1]) / 2}


def _summed(trials: Trials, system: str, thresholds: Floats, by_far: Floats, by_frr: Floats) -> Floats:
    """The sum over the thresholds that decide a trial wrongly: an impostor below its score, a genuine trial above."""
    rank = np.searchsorted(thresholds, trials.column(system), side="left")
    accepted, rejected = (np.concatenate([[0.0], np.cumsum(values)]) for values in (by_far, by_frr))
    return np.where(trials.genuine, rejected[-1] - rejected[rank], accepted[rank])
