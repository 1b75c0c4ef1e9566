"""Cells of a fixed, nested axis in which counters keep scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting import kernels as plain
from fairtrial.counting.kernels import passes_for
from fairtrial.counting.tallies import Genuine, Scores

Integers: TypeAlias = NDArray[np.int64]

MANTISSA = 52
"""Bits of a double below its exponent."""
LAST_LEVEL = 2097
"""The coarsest level: one cell per binade."""
MOST_CELLS_AT_LAST = 1 << 12
"""So many cells there are at that level."""
_LARGEST = np.int64(np.iinfo(np.int64).max)
_BITS_AT_ONE = 1074


def positions_of(scores: NDArray[np.floating]) -> Integers:
    """The positions of scores that are not NaN; 0.0 and -0.0 are at 0."""
    bits = np.add(scores, 0.0, dtype=np.float64).view(np.int64)  # adding zero makes -0.0 equal 0.0
    return np.asarray(bits ^ ((bits >> 63) & _LARGEST))


def scores_at(positions: Integers) -> NDArray[np.float64]:
    """The doubles at these positions; where -0.0 would be, which no score is, the one below."""
    own = np.where(positions == -1, -2, positions)
    return np.asarray((own ^ ((own >> 63) & _LARGEST)).view(np.float64))


@lru_cache(maxsize=64)
def shifts_at(level: int, floor: int) -> Integers:
    """For each exponent of a double, how many of the low bits of a position do not matter at a level."""
    # the doubles below the smallest normal one are as far apart as those above it
    exponents = np.maximum(np.arange(2048), 1) - 1023
    fewest = min(floor, LAST_LEVEL - level)
    shifts = MANTISSA - np.clip(_BITS_AT_ONE - level + exponents, fewest, MANTISSA)
    shifts[-1] = 0
    shifts.flags.writeable = False
    return np.asarray(shifts)


def _shifts(positions: Integers, level: int, floor: int) -> Integers:
    magnitudes = positions ^ (positions >> 63)
    return np.asarray(shifts_at(level, floor)[magnitudes >> MANTISSA])


def cell_starts(positions: Integers, level: int, floor: int) -> Integers:
    """The first position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return (positions >> shifts) << shifts


def cell_ends(positions: Integers, level: int, floor: int) -> Integers:
    """The last position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return positions | ((np.int64(1) << shifts) - 1)


def meeting_levels(positions: Integers, floor: int) -> Integers:
    """For each two neighbours among rising positions, the first level at which they share a cell; else one too many."""
    magnitudes = positions ^ (positions >> 63)
    exponents = magnitudes >> MANTISSA
    apart = positions[1:] ^ positions[:-1]
    alone = (exponents[1:] != exponents[:-1]) | (apart < 0) | (exponents[1:] == 2047)
    bits = np.frexp(np.where(alone, 0, apart).astype(np.float64))[1].astype(np.int64)
    levels = bits + np.maximum(exponents[1:], 1) - 1023 + _BITS_AT_ONE - MANTISSA
    coarse = MANTISSA - bits < floor
    levels[coarse] = np.maximum(levels[coarse], bits[coarse] + LAST_LEVEL - MANTISSA)
    levels[alone] = LAST_LEVEL + 1
    return np.asarray(levels)


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """How many scores of each class lie in each cell that holds any.

    Parameters
    ----------
    level, floor
        Which cells of the axis these are; at level 0 each holds one value.
    starts
        The first position of each cell, rising.
    counts
        Two rows: impostor and genuine scores.
    """

    level: int
    floor: int
    starts: Integers
    counts: Integers

    @classmethod
    def empty(cls, floor: int) -> CountedCells:
        """No score yet."""
        return cls(0, floor, np.empty(0, dtype=np.int64), np.empty((2, 0), dtype=np.int64))

    @classmethod
    def of(
        cls, scores: NDArray[np.floating], genuine: NDArray[np.bool_], *, level: int = 0, floor: int
    ) -> CountedCells:
        """Count scores that are not NaN."""
        starts = cell_starts(positions_of(scores), level, floor)
        found = [_distinct(np.sort(starts[rows])) for rows in (~genuine, genuine)]
        parts = []
        for row, (values, numbers) in enumerate(found):
            counts = np.zeros((2, len(values)), dtype=np.int64)
            counts[row] = numbers
            parts.append(cls(level, floor, values, counts))
        return parts[0].merged(parts[1])

    def __len__(self) -> int:
        return len(self.starts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountedCells):
            return NotImplemented
        return (
            (self.level, self.floor) == (other.level, other.floor)
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def ends(self) -> Integers:
        """The last position of each cell."""
        return cell_ends(self.starts, self.level, self.floor)

    @property
    def totals(self) -> tuple[int, int]:
        """Genuine and impostor scores in all cells."""
        impostor, genuine = self.counts.sum(axis=1).tolist()
        return genuine, impostor

    def coarsened(self, level: int) -> CountedCells:
        """The same scores in the cells of a level that is not finer."""
        if level == self.level or not len(self):
            return CountedCells(level, self.floor, self.starts, self.counts)
        return CountedCells(level, self.floor, *sum_runs(cell_starts(self.starts, level, self.floor), self.counts))

    def only(self, which: NDArray[Any] | slice) -> CountedCells:
        """Some of the cells, by a mask or their places in rising order."""
        return CountedCells(self.level, self.floor, self.starts[which], self.counts[:, which])

    def merged(self, *others: CountedCells) -> CountedCells:
        """The scores of all, at the coarsest of their levels."""
        level = max(part.level for part in (self, *others))
        parts = [part.coarsened(level) for part in (self, *others) if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else self.coarsened(level)
        starts = np.concatenate([part.starts for part in parts])
        order = np.argsort(starts, kind="stable")  # sorted runs, which it finds and merges
        counts = np.concatenate([part.counts for part in parts], axis=1).take(order, axis=1)
        return CountedCells(level, self.floor, *sum_runs(starts[order], counts))

    def settled(self, budget: int) -> CountedCells:
        """The same scores at the finest level, from this one on, at which so many cells hold them all."""
        if len(self) <= budget:
            return self
        meeting = meeting_levels(self.starts, self.floor)
        left = len(self) - np.cumsum(np.bincount(np.maximum(meeting, 0), minlength=LAST_LEVEL + 2))
        return self.coarsened(int(np.flatnonzero(left <= budget)[0]))


def sum_runs(values: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The values of runs of equal ones, and the sums of the counts of each run."""
    last = _ends_of_runs(values)
    sums = np.cumsum(counts, axis=1)[:, last]  # several times as fast as np.add.reduceat
    sums[:, 1:] -= sums[:, :-1].copy()
    return values[last], sums


