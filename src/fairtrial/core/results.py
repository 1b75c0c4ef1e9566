"""The base of all results: fields that are declared once, for JSON and for tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from math import isfinite
from operator import attrgetter
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.words import Text, as_in_files, cut, listed, nearest

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 220
"""Maximum number of characters of an answer in a repr."""


@dataclass(frozen=True, slots=True)
class Field(Column):
    """A column with the attribute that its values come from: one entry of JSON and one column of a table.

    Parameters
    ----------
    key, title, kind, detail
        As of a column. Without a title, the field is in JSON only.
    get : str or callable, default ""
        The attribute with the value, dotted if it is one of an attribute, or a function of the object; the attribute
        named like the key by default.
    in_json : bool or {"if known", "finite"}, default True
        Whether JSON has it; ``if known`` leaves it out if it is None, and ``finite`` has null for infinite numbers.

    Examples
    --------
    >>> Field("far", "FAR", "rate", get="counts.far").value(Ellipsis) is None
    Traceback (most recent call last):
        ...
    AttributeError: 'ellipsis' object has no attribute 'counts'
    """

    title: str | Text = ""
    get: str | Callable[[Any], Any] = ""
    in_json: bool | Literal["if known", "finite"] = True

    def value(self, of: Any) -> Any:
        """Return the value of this field in an object."""
        return self.get(of) if callable(self.get) else attrgetter(self.get or self.key)(of)

    def cell(self, of: Any) -> Any:
        """Return what a table shows of an object: the value, or the limits of an interval."""
        value = self.value(of)
        return getattr(value, "interval", value) if self.kind in ("interval", "range") else value


class Record:
    """The base of objects that declare their fields once; JSON and rows of tables follow."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[Field, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain numbers, texts, lists and dicts, as JSON of the command line has them."""
        entries = {}
        for field in self.FIELDS:
            if field.in_json and ((value := plain(field.value(self))) is not None or field.in_json != "if known"):
                entries[field.key] = finite(value) if field.in_json == "finite" else value
        return entries


def fields_of(attribute: str, columns: Iterable[Column]) -> tuple[Field, ...]:
    """Make fields of the columns of an attribute, such as the rates and counts of an `ErrorCounts`."""
    return tuple(Field(c.key, c.title, c.kind, c.detail, c.optional, get=f"{attribute}.{c.key}") for c in columns)


