"""fairtrial plot"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from fairtrial.cli import benchmark as cli_benchmark
from fairtrial.cli import compare as cli_compare
from fairtrial.cli import coverage as cli_coverage
from fairtrial.cli import eer_bound as cli_eer_bound
from fairtrial.cli import epc as cli_epc
from fairtrial.cli import evaluate as cli_evaluate
from fairtrial.cli import options
from fairtrial.cli import plan as cli_plan
from fairtrial.cli.output import print_json
from fairtrial.cli.progress import Bar
from fairtrial.errors import ParameterError, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fairtrial.cli.inputs import Inputs
    from fairtrial.epc import PerformanceCurve
    from fairtrial.plots.coverage import Covered
    from fairtrial.plots.operating import OperatingCurve
    from fairtrial.significance.curves import CurveComparison
    from fairtrial.trials import Trials

    Draw: TypeAlias = Callable[[Figure], Any]
    Work: TypeAlias = Callable[[dict[str, Any]], Draw]

READING = "systems format_ columns labels names negate negate_system nan common diagonal transpose"
ONE_POINT = f"dev test folds cluster seed criterion alpha dcf confidence {READING}"
TWO_SETS = f"dev test cluster seed confidence {READING}"
ALONG = "points range_ criterion dcf resamples"
FUSING = "normalise criterion alpha missing folds confidence"


@click.group()
def command() -> None:
    """Draw a figure and write it as .png, .svg or .pdf.

    \b
    Examples:
      fairtrial plot det --dev dev.txt --test test.txt --out det.png
      fairtrial plot epc --dev dev.csv --test test.csv --bands simultaneous --out epc.svg
    """


def options_of(related: click.Command, names: str) -> list[click.Parameter]:
    """Options of another command, by the names of their values: what goes in there goes in here."""
    known = {parameter.name: parameter for parameter in related.params}
    return [known[name] for name in names.split()]


def _figure(
    name: str, *parameters: click.Parameter, size: tuple[float, float] = (6.4, 4.6), dpi: int = 120
) -> Callable[[Work], Work]:
    """Make a subcommand of a function from the values of its options to what draws the figure."""

    def decorate(work: Work) -> Work:
        def callback(
            out: str, title: str, width: float | None, height: float | None, dpi: int, json_: bool, **values: Any
        ) -> None:
            from fairtrial.plots.files import check_picture, write_picture

            settings: dict[str, Any] = {"width": width or size[0], "height": height or size[1], "dpi": dpi}
            if width is not None and height is not None:
                settings |= {"width": width, "height": height}
            check_picture(out, **settings)
            write_picture(work(values), out, title=title, **settings)
            if json_:
                print_json({"out": out, "figure": name})
            else:
                click.echo(out)

        own = [
            click.Option(["--out"], required=True, metavar="F", help="The picture: a .png, .svg or .pdf."),
            click.Option(["--title"], default="", metavar="TEXT", help="A line above the figure."),
            click.Option(["--width"], type=float, metavar="INCHES", help=f"Width.  [default: {size[0]:g}]"),
            click.Option(["--height"], type=float, metavar="INCHES", help=f"Height.  [default: {size[1]:g}]"),
            click.Option(["--dpi"], type=int, default=dpi, show_default=True, help="Dots per inch of a .png."),
            click.Option(["--json", "json_"], is_flag=True, help="Print one JSON object and nothing else."),
        ]
        help_ = inspect.cleandoc(work.__doc__ or "")
        command.add_command(click.Command(name, params=[*parameters, *own], callback=callback, help=help_))
        return work

    return decorate


def _operating_curves(values: dict[str, Any]) -> tuple[OperatingCurve, ...]:
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.plots.operating import operating_curves

    inputs = read_inputs(values)
    return operating_curves(inputs.dev, inputs.test, blocks=inputs.blocks, **_one_point(values))


def _one_point(values: dict[str, Any]) -> dict[str, Any]:
    """The settings of one operating point."""
    return {
        "criterion": options.criterion_by_name(values["criterion"], values["dcf"]),
        "alpha": values["alpha"],
        "confidence": values["confidence"],
        "cluster": values["cluster"],
    }


@_figure("det", *options_of(cli_evaluate.command, ONE_POINT), size=(5.4, 5.4))
def _det(values: dict[str, Any]) -> Draw:
    """DET curves on probit axes, with the point that the threshold from dev gives and its intervals.

    \b
    Example:
      fairtrial plot det --dev dev.txt --test test.txt --out det.png
    """
    from fairtrial.plots.det import det_plot

    curves = _operating_curves(values)
    return lambda figure: det_plot(curves, ax=figure.add_subplot())


@_figure(
    "roc",
    *options_of(cli_evaluate.command, ONE_POINT),
    click.Option(["--limit"], type=float, metavar="X", help="How far the axes reach, a fraction."),
    size=(5.4, 5.6),
)
def _roc(values: dict[str, Any]) -> Draw:
    """ROC curves of errors with the EER line, and the point that the threshold from dev gives.

    \b
    Example:
      fairtrial plot roc --dev dev.csv --test test.csv --system face --system voice --out roc.svg
    """
    from fairtrial.plots.roc import roc_plot

    if values["limit"] is not None and not 0 < values["limit"] <= 1:
        raise ParameterError(f"--limit must be a fraction above 0 and at most 1, not {values['limit']}")
    curves = _operating_curves(values)
    return lambda figure: roc_plot(curves, limit=values["limit"], ax=figure.add_subplot())


def _curves(values: dict[str, Any], inputs: Inputs, systems: Sequence[str]) -> list[PerformanceCurve]:
    from fairtrial.epc import alpha_grid, cross_validated_curve, performance_curve

    low, high = values["range_"]
    settings: dict[str, Any] = {
        "alphas": alpha_grid(values["points"], low=low, high=high),
        "criterion": options.criterion_by_name(values["criterion"], values["dcf"]),
        "measure": options.measure_by_name(values.get("measure", "hter"), values["dcf"]),
    }
    if inputs.test is None:
        return [cross_validated_curve(inputs.dev, inputs.blocks, system=name, **settings) for name in systems]
    return [performance_curve(inputs.dev, inputs.test, system=name, **settings) for name in systems]


@_figure(
    "epc",
    *options_of(cli_epc.command, f"dev test folds cluster seed {ALONG} measure bands confidence workers pool {READING}"),
    click.Option(
        ["--mark"], type=float, multiple=True, metavar="ALPHA", help="Mark the HTER here with its interval; repeatable."
    ),
)
def _epc(values: dict[str, Any]) -> Draw:
    """Expected Performance Curves of all systems, with bands.

    \b
    Example:
      fairtrial plot epc --dev dev.txt --test test.txt --bands simultaneous --mark .5 --out epc.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.epc import pool_curves
    from fairtrial.evaluation import evaluate
    from fairtrial.intervals.bands import curve_band
    from fairtrial.plots.epc import epc_plot

    inputs = read_inputs(values)
    if inputs.test is None and (values["bands"] != "none" or values["mark"]):
        raise ParameterError("bands and marks need a test set with thresholds from dev; leave them out or give --test")
    if values["mark"] and values["measure"] != "hter":
        raise ParameterError(f"--mark shows the HTER, not {values['measure']}; leave it out")
    curves = _curves(values, inputs, inputs.systems)
    bands, points = {}, []
    with Bar("bands and marks", len(curves)) as bar:
        for curve in curves:
            if inputs.test is not None and values["bands"] != "none":
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
            for alpha in values["mark"] if inputs.test is not None else ():
                settings = _one_point({**values, "alpha": alpha})
                points.append(evaluate(inputs.dev, inputs.test, system=curve.system, **settings))
            bar.advance()
    if values["pool"]:
        curves.append(pool_curves(curves))
    return lambda figure: epc_plot(curves, bands=bands, points=points, ax=figure.add_subplot())


