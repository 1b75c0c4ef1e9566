"""The page of a benchmark."""

from __future__ import annotations

from typing import Any

from fairtrial.axes import COLOURS, line_of, percent_axis
from fairtrial.benchmark.results import BenchmarkResult, ExperimentResult
from fairtrial.benchmark.sets import Benchmark
from fairtrial.epc import PerformanceCurve
from fairtrial.report.page import Captions, Page, Reference, Repeat
from fairtrial.report.parts import ADJUSTED, FUSION, JUDGED, interval_references, trials_table
from fairtrial.report.views import Asked, SystemView, alpha_axis, curve_view, explored, highest_within
from fairtrial.tables import Terms
from fairtrial.trial_sets import PROVENANCES

_SETS = 3
"""The data of so many sets is described."""


def benchmark_page(
    benchmark: Benchmark,
    result: BenchmarkResult,
    repeat: Repeat,
    *,
    confidence: float = 0.95,
    terms: Terms = "default",
) -> Page:
    """The page of a benchmark; experiments whose scores were kept can be looked at one by one.

    Parameters
    ----------
    benchmark, result
        The benchmark, and what `run_benchmark` found on it.
    repeat
        What it takes to do the same again.
    confidence
        As it was given to `run_benchmark`.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    judged = JUDGED[PROVENANCES[result.kind].origin]
    views = [view for each in result.experiments if (view := _view(each, result, confidence)) is not None]
    notes = () if views else ("the page shows single experiments only for protocols with at most 60 of them",)
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
        notes=notes,
        synthetic=result.synthetic,
        explore={
            **(explored(views, Captions(), terms) if views else {}),
            "pooled": _pooled(result.pooled, terms),
        },
        terms=terms,
    )


def _view(result: ExperimentResult, run: BenchmarkResult, confidence: float) -> SystemView | None:
    """What is drawn of an experiment; None where its scores were not kept."""
    if result.curve.judgement is None:
        return None
    experiment = result.experiment
    split = "" if experiment.split is None else f" split {experiment.split}"
    weight = run.criterion.weight_of_far(run.alpha)
    return curve_view(
        result.curve,
        name=f"{experiment.set}{split}: {' + '.join(experiment.systems)}",
        asked=Asked.of(result.counts, float(result.counts.threshold), result.interval, weight),
        confidence=confidence,
        threshold=result.interval.threshold,
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


def _pooled(curves: dict[str, PerformanceCurve], terms: Terms) -> dict[str, Any]:
    """Pooled curves with their looks, and their axes."""
    drawn = []
    for number, (name, curve) in enumerate(curves.items()):
        colour, dashes = line_of(number)
        drawn.append(
            {
                "name": name,
                "alpha": curve.alpha.tolist(),
                "hter": curve.hter.tolist(),
                "colour": COLOURS.index(colour),
                "dashes": list(dashes),
                "bold": name == "all",
            }
        )
    highest = max(highest_within(curve.alpha, curve.hter) for curve in curves.values())
    return {"curves": drawn, "x": alpha_axis(terms).to_dict(), "y": percent_axis(Captions().hter, highest).to_dict()}
