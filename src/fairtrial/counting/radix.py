"""Ordered partitions of the score axis.

A partition is any map `cell` with ``x < y`` implying ``cell(x) <= cell(y)``. Floating-point subtraction,
multiplication by a positive number, clipping and truncation all keep that order whatever they round, so a
partition made of them is exact: scores counted in lower cells are lower. How well the cells fit the scores
decides only how much work is left, never the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError

_RARELY = 100
"""One in so many."""
_MAX_INT64 = np.int64(np.iinfo(np.int64).max)


def position(scores: NDArray[np.floating], *, ordinal: bool) -> NDArray[np.float64]:
    """Give a new array of coordinates, in the order of the scores, on which cells are laid evenly.

    The value itself, or the number of representable doubles between it and zero: with that, a score of
    1e-200 and one of 1e-20 are far apart, as they are for likelihoods.
    """
    if not ordinal:
        return scores.astype(np.float64)
    bits = (scores.astype(np.float64) + 0.0).view(np.int64)  # adding zero makes -0.0 equal 0.0
    bits ^= (bits >> 63) & _MAX_INT64
    return bits.astype(np.float64)


def cell_of(cells: Cells, scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """The cell of each score."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = cells.locate(scores)
    # the candidate -inf already rejects scores of -inf, so what is counted there must be told from the rest
    if len(scores) and scores.min() == -np.inf:
        found[scores == -np.inf] = 0
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Even cells, divided further where that was asked for: a map from scores to 0 .. count-1 that keeps their order.

    Cell 0 is for -inf alone, cell 1 for all else below `low`; then come `inner` even cells, and one for all from
    the end of the last.
    """

    low: float
    scale: float
    inner: int
    ordinal: bool
    """Whether cells are even steps of `position` in representable numbers, not in value."""
    starts: tuple[int, ...] = ()
    """Where in `table` each division begins, in the order in which they were made."""
    table: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 4)))
    """For each cell there was before a division: where its parts begin, their number in each unit, the number of
    the last of them, and how many parts there are in all lower cells."""
    smooth: bool = False
    """Whether hardly two scores of the sample were equal, so that a full cell can be divided."""

    def spans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The positions between which each cell lies, of cells that were not divided; 0 and 0 for the outermost."""
        limit = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            ends = np.clip(self.low + np.arange(self.inner + 1) / self.scale, -limit, limit)
        return np.concatenate([[0, 0], ends[:-1], [0]]), np.concatenate([[0, 0], ends[1:], [0]])

    @property
    def count(self) -> int:
        return int(self.table[-1, 2] + self.table[-1, 3]) + 1 if self.starts else self.inner + 3

    def locate(self, scores: NDArray[np.floating]) -> NDArray[np.int64]:
        """The cells 1 .. count-1 of scores above -inf."""
        places = position(scores, ordinal=True) if self.ordinal else scores
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
        return cells


def fit_cells(sample: NDArray[np.floating], inner: int) -> Cells:
    """Lay about `inner` cells over the bulk of a sample.

    They are even in value or in representable numbers, whichever spreads the sample better, and divided
    further where the sample is dense. The 0.1 % tails fall into the outermost cells.
    """
    finite = sample[np.isfinite(sample)]
    if finite.size == 0:
        return Cells(0.0, 1.0, 1, ordinal=False)
    finite.sort()
    smooth = bool(np.count_nonzero(finite[1:] == finite[:-1]) * _RARELY <= len(finite))
    options = [_fit_on(finite, inner, ordinal=ordinal) for ordinal in (False, True)]
    loads = [int(np.bincount(cell_of(cells, finite)).max()) for cells in options]
    best = 1 if 2 * loads[1] < loads[0] else 0
    crowd = max(16, finite.size // 256)
    if loads[best] <= crowd:
        return replace(options[best], smooth=smooth)
    # few cells first, so that what divides them is small and near at hand
    cells = _fit_on(finite, min(inner, 1 << 12), ordinal=options[best].ordinal)
    where, places = cell_of(cells, finite), position(finite, ordinal=cells.ordinal)
    lowest, highest = np.full(cells.count, np.inf), np.full(cells.count, -np.inf)
    np.minimum.at(lowest, where, places)
    np.maximum.at(highest, where, places)
    load = np.bincount(where, minlength=cells.count)
    divisible = lowest < highest
    if not (divisible & (load > crowd)).any():
        return options[best]
    return refine_cells(cells, lowest, highest, np.where(divisible, load * inner // finite.size, 1))


def _fit_on(ordered: NDArray[np.floating], inner: int, *, ordinal: bool) -> Cells:
    tail = len(ordered) // 1000
    low, high = position(ordered[[tail, -1 - tail]], ordinal=ordinal).tolist()
    return Cells(low, _scale(low, high, inner), inner, ordinal=ordinal)


def _scale(low: float, high: float, cells: int) -> float:
    """Cells for each unit between low and high; 1 where they are too near each other to be divided."""
    return float(_scales(np.array([low]), np.array([high]), np.array([cells]))[0]) if low < high else 1.0


def _scales(low: NDArray[np.float64], high: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    # halves, so that the range of all doubles does not overflow
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(cells / 2 / (high / 2 - low / 2), np.finfo(np.float64).max)


def refine_cells(
    cells: Cells,
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    parts: NDArray[np.int64],
) -> Cells:
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
