"""What a comparison of systems found: each pair, and the ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from fairtrial.calibration.measures import EvidenceMeasure
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import listed
from fairtrial.intervals.bootstrap import Bootstrap
from fairtrial.judging import Judgement
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import Measure
from fairtrial.significance.multiple import Correction, adjustment_text
from fairtrial.significance.paired import Agreement
from fairtrial.significance.results import TEST_COLUMNS, TestResult
from fairtrial.tables import (
    COUNT_COLUMNS,
    RATE_COLUMNS,
    Column,
    Result,
    Table,
    figure_text,
    interval_title,
    join_tables,
    p_phrase,
    plural,
)
from fairtrial.trial_sets import Kind, TestName

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
    agreement: Agreement
    """On how many trials they agree and disagree."""

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
            "discordant": asdict(self.agreement.discordant),
            "mcnemar_table": self.agreement.mcnemar_table,
            "tests": [
                {**test.to_dict(), "p_adjusted": adjusted}
                for test, adjusted in zip(self.tests, self.adjusted, strict=True)
            ],
        }

    def _intervals(self) -> list[dict[str, Any]]:
        found = [
            (test.test, test.threshold, ends)
            for test in self.tests
            if test.test in get_args(TestName) and (ends := test.interval(self.confidence)) is not None
        ]
        low, high = self.replicates.interval(confidence=self.confidence)
        found.append(("bootstrap", "fixed", (low, high)))
        return [
            {"low": ends[0], "high": ends[1], "confidence": self.confidence, "method": method, "threshold": threshold}
            for method, threshold, ends in found
        ]

    def summary(self) -> str:
        """The difference by the test to go by."""
        difference = figure_text(self.headline.estimate, self.headline.is_share)
        return f"{self.a} - {self.b} = {difference}, {p_phrase(self.adjusted[0])} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """Every test, the interval of the difference, and on how many trials they disagree."""
        pair = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
        names = {"pair": f"{self.a} - {self.b}", "a": self.a, "b": self.b}
        disagree = {**asdict(self.agreement.discordant), **_named_cells(self.agreement)}
        columns = (*pair, *TEST_COLUMNS, Column("p_adjusted", "p adjusted", "p"), *_AGREEMENT_DETAILS)
        records = [
            {**names, **test.cells(), "p_adjusted": adjusted, **disagree}
            for test, adjusted in zip(self.tests, self.adjusted, strict=True)
        ]
        notes = [f"{test.test}: {test.note}" for test in self.tests if test.note]
        notes.append("go by the first test of a pair; the others are there to compare with")
        tests = Table.of("tests", f"{self.a} - {self.b}", columns, records, notes=notes, section="pair")
        ends = (
            *pair,
            Column("interval", interval_title(self.confidence), "figures"),
            Column("method", "method"),
            Column("threshold", "threshold", "term"),
        )
        share = self.headline.is_share
        found = [{**names, **own, "interval": (own["low"], own["high"], share)} for own in self._intervals()]
        differences = Table.of("differences", "Intervals of the difference A - B", ends, found, section="pair")
        return tests, differences, Table.of("agreement", _AGREEMENT, (*pair, *_AGREEMENT_COLUMNS), [names | disagree])


_AGREEMENT = "Trials that one system decides wrongly: impostor (NI) or genuine (NC), only B wrong (AB) or only A (BA)"
_AGREEMENT_COLUMNS = (
    Column("impostor_ab", "NI_AB", "count"),
    Column("impostor_ba", "NI_BA", "count"),
    Column("genuine_ab", "NC_AB", "count"),
    Column("genuine_ba", "NC_BA", "count"),
    Column("both_right", "a: both right", "count"),
    Column("only_a_wrong", "b: only A wrong", "count"),
    Column("only_b_wrong", "c: only B wrong", "count"),
    Column("both_wrong", "d: both wrong", "count"),
)
_AGREEMENT_DETAILS = tuple(replace(column, detail=True) for column in _AGREEMENT_COLUMNS)


def _named_cells(agreement: Agreement) -> dict[str, int]:
    """McNemar's four cells, by names that do not clash with those of the systems."""
    names = ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong")
    return {name: getattr(agreement, name) for name in names}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """All pairs of systems, or all against a reference, and the ranking that follows.

    Attributes
    ----------
    measure : Measure
        What was compared.
    criterion : Criterion
        How thresholds were chosen.
    alpha : float
        The weight or the target that the criterion took.
    correction : {"holm", "bh", "none"}
        How p values were adjusted for the number of pairs.
    pairs : tuple of PairComparison
        Every pair of systems, with its tests.
    ranking : tuple of SystemRank
        The systems from the best to the worst, with letters: two share one where they do not differ significantly.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    judgements : dict of str to Judgement
        The systems as they were judged, by name.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, compare
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = compare(dev, test, n_resamples=100)
    >>> [(rank.system, rank.letters) for rank in found.ranking]
    [('new', 'a'), ('old', 'b')]
    """

    measure: Measure | EvidenceMeasure
    criterion: Criterion
    alpha: float
    correction: Correction
    pairs: tuple[PairComparison, ...]
    ranking: tuple[SystemRank, ...]
    kind: Kind
    judgements: dict[str, Judgement]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "measure": self.measure.name,
            "criterion": self.criterion.name,
            "alpha": self.criterion.alpha_of_result(
                self.alpha, [self.measure] if isinstance(self.measure, Measure) else []
            ),
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
        share = self.measure.is_share
        ranks = (f"{rank.system} {figure_text(rank.value, share)} ({rank.letters})" for rank in self.ranking)
        return f"{self.measure.label} of {listed(ranks, 6)}; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """Every test of every pair, the ranking, the intervals of the differences, and who disagrees how often."""
        tests, differences, agreement = join_tables([pair.tables() for pair in self.pairs])
        how = adjustment_text(self.correction, len(self.pairs))
        side = self.pairs[0].headline.alternative
        claimed = "" if side == "two-sided" else f", claimed to be {_SIDES[side]} 0"
        tests = replace(tests, caption=f"Tests of the difference A - B in {self.measure.label}{claimed}, {how}")
        if isinstance(self.measure, EvidenceMeasure):
            tests, differences = (table.with_title("threshold", "calibration") for table in (tests, differences))
        return tests.with_notes(*self.notes), self._ranking(), differences, agreement

    def _ranking(self) -> Table:
        own = next(iter(self.judgements.values())).sets.provenance
        columns = [Column("system", "system"), Column("threshold", own.threshold, "threshold"), *RATE_COLUMNS[:2]]
        if self.measure.name not in ("far", "frr"):
            columns.append(Column("value", self.measure.label, self.measure.kind))
        columns += [Column("letters", "letters"), *COUNT_COLUMNS]
        records = [
            {**rank.counts.to_dict(), "system": rank.system, "threshold": rank.threshold, "value": rank.value}
            | {"letters": rank.letters}
            for rank in self.ranking
        ]
        rule = self.criterion.described(self.alpha)
        chosen = f"threshold by {rule} {own.chosen}"
        if isinstance(self.measure, EvidenceMeasure):
            chosen = f"error rates at the {chosen}"
        caption = f"{self.measure.label} on {own.judged}, {self.kind}, {chosen}"
        notes = ["systems that share a letter do not differ significantly"]
        return Table.of("ranking", caption, columns, records, notes=notes)
