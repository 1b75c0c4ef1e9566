"""The page of groups, with figures in which one threshold moves all of them."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np

from fairtrial.core.notes import Note
from fairtrial.core.tables import Table
from fairtrial.core.words import interval_title, level_text, number_text, p_phrase, percent, range_text, term
from fairtrial.figures.groups import group_charts
from fairtrial.groups.curves import without_genuine
from fairtrial.groups.results import EqualityTest, GroupEvaluation
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.split import PROVENANCES, Origin
from fairtrial.pages.page import Captions, Page, Reference, Repeat
from fairtrial.pages.parts import JUDGED, interval_references, judged_trials_table
from fairtrial.rules.measures import label_of

_MOST_GROUPS = 30
"""Groups that are drawn, at most: those with the most impostor trials."""
_MOST_ROWS = 300
"""Pairs of groups in a table, at most."""
_BY_WHAT = {"pairs": ("p_adjusted", 1, "smallest p values"), "meetings": ("far", -1, "highest {FAR}")}
"""Tables of pairs of groups: the key and the sign by which their rows are chosen, and these in words."""
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


def groups_page(result: GroupEvaluation, repeat: Repeat) -> Page:
    """Make the page of groups.

    Parameters
    ----------
    result
        Of `evaluate_groups`.
    repeat
        What it takes to do the same again.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    judged = result.known_trials()
    judgement, sets = judged.judgement, judged.judgement.sets
    known, captions = JUDGED[sets.origin], _CAPTIONS[sets.origin]
    leading = judged_interval(judgement, confidence=result.confidence, threshold=judged.threshold)
    largest = sorted(result.groups, key=lambda row: row.impostor, reverse=True)[:_MOST_GROUPS]
    kept = {row.group for row in largest if row.impostor}
    shown = [row.group for row in result.groups if row.group in kept]
    drawable = judged.names("far")
    notes = []
    if len(shown) < len(drawable):
        text = "figures show the {shown} of {groups:plural group} with the most impostor trials"
        notes.append(Note("groups-not-drawn", text, shown=len(shown), groups=len(drawable)))
    if set(shown) & set(without_genuine(judged)):
        text = "figures of groups without genuine trials use the genuine trials of all groups"
        notes.append(Note("groups-without-genuine", text))
    return Page(
        title=f"{result.system} by {' and '.join(result.by)}",
        asked=f"For whom it is worse: error rates by group, with one threshold for all groups, chosen by "
        f"{result.criterion.described(result.alpha)} {PROVENANCES[result.kind].chosen}.",
        answer=tuple(_sentences(result)),
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
        explore={**group_charts(result, shown, captions.hter), **captions.to_dict()},
        captions=captions,
    )


def _sentences(result: GroupEvaluation) -> list[str]:
    sentences = []
    for test in result.tests:
        sentences.append(_difference(result, test))
        same = next((own for own in result.equivalences if own.measure == test.measure), None)
        if same is not None and same.shown:
            label = term(label_of(test.measure))
            sentences.append(f"The {label} is shown to be the same in all groups within a factor of {same.factor:g}.")
    return sentences


def _difference(result: GroupEvaluation, test: EqualityTest) -> str:
    """Say whether groups differ in a rate, and how much those do that are farthest apart."""
    label = term(label_of(test.measure))
    if test.p_value >= 1 - result.confidence:
        return f"No difference of the {label} between groups is shown ({p_phrase(test.p_value)})."
    pair = next(own for own in result.pairs if own.measure == test.measure and {own.a, own.b} == {test.a, test.b})
    rates = {own.group: getattr(own, test.measure) for own in result.groups}
    (worse, better), ratio, low, high = (pair.a, pair.b), pair.ratio, pair.ratio_low, pair.ratio_high
    if pair.difference < 0:
        worse, better = better, worse
        ratio, low, high = (1 / value if value else inf for value in (ratio, high, low))
    size, sure = f"{number_text(ratio, 3)} times as much", interval_title(result.confidence)
    together = f"of all pairs together {range_text(low, high)}"
    if not isfinite(ratio):
        size, sure = f"at least {number_text(low, 3)} times as much", f"{level_text(result.confidence)} limit"
        together = "of all pairs together"
    return (
        f"The {label} is not the same in all groups ({p_phrase(test.p_value)}): it is {percent(rates[worse])} in "
        f"{worse} and {percent(rates[better])} in {better}, {size} ({sure} {together})."
    )


def _shortened(table: Table) -> Table:
    """Keep of very many rows those with the smallest p values or the highest rates."""
    if table.name not in _BY_WHAT or len(table.rows) <= _MOST_ROWS:
        return table
    key, sign, words = _BY_WHAT[table.name]
    order = np.argsort(sign * np.array(table.column(key)), kind="stable")
    kept = np.sort(order[:_MOST_ROWS]).tolist()
    note = Note(
        "rows-left-out",
        f"{{caption}}: {{shown:plural row}} of {{rows:count}} with the {words} are shown",
        caption=str(table.caption),
        shown=_MOST_ROWS,
        rows=len(table.rows),
    )
    return replace(table, rows=tuple(table.rows[k] for k in kept), notes=(*table.notes, note))
