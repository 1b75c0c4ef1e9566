"""What pages share: references, words about thresholds, tables of trials and operating points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import (
    Text,
    in_a_row,
    in_percent,
    interval_text,
    interval_title,
    number_text,
    p_phrase,
    range_text,
)
from fairtrial.evaluation.operating import operating_points_of
from fairtrial.figures.system import JudgedCurves, judged_charts
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import GIVEN_ALONG, Threshold
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.multiplicity import Correction
from fairtrial.inference.split import Origin, TrialSets
from fairtrial.inference.tests import TestResult
from fairtrial.pages.page import Captions, Page, Reference, Repeat

_PRIOR = Reference(
    "The threshold is fixed on development trials before the test trials are seen; figures on test are a priori.",
    "Bengio, Mariéthoz & Keller, The expected performance curve, 2005",
)
_POSTERIOR = Reference(
    "The threshold was chosen on the same trials: figures are a posteriori, and too good.",
    "Bengio, Mariéthoz & Keller, The expected performance curve, 2005",
)
_HELD_OUT = Reference(
    "Cross-validation: each trial is judged by a threshold from other folds. Folds are of people, or of trials if "
    "these are taken as independent. Errors are pooled over all trials.",
    "Stone, Cross-validatory choice and assessment of statistical predictions, 1974",
)
_INDEPENDENT = Reference(
    "Interval of the HTER for independent trials.",
    "Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13)",
)
_ROBUST = Reference(
    "Interval and test for trials that share people: contributions of trials summed by person, Welch's degrees of "
    "freedom; limits by Wilson, combined as by Zou & Donner.",
    "Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011; Zou & Donner 2008",
)
_WILSON = Reference(
    "Interval of the HTER, all trials taken as independent: Wilson's limits of both rates, combined.",
    "Wilson 1927; Zou & Donner 2008",
)
_RE_ESTIMATED, _RE_ESTIMATED_BY_PEOPLE = (
    Reference(
        f"Threshold re-estimated: dev is resampled{by} and the threshold chosen on each resample; the variance that "
        "comes of it is added.",
        "Cameron, Gelbach & Miller 2011; Efron & Tibshirani, An introduction to the bootstrap, 1993",
    )
    for by in ("", " by people")
)
_EPC, _SAME_EPC, _HELD_OUT_EPC = (
    Reference(f"Expected performance curve: for every alpha {what}.", "Bengio, Mariéthoz & Keller 2005")
    for what in (
        "a threshold from dev, the error from test",
        "a threshold from test and the error on the same trials: a posteriori",
        "thresholds from other folds, the error from held-out trials",
    )
)
FUSION = Reference(
    "Fusion protocols, gain ratios and pooled curves.",
    "Poh & Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006",
)
_SEPARATION, _SEPARATION_BY_PEOPLE = (
    Reference(
        Text("AUC and d', with the variance of the mean contribution of each trial{by}; the {FRR} at {a FAR}.", by=by),
        "DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997; Daugman 2003; ISO/IEC 19795-1",
    )
    for by in ("", ", summed by person")
)
ADJUSTED: dict[Correction, tuple[Reference, ...]] = {
    "holm": (Reference("P values adjusted for the number of tests, by Holm's method.", "Holm 1979"),),
    "bh": (
        Reference(
            "P values adjusted for the number of tests, by the false discovery rate.", "Benjamini & Hochberg 1995"
        ),
    ),
    "none": (),
}
FOLD_TESTS = {
    "corrected-resampled": Reference(
        "Test over folds, with a variance that allows for training sets that overlap.",
        "Nadeau & Bengio, Inference for the generalization error, 2003",
    ),
    "5x2cv": Reference(
        "Test over five times two halves of the people.",
        "Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms, 1998",
    ),
}
"""References of tests over folds, by their names."""
_INTERVALS = {"independent": _INDEPENDENT, "wilson": _WILSON}
"""References of intervals of independent trials, by their limits."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The words of a page about thresholds, by where they come from."""

    asked: str
    """What follows "How good it is", a template with the {rule} by which the threshold was chosen."""
    table: str
    """The caption of the table of errors."""
    references: tuple[Reference, ...]
    captions: Captions


_ON_TEST = Captions()
JUDGED: dict[Origin, Judged] = {
    "dev": Judged(
        ", with the threshold chosen by {rule} on development trials",
        "Errors on dev and on test, at the threshold from dev",
        (_PRIOR, _EPC),
        _ON_TEST,
    ),
    "same trials": Judged(
        ", with the threshold chosen by {rule} on the same trials",
        "Errors at a threshold that was chosen on the same trials",
        (_POSTERIOR, _SAME_EPC),
        Captions(
            threshold="threshold from the same trials",
            epc="HTER along alpha at thresholds from the same trials, a posteriori",
            curve="of test and the operating point, both a posteriori",
        ),
    ),
    "folds": Judged(
        " on held-out trials, with the threshold chosen by {rule} on other folds",
        "Errors on all trials, and on held-out trials, each judged by a threshold from other folds",
        (_HELD_OUT, _HELD_OUT_EPC),
        Captions(
            threshold="threshold from all trials",
            no_threshold="one per block",
            epc="Expected performance curve: HTER on held-out trials, each judged by a threshold from other folds",
            curve="of all trials, a posteriori, and the operating point on held-out trials",
            density="Scores of all trials",
            hter="HTER on held-out trials",
        ),
    ),
}
"""By where the thresholds came from."""


