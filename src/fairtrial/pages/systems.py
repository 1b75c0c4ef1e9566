"""The pages of verification systems: an evaluation, a comparison, a fusion and its systems."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import in_percent, interval_text, interval_title, level_text, p_phrase, percent, term
from fairtrial.evaluation.comparison import Comparison
from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation
from fairtrial.figures.axes import linear_axis, padded
from fairtrial.figures.system import JudgedCurves
from fairtrial.fusion.fusion import FusionResult
from fairtrial.inference.estimates import GIVEN, GIVEN_ALONG
from fairtrial.inference.limits import judged_interval
from fairtrial.pages.page import Page, Reference, Repeat
from fairtrial.pages.parts import (
    ADJUSTED,
    FOLD_TESTS,
    FUSION,
    JUDGED,
    difference_words,
    interval_references,
    joined,
    judged_page,
    trials_table,
)
from fairtrial.rules.measures import Measure

_MOST_PAIRS = 60
"""Differences that are drawn, at most."""
_APPLIED = Reference(
    "The fusion and all thresholds were fixed before, on other trials; intervals and test are for these thresholds.",
    "Bengio, Mariéthoz & Keller, The expected performance curve, 2005",
)


def evaluation_page(result: Evaluation, repeat: Repeat) -> Page:
    """Make the page of an evaluation of one system or several.

    Parameters
    ----------
    result
        Of `evaluate`, on Trials.
    repeat
        What it takes to do the same again.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    first = result.systems[0]
    sets = first.judgement.sets
    if sets.origin == "given":
        raise ParameterError("a page shows errors at thresholds from dev, not at one that was given", code="no-page")
    judged = JUDGED[sets.origin]
    main, *others = result.tables()
    rule = judged.asked.format(rule=first.criterion.described(first.alpha))
    return judged_page(
        [each.judgement for each in result],
        [first.interval(), *(interval for each in result for interval in each.intervals)],
        [_curves(each) for each in result],
        repeat,
        title=f"Evaluation of {joined([each.system for each in result])}",
        asked=f"How good {'it is' if len(result) == 1 else 'they are'}{rule}.",
        answer=tuple(evaluation_sentence(each) for each in result),
        tables=[replace(main, caption=judged.table)],
        further=others,
    )


def _curves(result: SystemEvaluation) -> JudgedCurves:
    return JudgedCurves.of_judgement(result.judgement, result.test, result.threshold, result.interval())


def evaluation_sentence(result: SystemEvaluation) -> str:
    """Say in one sentence how good a system is, and how certain that is."""
    far, frr, hter = (percent(rate) for rate in (result.test.far, result.test.frr, result.test.hter))
    interval = result.interval()
    low, high = (in_percent(limit) for limit in interval.interval)
    return (
        f"{result.system} wrongly accepts {far} of impostor trials and wrongly rejects {frr} of genuine trials: "
        f"a half total error rate of {hter}, with {level_text(interval.confidence)} confidence between {low} "
        f"and {high} % ({GIVEN[interval.threshold]})."
    )


