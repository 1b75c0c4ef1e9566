"""fairtrial plot"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from fairtrial.checks import check_seed
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
    from fairtrial.cli.inputs import Inputs
    from fairtrial.epc import PerformanceCurve
    from fairtrial.individuals import Grid
    from fairtrial.plots.coverage import Covered
    from fairtrial.plots.files import Draw
    from fairtrial.plots.operating import OperatingCurve
    from fairtrial.significance.curves import CurveComparison
    from fairtrial.trials import Trials

    Work: TypeAlias = Callable[[dict[str, Any]], Draw]

READING = "systems format_ columns labels names negate negate_system nan common diagonal transpose"
ONE_POINT = f"dev test folds cluster seed criterion alpha dcf confidence eer_definition {READING}"
TWO_SETS = f"dev test cluster seed confidence {READING}"
ALONG = "points range_ criterion dcf resamples"
PLANNED = "pi rho half_width scale below a b power individuals attempts confidence"
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


def _option(flag: str, help_: str, kind: Any = None, default: Any = None, **more: Any) -> click.Option:
    choice = click.Choice(kind) if isinstance(kind, list) else kind
    given = {} if default is None else {"default": default, "show_default": True}
    return click.Option([flag], type=choice, help=help_, **given, **more)


def _figure(
    name: str, *parameters: click.Parameter, size: tuple[float, float] = (6.4, 4.6), dpi: int = 120
) -> Callable[[Work], Work]:
    """Make a subcommand of a function from the values of its options to what draws the figure."""

    def decorate(work: Work) -> Work:
        def callback(out: str, title: str, width: float, height: float, dpi: int, json_: bool, **values: Any) -> None:
            from fairtrial.plots.files import check_picture, write_picture

            check_picture(out, width=width, height=height, dpi=dpi)
            write_picture(work(values), out, title=title, width=width, height=height, dpi=dpi)
            if json_:
                print_json({"out": out, "figure": name})
            else:
                click.echo(out)

        own = [
            _option("--out", "The picture: a .png, .svg or .pdf.", required=True, metavar="F"),
            click.Option(["--title"], default="", metavar="TEXT", help="A line above the figure."),
            _option("--width", "Width in inches.", float, size[0]),
            _option("--height", "Height in inches.", float, size[1]),
            _option("--dpi", "Dots per inch of a .png.", int, dpi),
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
    more = {**_one_point(values), "eer": values["eer_definition"]}
    return operating_curves(inputs.dev, inputs.test, blocks=inputs.blocks, **more)


def _one_point(values: dict[str, Any]) -> dict[str, Any]:
    """The settings of one operating point."""
    rule = options.criterion_by_name(values["criterion"], values["dcf"])
    rule.resolve_alpha(values["alpha"])
    return {"criterion": rule, **{name: values[name] for name in ("alpha", "confidence", "cluster")}}


def _thresholds(values: dict[str, Any], inputs: Inputs) -> dict[str, float]:
    """The threshold of each system from dev."""
    from fairtrial.rules.criteria import choose_thresholds

    rule = options.criterion_by_name(values["criterion"], values["dcf"])
    alpha = rule.resolve_alpha(values["alpha"])
    chosen = {name: choose_thresholds(inputs.dev, rule, alpha, system=name) for name in inputs.systems}
    return {name: float(counts.threshold[0]) for name, counts in chosen.items()}


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
    _option("--limit", "How far the axes reach, a fraction.", float),
    size=(5.4, 5.6),
)
def _roc(values: dict[str, Any]) -> Draw:
    """ROC curves of errors with the EER line, and the point that the threshold from dev gives.

    \b
    Example:
      fairtrial plot roc --dev dev.csv --test test.csv --system face --system voice --out roc.svg
    """
    from fairtrial.plots.roc import roc_plot

    curves = _operating_curves(values)
    return lambda figure: roc_plot(curves, limit=values["limit"], ax=figure.add_subplot())


@_figure(
    "epc",
    *options_of(cli_epc.command, f"{TWO_SETS} folds {ALONG} measure bands workers pool"),
    _option("--mark", "Mark the HTER at this alpha with its interval; may be repeated.", float, multiple=True),
)
def _epc(values: dict[str, Any]) -> Draw:
    """Expected Performance Curves of all systems, with bands.

    \b
    Example:
      fairtrial plot epc --dev dev.txt --test test.txt --bands simultaneous --mark .5 --out epc.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.evaluation import evaluate
    from fairtrial.plots.epc import epc_plot

    inputs = read_inputs(values)
    if values["mark"] and (inputs.test is None or values["measure"] != "hter"):
        raise ParameterError("--mark shows the HTER of a test set; leave it out, or give --test and no --measure")
    curves = _along(values, inputs)
    bands = cli_epc.bands_of(values, inputs, curves)
    test = inputs.dev if inputs.test is None else inputs.test
    points = [
        evaluate(inputs.dev, test, system=name, **_one_point({**values, "alpha": alpha}))
        for name in inputs.systems
        for alpha in values["mark"]
    ]
    return lambda figure: epc_plot(curves, bands=bands, points=points, ax=figure.add_subplot())


