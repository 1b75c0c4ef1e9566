"""Tables with a header, wide (one column per system) or long (system and score): CSV and TSV; Parquet in `parquet`.

Columns are known by their usual names, or by what the caller says. Columns of numbers that have no other
role are the systems' scores; all others are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.core.errors import InputError, OutputError
from fairtrial.core.notes import Note
from fairtrial.core.trials import Further, IdColumn, Ids, Trials
from fairtrial.core.words import Text, cut, listed, shown
from fairtrial.formats.alignment import align
from fairtrial.formats.files import FIRST_ROWS, UNNAMED, Head, Progress, split_spaces, system_name
from fairtrial.formats.identities import is_file, person_example, rename_ids, settle
from fairtrial.formats.sheets import (
    Look,
    ReadOptions,
    Roles,
    Sheet,
    check_unsure,
    columns_of,
    find_roles,
    ids_of_flags,
    is_label,
    is_role,
    look_at,
)
from fairtrial.formats.text import (
    DELIMITERS,
    Layout,
    further_column,
    is_number,
    left_out,
    read_columns,
    split_rows,
    text_column,
    write_text,
)

if TYPE_CHECKING:
    import pyarrow as pa

_LOOKED_AT = 20
_SAMPLED = 2000


def matches_text(heads: Sequence[Head]) -> bool:
    """Tell whether each file begins with a header of column names."""
    return all(head.is_text and text_header(head) is not None for head in heads)


def text_header(head: Head, *, key: bool = False) -> tuple[str, list[str]] | None:
    """Tell what separates the columns, and their names; only the first, an index, may have none.

    Of a key, which holds no numbers, names are told by those that are known. A label, such as target, may also be the
    name of a column, but not if another one is below it.
    """
    lines = head.lines(2, header=True)
    if not lines:
        return None
    delimiter = max(DELIMITERS, key=lines[0].count)
    names = [name.strip() for name in split_rows(lines[:1], delimiter)[0]]
    if len(names) == 1 and len(lines) > 1:  # names separated by spaces, with numbers below them
        names, cells = split_spaces(lines[0]), split_spaces(lines[1])
        delimiter = " "
        known = key and sum(is_role([name]) for name in names) > 1
        if len(cells) != len(names) or not (known or any(is_number(cell) for cell in cells)):
            return None
    if key:
        below = split_rows(lines[1:], delimiter)[0] if len(lines) > 1 else []
        pairs = [(name, cell) for name, cell in zip_longest(names, below, fillvalue="") if is_role([name])]
        if all(is_label(name) and is_label(cell) for name, cell in pairs):
            return None
    if len(names) < 2 or any(is_number(name) for name in names) or not all(names[1:]):
        return None
    return delimiter, names


@dataclass(frozen=True, slots=True)
class TextPlan:
    """How a text table is read: told by its first lines, used for all of it or for one block after another."""

    layout: Layout
    roles: Roles
    taken: str = ""
    """What was taken for what, in words; those of the roles by default."""
    notes: tuple[Note, ...] = ()
    person: str | None = None
    """What finds the person within ids that only this format has."""

    def only(self, systems: Sequence[str] | None) -> TextPlan:
        """Tell what is needed for the scores of some systems, and nothing else; None for all there is."""
        if systems is None:
            return self
        roles = self.roles.only(systems)
        return replace(self, layout=replace(self.layout, columns=roles.kinds_of(self.layout.columns)), roles=roles)


def plan_text(head: Head, options: ReadOptions) -> TextPlan:
    """Tell the columns of a text table and what each is, by its first lines."""
    header = text_header(head)
    if header is None:
        raise InputError(f"{head.path}: the first line is not a header of column names")
    delimiter, names = header
    rows = split_rows(head.lines(1 + FIRST_ROWS, header=True), delimiter)[1:]
    if not rows:
        raise InputError(f"{head.path}: there is a header, but no trial below it")
    looks = {name: _look(rows, k) for k, name in enumerate(names) if name}
    roles = find_roles(names, looks, options, str(head.path))
    return TextPlan(Layout(roles.kinds_of(names), delimiter, header=1, shape=listed(names)), roles)


def read_planned(head: Head, plan: TextPlan, options: ReadOptions, progress: Progress | None = None) -> Sheet:
    """Read the sheet of a text table, or of a block of its lines."""
    read = read_columns(head, plan.layout, progress)
    settings = options if plan.person is None else replace(options, person=plan.person)
    sheet = sheet_of(head, plan.roles, read.columns, settings)
    left = [] if next(iter(plan.layout.columns)) else ["left out: the first column, which has no name"]
    left += ["left out: a first row of counts"] if head.has_counts else []
    taken = ((plan.taken,) if plan.taken else sheet.taken) + tuple(left)
    comments = left_out(read.comments)
    if not (plan.layout.header or head.is_whole):  # each block of lines has comments of its own
        return replace(sheet, taken=taken, notes=(*plan.notes, *sheet.notes, *comments))
    return replace(sheet, taken=(*taken, *comments), notes=(*plan.notes, *sheet.notes))


def _look(rows: Sequence[Sequence[str]], k: int) -> Look:
    """Tell what the first cells of a column hold; those after them, too, if they are empty or whole numbers."""
    look = look_at([row[k] for row in rows[:_LOOKED_AT] if k < len(row)])
    if look not in ("empty", "whole"):
        return look
    more = look_at([row[k] for row in rows if k < len(row)])
    return more if look == "empty" or more in ("fraction", "number") else look


def sheet_of(head: Head, roles: Roles, columns: dict[str, Any], options: ReadOptions) -> Sheet:
    """Give the sheet of a table whose columns are read; further ones that could not be are missing among them."""
    origin = head.origin
    further: dict[str, Further] = {name: columns[name] for name in roles.further if name in columns}
    lost = [name for name in roles.further if name not in columns]
    left = (f"left out: {listed(lost)}, which hold neither text in UTF-8 nor numbers",) if lost else ()
    for name in roles.unsure & further.keys():
        check_unsure(_sample(further[name]), name, origin)
    ids: dict[str, IdColumn] = {field: columns[column] for field, column in roles.ids}
    systems = roles.scores if roles.named else (system_name(head.path),)
    scores = columns_of([columns[name] for name in roles.scores])
    notes = roles.notes(origin)
    sheet = Sheet(
        origin,
        scores,
        np.zeros(len(scores), bool),
        systems,
        ids,
        notes,
        roles.named,
        columns=further,
        taken=(replace(roles, further=tuple(further)).taken, *left),
    )
    label = None if roles.label is None or options.key else columns[roles.label]
    if isinstance(label, np.ndarray):  # truth values speak for themselves, unless the caller says what they mean
        words = frozenset(word for word, occurs in (("true", label.any()), ("false", not label.all())) if occurs)
        sheet = replace(sheet, labels=words)
        label = ids_of_flags(label) if options.genuine_labels else label
    elif label is not None:
        label = label.numbered()
    sheet = settle(sheet, label, options, whole=head.is_whole, columns=list(columns))
    is_by_ids = label is None and options.person is None and head.is_whole and not options.key
    if is_by_ids and len(sheet) and not sheet.genuine.any():
        people = [sheet.ids[name].name(0) for name in ("claim", "subject")]
        if any(is_file(name) for name in people):
            template = (
                "{origin}: no trial has the same claim and subject, so none is genuine; if ids are files, say how to "
                "find the person in them, as in {example}"
            )
            raise InputError(template, code="no-genuine", origin=origin, example=person_example(*people))
    if roles.system is None:
        return sheet
    names = columns[roles.system].numbered()
    return _widen(sheet, names if sheet.numbers is None else names[sheet.numbers], options)


def _sample(column: Further) -> list[str]:
    """Cells from all over a column, at most some thousand."""
    rows = np.arange(0, len(column), len(column) // _SAMPLED + 1)
    return [] if isinstance(column, np.ndarray) else [str(name) for name in column[rows].decode().tolist()]


def _widen(sheet: Sheet, systems: Ids, options: ReadOptions) -> Sheet:
    """From one row per system and trial to one row per trial."""
    systems = rename_ids(systems, [name.strip() for name in systems.names.tolist()])
    parts = []
    for code in dict.fromkeys(systems.codes.tolist()):
        rows = np.flatnonzero(systems.codes == code)
        name = str(systems.names[code])
        part = replace(sheet.rows(rows), systems=(name,), named=True).checked(options)
        parts.append(replace(part, origin=f"{sheet.origin} (system {cut(name)})"))
    wide = align(parts, common=options.common)
    return replace(wide, origin=sheet.origin)


def to_arrow(trials: Trials, target: Path) -> pa.Table:
    """Ids, labels, further columns and scores as one table."""
    import pyarrow as pa

    systems = list(trials.systems)
    if len(systems) == 1 and systems[0] == UNNAMED:
        systems = ["score"]
    elif is_role(systems):
        name = next(name for name in systems if is_role([name]))
        template = (
            "{target}: a system named {name!r} would be read back as another column; give it another name, as in "
            "{names!o}"
        )
        raise OutputError(template, target=target, name=name, names=["NAME"])
    names = [*trials.ids, "label", *trials.columns, *systems]
    times = Counter(names)
    repeated = [name for name in trials.columns if times[name] > 1]
    if repeated:
        raise OutputError(f"{target}: there would be two columns {shown(repeated[0])}; give one of them another name")
    labels = pa.DictionaryArray.from_arrays(pa.array(trials.genuine.astype(np.int8)), pa.array(["impostor", "genuine"]))
    columns = [*(text_column(column) for column in trials.ids.values()), labels.dictionary_decode()]
    further = [further_column(column) for column in trials.columns.values()]
    scores = [pa.array(column) for column in trials.scores.T]
    return pa.table([*columns, *further, *scores], names=names)


def write(trials: Trials, place: Path, target: Path, delimiter: str) -> tuple[str, ...]:
    """Write a text table with a header."""
    import pyarrow as pa

    table = to_arrow(trials, target)
    columns = trials.scores.T
    whole = [bool((np.isfinite(column) & (column == np.floor(column))).all()) for column in columns]
    if any(whole) and not all(whole):  # written as 1.0, as whole numbers beside fractions are not read as scores
        first = table.num_columns - len(columns)
        for k in np.flatnonzero(whole).tolist():
            texts = pa.array([repr(score) for score in columns[k].tolist()])
            table = table.set_column(first + k, table.column_names[first + k], texts)
    write_text(table, place, target, delimiter=delimiter, header=True)
    looks = {
        name: "number" if isinstance(column, np.ndarray) else look_at(_sample(column)[:_LOOKED_AT])
        for name, column in trials.columns.items()
    }
    systems = {*trials.systems, "score"}
    scores: dict[str, Look] = {name: "number" for name in table.column_names if name in systems}
    found = find_roles(table.column_names, {**looks, **scores}, ReadOptions(), str(target))
    taken = [name for name in trials.columns if name not in found.further]
    if not taken:
        return ()
    example = Text("{columns!o}", columns={"other": taken[0]})
    return (
        f"a text file does not say that {listed(taken)} hold no scores: say so when it is read, as in {example}, or "
        "write Parquet or npz, which do",
    )
