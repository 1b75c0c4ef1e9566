"""Check tables from a file or a browser against typed keys that are declared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.core.words import cut, shown


@dataclass(frozen=True, slots=True)
class ValueKind:
    """What a key may hold.

    Attributes
    ----------
    expected : str
        What it is in words, to follow "must be".
    read : callable
        Returns the value, or raises a TypeError, ValueError or OverflowError.
    """

    expected: str
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table.

    Attributes
    ----------
    name : str
        The key itself.
    kind : ValueKind or tuple of Key
        What it holds; keys for a table within the table.
    default : object
        Its value if it is not given; an ellipsis if it must be given.
    many : bool
        Whether it holds a list of tables, one at least.
    heading : str
        How such a table begins in the file, if that is not ``[[name]]``.
    """

    name: str
    kind: ValueKind | tuple[Key, ...]
    default: Any = ...
    many: bool = False
    heading: str = ""


class Entries(dict[str, Any]):
    """The values of a table by key, and where it stands."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place


def check_entries(
    content: Any,
    keys: Sequence[Key],
    place: str = "",
    *,
    others: bool = False,
    error: type[FairtrialError] = InputError,
) -> Entries:
    """Check a table key by key.

    Every key gets a value, the one given or its default. With `others`, further keys are allowed and left out; `place`
    is where the table stands, for errors of the class `error`.

    Examples
    --------
    >>> keys = Key("name", NAME), Key("repeats", WHOLE, 10)
    >>> check_entries({"name": "P1"}, keys)
    {'name': 'P1', 'repeats': 10}
    >>> check_entries({"name": "P1", "repeats": "x"}, keys, "set P1")
    Traceback (most recent call last):
        ...
    fairtrial.core.errors.InputError: set P1: repeats must be a whole number, not 'x'
    """
    before = f"{place}: " if place else ""
    if not isinstance(content, dict):
        raise error("{before}expected a table, not {value:quoted}", code="value", before=before, value=content)
    names = [key.name for key in keys]
    unknown = next((name for name in content if name not in names), None)
    if unknown is not None and not others:
        template = "{before}there is no key {key:quoted}; keys are {names:list}"
        raise error(template, code="unknown-key", before=before, key=unknown, names=names)
    entries = Entries(place)
    for key in keys:
        if key.name in content:
            entries[key.name] = _read(key, content[key.name], before, others, error)
        elif key.default is ...:
            values = {"before": before, "key": key.name, "expected": _expected(key)}
            raise error("{before}{key} is missing; expected {expected}", code="missing-key", **values)
        else:
            entries[key.name] = key.default
    return entries


def _expected(key: Key) -> str:
    if isinstance(key.kind, ValueKind):
        return key.kind.expected
    return f"tables that begin with [[{key.heading or key.name}]]" if key.many else "a table"


def _read(key: Key, value: Any, before: str, others: bool, error: type[FairtrialError]) -> Any:
    """Read the value of a key: a table or tables by their keys, anything else by its kind."""
    wrong = error(
        "{before}{key} must be {expected}, not {value}",
        code="value",
        before=before,
        key=key.name,
        expected=_expected(key),
        value=shown(value),
    )
    if isinstance(key.kind, ValueKind):
        try:
            return key.kind.read(value)
        except (TypeError, ValueError, OverflowError) as reason:
            raise wrong from reason
    if not key.many:
        if not isinstance(value, dict):
            raise wrong
        return check_entries(value, key.kind, f"{before}{key.name}", others=others, error=error)
    if not isinstance(value, list) or not value or not all(isinstance(entry, dict) for entry in value):
        raise wrong
    tables = []
    for number, entry in enumerate(value, start=1):
        name = entry.get("name")
        label = cut(name) if isinstance(name, str) and name else f"number {number}"
        tables.append(check_entries(entry, key.kind, f"{before}{key.name} {label}", others=others, error=error))
    return tables


def only(kind: type[Any], *, empty: bool = True) -> Callable[[Any], Any]:
    """Make a reader of values of one type; ``empty=False`` refuses empty ones."""

    def read(value: Any) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool) or not (empty or value):
            raise TypeError
        return value

    return read


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TypeError
    return float(value)


def _texts(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise TypeError
    return texts


def one_of(names: Sequence[str]) -> ValueKind:
    """Make the kind of a value that is one of several names."""

    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in names:
            raise ValueError
        return value

    return ValueKind(f"one of {', '.join(names)}", read)


TEXT = ValueKind("a text", only(str))
NAME = ValueKind("a text that is not empty", only(str, empty=False))
TEXTS = ValueKind("a text or a list of texts", _texts)
FLAG = ValueKind("true or false", only(bool))
WHOLE = ValueKind("a whole number", only(int))
NUMBER = ValueKind("a finite number", _number)
