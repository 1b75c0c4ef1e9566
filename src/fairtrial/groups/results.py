"""Results by group: rates, differences, summaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from operator import attrgetter
from typing import Any, ClassVar

from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import (
    Text,
    as_in_files,
    interval_title,
    level_text,
    number_text,
    p_phrase,
    percent,
    plural,
    range_text,
    term,
    threshold_text,
)
from fairtrial.groups.rates import JudgedGroups, Rate
from fairtrial.groups.summaries import Summary
from fairtrial.inference.estimates import GIVEN, Threshold
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, Kind
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import label_of

_MOST_SHOWN = 400
"""Largest number of pairs in a table."""
_WORDS = {
    "fdr": "FDR: 1 - weighted largest differences",
    "garbe": "GARBE: weighted Gini coefficients",
    "inequity_rate": "inequity rate: weighted largest ratios",
    "far_ratio": Text("{FAR}, largest over smallest"),
    "frr_ratio": Text("{FRR}, largest over smallest"),
    "far_over_mean": Text("{FAR}, largest over geometric mean"),
    "frr_over_mean": Text("{FRR}, largest over geometric mean"),
}


def _rate_fields(measure: str, interval: str, *, detail: bool = False, optional: bool = False) -> tuple[Field, Field]:
    """Declare a rate and its interval, both None without trials of the class."""
    limits = attrgetter(interval)
    return (
        Field(measure, label_of(measure), "rate", optional=optional, get=lambda of: limits(of) and limits(of).estimate),
        Field(f"{measure}_interval", "interval", "interval", detail, optional, get=interval),
    )


@dataclass(frozen=True, slots=True)
class GroupRates(Record):
    """The errors of one group at the threshold of all; without trials of a class, a rate is NaN and has no interval."""

    FIELDS: ClassVar = (
        Field("group", "group"),
        Field("people", "people", "count"),
        *_rate_fields("far", "far_interval"),
        Field("far_letters", "alike"),
        *_rate_fields("frr", "frr_interval"),
        Field("frr_letters", "alike"),
        *_rate_fields("hter", "hter_interval", optional=True),
        Field("genuine", "genuine", "count", optional=True),
        Field("impostor", "impostor", "count", optional=True),
        Field("false_rejects", "false rejects", "count", detail=True),
        Field("false_accepts", "false accepts", "count", detail=True),
    )
    group: str
    people: int | None
    """The number of people claimed in it; None if nobody is known."""
    false_accepts: int
    impostor: int
    false_rejects: int
    genuine: int
    far_interval: RateInterval | None
    frr_interval: RateInterval | None
    hter_interval: RateInterval | None
    far_letters: str = ""
    """Two groups share a letter if their rates are not shown to differ."""
    frr_letters: str = ""

    @property
    def far(self) -> float:
        """The proportion of impostor trials that are accepted."""
        return nan if self.far_interval is None else self.far_interval.estimate

    @property
    def frr(self) -> float:
        """The proportion of genuine trials that are rejected."""
        return nan if self.frr_interval is None else self.frr_interval.estimate

    @property
    def hter(self) -> float:
        """The mean of both."""
        return nan if self.hter_interval is None else self.hter_interval.estimate

    def interval_of(self, rate: Rate) -> RateInterval | None:
        """Give that of one of the two rates; None without such trials."""
        return self.far_interval if rate == "far" else self.frr_interval


@dataclass(frozen=True, slots=True)
class GroupPair(Record):
    """One rate of two groups: difference, ratio and test."""

    FIELDS: ClassVar = (
        Field("label", "rate", "term", get=lambda pair: label_of(pair.measure), in_json=False),
        Field("measure", "name of the rate", detail=True),
        Field("a", "a"),
        Field("b", "b"),
        Field("difference", "a - b", "rate"),
        Field("difference_low"),
        Field("difference_high"),
        Field(
            "difference_interval",
            "interval",
            "interval",
            get=lambda pair: (pair.difference_low, pair.difference_high),
            in_json=False,
        ),
        Field("ratio", "a / b", "ratio", in_json="finite"),
        Field("ratio_low", in_json="finite"),
        Field("ratio_high", in_json="finite"),
        Field("ratio_interval", "interval", "range", get=lambda pair: (pair.ratio_low, pair.ratio_high), in_json=False),
        Field("statistic", "statistic", "number", detail=True, in_json="finite"),
        Field("p_value", "p alone", "p", detail=True),
        Field("p_adjusted", "p", "p"),
    )
    measure: Rate
    a: str
    b: str
    difference: float
    difference_low: float
    difference_high: float
    ratio: float
    """Of the first to the second; infinite if only the second is 0, NaN if both are."""
    ratio_low: float
    ratio_high: float
    statistic: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class EqualityTest(Record):
    """The test that one rate is the same in all groups, by the largest of all differences of two."""

    FIELDS: ClassVar = (
        Field("test", get=lambda test: f"equal-{test.measure}"),
        *map(Field, ("statistic", "p_value", "a", "b")),
    )
    measure: Rate
    statistic: float
    p_value: float
    a: str
    b: str
    """The two that differ most clearly."""


@dataclass(frozen=True, slots=True)
class Equivalence(Record):
    """Whether one rate is shown to be the same in all groups, within a factor."""

    FIELDS: ClassVar = (*map(Field, ("measure", "factor", "shown")), Field("within", in_json="finite"))
    measure: Rate
    factor: float
    within: float
    """The least factor that is shown; infinite if none is."""

    @property
    def shown(self) -> bool:
        """Whether no ratio of two groups can be beyond the factor."""
        return self.within <= self.factor


@dataclass(frozen=True, slots=True)
class MeetingRate(Record):
    """The FAR of impostors of one group who claim to be somebody of another."""

    FIELDS: ClassVar = (
        Field("claim", "claim"),
        Field("impostor", "impostor"),
        Field("far", "FAR", "rate", get="interval.estimate"),
        Field("interval", "interval", "interval"),
        Field("false_accepts", "false accepts", "count"),
        Field("trials", "trials", "count"),
    )
    claim: str
    impostor: str
    false_accepts: int
    trials: int
    interval: RateInterval


@dataclass(frozen=True, slots=True)
class OwnThreshold(Record):
    """A group at a threshold of its own, chosen on the dev trials of the same group."""

    FIELDS: ClassVar = (
        Field("group", "group"),
        Field("threshold", "threshold", "threshold"),
        *_rate_fields("far", "far", detail=True),
        *_rate_fields("frr", "frr", detail=True),
        *_rate_fields("hter", "hter"),
    )
    group: str
    threshold: float
    far: RateInterval
    frr: RateInterval
    hter: RateInterval


def _with_threshold(name: str) -> Callable[[GroupEvaluation], list[dict[str, Any]]]:
    """Read records for JSON, with what became of the threshold."""
    return lambda result: [each.to_dict() | {"threshold": result.claimed_threshold} for each in getattr(result, name)]


@dataclass(frozen=True, slots=True, repr=False)
class GroupEvaluation(Result):
    """Error rates by group at one threshold: simultaneous intervals, tests, summaries.

    Attributes
    ----------
    by : tuple of str
        The columns that groups are of.
    system : str
        The system's name.
    criterion : Criterion
        How the threshold was chosen.
    alpha : float
        The weight or the target that the criterion took.
    threshold : float
        The threshold from dev, the same for all groups; of folds, the one that all trials give.
    kind : {"a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"}
        Whether the figures are a priori.
    confidence : float
        The level of confidence, between 0 and 1.
    groups : tuple of GroupRates
        Errors and rates of each group, with simultaneous intervals.
    tests : tuple of EqualityTest
        The tests that all groups have the same rate, one per rate.
    pairs : tuple of GroupPair
        The difference of every two groups, one per rate.
    equivalences : tuple of Equivalence
        Whether rates are shown to be equal within a factor, one per rate.
    summaries : tuple of Summary
        Summaries of all groups, such as FDR, GARBE and the inequity rate, with their limits.
    meetings : tuple of MeetingRate
        The FAR by pair of groups, if the group of the impostor is known.
    own_thresholds : tuple of OwnThreshold
        Each group at a threshold of its own, if asked for.
    notes : tuple of str
        What the reader should know.
    judged : JudgedGroups or None
        The trials and their groups, for figures and pages.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20})
    >>> evaluate_groups(data.dev, data.test, by="group").by
    ('group',)
    """

    FIELDS: ClassVar = (
        Field("by", get=lambda result: ",".join(result.by)),
        Field("system"),
        Field("criterion", get="criterion.name"),
        Field("alpha", get=lambda result: result.criterion.alpha_of_result(result.alpha)),
        *map(Field, ("threshold", "kind", "confidence", "groups")),
        Field("tests", get=_with_threshold("tests")),
        Field("pairs", get=_with_threshold("pairs")),
        Field("equivalence", get=_with_threshold("equivalences")),
        Field(
            "summaries",
            get=lambda result: dict(
                zip((each.name for each in result.summaries), _with_threshold("summaries")(result), strict=True)
            ),
        ),
        *map(Field, ("meetings", "own_thresholds", "notes")),
    )
    by: tuple[str, ...]
    system: str
    criterion: Criterion
    alpha: float
    threshold: float
    kind: Kind
    confidence: float
    groups: tuple[GroupRates, ...]
    tests: tuple[EqualityTest, ...]
    pairs: tuple[GroupPair, ...]
    equivalences: tuple[Equivalence, ...]
    summaries: tuple[Summary, ...]
    meetings: tuple[MeetingRate, ...] = ()
    own_thresholds: tuple[OwnThreshold, ...] = ()
    notes: tuple[Note | str, ...] = ()
    judged: JudgedGroups | None = None

    def known_trials(self) -> JudgedGroups:
        """Give the trials and their groups.

        Returns
        -------
        JudgedGroups
            The judged trials, the group of each, and estimates of their rates.

        Raises
        ------
        TrialsError
            If the result was made without them.
        """
        if self.judged is None:
            raise TrialsError("this result has no trials; make it with evaluate_groups")
        return self.judged

    @property
    def overall(self) -> dict[Rate, float]:
        """Both rates of all groups together, at the threshold of all; NaN without trials of a class."""
        far, frr = (
            sum(getattr(row, errors) for row in self.groups) / (sum(getattr(row, trials) for row in self.groups) or nan)
            for errors, trials in (("false_accepts", "impostor"), ("false_rejects", "genuine"))
        )
        return {"far": far, "frr": frr}

    @property
    def claimed_threshold(self) -> Threshold:
        """Whether intervals and tests have the threshold re-estimated or fixed."""
        intervals = (each for row in self.groups for each in (row.far_interval, row.frr_interval))
        return next((each.threshold for each in intervals if each is not None), "fixed")

    @property
    def chosen(self) -> str:
        """Say which threshold it is, or that there are several, and how it was chosen."""
        provenance = PROVENANCES[self.kind]
        value = threshold_text(as_in_files(self.system, self.threshold))
        rule = f"by {self.criterion.described(self.alpha)} {provenance.chosen}"
        return (
            f"thresholds {rule}, {value} from all trials"
            if provenance.origin == "folds"
            else f"threshold {value} {rule}"
        )

    def answer(self) -> str:
        """Say whether the groups differ in each rate, and by how much the two that differ most clearly."""
        sentences = []
        for test in self.tests:
            label = term(label_of(test.measure))
            sentence = f"No difference of the {label} between groups is shown ({p_phrase(test.p_value)})"
            if test.p_value < 1 - self.confidence:
                pair = next(
                    each for each in self.pairs if each.measure == test.measure and {each.a, each.b} == {test.a, test.b}
                )
                rates = {row.group: getattr(row, test.measure) for row in self.groups}
                (worse, better), ratio, low, high = (pair.a, pair.b), pair.ratio, pair.ratio_low, pair.ratio_high
                if pair.difference < 0:
                    worse, better = better, worse
                    ratio, low, high = (1 / value if value else inf for value in (ratio, high, low))
                limits = f"{interval_title(self.confidence)} {range_text(low, high)}"
                size = f"{number_text(ratio, 3)} times as much ({limits}"
                if not isfinite(ratio):
                    size = f"at least {number_text(low, 3)} times as much ({level_text(self.confidence)} limit"
                sentence = (
                    f"The {label} is not the same in all groups ({p_phrase(test.p_value)}): the clearest difference is "
                    f"between {worse} with {percent(rates[worse])} and {better} with {percent(rates[better])}, {size}, "
                    "simultaneous over all pairs)"
                )
            sentences.append(sentence)
            same = next((each for each in self.equivalences if each.measure == test.measure), None)
            if same is not None and same.shown:
                within = f"within a factor of {same.factor:g}"
                sentences.append(f"The {label} is shown to be the same in all groups {within}")
        groups = f"{plural(len(self.groups), 'group')} by {', '.join(self.by)}"
        return ". ".join(sentences) or f"{self.system}: {groups}, without a test of equal rates"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the rates, whether they differ, the differences, the summaries; then meetings and own thresholds."""
        title, given = interval_title(self.confidence), GIVEN[self.claimed_threshold]
        titles = {f"{rate}_interval": title for rate in ("far", "frr", "hter")}
        rates = table_of(
            "groups",
            f"{self.system} by {' and '.join(self.by)}; {self.chosen}",
            GroupRates.FIELDS,
            self.groups,
            notes=(
                Note("interval-of", f"the intervals of each column hold for all groups together, {given}", detail=True),
                Note("letters", "alike: groups that share a letter are not shown to differ in the rate before it"),
                *self.notes,
            ),
            titles=titles,
        )

        same = {each.measure: each for each in self.equivalences}
        test_notes = [Note("interval-of", f"all equal: {given}", detail=True)]
        if self.confidence > 0.5:
            level = level_text(2 * self.confidence - 1)
            test_notes.append(Note("factor", f"equal within a factor: by {level} intervals of all ratios", detail=True))
        tests = table_of(
            "tests",
            "Are all groups equal?",
            (
                Field("label", "rate", "term", get=lambda test: label_of(test.measure)),
                Field("measure", "name of the rate", detail=True),
                Field("statistic", "statistic", "number", optional=True),
                Field("p_value", "p", "p"),
                Field("apart", "clearest difference", get=lambda test: f"{test.a} and {test.b}"),
                Field("within", "equal within factor", "ratio", get=lambda test: same[test.measure].within),
                Field("factor", "asked", "ratio", optional=True, get=lambda test: same[test.measure].factor),
                Field("shown", "shown", "term", get=lambda test: "yes" if same[test.measure].shown else "no"),
            ),
            self.tests,
            notes=test_notes,
        )

        compared = self.pairs
        pair_notes = [f"p values and intervals of each rate hold for all pairs together, {given}"]
        if len(compared) > _MOST_SHOWN:
            compared = tuple(sorted(compared, key=lambda pair: pair.p_adjusted)[:_MOST_SHOWN])
            pair_notes.append(f"the {_MOST_SHOWN} clearest of {len(self.pairs):,} pairs; the JSON and `pairs` have all")
        pairs = table_of(
            "pairs",
            "Every two groups",
            GroupPair.FIELDS,
            compared,
            notes=pair_notes,
            section="measure",
            titles={"difference_interval": title, "ratio_interval": title},
        )

        summaries = table_of(
            "summaries",
            "How unequal they are, in one number",
            (
                Field("name", "key", detail=True),
                Field("summary", "summary", "term", get=lambda each: _WORDS[each.name]),
                Field("estimate", "value", "number"),
                Field(
                    "interval",
                    f"at least {level_text(self.confidence)} limits",
                    "range",
                    get=lambda each: (each.low, each.high),
                ),
            ),
            self.summaries,
            notes=("limits: the least and most unequal rates that simultaneous intervals of groups and pairs allow",),
        )

        meetings = table_of(
            "meetings",
            Text("{FAR} of impostors of one group against claims of another"),
            MeetingRate.FIELDS,
            self.meetings,
            notes=("the intervals hold for all pairs of groups together",),
            section="claim",
            titles={"interval": title},
        )

        alone = table_of(
            "own_thresholds",
            "Each group at a separate threshold, chosen on its dev trials",
            OwnThreshold.FIELDS,
            self.own_thresholds,
            notes=("intervals hold for each group alone",),
            titles=titles,
        ).with_column(Column("system", "system", detail=True), [self.system] * len(self.own_thresholds))
        main = ("groups", "tests", "own_thresholds")
        tables = (rates, tests, pairs, summaries, meetings, alone)
        return tuple(replace(table, detail=table.name not in main) for table in tables if table.rows)
