"""Forms from declarations: which fields a page shows for a function, and its values, checked against the signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fairtrial.calibration.methods import CALIBRATIONS
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, arguments_of, read_names, spell
from fairtrial.core.schema import FLAG, NUMBER, Entries, Key, ValueKind, check_entries, one_of
from fairtrial.core.words import Text
from fairtrial.fusion.methods import FUSIONS
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.rules.criteria import CRITERIA
from fairtrial.rules.measures import plain_measure_names

Fields: TypeAlias = Mapping[str, Any]
"""What a browser sends; nothing of it is trusted."""
_LONGEST = 2000
LABELS = {
    "dev": "use as: development",
    "test": "use as: test",
    "people": "use as: a table of people",
    "negate": "lower means genuine",
    "genuine_labels": "Labels",
    "impostor_labels": "Labels",
    "folds": "Folds, as there is no test set",
    "cluster": "Trials share",
    "nan": "A trial without a score",
    "genuine_by": "If label and ids disagree",
    "person": "Person within an id (regular expression)",
    "criterion": "Threshold from",
    "alpha": "Threshold from",
    "threshold": "a given threshold",
    "systems": "Systems",
    "system": "System",
    "by": "By",
    "impostor_by": "Impostor by (optional)",
    "measure": "Compared in",
    "power": "Power",
    "fusion": "Fused by",
    "normalise": "Scores normalised by",
    "method": "Calibrated by",
    "shows": "Shown by",
    "errors": "Errors",
}
"""Parameters that have a control, in the words of the page."""
CHOICES = {
    "cluster": {"": "all known ids", "none": "nothing", "claim": "the claim", "subject": "the subject", "both": "both"},
    "nan": {"error": "is an error", "drop": "is left out", "reject": "is rejected"},
    "genuine_by": {"": "it is an error", "label": "the label counts", "ids": "the ids count"},
}
"""The values of parameters of files, in the words of the page."""
_REGISTERED: dict[str, Callable[[], Iterable[str]]] = {
    "criterion": lambda: CRITERIA,
    "measure": plain_measure_names,
    "fusion": lambda: FUSIONS,
    "normalise": lambda: ("none", *(name for name in NORMALISATIONS if name != "none")),
    "method": lambda: CALIBRATIONS,
}
"""The names that a parameter may have, those of plugins too."""
_SUMMARIES: dict[str, Mapping[str, Any]] = {"fusion": FUSIONS, "method": CALIBRATIONS}


def as_on_page(name: str, value: Any) -> str:
    """Spell a parameter as its control on the page; one without a control as an option of the command line.

    Examples
    --------
    >>> as_on_page("cluster", "none"), as_on_page("negate", ...), as_on_page("columns", {"score": "NAME"})
    ('“Trials share: nothing”', '“lower means genuine”', '“score” for a column')
    >>> as_on_page("common", True)
    '--common on the command line'
    """
    if name in ("scores", "others"):
        name, value = "columns", {name.removesuffix("s"): " or ".join(value)}
    if isinstance(value, Mapping):
        columns = {role: "a column" if column == "NAME" else f"the column {column}" for role, column in value.items()}
        return ", ".join(f"“{role}” for {column}" for role, column in columns.items())
    if name not in LABELS:
        return f"{spell(name, value, 'shell')} on the command line"
    label, text = LABELS[name], CHOICES[name].get(value, value) if name in CHOICES else value
    if name.endswith("_labels") and value is not ...:
        label, text = text, name.removesuffix("_labels")
    return f"“{label}”" if value is ... or value is True else f"“{label}: {text}”"


def controls_of(text: Text | str) -> list[str]:
    """List the parameters that a text names and that have a control."""
    values = text.values if isinstance(text, Text) else {}
    nested = (name for value in values.values() if isinstance(value, Text) for name in value.values)
    return [name for name in (*values, *nested) if name in LABELS]


def fields_of(function: Callable[..., Any], names: Iterable[str]) -> list[dict[str, Any]]:
    """Describe the fields of a form for some parameters of a function: label, kind, choices, default and help."""
    arguments = {argument.name: argument for argument in arguments_of(function)}
    return [_field(arguments[name]) for name in names]


def _field(argument: Argument) -> dict[str, Any]:
    name, choices = argument.name, _choices(argument)
    summaries = {key: entry.summary for key, entry in _SUMMARIES.get(name, {}).items()}
    texts = [f"{choice}: {summaries[choice]}" if summaries.get(choice) else choice for choice in choices]
    kind = "names" if _is_list(argument) else "choice" if choices else argument.type.__name__
    default = None if argument.default in (..., ()) else argument.default
    return {
        "name": name,
        "label": LABELS.get(name, name.capitalize()),
        "kind": kind,
        "choices": [list(pair) for pair in zip(choices, texts, strict=True)],
        "default": default,
        "help": argument.help,
    }


def keys_of(function: Callable[..., Any], names: Iterable[str]) -> list[Key]:
    """Declare what a browser may send for some parameters of a function; None is their default."""
    arguments = {argument.name: argument for argument in arguments_of(function)}
    return [Key(name, _kind(arguments[name]), None) for name in names]


def values_of(function: Callable[..., Any], names: Iterable[str], given: Fields) -> dict[str, Any]:
    """Check what a browser sent for some parameters of a function; what is missing keeps its default."""
    values = check_fields(given, keys_of(function, names))
    return {name: value for name, value in values.items() if value is not None}


def check_fields(given: Fields, keys: Sequence[Key]) -> Entries:
    """Check what a browser sent; None and fields of other forms are left out."""
    sent = {name: value for name, value in given.items() if value is not None}
    return check_entries(sent, keys, others=True, error=ParameterError)


def _kind(argument: Argument) -> ValueKind:
    if _is_list(argument):
        return NAMES
    choices = _choices(argument)
    return one_of(choices) if choices else {bool: FLAG, int: WHOLE, float: NUMBER}.get(argument.type, TEXT)


def _choices(argument: Argument) -> tuple[str, ...]:
    return argument.choices or tuple(_REGISTERED.get(argument.name, tuple)())


def _is_list(argument: Argument) -> bool:
    return argument.repeated or (argument.parameter.read is read_names and not argument.choices)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise TypeError
    return value


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError
    return tuple(map(_text, value))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(float(value)):
        raise TypeError
    return int(value)


TEXT = ValueKind("a text", _text)
NAMES = ValueKind("a list of texts", _names)
WHOLE = ValueKind("a whole number", _whole)
