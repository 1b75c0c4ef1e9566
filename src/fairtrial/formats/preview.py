"""A glance at a file: what it would be read as, before it is read, so that it can be corrected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.core.words import cut
from fairtrial.formats import headerless, parquet
from fairtrial.formats.files import FIRST_ROWS, PathLike, read_head
from fairtrial.formats.parquet import open_parquet
from fairtrial.formats.registry import detect_formats
from fairtrial.formats.sheets import ReadOptions, find_coding, label_meaning
from fairtrial.formats.table import plan_text, text_header
from fairtrial.formats.text import split_rows

_EXAMPLES = 4
_MOST_LABELS = 12
_LINES = 4


@dataclass(frozen=True, slots=True)
class GlancedColumn:
    """A column of a table: its name, the role it would be read in, and some of its cells.

    The role is one of claim, subject, model, probe, label, system, score and other.
    """

    name: str
    role: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GlancedLabel:
    """A word in the column of labels, and what it would be taken for: genuine, impostor, or nothing that is known."""

    word: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file would be read as.

    Attributes
    ----------
    format : str
        The name of its format; empty where it is not known.
    description : str
        The format in a few words.
    columns : tuple of GlancedColumn
        The columns of a table; empty where the format has no header.
    labels : tuple of GlancedLabel
        The first words of the column of labels.
    lines : tuple of str
        The first lines of a text file.
    trouble : str
        Why it could not be read as it is; empty where nothing speaks against it.
    """

    format: str = ""
    description: str = ""
    columns: tuple[GlancedColumn, ...] = ()
    labels: tuple[GlancedLabel, ...] = ()
    lines: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def roles(self) -> dict[str, list[str]]:
        """The columns of each role, in their order."""
        columns: dict[str, list[str]] = {}
        for column in self.columns:
            columns.setdefault(column.role, []).append(column.name)
        return columns


def glance(path: PathLike) -> Glance:
    """Tell what a file would be read as, from its first rows; what is wrong with it is told, not raised.

    Parameters
    ----------
    path : str or path-like
        A file of scores.

    Returns
    -------
    Glance
        Format, columns with their roles, and labels.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("label,face\\ntarget,0.9\\nnontarget,0.2\\n")
    ...     found = glance(path)
    >>> found.format, found.roles
    ('csv', {'label': ['label'], 'score': ['face']})
    """
    try:
        head = read_head(path)
    except FairtrialError as error:
        return Glance(trouble=str(error))
    lines = tuple(cut(line, 200) for line in head.lines(_LINES)) if head.is_text else ()
    try:
        [(format_, _)] = detect_formats([head])
    except InputError as error:
        return Glance(lines=lines, trouble=str(error))
    cells: dict[str, list[str]] = {}
    played: dict[str, str] = {}
    trouble = ""
    try:
        if head.is_parquet:
            with open_parquet(head) as file:
                first = next(file.iter_batches(FIRST_ROWS), None)
                cells = {name: [] if first is None else _texts(first.column(name)) for name in file.schema_arrow.names}
                rows_of = parquet.first_rows(file)
                played = parquet.plan_roles(file.schema_arrow, rows_of, ReadOptions(), str(head.path)).by_column
        elif format_.name == "csv":
            delimiter, names = text_header(head) or (",", [])
            rows = split_rows(head.lines(1 + FIRST_ROWS, header=True), delimiter)[1:]
            cells = {name: [row[k].strip() for row in rows if k < len(row)] for k, name in enumerate(names) if name}
            played = plan_text(head, ReadOptions()).roles.by_column
        elif format_.name == "headerless":  # its columns go by their numbers
            rows = head.rows[1]
            cells = {str(number): list(column) for number, column in enumerate(zip(*rows, strict=True), 1)}
            plan = headerless.plan_text(head, ReadOptions())
            roles = plan.roles.by_column
            played = {number: roles.get(name, "other") for number, name in zip(cells, plan.layout.columns, strict=True)}
    except FairtrialError as error:
        trouble = str(error)
    columns = tuple(
        GlancedColumn(
            name, played.get(name, "other"), tuple(cut(cell, 40) for cell in list(dict.fromkeys(values))[:_EXAMPLES])
        )
        for name, values in cells.items()
    )
    words = [word for name, role in played.items() if role == "label" for word in dict.fromkeys(cells[name])]
    try:
        coding = find_coding(words, str(head.path)) if words else ("", "")
        labels = tuple(GlancedLabel(word, label_meaning(word, coding)) for word in words[:_MOST_LABELS])
    except InputError as error:
        labels = tuple(GlancedLabel(word, "") for word in words[:_MOST_LABELS])
        trouble = trouble or str(error)
    return Glance(format_.name, format_.description, columns, labels, lines, trouble)


def _texts(column: Any) -> list[str]:
    """Give the cells of a column of Arrow as text; what is missing is empty."""
    cells = ["" if cell is None else cell for cell in column.to_pylist()]
    return [str(cell).lower() if isinstance(cell, bool) else cut(str(cell), 80) for cell in cells]
