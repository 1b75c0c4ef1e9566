"""Counting at full speed: cells that lie close together have a place in one table, found by arithmetic alone.

`count_in_layout` is the inner loop of a `Counter`; `compiled` has the same for many scores, where numba is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting import plain
from fairtrial.counting.errors import Genuine, Scores
from fairtrial.counting.passes import passes_for
from fairtrial.scale.axis import MANTISSA, Integers, shifts_at
from fairtrial.scale.cells import CountedCells

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
    from fairtrial.scale.compiled import count_entries

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
