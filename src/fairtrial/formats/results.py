"""Tables of results as files: for programs (CSV, TSV, Parquet) and for texts (Markdown, LaTeX)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.core.errors import OutputError
from fairtrial.formats.files import PathLike, check_place, write_whole
from fairtrial.formats.parquet import write_parquet
from fairtrial.formats.text import write_text

if TYPE_CHECKING:
    import pyarrow as pa

    from fairtrial.core.tables import Table

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (".csv", ".tsv", ".parquet", ".md", ".tex")


def _check_ending(path: PathLike, endings: Sequence[str] = ENDINGS) -> str:
    """Give the ending of a file's name, if it says how the file is to be written."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if len(suffixes) > 1 and suffixes[-1] in (".gz", ".zst") and suffixes[-2] in _DELIMITERS:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending not in endings:
        raise OutputError(f"{path}: its name should end in {', '.join(endings)}")
    return ending


def check_target(path: PathLike, endings: Sequence[str] = ENDINGS) -> None:
    """Raise an error before any work where results could not be written.

    Parameters
    ----------
    path
        The file to be written.
    endings
        The endings that the name may have.
    """
    _check_ending(path, endings)
    check_place(path)


def write_tables(tables: Sequence[Table], path: PathLike) -> None:
    """Write tables of results; the file is there whole, or not at all.

    Parameters
    ----------
    tables : sequence of Table
        The tables of a result, the main one first.
    path : str or path-like
        The ending says how: ``.csv``, ``.tsv`` (also with ``.gz`` or ``.zst``) and ``.parquet`` hold the main table
        with all its rows and columns, rates as fractions; ``.md`` and ``.tex`` hold all tables as people read them.

    Raises
    ------
    OutputError
        If the ending is unknown, there is no table, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from fairtrial.core import Column, Table
    >>> table = Table("errors", "Errors", (Column("far", "FAR", "rate"),), ((0.0123,),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tables([table], f"{folder}/errors.csv")
    ...     print(Path(folder, "errors.csv").read_text())
    far
    0.0123
    <BLANKLINE>
    """
    ending = _check_ending(path)
    if not tables:
        raise OutputError(f"{path}: the result has no table to write")
    if ending not in (".md", ".tex"):
        write_arrow(tables[0].to_arrow(), path)
        return
    texts = [table.to_markdown() if ending == ".md" else table.to_latex() for table in tables]
    with write_whole(path) as place:
        place.write_text("\n".join(texts), encoding="utf-8")


def write_arrow(table: pa.Table, path: PathLike) -> None:
    """Write a table for programs, as CSV, TSV or Parquet by its ending; the file is there whole, or not at all."""
    ending = _check_ending(path)
    with write_whole(path) as place:
        if ending == ".parquet":
            write_parquet(table, place)
        else:
            write_text(table, place, Path(path), delimiter=_DELIMITERS[ending], header=True)
