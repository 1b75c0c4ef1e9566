"""Compare fusion methods over a protocol: mean HTERs, and pooled Expected Performance Curves.

All experiments share trials, and trials share people: what each trial adds is summed over the experiments first, and
then by person.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.experiments import BenchmarkResult, ExperimentResult, group_name
from fairtrial.benchmark.protocols import BenchmarkSet
from fairtrial.core.errors import ParameterError, check_choice, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import in_percent, listed, p_phrase, percent, shown
from fairtrial.evaluation.bands import Band, BandKind, CurveComparison
from fairtrial.fusion.fusion import mean_gain
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
from fairtrial.inference.split import TrialSets, paired_test_name
from fairtrial.inference.tests import TEST_COLUMNS, TestResult, student_test
from fairtrial.inference.thresholds import DEVIATIONS
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import MEASURES, Weights, linear_measure, linear_weights

if TYPE_CHECKING:
    from fairtrial.benchmark.run import FusionBenchmark

Run: TypeAlias = "BenchmarkResult | FusionBenchmark"
"""One fusion method over a protocol."""


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
    >>> from fairtrial import run_benchmark
    >>> run_benchmark("lausanne", fusions=["mean", "min"], only=["LP2"]).contest.ranking[0].fusion
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
        alike = ", from which it cannot be told apart" if set(best.letters) & set(second.letters) else ""
        return (
            f"{best.fusion} has the lowest mean HTER{others} over {self.protocol}, {percent(best.hter)}, "
            f"{in_percent(second.hter - best.hter)} points less than {second.fusion}{alike}{p_value}"
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


def compare_runs(results: Sequence[Run], *, correction: Correction = "holm", confidence: float = 0.95) -> Contest:
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
    >>> from fairtrial import run_benchmark
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp2 = load_lausanne().only(["LP2"])
    >>> runs = [run_benchmark(lp2, fusions=name, points=2) for name in ("min", "mean")]
    >>> [rank.fusion for rank in compare_runs(runs).ranking]
    ['mean', 'min']
    """
    names = [run.label for run in results]
    if len(results) < 2 or len(set(names)) != len(names):
        raise ParameterError(
            f"a comparison needs at least two different methods, not {listed(names) or 'none'}", code="methods"
        )
    _check_same([(run.benchmark, run.protocol, *(each.experiment for each in run.experiments)) for run in results])
    runs = sorted(results, key=_mean_hter)
    has_splits = any(one.split is not None for one in runs[0].data.sets)
    pairs = [] if has_splits else _pairs(runs, correction)
    letters = [""] * len(runs)
    if pairs:
        places = combinations(range(len(runs)), 2)
        letters = compact_letters(
            len(runs), [place for place, pair in zip(places, pairs, strict=True) if pair.p_adjusted < 1 - confidence]
        )
    ranking, left_out = [], []
    for run, letter in zip(runs, letters, strict=True):
        gain, without = mean_gain([each.beta_min for each in run.experiments])
        better = sum(each.p_adjusted < 1 - confidence and each.test.estimate < 0 for each in run.experiments)
        ranking.append(ContestRank(run.label, _mean_hter(run), gain, better, letter))
        left_out += [f"{run.label} {without}"] if without else []
    notes = []
    if has_splits:
        notes.append(Note("splits", "random splits share trials, so differences of methods have no valid test"))
    if left_out:
        template = "mean beta_min leaves out experiments in which the fusion made no error: {left_out:list}"
        notes.append(Note("infinite-gain", template, left_out=left_out))
    return Contest(runs[0].protocol, tuple(ranking), tuple(pairs), tuple(notes))


def _mean_hter(run: Run) -> float:
    return float(np.mean([float(each.counts.hter) for each in run.experiments]))


def _check_same(runs: Sequence[Any]) -> None:
    """Raise an error if runs differ in benchmark, protocol or alphas."""
    if any(run != runs[0] for run in runs[1:]):
        raise ParameterError(
            "only runs of the same protocol on the same benchmark, at the same alphas, can be compared",
            code="different-runs",
        )


