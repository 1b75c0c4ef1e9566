"""A glance at a file: what it would be read as, before it is read, so that it can be corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.core.words import cut
from fairtrial.formats import parquet
from fairtrial.formats.files import Head, PathLike, read_head
from fairtrial.formats.parquet import open_parquet
from fairtrial.formats.registry import detect_formats
from fairtrial.formats.sheets import ReadOptions, Roles, find_coding, label_meaning
from fairtrial.formats.table import text_header, text_roles
from fairtrial.formats.text import split_rows

_ROWS = 2000
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
        found: dict[str, list[str]] = {}
        for column in self.columns:
            found.setdefault(column.role, []).append(column.name)
        return found


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
        [(found, _)] = detect_formats([head])
    except InputError as error:
        return Glance(lines=lines, trouble=str(error))
    try:
        if parquet.matches([head]):
            columns, labels, trouble = _parquet(head)
        elif text_header(head) is not None and found.name in ("csv", "tsv"):
            columns, labels, trouble = _text(head)
        else:
            columns, labels, trouble = (), (), ""
    except FairtrialError as error:
        return Glance(found.name, found.description, lines=lines, trouble=str(error))
    return Glance(found.name, found.description, columns, labels, lines, trouble)


_Told = tuple[tuple[GlancedColumn, ...], tuple[GlancedLabel, ...], str]


def _text(head: Head) -> _Told:
    header = text_header(head)
    assert header is not None
    delimiter, names = header
    rows = split_rows(head.lines(1 + _ROWS, header=True), delimiter)[1:]
    cells = {name: [row[k].strip() for row in rows if k < len(row)] for k, name in enumerate(names) if name}
    try:
        return _told(cells, text_roles(head, ReadOptions()), "", str(head.path))
    except InputError as error:
        return _told(cells, None, str(error), str(head.path))


def _parquet(head: Head) -> _Told:
    with open_parquet(head) as file:
        schema = file.schema_arrow
        first = next(file.iter_batches(_ROWS), None)
        cells = {name: [] if first is None else _texts(first.column(name)) for name in schema.names}
        try:
            roles = parquet.plan_roles(schema, parquet.first_rows(file), ReadOptions(), str(head.path))
        except InputError as error:
            return _told(cells, None, str(error), str(head.path))
    return _told(cells, roles, "", str(head.path))


def _texts(column: Any) -> list[str]:
    """Give the cells of a column of Arrow as text; what is missing is empty."""
    found = ["" if cell is None else cell for cell in column.to_pylist()]
    return [str(cell).lower() if isinstance(cell, bool) else cut(str(cell), 80) for cell in found]


def _told(cells: dict[str, list[str]], roles: Roles | None, trouble: str, where: str) -> _Told:
    played: dict[str, str] = {}
    if roles is not None:
        played |= dict.fromkeys(roles.scores, "score") | {column: field for field, column in roles.ids}
        played |= {name: role for role, name in (("label", roles.label), ("system", roles.system)) if name is not None}
    columns = tuple(
        GlancedColumn(
            name, played.get(name, "other"), tuple(cut(cell, 40) for cell in list(dict.fromkeys(own))[:_EXAMPLES])
        )
        for name, own in cells.items()
    )
    if roles is None or roles.label is None:
        return columns, (), trouble
    words = list(dict.fromkeys(cells[roles.label]))[:_MOST_LABELS]
    try:
        coding = find_coding(words, where)
    except InputError as error:
        return columns, tuple(GlancedLabel(word, "") for word in words), trouble or str(error)
    return columns, _meanings(words, coding), trouble


def _meanings(words: Sequence[str], coding: tuple[str, str]) -> tuple[GlancedLabel, ...]:
    return tuple(GlancedLabel(word, label_meaning(word, coding)) for word in words)