def finite(value: Any) -> Any:
    """Replace infinite and undefined numbers by None."""
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def plain(value: Any) -> Any:
    """Turn records and notes within a value into dicts, and tuples and arrays into lists."""
    if isinstance(value, Record | Note):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Text):
        return str(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _thresholds_as_in_files(entries: Any, system: object = None) -> Any:
    """Restore the sign of thresholds of distances; the system is named by an entry or by one around it."""
    if isinstance(entries, list):
        return [_thresholds_as_in_files(entry, system) for entry in entries]
    if not isinstance(entries, dict):
        return entries
    system = entries.get("system", system)
    return {
        key: as_in_files(system, entry)
        if key in ("threshold", "fold_thresholds")
        else _thresholds_as_in_files(entry, system)
        for key, entry in entries.items()
    }


def table_of(
    name: str,
    caption: str | Text,
    fields: Sequence[Field],
    records: Iterable[Any],
    *,
    titles: Mapping[str, str] = MappingProxyType({}),
    **settings: Any,
) -> Table:
    """Make a table of the fields that have a title, one row per record; see `Table.of`.

    `titles` by key replace those declared.
    """
    shown = [replace(field, title=titles.get(field.key, field.title)) for field in fields if field.title]
    columns = [Column(field.key, field.title, field.kind, field.detail, field.optional) for field in shown]
    rows = ({field.key: field.cell(record) for field in shown} for record in records)
    return Table.of(name, caption, columns, rows, **settings)


def _warnings(tables: Iterable[Table]) -> list[Note]:
    """Collect the warnings of tables, and merge those that say the same."""
    notes = gather_notes(note for table in tables for note in table.notes)
    return [note for note in notes if isinstance(note, Note) and note.warning]


def _remarks(notes: Iterable[Note | str]) -> tuple[Note | str, ...]:
    """Keep the notes that are neither warnings nor details."""
    return tuple(note for note in notes if isinstance(note, str) or not (note.warning or note.detail))


class Result(Record, ABC):
    """The base of all results: an answer in one sentence, and tables.

    A result prints as its answer with the main tables, and shows itself in a notebook. Rates are fractions in its
    attributes, in `to_dict`, `to_arrow` and `to_frame`, and percent where people read them.

    Examples
    --------
    >>> import fairtrial as ft
    >>> result = ft.published.mcnemar_test(10, 2)
    >>> isinstance(result, Result), [table.name for table in result.tables()]
    (True, ['versions'])
    """

    __slots__ = ()

    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """Return the tables of the result, the main one first."""

    def main_tables(self) -> tuple[Table, ...]:
        """Return the tables that people see without asking for more, with the warnings of all tables."""
        main = [table for table in self.tables() if not table.detail]
        hidden = dict.fromkeys(note for table in self.tables() if table.detail for note in table.notes)
        warnings = [note for note in hidden if isinstance(note, Note) and note.warning]
        return (*main[:-1], *(table.with_notes(*warnings) for table in main[-1:]))

    @abstractmethod
    def answer(self) -> str:
        """Write the answer in one sentence that can be quoted: who is better or how good, the interval, p, and why."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {cut(self.answer(), _SHOWN)}>"

    def __str__(self) -> str:
        main = self.main_tables()
        warnings = [f"warning: {warning}" for warning in _warnings(main)]
        return "\n\n".join(["\n".join([self.answer(), *warnings]), *(table.to_text() for table in main)])

    def _repr_html_(self) -> str:
        main = self.main_tables()
        warnings = "".join(f"<p>Warning: {escape(str(warning))}</p>" for warning in _warnings(main))
        tables = "".join(replace(table, notes=_remarks(table.notes)).to_html() for table in main)
        return f"<p><strong>{escape(self.answer())}</strong></p>{warnings}{tables}"

    def to_json(self) -> dict[str, Any]:
        """Return the answer and all figures as the command line's JSON object."""
        return {"answer": self.answer(), **_thresholds_as_in_files(self.to_dict())}

    def to_markdown(self) -> str:
        """Write all tables as Markdown."""
        return "\n".join(table.to_markdown() for table in self.tables())

    def to_latex(self) -> str:
        """Write all tables as LaTeX."""
        return "\n".join(table.to_latex() for table in self.tables())

    def to_arrow(self) -> pa.Table:
        """Convert the main table to Arrow; see `Table.to_arrow`."""
        return self.tables()[0].to_arrow()

    def to_frame(self) -> Any:
        """Convert the main table to a data frame of pandas or polars; see `Table.to_frame`."""
        return self.tables()[0].to_frame()

    def plot(self, name: str = "", *, ax: Any = None, **options: Any) -> Any:
        """Draw a figure of the result with matplotlib.

        Parameters
        ----------
        name : str, default ""
            The name of the figure, as of ``fairtrial plot``; the main one of the result by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default. A figure of several panels takes a matplotlib figure instead.
        **options : object
            Options of the function in `fairtrial.figures` that draws it.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; of several panels, what its function returns.

        Raises
        ------
        ParameterError
            If the result has no such figure.
        """
        return import_module("fairtrial.figures.table").drawing_of(self, name, **options).plot(ax)

    def report(self, path: str | PathLike[str], *, title: str = "", command: str = "", **more: Any) -> None:
        """Write a self-contained page of the result.

        Parameters
        ----------
        path : str or path-like
            The file, usually with the ending .html.
        title : str, default ""
            The title of the page; what the result is of by default.
        command : str, default ""
            The command or the lines that repeat the result, for the page to show.
        **more : object
            What only some pages take; see `fairtrial.pages.page_of`.

        Raises
        ------
        ParameterError
            If there is no page of such a result.
        """
        pages, page = import_module("fairtrial.pages"), import_module("fairtrial.pages.page")
        document = pages.page_of(self, page.repeat_of(command, (), None), **more)
        page.write_report(replace(document, heading=title), path)


One = TypeVar("One", bound=Result)


class SystemResults(Result, Generic[One]):
    """Results of the same kind, one per system: ``result["face"]`` is one of them.

    If there is only one, its attributes are also those of the result.
    """

    __slots__ = ()
    systems: tuple[One, ...]

    def __getitem__(self, system: str) -> One:
        by_name = {getattr(result, "system", ""): result for result in self.systems}
        if system not in by_name:
            raise KeyError(f"there is no system {system!r}; there are {listed(by_name)}{nearest(system, by_name)}")
        return by_name[system]

    def __iter__(self) -> Iterator[One]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "systems":
            raise AttributeError(name)
        first = self.systems[0]
        if len(self.systems) == 1:
            return getattr(first, name)
        if hasattr(type(first), name) or name in getattr(first, "__dataclass_fields__", ()):
            system = getattr(first, "system", "")
            raise AttributeError(f"there are {len(self.systems)} systems; name one: result[{system!r}].{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def tables(self) -> tuple[Table, ...]:
        """Join the tables of all systems."""
        return join_tables([result.tables() for result in self.systems])

    def to_dict(self) -> dict[str, Any]:
        """Return the results of all systems under the name ``systems``."""
        return {"systems": plain(self.systems)}
