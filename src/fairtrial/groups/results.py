"""Results by group: rates, differences, summaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, nan
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import Text, interval_title, level_text, p_phrase, plural, term, threshold_text
from fairtrial.groups.covariance import HalfTotals, RateFamily
from fairtrial.groups.membership import Codes, Membership
from fairtrial.groups.summaries import Summary
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import GIVEN, Threshold, ThresholdDeviations
from fairtrial.inference.group_covariance import GroupedRates, clustered_rates, independent_rates
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, Kind
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import label_of

Rate: TypeAlias = Literal["far", "frr"]
RATES: tuple[Rate, Rate] = ("far", "frr")
MOST_THAT_MEET = 30
"""Groups whose pairs are shown."""


@dataclass(frozen=True, eq=False)
class JudgedGroups:
    """The groups of judged trials, at one threshold for all."""

    judgement: Judgement
    membership: Membership
    threshold: Threshold

    @cached_property
    def trials(self) -> dict[Rate, NDArray[np.int64]]:
        """How many trials each group has for each rate."""
        genuine, codes, count = self.judgement.trials.genuine, self.membership.trial, len(self.membership.names)
        return {
            "far": np.bincount(codes[~genuine], minlength=count),
            "frr": np.bincount(codes[genuine], minlength=count),
        }

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The groups that have trials at all."""
        return self._names((self.trials["far"] > 0) | (self.trials["frr"] > 0))

    def names(self, rate: Rate) -> tuple[str, ...]:
        """The groups that have trials for a rate."""
        return self._names(self.trials[rate] > 0)

    def _names(self, which: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(name for name, own in zip(self.membership.names, which, strict=True) if own)

    @cached_property
    def families(self) -> dict[Rate, RateFamily]:
        """Each rate of the groups that have trials for it."""
        found: dict[Rate, RateFamily] = {}
        for rate in RATES:
            kept = self.trials[rate] > 0
            place = np.where(kept, np.cumsum(kept) - 1, -1)
            codes = place[self.membership.trial]
            found[rate] = rate_family(self.judgement, codes, int(kept.sum()), rate, self.threshold)
        return found

    def half_totals(self) -> tuple[tuple[str, ...], HalfTotals] | None:
        """The HTER of the groups that have trials of both classes; None where none has."""
        both = tuple(name for name in self.names("far") if name in self.names("frr"))
        if not both:
            return None
        far, frr = (self.families[rate].kept(np.isin(self.names(rate), both)) for rate in RATES)
        return both, HalfTotals(far, frr)

    @property
    def too_many_meet(self) -> bool:
        """Whether there are more pairs of groups than anybody would look at."""
        return self.membership.impostor is not None and len(self.membership.names) > MOST_THAT_MEET

    def meetings(self) -> tuple[list[tuple[str, str]], RateFamily] | None:
        """The FAR of impostors of every group against claims of every group; None if theirs is unknown, or too many."""
        if self.membership.impostor is None or self.too_many_meet:
            return None
        names = self.membership.names
        codes = self.membership.trial * len(names) + self.membership.impostor
        cells = np.unique(codes[~self.judgement.trials.genuine])
        place = np.full(len(names) ** 2, -1, dtype=np.int64)
        place[cells] = np.arange(len(cells))
        family = rate_family(self.judgement, place[codes], len(cells), "far", self.threshold)
        return [(names[cell // len(names)], names[cell % len(names)]) for cell in cells], family

    @cached_property
    def people(self) -> dict[str, int]:
        """How many people claim to be somebody of each group, or are behind its probes; empty if nobody is known."""
        ids = self.judgement.trials.ids
        role = next((role for role in ("claim", "subject") if role in ids), None)
        if role is None:
            return {}
        count = len(self.membership.names)
        pairs = np.unique(ids[role].numbered().codes.astype(np.int64) * count + self.membership.trial)
        return dict(zip(self.membership.names, np.bincount(pairs % count, minlength=count).tolist(), strict=True))


def rate_family(judgement: Judgement, codes: Codes, count: int, rate: Rate, threshold: Threshold) -> RateFamily:
    """One rate of every group at the threshold of a judgement.

    Parameters
    ----------
    judgement
        A system on the judged trials, at one threshold.
    codes
        The group of each trial, from 0 on; -1 for none.
    count
        How many groups there are; each must have trials of the class.
    rate
        Which rate.
    threshold
        ``re-estimated`` falls back to ``fixed`` where the threshold was given.

    Returns
    -------
    RateFamily
        The rates, and how they vary together.
    """
    trials, sets = judgement.trials, judgement.sets
    rows = np.flatnonzero(trials.genuine if rate == "frr" else ~trials.genuine)
    groups, wrong = codes[rows], judgement.wrong()[rows]
    people = sets.people[1]
    if people is None:
        grouped = independent_rates(groups, wrong, count)
    else:
        part = people.genuine if rate == "frr" else people.impostor
        grouped = clustered_rates(part, groups, wrong, count, people.size)
    movement = judgement.movement if threshold == "re-estimated" else None
    if movement is None:
        return RateFamily(grouped, seed=sets.seed)
    moved, at = movement.rates(0 if rate == "frr" else 1, grouped.errors.astype(np.float64), grouped.trials)
    deviations = ThresholdDeviations.from_replicates(movement, moved - at)
    return RateFamily(grouped, deviations, _joint(judgement, grouped, deviations), sets.seed)


def _joint(judgement: Judgement, grouped: GroupedRates, deviations: ThresholdDeviations) -> Floats | None:
    """What people of both dev and test add to the covariance of every two rates; never most of it."""
    sets = judgement.sets
    if not deviations.of_people or not sets.overlap or grouped.moved is None:
        return None
    room = np.zeros((max(sets.draws.size, len(grouped.moved)), grouped.moved.shape[1]))
    room[: len(grouped.moved)] = grouped.moved
    on_test = sets.draws.move_people(room)
    both = deviations.moved.T @ on_test / len(on_test)
    both = both + both.T
    whole = np.diag(grouped.covariance) + deviations.variances()
    return np.asarray(np.maximum(both, -np.sqrt(np.outer(whole, whole)) / 2))


LEAST_SHOWN = 0.5
"""The confidence above which something can be shown on one side."""
_MOST_SHOWN = 400
"""Pairs that a table shows."""
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
class GroupRates:
    """The errors of one group at the threshold of all; a rate is NaN, its interval None, where it has no such trial."""

    group: str
    people: int | None
    """How many people claim to be somebody in it; None where nobody is known."""
    false_accepts: int
    impostor: int
    false_rejects: int
    genuine: int
    far_interval: RateInterval | None
    frr_interval: RateInterval | None
    hter_interval: RateInterval | None
    far_letters: str = ""
    """Two groups share a letter where their rates are not shown to differ."""
    frr_letters: str = ""

    @property
    def far(self) -> float:
        """The share of impostor trials that are accepted."""
        return _estimate(self.far_interval)

    @property
    def frr(self) -> float:
        """The share of genuine trials that are rejected."""
        return _estimate(self.frr_interval)

    @property
    def hter(self) -> float:
        """The mean of both."""
        return _estimate(self.hter_interval)

    def interval_of(self, rate: Rate) -> RateInterval | None:
        """That of one of the two rates; None where there is no such trial."""
        return self.far_interval if rate == "far" else self.frr_interval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        found: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("group", "people", "false_accepts", "impostor", "false_rejects", "genuine")
        }
        for name in ("far", "frr", "hter"):
            own: RateInterval | None = getattr(self, f"{name}_interval")
            found[name] = None if own is None else own.estimate
            found[f"{name}_interval"] = None if own is None else own.to_dict()
        return {**found, "far_letters": self.far_letters, "frr_letters": self.frr_letters}


@dataclass(frozen=True, slots=True)
class GroupPair:
    """One rate of two groups: how much and how many times it differs, and whether that is chance."""

    measure: Rate
    a: str
    b: str
    difference: float
    difference_low: float
    difference_high: float
    ratio: float
    """Of the first to the second; infinite where only the second is 0, NaN where both are."""
    ratio_low: float
    ratio_high: float
    statistic: float
    p_value: float
    p_adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON; what is infinite or undefined is null."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if isinstance(own, float) and not isfinite(own) else own for name, own in found.items()}


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """Whether one rate is the same in all groups: the largest of all differences of two."""

    measure: Rate
    statistic: float
    p_value: float
    a: str
    b: str
    """The two that differ most."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "test": f"equal-{self.measure}",
            "statistic": self.statistic,
            "p_value": self.p_value,
            "a": self.a,
            "b": self.b,
        }


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether one rate is shown to be the same in all groups, within a factor."""

    measure: Rate
    factor: float
    within: float
    """The least factor that is shown; infinite where none is."""

    @property
    def shown(self) -> bool:
        """Whether no ratio of two groups can be beyond the factor."""
        return self.within <= self.factor

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        within = self.within if isfinite(self.within) else None
        return {"measure": self.measure, "factor": self.factor, "shown": self.shown, "within": within}


@dataclass(frozen=True, slots=True)
class MeetingRate:
    """The FAR of impostors of one group who claim to be somebody of another."""

    claim: str
    impostor: str
    false_accepts: int
    trials: int
    interval: RateInterval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "claim": self.claim,
            "impostor": self.impostor,
            "false_accepts": self.false_accepts,
            "trials": self.trials,
            "far": self.interval.estimate,
            "interval": self.interval.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class OwnThreshold:
    """A group at a threshold of its own, chosen on the dev trials of the same group."""

    group: str
    threshold: float
    far: RateInterval
    frr: RateInterval
    hter: RateInterval

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        rates = {name: getattr(self, name) for name in ("far", "frr", "hter")}
        return {
            "group": self.group,
            "threshold": self.threshold,
            **{name: own.estimate for name, own in rates.items()},
            **{f"{name}_interval": own.to_dict() for name, own in rates.items()},
        }


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
        The FAR by pair of groups, where the group of the impostor is known.
    own_thresholds : tuple of OwnThreshold
        What a threshold of its own would change for each group, where that was asked for.
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
            The judged trials, the group of each, and the families of their rates.

        Raises
        ------
        TrialsError
            The result was made without them.
        """
        if self.judged is None:
            raise TrialsError("this result does not know its trials; make it with evaluate_groups")
        return self.judged

    @property
    def overall(self) -> dict[Rate, float]:
        """Both rates of all groups together, at the threshold of all; NaN where there is no trial of a class."""
        errors = {
            "far": (sum(own.false_accepts for own in self.groups), sum(own.impostor for own in self.groups)),
            "frr": (sum(own.false_rejects for own in self.groups), sum(own.genuine for own in self.groups)),
        }
        return {rate: errors[rate][0] / errors[rate][1] if errors[rate][1] else nan for rate in RATES}

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
            "groups": [own.to_dict() for own in self.groups],
            "tests": [own.to_dict() | given for own in self.tests],
            "pairs": [own.to_dict() | given for own in self.pairs],
            "equivalence": [own.to_dict() | given for own in self.equivalences],
            "summaries": {own.name: own.to_dict() | given for own in self.summaries},
            "meetings": [own.to_dict() for own in self.meetings],
            "own_thresholds": [own.to_dict() for own in self.own_thresholds],
            "notes": plain(self.notes),
        }

    @property
    def claimed_threshold(self) -> Threshold:
        """Whether intervals and tests have the threshold re-estimated, or take it as it is."""
        intervals = (own for group in self.groups for own in (group.far_interval, group.frr_interval))
        return next((own.threshold for own in intervals if own is not None), "fixed")

    def answer(self) -> str:
        """The groups and whether they are shown to differ."""
        tests = ", ".join(f"equal {term(label_of(own.measure))} {p_phrase(own.p_value)}" for own in self.tests)
        found = f"{self.system}, {plural(len(self.groups), 'group')} by {', '.join(self.by)}"
        return f"{found}{', ' if tests else ''}{tests}"

    def tables(self) -> tuple[Table, ...]:
        """The rates, whether they differ, the differences, the summaries; then meetings and own thresholds."""
        found = [self._rates(), self._tests(), self._pairs(), self._summaries()]
        if self.meetings:
            found.append(self._meetings())
        if self.own_thresholds:
            found.append(self._own())
        main = ("groups", "tests", "own_thresholds")
        return tuple(replace(table, detail=table.name not in main) for table in found if table.rows)

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
            Column("hter", "HTER", "rate"),
            Column("hter_interval", title, "interval"),
            Column("genuine", "genuine", "count"),
            Column("impostor", "impostor", "count"),
            Column("false_rejects", "false rejects", "count", detail=True),
            Column("false_accepts", "false accepts", "count", detail=True),
        )
        records = [
            {
                **{name: getattr(own, name) for name in (*own.__slots__, "far", "frr", "hter")},
                **{f"{rate}_interval": _ends(getattr(own, f"{rate}_interval")) for rate in ("far", "frr", "hter")},
            }
            for own in self.groups
        ]
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
            Column("statistic", "statistic", "number"),
            Column("p_value", "p, all equal", "p"),
            Column("apart", "most clearly apart"),
            Column("within", "equal within a factor of", "ratio"),
            Column("factor", "asked", "ratio"),
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
                **{name: getattr(own, name) for name in own.__slots__},
                "label": label_of(own.measure),
                "difference_interval": (own.difference_low, own.difference_high),
                "ratio_interval": (own.ratio_low, own.ratio_high),
            }
            for own in self.pairs
        ]
        notes = [f"p values and intervals of each rate hold for all pairs together, {GIVEN[self.claimed_threshold]}"]
        if len(records) > _MOST_SHOWN:
            records = sorted(records, key=lambda own: own["p_adjusted"])[:_MOST_SHOWN]
            notes.append(f"the {_MOST_SHOWN} clearest of {len(self.pairs):,} pairs; the JSON and `pairs` have all")
        return Table.of("pairs", "Every two groups", columns, records, notes=tuple(notes), section="measure")

    def _summaries(self) -> Table:
        columns = (
            Column("name", "key", detail=True),
            Column("summary", "summary", "term"),
            Column("estimate", "value", "number"),
            Column("interval", f"at least {level_text(self.confidence)} limits", "range"),
        )
        rows = tuple((own.name, _WORDS[own.name], own.estimate, (own.low, own.high)) for own in self.summaries)
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
            (own.claim, own.impostor, own.interval.estimate, _ends(own.interval), own.false_accepts, own.trials)
            for own in self.meetings
        )
        caption = Text("{FAR} of impostors of one group against claims of another")
        return Table(
            "meetings", caption, columns, rows, ("the intervals hold for all pairs of groups together",), "claim"
        )

    def _own(self) -> Table:
        title = interval_title(self.confidence)
        columns = (
            Column("group", "group"),
            Column("threshold", "threshold", "threshold"),
            *(
                column
                for rate in ("far", "frr", "hter")
                for column in (
                    Column(rate, label_of(rate), "rate"),
                    Column(f"{rate}_interval", title, "interval", detail=rate != "hter"),
                )
            ),
        )
        records = [
            {
                "group": own.group,
                "threshold": own.threshold,
                **{rate: getattr(own, rate).estimate for rate in ("far", "frr", "hter")},
                **{f"{rate}_interval": _ends(getattr(own, rate)) for rate in ("far", "frr", "hter")},
            }
            for own in self.own_thresholds
        ]
        caption = "If every group had a threshold of its own, chosen on its own dev trials"
        return Table.of("own_thresholds", caption, columns, records, notes=("intervals hold for each group alone",))


def _estimate(found: RateInterval | None) -> float:
    return nan if found is None else found.estimate


def _ends(found: RateInterval | None) -> Sequence[float] | None:
    return None if found is None else found.interval
