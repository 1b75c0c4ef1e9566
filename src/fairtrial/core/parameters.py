"""Parameters by name: one name means one thing in the whole package.

A signature says what type a parameter has and what its default is, a docstring what it means. Whatever else is to be
known is declared here, once: how it is typed in a shell, where help lists it, how its text is read, what it excludes.
Options of the command line, fields of the explorer, refusals and the words of errors follow.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import Style, visible

Group: TypeAlias = Literal["Data", "Threshold", "Certainty", "Method", "Reading", "Computing", "Output"]
"""The headings under which help lists options."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is known of a parameter besides its type, its default and its meaning.

    Attributes
    ----------
    group : str
        The heading under which help lists its option.
    flag : str
        Its option; two dashes and the name by default.
    also : tuple of str
        Other spellings of the option.
    metavar : str
        What stands for the value in help.
    basic : bool
        Whether the short help shows it.
    key : str
        What stands before an equals sign in the value, as in ``--label genuine=NAME``.
    read : callable, optional
        Turns the text of a shell into a value of Python.
    excludes : tuple of str
        Parameters that have no effect beside this one.
    needs_scores : bool
        Whether counts of scores cannot serve it.
    listed : str
        What lists the names that it may have, as module:function, for help.
    hidden : bool
        Whether it is for Python only.
    """

    group: Group = "Method"
    flag: str = ""
    also: tuple[str, ...] = ()
    metavar: str = ""
    basic: bool = False
    key: str = ""
    read: Callable[[str], Any] | None = None
    excludes: tuple[str, ...] = ()
    needs_scores: bool = False
    listed: str = ""
    hidden: bool = False


def read_names(text: str) -> tuple[str, ...]:
    """Split names at commas; a comma within brackets, as in (FH,MLP), belongs to the name."""
    return tuple(name.strip() for name in re.split(r",(?![^()]*\))", text))


def read_number(text: str) -> float:
    """Read a number, perhaps in percent.

    Examples
    --------
    >>> read_number(".01"), read_number("1%")
    (0.01, 0.01)
    """
    stripped = text.strip()
    try:
        return float(stripped.removesuffix("%")) / (100 if stripped.endswith("%") else 1)
    except ValueError as error:
        raise ParameterError(f"expected a number, such as .01 or 1%, not {text!r}") from error


def read_numbers(text: str) -> tuple[float, ...]:
    """Read numbers separated by commas."""
    return tuple(read_number(entry) for entry in text.split(","))


def read_bytes(text: str) -> int:
    """Read a number of bytes, perhaps with a letter for its unit.

    Examples
    --------
    >>> read_bytes("1.5K"), read_bytes("20GB") == 20 * 2**30
    (1536, True)
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ParameterError(f"expected a number of bytes, as in 500M or 20G, not {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


def read_named(text: str) -> Any:
    """Read a registered name, or load a user's object named as module:name."""
    module, colon, attribute = text.partition(":")
    if not colon:
        return text
    import importlib
    import os

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a user's module may fail in any way
        raise ParameterError(f"{text}: cannot be loaded as module:function: {type(error).__name__}: {error}") from error
    if not callable(found) and not hasattr(found, "cost"):
        raise ParameterError(f"{text}: is not a function, but {type(found).__name__}")
    return found


_THRESHOLD_FROM_DEV = ("criterion", "alpha", "folds", "resample")
_FITTED = ("systems", "fusion", "normalise", "method", "prior", "criterion", "alpha", "missing", "inner", "folds")
_MEASURES = "fairtrial.rules.measures:any_measures_help"
PARAMETERS: dict[str, Parameter] = {
    # what is judged
    "folds": Parameter("Data", metavar="K", basic=True),
    "systems": Parameter("Data", "--system", ("--systems",), "NAME", basic=True, read=read_names),
    "reference": Parameter("Data", metavar="NAME"),
    "moved": Parameter("Data", "--move", metavar="NAME[,...]", basic=True, read=read_names),
    "other": Parameter("Data", "--other-dev", metavar="F"),
    "model": Parameter("Data", metavar="M.json", basic=True, excludes=_FITTED),
    "only": Parameter("Data", "--set", metavar="NAME", basic=True),
    "by": Parameter("Data", metavar="COLUMN[,...]", basic=True, read=read_names),
    "impostor_by": Parameter("Data", metavar="COLUMN[,...]", read=read_names),
    "role": Parameter("Data", "--by"),
    "impostor": Parameter("Data", metavar="NI", basic=True),
    "genuine": Parameter("Data", metavar="NC", basic=True),
    "false_accepts": Parameter("Data", metavar="FA", basic=True),
    "false_rejects": Parameter("Data", metavar="FR", basic=True),
    # where the threshold comes from
    "criterion": Parameter(
        "Threshold", metavar="NAME", basic=True, read=read_named, listed="fairtrial.rules.criteria:criteria_help"
    ),
    "alpha": Parameter("Threshold", metavar="X", basic=True, read=read_number),
    "threshold": Parameter("Threshold", metavar="X", basic=True, excludes=_THRESHOLD_FROM_DEV),
    "points": Parameter("Threshold", metavar="N"),
    "range": Parameter("Threshold", metavar="LOW HIGH"),
    "far_targets": Parameter("Threshold", "--far", metavar="X[,X...]", basic=True, read=read_numbers),
    # how certain an answer is
    "confidence": Parameter("Certainty", metavar="X", basic=True, read=read_number),
    "cluster": Parameter("Certainty"),
    "resample": Parameter("Certainty", needs_scores=True),
    "n_resamples": Parameter("Certainty", "--resamples", metavar="M", needs_scores=True),
    "rng": Parameter("Certainty", "--seed", metavar="N", needs_scores=True),
    "correction": Parameter("Certainty", basic=True),
    "alternative": Parameter("Certainty"),
    "margin": Parameter("Certainty", metavar="X", needs_scores=True),
    # what is computed
    "measure": Parameter("Method", metavar="NAME", basic=True, read=read_named, listed=_MEASURES),
    "measures": Parameter("Method", "--measure", metavar="NAME", basic=True, read=read_named, listed=_MEASURES),
    "fusion": Parameter("Method", metavar="NAME", basic=True),
    "fusions": Parameter("Method", "--fusion", metavar="NAME[,...]", basic=True, read=read_names),
    "normalise": Parameter("Method", metavar="NAME", basic=True),
    "method": Parameter("Method", metavar="NAME", basic=True),
    "prior": Parameter("Method", metavar="X", read=read_number),
    "five_by_two": Parameter("Method", "--5x2cv"),
    "methods": Parameter("Method", "--method", metavar="NAME"),
    "models": Parameter("Method", "--model"),
    "costs": Parameter("Method", "--dcf", metavar="CFR,PG,CFA,PI"),
    "data_sets": Parameter("Method", "--datasets", metavar="D"),
    "rho_client": Parameter("Method", "--rho", metavar="R"),
    # how files are read
    "format": Parameter("Reading", metavar="NAME"),
    "columns": Parameter("Reading", "--column", metavar="ROLE=NAME"),
    "scores": Parameter("Reading", "--column", key="score", hidden=True),
    "others": Parameter("Reading", "--column", key="other", hidden=True),
    "genuine_labels": Parameter("Reading", "--label", key="genuine", metavar="CLASS=WORD"),
    "impostor_labels": Parameter("Reading", "--label", key="impostor", hidden=True),
    "key": Parameter("Reading", metavar="FILE"),
    "genuine_by": Parameter("Reading"),
    "person": Parameter("Reading", metavar="REGEX"),
    "names": Parameter("Reading", "--name", metavar="NAME"),
    "negate": Parameter("Reading"),
    "nan": Parameter("Reading"),
    "common": Parameter("Reading"),
    "max_size": Parameter("Reading", metavar="SIZE", read=read_bytes),
    "diagonal": Parameter("Reading"),
    "transpose": Parameter("Reading"),
    # where and how it is computed
    "workers": Parameter("Computing", metavar="K", needs_scores=True),
    "journal": Parameter("Computing", hidden=True),
    "progress": Parameter("Computing", hidden=True),
    "executor": Parameter("Computing", hidden=True),
    "keep_scores": Parameter("Computing", hidden=True),
}
"""What is known of parameters by name; of all others, what their signature and docstring say."""
_UNKNOWN = Parameter()


def parameter_of(name: str) -> Parameter:
    """Give what is known of a parameter."""
    return PARAMETERS.get(name, _UNKNOWN)


def flag_of(name: str) -> str:
    """Give the option of a parameter."""
    return parameter_of(name).flag or f"--{name.replace('_', '-')}"


def spell(name: str, value: Any, style: Style) -> str:
    """Write a parameter with its value, or its name alone where the value is an ellipsis.

    Examples
    --------
    >>> spell("nan", "drop", "python"), spell("nan", "drop", "shell"), spell("nan", ..., "shell")
    ('nan="drop"', '--nan drop', '--nan')
    >>> spell("columns", {"label": "NAME"}, "shell"), spell("genuine_labels", "target", "shell")
    ('--column label=NAME', '--label genuine=target')
    >>> spell("common", True, "shell"), spell("names", ["A", "B"], "shell")
    ('--common', '--name A --name B')
    """
    if style == "python":
        return name if value is ... else f"{name}={_quoted(value)}"
    return " ".join(option_words(name, value))


def option_words(name: str, value: Any) -> list[str]:
    """Write a parameter with its value as words of a command line.

    Examples
    --------
    >>> option_words("by", ["sex", "age"]), option_words("alpha", 1 / 3)
    (['--by', 'sex,age'], ['--alpha', '0.3333333333333333'])
    """
    flag, known = flag_of(name), parameter_of(name)
    if value is ... or value is True:
        return [flag, f"{known.key}=..."] if known.key else [flag]
    if isinstance(value, Mapping):
        return [word for role, entry in value.items() for word in (flag, f"{role}={entry}")]
    entries = value if isinstance(value, list | tuple) else [value]
    if "[," in known.metavar:
        return [flag, ",".join(map(str, entries))]
    return [word for entry in entries for word in (flag, f"{known.key}={entry}" if known.key else str(entry))]


def repeat_command(words: Sequence[str]) -> str:
    """Write a command as it is typed in a shell."""
    return visible(shlex.join(["fairtrial", *words]))


def repeat_call(name: str, arguments: Sequence[str], values: Mapping[str, Any]) -> str:
    """Write a call as it is typed in Python.

    Examples
    --------
    >>> repeat_call("ft.evaluate", ["dev", "test"], {"criterion": "far", "alpha": 0.01})
    'ft.evaluate(dev, test, criterion="far", alpha=0.01)'
    """
    return f"{name}({', '.join([*arguments, *(spell(*entry, 'python') for entry in values.items())])})"


def _quoted(value: Any) -> str:
    """Write a value as Python does, texts in double quotes."""
    if isinstance(value, str):
        return repr(value) if set(value) & {'"', "\\"} or not value.isprintable() else f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_quoted(key)}: {_quoted(entry)}' for key, entry in value.items())}}}"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of one function.

    Attributes
    ----------
    name : str
        Its name.
    type : type
        What one value is: ``bool``, ``int``, ``float`` or ``str``.
    choices : tuple of str
        The values that it may have; empty if they cannot be listed.
    count : int
        How many values make one: 1, or the length of a tuple.
    repeated : bool
        Whether there may be any number of values.
    default : object
        The default; an ellipsis if it must be given.
    help : str
        What the docstring says of it.
    """

    name: str
    type: type
    choices: tuple[str, ...]
    count: int
    repeated: bool
    default: Any
    help: str

    @property
    def parameter(self) -> Parameter:
        """What is known of it by its name."""
        return parameter_of(self.name)


@cache
def arguments_of(function: Callable[..., Any]) -> tuple[Argument, ...]:
    """List what a function takes, but for what is for Python only."""
    texts = _descriptions(function)
    arguments = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter_of(parameter.name).hidden or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        hint = _resolved(parameter.annotation, function)
        values, repeated, count = _values(hint)
        choices = get_args(values) if get_origin(values) is Literal else ()
        kind = values if values in (bool, int, float, str) else str
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        text = texts.get(parameter.name, "")
        arguments.append(Argument(parameter.name, kind, choices, count, repeated, default, text))
    return tuple(arguments)


def _resolved(annotation: Any, function: Callable[..., Any]) -> Any:
    """Evaluate an annotation; what is only known to type checkers is taken for a text."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, vars(sys.modules[function.__module__]))
    except (NameError, TypeError, AttributeError):
        return str


