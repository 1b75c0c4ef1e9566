"""The inner loop of a counter, compiled by numba: the same table as `layout.count_in_layout` fills with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from fairtrial.counting.cells import MANTISSA, Integers

if TYPE_CHECKING:
    from fairtrial.counting.cells import Layout
    from fairtrial.counting.tallies import Genuine, Scores


_BLOCK = 2048
_WITHIN = (1 << MANTISSA) - 1
_FULL = np.uint8(255)
"""A byte that can count no further: scores are counted in bytes first, which stay in the cache."""


def count_entries(table: Integers, layout: Layout, scores: Scores, genuine: Genuine) -> Integers:
    """Count scores in a table of a layout, and give the rows of those outside all windows."""
    values = np.ascontiguousarray(scores, dtype=scores.dtype.newbyteorder("="))
    flags = np.empty(0, dtype=np.bool_) if isinstance(genuine, bool) else np.ascontiguousarray(genuine)
    strays = np.empty(len(values), dtype=np.int64)  # what stays empty takes no memory
    windows = (layout.shift, layout.first, layout.size.view(np.int64), layout.offset)
    found = _compiled(values.dtype)(table, values, flags, genuine is True, *windows, layout.places, strays)
    return strays[:found].copy()


def _count(
    table: Any,
    scores: Any,
    genuine: Any,
    same: Any,
    shift: Any,
    first: Any,
    size: Any,
    offset: Any,
    places: Any,
    strays: Any,
) -> Any:
    floats, entries = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.int64)
    bits = floats.view(np.uint64)
    narrow = np.zeros(table.size, np.uint8)
    found = 0
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        for i in range(block.size):
            floats[i] = np.float64(block[i]) + 0.0  # -0.0 becomes 0.0
        for i in range(block.size):
            where = bits[i] >> np.uint64(MANTISSA)
            cell = np.int64((bits[i] & np.uint64(_WITHIN)) >> np.uint64(shift[where])) - first[where]
            inside = 0 <= cell < size[where]
            entries[i] = 2 * (cell + offset[where] if inside else places)
        for i in range(block.size):
            if entries[i] == 2 * places:
                strays[found] = start + i
                found += 1
        for i in range(block.size):
            entry = np.uint64(entries[i] + np.int64(genuine[start + i] if genuine.size else same))
            if narrow[entry] != _FULL:
                narrow[entry] += np.uint8(1)
            else:
                narrow[entry] = 0
                table[entry] += 256
    for index in range(table.size):
        table[index] += narrow[index]
    return found


@cache
def _compiled(dtype: np.dtype[Any]) -> Callable[..., Any]:
    def read(kind: Any) -> Any:
        return types.Array(kind, 1, "C", readonly=True)

    counts = types.Array(types.int64, 1, "C")
    scores = read(numba.from_dtype(dtype))
    windows = (read(types.int64),) * 4
    arguments = (counts, scores, read(types.boolean), types.boolean, *windows, types.int64, counts)
    made: Callable[..., Any] = numba.njit([arguments], nogil=True, cache=True)(_count)
    return made
