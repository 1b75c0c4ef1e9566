"""Make commands of functions: options from signatures, help from docstrings, output from results."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from fairtrial.cli.commands import Declared
from fairtrial.cli.inputs import (
    READ,
    WRITTEN,
    check_not_read,
    distances_among,
    given_folds,
    named_files,
    names_of,
    read_sets,
    reading_arguments,
    reading_keywords,
    refuse_reading,
    threshold_of_scores,
)
from fairtrial.cli.output import (
    Bar,
    check_outputs,
    dev_beside,
    name_outputs,
    print_result,
    reading_bar,
    say,
    write_outputs,
)
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import (
    Argument,
    arguments_of,
    flag_of,
    read_number,
    read_whole,
    refuse_excluded,
)
from fairtrial.core.words import use_distances, use_terms

GROUPS = ("Data", "Threshold", "Certainty", "Method", "Reading", "Computing", "Output")
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
    takes = inspect.signature(function).parameters
    hidden = ("dev", "test", "system", "systems", "other", *declared.skip)
    arguments = [argument for argument in arguments_of(function) if argument.name not in hidden]
    named = {argument.name for argument in arguments}
    options: list[Argument] = []
    if declared.reads in ("sets", "dev"):
        options += [Argument("dev", repeated=True), Argument("test", repeated=True)]
        if "data" not in takes:
            options += [Argument("data"), Argument("only", help="Only this set of --data, such as LP1.")]
    if declared.reads:
        options.append(Argument("systems", repeated=True))
    if "other" in takes:
        options += [Argument("other_dev", repeated=True), Argument("other_test", repeated=True)]
    if "memory" in declared.outputs:
        options += [Argument("memory"), Argument("scheduler")]
    written = ("out", *(output for output in declared.outputs if output != "memory"))
    options += [Argument(output) for output in written if output not in {*named, *declared.skip}]
    if "report" in declared.outputs:
        options.append(Argument("title"))
    options.append(Argument("terms", choices=("default", "iso"), default="default"))
    options += [Argument(flag, bool) for flag in ("all", "verbose", "json")]
    if named & {"criterion", "measure", "measures"} and "costs" not in named:
        options.append(Argument("costs"))
    positional = [each for each in arguments if each.name in declared.positional]
    options += [each for each in arguments if each not in positional]
    options += reading_arguments() if declared.reads else []
    params: list[click.Parameter] = [_positional(each, declared.positional[each.name]) for each in positional]
    params += map(option_of, options)

    def run(**typed: Any) -> None:
        run_question(declared, function, arguments, typed)

    return Command(name, callback=run, params=params, help=declared.help(name))


def run_question(declared: Declared, function: Any, arguments: Sequence[Argument], typed: dict[str, Any]) -> None:
    """Read the files, ask the function, write and print its result."""
    context = click.get_current_context()
    takes = inspect.signature(function).parameters
    files = named_files(context, READ)
    beside = [dev_beside(typed["scores_out"])] if typed.get("scores_out") and typed.get("dev") else []
    check_not_read(context, files, beside)
    check_outputs({name: path for name, path in typed.items() if name not in takes})
    values, data = ask(declared, function, arguments, typed)
    trials = next((each for each in (*data.values(), values.get("people")) if hasattr(each, "systems")), None)
    if trials is not None:
        distances = distances_among(typed, trials)
        use_distances(distances)
        if "threshold" in values:
            values["threshold"] = threshold_of_scores(values["threshold"], distances, trials.systems)
    with Bar(context.info_name or "") as bar:
        if "progress" in takes:
            values["progress"] = bar.advance
        if "journal" in takes and typed.get("out") and not values.get("like"):
            values["journal"] = f"{typed['out']}.journal"
        result = function(**data, **values)
    check_not_read(context, getattr(result, "files_read", ()))
    write_outputs(result, typed, data, files)
    print_result(result, typed)
    name_outputs(result, typed)
    if values.get("journal"):
        from fairtrial.repeated.journal import remove_journal

        remove_journal(values["journal"])


def ask(
    declared: Declared, function: Any, arguments: Sequence[Argument], typed: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the keyword arguments of a function, and its trials."""
    takes = inspect.signature(function).parameters
    values = values_of(arguments, typed)
    if "costs" not in takes:
        values = with_costs(values, typed)
    elif isinstance(values.get("costs"), str):
        values["costs"] = _single_costs(values["costs"])
    if not declared.reads:
        refuse_excluded(function, values)
        return values, {}
    if declared.reads == "paths":
        reading = reading_keywords(typed, names_of(typed))
        return values | reading, {}
    if declared.reads == "people":
        return values | {"people": _people(typed, values)}, {}
    unneeded = ("memory", "save")
    needs = [flag_of(name) for name in declared.outputs if name not in unneeded and typed.get(name) is not None]
    data = read_sets(
        typed,
        values,
        takes_folds="folds" in takes or "blocks" in takes,
        dev_is_optional="model" in takes or "threshold" in values,
        test_is_optional=declared.reads == "dev",
        needs=needs,
    )
    if not data.keys() >= {"dev"} and "dev" in takes:
        data["dev"] = None
    if isinstance(values.get("folds"), str):
        data["dev"], values["folds"] = given_folds(data["dev"], values["folds"])
    systems = names_of(typed)
    if systems and "systems" in takes:
        values["systems"] = systems
    if "other" in takes and (typed["other_dev"] or typed["other_test"]):
        if not typed["other_dev"] or not typed["other_test"]:
            raise ParameterError("give both --other-dev F and --other-test F")
        from fairtrial.formats.read import read_pair

        values["other"] = read_pair(typed["other_dev"], typed["other_test"], **reading_keywords(typed))
    refuse_excluded(function, values, has_scores=all(getattr(each, "has_scores", True) for each in data.values()))
    return values, data


