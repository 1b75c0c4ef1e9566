"""The pages of a benchmark and of a coverage study."""

from __future__ import annotations

from fairtrial.benchmark.protocols import Benchmark
from fairtrial.benchmark.run import BenchmarkResult, ExperimentResult
from fairtrial.core.notes import Note
from fairtrial.core.words import level_text, plural
from fairtrial.figures.epc import pooled_chart
from fairtrial.figures.repeated import coverage_chart
from fairtrial.figures.system import JudgedCurves
from fairtrial.inference.split import PROVENANCES
from fairtrial.pages.page import Captions, Page, Reference, Repeat
from fairtrial.pages.parts import ADJUSTED, FUSION, JUDGED, charts_of, interval_references, trials_table
from fairtrial.repeated.study import CoverageStudy

_MOST_EXPERIMENTS = 60
_SETS = 3
"""Sets whose data are described, at most."""


def benchmark_page(result: BenchmarkResult, repeat: Repeat, *, benchmark: Benchmark, confidence: float = 0.95) -> Page:
    """Make the page of a benchmark; experiments whose scores were kept can be looked at one by one.

    Parameters
    ----------
    result
        Of `run_benchmark`.
    repeat
        What it takes to do the same again.
    benchmark
        The benchmark.
    confidence
        As it was given to `run_benchmark`.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    judged = JUDGED[PROVENANCES[result.kind].origin]
    curves = [_curves(each, result, confidence) for each in result.experiments if each.curve.judgement is not None]
    text = "the page shows single experiments only for protocols with at most {most} of them"
    return Page(
        title=f"{result.title}: {result.protocol}, fusion by {result.fusion}",
        asked=f"What fusion by {result.fusion} gains over single systems in the protocol {result.protocol} "
        f"(normalisation {result.normalise}, threshold by {result.criterion.described(result.alpha)} "
        f"{PROVENANCES[result.kind].chosen}).",
        answer=(_sentence(result, confidence),),
        tables=result.tables(),
        data=tuple(
            trials_table(f"{one.name}{'' if one.split is None else f', split {one.split}'}", one.dev, one.test)
            for one in benchmark.sets[:_SETS]
        ),
        methods=(
            judged.references[0],
            FUSION,
            *interval_references(each.interval for each in result.experiments),
            *ADJUSTED["holm"],
            *judged.references[1:],
            Reference("The scores.", benchmark.citation or benchmark.title),
        ),
        repeat=repeat,
        notes=() if curves else (Note("experiments-not-drawn", text, most=_MOST_EXPERIMENTS),),
        synthetic=result.synthetic,
        explore={**(charts_of(curves, Captions()) if curves else {}), "pooled": pooled_chart(result.pooled)},
    )


def _curves(result: ExperimentResult, run: BenchmarkResult, confidence: float) -> JudgedCurves:
    experiment = result.experiment
    split = "" if experiment.split is None else f" split {experiment.split}"
    return JudgedCurves.of(
        result.curve,
        result.counts,
        float(result.counts.threshold),
        result.interval,
        run.criterion.weight_of_far(run.alpha),
        name=f"{experiment.set}{split}: {' + '.join(experiment.systems)}",
        confidence=confidence,
    )


def _sentence(result: BenchmarkResult, confidence: float) -> str:
    sure = [each.test.estimate for each in result.experiments if each.p_adjusted < 1 - confidence]
    better, worse = sum(estimate < 0 for estimate in sure), sum(estimate > 0 for estimate in sure)
    number = len(result.experiments)
    return (
        f"Fusion by {result.fusion} is significantly better than the best of the systems it fuses in {better} of "
        f"{number} {'experiment' if number == 1 else 'experiments'}, and significantly worse in {worse} "
        "(p values adjusted by Holm's method)."
    )


_SIX = Reference(
    "Six intervals for an error rate of people who are tested several times, and how well they cover.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)


def coverage_page(study: CoverageStudy, repeat: Repeat) -> Page:
    """Make the page of a coverage study, with its map.

    Parameters
    ----------
    study
        Of `coverage_study`.
    repeat
        What it takes to do the same again.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    settings = study.settings
    cells = len({(row.n, row.m, row.pi, row.rho) for row in study.rows})
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {plural(len(settings.methods), 'interval')} in {plural(cells, 'cell')}",
        asked=f"How often {level_text(settings.confidence)} intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        answer=(f"{study.answer()}.",),
        tables=(study.by_method(),),
        data=(),
        methods=(_SIX,),
        repeat=repeat,
        explore={"coverage": coverage_chart(study.rows, study.best)},
    )
