"""Tables of results as files: for programs (CSV, TSV, Parquet) and for texts (Markdown, LaTeX)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.errors import OutputError
from fairtrial.formats.arrow import write_text
from fairtrial.formats.files import PathLike, check_place, write_whole
from fairtrial.formats.sealed_parquet import write_parquet

if TYPE_CHECKING:
    from fairtrial.tables import Table, Terms

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (".csv", ".tsv", ".parquet", ".md", ".tex")


def check_ending(path: PathLike, known: Sequence[str] = ENDINGS) -> str:
    """The ending of a file's name, if it says how the file is to be written."""
    ending = _ending(Path(path))
    if ending not in known:
        raise OutputError(f"{path}: its name should end in {', '.join(known)}")
    return ending


def check_target(path: PathLike, known: Sequence[str] = ENDINGS) -> None:
    """Raise an error before any work where results could not be written.

    Parameters
    ----------
    path
        The file to be written.
    known
        The endings that the name may have.
    """
    check_ending(path, known)
    check_place(path)


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if len(suffixes) > 1 and suffixes[-1] in (".gz", ".zst") and suffixes[-2] in _DELIMITERS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def write_tables(tables: Sequence[Table], path: PathLike, terms: Terms = "default") -> None:
    """Write tables of results; the file is there whole, or not at all.

    Parameters
    ----------
    tables
        The tables of a result, the main one first.
    path
        The ending says how: ``.csv``, ``.tsv`` (also with ``.gz`` or ``.zst``) and ``.parquet`` hold the main table
        with all its rows and columns, rates as fractions; ``.md`` and ``.tex`` hold all tables as people read them.
    terms
        The names of error rates in Markdown and LaTeX.

    Raises
    ------
    OutputError
        An ending that is not known, or a file that cannot be written.
    """
    ending = check_ending(path)
    with write_whole(path) as place:
        if ending == ".md":
            place.write_text("\n".join(table.to_markdown(terms) for table in tables), encoding="utf-8")
        elif ending == ".tex":
            place.write_text("\n".join(table.to_latex(terms) for table in tables), encoding="utf-8")
        elif ending == ".parquet":
            write_parquet(tables[0].to_arrow(), place)
        else:
            write_text(tables[0].to_arrow(), place, Path(path), delimiter=_DELIMITERS[ending], header=True)
