"""Compare fusion methods over a protocol: mean HTERs, and pooled Expected Performance Curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.datasets import FailedEnrolment, load_benchmark
from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, list_experiments
from fairtrial.benchmark.run import MANY, BenchmarkResult, ExperimentResult, group_name, run_benchmark
from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import in_percent, listed, p_phrase, percent, shown
from fairtrial.evaluation.bands import Band, BandKind, CurveComparison
from fairtrial.formats.files import PathLike
from fairtrial.fusion.combination import Inner
from fairtrial.fusion.fusion import mean_gain
from fairtrial.fusion.methods import FusionMethod, as_fusion
from fairtrial.fusion.model import Missing
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    Estimate,
    Threshold,
    column_components,
    dev_influence,
    tube_quantile,
    variance_of_values,
)
from fairtrial.inference.multiplicity import Correction, adjust_p_values, compact_letters
from fairtrial.inference.people import People
from fairtrial.inference.split import TrialSets, paired_test_name, seed_of
from fairtrial.inference.tests import TEST_COLUMNS, TestResult, student_test
from fairtrial.inference.thresholds import DEVIATIONS
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import CriterionLike
from fairtrial.rules.measures import MEASURES, Weights, linear_measure, linear_weights

_MOST_NOTES = 12
"""Number of notes that are shown below a table of experiments; JSON has all."""


@dataclass(frozen=True, slots=True)
class ContestRank(Record):
    """A method, its mean HTER over all experiments, and the letters it shares with methods that do not differ from it.

    `beta_min` is the mean of the finite gains; `better` counts the experiments in which it is significantly better than
    the best of its systems.
    """

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
    better: int
    letters: str


@dataclass(frozen=True, slots=True)
class ContestPair(Record):
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
    >>> from fairtrial.benchmark import benchmark_fusions
    >>> benchmark_fusions("lausanne", fusions=["mean", "min"], only=["LP2"]).contest.ranking[0].fusion
    'mean'
    """

    FIELDS: ClassVar = (Field("protocol"), Field("ranking"), Field("pairs"), Field("notes"))

    protocol: str
    ranking: tuple[ContestRank, ...]
    pairs: tuple[ContestPair, ...]
    notes: tuple[Note, ...] = ()

    def answer(self) -> str:
        """Name the method with the lowest mean HTER, and the difference from the next one."""
        best, second = self.ranking[:2]
        others = f" of {len(self.ranking)} methods" if len(self.ranking) > 2 else ""
        adjusted = next(
            (pair.p_adjusted for pair in self.pairs if {pair.a, pair.b} == {best.fusion, second.fusion}), None
        )
        p_value = "" if adjusted is None else f" ({p_phrase(adjusted)})"
        return (
            f"{best.fusion} has the lowest mean HTER{others} over {self.protocol}, {percent(best.hter)}, "
            f"{in_percent(second.hter - best.hter)} points less than {second.fusion}{p_value}"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the ranking, and the test of each pair."""
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
    results: Sequence[BenchmarkResult], *, correction: Correction = "holm", confidence: float = 0.95
) -> Contest:
    """Compare runs of several fusion methods over the same protocol.

    The mean HTER over all experiments is compared. All of them share trials, and trials share people: the contribution
    of each trial is summed over the experiments first, and then by person. Random splits of the same trials cannot be
    tested this way; they are ranked only.

    Parameters
    ----------
    results : sequence of BenchmarkResult
        One run per method, at least two, of the same protocol on the same benchmark.
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
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp2 = load_lausanne().only(["LP2"])
    >>> runs = [run_benchmark(lp2, fusion=name, points=2) for name in ("min", "mean")]
    >>> [rank.fusion for rank in compare_runs(runs).ranking]
    ['mean', 'min']
    """
    names = [run.label for run in results]
    if len(results) < 2 or len(set(names)) != len(names):
        raise ParameterError(
            f"a comparison needs at least two different methods, not {listed(names) or 'none'}", code="methods"
        )
    _check_same([(run.benchmark, run.protocol, *(each.experiment for each in run.experiments)) for run in results])
    sets = results[0].data.sets
    means = [float(np.mean([float(each.counts.hter) for each in run.experiments])) for run in results]
    order = np.argsort(means, kind="stable").tolist()
    has_splits = any(one.split is not None for one in sets)
    pairs = [] if has_splits else _pairs(sets, results, names, order, correction)
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


@dataclass(frozen=True, eq=False)
class _Joined:
    """The dev or test trials of all sets, joined without their scores, and who shares them."""

    sets: Sequence[BenchmarkSet]
    side: Literal["dev", "test"]

    @property
    def parts(self) -> list[Trials]:
        """The trials of each set."""
        return [getattr(one, self.side) for one in self.sets]

    @cached_property
    def trials(self) -> Trials:
        """All trials."""
        return Trials.concat(
            [
                Trials(np.zeros((len(part), 1)), part.genuine, ("all",), claim=part.claim, subject=part.subject)
                for part in self.parts
            ]
        )

    @cached_property
    def people(self) -> People:
        """Who takes part in them."""
        return People.of(self.trials)

    def centred(self, values: Sequence[Floats], weights: Sequence[Weights]) -> Floats:
        """Centre the values of each set, scaled so that means over all trials are weighted means over each set."""
        joined = self.trials.genuine
        columns = []
        for part, some, weight in zip(self.parts, values, weights, strict=True):
            column = np.empty(len(part))
            for rows, everything, factor in ((part.genuine, joined, weight.frr), (~part.genuine, ~joined, weight.far)):
                ratio = np.count_nonzero(everything) / np.count_nonzero(rows)
                column[rows] = factor * ratio * (some[rows] - some[rows].mean())
            columns.append(column)
        return np.concatenate(columns)

    def with_thresholds(self, made: Estimate, through: Sequence[tuple[str, float, Floats | None]]) -> Estimate:
        """Add what dev trials add through the thresholds of experiments: set, weight and influence of each."""
        if any(influence is None for _, _, influence in through):
            return made
        totals = []
        for one in self.sets:
            terms = [weight * moves for name, weight, moves in through if name == one.name and moves is not None]
            totals.append(np.broadcast_to(np.sum(terms, axis=0), len(one.dev)))
        values = self.centred(totals, [Weights(1.0, 1.0)] * len(self.sets))
        variance = variance_of_values(self.people, self.trials.genuine, values)
        moves = (DEVIATIONS * np.sqrt(variance.value),)
        return replace(made, threshold="re-estimated", moves=moves, correlation=np.eye(2), dev_df=variance.df)


def _pairs(
    sets: Sequence[BenchmarkSet],
    results: Sequence[BenchmarkResult],
    names: Sequence[str],
    order: Sequence[int],
    correction: Correction,
) -> list[ContestPair]:
    """Test the difference in mean HTER of each pair of methods."""
    test, dev = _Joined(sets, "test"), _Joined(sets, "dev")
    people, weights = test.people, linear_weights("hter")
    errors = []
    for run in results:
        by_set = {one.name: np.zeros(len(one.test)) for one in sets}
        for each in run.experiments:
            by_set[each.experiment.set] += each.wrong(len(by_set[each.experiment.set]))
        errors.append([wrong / len(run.experiments) for wrong in by_set.values()])
    dev_people = {one.name: (TrialSets(one.dev, one.test).people[0], one.dev.genuine) for one in sets}
    influences = [
        [
            None if each.moves is None else each.moves.influence(*dev_people[each.experiment.set])
            for each in run.experiments
        ]
        for run in results
    ]
    tests = []
    for i, j in combinations(order, 2):
        differences = [a - b for a, b in zip(errors[i], errors[j], strict=True)]
        estimate = 0.0
        for values, genuine in zip(differences, (one.test.genuine for one in sets), strict=True):
            estimate += weights.frr * float(values[genuine].mean()) + weights.far * float(values[~genuine].mean())
        centred = test.centred(differences, [weights] * len(sets))
        made = Estimate(estimate, variance_of_values(people, test.trials.genuine, centred), people.effective)
        through = [
            (each.experiment.set, sign / len(results[k].experiments), influence)
            for sign, k in ((1.0, i), (-1.0, j))
            for each, influence in zip(results[k].experiments, influences[k], strict=True)
        ]
        name = paired_test_name(people.cluster != "none")
        tests.append((i, j, student_test(name, dev.with_thresholds(made, through))))
    adjusted = adjust_p_values([test.p_value for _, _, test in tests], correction)
    return [ContestPair(names[i], names[j], test, float(p)) for (i, j, test), p in zip(tests, adjusted, strict=True)]


def compare_pooled(
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
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp2 = load_lausanne().only(["LP2"])
    >>> a, b = (run_benchmark(lp2, fusion=name, points=3, keep_scores=True) for name in ("min", "mean"))
    >>> compare_pooled(a, b).difference.shape
    (3,)
    """
    check_confidence(confidence)
    pooled = _along([(1.0, a), (-1.0, b)], group, threshold)
    largest = tube_quantile(pooled.correlations, confidence) if simultaneous else None
    return CurveComparison.of_estimates(
        a.label,
        b.label,
        paired_test_name(pooled.clustered),
        MEASURES["hter"],
        a.pooled[group].alpha,
        pooled.estimates,
        pooled.supported,
        confidence,
        largest,
    )


def pooled_band(
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
    >>> from fairtrial.benchmark import load_lausanne
    >>> run = run_benchmark(load_lausanne().only(["LP2"]), points=3, keep_scores=True)
    >>> pooled_band(run).low.shape
    (3,)
    """
    check_choice("kind", kind, get_args(BandKind))
    check_confidence(confidence)
    pooled = _along([(1.0, run)], group, threshold)
    level = confidence
    if kind == "simultaneous":
        from scipy.special import ndtr

        level = float(2 * ndtr(tube_quantile(pooled.correlations, confidence)) - 1)
    low, high = np.array([each.interval(level) for each in pooled.estimates]).T
    return Band(
        run.pooled[group].alpha,
        np.array([each.value for each in pooled.estimates]),
        np.clip(low, 0, 1),
        np.clip(high, 0, 1),
        kind,
        confidence,
        "people" if pooled.clustered else "none",
        pooled.estimates[0].threshold,
        pooled.supported,
        run.pooled[group].measure,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Along:
    """Estimates of a pooled HTER, or of the difference of two, at every alpha; correlations of neighbouring alphas."""

    estimates: list[Estimate]
    correlations: Floats
    supported: NDArray[np.bool_]
    clustered: bool


def _judged(result: ExperimentResult) -> Judgement:
    if result.curve.judgement is None:
        raise ParameterError(
            "the run was made without its scores; run it with {keep_scores!o}", code="no-scores", keep_scores=True
        )
    return result.curve.judgement


def _along(terms: Sequence[tuple[float, BenchmarkResult]], group: str, threshold: Threshold) -> _Along:
    """Estimate a signed sum of pooled HTERs at every alpha, with its variance by people and by thresholds."""
    check_choice("threshold", threshold, get_args(Threshold))
    for _, run in terms:
        if group not in run.pooled:
            raise ParameterError(f"there is no group {shown(group)}; there are {listed(run.pooled)}", code="no-group")
    if any(one.split is not None for one in terms[0][1].data.sets):
        raise ParameterError(
            "random splits share trials, so the pooled curve has no valid interval or test", code="splits"
        )
    _check_same(
        [(run.benchmark, run.protocol, tuple(run.pooled["all"].alpha), len(run.experiments)) for _, run in terms]
    )
    chosen = [
        (sign, [each for each in run.experiments if group in ("all", group_name(each.experiment))])
        for sign, run in terms
    ]
    _check_same([[each.experiment for each in experiments] for _, experiments in chosen])
    first = chosen[0][1]
    sets = [one for one in terms[0][1].data.sets if any(each.experiment.set == one.name for each in first)]
    test, dev = _Joined(sets, "test"), _Joined(sets, "dev")
    people, flags = test.people, {one.name: one.test.genuine for one in sets}
    genuine = sum(int(np.count_nonzero(flags[each.experiment.set])) for each in first)
    impostor = sum(len(flags[each.experiment.set]) for each in first) - genuine

    def weights_of(genuine_trials: Any, impostor_trials: Any) -> Weights:
        """Weigh the error rates of one experiment in the pooled HTER."""
        return Weights(0.5 * impostor_trials / impostor, 0.5 * genuine_trials / genuine)

    signed = [(sign, _judged(each), each.experiment.set) for sign, experiments in chosen for each in experiments]
    weights = [weights_of(np.count_nonzero(rows), np.count_nonzero(~rows)) for rows in flags.values()]
    alphas = terms[0][1].pooled[group].alpha
    columns = []
    for index in range(len(alphas)):
        wrong = {one.name: np.zeros(len(one.test)) for one in sets}
        for sign, judged, name in signed:
            wrong[name] += sign * judged.wrong(index)
        columns.append(test.centred(list(wrong.values()), weights))
    totals = np.sum([sign * run.pooled[group].hter for sign, run in terms], axis=0)
    moving = threshold == "re-estimated" and all(judged.can_move for _, judged, _ in signed)
    estimates, correlations = [], []
    for index in range(len(columns)):
        read = column_components(people, test.trials.genuine, columns[max(index - 1, 0) : index + 1])
        last = np.eye(2)[-1] if index else np.ones(1)
        made = Estimate(float(totals[index]), read.variance(last, last), people.effective)
        if index:
            before = np.eye(2)[0]
            product = np.sqrt(read.variance(before, before).value * made.variance.value)
            correlations.append(read.covariance((before, before), (last, last)) / product if product > 0 else 1.0)
        if moving:
            through = []
            for sign, judged, name in signed:
                counts = judged.at(index)
                measure = linear_measure("pooled-hter", "HTER", weights_of(counts.genuine, counts.impostor))
                through.append((name, sign, dev_influence(judged, measure, index)))
            made = dev.with_thresholds(made, through)
        estimates.append(made)
    supported = np.ones(len(alphas), dtype=bool)
    if moving:
        supported = np.all(
            [np.any([_judged(each).supported for each in experiments], axis=0) for _, experiments in chosen], axis=0
        )
    return _Along(estimates, np.array(correlations), supported, people.cluster != "none")


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

    Examples
    --------
    >>> from fairtrial.benchmark import benchmark_fusions
    >>> result = benchmark_fusions("lausanne", fusions=["mean", "min"], only=["LP2"])
    >>> [run.fusion for run in result.runs], result.contest.ranking[0].fusion
    (['mean', 'min'], 'mean')
    """

    runs: tuple[BenchmarkResult, ...]
    contest: Contest | None = None
    pooled: CurveComparison | None = None

    @property
    def benchmark(self) -> Benchmark:
        """The sets and their systems."""
        return self.runs[0].data

    @property
    def files_read(self) -> tuple[str, ...]:
        """The files that were read."""
        return tuple(map(str, self.benchmark.files))

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
        """Tabulate the experiments of all methods, the single systems, summaries, and the comparison."""
        by_run = [run.tables() for run in self.runs]
        (main,) = join_tables([tables[:1] for tables in by_run])
        if len(main.notes) > _MOST_NOTES:
            template = "and {count:plural more note}; the JSON has all"
            more = Note("more-notes", template, count=len(main.notes) - _MOST_NOTES)
            ranked = sorted(main.notes, key=lambda note: not getattr(note, "warning", False))
            main = replace(main, notes=(*ranked[:_MOST_NOTES], more))
        if self.contest is None:
            return (main, *by_run[0][1:])
        columns = (replace(column, detail=column.detail and column.key != "fusion") for column in main.columns)
        caption = f"{self.runs[0].title}, {self.contest.protocol}, {self.runs[0].kind}"
        main = replace(main, columns=tuple(columns), caption=caption)
        of_sets = ("systems", "system spreads")
        once = [table for table in by_run[0][1:] if table.name in of_sets]
        others = [
            replace(table, name=f"{table.name}: {run.label}")
            for run, tables in zip(self.runs, by_run, strict=True)
            for table in tables[1:]
            if table.name not in of_sets
        ]
        compared = [each.tables() for each in (self.contest, self.pooled) if each is not None]
        return (main, *once, *others, *(table for tables in compared for table in tables))


def benchmark_fusions(
    data: Benchmark | PathLike = "lausanne",
    *,
    fusions: Sequence[str | FusionMethod] = ("mean",),
    protocol: str = "fp-2",
    only: Sequence[str] = (),
    repeats: int | None = None,
    failed_enrolment: FailedEnrolment | None = None,
    outside: bool = False,
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
    confidence: float = 0.95,
    points: int = 101,
    pooled: int | None = None,
    rng: np.random.Generator | int | None = 0,
    keep_scores: bool | None = None,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
) -> FusionBenchmark:
    """Run a protocol by one or several fusion methods, and compare them.

    Parameters
    ----------
    data : Benchmark, str or path-like, default "lausanne"
        A benchmark, a name that `list_datasets` gives, or a directory with a ``benchmark.toml``.
    fusions : sequence of str or FusionMethod, default ("mean",)
        Fusion methods, or their names in `FUSIONS`; several are compared over the whole protocol.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists.
    only : sequence of str, default ()
        The names of the sets to use; all by default.
    repeats : int, optional
        The number of random splits of a known set without dev trials; 10 by default.
    failed_enrolment : {"drop", "keep"}, optional
        Whether to drop or keep trials of a known set against somebody whose enrolment failed; ``drop`` by default.
    outside : bool, default False
        Whether a ``benchmark.toml`` may name files outside its directory.
    normalise : str, default "none"
        The normalisation of the scores: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What to do with a trial that lacks the score of a system; see `fuse_scores`.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from; see `fuse_scores`.
    inner_folds : int, default 5
        The number of folds of the dev trials; see `fuse_scores`.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    points : int, default 101
        The number of values of alpha of the pooled curves.
    pooled : int, optional
        With two methods, test their pooled curves, at this number of values of alpha.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    keep_scores : bool, optional
        Whether the result keeps the fused scores; by default those of one method and up to 60 experiments, for its
        page.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are processes.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

    Returns
    -------
    FusionBenchmark
        The run of each method, and their comparison.

    Raises
    ------
    ParameterError
        If the data, a protocol or a method is unknown, a method is named twice, or pooled curves are not of two
        methods.
    InputError
        If files are missing or cannot be read.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, sections 3 and 4.

    Examples
    --------
    >>> result = benchmark_fusions("lausanne", only=["LP2"])
    >>> len(result.runs[0].experiments)
    9
    """
    methods = [as_fusion(fusion) for fusion in fusions]
    names = [method.name for method in methods]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or not names:
        template = "{fusions!p} names {name} twice" if names else "{fusions!p} names no method"
        raise ParameterError(template, code="methods", fusions=names, name=twice)
    if pooled is not None and len(methods) != 2:
        template = "{pooled!p} compares two methods; name two with {fusions!p}, not {names:list}"
        raise ParameterError(template, code="methods", pooled=pooled, fusions=names, names=names)
    seed = seed_of(rng)
    if isinstance(data, Benchmark):
        benchmark = data.only(only) if only else data
    else:
        benchmark = load_benchmark(
            data, only=only, seed=seed, repeats=repeats, failed_enrolment=failed_enrolment, outside=outside
        )
    if keep_scores is None:
        few = len(methods) == 1 and len(list_experiments(benchmark, protocol)) <= MANY
        keep_scores = few or pooled is not None
    runs = tuple(
        run_benchmark(
            benchmark,
            protocol=protocol,
            fusion=method,
            normalise=normalise,
            criterion=criterion,
            alpha=alpha,
            missing=missing,
            inner=inner,
            inner_folds=inner_folds,
            confidence=confidence,
            points=points if pooled is None else pooled,
            rng=seed,
            keep_scores=keep_scores,
            workers=workers,
            progress=None if progress is None else lambda part: progress(part / len(methods)),
        )
        for method in methods
    )
    contest = compare_runs(runs, confidence=confidence) if len(runs) > 1 else None
    along = None if pooled is None else compare_pooled(*runs, confidence=confidence)
    return FusionBenchmark(runs, contest, along)
