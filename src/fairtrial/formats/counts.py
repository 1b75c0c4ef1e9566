"""Errors and attempts of people: a table with these two columns, one row per person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import InputError, listed
from fairtrial.formats.columns import read_named
from fairtrial.formats.files import PathLike


@dataclass(frozen=True, slots=True, eq=False)
class CountedPeople:
    """Errors and attempts, one number per person, and who they are if the table says so."""

    errors: NDArray[np.float64]
    attempts: NDArray[np.float64]
    ids: NDArray[np.object_] | None

    @property
    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Errors and attempts."""
        return self.errors, self.attempts


def read_counts(path: PathLike) -> CountedPeople:
    """Read the errors and the attempts of people; other columns do not matter.

    Parameters
    ----------
    path
        CSV, TSV or Parquet with the columns ``errors`` and ``attempts``, one row per person, and perhaps ``id``.

    Returns
    -------
    CountedPeople
        Errors, attempts and ids, one of each per person.

    Raises
    ------
    InputError
        A file without these columns, with something in them that is not a whole number, or with an id twice.
    """
    found = read_named(path, numbers=("errors", "attempts"), optional=("id",), what="one row per person")
    errors, attempts, ids = found["errors"], found["attempts"], found.get("id")
    for name, values in (("errors", errors), ("attempts", attempts)):
        bad = ~(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))
        _check(bad, values, path, f"{name} must be a whole number of at least 0")
    _check(attempts < 1, attempts, path, "a person must have made at least 1 attempt")
    _check(errors > attempts, errors, path, "there cannot be more errors than attempts")
    if ids is not None:
        names, times = np.unique(ids.astype(str), return_counts=True)
        if (times > 1).any():
            raise InputError(f"{path}: the id {names[np.argmax(times > 1)]} is there twice; a person has one row")
    return CountedPeople(errors, attempts, ids)


def read_paired_counts(first: PathLike, second: PathLike) -> tuple[CountedPeople, CountedPeople]:
    """Read the same people with two devices, matched by their ids if both tables have them, else row by row.

    Parameters
    ----------
    first, second
        Tables as for `read_counts`.

    Returns
    -------
    tuple of CountedPeople
        In the same order; with ids only if they were matched by them.

    Raises
    ------
    InputError
        Ids in one table only, somebody who is in one table only, or different numbers of rows.
    """
    a, b = read_counts(first), read_counts(second)
    if a.ids is None and b.ids is None:
        if len(a.errors) != len(b.errors):
            raise InputError(
                f"{first} has {len(a.errors)} rows and {second} {len(b.errors)}: without a column id, rows are matched "
                "in their order, so both need the same people"
            )
        return a, b
    if a.ids is None or b.ids is None:
        raise InputError(f"{first if a.ids is None else second} has no column id to match the people of the other by")
    places = {name: place for place, name in enumerate(b.ids)}
    alone = sorted(set(a.ids) ^ set(b.ids), key=str)
    if alone:
        raise InputError(f"{first} and {second} need the same people; in one only: {listed(alone)}")
    order = np.array([places[name] for name in a.ids])
    return a, CountedPeople(b.errors[order], b.attempts[order], a.ids)


def _check(bad: NDArray[np.bool_], values: NDArray[np.float64], path: PathLike, what: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{path}, row {row + 1}: {what}, not {values[row]:g}")
