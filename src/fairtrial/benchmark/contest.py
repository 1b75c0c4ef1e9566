"""Several fusion methods over a whole protocol: which are better on the average of its experiments, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.results import BenchmarkResult
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet
from fairtrial.claims import Claim, ThresholdDeviations, re_estimated
from fairtrial.errors import ParameterError, listed
from fairtrial.fusion.gain import mean_gain
from fairtrial.people import People
from fairtrial.rules.measures import linear_weights
from fairtrial.significance.multiple import Correction, adjust_p_values, compact_letters
from fairtrial.significance.results import TEST_COLUMNS, TestResult, student_test
from fairtrial.spread import Spread, contributions
from fairtrial.tables import Column, Result, Table, percent
from fairtrial.trial_sets import paired_test_name
from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True)
class ContestRank:
    """A method, its mean HTER over all experiments, and the letters it shares with those it cannot be told from."""

    fusion: str
    hter: float
    beta_min: float
    """The mean of those gains that are finite."""
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
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Benchmark, BenchmarkSet, RunSettings, SystemInfo, Trials, compare_runs, run_benchmark
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

    protocol: str
    ranking: tuple[ContestRank, ...]
    pairs: tuple[ContestPair, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "protocol": self.protocol,
            "ranking": [
                {"fusion": r.fusion, "hter": r.hter, "beta_min": r.beta_min, "better": r.better, "letters": r.letters}
                for r in self.ranking
            ],
            "pairs": [{"a": p.a, "b": p.b, **p.test.to_dict(), "p_adjusted": p.p_adjusted} for p in self.pairs],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The methods in their order."""
        ranks = (f"{rank.fusion} {percent(rank.hter)}" for rank in self.ranking)
        return f"{self.protocol}, mean HTER of {listed(ranks, 6)}"

    def tables(self) -> tuple[Table, ...]:
        """The ranking, and the test of each pair."""
        columns = (
            Column("fusion", "fusion"),
            Column("hter", "mean HTER", "rate"),
            Column("beta_min", "mean beta_min", "ratio"),
            Column("better", "better than the best system", "count"),
            Column("letters", "letters"),
        )
        found = self.to_dict()
        notes = [*(["methods that share a letter cannot be told apart"] if self.pairs else []), *self.notes]
        caption = "Fusion methods by their mean HTER over all experiments"
        ranking = Table.of("ranking", caption, columns, found["ranking"], notes=notes)
        if not self.pairs:
            return (ranking,)
        names = (Column("a", "A"), Column("b", "B"))
        tests = (*names, *TEST_COLUMNS, Column("p_adjusted", "p adjusted", "p"))
        records = [{"a": p.a, "b": p.b, **p.test.cells(), "p_adjusted": p.p_adjusted} for p in self.pairs]
        return ranking, Table.of("pairs", "Tests of the difference A - B in mean HTER", tests, records)


