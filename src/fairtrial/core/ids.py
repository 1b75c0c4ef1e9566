"""Ids: one name per trial, such as who was claimed and who it really was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.words import listed, plural


class IdColumn(Protocol):
    """One name per trial, however it is stored."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> IdColumn: ...

    def name(self, row: int) -> str:
        """The name at one row."""
        ...

    def decode(self) -> NDArray[np.object_]:
        """One name per row."""
        ...

    def same_as(self, other: IdColumn) -> bool:
        """Whether both have the same name in every row."""
        ...

    def holds(self, name: str) -> bool:
        """Whether some row has this name."""
        ...

    def numbered(self) -> Ids:
        """The names as numbers into a table."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ids:
    """One name per trial, kept as a small integer into a table of distinct names.

    Parameters
    ----------
    codes : ndarray of int
        For each trial, the place of its name in the table; shape (trials,).
    names : ndarray of str
        The table: distinct names, also of people of no trial; shape (names,).

    Examples
    --------
    >>> ids = Ids.of(["ann", "bob", "ann"])
    >>> ids.codes, len(ids)
    (array([0, 1, 0], dtype=int32), 3)
    """

    codes: NDArray[np.int32]
    names: NDArray[np.object_]

    @classmethod
    def of(cls, values: Iterable[Any]) -> Ids:
        """Number names in the order in which they first occur.

        Parameters
        ----------
        values : iterable
            One value per trial; each is known by how it prints.

        Returns
        -------
        Ids
            The names, one per trial.

        Examples
        --------
        >>> Ids.of(["b", "a", "b"])
        <Ids: 3 trials, 2 names: b, a>
        """
        table: dict[str, int] = {}
        codes = np.fromiter((table.setdefault(str(value), len(table)) for value in values), dtype=np.int32)
        return cls(codes, object_array(list(table)))

    @classmethod
    def concat(cls, columns: Sequence[IdColumn]) -> Ids:
        """Put id columns one below the other, on one table of names.

        Parameters
        ----------
        columns : sequence of Ids
            Id columns, at least one; the same name in two of them is the same name in the result.

        Returns
        -------
        Ids
            The rows of all columns in their order. The codes of the first column stay as they are.

        Examples
        --------
        >>> Ids.concat([Ids.of(["b", "a"]), Ids.of(["a", "c"])]).decode().tolist()
        ['b', 'a', 'a', 'c']
        """
        codes, names = _on_one_table(columns)
        return cls(np.concatenate(codes), names)

    def __repr__(self) -> str:
        names = f"{plural(len(self.names), 'name')}: {listed(self.names, 6) or 'none'}"
        return f"<Ids: {plural(len(self), 'trial')}, {names}>"

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Ids:
        return Ids(self.codes[rows], self.names)

    def name(self, row: int) -> str:
        """Give the name at one row.

        Parameters
        ----------
        row : int
            The row, counted from 0.

        Returns
        -------
        str
            The name.
        """
        return str(self.names[self.codes[row]])

    def decode(self) -> NDArray[np.object_]:
        """Give one name per row.

        Returns
        -------
        ndarray of str
            The names, shape (trials,).
        """
        return self.names[self.codes]

    def numbered(self) -> Ids:
        """Give the names as numbers into a table: itself.

        Returns
        -------
        Ids
            The same.
        """
        return self

    def same_as(self, other: IdColumn) -> bool:
        """Tell whether both have the same name in every row.

        Parameters
        ----------
        other : Ids
            Another column of ids.

        Returns
        -------
        bool
            Whether they are the same.
        """
        return len(self) == len(other) and bool(self.equals(other.numbered()).all())

    def holds(self, name: str) -> bool:
        """Tell whether some row has this name.

        Parameters
        ----------
        name : str
            A name.

        Returns
        -------
        bool
            Whether it occurs.
        """
        codes = [code for code, known in enumerate(self.names) if known == name]
        return bool(np.isin(self.codes, codes).any()) if codes else False

    def equals(self, other: Ids) -> NDArray[np.bool_]:
        """Tell where both have the same name.

        Parameters
        ----------
        other : Ids
            Another column of ids, of the same length.

        Returns
        -------
        ndarray of bool
            One entry per row.
        """
        first, second = _on_one_table([self, other])[0]
        return np.asarray(first == second)


def object_array(values: Sequence[str]) -> NDArray[np.object_]:
    """A one-dimensional array of strings, also of none."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def recode(columns: Sequence[IdColumn]) -> list[NDArray[np.int64]]:
    """Number the names of several id columns together: those of the first column by name, then those of the next.

    Numbers do not depend on the order of rows, and neither does what is drawn by them.
    """
    table: dict[str, int] = {}
    numbers = []
    for column in columns:
        ids = column.numbered()
        used = np.flatnonzero(np.bincount(ids.codes, minlength=len(ids.names)))
        place = np.zeros(len(ids.names), dtype=np.int64)
        for code in sorted(used.tolist(), key=ids.names.__getitem__):
            place[code] = table.setdefault(ids.names[code], len(table))
        numbers.append(place[ids.codes])
    return numbers


def number_rows(columns: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    """Number the rows of several columns of codes: equal numbers mean equal rows."""
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        combined = numbers * (int(codes.max(initial=0)) + 1) + codes
        numbers = np.unique(combined, return_inverse=True)[1]
    return numbers


def _on_one_table(columns: Sequence[IdColumn]) -> tuple[list[NDArray[np.int32]], NDArray[np.object_]]:
    first, *others = (column.numbered() for column in columns)
    table: dict[str, int] = {name: code for code, name in enumerate(first.names)}
    codes = [first.codes]
    for part in others:
        mapping = np.fromiter((table.setdefault(name, len(table)) for name in part.names), np.int32, len(part.names))
        codes.append(mapping[part.codes])
    return codes, object_array(list(table))
