"""Tables with typed columns, and their renderings for people and for programs."""

from __future__ import annotations

import importlib
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby, zip_longest
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from unicodedata import combining, east_asian_width

from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.words import (
    Text,
    as_in_files,
    bound_text,
    count_text,
    figure_text,
    figures_text,
    in_percent,
    interval_text,
    latex_text,
    markdown_text,
    number_text,
    p_text,
    range_text,
    sure_text,
    term,
    threshold_text,
    visible,
)

if TYPE_CHECKING:
    import pyarrow as pa


_GAP = 2
"""Blanks between the columns of a table in plain text."""


class ColumnKind(NamedTuple):
    """What a column holds.

    Attributes
    ----------
    text : callable
        Writes a value as people read it.
    stored : {"text", "flag", "number", "count", "pair", "first"}
        What a data frame holds: ``pair`` is two columns, ``first`` the number before its unit.
    percent : bool
        Whether the heading says that values are in percent; they are fractions.
    """

    text: Callable[[Any], str]
    stored: str = "number"
    percent: bool = False


KINDS = {
    "text": ColumnKind(str, "text"),
    "term": ColumnKind(lambda value: term(str(value)), "text"),  # a term or a word of fairtrial
    "flag": ColumnKind(lambda value: "yes" if value else "", "flag"),
    "number": ColumnKind(number_text),
    "statistic": ColumnKind(lambda value: number_text(value, 6)),
    "threshold": ColumnKind(threshold_text),
    "ratio": ColumnKind(lambda value: "" if isnan(value) else f"{value:.2f}"),
    "count": ColumnKind(count_text, "count"),
    "p": ColumnKind(p_text),
    # proportions
    "rate": ColumnKind(in_percent, percent=True),
    "sure": ColumnKind(sure_text, percent=True),  # 1 - p
    "level": ColumnKind(lambda value: "" if isnan(value) else f"{100 * value:g}", percent=True),  # of confidence
    # (low, high) of a rate, and of a number
    "interval": ColumnKind(lambda pair: interval_text(*pair), "pair"),
    "range": ColumnKind(lambda pair: range_text(*pair), "pair"),
    # (value, is_share) and (low, high, is_share), if the unit differs by row: a proportion in percent, or a number
    "figure": ColumnKind(lambda cell: figure_text(*cell), "first"),
    "bound": ColumnKind(lambda cell: bound_text(*cell), "first"),
    # three decimals, as papers print widths of intervals; of small widths more
    "width": ColumnKind(
        lambda cell: f"{100 * cell[0]:.3f} %" if cell[1] and cell[0] >= 0.01 else figure_text(*cell), "first"
    ),
    "figures": ColumnKind(lambda cell: figures_text(*cell), "pair"),
}
"""What a column may hold, by name."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        What programs call it: the name in CSV files and data frames.
    title : str or Text
        What people read above it; the percent sign of rates is added.
    kind : str, default "text"
        What it holds, a name in `KINDS`, such as ``text``, ``count``, ``rate``, ``interval`` or ``p``.
    detail : bool, default False
        Whether it is for files and data frames only, and not for people.
    optional : bool, default False
        Whether a terminal that is too narrow for the table may leave it out.

    Raises
    ------
    ParameterError
        If the kind is unknown.

    Examples
    --------
    >>> Column("far", "FAR", "rate").text(0.0123)
    '1.23'
    """

    key: str
    title: str | Text
    kind: str = "text"
    detail: bool = False
    optional: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"a column must be of one of the kinds {', '.join(KINDS)}, not {self.kind!r}")

    @property
    def is_numeric(self) -> bool:
        """Whether it is aligned to the right."""
        return KINDS[self.kind].stored not in ("text", "flag")

    @property
    def heading(self) -> str:
        """The title with its percent sign."""
        title = term(self.title) if isinstance(self.title, str) else str(self.title)
        return f"{title} %" if KINDS[self.kind].percent else title

    def text(self, value: Any) -> str:
        """Write a cell as people read it; empty for None and NaN."""
        return "" if value is None else KINDS[self.kind].text(value)