def _along(values: dict[str, Any], inputs: Inputs) -> list[PerformanceCurve]:
    """The curves as `fairtrial epc` has them."""
    return cli_epc.curves_of({"measure": "hter", "pool": False, **values, "no_areas": True}, inputs)[0]


def _two_systems(values: dict[str, Any]) -> tuple[Inputs, Trials]:
    """Dev and test trials of the two systems asked for, which need not be named where there are only two."""
    from fairtrial.cli.inputs import read_inputs

    names = tuple(name.strip() for name in values["chosen"].split(",")) if values["chosen"] else values["systems"]
    inputs = read_inputs({**values, "systems": names, "folds": None})
    if len(inputs.systems) != 2:
        raise ParameterError(f"the figure is of two systems, not {listed(inputs.systems)}; choose with --systems A,B")
    assert inputs.test is not None
    return inputs, inputs.test


def _compared(values: dict[str, Any]) -> tuple[PerformanceCurve, PerformanceCurve, CurveComparison]:
    from fairtrial.significance.curves import compare_curves

    inputs, test = _two_systems(values)
    a, b = _along(values, inputs)
    more: dict[str, Any] = {name: values[name] for name in ("method", "cluster", "simultaneous", "confidence")}
    return a, b, compare_curves(a, b, test, n_resamples=values["resamples"], rng=values["seed"], **more)


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
    _option("--levels", "Lines in the lower panel.", default=".1,.5,.9"),
    size=(6.4, 6.2),
)
def _epc_significance(values: dict[str, Any]) -> Draw:
    """Two Expected Performance Curves above the confidence that the first system is the worse one.

    \b
    Example:
      fairtrial plot epc-significance --dev dev.csv --test test.csv --systems face,voice --out sure.png
    """
    from fairtrial.plots.epc_significance import epc_significance_plot

    levels = cli_coverage.numbers_of("--levels", values["levels"], float)
    found = _compared(values)
    return lambda figure: epc_significance_plot(*found, levels=levels, figure=figure)


@_figure(
    "pooled-epc",
    *options_of(cli_benchmark.command, f"data protocol fusions {FUSING} repeats seed workers"),
    _option("--group", "Which group, where several methods are drawn.", default="all"),
)
def _pooled_epc(values: dict[str, Any]) -> Draw:
    """Pooled Expected Performance Curves of a benchmark: its groups by one fusion method, or one group by several.

    \b
    Examples:
      fairtrial plot pooled-epc --normalise z --out groups.png
      fairtrial plot pooled-epc --fusion mean,logistic --group "LP1: multimodal" --out methods.png
    """
    from fairtrial.benchmark.protocols import list_experiments
    from fairtrial.benchmark.runner import RunSettings, run_benchmark
    from fairtrial.plots.pooled import pooled_epc_plot

    check_seed(values["seed"])
    benchmark = cli_benchmark.load_benchmark(values["data"], values["seed"], values["repeats"])
    names = [name.strip() for name in values["fusions"].split(",")]
    shared: dict[str, Any] = {name: values[name] for name in f"{FUSING} seed".split()}
    shared["criterion"] = options.criterion_by_name(values["criterion"], None)
    shared["criterion"].resolve_alpha(values["alpha"])
    run = partial(run_benchmark, benchmark, protocol=values["protocol"], workers=values["workers"])
    with Bar("fusing", len(names) * len(list_experiments(benchmark, values["protocol"]))) as bar:
        results = [run(settings=RunSettings(fusion=name, **shared), progress=bar.advance) for name in names]
    return lambda figure: pooled_epc_plot(results, group=values["group"], ax=figure.add_subplot())


@_figure(
    "bootstrap",
    *options_of(cli_compare.command, f"chosen {TWO_SETS} criterion alpha dcf resamples workers"),
    _option("--method", "How the interval is made.", ["percentile", "centred", "bca"], "percentile"),
)
def _bootstrap(values: dict[str, Any]) -> Draw:
    """The histogram of the bootstrapped difference of two HTERs, with the bounds of its interval and zero.

    \b
    Example:
      fairtrial plot bootstrap --dev dev.csv --test test.csv --systems face,voice --out difference.png
    """
    from fairtrial.comparison import compare
    from fairtrial.plots.bootstrap import bootstrap_plot

    inputs, test = _two_systems(values)
    more: dict[str, Any] = {"n_resamples": values["resamples"], "rng": values["seed"], "workers": values["workers"]}
    (pair,) = compare(inputs.dev, test, **_one_point(values), **more).pairs
    return lambda figure: bootstrap_plot(pair, method=values["method"], ax=figure.add_subplot())


