"""fairtrial evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table
from fairtrial.cli.reporting import check_report, repeat_of, report_option, write_page

if TYPE_CHECKING:
    from fairtrial.cli.inputs import Inputs
    from fairtrial.counting.errors import ErrorCounts
    from fairtrial.evaluation import Evaluation
    from fairtrial.rules.measures import Measure


@click.command()
@options.dev_and_test
@options.criterion_option("eer")
@options.alpha_option
@options.measure_option("--measure", "measures", multiple=True, help="One more figure on test; may be repeated.")
@options.dcf_costs
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval.")
@click.option(
    "--eer",
    "eer_definition",
    type=click.Choice(["step-mean", "step-low", "step-high", "interpolated", "rocch"]),
    default="step-mean",
    show_default=True,
    help="Definition of the EER.",
)
@click.option(
    "--resample",
    type=click.Choice(["test", "both"]),
    default="test",
    show_default=True,
    help="both: an interval in which dev is resampled too and the threshold chosen anew.",
)
@click.option(
    "--resamples", type=int, default=1000, show_default=True, metavar="M", help="Resamples of --resample both."
)
@options.reading
@report_option
@options.as_json
def command(json_: bool, report: str | None, **values: Any) -> None:
    """Fix the threshold on dev, report the errors on test.

    \b
    Examples:
      fairtrial evaluate --dev dev.txt --test test.txt
      fairtrial evaluate --dev scores.csv --folds 5 --criterion far --alpha .001 --json
      fairtrial evaluate --dev dev.txt --test test.txt --report evaluation.html
    """
    from fairtrial.cli.inputs import read_inputs

    measures = [options.measure_by_name(name, values["dcf"]) for name in dict.fromkeys(values["measures"])]
    check_report(report)
    inputs = read_inputs(values)
    results = _evaluate(inputs, values, measures)
    if report is not None:
        from fairtrial.report.evaluation import evaluation_page

        repeat = repeat_of((*values["dev"], *values["test"]), values["seed"])
        page = evaluation_page(
            results,
            inputs.dev,
            inputs.test,
            repeat,
            blocks=inputs.blocks,
            confidence=values["confidence"],
            cluster=values["cluster"],
        )
        write_page(page, report)
    if json_:
        print_json({"systems": [result.to_dict() for result in results]})
    else:
        _print(results, measures)


def _evaluate(inputs: Inputs, values: dict[str, Any], measures: list[Measure]) -> list[Evaluation]:
    from fairtrial.cli.inputs import for_each_system
    from fairtrial.evaluation import cross_validate, evaluate

    criterion = options.criterion_by_name(values["criterion"], values["dcf"])
    criterion.resolve_alpha(values["alpha"])
    settings: dict[str, Any] = {
        "criterion": criterion,
        "alpha": values["alpha"],
        "measures": measures,
        "confidence": values["confidence"],
        "cluster": values["cluster"],
        "eer": values["eer_definition"],
    }

    def work(system: str) -> Evaluation:
        if inputs.test is None:
            return cross_validate(inputs.dev, inputs.blocks, system=system, **settings)
        return evaluate(
            inputs.dev,
            inputs.test,
            system=system,
            resample=values["resample"],
            n_resamples=values["resamples"],
            rng=values["seed"],
            **settings,
        )

    return for_each_system(inputs, "evaluating", work)


def _print(results: list[Evaluation], measures: list[Measure]) -> None:
    from rich import box
    from rich.table import Table

    first = results[0]
    title = f"threshold by {first.criterion.described(first.alpha)} on dev"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("system", overflow="fold")
    table.add_column("figures", no_wrap=True)
    interval_name = f"{100 * first.interval.confidence:g} % interval"
    names = ("FAR %", "FRR %", "HTER %", interval_name, "EER %")
    for column in (*names, *(f"{measure.label} %" if measure.is_share else measure.label for measure in measures)):
        table.add_column(column, justify="right", no_wrap=True)
    for result in results:
        table.add_row(result.system, "dev, a posteriori", *_rates(result.dev), "", percent(result.dev_eer.value))
        name = "test" if result.test_eer is not None else "held out"
        table.add_row(
            "",
            f"{name}, {result.kind.removesuffix(' (cross-validated)')}",
            *_rates(result.test),
            f"{percent(result.interval.low)} .. {percent(result.interval.high)}",
            "" if result.test_eer is None else percent(result.test_eer.value),
            *(
                percent(value) if measure.is_share else number(value)
                for measure, value in zip(measures, result.measures.values(), strict=True)
            ),
            end_section=True,
        )
    print_table(table)
    for result in results:
        dev, test = result.dev, result.test
        held = "test" if result.test_eer is not None else "held out"
        click.echo(
            f"{result.system}: threshold {number(result.threshold)}; dev {dev.genuine:,} genuine, {dev.impostor:,} "
            f"impostor; {held} {test.genuine:,} genuine, {test.impostor:,} impostor"
        )
        for other in result.intervals[1:]:
            given = "if trials were independent" if other.method == "independent" else "with the threshold as it is"
            click.echo(f"  interval {percent(other.low)} .. {percent(other.high)} % {given}")
    methods = {
        "independent": "eq. (13), independent trials",
        "bootstrap-both": "bootstrap of dev and test, threshold chosen anew",
    }
    words = dict.fromkeys(methods.get(r.interval.method, f"{r.interval.method}, trials share people") for r in results)
    click.echo(f"EER: {first.dev_eer.definition}, a posteriori on either set. Interval: {'; '.join(words)}.")
    print_notes([note for result in results for note in result.notes])


def _rates(counts: ErrorCounts) -> tuple[str, ...]:
    return tuple(percent(rate) for rate in (counts.far, counts.frr, counts.hter))
