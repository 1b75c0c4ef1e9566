"""Scores counted in cells: what is left of them, whatever the order and the place they were counted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.scale.axis import LAST_LEVEL, Integers, cell_ends, cell_starts, meeting_levels, positions_of


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
