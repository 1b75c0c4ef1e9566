"""Parquet: the tables of `table`, with types. What fairtrial writes says itself which columns hold no scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.errors import InputError, shown
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.roles import Look, check_names, find_roles
from fairtrial.formats.sheets import ReadOptions, Sheet
from fairtrial.formats.table import to_arrow
from fairtrial.formats.text import ArrowTexts
from fairtrial.formats.typed import LOOKED_AT, look_at_columns, text_columns, typed_sheet
from fairtrial.trials import IdColumn, Ids, Trials, concat_further

if TYPE_CHECKING:
    import pyarrow as pa

_METADATA = b"fairtrial"


def matches(heads: Sequence[Head]) -> bool:
    """Whether each file is Parquet."""
    return all(head.data.startswith(b"PAR1") for head in heads)


def read(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file."""
    return [_read_one(head, options, progress) for head in heads]


def read_parts(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet of several files that are parts of one table."""
    folder = replace(heads[0], path=heads[0].path.parent)
    sheets = [_read_one(head, options, progress) for head in heads]
    sheets = [sheet if sheet.named else replace(sheet, systems=(system_name(folder),)) for sheet in sheets]
    first = sheets[0]
    for sheet in sheets[1:]:
        if any(set(getattr(sheet, name)) != set(getattr(first, name)) for name in ("systems", "ids", "columns")):
            raise InputError(
                f"{sheet.origin}: has other columns than {first.origin}, so they are not parts of one table"
            )
    ids: dict[str, IdColumn] = {name: _concatenate([sheet.ids[name] for sheet in sheets]) for name in first.ids}
    return [
        Sheet(
            str(heads[0].path.parent),
            np.concatenate([sheet.scores for sheet in sheets]),
            np.concatenate([sheet.genuine for sheet in sheets]),
            first.systems,
            ids,
            tuple(note for sheet in sheets for note in sheet.notes),
            all(sheet.named for sheet in sheets),
            columns={name: concat_further([sheet.columns[name] for sheet in sheets]) for name in first.columns},
            taken=first.taken,
        )
    ]


def _concatenate(parts: Sequence[IdColumn]) -> IdColumn:
    import pyarrow as pa

    texts = [part.texts for part in parts if isinstance(part, ArrowTexts)]
    if len(texts) < len(parts):
        return Ids.concat(parts)
    return ArrowTexts(pa.chunked_array([chunk for text in texts for chunk in text.chunks], type=pa.string()))


def _read_one(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    import pyarrow as pa
    import pyarrow.parquet as pq

    origin = str(head.path)
    try:
        with open(head.path, "rb") as raw, pq.ParquetFile(raw) as file:
            schema = file.schema_arrow
            names = [str(name) for name in schema.names]
            check_names(names, options, origin)
            known = _own_columns(schema, names, options)
            roles = find_roles(names, _looks(file, schema), replace(options, others=(*options.others, *known)), origin)
            table = file.read(columns=roles.columns)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(f"{origin}: is not a complete Parquet file: {shown(error, 200)}") from error
    if table.num_rows == 0:
        raise InputError(f"{origin}: holds no trial")
    if progress is not None:
        progress(head.path.stat().st_size)
    return typed_sheet(table, roles, options, origin=origin, unnamed=system_name(head))


def _looks(file: Any, schema: pa.Schema) -> dict[str, Look]:
    """What columns hold, by their types and the first cells of those that hold text."""
    texts = text_columns(schema)
    first: Any = next(file.iter_batches(LOOKED_AT, columns=texts), None) if texts else None
    return look_at_columns(schema, first)


def _own_columns(schema: pa.Schema, names: Sequence[str], options: ReadOptions) -> list[str]:
    """Further columns of a file that fairtrial wrote, so far as the caller says nothing else of them."""
    given = {*options.columns.values(), *options.scores, *options.others}
    try:
        found = json.loads((schema.metadata or {}).get(_METADATA, b"{}")).get("columns", [])
        return [name for name in found if name in names and name not in given]
    except (ValueError, AttributeError, TypeError):
        return []


def write(trials: Trials, place: Path, target: Path) -> tuple[str, ...]:
    """Write Parquet."""
    import pyarrow.parquet as pq

    table = to_arrow(trials, target)
    if trials.columns:
        told = {_METADATA: json.dumps({"columns": list(trials.columns)}).encode()}
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **told})
    with open(place, "wb") as file:
        pq.write_table(table, file, compression="zstd")
    return ()
