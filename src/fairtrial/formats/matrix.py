"""Similarity matrices with ids on both axes, as text: one row per probe, one column per enrolled person.

The first cell of the header is empty or names the axis. A comparison is genuine when both ids are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.trials import IdColumn, Ids
from fairtrial.formats.files import Head, Progress, system_name
from fairtrial.formats.identities import settle
from fairtrial.formats.sheets import Place, ReadOptions, Sheet, is_role
from fairtrial.formats.text import DELIMITERS, Kind, Layout, is_number, left_out, read_columns, split_rows


def matches(heads: Sequence[Head]) -> bool:
    """Tell whether each file has ids along the top and at the left, and numbers between."""
    return all(_axes(head) is not None for head in heads)


def _axes(head: Head) -> tuple[str, list[str]] | None:
    """Tell what separates the columns, and the ids along the top."""
    lines = head.lines(3, header=True) if head.is_text else []
    if len(lines) < 2:
        return None
    delimiter = max(DELIMITERS, key=lines[0].count)
    top, *below = split_rows(lines, delimiter)
    if below and len(below[0]) == len(top) + 1:
        top = ["", *top]  # no cell above the ids at the left
    if len(top) < 3 or is_role(top[1:]):
        return None
    cells = [cell for row in below for cell in row[1:] if cell.strip() or top[0].strip()]
    if not cells or not all(map(is_number, cells)):
        return None
    rows_among_columns = any(row and row[0] in top[1:] for row in below)
    return (delimiter, top[1:]) if rows_among_columns or not top[0].strip() else None


def read(head: Head, options: ReadOptions, progress: Progress | None) -> Sheet:
    """Read a matrix, of one system that is named after its file."""
    axes = _axes(head)
    if axes is None:
        raise InputError(
            f"{head.path}: is not a similarity matrix, which needs ids along the top and at the left, and numbers"
        )
    delimiter, top = axes
    names = ("id", *(f"{k + 2} ({name})" for k, name in enumerate(top)))
    kinds: dict[str, Kind] = {name: "text" if name == "id" else "score" for name in names}
    layout = Layout(kinds, delimiter, header=1, shape=f"an id and {len(top)} scores")
    read = read_columns(head, layout, progress)
    columns = read.columns
    at_left: Ids = columns["id"].numbered()
    along_top = Ids.of(top)
    size = (len(at_left), len(top))
    scores = np.stack([columns[name] for name in names[1:]], axis=1).reshape(-1, 1)
    rows, places = np.divmod(np.arange(len(scores)), size[1])
    roles = ("claim", "subject") if options.transpose else ("subject", "claim")
    ids = dict(zip(roles, (at_left[rows], along_top[places]), strict=True))
    genuine: NDArray[np.bool_] | None = None
    if options.diagonal:
        if size[0] != size[1]:
            raise InputError(
                f"{head.path}: a matrix of {size[0]} rows and {size[1]} columns has no diagonal of genuine trials"
            )
        genuine = rows == places
    ordered: dict[str, IdColumn] = {"claim": ids["claim"], "subject": ids["subject"]}
    if options.diagonal:  # whatever the ids say
        options = replace(options, genuine_by="label")
    sheet = Sheet(
        str(head.path),
        scores,
        np.zeros(len(scores), bool),
        (system_name(head.path),),
        ordered,
        named=False,
        taken=(f"{roles[0]} at the left, {roles[1]} along the top", *left_out(read.comments)),
        place_of=lambda row: Place(f"{head.path}, column {names[1 + row % size[1]]}", 1 + row // size[1]),
    )
    sheet = settle(sheet, genuine, options)
    if not sheet.genuine.any():
        raise InputError(
            "{path}: no id at the left is also along the top, so no comparison is genuine; if the diagonal is, say so "
            "with {diagonal!o}",
            path=head.path,
            diagonal=True,
        )
    return sheet
