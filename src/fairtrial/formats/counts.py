"""Errors and attempts of people: a table with these two columns, a row a person."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, listed
from fairtrial.formats.files import Head, PathLike, read_head
from fairtrial.formats.text import Kind, Layout, read_columns, split_rows

_COLUMNS = ("errors", "attempts")
_DELIMITERS = ",\t;"


def read_counts(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the errors and the attempts of people from CSV, TSV or Parquet; other columns do not matter.

    Raises
    ------
    InputError
        A file without these columns, or with something in them that is no whole number.
    """
    head = read_head(Path(path))
    columns = _parquet(head) if head.data.startswith(b"PAR1") else _text(head)
    errors, attempts = (np.asarray(columns[name], dtype=np.float64) for name in _COLUMNS)
    if not len(errors):
        raise InputError(f"{path}: has a header, but no row of a person")
    for name, values in zip(_COLUMNS, (errors, attempts), strict=True):
        bad = ~(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))
        _check(bad, values, path, f"{name} must be a whole number of at least 0")
    _check(attempts < 1, attempts, path, "a person must have made at least 1 attempt")
    _check(errors > attempts, errors, path, "there cannot be more errors than attempts")
    return errors, attempts


def _check(bad: NDArray[np.bool_], values: NDArray[np.float64], path: PathLike, what: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{path}, row {row + 1}: {what}, not {values[row]:g}")


def _text(head: Head) -> dict[str, NDArray[np.float64]]:
    first = "".join(head.lines(1))
    delimiter = max(_DELIMITERS, key=first.count)
    names = [name.strip() for name in split_rows([first], delimiter)[0]]
    _check_names(names, head)
    kinds: list[Kind] = ["score" if name in _COLUMNS else "skip" for name in names]
    return read_columns(head, Layout(tuple(names), tuple(kinds), delimiter, header=True, shape=listed(names)), None)


def _parquet(head: Head) -> dict[str, NDArray[np.float64]]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(head.path) as file:
            _check_names(file.schema_arrow.names, head)
            table = file.read(columns=list(_COLUMNS))
        return {name: table.column(name).cast(pa.float64()).to_numpy() for name in _COLUMNS}
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{head.path}: cannot be read as Parquet: {error}") from error


def _check_names(names: list[str], head: Head) -> None:
    missing = [name for name in _COLUMNS if name not in names]
    if missing or len(set(names)) < len(names):
        raise InputError(
            f"{head.path}: expected a header with the columns errors and attempts, a row a person; "
            f"found {listed(names) or 'nothing'}"
        )
