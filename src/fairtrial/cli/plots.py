"""The commands of `fairtrial plot`, one per figure of `figures.table`."""

from __future__ import annotations

import inspect
from typing import Any

import click

from fairtrial.cli.command import Command, Option, ask, load, make_command, option_of, values_of, with_costs
from fairtrial.cli.commands import Declared
from fairtrial.cli.inputs import READ, WRITTEN, check_not_read, check_text, named_files, reading_arguments
from fairtrial.cli.output import print_notes, say, terminal_width
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, arguments_of
from fairtrial.core.results import plain
from fairtrial.core.tables import json_text, wrapped
from fairtrial.figures.table import FIGURES, FigureKind

_SOURCES = ("dev", "test", "system", "systems", "other", "blocks", "max_points")
_DRAWN = (
    "ax", "figure", "b", "comparison", "bands", "points", "thresholds", "methods", "data_sets", "confidence", "group",
    "measure",
)  # fmt: skip
"""Parameters of drawing functions that the data decide."""
_LOOK = ("title", "notes", "style", "width", "height", "dpi")


def make_plot(name: str, declared: Declared) -> click.Command:
    """Make the command of a figure: its options are those of the functions that give its data and draw it."""
    kind = FIGURES[name]
    first, *steps = map(load, kind.data)
    draw = load(f"fairtrial.figures:{kind.draws}")
    arguments = [each for each in arguments_of(first) if each.name not in (*kind.skip, *_SOURCES)]
    if "blocks" in inspect.signature(first).parameters:
        arguments += [Argument(key, int) for key in ("folds", "rng")]
    given = [(first, arguments)]
    given += [(step, [each for each in arguments_of(step)[1:] if each.name != "asked"]) for step in steps]
    given.append((draw, [each for each in arguments_of(draw)[1:] if each.name not in _DRAWN]))
    base = make_command(name, declared)  # positional arguments, sources and how files are read
    kept = ("dev", "test", "data", "only", "systems", "costs", "terms", "verbose", "json")
    reading = {each.name for each in reading_arguments()} if declared.reads else set()
    params = [each for each in base.params if each.name in (*kept, *reading, *declared.positional)]
    every = {each.name: each for _, group in reversed(given) for each in group}
    taken = {param.name for param in params}
    params += [option_of(each) for key, each in every.items() if key not in taken]
    if "costs" not in taken and every.keys() & {"criterion", "measure"}:
        params.append(option_of(Argument("costs", help="Costs of dcf, as in evaluate.")))
    shown: dict[str, Any] = {"group": "Output", "show_default": True}
    width, height = kind.size
    out = "The picture: a .png, .svg or .pdf."
    notes = "caption: write the caption beside the picture, as .txt."
    style = "paper: serif letters, thin lines, no grid and 300 dots per inch."
    dpi = "Dots per inch of a .png.  [default: by --style]"
    params += [
        Option(["--out"], required=True, type=WRITTEN, metavar="F", help=out, group="Output", basic=True),
        Option(["--title"], default="", metavar="TEXT", help="A line above the figure.", group="Output"),
        Option(["--notes"], type=click.Choice(["none", "caption"]), default="none", help=notes, **shown),
        Option(["--style"], type=click.Choice(["screen", "paper"]), default="screen", help=style, **shown),
        Option(["--width"], type=float, default=width, metavar="X", help="Width in inches.", **shown),
        Option(["--height"], type=float, default=height, metavar="X", help="Height in inches.", **shown),
        Option(["--dpi"], type=int, metavar="N", help=dpi, group="Output"),
    ]

    def run(**typed: Any) -> None:
        run_plot(kind, declared, given, typed)

    return Command(name, callback=run, params=params, help=declared.help(f"plot {name}"))


def run_plot(
    kind: FigureKind, declared: Declared, given: list[tuple[Any, list[Argument]]], typed: dict[str, Any]
) -> None:
    """Read the files, ask the functions one after the other, write the picture and print its caption and notes."""
    from fairtrial.core.notes import gather_notes
    from fairtrial.figures.style import check_picture, write_picture

    check_text("--title", typed["title"])
    check_picture(typed["out"], **{key: typed[key] for key in ("width", "height", "dpi") if typed[key] is not None})
    context = click.get_current_context()
    check_not_read(context, named_files(context, READ))
    (function, arguments), *steps, (_, drawing_arguments) = given
    takes = inspect.signature(function).parameters
    values, data = ask(declared, function, arguments, typed)
    if kind.two:
        systems = data["dev"].systems
        if len(systems) != 2:
            template = "the figure is of two systems, not {names:list}; choose them with {systems!p} A,B"
            raise ParameterError(template, code="systems", names=systems, systems=0)
        values |= {"compare": systems} if "compare" in takes else {}
    if "blocks" in takes:
        folds, seed = values.pop("folds", None), values.pop("rng", 0)
        if isinstance(folds, int):
            from fairtrial.inference.folds import make_blocks, with_fold_note

            dev, cluster = data["dev"], values.get("cluster")
            blocks = make_blocks(dev, folds, cluster=cluster, rng=seed)
            data, folds = {"dev": with_fold_note(dev, folds, blocks, cluster)}, blocks
        data |= {} if folds is None else {"test": None, "blocks": folds}
    values |= kind.fixed
    result: Any = function(**data, **values)
    check_not_read(context, getattr(result, "files_read", ()))
    for step, step_arguments in steps:
        more = with_costs(values_of(step_arguments, typed), typed, required=False)
        more |= {"asked": values} if "asked" in inspect.signature(step).parameters else {}
        result = step(result, **more)
    parts = result if isinstance(result, tuple) else (result,)
    judged = [getattr(part, "judgement", None) for part in parts]
    holders = [*parts, *(getattr(part, "curve", None) for part in parts), *judged]
    holders += [getattr(judgement, "sets", None) for judgement in judged]
    of_result = [note for holder in holders for note in getattr(holder, "notes", None) or ()]
    notes = gather_notes(of_result or [note for trials in data.values() for note in getattr(trials, "notes", ())])
    drawing = kind.drawing(result, **values_of(drawing_arguments, typed))
    caption = write_picture(drawing, typed["out"], **{key: typed[key] for key in _LOOK})
    if typed["json"]:
        shown: dict[str, Any] = {"out": typed["out"], "figure": kind.name, "caption": caption}
        if notes:
            shown["notes"] = plain(notes)
        say(json_text(shown, indent=2))
    else:
        say("\n".join([typed["out"], *wrapped(caption, terminal_width())]))
        print_notes(notes, everything=typed["verbose"], aside=True)
