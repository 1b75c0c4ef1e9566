"""The passes of `kernels`, compiled by numba.

Scores are taken in small blocks: one loop without branches, which the compiler turns into vector instructions, finds
their cells, another counts. Every operation on a score is the one that NumPy does, in the same
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

from fairtrial.counting.kernels import (
    MAGNITUDE,
    MANTISSA,
    WITHIN,
    Cells,
    Chosen,
    Chunk,
    Gathered,
    Integers,
    add_by_class,
)

if TYPE_CHECKING:
    from fairtrial.counting.cells import Layout
    from fairtrial.counting.tallies import Genuine, RankTally, Scores

_BLOCK = 256  # scores that are counted while the next ones are on their way from memory
_FULL = np.uint8(255)
_COPY = 1 << 20  # scores copied at once if they do not lie side by side


def sift(total: Integers, gathered: Gathered, cells: Cells, chosen: Chosen, scores: Scores, genuine: Genuine) -> None:
    """Gather the scores in the chosen cells; count those of each class in each other cell, unless `total` is empty."""
    marked = np.empty(0, dtype=np.bool_) if chosen is None else chosen
    _gather(_sift, total, gathered, scores, genuine, _laid_out(cells), marked)


def split(total: Integers, gathered: Gathered, low: float, high: float, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class up to `low`; gather those above it, up to `high`."""
    _gather(_split, total, gathered, scores, genuine, low, high)


def _gather(
    function: Callable[..., Any], total: Integers, gathered: Gathered, scores: Scores, genuine: Genuine, *arguments: Any
) -> None:
    """Gather the impostor and the genuine scores that a function puts at either end of a room for all."""
    for part, flags, row in _parts(scores, genuine):
        room = np.empty_like(part)  # what stays empty takes no memory
        impostor, others = _compiled(function, part.dtype)(total, room, part, flags, row, *arguments)
        gathered[0].append(room[:impostor].copy())
        gathered[1].append(room[others:][::-1].copy())


def count_ranks(total: Integers, ranks: RankTally, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class by the number of thresholds below them."""
    counts = np.zeros((2, ranks.cells.count), dtype=np.int64)
    near: Gathered = ([], [])
    sift(counts, near, ranks.cells, ranks.bound != np.inf, scores, genuine)
    ends = np.searchsorted(ranks.below, np.arange(total.shape[1]), side="right")
    upto = np.concatenate([np.zeros((2, 1), dtype=np.int64), np.cumsum(counts, axis=1)], axis=1)
    total += np.diff(upto[:, ends], prepend=0)
    for row in (0, 1):
        for part in near[row]:
            add_by_class(total, ranks.ranks(part), bool(row))


def find_extremes(total: NDArray[np.float64], cells: Cells, chosen: NDArray[np.bool_], scores: Scores) -> None:
    """Find the lowest and the highest score in the chosen cells."""
    for part, _, _ in _parts(scores, True):
        _compiled(_find_extremes, part.dtype)(total, part, _laid_out(cells), chosen)


def count_table(table: Integers, layout: Layout, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Count scores in the table of a layout, and give those outside all of its windows."""
    windows = (layout.shift, layout.first, layout.size.view(np.int64), layout.offset, layout.places)
    strays = []
    for part, flags, row in (part for scores, genuine in chunks for part in _parts(scores, genuine)):
        rows = np.empty(len(part), dtype=np.int64)  # what stays empty takes no memory
        outside = _compiled(_count_table, part.dtype)(table, rows, part, flags, row, windows)
        if outside:
            rows = rows[:outside]
            strays.append((part[rows], flags[rows] if len(flags) else bool(row)))
    return strays


def prepare() -> None:
    """Compile one pass or take it from disk, to see whether that works here."""
    if getattr(numba.config, "DISABLE_JIT", False):
        raise RuntimeError("numba is set not to compile")
    total = np.zeros((2, 4), dtype=np.int64)
    sift(total, ([], []), Cells(0.0, 1.0, 1, ordinal=False), None, np.zeros(1), True)
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


def _laid_out(cells: Cells) -> tuple[Any, ...]:
    even = np.array([cells.low, cells.scale, cells.inner + 2.0])
    return even, cells.ordinal, np.array(cells.starts, dtype=np.int64), cells.table, cells.count


_within: Callable[[Any], Any] = numba.njit(nogil=True)


@_within
def _even_cell(place: Any, low: Any, scale: Any, top: Any) -> Any:
    cell = (place - low) * scale + 2.0
    cell = cell if cell > 1.0 else 1.0
    return np.int32(cell if cell < top else top)


@_within
def _locate(scores: Any, laid: Any, places: Any, cells: Any) -> None:
    """Write the cells of a block of scores; there is room for their positions in `places`."""
    size = scores.size
    even, ordinal, starts, table, _ = laid
    low, scale, top = even
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


def _sift(total: Any, room: Any, scores: Any, genuine: Any, row: Any, laid: Any, chosen: Any) -> Any:
    """Count in single bytes, which stay in the cache, and carry them over when they are full.

    Those of chosen cells are kept full, so one look finds both what to carry over and what to gather.
    """
    places, cells, near = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32), np.empty(_BLOCK + 1, np.int32)
    even, ordinal, starts, _, count = laid
    low, scale, top = even
    behind = np.int32(count)
    flat = total.reshape(-1) if genuine.size else total[row]
    narrow = np.zeros(flat.size, np.uint8)
    for begin in range(0, flat.size if chosen.size else 0, count):
        for cell in range(count):
            narrow[begin + cell] = _FULL if chosen[cell] else 0
    impostor, others = 0, room.size
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        if ordinal or starts.size:
            _locate(block, laid, places, cells)
        else:  # here, as the call would take as long as the work
            for i in range(block.size):
                cell = _even_cell(np.float64(block[i]), low, scale, top)
                cells[i] = cell if block[i] != -np.inf else 0
        held = np.uint32(0)
        if flat.size:
            if genuine.size:
                flags = genuine[start : start + _BLOCK]
                for i in range(block.size):
                    cells[i] += behind if flags[i] else np.int32(0)
            for i in range(block.size):
                place = np.uint32(cells[i])
                counted = np.uint8(narrow[place] + np.uint8(1))
                narrow[place] = counted
                if counted == 0:
                    if chosen.size and chosen[place - count if place >= count else place]:
                        narrow[place] = _FULL
                        near[held] = i
                        held += np.uint32(1)
                    else:
                        flat[place] += 256
        else:
            for i in range(block.size):  # without a branch that is hard to predict
                near[held] = i
                held += np.uint32(chosen[np.uint32(cells[i])])
        for k in range(held):
            i = near[k]
            if genuine[start + i] if genuine.size else row:
                others -= 1
                room[others] = block[i]
            else:
                room[impostor] = block[i]
                impostor += 1
    for begin in range(0, flat.size if chosen.size else 0, count):
        for cell in range(count):
            narrow[begin + cell] = 0 if chosen[cell] else narrow[begin + cell]
    for index in range(flat.size):
        flat[index] += narrow[index]
    return impostor, others


