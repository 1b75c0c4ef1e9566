"""Compare several systems on the same trials, in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import combinations
from math import nan
from typing import Any, get_args

import numpy as np

from fairtrial.core.errors import (
    ParameterError,
    TrialsError,
    as_generator,
    check_choice,
    check_confidence,
    check_resamples,
    check_workers,
)
from fairtrial.core.notes import Note, as_note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Record, Result, plain
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table, join_tables
from fairtrial.core.words import (
    figure_text,
    figures_text,
    in_a_row,
    in_percent,
    interval_text,
    interval_title,
    level_text,
    listed,
    number_text,
    p_phrase,
    plural,
    range_text,
    shown,
    term,
)
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.evaluation.paired_tests import (
    REPEATS,
    Agreement,
    Pair,
    bootstrap_difference,
    bootstrap_test,
    corrected_resampled_test,
    five_by_two_test,
    fold_differences,
    fold_without_class,
    leading_test,
    other_tests,
    pair_judgements,
)
from fairtrial.inference.bootstrap import Bootstrap, Progress
from fairtrial.inference.decide import Judgement, ignored_alpha, judge
from fairtrial.inference.estimates import GIVEN_ALONG, threshold_notes
from fairtrial.inference.folds import Block, make_halves
from fairtrial.inference.multiplicity import Correction, adjust_p_values, adjustment_text, compact_letters
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import Kind, TestName, TrialSets
from fairtrial.inference.student import Alternative
from fairtrial.inference.tests import TestResult, columns_with_interval, equivalence_test
from fairtrial.published.rates import few_errors_note, independent_test
from fairtrial.rules.bounds import Bounds
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import (
    MEASURES,
    AnyMeasure,
    AnyMeasureLike,
    Measure,
    as_any_measure,
    errors_only,
    linear_weights,
)

_UNPAIRED = Note(
    "unpaired",
    "counts do not show on which trials two systems err together, so the test treats their trials as different ones: "
    "conservative if systems err on the same trials, anti-conservative if trials share people; compare the scores "
    "themselves for paired tests",
)
_NO_BOOTSTRAP = Note("no-bootstrap", "a bootstrap by people needs all trials in memory, so there is none", detail=True)
_MOST = 3
"""Maximum number of rivals whose difference from the best is in the answer, and of pairs that are all shown unasked."""
_ASSUMED = {
    "dependent": "independent trials",
    "independent": "independent trials, systems that err independently of each other",
    "permutation": "independent trials",
    "mcnemar": "independent trials",
    "corrected-resampled": "normal differences of folds",
    "5x2cv": "normal differences of folds",
}
"""The assumptions of tests, besides fixed thresholds; by name, or by its last word."""
_DIFFERENCES = "Intervals of the difference A - B"
_AGREEMENT = "Trials that one system decides wrongly: impostor (NI) or genuine (NC), only B wrong (AB) or only A (BA)"
_COMMANDS = "The tests of counts alone, as commands"
_PAIR_COLUMNS = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
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


def _other_tests(pairs: int = 0) -> Note:
    """Say how to see the other tests, and a number of other pairs."""
    template = "{all!p} shows {pairs}the other tests and what each assumes"
    return Note("other-tests", template, all=None, pairs=f"{plural(pairs, 'more pair')}, " if pairs else "")


def _amount(value: float, is_share: bool, unit: str = "points") -> str:
    """Write the size of a difference: of shares in points of percent, anything else as a number."""
    return f"{in_percent(value)} {unit}" if is_share else number_text(value)


@dataclass(frozen=True, slots=True)
class SystemRank(Record):
    """One system at its threshold, and the letters that it shares with systems it does not differ from."""

    system: str
    threshold: float
    counts: ErrorCounts
    value: float
    letters: str
    """Empty unless all pairs of systems were tested, two-sided."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values by the names of the command line's JSON and of the columns of the ranking."""
        names = ("system", "threshold", "value", "letters")
        return {**{name: getattr(self, name) for name in names}, **self.counts.to_dict()}


