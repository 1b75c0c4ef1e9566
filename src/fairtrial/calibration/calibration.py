"""Calibrate on dev and judge on test, in memory or in passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, TypeVar

import numpy as np

from fairtrial.calibration.estimates import CostLike, CostTarget, Evidence, cost_target, dev_pav_interval, point_weights
from fairtrial.calibration.evidence import CostPoint, Segments, by_class, cllr, dev_pav, min_cllr, segment_cllr
from fairtrial.calibration.measures import CLLR, CLLR_CAL, MIN_CLLR, cost_measure, evidence_interval
from fairtrial.calibration.methods import CALIBRATIONS, DevPasses, Linear, LinearInfluence, ScoreMap, units_of
from fairtrial.calibration.model import Calibration, check_prior, fit_calibration
from fairtrial.calibration.nonparametric import Steps
from fairtrial.calibration.results import CalibratedSystem, CostFigure
from fairtrial.core.errors import ParameterError, TrialsError, check_confidence
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, number_text
from fairtrial.counting.radix import Cells
from fairtrial.counting.search import hull_points
from fairtrial.counting.tallies import ErrorCounts, Genuine, Scores, ScoreSource, Tally, count_errors, has_sources
from fairtrial.inference.estimates import Claim, spread_of_values
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, Kind, TrialSets, check_same_systems
from fairtrial.inference.variance import Floats


def calibrate(
    dev: Trials,
    test: Trials,
    *,
    systems: Sequence[str] | None = None,
    method: str = "logistic",
    prior: float = 0.5,
    points: Sequence[CostLike] = (CostPoint(0.01),),
    partition: Sequence[str] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> CalibratedSystem:
    """Calibrate one system on dev, or several to one, and judge the evidence on test.

    Parameters
    ----------
    dev : Trials
        The trials that thresholds are chosen on, and that the calibration is fitted to.
    test : Trials
        The trials that are judged.
    systems : sequence of str, optional
        The names of the systems, fused where there are several; all by default.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    points : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs: operating points, or names of those of NIST's evaluations, as ``sre18``; then each of its
        points is reported, and their mean.
    partition : sequence of str, default ()
        Further columns of test. Detection costs are then means of error rates over the parts that their values divide
        the trials into, all at the same threshold.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.

    Returns
    -------
    CalibratedSystem
        The calibration, Cllr and detection costs with intervals.

    Raises
    ------
    ParameterError
        A method, cost or number that cannot be.
    TrialsError
        A class without trials, different systems in dev and test, or scores that the method cannot be fitted to.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> def make(seed):
    ...     genuine = np.arange(4000) < 1000
    ...     return Trials.from_arrays(np.random.default_rng(seed).normal(2.0 * genuine), genuine)
    >>> found = calibrate(make(1), make(2))
    >>> found.test[0] > found.test[1]
    True
    """
    calibration = fit_calibration(dev, systems=systems, method=method, prior=prior)
    on_dev = calibration.ratios(dev)
    pair = on_dev[dev.genuine], on_dev[~dev.genuine]
    evidence = Evidence(calibration, TrialSets(dev, test, cluster))
    return _judged(evidence, (cllr(pair), min_cllr(pair)), _targets(points, partition), confidence)


def judge_calibration(
    calibration: Calibration,
    test: Trials,
    *,
    points: Sequence[CostLike] = (CostPoint(0.01),),
    partition: Sequence[str] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> CalibratedSystem:
    """Judge a calibration that was fitted before, on test.

    Parameters
    ----------
    calibration : Calibration
        What `fit_calibration` or `Calibration.load` gives.
    test : Trials
        The trials that are judged; the calibration was not fitted on them.
    points : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs: operating points, or names of those of NIST's evaluations, as ``sre18``; then each of its
        points is reported, and their mean.
    partition : sequence of str, default ()
        Further columns of test. Detection costs are then means of error rates over the parts that their values divide
        the trials into, all at the same threshold.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.

    Returns
    -------
    CalibratedSystem
        As of `calibrate`; all intervals are given this calibration, and there are no figures on dev.

    Raises
    ------
    ParameterError
        A cost or number that cannot be.
    TrialsError
        A class without trials, or a system that the trials do not have.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> judge_calibration(ft.calibration.fit_calibration(dev), test).dev is None
    True
    """
    evidence = Evidence(replace(calibration, influence=None), TrialSets(None, test, cluster))
    return _judged(evidence, None, _targets(points, partition), confidence)


def _judged(
    evidence: Evidence, on_dev: tuple[float, float] | None, targets: Sequence[CostTarget], confidence: float
) -> CalibratedSystem:
    check_confidence(confidence)
    calibration = evidence.calibration
    raw = cllr(evidence.test, system=calibration.systems[0]) if len(calibration.systems) == 1 else nan
    first = evidence_interval(CLLR, evidence, confidence=confidence)
    fixed = evidence_interval(CLLR, evidence, confidence=confidence, threshold="fixed")
    costs = tuple(_cost_of(evidence, target, confidence) for target in targets)
    own_notes = [note for cost in costs for note in cost.notes]
    if first.estimate == inf:
        own_notes.append(
            "Cllr is infinite: a test trial has infinite evidence for the wrong side, so no difference from other "
            "systems is tested"
        )
    return CalibratedSystem(
        calibration,
        _parameter_intervals(evidence, confidence),
        on_dev,
        raw,
        (first,) if first.threshold == "fixed" else (first, fixed),
        evidence_interval(MIN_CLLR, evidence, confidence=confidence),
        evidence_interval(CLLR_CAL, evidence, confidence=confidence),
        dev_pav(evidence.pair),
        dev_pav_interval(evidence, confidence=confidence),
        costs,
        (*evidence.sets.notes, *(f"{calibration.name}: {note}" for note in (*calibration.notes, *own_notes))),
        evidence.sets,
    )


def _targets(points: Sequence[CostLike], partition: Sequence[str]) -> list[CostTarget]:
    """The costs that are asked for: of several points, each of them and then their mean."""
    found = []
    for each in points:
        target = cost_target(each, partition)
        if len(target.points) > 1:
            found += [cost_target(point, target.partition) for point in target.points]
        found.append(target)
    return found


def _cost_of(evidence: Evidence, target: CostTarget, confidence: float) -> CostFigure:
    """A detection cost of a calibrated system, actual and least."""
    actual, least = (
        evidence_interval(cost_measure(target, least=least), evidence, confidence=confidence) for least in (False, True)
    )
    accepted = None
    if len(target.points) == 1:
        counts = count_errors(evidence.pair, target.points[0].threshold)
        accepted = int(counts.false_accepts), int(counts.genuine - counts.false_rejects)
    return CostFigure(target, actual, least, accepted)


def _parameter_intervals(evidence: Evidence, confidence: float) -> tuple[RateInterval, ...]:
    """Student's intervals of weights and offset, by dev people."""
    calibration, sets = evidence.calibration, evidence.sets
    if not isinstance(calibration.influence, LinearInfluence):
        return ()
    people = sets.people[0]
    shown = calibration.mapping.described(calibration.systems)
    found = []
    for (name, value), influence in zip(shown.items(), calibration.influence.by_parameter.T, strict=True):
        genuine = evidence.dev.genuine
        moves = by_class(influence, genuine)
        unit = float(units_of(moves[:, None])[0])
        spread = spread_of_values(people, genuine, moves / unit)
        own = Claim(value / unit, spread, 0.0, spread.degrees, "fixed")
        sigma = own.sigma * unit
        reach = own.quantile(confidence) * sigma
        sharing = "none" if people is None else people.cluster
        ends = value - reach, value + reach
        found.append(RateInterval(value, *ends, sigma, confidence, "student", name, is_share=False, sharing=sharing))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PassedCalibration(Result):
    """A system calibrated on dev and judged on test in passes: figures without intervals.

    Attributes
    ----------
    system : str
        The system's name.
    calibration : Calibration
        The map from scores to ratios.
    dev : tuple of (float, float)
        Cllr and min Cllr on dev.
    test : tuple of (float, float)
        Cllr of the calibrated scores on test, a priori, and min Cllr, a posteriori.
    raw : float
        Cllr of the scores on test as they are.
    costs : tuple of tuple of (CostTarget, float, float)
        Each detection cost with its actual and its least value on test.
    notes : tuple of str
        What the reader should know.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether Cllr and actual costs on test are a priori.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(2000) < 500
    >>> dev, test = (ft.open_trials(rng.normal(2.0 * genuine), genuine) for _ in range(2))
    >>> ft.calibration.calibrate_in_passes(dev, test).calibration.method
    'logistic'
    """

    system: str
    calibration: Calibration
    dev: tuple[float, float]
    test: tuple[float, float]
    raw: float
    costs: tuple[tuple[CostTarget, float, float], ...]
    notes: tuple[str, ...]
    kind: Kind

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "system": self.system,
            "method": self.calibration.method,
            "prior": self.calibration.prior,
            "parameters": self.calibration.parameters,
            "dev": {"cllr": self.dev[0], "cllr_min": self.dev[1]},
            "test": {
                "kind": self.kind,
                "cllr": self.test[0],
                "cllr_min": self.test[1],
                "cllr_cal": self.test[0] - self.test[1],
                "cllr_raw": self.raw,
                "dcf": [{"cost": own.name, "actual": actual, "minimum": least} for own, actual, least in self.costs],
            },
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
        """Cllr and min Cllr."""
        actual, least = (number_text(value) for value in self.test)
        return f"{self.calibration.name}, Cllr {actual}, min Cllr {least}, without intervals"

    def tables(self) -> tuple[Table, ...]:
        """Cllr on both sets, detection costs, and the calibration itself."""
        columns = (
            Column("system", "system"),
            Column("set", "set", "term"),
            Column("cllr", "Cllr", "number"),
            Column("cllr_min", "min Cllr", "number"),
            Column("cllr_cal", "lost by calibration", "number"),
            Column("cllr_raw", "Cllr of the scores as they are", "number"),
        )
        rows = tuple(
            (self.system, word, actual, least, actual - least, raw)
            for word, (actual, least), raw in (("dev", self.dev, None), ("test", self.test, self.raw))
        )
        own = PROVENANCES[self.kind]
        judged = f"Cllr on test is {own.evidence_kind}, calibrated {own.fitted}"
        notes = (judged, "min Cllr is a posteriori on either set", *self.notes)
        costs = (
            Column("system", "system"),
            Column("cost", "cost"),
            Column("actual", "actual DCF", "number"),
            Column("minimum", "min DCF", "number"),
        )
        priced = tuple((self.system, own.name, actual, least) for own, actual, least in self.costs)
        shown = self.calibration.mapping.described((self.system,))
        values = (Column("system", "system"), Column("parameter", "parameter"), Column("value", "value", "number"))
        return (
            Table("evidence", "Evidence, in bits", columns, rows, notes, section="system"),
            Table("costs", "Normalised detection costs on test", costs, priced, section="system"),
            Table(
                "parameters",
                f"Calibration: {self.calibration.method}",
                values,
                tuple((self.system, *own) for own in shown.items()),
                section="system",
            ),
        )


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
        *(("dev and test are the same trials",) if kind == "a posteriori" else ()),
        *(f"{calibration.name}: {note}" for note in calibration.notes),
        _NO_INTERVALS,
    )
    return PassedCalibration(
        name, calibration, figures[0], figures[1], cllr(scores[1]), tuple(costs), tuple(dict.fromkeys(notes)), kind
    )


def _priced(point: CostPoint, counts: ErrorCounts) -> Floats:
    return np.asarray(point_weights(point).value(counts))
