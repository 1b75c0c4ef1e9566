"""A table with typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.errors import ParameterError
from fairtrial.tables.columns import Column
from fairtrial.tables.notes import gather_notes
from fairtrial.tables.renderings import arrow_of, frame_of, html_of, latex_of, markdown_of
from fairtrial.tables.words import Terms

if TYPE_CHECKING:
    import pyarrow as pa

Row: TypeAlias = tuple[Any, ...]


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

    def with_title(self, key: str, title: str) -> Table:
        """Give the same table with another title of one column.

        Parameters
        ----------
        key : str
            The key of the column.
        title : str
            What people read above it.

        Returns
        -------
        Table
            The table.
        """
        columns = (replace(column, title=title) if column.key == key else column for column in self.columns)
        return replace(self, columns=tuple(columns))

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
        return html_of(self, terms)

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
        return markdown_of(self, terms)

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
        return latex_of(self, terms)

    def to_arrow(self) -> pa.Table:
        """Give the whole table with all columns, for programs.

        Returns
        -------
        pyarrow.Table
            Rates stay fractions; a pair becomes the two columns ``key_low`` and ``key_high``; NaN becomes null. What is
            a share and what is not is for people only.
        """
        return arrow_of(self)

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
        return frame_of(self)


def every_tenth(length: int) -> tuple[int, ...]:
    """The rows of a long table that show how it goes: some ten of them, the first and the last among them."""
    step = max(1, (length - 1) // 10)
    return tuple(sorted({*range(0, length, step), length - 1})) if length else ()


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
