"""Commands made of functions: options follow from signatures, help from docstrings, output from results."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli.files import WRITTEN, FileCommand
from fairtrial.cli.options import CostOptions, ListedOption, OutputOptions, ReadingOptions, SetOptions
from fairtrial.cli.output import print_result
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, arguments_of, flag_of

if TYPE_CHECKING:
    from fairtrial.core.results import Result

SOURCES = ("dev", "test", "systems")
"""Parameters that are read from files and not typed."""


@dataclass(frozen=True, slots=True)
class Output:
    """A further file that a command writes: its option, and how it is written of a result."""

    flag: str
    help: str
    write: Callable[[Any, str], None]
    check: Callable[[str], None]


def load(path: str) -> Callable[..., Any]:
    """Load a function that is named as module:name."""
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def option_of(argument: Argument) -> click.Option:
    """Make the option of a parameter."""
    known = argument.parameter
    more: dict[str, Any] = {"cls": ListedOption, "listed": lambda: load(known.listed)()} if known.listed else {}
    make = more.pop("cls", click.Option)
    kind: Any = click.Choice(argument.choices) if argument.choices else argument.type
    help_text = f"{argument.help} REGISTERED; or module:function." if known.listed else argument.help
    settings: dict[str, Any] = {"help": help_text, "metavar": known.metavar or None, **more}
    if argument.type is bool:
        settings |= {"is_flag": True, "metavar": None}
    else:
        settings |= {"type": str if known.read is not None else kind, "multiple": argument.repeated}
        if argument.count > 1:
            settings["nargs"] = argument.count
        if argument.default is ...:
            settings["required"] = True
        elif argument.default not in (None, ()) and known.read is None:
            settings |= {"default": argument.default, "show_default": True}
        elif argument.default not in (None, ()):
            settings["help"] = f"{help_text}  [default: {argument.default}]"
    option: click.Option = make([flag_of(argument.name), *known.also, argument.name], **settings)
    return option


def values_of(arguments: Sequence[Argument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what was typed into keyword arguments, leaving out what was not given."""
    values = {}
    for argument in arguments:
        value = typed[argument.name]
        if value is None or value == () or (argument.type is bool and value is False):
            continue
        read = argument.parameter.read
        if read is not None:
            try:
                value = tuple(read(entry) for entry in value) if argument.repeated else read(value)
            except ParameterError as error:
                raise ParameterError(f"{flag_of(argument.name)}: {error}") from error
        values[argument.name] = value
    return values


def question(
    name: str,
    function: str,
    *kinds: type[Any],
    summary: str,
    examples: Sequence[str],
    page: str = "",
    outputs: Mapping[str, Output] | None = None,
) -> click.Command:
    """Make a command that reads trials, asks a function of them, and shows its result.

    Parameters
    ----------
    name
        The command.
    function
        What is asked, as module:name; its first two parameters are dev and test trials.
    kinds
        Further classes of options, such as `PlaceOptions`.
    summary
        What it does; the rest of the help follows from the function.
    examples
        Lines that are shown in the help.
    page
        What makes a page of the result, as module:name.
    outputs
        Further files that can be written, by the name of the parameter.
    """
    asked = load(function)
    arguments = [argument for argument in arguments_of(asked) if argument.name not in SOURCES]
    more = dict(outputs or {})
    classes = (SetOptions, CostOptions, *kinds, ReadingOptions, OutputOptions, *([ReportOptions] if page else []))

    def run(**typed: Any) -> None:
        given = {kind: kind(**{each.name: typed.pop(each.name) for each in fields(kind)}) for kind in classes}
        files = {key: path for key in more if (path := typed.pop(key)) is not None}
        output, report = given[OutputOptions], given.get(ReportOptions)
        output.check()
        if report is not None:
            report.check()
        for key, path in files.items():
            more[key].check(path)
        values = given[CostOptions].applied(values_of(arguments, typed))
        from fairtrial.cli.inputs import read_sources
        from fairtrial.cli.progress import Bar

        needs = [*(["--report"] if report is not None and report.report else []), *(more[key].flag for key in files)]
        dev, test = read_sources(given, folds=values.get("folds"), needs=needs)
        if not getattr(dev, "has_scores", True):  # counters hold all systems, whichever are asked for
            values["systems"] = given[ReadingOptions].keywords()["systems"] or None
        with Bar(name, 1) as bar:
            if "progress" in asked.__annotations__:
                values["progress"] = bar.advance
            result: Result = asked(dev, test, **values)
        if report is not None and report.report:
            made = load(page)(result, repeat_of(given[SetOptions].files, values.get("rng", 0)))
            report.write(made)
        for key, path in files.items():
            more[key].write(result, path)
        print_result(output, result)

    params: list[click.Parameter] = []
    for kind in classes:
        for each in fields(kind):
            flags = (*each.metadata["flags"], each.name)
            params.append(click.Option(flags, **each.metadata["settings"]))
    place = len(fields(SetOptions))
    params[place:place] = [option_of(argument) for argument in arguments]
    for key, output in more.items():
        params.append(click.Option([output.flag, key], type=WRITTEN, metavar="FILE", help=output.help))
    lines = "\n".join(f"  {line}" for line in examples)
    return FileCommand(name, callback=run, params=params, help=f"{summary}\n\n\b\nExamples:\n{lines}")
