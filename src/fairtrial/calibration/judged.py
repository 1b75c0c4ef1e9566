"""Calibrated on dev, judged on test: how good the evidence is, how sure that is, and what calibration costs.

The interval of Cllr knows who shares trials, and that dev was a sample too: with other dev people the calibration would
have been another one (calibration re-estimated).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan

from fairtrial.calibration.costs import CostLike, CostTarget, cost_target
from fairtrial.calibration.evidence import CostPoint, cllr, dev_pav, min_cllr
from fairtrial.calibration.figures import Evidence
from fairtrial.calibration.left_out import dev_pav_interval
from fairtrial.calibration.linear import LinearInfluence
from fairtrial.calibration.measures import CLLR, CLLR_CAL, MIN_CLLR, cost_measure, evidence_interval
from fairtrial.calibration.methods import units_of
from fairtrial.calibration.model import Calibration, fit_calibration
from fairtrial.calibration.results import CalibratedSystem, CostFigure
from fairtrial.calibration.values import by_class
from fairtrial.checks import check_confidence
from fairtrial.claims import Claim, spread_of_values
from fairtrial.counting.errors import count_errors
from fairtrial.intervals.rates import RateInterval
from fairtrial.people import Cluster
from fairtrial.trial_sets import TrialSets
from fairtrial.trials import Trials


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
    >>> judge_calibration(ft.fit_calibration(dev), test).dev is None
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
