"""Whether B is really better than A: several systems on the same test trials, each at its threshold from dev."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.intervals.bootstrap import Bootstrap
from fairtrial.people import Cluster, known_cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.measures import Measure, MeasureLike, as_measure, linear_weights
from fairtrial.significance.multiple import Correction, adjust_p_values, compact_letters
from fairtrial.significance.paired import (
    Pair,
    bootstrap_difference,
    bootstrap_test,
    cluster_test,
    mcnemar_of_pair,
    pair_systems,
    permutation_test,
)
from fairtrial.significance.rates import dependent_test, independent_test
from fairtrial.significance.results import TEST_COLUMNS, Alternative, TestResult, equivalence_test
from fairtrial.tables import (
    COUNT_COLUMNS,
    RATE_COLUMNS,
    Column,
    Result,
    Table,
    interval_title,
    join_tables,
    p_phrase,
    percent,
    plural,
)
from fairtrial.trials import Trials, check_same_systems


@dataclass(frozen=True, slots=True)
class SystemRank:
    """One system at its threshold, and the letters it shares with those it cannot be told from."""

    system: str
    threshold: float
    counts: ErrorCounts
    value: float
    letters: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairComparison(Result):
    """Two systems: their errors, every test, and the bootstrap behind one of them."""

    a: str
    b: str
    counts_a: ErrorCounts
    counts_b: ErrorCounts
    tests: tuple[TestResult, ...]
    adjusted: tuple[float, ...]
    """p values of the tests, adjusted for the number of pairs."""
    replicates: Bootstrap
    confidence: float

    @property
    def headline(self) -> TestResult:
        """The test to go by: the first."""
        return self.tests[0]

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        low, high = self.replicates.interval(confidence=self.confidence)
        return {
            "a": self.a,
            "b": self.b,
            "hter_a": self.counts_a.hter,
            "hter_b": self.counts_b.hter,
            "difference": self.headline.estimate,
            "interval": {"low": low, "high": high, "confidence": self.confidence, "method": "bootstrap"},
            "tests": [
                {**test.to_dict(), "p_adjusted": adjusted}
                for test, adjusted in zip(self.tests, self.adjusted, strict=True)
            ],
        }

    def summary(self) -> str:
        """The difference by the test to go by."""
        return f"{self.a} - {self.b} = {percent(self.headline.estimate)}, {p_phrase(self.adjusted[0])} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """Every test, and the interval of the difference."""
        pair = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
        names = {"pair": f"{self.a} - {self.b}", "a": self.a, "b": self.b}
        columns = (*pair, *TEST_COLUMNS, Column("p_adjusted", "p adjusted", "p"))
        records = [
            {**names, **test.to_dict(), "p_adjusted": adjusted}
            for test, adjusted in zip(self.tests, self.adjusted, strict=True)
        ]
        notes = [f"{test.test}: {test.note}" for test in self.tests if test.note]
        notes.append("go by the first test of a pair; the others are there to compare with")
        tests = Table.of("tests", f"{self.a} - {self.b}", columns, records, notes=notes, section="pair")
        ends = (*pair, Column("interval", interval_title(self.confidence), "interval"), Column("method", "method"))
        found = {"interval": self.replicates.interval(confidence=self.confidence), "method": "bootstrap"}
        return tests, Table.of("differences", "Intervals of the difference A - B", ends, [names | found])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """All pairs of systems, or all against a reference, and the ranking that follows."""

    measure: Measure
    criterion: Criterion
    alpha: float
    correction: Correction
    pairs: tuple[PairComparison, ...]
    ranking: tuple[SystemRank, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "measure": self.measure.name,
            "criterion": self.criterion.name,
            "alpha": self.alpha,
            "correction": self.correction,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "ranking": [
                {
                    "system": rank.system,
                    "threshold": rank.threshold,
                    "value": rank.value,
                    "letters": rank.letters,
                    **rank.counts.to_dict(),
                }
                for rank in self.ranking
            ],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The systems in their order, with the letters of those that cannot be told apart."""
        ranks = (f"{rank.system} {percent(rank.value)} ({rank.letters})" for rank in self.ranking)
        return f"{self.measure.label} of {listed(ranks, 6)}; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """Every test of every pair, the ranking, and the intervals of the differences."""
        tests, differences = join_tables([pair.tables() for pair in self.pairs])
        how = f"p adjusted by {self.correction} over {plural(len(self.pairs), 'pair')}"
        tests = replace(tests, caption=f"Tests of the difference A - B in {self.measure.label}, {how}")
        return tests.with_notes(*self.notes), self._ranking(), differences

    def _ranking(self) -> Table:
        label = self.measure.label
        columns = [Column("system", "system"), Column("threshold", "threshold", "threshold"), *RATE_COLUMNS[:2]]
        if self.measure.name not in ("far", "frr"):
            columns.append(Column("value", label, "rate"))
        columns += [Column("letters", "letters"), *COUNT_COLUMNS]
        records = [
            {**rank.counts.to_dict(), "system": rank.system, "threshold": rank.threshold, "value": rank.value}
            | {"letters": rank.letters}
            for rank in self.ranking
        ]
        caption = f"{label} on test, a priori, threshold by {self.criterion.described(self.alpha)} on dev"
        notes = ["systems that share a letter do not differ significantly"]
        return Table.of("ranking", caption, columns, records, notes=notes)


def compare(
    dev: Trials,
    test: Trials,
    *,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: MeasureLike = "hter",
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: int | None = 0,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> Comparison:
    """Compare systems on the same test trials, each at the threshold that dev gives.

    Parameters
    ----------
    systems
        Which systems, two or more; all of them by default.
    reference
        Compare all others with this one only, not every pair.
    criterion, alpha
        How the threshold is chosen on dev. An alpha of None is 0.5 for a weight; a criterion that aims at a target
        needs one. It is also the weight of FAR in the measure wer.
    measure
        What is compared: a linear measure, such as hter, far, frr, wer or `DetectionCosts`.
    cluster
        What trials share; by default all ids that are known. The first test of each pair goes by it.
    correction
        How p values are adjusted for the number of pairs.
    margin
        Test equivalence within this margin too.
    progress
        Called after each pair.

    Raises
    ------
    TrialsError
        Fewer than two systems, or different systems in dev and test.
    """
    check_same_systems(dev, test)
    names = list(test.systems) if systems is None else [systems] if isinstance(systems, str) else list(systems)
    _check_names(names, test, reference)
    rule, figure = as_criterion(criterion), as_measure(measure)
    weight = rule.resolve_alpha(alpha)
    trade_off = weight if alpha is None else float(alpha)
    linear_weights(figure, trade_off)
    chosen = {name: choose_thresholds(dev.select([name]), rule, weight)[0].scalar().threshold for name in names}
    sharing = known_cluster(test, cluster)
    wanted = list(combinations(names, 2)) if reference is None else [(n, reference) for n in names if n != reference]
    found = []
    for a, b in wanted:
        pair = pair_systems(test, a, b, chosen[a], chosen[b])
        replicates = bootstrap_difference(
            pair,
            measure=lambda counts: figure(counts, trade_off),
            cluster=sharing,
            n_resamples=n_resamples,
            rng=rng,
            workers=workers,
        )
        found.append(
            (
                pair,
                _tests(pair, figure, trade_off, sharing, alternative, margin, n_resamples, rng, replicates),
                replicates,
            )
        )
        if progress is not None:
            progress()
    adjusted = np.array(
        [adjust_p_values([tests[k].p_value for _, tests, _ in found], correction) for k in range(len(found[0][1]))]
    )
    pairs = tuple(
        PairComparison(
            a, b, pair.counts_a, pair.counts_b, tests, tuple(adjusted[:, k].tolist()), replicates, confidence
        )
        for k, ((a, b), (pair, tests, replicates)) in enumerate(zip(wanted, found, strict=True))
    )
    ranking = _ranking(pairs, chosen, figure, trade_off, confidence)
    return Comparison(figure, rule, trade_off, correction, pairs, ranking, _notes(sharing))


def _check_names(names: Sequence[str], test: Trials, reference: str | None) -> None:
    for name in [*names, *([reference] if reference is not None else [])]:
        if name not in test.systems:
            raise TrialsError(f"there is no system {shown(name)}; there are {listed(test.systems)}")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    if len(names) < 2:
        given = f"only one was given: {names[0]}" if names else "none was given"
        raise TrialsError(f"comparing needs at least two systems; {given}")
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {shown(reference)} must be one of the systems compared")


def _tests(
    pair: Pair,
    measure: Measure,
    alpha: float,
    cluster: Cluster,
    alternative: Alternative,
    margin: float | None,
    n_resamples: int,
    rng: int | None,
    replicates: Bootstrap,
) -> tuple[TestResult, ...]:
    """Every test; the one that knows most about the trials first."""
    a, b = pair.counts_a, pair.counts_b
    mcnemar = mcnemar_of_pair(pair)
    robust = cluster_test(pair, measure=measure, alpha=alpha, cluster=cluster, alternative=alternative)
    tests = [
        robust,
        bootstrap_test(replicates),
        dependent_test(a, b, pair.discordant, measure=measure, alpha=alpha, alternative=alternative),
        independent_test(a, b, measure=measure, alpha=alpha, alternative=alternative),
        permutation_test(pair, measure=measure, alpha=alpha, n_resamples=n_resamples, rng=rng, alternative=alternative),
        TestResult("mcnemar", mcnemar.chi2, mcnemar.p_value, (mcnemar.b - mcnemar.c) / len(pair.trials)),
    ]
    if margin is not None:
        tests.append(equivalence_test(robust, margin))
    return tuple(tests)


def _ranking(
    pairs: Sequence[PairComparison], chosen: dict[str, float], measure: Measure, alpha: float, confidence: float
) -> tuple[SystemRank, ...]:
    counts = {name: c for pair in pairs for name, c in ((pair.a, pair.counts_a), (pair.b, pair.counts_b))}
    order = sorted(counts, key=lambda name: float(measure(counts[name], alpha)), reverse=measure.higher_is_better)
    place = {name: index for index, name in enumerate(order)}
    different = [
        (min(place[pair.a], place[pair.b]), max(place[pair.a], place[pair.b]))
        for pair in pairs
        if pair.adjusted[0] < 1 - confidence
    ]
    letters = compact_letters(len(order), different)
    return tuple(
        SystemRank(name, chosen[name], counts[name], float(measure(counts[name], alpha)), letters[place[name]])
        for name in order
    )


def _notes(cluster: Cluster) -> tuple[str, ...]:
    if cluster == "none":
        return ("trials are taken as independent: without ids nothing tells which of them share a person",)
    return ()
