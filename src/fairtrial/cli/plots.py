"""The commands of `fairtrial plot`: each figure with the functions that give its data."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import click

from fairtrial.cli.command import (
    Command,
    Declared,
    Option,
    ask,
    help_text,
    load,
    make_command,
    option_of,
    values_of,
    with_costs,
)
from fairtrial.cli.files import READ, WRITTEN, check_not_read, named_files
from fairtrial.cli.inputs import reading_arguments
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, arguments_of, parameter_of
from fairtrial.figures.table import FIGURES

_DATA = "fairtrial.figures.data:"
_SETS = "--dev dev.csv --test test.csv"
_GROUPS = "fairtrial.groups.evaluation:evaluate_groups"
_CALIBRATED = "fairtrial.calibration.systems:calibrate_systems"
_EPC = "fairtrial.evaluation.expected:expected_performance"
_NO_AREAS = ("areas", "no_areas", "convention")
_NO_TESTS = ("costs", "partition", "correction", "model", "rng", "confidence")
_ONE_POINT = ("own_thresholds", "factor", "weight")


@dataclass(frozen=True, slots=True)
class Plot:
    """Where a figure's data come from.

    Parameters
    ----------
    data : tuple of str
        Functions as module:name, each applied to what the one before gives.
    examples : tuple of str
        Lines for the help, without the command.
    about : str
        More sentences for the help.
    reads, positional, skip
        As of `Declared`.
    fixed : dict
        Keyword arguments of the first function that cannot be chosen.
    two : bool
        Whether it is of two systems.
    """

    data: tuple[str, ...]
    examples: tuple[str, ...]
    about: str = ""
    reads: str = "sets"
    positional: Mapping[str, str] = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    two: bool = False


PLOTS = {
    "det": Plot(("fairtrial.figures.det:operating_curves",), (f"{_SETS} --out det.png",), skip=("max_points",)),
    "roc": Plot(("fairtrial.figures.det:operating_curves",), (f"{_SETS} --out roc.svg",), skip=("max_points",)),
    "precision-recall": Plot(
        ("fairtrial.figures.det:judged_precision",),
        (f"{_SETS} --out precision.png", f"{_SETS} --criterion recall-at-least --alpha .9 --out p.png"),
        skip=("max_points",),
    ),
    "epc": Plot(
        (_EPC, f"{_DATA}marked_curves"),
        (f"{_SETS} --bands simultaneous --mark .5 --out epc.png",),
        skip=(*_NO_AREAS, "compare", "method", "simultaneous"),
        fixed={"no_areas": True},
    ),
    "epc-compare": Plot(
        (_EPC, f"{_DATA}compared_curves"),
        (f"{_SETS} --systems face,voice --out compared.png",),
        skip=(*_NO_AREAS, "compare", "bands", "band_method", "pool", "folds"),
        fixed={"no_areas": True},
        two=True,
    ),
    "epc-significance": Plot(
        (_EPC, f"{_DATA}compared_curves"),
        (f"{_SETS} --systems face,voice --out sure.png",),
        "The lower panel is the confidence that the first system is the worse one.",
        skip=(*_NO_AREAS, "compare", "bands", "band_method", "pool", "folds"),
        fixed={"no_areas": True},
        two=True,
    ),
    "pooled-epc": Plot(
        ("fairtrial.benchmark.pooling:benchmark_data", f"{_DATA}pooled_curves"),
        ("--normalise z --out groups.png", "--fusion mean,logistic --points 21 --bands pointwise --out methods.png"),
        "Its groups by one fusion method, or one group by several.",
        reads="",
        skip=("pooled", "only", "failed_enrolment"),
        fixed={"keep_scores": True},
    ),
    "bootstrap": Plot(
        ("fairtrial.evaluation.comparison:compare", f"{_DATA}leading_pair"),
        (f"{_SETS} --systems face,voice --out difference.png",),
        skip=("folds", "five_by_two", "reference", "correction", "alternative", "margin"),
        two=True,
    ),
    "scatter": Plot(
        (f"{_DATA}scatter_sets",), (f"{_SETS} --systems face,voice --points 300 --out scatter.png",), two=True
    ),
    "correlation": Plot(
        (f"{_DATA}dev_correlations",), ("--dev dev.csv --systems face,voice,phone --out correlation.png",), reads="dev"
    ),
    "diagnostic": Plot(("fairtrial.figures.scores:diagnostics",), (f"{_SETS} --system face --out diagnostic.png",)),
    "bayes-error": Plot((_CALIBRATED, f"{_DATA}bayes_errors"), (f"{_SETS} --out bayes-error.png",), skip=_NO_TESTS),
    "ece": Plot((_CALIBRATED, f"{_DATA}cross_entropies"), (f"{_SETS} --out ece.png",), skip=_NO_TESTS),
    "tippett": Plot((_CALIBRATED, f"{_DATA}tippett_curves"), (f"{_SETS} --out tippett.png",), skip=_NO_TESTS),
    "pav": Plot(
        (_CALIBRATED, f"{_DATA}pav_curves"),
        (f"{_SETS} --out pav.png", f"{_SETS} --system face --scores --out pav.png"),
        skip=_NO_TESTS,
    ),
    "llr-map": Plot((f"{_DATA}llr_maps",), (f"{_SETS} --system face --method logistic --method pav --out map.png",)),
    "hter-sd": Plot((f"{_DATA}deviations",), ("--far .1 --frr .2 --genuine 100 --out hter-sd.png",), reads=""),
    "coverage": Plot(
        (f"{_DATA}covered_cells",),
        ("coverage.parquet --out coverage.png", "--grid paper --datasets 100 --method lbb --out coverage.png"),
        "FILE is what `fairtrial coverage --out` wrote; without it, a study is run.",
        reads="",
        positional={"file": "[FILE]"},
    ),
    "hook": Plot(
        (f"{_DATA}hook_cells",),
        ("--datasets 5000 --out hook.png", "coverage.parquet --n 500 --pi .001 --rho .4 --out hook.png"),
        "FILE is what `fairtrial coverage --out` wrote; without it, a study is run, at n 500, pi .001 and rho .4.",
        reads="",
        positional={"file": "[FILE]"},
    ),
    "fit": Plot(
        ("fairtrial.repeated.models:fit_test",),
        ("counts.csv --out fit.png",),
        "FILE is a table with the columns errors and attempts, one row per person.",
        reads="",
        positional={"people": "FILE"},
    ),
    "eer-bound": Plot(
        ("fairtrial.published.eer_bound:bounds_from_eers",),
        ("TAN=.0057 DAUGMAN=.0008 MA=.0007 YAO=.0028 BASTYS=0 --trials 285390 --out bound.png",),
        reads="",
        positional={"eers": "[NAME=]EER [NAME=]EER..."},
    ),
    "plan": Plot(
        ("fairtrial.repeated.comparison_plans:plan", f"{_DATA}plan_or_power"),
        (
            "--pi .02 --rho .1 --half-width .005 --person-cost 10 --out plan.png",
            "--a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --out power.png",
        ),
        reads="",
        skip=("data_sets", "rng"),
        fixed={"data_sets": 0},
    ),
    "groups": Plot((_GROUPS,), (f"{_SETS} --people people.csv --by sex --sort far --out groups.png",), skip=_ONE_POINT),
    "group-matrix": Plot((_GROUPS,), (f"{_SETS} --people people.csv --by origin --out matrix.png",), skip=_ONE_POINT),
    "group-det": Plot((_GROUPS,), (f"{_SETS} --by device --group phone --out det.png",), skip=_ONE_POINT),
    "group-epc": Plot(
        (_GROUPS, f"{_DATA}groups_along"),
        (f"{_SETS} --people people.csv --by sex --out epc.png",),
        skip=(*_ONE_POINT, "criterion", "alpha", "cluster", "confidence", "resample", "n_resamples", "rng"),
        fixed={"cluster": "none", "resample": "test"},
    ),
    "zoo": Plot((f"{_DATA}zoo_sets",), (f"{_SETS} --system face --out zoo.png",)),
}
"""The figures by name; their functions are in `figures.table`."""


def make_plot(name: str, declared: Declared) -> click.Command:
    """Make the command of a figure."""
    plot, kind = PLOTS[name], FIGURES[name]
    first, *steps = map(load, plot.data)
    draw = load(f"fairtrial.figures:{kind.function or name.replace('-', '_') + '_plot'}")
    own = [one for one in arguments_of(first) if one.name not in (*plot.skip, *_SOURCES, "blocks", "max_points")]
    if "blocks" in inspect.signature(first).parameters:
        own += [_number("folds"), _number("rng")]
    given = [(first, own)]
    given += [(step, [one for one in arguments_of(step)[1:] if one.name != "asked"]) for step in steps]
    given.append((draw, [one for one in arguments_of(draw)[1:] if one.name not in _DRAWN]))
    base = make_command(name, declared)  # positional arguments, sources and how files are read
    kept = ("dev", "test", "data", "only", "systems", "costs", "terms", "verbose", "json")
    reading = {one.name for one in reading_arguments()} if declared.reads else set()
    params = [one for one in base.params if one.name in (*kept, *reading, *declared.positional)]
    every = {one.name: one for _, group in reversed(given) for one in group}
    taken = {param.name for param in params}
    params += [option_of(one) for key, one in every.items() if key not in taken]
    if "costs" not in taken and every.keys() & {"criterion", "measure"}:
        params.append(option_of(Argument("costs", str, (), 1, False, False, None, "Costs of dcf, as in evaluate.")))
    run = partial(_run, name, plot, declared, given)
    text = help_text(declared, f"fairtrial plot {name}")
    return Command(name, callback=run, params=[*params, *_picture(kind)], help=text)


_SOURCES = ("dev", "test", "system", "systems", "other")
_DRAWN = (
    "ax", "figure", "b", "comparison", "bands", "points", "thresholds", "methods", "data_sets", "confidence", "group",
    "measure",
)  # fmt: skip
"""Parameters of drawing functions that the data decide."""


def _number(name: str) -> Argument:
    """Make an option of a figure that is drawn of folds, too."""
    return Argument(name, int, (), 1, False, False, None, parameter_of(name).help)


def _picture(kind: Any) -> list[click.Parameter]:
    """Make the options of the picture itself."""
    shown: dict[str, Any] = {"group": "Output", "show_default": True}
    width, height = kind.size
    out = "The picture: a .png, .svg or .pdf."
    return [
        Option(["--out"], required=True, type=WRITTEN, metavar="F", help=out, group="Output", basic=True),
        Option(["--title"], default="", metavar="TEXT", help="A line above the figure.", group="Output"),
        Option(["--width"], type=float, default=width, metavar="X", help="Width in inches.", **shown),
        Option(["--height"], type=float, default=height, metavar="X", help="Height in inches.", **shown),
        Option(["--dpi"], type=int, default=kind.dpi, metavar="N", help="Dots per inch of a .png.", **shown),
    ]


def _run(name: str, plot: Plot, declared: Declared, given: list[tuple[Any, list[Argument]]], **typed: Any) -> None:
    from fairtrial.cli.inputs import check_text
    from fairtrial.cli.output import print_notes, say
    from fairtrial.core.tables import json_text
    from fairtrial.figures.style import check_picture, write_picture

    size = {key: typed[key] for key in ("width", "height", "dpi")}
    check_text("--title", typed["title"])
    check_picture(typed["out"], **size)
    context = click.get_current_context()
    check_not_read(context, named_files(context, READ))
    (function, arguments), *others = given
    values, data = ask(declared, function, arguments, typed)
    if plot.two:
        systems = data["dev"].systems
        if len(systems) != 2:
            template = "the figure is of two systems, not {names:list}; choose them with {systems!p} A,B"
            raise ParameterError(template, code="systems", names=systems, systems=0)
        if "compare" in inspect.signature(function).parameters:
            values["compare"] = systems
    if "blocks" in inspect.signature(function).parameters:
        data = _cut_into_folds(values, data)
    values |= plot.fixed
    result: Any = function(**data, **values)
    check_not_read(context, getattr(result, "files", ()))
    for step, own in others[:-1]:
        more = with_costs(values_of(own, typed), typed, required=False)
        asked = {"asked": values} if "asked" in inspect.signature(step).parameters else {}
        result = step(result, **more, **asked)
    draw_values = values_of(others[-1][1], typed)
    drawing, notes = _drawing(name, result, draw_values, data)
    write_picture(drawing, typed["out"], title=typed["title"], **size)
    if typed["json"]:
        from fairtrial.core.results import plain

        say(json_text({"out": typed["out"], "figure": name, **({"notes": plain(notes)} if notes else {})}, indent=2))
    else:
        say(typed["out"])
        print_notes(notes, verbose=typed["verbose"], aside=True)


def _cut_into_folds(values: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Cut the dev trials into folds if there is no test set."""
    folds, seed = values.pop("folds", None), values.pop("rng", 0)
    if folds is None:
        return data
    from fairtrial.inference.folds import make_blocks, with_fold_note

    cluster = values.get("cluster")
    blocks = make_blocks(data["dev"], folds, cluster=cluster, rng=seed)
    return {"dev": with_fold_note(data["dev"], folds, blocks, cluster), "test": None, "blocks": blocks}


def _drawing(name: str, result: Any, values: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """Give what draws a result, and its notes."""
    from fairtrial.core.notes import gather_notes
    from fairtrial.figures.data import Drawn

    kind = FIGURES[name]
    parts = result if isinstance(result, tuple) else (result,)
    judged = [getattr(part, "judgement", None) for part in parts]
    holders = [*parts, *(getattr(part, "curve", None) for part in parts), *judged]
    holders += [getattr(own, "sets", None) for own in judged]
    notes = [note for holder in holders for note in getattr(holder, "notes", None) or ()]
    notes = notes or [note for trials in data.values() for note in getattr(trials, "notes", ())]
    if not isinstance(result, Drawn):
        return kind.draw(result, **values), gather_notes(notes)
    if result.function:
        draw = load(f"fairtrial.figures:{result.function}")
        return (lambda figure: draw(*result.data, ax=figure.add_subplot(), **values)), gather_notes(notes)
    return kind.draw(*result.data, **result.options, **values), gather_notes(notes)