@_figure(
    "scatter",
    *options_of(cli_compare.command, f"chosen dev test seed criterion alpha dcf {READING}"),
    _option("--points", "At most so many trials of each class.", int, 500),
    size=(5.8, 5.4),
)
def _scatter(values: dict[str, Any]) -> Draw:
    """The scores of two systems against each other, a seeded subsample, with the Gaussian of each class.

    \b
    Example:
      fairtrial plot scatter --dev dev.csv --test test.csv --systems face,voice --points 300 --out scatter.png
    """
    from fairtrial.plots.scatter import scatter_data, scatter_plot

    inputs, test = _two_systems(values)
    thresholds = _thresholds(values, inputs)
    data = scatter_data(test, *inputs.systems, points=values["points"], rng=values["seed"])
    return lambda figure: scatter_plot(data, thresholds=thresholds, ax=figure.add_subplot())


@_figure(
    "diagnostic",
    *options_of(cli_compare.command, f"dev test cluster seed criterion alpha dcf confidence {READING}"),
    _option("--bins", "Bins of the histograms.", int, 40),
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
    _option("--far", "False acceptance rate, a fraction.", float, 0.1),
    _option("--frr", "False rejection rate, a fraction.", float, 0.2),
    _option("--genuine", "Number of genuine trials, NC.", int, 100),
    _option("--most", "The largest NI / NC.", float, 1000.0),
)
def _hter_sd(values: dict[str, Any]) -> Draw:
    """Standard deviations of HTER, NAIVE and CLASS against the ratio of impostor to genuine trials.

    \b
    Example:
      fairtrial plot hter-sd --far .1 --frr .2 --genuine 100 --out hter-sd.png
    """
    from fairtrial.plots.hter_sd import hter_deviations, hter_sd_plot, ratios_up_to

    rates: dict[str, Any] = {name: values[name] for name in ("far", "frr", "genuine")}
    found = hter_deviations(ratios=ratios_up_to(values["most"]), **rates)
    return lambda figure: hter_sd_plot(found, ax=figure.add_subplot())


_STUDY = [
    click.Argument(["file"], required=False, metavar="[FILE]"),
    *options_of(cli_coverage.command, "n m pi rho datasets resamples exact generator methods confidence seed workers"),
]


def _covered(values: dict[str, Any], start: Grid) -> tuple[Sequence[Covered], int | None]:
    """The rows of the study in a file, or of one that is run; and the data sets of each cell, if they were drawn."""
    from fairtrial.individuals import StudySettings, run_study
    from fairtrial.plots.coverage import choose_rows, read_study

    if values["file"] is not None:
        given = {name: values[name] for name in ("n", "m", "pi", "rho") if values[name] is not None}
        wanted = {name: cli_coverage.numbers_of(f"--{name}", text, float) for name, text in given.items()}
        return choose_rows(read_study(values["file"]), **wanted), None
    grid = cli_coverage.grid_of(start, *(values[name] for name in ("n", "m", "pi", "rho")))
    settings = StudySettings(
        methods=values["methods"] or StudySettings().methods,
        data_sets=values["datasets"],
        n_resamples=values["resamples"] or None,
        **{name: values[name] for name in ("generator", "confidence", "exact", "seed")},
    )
    with Bar("covering", len(grid)) as bar:
        study = run_study(grid, settings, workers=values["workers"], progress=bar.advance)
    return study.rows, None if settings.exact else settings.data_sets


@_figure("coverage", *options_of(cli_coverage.command, "grid_name"), *_STUDY, size=(10.8, 7.4), dpi=100)
def _coverage(values: dict[str, Any]) -> Draw:
    """The map of a coverage study: blocks by n and m, squares by pi and rho, in the classes of Table 1.

    FILE is what `fairtrial coverage --out` wrote, of which --n, --m, --pi and --rho choose cells; without it, a study
    is run on the spot.

    \b
    Examples:
      fairtrial plot coverage coverage.parquet --out coverage.png
      fairtrial plot coverage --grid paper --datasets 100 --method lbb --method brr --out coverage.png
    """
    from fairtrial.individuals import PAPER, QUICK
    from fairtrial.plots.coverage import coverage_plot

    if values["file"] is not None and values["grid_name"] is not None:
        raise ParameterError("--grid does not go with a file, which has the cells of its own study")
    rows, _ = _covered(values, PAPER if values["grid_name"] == "paper" else QUICK)
    return lambda figure: coverage_plot(rows, methods=values["methods"] or None, figure=figure)


