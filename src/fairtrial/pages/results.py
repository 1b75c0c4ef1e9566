"""The page of every kind of result: its answer, quoted numbers, figures, tables, references.

Each function makes the page of one kind of result; `page_of` chooses it and adds what it takes to repeat the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.calibration.calibration import CalibratedSystems
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.core.words import (
    Text,
    figure_text,
    figures_text,
    in_a_row,
    interval_text,
    interval_title,
    level_text,
    number_text,
    percent,
    plural,
    range_text,
    term,
)
from fairtrial.evaluation.comparison import Comparison, PairComparison, SystemRank
from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation
from fairtrial.evaluation.expected import ExpectedPerformance
from fairtrial.evaluation.operating import operating_points_of
from fairtrial.figures.calibration import evidence_charts
from fairtrial.figures.epc import pooled_chart
from fairtrial.figures.groups import group_charts
from fairtrial.figures.repeated import coverage_chart
from fairtrial.figures.style import linear_axis, padded
from fairtrial.figures.system import JudgedCurves, judged_charts
from fairtrial.fusion.fusion import FusionResult
from fairtrial.groups.results import GroupEvaluation
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import GIVEN_ALONG
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.limits import judged_interval
from fairtrial.inference.multiplicity import Correction
from fairtrial.inference.split import PROVENANCES, Origin, TrialSets
from fairtrial.pages.page import Captions, Number, Page, Reference
from fairtrial.repeated.coverage import CoverageStudy
from fairtrial.rules.measures import Measure

if TYPE_CHECKING:
    from fairtrial.benchmark.experiments import BenchmarkResult, ExperimentResult
    from fairtrial.benchmark.run import FusionBenchmark

_EPC_PAPER = "Bengio, Mariéthoz & Keller, The expected performance curve, 2005"
_INTERVALS = {
    "independent": Reference(
        "Interval of the HTER for independent trials.",
        "Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13)",
    ),
    "wilson": Reference(
        "Interval of the HTER, all trials taken as independent: Wilson's limits of both rates, combined.",
        "Wilson 1927; Zou & Donner 2008",
    ),
    "people": Reference(
        "Interval and test for trials that share people: covariances by what two trials share, Satterthwaite's "
        "degrees of freedom, Wilson's limits of each rate, combined by MOVER.",
        "Owen 2007; Cameron, Gelbach & Miller 2011; Satterthwaite 1946; Zou & Donner 2008",
    ),
}
"""References of intervals: of independent trials by their limits, and of trials that share people."""
_RE_ESTIMATED = Reference(
    "Threshold re-estimated: the claim is about the expected figure with new dev and test sets of these sizes and new "
    "people. What the threshold adds is read from the thresholds that dev does not reject.",
    "Woodruff 1952; Francisco & Fuller 1991; Kim & Pollard 1990",
)
_SEPARATION, _SEPARATION_BY_PEOPLE = (
    Reference(
        Text("AUC and d', with the variance of the mean contribution of each trial{by}; the {FRR} at {a FAR}.", by=by),
        "DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997; Daugman 2003; ISO/IEC 19795-1",
    )
    for by in ("", ", summed by person")
)
_FUSION = Reference(
    "Fusion protocols, gain ratios and pooled curves.",
    "Poh & Bengio, Database, protocols and tools for evaluating score-level fusion algorithms, 2006",
)
_APPLIED = Reference(
    "The fusion and all thresholds were fixed before, on other trials; intervals and test are for these thresholds.",
    _EPC_PAPER,
)
_ADJUSTED: dict[Correction, tuple[Reference, ...]] = {
    "holm": (Reference("P values adjusted for the number of tests, by Holm's method.", "Holm 1979"),),
    "bh": (
        Reference(
            "P values adjusted for the number of tests, by the false discovery rate.", "Benjamini & Hochberg 1995"
        ),
    ),
    "none": (),
}
_FOLD_TESTS = {
    "corrected-resampled": Reference(
        "Test over folds, with a variance that allows for training sets that overlap.",
        "Nadeau & Bengio, Inference for the generalization error, 2003",
    ),
    "5x2cv": Reference(
        "Test over five times two halves of the people.",
        "Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms, 1998",
    ),
}
_GROUPS = (
    Reference(
        "Simultaneous intervals: by the largest of normal deviates that are correlated as the rates of the groups are. "
        "Along alpha they have the critical value of the requested alpha.",
        "Hothorn, Bretz & Westfall, Simultaneous inference in general parametric models, 2008",
    ),
    Reference(
        "Groups that share a letter are not shown to differ.",
        "Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, 2004",
    ),
    Reference(
        "FDR, GARBE, inequity rate and largest rate over geometric mean.",
        "de Freitas Pereira & Marcel 2021; Howard et al. 2022; Grother, NIST IR 8429, 2022; ISO/IEC 19795-10",
    ),
)
_EVIDENCE = (
    Reference(
        "Cllr, the cost of the log-likelihood ratio; both classes have the same weight. Its minimum is that of "
        "pool-adjacent-violators, from the ROC convex hull.",
        "Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006",
    ),
    Reference(
        "Intervals and tests of Cllr: costs of trials are summed by person; the variance of the calibration, which dev "
        "trials determine, is added.",
        "Fafchamps & Gubert 2007; Cameron, Gelbach & Miller 2011",
    ),
    Reference("Normalised Bayes error over priors.", "Brümmer & de Villiers, The BOSARIS toolkit, 2011"),
    Reference(
        "Empirical cross-entropy over priors.",
        "Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013",
    ),
    Reference("Proportions of trials above a ratio.", "Meuwly, Reconnaissance de locuteurs, 2001"),
)
_SIX = Reference(
    "Six intervals for an error rate of people who are tested several times, and their coverage.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)
_MOST_PAIRS, _MOST_SYSTEMS, _MOST_GROUPS, _MOST_EXPERIMENTS = 60, 40, 30, 60
"""Differences, calibrated systems, groups and experiments that are drawn, at most."""
_MOST_ROWS = 300
"""Pairs of groups in a table, at most."""
_ROWS_BY = {"pairs": ("p_adjusted", 1, "smallest p values"), "meetings": ("far", -1, "highest {FAR}")}
"""Tables of pairs of groups: the key and the sign by which their rows are chosen, and these in words."""
_SETS = 3
"""Sets of a benchmark whose data are described, at most."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The words of a page about thresholds, by where they come from."""

    asked: str
    """What follows "How good it is", a template with the {rule} by which the threshold was chosen."""
    table: str
    """The caption of the table of errors."""
    threshold: Reference
    curve: Reference
    captions: Captions


