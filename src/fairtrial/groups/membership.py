"""Groups of trials: by columns of the trials, or by a table of the people in them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.trials import Frame, IdColumn, Ids, Trials
from fairtrial.core.words import cut, listed, number_text
from fairtrial.formats.columns import texts_of_frame

_UNKNOWN = "unknown"  # the group of trials without a value
MOST_GROUPS = 100
_MISSING = {"", "?", "na", "n/a", "nan", "none", "null", "nil", "missing", _UNKNOWN}

Codes: TypeAlias = NDArray[np.int64]
Edges: TypeAlias = Mapping[str, Sequence[float]]
"""The numbers at which columns are cut, by column."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleTable:
    """A table of people: one row per person.

    Parameters
    ----------
    person : ndarray of str
        The names of people, as claims and subjects of trials have them; shape (people,).
    columns : dict of str to ndarray of str
        One text per person and column, each of shape (people,).

    Raises
    ------
    TrialsError
        If a person is in two groups.

    Examples
    --------
    >>> PeopleTable.of({"person": ["ann", "bob"], "sex": ["f", "m"]}, ["sex"]).columns["sex"].tolist()
    ['f', 'm']
    """

    person: NDArray[np.object_]
    columns: dict[str, NDArray[np.object_]]

    @classmethod
    def of(cls, table: PeopleTable | Frame | Mapping[str, Sequence[Any]], by: Sequence[str]) -> PeopleTable:
        """Read some columns of a data frame, or of lists by column, one of which is ``person``.

        Parameters
        ----------
        table : PeopleTable, data frame or dict of str to sequence
            One row per person.
        by : sequence of str
            The columns to keep.

        Returns
        -------
        PeopleTable
            The table; unchanged if it is one.

        Raises
        ------
        InputError
            If a column is missing.
        TrialsError
            If a person is in two groups.
        """
        if isinstance(table, PeopleTable):
            return table
        texts = texts_of_frame(table, ("person", *by), "the table of people")
        return cls(texts.pop("person"), texts)

    def __post_init__(self) -> None:
        names = np.array([str(name).strip() for name in self.person], dtype=object)
        object.__setattr__(self, "person", names)
        for name, values in self.columns.items():
            rows: dict[str, str] = {}
            for person, value in zip(names.tolist(), values.tolist(), strict=True):
                if rows.setdefault(person, value) != value:
                    raise TrialsError(
                        f"{cut(person)} is in two groups of {name}: {cut(rows[person])} and {cut(value)}; the table of "
                        "people must have one row per person"
                    )


@dataclass(frozen=True, slots=True, eq=False)
class Membership:
    """The group of each trial, and that of the impostor if it is known."""

    by: tuple[str, ...]
    names: tuple[str, ...]
    trial: Codes  # the group of each trial: that of the claim, or of the columns of the trial
    impostor: Codes | None = None  # the group of the subject
    notes: tuple[Note, ...] = ()


def group_by_columns(
    trials: Trials, by: Sequence[str], *, edges: Edges | None = None, impostor_by: Sequence[str] = ()
) -> Membership:
    """Group trials by their columns or ids, and impostors by others in the same order; several columns are crossed."""

    def column_of(name: str) -> IdColumn:
        columns: dict[str, Any] = {**trials.ids, **trials.columns}
        column = columns.get(name, columns.get(f"column {name}"))  # of a file without a header
        if column is None:
            others = listed(columns) or "none besides the scores"
            raise TrialsError(f"the trials have no column {name!r} to group by; they have {others}")
        if isinstance(column, np.ndarray):
            values, codes = np.unique(column, return_inverse=True)
            texts = ["" if np.isnan(value) else number_text(float(value), 15) for value in values]
            return Ids(codes.astype(np.int32), np.array(texts, dtype=object))
        ids: IdColumn = column
        return ids

    sides = [[column_of(name) for name in names] for names in (by, impostor_by) if names]
    return _cross(by, sides, edges or {})


