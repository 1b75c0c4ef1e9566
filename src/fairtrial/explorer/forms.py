"""Forms from declarations: which fields a page shows for a function, and its values, checked against the signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from fairtrial.calibration.methods import CALIBRATIONS
from fairtrial.core.errors import ParameterError
from fairtrial.core.parameters import Argument, arguments_of, read_names
from fairtrial.core.words import cut
from fairtrial.fusion.methods import FUSIONS
from fairtrial.fusion.normalise import NORMALISATIONS
from fairtrial.rules.criteria import CRITERIA
from fairtrial.rules.measures import plain_measure_names

Fields: TypeAlias = Mapping[str, Any]
"""What a browser sends; nothing of it is trusted."""
_LONGEST = 2000
_LABELS = {
    "systems": "Systems",
    "system": "System",
    "fusion": "Fused by",
    "normalise": "Scores normalised by",
    "measure": "Compared in",
    "method": "Calibrated by",
    "by": "By",
    "impostor_by": "Impostor by (optional)",
    "shows": "Shown by",
    "errors": "Errors",
    "power": "Power",
    "confidence": "Confidence",
}
"""Parameters in the words of the page."""
_REGISTERED: dict[str, Callable[[], Iterable[str]]] = {
    "criterion": lambda: CRITERIA,
    "measure": plain_measure_names,
    "fusion": lambda: FUSIONS,
    "normalise": lambda: ("none", *(name for name in NORMALISATIONS if name != "none")),
    "method": lambda: CALIBRATIONS,
}
"""The names that a parameter may have, those of plugins too."""
_SUMMARIES: dict[str, Mapping[str, Any]] = {"fusion": FUSIONS, "method": CALIBRATIONS}


def fields_of(function: Callable[..., Any], names: Iterable[str]) -> list[dict[str, Any]]:
    """Describe the fields of a form for some parameters of a function: label, kind, choices, default and help."""
    arguments = {argument.name: argument for argument in arguments_of(function)}
    return [_field(arguments[name]) for name in names]


def _field(argument: Argument) -> dict[str, Any]:
    name, choices = argument.name, list(argument.choices or _REGISTERED.get(argument.name, tuple)())
    summaries = {key: entry.summary for key, entry in _SUMMARIES.get(name, {}).items()}
    texts = [f"{choice}: {summaries[choice]}" if summaries.get(choice) else choice for choice in choices]
    kind = "names" if _is_list(argument) else "choice" if choices else argument.type.__name__
    default = None if argument.default in (..., ()) else argument.default
    return {
        "name": name,
        "label": _LABELS.get(name, name.replace("_", " ")),
        "kind": kind,
        "choices": [list(pair) for pair in zip(choices, texts, strict=True)],
        "default": default,
        "help": argument.help,
    }


def values_of(function: Callable[..., Any], names: Iterable[str], given: Fields) -> dict[str, Any]:
    """Check what a browser sent for some parameters of a function; what is missing keeps its default."""
    arguments = {argument.name: argument for argument in arguments_of(function)}
    return {name: _value(arguments[name], given[name]) for name in names if given.get(name) is not None}


def _value(argument: Argument, value: Any) -> Any:
    name = argument.name
    if _is_list(argument):
        return check_names(name, value)
    if argument.type is bool:
        return check_flag(name, value)
    if argument.type in (int, float):
        return check_number(name, value, whole=argument.type is int)
    return check_text(name, value, argument.choices or tuple(_REGISTERED.get(name, tuple)()))


def _is_list(argument: Argument) -> bool:
    return argument.repeated or (argument.parameter.read is read_names and not argument.choices)


def check_text(name: str, value: Any, choices: Iterable[str] = ()) -> str:
    """Validate a text, perhaps one of some choices."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ParameterError(f"{name} must be a text, not {cut(repr(value))}")
    choices = tuple(choices)
    if choices and value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, choices))}, not {cut(repr(value))}")
    return value


def check_names(name: str, value: Any) -> tuple[str, ...]:
    """Validate a list of texts."""
    if not isinstance(value, list | tuple):
        raise ParameterError(f"{name} must be a list of texts, not {cut(repr(value))}")
    return tuple(check_text(name, entry) for entry in value)


def check_number(name: str, value: Any, *, whole: bool = False) -> float:
    """Validate a finite number."""
    try:
        valid = not isinstance(value, bool) and isinstance(value, int | float) and isfinite(value)
    except OverflowError:  # JSON has whole numbers of any length
        valid = False
    if not valid or (whole and value != int(value)):
        raise ParameterError(f"{name} must be a {'whole ' if whole else ''}number, not {cut(repr(value))}")
    return int(value) if whole else float(value)


def check_flag(name: str, value: Any) -> bool:
    """Validate yes or no."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, not {cut(repr(value))}")
    return value


def check_fields(name: str, value: Any) -> Fields:
    """Validate fields within a field."""
    if not isinstance(value, dict):
        raise ParameterError(f"{name} must hold fields, not {cut(repr(value))}")
    return value