def _two_systems(values: dict[str, Any]) -> tuple[Inputs, Trials, str, str]:
    """Dev and test trials, and the two systems asked for; they need not be named where there are only two."""
    from fairtrial.cli.inputs import read_inputs

    names = tuple(name.strip() for name in values["chosen"].split(",")) if values["chosen"] else values["systems"]
    inputs = read_inputs({**values, "systems": names, "folds": None})
    if len(set(inputs.systems)) != 2:
        raise ParameterError(f"the figure shows two systems, not {listed(inputs.systems)}; name them as in --systems A,B")
    assert inputs.test is not None
    return inputs, inputs.test, *inputs.systems


def _compared(values: dict[str, Any]) -> tuple[PerformanceCurve, PerformanceCurve, CurveComparison]:
    from fairtrial.significance.curves import compare_curves

    inputs, test, *names = _two_systems(values)
    a, b = _curves(values, inputs, names)
    comparison = compare_curves(
        a,
        b,
        test,
        method=values["method"],
        cluster=values["cluster"],
        simultaneous=values["simultaneous"],
        confidence=values["confidence"],
        n_resamples=values["resamples"],
        rng=values["seed"],
    )
    return a, b, comparison


_COMPARED = [
    *options_of(cli_compare.command, f"chosen {TWO_SETS}"),
    *options_of(cli_epc.command, f"{ALONG} method simultaneous"),
]


