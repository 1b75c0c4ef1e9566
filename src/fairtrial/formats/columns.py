"""Named columns of any table, CSV, TSV or Parquet, for files that do not hold scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, listed
from fairtrial.formats.cells import split_rows
from fairtrial.formats.files import Head, PathLike, read_head
from fairtrial.formats.frames import Frame
from fairtrial.formats.sealed_parquet import open_parquet
from fairtrial.formats.text import Kind, Layout, read_columns

_DELIMITERS = ",\t;"


def read_named(
    path: PathLike, *, numbers: Sequence[str] = (), names: Sequence[str] = (), optional: Sequence[str] = (), what: str
) -> dict[str, NDArray[Any]]:
    """Read columns of numbers and columns of names; other columns do not matter.

    Parameters
    ----------
    path
        A file with a header: CSV, TSV or Parquet.
    numbers, names
        The columns to read, as numbers and as text.
    optional
        Columns that are read as text where they are there.
    what
        What the table should be, for errors: "one row per person".

    Returns
    -------
    dict
        The columns by their names.

    Raises
    ------
    InputError
        A file without these columns, without a row, or with something in them that is not a number.
    """
    head = read_head(path)
    read = _parquet if head.data.startswith(b"PAR1") else _text
    found = read(head, numbers, names, optional, what)
    if not len(found[(*numbers, *names)[0]]):
        raise InputError(f"{path}: has a header, but no row below it; expected {what}")
    return found


def texts_of_frame(
    frame: Frame | Mapping[str, Sequence[Any]], names: Sequence[str], what: str
) -> dict[str, NDArray[np.object_]]:
    """Columns of a data frame, or of lists by column, as text; what is missing is empty.

    Parameters
    ----------
    frame
        Any table with named columns.
    names
        The columns.
    what
        What errors call it.

    Returns
    -------
    dict
        The columns by their names.
    """
    import pyarrow as pa

    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{what} cannot be read as named columns: {error}") from error
    absent = [name for name in names if name not in table.column_names]
    if absent:
        raise InputError(f"{what} has no column {', '.join(absent)}; it has {listed(table.column_names) or 'none'}")
    return {
        name: np.array(["" if own is None else str(own) for own in table.column(name).to_pylist()], dtype=object)
        for name in names
    }


def _text(
    head: Head, numbers: Sequence[str], names: Sequence[str], optional: Sequence[str], what: str
) -> dict[str, NDArray[Any]]:
    first = "".join(head.lines(1))
    delimiter = max(_DELIMITERS, key=first.count)
    header = [name.strip() for name in split_rows([first], delimiter)[0]]
    _check_names(header, head, (*numbers, *names), what)
    names = (*names, *(name for name in optional if name in header))
    kinds: list[Kind] = ["score" if name in numbers else "id" if name in names else "skip" for name in header]
    layout = Layout(tuple(header), tuple(kinds), delimiter, header=True, shape=listed(header))
    found = read_columns(head, layout).columns
    return {
        **{name: np.asarray(found[name], dtype=np.float64) for name in numbers},
        **{name: found[name].decode() for name in names},
    }


def _parquet(
    head: Head, numbers: Sequence[str], names: Sequence[str], optional: Sequence[str], what: str
) -> dict[str, NDArray[Any]]:
    import pyarrow as pa

    with open_parquet(head) as file:
        _check_names(file.schema_arrow.names, head, (*numbers, *names), what)
        names = (*names, *(name for name in optional if name in file.schema_arrow.names))
        table = file.read(columns=[*numbers, *names])
    try:
        return {
            **{name: table.column(name).cast(pa.float64()).to_numpy() for name in numbers},
            **{name: np.array(table.column(name).cast(pa.string()).to_pylist(), dtype=object) for name in names},
        }
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeError) as error:
        raise InputError(f"{head.path}: cannot be read as Parquet: {error}") from error


def _check_names(header: Sequence[str], head: Head, wanted: Sequence[str], what: str) -> None:
    if any(name not in header for name in wanted) or len(set(header)) < len(header):
        raise InputError(
            f"{head.path}: expected a header with the columns {', '.join(wanted)}, {what}; "
            f"found {listed(header) or 'nothing'}"
        )
