"""The page of every kind of result: its numbers, figures, tables and references."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.calibration.calibration import CalibratedSystems
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import (
    figure_text,
    figures_text,
    in_a_row,
    interval_text,
    interval_title,
    level_text,
    listed,
    number_text,
    percent,
    plural,
    range_text,
    term,
)
from fairtrial.evaluation.comparison import Comparison, PairComparison, SystemRank
from fairtrial.evaluation.evaluation import Evaluation
from fairtrial.evaluation.expected import ExpectedPerformance
from fairtrial.evaluation.operating import operating_points_of
from fairtrial.figures.axes import linear_axis, padded
from fairtrial.figures.calibration import evidence_charts
from fairtrial.figures.epc import pooled_chart
from fairtrial.figures.groups import group_charts
from fairtrial.figures.repeated import coverage_chart
from fairtrial.figures.system import JudgedCurve, judged_charts
from fairtrial.fusion.fusion import FusionResult
from fairtrial.groups.rates import RATES
from fairtrial.groups.results import GroupEvaluation
from fairtrial.inference.estimates import GIVEN_ALONG, judged_interval
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.split import PROVENANCES, TrialSets
from fairtrial.pages import methods
from fairtrial.pages.methods import GROUPS_JUDGED, JUDGED, interval_references
from fairtrial.pages.page import Captions, Number, Page, Reference, Repeat
from fairtrial.repeated.coverage import CoverageStudy
from fairtrial.rules.measures import Measure, label_of

if TYPE_CHECKING:
    from fairtrial.benchmark.experiments import BenchmarkResult
    from fairtrial.benchmark.run import FusionBenchmark

_MOST_PAIRS, _MOST_SYSTEMS, _MOST_GROUPS, _MOST_EXPERIMENTS = 60, 40, 30, 60
"""Differences, calibrated systems, groups and experiments that are drawn, at most."""
_MOST_ROWS = 300
"""Pairs of groups in a table, at most."""
_ROWS_BY = {"pairs": ("p_adjusted", 1, "smallest p values"), "meetings": ("far", -1, "highest {FAR}")}
"""Tables of pairs of groups: the key and the sign by which their rows are chosen, and these in words."""
_SETS = 3
"""Sets of a benchmark whose data are described, at most."""


def page_of(result: Any, repeat: Repeat | None = None, **more: Any) -> Page:
    """Make the page of a result.

    Parameters
    ----------
    result
        A result of `evaluate`, `compare`, `fuse`, `calibrate`, `evaluate_groups`, `run_benchmark`,
        `benchmark_fusions` or `coverage_study`, or curves of `fairtrial epc`.
    repeat
        What it takes to do the same again.
    **more
        What only some pages take: `rng` of calibrations; `moves` of groups, whether limits are given at all alphas.

    Returns
    -------
    Page
        To be written by `write_report`.

    Raises
    ------
    ParameterError
        If there is no page of such a result.
    """
    name = type(result).__name__
    if name not in _PAGES:
        raise ParameterError(f"there is no page of a {name}; there are those of {listed(_PAGES)}", code="no-page")
    page = _PAGES[name](result, **more)
    return replace(
        page,
        answer=page.answer or (result.answer(),),
        tables=page.tables or result.tables(),
        repeat=repeat or page.repeat,
    )


def _evaluation_page(result: Evaluation) -> Page:
    first = result.systems[0]
    if first.judgement.sets.origin == "given":
        raise ParameterError("a page shows errors at thresholds from dev, not at one that was given", code="no-page")
    judged = JUDGED[first.judgement.sets.origin]
    main, *others = result.tables()
    page = Page(
        title=f"Evaluation of {_joined([each.system for each in result])}",
        asked=f"How good {'it is' if len(result) == 1 else 'they are'}"
        f"{judged.asked.format(rule=first.criterion.described(first.alpha))}.",
        answer=tuple(each.answer() for each in result),
        numbers=tuple(_rate_number(f"HTER of {each.system}", each.interval()) for each in result),
    )
    systems = [JudgedCurve.of(each.judgement, each.interval()) for each in result]
    intervals = [first.interval(), *(interval for each in result for interval in each.intervals)]
    return _with_curves(page, systems, intervals, [replace(main, caption=judged.table)], others)


def _comparison_page(result: Comparison) -> Page:
    confidence, label, share = result.pairs[0].confidence, term(result.measure.label), result.measure.is_share
    tests, ranking, differences, *others = result.tables()
    notes = tuple(note for note in tests.notes if not (isinstance(note, Note) and note.code == "other-tests"))
    warnings = tuple(note for note in notes if isinstance(note, Note) and note.warning)
    judgements = [result.judgements[rank.system] for rank in result.ranking]
    intervals = [judged_interval(judgement, confidence=confidence) for judgement in judgements]
    source = judgements[0].sets.provenance.source
    if isinstance(result.measure, Measure):
        how = f"each at its threshold from {source} by {result.criterion.described(result.alpha)}"
    elif result.measure.posteriori:
        how = "the minimum, a posteriori"
    else:
        how = "raw scores" if result.measure.raw else f"each calibrated on {source}"
    one_pair, sentences = len(result.pairs) == 1, dict(zip(result.pairs, result.sentences(), strict=True))
    numbers = [
        Number(
            f"{label} of {rank.system}",
            figure_text(rank.value, share),
            "" if one_pair else _not_different(rank, result.ranking),
        )
        for rank in result.ranking
    ]
    page = Page(
        title=f"Comparison of {_joined([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, {how}.",
        answer=(result.answer(), *(() if one_pair else (sentences[pair] for pair in result.main_pairs))),
        numbers=(*numbers, *([_difference_number(result.pairs[0], share)] if one_pair else [])),
        methods=(
            *(methods.FOLD_TESTS[test.test] for test in result.pairs[0].tests if test.test in methods.FOLD_TESTS),
            *methods.ADJUSTED[result.correction],
        ),
        explore={"differences": _difference_chart(result.pairs[:_MOST_PAIRS], label, share)},
    )
    main = [ranking.with_notes(*warnings), differences, replace(tests, notes=notes)]
    return _with_curves(page, list(map(JudgedCurve.of, judgements, intervals)), intervals, main, others)


def _difference_number(pair: PairComparison, share: bool) -> Number:
    """Give the difference of the only pair; differences of rates are in percentage points."""
    ends = pair.headline.interval(pair.confidence)
    limits = f"{interval_title(pair.confidence)} {figures_text(*ends, share)}" if ends else "no interval"
    texts = figure_text(pair.difference, share), limits
    return Number(f"{pair.a} - {pair.b}", *(re.sub(" %$", " points", text) if share else text for text in texts))


def _difference_chart(pairs: Sequence[PairComparison], label: str, share: bool) -> dict[str, Any]:
    """Give the chart `differences`."""
    rows, ends = [], [0.0]
    for pair in pairs:
        limits = pair.headline.interval(pair.confidence)
        low, high = limits or (None, None)
        ends += limits or ()
        sure = pair.adjusted[0] < 1 - pair.confidence
        name = f"{pair.a} - {pair.b}"
        rows.append({"name": name, "estimate": pair.difference, "low": low, "high": high, "sure": sure})
    axis = linear_axis("", padded(ends, room=0.05, least=0.05), percent=share)
    words = f"difference in {label}" + (", percentage points" if share else "")
    return {"pairs": rows, "x": {**axis, "label": words}}


def _not_different(rank: SystemRank, ranking: Sequence[SystemRank]) -> str:
    """Name the systems that share a letter with this one."""
    if not rank.letters:
        return ""
    alike = [each.system for each in ranking if each is not rank and set(each.letters) & set(rank.letters)]
    return f"not shown to differ from {_joined(alike)}" if alike else "differs from all others"


def _fusion_page(result: FusionResult) -> Page:
    """Make the page of a fusion and of each of its systems, at their thresholds."""
    fused, scores, sets = result.evaluation, result.scores, result.baselines[0].judgement.sets
    names = ["the fusion", *(each.system for each in result.baselines)]
    leading = [each.interval() for each in (fused, *result.baselines)]
    numbers = tuple(_rate_number(f"HTER of {name}", interval) for name, interval in zip(names, leading, strict=True))
    if result.saved is not None:
        return Page(
            title=f"Saved fusion of {_joined(scores.systems)} by {scores.fusion}",
            asked="What a fusion that was fitted before gains over its systems on these trials, at the thresholds "
            "saved with it.",
            numbers=numbers,
            data=(_trials_table("Trials", None, sets.trials()),),
            methods=(methods.APPLIED, methods.FUSION, *interval_references(leading[:1])),
        )
    rule = JUDGED[sets.origin].asked.format(rule=fused.criterion.described(fused.alpha))
    page = Page(
        title=f"Fusion of {_joined(scores.systems)} by {scores.fusion}",
        asked=f"What fusion by {scores.fusion} (normalisation {scores.normalise}) gains over its systems{rule}.",
        numbers=numbers,
        methods=(methods.FUSION,),
    )
    systems = list(map(JudgedCurve.of, [each.judgement for each in (fused, *result.baselines)], leading))
    return _with_curves(page, systems, leading[:1], result.tables(), sets=sets)


def _calibration_page(result: CalibratedSystems, *, rng: int = 0) -> Page:
    systems, first, confidence = result.systems, result.systems[0], result.systems[0].confidence
    notes: tuple[Note, ...] = ()
    if len(systems) > _MOST_SYSTEMS:
        text = "the figures show the first {shown} of {systems:plural system}"
        notes = (Note("systems-not-drawn", text, shown=_MOST_SYSTEMS, systems=len(systems)),)
    return Page(
        title=f"Evidence of {_joined([each.system for each in systems])}",
        asked=f"How good the log-likelihood ratios are that {first.calibration.method} calibration "
        f"{'on dev' if first.dev else 'on other trials before'} makes of the scores, judged on test.",
        answer=(result.answer(), *(each.answer() for each in (*result.pairs, *systems) if len(systems) > 1)),
        numbers=tuple(
            Number(
                f"Cllr of {each.system} (bits)",
                number_text(each.test[0]),
                f"{interval_title(confidence)} {range_text(*each.interval.interval)}" if each.interval else "",
            )
            for each in systems
        ),
        data=_judged_trials(first.sets),
        methods=(
            *methods.EVIDENCE,
            *(methods.ADJUSTED[result.correction] if result.pairs else ()),
            *methods.EVIDENCE_FIGURES,
        ),
        notes=notes,
        explore={"evidence": evidence_charts(systems[:_MOST_SYSTEMS], confidence=confidence, rng=rng)},
    )


def _groups_page(result: GroupEvaluation, *, moves: bool = True) -> Page:
    """Make the page of groups, with figures in which one threshold moves all of them, or stays where it is."""
    judged = result.judged
    judgement, sets = judged.judgement, judged.judgement.sets
    words = GROUPS_JUDGED[sets.origin]
    far, frr, leading = (
        judged_interval(judgement, measure=measure, confidence=result.confidence, threshold=judged.threshold)
        for measure in (*RATES, "hter")
    )
    largest = sorted(result.groups, key=lambda row: row.impostor, reverse=True)[:_MOST_GROUPS]
    kept = {row.group for row in largest if row.impostor}
    shown = [row.group for row in result.groups if row.group in kept]
    drawable = judged.names("far")
    notes = []
    if len(shown) < len(drawable):
        text = "figures show the {shown} of {groups:plural group} with the most impostor trials"
        notes.append(Note("groups-not-drawn", text, shown=len(shown), groups=len(drawable)))
    if set(shown) & set(judged.without_genuine):
        text = "figures of groups without genuine trials use the genuine trials of all groups"
        notes.append(Note("groups-without-genuine", text))
    return Page(
        title=f"{result.system} by {' and '.join(result.by)}",
        asked="Error rates by group, with one threshold for all groups, chosen by "
        f"{result.criterion.described(result.alpha)} {PROVENANCES[result.kind].chosen}.",
        numbers=tuple(
            _rate_number(f"{term(label_of(rate))} of all groups", interval)
            for rate, interval in zip(RATES, (far, frr), strict=True)
        ),
        tables=tuple(map(_shortened, result.tables())),
        data=_judged_trials(sets),
        methods=(
            words.threshold_reference,
            methods.GROUPS[0],
            *interval_references([leading]),
            *methods.GROUPS[1:],
            words.curve_reference,
        ),
        notes=tuple(notes),
        explore=group_charts(result, shown, words.hter, moves=moves),
        captions=words,
    )


def _shortened(table: Table) -> Table:
    """Keep the leading rows of a long table of pairs of groups, in their order."""
    if table.name not in _ROWS_BY or len(table.rows) <= _MOST_ROWS:
        return table
    key, sign, those_kept = _ROWS_BY[table.name]
    order = np.argsort(sign * np.array(table.column(key)), kind="stable")
    rows = tuple(table.rows[k] for k in np.sort(order[:_MOST_ROWS]).tolist())
    text = f"{{shown:plural row}} of {{rows:count}} with the {those_kept} are shown"
    note = Note("rows-left-out", text, shown=_MOST_ROWS, rows=len(table.rows))
    return replace(table, rows=rows, notes=(*table.notes, note))


def _benchmark_page(result: BenchmarkResult | FusionBenchmark) -> Page:
    """Make the page of a benchmark; experiments whose scores were kept can be looked at one by one."""
    from fairtrial.benchmark.run import FusionBenchmark

    if isinstance(result, FusionBenchmark):
        if len(result.runs) > 1:
            raise ParameterError("a page is of one fusion method; name one with {fusions!p}", code="one", fusions=...)
        result = result.runs[0]
    judged = JUDGED[PROVENANCES[result.kind].origin]
    rule = result.criterion.described(result.alpha)
    curves = []
    for each in result.experiments:
        experiment, counts = each.experiment, each.counts
        if each.curve.judgement is not None:
            split = "" if experiment.split is None else f" split {experiment.split}"
            name = f"{experiment.set}{split}: {' + '.join(experiment.systems)}"
            weight = result.criterion.weight_of_far(result.alpha)
            curves.append(JudgedCurve(each.curve, counts, float(counts.threshold), each.interval, weight, name))
    text = "the page shows single experiments only for protocols with at most {most} of them"
    sure = [each.test.estimate for each in result.experiments if each.p_adjusted < 1 - result.confidence]
    of = f"of {plural(len(result.experiments), 'experiment')}"
    captions = Captions(choose="Experiment", explore="One experiment")
    return Page(
        title=f"{result.title}: {result.protocol}, fusion by {result.fusion}",
        asked=f"What fusion by {result.fusion} gains over single systems in the protocol {result.protocol} "
        f"(normalisation {result.normalise}, threshold by {rule} {PROVENANCES[result.kind].chosen}).",
        answer=(result.answer(),),
        numbers=(
            Number("better than the best system", str(sum(estimate < 0 for estimate in sure)), f"significantly, {of}"),
            Number("worse than it", str(sum(estimate > 0 for estimate in sure)), f"significantly, {of}"),
        ),
        tables=result.tables(),
        data=tuple(
            _trials_table(f"{one.name}{'' if one.split is None else f', split {one.split}'}", one.dev, one.test)
            for one in result.data.sets[:_SETS]
        ),
        methods=(
            judged.threshold_reference,
            methods.FUSION,
            *interval_references([each.interval for each in result.experiments]),
            *methods.ADJUSTED["holm"],
            judged.curve_reference,
            Reference("The scores.", result.data.citation or result.data.title),
        ),
        notes=() if curves else (Note("experiments-not-drawn", text, most=_MOST_EXPERIMENTS),),
        synthetic=result.synthetic,
        explore={
            **(judged_charts(curves, captions.hter) if curves else {}),
            "pooled": pooled_chart(result.pooled),
        },
        captions=captions,
    )


def _curves_page(result: ExpectedPerformance) -> Page:
    """Make the page of Expected Performance Curves."""
    curves = {curve.system: curve for curve in result.curves}
    first, judged = result.curves[0], JUDGED[result.sets.origin]
    label, share, band = term(first.measure.label), first.measure.is_share, next(iter(result.bands.values()), None)
    caption = f"{label} along alpha, thresholds by {first.criterion} {PROVENANCES[first.kind].chosen}"
    asked = caption.replace(" along", f" on {PROVENANCES[first.kind].judged} along", 1)
    if band is not None:
        caption += f"; {band.described}, {GIVEN_ALONG[band.threshold]}"
    if result.comparisons:
        caption += "; shaded: one is significantly better"
    return Page(
        title=f"Expected performance curves of {_joined(list(curves))}",
        asked=f"{asked}.",
        numbers=tuple(
            Number(f"mean {label} of {name}", figure_text(curve.mean(), share), "over alpha")
            for name, curve in curves.items()
        ),
        data=_judged_trials(result.sets),
        methods=(judged.threshold_reference, judged.curve_reference),
        explore={"pooled": pooled_chart(curves, result.bands, next(iter(result.comparisons), None))},
        captions=replace(judged, pooled=caption),
    )


def _coverage_page(study: CoverageStudy) -> Page:
    """Make the page of a coverage study, with its map."""
    settings, enough = study.settings, study.share_within(high=1.0)
    cells = len({(row.n, row.m, row.pi, row.rho) for row in study.rows})
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {plural(len(settings.methods), 'interval')} in {plural(cells, 'cell')}",
        asked=f"How often {level_text(settings.confidence)} intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        numbers=tuple(
            Number(name.upper(), percent(value), f"of cells reach {level_text(study.right[0])}")
            for name, value in sorted(enough.items(), key=lambda entry: -entry[1])[:3]
        ),
        tables=(study.by_method(),),
        methods=(methods.SIX,),
        explore={"coverage": coverage_chart(study.rows, study.best)},
    )


_PAGES: dict[str, Callable[..., Page]] = {
    "Evaluation": _evaluation_page,
    "Comparison": _comparison_page,
    "ExpectedPerformance": _curves_page,
    "FusionResult": _fusion_page,
    "CalibratedSystems": _calibration_page,
    "GroupEvaluation": _groups_page,
    "BenchmarkResult": _benchmark_page,
    "FusionBenchmark": _benchmark_page,
    "CoverageStudy": _coverage_page,
}
"""What makes the page of a result, by its class; without answer or tables it has those of the result."""


def _with_curves(
    page: Page,
    systems: Sequence[JudgedCurve],
    intervals: Sequence[RateInterval],
    tables: Sequence[Table],
    further: Sequence[Table] = (),
    *,
    sets: TrialSets | None = None,
) -> Page:
    """Add to the page of judged systems their curves, operating points, trials and references.

    Operating points have the confidence and the kind of threshold of the first interval; tables and further tables
    stand before and after them. `sets` are the trials to describe, those of the first system by default.
    """
    judgements = [system.curve.judged() for system in systems]
    sets = sets or judgements[0].sets
    judged, leading = JUDGED[judgements[0].sets.origin], intervals[0]
    points = (
        operating_points_of(each.sets, each.system, confidence=leading.confidence, threshold=leading.threshold)
        for each in judgements
    )
    return replace(
        page,
        tables=(*tables, *join_tables([each.tables() for each in points]), *further),
        data=_judged_trials(sets),
        methods=(
            judged.threshold_reference,
            *interval_references(intervals),
            *page.methods,
            methods.SEPARATION_BY_PEOPLE if sets.sharing != "none" else methods.SEPARATION,
            judged.curve_reference,
        ),
        explore={**judged_charts(systems, judged.hter), **page.explore},
        captions=judged,
    )


def _rate_number(name: str, interval: RateInterval) -> Number:
    limits = f"{interval_title(interval.confidence)} {interval_text(*interval.interval)} %"
    return Number(name, percent(interval.estimate), limits)


def _joined(names: Sequence[str]) -> str:
    """Write a few names as a phrase, and many as their number."""
    return f"{len(names)} systems" if len(names) > 4 else in_a_row(names)


def _judged_trials(sets: TrialSets) -> tuple[Table, ...]:
    """Count the trials that were judged, and those that set the thresholds."""
    dev, test = (data if isinstance(data, Trials) else None for data in (sets.dev, sets.test))
    return (_trials_table("Trials", dev, None if sets.blocks else test),)


def _trials_table(caption: str, dev: Trials | None, test: Trials | None) -> Table:
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
