"""Results by group: rates, differences, summaries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import Any

from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Record, Result, plain
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import (
    Text,
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


@dataclass(frozen=True, slots=True)
class GroupRates(Record):
    """The errors of one group at the threshold of all; without trials of a class, a rate is NaN and has no interval."""

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

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        names = ("group", "people", "false_accepts", "impostor", "false_rejects", "genuine")
        result = {name: getattr(self, name) for name in names}
        for name in ("far", "frr", "hter"):
            interval: RateInterval | None = getattr(self, f"{name}_interval")
            result |= {name: interval and interval.estimate, f"{name}_interval": plain(interval)}
        return {**result, "far_letters": self.far_letters, "frr_letters": self.frr_letters}


@dataclass(frozen=True, slots=True)
class GroupPair:
    """One rate of two groups: difference, ratio and test."""

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

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON; what is infinite or undefined is null."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if isinstance(each, float) and not isfinite(each) else each for name, each in values.items()}


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """The test that one rate is the same in all groups, by the largest of all differences of two."""

    measure: Rate
    statistic: float
    p_value: float
    a: str
    b: str
    """The two that differ most."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        rest = {name: getattr(self, name) for name in ("statistic", "p_value", "a", "b")}
        return {"test": f"equal-{self.measure}", **rest}


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether one rate is shown to be the same in all groups, within a factor."""

    measure: Rate
    factor: float
    within: float
    """The least factor that is shown; infinite if none is."""

    @property
    def shown(self) -> bool:
        """Whether no ratio of two groups can be beyond the factor."""
        return self.within <= self.factor

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        within = self.within if isfinite(self.within) else None
        return {"measure": self.measure, "factor": self.factor, "shown": self.shown, "within": within}


@dataclass(frozen=True, slots=True)
class MeetingRate(Record):
    """The FAR of impostors of one group who claim to be somebody of another."""

    claim: str
    impostor: str
    false_accepts: int
    trials: int
    interval: RateInterval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        result = {name: getattr(self, name) for name in ("claim", "impostor", "false_accepts", "trials")}
        return {**result, "far": self.interval.estimate, "interval": self.interval.to_dict()}


@dataclass(frozen=True, slots=True)
class OwnThreshold(Record):
    """A group at a threshold of its own, chosen on the dev trials of the same group."""

    group: str
    threshold: float
    far: RateInterval
    frr: RateInterval
    hter: RateInterval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        result: dict[str, Any] = {"group": self.group, "threshold": self.threshold}
        for name in ("far", "frr", "hter"):
            interval: RateInterval = getattr(self, name)
            result |= {name: interval.estimate, f"{name}_interval": interval.to_dict()}
        return result


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
        The threshold from dev, the same for all groups.
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

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        given = {"threshold": self.claimed_threshold}
        return {
            "by": ",".join(self.by),
            "system": self.system,
            "criterion": self.criterion.name,
            "alpha": self.criterion.alpha_of_result(self.alpha),
            "threshold": self.threshold,
            "kind": self.kind,
            "confidence": self.confidence,
            "groups": plain(self.groups),
            "tests": [each.to_dict() | given for each in self.tests],
            "pairs": [each.to_dict() | given for each in self.pairs],
            "equivalence": [each.to_dict() | given for each in self.equivalences],
            "summaries": {each.name: each.to_dict() | given for each in self.summaries},
            "meetings": plain(self.meetings),
            "own_thresholds": plain(self.own_thresholds),
            "notes": plain(self.notes),
        }

    @property
    def claimed_threshold(self) -> Threshold:
        """Whether intervals and tests have the threshold re-estimated or fixed."""
        intervals = (each for row in self.groups for each in (row.far_interval, row.frr_interval))
        return next((each.threshold for each in intervals if each is not None), "fixed")

    def answer(self) -> str:
        """Whether the groups differ in each rate, and by how much the two that differ most."""
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
                    f"The {label} is not the same in all groups ({p_phrase(test.p_value)}): it is "
                    f"{percent(rates[worse])} in {worse} and {percent(rates[better])} in {better}, {size}, "
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
        """The rates, whether they differ, the differences, the summaries; then meetings and own thresholds."""
        tables = (
            self._rates(), self._tests(), self._pairs(), self._summaries(), self._meetings(), self._own_thresholds()
        )  # fmt: skip
        main = ("groups", "tests", "own_thresholds")
        return tuple(replace(table, detail=table.name not in main) for table in tables if table.rows)

    def _rates(self) -> Table:
        title = interval_title(self.confidence)
        columns = (
            Column("group", "group"),
            Column("people", "people", "count"),
            *(
                column
                for rate in ("far", "frr")
                for column in (
                    Column(rate, label_of(rate), "rate"),
                    Column(f"{rate}_interval", title, "interval"),
                    Column(f"{rate}_letters", "alike"),
                )
            ),
            Column("hter", "HTER", "rate", optional=True),
            Column("hter_interval", title, "interval", optional=True),
            Column("genuine", "genuine", "count", optional=True),
            Column("impostor", "impostor", "count", optional=True),
            Column("false_rejects", "false rejects", "count", detail=True),
            Column("false_accepts", "false accepts", "count", detail=True),
        )
        records = []
        for row in self.groups:
            record = {column.key: getattr(row, column.key) for column in columns}
            intervals = {name: each for name, each in record.items() if isinstance(each, RateInterval)}
            records.append(record | {name: each.interval for name, each in intervals.items()})
        notes = (
            f"the intervals of each column hold for all groups together, {GIVEN[self.claimed_threshold]}",
            "alike: groups that share a letter are not shown to differ in the rate before it",
            *self.notes,
        )
        chosen = f"{self.criterion.described(self.alpha)} {PROVENANCES[self.kind].chosen}"
        rule = f"threshold {threshold_text(self.threshold)} by {chosen}"
        return Table.of("groups", f"{self.system} by {' and '.join(self.by)}; {rule}", columns, records, notes=notes)

    def _tests(self) -> Table:
        columns = (
            Column("label", "rate", "term"),
            Column("measure", "name of the rate", detail=True),
            Column("statistic", "statistic", "number", optional=True),
            Column("p_value", "p, all equal", "p"),
            Column("apart", "most clearly apart"),
            Column("within", "equal within a factor of", "ratio"),
            Column("factor", "asked", "ratio", optional=True),
            Column("shown", "shown", "term"),
        )
        known = {own.measure: own for own in self.equivalences}
        rows = []
        for test in self.tests:
            same = known.get(test.measure)
            rest = (None, None, None) if same is None else (same.within, same.factor, "yes" if same.shown else "no")
            rows.append(
                (label_of(test.measure), test.measure, test.statistic, test.p_value, f"{test.a} and {test.b}", *rest)
            )
        level = 2 * self.confidence - 1
        notes = [f"all equal: {GIVEN[self.claimed_threshold]}"]
        if level > 0:
            notes.append(f"equal within a factor: by {level_text(level)} intervals of all ratios")
        return Table("tests", "Are all groups equal?", columns, tuple(rows), tuple(notes))

    def _pairs(self) -> Table:
        columns = (
            Column("label", "rate", "term"),
            Column("measure", "name of the rate", detail=True),
            Column("a", "a"),
            Column("b", "b"),
            Column("difference", "a - b", "rate"),
            Column("difference_interval", interval_title(self.confidence), "interval"),
            Column("ratio", "a / b", "ratio"),
            Column("ratio_interval", interval_title(self.confidence), "range"),
            Column("statistic", "statistic", "number", detail=True),
            Column("p_value", "p alone", "p", detail=True),
            Column("p_adjusted", "p", "p"),
        )
        records = [
            {
                **{name: getattr(pair, name) for name in pair.__slots__},
                "label": label_of(pair.measure),
                "difference_interval": (pair.difference_low, pair.difference_high),
                "ratio_interval": (pair.ratio_low, pair.ratio_high),
            }
            for pair in self.pairs
        ]
        notes = [f"p values and intervals of each rate hold for all pairs together, {GIVEN[self.claimed_threshold]}"]
        if len(records) > _MOST_SHOWN:
            records = sorted(records, key=lambda record: record["p_adjusted"])[:_MOST_SHOWN]
            notes.append(f"the {_MOST_SHOWN} clearest of {len(self.pairs):,} pairs; the JSON and `pairs` have all")
        return Table.of("pairs", "Every two groups", columns, records, notes=tuple(notes), section="measure")

    def _summaries(self) -> Table:
        columns = (
            Column("name", "key", detail=True),
            Column("summary", "summary", "term"),
            Column("estimate", "value", "number"),
            Column("interval", f"at least {level_text(self.confidence)} limits", "range"),
        )
        rows = tuple((each.name, _WORDS[each.name], each.estimate, (each.low, each.high)) for each in self.summaries)
        notes = ("limits: the least and the most unequal rates that simultaneous intervals of all groups allow",)
        return Table("summaries", "How unequal they are, in one number", columns, rows, notes)

    def _meetings(self) -> Table:
        columns = (
            Column("claim", "claim"),
            Column("impostor", "impostor"),
            Column("far", "FAR", "rate"),
            Column("interval", interval_title(self.confidence), "interval"),
            Column("false_accepts", "false accepts", "count"),
            Column("trials", "trials", "count"),
        )
        rows = tuple(
            (each.claim, each.impostor, each.interval.estimate, each.interval.interval, each.false_accepts, each.trials)
            for each in self.meetings
        )
        caption = Text("{FAR} of impostors of one group against claims of another")
        return Table(
            "meetings", caption, columns, rows, ("the intervals hold for all pairs of groups together",), "claim"
        )

    def _own_thresholds(self) -> Table:
        columns = [Column("group", "group"), Column("threshold", "threshold", "threshold")]
        for rate in ("far", "frr", "hter"):
            columns.append(Column(rate, label_of(rate), "rate"))
            title = interval_title(self.confidence)
            columns.append(Column(f"{rate}_interval", title, "interval", detail=rate != "hter"))
        records = []
        for each in self.own_thresholds:
            record: dict[str, Any] = {"group": each.group, "threshold": each.threshold}
            for rate in ("far", "frr", "hter"):
                interval: RateInterval = getattr(each, rate)
                record |= {rate: interval.estimate, f"{rate}_interval": interval.interval}
            records.append(record)
        caption = "If every group had a threshold of its own, chosen on its own dev trials"
        return Table.of("own_thresholds", caption, columns, records, notes=("intervals hold for each group alone",))
