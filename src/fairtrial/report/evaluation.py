"""The page of an evaluation of one system or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fairtrial.claims import GIVEN
from fairtrial.errors import TrialsError
from fairtrial.evaluation import Evaluation
from fairtrial.judging import Judgement
from fairtrial.report.page import Page, Repeat
from fairtrial.report.parts import (
    JUDGED,
    interval_references,
    joined,
    judged_trials_table,
    points_table,
    separation_reference,
)
from fairtrial.report.views import Asked, SystemView, explored, judged_view
from fairtrial.tables import Terms, in_percent, join_tables, level_text, percent


def evaluation_page(results: Sequence[Evaluation], repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of an evaluation of one system or several.

    Parameters
    ----------
    results
        Of `evaluate` or of `cross_validate`, on Trials.
    repeat
        What it takes to do the same again.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    first = results[0]
    sets = _judgement(first).sets
    judged = JUDGED[sets.origin]
    asked = judged.asked.format(rule=first.criterion.described(first.alpha))
    main, *others = join_tables([result.tables() for result in results])
    views = [evaluation_view(result) for result in results]
    points = points_table([_judgement(result) for result in results], first.interval)
    return Page(
        title=f"Evaluation of {joined([result.system for result in results])}",
        asked=f"How good {'it is' if len(results) == 1 else 'they are'}{asked}.",
        answer=tuple(evaluation_sentence(result) for result in results),
        tables=(replace(main, caption=judged.table), points, *others),
        data=(judged_trials_table(sets),),
        methods=(
            judged.references[0],
            *interval_references(each for result in results for each in result.intervals),
            separation_reference(sets),
            *judged.references[1:],
        ),
        repeat=repeat,
        explore=explored(views, judged.captions, terms),
        captions=judged.captions,
        terms=terms,
    )


def evaluation_view(result: Evaluation) -> SystemView:
    """What is drawn of a system that was evaluated."""
    found, weight = result.interval, result.criterion.weight_of_far(result.alpha)
    asked = Asked.of(result.test, result.threshold, found, weight)
    return judged_view(
        _judgement(result), name=result.system, asked=asked, confidence=found.confidence, threshold=found.threshold
    )


def _judgement(result: Evaluation) -> Judgement:
    if result.judgement is None:
        raise TrialsError(f"the evaluation of {result.system} does not know its trials: a page cannot be made of it")
    return result.judgement


def evaluation_sentence(result: Evaluation) -> str:
    """How good a system is and how sure that is, in one sentence."""
    far, frr, hter = (percent(rate) for rate in (result.test.far, result.test.frr, result.test.hter))
    low, high = (in_percent(limit) for limit in result.interval.interval)
    return (
        f"{result.system} wrongly accepts {far} of impostor trials and wrongly rejects {frr} of genuine trials: "
        f"a half total error rate of {hter}, with {level_text(result.interval.confidence)} confidence between {low} "
        f"and {high} % ({GIVEN[result.interval.threshold]})."
    )
