"""Tables with typed columns, as Arrow has them: of Parquet files and of data frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, cut, listed
from fairtrial.formats.roles import Look, Roles, look_at
from fairtrial.formats.sheets import ReadOptions, Sheet
from fairtrial.formats.table import sheet_of
from fairtrial.formats.text import EXACT, ArrowTexts, ids_from_arrow

if TYPE_CHECKING:
    import pyarrow as pa

LOOKED_AT = 20
"""So many first cells tell what a column of text holds."""


def text_columns(schema: pa.Schema) -> list[str]:
    """The columns that hold text."""
    import pyarrow as pa

    return [own.name for own in schema if pa.types.is_string(own.type) or pa.types.is_large_string(own.type)]


def look_at_columns(schema: pa.Schema, first: Any) -> dict[str, Look]:
    """What columns hold: by their types, and texts by their first cells, in a batch or table of them."""
    import pyarrow as pa

    found: dict[str, Look] = {}
    for column in schema:
        if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
            found[column.name] = "fraction"
        elif pa.types.is_integer(column.type):
            found[column.name] = "number"
    for name in text_columns(schema) if first is not None else ():
        try:
            found[name] = look_at([cell or "" for cell in first.column(name).to_pylist()])
        except UnicodeDecodeError:
            found[name] = "text"
    return found


def typed_sheet(table: pa.Table, roles: Roles, options: ReadOptions, *, origin: str, unnamed: str) -> Sheet:
    """The sheet of a table whose roles are known.

    Parameters
    ----------
    origin
        What errors call the table.
    unnamed
        The name of a system whose column is only called a score.
    """
    columns = {name: _column(table.column(name), name, roles, origin) for name in roles.columns}
    lost = [name for name, column in columns.items() if column is None]
    columns = {name: column for name, column in columns.items() if column is not None}
    kept = replace(roles, further=tuple(name for name in roles.further if name not in lost))
    sheet = sheet_of(origin, unnamed, kept, columns, options)
    left = (f"left out: {listed(lost)}, which hold neither text nor numbers",) if lost else ()
    return replace(sheet, taken=(*sheet.taken, *left))


def _column(column: pa.ChunkedArray, name: str, roles: Roles, origin: str) -> Any:
    """Scores as numbers, ids as names; a further column as what it is, None if it is neither."""
    import pyarrow as pa

    try:
        if name in roles.scores:
            return _scores(column, name, origin)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if name in roles.further:
            return _further(column)
        if column.null_count:
            raise InputError(f"{origin}: column {name} has {column.null_count} empty cells; every trial needs one")
        texts = column.cast(pa.string())
        texts.validate(full=True)
        return ArrowTexts(texts) if ("probe", name) in roles.ids else ids_from_arrow(texts.dictionary_encode())
    except (pa.ArrowException, UnicodeError) as error:
        wanted = "numbers" if name in roles.scores else "names in UTF-8"
        raise InputError(f"{origin}: column {cut(name)} of type {column.type} does not hold {wanted}") from error


def _scores(column: pa.ChunkedArray, name: str, origin: str) -> NDArray[np.floating]:
    import pyarrow as pa

    kind = pa.float32() if pa.types.is_float32(column.type) else pa.float64()
    whole = pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)
    values: NDArray[np.floating] = column.cast(kind, safe=not whole).to_numpy()
    if whole and len(values) and np.nanmax(np.abs(values), initial=0) >= EXACT:
        raise InputError(
            f"{origin}: column {cut(name)} of type {column.type} holds numbers above 2**53, which a 64-bit float "
            "cannot tell apart; scale the scores, or take their logarithm"
        )
    return values


def _further(column: pa.ChunkedArray) -> Any:
    """Numbers without a gap as numbers, and all else as text, empty where there is nothing."""
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
