"""Count the scores of one system in cells, and errors at watched thresholds by person."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.ids import IdColumn
from fairtrial.counting.cells import Chunk, CountedCells, Integers, Layout, count_in_layout, cut, fit_layout, sum_runs
from fairtrial.counting.kernels import add_by_class
from fairtrial.counting.tallies import ErrorCounts, Genuine, Scores, processors, rank_tally

_PENDING = 1 << 22
"""Scores that are gathered before they are counted."""
_BY_THREAD = 1 << 19
"""Scores that are worth a thread."""
_MAX_THREADS = 8
_STRAY = 16
"""One score in so many may lie outside the layout before it is fitted anew."""


class Accumulator:
    """Counts scores in cells, at most so many of which are occupied when it is asked for them.

    Where cells are close together they are counted in a table; all others are sorted and merged. The cells that
    come out are the same whichever way each score took.
    """

    def __init__(self, budget: int, floor: int, *, threads: int | None = None) -> None:
        self._budget = budget
        self._threads = threads or min(processors(), _MAX_THREADS)
        self._cells = CountedCells.empty(floor)
        self._layout: Layout | None = None
        self._fitted = False
        self._table: Integers = np.empty(0, dtype=np.int64)
        self._aside: list[CountedCells] = []
        self._waiting_cells = 0
        self._pending: list[Chunk] = []
        self._waiting = 0
        self._unchecked = 0

    def add(self, scores: Scores, genuine: Genuine) -> None:
        """Count scores, none of which is NaN; they may be changed afterwards."""
        if len(scores) >= _PENDING:
            self._count([(scores, genuine)])
            return
        self._pending.append((scores.copy(), genuine if isinstance(genuine, bool) else genuine.copy()))
        self._waiting += len(scores)
        if self._waiting >= _PENDING:
            self._flush()

    def cells(self) -> CountedCells:
        """All scores so far, at the finest level at which the budget holds them."""
        self._flush()
        self._gather()
        return self._cells

    def merge(self, other: CountedCells) -> None:
        """Add scores that were counted elsewhere."""
        if other.level > self._cells.level:
            self._gather()
            self._cells = self._cells.coarsened(other.level)
        self._fit()
        if self._layout is None:
            self._put_aside(other)
            return
        outside = self._add_cells(self._layout, other)
        self._unchecked += len(other)
        if len(outside):
            self._put_aside(other.only(outside).coarsened(self._cells.level))
        self._check()

    def _flush(self) -> None:
        chunks, self._pending, self._waiting = self._pending, [], 0
        self._count(chunks)

    def _count(self, chunks: list[Chunk]) -> None:
        """Count scores in the table if there is one; else sort as many as may be needed for one to fit."""
        self._fit()
        while chunks and self._layout is None:
            first, chunks = _divided(chunks, 2 * self._budget)
            self._sort_in(first)
            self._gather()
            self._fit()
        if chunks and self._layout is not None:
            self._count_in_table(self._layout, chunks)

    def _count_in_table(self, layout: Layout, chunks: list[Chunk]) -> None:
        total = sum(len(scores) for scores, _ in chunks)
        shares = _shared_out(chunks, -(-total // max(1, min(self._threads, total // _BY_THREAD))))
        if len(shares) == 1:
            found = [count_in_layout(layout, shares[0])]
        else:
            # NumPy lets go of the interpreter while it counts, so threads share the work
            with ThreadPoolExecutor(len(shares)) as pool:
                found = list(pool.map(partial(count_in_layout, layout), shares))
        for table, _ in found:
            self._table += table
        self._unchecked += total
        strays = [chunk for _, own in found for chunk in own]
        if strays:
            self._sort_in(strays)
        if sum(len(scores) for scores, _ in strays) > total // _STRAY:
            self._gather()
        self._check()

    def _sort_in(self, chunks: list[Chunk]) -> None:
        """Count scores by sorting them."""
        scores = np.concatenate([part for part, _ in chunks])
        genuine = np.concatenate([np.broadcast_to(mask, len(part)) for part, mask in chunks])
        self._put_aside(CountedCells.of(scores, genuine, level=self._cells.level, floor=self._cells.floor))

    def _put_aside(self, cells: CountedCells) -> None:
        """Keep cells that have no place in the table until there are so many that it is time to merge them."""
        self._aside.append(cells)
        self._waiting_cells += len(cells)
        if self._waiting_cells > self._budget:
            self._gather()

    def _check(self) -> None:
        """Go over to coarser cells where the budget is exceeded, looked at once in a while."""
        if self._layout is None or self._unchecked < 2 * self._layout.places:
            return
        self._unchecked = 0
        by_class = self._table[:-2].reshape(-1, 2)
        if len(self._cells) + np.count_nonzero(by_class[:, 0] | by_class[:, 1]) > self._budget:
            self._gather()

    def _gather(self) -> None:
        """Bring the table and all other cells together, within the budget."""
        parts = self._aside
        if self._layout is not None:
            parts = [*parts, self._layout.cells(self._table, self._cells.level, self._cells.floor)]
        self._cells = self._cells.merged(*parts).settled(self._budget)
        self._aside, self._waiting_cells = [], 0
        self._layout, self._fitted = None, False

    def _fit(self) -> None:
        """Give cells that lie close together their places in a table."""
        if self._fitted or not len(self._cells):
            return
        self._layout, self._fitted = fit_layout(self._cells), True
        if self._layout is not None:
            self._table = np.zeros(self._layout.table_size, dtype=np.int64)
            self._cells = self._cells.only(self._add_cells(self._layout, self._cells))
            self._unchecked = 0

    def _add_cells(self, layout: Layout, cells: CountedCells) -> Integers:
        """Add cells of the same or a finer level to the table, and say which have no place there."""
        places = layout.places_of(cells.starts)
        # cells of one place follow each other; only the place of those outside comes twice, and it is never read
        distinct, sums = sum_runs(places, cells.counts)
        for row in (0, 1):
            self._table[2 * distinct + row] += sums[row]
        return np.flatnonzero(places == layout.places)


def _divided(chunks: list[Chunk], size: int) -> tuple[list[Chunk], list[Chunk]]:
    """The first so many scores, and the rest."""
    first: list[Chunk] = []
    for k, chunk in enumerate(chunks):
        if len(chunk[0]) >= size:
            rest = cut(chunk, size, len(chunk[0]))
            return [*first, cut(chunk, 0, size)], [*([rest] if len(rest[0]) else []), *chunks[k + 1 :]]
        first.append(chunk)
        size -= len(chunk[0])
    return first, []


def _shared_out(chunks: list[Chunk], size: int) -> list[list[Chunk]]:
    """The same scores in shares of so many."""
    shares = []
    while chunks:
        share, chunks = _divided(chunks, size)
        shares.append(share)
    return shares


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
