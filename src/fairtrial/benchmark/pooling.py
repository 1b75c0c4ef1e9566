"""Compare fusion methods over a protocol: mean HTERs, and pooled Expected Performance Curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.datasets import FailedEnrolment, load_benchmark
from fairtrial.benchmark.protocols import list_experiments
from fairtrial.benchmark.results import BenchmarkResult, ExperimentResult, group_name
from fairtrial.benchmark.run import RunSettings, run_benchmark
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, percent, shown
from fairtrial.evaluation.bands import Band, BandKind
from fairtrial.evaluation.curve_tests import CurveComparison, DifferenceAlong
from fairtrial.formats.files import PathLike
from fairtrial.fusion.combination import Inner, Missing
from fairtrial.fusion.fusion import mean_gain
from fairtrial.fusion.methods import FusionMethod, as_fusion
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    Claim,
    Threshold,
    ThresholdDeviations,
    largest_deviation,
    re_estimated,
    student_quantile,
)
from fairtrial.inference.intervals import normal_quantile
from fairtrial.inference.multiplicity import Correction, adjust_p_values, compact_letters
from fairtrial.inference.multipliers import RESAMPLES
from fairtrial.inference.people import People
from fairtrial.inference.split import TrialSets, paired_test_name
from fairtrial.inference.tests import TEST_COLUMNS, TestResult, student_test
from fairtrial.inference.variance import Floats, contributions
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES, Weights, linear_measure, linear_weights

_ON_A_PAGE = 60
"""Number of experiments up to which a page shows each."""
_MOST_NOTES = 12
"""Number of notes that are shown below a table of experiments; JSON has all."""


@dataclass(frozen=True, slots=True)
class ContestRank(Record):
    """A method, its mean HTER over all experiments, and the letters it shares with those that do not differ from it."""

    FIELDS: ClassVar = (
        Field("fusion", "fusion"),
        Field("hter", "mean HTER", "rate"),
        Field("beta_min", "mean beta_min", "ratio"),
        Field("better", "better than the best system", "count"),
        Field("letters", "letters"),
    )

    fusion: str
    hter: float
    beta_min: float
    """The mean of the finite gains."""
    better: int
    """Experiments in which it is significantly better than the best of its systems."""
    letters: str


@dataclass(frozen=True, slots=True)
class ContestPair:
    """Two methods: the difference of their mean HTERs and its test."""

    a: str
    b: str
    test: TestResult
    p_adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """Give the pair under the names of the command line's JSON."""
        return {"a": self.a, "b": self.b, **self.test.to_dict(), "p_adjusted": self.p_adjusted}


@dataclass(frozen=True, slots=True, repr=False)
class Contest(Result):
    """Fusion methods in the order of their mean HTER.

    Attributes
    ----------
    protocol : str
        The name of the protocol.
    ranking : tuple of ContestRank
        The methods from the lowest to the highest mean HTER.
    pairs : tuple of ContestPair
        The test of each pair; none for random splits of the same trials.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo, compare_runs
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> runs = [
    ...     run_benchmark(tiny, protocol="fp-full", settings=RunSettings(fusion=name, points=11, keep_scores=True))
    ...     for name in ("mean", "min")
    ... ]
    >>> len(compare_runs(tiny, runs).pairs)
    1
    """

    FIELDS: ClassVar = (
        Field("protocol"),
        Field("ranking"),
        Field("pairs", get=lambda contest: [pair.to_dict() for pair in contest.pairs]),
        Field("notes"),
    )

    protocol: str
    ranking: tuple[ContestRank, ...]
    pairs: tuple[ContestPair, ...]
    notes: tuple[Note, ...] = ()

    def answer(self) -> str:
        """Give the methods in their order."""
        ranks = (f"{rank.fusion} {percent(rank.hter)}" for rank in self.ranking)
        return f"{self.protocol}, mean HTER of {listed(ranks, 6)}"

    def tables(self) -> tuple[Table, ...]:
        """Give the ranking, and the test of each pair."""
        letters = Note("letters", "methods that share a letter do not differ significantly")
        caption = "Fusion methods by their mean HTER over all experiments"
        notes = (*([letters] if self.pairs else []), *self.notes)
        ranking = table_of("ranking", caption, ContestRank.FIELDS, self.ranking, notes=notes)
        if not self.pairs:
            return (ranking,)
        columns = (Column("a", "A"), Column("b", "B"), *TEST_COLUMNS, Column("p_adjusted", "p adjusted", "p"))
        records = [{**pair.to_dict(), **pair.test.cells()} for pair in self.pairs]
        return ranking, Table.of("pairs", "Tests of the difference A - B in mean HTER", columns, records)


