"""Groups of trials: by columns of the trials, or by a table of the people in them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.trials import Frame, IdColumn, Ids, Trials
from fairtrial.core.words import cut, listed, number_text, plural
from fairtrial.formats.columns import texts_of_frame

_UNKNOWN = "unknown"
"""The group of trials without a value."""
MOST_GROUPS = 100
_MISSING = {"", "-", "?", "na", "n/a", "nan", "none", "null", "nil", "missing", _UNKNOWN}
_FEW_TWICE = 0.1
"""The proportion of people below which being in two groups is taken for a mistake."""

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
    trial: Codes
    """The group of each trial: that of the claim, or of the columns of the trial."""
    impostor: Codes | None = None
    """The group of the subject."""
    notes: tuple[str, ...] = ()


def group_by_columns(
    trials: Trials, by: Sequence[str], *, edges: Edges | None = None, impostor_by: Sequence[str] = ()
) -> Membership:
    """Group trials by their columns or ids; several columns are crossed.

    Parameters
    ----------
    trials
        Trials with further columns or ids.
    by
        The columns that hold the group of the trial.
    edges
        The numbers at which columns are cut.
    impostor_by
        The columns that hold the group of the impostor, in the same order.
    """
    groups = [_values(trials, name, (edges or {}).get(name)) for name in by]
    cut_by = dict(zip(impostor_by, by, strict=True)) if impostor_by else {}
    impostors = [_values(trials, name, (edges or {}).get(other)) for name, other in cut_by.items()]
    return _cross(trials, by, groups, impostors, [])


def group_by_people(trials: Trials, table: PeopleTable, *, edges: Edges | None = None) -> Membership:
    """Group trials by a table of people: by the claim, and the impostor by the subject.

    Parameters
    ----------
    trials
        Trials with claim ids, subject ids or both.
    table
        The people; all columns are crossed.
    edges
        The numbers at which columns are cut.

    Returns
    -------
    Membership
        One group per trial; people who are not in the table are in the group ``unknown``.
    """
    roles = [role for role in ("claim", "subject") if role in trials.ids]
    if not roles:
        raise TrialsError("a table of people needs trials with claim or subject ids to be joined by")
    places = {str(name): row for row, name in enumerate(table.person)}
    strangers: dict[str, None] = {}
    by_role = []
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
        columns = []
        for name, values in table.columns.items():
            labels = [_UNKNOWN if row < 0 else str(values[row]) for row in rows]
            columns.append(_cut(Ids(ids.codes, np.array(labels, dtype=object)), name, (edges or {}).get(name)))
        by_role.append(columns)
    notes = []
    if strangers:
        who = plural(len(strangers), "person", "people")
        notes = [f"{who} are not in the table of people, and their group is {_UNKNOWN}: {listed(strangers, 3)}"]
    return _cross(trials, list(table.columns), by_role[0], by_role[1] if len(by_role) > 1 else [], notes)


def _values(trials: Trials, name: str, edges: Sequence[float] | None) -> _Labels:
    columns: dict[str, Any] = {**trials.ids, **trials.columns}
    if name not in columns:
        raise TrialsError(
            f"the trials have no column {name!r} to group by; they have {listed(columns) or 'none besides the scores'}"
        )
    column = columns[name]
    if isinstance(column, np.ndarray):
        values, codes = np.unique(column, return_inverse=True)
        texts = ["" if np.isnan(value) else number_text(float(value), 15) for value in values]
        column = Ids(codes.astype(np.int32), np.array(texts, dtype=object))
    return _cut(column.numbered(), name, edges)


def _cut(column: IdColumn, name: str, edges: Sequence[float] | None) -> _Labels:
    """Label missing values as one group, and numbers by their place between the edges."""
    ids = column.numbered()
    texts = [str(text).strip() for text in ids.names]
    if edges is None:
        values = [_UNKNOWN if text.lower() in _MISSING else text for text in texts]
        return _Labels(Ids(ids.codes, np.array(values, dtype=object)), tuple(map(_by_value, values)))
    is_list = isinstance(edges, Sequence | np.ndarray) and not isinstance(edges, str)
    places = sorted(float(edge) for edge in edges) if is_list and all(isinstance(edge, Real) for edge in edges) else []
    if not places or len(set(places)) < len(places) or not np.isfinite(places).all():
        raise ParameterError(f"edges of {name} must be numbers, each once, not {cut(str(edges))}")
    shown = [number_text(place, 6) for place in places]
    bins = [f"below {shown[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(shown)), f"{shown[-1]} and up"]
    labels, orders = [_UNKNOWN] * len(texts), [_by_value(_UNKNOWN)] * len(texts)
    for code in np.unique(ids.codes).tolist():
        if texts[code].lower() in _MISSING:
            continue
        try:
            within = int(np.searchsorted(places, float(texts[code]), side="right"))
        except ValueError as error:
            raise TrialsError(
                f"{name} is to be cut at edges, but holds {cut(texts[code])!r}, which is not a number"
            ) from error
        labels[code], orders[code] = f"{name} {bins[within]}", (False, (((0, float(within), ""),),))
    return _Labels(Ids(ids.codes, np.array(labels, dtype=object)), tuple(orders))


_Order: TypeAlias = tuple[bool, tuple[tuple[tuple[int, float, str], ...], ...]]
"""Sorts groups: whether something of it is unknown, and its value in each column, in parts that compare."""


@dataclass(frozen=True, slots=True, eq=False)
class _Labels:
    """The group of each trial by one column or several, and the order of the groups."""

    ids: Ids
    orders: tuple[_Order, ...]


def _cross(
    trials: Trials, by: Sequence[str], groups: Sequence[_Labels], impostors: Sequence[_Labels], notes: Sequence[str]
) -> Membership:
    """Cross columns: one group for all their values together, sorted."""
    if not groups:
        raise ParameterError("say which column or columns to group by")
    labels = []
    for columns in (groups, impostors):
        if not columns:
            continue
        crossed = columns[0]
        for other in columns[1:]:
            count = len(other.ids.names)
            cells, codes = np.unique(crossed.ids.codes.astype(np.int64) * count + other.ids.codes, return_inverse=True)
            pairs = [divmod(cell, count) for cell in cells.tolist()]
            names = [f"{crossed.ids.names[a]}, {other.ids.names[b]}" for a, b in pairs]
            orders = [(crossed.orders[a], other.orders[b]) for a, b in pairs]
            crossed = _Labels(
                Ids(codes.astype(np.int32), np.array(names, dtype=object)),
                tuple((one[0] or two[0], (*one[1], *two[1])) for one, two in orders),
            )
        labels.append(crossed)
    order = {
        str(part.ids.names[code]): part.orders[code] for part in labels for code in np.unique(part.ids.codes).tolist()
    }
    names = sorted(order, key=lambda name: order[name])
    if len(names) > MOST_GROUPS:
        raise TrialsError(
            f"{' and '.join(by)}: {len(names):,} groups, such as {listed(names, 3)}; the limit is {MOST_GROUPS}: "
            "cut numbers with edges, or group by something coarser"
        )
    place = {name: code for code, name in enumerate(names)}
    trial, *impostor = (
        np.array([place.get(str(name), -1) for name in part.ids.names], dtype=np.int64)[part.ids.codes]
        for part in labels
    )
    notes = (*notes, *_in_two_groups(trials, trial, names))
    return Membership(tuple(by), tuple(names), trial, impostor[0] if impostor else None, notes)


def _by_value(text: str) -> _Order:
    """Sort numbers by size and names by the alphabet, the unknown last."""
    if text == _UNKNOWN:
        return True, ()
    parts = enumerate(re.split(r"(\d+(?:\.\d+)?)", text))
    return False, (tuple((0, float(part), "") if k % 2 else (1, 0.0, part) for k, part in parts if part),)


def _in_two_groups(trials: Trials, codes: Codes, names: Sequence[str]) -> list[str]:
    """Note the few people who are in two groups if everybody else is in one."""
    if "claim" not in trials.ids:
        return []
    claim = trials.ids["claim"].numbered().codes.astype(np.int64)
    pairs = np.unique(claim * len(names) + codes)
    people, times = np.unique(pairs // len(names), return_counts=True)
    twice = people[times > 1]
    if not len(twice) or len(twice) > _FEW_TWICE * len(people):
        return []
    first = twice[0]
    groups = [names[code] for code in pairs[pairs // len(names) == first] % len(names)]
    who = trials.ids["claim"].numbered().names[first]
    return [
        f"{plural(len(twice), 'claim')} of {len(people):,} are in more than one group, such as {cut(str(who))} in "
        f"{listed(groups, 3)}: is that meant?"
    ]
