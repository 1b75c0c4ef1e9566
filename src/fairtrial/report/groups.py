"""The page of groups: for whom it is worse, with figures in which one threshold moves all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any

import numpy as np

from fairtrial.axes import ALPHA_ENDS, Floats, log_axis
from fairtrial.claims import Threshold
from fairtrial.epc import alpha_grid, curve_of
from fairtrial.groups.along import judged_parts, without_genuine
from fairtrial.groups.judged import RATES, JudgedGroups, Rate
from fairtrial.groups.results import EqualityTest, GroupEvaluation, GroupRates
from fairtrial.intervals.judged import intervals_along, judged_interval
from fairtrial.intervals.rates import RateInterval
from fairtrial.judging import Judgement, judge
from fairtrial.report.page import Captions, Page, Reference, Repeat
from fairtrial.report.parts import JUDGED, interval_references, judged_trials_table
from fairtrial.report.views import Asked, SystemView, curve_view, explored
from fairtrial.rules.measures import label_of
from fairtrial.tables import (
    Table,
    Terms,
    interval_title,
    level_text,
    number_text,
    p_phrase,
    percent,
    plural,
    range_text,
    translate,
)
from fairtrial.trial_sets import PROVENANCES, Origin

_MOST_GROUPS = 30
"""So many groups are drawn, those with the most impostor trials."""
_MOST_ROWS = 300
"""So many pairs of groups are shown in a table, those that say most."""
_BY_WHAT = {"pairs": ("p_adjusted", 1, "smallest p values"), "meetings": ("far", -1, "highest FAR")}
"""Tables of pairs of groups, and what decides which of their rows are shown."""
_LEAST_AXIS = 1e-6
_PRIOR = Captions(
    epc="Expected performance curve: HTER of each group on test trials, one threshold from dev for all groups",
    curve="of the test trials of each group, and its point at the threshold of all",
    density="Scores of the test trials of the group",
    interval="interval of the HTER, all groups together",
    choose="Group",
)
_CAPTIONS: dict[Origin, Captions] = {
    "dev": _PRIOR,
    "same trials": replace(
        _PRIOR,
        threshold=JUDGED["same trials"].captions.threshold,
        epc="HTER of each group along alpha, one threshold from the same trials for all groups, a posteriori",
        curve="of the test trials of each group, and its point at the threshold of all, both a posteriori",
    ),
}
"""By where the thresholds came from."""
_SIMULTANEOUS = Reference(
    "Intervals that hold for all groups together: by the largest of normal deviates that are correlated as the rates "
    "are. Along alpha they have the critical value of the alpha that was asked for.",
    "Hothorn, Bretz & Westfall, Simultaneous inference in general parametric models, 2008",
)
_LETTERS = Reference(
    "Groups that share a letter are not shown to differ.",
    "Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, 2004",
)
_SUMMARIES = Reference(
    "FDR, GARBE, inequity rate and largest rate over geometric mean.",
    "de Freitas Pereira & Marcel 2021; Howard et al. 2022; Grother, NIST IR 8429, 2022; ISO/IEC 19795-10",
)


def groups_page(result: GroupEvaluation, repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of groups.

    Parameters
    ----------
    result
        Of `evaluate_groups`.
    repeat
        What it takes to do the same again.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    judged = result.known_trials()
    judgement, sets = judged.judgement, judged.judgement.sets
    known = JUDGED[sets.origin]
    leading = judged_interval(judgement, confidence=result.confidence, threshold=judged.threshold)
    shown = _drawn_groups(result)
    drawable = judged.names("far")
    notes = []
    if len(shown) < len(drawable):
        notes.append(f"figures show the {len(shown)} of {len(drawable)} groups with the most impostor trials")
    if set(shown) & set(without_genuine(judged)):
        notes.append("figures of groups without genuine trials have those of all groups")
    return Page(
        title=f"{result.system} by {' and '.join(result.by)}",
        asked=f"For whom it is worse: error rates by group, with one threshold for all groups, chosen by "
        f"{result.criterion.described(result.alpha)} {PROVENANCES[result.kind].chosen}.",
        answer=tuple(_sentences(result, terms)),
        tables=tuple(_shortened(table) for table in result.tables()),
        data=(judged_trials_table(sets),),
        methods=(
            known.references[0],
            _SIMULTANEOUS,
            *interval_references([leading]),
            _LETTERS,
            _SUMMARIES,
            *known.references[1:],
        ),
        repeat=repeat,
        notes=tuple(notes),
        explore=_Along.of(result, judged, shown).to_dict(terms),
        captions=_CAPTIONS[sets.origin],
        terms=terms,
    )


def _drawn_groups(result: GroupEvaluation) -> list[str]:
    """The groups that have curves, in their order; those with the most impostor trials where they are many."""
    largest = sorted(result.groups, key=lambda own: own.impostor, reverse=True)[:_MOST_GROUPS]
    kept = {own.group for own in largest if own.impostor}
    return [own.group for own in result.groups if own.group in kept]


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    """The limits of one rate of one group, at the alpha that was asked for and along all."""

    low: Floats
    high: Floats
    asked: RateInterval

    def to_dict(self) -> dict[str, Any]:
        return {"low": self.low.tolist(), "high": self.high.tolist(), "asked": list(self.asked.interval)}


@dataclass(frozen=True, slots=True, eq=False)
class _Along:
    """The groups at the thresholds of all values of alpha, each from all dev trials."""

    whole: Judgement
    overall: dict[Rate, float]
    views: tuple[SystemView, ...]
    limits: tuple[dict[Rate, _Limits], ...]

    @classmethod
    def of(cls, result: GroupEvaluation, judged: JudgedGroups, names: Sequence[str]) -> _Along:
        judgement = judged.judgement
        whole = judge(
            judgement.sets, system=judgement.system, criterion=judgement.criterion.along_alpha, alphas=alpha_grid()
        )
        rates = {own.group: own for own in result.groups}
        at_asked = judged_parts(judged, judgement, names)
        levels = _levels_alone(judged, result.confidence)
        weight = result.criterion.weight_of_far(result.alpha)
        views, limits = [], []
        for name, part in judged_parts(judged, whole, names).items():
            hter = rates[name].hter_interval or judged_interval(
                at_asked[name], confidence=levels["hter"], threshold=judged.threshold
            )
            asked = Asked.of(at_asked[name].at(0), result.threshold, hter, weight)
            view = curve_view(
                curve_of(part), name=name, asked=asked, confidence=levels["hter"], threshold=judged.threshold
            )
            views.append(view)
            limits.append(_limits_of(part, rates[name], view, levels, judged.threshold))
        return cls(whole, result.overall, tuple(views), tuple(limits))

    def to_dict(self, terms: Terms) -> dict[str, Any]:
        """What the page gets: groups in place of systems, and the axes of their rates."""
        found = explored(self.views, _CAPTIONS[self.whole.sets.origin], terms)
        for entry, own in zip(found["systems"], self.limits, strict=True):
            entry["limits"] = {rate: known.to_dict() for rate, known in own.items()}
        found["rates"] = {
            rate: {
                "axis": log_axis(translate(label_of(rate), terms), (self._lowest(rate), 1.0)).to_dict(),
                "all": getattr(self.whole.test, rate).tolist(),
                "asked": self.overall[rate],
            }
            for rate in RATES
        }
        return found

    def _lowest(self, rate: Rate) -> float:
        """A little below the smallest rate that is drawn, but for the ends of alpha."""
        middle = (self.whole.alpha >= ALPHA_ENDS) & (self.whole.alpha <= 1 - ALPHA_ENDS)
        values = np.concatenate([getattr(view.curve, rate)[middle] for view in self.views])
        return max(0.5 * float(np.min(values, where=values > 0, initial=0.02)), _LEAST_AXIS)


def _levels_alone(judged: JudgedGroups, confidence: float) -> dict[str, float]:
    """The confidence at which the interval of one group alone is its simultaneous one, by rate."""
    from scipy.special import ndtr

    totals = judged.half_totals()
    critical: dict[str, float] = {rate: judged.families[rate].critical(confidence) for rate in RATES}
    critical["hter"] = critical["far"] if totals is None else totals[1].critical(confidence)
    return {rate: 1 - 2 * float(ndtr(-value)) for rate, value in critical.items()}


def _limits_of(
    part: Judgement, rates: GroupRates, view: SystemView, levels: Mapping[str, float], threshold: Threshold
) -> dict[Rate, _Limits]:
    found: dict[Rate, _Limits] = {}
    same = view.low == view.asked.low
    for rate in RATES:
        asked = rates.interval_of(rate)
        if asked is None:
            continue
        along = intervals_along(part, measure=rate, confidence=levels[rate], threshold=threshold)
        low, high = (np.array([getattr(each, end) for each in along]) for end in ("low", "high"))
        low[same], high[same] = asked.interval
        found[rate] = _Limits(low, high, asked)
    return found


def _sentences(result: GroupEvaluation, terms: Terms) -> list[str]:
    found = []
    for test in result.tests:
        found.append(_difference(result, test, terms))
        same = next((own for own in result.equivalences if own.measure == test.measure), None)
        if same is not None and same.shown:
            label = translate(label_of(test.measure), terms)
            found.append(f"The {label} is shown to be the same in all groups within a factor of {same.factor:g}.")
    return found


def _difference(result: GroupEvaluation, test: EqualityTest, terms: Terms) -> str:
    """Whether groups differ in a rate, and how much those do that are farthest apart."""
    label = translate(label_of(test.measure), terms)
    if test.p_value >= 1 - result.confidence:
        return f"No difference of the {label} between groups is shown ({p_phrase(test.p_value)})."
    pair = next(own for own in result.pairs if own.measure == test.measure and {own.a, own.b} == {test.a, test.b})
    rates = {own.group: getattr(own, test.measure) for own in result.groups}
    (worse, better), ratio, low, high = (pair.a, pair.b), pair.ratio, pair.ratio_low, pair.ratio_high
    if pair.difference < 0:
        worse, better = better, worse
        ratio, low, high = (_one_over(value) for value in (ratio, high, low))
    size, sure = f"{number_text(ratio, 3)} times as much", interval_title(result.confidence)
    together = f"of all pairs together {range_text(low, high)}"
    if not isfinite(ratio):
        size, sure = f"at least {number_text(low, 3)} times as much", f"{level_text(result.confidence)} limit"
        together = "of all pairs together"
    return (
        f"The {label} is not the same in all groups ({p_phrase(test.p_value)}): it is {percent(rates[worse])} in "
        f"{worse} and {percent(rates[better])} in {better}, {size} ({sure} {together})."
    )


def _one_over(value: float) -> float:
    return 1 / value if value else inf


def _shortened(table: Table) -> Table:
    """A table that a page can hold: of very many rows those with the smallest p values or the highest rates."""
    if table.name not in _BY_WHAT or len(table.rows) <= _MOST_ROWS:
        return table
    key, sign, words = _BY_WHAT[table.name]
    order = np.argsort(sign * np.array(table.column(key)), kind="stable")
    kept = np.sort(order[:_MOST_ROWS]).tolist()
    note = f"{table.caption}: {plural(_MOST_ROWS, 'row')} of {len(table.rows):,} with the {words} are shown"
    return replace(table, rows=tuple(table.rows[k] for k in kept), notes=(*table.notes, note))