def compare_runs(
    benchmark: Benchmark,
    results: Sequence[BenchmarkResult],
    *,
    correction: Correction = "holm",
    confidence: float = 0.95,
) -> Contest:
    """Compare runs of several fusion methods over the same protocol.

    The mean HTER over all experiments is compared. All of them share trials, and trials share people: the contribution
    of each trial is summed over the experiments first, and then by person. Random splits of the same trials cannot be
    tested this way; they are ranked only.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems that the runs were made on.
    results : sequence of BenchmarkResult
        One run per method, at least two.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1: methods differ significantly if the adjusted p value is below 1
        minus this.

    Returns
    -------
    Contest
        The methods in the order of their mean HTER, and a test of each pair.

    Raises
    ------
    ParameterError
        If there are fewer than two different methods, or the runs are of different protocols.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> runs = [
    ...     run_benchmark(tiny, protocol="fp-full", settings=RunSettings(fusion=name, points=11, keep_scores=True))
    ...     for name in ("mean", "min")
    ... ]
    >>> [rank.fusion for rank in compare_runs(tiny, runs).ranking]
    ['mean', 'min']
    """
    names = [run.label for run in results]
    if len(results) < 2 or len(set(names)) != len(names):
        raise ParameterError(
            f"a comparison needs at least two different methods, not {listed(names) or 'none'}", code="methods"
        )
    _check_same([(run.benchmark, run.protocol, *(each.experiment for each in run.experiments)) for run in results])
    _check_same([benchmark.name, results[0].benchmark])
    means = [float(np.mean([float(each.counts.hter) for each in run.experiments])) for run in results]
    order = np.argsort(means, kind="stable").tolist()
    has_splits = any(one.split is not None for one in benchmark.sets)
    pairs = [] if has_splits else _pairs(benchmark, results, names, order, correction)
    place = {names[k]: index for index, k in enumerate(order)}
    different = [
        (min(place[pair.a], place[pair.b]), max(place[pair.a], place[pair.b]))
        for pair in pairs
        if pair.p_adjusted < 1 - confidence
    ]
    letters = compact_letters(len(order), different) if pairs else [""] * len(order)
    gains = [mean_gain([each.beta_min for each in run.experiments]) for run in results]
    ranking = tuple(
        ContestRank(
            names[k],
            means[k],
            gains[k][0],
            sum(each.p_adjusted < 1 - confidence and each.test.estimate < 0 for each in results[k].experiments),
            letters[index],
        )
        for index, k in enumerate(order)
    )
    notes = []
    if has_splits:
        notes.append(Note("splits", "random splits share trials, so differences of methods have no valid test"))
    left_out = [f"{names[k]} {gains[k][1]}" for k in order if gains[k][1]]
    if left_out:
        template = "mean beta_min leaves out experiments in which the fusion made no error: {left_out:list}"
        notes.append(Note("infinite-gain", template, left_out=left_out))
    return Contest(results[0].protocol, ranking, tuple(pairs), tuple(notes))


def _check_same(runs: Sequence[Any]) -> None:
    """Raise an error if runs differ in benchmark, protocol or alphas."""
    if any(run != runs[0] for run in runs[1:]):
        raise ParameterError(
            "only runs of the same protocol on the same benchmark, at the same alphas, can be compared",
            code="different-runs",
        )


