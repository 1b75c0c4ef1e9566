"""The page of calibrated systems."""

from __future__ import annotations

from fairtrial.calibration.calibration import CalibratedSystem, CalibratedSystems, EvidencePair
from fairtrial.calibration.measures import GIVEN_CALIBRATION
from fairtrial.core.notes import Note
from fairtrial.core.words import interval_title, number_text, range_text
from fairtrial.figures.calibration import EvidenceCurves, evidence_charts
from fairtrial.pages.page import Page, Reference, Repeat
from fairtrial.pages.parts import ADJUSTED, difference_words, joined, judged_trials_table

_CLLR = Reference(
    "Cllr, the cost of the log-likelihood ratio; each class is weighted alike. Its minimum is that of "
    "pool-adjacent-violators, from the ROC convex hull.",
    "Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006",
)
_INTERVAL = Reference(
    "Intervals and tests of Cllr: what trials cost is summed by person; dev trials move the calibration, and what that "
    "adds is summed by person too.",
    "Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011",
)
_FIGURES = (
    Reference("Normalised Bayes error over priors.", "Brümmer & de Villiers, The BOSARIS toolkit, 2011"),
    Reference(
        "Empirical cross-entropy over priors.",
        "Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013",
    ),
    Reference("Shares of trials above a ratio.", "Meuwly, Reconnaissance de locuteurs en sciences forensiques, 2001"),
)
_SHOWN = 40
"""Systems that are drawn, at most."""


def calibration_page(result: CalibratedSystems, repeat: Repeat, *, rng: int = 0) -> Page:
    """Make the page of calibrated systems.

    Parameters
    ----------
    result
        Of `calibrate`.
    repeat
        What it takes to do the same again.
    rng
        The seed of bands that draw people.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    results, pairs, correction = result.systems, result.pairs, result.correction
    first = results[0]
    confidence = first.confidence
    curves = [EvidenceCurves.of(each, confidence=confidence, rng=rng) for each in results[:_SHOWN]]
    left_out = Note(
        "systems-not-drawn",
        "the figures show the first {shown} of {systems:plural system}",
        shown=_SHOWN,
        systems=len(results),
    )
    compared = pairs if correction != "none" else pairs[:1]
    return Page(
        title=f"Evidence of {joined([own.system for own in results])}",
        asked=f"How good the log-likelihood ratios are that {first.calibration.method} calibration "
        f"{'on dev' if first.dev else 'on other trials before'} makes of the scores, judged on test.",
        answer=(
            *(_sentence(own) for own in results),
            *(_difference(pair, confidence, len(compared)) for pair in pairs),
        ),
        tables=result.tables(),
        data=(judged_trials_table(first.sets),),
        methods=(_CLLR, _INTERVAL, *(ADJUSTED[correction] if pairs else ()), *_FIGURES),
        repeat=repeat,
        notes=(left_out,) if len(results) > _SHOWN else (),
        explore={"evidence": evidence_charts(curves)},
    )


def _sentence(result: CalibratedSystem) -> str:
    interval = result.intervals[0]
    actual, least = (number_text(value) for value in result.test)
    limits = f"{interval_title(interval.confidence)} {range_text(*interval.interval)}"
    cllr = f"{result.system} has a Cllr of {actual} bits on test ({limits}, {GIVEN_CALIBRATION[interval.threshold]})"
    if result.test[0] > 1:
        return f"{cllr}: more than 1, so its evidence misleads. The best rising map would have had {least}."
    lost, where = number_text(result.loss), "on dev" if result.dev else "before"
    return f"{cllr}. The best rising map would have had {least}: calibrating {where} costs {lost}."


def _difference(pair: EvidencePair, confidence: float, pairs: int) -> str:
    size = difference_words(pair.test, pair.adjusted, confidence, pairs, given=GIVEN_CALIBRATION)
    if pair.adjusted >= 1 - confidence:
        return f"{pair.a} and {pair.b} cannot be told apart: they differ by {size}."
    better, worse = (pair.b, pair.a) if pair.test.estimate > 0 else (pair.a, pair.b)
    return f"{better} has better evidence than {worse}, by {size}."
