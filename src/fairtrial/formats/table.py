"""Tables with a header: CSV, TSV and Parquet, wide (a column a system) or long (system and score).

Columns are known by their usual names, or by what the caller says. Columns of numbers that have no other
role are the systems' scores.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, OutputError
from fairtrial.formats.alignment import align
from fairtrial.formats.arrow import text_column, write_text
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.sheets import ReadOptions, Sheet, columns_of, decode_labels, genuine_by_ids
from fairtrial.formats.text import ArrowTexts, Kind, Layout, ids_from_arrow, parse_score, read_columns
from fairtrial.trials import ID_FIELDS, IdColumn, Ids, Trials

if TYPE_CHECKING:
    import pyarrow as pa

_ALIASES = {
    "claim": ("claim", "claimed_id", "claimed", "model", "enrol", "enroll", "reference", "bio_ref_subject_id"),
    "subject": ("subject", "real_id", "subject_id", "probe_subject_id", "speaker", "person"),
    "model": ("model", "template", "bio_ref_template_id", "reference_id"),
    "probe": ("probe", "probe_label", "utt", "utterance", "segment", "test", "probe_key", "probe_template_id"),
    "label": ("label", "genuine", "target", "class", "is_genuine", "is_target", "key"),
    "system": ("system", "system_name"),
}
_DELIMITERS = ",\t;"


def matches_text(heads: Sequence[Head]) -> bool:
    """Whether each file begins with a header of column names."""
    return all(head.is_text and _header(head) is not None for head in heads)


def matches_parquet(heads: Sequence[Head]) -> bool:
    """Whether each file is Parquet."""
    return all(head.data.startswith(b"PAR1") for head in heads)


def _header(head: Head) -> tuple[str, list[str]] | None:
    lines = head.lines(1)
    if not lines:
        return None
    delimiter = max(_DELIMITERS, key=lines[0].count)
    if delimiter not in lines[0]:
        return None
    names = [name.strip().lstrip("\ufeff") for name in next(csv.reader([lines[0]], delimiter=delimiter))]
    if any(_is_number(name) for name in names) or not all(names):
        return None
    return delimiter, names


def _is_number(text: str) -> bool:
    try:
        parse_score(text.strip())
    except ValueError:
        return False
    return True


def read_text(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """A sheet a file."""
    return [_read_text(head, options, progress) for head in heads]


def _read_text(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    found = _header(head)
    if found is None:
        raise InputError(f"{head.path}: the first line is no header of column names")
    delimiter, names = found
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"{head.path}: column {repeated[0]!r} is there twice; give each column its own name")
    lines = head.lines(2)
    if len(lines) < 2:
        raise InputError(f"{head.path}: there is a header, but no trial below it")
    values = next(csv.reader([lines[1]], delimiter=delimiter))
    numeric = {name for name, value in zip(names, values, strict=False) if _is_number(value) or not value}
    roles = _roles(names, numeric, options, str(head.path))
    kinds: list[Kind] = [_kind(name, roles) for name in names]
    layout = Layout(tuple(names), tuple(kinds), delimiter, header=True, shape=", ".join(names))
    columns = read_columns(head, layout, progress)
    return _sheet(head, roles, columns, options)


def _kind(name: str, roles: dict[str, Any]) -> Kind:
    if name in roles["score"]:
        return "score"
    if name == roles.get("probe"):
        return "text"
    return "id" if name in {value for role, value in roles.items() if role != "score"} else "skip"


def _roles(names: Sequence[str], numeric: set[str], options: ReadOptions, origin: str) -> dict[str, Any]:
    """Which column plays which role; scores are a list of columns."""
    roles: dict[str, Any] = {}
    by_lower = {name.lower(): name for name in reversed(names)}
    for role, given in options.columns.items():
        if given not in names:
            raise InputError(f"{origin}: there is no column {given!r}; there are {', '.join(names)}")
        roles[role] = given
    for role, aliases in _ALIASES.items():
        if role not in roles:
            free = (by_lower[alias] for alias in aliases if alias in by_lower)
            name = next((name for name in free if name not in roles.values()), None)
            if name is not None:
                roles[role] = name
    if "score" in roles:
        scores = [roles["score"]]
    elif options.scores:
        scores = list(options.scores)
        for name in scores:
            if name not in names:
                raise InputError(f"{origin}: there is no score column {name!r}; there are {', '.join(names)}")
    elif "system" in roles and "score" in by_lower:
        scores = [by_lower["score"]]
    else:
        taken = set(roles.values())
        scores = [name for name in names if name in numeric and name not in taken]
    if not scores:
        raise InputError(
            f"{origin}: there is no column of scores among {', '.join(names)}; name one as in --column score=NAME"
        )
    roles["score"] = scores
    if "system" in roles and len(scores) != 1:
        raise InputError(
            f"{origin}: a table with a column of system names has one column of scores, not {', '.join(scores)}; "
            "name it as in --column score=NAME"
        )
    return roles


def _sheet(head: Head, roles: dict[str, Any], columns: dict[str, Any], options: ReadOptions) -> Sheet:
    origin = str(head.path)
    ids: dict[str, IdColumn] = {role: columns[roles[role]] for role in ID_FIELDS if role in roles}
    keep: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    if "label" in roles:
        labels: Ids = columns[roles["label"]]
        genuine, keep, notes = decode_labels(labels.names.tolist(), labels.codes, options, origin)
    else:
        genuine = genuine_by_ids(ids, origin)
    scores = columns_of([columns[name] for name in roles["score"]])
    systems = tuple(roles["score"])
    if keep is not None:
        scores, ids = scores[keep], {name: column[keep] for name, column in ids.items()}
    if len(systems) == 1 and systems[0].lower() in ("score", "scores"):
        sheet = Sheet(origin, scores, genuine, (system_name(head),), ids, notes, named=False)
    else:
        sheet = Sheet(origin, scores, genuine, systems, ids, notes)
    if "system" not in roles:
        return sheet
    names = columns[roles["system"]] if keep is None else columns[roles["system"]][keep]
    return _widen(sheet, names, options)


def _widen(sheet: Sheet, systems: Ids, options: ReadOptions) -> Sheet:
    """From a row a system and trial to a row a trial."""
    parts = []
    for code in dict.fromkeys(systems.codes.tolist()):
        rows = np.flatnonzero(systems.codes == code)
        part = sheet.rows(rows)
        name = str(systems.names[code])
        parts.append(Sheet(f"{sheet.origin} (system {name})", part.scores, part.genuine, (name,), part.ids))
    wide = align(parts, common=options.common)
    return replace(wide, origin=sheet.origin, notes=(*sheet.notes, *wide.notes))


def read_parquet(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """A sheet a file."""
    return [_read_parquet(head, options) for head in heads]


def read_parquet_parts(heads: Sequence[Head], options: ReadOptions, progress: Progress | None) -> list[Sheet]:
    """One sheet of several files that are parts of one table."""
    sheets = [_read_parquet(head, options) for head in heads]
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
        )
    ]


def _concatenate(parts: Sequence[IdColumn]) -> Ids:
    import pyarrow as pa

    chunks = [chunk for part in parts for chunk in pa.chunked_array([text_column(part)]).chunks]
    return ids_from_arrow(pa.chunked_array(chunks).dictionary_encode())


def _read_parquet(head: Head, options: ReadOptions) -> Sheet:
    import pyarrow as pa
    import pyarrow.parquet as pq

    origin = str(head.path)
    try:
        with pq.ParquetFile(head.path) as file:
            schema = file.schema_arrow
            names = [str(name) for name in schema.names]
            numeric = {f.name for f in schema if pa.types.is_floating(f.type) or pa.types.is_integer(f.type)}
            roles = _roles(names, numeric, options, origin)
            wanted = [*roles["score"], *(value for role, value in roles.items() if role != "score")]
            table = file.read(columns=wanted)
        columns = {name: _parquet_column(table.column(name), name, roles, origin) for name in wanted}
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{origin}: is no whole Parquet file: {str(error).splitlines()[0]}") from error
    if table.num_rows == 0:
        raise InputError(f"{origin}: holds no trial")
    return _sheet(head, roles, columns, options)


def _parquet_column(column: pa.ChunkedArray, name: str, roles: dict[str, Any], origin: str) -> Any:
    import pyarrow as pa

    if name in roles["score"]:
        kind = pa.float32() if pa.types.is_float32(column.type) else pa.float64()
        values: NDArray[np.floating] = column.cast(kind).to_numpy()
        return values
    if column.null_count:
        raise InputError(f"{origin}: column {name} has {column.null_count} empty cells; every trial needs one")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    texts = column.cast(pa.string())
    return ArrowTexts(texts) if name == roles.get("probe") else ids_from_arrow(texts.dictionary_encode())


def _to_arrow(trials: Trials, target: Path) -> pa.Table:
    import pyarrow as pa

    names = [*trials.ids, "label"]
    clash = sorted({name for name in trials.systems if name.lower() in {a for v in _ALIASES.values() for a in v}})
    if clash:
        raise OutputError(
            f"{target}: a system named {clash[0]!r} would be read back as another column; rename it with --name"
        )
    labels = pa.DictionaryArray.from_arrays(pa.array(trials.genuine.astype(np.int8)), pa.array(["impostor", "genuine"]))
    columns = [*(text_column(column) for column in trials.ids.values()), labels.dictionary_decode()]
    scores = [pa.array(trials.column(system)) for system in trials.systems]
    return pa.table([*columns, *scores], names=[*names, *trials.systems])


def write_csv(trials: Trials, place: Path, target: Path) -> None:
    """Write comma-separated values with a header."""
    write_text(_to_arrow(trials, target), place, target, delimiter=",", header=True)


def write_tsv(trials: Trials, place: Path, target: Path) -> None:
    """Write tab-separated values with a header."""
    write_text(_to_arrow(trials, target), place, target, delimiter="\t", header=True)


def write_parquet(trials: Trials, place: Path, target: Path) -> None:
    """Write Parquet."""
    import pyarrow.parquet as pq

    pq.write_table(_to_arrow(trials, target), place, compression="zstd")