def _ends_of_runs(values: Integers) -> Integers:
    ends = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=ends[:-1])
    return np.flatnonzero(ends)


def _distinct(ordered: Integers) -> tuple[Integers, Integers]:
    """The distinct values of a sorted array, and how often each occurs."""
    last = _ends_of_runs(ordered)
    return ordered[last], np.diff(last, prepend=-1)


Chunk: TypeAlias = tuple[Scores, Genuine]
"""Scores with a mask of the genuine ones, or one answer for all."""

_STEP = 1 << 15
"""Scores whose intermediate results fit a processor's cache."""
_AT_ONCE = 1 << 21
_WITHIN = (np.int64(1) << MANTISSA) - 1
_ROOM = 4
_SMALL = 1 << 10
_TAILS = (1000, 100, 20)
"""One score in so many may lie outside a window, at either end, that would be too sparse with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """For each sign and exponent, a window of cells that have places in a table, one after the other.

    The first four arrays have an entry for each of the 4096 signs and exponents: how many low bits do not matter, the
    number of the first cell of the window, the number of cells in it and the place of the first one.
    """

    shift: Integers
    first: Integers
    size: NDArray[np.uint64]
    offset: Integers
    places: int
    """How many places the table has."""
    starts: Integers
    """The first positions of all cells in the windows, rising."""
    order: Integers
    """The place of each of them."""

    @property
    def table_size(self) -> int:
        """Two entries per place, impostor and genuine, and two for scores outside all windows."""
        return 2 * self.places + 2

    def cells(self, table: Integers, level: int, floor: int) -> CountedCells:
        """What was counted in a table."""
        by_class = table[:-2].reshape(-1, 2)[self.order]
        held = np.flatnonzero(by_class[:, 0] | by_class[:, 1])
        return CountedCells(level, floor, self.starts[held], np.ascontiguousarray(by_class[held].T))

    def places_of(self, starts: Integers) -> Integers:
        """The place of each cell; the number of places for those outside all windows."""
        bits = starts ^ ((starts >> 63) & _LOW_BITS)
        where = (bits.view(np.uint64) >> np.uint64(MANTISSA)).view(np.int64)
        cell = ((bits & _WITHIN) >> self.shift[where]) - self.first[where]
        outside = cell.view(np.uint64) >= self.size[where]
        return np.where(outside, self.places, cell + self.offset[where])


_LOW_BITS = np.int64(np.iinfo(np.int64).max)


def fit_layout(cells: CountedCells) -> Layout | None:
    """Windows over the cells that hold scores, where these are close together; None where most of them are not."""
    bits = cells.starts ^ ((cells.starts >> 63) & _LOW_BITS)
    where = (bits.view(np.uint64) >> np.uint64(MANTISSA)).view(np.int64)
    shift = np.tile(shifts_at(cells.level, cells.floor), 2)
    numbers = (bits & _WITHIN) >> shift[where]
    scores = cells.counts.sum(axis=0)
    first, size, offset = np.zeros((3, 4096), dtype=np.int64)
    places, held, starts, order = 0, 0, [], []
    edges = np.flatnonzero(np.concatenate([[True], where[1:] != where[:-1], [True]]))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        own = int(where[begin])
        window = _window(numbers[begin:end], scores[begin:end], 1 << (MANTISSA - int(shift[own])))
        if window is None:
            continue
        first[own], size[own], offset[own] = window[0], window[1] - window[0], places
        inside = _starts_within(own, window, int(shift[own]))
        place = places + np.arange(len(inside))
        starts.append(inside)
        order.append(place[::-1] if own >= 2048 else place)
        places += len(inside)
        held += int(scores[begin:end].sum())
    if 2 * held < scores.sum():
        return None
    return Layout(shift, first, size.view(np.uint64), offset, places, np.concatenate(starts), np.concatenate(order))


def _window(numbers: Integers, scores: Integers, whole: int) -> tuple[int, int] | None:
    """From which cell to which the cells of one binade get places; numbers fall where scores are negative."""
    if numbers[0] > numbers[-1]:
        numbers, scores = numbers[::-1], scores[::-1]
    room = _ROOM * len(numbers) + _SMALL
    if whole <= room:
        return 0, whole
    low, high = int(numbers[0]), int(numbers[-1]) + 1
    if high - low <= room:
        return low, high
    below = np.cumsum(scores)
    for share in _TAILS:
        tail = below[-1] // share
        inner = numbers[(below > tail) & (below - scores < below[-1] - tail)]
        low, high = int(inner[0]), int(inner[-1]) + 1
        if high - low <= room:
            return low, high
    return None


def _starts_within(own: int, window: tuple[int, int], shift: int) -> Integers:
    """The first positions of the cells of a window, rising."""
    magnitudes = (np.int64(own % 2048) << MANTISSA) + (np.arange(*window, dtype=np.int64) << shift)
    if own < 2048:
        return magnitudes
    return ~(magnitudes[::-1] + ((1 << shift) - 1))


def count_in_layout(layout: Layout, chunks: Sequence[Chunk]) -> tuple[Integers, list[Chunk]]:
    """Count scores in a table of a layout.

    Parameters
    ----------
    layout
        Where cells have their places.
    chunks
        Scores of 32 or 64 bits, none of them NaN, each array with a mask of its genuine scores or one answer for all.

    Returns
    -------
    table
        At twice its place the number of impostor scores of a cell, next to it that of genuine scores.
    strays
        The scores that lie outside all windows; the last two entries of the table count them.
    """
    table = np.zeros(layout.table_size, dtype=np.int64)
    if chunks and passes_for(chunks[0][0]) is not plain:
        return table, _count_compiled(table, layout, chunks)
    entries = np.empty(min(sum(len(scores) for scores, _ in chunks), _AT_ONCE), dtype=np.int64)
    filled, strays = 0, []
    for piece, mask in _pieces(chunks):
        if filled + len(piece) > len(entries):
            table += np.bincount(entries[:filled], minlength=len(table))
            filled = 0
        rows = _entries(layout, piece, mask, entries[filled : filled + len(piece)])
        filled += len(piece)
        if len(rows):
            strays.append((piece[rows], mask if isinstance(mask, bool) else mask[rows]))
    table += np.bincount(entries[:filled], minlength=len(table))
    return table, strays


def _count_compiled(table: Integers, layout: Layout, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The same by compiled code, once that is loaded; the strays."""
    from fairtrial.counting.counter_kernels import count_entries

    strays = []
    for scores, mask in chunks:
        rows = count_entries(table, layout, scores, mask)
        if len(rows):
            strays.append((scores[rows], mask if isinstance(mask, bool) else mask[rows]))
    return strays


def _pieces(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        for start in range(0, len(chunk[0]), _STEP):
            yield cut(chunk, start, start + _STEP)


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Some of the scores of a chunk, one after the other."""
    scores, genuine = chunk
    return scores[start:stop], genuine if isinstance(genuine, bool) else genuine[start:stop]


def _entries(layout: Layout, scores: Scores, genuine: Genuine, out: Integers) -> Integers:
    """Write the entry of the table for each score, and give the rows of those outside all windows."""
    np.add(scores, 0.0, out=out.view(np.float64))  # -0.0 becomes 0.0
    where = (out.view(np.uint64) >> np.uint64(MANTISSA)).view(np.int64)
    out &= _WITHIN
    out >>= layout.shift.take(where)
    out -= layout.first.take(where)
    beyond = out.view(np.uint64) >= layout.size.take(where)
    out += layout.offset.take(where)
    strays = np.flatnonzero(beyond)
    if len(strays):
        out[strays] = layout.places
    out <<= 1
    out += genuine
    return strays