def _pairs(
    benchmark: Benchmark,
    results: Sequence[BenchmarkResult],
    names: Sequence[str],
    order: Sequence[int],
    correction: Correction,
) -> list[ContestPair]:
    """Test the difference in mean HTER of each pair of methods."""
    people = People.of(joined_trials(benchmark.sets))
    name = paired_test_name(people.cluster != "none")
    weights = linear_weights("hter")
    errors = []
    for run in results:
        by_set = {one.name: np.zeros(len(one.test)) for one in benchmark.sets}
        for each in run.experiments:
            by_set[each.experiment.set] += each.wrong(len(by_set[each.experiment.set]))
        errors.append({one: wrong / len(run.experiments) for one, wrong in by_set.items()})
    tests = []
    for i, j in combinations(order, 2):
        parts, estimate = [], 0.0
        for one in benchmark.sets:
            values = errors[i][one.name] - errors[j][one.name]
            genuine = one.test.genuine
            parts.append(contributions(genuine, values, weights[:2]))
            estimate += weights.frr * float(values[genuine].mean()) + weights.far * float(values[~genuine].mean())
        spread = people.variance(np.concatenate(parts))
        signed = [
            (sign / len(run.experiments), each.moved)
            for sign, run in ((1.0, results[i]), (-1.0, results[j]))
            for each in run.experiments
        ]
        known = [(sign, moved) for sign, moved in signed if moved is not None]
        claim = Claim(estimate, spread, 0.0, spread.degrees, "fixed")
        if len(known) == len(signed):
            claim = re_estimated(estimate, spread, float(ThresholdDeviations.together(known).variances()[0]))
        tests.append((i, j, student_test(name, claim)))
    adjusted = adjust_p_values([test.p_value for _, _, test in tests], correction)
    return [ContestPair(names[i], names[j], test, float(p)) for (i, j, test), p in zip(tests, adjusted, strict=True)]


def joined_trials(sets: Sequence[BenchmarkSet]) -> Trials:
    """Join the test trials of all sets, without their scores."""
    return Trials.concat(
        [
            Trials(np.zeros((len(test), 1)), test.genuine, ("all",), claim=test.claim, subject=test.subject)
            for test in (one.test for one in sets)
        ]
    )


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
        The difference of the pooled HTERs, its limits, and the ranges of alpha in which one method is better.

    Raises
    ------
    ParameterError
        If the runs are of different protocols or without scores, the group is unknown, or there are random splits.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.5 and eqs. (11),
    (12): "to compare two methods over M experiments, only one pooled curve is necessary".

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo
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
        ``pointwise``: the interval at each alpha, by Student's t. ``simultaneous``: a band for the whole curve.
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
        If the run is without scores, the group is unknown, or there are random splits.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.5 and eqs. (11),
    (12).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, run_benchmark
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo
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
    """Estimates of a pooled HTER, or of the difference of two, at every alpha."""

    claims: list[Claim]
    replicates: Floats
    """Deviations by people of test and dev: one row per replicate, one column per alpha."""
    supported: NDArray[np.bool_]
    clustered: bool
    seed: int


def _judged(result: ExperimentResult) -> Judgement:
    if result.curve.judgement is None:
        raise ParameterError(
            "the run was made without its scores; run it with {keep_scores!o}", code="no-scores", keep_scores=True
        )
    return result.curve.judgement


