"""The page of a fusion and of the systems it is made of."""

from __future__ import annotations

from fairtrial.claims import GIVEN
from fairtrial.fusion import AppliedFusion, FusionResult
from fairtrial.fusion.gain import Gain
from fairtrial.intervals.rates import RateInterval
from fairtrial.report.evaluation import evaluation_view
from fairtrial.report.page import Page, Reference, Repeat
from fairtrial.report.parts import (
    FUSION,
    JUDGED,
    difference_words,
    interval_references,
    joined,
    judged_trials_table,
    points_table,
    separation_reference,
    trials_table,
)
from fairtrial.report.views import explored
from fairtrial.significance.results import TestResult
from fairtrial.tables import Terms, interval_text, interval_title, percent

_APPLIED = Reference(
    "The fusion and all thresholds were fixed before, on other trials; intervals and test are for these thresholds.",
    "Bengio, Mariéthoz & Keller, The expected performance curve, 2005",
)


def fusion_page(result: FusionResult, repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of a fusion: it and each of its systems at the threshold from dev.

    Parameters
    ----------
    result
        Of `fuse`.
    repeat
        What it takes to do the same again.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    found, scores = result.evaluation, result.scores
    everything = [found, *result.baselines]
    judgements = [each.judgement for each in everything if each.judgement is not None]
    judged = JUDGED[judgements[0].sets.origin]
    main, *others = result.tables()
    rule = found.criterion.described(found.alpha)
    return Page(
        title=f"Fusion of {joined(scores.systems)} by {scores.fusion}",
        asked=f"What fusion by {scores.fusion} (normalisation {scores.normalise}) gains over its systems"
        f"{judged.asked.format(rule=rule)}.",
        answer=_sentences(found.system, found.interval, result.best, result.test, result.gain),
        tables=(main, *others, points_table(judgements, found.interval)),
        data=(judged_trials_table(judgements[1].sets),),
        methods=(
            judged.references[0],
            FUSION,
            *interval_references([found.interval]),
            separation_reference(judgements[1].sets),
            *judged.references[1:],
        ),
        repeat=repeat,
        explore=explored([evaluation_view(each) for each in everything], judged.captions, terms),
        captions=judged.captions,
        terms=terms,
    )


def applied_page(result: AppliedFusion, repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of a saved fusion on other trials, at the thresholds that it was saved with.

    There is no dev set to choose other thresholds on, and so nothing to move.

    Parameters
    ----------
    result
        Of `apply_fusion`.
    repeat, terms
        As in `fusion_page`.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    interval = result.intervals[-1]
    return Page(
        title=f"Saved fusion of {joined(result.model.systems)} by {result.model.fusion}",
        asked="What a fusion that was fitted before gains over its systems on these trials, at the thresholds saved "
        "with it.",
        answer=_sentences(result.fused.system, interval, result.best, result.test, result.gain),
        tables=result.tables(),
        data=(trials_table("Trials", None, result.baselines[0].trials),),
        methods=(_APPLIED, FUSION, *interval_references([interval])),
        repeat=repeat,
        terms=terms,
    )


def _sentences(name: str, interval: RateInterval, best: str, test: TestResult, gain: Gain) -> tuple[str, ...]:
    how = f"{interval_title(interval.confidence)} {interval_text(*interval.interval)} %, {GIVEN[interval.threshold]}"
    size = difference_words(test, test.p_value, interval.confidence)
    found = [f"{name} has a half total error rate of {percent(interval.estimate)} ({how})."]
    if test.p_value >= 1 - interval.confidence:
        found.append(f"It cannot be told apart from the best of its systems, {best}: they differ by {size}.")
    else:
        word = "better" if test.estimate < 0 else "worse"
        found.append(f"It is {word} than the best of its systems, {best}, by {size}.")
    if not gain.note:
        found.append(
            f"The gain is {gain.beta_min:.3g} over the best system and {gain.beta_mean:.3g} over their mean; above 1 "
            "the fusion is better."
        )
    return tuple(found)
