"""What a comparison of systems found: each pair, and the ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Any, get_args

from fairtrial.calibration.measures import EvidenceMeasure
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import listed
from fairtrial.intervals.bootstrap import Bootstrap
from fairtrial.judging import Judgement
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import Measure, linear_weights
from fairtrial.significance.multiple import Correction, adjustment_text
from fairtrial.significance.paired import Agreement
from fairtrial.significance.rates import few_errors_note
from fairtrial.significance.results import TestResult, columns_with_interval
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
_SHARED_LETTERS = "systems that share a letter do not differ significantly"


@dataclass(frozen=True, slots=True)
class SystemRank:
    """One system at its threshold, and the letters it shares with those it cannot be told from."""

    system: str
    threshold: float
    counts: ErrorCounts
    value: float
    letters: str
    """Empty unless all pairs of systems were tested, two-sided."""


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
        """The interval of the difference by the test to go by; NaN where there is no spread to make one of."""
        return self.headline.interval(self.confidence) or (nan, nan)

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

    def _interval_of(self, test: TestResult) -> dict[str, Any] | None:
        """The interval of the difference by a test; None for those that do not know who shares trials."""
        if test.test == "bootstrap":
            low, high = self.replicates.interval(confidence=self.confidence) if self.replicates.moves else (nan, nan)
            return {**test.interval_entry(self.confidence), "low": low, "high": high}
        return test.interval_entry(self.confidence) if test.test in get_args(TestName) else None

    def _intervals(self) -> list[dict[str, Any]]:
        return [found for test in self.tests if (found := self._interval_of(test)) is not None]

    def _cells(self, test: TestResult) -> dict[str, Any]:
        """A row of the table of tests, with the interval that `_interval_of` gives."""
        ends = self._interval_of(test)
        return {**test.cells(), "interval": None if ends is None else (ends["low"], ends["high"], test.is_share)}

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """The names of the tests that have a note, each with its note."""
        return tuple(dict.fromkeys((test.test, test.note) for test in self.tests if test.note))

    def summary(self) -> str:
        """The difference by the test to go by."""
        difference = figure_text(self.headline.estimate, self.headline.is_share)
        return f"{self.a} - {self.b} = {difference}, {p_phrase(self.adjusted[0])} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """Every test, the interval of the difference, and on how many trials they disagree."""
        pair = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
        names = {"pair": f"{self.a} - {self.b}", "a": self.a, "b": self.b}
        disagree = {**asdict(self.agreement.discordant), **_named_cells(self.agreement)}
        tested = columns_with_interval(self.confidence, detail=True)
        columns = (*pair, *tested, Column("p_adjusted", "p adjusted", "p"), *_AGREEMENT_DETAILS)
        records = [
            {**names, **self._cells(test), "p_adjusted": adjusted, **disagree}
            for test, adjusted in zip(self.tests, self.adjusted, strict=True)
        ]
        notes = [*(f"{test}: {note}" for test, note in self.notes), _GO_BY]
        tests = Table.of("tests", f"{self.a} - {self.b}", columns, records, notes=notes, section="pair")
        ends = (
            *pair,
            Column("interval", interval_title(self.confidence), "figures"),
            Column("method", "method"),
            Column("threshold", "threshold", "term"),
        )
        share = self.headline.is_share
        found = [{**names, **own, "interval": (own["low"], own["high"], share)} for own in self._intervals()]
        differences = Table.of("differences", _DIFFERENCES, ends, found, section="pair")
        return tests, differences, Table.of("agreement", _AGREEMENT, (*pair, *_AGREEMENT_COLUMNS), [names | disagree])


_GO_BY = "go by the first test of a pair; the others are there to compare with"
_DIFFERENCES = "Intervals of the difference A - B"
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
        The systems from the best to the worst. Where all pairs were tested, and two-sided, with letters: two share one
        where they do not differ significantly.
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
        ranks = (
            f"{rank.system} {figure_text(rank.value, share)}" + (f" ({rank.letters})" if rank.letters else "")
            for rank in self.ranking
        )
        return f"{self.measure.label} of {listed(ranks, 6)}; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """Every test of every pair, the ranking, the intervals of the differences, and who disagrees how often."""
        tests, differences, agreement = join_tables([pair.tables() for pair in self.pairs])
        count = plural(len(self.pairs), "pair")
        side = self.pairs[0].headline.alternative
        claimed = "" if side == "two-sided" else f", claimed to be {_SIDES[side]} 0"
        how = adjustment_text(self.correction, len(self.pairs))
        tests = replace(
            tests,
            caption=f"Tests of the difference A - B in {self.measure.label}{claimed}, {how}",
            notes=(*self._test_notes(), _GO_BY, *self.notes),
        )
        if len(self.pairs) > 1:
            differences = replace(differences, caption=f"{_DIFFERENCES}, each by itself: not adjusted for the {count}")
        if isinstance(self.measure, EvidenceMeasure):
            tests, differences = (table.with_title("threshold", "calibration") for table in (tests, differences))
        return tests, self._ranking(), differences, agreement

    def _test_notes(self) -> Iterator[str]:
        """The notes of the tests; those that do not hold for all pairs name theirs."""
        independent = f"{self.measure.name}-independent"
        found: dict[tuple[str, str], list[str]] = {}
        for pair in self.pairs:
            for test, note in pair.notes:
                found.setdefault((test, "" if test == independent else note), []).append(f"{pair.a} - {pair.b}")
        for (test, note), where in found.items():
            if test == independent:  # of rates of single systems, so once for all pairs
                assert isinstance(self.measure, Measure)
                systems = {rank.system: rank.counts for rank in self.ranking}
                yield f"{test}: {few_errors_note(systems, linear_weights(self.measure, self.alpha))}"
            else:
                yield f"{test}: {note}" if len(where) == len(self.pairs) else f"{listed(where, 6)}, {test}: {note}"

    def _ranking(self) -> Table:
        own = next(iter(self.judgements.values())).sets.provenance
        columns = [Column("system", "system"), Column("threshold", own.threshold, "threshold"), *RATE_COLUMNS[:2]]
        if self.measure.name not in ("far", "frr"):
            columns.append(Column("value", self.measure.label, self.measure.kind))
        lettered = any(rank.letters for rank in self.ranking)
        columns += [*([Column("letters", "letters")] if lettered else []), *COUNT_COLUMNS]
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
        notes = [_SHARED_LETTERS if lettered else self._why_no_letters()]
        return Table.of("ranking", caption, columns, records, notes=notes)

    def _why_no_letters(self) -> str:
        if self.pairs[0].headline.alternative != "two-sided":
            return "there are no letters, as tests are one-sided"
        return f"there are no letters, as systems were compared with {self.pairs[0].b} only, and not with each other"
