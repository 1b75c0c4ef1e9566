"""Make commands of functions: options from signatures, help from docstrings, output from results."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, get_args

import click

from fairtrial.cli.commands import Declared
from fairtrial.cli.output import help_all
from fairtrial.cli.question import READ, WRITTEN, reading_arguments, run_question, values_of
from fairtrial.core.parameters import Argument, Group, arguments_of, flag_of, parameter_of
from fairtrial.core.words import use_terms

_SHORT = 14
"""Number of options that the short help shows in any case."""
_WIDEST = 28
"""Columns of the widest option beside which its help stands; that of wider ones stands below them."""


def load(path: str) -> Any:
    """Load what is named as module:name."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def make_command(name: str, declared: Declared) -> click.Command:
    """Make the command of a function."""
    function = load(declared.function)
    arguments = offered(function, declared.skip)
    names = {argument.name for argument in arguments}
    if declared.prints:
        params = [_param_of(argument, declared) for argument in arguments]
        return Command(name, params, lambda **typed: function(**values_of(arguments, typed)), declared.help(name))
    other = ("other_dev", "other_test") if "other" in inspect.signature(function).parameters else ()
    written = [each for each in ("out", *declared.outputs) if each not in {*names, *declared.skip}]
    extra = [*(Argument(each, repeated=True) for each in other), *map(Argument, written), Argument("all", bool)]

    def run(**typed: Any) -> None:
        run_question(declared, function, arguments, typed)

    return Command(name, make_params(declared, arguments, extra), run, declared.help(name))


def offered(function: Any, skip: Sequence[str] = ()) -> list[Argument]:
    """List the arguments of a function that are options or typed without one: all but its trials."""
    hidden = ("dev", "test", "system", "systems", "other", "blocks", "max_points", *skip)
    return [argument for argument in arguments_of(function) if argument.name not in hidden]


def make_params(declared: Declared, arguments: Sequence[Argument], extra: Sequence[Argument]) -> list[click.Parameter]:
    """Make the parameters of a command: its files, what is written and shown, its function, and how files are read."""
    names = {argument.name for argument in arguments}
    options: list[Argument] = []
    if declared.reads in ("sets", "dev"):
        options += [Argument("dev", repeated=True), Argument("test", repeated=True)]
    if declared.reads in ("sets", "dev", "paths") and "data" not in names:
        options += [Argument("data"), Argument("only")]
    if declared.reads:
        options.append(Argument("systems", repeated=True))
    options += [*extra, Argument("terms", choices=("default", "iso"), default="default")]
    options += [Argument("verbose", bool), Argument("json", bool)]
    if names & {"criterion", "measure", "measures"} and "costs" not in names:
        options.append(Argument("costs"))
    options += [*arguments, *(reading_arguments() if declared.reads else [])]
    return [_param_of(option, declared) for option in options]


def _param_of(argument: Argument, declared: Declared) -> click.Parameter:
    """Make the option of a parameter, or its argument if it is typed without one."""
    declaration, default = argument.parameter, argument.default
    files = {"read": READ, "written": WRITTEN}
    kind = click.Choice(argument.choices) if argument.choices else files.get(declaration.file, str)
    is_multiple = argument.repeated or declaration.read_all is not None
    if argument.name in declared.positional:
        metavar = declared.positional[argument.name]
        nargs = -1 if metavar.endswith("...") else 1
        kind = READ if argument.name in ("a", "b") else kind
        return click.Argument([argument.name], type=kind, nargs=nargs, required=default is ..., metavar=metavar)
    flags, text = [flag_of(argument.name), *declaration.also, argument.name], argument.help
    if argument.type is bool:
        return click.Option(flags, is_flag=True, help=text)
    metavar = declaration.metavar
    if not metavar or (" " in metavar and argument.count == 1):
        metavar = {int: "N", float: "X"}.get(argument.type, "TEXT")
    text += " May be repeated." if is_multiple else ""
    shown = default is not ... and default not in (None, (), False, "") and "[default" not in text
    if shown and not (isinstance(default, tuple) and not isinstance(default[0], str | int | float)):
        joined = " ".join if argument.count > 1 else ",".join
        text += f"  [default: {joined(map(str, default)) if isinstance(default, tuple) else default}]"
    return click.Option(
        flags,
        type=kind,
        nargs=argument.count,
        multiple=is_multiple,
        required=default is ... and not argument.repeated,
        metavar=None if argument.choices else metavar,
        help=text,
    )


class Command(click.Command):
    """A command whose help shows the options that most people need, and all of them on request."""

    def __init__(self, name: str, params: list[click.Parameter], callback: Callable[..., Any], about: str) -> None:
        is_short = sum(isinstance(param, click.Option) for param in params) + 2 <= _SHORT  # with --help and --help-all
        params = [*params, help_all(hidden=is_short)]
        settings = {"allow_extra_args": True}
        super().__init__(name, params=params, callback=callback, help=about, context_settings=settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        for option in given:
            once = isinstance(option, click.Option) and not (option.multiple or option.is_flag)
            if once and given.count(option) > 1:  # click would take the last
                raise click.UsageError(f"{option.opts[0]} is given twice; give it once", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.args:
            flags = [flag_of(name) for name in ("dev", "test", "data") if name in ctx.params]
            how = f": give each file by its option, as in {flags[0]} {ctx.args[0]}" if flags else ""
            raise click.UsageError(f"unexpected argument {ctx.args[0]}{how}", ctx)
        use_terms(ctx.params.get("terms") or "default")
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and not each.hidden]
        everything = ctx.meta.get("fairtrial.all", False) or len(options) <= _SHORT
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in get_args(Group)}
        for option in options:
            declaration = parameter_of("help" if "--help" in option.opts else option.name or "")
            if everything or declaration.basic or option.required:
                records[declaration.group].append(_record(option, ctx, whole=everything))
        width = min(_WIDEST, max(len(flags) for group in records.values() for flags, _ in group))
        for group, rows in records.items():
            if rows:
                with formatter.section(group):
                    formatter.write_dl([(flags.ljust(width), text) for flags, text in rows], col_max=_WIDEST)


def _record(option: click.Option, ctx: click.Context, *, whole: bool) -> tuple[str, str]:
    """Give the flags of an option and its help, or the first sentence of it."""
    record = option.get_help_record(ctx) or (option.opts[0], "")
    flags, text = record[0], record[1]
    if not whole:
        body, bracket, end = text.partition("  [")
        text = re.split(r"(?<=[.]) (?=[A-Z-])", body)[0] + bracket + end
    return flags, text