def _values(hint: Any) -> tuple[Any, bool, int]:
    """Tell what one value of a type is, whether there may be several, and how many make one."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        typed = [kind for kind in kinds if kind in (int, float, str)]
        return _values(kinds[0] if len(kinds) == 1 else typed[0] if typed else str)
    if get_origin(hint) is tuple and ... not in get_args(hint):
        return get_args(hint)[0], False, len(get_args(hint))
    if get_origin(hint) in (tuple, list, Sequence):
        return get_args(hint)[0], True, 1
    return hint, False, 1


def _descriptions(function: Callable[..., Any]) -> dict[str, str]:
    """Read what a docstring says of each parameter."""
    lines = (inspect.getdoc(function) or "").splitlines()
    try:
        start = next(k for k, line in enumerate(lines) if line in ("Parameters", "Attributes")) + 2
    except StopIteration:
        return {}
    found: dict[str, str] = {}
    names: list[str] = []
    for line, after in zip(lines[start:], [*lines[start + 1 :], ""], strict=True):
        if set(after) == {"-"}:
            break
        if line and not line.startswith(" "):
            names = [name.strip(" *") for name in line.partition(" : ")[0].split(",")]
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip().replace("`", "")
    return found


def refuse_excluded(function: Callable[..., Any], values: Mapping[str, Any], *, has_scores: bool = True) -> None:
    """Raise an error if a parameter is given that has no effect beside another, or that counts cannot serve.

    A parameter is given if its value differs from its default, in Python, in a shell and on a page alike.
    """
    given = changed(function, values)
    for name in given:
        for other in parameter_of(name).excludes:
            if other in given:
                template = f"{{{other}!p}} has no effect with {{{name}!p}}; remove one of them"
                raise ParameterError(template, code="excluded", **{name: values[name], other: values[other]})
        if parameter_of(name).needs_scores and not has_scores:
            template = f"{{{name}!p}} needs the scores themselves, and not counts of them"
            raise ParameterError(template, code="needs-scores", **{name: values[name]})


def changed(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the parameters of a function whose values differ from its defaults, in the order of its signature."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    return {name: values[name] for name in defaults if name in values and not _same(values[name], defaults[name])}


def _same(value: Any, default: Any) -> bool:
    try:
        return value is default or bool(value == default)
    except ValueError:  # arrays
        return False
