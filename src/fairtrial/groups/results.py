"""Results by group: rates, differences, summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from operator import attrgetter
from typing import Any, ClassVar

from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, finite, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import (
    Text,
    as_in_files,
    in_a_row,
    in_percent,
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

_MOST_SHOWN = 400  # largest number of pairs in a table


def _rate_fields(measure: str, interval: str, *, detail: bool = False, optional: bool = False) -> tuple[Field, Field]:
    """Declare a rate and its interval, both None without trials of the class."""
    limits = attrgetter(interval)
    return (
        Field(measure, label_of(measure), "rate", optional=optional, get=lambda of: limits(of) and limits(of).estimate),
        Field(f"{measure}_interval", "interval", "interval", detail, optional, get=interval),
    )


def _limit_fields(figure: str, kind: str) -> tuple[Field, Field, Field]:
    """Declare the limits of a figure: two numbers in JSON, one interval in tables."""
    low, high = f"{figure}_low", f"{figure}_high"
    interval = Field(f"{figure}_interval", "interval", kind, get=attrgetter(low, high), in_json=False)
    return Field(low, in_json="finite"), Field(high, in_json="finite"), interval


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
    people: int | None  # the number of people claimed in it; None if nobody is known
    false_accepts: int
    impostor: int
    false_rejects: int
    genuine: int
    far_interval: RateInterval | None
    frr_interval: RateInterval | None
    hter_interval: RateInterval | None
    far_letters: str = ""  # two groups share a letter if their rates are not shown to differ
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
        *_limit_fields("difference", "interval"),
        Field("ratio", "a / b", "ratio", in_json="finite"),
        *_limit_fields("ratio", "range"),
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
    ratio: float  # of the first to the second; infinite if only the second is 0, NaN if both are
    ratio_low: float
    ratio_high: float
    statistic: float
    p_value: float
    p_adjusted: float  # for all pairs of the rate together


@dataclass(frozen=True, slots=True)
class RateTest(Record):
    """Whether one rate is the same in all groups: by the largest of all differences of two, and within a factor."""

    FIELDS: ClassVar = (
        Field("test", get=lambda test: f"equal-{test.measure}"),
        Field("label", "rate", "term", get=lambda test: label_of(test.measure), in_json=False),
        Field("measure", "name of the rate", detail=True),
        Field("statistic", "statistic", "number", optional=True, get=lambda test: abs(test.clearest.statistic)),
        Field("p_value", "p, this rate alone", "p", detail=True),
        Field("p_adjusted", "p, all equal", "p"),
        Field("a", get="clearest.a"),
        Field("b", get="clearest.b"),
        Field(
            "apart", "clearest difference", get=lambda test: f"{test.clearest.a} and {test.clearest.b}", in_json=False
        ),
        Field("within", "equal within a factor of", "ratio", in_json=False),
        Field("factor", "goal", "ratio", optional=True, in_json=False),
        Field("shown", "met", "term", get=lambda test: "yes" if test.shown else "no", in_json=False),
    )
    clearest: GroupPair  # the two groups that differ most clearly
    p_adjusted: float  # that all groups have the same rates: FAR and FRR together are one test (Holm)
    factor: float
    within: float  # the least factor within which all ratios are shown to lie; infinite if there is none

    @property
    def measure(self) -> Rate:
        """Which rate."""
        return self.clearest.measure

    @property
    def p_value(self) -> float:
        """The p value of this rate alone, for all pairs of groups."""
        return self.clearest.p_adjusted

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
    tests : tuple of RateTest
        For each rate, whether it is the same in all groups, and within which factor.
    pairs : tuple of GroupPair
        The difference of every two groups, one per rate.
    summaries : tuple of Summary
        Summaries of all groups, such as FDR, GARBE and the inequity rate, with their limits.
    meetings : tuple of MeetingRate
        The FAR by pair of groups, if the group of the impostor is known.
    own_thresholds : tuple of OwnThreshold
        Each group at a threshold of its own, if asked for.
    notes : tuple of Note or str
        What the reader should know.
    judged : JudgedGroups
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
        Field("tests", get=lambda result: result.with_threshold(result.tests)),
        Field("pairs", get=lambda result: result.with_threshold(result.pairs)),
        Field(
            "equivalence",
            get=lambda result: [
                {name: finite(getattr(test, name)) for name in ("measure", "factor", "shown", "within")}
                | {"threshold": result.claimed_threshold}
                for test in result.tests
            ],
        ),
        Field(
            "summaries",
            get=lambda result: dict(
                zip((each.name for each in result.summaries), result.with_threshold(result.summaries), strict=True)
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
    tests: tuple[RateTest, ...]
    pairs: tuple[GroupPair, ...]
    summaries: tuple[Summary, ...]
    meetings: tuple[MeetingRate, ...]
    own_thresholds: tuple[OwnThreshold, ...]
    notes: tuple[Note | str, ...]
    judged: JudgedGroups

    @property
    def overall(self) -> dict[Rate, float]:
        """Both rates of all groups together, at the threshold of all."""
        return {rate: family.overall for rate, family in self.judged.families.items()}

    @property
    def claimed_threshold(self) -> Threshold:
        """Whether intervals and tests have the threshold re-estimated or fixed."""
        return self.judged.families["far"].estimates[0].threshold

    @property
    def chosen(self) -> str:
        """Say which threshold it is, or that there are several, and how it was chosen."""
        provenance = PROVENANCES[self.kind]
        value = threshold_text(as_in_files(self.system, self.threshold))
        rule = f"by {self.criterion.described(self.alpha)} {provenance.chosen}"
        if provenance.origin == "folds":
            return f"thresholds {rule}, {value} from all trials"
        return f"threshold {value} {rule}"

    def with_threshold(self, records: Iterable[Record]) -> list[dict[str, Any]]:
        """Give records for JSON, with what became of the threshold."""
        return [record.to_dict() | {"threshold": self.claimed_threshold} for record in records]

    def answer(self) -> str:
        """Say in which rate groups differ, and how much the two that differ most clearly; or how much they may."""
        differ = [test for test in self.tests if test.p_adjusted < 1 - self.confidence]
        alike = [test for test in self.tests if test not in differ]
        sentences = []
        for test in differ:
            label, pair = term(label_of(test.measure)), test.clearest
            rates_of = {row.group: percent(getattr(row, test.measure)) for row in self.groups}
            (worse, better), ratio, low, high = (pair.a, pair.b), pair.ratio, pair.ratio_low, pair.ratio_high
            if pair.difference < 0:
                worse, better = better, worse
                ratio, low, high = (1 / value if value else inf for value in (ratio, high, low))
            size = f"at least {number_text(low, 3)} times as much ({level_text(self.confidence)} limit"
            if isfinite(ratio):
                limits = f"{interval_title(self.confidence)} {range_text(low, high)}"
                size = f"{number_text(ratio, 3)} times as much ({limits}"
            sentences.append(
                f"The {label} is not the same in all groups ({p_phrase(test.p_adjusted)}): the clearest difference "
                f"is between {worse} with {rates_of[worse]} and {better} with {rates_of[better]}, {size}, "
                "simultaneous over all pairs)"
            )
        if alike:
            labels = " or the ".join(term(label_of(test.measure)) for test in alike)
            p_value = p_phrase(min(test.p_adjusted for test in alike))
            bounds = f"{in_a_row([self._largest(test) for test in alike])} are not excluded"
            level = f"{level_text(self.confidence)} confidence"
            sentences.append(f"No difference of the {labels} between groups is shown ({p_value}): {bounds} ({level})")
        for test in self.tests:
            if test.shown:
                label = term(label_of(test.measure))
                sentences.append(
                    f"The {label} is shown to be the same in all groups within a factor of {test.factor:g}"
                )
        groups = f"{plural(len(self.groups), 'group')} by {', '.join(self.by)}"
        return ". ".join(sentences) or f"{self.system}: {groups}, without a test of equal rates"

    def _largest(self, test: RateTest) -> str:
        """Write the largest ratio of two groups that is not excluded; the largest difference where any ratio may be."""
        of_rate = f"of the {term(label_of(test.measure))} up to"
        if isfinite(test.within):
            return f"ratios {of_rate} {number_text(test.within, 3)}"
        pairs = [pair for pair in self.pairs if pair.measure == test.measure]
        largest = max(max(-pair.difference_low, pair.difference_high) for pair in pairs)
        return f"differences {of_rate} {in_percent(largest)} points"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the rates, whether they differ, the differences, the summaries; then meetings and own thresholds."""
        title, given = interval_title(self.confidence), GIVEN[self.claimed_threshold]
        titles = {f"{figure}_interval": title for figure in ("far", "frr", "hter", "difference", "ratio")}
        titles |= {"interval": title, "limits": f"at least {level_text(self.confidence)} limits"}
        group_notes = (
            Note("interval-of", f"the intervals of each column hold for all groups together, {given}", detail=True),
            Note("letters", "alike: groups that share a letter are not shown to differ in the rate before it"),
            *self.notes,
        )
        together = "{FAR} and {FRR} together are one test, " if len(self.tests) > 1 else ""
        test_notes = [Note("all-equal", f"all equal: {together}{given}", detail=True)]
        if self.confidence > 0.5:
            template = "equal within a factor: by {level:level} intervals of all ratios"
            test_notes.append(Note("within-factor", template, detail=True, level=2 * self.confidence - 1))
        pairs = self.pairs
        pair_notes = [f"p values and intervals of each rate hold for all pairs together, {given}"]
        if len(pairs) > _MOST_SHOWN:
            pairs = tuple(sorted(pairs, key=lambda pair: pair.p_adjusted)[:_MOST_SHOWN])
            pair_notes.append(f"the {_MOST_SHOWN} clearest of {len(self.pairs):,} pairs; the JSON and `pairs` have all")
        extremes = "limits: the least and most unequal rates that simultaneous intervals of groups and pairs allow"
        meetings = Text("{FAR} of impostors of one group against claims of another")
        alone = "Each group at a separate threshold, chosen on its dev trials"
        parts: tuple[tuple[str, str | Text, Sequence[Record], Sequence[Note | str]], ...] = (
            ("groups", f"{self.system} by {' and '.join(self.by)}; {self.chosen}", self.groups, group_notes),
            ("tests", "Are all groups equal?", self.tests, test_notes),
            ("pairs", "Every two groups", pairs, pair_notes),
            ("summaries", "How unequal they are, in one number", self.summaries, (extremes,)),
            ("meetings", meetings, self.meetings, ("the intervals hold for all pairs of groups together",)),
            ("own_thresholds", alone, self.own_thresholds, ("intervals hold for each group alone",)),
        )
        sections, main = {"pairs": "measure", "meetings": "claim"}, ("groups", "tests", "own_thresholds")
        return tuple(
            table_of(
                name,
                caption,
                records[0].FIELDS,
                records,
                notes=notes,
                section=sections.get(name),
                titles=titles,
                detail=name not in main,
            )
            for name, caption, records, notes in parts
            if records
        )
