"""Calibration of scores that are not at hand: fitted and judged in passes over them, with the figures of memory.

Of a source only sums over its scores are asked for: costs and their derivatives by logistic calibration, counts by all
else. Means over trials are the same but for the rounding of sums; what rests on counts is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from fairtrial.calibration.costs import CostLike, cost_target, point_weights
from fairtrial.calibration.evidence import CostPoint, Segments, cllr, segment_cllr
from fairtrial.calibration.isotonic import Steps
from fairtrial.calibration.linear import Linear
from fairtrial.calibration.methods import CALIBRATIONS, DevPasses, ScoreMap
from fairtrial.calibration.model import Calibration, check_prior
from fairtrial.calibration.passed import PassedCalibration
from fairtrial.counting.cells import Cells
from fairtrial.counting.errors import ErrorCounts, Genuine, Scores, ScoreSource, Tally, count_errors, has_sources
from fairtrial.counting.search import hull_points
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.spread import Floats
from fairtrial.trial_sets import SAME_TRIALS, TrialSets, check_same_systems

Total = TypeVar("Total")


@dataclass(frozen=True, slots=True)
class _Mapped:
    """Another tally, of log-likelihood ratios in place of scores."""

    what: Tally[Any]
    mapping: ScoreMap

    def start(self) -> Any:
        return self.what.start()

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        ratios = self.mapping.ratios(scores[:, None].astype(np.float64, copy=False))
        return self.what.add(total, ratios, genuine)

    def merge(self, a: Any, b: Any) -> Any:
        return self.what.merge(a, b)


@dataclass(frozen=True, slots=True, eq=False)
class _CalibratedSource:
    """The log-likelihood ratios of a source of scores."""

    scores: ScoreSource
    mapping: ScoreMap

    @property
    def genuine(self) -> int:
        """How many genuine trials there are."""
        return self.scores.genuine

    @property
    def impostor(self) -> int:
        """How many impostor trials there are."""
        return self.scores.impostor

    @property
    def room(self) -> int:
        """How many ratios may be gathered at once."""
        return self.scores.room

    def lay_cells(self, fineness: int) -> Cells | None:
        """None: what is searched for is searched among scores."""
        return None

    def tally(self, what: Tally[Total]) -> Total:
        """One pass over all scores."""
        found: Total = self.scores.tally(_Mapped(what, self.mapping))
        return found

    def vertices(self) -> ErrorCounts:
        """Errors at thresholds among which every least cost is: those of the ROC convex hull, or all of few steps."""
        if isinstance(self.mapping, Steps):
            return count_errors(self.scores, np.concatenate([[-np.inf], self.mapping.ends, [np.inf]]))
        return hull_points(self.scores)

    def segments(self) -> Segments:
        """What pool-adjacent-violators gives."""
        if not isinstance(self.mapping, Steps):
            return Segments.of(self.scores)
        points = self.vertices()
        genuine, impostor = np.diff(points.false_rejects), -np.diff(points.false_accepts)
        held = (genuine > 0) | (impostor > 0)
        return Segments(np.flatnonzero(held).astype(np.float64), genuine[held], impostor[held]).pooled()


def fit_in_passes(source: ScoreSource, system: str, *, method: str = "logistic", prior: float = 0.5) -> Calibration:
    """Fit a calibration in passes over dev scores.

    Parameters
    ----------
    source : ScoreSource
        The scores of dev.
    system : str
        The name of the system.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`: ``logistic``, ``gaussian`` or ``pav``.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.

    Returns
    -------
    Calibration
        The calibration that `fit_calibration` gives for the same trials in memory.

    Raises
    ------
    ParameterError
        A method that needs all scores at once.
    TrialsError
        As for `fit_calibration`.

    Examples
    --------
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev = ft.open_trials(rng.normal(2.0 * genuine), genuine)
    >>> fit_in_passes(dev.source_of(None), "face").method
    'logistic'
    """
    check_prior(prior)
    known = CALIBRATIONS.find(method)
    if known.fit_in_passes is None:
        able = listed([each.name for each in CALIBRATIONS.values() if each.fit_in_passes is not None])
        raise ParameterError(f"{method} needs all dev scores at once; in passes there are {able}")
    found = known.fit_in_passes(DevPasses(source, system, prior))
    return Calibration((system,), method, found.mapping, prior, found.notes)


_NO_INTERVALS = "the trials were passed over and not held, so there are no intervals"


def calibrate_in_passes(
    dev: Any,
    test: Any,
    *,
    system: str | None = None,
    method: str = "logistic",
    prior: float = 0.5,
    points: Sequence[CostLike] = (CostPoint(0.01),),
) -> PassedCalibration:
    """Calibrate a system on dev and judge it on test, both of any size: in passes, without holding the trials.

    Parameters
    ----------
    dev : object
        The trials that thresholds are chosen on, and that the calibration is fitted to, as `open_trials` gives them.
    test : object
        The trials that are judged, as `open_trials` gives them.
    system : str, optional
        The name of the system; not needed where there is only one.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`: ``logistic``, ``gaussian`` or ``pav``.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    points : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs: operating points, or names of those of NIST's evaluations, as ``sre18``; then each of its
        points is reported, and their mean.

    Returns
    -------
    PassedCalibration
        The figures that `calibrate` gives for the same trials in memory, without intervals.

    Raises
    ------
    TrialsError
        Trials in memory, which `calibrate` is for; or evidence that falls as scores rise.

    Examples
    --------
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev, test = (ft.open_trials(rng.normal(2.0 * genuine), genuine) for _ in range(2))
    >>> found = calibrate_in_passes(dev, test)
    >>> found.test[0] > found.test[1]
    True
    """
    if not has_sources(dev) or not has_sources(test):
        raise TrialsError("calibrate_in_passes takes trials of open_trials; calibrate(...) is for trials in memory")
    check_same_systems(dev, test)
    name = dev.check_system(system)
    scores = dev.source_of(name), test.source_of(name)
    calibration = fit_in_passes(scores[0], name, method=method, prior=prior)
    mapping = calibration.mapping
    if isinstance(mapping, Linear) and mapping.weights[0] <= 0:
        raise TrialsError(f"{name}: evidence falls as the score rises: are the scores distances? Then negate them")
    sets = [_CalibratedSource(own, mapping) for own in scores]
    figures = [(cllr(own), segment_cllr(own.segments())) for own in sets]
    judged, best = sets[1], sets[1].vertices()
    costs = []
    for each in points:
        target = cost_target(each)
        actual = count_errors(judged, [point.threshold for point in target.points])
        priced = [point.normalised(actual[k]) for k, point in enumerate(target.points)]
        least = [np.min(_priced(point, best)) for point in target.points]
        costs.append((target, float(np.mean(priced)), float(np.mean(least))))
    kind = TrialSets(dev, test).kind
    notes = (
        *dev.notes,
        *test.notes,
        *((SAME_TRIALS,) if kind == "a posteriori" else ()),
        *(f"{calibration.name}: {note}" for note in calibration.notes),
        _NO_INTERVALS,
    )
    return PassedCalibration(
        name, calibration, figures[0], figures[1], cllr(scores[1]), tuple(costs), tuple(dict.fromkeys(notes)), kind
    )


def _priced(point: CostPoint, counts: ErrorCounts) -> Floats:
    return np.asarray(point_weights(point).value(counts))
