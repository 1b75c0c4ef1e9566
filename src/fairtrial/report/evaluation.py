"""The page of an evaluation of one system or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairtrial.epc import cross_validated_curve, performance_curve
from fairtrial.evaluation import Evaluation
from fairtrial.folds import Block
from fairtrial.intervals.clusters import SharedPeople
from fairtrial.people import Cluster
from fairtrial.report.limits import limits_along, sharing
from fairtrial.report.page import Page, Repeat
from fairtrial.report.parts import JUDGED, interval_references, joined, trials_table
from fairtrial.report.views import Asked, SystemView, explored, system_view
from fairtrial.tables import Terms, in_percent, join_tables, percent
from fairtrial.trials import Trials


def evaluation_page(
    results: Sequence[Evaluation],
    dev: Trials,
    test: Trials | None,
    repeat: Repeat,
    *,
    blocks: Sequence[Block] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    terms: Terms = "default",
) -> Page:
    """The page of an evaluation of one system or several.

    Parameters
    ----------
    results
        Of `evaluate`, or of `cross_validate` where `test` is None.
    dev, test, blocks
        The trials that were evaluated; or dev only, and the blocks that it was cut into.
    repeat
        What it takes to do the same again.
    confidence, cluster
        Of the intervals at other values of alpha, as they were given to `evaluate`.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    first = results[0]
    judged = JUDGED[first.kind]
    shared = None if test is None else sharing(test, cluster)
    views = [_view(result, dev, test, blocks, shared, confidence) for result in results]
    asked = judged.asked.format(rule=first.criterion.described(first.alpha))
    main, *others = join_tables([result.tables() for result in results])
    methods = (each.method for result in results for each in result.intervals)
    return Page(
        title=f"Evaluation of {joined([result.system for result in results])}",
        asked=f"How good {'it is' if len(results) == 1 else 'they are'}{asked}.",
        answer=tuple(_sentence(result) for result in results),
        tables=(replace(main, caption=judged.table), *others),
        data=(trials_table("Trials", dev, test),),
        methods=(judged.references[0], *interval_references(methods), *judged.references[1:]),
        repeat=repeat,
        explore=explored(views, judged.captions, terms),
        captions=judged.captions,
        terms=terms,
    )


def _view(
    result: Evaluation,
    dev: Trials,
    test: Trials | None,
    blocks: Sequence[Block],
    shared: SharedPeople | None,
    confidence: float,
) -> SystemView:
    own, rule = dev.select([result.system]), result.criterion.along_alpha
    weight = result.criterion.weight_of_far(result.alpha)
    asked = Asked(result.test, result.threshold, *result.interval.interval, weight)
    if test is None:
        curve = replace(cross_validated_curve(own, blocks, criterion=rule), system=result.system)
        unknown = np.full(len(curve.alpha), np.nan)
        return system_view(own, curve, name=result.system, asked=asked, low=unknown, high=unknown)
    judged = test.select([result.system])
    curve = performance_curve(own, judged, criterion=rule, system=result.system)
    low, high = limits_along(judged, curve, result.system, shared, confidence)
    return system_view(judged, curve, name=result.system, asked=asked, low=low, high=high)


def _sentence(result: Evaluation) -> str:
    far, frr, hter = (percent(rate) for rate in (result.test.far, result.test.frr, result.test.hter))
    low, high = (in_percent(limit) for limit in result.interval.interval)
    return (
        f"{result.system} wrongly accepts {far} of impostor trials and wrongly rejects {frr} of genuine trials: "
        f"a half total error rate of {hter}, with {100 * result.interval.confidence:g} % confidence between {low} "
        f"and {high} %."
    )
