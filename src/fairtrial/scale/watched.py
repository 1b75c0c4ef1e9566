"""Thresholds that are known beforehand: exact errors there, in sum and of each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ErrorCounts, Genuine, Scores, rank_tally
from fairtrial.counting.plain import add_by_class
from fairtrial.ids import IdColumn
from fairtrial.scale.axis import Integers

Role: TypeAlias = Literal["claim", "subject"]
ROLES: tuple[Role, ...] = ("claim", "subject")


class Roster:
    """The people of a counter, numbered as they come; the same name is the same person in both roles."""

    def __init__(self, names: tuple[str, ...] = (), links: Integers | None = None) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._links = set() if links is None else {(a, b) for a, b in links.tolist()}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def names(self) -> list[str]:
        """The people in the order of their numbers."""
        return list(self._numbers)

    @property
    def links(self) -> Integers:
        """Pairs of numbers that a genuine trial shows to be one person, each with the lower one first."""
        return np.array(sorted(self._links), dtype=np.int64).reshape(-1, 2)

    def number(self, ids: IdColumn) -> Integers:
        """The number of the person of each trial."""
        own = ids.numbered()
        used = np.unique(own.codes)
        mapping = np.zeros(len(own.names), dtype=np.int64)
        mapping[used] = self.add([str(own.names[code]) for code in used.tolist()])
        return mapping[own.codes]

    def add(self, names: list[str]) -> Integers:
        """The numbers of these people, new ones for those that are not known."""
        known = self._numbers
        return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)

    def link(self, pairs: Integers) -> None:
        """Take each two of these as one person."""
        apart = pairs[pairs[:, 0] != pairs[:, 1]]
        if len(apart):
            self._links |= {(a, b) for a, b in np.unique(np.sort(apart, axis=1), axis=0).tolist()}

    def ordered(self) -> tuple[tuple[str, ...], Integers, Integers]:
        """The names in their order, the number that each had before, and the links in terms of the new numbers."""
        names = self.names
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        links = np.sort(place[self.links], axis=1)
        return tuple(names[k] for k in order.tolist()), order, links[np.lexsort((links[:, 1], links[:, 0]))]


@dataclass(frozen=True, slots=True, eq=False)
class PersonErrors:
    """Trials and errors of each person at one threshold.

    Parameters
    ----------
    names
        The names of people, in their order.
    person
        For each name, the number of the person: two names that a genuine trial has in common are one person.
    trials, errors
        For each role that is known, two rows, impostor and genuine trials, and one column per name.
    """

    names: tuple[str, ...]
    person: Integers
    trials: dict[Role, Integers]
    errors: dict[Role, Integers]


@dataclass(frozen=True, slots=True, eq=False)
class PersonRanks:
    """Trials of each person by the number of thresholds below their score.

    Parameters
    ----------
    names, person
        As in `PersonErrors`.
    counts
        For each role that is known: class (impostor, genuine), name, number of thresholds below the score.
    """

    names: tuple[str, ...]
    person: Integers
    counts: dict[Role, Integers]


class WatchedErrors:
    """Scores of one system by the number of thresholds below them: of each class, and of each person in each role.

    Parameters
    ----------
    thresholds
        Distinct and rising.
    roles
        The roles in which people are known.
    """

    def __init__(self, thresholds: NDArray[np.float64], roles: tuple[Role, ...] = ()) -> None:
        self.thresholds = thresholds
        self._tally = rank_tally(thresholds)
        self.by_class = self._tally.start()
        """Two rows, impostor and genuine."""
        width = len(thresholds) + 1
        self.by_person: dict[Role, Integers] = {role: np.zeros((2, 0, width), dtype=np.int64) for role in roles}
        """For each role: class, person, number of thresholds below the score."""

    def add(self, scores: Scores, genuine: Genuine, people: Mapping[Role, Integers], size: int) -> None:
        """Count scores of trials of these people, all of whose numbers are below `size`."""
        ranks = self._tally.ranks(scores)
        add_by_class(self.by_class, ranks, genuine)
        width = len(self.thresholds) + 1
        for role, numbers in people.items():
            found = np.zeros((2, size * width), dtype=np.int64)
            add_by_class(found, numbers * width + ranks, genuine)
            self._add_people(role, found.reshape(2, size, width), np.arange(size))

    def merge(self, other: WatchedErrors, numbers: Integers) -> None:
        """Add what was counted elsewhere, where people had other numbers: these are their numbers here."""
        self.by_class = self.by_class + other.by_class
        for role, counts in other.by_person.items():
            self._add_people(role, counts, numbers[: counts.shape[1]])

    def renumbered(self, order: Integers) -> dict[Role, Integers]:
        """The counts of all people of these numbers, in this order."""
        found = {}
        for role, counts in self.by_person.items():
            whole = np.zeros((2, len(order), counts.shape[2]), dtype=np.int64)
            whole[:, : counts.shape[1]] = counts
            found[role] = whole[:, order]
        return found

    def _add_people(self, role: Role, counts: Integers, numbers: Integers) -> None:
        known = self.by_person[role]
        size = max(known.shape[1], 1 + int(numbers.max(initial=-1)))
        if size > known.shape[1]:
            grown = np.zeros((2, size, known.shape[2]), dtype=np.int64)
            grown[:, : known.shape[1]] = known
            known = self.by_person[role] = grown
        known[:, numbers] += counts

    def errors(self) -> ErrorCounts:
        """The errors at all thresholds."""
        rejected = np.cumsum(self.by_class, axis=1)[:, :-1]
        impostor, genuine = self.by_class.sum(axis=1).tolist()
        return ErrorCounts(self.thresholds, impostor - rejected[0], rejected[1], genuine, impostor)
