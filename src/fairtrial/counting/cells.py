"""Count scores in the cells of a fixed, nested axis: what counters keep.

A cell is a run of doubles. Each level has coarser cells than the one before, and each of them is a union of finer ones.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.kernels import MAGNITUDE, MANTISSA, WITHIN, Chunk, Integers, passes_for, positions_of
from fairtrial.counting.tallies import Genuine, Scores, processors

LAST_LEVEL = 2097
"""The coarsest level: one cell per binade."""
MOST_CELLS_AT_LAST = 1 << 12
"""The number of cells at that level: one per sign and exponent."""
_BITS_AT_ONE = 1074
_PENDING = 1 << 22  # scores that are gathered before they are counted
_BY_THREAD = 1 << 19  # scores that are worth a thread
_MAX_THREADS = 8


def scores_at(positions: Integers) -> NDArray[np.float64]:
    """Give the doubles at these positions; the one below -0.0 at the position of -0.0, which no score has."""
    known = np.where(positions == -1, -2, positions)
    return np.asarray((known ^ ((known >> 63) & MAGNITUDE)).view(np.float64))


@lru_cache(maxsize=64)
def shifts_at(level: int, floor: int) -> Integers:
    """Give, for each exponent of a double, how many low bits of a position do not matter at a level."""
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
    """Give the first position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return (positions >> shifts) << shifts


