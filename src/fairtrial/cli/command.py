"""Make commands of functions: options from signatures, help from docstrings, output from results."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

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
    values_of,
)
from fairtrial.cli.output import (
    Bar,
    check_outputs,
    dev_beside,
    name_outputs,
    print_notes,
    print_result,
    reading_bar,
    say,
    write_outputs,
)
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, Group, arguments_of, flag_of, parameter_of, read_number, refuse_excluded
from fairtrial.core.words import use_distances, use_terms

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
        options += [] if "data" in names else [Argument("data"), Argument("only")]
    if declared.reads:
        options.append(Argument("systems", repeated=True))
    options += [*extra, Argument("terms", choices=("default", "iso"), default="default")]
    options += [Argument("verbose", bool), Argument("json", bool)]
    if names & {"criterion", "measure", "measures"} and "costs" not in names:
        options.append(Argument("costs"))
    options += [*arguments, *(reading_arguments() if declared.reads else [])]
    return [_param_of(option, declared) for option in options]


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
    if "alpha" in values and "criterion" in takes and not typed["json"]:
        note_ignored_alpha(result, values.get("criterion", takes["criterion"].default), values["alpha"])
    if values.get("journal"):
        from fairtrial.repeated.journal import remove_journal

        remove_journal(values["journal"])


def note_ignored_alpha(result: Any, criterion: Any, alpha: float) -> None:
    """Say that the criterion takes no alpha, if the result does not say so."""
    from fairtrial.inference.decide import ignored_alpha
    from fairtrial.rules.criteria import as_criterion

    known = {note for table in result.tables() for note in table.notes}
    print_notes([note for note in ignored_alpha(as_criterion(criterion), alpha) if note not in known], aside=True)


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
    needs = [flag_of(key) for key in declared.outputs if parameter_of(key).needs_scores and typed.get(key) is not None]
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


def _param_of(argument: Argument, declared: Declared) -> click.Parameter:
    """Make the option of a parameter, or its argument if it is typed without one."""
    known, default = argument.parameter, argument.default
    files = {"read": READ, "written": WRITTEN}
    kind = click.Choice(argument.choices) if argument.choices else files.get(known.file, str)
    if argument.name in declared.positional:
        metavar, nargs = declared.positional[argument.name], -1 if argument.repeated else 1
        kind = READ if argument.name in ("a", "b") else kind
        return click.Argument([argument.name], type=kind, nargs=nargs, required=default is ..., metavar=metavar)
    flags, text = [flag_of(argument.name), *known.also, argument.name], argument.help
    if argument.type is bool:
        return click.Option(flags, is_flag=True, help=text)
    metavar = known.metavar
    if not metavar or (" " in metavar and argument.count == 1):
        metavar = {int: "N", float: "X"}.get(argument.type, "TEXT")
    is_multiple = argument.repeated or known.read_all is not None
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


def with_costs(values: dict[str, Any], typed: Mapping[str, Any], *, required: bool = True) -> dict[str, Any]:
    """Put the costs of --dcf in the place of the name dcf; an error if nothing is called so."""
    if typed.get("costs") is None:
        return values
    costs = _single_costs(typed["costs"])

    def priced(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(priced, value))
        return costs if value == "dcf" else value

    replaced = {name: priced(value) for name, value in values.items()}
    if required and replaced == values:
        template = "{costs!p} gives the costs of dcf, and neither the criterion nor a measure is dcf"
        raise ParameterError(template, code="does-not-apply", costs=0)
    return replaced


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


class Command(click.Command):
    """A command whose help shows the options that most people need, and all of them on request."""

    def __init__(self, name: str, params: list[click.Parameter], callback: Callable[..., Any], about: str) -> None:
        every = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show the other options, too.",
        )
        settings = {"allow_extra_args": True}
        super().__init__(name, params=[*params, every], callback=callback, help=about, context_settings=settings)

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
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in get_args(Group)}
        for option in options:
            known = parameter_of("help" if "--help" in option.opts else option.name or "")
            if everything or known.basic or option.required:
                records[known.group].append(_record(option, ctx, whole=everything))
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