JUDGED: dict[Origin, Judged] = {
    "dev": Judged(
        ", with the threshold chosen by {rule} on development trials",
        "Errors on dev and on test, at the threshold from dev",
        Reference(
            "The threshold is fixed on development trials before the test trials are seen: errors on test are a "
            "priori.",
            _EPC_PAPER,
        ),
        Reference("Expected performance curve: for every alpha a threshold from dev, the error from test.", _EPC_PAPER),
        Captions(),
    ),
    "same trials": Judged(
        ", with the threshold chosen by {rule} on the same trials",
        "Errors at a threshold that was chosen on the same trials",
        Reference("The threshold was chosen on the same trials: errors are a posteriori, and optimistic.", _EPC_PAPER),
        Reference(
            "Expected performance curve: for every alpha a threshold from test and the error on the same trials: "
            "a posteriori.",
            _EPC_PAPER,
        ),
        Captions(
            threshold="threshold from the same trials",
            epc="HTER along alpha at thresholds from the same trials, a posteriori",
            curve="of test and the operating point, both a posteriori",
        ),
    ),
    "folds": Judged(
        " on held-out trials, with the threshold chosen by {rule} on other folds",
        "Errors on all trials, and on held-out trials, each judged by a threshold from other folds",
        Reference(
            "Cross-validation: each trial is judged by a threshold from other folds. Folds are of people, or of "
            "trials if these are taken as independent. Errors are pooled over all trials.",
            "Stone, Cross-validatory choice and assessment of statistical predictions, 1974",
        ),
        Reference(
            "Expected performance curve: for every alpha thresholds from other folds, the error from held-out trials.",
            _EPC_PAPER,
        ),
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
_OF_GROUPS = Captions(
    epc="Expected performance curve: HTER of each group on test trials, one threshold from dev for all groups",
    curve="of the test trials of each group, and its point at the threshold of all",
    density="Scores of the test trials of the group",
    interval="interval of the HTER, all groups together",
    choose="Group",
)
_GROUP_CAPTIONS: dict[Origin, Captions] = {
    "dev": _OF_GROUPS,
    "same trials": replace(
        _OF_GROUPS,
        threshold=JUDGED["same trials"].captions.threshold,
        epc="HTER of each group along alpha, one threshold from the same trials for all groups, a posteriori",
        curve="of the test trials of each group, and its point at the threshold of all, both a posteriori",
    ),
    "folds": replace(
        _OF_GROUPS,
        threshold=JUDGED["folds"].captions.threshold,
        no_threshold=JUDGED["folds"].captions.no_threshold,
        epc="HTER of each group on held-out trials, thresholds from other folds for all groups",
        curve="of all trials of each group, a posteriori, and its point on held-out trials",
        density="Scores of all trials of the group",
    ),
}


def evaluation_page(result: Evaluation) -> Page:
    """Make the page of an evaluation of one system or several."""
    first = result.systems[0]
    if first.judgement.sets.origin == "given":
        raise ParameterError("a page shows errors at thresholds from dev, not at one that was given", code="no-page")
    judged = JUDGED[first.judgement.sets.origin]
    main, *others = result.tables()
    rule = judged.asked.format(rule=first.criterion.described(first.alpha))
    return _judged_page(
        [each.judgement for each in result],
        [first.interval(), *(interval for each in result for interval in each.intervals)],
        [_curves(each) for each in result],
        title=f"Evaluation of {_joined([each.system for each in result])}",
        asked=f"How good {'it is' if len(result) == 1 else 'they are'}{rule}.",
        answer=tuple(each.answer() for each in result),
        numbers=tuple(_hter_number(each) for each in result),
        tables=[replace(main, caption=judged.table)],
        further=others,
    )


def _curves(result: SystemEvaluation) -> JudgedCurves:
    return JudgedCurves.of_judgement(result.judgement, result.test, result.threshold, result.interval())


def _hter_number(result: SystemEvaluation) -> Number:
    interval = result.interval()
    limits = f"{interval_title(interval.confidence)} {interval_text(*interval.interval)} %"
    return Number(f"HTER of {result.system}", percent(interval.estimate), limits)


def comparison_page(result: Comparison) -> Page:
    """Make the page of a comparison of systems."""
    confidence, label, share = result.pairs[0].confidence, term(result.measure.label), result.measure.is_share
    tests, ranking, differences, *others = result.tables()
    notes = tuple(note for note in tests.notes if not (isinstance(note, Note) and note.code == "other-tests"))
    warnings = tuple(note for note in notes if isinstance(note, Note) and note.warning)
    judgements = [result.judgements[rank.system] for rank in result.ranking]
    intervals = [judged_interval(judgement, confidence=confidence) for judgement in judgements]
    source = judgements[0].sets.provenance.source
    how = f"each at its threshold from {source} by {result.criterion.described(result.alpha)}"
    if not isinstance(result.measure, Measure):
        how = "raw scores" if result.measure.raw else f"each calibrated on {source}"
        how = "the minimum, a posteriori" if result.measure.posteriori else how
    numbers = [
        Number(f"{label} of {rank.system}", figure_text(rank.value, share), _not_different(rank, result.ranking))
        for rank in result.ranking
    ]
    if len(result.pairs) == 1:
        numbers = [replace(number, detail="") for number in numbers] + [_difference_number(result.pairs[0], share)]
    return _judged_page(
        judgements,
        intervals,
        [
            JudgedCurves.of_judgement(judgement, rank.counts, rank.threshold, interval)
            for judgement, rank, interval in zip(judgements, result.ranking, intervals, strict=True)
        ],
        title=f"Comparison of {_joined([rank.system for rank in result.ranking])}",
        asked=f"Whether the systems really differ in {label}, {how}.",
        answer=(result.answer(), *(result.sentences() if len(result.pairs) > 1 else ())),
        numbers=tuple(numbers),
        tables=[ranking.with_notes(*warnings), differences, replace(tests, notes=notes)],
        further=others,
        methods=[
            *(_FOLD_TESTS[test.test] for test in result.pairs[0].tests if test.test in _FOLD_TESTS),
            *_ADJUSTED[result.correction],
        ],
        charts={"differences": _difference_chart(result.pairs[:_MOST_PAIRS], label, share)},
    )


def _difference_number(pair: PairComparison, share: bool) -> Number:
    """Give the difference of the only pair; differences of rates are in percentage points."""
    ends = pair.headline.interval(pair.confidence)
    limits = f"{interval_title(pair.confidence)} {figures_text(*ends, share)}" if ends else "no interval"
    texts = figure_text(pair.headline.estimate, share), limits
    return Number(f"{pair.a} - {pair.b}", *(re.sub(" %$", " points", text) if share else text for text in texts))


def _difference_chart(pairs: Sequence[PairComparison], label: str, share: bool) -> dict[str, Any]:
    """Give the chart `differences`."""
    rows, ends = [], [0.0]
    for pair in pairs:
        limits = pair.headline.interval(pair.confidence) or (None, None)
        ends += [end for end in limits if end is not None]
        sure = pair.adjusted[0] < 1 - pair.confidence
        row = {"name": f"{pair.a} - {pair.b}", "estimate": pair.headline.estimate, "low": limits[0], "high": limits[1]}
        rows.append({**row, "sure": sure})
    words = f"difference A - B in {label}" + (", percentage points" if share else "")
    axis = linear_axis("", padded(ends, room=0.05, least=0.05), percent=share)
    return {"pairs": rows, "x": replace(axis, label=words).to_dict()}


def _not_different(rank: SystemRank, ranking: Sequence[SystemRank]) -> str:
    """Name the systems that share a letter with this one."""
    if not rank.letters:
        return ""
    alike = [each.system for each in ranking if each is not rank and set(each.letters) & set(rank.letters)]
    return f"not shown to differ from {_joined(alike)}" if alike else "differs from all others"


def fusion_page(result: FusionResult) -> Page:
    """Make the page of a fusion: it and each of its systems at their thresholds."""
    fused, scores = result.evaluation, result.scores
    interval, everything = fused.interval(), [fused, *result.baselines]
    words: dict[str, Any] = {
        "answer": (result.answer(),),
        "numbers": tuple(_hter_number(each) for each in everything),
        "tables": result.tables(),
    }
    if result.saved is not None:
        return Page(
            title=f"Saved fusion of {_joined(scores.systems)} by {scores.fusion}",
            asked="What a fusion that was fitted before gains over its systems on these trials, at the thresholds "
            "saved with it.",
            data=(_trials_table("Trials", None, result.baselines[0].judgement.trials),),
            methods=(_APPLIED, _FUSION, *_interval_references([interval])),
            **words,
        )
    judgements = [each.judgement for each in everything]
    rule = JUDGED[judgements[0].sets.origin].asked.format(rule=fused.criterion.described(fused.alpha))
    return _judged_page(
        judgements,
        [interval],
        [_curves(each) for each in everything],
        title=f"Fusion of {_joined(scores.systems)} by {scores.fusion}",
        asked=f"What fusion by {scores.fusion} (normalisation {scores.normalise}) gains over its systems{rule}.",
        methods=[_FUSION],
        sets=judgements[1].sets,
        **words,
    )


def calibration_page(result: CalibratedSystems, *, rng: int = 0) -> Page:
    """Make the page of calibrated systems."""
    systems, first, confidence = result.systems, result.systems[0], result.systems[0].confidence
    notes: tuple[Note, ...] = ()
    if len(systems) > _MOST_SYSTEMS:
        text = "the figures show the first {shown} of {systems:plural system}"
        notes = (Note("systems-not-drawn", text, shown=_MOST_SYSTEMS, systems=len(systems)),)
    return Page(
        title=f"Evidence of {_joined([each.system for each in systems])}",
        asked=f"How good the log-likelihood ratios are that {first.calibration.method} calibration "
        f"{'on dev' if first.dev else 'on other trials before'} makes of the scores, judged on test.",
        answer=tuple(each.answer() for each in (*result.pairs, *systems)),
        numbers=tuple(
            Number(
                f"Cllr of {each.system} (bits)",
                number_text(each.test[0]),
                f"{interval_title(confidence)} {range_text(*each.interval.interval)}" if each.interval else "",
            )
            for each in systems
        ),
        tables=result.tables(),
        data=(_judged_trials_table(first.sets),),
        methods=(*_EVIDENCE[:2], *(_ADJUSTED[result.correction] if result.pairs else ()), *_EVIDENCE[2:]),
        notes=notes,
        explore={"evidence": evidence_charts(systems[:_MOST_SYSTEMS], confidence=confidence, rng=rng)},
    )


def groups_page(result: GroupEvaluation) -> Page:
    """Make the page of groups, with figures in which one threshold moves all of them."""
    judged = result.known_trials()
    judgement, sets = judged.judgement, judged.judgement.sets
    words, captions = JUDGED[sets.origin], _GROUP_CAPTIONS[sets.origin]
    leading = judged_interval(judgement, confidence=result.confidence, threshold=judged.threshold)
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
    tables = []
    for table in result.tables():
        if table.name in _ROWS_BY and len(table.rows) > _MOST_ROWS:
            key, sign, those_kept = _ROWS_BY[table.name]
            order = np.argsort(sign * np.array(table.column(key)), kind="stable")
            rows = tuple(table.rows[k] for k in np.sort(order[:_MOST_ROWS]).tolist())
            text = f"{{shown:plural row}} of {{rows:count}} with the {those_kept} are shown"
            left_out = Note("rows-left-out", text, shown=_MOST_ROWS, rows=len(table.rows))
            table = replace(table, rows=rows, notes=(*table.notes, left_out))
        tables.append(table)
    return Page(
        title=f"{result.system} by {' and '.join(result.by)}",
        asked="Error rates by group, with one threshold for all groups, chosen by "
        f"{result.criterion.described(result.alpha)} {PROVENANCES[result.kind].chosen}.",
        answer=(result.answer(),),
        numbers=tuple(
            Number(f"{term(rate.upper())} of all groups", percent(result.overall[rate])) for rate in ("far", "frr")
        ),
        tables=tuple(tables),
        data=(_judged_trials_table(sets),),
        methods=(
            words.threshold,
            _GROUPS[0],
            *_interval_references([leading]),
            *_GROUPS[1:],
            words.curve,
        ),
        notes=tuple(notes),
        explore={**group_charts(result, shown, captions.hter), **captions.to_dict()},
        captions=captions,
    )


def benchmark_page(result: BenchmarkResult | FusionBenchmark) -> Page:
    """Make the page of a benchmark; experiments whose scores were kept can be looked at one by one."""
    from fairtrial.benchmark.run import FusionBenchmark

    if isinstance(result, FusionBenchmark):
        if len(result.runs) > 1:
            raise ParameterError("a page is of one fusion method; name one with {fusions!p}", code="one", fusions=...)
        result = result.runs[0]
    benchmark, confidence = result.data, result.confidence
    judged = JUDGED[PROVENANCES[result.kind].origin]

    def curves_of(each: ExperimentResult) -> JudgedCurves:
        experiment, counts = each.experiment, each.counts
        split = "" if experiment.split is None else f" split {experiment.split}"
        name = f"{experiment.set}{split}: {' + '.join(experiment.systems)}"
        weight = result.criterion.weight_of_far(result.alpha)
        return JudgedCurves.of(each.curve, counts, float(counts.threshold), each.interval, weight, name=name)

    curves = [curves_of(each) for each in result.experiments if each.curve.judgement is not None]
    text = "the page shows single experiments only for protocols with at most {most} of them"
    sure = [each.test.estimate for each in result.experiments if each.p_adjusted < 1 - confidence]
    of = f"of {plural(len(result.experiments), 'experiment')}"
    charts = {**judged_charts(curves, Captions().hter), **Captions().to_dict()} if curves else {}
    return Page(
        title=f"{result.title}: {result.protocol}, fusion by {result.fusion}",
        asked=f"What fusion by {result.fusion} gains over single systems in the protocol {result.protocol} "
        f"(normalisation {result.normalise}, threshold by {result.criterion.described(result.alpha)} "
        f"{PROVENANCES[result.kind].chosen}).",
        answer=(result.answer(),),
        numbers=(
            Number("significantly better than the best system", str(sum(estimate < 0 for estimate in sure)), of),
            Number("significantly worse", str(sum(estimate > 0 for estimate in sure)), of),
        ),
        tables=result.tables(),
        data=tuple(
            _trials_table(f"{one.name}{'' if one.split is None else f', split {one.split}'}", one.dev, one.test)
            for one in benchmark.sets[:_SETS]
        ),
        methods=(
            judged.threshold,
            _FUSION,
            *_interval_references(each.interval for each in result.experiments),
            *_ADJUSTED["holm"],
            judged.curve,
            Reference("The scores.", benchmark.citation or benchmark.title),
        ),
        notes=() if curves else (Note("experiments-not-drawn", text, most=_MOST_EXPERIMENTS),),
        synthetic=result.synthetic,
        explore={**charts, "pooled": pooled_chart(result.pooled)},
    )


def curves_page(result: ExpectedPerformance) -> Page:
    """Make the page of Expected Performance Curves."""
    curves = {curve.system: curve for curve in result.curves}
    first, judged = result.curves[0], JUDGED[result.sets.origin]
    label, share, band = term(first.measure.label), first.measure.is_share, next(iter(result.bands.values()), None)
    along = f"along alpha, thresholds by {first.criterion} {PROVENANCES[first.kind].chosen}"
    around = "" if band is None else f"; {band.described}, {GIVEN_ALONG[band.threshold]}"
    return Page(
        title=f"Expected performance curves of {_joined(list(curves))}",
        asked=f"{label} on {PROVENANCES[first.kind].judged} {along}.",
        answer=(result.answer(),),
        numbers=tuple(
            Number(f"mean {label} of {name}", figure_text(curve.mean(), share), "over alpha")
            for name, curve in curves.items()
        ),
        tables=result.tables(),
        data=(_judged_trials_table(result.sets),),
        methods=(judged.threshold, judged.curve),
        explore={"pooled": pooled_chart(curves, result.bands)},
        captions=replace(judged.captions, pooled=f"{label} {along}{around}"),
    )


def coverage_page(study: CoverageStudy) -> Page:
    """Make the page of a coverage study, with its map."""
    settings, enough = study.settings, study.share_within(high=1.0)
    cells = len({(row.n, row.m, row.pi, row.rho) for row in study.rows})
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {plural(len(settings.methods), 'interval')} in {plural(cells, 'cell')}",
        asked=f"How often {level_text(settings.confidence)} intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        answer=(study.answer(),),
        numbers=tuple(
            Number(name.upper(), percent(value), f"of cells reach {level_text(study.right[0])}")
            for name, value in sorted(enough.items(), key=lambda entry: -entry[1])[:3]
        ),
        tables=(study.by_method(),),
        data=(),
        methods=(_SIX,),
        explore={"coverage": coverage_chart(study.rows, study.best)},
    )


def _judged_page(
    judgements: Sequence[Judgement],
    intervals: Sequence[RateInterval],
    systems: Sequence[JudgedCurves],
    *,
    tables: Sequence[Table],
    further: Sequence[Table] = (),
    methods: Sequence[Reference] = (),
    sets: TrialSets | None = None,
    charts: dict[str, Any] | None = None,
    **words: Any,
) -> Page:
    """Make the page of judged systems: their tables, operating points, trials, references and charts.

    Operating points have the confidence and the kind of threshold of the first interval; tables and further tables
    stand before and after them. `sets` are the trials to describe, those of the first judgement by default.
    """
    sets = sets or judgements[0].sets
    judged, leading = JUDGED[judgements[0].sets.origin], intervals[0]
    points = (
        operating_points_of(each.sets, each.system, confidence=leading.confidence, threshold=leading.threshold)
        for each in judgements
    )
    return Page(
        tables=(*tables, *join_tables([each.tables() for each in points]), *further),
        data=(_judged_trials_table(sets),),
        methods=(
            judged.threshold,
            *_interval_references(intervals),
            *methods,
            _SEPARATION if sets.sharing == "none" else _SEPARATION_BY_PEOPLE,
            judged.curve,
        ),
        explore={**judged_charts(systems, judged.captions.hter), **judged.captions.to_dict(), **(charts or {})},
        captions=judged.captions,
        **words,
    )


def _interval_references(intervals: Iterable[RateInterval]) -> tuple[Reference, ...]:
    """Give the references of intervals, each once."""
    made, moved = [], []
    for each in intervals:
        alone = each.sharing == "none"
        made.append(_INTERVALS[each.limits if alone else "people"])
        if each.threshold == "re-estimated":
            moved.append(_RE_ESTIMATED)
    return tuple(dict.fromkeys([*made, *moved]))


def _joined(names: Sequence[str]) -> str:
    """Write a few names as a phrase, and many as their number."""
    return f"{len(names)} systems" if len(names) > 4 else in_a_row(names)


def _judged_trials_table(sets: TrialSets) -> Table:
    """Count the trials that were judged, and those that set the thresholds."""
    dev, test = (data if isinstance(data, Trials) else None for data in (sets.dev, sets.test))
    return _trials_table("Trials", dev, None if sets.blocks else test)


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