def compare_runs(
    benchmark: Benchmark,
    results: Sequence[BenchmarkResult],
    *,
    correction: Correction = "holm",
    confidence: float = 0.95,
) -> Contest:
    """Compare runs of several fusion methods over the same protocol.

    What is compared is the mean HTER over all experiments. All of them share trials, and trials share people: the
    contribution of each trial is summed over the experiments first, and then by person. Random splits of the same
    trials cannot be tested so; there the ranking is all there is.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems that the runs were made on.
    results : sequence of BenchmarkResult
        One run per method, at least two.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1: methods differ significantly where the adjusted p value is below 1
        minus this.

    Returns
    -------
    Contest
        The methods in the order of their mean HTER, and a test of each pair.

    Raises
    ------
    ParameterError
        Fewer than two different methods, or runs of different protocols.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 4.

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
    >>> runs = [
    ...     run_benchmark(tiny, protocol="fp-full", settings=RunSettings(fusion=name, points=11, keep_scores=True))
    ...     for name in ("mean", "min")
    ... ]
    >>> [rank.fusion for rank in compare_runs(tiny, runs).ranking]
    ['mean', 'min']
    """
    names = [r.label for r in results]
    if len(results) < 2 or len(set(names)) != len(names):
        raise ParameterError(f"a comparison needs at least two different methods, not {listed(names) or 'none'}")
    runs = {(r.benchmark, r.protocol, tuple(e.experiment for e in r.experiments)) for r in results}
    if len(runs) > 1 or results[0].benchmark != benchmark.name:
        raise ParameterError("only runs of the same protocol on the same benchmark can be compared")
    means = [float(np.mean([float(e.counts.hter) for e in r.experiments])) for r in results]
    order = np.argsort(means, kind="stable").tolist()
    split = any(one.split is not None for one in benchmark.sets)
    pairs = [] if split else _pairs(benchmark, results, names, order, correction)
    place = {names[k]: index for index, k in enumerate(order)}
    different = [
        (min(place[p.a], place[p.b]), max(place[p.a], place[p.b])) for p in pairs if p.p_adjusted < 1 - confidence
    ]
    letters = compact_letters(len(order), different) if pairs else [""] * len(order)
    gains = [mean_gain([e.beta_min for e in r.experiments]) for r in results]
    ranking = tuple(
        ContestRank(
            names[k],
            means[k],
            gains[k][0],
            sum(e.p_adjusted < 1 - confidence and e.test.estimate < 0 for e in results[k].experiments),
            letters[index],
        )
        for index, k in enumerate(order)
    )
    notes = ["random splits share trials: their spread says more than a test could"] if split else []
    left_out = [f"{names[k]} {gains[k][1]}" for k in order if gains[k][1]]
    if left_out:
        notes.append(f"mean beta_min leaves out experiments in which the fusion made no error: {', '.join(left_out)}")
    return Contest(results[0].protocol, ranking, tuple(pairs), tuple(notes))


def _pairs(
    benchmark: Benchmark,
    results: Sequence[BenchmarkResult],
    names: Sequence[str],
    order: Sequence[int],
    correction: Correction,
) -> list[ContestPair]:
    shared = People.of(joined_trials(benchmark.sets))
    name = paired_test_name(shared.cluster != "none")
    weights = linear_weights("hter")
    errors = [_errors_by_trial(benchmark, result) for result in results]
    tests = []
    for i, j in combinations(order, 2):
        parts, estimate = [], 0.0
        for one in benchmark.sets:
            values = errors[i][one.name] - errors[j][one.name]
            genuine = one.test.genuine
            parts.append(contributions(genuine, values, weights[:2]))
            estimate += weights.frr * float(values[genuine].mean()) + weights.far * float(values[~genuine].mean())
        spread = shared.variance(np.concatenate(parts))
        tests.append((i, j, student_test(name, _claim(estimate, spread, results[i], results[j]))))
    adjusted = adjust_p_values([test.p_value for _, _, test in tests], correction)
    return [ContestPair(names[i], names[j], test, float(p)) for (i, j, test), p in zip(tests, adjusted, strict=True)]


def _claim(estimate: float, spread: Spread, a: BenchmarkResult, b: BenchmarkResult) -> Claim:
    """The difference of two runs, with what their thresholds add where it is known."""
    parts = [(sign, e.moved) for sign, run in ((1.0, a), (-1.0, b)) for e in run.experiments]
    known = [(sign / len(a.experiments), moved) for sign, moved in parts if moved is not None]
    if len(known) < len(parts):
        return Claim(estimate, spread, 0.0, spread.degrees, "fixed")
    together = ThresholdDeviations.together(known)
    return re_estimated(estimate, spread, float(together.variances()[0]))


def _errors_by_trial(benchmark: Benchmark, result: BenchmarkResult) -> dict[str, NDArray[np.float64]]:
    """For each set, the mean over all experiments of whether a trial was decided wrongly."""
    found = {one.name: np.zeros(len(one.test)) for one in benchmark.sets}
    for experiment in result.experiments:
        found[experiment.experiment.set] += experiment.wrong(len(found[experiment.experiment.set]))
    return {name: errors / len(result.experiments) for name, errors in found.items()}


def joined_trials(sets: Sequence[BenchmarkSet]) -> Trials:
    """The test trials of all sets, without their scores: who takes part in them."""
    return Trials.concat(
        [
            Trials(np.zeros((len(test), 1)), test.genuine, ("all",), claim=test.claim, subject=test.subject)
            for test in (one.test for one in sets)
        ]
    )
