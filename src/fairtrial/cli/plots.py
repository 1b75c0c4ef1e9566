"""The commands of `fairtrial plot`, one per figure of `figures.table`."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import click

from fairtrial.cli.command import Command, load, make_params, offered
from fairtrial.cli.commands import Declared
from fairtrial.cli.output import print_notes, say, terminal_width
from fairtrial.cli.question import (
    READ,
    ask,
    check_not_read,
    check_text,
    named_files,
    show_distances,
    values_of,
    with_costs,
)
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import gather_notes
from fairtrial.core.parameters import Argument, arguments_of
from fairtrial.core.results import plain
from fairtrial.core.tables import json_text, wrapped
from fairtrial.figures.style import check_picture, write_picture
from fairtrial.figures.table import FIGURES, FigureKind
from fairtrial.inference.decide import ignored_alpha
from fairtrial.rules.criteria import as_criterion

_DRAWN = (
    "ax", "figure", "b", "comparison", "bands", "points", "thresholds", "methods", "data_sets", "confidence", "group",
    "measure", "chosen",
)  # fmt: skip
"""Parameters of drawing functions that the data decide."""


def make_plot(name: str, declared: Declared) -> click.Command:
    """Make the command of a figure: its options are those of the functions that give its data and draw it."""
    kind = FIGURES[name]
    first, *steps = map(load, kind.data)
    draw = load(f"fairtrial.figures:{kind.draws}")
    arguments = offered(first, kind.skip)
    if "blocks" in inspect.signature(first).parameters:
        arguments += [Argument(key, int) for key in ("folds", "rng")]
    given = [(first, arguments)]
    given += [(step, [each for each in arguments_of(step)[1:] if each.name != "asked"]) for step in steps]
    given.append((draw, [each for each in arguments_of(draw)[1:] if each.name not in _DRAWN]))
    every = {each.name: each for _, group in reversed(given) for each in group}
    shown: dict[str, dict[str, Any]] = {
        "title": {"help": "A line above the figure."},
        "width": {"default": kind.size[0]},
        "height": {"default": kind.size[1]},
    }
    picture = [replace(each, **shown.get(each.name, {})) for each in arguments_of(write_picture)[2:]]
    given.append((write_picture, picture))
    out = Argument("out", default=..., help="The picture: a .png, .svg or .pdf.")

    def run(**typed: Any) -> None:
        run_plot(kind, declared, given, typed)

    return Command(name, make_params(declared, [*every.values()], [out, *picture]), run, declared.help(f"plot {name}"))


def run_plot(
    kind: FigureKind, declared: Declared, given: list[tuple[Any, list[Argument]]], typed: dict[str, Any]
) -> None:
    """Read the files, ask the functions one after the other, write the picture and print its caption and notes."""
    (function, arguments), *steps, (_, drawing_arguments), (_, picture_arguments) = given
    picture = values_of(picture_arguments, typed)
    check_text("--title", picture.get("title", ""))
    check_picture(typed["out"], **{key: picture[key] for key in ("width", "height", "dpi") if key in picture})
    context = click.get_current_context()
    check_not_read(context, named_files(context, READ))
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
    show_distances(typed, data, values)
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
    of_result = of_result or [note for trials in data.values() for note in getattr(trials, "notes", ())]
    if "alpha" in values and kind.name != "diagnostic":  # which weighs the WER with alpha
        rule = as_criterion(values.get("criterion", takes["criterion"].default))
        of_result = [*ignored_alpha(rule, values["alpha"]), *of_result]
    notes = gather_notes(of_result)
    drawing = kind.drawing(result, **values_of(drawing_arguments, typed))
    caption = write_picture(drawing, typed["out"], **picture)
    if typed["json"]:
        shown: dict[str, Any] = {"out": typed["out"], "figure": kind.name, "caption": caption}
        if notes:
            shown["notes"] = plain(notes)
        say(json_text(shown, indent=2))
    else:
        say("\n".join([typed["out"], *wrapped(caption, terminal_width())]))
        print_notes(notes, everything=typed["verbose"], aside=True)
