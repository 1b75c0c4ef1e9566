"""Tables with a header: CSV, TSV and Parquet, wide (one column per system) or long (system and score).

Columns are known by their usual names, or by what the caller says. Columns of numbers that have no other
role are the systems' scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, OutputError, cut, listed, shown
from fairtrial.formats.alignment import align
from fairtrial.formats.arrow import text_column, write_text
from fairtrial.formats.files import UNNAMED, Head, Progress, system_name
from fairtrial.formats.roles import Roles, find_roles, is_plain_score, is_role
from fairtrial.formats.sheets import (
    ReadOptions,
    Sheet,
    check_no_empty_ids,
    columns_of,
    decode_labels,
    genuine_by_ids,
    row_of,
)
from fairtrial.formats.text import ArrowTexts, Kind, Layout, ids_from_arrow, is_number, read_columns, split_rows
from fairtrial.trials import IdColumn, Ids, Trials

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = ",\t;"
_LOOKED_AT = 20


def matches_text(heads: Sequence[Head]) -> bool:
    """Whether each file begins with a header of column names."""
    return all(head.is_text and _header(head) is not None for head in heads)


def matches_parquet(heads: Sequence[Head]) -> bool:
    """Whether each file is Parquet."""
    return all(head.data.startswith(b"PAR1") for head in heads)


def _header(head: Head) -> tuple[str, list[str]] | None:
    """What separates the columns, and their names; only the first, an index, may have none."""
    lines = head.lines(1)
    if not lines:
        return None
    delimiter = max(_DELIMITERS, key=lines[0].count)
    names = [name.strip() for name in split_rows(lines, delimiter)[0]]
    if len(names) < 2 or any(is_number(name) for name in names) or not all(names[1:]):
        return None
    return delimiter, names


def read_text(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file."""
    return [_read_text(head, options, progress) for head in heads]


def _read_text(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    found = _header(head)
    if found is None:
        raise InputError(f"{head.path}: the first line is not a header of column names")
    delimiter, names = found
    rows = split_rows(head.lines(1 + _LOOKED_AT, header=True), delimiter)[1:]
    if not rows:
        raise InputError(f"{head.path}: there is a header, but no trial below it")
    # a number or nothing at all: text further down is then an error that names its line
    cells = {name: [row[k] for row in rows if k < len(row) and row[k]] for k, name in enumerate(names) if name}
    numeric = {name for name, found in cells.items() if not found or any(is_number(cell) for cell in found)}
    roles = find_roles(names, numeric, options, str(head.path))
    kinds: list[Kind] = [_kind(name, roles) for name in names]
    layout = Layout(tuple(names), tuple(kinds), delimiter, header=True, shape=listed(names))
    return _sheet(head, roles, read_columns(head, layout, progress), options)


def _kind(name: str, roles: Roles) -> Kind:
    if name in roles.scores:
        return "score"
    if ("probe", name) in roles.ids:
        return "text"
    return "id" if name in roles.columns else "skip"


def _sheet(head: Head, roles: Roles, columns: dict[str, Any], options: ReadOptions) -> Sheet:
    origin = str(head.path)
    ids: dict[str, IdColumn] = {field: columns[column] for field, column in roles.ids}
    check_no_empty_ids(ids, row_of(origin))
    keep: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    if roles.label is not None:
        labels: Ids = columns[roles.label]
        genuine, keep, notes = decode_labels(labels.names.tolist(), labels.codes, options, origin)
    else:
        genuine = genuine_by_ids(ids, origin)
    scores = columns_of([columns[name] for name in roles.scores])
    if keep is not None:
        scores, ids = scores[keep], {name: column[keep] for name, column in ids.items()}
    unnamed = len(roles.scores) == 1 and is_plain_score(roles.scores[0])
    systems = (system_name(head),) if unnamed else roles.scores
    sheet = Sheet(origin, scores, genuine, systems, ids, notes, not unnamed, keep)
    if roles.system is None:
        return sheet.checked(options)
    names: Ids = columns[roles.system]
    return _widen(sheet, names if keep is None else names[keep], options)


def _widen(sheet: Sheet, systems: Ids, options: ReadOptions) -> Sheet:
    """From one row per system and trial to one row per trial."""
    parts = []
    for code in dict.fromkeys(systems.codes.tolist()):
        rows = np.flatnonzero(systems.codes == code)
        name = str(systems.names[code])
        part = replace(sheet.rows(rows), systems=(name,), named=True).checked(options)
        parts.append(replace(part, origin=f"{sheet.origin} (system {name})"))
    wide = align(parts, common=options.common)
    return replace(wide, origin=sheet.origin)


def read_parquet(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet per file."""
    return [_read_parquet(head, options, progress) for head in heads]


def read_parquet_parts(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet of several files that are parts of one table."""
    folder = replace(heads[0], path=heads[0].path.parent)
    sheets = [_read_parquet(head, options, progress) for head in heads]
    sheets = [sheet if sheet.named else replace(sheet, systems=(system_name(folder),)) for sheet in sheets]
    first = sheets[0]
    for sheet in sheets[1:]:
        if sheet.systems != first.systems or set(sheet.ids) != set(first.ids):
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
        )
    ]