@_figure("hook", *_STUDY)
def _hook(values: dict[str, Any]) -> Draw:
    """Coverage against the attempts of each individual, for one n, pi and rho: the hook paradox.

    FILE is what `fairtrial coverage --out` wrote, of which --n, --pi and --rho choose a cell; without it, a study is
    run on the spot, at n 500, pi .001 and rho .4 if nothing else is said.

    \b
    Examples:
      fairtrial plot hook --datasets 5000 --out hook.png
      fairtrial plot hook coverage.parquet --n 500 --pi .001 --rho .4 --method lbb --out hook.png
    """
    from fairtrial.individuals import PAPER, Grid
    from fairtrial.plots.hook import hook_plot

    rows, drawn = _covered(values, Grid((500,), PAPER.m, (0.001,), (0.4,)))
    more: dict[str, Any] = {"methods": values["methods"] or None, "confidence": values["confidence"]}
    return lambda figure: hook_plot(rows, data_sets=drawn, ax=figure.add_subplot(), **more)


@_figure("eer-bound", *options_of(cli_eer_bound.command, "eers trials p_value"))
def _eer_bound(values: dict[str, Any]) -> Draw:
    """The p value over chi2, with published EERs where the bound puts them; EERs are fractions.

    \b
    Example:
      fairtrial plot eer-bound .0057 .0008 .0007 .0028 0 --trials 285390 --out bound.png
    """
    from fairtrial.plots.eer_bound import eer_bound_plot
    from fairtrial.significance import bounds_from_eers

    bounds = bounds_from_eers(values["eers"], values["trials"])
    return lambda figure: eer_bound_plot(bounds, p_value=values["p_value"], ax=figure.add_subplot())


@_figure(
    "plan",
    *options_of(
        cli_plan.command, f"{PLANNED} impostor_attempts impostors rho_impostor correlation unpaired person_cost"
    ),
)
def _plan(values: dict[str, Any]) -> Draw:
    """The trade-off between people and attempts of a planned test; with --a and --b, power against people.

    \b
    Examples:
      fairtrial plot plan --pi .02 --rho .1 --half-width .005 --person-cost 10 --out plan.png
      fairtrial plot plan --a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --out power.png
    """
    from fairtrial.planning import plan_comparison, plan_rate
    from fairtrial.plots.plan import plan_plot, power_curve, power_plot

    both = {name: values[name] for name in ("power", "confidence", "individuals")}
    if (values["a"] is None) != (values["b"] is None):
        raise ParameterError("a comparison needs both --a FAR FRR and --b FAR FRR")
    if values["a"] is None:
        if values["pi"] is None:
            raise ParameterError("say which error rate is expected, as in --pi .01; or compare two with --a and --b")
        more = {name: values[name] for name in ("half_width", "scale", "attempts", "person_cost")}
        one = plan_rate(values["pi"], values["rho"], claim=values["below"], **both, **more)
        return lambda figure: plan_plot(one, ax=figure.add_subplot())
    correlation = None if values["unpaired"] else values["correlation"]
    both |= {name: 1 if values[name] is None else values[name] for name in ("attempts", "impostor_attempts")}
    both |= {name: values[name] for name in ("impostors", "rho_impostor")}
    find = partial(
        plan_comparison,
        values["a"],
        values["b"],
        correlation=correlation,
        rho_client=values["rho"],
        data_sets=0,
        **both,
    )
    data = power_curve(find(), lambda people: find(individuals=people).power)
    return lambda figure: power_plot(data, ax=figure.add_subplot())


@_figure(
    "zoo",
    *options_of(cli_compare.command, f"dev test seed criterion alpha dcf {READING}"),
    _option("--shows", "Mean scores, or error rates at the threshold from dev.", ["scores", "errors"], "scores"),
    _option("--by", "claim: who is imitated (lambs); subject: who imitates (wolves).", ["claim", "subject"], "claim"),
    size=(6.0, 5.4),
)
def _zoo(values: dict[str, Any]) -> Draw:
    """Doddington's zoo of one system: everybody by genuine and impostor trials, goats and lambs by name.

    \b
    Example:
      fairtrial plot zoo --dev dev.csv --test test.csv --system face --out zoo.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.plots.zoo import zoo_data, zoo_plot

    inputs = read_inputs({**values, "folds": None})
    if inputs.test is None or len(inputs.systems) != 1:
        raise ParameterError(f"the zoo is of one system, not {listed(inputs.systems)}; name it with --system")
    (threshold,) = _thresholds(values, inputs).values()
    zoo = zoo_data(inputs.test, by=values["by"], shows=values["shows"], threshold=threshold)
    return lambda figure: zoo_plot(zoo, ax=figure.add_subplot())
