"""Pooled Expected Performance Curves: how sure they are, and whether those of two fusion methods differ along alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.contest import joined_trials
from fairtrial.benchmark.results import BenchmarkResult, ExperimentResult, group_name
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.checks import check_choice, check_confidence
from fairtrial.claims import Claim, Threshold, ThresholdDeviations, largest_deviation, re_estimated, student_quantile
from fairtrial.draws import RESAMPLES
from fairtrial.errors import ParameterError, listed, shown
from fairtrial.intervals.bands import Band, BandKind
from fairtrial.intervals.rates import normal_quantile
from fairtrial.judging import Judgement
from fairtrial.people import People
from fairtrial.rules.measures import MEASURES, Weights, linear_measure
from fairtrial.significance.curves import CurveComparison, DifferenceAlong
from fairtrial.spread import Floats
from fairtrial.trial_sets import TrialSets, paired_test_name
from fairtrial.trials import Trials

_Terms = Sequence[tuple[float, BenchmarkResult]]


def compare_pooled(
    benchmark: Benchmark,
    a: BenchmarkResult,
    b: BenchmarkResult,
    *,
    group: str = "all",
    threshold: Threshold = "re-estimated",
    simultaneous: bool = True,
    confidence: float = 0.95,
) -> CurveComparison:
    """Test the difference of two methods' pooled Expected Performance Curves at every alpha.

    All experiments of the protocol share trials, and trials share people: the errors of each trial are summed over
    the experiments first, and then by person.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems that the runs were made on.
    a, b : BenchmarkResult
        Runs of two methods over the same protocol, made with ``keep_scores=True``.
    group : str, default "all"
        Which group of experiments; ``all`` pools all of them.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    simultaneous : bool, default True
        Whether the confidence holds over the whole range of alpha, and not at each alpha by itself.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    CurveComparison
        The difference of the pooled HTERs, how sure it is, and the ranges of alpha in which one method is better.

    Raises
    ------
    ParameterError
        Runs of different protocols or without scores, a group that is not known, or random splits of the same trials.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.5 and eqs. (11),
    (12): "to compare two methods over M experiments, only one pooled curve is necessary".

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Benchmark, BenchmarkSet, RunSettings, SystemInfo, Trials, run_benchmark
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> a, b = (
    ...     run_benchmark(tiny, protocol="fp-full", settings=RunSettings(fusion=name, points=11, keep_scores=True))
    ...     for name in ("mean", "min")
    ... )
    >>> compare_pooled(tiny, a, b).difference.shape
    (11,)
    """
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    found = _along(benchmark, [(1.0, a), (-1.0, b)], group, threshold)
    largest = largest_deviation(found.replicates[:, found.supported], confidence, found.seed) if simultaneous else None
    along = DifferenceAlong.of_claims(found.claims, found.supported, confidence, largest)
    return CurveComparison(
        a.label,
        b.label,
        paired_test_name(found.clustered),
        MEASURES["hter"],
        a.pooled[group].alpha,
        along.difference,
        along.low,
        along.high,
        along.statistic,
        along.critical,
        confidence,
        simultaneous,
        along.threshold,
        along.supported,
    )


def pooled_band(
    benchmark: Benchmark,
    run: BenchmarkResult,
    *,
    group: str = "all",
    kind: BandKind = "pointwise",
    threshold: Threshold = "re-estimated",
    confidence: float = 0.95,
) -> Band:
    """Put a band around a pooled Expected Performance Curve.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems that the runs were made on.
    run : BenchmarkResult
        A run over a protocol, made with ``keep_scores=True``.
    group : str, default "all"
        Which group of experiments; ``all`` pools all of them.
    kind : {"pointwise", "simultaneous"}, default "pointwise"
        ``pointwise``: at each alpha its interval, by Student's t. ``simultaneous``: so much wider that the whole curve
        lies within.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    Band
        Limits at every alpha.

    Raises
    ------
    ParameterError
        A run without scores, a group that is not known, or random splits of the same trials.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.5 and eqs. (11),
    (12).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Benchmark, BenchmarkSet, RunSettings, SystemInfo, Trials, run_benchmark
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> run = run_benchmark(tiny, protocol="fp-full", settings=RunSettings(points=11, keep_scores=True))
    >>> pooled_band(tiny, run).low.shape
    (11,)
    """
    check_choice("kind", kind, get_args(BandKind))
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    found = _along(benchmark, [(1.0, run)], group, threshold)
    wider = 1.0
    if kind == "simultaneous":
        critical = largest_deviation(found.replicates[:, found.supported], confidence, found.seed)
        wider = max(critical / normal_quantile(confidence), 1.0) if np.isfinite(critical) else 1.0
    estimate = np.array([claim.estimate for claim in found.claims])
    reach = wider * np.array([student_quantile(claim.degrees, confidence) * claim.sigma for claim in found.claims])
    return Band(
        run.pooled[group].alpha,
        estimate,
        np.clip(estimate - reach, 0, 1),
        np.clip(estimate + reach, 0, 1),
        kind,
        confidence,
        "people" if found.clustered else "none",
        found.claims[0].threshold,
        found.supported,
        run.pooled[group].measure,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Along:
    """What can be claimed of a pooled HTER, or of the difference of two, at every alpha."""

    claims: list[Claim]
    replicates: Floats
    """How it moves with people of test and dev: one row per replicate, one column per alpha."""
    supported: NDArray[np.bool_]
    clustered: bool
    seed: int


def _along(benchmark: Benchmark, terms: _Terms, group: str, threshold: Threshold) -> _Along:
    chosen = [(sign, run, _experiments(benchmark, run, group)) for sign, run in terms]
    _check_runs(benchmark, chosen)
    sets = [one for one in benchmark.sets if any(e.experiment.set == one.name for e in chosen[0][2])]
    counts = [sum(e.experiment.set == one.name for e in chosen[0][2]) for one in sets]
    totals = tuple(
        sum(count * int(np.count_nonzero(one.test.genuine == word)) for one, count in zip(sets, counts, strict=True))
        for word in (True, False)
    )
    people = People.of(joined_trials(sets))
    alphas = chosen[0][1].pooled[group].alpha
    estimates = np.sum([sign * run.pooled[group].hter for sign, run, _ in chosen], axis=0)
    trials = {one.name: next(_judged(e).sets for e in chosen[0][2] if e.experiment.set == one.name) for one in sets}
    moved = None if threshold == "fixed" else _moved(chosen, totals)
    spreads, replicates = [], np.zeros((RESAMPLES, len(alphas)))
    for index in range(len(alphas)):
        parts = {one.name: _deviations(one, chosen, index, totals) for one in sets}
        spreads.append(people.variance(np.concatenate(list(parts.values()))))
        for name, deviations in parts.items():
            replicates[:, index] += _replicates(trials[name], deviations)
    seed = _judged(chosen[0][2][0]).sets.seed
    clustered = people.cluster != "none"
    if moved is None:
        claims = [Claim(e, own, 0.0, own.degrees, "fixed") for e, own in zip(estimates.tolist(), spreads, strict=True)]
        return _Along(claims, replicates, np.ones(len(alphas), dtype=bool), clustered, seed)
    shared = np.zeros(len(alphas))
    if moved.of_people and any(own.overlap for own in trials.values()):
        shared = 2 * np.mean(moved.moved * replicates, axis=0)
    parts_of_each = zip(estimates.tolist(), spreads, moved.variances().tolist(), shared.tolist(), strict=True)
    claims = [re_estimated(estimate, spread, own, joint=joint) for estimate, spread, own, joint in parts_of_each]
    supported = np.all(
        [np.any([_judged(e).supported for e in experiments], axis=0) for _, _, experiments in chosen], axis=0
    )
    return _Along(claims, replicates + moved.moved, supported, clustered, seed)


def _replicates(sets: TrialSets, deviations: Floats) -> Floats:
    """How a sum of contributions of test trials moves when its people, or its trials, are drawn anew."""
    people = sets.people[1]
    if people is not None:
        sums = people.sums_by_person(deviations)
        return sets.draws.move_people(np.concatenate([sums, np.zeros(max(sets.draws.size - len(sums), 0))]))
    assert isinstance(sets.test, Trials)
    total = np.zeros(RESAMPLES)
    for which, rows in enumerate((sets.test.genuine, ~sets.test.genuine)):
        groups = sets.draws.groups(int(rows.sum()), 2 + which)
        total += sets.draws.trials(len(groups), 2 + which) @ np.bincount(groups, deviations[rows])
    return total


def _experiments(benchmark: Benchmark, run: BenchmarkResult, group: str) -> list[ExperimentResult]:
    if group not in run.pooled:
        raise ParameterError(f"there is no group {shown(group)}; there are {listed(run.pooled)}")
    if any(one.split is not None for one in benchmark.sets):
        raise ParameterError("random splits share trials: how sure their pooled curve is cannot be told")
    return [e for e in run.experiments if group in ("all", group_name(e.experiment))]


def _check_runs(benchmark: Benchmark, chosen: Sequence[tuple[float, BenchmarkResult, list[ExperimentResult]]]) -> None:
    runs = {
        (run.benchmark, run.protocol, tuple(e.experiment for e in found), tuple(run.pooled["all"].alpha))
        for _, run, found in chosen
    }
    if len(runs) > 1 or chosen[0][1].benchmark != benchmark.name:
        raise ParameterError(
            "only runs of the same protocol on the same benchmark and at the same alphas are comparable"
        )


def _judged(result: ExperimentResult) -> Judgement:
    if result.curve.judgement is None:
        raise ParameterError("the run was made without its scores; run it with keep_scores=True")
    return result.curve.judgement


def _deviations(
    one: BenchmarkSet,
    chosen: Sequence[tuple[float, BenchmarkResult, list[ExperimentResult]]],
    index: int,
    totals: tuple[int, ...],
) -> Floats:
    """What each test trial of a set adds to the deviation of the pooled HTER or of a difference of two."""
    values = np.zeros(len(one.test))
    for sign, _, experiments in chosen:
        for result in experiments:
            if result.experiment.set == one.name:
                values += sign * _judged(result).wrong(index)
    for word, total in zip((True, False), totals, strict=True):
        rows = one.test.genuine == word
        values[rows] = 0.5 * (values[rows] - values[rows].mean()) / total
    return values


def _moved(
    chosen: Sequence[tuple[float, BenchmarkResult, list[ExperimentResult]]], totals: tuple[int, ...]
) -> ThresholdDeviations | None:
    """By how much the pooled HTER moves with the thresholds of all experiments; None where some were given."""
    parts = []
    for sign, _, experiments in chosen:
        for result in experiments:
            judged = _judged(result)
            if judged.movement is None:
                return None
            counts = judged.at(0)
            weights = Weights(0.5 * counts.impostor / totals[1], 0.5 * counts.genuine / totals[0])
            share = linear_measure("pooled-hter", "HTER", weights)
            parts.append((sign, ThresholdDeviations.of([(1.0, judged)], share)))
    return ThresholdDeviations.together(parts)