def _along(
    benchmark: Benchmark, terms: Sequence[tuple[float, BenchmarkResult]], group: str, threshold: Threshold
) -> _Along:
    """Estimate a signed sum of pooled HTERs at every alpha, with its variance by people and by thresholds."""
    for _, run in terms:
        if group not in run.pooled:
            raise ParameterError(f"there is no group {shown(group)}; there are {listed(run.pooled)}", code="no-group")
    if any(one.split is not None for one in benchmark.sets):
        raise ParameterError(
            "random splits share trials, so the pooled curve has no valid interval or test", code="splits"
        )
    _check_same(
        [(run.benchmark, run.protocol, tuple(run.pooled["all"].alpha), len(run.experiments)) for _, run in terms]
    )
    _check_same([benchmark.name, terms[0][1].benchmark])
    chosen = [
        (sign, [each for each in run.experiments if group in ("all", group_name(each.experiment))])
        for sign, run in terms
    ]
    _check_same([[each.experiment for each in experiments] for _, experiments in chosen])
    first = chosen[0][1]
    sets = [one for one in benchmark.sets if any(each.experiment.set == one.name for each in first)]
    genuine, impostor = (
        sum(int(np.count_nonzero(_test(each, sets).genuine == word)) for each in first) for word in (True, False)
    )
    people = People.of(joined_trials(sets))
    alphas = terms[0][1].pooled[group].alpha
    estimates = np.sum([sign * run.pooled[group].hter for sign, run in terms], axis=0)
    trials = {one.name: next(_judged(each).sets for each in first if each.experiment.set == one.name) for one in sets}
    spreads, replicates = [], np.zeros((RESAMPLES, len(alphas)))
    for index in range(len(alphas)):
        parts = []
        for one in sets:
            # what each test trial adds to the deviation of the sum
            values = np.zeros(len(one.test))
            for sign, experiments in chosen:
                for each in experiments:
                    if each.experiment.set == one.name:
                        values += sign * _judged(each).wrong(index)
            for rows, total in ((one.test.genuine, genuine), (~one.test.genuine, impostor)):
                values[rows] = 0.5 * (values[rows] - values[rows].mean()) / total
            parts.append(values)
            replicates[:, index] += _replicates(trials[one.name], values)
        spreads.append(people.variance(np.concatenate(parts)))
    seed, clustered = _judged(first[0]).sets.seed, people.cluster != "none"
    signed = [(sign, _judged(each)) for sign, experiments in chosen for each in experiments]
    if threshold == "fixed" or any(judged.movement is None for _, judged in signed):
        claims = [Claim(e, own, 0.0, own.degrees, "fixed") for e, own in zip(estimates.tolist(), spreads, strict=True)]
        return _Along(claims, replicates, np.ones(len(alphas), dtype=bool), clustered, seed)
    deviations = []
    for sign, judged in signed:
        counts = judged.at(0)
        weights = Weights(0.5 * counts.impostor / impostor, 0.5 * counts.genuine / genuine)
        share = linear_measure("pooled-hter", "HTER", weights)
        deviations.append((sign, ThresholdDeviations.of([(1.0, judged)], share)))
    moved = ThresholdDeviations.together(deviations)
    joint = np.zeros(len(alphas))
    if moved.of_people and any(own.overlap for own in trials.values()):
        joint = 2 * np.mean(moved.moved * replicates, axis=0)
    parts_of_each = zip(estimates.tolist(), spreads, moved.variances().tolist(), joint.tolist(), strict=True)
    claims = [re_estimated(estimate, spread, own, joint=shared) for estimate, spread, own, shared in parts_of_each]
    supported = np.all(
        [np.any([_judged(each).supported for each in experiments], axis=0) for _, experiments in chosen], axis=0
    )
    return _Along(claims, replicates + moved.moved, supported, clustered, seed)


def _test(result: ExperimentResult, sets: Sequence[BenchmarkSet]) -> Trials:
    return next(one.test for one in sets if one.name == result.experiment.set)


