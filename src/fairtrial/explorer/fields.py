"""What a browser sends, checked field by field: nothing of it is trusted to be what it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import cut

Fields: TypeAlias = Mapping[str, Any]
_LONGEST = 2000


def text(fields: Fields, name: str, default: str | None = None) -> str:
    """A text; an error where it is not one, or is missing and has no default."""
    value = fields.get(name, default)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ParameterError(f"{name} must be a text, not {cut(repr(value))}")
    return value


def choice(fields: Fields, name: str, known: Sequence[str], default: str | None = None) -> str:
    """One of some words."""
    value = text(fields, name, default)
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}, not {cut(repr(value))}")
    return value


def names(fields: Fields, name: str) -> tuple[str, ...]:
    """Any number of texts; none where the field is missing."""
    values = fields.get(name, ())
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise ParameterError(f"{name} must be a list of texts, not {cut(repr(values))}")
    return tuple(values)


def number(fields: Fields, name: str, default: float | None = None) -> float:
    """A finite number."""
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_float(value):
        raise ParameterError(f"{name} must be a number, not {cut(repr(value))}")
    return float(value)


def _is_float(value: int | float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # JSON has whole numbers of any length
        return False


def whole(fields: Fields, name: str, default: int | None = None) -> int:
    """A whole number."""
    value = number(fields, name, default)
    if value != int(value):
        raise ParameterError(f"{name} must be a whole number, not {value:g}")
    return int(value)


def flag(fields: Fields, name: str) -> bool:
    """Yes or no; no where the field is missing."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, not {cut(repr(value))}")
    return value


def part(fields: Fields, name: str) -> Fields:
    """Fields within a field; none where it is missing."""
    value = fields.get(name, {})
    if not isinstance(value, dict):
        raise ParameterError(f"{name} must hold fields, not {cut(repr(value))}")
    return value