RATE_COLUMNS = tuple(Column(name, name.upper(), "rate") for name in ("far", "frr", "hter"))
"""The three error rates of an `ErrorCounts`."""
COUNT_COLUMNS = tuple(
    Column(name, name.replace("_", " "), "count", detail=True)
    for name in ("false_accepts", "false_rejects", "genuine", "impostor")
)
"""The counts of an `ErrorCounts`."""
Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a result: raw values in typed columns.

    Parameters
    ----------
    name : str
        What it is called among the tables of its result; tables of the same name can be joined.
    caption : str or Text
        What people read above it.
    columns : tuple of Column
        The columns, each with another key.
    rows : tuple of tuple
        Values in the order of the columns: fractions for rates, pairs for intervals, None where there is nothing.
    notes : tuple of Note or str, default ()
        What people read below it.
    section : str, optional
        The key of the column that groups the rows.
    shown : tuple of int, optional
        Which rows people get to see on a terminal and in a notebook, by index; all by default. Files have them all.
    detail : bool, default False
        Whether it is shown on request only (``--all``); files and data frames have it in any case.

    Raises
    ------
    ParameterError
        If two columns have the same key, the section is not a column, or a row has another length.

    Examples
    --------
    >>> table = Table("errors", "Errors", (Column("far", "FAR", "rate"),), ((0.0123,),))
    >>> print(table.to_markdown())
    ## Errors
    <BLANKLINE>
    | FAR % |
    |---:|
    | 1.23 |
    <BLANKLINE>
    """

    name: str
    caption: str | Text
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[Note | str, ...] = ()
    section: str | None = None
    shown: tuple[int, ...] | None = None
    detail: bool = False

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            raise ParameterError(f"table {self.name}: two columns have the same key; they are {', '.join(keys)}")
        if self.section is not None and self.section not in keys:
            raise ParameterError(f"table {self.name}: there is no column {self.section!r} to group rows by")
        for row in self.rows:
            if len(row) != len(keys):
                raise ParameterError(f"table {self.name}: a row of {len(row)} values in {len(keys)} columns")

    @classmethod
    def of(
        cls,
        name: str,
        caption: str | Text,
        columns: Sequence[Column],
        records: Iterable[Mapping[str, Any]],
        *,
        notes: Sequence[Note | str] = (),
        section: str | None = None,
        shown: Sequence[int] | None = None,
        detail: bool = False,
    ) -> Table:
        """Make a table from records, which are read by the keys of the columns; what a record lacks is empty.

        Examples
        --------
        >>> columns = Column("system", "system"), Column("far", "FAR", "rate")
        >>> Table.of("errors", "Errors", columns, [{"system": "face", "far": 0.01}]).rows
        (('face', 0.01),)
        """
        rows = tuple(tuple(record.get(column.key) for column in columns) for record in records)
        places = None if shown is None else tuple(shown)
        return cls(name, caption, tuple(columns), rows, tuple(notes), section, places, detail)

    def with_notes(self, *notes: Note | str) -> Table:
        """Append notes."""
        return replace(self, notes=(*self.notes, *notes))

    def with_column(self, column: Column, values: Sequence[Any], *, first: bool = False) -> Table:
        """Add a column after all others, or before them."""
        rows = ((value, *row) if first else (*row, value) for row, value in zip(self.rows, values, strict=True))
        columns = (column, *self.columns) if first else (*self.columns, column)
        return replace(self, columns=columns, rows=tuple(rows))

    def with_title(self, key: str, title: str) -> Table:
        """Replace the title of one column."""
        columns = (replace(column, title=title) if column.key == key else column for column in self.columns)
        return replace(self, columns=tuple(columns))

    @property
    def visible_columns(self) -> tuple[Column, ...]:
        """The columns that people get to see."""
        return tuple(column for column in self.columns if not column.detail)

    @property
    def headings(self) -> list[str]:
        """The headings of the columns that people get to see."""
        return [column.heading for column in self.visible_columns]

    def column(self, key: str) -> list[Any]:
        """Return the raw values of one column; thresholds of distances as in their files."""
        (place,) = (k for k, column in enumerate(self.columns) if column.key == key)
        values = [row[place] for row in self.rows]
        if self.columns[place].kind != "threshold" or all(column.key != "system" for column in self.columns):
            return values
        return [as_in_files(system, value) for system, value in zip(self.column("system"), values, strict=True)]

    def sections(self, *, whole: bool = True) -> Iterator[list[list[str]]]:
        """Write the rows as people read them, in their groups: all of them, or only those in `shown`."""
        rows = list(zip(*(self.column(column.key) for column in self.columns), strict=True))
        if not whole and self.shown is not None:
            rows = [rows[k] for k in self.shown]
        section = next((k for k, column in enumerate(self.columns) if column.key == self.section), None)
        for _, group in groupby(rows, key=lambda row: section is None or row[section]):
            yield [
                [column.text(value) for column, value in zip(self.columns, row, strict=True) if not column.detail]
                for row in group
            ]

    def to_text(self, width: int | None = None, *, whole: bool = False) -> str:
        """Write the table as plain text.

        Parameters
        ----------
        width : int, optional
            The columns of the terminal; as wide as it needs by default.
        whole : bool, default False
            All rows, or only those in `shown`.

        Returns
        -------
        str
            Caption, headings and rows. On a narrow terminal, optional columns that do not fit are left out; then
            headings are wrapped, the section becomes a line above its rows, words in cells are wrapped, and in the end
            every row stands upright. No number is broken.
        """
        groups = list(self.sections(whole=whole))
        if not groups:
            return ""
        columns = self.visible_columns
        least: dict[str, list[int]] = {"nothing": [], "headings": [], "cells": []}  # widths by what is wrapped
        for k, column in enumerate(columns):
            heading, cells = visible(column.heading), [visible(row[k]) for group in groups for row in group]
            longest = max(map(cell_width, cells))
            longest_word = longest if column.is_numeric else max(map(_word_width, cells))
            least["nothing"].append(max(cell_width(heading), longest))
            least["headings"].append(max(_word_width(heading), longest))
            least["cells"].append(max(_word_width(heading), longest_word))

        def fit(places: Sequence[int], room: int | None, wrap: str) -> list[int]:
            """Compute the widths of columns; none if they are wider than the room even if wrapped."""
            widths, narrowest = ([least[how][k] for k in places] for how in ("nothing", wrap))
            excess = 0 if room is None else sum(widths) + _GAP * (len(widths) - 1) - room
            while excess > 0 and widths != narrowest:  # the column with most to spare loses one
                k = max(range(len(widths)), key=lambda k: widths[k] - narrowest[k])
                widths[k], excess = widths[k] - 1, excess - 1
            return [] if excess > 0 else widths

        places, margin = [k for k, column in enumerate(columns) if not column.optional], 0
        section = next((k for k in places if columns[k].key == self.section), None)
        if section is not None and not fit(places, width, "headings"):
            others = [k for k in places if k != section]
            if fit(others, width and width - _GAP, "headings"):
                places, margin = others, _GAP
        room = width and width - margin
        for k, column in enumerate(columns):
            if column.optional and fit(more := sorted([*places, k]), room, "nothing"):
                places = more
        widths = next(filter(None, (fit(places, room, wrap) for wrap in least)), [])
        if width is not None and not widths:
            lines = self._stand_upright(groups, width)
        else:
            lines = self._lay_out(groups, places, widths, margin)
        caption = [line for line in wrapped(visible(str(self.caption)), width) if line]
        return "\n".join(line.rstrip() for line in [*caption, *lines])

    def _lay_out(
        self, groups: Sequence[list[list[str]]], places: Sequence[int], widths: Sequence[int], margin: int
    ) -> Iterator[str]:
        """Give headings and rows; with a margin, those of each section below its name."""
        right = [self.visible_columns[k].is_numeric for k in places]
        keys = [column.key for column in self.visible_columns]
        section = keys.index(self.section) if self.section in keys else None

        def lines(cells: Sequence[str]) -> Iterator[str]:
            folded = [wrapped(visible(cell), width) for cell, width in zip(cells, widths, strict=True)]
            for parts in zip_longest(*folded, fillvalue=""):
                padded = (
                    " " * (width - cell_width(part)) + part if to_right else part + " " * (width - cell_width(part))
                    for part, width, to_right in zip(parts, widths, right, strict=True)
                )
                yield " " * margin + (" " * _GAP).join(padded)

        yield from lines([self.headings[k] for k in places])
        yield "-" * (margin + sum(widths) + _GAP * (len(widths) - 1))
        for number, group in enumerate(groups):
            if number and any(len(rows) > 1 for rows in groups):
                yield ""
            if margin and section is not None:
                yield visible(group[0][section])
            for index, row in enumerate(group):
                yield from lines(["" if index and k == section else row[k] for k in places])

    def _stand_upright(self, groups: Sequence[list[list[str]]], width: int) -> Iterator[str]:
        longest = max(map(cell_width, self.headings)) + _GAP
        for group in groups:
            for row in group:
                yield ""
                for heading, cell in zip(self.headings, row, strict=True):
                    for place, line in enumerate(wrapped(visible(cell), max(width - longest, 1)) if cell else ()):
                        yield " " * longest + line if place else heading + " " * (longest - cell_width(heading)) + line

    def to_html(self) -> str:
        """Write the table as plain HTML with everything escaped, for notebooks."""
        style = [' style="text-align:right"' if column.is_numeric else "" for column in self.visible_columns]

        def line(tag: str, cells: Sequence[str]) -> str:
            inside = (f"<{tag}{look}>{escape(cell)}</{tag}>" for look, cell in zip(style, cells, strict=True))
            return f"<tr>{''.join(inside)}</tr>"

        groups = self.sections(whole=False)
        body = "".join(f"<tbody>{''.join(line('td', row) for row in group)}</tbody>" for group in groups)
        below = "".join(f"<p>{escape(str(note))}</p>" for note in self.notes)
        if not body:
            return below
        head = line("th", self.headings)
        return f"<table><caption>{escape(str(self.caption))}</caption><thead>{head}</thead>{body}</table>{below}"

    def to_markdown(self) -> str:
        """Write all rows as Markdown, below a heading."""

        def line(cells: Sequence[str]) -> str:
            return f"| {' | '.join(map(markdown_text, cells))} |"

        rule = "".join("---:|" if column.is_numeric else "---|" for column in self.visible_columns)
        rows = [line(row) for group in self.sections() for row in group]
        parts = [f"## {markdown_text(str(self.caption))}", "\n".join([line(self.headings), f"|{rule}", *rows])]
        return "\n\n".join([*parts, *(markdown_text(str(note)) for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """Write all rows as a LaTeX ``table`` with its notes below."""

        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(latex_text, cells)) + " \\\\"

        layout = "".join("r" if column.is_numeric else "l" for column in self.visible_columns)
        body = " \\hline\n".join("\n".join(map(line, group)) for group in self.sections())
        notes = [f"\n\\par {latex_text(str(note))}" for note in self.notes]
        return (
            f"\\begin{{table}}\n\\caption{{{latex_text(str(self.caption))}}}\n"
            f"\\begin{{tabular}}{{{layout}}}\n{line(self.headings)} \\hline\n{body}\n"
            f"\\end{{tabular}}{''.join(notes)}\n\\end{{table}}\n"
        )

    def to_arrow(self) -> pa.Table:
        """Convert the table, with all rows and columns, to Arrow.

        Rates stay fractions; a pair becomes the two columns ``key_low`` and ``key_high``; NaN becomes null.
        """
        import pyarrow as pa

        def numbers(values: Iterable[Any], place: int | None = None) -> pa.Array:
            """Store numbers, or those at one place of pairs and of numbers with their unit."""
            parts = values if place is None else (None if value is None else value[place] for value in values)
            floats = [None if part is None else float(part) for part in parts]
            return pa.array(floats, pa.float64(), from_pandas=True)

        arrays: dict[str, Any] = {}
        for column in self.columns:
            key, values, stored = column.key, self.column(column.key), KINDS[column.kind].stored
            if stored == "pair":
                arrays |= {f"{key}_low": numbers(values, 0), f"{key}_high": numbers(values, 1)}
            elif stored == "first":
                arrays[key] = numbers(values, 0)
            elif stored == "text":
                # names of files may hold what is not UTF-8
                texts = (None if value is None else str(value).encode("utf-8", "backslashreplace") for value in values)
                arrays[key] = pa.array(texts, pa.binary()).cast(pa.string())
            elif stored == "flag":
                arrays[key] = pa.array([None if value is None else bool(value) for value in values], pa.bool_())
            else:
                arrays[key] = numbers(values)
                if stored == "count":
                    with suppress(pa.ArrowInvalid):  # not whole
                        arrays[key] = arrays[key].cast(pa.int64())
        return pa.table(arrays)

    def to_frame(self) -> Any:
        """Convert the table, as `to_arrow` does, to a data frame of pandas, or of polars if pandas is not installed."""
        table = self.to_arrow()
        with suppress(ImportError):
            importlib.import_module("pandas")
            return table.to_pandas()
        with suppress(ImportError):
            return importlib.import_module("polars").from_arrow(table)
        raise FairtrialError("a data frame needs pandas or polars: install one of them, or take to_arrow()")


def _unbroken(text: str) -> str:
    """Put no-break spaces within numbers, intervals, p values and pairs of systems."""
    together = r" %| [-=<] |(?<=[\d%]) to (?=-?\d)"
    return re.sub(together, lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def _word_width(text: str) -> int:
    """Count the columns of the longest part of a text that must not break."""
    return max(map(cell_width, _unbroken(text).split(" ")))


def wrapped(text: str, width: int | None) -> list[str]:
    """Cut a text into lines that fit a width; words, numbers and pairs of systems stay whole."""
    if width is None or cell_width(text) <= width:
        return [text]
    lines = textwrap.wrap(_unbroken(text), width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def cell_width(text: str) -> int:
    """Count the columns that a text takes on a terminal.

    Examples
    --------
    >>> cell_width("voice"), cell_width("声")
    (5, 2)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def every_tenth(length: int) -> tuple[int, ...]:
    """Choose about ten rows of a long table, the first and the last among them."""
    step = max(1, (length - 1) // 10)
    return tuple(sorted({*range(0, length, step), length - 1})) if length else ()


def join_tables(results: Sequence[Sequence[Table]]) -> tuple[Table, ...]:
    """Join the tables of several results: those of the same name and columns become one.

    Parameters
    ----------
    results : sequence of sequence of Table
        The tables of each result.

    Returns
    -------
    tuple of Table
        In the order in which the names first occur; captions are those of the first result.

    Examples
    --------
    >>> columns = (Column("system", "system"),)
    >>> first, second = (Table("errors", "Errors", columns, ((name,),)) for name in ("face", "voice"))
    >>> join_tables([[first], [second]])[0].rows
    (('face',), ('voice',))
    """
    same_columns: dict[tuple[str, tuple[Column, ...]], list[Table]] = {}
    for tables in results:
        for table in tables:
            same_columns.setdefault((table.name, table.columns), []).append(table)
    return tuple(_joined(tables) for tables in same_columns.values())


def _joined(tables: Sequence[Table]) -> Table:
    rows: list[Row] = []
    shown: list[int] = []
    for table in tables:
        shown += [len(rows) + k for k in (range(len(table.rows)) if table.shown is None else table.shown)]
        rows += table.rows
    notes = gather_notes(note for table in tables for note in table.notes)
    everything = all(table.shown is None for table in tables)
    detail = all(table.detail for table in tables)
    return replace(tables[0], rows=tuple(rows), notes=notes, shown=None if everything else tuple(shown), detail=detail)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Write one JSON value; infinite numbers as the strings "inf" and "-inf", NaN as null.

    Examples
    --------
    >>> json_text({"low": float("-inf"), "rate": float("nan"), "names": ("a",)})
    '{"low":"-inf","rate":null,"names":["a"]}'
    """
    separators = (",", ":") if indent is None else None
    return json.dumps(_plain(value), indent=indent, separators=separators, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