def _split(total: Any, room: Any, scores: Any, genuine: Any, row: Any, low: Any, high: Any) -> Any:
    between, near = np.zeros(_BLOCK, np.uint8), np.empty(_BLOCK + 1, np.int32)
    eights = between.view(np.uint64)
    impostor, others = 0, room.size
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        below, true, held = np.int32(0), np.int32(0), np.uint32(0)
        for i in range(block.size):
            between[i] = (block[i] > low) & (block[i] <= high)
            below += np.int32(block[i] <= low)
        if genuine.size:
            flags = genuine[start : start + _BLOCK]
            for i in range(block.size):
                true += np.int32((block[i] <= low) & flags[i])
        total[row, 0] += below - true
        total[1, 0] += true
        for eight in range((block.size + 7) // 8):
            if eights[eight]:
                for i in range(8 * eight, min(8 * eight + 8, block.size)):
                    near[held] = i
                    held += np.uint32(between[i])
        for k in range(held):
            i = near[k]
            if genuine[start + i] if genuine.size else row:
                others -= 1
                room[others] = block[i]
            else:
                room[impostor] = block[i]
                impostor += 1
    return impostor, others


def _find_extremes(total: Any, scores: Any, laid: Any, chosen: Any) -> None:
    places, cells = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int32)
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        _locate(block, laid, places, cells)
        for i in range(block.size):
            cell = np.uint32(cells[i])
            if chosen[cell]:
                score = np.float64(block[i]) + 0.0
                if score < total[0, cell]:
                    total[0, cell] = score
                if score > total[1, cell]:
                    total[1, cell] = score


def _count_table(table: Any, strays: Any, scores: Any, genuine: Any, row: Any, windows: Any) -> Any:
    """Write the indices of scores outside all windows to `strays`; give their number."""
    shift, first, size, offset, places = windows
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
            entry = np.uint64(entries[i] + np.int64(genuine[start + i] if genuine.size else row))
            counted = np.uint8(narrow[entry] + np.uint8(1))
            narrow[entry] = counted
            if counted == 0:
                table[entry] += 256
    for index in range(table.size):
        table[index] += narrow[index]
    return outside


def _write(dtype: Any, dimensions: int = 1) -> Any:
    return types.Array(dtype, dimensions, "C")


def _read(dtype: Any, dimensions: int = 1) -> Any:
    """Give the type of an array that is only read; one that may be written to will do."""
    return types.Array(dtype, dimensions, "C", readonly=True)


def _scores(dtype: Any) -> tuple[Any, ...]:
    """Give the types of scores, their flags, and their class if there are none."""
    return _read(dtype), _FLAGS, types.int64


_FLAGS, _NUMBERS = _read(types.boolean), _read(types.int64)
_LAID = (_read(types.float64), types.boolean, _NUMBERS, _read(types.float64, 2), types.int64)
_CELLS = types.Tuple(_LAID)  # type: ignore[no-untyped-call]
_WINDOWS = types.Tuple((*[_NUMBERS] * 4, types.int64))  # type: ignore[no-untyped-call]
_ARGUMENTS: dict[Callable[..., Any], Callable[[Any], tuple[Any, ...]]] = {
    _sift: lambda dtype: (_write(types.int64, 2), _write(dtype), *_scores(dtype), _CELLS, _FLAGS),
    _split: lambda dtype: (_write(types.int64, 2), _write(dtype), *_scores(dtype), types.float64, types.float64),
    _find_extremes: lambda dtype: (_write(types.float64, 2), _read(dtype), _CELLS, _FLAGS),
    _count_table: lambda dtype: (_write(types.int64), _write(types.int64), *_scores(dtype), _WINDOWS),
}
"""The types of the arguments of each function, for scores of a type."""


@cache
def _compiled(function: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    arguments = _ARGUMENTS[function](numba.from_dtype(dtype))
    made: Callable[..., Any] = numba.njit([arguments], nogil=True, cache=True)(function)
    return made