class _Joined:
    """The dev or test trials of several sets as one, without their scores, and who shares them."""

    def __init__(self, parts: Sequence[Trials]) -> None:
        self.parts = parts
        joined = Trials.concat([replace(part, scores=np.zeros((len(part), 1)), systems=("all",)) for part in parts])
        self.genuine, self.people = joined.genuine, People.of(joined)

    def centred(self, values: Iterable[Floats], weights: Iterable[Weights]) -> Floats:
        """Centre the values of each set, scaled so that means over all trials are weighted means over each set."""
        columns = []
        for part, some, weight in zip(self.parts, values, weights, strict=True):
            column = np.empty(len(part))
            sides = (part.genuine, self.genuine, weight.frr), (~part.genuine, ~self.genuine, weight.far)
            for rows, everything, factor in sides:
                ratio = np.count_nonzero(everything) / np.count_nonzero(rows)
                column[rows] = factor * ratio * (some[rows] - some[rows].mean())
            columns.append(column)
        return np.concatenate(columns)


class _Pool:
    """The sets of a protocol, and how far sums over their experiments vary."""

    def __init__(self, sets: Sequence[BenchmarkSet]) -> None:
        self.sets = sets
        self.test, self.dev = _Joined([one.test for one in sets]), _Joined([one.dev for one in sets])

    def sums(self, side: Literal["dev", "test"], terms: Iterable[tuple[str, NDArray[Any]]]) -> list[Floats]:
        """Add up what the experiments, each of a set, have for each of its trials."""
        totals = {one.name: np.zeros(len(getattr(one, side))) for one in self.sets}
        for name, values in terms:
            totals[name] += values
        return list(totals.values())

    def estimate(
        self, value: float, columns: Sequence[Floats], on_dev: Sequence[Floats] | None
    ) -> tuple[Estimate, float]:
        """Estimate a sum over experiments.

        `columns` are what each test trial adds, centred; perhaps after what it adds to another sum. `on_dev` is what
        each dev trial of each set adds through the thresholds; None if these are fixed. The second number is the
        correlation with the other sum, thresholds fixed; 1 without it.
        """
        people = self.test.people
        on_test = column_components(people, self.test.genuine, columns)
        *before, last = np.eye(len(columns))
        made = Estimate(value, on_test.variance(last, last), people.effective)
        correlation = 1.0
        for other in before:
            product = np.sqrt(on_test.variance(other, other).value * made.variance.value)
            if product > 0:
                correlation = on_test.covariance((other, other), (last, last)) / product
        if on_dev is None:
            return made, correlation
        values = self.dev.centred(on_dev, [Weights(1.0, 1.0)] * len(self.sets))
        variance = variance_of_values(self.dev.people, self.dev.genuine, values)
        moves = (DEVIATIONS * np.sqrt(variance.value),)
        made = replace(made, threshold="re-estimated", moves=moves, correlation=np.eye(2), dev_df=variance.df)
        return made, correlation


def _pairs(runs: Sequence[Run], correction: Correction) -> list[ContestPair]:
    """Test the difference in mean HTER of each pair of methods."""
    sets, weights, share = runs[0].data.sets, linear_weights("hter"), 1 / len(runs[0].experiments)
    pool = _Pool(sets)
    dev_people = {one.name: (TrialSets(one.dev, one.test).people[0], one.dev.genuine) for one in sets}
    trials = {one.name: len(one.test) for one in sets}
    by_run = []
    for run in runs:
        each_set = [(each.experiment.set, each) for each in run.experiments]
        wrong = pool.sums("test", ((name, each.wrong(trials[name])) for name, each in each_set))
        moved = pool.sums("dev", ((name, share * each.moves.influence(*dev_people[name])) for name, each in each_set))
        by_run.append(([errors / len(each_set) for errors in wrong], moved))
    tests = []
    for a, b in combinations(by_run, 2):
        differences, on_dev = (
            [one - other for one, other in zip(*pair, strict=True)] for pair in zip(a, b, strict=True)
        )
        value = 0.0
        for some, genuine in zip(differences, (one.test.genuine for one in sets), strict=True):
            value += weights.frr * float(some[genuine].mean()) + weights.far * float(some[~genuine].mean())
        column = pool.test.centred(differences, [weights] * len(sets))
        made, _ = pool.estimate(value, [column], on_dev)
        tests.append(student_test(paired_test_name(pool.test.people.cluster != "none"), made))
    adjusted = adjust_p_values([test.p_value for test in tests], correction).tolist()
    names = combinations([run.label for run in runs], 2)
    return [ContestPair(*pair, test, p) for pair, test, p in zip(names, tests, adjusted, strict=True)]