def cell_ends(positions: Integers, level: int, floor: int) -> Integers:
    """Give the last position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return positions | ((np.int64(1) << shifts) - 1)


def meeting_levels(positions: Integers, floor: int) -> Integers:
    """Give the first level at which each two neighbors among rising positions share a cell; LAST_LEVEL + 1 if none."""
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
    """The numbers of scores of each class in the cells that hold any.

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
    def of(cls, scores: Scores, genuine: NDArray[np.bool_], *, level: int = 0, floor: int) -> CountedCells:
        """Count scores that are not NaN."""
        starts = cell_starts(positions_of(scores), level, floor)
        parts = []
        for row, rows in enumerate((~genuine, genuine)):
            ordered = np.sort(starts[rows])
            last = _ends_of_runs(ordered)
            counts = np.zeros((2, len(last)), dtype=np.int64)
            counts[row] = np.diff(last, prepend=-1)
            parts.append(cls(level, floor, ordered[last], counts))
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
        """Give the same scores in the cells of a level that is not finer."""
        if level == self.level or not len(self):
            return CountedCells(level, self.floor, self.starts, self.counts)
        return CountedCells(level, self.floor, *_sum_runs(cell_starts(self.starts, level, self.floor), self.counts))

    def only(self, which: NDArray[Any] | slice) -> CountedCells:
        """Give some of the cells, by a mask or their indices in rising order."""
        return CountedCells(self.level, self.floor, self.starts[which], self.counts[:, which])

    def merged(self, *others: CountedCells) -> CountedCells:
        """Give the scores of all, at the coarsest of their levels."""
        level = max(part.level for part in (self, *others))
        parts = [part.coarsened(level) for part in (self, *others) if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else self.coarsened(level)
        starts = np.concatenate([part.starts for part in parts])
        order = np.argsort(starts, kind="stable")  # sorted runs, which it finds and merges
        counts = np.concatenate([part.counts for part in parts], axis=1).take(order, axis=1)
        return CountedCells(level, self.floor, *_sum_runs(starts[order], counts))

    def settled(self, budget: int) -> CountedCells:
        """Give the same scores at the finest level, from this one on, at which `budget` cells hold them all."""
        if len(self) <= budget:
            return self
        meeting = meeting_levels(self.starts, self.floor)
        left = len(self) - np.cumsum(np.bincount(np.maximum(meeting, 0), minlength=LAST_LEVEL + 2))
        return self.coarsened(int(np.flatnonzero(left <= budget)[0]))


def _sum_runs(values: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Sum the counts of each run of equal values."""
    last = _ends_of_runs(values)
    sums = np.cumsum(counts, axis=1)[:, last]  # several times as fast as np.add.reduceat
    sums[:, 1:] -= sums[:, :-1].copy()
    return values[last], sums


def _ends_of_runs(values: Integers) -> Integers:
    ends = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=ends[:-1])
    return np.flatnonzero(ends)


def _binades(starts: Integers) -> tuple[Integers, Integers]:
    """Split positions into sign and exponent, a number from 0 to 4095, and the bits below."""
    bits = starts ^ ((starts >> 63) & MAGNITUDE)
    return (bits.view(np.uint64) >> np.uint64(MANTISSA)).view(np.int64), bits & WITHIN


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A table of cells: for each binade, which is a sign and an exponent, a window of cells with places side by side.

    Attributes
    ----------
    shift, first, size, offset : ndarray of int
        For each of the 4096 binades: how many low bits do not matter, the number of the first cell of the window, the
        number of cells in it, and the place of the first one.
    places : int
        The number of places in the table.
    starts, order : ndarray of int
        The first positions of all cells in the windows, rising, and the place of each.
    """

    shift: Integers
    first: Integers
    size: NDArray[np.uint64]
    offset: Integers
    places: int
    starts: Integers
    order: Integers

    def empty(self) -> Integers:
        """Make a table: two entries per place, impostor and genuine, and two for scores outside all windows."""
        return np.zeros(2 * self.places + 2, dtype=np.int64)

    def cells(self, table: Integers, level: int, floor: int) -> CountedCells:
        """Give the scores that were counted in a table."""
        by_class = table[:-2].reshape(-1, 2)[self.order]
        held = np.flatnonzero(by_class[:, 0] | by_class[:, 1])
        return CountedCells(level, floor, self.starts[held], np.ascontiguousarray(by_class[held].T))

    def add_cells(self, table: Integers, cells: CountedCells) -> Integers:
        """Add cells of the same or a finer level to a table, and give the indices of those outside all windows."""
        binade, below = _binades(cells.starts)
        cell = (below >> self.shift[binade]) - self.first[binade]
        outside = cell.view(np.uint64) >= self.size[binade]
        places = np.where(outside, self.places, cell + self.offset[binade])
        # cells of one place follow each other; only the place of those outside comes twice, and it is never read
        distinct, sums = _sum_runs(places, cells.counts)
        for row in (0, 1):
            table[2 * distinct + row] += sums[row]
        return np.flatnonzero(outside)


def fit_layout(cells: CountedCells) -> Layout | None:
    """Lay windows over cells that lie close together; None if most scores do not."""
    binades, below = _binades(cells.starts)
    shift = np.tile(shifts_at(cells.level, cells.floor), 2)
    numbers = below >> shift[binades]
    scores = cells.counts.sum(axis=0)
    first, size, offset = np.zeros((3, 4096), dtype=np.int64)
    places, held, starts, order = 0, 0, [], []
    edges = np.flatnonzero(np.concatenate([[True], binades[1:] != binades[:-1], [True]]))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        binade = int(binades[begin])
        bits = int(shift[binade])
        window = _window(numbers[begin:end], scores[begin:end], 1 << (MANTISSA - bits))
        if window is None:
            continue
        first[binade], size[binade], offset[binade] = window[0], window[1] - window[0], places
        inside = (np.int64(binade % 2048) << MANTISSA) + (np.arange(*window, dtype=np.int64) << bits)
        place = places + np.arange(len(inside))
        if binade >= 2048:  # negative scores: positions fall as magnitudes rise
            inside, place = ~(inside[::-1] + ((1 << bits) - 1)), place[::-1]
        starts.append(inside)
        order.append(place)
        places += len(inside)
        held += int(scores[begin:end].sum())
    if 2 * held < scores.sum():
        return None
    return Layout(shift, first, size.view(np.uint64), offset, places, np.concatenate(starts), np.concatenate(order))


def _window(numbers: Integers, scores: Integers, whole: int) -> tuple[int, int] | None:
    """Choose the first and the last cell of one binade that get places; numbers fall if scores are negative."""
    if numbers[0] > numbers[-1]:
        numbers, scores = numbers[::-1], scores[::-1]
    room = 4 * len(numbers) + 1024
    if whole <= room:
        return 0, whole
    low, high = int(numbers[0]), int(numbers[-1]) + 1
    if high - low <= room:
        return low, high
    below = np.cumsum(scores)
    for share in (1000, 100, 20):  # one score in `share` may lie outside at either end
        tail = below[-1] // share
        inner = numbers[(below > tail) & (below - scores < below[-1] - tail)]
        low, high = int(inner[0]), int(inner[-1]) + 1
        if high - low <= room:
            return low, high
    return None


class Accumulator:
    """Count the scores of one system in cells, of which at most `budget` are occupied.

    Cells that lie close together are counted in a table; all others are sorted and merged. The cells that come out are
    the same whichever way each score took.
    """

    def __init__(self, budget: int, floor: int, *, threads: int | None = None) -> None:
        self._budget = budget
        self._threads = threads or min(processors(), _MAX_THREADS)
        self._cells = CountedCells(0, floor, np.empty(0, dtype=np.int64), np.empty((2, 0), dtype=np.int64))
        self._layout: Layout | None = None
        self._fitted = False
        self._table: Integers = np.empty(0, dtype=np.int64)
        self._aside: list[CountedCells] = []
        self._aside_cells = 0
        self._pending: list[Chunk] = []
        self._pending_scores = 0
        self._unchecked = 0

    def add(self, scores: Scores, genuine: Genuine) -> None:
        """Count scores, none of which is NaN; they may be changed afterwards."""
        if len(scores) >= _PENDING:
            self._count([(scores, genuine)])
            return
        self._pending.append((scores.copy(), genuine if isinstance(genuine, bool) else genuine.copy()))
        self._pending_scores += len(scores)
        if self._pending_scores >= _PENDING:
            self._flush()

    def cells(self) -> CountedCells:
        """Give all scores, at the finest level at which the budget holds them."""
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
        outside = self._layout.add_cells(self._table, other)
        self._unchecked += len(other)
        if len(outside):
            self._put_aside(other.only(outside).coarsened(self._cells.level))
        self._check()

    def _flush(self) -> None:
        chunks, self._pending, self._pending_scores = self._pending, [], 0
        self._count(chunks)

    def _count(self, chunks: list[Chunk]) -> None:
        """Count scores in the table if there is one; else sort as many as may be needed for one to fit."""
        self._fit()
        while chunks and self._layout is None:
            first, chunks = _divided(chunks, 2 * self._budget)
            self._sort_in(first)
            self._gather()
            self._fit()
        if not chunks or self._layout is None:
            return
        total = sum(len(scores) for scores, _ in chunks)
        size = -(-total // max(1, min(self._threads, total // _BY_THREAD)))
        tasks = []
        while chunks:
            task, chunks = _divided(chunks, size)
            tasks.append(task)
        tables = [self._layout.empty() for _ in tasks]
        # the interpreter's lock is released while scores are counted, so threads share the work
        with ThreadPoolExecutor(len(tasks)) as pool:
            count = passes_for(tasks[0][0][0]).count_table
            strays = [*chain.from_iterable(pool.map(count, tables, [self._layout] * len(tasks), tasks))]
        self._table += sum(tables)
        self._unchecked += total
        if strays:
            self._sort_in(strays)
        if sum(len(scores) for scores, _ in strays) > total // 16:  # so many that the layout is fitted anew
            self._gather()
        self._check()

    def _sort_in(self, chunks: list[Chunk]) -> None:
        """Count scores by sorting them."""
        scores = np.concatenate([part for part, _ in chunks])
        genuine = np.concatenate([np.broadcast_to(mask, len(part)) for part, mask in chunks])
        self._put_aside(CountedCells.of(scores, genuine, level=self._cells.level, floor=self._cells.floor))

    def _put_aside(self, cells: CountedCells) -> None:
        """Keep cells that have no place in the table, and merge them when they exceed the budget."""
        self._aside.append(cells)
        self._aside_cells += len(cells)
        if self._aside_cells > self._budget:
            self._gather()

    def _check(self) -> None:
        """Change to coarser cells if the budget is exceeded; checked once in a while."""
        if self._layout is None or self._unchecked < 2 * self._layout.places:
            return
        self._unchecked = 0
        by_class = self._table[:-2].reshape(-1, 2)
        if len(self._cells) + np.count_nonzero(by_class[:, 0] | by_class[:, 1]) > self._budget:
            self._gather()

    def _gather(self) -> None:
        """Merge the table and all other cells, within the budget."""
        parts = self._aside
        if self._layout is not None:
            parts = [*parts, self._layout.cells(self._table, self._cells.level, self._cells.floor)]
        self._cells = self._cells.merged(*parts).settled(self._budget)
        self._aside, self._aside_cells = [], 0
        self._layout, self._fitted = None, False

    def _fit(self) -> None:
        """Give cells that lie close together their places in a table."""
        if self._fitted or not len(self._cells):
            return
        self._layout, self._fitted = fit_layout(self._cells), True
        if self._layout is not None:
            self._table = self._layout.empty()
            self._cells = self._cells.only(self._layout.add_cells(self._table, self._cells))
            self._unchecked = 0


def _divided(chunks: list[Chunk], size: int) -> tuple[list[Chunk], list[Chunk]]:
    """Split chunks after `size` scores."""
    for k, (scores, genuine) in enumerate(chunks):
        if len(scores) >= size:
            flags = (genuine, genuine) if isinstance(genuine, bool) else (genuine[:size], genuine[size:])
            rest = [(scores[size:], flags[1])] if len(scores) > size else []
            return [*chunks[:k], (scores[:size], flags[0])], [*rest, *chunks[k + 1 :]]
        size -= len(scores)
    return chunks, []