@dataclass(slots=True)
class _Family:
    """The pairs whose p values are adjusted together."""

    correction: Correction
    pairs: list[PairComparison] = field(default_factory=list)

    def adjusted(self, pair: PairComparison, tests_of: Callable[[PairComparison], Sequence[TestResult]]) -> list[float]:
        """Adjust the p values of some tests of a pair for those of the same tests of all pairs."""
        place = next(k for k, each in enumerate(self.pairs) if each is pair)
        by_test = zip(*map(tests_of, self.pairs), strict=True)
        return [float(adjust_p_values([test.p_value for test in same], self.correction)[place]) for same in by_test]


@dataclass(frozen=True, eq=False, repr=False)
class PairComparison(Result):
    """Two systems: their errors and the leading test; other tests and the bootstrap are computed on demand."""

    a: str
    b: str
    counts_a: ErrorCounts
    counts_b: ErrorCounts
    shown: tuple[TestResult, ...]
    """The leading test, and the test of equivalence if there is a margin."""
    confidence: float
    pair: Pair | None
    """The decisions of the two systems; None if there are only counts."""
    family: _Family
    more: Callable[[], tuple[Sequence[TestResult], Bootstrap | None]]
    """Computes all other tests, and the bootstrap behind one of them."""
    bounds: tuple[Bounds | None, Bounds | None] = (None, None)
    """From counters, bounds of the HTERs of the scores."""

    @property
    def headline(self) -> TestResult:
        """The leading test."""
        return self.shown[0]

    @cached_property
    def _more(self) -> tuple[Sequence[TestResult], Bootstrap | None]:
        return self.more()

    @property
    def tests(self) -> tuple[TestResult, ...]:
        """Every test, the leading one first and that of equivalence last."""
        return (self.headline, *self._more[0], *self.shown[1:])

    def test(self, name: str) -> TestResult:
        """Return a test by its name; the leading one if thresholds are re-estimated in one and fixed in another.

        Parameters
        ----------
        name : str
            The name, such as ``mcnemar``.

        Returns
        -------
        TestResult
            The test.

        Raises
        ------
        ParameterError
            If there is no such test.
        """
        by_name = {test.test: test for test in reversed(self.tests)}
        check_choice("name", name, reversed(by_name))
        return by_name[name]

    @property
    def replicates(self) -> Bootstrap | None:
        """The bootstrap; None if trials were only counted."""
        return self._more[1]

    @cached_property
    def adjusted(self) -> tuple[float, ...]:
        """The p values of `tests`, adjusted for the number of pairs."""
        return tuple(self.family.adjusted(self, lambda pair: pair.tests))

    @cached_property
    def shown_adjusted(self) -> list[float]:
        """The p values of `shown`, adjusted for the number of pairs."""
        return self.family.adjusted(self, lambda pair: pair.shown)

    @property
    def agreement(self) -> Agreement | None:
        """The numbers of trials on which they agree and disagree; None if there are only counts."""
        return None if self.pair is None else self.pair.agreement

    @property
    def difference(self) -> float:
        """The difference A - B of the measure."""
        return self.headline.estimate

    @property
    def p_value(self) -> float:
        """The p value of the leading test, adjusted for the number of pairs."""
        return self.shown_adjusted[0]

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the difference by the leading test; NaN without a standard deviation."""
        return self.headline.interval(self.confidence) or (nan, nan)

    def _limits(self, sign: float) -> tuple[str, str]:
        """Write the interval of the difference times `sign`, and the largest difference in it; empty without one."""
        ends, is_share = self.headline.interval(self.confidence), self.headline.is_share
        if ends is None:
            return "", ""
        low, high = sorted(sign * end for end in ends)
        return (interval_text if is_share else range_text)(low, high), _amount(max(-low, high), is_share)

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        intervals = [interval for test in self.tests if (interval := self._interval_of(test)) is not None]
        result = {
            "a": self.a,
            "b": self.b,
            "hter_a": self.counts_a.hter,
            "hter_b": self.counts_b.hter,
            "difference": self.headline.estimate,
            "interval": intervals[0],
            "intervals": intervals,
            "tests": [
                {**test.to_dict(), "p_adjusted": adjusted}
                for test, adjusted in zip(self.tests, self.adjusted, strict=True)
            ],
        }
        for name, bounds in zip(("hter_a", "hter_b"), self.bounds, strict=True):
            if bounds is not None:
                result[f"{name}_bounds"] = bounds.to_dict()
        if self.agreement is not None:
            result["discordant"] = asdict(self.agreement.discordant)
            result["mcnemar_table"] = self.agreement.mcnemar_table
            result["commands"] = list(self.commands())
        return result

    def commands(self) -> Iterator[str]:
        """Write the commands that test the same pair from counts alone."""
        agreement = self.agreement
        if agreement is None:
            return
        a, b, discordant = self.counts_a, self.counts_b, agreement.discordant
        errors = [f"--{name}-counts {n.false_accepts} {n.false_rejects}" for name, n in (("a", a), ("b", b))]
        cells = discordant.impostor_ab, discordant.impostor_ba, discordant.genuine_ab, discordant.genuine_ba
        yield (
            f"fairtrial compare-rates {' '.join(errors)} --impostor {a.impostor} --genuine {a.genuine} "
            f"--discordant {' '.join(map(str, cells))}"
        )
        yield f"fairtrial mcnemar --b {agreement.only_a_wrong} --c {agreement.only_b_wrong}"

    def _interval_of(self, test: TestResult) -> dict[str, Any] | None:
        """Return the interval of the difference by a test; None for tests that take trials as independent."""
        interval = test.interval_entry(self.confidence)
        if test.test == "bootstrap" and self.replicates is not None:
            low, high = self.replicates.interval(confidence=self.confidence) if self.replicates.moves else (nan, nan)
            return {**interval, "low": low, "high": high}
        return interval if self.pair is None or test.test in get_args(TestName) else None

    def answer(self) -> str:
        """Write the difference by the leading test, with its interval and p."""
        test, p = self.headline, p_phrase(self.p_value)
        interval = figures_text(*self.interval, test.is_share)
        span = f"{interval_title(self.confidence)} {interval}, " if interval else ""
        return f"{self.a} - {self.b} = {figure_text(test.estimate, test.is_share)} ({span}{p} adjusted)"

    @property
    def _names(self) -> dict[str, str]:
        return {"pair": f"{self.a} - {self.b}", "a": self.a, "b": self.b}

    def _tests(self, tests: Sequence[TestResult], adjusted: Sequence[float], notes: Sequence[Note | str] = ()) -> Table:
        """Tabulate some tests, with their adjusted p values; the leading one and that of equivalence are shown."""
        columns = [
            *_PAIR_COLUMNS,
            *columns_with_interval(self.confidence),
            Column("p_adjusted", "p adjusted", "p"),
            *(replace(column, detail=True) for column in _AGREEMENT_COLUMNS),
        ]
        is_share, rows = self.headline.is_share, []
        for test, p_value in zip(tests, adjusted, strict=True):
            interval = self._interval_of(test)
            limits = None if interval is None else (interval["low"], interval["high"], is_share)
            rows.append({**self._names, **test.cells(), "interval": limits, "p_adjusted": p_value, **self._agreement})
        places = [k for k, test in enumerate(tests) if test in self.shown]
        return Table.of("tests", self._names["pair"], columns, rows, notes=notes, section="pair", shown=places)

    @property
    def _agreement(self) -> dict[str, int]:
        """The columns of trials on which they agree and disagree; empty if there are only counts."""
        if self.agreement is None:
            return {}
        further = {column.key: getattr(self.agreement, column.key) for column in _AGREEMENT_COLUMNS[4:]}
        return asdict(self.agreement.discordant) | further

    def main_tables(self) -> tuple[Table, ...]:
        """Tabulate the leading test."""
        notes = [as_note(test.note, test.test) for test in self.shown if test.note]
        return (self._tests(self.shown, self.shown_adjusted, [*notes, _other_tests()]),)

    def tables(self) -> tuple[Table, ...]:
        """Tabulate every test, the intervals of the difference, and the trials on which the two disagree."""
        interval_columns = (
            *_PAIR_COLUMNS,
            Column("interval", interval_title(self.confidence), "figures"),
            Column("method", "method"),
            Column("threshold", "threshold", "term"),
        )
        intervals = [
            {**self._names, **interval, "interval": (interval["low"], interval["high"], self.headline.is_share)}
            for interval in map(self._interval_of, self.tests)
            if interval is not None
        ]
        command_columns = (_PAIR_COLUMNS[0], Column("command", "command"))
        commands = [{**self._names, "command": line} for line in self.commands()]
        tests = self._tests(self.tests, self.adjusted, self.main_tables()[0].notes)
        agreement = [self._names | self._agreement] if self.agreement else []
        agreement_columns = (*_PAIR_COLUMNS, *_AGREEMENT_COLUMNS)
        return (
            tests,
            Table.of("differences", _DIFFERENCES, interval_columns, intervals, section="pair", detail=True),
            Table.of("agreement", _AGREEMENT, agreement_columns, agreement, detail=True),
            Table.of("commands", _COMMANDS, command_columns, commands, section="pair", detail=True),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """All pairs of systems, or all against a reference, and the ranking that follows.

    ``result["new", "old"]`` is one of the pairs.

    Attributes
    ----------
    measure : Measure
        The measure that was compared.
    criterion : Criterion
        How thresholds were chosen.
    alpha : float
        The weight or the target that the criterion took.
    correction : {"holm", "bh", "none"}
        How p values were adjusted for the number of pairs.
    pairs : tuple of PairComparison
        Every pair of systems, with its tests.
    ranking : tuple of SystemRank
        The systems from the best to the worst. If all pairs were tested two-sided, with letters: two systems share one
        if they do not differ significantly.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    judgements : dict of str to Judgement
        The judgement of each system, by name.
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
    >>> result = compare(dev, test, n_resamples=100)
    >>> [(rank.system, rank.letters) for rank in result.ranking]
    [('new', 'a'), ('old', 'b')]
    >>> pair = result["old", "new"]
    >>> pair.difference > 0, pair.p_value < 0.05
    (True, True)
    """

    measure: AnyMeasure
    criterion: Criterion
    alpha: float
    correction: Correction
    pairs: tuple[PairComparison, ...]
    ranking: tuple[SystemRank, ...]
    kind: Kind
    judgements: dict[str, Judgement]
    notes: tuple[Note | str, ...] = ()

    def __getitem__(self, systems: tuple[str, str]) -> PairComparison:
        by_names = {(pair.a, pair.b): pair for pair in self.pairs}
        if systems not in by_names:
            turned = [names for names in by_names if names[::-1] == systems]
            there = f"there is {turned[0]}" if turned else f"there are {listed(by_names)}"
            raise KeyError(f"there is no pair {systems!r}; {there}")
        return by_names[systems]

    def __iter__(self) -> Iterator[PairComparison]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the result under the names of the command line's JSON."""
        return {
            "measure": self.measure.name,
            "criterion": self.criterion.name,
            "alpha": self.criterion.alpha_of_result(
                self.alpha, [self.measure] if isinstance(self.measure, Measure) else []
            ),
            "kind": self.kind,
            "correction": self.correction,
            "pairs": plain(self.pairs),
            "ranking": plain(self.ranking),
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
        """Write who is better, by how much and how certain; of several pairs, how far the best is from its rivals."""
        if len(self.pairs) == 1:
            return self.sentences()[0]
        best = self.ranking[0]
        extreme, word = ("highest", "higher") if self.measure.higher_is_better else ("lowest", "lower")
        two_sided = self.pairs[0].headline.alternative == "two-sided"
        unsure = "not distinguishable from" if two_sided else "not shown by one-sided tests to differ from"
        claims: dict[str, list[str]] = {}
        for place, pair in enumerate(self._of_best):
            rival, sure = pair.b if pair.a == best.system else pair.a, pair.p_value < 1 - pair.confidence
            sign = 1.0 if pair.difference >= 0 else -1.0
            span, most = pair._limits(sign)
            if place < _MOST and span:
                size = _amount(sign * pair.difference, pair.headline.is_share)
                by = f" by {size} ({span}, " if sure else f" ({size} {word}, differences up to {most} not excluded, "
                rival += f"{by}{p_phrase(pair.p_value)})"
            claims.setdefault("better than" if sure else unsure, []).append(rival)
        it_is = " and ".join(f"{claim} {in_a_row(rivals)}" for claim, rivals in claims.items())
        value = figure_text(best.value, self.measure.is_share)
        how = f"{level_text(self.pairs[0].confidence)} confidence, {adjustment_text(self.correction, len(self.pairs))}"
        return f"{best.system} has the {extreme} {term(self.measure.label)}, {value}: it is {it_is}; {how}"

    @property
    def _of_best(self) -> list[PairComparison]:
        """The pairs of the best system, with the nearest rival first."""
        places = {rank.system: place for place, rank in enumerate(self.ranking)}
        pairs = [pair for pair in self.pairs if not places[pair.a] * places[pair.b]]
        return sorted(pairs, key=lambda pair: places[pair.a] + places[pair.b])

    @property
    def main_pairs(self) -> Sequence[PairComparison]:
        """The pairs that people see first: all of a few, of many those of the best system."""
        return self.pairs if len(self.pairs) <= max(_MOST, len(self.ranking) - 1) else self._of_best

    def sentences(self) -> tuple[str, ...]:
        """Write one sentence per pair: who is better, by how much, the interval and p.

        Returns
        -------
        tuple of str
            In the order of the pairs.
        """
        label = term(self.measure.label)
        given = GIVEN_ALONG if isinstance(self.measure, Measure) else self.measure.given
        sentences = []
        for pair in self.pairs:
            test, p, sure = pair.headline, pair.p_value, pair.p_value < 1 - pair.confidence
            one_sided = test.alternative != "two-sided"
            sign = 1.0 if one_sided or test.estimate >= 0 else -1.0
            size, (span, most) = _amount(sign * test.estimate, test.is_share, "percentage points"), pair._limits(sign)
            span = f"{interval_title(pair.confidence)} {span}" if span else "no interval, as nothing varies"
            rest = f"; {'one-sided, ' if one_sided else ''}{p_phrase(p)}"
            if p != test.p_value:
                rest += f" adjusted for {len(self.pairs)} pairs"
            size = f"{size} ({span}, {given[test.threshold]}{rest})"
            if one_sided:
                word = "lower" if test.alternative == "less" else "higher"
                sentence = f"That {pair.a} has a {word} {label} than {pair.b} is {'' if sure else 'not '}shown: {size}"
            elif sure:
                a_is_better = (test.estimate > 0) == self.measure.higher_is_better
                better, worse = (pair.a, pair.b) if a_is_better else (pair.b, pair.a)
                sentence = f"{better} is better than {worse} by {size}"
            else:
                higher = f"the {label} of {pair.a if test.estimate > 0 else pair.b} is higher by"
                how_far = higher if test.estimate else f"their {label} differs by"
                sentence = f"{pair.a} and {pair.b} cannot be told apart: {how_far} {size}"
                if most:
                    sentence += f"; a difference of up to {most} is not excluded"
            for other, adjusted in zip(pair.shown[1:], pair.shown_adjusted[1:], strict=True):
                claim = "are" if adjusted < 1 - pair.confidence else "are not shown to be"
                sentence += f"; they {claim} equivalent ({p_phrase(adjusted)}; {other.note})"
            sentences.append(sentence)
        return tuple(sentences)

    def main_tables(self) -> tuple[Table, ...]:
        """Tabulate the leading tests and the ranking; of many pairs those of the best system, below the ranking."""
        pairs = self.main_pairs
        tests, ranking = self._tests([pair.main_tables()[0] for pair in pairs], pairs), self._ranking()
        return (tests, ranking) if len(self.pairs) <= _MOST else (ranking, tests)

    def tables(self) -> tuple[Table, ...]:
        """Tabulate every test of every pair, the ranking, the intervals of differences, and the disagreements."""
        by_pair = [pair.tables() for pair in self.pairs]
        _, differences, agreement, commands = join_tables(by_pair)
        if len(self.pairs) > 1:
            count = plural(len(self.pairs), "pair")
            differences = replace(differences, caption=f"{_DIFFERENCES}, each by itself: not adjusted for the {count}")
        heading = "threshold" if isinstance(self.measure, Measure) else "calibration"
        differences = differences.with_title("threshold", heading)
        kinds = dict.fromkeys((test.test, test.threshold) for pair in self.pairs for test in pair.tests)
        assumed = [
            {"test": test, "assumes": _ASSUMED.get(test, _ASSUMED.get(test.rpartition("-")[2], "")), "threshold": given}
            for test, given in kinds
        ]
        columns = (Column("test", "test"), Column("threshold", heading, "term"), Column("assumes", "assumes"))
        notes = tuple(self._notes_of(self.pairs, lambda pair: [test for test in pair.tests if test not in pair.shown]))
        assumptions = Table.of("assumptions", "What each test assumes", columns, assumed, notes=notes, detail=True)
        tests = self._tests([tables[0] for tables in by_pair], self.pairs)
        tables = (tests, self._ranking(), differences, assumptions, agreement, commands)
        return tuple(table for table in tables if table.rows)

    def _tests(self, by_pair: Sequence[Table], pairs: Sequence[PairComparison]) -> Table:
        """Join the tests of pairs in one table."""
        (tests,) = join_tables([[table] for table in by_pair])
        claims = {"two-sided": "", "less": ", claimed to be below 0", "greater": ", claimed to be above 0"}
        first, claimed = self.pairs[0], claims[self.pairs[0].headline.alternative]
        which, adjustment = "A - B", f", {adjustment_text(self.correction, len(self.pairs))}"
        hidden, spare = set[str](), {"p_value"}
        if len(self.pairs) == 1:
            which, adjustment, hidden, spare = f"{first.a} - {first.b}", "", {"pair", "p_adjusted"}, set()
        columns = tuple(
            replace(
                each,
                detail=each.detail or each.key in hidden,
                optional=each.key in spare or (each.optional and each.key != "threshold"),
            )
            for each in tests.columns
        )
        caption = f"Test of the difference {which} in {term(self.measure.label)}{claimed}{adjustment}"
        apart = [
            f"{pair.a} - {pair.b}"
            for pair in pairs
            if not claimed and np.prod(pair.interval) > 0 and pair.p_value >= 1 - pair.confidence
        ]
        template = (
            "the interval excludes 0 although p adjusted shows no difference: intervals are not adjusted for the "
            "{count:plural pair}"
        )
        unadjusted = [Note("unadjusted-intervals", template, listed(apart, 6), count=len(self.pairs))] if apart else []
        other_tests = _other_tests(len(self.pairs) - len(pairs))
        notes = (*self._notes_of(pairs, lambda pair: pair.shown), *unadjusted, other_tests, *self.notes)
        tests = replace(tests, caption=caption, columns=columns, notes=notes)
        return tests if isinstance(self.measure, Measure) else tests.with_title("threshold", "calibration")

    def _notes_of(
        self, pairs: Sequence[PairComparison], tests_of: Callable[[PairComparison], Sequence[TestResult]]
    ) -> Iterator[Note]:
        """Yield the notes of some tests of pairs; notes of some pairs name these."""
        independent = f"{self.measure.name}-independent"
        pairs_of: dict[tuple[str, Note | str], dict[str, None]] = {}
        for pair in pairs:
            for test in tests_of(pair):
                if test.note:
                    note = "" if test.test == independent else test.note
                    pairs_of.setdefault((test.test, note), {})[f"{pair.a} - {pair.b}"] = None
        for (name, note), noted in pairs_of.items():
            if name == independent:  # of rates of single systems, so once for all pairs
                assert isinstance(self.measure, Measure)
                systems = {rank.system: rank.counts for rank in self.ranking}
                yield as_note(few_errors_note(systems, linear_weights(self.measure, self.alpha)), name)
            else:
                yield as_note(note, name if len(noted) == len(pairs) else f"{listed(noted, 6)}, {name}")

    def _ranking(self) -> Table:
        provenance = next(iter(self.judgements.values())).sets.provenance
        columns = [
            Column("system", "system"),
            Column("threshold", provenance.threshold, "threshold"),
            *RATE_COLUMNS[:2],
        ]
        if self.measure.name not in ("far", "frr"):
            columns.append(Column("value", self.measure.label, self.measure.kind))
        note = f"there are no letters, as systems were compared with {self.pairs[0].b} only, and not with each other"
        is_one_pair = len(self.ranking) == 2
        if any(rank.letters for rank in self.ranking):
            columns.append(Column("letters", "letters", detail=is_one_pair))
            note = "systems that share a letter do not differ significantly"
        elif self.pairs[0].headline.alternative != "two-sided":
            note = "there are no letters, as tests are one-sided"
        chosen = f"threshold by {self.criterion.described(self.alpha)} {provenance.chosen}"
        if not isinstance(self.measure, Measure):
            chosen = f"error rates at the {chosen}"
        caption = f"{term(self.measure.label)} on {provenance.judged}, {self.kind}, {chosen}"
        records = [rank.to_dict() for rank in self.ranking]
        notes = [] if is_one_pair else [Note("letters", note)]
        return Table.of("ranking", caption, (*columns, *COUNT_COLUMNS), records, notes=notes)


def compare(
    dev: ScoreData,
    test: ScoreData | None = None,
    *,
    folds: int | Sequence[Block] | None = None,
    five_by_two: bool = False,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    measure: AnyMeasureLike = "hter",
    cluster: Cluster | None = None,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compare systems on the same test trials, each at the threshold that dev gives.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource or Counter
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or Counter, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        Instead of `test`: the number of folds of the people of dev, or blocks of `make_blocks`; every
        block is judged by thresholds from other people. This adds the corrected resampled t test over the folds.
    five_by_two : bool, default False
        With `folds`: add Dietterich's 5x2cv test, for which people are divided into halves five times.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    reference : str, optional
        The system that all others are compared with; by default every pair is compared.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    measure : str, Measure, EvidenceMeasure, DetectionCosts or callable, default "hter"
        What is compared: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`. One of
        evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``, is that of the scores calibrated on dev.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    margin : float, optional
        The largest difference that does not matter, a fraction; if given, equivalence is tested, too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of intervals and of the letters.
    n_resamples : int, default 10000
        How many resamples are drawn, for the bootstrap and the permutation test.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    workers : int, default 1
        How many work at once; the result does not depend on it. Threads, for the bootstrap.
    progress : callable, optional
        Called as work proceeds with the number of pairs compared since the last call.

    Returns
    -------
    Comparison
        Every test of every pair, the leading one first, and the ranking.

    Raises
    ------
    ParameterError
        If a criterion, measure or correction is unknown, or a number is out of range.
    TrialsError
        If there are fewer than two systems, dev and test hold different systems, or a half of the people lacks a class.

    Notes
    -----
    Tests with re-estimated thresholds compare systems whose thresholds are chosen on new dev trials; those with fixed
    thresholds compare these two thresholds. If ids are known, trials that share people are not taken as independent.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16); Nadeau &
    Bengio 2003; Dietterich 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> result = compare(dev, test, n_resamples=100)
    >>> result.answer().partition(" (")[0]
    'new is better than old by 13.67 percentage points'
    >>> result.pairs[0].tests[0].p_value < 0.05
    True
    """
    arguments = dict(locals())
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    refuse_excluded(compare, arguments, has_scores=sets.has_scores)
    measure = as_any_measure(measure)
    if five_by_two and folds is None:
        raise ParameterError(
            "{five_by_two!p} deals the people of one set into halves; give {folds!p} instead of a test set",
            five_by_two=True,
            folds=folds,
        )
    if five_by_two:
        errors_only([measure], "the 5x2cv test leaves trials out, so that it takes errors at a threshold only")
    check_confidence(confidence)
    check_resamples(n_resamples)
    check_workers(workers)
    rule = as_criterion(criterion)
    level = rule.resolve_alpha(alpha)
    names = list(sets.system_names(systems))
    if reference is not None:
        sets.system_name(reference)
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    if len(names) < 2:
        raise TrialsError(f"comparing needs two systems; only one was given: {listed(names) or 'none'}")
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {shown(reference)} must be one of the systems compared")
    if reference is None:
        named_pairs = list(combinations(names, 2))
    else:
        named_pairs = [(name, reference) for name in names if name != reference]

    def judge_all(trials: TrialSets) -> dict[str, Judgement]:
        jobs = [partial(judge, trials, system=name, criterion=rule, alphas=level) for name in names]
        return dict(zip(names, trials.run_together(jobs), strict=True))

    judgements = judge_all(sets)
    kind = next(iter(judgements.values())).kind
    notes: list[Note | str] = [*ignored_alpha(rule, alpha), *sets.notes]
    for judgement in judgements.values():
        notes += [*judgement.reversed_scores(), *threshold_notes(judgement)]
    if sets.rows() is None:
        errors_only([measure])
    if not sets.has_scores:
        notes.append(_UNPAIRED)
    elif sets.rows() is None and sets.sharing != "none":
        notes.append(_NO_BOOTSTRAP)
    lacking = fold_without_class(sets.blocks, sets.trials().genuine) if sets.blocks else ""
    halves = []
    if five_by_two:
        generator = as_generator(sets.seed)
        deals = [make_halves(sets.trials(), cluster=sets.cluster, rng=generator) for _ in range(REPEATS)]
        halves = [judge_all(replace(sets, blocks=blocks)) for blocks in deals]
    options: dict[str, Any] = {"measure": measure, "alternative": alternative}
    draws: dict[str, Any] = {"n_resamples": n_resamples, "rng": sets.seed}

    @cache
    def evidence_tests(a: str, b: str) -> tuple[list[TestResult], Bootstrap]:
        assert not isinstance(measure, Measure)
        tests, replicates = measure.tests(judgements[a], judgements[b], alternative=alternative, **draws)
        return [*tests, bootstrap_test(replicates, **options)], replicates

    def further_tests(pair: Pair | None) -> tuple[list[TestResult], Bootstrap | None]:
        if pair is None:
            return [], None
        a, b = pair.a.system, pair.b.system
        if not isinstance(measure, Measure):
            (_, *tests), drawn = evidence_tests(a, b)
            return tests, drawn
        replicates = None
        if sets.rows() is not None or sets.sharing == "none":
            replicates = bootstrap_difference(pair, measure=measure, workers=workers, **draws)
        tests = other_tests(pair, replicates, **draws, **options)
        if sets.blocks and not lacking:
            tests.append(corrected_resampled_test(fold_differences(pair, measure), **options))
        if halves:
            deals_of_pair = [pair_judgements(deal[a], deal[b]) for deal in halves]
            tests.append(five_by_two_test([fold_differences(deal, measure) for deal in deals_of_pair], **options))
        return tests, replicates

    family, advance = _Family(correction), progress or (lambda done: None)
    for a, b in named_pairs:
        counts = judgements[a].at(0), judgements[b].at(0)
        bounds: tuple[Bounds | None, Bounds | None] = (None, None)
        pair = pair_judgements(judgements[a], judgements[b]) if sets.has_scores else None
        if pair is None:
            leading = independent_test(*counts, names=(a, b), alpha=level, **options)
            bounds = judgements[a].bounds(MEASURES["hter"]), judgements[b].bounds(MEASURES["hter"])
        else:
            leading = leading_test(pair, **options) if isinstance(measure, Measure) else evidence_tests(a, b)[0][0]
        tests = (leading,) if margin is None else (leading, equivalence_test(leading, margin))
        more = partial(further_tests, pair)
        family.pairs.append(PairComparison(a, b, *counts, tests, confidence, pair, family, more, bounds))
        advance(1.0)
    if not isinstance(measure, Measure):
        kind = measure.status(sets.provenance)
        if sets.blocks:
            lacking = f"{term(measure.label)} is a figure of all trials together"
    if measure.direction:
        notes.append(measure.direction)
    if lacking:
        notes.append(f"there is no test over the folds: {lacking}")
    pairs = tuple(family.pairs)
    ranking = _rank(judgements, measure, level, pairs, confidence)
    return Comparison(measure, rule, level, correction, pairs, ranking, kind, judgements, tuple(notes))


def _rank(
    judgements: dict[str, Judgement],
    measure: AnyMeasure,
    alpha: float,
    pairs: Sequence[PairComparison],
    confidence: float,
) -> tuple[SystemRank, ...]:
    """Rank the systems, with letters if all pairs were tested two-sided."""
    values = {
        name: float(
            measure(judgement.at(0), alpha) if isinstance(measure, Measure) else measure.judged(judgement).estimate
        )
        for name, judgement in judgements.items()
    }
    order = sorted(values, key=lambda name: -values[name] if measure.higher_is_better else values[name])
    letters = [""] * len(order)
    if 2 * len(pairs) == len(order) * (len(order) - 1) and pairs[0].headline.alternative == "two-sided":
        places = [(order.index(pair.a), order.index(pair.b)) for pair in pairs if pair.p_value < 1 - confidence]
        different = [(min(pair), max(pair)) for pair in places]
        letters = compact_letters(len(order), different)
    ranking = []
    for name, letter in zip(order, letters, strict=True):
        dev = judgements[name].dev
        assert dev is not None
        # of folds, which have several thresholds, that of all trials
        ranking.append(SystemRank(name, float(dev.threshold[0]), judgements[name].at(0), values[name], letter))
    return tuple(ranking)
