"""The page of a comparison of systems."""

from __future__ import annotations

from typing import Any

from fairtrial.axes import Axis, linear_ticks
from fairtrial.calibration.measures import GIVEN_CALIBRATION, EvidenceMeasure
from fairtrial.claims import GIVEN_ALONG
from fairtrial.comparison import Comparison, SystemRank
from fairtrial.intervals.judged import judged_interval
from fairtrial.report.page import Page, Repeat
from fairtrial.report.parts import (
    ADJUSTED,
    FOLD_TESTS,
    JUDGED,
    difference_words,
    interval_references,
    joined,
    judged_trials_table,
    points_table,
    separation_reference,
)
from fairtrial.report.views import Asked, SystemView, explored, judged_view
from fairtrial.tables import Terms, p_phrase, translate

_MOST_PAIRS = 60
"""So many differences are drawn."""
_ROOM = 0.05
"""The share of the axis of differences that is kept free at either end."""


def comparison_page(result: Comparison, repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of a comparison of systems.

    Parameters
    ----------
    result
        Of `compare`.
    repeat
        What it takes to do the same again.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    confidence = result.pairs[0].confidence
    sets = next(iter(result.judgements.values())).sets
    judged = JUDGED[sets.origin]
    tests, ranking, differences, *others = result.tables()
    label = translate(result.measure.label, terms)
    views = [_view(rank, result, confidence) for rank in result.ranking]
    leading = judged_interval(result.judgements[result.ranking[0].system], confidence=confidence)
    points = points_table([result.judgements[rank.system] for rank in result.ranking], leading)
    return Page(
        title=f"Comparison of {joined([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, {_each_judged(result, sets.provenance.source)}.",
        answer=tuple(_sentences(result, label, confidence)),
        tables=(ranking, differences, tests, points, *others),
        data=(judged_trials_table(sets),),
        methods=(
            judged.references[0],
            *interval_references([leading]),
            *(FOLD_TESTS[test.test] for test in result.pairs[0].tests if test.test in FOLD_TESTS),
            *ADJUSTED[result.correction],
            separation_reference(sets),
            *judged.references[1:],
        ),
        repeat=repeat,
        explore={**explored(views, judged.captions, terms), "differences": _differences(result, label)},
        captions=judged.captions,
        terms=terms,
    )


def _each_judged(result: Comparison, source: str) -> str:
    """How each system came to what it is judged by."""
    if isinstance(result.measure, EvidenceMeasure):
        if result.measure.posteriori:
            return "the least there is, a posteriori"
        return "scores taken as they are" if result.measure.raw else f"each calibrated on {source}"
    return f"each at its threshold from {source} by {result.criterion.described(result.alpha)}"


def _view(rank: SystemRank, result: Comparison, confidence: float) -> SystemView:
    judgement = result.judgements[rank.system]
    at = judged_interval(judgement, confidence=confidence)
    asked = Asked.of(rank.counts, rank.threshold, at, result.criterion.weight_of_far(result.alpha))
    return judged_view(judgement, name=rank.system, asked=asked, confidence=confidence, threshold=at.threshold)


def _differences(result: Comparison, label: str) -> dict[str, Any]:
    """The difference of each pair with its interval, and their axis."""
    shown = result.pairs[:_MOST_PAIRS]
    intervals = [pair.headline.interval(pair.confidence) for pair in shown]
    ends = [0.0, *(end for own in intervals if own is not None for end in own)]
    room = _ROOM * (max(ends) - min(ends)) or _ROOM
    low, high = min(ends) - room, max(ends) + room
    unit, scale = ("percentage points", 100.0) if result.measure.is_share else ("", 1.0)
    ticks = tuple((value / scale, text) for value, text in linear_ticks(scale * low, scale * high))
    return {
        "pairs": [
            {
                "name": f"{pair.a} - {pair.b}",
                "estimate": pair.headline.estimate,
                "low": None if own is None else own[0],
                "high": None if own is None else own[1],
                "sure": pair.adjusted[0] < 1 - pair.confidence,
            }
            for pair, own in zip(shown, intervals, strict=True)
        ],
        "x": Axis(", ".join(filter(None, [f"difference A - B in {label}", unit])), low, high, ticks).to_dict(),
    }


def _sentences(result: Comparison, label: str, confidence: float) -> list[str]:
    found = []
    pairs = 1 if result.correction == "none" else len(result.pairs)
    for pair in result.pairs:
        difference, p = pair.headline.estimate, pair.adjusted[0]
        given = GIVEN_CALIBRATION if isinstance(result.measure, EvidenceMeasure) else GIVEN_ALONG
        size = difference_words(pair.headline, p, pair.confidence, pairs, given=given)
        better, worse = (pair.a, pair.b) if (difference > 0) == result.measure.higher_is_better else (pair.b, pair.a)
        sure = p < 1 - confidence
        if pair.headline.alternative != "two-sided":
            word = "lower" if pair.headline.alternative == "less" else "higher"
            claim = f"That {pair.a} has a {word} {label} than {pair.b} is {'shown' if sure else 'not shown'}"
            found.append(f"{claim}: {size}.")
        elif sure:
            found.append(f"{better} is better than {worse} by {size}.")
        else:
            found.append(f"{pair.a} and {pair.b} cannot be told apart: they differ by {size}.")
        for test, adjusted in zip(pair.tests, pair.adjusted, strict=True):
            if test.margin is not None:
                shown = "are" if adjusted < 1 - confidence else "are not shown to be"
                found.append(f"{pair.a} and {pair.b} {shown} equivalent ({p_phrase(adjusted)}; {test.note}).")
    return found