def comparison_page(result: Comparison, repeat: Repeat) -> Page:
    """Make the page of a comparison of systems.

    Parameters
    ----------
    result
        Of `compare`.
    repeat
        What it takes to do the same again.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    confidence, label = result.pairs[0].confidence, term(result.measure.label)
    tests, ranking, differences, *others = result.tables()
    judgements = [result.judgements[rank.system] for rank in result.ranking]
    intervals = [judged_interval(judgement, confidence=confidence) for judgement in judgements]
    source = judgements[0].sets.provenance.source
    how = f"each at its threshold from {source} by {result.criterion.described(result.alpha)}"
    if not isinstance(result.measure, Measure):
        how = "scores taken as they are" if result.measure.raw else f"each calibrated on {source}"
        how = "the least there is, a posteriori" if result.measure.posteriori else how
    return judged_page(
        judgements,
        intervals,
        [
            JudgedCurves.of_judgement(judgement, rank.counts, rank.threshold, interval)
            for judgement, rank, interval in zip(judgements, result.ranking, intervals, strict=True)
        ],
        repeat,
        title=f"Comparison of {joined([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, {how}.",
        answer=tuple(_comparison_sentences(result, label, confidence)),
        tables=[ranking, differences, tests],
        further=others,
        methods=[
            *(FOLD_TESTS[test.test] for test in result.pairs[0].tests if test.test in FOLD_TESTS),
            *ADJUSTED[result.correction],
        ],
        charts={"differences": _differences_chart(result, label)},
    )


def _differences_chart(result: Comparison, label: str) -> dict[str, Any]:
    """Give the chart `differences`: that of each pair with its interval."""
    pairs, ends = [], [0.0]
    for pair in result.pairs[:_MOST_PAIRS]:
        low, high = interval = pair.headline.interval(pair.confidence) or (None, None)
        ends += [end for end in interval if end is not None]
        sure = pair.adjusted[0] < 1 - pair.confidence
        estimate = pair.headline.estimate
        pairs.append({"name": f"{pair.a} - {pair.b}", "estimate": estimate, "low": low, "high": high, "sure": sure})
    limits, words = padded(ends, room=0.05, least=0.05), f"difference A - B in {label}"
    axis = linear_axis(words, limits)
    if result.measure.is_share:
        axis = replace(linear_axis("", limits, percent=True), label=f"{words}, percentage points")
    return {"pairs": pairs, "x": axis.to_dict()}


def _comparison_sentences(result: Comparison, label: str, confidence: float) -> list[str]:
    sentences = []
    pairs = 1 if result.correction == "none" else len(result.pairs)
    given = GIVEN_ALONG if isinstance(result.measure, Measure) else result.measure.given
    for pair in result.pairs:
        test, p = pair.headline, pair.adjusted[0]
        size = difference_words(test, p, pair.confidence, pairs, given=given)
        sure = p < 1 - confidence
        if test.alternative != "two-sided":
            word = "lower" if test.alternative == "less" else "higher"
            shown = "shown" if sure else "not shown"
            sentences.append(f"That {pair.a} has a {word} {label} than {pair.b} is {shown}: {size}.")
        elif sure:
            a_is_better = (test.estimate > 0) == result.measure.higher_is_better
            better, worse = (pair.a, pair.b) if a_is_better else (pair.b, pair.a)
            sentences.append(f"{better} is better than {worse} by {size}.")
        else:
            sentences.append(f"{pair.a} and {pair.b} cannot be told apart: they differ by {size}.")
        for each, adjusted in zip(pair.tests, pair.adjusted, strict=True):
            if each.margin is not None:
                shown = "are" if adjusted < 1 - confidence else "are not shown to be"
                sentences.append(f"{pair.a} and {pair.b} {shown} equivalent ({p_phrase(adjusted)}; {each.note}).")
    return sentences


def fusion_page(result: FusionResult, repeat: Repeat) -> Page:
    """Make the page of a fusion: it and each of its systems at their thresholds.

    A saved fusion has no dev set to choose other thresholds on, and so nothing to move.

    Parameters
    ----------
    result
        Of `fuse`.
    repeat
        What it takes to do the same again.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    fused, scores = result.evaluation, result.scores
    interval = fused.interval()
    if result.saved is not None:
        return Page(
            title=f"Saved fusion of {joined(scores.systems)} by {scores.fusion}",
            asked="What a fusion that was fitted before gains over its systems on these trials, at the thresholds "
            "saved with it.",
            answer=_fusion_sentences(result),
            tables=result.tables(),
            data=(trials_table("Trials", None, result.baselines[0].judgement.trials),),
            methods=(_APPLIED, FUSION, *interval_references([interval])),
            repeat=repeat,
        )
    everything = [fused, *result.baselines]
    judgements = [each.judgement for each in everything]
    rule = JUDGED[judgements[0].sets.origin].asked.format(rule=fused.criterion.described(fused.alpha))
    return judged_page(
        judgements,
        [interval],
        [_curves(each) for each in everything],
        repeat,
        title=f"Fusion of {joined(scores.systems)} by {scores.fusion}",
        asked=f"What fusion by {scores.fusion} (normalisation {scores.normalise}) gains over its systems{rule}.",
        answer=_fusion_sentences(result),
        tables=result.tables(),
        methods=[FUSION],
        sets=judgements[1].sets,
    )


def _fusion_sentences(result: FusionResult) -> tuple[str, ...]:
    """Say how good the fusion is, whether it is better than its best system, and by how much."""
    name, interval = result.evaluation.system, result.evaluation.interval()
    test, gain, best = result.test, result.gain, result.best
    how = f"{interval_title(interval.confidence)} {interval_text(*interval.interval)} %, {GIVEN[interval.threshold]}"
    size = difference_words(test, test.p_value, interval.confidence)
    sentences = [f"{name} has a half total error rate of {percent(interval.estimate)} ({how})."]
    if test.p_value >= 1 - interval.confidence:
        sentences.append(f"It cannot be told apart from the best of its systems, {best}: they differ by {size}.")
    else:
        word = "better" if test.estimate < 0 else "worse"
        sentences.append(f"It is {word} than the best of its systems, {best}, by {size}.")
    if not gain.note:
        sentences.append(
            f"The gain is {gain.beta_min:.3g} over the best system and {gain.beta_mean:.3g} over their mean; above 1 "
            "the fusion is better."
        )
    return tuple(sentences)
