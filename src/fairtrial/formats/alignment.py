"""Sheets of several files put side by side: the same trial in the same row.

A trial is known by its claim, subject, model and probe label, as far as all files have them, and by its
occurrence: the second time the same four come in one file goes with the second time in another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError
from fairtrial.core.trials import ID_FIELDS, Further, Ids, number_rows
from fairtrial.core.words import cut, listed, plural
from fairtrial.formats.sheets import Sheet, columns_of


def align(sheets: Sequence[Sheet], *, common: bool = False, labelled: bool = True) -> Sheet:
    """Make one sheet with the systems of all, the trials in the order of the first.

    Parameters
    ----------
    sheets
        One sheet per file, at least one.
    common
        Keep the trials that all sheets share, and note how many were dropped, instead of an error.
    labelled
        Whether all sheets have labels, and not only the first.

    Returns
    -------
    Sheet
        One row per trial, one column per system.

    Raises
    ------
    TrialsError
        A trial that a file lacks or has once more, a label that disagrees, or no ids to match trials by.
    """
    first = sheets[0]
    if len(sheets) == 1:
        return first
    shared = [name for name in ID_FIELDS if all(name in sheet.ids for sheet in sheets)]
    if not shared:
        other = next(sheet for sheet in sheets[1:] if not sheet.ids.keys() & first.ids.keys() or sheet is sheets[-1])
        raise TrialsError(
            "{first} and {other} have no id column in common to match trials by: one has {ids}, the other "
            "{others}; say which columns hold ids, as in {columns!o}",
            code="no-common-id",
            first=first.origin,
            other=other.origin,
            ids=_columns_of(first),
            others=_columns_of(other),
            columns={"probe": "NAME"},
        )
    notes = [note for sheet in sheets for note in sheet.notes]
    in_step = all(
        len(sheet) == len(first) and all(first.ids[name].same_as(sheet.ids[name]) for name in shared)
        for sheet in sheets[1:]
    )
    if not in_step:
        rows, dropped = _matching_rows(sheets, shared, common=common)
        sheets = [sheet.rows(picked) for sheet, picked in zip(sheets, rows, strict=True)]
        if dropped:
            notes.append(f"dropped {plural(dropped, 'trial')} that not all systems have, {len(sheets[0]):,} are left")
    for sheet in sheets[1:] if labelled else ():
        different = np.flatnonzero(sheets[0].genuine != sheet.genuine)
        if len(different):
            row = int(different[0])
            words = ["genuine" if each.genuine[row] else "impostor" for each in (sheets[0], sheet)]
            raise TrialsError(
                f"trial {_describe(sheets[0], row)} is {words[0]} in {first.origin} and {words[1]} in {sheet.origin} "
                f"({len(different)} such trials); correct the labels"
            )
    columns: dict[str, Further] = {}
    for sheet in sheets:
        for name, column in sheet.columns.items():
            if not _is_same(columns.setdefault(name, column), column):
                notes.append(f"column {cut(name)} differs in {sheet.origin}; that of {first.origin} is kept")
    taken = [(sheet.origin, line) for sheet in sheets for line in sheet.taken]
    if len({line for _, line in taken}) > 1:  # by file, where they differ
        taken = [(origin, f"{origin}: {line}") for origin, line in taken]
    return Sheet(
        first.origin,
        columns_of([column for sheet in sheets for column in sheet.scores.T]),
        sheets[0].genuine,
        tuple(name for sheet in sheets for name in sheet.systems),
        {name: column for sheet in reversed(sheets) for name, column in sheet.ids.items()},
        tuple(dict.fromkeys(notes)),
        all(sheet.named for sheet in sheets if sheet.systems),
        columns=columns,
        taken=tuple(dict.fromkeys(line for _, line in taken)),
    )


def _is_same(one: Further, other: Further) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    return one.same_as(other)


def _columns_of(sheet: Sheet) -> str:
    """Give the ids and further columns of a sheet, in words."""
    ids = f"the ids {listed(sheet.ids)}" if sheet.ids else "no id"
    return f"{ids} (other columns: {listed(sheet.columns)})" if sheet.columns else ids


def _describe(sheet: Sheet, row: int) -> str:
    return ", ".join(f"{name} {cut(column.name(row))}" for name, column in sheet.ids.items())


def _matching_rows(
    sheets: Sequence[Sheet], shared: Sequence[str], *, common: bool
) -> tuple[list[NDArray[np.int64]], int]:
    keys = _keys(sheets, shared)
    everywhere = keys[0]
    for sheet_keys in keys[1:]:
        everywhere = everywhere[np.isin(everywhere, sheet_keys)]
    for sheet, present in zip(sheets, keys, strict=True) if not common else ():
        extra = np.flatnonzero(~np.isin(present, everywhere))
        if len(extra):
            row = int(extra[0])
            lacking = next(other for other, their in zip(sheets, keys, strict=True) if present[row] not in their)
            raise TrialsError(
                "trial {trial} ({place}) is not in {origin}, or not as often; {extra:count} of {all:count} trials are "
                "like that; correct the files, or keep the {shared:count} common trials with {common!o}",
                trial=_describe(sheet, row),
                place=sheet.place(row),
                origin=lacking.origin,
                extra=len(extra),
                all=len(present),
                shared=len(everywhere),
                common=True,
            )
    if not len(everywhere):
        raise TrialsError(f"{sheets[0].origin} and {sheets[1].origin} have no trial in common")
    every = np.unique(np.concatenate(keys))
    return [find_rows(everywhere, sheet_keys)[0] for sheet_keys in keys], len(every) - len(everywhere)


def find_rows(wanted: NDArray[np.int64], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the first row with each wanted number, and tell which were found."""
    order = np.argsort(numbers, kind="stable")
    rows = order[np.minimum(np.searchsorted(numbers, wanted, sorter=order), len(numbers) - 1)]
    return rows, numbers[rows] == wanted


def _keys(sheets: Sequence[Sheet], shared: Sequence[str]) -> list[NDArray[np.int64]]:
    """Give a number for each trial, equal in all sheets for the same trial."""
    ends = np.cumsum([len(sheet) for sheet in sheets])[:-1]
    numbers = number_rows([Ids.concat([sheet.ids[name] for sheet in sheets]).codes for name in shared])
    again = np.concatenate([count_earlier(part) for part in np.split(numbers, ends)])
    return np.split(number_rows([numbers, again]), ends)


def count_earlier(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count how many earlier rows have the same key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else order
    run = np.repeat(starts, np.diff(np.append(starts, len(keys))))
    result = np.empty(len(keys), dtype=np.int64)
    result[order] = np.arange(len(keys)) - run
    return result
