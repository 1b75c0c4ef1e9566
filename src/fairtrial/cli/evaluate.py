"""fairtrial evaluate"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.counted import NEEDS_SCORES, are_counts, chosen_systems, read_counters, refuse
from fairtrial.cli.files import WRITTEN, FileCommand
from fairtrial.cli.opened import PlaceOptions
from fairtrial.cli.options import ChanceOptions, InputOptions, OutputOptions, PointOptions, ReadingOptions
from fairtrial.cli.output import print_result, say
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.calibration.measures import EvidenceMeasure
    from fairtrial.evaluation import Evaluation
    from fairtrial.rules.eer import EerDefinition
    from fairtrial.rules.measures import Measure

eer_option = click.option(
    "--eer",
    type=click.Choice(["step-mean", "step-low", "step-high", "interpolated", "rocch"]),
    default="step-mean",
    show_default=True,
    help="Definition of the EER.",
)

resample_option = click.option(
    "--resample",
    type=click.Choice(["test", "both"]),
    default="both",
    show_default=True,
    help="both: lead with intervals in which the threshold is re-estimated, as dev was a sample too; test: take the "
    "threshold as it is.",
)
dev_resamples_option = click.option(
    "--resamples", type=int, default=400, show_default=True, metavar="M", help="How many times dev is resampled."
)


@click.command(cls=FileCommand)
@options.takes(InputOptions, PointOptions, ChanceOptions)
@options.measure_option(
    "--measure", "measures", evidence=True, multiple=True, help="One more figure on test; may be repeated."
)
@click.option(
    "--threshold",
    type=float,
    metavar="X",
    help="Judge at this threshold, which was fixed before, in place of one from dev.",
)
@eer_option
@resample_option
@dev_resamples_option
@click.option(
    "--trials-out",
    type=WRITTEN,
    metavar="FILE",
    help="Write the decisions too, one row per system and judged trial: ids, label, score, threshold, decision and "
    "error; .csv, .tsv or .parquet.",
)
@options.takes(ReadingOptions, PlaceOptions, OutputOptions, ReportOptions)
def command(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    place: PlaceOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    measures: tuple[str, ...],
    threshold: float | None,
    eer: EerDefinition,
    resample: Literal["test", "both"],
    resamples: int,
    trials_out: str | None,
) -> None:
    """Fix the threshold on dev, report the errors on test.

    \b
    Examples:
      fairtrial evaluate --dev dev.txt --test test.txt
      fairtrial evaluate --dev scores.csv --folds 5 --criterion far --alpha .001 --json
      fairtrial evaluate --dev dev.txt --test test.txt --out errors.csv --report evaluation.html
      fairtrial evaluate --dev dev.txt --test test.txt --trials-out decisions.csv
      fairtrial evaluate --dev dev.txt --test test.txt --threshold 1.5
      fairtrial evaluate --dev dev.ftc --test test.ftc
      fairtrial evaluate --dev dev.parquet --test test.parquet --memory 2GB
    """
    from fairtrial.cli.inputs import for_each_system, read_or_open
    from fairtrial.evaluation.evaluating import evaluation_of
    from fairtrial.formats.decisions import ENDINGS, write_decisions
    from fairtrial.formats.results import check_target
    from fairtrial.judging import Judgement, judge, judge_at
    from fairtrial.tables import join_tables

    point.check(*measures)
    more = [options.any_measure_by_name(name, point.dcf) for name in dict.fromkeys(measures)]
    rule = point.rule
    page.check()
    output.check()
    if threshold is not None:
        _check_given(files, page)
    if trials_out is not None:
        check_target(trials_out, ENDINGS)
    if are_counts(files):
        refuse(report=page.report, trials_out=trials_out, threshold=threshold)
        options.refuse_given(["resample", "resamples", "seed"], NEEDS_SCORES)
        _evaluate_counts(files, point, chance, reading, output, more, eer)
        return
    inputs = read_or_open(files, reading, chance, place, report=page.report, trials_out=trials_out)
    sets = inputs.sets(chance, resamples=resamples)

    def judged(system: str) -> Judgement:
        if threshold is not None:
            return judge_at(sets, threshold, system=system)
        return judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(point.alpha))

    def work(system: str) -> Evaluation:
        return evaluation_of(judged(system), measures=more, confidence=chance.confidence, resample=resample, eer=eer)

    results = for_each_system(inputs, "evaluating", work)
    if page.report is not None:
        from fairtrial.report.evaluation import evaluation_page

        page.write(evaluation_page(results, repeat_of(files.files, chance.seed), terms=output.terms))
    if trials_out is not None:
        write_decisions([result.decisions() for result in results], trials_out)
    found = {"systems": [result.to_dict() for result in results]}
    print_result(output, join_tables([result.tables() for result in results]), found)
    if trials_out is not None and not output.json:
        say(f"decisions in {trials_out}")


def _check_given(files: InputOptions, page: ReportOptions) -> None:
    """Raise an error where something was asked for that does not go with a given threshold."""
    options.refuse_given(["criterion", "alpha", "dcf"], "is for a threshold from dev, and --threshold gives one")
    options.refuse_given(["resample", "resamples"], "is for a threshold from dev, and --threshold gives one")
    if files.folds is not None:
        raise ParameterError(
            "--folds finds a threshold for each block, and --threshold gives one; leave one of them out"
        )
    if page.report is not None:
        raise ParameterError(
            "--report shows errors at thresholds from dev, and --threshold gives one; leave one of them out"
        )


def _evaluate_counts(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    measures: Sequence[Measure | EvidenceMeasure],
    eer: EerDefinition,
) -> None:
    """The same from files of counts."""
    from fairtrial.calibration.measures import errors_only
    from fairtrial.scale.figures import evaluate_counted
    from fairtrial.tables import join_tables

    known = errors_only(measures)
    dev, test = read_counters(files, reading, chance)
    results = [
        evaluate_counted(
            dev,
            test,
            system=name,
            criterion=point.rule,
            alpha=point.alpha,
            measures=known,
            confidence=chance.confidence,
            eer=eer,
        )
        for name in chosen_systems(dev, reading.systems)
    ]
    found = {"systems": [result.to_dict() for result in results]}
    print_result(output, join_tables([result.tables() for result in results]), found)