@_figure("epc-compare", *_COMPARED)
def _epc_compare(values: dict[str, Any]) -> Draw:
    """Two Expected Performance Curves, shaded where they differ significantly.

    \b
    Example:
      fairtrial plot epc-compare --dev dev.csv --test test.csv --systems face,voice --out compared.png
    """
    from fairtrial.plots.epc_compare import epc_comparison_plot

    found = _compared(values)
    return lambda figure: epc_comparison_plot(*found, ax=figure.add_subplot())


@_figure(
    "epc-significance",
    *_COMPARED,
    click.Option(["--levels"], default=".1,.5,.9", show_default=True, metavar="P,..", help="Lines in the lower panel."),
    size=(6.4, 6.2),
)
def _epc_significance(values: dict[str, Any]) -> Draw:
    """Two Expected Performance Curves above the confidence that the first system is the worse one.

    \b
    Example:
      fairtrial plot epc-significance --dev dev.csv --test test.csv --systems face,voice --out sure.png
    """
    from fairtrial.plots.epc_significance import epc_significance_plot

    try:
        levels = [float(level) for level in values["levels"].split(",")]
    except ValueError as error:
        raise ParameterError(f"--levels {values['levels']}: expected numbers parted by commas") from error
    found = _compared(values)
    return lambda figure: epc_significance_plot(*found, levels=levels, figure=figure)


@_figure(
    "pooled-epc",
    *options_of(cli_benchmark.command, f"data protocol fusions {FUSING} repeats seed workers"),
    click.Option(["--group"], default="all", show_default=True, help="Which group, where several methods are drawn."),
)
def _pooled_epc(values: dict[str, Any]) -> Draw:
    """Pooled Expected Performance Curves of a benchmark: its groups by one fusion method, or one group by several.

    \b
    Examples:
      fairtrial plot pooled-epc --normalise z --out groups.png
      fairtrial plot pooled-epc --fusion mean,logistic --group "LP1: multimodal" --out methods.png
    """
    from pathlib import Path

    from fairtrial.benchmark.datasets import DATASETS, load_dataset
    from fairtrial.benchmark.manifest import read_benchmark
    from fairtrial.benchmark.protocols import list_experiments
    from fairtrial.benchmark.runner import RunSettings, run_benchmark
    from fairtrial.plots.pooled import pooled_epc_plot

    data, seed = values["data"], values["seed"]
    if seed < 0:
        raise ParameterError(f"a seed must be a whole number of at least 0, not {seed}")
    if data not in DATASETS and not Path(data).exists():
        raise ParameterError(f"--data {data}: there is no such directory, and no set; sets are {', '.join(DATASETS)}")
    known = data in DATASETS
    benchmark = load_dataset(data, seed=seed, repeats=values["repeats"]) if known else read_benchmark(data)
    names = [name.strip() for name in values["fusions"].split(",")]
    shared: dict[str, Any] = {name: values[name] for name in ("normalise", "alpha", "missing", "folds", "confidence")}
    rule = options.criterion_by_name(values["criterion"], None)
    results = []
    with Bar("fusing", len(names) * len(list_experiments(benchmark, values["protocol"]))) as bar:
        for name in names:
            settings = RunSettings(fusion=name, criterion=rule, seed=seed, **shared)
            results.append(
                run_benchmark(
                    benchmark,
                    protocol=values["protocol"],
                    settings=settings,
                    workers=values["workers"],
                    progress=bar.advance,
                )
            )
    return lambda figure: pooled_epc_plot(results, group=values["group"], ax=figure.add_subplot())


