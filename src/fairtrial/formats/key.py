"""A key: the trials of an evaluation with their labels and conditions, apart from the scores.

The columns of a key are known by their names or, without a header, by their cells: labels by their words, ids by the
names that they share with the score files. Scores are joined to trials by these ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.trials import ID_FIELDS, Further, IdColumn, Ids, number_rows
from fairtrial.core.words import cut, nearest
from fairtrial.formats import parquet
from fairtrial.formats.alignment import count_earlier, find_rows
from fairtrial.formats.files import Head, read_head
from fairtrial.formats.headerless import are_spoofs, label_column
from fairtrial.formats.identities import SPEAKER, are_speakers, settle, without_spaces
from fairtrial.formats.sheets import ROLES, ReadOptions, Sheet, check_names, columns_of, number_of, roles_by_name
from fairtrial.formats.table import text_header
from fairtrial.formats.text import Kind, Layout, read_columns

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """The trials of a key: all columns by name or number, which of them is the label, those known as ids, by role."""

    origin: str
    columns: Mapping[str, IdColumn]
    label: str
    ids: Mapping[str, str]
    names: Mapping[str, str]
    """The names of columns that have only numbers."""


def read_key(path: str, options: ReadOptions) -> Key:
    """Read the trials of a key: a table, or text without a header, whose columns are called by number."""
    head = read_head(path, options.max_size)
    called: dict[str, str] = {}
    if header := _header(head, key=True):
        delimiter, names = header
        roles = roles_by_name(names, options)
    else:
        delimiter, rows = head.rows
        names = [str(place + 1) for place in range(len(rows[0]) if rows else 0)]
        roles = {"label": str(label_column(rows))} | roles_by_name(names, options)
        called = {name: f"column {name}" for name in names}
        number = number_of(roles["label"])
        if number > 3 and are_spoofs(row[number - 1] for row in rows):  # ASVspoof: speaker utterance ... attack label
            if roles.get("probe", "2") == "2" and not {"subject", "1"} & {*roles, *roles.values()}:
                roles |= {"subject": "1", "probe": "2"}
            if not {str(number - 1), f"column {number - 1}"} & {*options.others}:
                called[str(number - 1)] = "attack"
        called |= {name: role for role, name in roles.items() if role not in ROLES}
    label = roles.get("label", "")
    if label not in names:
        template = "{path}: no column says which trials are genuine among {names:list}; name it, as in {columns!o}"
        raise InputError(template, code="no-label", path=path, names=names, columns={"label": "NAME"})
    check_names(names, ReadOptions(), path)
    columns: dict[str, IdColumn]
    if head.is_parquet:
        with parquet.open_parquet(head) as file:
            table = parquet.read_table(file, names, head)
        texts = {name: table[name].to_pylist() for name in names}
        columns = {name: Ids.of(["" if cell is None else str(cell) for cell in cells]) for name, cells in texts.items()}
    else:
        kinds: dict[str, Kind] = {name: "text" if name else "skip" for name in names}
        columns = read_columns(head, Layout(kinds, delimiter, header=int(not called))).columns
    ids = {field: roles[field] for field in ID_FIELDS if field in roles}
    return Key(path, {name: without_spaces(column) for name, column in columns.items()}, label, ids, called)


def _header(head: Head, *, key: bool = False) -> tuple[str, list[str]] | None:
    """Tell what separates the columns of a file, and their names; None without a header."""
    if not head.is_parquet:
        return text_header(head, key=key) if head.is_text else None
    with parquet.open_parquet(head) as file:
        return "", file.schema_arrow.names


def beside_key(head: Head, key: Key, options: ReadOptions) -> ReadOptions:
    """Select the columns given by the caller that a score file has; an error if neither it nor the key has one.

    Numbers are columns of a key without a header, but for that of the scores.
    """
    _, names = _header(head) or ("", [])
    if not names and head.is_text and not key.names:
        numbers = range(1, len(next(iter(head.rows[1]), [])) + 1)
        names = [*map(str, numbers), *(f"column {number}" for number in numbers)]
    of_key = {*key.columns, *key.names.values()}
    for name in (*options.columns.values(), *options.others):
        if name not in names and name not in of_key and name != options.columns.get("score"):
            raise InputError(
                "neither {scores} nor the key {key} has a column {name:quoted}; the scores have {names:list}, the key "
                "has {of_key:list}{meant}",
                code="no-column",
                scores=head.origin,
                key=key.origin,
                name=name,
                names=names or ["no names"],
                of_key=list(key.columns),
                meant=nearest(name, [*names, *of_key]),
            )
    columns = {role: name for role, name in options.columns.items() if name in names or role == "score"}
    return replace(options, columns=columns, others=tuple(name for name in options.others if name in names))


def join(sheets: Sequence[Sheet], key: Key, options: ReadOptions) -> tuple[Sheet, Flags]:
    """Give the trials of a key with the scores of all sheets, and which trials of the key have scores.

    Raises
    ------
    TrialsError
        If a trial has two scores, is scored but not in the key, or is in the key twice. Trials without a score are left
        out; whoever calls decides whether that is an error.
    """
    count = len(key.columns[key.label])
    scored_rows = np.ones(count, dtype=bool)
    ids = dict(key.ids)
    rows, dropped = [], 0
    for sheet in sheets:
        shared = _shared(sheet, key, ids)
        of_key, of_scores = _trial_numbers(
            [key.columns[ids[role]] for role in shared], [sheet.ids[role] for role in shared]
        )
        _refuse("double", sheet, np.flatnonzero(count_earlier(of_scores)), key)
        picked, scored = find_rows(of_key, of_scores)
        unknown = np.flatnonzero(~np.isin(of_scores, of_key))
        if not options.common:
            _refuse("unknown", sheet, unknown, key)
        dropped = max(dropped, len(unknown))
        scored_rows &= scored
        rows.append(picked)
    trials = {role: ids[role] for role in ID_FIELDS if role in ids}
    numbers, _ = _trial_numbers([key.columns[column] for column in trials.values()], [])
    again = np.flatnonzero(count_earlier(numbers))
    if len(again):
        row = int(again[0])
        raise TrialsError(
            "{key}, row {row}: the trial {trial} comes twice; {count:plural trial/trials} of the key do",
            code="key-double",
            key=key.origin,
            row=row + 1,
            trial=", ".join(cut(key.columns[column].name(row)) for column in trials.values()),
            count=len(again),
        )
    chosen = np.flatnonzero(scored_rows)
    further: dict[str, Further] = {
        key.names.get(name, name): column[chosen]
        for name, column in key.columns.items()
        if name != key.label and name not in ids.values()
    }
    for sheet, picked in zip(sheets, rows, strict=True):
        further |= {name: column[picked[chosen]] for name, column in sheet.columns.items() if name not in further}
    notes: list[Note | str] = [note for sheet in sheets for note in sheet.notes]
    if dropped:
        template = "dropped {count:plural scored trial} that the key does not have"
        notes.append(Note("key-unknown", template, count=dropped))
    columns = {role: key.columns[column][chosen] for role, column in trials.items()}
    if options.person is None and are_speakers(name for column in columns.values() for name in _names(column)):
        options = replace(options, person=SPEAKER)
    taken = f"key {key.origin}: label {key.label}, {', '.join(trials)}"
    joined = Sheet(
        key.origin,
        columns_of(
            [column[picked[chosen]] for sheet, picked in zip(sheets, rows, strict=True) for column in sheet.scores.T]
        ),
        np.zeros(len(chosen), bool),
        tuple(name for sheet in sheets for name in sheet.systems),
        columns,
        tuple(notes),
        named=all(sheet.named for sheet in sheets),
        numbers=chosen,
        columns=further,
        taken=(taken, *(line for sheet in sheets for line in sheet.taken)),
    )
    return settle(joined, key.columns[key.label].numbered()[chosen], options), scored_rows


def check_scored(scored: Flags, key: Key, options: ReadOptions) -> tuple[Note, ...]:
    """Raise an error if trials of a key have no score; a note on them with `common`."""
    missing = np.flatnonzero(~scored)
    if not len(missing):
        return ()
    values: dict[str, Any] = {"key": key.origin, "count": len(missing), "all": len(scored)}
    if options.common and scored.any():
        template = "dropped {count:plural trial} of {all:count} in {key} that have no score"
        return (Note("key-missing", template, **values),)
    row = int(missing[0])
    names = [column for column in key.columns if column != key.label]
    raise TrialsError(
        "{key}, row {row}: the trial {trial} has no score; {count:count} of {all:plural trial} have none; score them, "
        "or leave them out with {common!o}",
        code="key-missing",
        row=row + 1,
        trial=", ".join(cut(key.columns[name].name(row)) for name in names[:3]),
        common=True,
        **values,
    )


def _names(column: IdColumn) -> list[str]:
    numbered = column.numbered()
    names: list[str] = numbered.names[np.unique(numbered.codes)].tolist()
    return names


def _shared(sheet: Sheet, key: Key, ids: dict[str, str]) -> list[str]:
    """Give the ids of a sheet that the key has, too; columns without a known name are told by the names in them."""
    for role in sheet.ids:
        if role not in ids:
            names = set(_names(sheet.ids[role]))
            free = [name for name in key.columns if name != key.label and name not in ids.values()]
            common = {name: len(names.intersection(_names(key.columns[name]))) for name in free}
            best = max(free, key=common.__getitem__, default="")
            if best and 2 * common[best] >= min(len(names), len(_names(key.columns[best]))):
                ids[role] = best
    shared = [role for role in sheet.ids if role in ids]
    if not shared:
        raise TrialsError(
            "{scores} and the key {key} have no id in common; the scores have the ids {ids:list} (other columns: "
            "{others:list}), the key has {names:list}; say which column holds ids, as in {columns!o}",
            code="no-common-id",
            scores=sheet.origin,
            key=key.origin,
            ids=list(sheet.ids) or ["none"],
            others=list(sheet.columns) or ["none"],
            names=list(key.columns),
            columns={"probe": "NAME"},
        )
    return shared


def _trial_numbers(key: Sequence[IdColumn], scores: Sequence[IdColumn]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give a number for each trial of the key and of the scores, equal for equal ids."""
    numbers = number_rows([Ids.concat([column, *scores[k : k + 1]]).codes for k, column in enumerate(key)])
    return numbers[: len(key[0])], numbers[len(key[0]) :]


def _refuse(what: str, sheet: Sheet, rows: NDArray[np.int64], key: Key) -> None:
    """Raise an error that names the first of these rows."""
    if not len(rows):
        return
    row = int(rows[0])
    reason, hint = (
        ("already has a score", "") if what == "double" else ("is not in the key {key}", ", or give {common!o}")
    )
    raise TrialsError(
        f"{{place}}: the trial {{trial}} {reason}; this is so for {{count:count}} of {{all:plural score}}; correct the "
        f"files{hint}",
        code=f"key-{what}",
        place=str(sheet.place(row)),
        trial=", ".join(cut(column.name(row)) for column in sheet.ids.values()),
        key=key.origin,
        count=len(rows),
        all=len(sheet),
        common=True,
    )
