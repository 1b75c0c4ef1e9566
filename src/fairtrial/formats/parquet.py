"""Read and write Parquet, with checksums of pages and footer."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Ids, Trials
from fairtrial.core.words import cut, shown
from fairtrial.formats.files import Head, Progress, check_unpacked, system_name
from fairtrial.formats.identities import rename_ids
from fairtrial.formats.sheets import (
    Look,
    ReadOptions,
    Roles,
    Sheet,
    check_names,
    find_roles,
    look_at,
    stack,
)
from fairtrial.formats.table import sheet_of, to_arrow
from fairtrial.formats.text import EXACT, ArrowTexts, Kind, ids_from_arrow

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


_MARK = b"fairtrial"
_DIGEST = 16
_END = 8  # bytes after the footer: its length, and PAR1


def write_parquet(table: pa.Table, place: Path) -> None:
    """Write a table with checksums."""
    import pyarrow.parquet as pq

    with open(place, "w+b") as file:
        pq.write_table(table, file, compression="zstd", write_page_checksum=True)
        start, footer, end = _footer(file)
        file.seek(start)
        file.write(_MARK + _digest(footer) + footer + end)


@contextmanager
def open_parquet(head: Head) -> Iterator[pq.ParquetFile]:
    """Open a file; what is wrong with it, also while it is read, becomes an `InputError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(head.source, "rb") as raw:
            start, footer, _ = _footer(raw)
            raw.seek(max(0, start - len(_MARK) - _DIGEST))
            if raw.read(len(_MARK)) == _MARK and raw.read(_DIGEST) != _digest(footer):
                raise InputError(
                    f"{head.origin}: is damaged: its checksum does not fit what it holds; get the file again"
                )
            raw.seek(0)
            with pq.ParquetFile(raw, page_checksum_verification=True) as file:
                yield file
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        if "launch worker thread" in str(error):
            raise MemoryError(str(error)) from error
        raise InputError(
            f"{head.origin}: is not a complete Parquet file, or is damaged: {shown(error, 200)}; get the file again"
        ) from error


def _footer(file: IO[bytes]) -> tuple[int, bytes, bytes]:
    """Tell where the footer begins, the footer, and what follows it; an empty one where it cannot be."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read()
    length = int.from_bytes(end[:4], "little")
    start = size - _END - length
    if start < 0:
        return 0, b"", end
    file.seek(start)
    return start, file.read(length), end


def _digest(footer: bytes) -> bytes:
    return hashlib.blake2b(footer, digest_size=_DIGEST).digest()


LOOKED_AT = 20
ROWS = 1 << 13
"""Rows read at once."""
_METADATA = b"fairtrial"


def read_parts(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """Read one sheet of several files that are parts of one table."""
    sheets = [read(head, options, progress) for head in heads]
    sheets = [
        sheet if sheet.named else replace(sheet, systems=(system_name(heads[0].path.parent),)) for sheet in sheets
    ]
    first = sheets[0]
    for sheet in sheets[1:]:
        if any(set(getattr(sheet, name)) != set(getattr(first, name)) for name in ("systems", "ids", "columns")):
            raise InputError(
                f"{sheet.origin}: has other columns than {first.origin}, so they are not parts of one table"
            )
    return [stack(sheets, str(heads[0].path.parent))]


def read(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    """Read a file."""
    with open_parquet(head) as file:
        roles = plan_roles(file.schema_arrow, first_rows(file), options, str(head.path))
        table = read_table(file, roles.columns, head)
    if table.num_rows == 0:
        raise InputError(f"{head.path}: holds no trial")
    if progress is not None:
        progress(head.source.stat().st_size)
    return sheet_of_table(head, table, roles, options)


def read_table(file: pq.ParquetFile, columns: Sequence[str], head: Head) -> pa.Table:
    """Read columns, some rows at a time: a text that a small file repeats may be far too large in memory."""
    import pyarrow as pa

    metadata, most = file.metadata, sys.maxsize if head.max_size is None else head.max_size
    groups = [int(metadata.row_group(k).total_byte_size) for k in range(metadata.num_row_groups)]
    check_unpacked(max(int(metadata.num_rows) * 8 * len(columns), sum(groups)), most, head.path)
    batches, size = [], 0
    for batch in file.iter_batches(ROWS, columns=list(columns)):
        size += unpacked_size(batch)
        check_unpacked(size, most, head.path)
        batches.append(batch)
    schema = pa.schema([file.schema_arrow.field(name) for name in columns])
    return pa.Table.from_batches(batches) if batches else schema.empty_table()


def unpacked_size(batch: pa.RecordBatch) -> int:
    """Count the bytes of a batch, each text in full, also one that a dictionary holds once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = int(batch.nbytes)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and pa.types.is_string(column.type.value_type):
            size += pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
    return size


FirstRows: TypeAlias = "Callable[[list[str]], Any]"
"""From names of columns to their first rows, None where there is no row."""


def first_rows(file: pq.ParquetFile) -> FirstRows:
    """Give the first rows of a file."""
    return lambda columns: next(file.iter_batches(LOOKED_AT, columns=columns), None)


def plan_roles(schema: pa.Schema, first: FirstRows, options: ReadOptions, origin: str) -> Roles:
    """Tell what each column is, by names, types and first rows."""
    names = [str(name) for name in schema.names]
    check_names(names, options, origin)
    given = {*options.columns.values(), *options.scores, *options.others}
    try:  # further columns of a file that fairtrial wrote, so far as the caller says nothing else of them
        kept = json.loads((schema.metadata or {}).get(_METADATA, b"{}")).get("columns", [])
        kept = [name for name in kept if name in names and name not in given]
    except (ValueError, AttributeError, TypeError):
        kept = []
    return find_roles(names, _looks(schema, first), replace(options, others=(*options.others, *kept)), origin)


def sheet_of_table(head: Head, table: pa.Table, roles: Roles, options: ReadOptions) -> Sheet:
    """Give the sheet of a table, or of some of its rows."""
    read = dict(zip(table.column_names, table.columns, strict=True))
    columns = {
        name: _column(read[name], name, kind, head.origin) for name, kind in roles.kinds_of(roles.columns).items()
    }
    return sheet_of(head, roles, {name: column for name, column in columns.items() if column is not None}, options)


def _looks(schema: pa.Schema, first_of: FirstRows) -> dict[str, Look]:
    """Tell what columns hold: by their types, and texts by their first cells."""
    import pyarrow as pa

    looks: dict[str, Look] = {}
    texts = []
    for column in schema:
        kind = column.type
        if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            looks[column.name] = "fraction"
        elif pa.types.is_integer(kind):
            looks[column.name] = "whole"
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            texts.append(column.name)
    if texts:
        first = first_of(texts)
        for name in texts if first is not None else ():
            try:
                looks[name] = look_at([cell or "" for cell in first.column(name).to_pylist()])
            except UnicodeDecodeError:
                looks[name] = "text"
    return looks


def _column(column: pa.ChunkedArray, name: str, kind: Kind, origin: str) -> Any:
    """Scores as numbers, ids as names; a further column as what it is, None if it is neither."""
    import pyarrow as pa

    try:
        if kind == "score":
            return _scores(column, name, origin)
        if kind == "other":
            return _further(column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column)
        if column.null_count:
            raise InputError(f"{origin}: column {name} has {column.null_count} empty cells; every trial needs one")
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            return _names(column)
        texts = column.cast(pa.string())
        texts.validate(full=True)
        return ArrowTexts(texts)
    except MemoryError:
        raise
    except (pa.ArrowException, UnicodeError) as error:
        wanted = "numbers" if kind == "score" else "names in UTF-8"
        raise InputError(f"{origin}: column {cut(name)} of type {column.type} does not hold {wanted}") from error


def _names(column: pa.ChunkedArray) -> Ids:
    """Read a column of names, each distinct one once."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    encoded = column.cast(pa.dictionary(pa.int32(), pa.string()))
    for chunk in encoded.chunks:
        chunk.dictionary.validate(full=True)
        if chunk.dictionary.null_count:
            raise pa.ArrowInvalid("a name is missing")
    ids = ids_from_arrow(encoded)
    names = ids.names.tolist()
    return ids if len(set(names)) == len(names) else rename_ids(ids, names)


def _scores(column: pa.ChunkedArray, name: str, origin: str) -> NDArray[np.floating]:
    import pyarrow as pa

    kind = pa.float32() if pa.types.is_float32(column.type) else pa.float64()
    whole = pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # only from text does Arrow give the nearest float
    values: NDArray[np.floating] = column.cast(kind, safe=not whole).to_numpy()
    if whole and len(values) and np.nanmax(np.abs(values), initial=0) >= EXACT:
        raise InputError(
            f"{origin}: column {cut(name)} holds numbers above 2**53, which a 64-bit float "
            "cannot tell apart; scale the scores, or take their logarithm"
        )
    return values


def _further(column: pa.ChunkedArray) -> Any:
    """Give numbers without a gap as numbers, and all else as text, empty where there is nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)) and not column.null_count:
        return column.to_numpy()
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return None
    try:
        texts = pc.fill_null(column.cast(pa.string()), "")
        texts.validate(full=True)
    except pa.ArrowException:
        return None
    return ArrowTexts(texts)


def write(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write Parquet."""
    table = to_arrow(trials, target)
    if trials.columns:
        metadata = {_METADATA: json.dumps({"columns": list(trials.columns)}).encode()}
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **metadata})
    write_parquet(table, place)
    return ()