@_figure(
    "bootstrap",
    *options_of(cli_compare.command, f"chosen {TWO_SETS} criterion alpha dcf resamples workers"),
    click.Option(
        ["--method"],
        type=click.Choice(["percentile", "centred", "bca"]),
        default="percentile",
        show_default=True,
        help="How the interval is made of the replicates.",
    ),
)
def _bootstrap(values: dict[str, Any]) -> Draw:
    """The histogram of the bootstrapped difference of two HTERs, with the bounds of its interval and zero.

    \b
    Example:
      fairtrial plot bootstrap --dev dev.csv --test test.csv --systems face,voice --out difference.png
    """
    from fairtrial.comparison import compare
    from fairtrial.plots.bootstrap import bootstrap_plot

    inputs, test, *_ = _two_systems(values)
    more: dict[str, Any] = {"n_resamples": values["resamples"], "rng": values["seed"], "workers": values["workers"]}
    (pair,) = compare(inputs.dev, test, **_one_point(values), **more).pairs
    return lambda figure: bootstrap_plot(pair, method=values["method"], ax=figure.add_subplot())


@_figure(
    "scatter",
    *options_of(cli_compare.command, f"chosen dev test seed criterion alpha dcf {READING}"),
    click.Option(["--points"], type=int, default=500, show_default=True, help="At most so many trials of each class."),
    size=(5.8, 5.4),
)
def _scatter(values: dict[str, Any]) -> Draw:
    """The scores of two systems against each other, a seeded subsample, with the Gaussian of each class.

    \b
    Example:
      fairtrial plot scatter --dev dev.csv --test test.csv --systems face,voice --points 300 --out scatter.png
    """
    from fairtrial.criteria import choose_thresholds
    from fairtrial.plots.scatter import scatter_data, scatter_plot

    inputs, test, *names = _two_systems(values)
    rule = options.criterion_by_name(values["criterion"], values["dcf"])
    thresholds = {
        name: float(choose_thresholds(inputs.dev, rule, values["alpha"], system=name).threshold[0]) for name in names
    }
    data = scatter_data(test, *names, points=values["points"], rng=values["seed"])
    return lambda figure: scatter_plot(data, thresholds=thresholds, ax=figure.add_subplot())


@_figure(
    "diagnostic",
    *options_of(cli_compare.command, f"dev test cluster seed criterion alpha dcf confidence {READING}"),
    click.Option(["--bins"], type=int, default=40, show_default=True, help="Bins of the histograms."),
    size=(9.6, 7.4),
    dpi=100,
)
def _diagnostic(values: dict[str, Any]) -> Draw:
    """Four panels: densities of scores, FAR and FRR against the threshold, the WER at alpha, and the DET curve.

    \b
    Example:
      fairtrial plot diagnostic --dev dev.csv --test test.csv --system face --out diagnostic.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.plots.diagnostic import diagnostic_plot, diagnostics

    inputs = read_inputs({**values, "folds": None})
    assert inputs.test is not None
    found = diagnostics(inputs.dev, inputs.test, bins=values["bins"], **_one_point(values))
    return lambda figure: diagnostic_plot(found, figure=figure)


@_figure(
    "hter-sd",
    click.Option(["--far"], type=float, default=0.1, show_default=True, help="False acceptance rate, a fraction."),
    click.Option(["--frr"], type=float, default=0.2, show_default=True, help="False rejection rate, a fraction."),
    click.Option(["--genuine"], type=int, default=100, show_default=True, metavar="NC", help="Genuine trials."),
    click.Option(["--most"], type=float, default=1000.0, show_default=True, help="The largest NI / NC."),
)
def _hter_sd(values: dict[str, Any]) -> Draw:
    """Standard deviations of HTER, NAIVE and CLASS against the ratio of impostor to genuine trials.

    \b
    Example:
      fairtrial plot hter-sd --far .1 --frr .2 --genuine 100 --out hter-sd.png
    """
    from math import isfinite

    from fairtrial.plots.hter_sd import RATIOS, hter_deviations, hter_sd_plot

    if not (isfinite(values["most"]) and values["most"] > 1):
        raise ParameterError(f"--most must be above 1, not {values['most']}")
    ratios = [values["most"] ** (k / (len(RATIOS) - 1)) for k in range(len(RATIOS))]
    found = hter_deviations(far=values["far"], frr=values["frr"], genuine=values["genuine"], ratios=ratios)
    return lambda figure: hter_sd_plot(found, ax=figure.add_subplot())
