"""Whether B is really better than A: several systems on the same test trials, each at its threshold from dev."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from fairtrial.checks import check_confidence
from fairtrial.claims import Alternative
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.intervals.bootstrap import Bootstrap
from fairtrial.judging import CHOSEN, Judgement, Kind, TrialSets, judge, seed_of
from fairtrial.people import Cluster
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import Measure, MeasureLike, as_measure
from fairtrial.significance.multiple import Correction, adjust_p_values, compact_letters
from fairtrial.significance.paired import (
    Pair,
    bootstrap_difference,
    bootstrap_test,
    leading_test,
    mcnemar_of_pair,
    pair_judgements,
    permutation_test,
)
from fairtrial.significance.rates import dependent_test, independent_test
from fairtrial.significance.results import TEST_COLUMNS, TestResult, equivalence_test
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
from fairtrial.trials import Trials

_SIDES = {"less": "below", "greater": "above"}


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

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the difference by the test to go by."""
        found = self.headline.interval(self.confidence)
        assert found is not None
        return found

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "hter_a": self.counts_a.hter,
            "hter_b": self.counts_b.hter,
            "difference": self.headline.estimate,
            "interval": self._intervals()[0],
            "intervals": self._intervals(),
            "tests": [
                {**test.to_dict(), "p_adjusted": adjusted}
                for test, adjusted in zip(self.tests, self.adjusted, strict=True)
            ],
        }

    def _intervals(self) -> list[dict[str, Any]]:
        found = [
            (test.test, test.threshold, ends)
            for test in self.tests
            if test.test in ("cluster", "paired") and (ends := test.interval(self.confidence)) is not None
        ]
        low, high = self.replicates.interval(confidence=self.confidence)
        found.append(("bootstrap", "fixed", (low, high)))
        return [
            {"low": ends[0], "high": ends[1], "confidence": self.confidence, "method": method, "threshold": threshold}
            for method, threshold, ends in found
        ]

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
        ends = (
            *pair,
            Column("interval", interval_title(self.confidence), "interval"),
            Column("method", "method"),
            Column("threshold", "threshold", "term"),
        )
        found = [
            {**names, "interval": (own["low"], own["high"]), "method": own["method"], "threshold": own["threshold"]}
            for own in self._intervals()
        ]
        return tests, Table.of("differences", "Intervals of the difference A - B", ends, found, section="pair")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """All pairs of systems, or all against a reference, and the ranking that follows."""

    measure: Measure
    criterion: Criterion
    alpha: float
    correction: Correction
    pairs: tuple[PairComparison, ...]
    ranking: tuple[SystemRank, ...]
    kind: Kind
    judgements: dict[str, Judgement]
    """The systems as they were judged, by name."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "measure": self.measure.name,
            "criterion": self.criterion.name,
            "alpha": self.alpha,
            "kind": self.kind,
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
        show = percent if self.measure.is_share else "{:.4g}".format
        ranks = (f"{rank.system} {show(rank.value)} ({rank.letters})" for rank in self.ranking)
        return f"{self.measure.label} of {listed(ranks, 6)}; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """Every test of every pair, the ranking, and the intervals of the differences."""
        tests, differences = join_tables([pair.tables() for pair in self.pairs])
        how = f"p adjusted by {self.correction} over {plural(len(self.pairs), 'pair')}"
        side = self.pairs[0].headline.alternative
        claimed = "" if side == "two-sided" else f", claimed to be {_SIDES[side]} 0"
        tests = replace(tests, caption=f"Tests of the difference A - B in {self.measure.label}{claimed}, {how}")
        return tests.with_notes(*self.notes), self._ranking(), differences

    def _ranking(self) -> Table:
        columns = [Column("system", "system"), Column("threshold", "threshold", "threshold"), *RATE_COLUMNS[:2]]
        if self.measure.name not in ("far", "frr"):
            kind: Literal["rate", "number"] = "rate" if self.measure.is_share else "number"
            columns.append(Column("value", self.measure.label, kind))
        columns += [Column("letters", "letters"), *COUNT_COLUMNS]
        records = [
            {**rank.counts.to_dict(), "system": rank.system, "threshold": rank.threshold, "value": rank.value}
            | {"letters": rank.letters}
            for rank in self.ranking
        ]
        rule = self.criterion.described(self.alpha)
        caption = f"{self.measure.label} on test, {self.kind}, threshold by {rule} {CHOSEN[self.kind]}"
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
    dev, test
        Trials of the same systems.
    systems
        Which systems, two or more; all of them by default.
    reference
        Compare all others with this one only, not every pair.
    criterion, alpha
        How thresholds are chosen on dev. A criterion that aims at a target needs its alpha.
    measure
        What is compared: any measure, by name or a user's own.
    cluster
        What trials share; by default all ids that are known. The first tests of each pair go by it.
    correction
        How p values are adjusted for the number of pairs.
    alternative
        What is claimed of A - B, in every test that has sides.
    margin
        Test equivalence within this margin too.
    confidence
        Of intervals and of the letters.
    n_resamples, rng, workers
        Of the bootstrap and the permutation test, the seed, and threads.
    progress
        Called after each pair.

    Returns
    -------
    Comparison
        Every test of every pair, the one to go by first, and the ranking.

    Raises
    ------
    TrialsError
        Fewer than two systems, or different systems in dev and test.
    """
    check_confidence(confidence)
    sets = TrialSets(dev, test, cluster, seed_of(rng))
    names = list(test.systems) if systems is None else [systems] if isinstance(systems, str) else list(systems)
    _check_names(names, test, reference)
    rule, known = as_criterion(criterion), as_measure(measure)
    weight = rule.resolve_alpha(alpha)
    judged = {name: judge(sets, system=name, criterion=rule, alphas=weight) for name in names}
    wanted = list(combinations(names, 2)) if reference is None else [(n, reference) for n in names if n != reference]
    found = []
    for a, b in wanted:
        pair = pair_judgements(judged[a], judged[b])
        replicates = bootstrap_difference(pair, measure=known, n_resamples=n_resamples, rng=rng, workers=workers)
        found.append((pair, _tests(pair, known, alternative, margin, n_resamples, rng, replicates), replicates))
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
    notes = (*sets.notes, *(note for judgement in judged.values() for note in judgement.notes))
    ranking = _ranking(pairs, judged, known, weight, confidence)
    kind = next(iter(judged.values())).kind
    return Comparison(known, rule, weight, correction, pairs, ranking, kind, judged, notes)