def _people(typed: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """Give a table of errors and attempts, or the scores of one system."""
    if "threshold" not in values:
        refuse_reading(typed, "applies to scores, and without {threshold!p} FILE is a table", threshold=...)
        return typed["people"]
    from fairtrial.formats.read import read_trials

    keywords = reading_keywords(typed, names_of(typed))
    with reading_bar([typed["people"]]) as bar:
        trials = read_trials(typed["people"], progress=bar.advance, **keywords)
    if len(trials.systems) > 1:
        template = "{file} has the systems {names:list}; name one with {systems!p}"
        raise ParameterError(template, file=typed["people"], names=trials.systems, systems=0)
    return trials


def option_of(argument: Argument) -> click.Option:
    """Make the option of a parameter."""
    known = argument.parameter
    flags = [flag_of(argument.name), *known.also, argument.name]
    text = argument.help
    if argument.type is bool:
        return Option(flags, is_flag=True, help=text, group=known.group, basic=known.basic)
    settings: dict[str, Any] = {"multiple": argument.repeated or known.read_all is not None, "type": str}
    if argument.choices:
        settings["type"] = click.Choice(argument.choices)
    elif known.file:
        settings["type"] = READ if known.file == "read" else WRITTEN
    metavar = known.metavar
    if not metavar or (" " in metavar and argument.count == 1):
        metavar = {int: "N", float: "X"}.get(argument.type, "TEXT")
    if argument.count > 1:
        settings["nargs"] = argument.count
    default = argument.default
    if default is ... and not argument.repeated:
        settings["required"] = True
    shown = default is not ... and default not in (None, (), False) and "[default" not in text
    if shown and not (isinstance(default, tuple) and not isinstance(default[0], str | int | float)):
        joined = " ".join if argument.count > 1 else ",".join
        text += f"  [default: {joined(map(str, default)) if isinstance(default, tuple) else default}]"
    return Option(
        flags,
        help=text,
        metavar=None if argument.choices else metavar,
        group=known.group,
        basic=known.basic or default is ...,
        **settings,
    )


def _positional(argument: Argument, metavar: str) -> click.Argument:
    """Make the argument of a parameter; three dots at the end of its metavar stand for several."""
    kind = READ if argument.parameter.file == "read" or argument.name in ("paths", "a", "b") else str
    several = metavar.endswith("...")
    optional = metavar.startswith("[") and metavar.endswith("]")
    return click.Argument(
        [argument.name], nargs=-1 if several else 1, required=not optional, type=kind, metavar=metavar
    )


def values_of(arguments: Iterable[Argument], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what was typed into keyword arguments, leaving out what was not given."""
    values: dict[str, Any] = {}
    for argument in arguments:
        value = typed.get(argument.name)
        if value is None or value == () or (argument.type is bool and value is False):
            continue
        try:
            values[argument.name] = _read(argument, value)
        except ParameterError as error:
            raise ParameterError(f"{flag_of(argument.name)}: {error}", code=error.code) from error
    return values


def _read(argument: Argument, value: Any) -> Any:
    known = argument.parameter
    single: Callable[[str], Any] = {int: read_whole, float: read_number}.get(argument.type, str)
    if argument.type is bool or argument.choices:
        return value
    if known.read_all is not None:
        return known.read_all(value)
    if argument.numbers and known.read is None:
        entries = value if isinstance(value, tuple) else (value,)
        numbers = tuple(single(part) for entry in entries for part in entry.split(","))
        return numbers[0] if len(numbers) == 1 and not argument.repeated else numbers
    if known.read is not None and argument.repeated:
        parts = [known.read(entry) for entry in value]
        several = all(isinstance(part, tuple) for part in parts)
        return tuple(name for part in parts for name in part) if several else tuple(parts)
    if isinstance(value, tuple):
        return tuple(map(single, value))
    if known.none and value == known.none:
        return None
    return known.read(value) if known.read is not None else single(value)


def with_costs(values: dict[str, Any], typed: Mapping[str, Any], *, required: bool = True) -> dict[str, Any]:
    """Put the costs of --dcf in the place of the name dcf; an error if nothing is called so."""
    if typed.get("costs") is None:
        return values
    costs = _single_costs(typed["costs"])

    def priced(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(priced, value))
        return costs if value == "dcf" else value

    found = {name: priced(value) for name, value in values.items()}
    if required and found == values:
        template = "{costs!p} gives the costs of dcf, and neither the criterion nor a measure is dcf"
        raise ParameterError(template, code="does-not-apply", costs=0)
    return found


def _single_costs(text: str) -> Any:
    """Read the costs of one operating point."""
    from fairtrial.calibration.evidence import cost_target
    from fairtrial.rules.measures import DetectionCosts

    try:
        numbers = [read_number(part) for part in text.split(",")] if text.count(",") == 3 else []
        if numbers:
            return DetectionCosts(*numbers)
        points = cost_target(text).points
        if len(points) != 1:
            raise ParameterError("is several operating points, which fairtrial calibrate takes")
    except ParameterError as error:
        template = "{costs!p} {text}: {why}"
        raise ParameterError(template, code=error.code, costs=0, text=text, why=str(error)) from error
    return DetectionCosts(points[0].miss, points[0].prior, points[0].false_alarm, 1 - points[0].prior)


class Option(click.Option):
    """An option that knows under which heading help lists it."""

    def __init__(self, *given: Any, group: str = "Method", basic: bool = False, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.group, self.basic = group, basic


class Command(click.Command):
    """A command whose help shows the options that most people need, and all of them on request."""

    def __init__(self, name: str, *, params: list[click.Parameter], **settings: Any) -> None:
        every = Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            group="Output",
            basic=True,
            help="Show the other options, too.",
        )
        super().__init__(name, params=[*params, every], context_settings={"allow_extra_args": True}, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.args:
            flags = [flag_of(name) for name in ("dev", "test", "data") if name in ctx.params]
            how = f": give each file by its option, as in {flags[0]} {ctx.args[0]}" if flags else ""
            raise click.UsageError(f"unexpected argument {ctx.args[0]}{how}", ctx)
        use_terms(ctx.params.get("terms") or "default")
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        everything = ctx.meta.get("fairtrial.all", False) or len(options) <= _SHORT
        basic = [option for option in options if getattr(option, "basic", option.name == "help")]
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for option in options if everything else basic:
            records[getattr(option, "group", "Output")].append(_record(option, ctx, whole=everything))
        width = min(_WIDEST, max(len(flags) for group in records.values() for flags, _ in group))
        for group, rows in records.items():
            if rows:
                with formatter.section(group):
                    formatter.write_dl([(flags.ljust(width), text) for flags, text in rows], col_max=_WIDEST)


def _show_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta["fairtrial.all"] = True
        say(ctx.get_help())
        ctx.exit()


def _record(option: click.Option, ctx: click.Context, *, whole: bool) -> tuple[str, str]:
    """Give the flags of an option and its help, or the first sentence of it."""
    record = option.get_help_record(ctx) or (option.opts[0], "")
    flags, text = record[0], record[1]
    if not whole:
        body, bracket, end = text.partition("  [")
        text = re.split(r"(?<=[.]) (?=[A-Z-])", body)[0] + bracket + end
    return flags, text