def compare_pooled(
    a: Run,
    b: Run,
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
    >>> from fairtrial import run_benchmark
    >>> from fairtrial.benchmark import load_lausanne
    >>> lp2 = load_lausanne().only(["LP2"])
    >>> a, b = (run_benchmark(lp2, fusions=name, points=3, keep_scores=True) for name in ("min", "mean"))
    >>> compare_pooled(a, b).difference.shape
    (3,)
    """
    check_confidence(confidence)
    pooled = _along([(1.0, a), (-1.0, b)], group, threshold)
    largest = tube_quantile(pooled.correlations, confidence) if simultaneous else None
    return CurveComparison.of_estimates(
        a.label,
        b.label,
        paired_test_name(pooled.shares_people),
        MEASURES["hter"],
        a.pooled[group].alpha,
        pooled.estimates,
        pooled.supported,
        confidence,
        largest,
    )


def pooled_band(
    run: Run,
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
    >>> from fairtrial import run_benchmark
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
        "people" if pooled.shares_people else "none",
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
    shares_people: bool


def _along(terms: Sequence[tuple[float, Run]], group: str, threshold: Threshold) -> _Along:
    """Estimate a signed sum of pooled HTERs at every alpha, with its variance by people and by thresholds."""
    check_choice("threshold", threshold, get_args(Threshold))
    first, alphas = terms[0][1], terms[0][1].pooled["all"].alpha
    for _, run in terms:
        if group not in run.pooled:
            raise ParameterError(f"there is no group {shown(group)}; there are {listed(run.pooled)}", code="no-group")
    if any(one.split is not None for one in first.data.sets):
        raise ParameterError(
            "random splits share trials, so the pooled curve has no valid interval or test", code="splits"
        )
    chosen = [[each for each in run.experiments if group in ("all", group_name(each.experiment))] for _, run in terms]
    _check_same(
        [
            (run.benchmark, run.protocol, tuple(run.pooled["all"].alpha), *(each.experiment for each in experiments))
            for (_, run), experiments in zip(terms, chosen, strict=True)
        ]
    )
    signed = [
        (sign, _judged(each), each.experiment.set)
        for (sign, _), experiments in zip(terms, chosen, strict=True)
        for each in experiments
    ]
    sets = [one for one in first.data.sets if any(each.experiment.set == one.name for each in chosen[0])]
    pool, flags = _Pool(sets), {one.name: one.test.genuine for one in sets}
    genuine = sum(int(np.count_nonzero(flags[each.experiment.set])) for each in chosen[0])
    impostor = sum(len(flags[each.experiment.set]) for each in chosen[0]) - genuine

    weights = {
        name: Weights(0.5 * np.count_nonzero(~rows) / impostor, 0.5 * np.count_nonzero(rows) / genuine)
        for name, rows in flags.items()
    }

    def moved(judged: Judgement, name: str, index: int) -> Floats:
        """Compute what each dev trial adds to the pooled HTER through the threshold of an experiment."""
        influence = dev_influence(judged, linear_measure("pooled-hter", "HTER", weights[name]), index)
        assert influence is not None  # dev trials are in memory
        return influence

    totals = np.sum([sign * run.pooled[group].hter for sign, run in terms], axis=0)
    estimates, correlations, columns, on_dev = [], [], list[Floats](), None
    for index, total in enumerate(totals.tolist()):
        wrong = pool.sums("test", ((name, sign * judged.wrong(index)) for sign, judged, name in signed))
        columns = [*columns[-1:], pool.test.centred(wrong, weights.values())]
        if threshold == "re-estimated":
            on_dev = pool.sums("dev", ((name, sign * moved(judged, name, index)) for sign, judged, name in signed))
        made, correlation = pool.estimate(total, columns, on_dev)
        estimates.append(made)
        correlations.append(correlation)
    supported = np.ones(len(alphas), dtype=bool)
    if threshold == "re-estimated":
        supported = np.all(
            [np.any([_judged(each).supported for each in experiments], axis=0) for experiments in chosen], axis=0
        )
    return _Along(estimates, np.array(correlations[1:]), supported, pool.test.people.cluster != "none")


def _judged(result: ExperimentResult) -> Judgement:
    if result.curve.judgement is None:
        raise ParameterError(
            "the run was made without its scores; run it with {keep_scores!o}", code="no-scores", keep_scores=True
        )
    return result.curve.judgement