def interval_references(intervals: Iterable[RateInterval]) -> tuple[Reference, ...]:
    """Give the references of intervals, each once."""
    made, moved = [], []
    for each in intervals:
        alone = each.sharing == "none"
        made.append(_INTERVALS[each.limits] if alone else _ROBUST)
        if each.threshold == "re-estimated":
            moved.append(_RE_ESTIMATED if alone else _RE_ESTIMATED_BY_PEOPLE)
    return tuple(dict.fromkeys([*made, *moved]))


def charts_of(systems: Sequence[JudgedCurves], captions: Captions) -> dict[str, Any]:
    """Give the charts of systems whose operating point moves, with their captions."""
    return {**judged_charts(systems, captions.hter), **captions.to_dict()}


def judged_page(
    judgements: Sequence[Judgement],
    intervals: Sequence[RateInterval],
    systems: Sequence[JudgedCurves],
    repeat: Repeat,
    *,
    tables: Sequence[Table],
    further: Sequence[Table] = (),
    methods: Sequence[Reference] = (),
    sets: TrialSets | None = None,
    charts: Mapping[str, Any] | None = None,
    **words: Any,
) -> Page:
    """Make the page of judged systems: their tables, operating points, trials, references and charts.

    Operating points have the confidence and the kind of threshold of the first interval; tables and further tables
    stand before and after them. `sets` are the trials to describe, those of the first judgement by default.
    """
    sets = sets or judgements[0].sets
    judged, leading = JUDGED[judgements[0].sets.origin], intervals[0]
    points = (
        operating_points_of(own.sets, own.system, confidence=leading.confidence, threshold=leading.threshold)
        for own in judgements
    )
    return Page(
        tables=(*tables, *join_tables([each.tables() for each in points]), *further),
        data=(judged_trials_table(sets),),
        methods=(
            judged.references[0],
            *interval_references(intervals),
            *methods,
            _SEPARATION if sets.sharing == "none" else _SEPARATION_BY_PEOPLE,
            *judged.references[1:],
        ),
        repeat=repeat,
        explore={**charts_of(systems, judged.captions), **(charts or {})},
        captions=judged.captions,
        **words,
    )


def difference_words(
    test: TestResult,
    p_value: float,
    confidence: float,
    pairs: int = 1,
    *,
    given: Mapping[Threshold, str] = GIVEN_ALONG,
) -> str:
    """Write a difference with its interval and p value; without its sign if the test is two-sided.

    With several pairs, the p value is adjusted for them, and the interval is that of the pair alone.
    """
    one_sided = test.alternative != "two-sided"
    sign = 1.0 if one_sided or test.estimate >= 0 else -1.0
    size = in_percent(sign * test.estimate) if test.is_share else number_text(sign * test.estimate)
    unit, span = (" percentage points", interval_text) if test.is_share else ("", range_text)
    ends = test.interval(confidence)
    if ends is None:
        interval = f"no interval, as nothing varies, {given[test.threshold]}"
    else:
        interval = f"{interval_title(confidence)} {span(*sorted(sign * end for end in ends))}, {given[test.threshold]}"
    adjusted = f" adjusted for {pairs} pairs" if pairs > 1 else ""
    return f"{size}{unit} ({interval}; {'one-sided, ' if one_sided else ''}{p_phrase(p_value)}{adjusted})"


def joined(names: Sequence[str]) -> str:
    """Write a few names as a phrase, and many as their number."""
    return f"{len(names)} systems" if len(names) > 4 else in_a_row(names)


def judged_trials_table(sets: TrialSets) -> Table:
    """Count the trials that were judged, and those that set the thresholds."""
    dev, test = (data if isinstance(data, Trials) else None for data in (sets.dev, sets.test))
    return trials_table("Trials", dev, None if sets.blocks else test)


def trials_table(caption: str, dev: Trials | None, test: Trials | None) -> Table:
    """Count trials and people."""
    columns = (
        Column("set", "set", "term"),
        Column("genuine", "genuine", "count"),
        Column("impostor", "impostor", "count"),
        Column("claim", "claims", "count"),
        Column("subject", "subjects", "count"),
        Column("notes", "notes"),
    )
    records = [
        {
            "set": word,
            "genuine": int(np.count_nonzero(trials.genuine)),
            "impostor": int(np.count_nonzero(~trials.genuine)),
            **{name: len(np.unique(column.numbered().codes)) for name, column in trials.ids.items()},
            "notes": "; ".join(map(str, trials.notes)),
        }
        for word, trials in (("dev", dev), ("test", test))
        if trials is not None
    ]
    return Table.of("trials", caption, columns, records)
