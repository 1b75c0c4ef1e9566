"""fairtrial epc"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table
from fairtrial.errors import ParameterError, listed

if TYPE_CHECKING:
    from fairtrial.cli.inputs import Inputs
    from fairtrial.epc import PerformanceCurve
    from fairtrial.intervals.bands import Band
    from fairtrial.significance.curves import CurveComparison
    from fairtrial.significance.results import TestResult


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
@options.criterion_option("wer-min")
@options.measure_option("--measure", default="hter", show_default=True, help="What is reported along the curve.")
@options.dcf_costs
@click.option(
    "--bands",
    type=click.Choice(["none", "pointwise", "simultaneous"]),
    default="none",
    show_default=True,
    help="Bootstrap band around each curve: at each alpha, or for the whole curve at once.",
)
@click.option("--compare", "pair", metavar="A,B", help="Where along alpha these two systems differ, and their areas.")
@click.option(
    "--method",
    type=click.Choice(["cluster", "bootstrap", "dependent", "independent"]),
    default="cluster",
    show_default=True,
    help="With --compare: which test.",
)
@click.option("--simultaneous", is_flag=True, help="With --compare: control the error over the whole range of alpha.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of bands and regions.")
@click.option("--resamples", type=int, default=10_000, show_default=True, metavar="M", help="Bootstrap resamples.")
@click.option("--workers", type=int, default=1, show_default=True, help="Threads; the result is the same for any.")
@click.option("--no-areas", is_flag=True, help="Leave out the areas, which sort all dev scores.")
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
    from fairtrial.cli.inputs import read_inputs

    inputs = read_inputs(values)
    curves, areas = curves_of(values, inputs)
    bands = bands_of(values, inputs, curves)
    along = _compare(values, inputs, curves)
    if json_:
        shown = [
            {**curve.to_dict(), **(bands[curve.system].to_dict() if curve.system in bands else {"low": [], "high": []})}
            for curve in curves
        ]
        result: dict[str, Any] = {"curves": shown, "areas": areas, "notes": inputs.notes}
        if along is not None:
            result["comparison"] = {**along[0].to_dict(), "areas": [test.to_dict() for test in along[1]]}
        print_json(result)
    else:
        _print(curves, areas, bands)
        if along is not None:
            _print_comparison(*along)
        print_notes(inputs.notes)


def curves_of(values: dict[str, Any], inputs: Inputs) -> tuple[list[PerformanceCurve], dict[str, dict[str, Any]]]:
    """The curves of all systems, and their areas."""
    from fairtrial.cli.inputs import for_each_system
    from fairtrial.epc import alpha_grid, cross_validated_curve, expected_areas, performance_curve, pool_curves
    from fairtrial.significance.curves import area_intervals

    low, high = values["range_"]
    settings: dict[str, Any] = {
        "alphas": alpha_grid(values["points"], low=low, high=high),
        "criterion": options.criterion_by_name(values["criterion"], values["dcf"]),
        "measure": options.measure_by_name(values["measure"], values["dcf"]),
    }
    areas: dict[str, dict[str, Any]] = {}

    def work(system: str) -> PerformanceCurve:
        if inputs.test is None:
            return cross_validated_curve(inputs.dev, inputs.blocks, system=system, **settings)
        if values["no_areas"]:
            return performance_curve(inputs.dev, inputs.test, system=system, **settings)
        found = expected_areas(
            inputs.dev, inputs.test, system=system, low=low, high=high, convention=values["convention"]
        )
        areas[system] = found.to_dict()
        if values["convention"] == "interpolated":
            intervals = area_intervals(
                inputs.dev,
                inputs.test,
                system,
                low=low,
                high=high,
                cluster=values["cluster"],
                confidence=values["confidence"],
            )
            areas[system]["intervals"] = {name: interval.to_dict() for name, interval in intervals.items()}
        return performance_curve(inputs.dev, inputs.test, system=system, **settings)

    curves = for_each_system(inputs, "curves", work)
    if values["pool"]:
        curves.append(pool_curves(curves))
    return curves, areas


def bands_of(values: dict[str, Any], inputs: Inputs, curves: list[PerformanceCurve]) -> dict[str, Band]:
    """The bands around the curves, by system."""
    if values["bands"] == "none":
        return {}
    if inputs.test is None:
        raise ParameterError("bands need a test set with thresholds from dev; leave out --bands or give --test")
    from fairtrial.cli.progress import Bar
    from fairtrial.intervals.bands import curve_band

    bands = {}
    with Bar("bands", len(inputs.systems)) as bar:
        for curve in curves:
            if curve.system in inputs.systems:
                bands[curve.system] = curve_band(
                    curve,
                    inputs.test,
                    system=curve.system,
                    kind=values["bands"],
                    confidence=values["confidence"],
                    cluster=values["cluster"],
                    n_resamples=values["resamples"],
                    rng=values["seed"],
                    workers=values["workers"],
                )
                bar.advance()
    return bands


def _compare(
    values: dict[str, Any], inputs: Inputs, curves: list[PerformanceCurve]
) -> tuple[CurveComparison, list[TestResult]] | None:
    if not values["pair"]:
        return None
    if inputs.test is None:
        raise ParameterError("comparing curves needs a test set; leave out --compare or give --test")
    from fairtrial.significance.curves import area_test, compare_curves

    names = values["pair"].split(",")
    found = {curve.system: curve for curve in curves}
    if len(names) != 2 or any(name not in found for name in names):
        raise ParameterError(
            f"--compare {values['pair']}: expected two of the systems {listed(inputs.systems)}, as in A,B"
        )
    along = compare_curves(
        found[names[0]],
        found[names[1]],
        inputs.test,
        method=values["method"],
        cluster=values["cluster"],
        simultaneous=values["simultaneous"],
        confidence=values["confidence"],
        n_resamples=values["resamples"],
        rng=values["seed"],
    )
    low, high = values["range_"]
    areas: list[Literal["e_v1", "e_v2", "g"]] = ["e_v1", "e_v2", "g"]
    tests = [
        area_test(inputs.dev, inputs.test, *names, area=area, low=low, high=high, cluster=values["cluster"])
        for area in areas
    ]
    return along, tests


def _print_comparison(along: CurveComparison, areas: list[TestResult]) -> None:
    ranges = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in along.regions) or "nowhere"
    whole = "over the whole range at once" if along.simultaneous else "at each alpha by itself"
    click.echo(
        f"{along.a} and {along.b} differ in HTER with {100 * along.confidence:g} % confidence at alpha {ranges} "
        f"({along.test} test, {whole})"
    )
    for test in areas:
        click.echo(f"  {test.test}: {along.a} - {along.b} = {percent(test.estimate)} %, p = {test.p_value:.4g}")


def _figure(curve: PerformanceCurve, index: int) -> str:
    value = float(curve.value[index])
    return percent(value) if curve.measure.is_share else number(value)


def _print(curves: list[PerformanceCurve], areas: dict[str, dict[str, Any]], bands: dict[str, Band]) -> None:
    from rich import box
    from rich.table import Table

    first = curves[0]
    table = Table(
        title=f"EPC, threshold by {first.criterion} on dev, figures {first.kind}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    table.add_column("system", overflow="fold")
    for column in ("alpha", "threshold", "FAR %", "FRR %", "HTER %"):
        table.add_column(column, justify="right")
    other = first.measure.name not in ("far", "frr", "hter")
    if other:
        table.add_column(f"{first.measure.label} %" if first.measure.is_share else first.measure.label, justify="right")
    if bands:
        kind = next(iter(bands.values()))
        table.add_column(f"{100 * kind.confidence:g} % band, {kind.kind}", justify="right")
    for curve in curves:
        band = bands.get(curve.system)
        step = max(1, (len(curve.alpha) - 1) // 10)
        shown = sorted({*range(0, len(curve.alpha), step), len(curve.alpha) - 1})
        for index in shown:
            cells = [percent(rate[index]) for rate in (curve.far, curve.frr, curve.hter)]
            threshold = curve.threshold[index]
            table.add_row(
                curve.system if index == 0 else "",
                f"{curve.alpha[index]:.3g}",
                number(threshold) if threshold == threshold else "several",
                *cells,
                *([_figure(curve, index)] if other else []),
                *([] if band is None else [f"{percent(band.low[index])} .. {percent(band.high[index])}"]),
                end_section=index == shown[-1],
            )
    print_table(table)
    for curve in curves:
        click.echo(
            f"{curve.system}: mean {curve.measure.label} along the curve {percent(curve.mean())} %, {curve.kind}"
        )
        if curve.system in areas:
            area = areas[curve.system]
            interval = area.get("intervals", {}).get("g")
            click.echo(
                f"  expected HTER over target FARs {percent(area['e_v1'])} % (15), over target FRRs "
                f"{percent(area['e_v2'])} % (16), G {percent(area['g'])} % (18)"
                + (f", interval {percent(interval['low'])} .. {percent(interval['high'])}" if interval else "")
                + f", targets {area['low']:g} to {area['high']:g}"
            )
