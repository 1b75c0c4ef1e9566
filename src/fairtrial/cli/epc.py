"""fairtrial epc"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table

if TYPE_CHECKING:
    from fairtrial.epc import Areas, PerformanceCurve


@click.command()
@options.dev_and_test
@click.option("--points", type=int, default=101, show_default=True, help="How many values of alpha.")
@click.option(
    "--range",
    "range_",
    type=float,
    nargs=2,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LOW HIGH",
    help="The range of alpha, for the curve and the areas.",
)
@click.option(
    "--criterion",
    default="wer-min",
    show_default=True,
    metavar="NAME",
    help="How thresholds are chosen: wer-min, wer-equal, far, frr, precision-recall, or module:function.",
)
@click.option(
    "--measure",
    default="hter",
    show_default=True,
    metavar="NAME",
    help="What is reported along the curve: any measure, or module:function.",
)
@options.dcf_costs
@click.option("--pool", is_flag=True, help="One more curve: the errors of all systems pooled.")
@click.option(
    "--convention",
    type=click.Choice(["interpolated", "step"]),
    default="interpolated",
    show_default=True,
    help="How areas treat targets between two reachable rates.",
)
@options.reading
@options.as_json
def command(json_: bool, **values: Any) -> None:
    """Expected Performance Curves: the threshold from dev for every alpha, the figure from test.

    \b
    Examples:
      fairtrial epc --dev dev.txt --test test.txt
      fairtrial epc --dev dev.csv --test test.csv --criterion precision-recall --measure f1 --json
    """
    curves, areas, notes = _curves(values)
    if json_:
        print_json(
            {
                "curves": [{**curve.to_dict(), "low": [], "high": []} for curve in curves],
                "areas": {name: area.to_dict() for name, area in areas.items()},
                "notes": notes,
            }
        )
    else:
        _print(curves, areas)
        print_notes(notes)


def _curves(values: dict[str, Any]) -> tuple[list[PerformanceCurve], dict[str, Areas], list[str]]:
    from fairtrial.cli.inputs import for_each_system, read_inputs
    from fairtrial.epc import alpha_grid, cross_validated_curve, expected_areas, performance_curve, pool_curves

    low, high = values["range_"]
    settings: dict[str, Any] = {
        "alphas": alpha_grid(values["points"], low=low, high=high),
        "criterion": options.criterion_by_name(values["criterion"], values["dcf"]),
        "measure": options.measure_by_name(values["measure"], values["dcf"]),
    }
    inputs = read_inputs(values)
    areas: dict[str, Areas] = {}

    def work(system: str) -> PerformanceCurve:
        if inputs.test is None:
            return cross_validated_curve(inputs.dev, inputs.blocks, system=system, **settings)
        areas[system] = expected_areas(
            inputs.dev, inputs.test, system=system, low=low, high=high, convention=values["convention"]
        )
        return performance_curve(inputs.dev, inputs.test, system=system, **settings)

    curves = for_each_system(inputs, "curves", work)
    if values["pool"]:
        curves.append(pool_curves(curves))
    return curves, areas, inputs.notes


def _print(curves: list[PerformanceCurve], areas: dict[str, Areas]) -> None:
    from rich.table import Table

    first = curves[0]
    table = Table(title=f"EPC, threshold by {first.criterion} on dev, figures {first.kind}", title_justify="left")
    table.add_column("system", overflow="fold")
    for column in ("alpha", "threshold", "FAR %", "FRR %", "HTER %"):
        table.add_column(column, justify="right")
    other = first.measure.name not in ("far", "frr", "hter")
    if other:
        table.add_column(f"{first.measure.label} %", justify="right")
    for curve in curves:
        step = max(1, (len(curve.alpha) - 1) // 10)
        shown = list(range(0, len(curve.alpha), step))
        for index in shown:
            cells = [percent(rate[index]) for rate in (curve.far, curve.frr, curve.hter)]
            threshold = curve.threshold[index]
            table.add_row(
                curve.system if index == 0 else "",
                f"{curve.alpha[index]:.3g}",
                number(threshold) if threshold == threshold else "several",
                *cells,
                *([percent(curve.value[index])] if other else []),
                end_section=index == shown[-1],
            )
    print_table(table)
    for curve in curves:
        click.echo(
            f"{curve.system}: mean {curve.measure.label} along the curve {percent(curve.mean())} %, {curve.kind}"
        )
        if curve.system in areas:
            area = areas[curve.system]
            click.echo(
                f"  expected HTER over target FARs {percent(area.e_v1)} % (15), over target FRRs "
                f"{percent(area.e_v2)} % (16), G {percent(area.g)} % (18), targets {area.low:g} to {area.high:g}"
            )