def _concatenate(parts: Sequence[IdColumn]) -> IdColumn:
    import pyarrow as pa

    texts = [part.texts for part in parts if isinstance(part, ArrowTexts)]
    if len(texts) < len(parts):
        return Ids.concat(parts)
    return ArrowTexts(pa.chunked_array([chunk for text in texts for chunk in text.chunks], type=pa.string()))


def _read_parquet(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    import pyarrow as pa
    import pyarrow.parquet as pq

    origin = str(head.path)
    try:
        with open(head.path, "rb") as raw, pq.ParquetFile(raw) as file:
            schema = file.schema_arrow
            names = [str(name) for name in schema.names]
            numeric = {f.name for f in schema if pa.types.is_floating(f.type) or pa.types.is_integer(f.type)}
            roles = find_roles(names, numeric, options, origin)
            table = file.read(columns=roles.columns)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(f"{origin}: is not a complete Parquet file: {shown(error, 200)}") from error
    if table.num_rows == 0:
        raise InputError(f"{origin}: holds no trial")
    if progress is not None:
        progress(head.path.stat().st_size)
    columns = {name: _parquet_column(table.column(name), name, roles, origin) for name in roles.columns}
    return _sheet(head, roles, columns, options)


def _parquet_column(column: pa.ChunkedArray, name: str, roles: Roles, origin: str) -> Any:
    import pyarrow as pa

    try:
        if name in roles.scores:
            values: NDArray[np.floating] = column.cast(
                pa.float32() if pa.types.is_float32(column.type) else pa.float64()
            ).to_numpy()
            return values
        if column.null_count:
            raise InputError(f"{origin}: column {name} has {column.null_count} empty cells; every trial needs one")
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        texts = column.cast(pa.string())
        texts.validate(full=True)
        return ArrowTexts(texts) if ("probe", name) in roles.ids else ids_from_arrow(texts.dictionary_encode())
    except (pa.ArrowException, UnicodeError) as error:
        wanted = "numbers" if name in roles.scores else "names in UTF-8"
        raise InputError(f"{origin}: column {cut(name)} of type {column.type} does not hold {wanted}") from error


def _to_arrow(trials: Trials, target: Path) -> pa.Table:
    import pyarrow as pa

    systems = list(trials.systems)
    if len(systems) == 1 and systems[0] == UNNAMED:
        systems = ["score"]
    elif is_role(systems):
        name = next(name for name in systems if is_role([name]))
        raise OutputError(
            f"{target}: a system named {name!r} would be read back as another column; give it another name, as in "
            'renamed(["NAME"])'
        )
    labels = pa.DictionaryArray.from_arrays(pa.array(trials.genuine.astype(np.int8)), pa.array(["impostor", "genuine"]))
    columns = [*(text_column(column) for column in trials.ids.values()), labels.dictionary_decode()]
    scores = [pa.array(trials.column(system)) for system in trials.systems]
    return pa.table([*columns, *scores], names=[*trials.ids, "label", *systems])


def write_csv(trials: Trials, place: Path, target: Path) -> None:
    """Write comma-separated values with a header."""
    write_text(_to_arrow(trials, target), place, target, delimiter=",", header=True)


def write_tsv(trials: Trials, place: Path, target: Path) -> None:
    """Write tab-separated values with a header."""
    write_text(_to_arrow(trials, target), place, target, delimiter="\t", header=True)


def write_parquet(trials: Trials, place: Path, target: Path) -> None:
    """Write Parquet."""
    import pyarrow.parquet as pq

    with open(place, "wb") as file:
        pq.write_table(_to_arrow(trials, target), file, compression="zstd")
