"""Cells along the axis of scores, and the passes that count scores in them: here in NumPy, in `compiled` by numba.

A partition is any map `cell` with ``x < y`` implying ``cell(x) <= cell(y)``. Floating-point subtraction, multiplication
by a positive number, clipping and truncation all keep that order whatever they round, so a partition made of them is
exact: scores counted in lower cells are lower. How well the cells fit the scores decides only how much work is left,
never the result.

Every pass takes chunks of scores, none of them NaN, and changes its total in place: row 0 is impostor, row 1 genuine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.counting.cells import Layout
    from fairtrial.counting.tallies import Genuine, RankTally, Scores

Chunk: TypeAlias = "tuple[Scores, Genuine]"
Integers: TypeAlias = NDArray[np.int64]

MANTISSA = 52
"""Bits of a double below its exponent."""
WITHIN = (np.int64(1) << MANTISSA) - 1
"""The bits of a double below its exponent."""
MAGNITUDE = np.int64(np.iinfo(np.int64).max)
"""The bits of a double but for its sign."""
_BLOCK, _SMALL_BLOCK = 1 << 17, 1 << 15  # scores at once: intermediate results fit a processor's caches
_WORTH_LOADING = 1 << 25  # scores counted by NumPy after which the compiled code is loaded
_FEW = 1 << 12  # fewer scores are counted before the compiled code is called


def positions_of(scores: Scores) -> Integers:
    """Number the doubles in their order; 0.0 and -0.0 are at 0."""
    bits = np.add(scores, 0.0, dtype=np.float64).view(np.int64)  # adding zero makes -0.0 equal 0.0
    return np.asarray(bits ^ ((bits >> 63) & MAGNITUDE))


def position(scores: Scores, *, ordinal: bool) -> NDArray[np.float64]:
    """Give a new array of coordinates, in the order of the scores, on which cells are laid evenly.

    The value itself, or the number of representable doubles between it and zero: with that, a score of
    1e-200 and one of 1e-20 are far apart, as likelihoods require.
    """
    return positions_of(scores).astype(np.float64) if ordinal else scores.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Even cells, some of them divided further: a map from scores to 0 .. count-1 that keeps their order.

    Cell 0 is for -inf alone, cell 1 for all else below `low`; then come `inner` even cells, and one for all from
    the end of the last.

    Attributes
    ----------
    low, scale : float
        Where the even cells begin, and their number in each unit.
    inner : int
        The number of even cells.
    ordinal : bool
        Whether cells are even steps of `position` in representable numbers, not in value.
    starts : tuple of int
        Where in `table` each division begins, in the order in which they were made.
    table : ndarray of float
        For each cell before a division: where its parts begin, their number in each unit, the number of the last of
        them, and the number of parts in all lower cells.
    smooth : bool
        Whether hardly two scores of the sample were equal, so that a full cell can be divided.
    """

    low: float
    scale: float
    inner: int
    ordinal: bool
    starts: tuple[int, ...] = ()
    table: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 4)))
    smooth: bool = False

    def spans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the positions between which each undivided cell lies; 0 and 0 for the outermost."""
        limit = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            ends = np.clip(self.low + np.arange(self.inner + 1) / self.scale, -limit, limit)
        return np.concatenate([[0, 0], ends[:-1], [0]]), np.concatenate([[0, 0], ends[1:], [0]])

    @property
    def count(self) -> int:
        """The number of cells."""
        return int(self.table[-1, 2] + self.table[-1, 3]) + 1 if self.starts else self.inner + 3

    def locate(self, scores: Scores) -> Integers:
        """Find the cell of each score."""
        places = position(scores, ordinal=True) if self.ordinal else scores
        with np.errstate(over="ignore", invalid="ignore"):
            even = np.subtract(places, self.low, dtype=np.float64)
            even *= self.scale
            even += 2.0
            np.clip(even, 1.0, self.inner + 2.0, out=even)
            cells = even.astype(np.int64)
            for start in self.starts:
                low, scale, last, first = (column[start + cells] for column in self.table.T)
                parts = np.subtract(places, low, dtype=np.float64)
                parts *= scale
                # fmin and fmax, since an infinite score in a cell of scale 0 is not a number here
                np.fmax(parts, 0.0, out=parts)
                np.fmin(parts, last, out=parts)
                cells = parts.astype(np.int64) + first.astype(np.int64)
        # the candidate -inf already rejects scores of -inf, so they are counted apart from the rest
        if len(scores) and scores.min() == -np.inf:
            cells[scores == -np.inf] = 0
        return cells


def fit_cells(sample: Scores, inner: int) -> Cells:
    """Lay about `inner` cells over the bulk of a sample.

    They are even in value or in representable numbers, whichever spreads the sample better, and divided
    further if the sample is dense there. The 0.1 % tails fall into the outermost cells.
    """
    finite = sample[np.isfinite(sample)]
    if finite.size == 0:
        return Cells(0.0, 1.0, 1, ordinal=False)
    finite.sort()
    smooth = bool(np.count_nonzero(finite[1:] == finite[:-1]) * 100 <= len(finite))
    options = [_fit_on(finite, inner, ordinal=ordinal) for ordinal in (False, True)]
    loads = [int(np.bincount(cells.locate(finite)).max()) for cells in options]
    best = 1 if 2 * loads[1] < loads[0] else 0
    crowd = max(16, finite.size // 256)
    if loads[best] <= crowd:
        return replace(options[best], smooth=smooth)
    # few cells first, so that what divides them is small and near at hand
    cells = _fit_on(finite, min(inner, 1 << 12), ordinal=options[best].ordinal)
    where, places = cells.locate(finite), position(finite, ordinal=cells.ordinal)
    lowest, highest = np.full(cells.count, np.inf), np.full(cells.count, -np.inf)
    np.minimum.at(lowest, where, places)
    np.maximum.at(highest, where, places)
    load = np.bincount(where, minlength=cells.count)
    divisible = lowest < highest
    if not (divisible & (load > crowd)).any():
        return options[best]
    return refine_cells(cells, lowest, highest, np.where(divisible, load * inner // finite.size, 1))


def _fit_on(ordered: Scores, inner: int, *, ordinal: bool) -> Cells:
    tail = len(ordered) // 1000
    low, high = position(ordered[[tail, -1 - tail]], ordinal=ordinal)
    # a scale of 1 if they are too near each other to be divided
    return Cells(float(low), float(_scales(low, high, inner)) if low < high else 1.0, inner, ordinal=ordinal)


def _scales(low: Any, high: Any, cells: Any) -> Any:
    """Compute the number of cells for each unit between low and high."""
    # halves, so that the range of all doubles does not overflow
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(cells / 2 / (high / 2 - low / 2), np.finfo(np.float64).max)


def refine_cells(cells: Cells, lowest: NDArray[np.float64], highest: NDArray[np.float64], parts: Integers) -> Cells:
    """Divide each cell into `parts` even ones between the positions of its lowest and its highest score."""
    if not len(lowest) == len(highest) == len(parts) == cells.count:
        raise ParameterError("lowest, highest and parts need one entry per cell")
    divided = parts > 1
    low = np.where(divided, lowest, 0.0)
    scale = np.where(divided, _scales(low, np.where(divided, highest, 1.0), parts), 0.0)
    last = np.maximum(parts, 1) - 1
    first = np.concatenate([[0], np.cumsum(last + 1)[:-1]])
    rows = np.stack([low, scale, last, first], axis=1)
    return replace(cells, starts=(*cells.starts, len(cells.table)), table=np.concatenate([cells.table, rows]))


def sift(
    total: Integers, cells: Cells, chosen: NDArray[np.bool_] | None, scores: Scores, genuine: Genuine
) -> tuple[Scores, Scores]:
    """Give the scores in the chosen cells; count those of each class in each other cell, unless `total` is empty."""
    gathered: tuple[list[Scores], list[Scores]] = [scores[:0]], [scores[:0]]
    for block, flags in _blocks(scores, genuine):
        where = cells.locate(block)
        if total.size:
            add_by_class(total, where, flags)
        if chosen is not None:
            _put(gathered, block, np.flatnonzero(chosen[where]), flags)
    if chosen is not None and total.size:
        total[:, chosen] = 0
    return np.concatenate(gathered[0]), np.concatenate(gathered[1])


def split(total: Integers, low: float, high: float, scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Count the scores of each class up to `low`; give those above it, up to `high`."""
    gathered: tuple[list[Scores], list[Scores]] = [scores[:0]], [scores[:0]]
    for block, flags in _blocks(scores, genuine, _SMALL_BLOCK):
        above = block > np.float64(low)  # a Python number would be rounded to the scores' type
        below = len(block) - np.count_nonzero(above)
        true = below * flags if isinstance(flags, bool) else np.count_nonzero(flags & ~above)
        total[:, 0] += below - true, true
        _put(gathered, block, np.flatnonzero(above & (block <= np.float64(high))), flags)
    return np.concatenate(gathered[0]), np.concatenate(gathered[1])


