"""Compare several systems on the same trials, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from math import nan
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.comparison import bootstrap_figure, check_finite, evidence_test
from fairtrial.calibration.measures import (
    AnyMeasureLike,
    EvidenceMeasure,
    as_any_measure,
    errors_only,
    judged_evidence,
    judged_figure,
)
from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_confidence
from fairtrial.core.notes import Note
from fairtrial.core.parameters import refuse_excluded
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import figure_text, interval_title, listed, p_phrase, plural, shown, term
from fairtrial.counting.tallies import ErrorCounts, ScoreData
from fairtrial.evaluation.paired_tests import (
    REPEATS,
    Agreement,
    Pair,
    bootstrap_difference,
    bootstrap_test,
    corrected_resampled_test,
    every_test,
    five_by_two_test,
    fold_differences,
    fold_without_class,
    pair_judgements,
)
from fairtrial.inference.bootstrap import Bootstrap, Progress
from fairtrial.inference.decide import Judgement, ignored_alpha, judge
from fairtrial.inference.estimates import Alternative
from fairtrial.inference.folds import Block, make_halves
from fairtrial.inference.multiplicity import Correction, adjust_p_values, adjustment_text, compact_letters
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import Kind, TestName, TrialSets
from fairtrial.inference.tests import TestResult, columns_with_interval, equivalence_test
from fairtrial.published.rates import few_errors_note, independent_test
from fairtrial.rules.bounds import Bounds
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.rules.measures import MEASURES, Measure, linear_weights

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
    replicates: Bootstrap | None
    """None if only counts are known."""
    confidence: float
    agreement: Agreement | None
    """On how many trials they agree and disagree; None if only counts are known."""
    bounds: tuple[Bounds | None, Bounds | None] = (None, None)
    """From counters, bounds of the HTERs that the scores themselves would give."""

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
            **{
                f"hter_{own}_bounds": ends.to_dict()
                for own, ends in zip("ab", self.bounds, strict=True)
                if ends is not None
            },
            "difference": self.headline.estimate,
            "interval": self._intervals()[0],
            "intervals": self._intervals(),
            **self._agreement(),
            **({"commands": list(self.commands())} if self.agreement is not None else {}),
            "tests": [
                {**test.to_dict(), "p_adjusted": adjusted}
                for test, adjusted in zip(self.tests, self.adjusted, strict=True)
            ],
        }

    def commands(self) -> Iterator[str]:
        """Give what tests the same pair from counts alone, as it would be typed."""
        counted = self.agreement
        if counted is None:
            return
        a, b, discordant = self.counts_a, self.counts_b, counted.discordant
        errors = [f"--{name}-counts {own.false_accepts} {own.false_rejects}" for name, own in (("a", a), ("b", b))]
        cells = discordant.impostor_ab, discordant.impostor_ba, discordant.genuine_ab, discordant.genuine_ba
        yield (
            f"fairtrial compare-rates {' '.join(errors)} --impostor {a.impostor} --genuine {a.genuine} "
            f"--discordant {' '.join(map(str, cells))}"
        )
        yield f"fairtrial mcnemar --b {counted.only_a_wrong} --c {counted.only_b_wrong}"

    def _agreement(self) -> dict[str, Any]:
        if self.agreement is None:
            return {}
        return {"discordant": asdict(self.agreement.discordant), "mcnemar_table": self.agreement.mcnemar_table}

    def _interval_of(self, test: TestResult) -> dict[str, Any] | None:
        """Give the interval of the difference by a test; None for tests that do not know who shares trials."""
        if self.replicates is None:
            return test.interval_entry(self.confidence)
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
    def notes(self) -> tuple[tuple[str, Note | str], ...]:
        """The names of the tests that have a note, each with its note."""
        return tuple(dict.fromkeys((test.test, test.note) for test in self.tests if test.note))

    def answer(self) -> str:
        """The difference by the test to go by."""
        difference = figure_text(self.headline.estimate, self.headline.is_share)
        return f"{self.a} - {self.b} = {difference}, {p_phrase(self.adjusted[0])} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """Every test, the interval of the difference, and on how many trials they disagree."""
        pair = (Column("pair", "A - B"), Column("a", "A", detail=True), Column("b", "B", detail=True))
        names = {"pair": f"{self.a} - {self.b}", "a": self.a, "b": self.b}
        counted = self.agreement
        disagree = {} if counted is None else {**asdict(counted.discordant), **_named_cells(counted)}
        tested = [
            replace(column, optional=column.key in _OPTIONAL) for column in columns_with_interval(self.confidence)
        ]
        shown_columns = (*pair, *tested, Column("p_adjusted", "p adjusted", "p"), *_AGREEMENT_DETAILS)
        records = [
            {**names, **self._cells(test), "p_adjusted": adjusted, **disagree}
            for test, adjusted in zip(self.tests, self.adjusted, strict=True)
        ]
        notes: list[Note | str] = [*(f"{test}: {note}" for test, note in self.notes), _GO_BY]
        tests = Table.of("tests", f"{self.a} - {self.b}", shown_columns, records, notes=notes, section="pair")
        tests = replace(tests, shown=(0,))
        ends = (
            *pair,
            Column("interval", interval_title(self.confidence), "figures"),
            Column("method", "method"),
            Column("threshold", "threshold", "term"),
        )
        share = self.headline.is_share
        found = [{**names, **own, "interval": (own["low"], own["high"], share)} for own in self._intervals()]
        differences = Table.of("differences", _DIFFERENCES, ends, found, section="pair")
        shown = [names | disagree] if disagree else []
        agreement = Table.of("agreement", _AGREEMENT, (*pair, *_AGREEMENT_COLUMNS), shown)
        typed = tuple((names["pair"], line) for line in self.commands())
        caption = "The tests of counts alone, as commands"
        columns = (Column("pair", "A - B"), Column("command", "command"))
        commands = Table("commands", caption, columns, typed, section="pair", detail=True)
        return tests, replace(differences, detail=True), replace(agreement, detail=True), commands


_GO_BY = Note("leading-test", "the first test of each pair is the one to go by; {all!p} shows the others", all=None)
_OPTIONAL = ("label", "sigma", "statistic", "threshold")
"""Columns that a narrow terminal may leave out."""
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
    notes: tuple[Note | str, ...] = ()

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
            "notes": plain(self.notes),
        }

    def answer(self) -> str:
        """The systems in their order, with the letters of those that cannot be told apart."""
        share = self.measure.is_share
        ranks = (
            f"{rank.system} {figure_text(rank.value, share)}" + (f" ({rank.letters})" if rank.letters else "")
            for rank in self.ranking
        )
        return f"{term(self.measure.label)} of {listed(ranks, 6)}; {plural(len(self.pairs), 'pair')}"

    def tables(self) -> tuple[Table, ...]:
        """Every test of every pair, the ranking, the intervals of the differences, and who disagrees how often."""
        tests, differences, agreement, commands = join_tables([pair.tables() for pair in self.pairs])
        count = plural(len(self.pairs), "pair")
        side = self.pairs[0].headline.alternative
        claimed = "" if side == "two-sided" else f", claimed to be {_SIDES[side]} 0"
        how = adjustment_text(self.correction, len(self.pairs))
        tests = replace(
            tests,
            caption=f"Tests of the difference A - B in {term(self.measure.label)}{claimed}, {how}",
            notes=(*self._test_notes(), _GO_BY, *self.notes),
        )
        if len(self.pairs) > 1:
            differences = replace(differences, caption=f"{_DIFFERENCES}, each by itself: not adjusted for the {count}")
        if isinstance(self.measure, EvidenceMeasure):
            tests, differences = (table.with_title("threshold", "calibration") for table in (tests, differences))
        return tuple(own for own in (tests, self._ranking(), differences, agreement, commands) if own.rows)

    def _test_notes(self) -> Iterator[str]:
        """The notes of the tests; those that do not hold for all pairs name theirs."""
        independent = f"{self.measure.name}-independent"
        found: dict[tuple[str, Note | str], list[str]] = {}
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
        caption = f"{term(self.measure.label)} on {own.judged}, {self.kind}, {chosen}"
        notes = [_SHARED_LETTERS if lettered else self._why_no_letters()]
        return Table.of("ranking", caption, columns, records, notes=notes)

    def _why_no_letters(self) -> str:
        if self.pairs[0].headline.alternative != "two-sided":
            return "there are no letters, as tests are one-sided"
        return f"there are no letters, as systems were compared with {self.pairs[0].b} only, and not with each other"


_BOOTSTRAP = 0.8
"""The part of the time that a pair takes that goes into its bootstrap."""


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
    dev : Trials, data frame or Counter
        The trials that thresholds are chosen on.
    test : Trials, data frame or Counter, optional
        The trials that are judged; not needed with `folds`.
    folds : int or sequence of Block, optional
        In place of `test`: the number of folds that the people of dev are dealt into, or blocks of `make_blocks`; every
        block is judged by thresholds from other people. This adds the corrected resampled t test over the folds.
    five_by_two : bool, default False
        With `folds`: add Dietterich's 5x2cv test, for which people are dealt into halves five times.
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
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    margin : float, optional
        The largest difference that does not matter, a fraction; where given, equivalence is tested too.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of intervals and of the letters.
    n_resamples : int, default 10000
        How many resamples are drawn, for the bootstrap and the permutation test.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are threads.
    progress : callable, optional
        Called as work proceeds, with the part of a pair that was done; all pairs together come to their number.

    Returns
    -------
    Comparison
        Every test of every pair, the one to go by first, and the ranking.

    Raises
    ------
    ParameterError
        If a criterion, measure or correction is unknown, or a number is out of range.
    TrialsError
        If there are fewer than two systems, dev and test hold different systems, or a half of the people lacks a class.

    Notes
    -----
    The tests with re-estimated thresholds ask whether the system is better, its threshold chosen on new dev trials;
    those with fixed thresholds ask it of these two thresholds. Trials that share people are not taken as independent
    where ids are known.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16); Nadeau &
    Bengio 2003; Dietterich 1998.

    Examples
    --------
    >>> import numpy as np
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = compare(dev, test, n_resamples=100)
    >>> found
    <Comparison: HTER of new 10.00 % (a), old 23.67 % (b); 1 pair>
    >>> found.pairs[0].tests[0].p_value < 0.05
    True
    """
    given = dict(locals())
    sets = TrialSets.of(dev, test, folds=folds, cluster=cluster, rng=rng)
    refuse_excluded(compare, given, has_scores=sets.has_scores)
    known = as_any_measure(measure)
    if five_by_two and folds is None:
        raise ParameterError(
            "{five_by_two!p} deals the people of one set into halves; give {folds!p} instead of a test set",
            five_by_two=True,
            folds=folds,
        )
    if five_by_two:
        errors_only([known], "the 5x2cv test leaves trials out, so that it takes errors at a threshold only")
    asked = _Asked(
        as_criterion(criterion), alpha, known, correction, alternative, margin, confidence, n_resamples, sets.seed,
        workers, progress,
    )  # fmt: skip
    check_confidence(confidence)
    names = list(sets.chosen(systems))
    _check_names(names, sets.test, reference)
    if isinstance(sets.test, Trials):
        return _compared(sets, sets.test, names, reference, asked, five_by_two=five_by_two)
    return _compared_counts(sets, names, reference, asked)


