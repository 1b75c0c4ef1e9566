"""A table with typed columns, and every way it is rendered."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from fairtrial.errors import FairtrialError, ParameterError
from fairtrial.tables.notes import gather_notes
from fairtrial.tables.words import (
    Terms,
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
    threshold_text,
    translate,
)

if TYPE_CHECKING:
    import pyarrow as pa

Kind: TypeAlias = Literal[
    "text",
    "term",
    "flag",
    "rate",
    "interval",
    "number",
    "statistic",
    "range",
    "ratio",
    "count",
    "p",
    "sure",
    "threshold",
    "level",
    "figure",
    "figures",
    "bound",
]
"""What a column holds: free text; words of ours (``term``), which `translate` may change; yes or no; a rate or a pair
of rates, fractions shown in percent; a number or a pair of numbers; a statistic, with six digits; a ratio, with two
decimals; a count; a p value; 1 - p (``sure``), in percent; a threshold; a level of confidence, a fraction shown in
percent. Where the rows of a column differ in what they are, each says so: a ``figure`` and a ``bound``, with six
digits, are ``(value, is_share)``, and ``figures`` are ``(low, high, is_share)``; a share is shown in percent, anything
else, such as a cost, as it is."""
Row: TypeAlias = tuple[Any, ...]

_LEFT = ("text", "term", "flag")
_PERCENT = ("rate", "sure", "level")
_PAIRS = ("interval", "range", "figures")
_SINGLES = ("figure", "bound")
_SHOWN: dict[Kind, Callable[[Any], str]] = {
    "text": str,
    "term": str,
    "flag": lambda value: "yes" if value else "",
    "rate": in_percent,
    "interval": lambda pair: interval_text(*pair),
    "number": number_text,
    "statistic": lambda value: number_text(value, 6),
    "range": lambda pair: range_text(*pair),
    "ratio": lambda value: "" if isnan(value) else f"{value:.2f}",
    "count": count_text,
    "p": p_text,
    "sure": sure_text,
    "threshold": threshold_text,
    "level": lambda value: "" if isnan(value) else f"{100 * value:g}",
    "figure": lambda found: figure_text(*found),
    "figures": lambda found: figures_text(*found),
    "bound": lambda found: bound_text(*found),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        What programs call it: the name in CSV files and data frames.
    title : str
        What people read above it; the percent sign of rates is added.
    kind : str, default "text"
        What it holds, which decides how it is written and aligned; such as ``text``, ``count``, ``rate``, ``interval``,
        ``p``.
    detail : bool, default False
        Whether it is for files and data frames only, and not for people.

    Raises
    ------
    ParameterError
        A kind that is not known.

    Examples
    --------
    >>> Column("far", "FAR", "rate").text(0.0123)
    '1.23'
    """

    key: str
    title: str
    kind: Kind = "text"
    detail: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ParameterError(f"a column must be of one of the kinds {', '.join(get_args(Kind))}, not {self.kind!r}")

    @property
    def is_numeric(self) -> bool:
        """Whether it is aligned to the right."""
        return self.kind not in _LEFT

    def heading(self, terms: Terms = "default") -> str:
        """Give the title with its percent sign.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            What stands above the column.
        """
        return translate(f"{self.title} %" if self.kind in _PERCENT else self.title, terms)

    def text(self, value: Any, terms: Terms = "default") -> str:
        """Give what a cell shows; nothing for None and NaN.

        Parameters
        ----------
        value : object
            The raw value.
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            What people read.
        """
        if value is None:
            return ""
        shown = _SHOWN[self.kind](value)
        return translate(shown, terms) if self.kind == "term" else shown


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a result: raw values in typed columns.

    Parameters
    ----------
    name : str
        What it is called among the tables of its result; tables of the same name can be joined.
    caption : str
        What people read above it.
    columns : tuple of Column
        The columns, each with its own key.
    rows : tuple of tuple
        Values in the order of the columns: fractions for rates, pairs for intervals, None where there is nothing.
    notes : tuple of str, default ()
        What people read below it.
    section : str, optional
        The key of the column that groups the rows.
    shown : tuple of int, optional
        Which rows people get to see on a terminal and in a notebook, by index; all by default. Files have them all.

    Raises
    ------
    ParameterError
        Columns of the same key, a section that is no column, or a row of another length.

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
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    section: str | None = None
    shown: tuple[int, ...] | None = None

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
        caption: str,
        columns: Sequence[Column],
        records: Iterable[Mapping[str, Any]],
        *,
        notes: Sequence[str] = (),
        section: str | None = None,
        shown: Sequence[int] | None = None,
    ) -> Table:
        """Make a table from records, which are read by the keys of the columns; what a record lacks is empty.

        Parameters
        ----------
        name : str
            What it is called among the tables of its result.
        caption : str
            What people read above it.
        columns : sequence of Column
            The columns.
        records : iterable of dict
            One record per row: raw values by key.
        notes : sequence of str, default ()
            What people read below it.
        section : str, optional
            The key of the column that groups the rows.
        shown : sequence of int, optional
            Which rows people get to see on a terminal and in a notebook, by index; all by default.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> columns = Column("system", "system"), Column("far", "FAR", "rate")
        >>> Table.of("errors", "Errors", columns, [{"system": "face", "far": 0.01}]).rows
        (('face', 0.01),)
        """
        rows = tuple(tuple(record.get(column.key) for column in columns) for record in records)
        return cls(name, caption, tuple(columns), rows, tuple(notes), section, None if shown is None else tuple(shown))

    def with_notes(self, *notes: str) -> Table:
        """Give the same table with more notes.

        Parameters
        ----------
        *notes : str
            What people read below it besides.

        Returns
        -------
        Table
            The table.
        """
        return replace(self, notes=(*self.notes, *notes))

    def with_column(self, column: Column, values: Sequence[Any], *, first: bool = False) -> Table:
        """Give the same table with one more column, at its end or before all others.

        Parameters
        ----------
        column : Column
            The column.
        values : sequence of object
            One raw value per row.
        first : bool, default False
            Whether it stands before all others.

        Returns
        -------
        Table
            The table.
        """
        rows = ((value, *row) if first else (*row, value) for row, value in zip(self.rows, values, strict=True))
        columns = (column, *self.columns) if first else (*self.columns, column)
        return replace(self, columns=columns, rows=tuple(rows))

    @property
    def visible_columns(self) -> tuple[Column, ...]:
        """The columns that people get to see."""
        return tuple(column for column in self.columns if not column.detail)

    def column(self, key: str) -> list[Any]:
        """Give the raw values of one column.

        Parameters
        ----------
        key : str
            The key of the column.

        Returns
        -------
        list of object
            One value per row.
        """
        (place,) = (k for k, column in enumerate(self.columns) if column.key == key)
        return [row[place] for row in self.rows]

    def headings(self, terms: Terms = "default") -> list[str]:
        """Give what stands above the columns that people get to see.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        list of str
            One heading per visible column.
        """
        return [column.heading(terms) for column in self.visible_columns]

    def sections(self, terms: Terms = "default", *, whole: bool = True) -> Iterator[list[list[str]]]:
        """Give the rows as people read them, in their groups.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
        whole : bool, default True
            All rows, or only those in `shown`.

        Yields
        ------
        list of list of str
            A group: a list of rows, and each row a list of cells.
        """
        rows = self.rows if whole or self.shown is None else tuple(self.rows[k] for k in self.shown)
        places = [(k, column) for k, column in enumerate(self.columns) if not column.detail]
        key = next((k for k, column in enumerate(self.columns) if column.key == self.section), None)
        group: list[list[str]] = []
        for index, row in enumerate(rows):
            if group and key is not None and row[key] != rows[index - 1][key]:
                yield group
                group = []
            group.append([column.text(row[k], terms) for k, column in places])
        if group:
            yield group

    def to_html(self, terms: Terms = "default") -> str:
        """Give the table as plain HTML with everything escaped, for notebooks.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            HTML.
        """
        style = [' style="text-align:right"' if column.is_numeric else "" for column in self.visible_columns]

        def line(tag: str, cells: Sequence[str]) -> str:
            inside = (f"<{tag}{look}>{escape(cell)}</{tag}>" for look, cell in zip(style, cells, strict=True))
            return f"<tr>{''.join(inside)}</tr>"

        groups = self.sections(terms, whole=False)
        body = "".join(f"<tbody>{''.join(line('td', row) for row in group)}</tbody>" for group in groups)
        below = "".join(f"<p>{escape(translate(note, terms))}</p>" for note in self.notes)
        if not body:
            return below
        caption = escape(translate(self.caption, terms))
        head = line("th", self.headings(terms))
        return f"<table><caption>{caption}</caption><thead>{head}</thead>{body}</table>{below}"

    def to_markdown(self, terms: Terms = "default") -> str:
        """Give the whole table as Markdown, below a heading.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            Markdown.
        """

        def line(cells: Sequence[str]) -> str:
            return f"| {' | '.join(map(markdown_text, cells))} |"

        rule = "".join("---:|" if column.is_numeric else "---|" for column in self.visible_columns)
        rows = [line(row) for group in self.sections(terms) for row in group]
        parts = [f"## {markdown_text(translate(self.caption, terms))}"]
        parts.append("\n".join([line(self.headings(terms)), f"|{rule}", *rows]))
        parts += [markdown_text(translate(note, terms)) for note in self.notes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self, terms: Terms = "default") -> str:
        """Give the whole table as a LaTeX ``table`` with its notes below.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            LaTeX.
        """

        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(latex_text, cells)) + " \\\\"

        layout = "".join("r" if column.is_numeric else "l" for column in self.visible_columns)
        body = " \\hline\n".join("\n".join(map(line, group)) for group in self.sections(terms))
        notes = [f"\n\\par {latex_text(translate(note, terms))}" for note in self.notes]
        return (
            f"\\begin{{table}}\n\\caption{{{latex_text(translate(self.caption, terms))}}}\n"
            f"\\begin{{tabular}}{{{layout}}}\n{line(self.headings(terms))} \\hline\n{body}\n"
            f"\\end{{tabular}}{''.join(notes)}\n\\end{{table}}\n"
        )

    def to_arrow(self) -> pa.Table:
        """Give the whole table with all columns, for programs.

        Returns
        -------
        pyarrow.Table
            Rates stay fractions; a pair becomes the two columns ``key_low`` and ``key_high``; NaN becomes null. What is
            a share and what is not is for people only.
        """
        import pyarrow as pa

        found: dict[str, Any] = {}
        for column in self.columns:
            values = self.column(column.key)
            if column.kind in _PAIRS:
                for end, name in enumerate(("low", "high")):
                    ends = [None if pair is None else pair[end] for pair in values]
                    found[f"{column.key}_{name}"] = pa.array(map(_number_or_none, ends), pa.float64())
            elif column.kind in ("text", "term"):
                found[column.key] = pa.array([None if value is None else str(value) for value in values], pa.string())
            elif column.kind == "flag":
                found[column.key] = pa.array([None if value is None else bool(value) for value in values], pa.bool_())
            else:
                if column.kind in _SINGLES:
                    values = [None if found is None else found[0] for found in values]
                numbers = [_number_or_none(value) for value in values]
                whole = column.kind == "count" and all(n is None or (n.is_integer() and n < 2**53) for n in numbers)
                kept = [None if n is None else int(n) for n in numbers] if whole else numbers
                found[column.key] = pa.array(kept, pa.int64() if whole else pa.float64())
        return pa.table(found)

    def to_frame(self) -> Any:
        """Give the whole table as a data frame of pandas, or of polars where there is no pandas.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns of `to_arrow`.

        Raises
        ------
        FairtrialError
            Neither of the two is installed.
        """
        found = self.to_arrow()
        if _installed("pandas") is not None:
            return found.to_pandas()
        polars = _installed("polars")
        if polars is not None:
            return polars.from_arrow(found)
        raise FairtrialError("a data frame needs pandas or polars: install one of them, or take to_arrow()")