def _put(gathered: tuple[list[Scores], list[Scores]], block: Scores, rows: Integers, genuine: Genuine) -> None:
    """Add rows of a block to the gathered impostor or genuine scores."""
    if isinstance(genuine, bool):
        gathered[genuine].append(block[rows])
    else:
        true = genuine[rows]
        gathered[0].append(block[rows[~true]])
        gathered[1].append(block[rows[true]])


def count_ranks(total: Integers, ranks: RankTally, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class by the number of thresholds below them."""
    for block, flags in _blocks(scores, genuine):
        add_by_class(total, ranks.ranks(block), flags)


def compare_ranks(total: Integers, thresholds: NDArray[np.float64], scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class by the number of few thresholds below them, each compared with each."""
    right = len(scores) * genuine if isinstance(genuine, bool) else np.count_nonzero(genuine)
    upto = np.zeros((len(thresholds) + 2, 2, 1), dtype=np.int64)
    upto[-1, :, 0] = len(scores) - right, right
    for count, threshold in zip(upto[1:-1], thresholds, strict=True):
        passes_for(scores).split(count, threshold, threshold, scores, genuine)
    total += np.diff(upto[..., 0], axis=0).T


def find_extremes(total: NDArray[np.float64], cells: Cells, chosen: NDArray[np.bool_], scores: Scores) -> None:
    """Find the lowest and the highest score in the chosen cells."""
    for block, _ in _blocks(scores, True):
        where = cells.locate(block)
        here = np.flatnonzero(chosen[where])
        # adding zero makes -0.0 equal 0.0 in its bits too
        where, values = where[here], block[here].astype(np.float64) + 0.0
        np.minimum.at(total[0], where, values)
        np.maximum.at(total[1], where, values)


def count_table(table: Integers, layout: Layout, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Count scores in the table of a layout, and give those outside all of its windows."""
    # counting many entries at once takes less time for each
    entries = np.empty(min(sum(len(scores) for scores, _ in chunks), 1 << 21), dtype=np.int64)
    filled, strays = 0, []
    for block, flags in (part for scores, genuine in chunks for part in _blocks(scores, genuine, _SMALL_BLOCK)):
        if filled + len(block) > len(entries):
            table += np.bincount(entries[:filled], minlength=len(table))
            filled = 0
        entry = entries[filled : filled + len(block)]
        filled += len(block)
        np.add(block, 0.0, out=entry.view(np.float64))  # -0.0 becomes 0.0
        binade = (entry.view(np.uint64) >> np.uint64(MANTISSA)).view(np.int64)
        entry &= WITHIN
        entry >>= layout.shift.take(binade)
        entry -= layout.first.take(binade)
        rows = np.flatnonzero(entry.view(np.uint64) >= layout.size.take(binade))
        entry += layout.offset.take(binade)
        if len(rows):
            entry[rows] = layout.places
            strays.append((block[rows], flags if isinstance(flags, bool) else flags[rows]))
        entry <<= 1
        entry += flags
    table += np.bincount(entries[:filled], minlength=len(table))
    return strays


def _blocks(scores: Scores, genuine: Genuine, size: int = _BLOCK) -> Iterator[Chunk]:
    for start in range(0, len(scores), size):
        block = slice(start, start + size)
        yield scores[block], genuine if isinstance(genuine, bool) else genuine[block]


def add_by_class(total: Integers, bins: Integers, genuine: Genuine) -> None:
    """Add to ``total[class, bin]`` the number of times each bin occurs in each class."""
    size = total.shape[1]
    if isinstance(genuine, bool):
        total[int(genuine)] += np.bincount(bins, minlength=size)
    else:
        total += np.bincount(bins + size * genuine, minlength=2 * size).reshape(2, size)


_lock = Lock()
_counted = 0  # scores, without the compiled code


def passes_for(scores: Scores) -> ModuleType:
    """Give the module with the passes that count these scores fastest: this one, or `compiled`."""
    global _counted
    plain = sys.modules[__name__]
    if len(scores) < _FEW:
        return plain
    with _lock:  # one thread loads, the others wait
        _counted += len(scores)
        return (_compiled() if _counted > _WORTH_LOADING else None) or plain


@cache
def _compiled() -> ModuleType | None:
    """Load the compiled code, unless numba is missing or does not work here: nothing but time depends on it."""
    try:
        from fairtrial.counting import compiled

        compiled.prepare()
    except Exception:  # whatever numba fails with, on whatever machine
        return None
    return compiled
