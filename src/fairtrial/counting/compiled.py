"""The passes of `kernels`, compiled by numba.

Scores are taken in blocks that fit the first cache: one loop without branches, which the compiler turns into vector
instructions, finds their cells, another counts. Every operation on a score is the one that NumPy does, in the same
order, so cells are the same to the last bit. The machine code is kept on disk and runs without Python's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from fairtrial.counting.kernels import MAGNITUDE, MANTISSA, WITHIN, Cells, Chunk, Integers

if TYPE_CHECKING:
    from fairtrial.counting.cells import Layout
    from fairtrial.counting.tallies import Genuine, RankTally, Scores

_BLOCK = 4096
_COPY = 1 << 20  # scores copied at once if they do not lie side by side
_NARROW_FROM = 1 << 14  # cells from which on they are counted in single bytes first, which stay in the cache
_FULL = np.uint8(255)  # a byte that can count no further; in cells that hold thresholds it is so from the start


def count_cells(total: Integers, cells: Cells, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class in each cell."""
    for part, flags, row in _parts(scores, genuine):
        _compiled(_count_cells, part.dtype)(total, part, flags, row, *_laid_out(cells))


def count_ranks(total: Integers, ranks: RankTally, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class by the number of thresholds below them."""
    below = np.append(ranks.below, len(ranks.thresholds))
    for part, flags, row in _parts(scores, genuine):
        _compiled(_count_ranks, part.dtype)(total, part, flags, row, *_laid_out(ranks.cells), ranks.thresholds, below)


def gather(cells: Cells, chosen: NDArray[np.bool_], scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Gather the scores in the chosen cells."""
    gathered: tuple[list[Scores], list[Scores]] = [scores[:0]], [scores[:0]]
    for part, flags, row in _parts(scores, genuine):
        room = np.empty_like(part)  # what stays empty takes no memory
        impostor, others = _compiled(_gather, part.dtype)(room, part, flags, row, *_laid_out(cells), chosen)
        gathered[0].append(room[:impostor].copy())
        gathered[1].append(room[others:][::-1].copy())
    return np.concatenate(gathered[0]), np.concatenate(gathered[1])


def find_extremes(total: NDArray[np.float64], cells: Cells, chosen: NDArray[np.bool_], scores: Scores) -> None:
    """Find the lowest and the highest score in the chosen cells."""
    for part, _, _ in _parts(scores, True):
        _compiled(_find_extremes, part.dtype)(total, part, *_laid_out(cells), chosen)


def count_up_to(values: NDArray[np.float64], scores: NDArray[np.float64]) -> Integers:
    """Count the scores at or below each value."""
    counts = np.empty(len(values), dtype=np.int64)
    _compiled(_count_up_to, scores.dtype)(counts, values, scores)
    return counts


def count_table(table: Integers, layout: Layout, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Count scores in the table of a layout, and give those outside all of its windows."""
    windows = (layout.shift, layout.first, layout.size.view(np.int64), layout.offset)
    strays = []
    for part, flags, row in (part for scores, genuine in chunks for part in _parts(scores, genuine)):
        rows = np.empty(len(part), dtype=np.int64)  # what stays empty takes no memory
        outside = _compiled(_count_table, part.dtype)(table, part, flags, row, *windows, layout.places, rows)
        if outside:
            rows = rows[:outside]
            strays.append((part[rows], flags[rows] if len(flags) else bool(row)))
    return strays


def prepare() -> None:
    """Compile one pass or take it from disk, to see whether that works here."""
    if getattr(numba.config, "DISABLE_JIT", False):
        raise RuntimeError("numba is set not to compile")
    total = np.zeros((2, 4), dtype=np.int64)
    count_cells(total, Cells(0.0, 1.0, 1, ordinal=False), np.zeros(1), True)
    if total.tolist() != [[0, 0, 0, 0], [0, 0, 1, 0]]:
        raise RuntimeError("numba counts otherwise than NumPy")


def _parts(scores: Scores, genuine: Genuine) -> Iterator[tuple[Scores, NDArray[np.bool_], int]]:
    """Give scores that lie side by side, their flags or none, and the class if there are no flags."""
    step = len(scores) if scores.flags.c_contiguous and scores.dtype.isnative else _COPY
    for start in range(0, len(scores), max(step, 1)):
        part = np.ascontiguousarray(scores[start : start + step], dtype=scores.dtype.newbyteorder("="))
        if isinstance(genuine, bool):
            yield part, np.empty(0, dtype=np.bool_), int(genuine)
        else:
            yield part, np.ascontiguousarray(genuine[start : start + step]), 0


def _laid_out(cells: Cells) -> tuple[NDArray[np.float64], bool, Integers, NDArray[np.float64]]:
    even = np.array([cells.low, cells.scale, cells.inner + 2.0])
    return even, cells.ordinal, np.array(cells.starts, dtype=np.int64), cells.table


_within: Callable[[Any], Any] = numba.njit(nogil=True)


@_within
def _even_cell(place: Any, low: Any, scale: Any, top: Any) -> Any:
    cell = (place - low) * scale + 2.0
    cell = cell if cell > 1.0 else 1.0
    return np.int32(cell if cell < top else top)


@_within
def _locate(
    scores: Any, genuine: Any, count: Any, even: Any, ordinal: Any, starts: Any, table: Any, places: Any, cells: Any
) -> None:
    """Write the cells of a block of scores, those of genuine ones behind all `count` cells of impostor scores.

    There is room for the positions of the scores in `places`.
    """
    size = scores.size
    low, scale, top = even[0], even[1], even[2]
    if not ordinal and starts.size == 0 and genuine.size:  # in one go
        for i in range(size):
            cell = _even_cell(np.float64(scores[i]), low, scale, top)
            cells[i] = (cell if scores[i] != -np.inf else np.int32(0)) + (count if genuine[i] else np.int32(0))
        return
    if not ordinal and starts.size == 0:
        for i in range(size):
            cell = _even_cell(np.float64(scores[i]), low, scale, top)
            cells[i] = cell if scores[i] != -np.inf else 0
        return
    for i in range(size):
        places[i] = np.float64(scores[i]) + 0.0
    if ordinal:
        bits = places.view(np.int64)
        for i in range(size):
            places[i] = np.float64(bits[i] ^ ((bits[i] >> 63) & MAGNITUDE))
    for i in range(size):
        cells[i] = _even_cell(places[i], low, scale, top)
    for start in starts:
        for i in range(size):
            row = table[start + cells[i]]
            # this way round, since an infinite score in a cell of scale 0 is not a number here
            part = (places[i] - row[0]) * row[1]
            part = part if part > 0.0 else 0.0
            cells[i] = np.int32(part if part < row[2] else row[2]) + np.int32(row[3])
    for i in range(size):
        cells[i] = cells[i] if scores[i] != -np.inf else 0
    for i in range(genuine.size):
        cells[i] += count * genuine[i]


@_within
def _count_in_bytes(narrow: Any, total: Any, cells: Any, size: Any) -> None:
    """Count cells in single bytes, which are added to the total when they are full."""
    for i in range(size):
        cell = np.uint64(cells[i])
        if narrow[cell] != _FULL:
            narrow[cell] += np.uint8(1)
        else:
            narrow[cell] = 0
            total[cell] += 256


def _count_cells(
    total: Any, scores: Any, genuine: Any, row: Any, even: Any, ordinal: Any, starts: Any, table: Any
) -> None:
    places, cells = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32)
    count = np.int32(total.shape[1])
    flat = total.reshape(-1) if genuine.size else total[row]
    narrow = np.zeros(flat.size if count >= _NARROW_FROM else 0, np.uint8)
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        _locate(block, genuine[start : start + _BLOCK], count, even, ordinal, starts, table, places, cells)
        if narrow.size:
            _count_in_bytes(narrow, flat, cells, block.size)
        else:
            for i in range(block.size):
                flat[np.uint32(cells[i])] += 1
    for index in range(narrow.size):
        flat[index] += narrow[index]


def _count_ranks(
    total: Any,
    scores: Any,
    genuine: Any,
    row: Any,
    even: Any,
    ordinal: Any,
    starts: Any,
    table: Any,
    thresholds: Any,
    below: Any,
) -> None:
    places, cells = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32)
    count = np.int32(below.size - 1)
    seen, narrow = np.zeros(2 * count, np.int64), np.zeros(2 * count, np.uint8)
    for index in range(2 * count):
        if below[index % count] < below[index % count + 1]:
            narrow[index] = _FULL
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        _locate(block, genuine[start : start + _BLOCK], count, even, ordinal, starts, table, places, cells)
        for i in range(block.size):
            cell = np.uint32(cells[i])
            if narrow[cell] != _FULL:
                narrow[cell] += np.uint8(1)
                continue
            true = cells[i] >= count
            rank, high = below[cells[i] - count * true], below[cells[i] - count * true + 1]
            if rank == high:
                narrow[cell] = 0
                seen[cell] += 256
                continue
            while high - rank > 1:
                middle = (rank + high) >> 1
                if block[i] > thresholds[middle]:
                    rank = middle
                else:
                    high = middle
            total[true if genuine.size else row, rank + (block[i] > thresholds[rank])] += 1
    for index in range(2 * count):
        kind, place = divmod(index, count)
        if below[place] == below[place + 1]:
            total[kind if genuine.size else row, below[place]] += seen[index] + narrow[index]


def _gather(
    room: Any, scores: Any, genuine: Any, row: Any, even: Any, ordinal: Any, starts: Any, table: Any, chosen: Any
) -> Any:
    """Fill `room` with impostor scores from its beginning and genuine ones from its end; give where they stop."""
    places, cells = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32)
    within = np.empty(_BLOCK + 1, np.int32)
    impostor, others = 0, room.size
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        flags = genuine[start : start + _BLOCK]
        _locate(block, flags[:0], np.int32(0), even, ordinal, starts, table, places, cells)
        count = np.uint32(0)
        for i in range(block.size):  # without a branch that cannot be foreseen
            within[count] = i
            count += np.uint32(chosen[np.uint32(cells[i])])
        for k in range(count):
            place = np.uint32(within[k])
            if flags[place] if flags.size else row:
                others -= 1
                room[others] = block[place]
            else:
                room[impostor] = block[place]
                impostor += 1
    return impostor, others


def _find_extremes(total: Any, scores: Any, even: Any, ordinal: Any, starts: Any, table: Any, chosen: Any) -> None:
    places, cells = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32)
    none = np.empty(0, np.bool_)
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        _locate(block, none, np.int32(0), even, ordinal, starts, table, places, cells)
        for i in range(block.size):
            cell = np.uint32(cells[i])
            if chosen[cell]:
                score = np.float64(block[i]) + 0.0
                if score < total[0, cell]:
                    total[0, cell] = score
                if score > total[1, cell]:
                    total[1, cell] = score


def _count_table(
    table: Any,
    scores: Any,
    genuine: Any,
    row: Any,
    shift: Any,
    first: Any,
    size: Any,
    offset: Any,
    places: Any,
    strays: Any,
) -> Any:
    """Write the indices of scores outside all windows to `strays`; give their number."""
    floats, entries = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int64)
    bits = floats.view(np.uint64)
    narrow = np.zeros(table.size, np.uint8)
    outside = 0
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        for i in range(block.size):
            floats[i] = np.float64(block[i]) + 0.0  # -0.0 becomes 0.0
        for i in range(block.size):
            binade = bits[i] >> np.uint64(MANTISSA)
            cell = np.int64((bits[i] & np.uint64(WITHIN)) >> np.uint64(shift[binade])) - first[binade]
            inside = 0 <= cell < size[binade]
            entries[i] = 2 * (cell + offset[binade] if inside else places)
        for i in range(block.size):
            if entries[i] == 2 * places:
                strays[outside] = start + i
                outside += 1
            entries[i] += np.int64(genuine[start + i] if genuine.size else row)
        _count_in_bytes(narrow, table, entries, block.size)
    for index in range(table.size):
        table[index] += narrow[index]
    return outside


def _count_up_to(counts: Any, values: Any, scores: Any) -> None:
    count = 0
    for i in range(values.size):
        while count < scores.size and scores[count] <= values[i]:
            count += 1
        counts[i] = count


def _read(dtype: Any, dimensions: int = 1) -> Any:
    """Give the type of an array that is only read; one that may be written to will do."""
    return types.Array(dtype, dimensions, "C", readonly=True)


_CELLS = (_read(types.float64), types.boolean, _read(types.int64), _read(types.float64, 2))
_COUNTS = types.Array(types.int64, 2, "C")
_CLASSES = (_read(types.boolean), types.int64)
_ROWS = types.Array(types.int64, 1, "C")
_ARGUMENTS: dict[Callable[..., Any], Callable[[Any], tuple[Any, ...]]] = {
    _count_cells: lambda dtype: (_COUNTS, _read(dtype), *_CLASSES, *_CELLS),
    _count_ranks: lambda dtype: (
        *(_COUNTS, _read(dtype), *_CLASSES, *_CELLS),
        *(_read(types.float64), _read(types.int64)),
    ),
    _count_table: lambda dtype: (*(_ROWS, _read(dtype), *_CLASSES), *([_read(types.int64)] * 4), *(types.int64, _ROWS)),
    _gather: lambda dtype: (types.Array(dtype, 1, "C"), _read(dtype), *_CLASSES, *_CELLS, _read(types.boolean)),
    _count_up_to: lambda dtype: (_ROWS, _read(dtype), _read(dtype)),
    _find_extremes: lambda dtype: (types.Array(types.float64, 2, "C"), _read(dtype), *_CELLS, _read(types.boolean)),
}
"""The types of the arguments of each function, for scores of a type."""


@cache
def _compiled(function: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    arguments = _ARGUMENTS[function](numba.from_dtype(dtype))
    made: Callable[..., Any] = numba.njit([arguments], nogil=True, cache=True)(function)
    return made
