"""Read named columns of tables that hold no scores, such as errors and attempts by person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Frame, object_array
from fairtrial.core.words import listed
from fairtrial.formats.files import PathLike, read_head
from fairtrial.formats.parquet import open_parquet, read_table
from fairtrial.formats.text import DELIMITERS, Kind, Layout, read_columns, split_rows


def read_named(
    path: PathLike, *, numbers: Sequence[str] = (), names: Sequence[str] = (), optional: Sequence[str] = (), what: str
) -> dict[str, NDArray[Any]]:
    """Read columns of numbers and of names, some of them optional, from CSV, TSV or Parquet; others do not matter.

    Raises
    ------
    InputError
        A file without these columns, without a row, or with something in them that is not a number. It says `what` the
        table should be, such as "one row per person".
    """
    import pyarrow as pa

    head = read_head(path)
    delimiter, header = "", list[str]()
    if head.is_parquet:
        with open_parquet(head) as file:
            header = file.schema_arrow.names
    elif first := head.lines(1):
        delimiter = max(DELIMITERS, key=first[0].count)
        header = [name.strip() for name in split_rows(first, delimiter)[0]]
    wanted = (*numbers, *names)
    if any(name not in header for name in wanted) or len(set(header)) < len(header):
        raise InputError(
            f"{head.path}: expected a header with the columns {', '.join(wanted)}, {what}; "
            f"found {listed(header) or 'nothing'}"
        )
    names = (*names, *(name for name in optional if name in header))
    if head.is_parquet:
        with open_parquet(head) as file:
            table = read_table(file, [*numbers, *names], head)
        try:
            arrays = {name: table[name].cast(pa.float64()).to_numpy() for name in numbers}
            texts = {name: table[name].cast(pa.string()).fill_null("").to_pylist() for name in names}
        except MemoryError:
            raise
        except (pa.ArrowException, UnicodeError) as error:
            raise InputError(f"{head.path}: cannot be read as Parquet: {error}") from error
        arrays |= {name: object_array(cells) for name, cells in texts.items()}
    else:
        kinds: dict[str, Kind] = {
            name: "score" if name in numbers else "text" if name in names else "skip" for name in header
        }
        layout = Layout(kinds, delimiter, header=1, shape=listed(header))
        columns = read_columns(head, layout).columns
        arrays = {name: columns[name] if name in numbers else columns[name].decode() for name in (*numbers, *names)}
    if not len(arrays[wanted[0]]):
        raise InputError(f"{path}: has a header, but no row below it; expected {what}")
    return arrays


def texts_of_frame(
    frame: Frame | Mapping[str, Sequence[Any]], names: Sequence[str], what: str
) -> dict[str, NDArray[np.object_]]:
    """Read columns of a data frame, or of lists by column, as text; what is missing is empty; errors call it `what`."""
    import pyarrow as pa

    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{what} cannot be read as named columns: {error}") from error
    absent = [name for name in names if name not in table.column_names]
    if absent:
        raise InputError(f"{what} has no column {', '.join(absent)}; it has {listed(table.column_names) or 'none'}")
    return {
        name: object_array(["" if cell is None else str(cell) for cell in table.column(name).to_pylist()])
        for name in names
    }


@dataclass(frozen=True, slots=True, eq=False)
class CountedPeople:
    """Errors and attempts, one number per person, and who they are if the table says so."""

    errors: NDArray[np.float64]
    attempts: NDArray[np.float64]
    ids: NDArray[np.object_] | None

    @property
    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Errors and attempts."""
        return self.errors, self.attempts


def read_counts(path: PathLike) -> CountedPeople:
    """Read the errors and the attempts of people, one row per person, and their ids if they are there.

    Raises
    ------
    InputError
        A file without these columns, with something in them that is not a whole number, or with an id twice.
    """
    table = read_named(path, numbers=("errors", "attempts"), optional=("id",), what="one row per person")
    errors, attempts, ids = table["errors"], table["attempts"], table.get("id")
    for name, values in (("errors", errors), ("attempts", attempts)):
        bad = ~(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))
        _check(bad, values, path, f"{name} must be a whole number of at least 0")
    _check(attempts < 1, attempts, path, "a person must have made at least 1 attempt")
    _check(errors > attempts, errors, path, "there cannot be more errors than attempts")
    if ids is not None:
        names, times = np.unique(ids.astype(str), return_counts=True)
        if (times > 1).any():
            raise InputError(f"{path}: the id {names[np.argmax(times > 1)]} is there twice; a person has one row")
    return CountedPeople(errors, attempts, ids)


def read_paired_counts(first: PathLike, second: PathLike) -> tuple[CountedPeople, CountedPeople]:
    """Read the same people with two devices, matched by their ids if both tables have them, else row by row.

    Raises
    ------
    InputError
        Ids in one table only, somebody who is in one table only, or different numbers of rows.
    """
    a, b = read_counts(first), read_counts(second)
    if a.ids is None and b.ids is None:
        if len(a.errors) != len(b.errors):
            raise InputError(
                f"{first} has {len(a.errors)} rows and {second} {len(b.errors)}: without a column id, rows are matched "
                "in their order, so both need the same people"
            )
        return a, b
    if a.ids is None or b.ids is None:
        raise InputError(f"{first if a.ids is None else second} has no column id to match the people of the other by")
    places = {name: place for place, name in enumerate(b.ids)}
    alone = sorted(set(a.ids) ^ set(b.ids), key=str)
    if alone:
        raise InputError(f"{first} and {second} need the same people; in one only: {listed(alone)}")
    order = np.array([places[name] for name in a.ids])
    return a, CountedPeople(b.errors[order], b.attempts[order], a.ids)


def _check(bad: NDArray[np.bool_], values: NDArray[np.float64], path: PathLike, what: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{path}, row {row + 1}: {what}, not {values[row]:g}")