def _check_names(names: Sequence[str], test: Trials, reference: str | None) -> None:
    for name in [*names, *([reference] if reference is not None else [])]:
        if name not in test.systems:
            raise TrialsError(f"there is no system {shown(name)}; there are {listed(test.systems)}")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    if len(names) < 2:
        raise TrialsError(f"comparing needs two systems; only one was given: {listed(names) or 'none'}")
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {shown(reference)} must be one of the systems compared")


def _tests(
    pair: Pair,
    measure: Measure,
    alternative: Alternative,
    margin: float | None,
    n_resamples: int,
    rng: int | None,
    replicates: Bootstrap,
) -> tuple[TestResult, ...]:
    """Every test that there is for the measure; the one that knows most about the trials first."""
    robust = leading_test(pair, measure=measure, alternative=alternative)
    tests = [robust]
    if robust.threshold == "re-estimated":
        tests.append(leading_test(pair, measure=measure, threshold="fixed", alternative=alternative))
    tests.append(bootstrap_test(replicates, alternative=alternative, measure=measure.name))
    if measure.weights is not None:
        a, b = pair.counts_a, pair.counts_b
        own: dict[str, Any] = {"measure": measure, "alpha": pair.alpha, "alternative": alternative}
        tests.append(dependent_test(a, b, pair.discordant, **own))
        tests.append(independent_test(a, b, **own))
        tests.append(permutation_test(pair, measure=measure, n_resamples=n_resamples, rng=rng, alternative=alternative))
    mcnemar = mcnemar_of_pair(pair)
    tests.append(
        TestResult(
            "mcnemar",
            mcnemar.chi2,
            mcnemar.p_value,
            (mcnemar.b - mcnemar.c) / len(pair.trials),
            note="compares the classification error over all trials; two-sided",
            measure="class-error",
        )
    )
    if margin is not None:
        tests.append(equivalence_test(robust, margin))
    return tuple(tests)


def _ranking(
    pairs: Sequence[PairComparison], judged: dict[str, Judgement], measure: Measure, alpha: float, confidence: float
) -> tuple[SystemRank, ...]:
    values = {name: float(measure(judgement.at(0), alpha)) for name, judgement in judged.items()}
    order = sorted(values, key=lambda name: -values[name] if measure.higher_is_better else values[name])
    place = {name: index for index, name in enumerate(order)}
    different = [
        (min(place[pair.a], place[pair.b]), max(place[pair.a], place[pair.b]))
        for pair in pairs
        if pair.adjusted[0] < 1 - confidence
    ]
    letters = compact_letters(len(order), different)
    return tuple(
        SystemRank(name, judged[name].at(0).threshold, judged[name].at(0), values[name], letters[place[name]])
        for name in order
    )
