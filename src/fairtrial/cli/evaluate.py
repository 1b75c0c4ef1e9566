"""fairtrial evaluate"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table

if TYPE_CHECKING:
    from fairtrial.counting import ErrorCounts
    from fairtrial.evaluation import Evaluation
    from fairtrial.measures import Measure


@click.command()
@options.dev_and_test
@click.option(
    "--criterion",
    default="eer",
    show_default=True,
    metavar="NAME",
    help="How the threshold is chosen: eer, wer-min, wer-equal, hter-min, far, frr, precision-recall, f1, dcf, "
    "or module:function.",
)
@click.option("--alpha", type=float, default=0.5, show_default=True, help="The criterion's trade-off or target.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="One more figure on test: wer, dcf, class-error, precision, recall, f1, sensitivity, specificity, "
    "or module:function; may be repeated.",
)
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
@options.reading
@options.as_json
def command(json_: bool, **values: Any) -> None:
    """Fix the threshold on dev, report the errors on test.

    \b
    Examples:
      fairtrial evaluate --dev dev.txt --test test.txt
      fairtrial evaluate --dev scores.csv --folds 5 --criterion far --alpha .001 --json
    """
    measures = [options.measure_by_name(name, values["dcf"]) for name in values["measures"]]
    results = _evaluate(values, measures)
    if json_:
        print_json({"systems": [result.to_dict() for result in results]})
    else:
        _print(results, measures)


def _evaluate(values: dict[str, Any], measures: list[Measure]) -> list[Evaluation]:
    from fairtrial.cli.inputs import for_each_system, read_inputs
    from fairtrial.evaluation import cross_validate, evaluate

    settings: dict[str, Any] = {
        "criterion": options.criterion_by_name(values["criterion"], values["dcf"]),
        "alpha": values["alpha"],
        "measures": measures,
        "confidence": values["confidence"],
        "cluster": values["cluster"],
        "eer": values["eer_definition"],
    }
    inputs = read_inputs(values)

    def work(system: str) -> Evaluation:
        if inputs.test is None:
            return cross_validate(inputs.dev, inputs.blocks, system=system, **settings)
        return evaluate(inputs.dev, inputs.test, system=system, **settings)

    return for_each_system(inputs, "evaluating", work)


def _print(results: list[Evaluation], measures: list[Measure]) -> None:
    from rich.table import Table

    first = results[0]
    weight = "" if first.criterion in ("eer", "hter-min", "f1", "dcf") else f", alpha {first.alpha:g}"
    table = Table(title=f"threshold by {first.criterion}{weight} on dev", title_justify="left")
    for column in ("system", "threshold", "set", "kind"):
        table.add_column(column, overflow="fold")
    for column in (
        "genuine",
        "impostor",
        "FAR %",
        "FRR %",
        "HTER %",
        f"{100 * first.interval.confidence:g} % interval",
        "EER %",
    ):
        table.add_column(column, justify="right")
    for measure in measures:
        table.add_column(f"{measure.label} %", justify="right")
    for result in results:
        eers = (result.dev_eer, result.test_eer)
        table.add_row(
            result.system,
            number(result.threshold),
            *_cells("dev", "a posteriori", result.dev),
            "",
            *("" if eer is None else percent(eer.value) for eer in eers[:1]),
        )
        interval = f"{percent(result.interval.low)} .. {percent(result.interval.high)}"
        table.add_row(
            "",
            "",
            *_cells("test" if result.test_eer is not None else "held out", result.kind, result.test),
            interval,
            *("" if eer is None else percent(eer.value) for eer in eers[1:]),
            *(percent(value) for value in result.measures.values()),
            end_section=True,
        )
    print_table(table)
    methods = {"independent": "eq. (13), independent trials"}
    words = dict.fromkeys(methods.get(r.interval.method, f"{r.interval.method}, trials share people") for r in results)
    click.echo(f"EER: {first.dev_eer.definition}, a posteriori on either set. Interval: {'; '.join(words)}.")
    for result in results:
        for other in result.intervals[1:]:
            click.echo(f"{result.system}: {percent(other.low)} .. {percent(other.high)} if trials were independent")
    print_notes([note for result in results for note in result.notes])


def _cells(name: str, kind: str, counts: ErrorCounts) -> tuple[str, ...]:
    rates = (counts.far, counts.frr, counts.hter)
    return (name, kind, f"{counts.genuine:,}", f"{counts.impostor:,}", *(percent(rate) for rate in rates))
