"""Between trials and Arrow tables, and Arrow tables to text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairtrial.formats.text import ArrowTexts, string_buffers
from fairtrial.formats.zstd import zstd_stream
from fairtrial.ids import IdColumn
from fairtrial.trials import Further

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = ("=", "+", "-", "@")


def text_column(ids: IdColumn) -> pa.ChunkedArray | pa.Array:
    """One name per row, as Arrow has it."""
    import pyarrow as pa

    if isinstance(ids, ArrowTexts):
        return ids.texts
    numbered = ids.numbered()
    names = pa.array(numbered.names.tolist(), type=pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(numbered.codes), names).dictionary_decode()


def further_column(column: Further) -> pa.ChunkedArray | pa.Array:
    """Numbers or names, as Arrow has them."""
    import pyarrow as pa

    return pa.array(column) if isinstance(column, np.ndarray) else text_column(column)


def write_text(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool) -> None:
    """Write a table as text, compressed as the target's name says; numbers read back as they are.

    Below a header all text is in quotes where some of it needs them, or begins like a formula of a spreadsheet.
    """
    import pyarrow as pa

    if not (header and _begins_like_a_formula(table)):
        try:
            _write(table, place, target, delimiter=delimiter, header=header, quoting="none")
            return
        except pa.ArrowInvalid:
            pass
    _write(table, place, target, delimiter=delimiter, header=header, quoting="needed")


def _begins_like_a_formula(table: pa.Table) -> bool:
    """Whether a name or a text begins with a character that spreadsheets take for the beginning of a formula."""
    import pyarrow as pa

    if any(name.startswith(_FORMULA) for name in table.column_names):
        return True
    letters = np.zeros(256, dtype=bool)
    letters[[ord(letter) for letter in _FORMULA]] = True
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_string(column.type) else ():
            offsets, data = string_buffers(chunk)
            if letters[data[offsets[:-1][offsets[1:] > offsets[:-1]]]].any():
                return True
    return False


def _write(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool, quoting: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    options = arrow_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
    names = pa.table([pa.array([name]) for name in table.column_names], names=table.column_names)
    with _stream(place, target) as stream:
        for part in (names, table) if header else (table,):
            arrow_csv.write_csv(part, stream, options)


@contextmanager
def _stream(place: Path, target: Path) -> Iterator[pa.NativeFile]:
    """A stream to a place, compressed as the target's name says; both compressions hold a checksum."""
    import pyarrow as pa

    ending = target.suffix.lower()
    if ending == ".zst":
        with zstd_stream(place) as stream:
            yield stream
        return
    with pa.OSFile(os.fsencode(place), "wb") as raw:
        if ending != ".gz":
            yield raw
            return
        with pa.CompressedOutputStream(raw, "gzip") as stream:
            yield stream
