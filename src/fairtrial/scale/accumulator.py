"""Scores of one system, counted as they come, in bounded memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from fairtrial.counting.errors import Genuine, Scores, processors
from fairtrial.scale.axis import Integers
from fairtrial.scale.cells import CountedCells
from fairtrial.scale.layout import Layout, count_in_layout, fit_layout

_PENDING = 1 << 20
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
        self._pending: list[tuple[Scores, Genuine]] = []
        self._waiting = 0
        self._unchecked = 0

    def add(self, scores: Scores, genuine: Genuine) -> None:
        """Count scores, none of which is NaN; they may be changed afterwards."""
        if len(scores) >= _PENDING:
            self._count(scores, genuine)
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
        own = other.coarsened(self._cells.level)
        outside = self._add_cells(self._layout, own)
        self._unchecked += len(own)
        if len(outside):
            self._put_aside(own.only(outside))
        self._check()

    def _flush(self) -> None:
        if not self._pending:
            return
        scores = np.concatenate([part for part, _ in self._pending], dtype=np.float64)
        genuine = np.concatenate([np.broadcast_to(mask, len(part)) for part, mask in self._pending])
        self._pending, self._waiting = [], 0
        self._count(scores, genuine)

    def _count(self, scores: Scores, genuine: Genuine) -> None:
        self._fit()
        while self._layout is None and len(scores):
            self._sort_in(scores[:_PENDING], genuine if isinstance(genuine, bool) else genuine[:_PENDING])
            scores = scores[_PENDING:]
            genuine = genuine if isinstance(genuine, bool) else genuine[_PENDING:]
            self._gather()
            self._fit()
        if self._layout is not None and len(scores):
            self._count_in_table(self._layout, scores, genuine)

    def _count_in_table(self, layout: Layout, scores: Scores, genuine: Genuine) -> None:
        threads = max(1, min(self._threads, len(scores) // _BY_THREAD))
        edges = np.linspace(0, len(scores), threads + 1).astype(int).tolist()
        parts = [
            (scores[begin:end], genuine if isinstance(genuine, bool) else genuine[begin:end])
            for begin, end in pairwise(edges)
        ]
        if threads == 1:
            found = [count_in_layout(layout, *parts[0])]
        else:
            # NumPy lets go of the interpreter while it counts, so threads share the work
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(lambda part: count_in_layout(layout, *part), parts))
        for table, _ in found:
            self._table += table
        self._unchecked += len(scores)
        strays = np.concatenate([rows + begin for (_, rows), begin in zip(found, edges[:-1], strict=True)])
        if len(strays):
            self._sort_in(scores[strays], genuine if isinstance(genuine, bool) else genuine[strays])
        if len(strays) > len(scores) // _STRAY:
            self._gather()
        self._check()

    def _sort_in(self, scores: Scores, genuine: Genuine) -> None:
        """Count scores by sorting them."""
        mask = np.full(len(scores), genuine) if isinstance(genuine, bool) else genuine
        self._put_aside(CountedCells.of(scores, mask, level=self._cells.level, floor=self._cells.floor))

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
        """Add cells of the same level to the table, and say which have no place there."""
        places = layout.places_of(cells.starts)
        # the cells are distinct, so only the place of those outside comes twice, and what is there is never read
        by_class = self._table.reshape(-1, 2)
        for row in (0, 1):
            by_class[places, row] += cells.counts[row]
        return np.flatnonzero(places == layout.places)
