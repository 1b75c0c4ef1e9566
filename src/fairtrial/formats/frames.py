"""Data frames as trials: any table that is handed over as an Arrow stream, whichever library it is of.

pandas, polars, pyarrow, DuckDB and others all speak this protocol, so none of them is imported here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import InputError
from fairtrial.core.trials import Frame, Trials
from fairtrial.core.words import listed, shown
from fairtrial.formats.files import UNNAMED, Head
from fairtrial.formats.identities import as_options, finish_checked, note_format
from fairtrial.formats.parquet import LOOKED_AT, plan_roles, sheet_of_table

if TYPE_CHECKING:
    import pyarrow as pa

_INDEX = re.compile(r"__index_level_\d+__")  # what the index of a pandas frame is called where it has no name


def read_frame(frame: Frame, *, name: str = "data frame", **options: Any) -> Trials:
    """Read the trials of a data frame: of pandas, polars or pyarrow, or any other that speaks Arrow's stream protocol.

    Every function that takes Trials takes a data frame as well, and reads it so.

    Parameters
    ----------
    frame : data frame
        One row per trial. Its columns play the same roles, by the same names, as those of a CSV or Parquet file: label,
        claim, subject, model, probe; other columns of numbers are the scores of systems, except whole numbers beside
        fractions.
    name : str, default "data frame"
        What errors call it.
    **options : object
        The fields of `ReadOptions`: what the columns do not tell by themselves.

    Returns
    -------
    Trials
        The trials in the order of the rows; a note says what was taken for what.

    Raises
    ------
    InputError
        A frame that lacks scores or labels, or holds something else where they should be.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"label": [1, 0, 0], "face": [0.9, 0.2, 0.4], "age": [31, 28, 64]})
    >>> trials = read_frame(frame)
    >>> trials
    <Trials: 3 trials (1 genuine, 2 impostor), 1 system: face; ids: none; further columns: age>
    >>> str(trials.notes[0])
    'read as data frame: scores face; label; kept besides: age'
    """
    import pyarrow as pa

    settings = as_options(options)
    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, OSError, AttributeError) as error:
        raise InputError(
            f"{name}: cannot be read as a table of named columns, one row per trial: {shown(error, 200)}"
        ) from error
    index = [column for column in table.column_names if _INDEX.fullmatch(column)]
    table = _plain_texts(table.drop_columns(index))
    if not table.num_rows:
        raise InputError(f"{name}: holds no trial")
    roles = plan_roles(table.schema, table.slice(0, LOOKED_AT).select, settings, name)
    sheet = sheet_of_table(Head(Path(name), b"", None), table, roles, settings)
    left = [f"left out: {listed(index)}, the index"] if index else []
    systems = sheet.systems if sheet.named else (UNNAMED,)
    sheet = replace(sheet, systems=systems, taken=(*sheet.taken, *left))
    return finish_checked(note_format(sheet.checked(settings), "data frame"), settings)


def _plain_texts(table: pa.Table) -> pa.Table:
    """Convert texts to the type that files have; polars has views of them, and categories of such views."""
    import pyarrow as pa

    for place, column in enumerate(table.schema):
        if pa.types.is_string_view(column.type):
            table = table.set_column(place, column.name, table.column(place).cast(pa.string()))
        elif pa.types.is_dictionary(column.type) and pa.types.is_string_view(column.type.value_type):
            parts = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.string()))
                for chunk in table.column(place).chunks
            ]
            table = table.set_column(place, column.name, pa.chunked_array(parts))
    return table