def group_by_people(trials: Trials, table: PeopleTable, *, edges: Edges | None = None) -> Membership:
    """Group trials by a table of people: by the claim, and the impostor by the subject; all columns are crossed.

    People who are not in the table are in the group ``unknown``.
    """
    roles = [role for role in ("claim", "subject") if role in trials.ids]
    if not roles:
        raise TrialsError("a table of people needs trials with claim or subject ids to be joined by")
    places = {str(name): row for row, name in enumerate(table.person)}
    strangers: dict[str, None] = {}
    sides = []
    for role in roles:
        ids = trials.ids[role].numbered()
        rows = np.array([places.get(str(name), -1) for name in ids.names], dtype=np.int64)
        used = np.unique(ids.codes)
        absent = [str(ids.names[code]) for code in used[rows[used] < 0]]
        if len(absent) == len(used):
            raise TrialsError(
                f"nobody of the table of people is a {role} of the trials: these are called "
                f"{listed(ids.names[used], 3)}, and those of the table {listed(table.person, 3)}"
            )
        strangers.update(dict.fromkeys(absent))
        # the last place is that of strangers
        values = [np.append(column, _UNKNOWN)[rows] for column in table.columns.values()]
        sides.append([Ids(ids.codes, texts) for texts in values])
    membership = _cross(list(table.columns), sides, edges or {})
    if not strangers:
        return membership
    template = "{people:plural person is/people are} not in the table of people, and in the group unknown: {names}"
    note = Note("strangers", template, people=len(strangers), names=listed(strangers, 3))
    return replace(membership, notes=(note,))


def _cross(by: Sequence[str], sides: Sequence[Sequence[IdColumn]], edges: Edges) -> Membership:
    """Cross columns, those of the claim and perhaps those of the impostor: one group for all their values together."""
    if not by:
        raise ParameterError("say which column or columns to group by")
    texts: list[tuple[str, ...]] = [()]
    groups = np.zeros((len(sides), 1), dtype=np.int64)
    for name, columns in zip(by, zip(*sides, strict=True), strict=True):
        labels, places = _labels(name, [column.numbered() for column in columns], edges.get(name))
        cells = groups * len(labels) + places
        used = np.unique(cells)
        texts = [(*texts[cell // len(labels)], labels[cell % len(labels)]) for cell in used.tolist()]
        groups = np.searchsorted(used, cells)
        if len(texts) > MOST_GROUPS:
            raise TrialsError(
                "there are {count:count} groups by {by:and}, such as {names}; at most {most} can be compared: cut "
                "numbers with edges, or group by something coarser",
                code="too-many-groups",
                by=by,
                count=len(texts),
                names=listed(map(", ".join, texts), 3),
                most=MOST_GROUPS,
            )
    # groups of which something is unknown come last
    order = np.argsort([_UNKNOWN in text for text in texts], kind="stable")
    names = tuple(", ".join(texts[k]) for k in order)
    trial, *impostor = np.argsort(order)[groups]
    return Membership(tuple(by), names, trial, impostor[0] if impostor else None)


def _labels(name: str, columns: Sequence[Ids], edges: Sequence[float] | None) -> tuple[list[str], list[Codes]]:
    """Label the values of a column, of claims and of impostors: the labels in their order, and those of each trial.

    Missing values have one label, and so have numbers between the same edges.
    """
    bins: list[str] = []
    numbers: list[float] = []
    if edges is not None:
        is_list = isinstance(edges, Sequence | np.ndarray) and not isinstance(edges, str)
        if is_list and all(isinstance(edge, Real) for edge in edges):
            numbers = sorted(float(edge) for edge in edges)
        if not numbers or len(set(numbers)) < len(numbers) or not np.isfinite(numbers).all():
            raise ParameterError(f"edges of {name} must be numbers, each once, not {cut(str(edges))}")
        shown = [number_text(number, 6) for number in numbers]
        between = [f"{a} to {b}" for a, b in itertools.pairwise(shown)]
        bins = [f"{name} {text}" for text in (f"below {shown[0]}", *between, f"{shown[-1]} and up")]

    def label(text: str) -> str:
        if text.lower() in _MISSING or (text == "-" and edges is not None):
            return _UNKNOWN
        if edges is None:
            return text
        try:
            return bins[int(np.searchsorted(numbers, float(text), side="right"))]
        except ValueError as error:
            text = f"{name} is to be cut at edges, but holds {cut(text)!r}, which is not a number"
            raise TrialsError(text) from error

    used = [np.unique(ids.codes) for ids in columns]
    texts = [
        [label(str(ids.names[code]).strip()) for code in codes.tolist()]
        for ids, codes in zip(columns, used, strict=True)
    ]
    labels = [*bins, _UNKNOWN] if bins else sorted({text for column in texts for text in column}, key=_by_value)
    place = {text: k for k, text in enumerate(labels)}
    places = []
    for ids, codes, column in zip(columns, used, texts, strict=True):
        of_code = np.zeros(len(ids.names), dtype=np.int64)
        of_code[codes] = [place[text] for text in column]
        places.append(of_code[ids.codes])
    return labels, places


def _by_value(text: str) -> tuple[bool, list[tuple[int, float, str]]]:
    """Sort numbers by size and names by the alphabet, the unknown last."""
    parts = enumerate(re.split(r"(\d+(?:\.\d+)?)", text))
    return text == _UNKNOWN, [(0, float(part), "") if k % 2 else (1, 0.0, part) for k, part in parts if part]