def _replicates(sets: TrialSets, deviations: Floats) -> Floats:
    """Draw a sum of contributions of test trials anew, by its people, or by its trials."""
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FusionBenchmark(Result):
    """One or several fusion methods over a protocol.

    Attributes
    ----------
    runs : tuple of BenchmarkResult
        One run per method.
    contest : Contest or None
        The comparison of the methods; None for one method.
    pooled : CurveComparison or None
        The test of the pooled curves of two methods along alpha, if asked for.
    benchmark : Benchmark or None
        The sets that were run.
    confidence : float
        The level of confidence.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.benchmark import Benchmark, BenchmarkSet, RunSettings, SystemInfo, benchmark_fusions
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = Benchmark("tiny", "Tiny", (BenchmarkSet("one", dev, test, parts),))
    >>> found = benchmark_fusions(tiny, ["mean", "min"], settings=RunSettings(points=11))
    >>> [run.fusion for run in found.runs], found.contest.ranking[0].fusion
    (['mean', 'min'], 'mean')
    """

    runs: tuple[BenchmarkResult, ...]
    contest: Contest | None = None
    pooled: CurveComparison | None = None
    benchmark: Benchmark | None = None
    confidence: float = 0.95

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read."""
        return () if self.benchmark is None else tuple(map(str, self.benchmark.files))

    def page_parts(self) -> tuple[Any, dict[str, Any]]:
        """Give what its page is made of."""
        if len(self.runs) > 1:
            raise ParameterError("a page is of one fusion method; name one with {fusions!p}", fusions=0)
        return self.runs[0], {"benchmark": self.benchmark, "confidence": self.confidence}

    def to_dict(self) -> dict[str, Any]:
        """Give the run of one method, or the runs of several and their comparison."""
        if self.contest is None:
            return self.runs[0].to_dict()
        pooled = {} if self.pooled is None else {"pooled_comparison": self.pooled.to_dict()}
        return {"runs": [run.to_dict() for run in self.runs], "comparison": self.contest.to_dict(), **pooled}

    def answer(self) -> str:
        """Give the ranking of several methods, or the run of one."""
        return self.runs[0].answer() if self.contest is None else self.contest.answer()

    def tables(self) -> tuple[Table, ...]:
        """Give the experiments of all methods; the single systems, which are the same for all, once; and the rest."""
        found = [run.tables() for run in self.runs]
        (main,) = join_tables([tables[:1] for tables in found])
        if len(main.notes) > _MOST_NOTES:
            template = "and {count:plural more note}; the JSON has all"
            more = Note("more-notes", template, count=len(main.notes) - _MOST_NOTES)
            main = replace(main, notes=(*main.notes[:_MOST_NOTES], more))
        if self.contest is not None:
            columns = (replace(column, detail=column.detail and column.key != "fusion") for column in main.columns)
            caption = f"{self.runs[0].title}, {self.contest.protocol}, {self.runs[0].kind}"
            main = replace(main, columns=tuple(columns), caption=caption)
        of_sets = ("systems", "system spreads")
        once = [table for table in found[0][1:] if table.name in of_sets]
        others = [
            table if self.contest is None else replace(table, name=f"{table.name}: {run.label}")
            for run, tables in zip(self.runs, found, strict=True)
            for table in tables[1:]
            if table.name not in of_sets
        ]
        compared = [each.tables() for each in (self.contest, self.pooled) if each is not None]
        return (main, *once, *others, *(table for tables in compared for table in tables))


def benchmark_fusions(
    benchmark: Benchmark,
    fusions: Sequence[str | FusionMethod] = ("mean",),
    *,
    protocol: str = "fp-2",
    settings: RunSettings | None = None,
    pooled: int | None = None,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> FusionBenchmark:
    """Run a protocol by one or several fusion methods, and compare them.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems; see `load_benchmark`.
    fusions : sequence of str or FusionMethod, default ("mean",)
        Fusion methods, or their names in `FUSIONS`.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists itself.
    settings : RunSettings, optional
        The settings of all runs, but for the method; by default `RunSettings()`.
    pooled : int, optional
        With two methods, test their pooled curves at this number of values of alpha.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are processes.
    progress : callable, optional
        Called as work proceeds, after each experiment.

    Returns
    -------
    FusionBenchmark
        The run of each method, and their comparison.

    Raises
    ------
    ParameterError
        If a protocol or method is unknown, a method is named twice, or pooled curves are not of two methods.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, sections 3 and 4.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> found = benchmark_fusions(load_lausanne().only(["LP2"]), settings=RunSettings(points=2))
    >>> len(found.runs[0].experiments)
    9
    """
    methods = [as_fusion(fusion) for fusion in fusions]
    names = [method.name for method in methods]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or not names:
        template = "{fusions!p} names {name} twice" if names else "{fusions!p} names no method"
        raise ParameterError(template, code="methods", fusions=names, name=twice)
    chosen = settings or RunSettings()
    if pooled is not None:
        if len(methods) != 2:
            raise ParameterError(
                "{pooled!p} compares two methods; name two with {fusions!p}, not {names:list}",
                code="methods",
                pooled=pooled,
                fusions=names,
                names=names,
            )
        chosen = replace(chosen, points=pooled, keep_scores=True)
    runs = tuple(
        run_benchmark(
            benchmark,
            protocol=protocol,
            settings=replace(chosen, fusion=method),
            workers=workers,
            progress=progress,
        )
        for method in methods
    )
    contest = compare_runs(benchmark, runs, confidence=chosen.confidence) if len(runs) > 1 else None
    along = None if pooled is None else compare_pooled(benchmark, *runs, confidence=chosen.confidence)
    return FusionBenchmark(runs, contest, along)


def benchmark_data(
    data: PathLike = "lausanne",
    *,
    fusions: Sequence[str | FusionMethod] = ("mean",),
    protocol: str = "fp-2",
    only: Sequence[str] = (),
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
    confidence: float = 0.95,
    pooled: int | None = None,
    points: int = 101,
    repeats: int | None = None,
    failed_enrolment: FailedEnrolment | None = None,
    outside: bool = False,
    seed: int = 0,
    workers: int = 1,
    for_page: bool = False,
    keep_scores: bool = False,
    progress: Callable[[], None] | None = None,
) -> FusionBenchmark:
    """Load a benchmark and run a protocol of it by one or several fusion methods.

    Parameters
    ----------
    data : str or path-like, default "lausanne"
        The name of a known set, or a directory with a ``benchmark.toml``.
    fusions : sequence of str or FusionMethod, default ("mean",)
        Fusion methods, or their names in `FUSIONS`.
    protocol : str, default "fp-2"
        Which systems are fused: fp-2, fp-full, fp-intramodal, fp-multimodal, one that the benchmark lists, or a
        registered one.
    only : sequence of str, default ()
        The names of the sets to keep, such as LP1; all by default.
    normalise, criterion, alpha, missing, inner, confidence
        As of `RunSettings`.
    inner_folds : int, default 5
        The number of folds of held-out dev scores, from which the threshold comes.
    pooled : int, optional
        Test the pooled curves of two methods along alpha, at this number of values of it, thresholds re-estimated.
    points : int, default 101
        The number of values of alpha of pooled curves.
    repeats : int, optional
        The number of random splits of a known set without dev trials; 10 by default.
    failed_enrolment : {"drop", "keep"}, optional
        Whether trials of a known set against somebody whom a system could not enrol are kept; ``drop`` by default.
    outside : bool, default False
        Whether a ``benchmark.toml`` may name files outside its directory.
    seed : int, default 0
        The seed of the set, its splits and folds.
    workers : int, default 1
        The number of processes; the result does not depend on it.
    for_page : bool, default False
        Whether the scores of short protocols are kept for a page.
    keep_scores : bool, default False
        Whether all scores are kept, for pooled bands and tests.
    progress : callable, optional
        Called after each experiment.

    Returns
    -------
    FusionBenchmark
        The run of each method, and their comparison.

    Raises
    ------
    ParameterError
        If a set, protocol or method is unknown, or an option has no effect.
    """
    check_choice("normalise", normalise, NORMALISATIONS)
    if inner == "none" and inner_folds != 5:
        raise ParameterError(
            "{inner_folds!p} applies to held-out dev scores, not with {inner!o}", code="does-not-apply",
            inner_folds=inner_folds, inner=inner,
        )  # fmt: skip
    rule = as_criterion(criterion)
    rule.resolve_alpha(alpha)
    loaded = load_benchmark(
        data, only=only, seed=seed, repeats=repeats, failed_enrolment=failed_enrolment, outside=outside
    )
    few = len(list_experiments(loaded, protocol)) <= _ON_A_PAGE
    settings = RunSettings(
        normalise=normalise,
        criterion=rule,
        alpha=alpha,
        missing=missing,
        inner=inner,
        folds=inner_folds,
        confidence=confidence,
        points=points,
        seed=seed,
        keep_scores=keep_scores or (for_page and few),
    )
    found = benchmark_fusions(
        loaded, fusions, protocol=protocol, settings=settings, pooled=pooled, workers=workers, progress=progress
    )
    return replace(found, benchmark=loaded, confidence=confidence)