def _compared_counts(sets: TrialSets, names: Sequence[str], reference: str | None, asked: _Asked) -> Comparison:
    """Compare systems by their counts alone, which do not tell on which trials two systems err together."""
    (measure,) = errors_only([asked.measure])
    judged = asked.judged(sets, names)
    alpha = asked.criterion.resolve_alpha(asked.alpha)
    wanted = list(combinations(names, 2)) if reference is None else [(n, reference) for n in names if n != reference]
    counts = {name: judgement.at(0) for name, judgement in judged.items()}
    bounds = {name: judgement.bounds(MEASURES["hter"]) for name, judgement in judged.items()}
    options: dict[str, Any] = {"measure": measure, "alpha": alpha, "alternative": asked.alternative}
    tests = [(independent_test(counts[a], counts[b], names=(a, b), **options),) for a, b in wanted]
    pairs = tuple(
        PairComparison(a, b, counts[a], counts[b], test, p_values, None, asked.confidence, None, (bounds[a], bounds[b]))
        for (a, b), test, p_values in zip(wanted, tests, _adjusted(tests, asked.correction), strict=True)
    )
    notes: list[Note | str] = [*sets.notes, *(note for judgement in judged.values() for note in judgement.notes)]
    notes.append(
        Note(
            "unpaired",
            "counts do not tell on which trials two systems err together, so the test takes their trials as different "
            "ones: conservative if systems err on the same trials, anti-conservative if trials share people; compare "
            "the scores themselves for paired tests",
        )
    )
    if measure.direction:
        notes.append(measure.direction)
    ranking = _ranking(pairs, judged, measure, alpha, asked.confidence)
    kind = next(iter(judged.values())).kind
    return Comparison(measure, asked.criterion, alpha, asked.correction, pairs, ranking, kind, judged, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of every pair."""

    criterion: Criterion
    alpha: float | None
    measure: Measure | EvidenceMeasure
    correction: Correction
    alternative: Alternative
    margin: float | None
    confidence: float
    n_resamples: int
    seed: int
    workers: int
    progress: Progress | None

    def advance(self, done: float, of: float = 1.0) -> None:
        """Tell that so much of a part of a pair is done."""
        if self.progress is not None:
            self.progress(of * done)

    def judged(self, sets: TrialSets, names: Sequence[str]) -> dict[str, Judgement]:
        """The systems by name, each at its thresholds."""
        alpha = self.criterion.resolve_alpha(self.alpha)
        return {name: judge(sets, system=name, criterion=self.criterion, alphas=alpha) for name in names}


def _compared(
    sets: TrialSets,
    test: Trials,
    names: Sequence[str],
    reference: str | None,
    asked: _Asked,
    *,
    five_by_two: bool = False,
) -> Comparison:
    judged = asked.judged(sets, names)
    wanted = list(combinations(names, 2)) if reference is None else [(n, reference) for n in names if n != reference]
    lacking = fold_without_class(sets.blocks, test.genuine) if sets.blocks else ""
    halves = [asked.judged(own, names) for own in _half_sets(sets, test)] if five_by_two else []
    found = []
    for a, b in wanted:
        pair = pair_judgements(judged[a], judged[b])
        if isinstance(asked.measure, EvidenceMeasure):
            tests, replicates = _evidence_tests(pair, asked.measure, asked)
        else:
            replicates = bootstrap_difference(
                pair,
                measure=asked.measure,
                n_resamples=asked.n_resamples,
                rng=asked.seed,
                workers=asked.workers,
                progress=partial(asked.advance, of=_BOOTSTRAP),
            )
            deals = [pair_judgements(own[a], own[b]) for own in halves]
            over_folds = bool(sets.blocks) and not lacking
            tests = _tests(pair, replicates, asked.measure, asked, deals, over_folds=over_folds)
        found.append((pair, tests, replicates))
        asked.advance(1.0 if isinstance(asked.measure, EvidenceMeasure) else 1 - _BOOTSTRAP)
    pairs = tuple(
        PairComparison(a, b, pair.counts_a, pair.counts_b, tests, own, replicates, asked.confidence, pair.agreement)
        for (a, b), (pair, tests, replicates), own in zip(
            wanted, found, _adjusted([tests for _, tests, _ in found], asked.correction), strict=True
        )
    )
    notes = [*sets.notes, *(note for judgement in judged.values() for note in judgement.notes)]
    notes += ignored_alpha(asked.criterion, asked.alpha)
    if sets.blocks and isinstance(asked.measure, EvidenceMeasure):
        lacking = f"{term(asked.measure.label)} is a figure of all trials together"
    if isinstance(asked.measure, Measure) and asked.measure.direction:
        notes.append(asked.measure.direction)
    if lacking:
        notes.append(f"there is no test over the folds: {lacking}")
    alpha = asked.criterion.resolve_alpha(asked.alpha)
    ranking = _ranking(pairs, judged, asked.measure, alpha, asked.confidence)
    kind = next(iter(judged.values())).kind
    if isinstance(asked.measure, EvidenceMeasure):
        kind = asked.measure.told(sets.provenance)
    return Comparison(
        asked.measure, asked.criterion, alpha, asked.correction, pairs, ranking, kind, judged, tuple(notes)
    )


def _half_sets(sets: TrialSets, trials: Trials) -> list[TrialSets]:
    """The same trials, people dealt into halves as often as the 5x2cv test asks."""
    rng = as_generator(sets.seed)
    return [replace(sets, blocks=make_halves(trials, cluster=sets.cluster, rng=rng)) for _ in range(REPEATS)]


def _tests(
    pair: Pair, replicates: Bootstrap, measure: Measure, asked: _Asked, deals: Sequence[Pair], *, over_folds: bool
) -> tuple[TestResult, ...]:
    own: dict[str, Any] = {"measure": measure, "alternative": asked.alternative}
    tests = [*every_test(pair, replicates, n_resamples=asked.n_resamples, rng=asked.seed, **own)]
    if over_folds:
        tests.append(corrected_resampled_test(fold_differences(pair, measure), **own))
    if deals:
        tests.append(five_by_two_test([fold_differences(deal, measure) for deal in deals], **own))
    if asked.margin is not None:
        tests.append(equivalence_test(tests[0], asked.margin))
    return tuple(tests)


def _evidence_tests(pair: Pair, measure: EvidenceMeasure, asked: _Asked) -> tuple[tuple[TestResult, ...], Bootstrap]:
    """Every test of a figure of evidence, the one to go by first, and the bootstrap behind one of them."""
    evidence = judged_evidence(measure, pair.a)
    first, second = (judged_figure(measure, own) for own in (pair.a, pair.b))
    check_finite(measure, {pair.a.system: first, pair.b.system: second})
    difference = first - second
    own: dict[str, Any] = {"alternative": asked.alternative}
    tests = [evidence_test(measure, evidence, difference, **own)]
    if tests[0].threshold == "re-estimated":
        tests.append(evidence_test(measure, evidence, difference, threshold="fixed", **own))
    replicates = bootstrap_figure(difference, evidence, n_resamples=asked.n_resamples, rng=asked.seed)
    tests.append(
        replace(bootstrap_test(replicates, **own), measure=measure.name, is_share=measure.is_share, label=measure.label)
    )
    if asked.margin is not None:
        tests.append(equivalence_test(tests[0], asked.margin))
    return tuple(tests), replicates


def _adjusted(tests: Sequence[tuple[TestResult, ...]], correction: Correction) -> list[tuple[float, ...]]:
    """The p values of each pair's tests, each test adjusted over the pairs."""
    columns: list[NDArray[np.float64]] = [
        adjust_p_values([test.p_value for test in same], correction) for same in zip(*tests, strict=True)
    ]
    return [tuple(row) for row in np.array(columns).T.tolist()]


def _check_names(names: Sequence[str], test: Any, reference: str | None) -> None:
    if reference is not None:
        test.check_system(reference)
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    if len(names) < 2:
        raise TrialsError(f"comparing needs two systems; only one was given: {listed(names) or 'none'}")
    if reference is not None and reference not in names:
        raise ParameterError(f"the reference {shown(reference)} must be one of the systems compared")


def _ranking(
    pairs: Sequence[PairComparison],
    judged: dict[str, Judgement],
    measure: Measure | EvidenceMeasure,
    alpha: float,
    confidence: float,
) -> tuple[SystemRank, ...]:
    values = {name: _value(measure, judgement, alpha) for name, judgement in judged.items()}
    order = sorted(values, key=lambda name: -values[name] if measure.higher_is_better else values[name])
    place = {name: index for index, name in enumerate(order)}
    different = [
        (min(place[pair.a], place[pair.b]), max(place[pair.a], place[pair.b]))
        for pair in pairs
        if pair.adjusted[0] < 1 - confidence
    ]
    letters = compact_letters(len(order), different) if _all_tested(pairs, len(order)) else [""] * len(order)
    return tuple(
        SystemRank(name, _threshold(judged[name]), judged[name].at(0), values[name], letters[place[name]])
        for name in order
    )


def _all_tested(pairs: Sequence[PairComparison], systems: int) -> bool:
    """Whether every system was tested against every other, for a difference of either sign."""
    return 2 * len(pairs) == systems * (systems - 1) and pairs[0].headline.alternative == "two-sided"


def _value(measure: Measure | EvidenceMeasure, judgement: Judgement, alpha: float) -> float:
    if isinstance(measure, EvidenceMeasure):
        return judged_figure(measure, judgement).estimate
    return float(measure(judgement.at(0), alpha))


def _threshold(judgement: Judgement) -> float:
    """The threshold that would go into use; that of all trials where folds have their own."""
    assert judgement.dev is not None
    return float(judgement.dev.threshold[0])