RATE_COLUMNS = tuple(Column(name, name.upper(), "rate") for name in ("far", "frr", "hter"))
"""The three error rates of an `ErrorCounts`."""
COUNT_COLUMNS = tuple(
    Column(name, name.replace("_", " "), "count", detail=True)
    for name in ("false_accepts", "false_rejects", "genuine", "impostor")
)
"""The counts behind them."""


def every_tenth(length: int) -> tuple[int, ...]:
    """The rows of a long table that show how it goes: some ten of them, the first and the last among them."""
    step = max(1, (length - 1) // 10)
    return tuple(sorted({*range(0, length, step), length - 1})) if length else ()


def _number_or_none(value: Any) -> float | None:
    return None if value is None or isnan(value) else float(value)


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def join_tables(results: Sequence[Sequence[Table]]) -> tuple[Table, ...]:
    """Join the tables of several results: those of the same name and columns become one, alike notes too.

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
    found: dict[tuple[str, tuple[Column, ...]], list[Table]] = {}
    for tables in results:
        for table in tables:
            found.setdefault((table.name, table.columns), []).append(table)
    return tuple(_joined(tables) for tables in found.values())


def _joined(tables: Sequence[Table]) -> Table:
    rows: list[Row] = []
    shown: list[int] = []
    for table in tables:
        here = range(len(table.rows)) if table.shown is None else table.shown
        shown += [len(rows) + k for k in here]
        rows += table.rows
    notes = gather_notes(note for table in tables for note in table.notes)
    everything = all(table.shown is None for table in tables)
    return replace(tables[0], rows=tuple(rows), notes=notes, shown=None if everything else tuple(shown))
