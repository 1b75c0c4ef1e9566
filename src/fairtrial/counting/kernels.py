"""Passes over scores, in NumPy or compiled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting import kernels as plain
from fairtrial.counting.radix import Cells, cell_of

if TYPE_CHECKING:
    from fairtrial.counting.tallies import Genuine, RankTally, Scores


_BLOCK = 1 << 17
"""Scores at once: what is made of them on the way then stays in a processor's cache."""


def count_cells(total: NDArray[np.int64], cells: Cells, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class in each cell."""
    for block, flags in _blocks(scores, genuine):
        add_by_class(total, cell_of(cells, block), flags)


def count_ranks(total: NDArray[np.int64], ranks: RankTally, scores: Scores, genuine: Genuine) -> None:
    """Count the scores of each class by the number of thresholds below them."""
    for block, flags in _blocks(scores, genuine):
        add_by_class(total, ranks.ranks(block), flags)


def gather(cells: Cells, chosen: NDArray[np.bool_], scores: Scores, genuine: Genuine) -> tuple[Scores, Scores]:
    """Gather the scores in the chosen cells."""
    found: tuple[list[Scores], list[Scores]] = [scores[:0]], [scores[:0]]
    for block, flags in _blocks(scores, genuine):
        here = np.flatnonzero(chosen[cell_of(cells, block)])
        values = block[here]
        if isinstance(flags, bool):
            found[flags].append(values)
        else:
            true = flags[here]
            found[0].append(values[~true])
            found[1].append(values[true])
    return np.concatenate(found[0]), np.concatenate(found[1])


def find_extremes(total: NDArray[np.float64], cells: Cells, chosen: NDArray[np.bool_], scores: Scores) -> None:
    """Find the lowest and the highest score in the chosen cells."""
    for block, _ in _blocks(scores, True):
        where = cell_of(cells, block)
        here = np.flatnonzero(chosen[where])
        # adding zero makes -0.0 equal 0.0 in its bits too
        where, values = where[here], block[here].astype(np.float64) + 0.0
        np.minimum.at(total[0], where, values)
        np.maximum.at(total[1], where, values)


def count_up_to(values: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the scores at or below each value."""
    return np.searchsorted(scores, values, side="right")


def _blocks(scores: Scores, genuine: Genuine) -> Iterator[tuple[Scores, Genuine]]:
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, start + _BLOCK)
        yield scores[block], genuine if isinstance(genuine, bool) else genuine[block]


def add_by_class(total: NDArray[np.int64], bins: NDArray[np.int64], genuine: Genuine) -> None:
    """Add to ``total[class, bin]`` the number of times each bin occurs in each class."""
    size = total.shape[1]
    if isinstance(genuine, bool):
        total[int(genuine)] += np.bincount(bins, minlength=size)
    else:
        total += np.bincount(bins + size * genuine, minlength=2 * size).reshape(2, size)


_WORTH_LOADING = 1 << 25
"""Scores counted by NumPy after which the compiled code is loaded."""

_FEW = 1 << 12
"""So few scores that calling the compiled code would take longer than counting them."""


class Passes(Protocol):
    """What a chunk of scores is asked. Totals are changed in place; row 0 is impostor, row 1 genuine."""

    def count_cells(self, total: NDArray[np.int64], cells: Cells, scores: Scores, genuine: Genuine) -> None:
        """Add to ``total[class, cell]`` the number of scores there."""
        ...

    def count_ranks(self, total: NDArray[np.int64], ranks: RankTally, scores: Scores, genuine: Genuine) -> None:
        """Add to ``total[class, rank]`` the number of scores above so many thresholds."""
        ...

    def gather(
        self, cells: Cells, chosen: NDArray[np.bool_], scores: Scores, genuine: Genuine
    ) -> tuple[Scores, Scores]:
        """The scores in the chosen cells, in their order: impostor scores, genuine scores."""
        ...

    def find_extremes(
        self, total: NDArray[np.float64], cells: Cells, chosen: NDArray[np.bool_], scores: Scores
    ) -> None:
        """Lower ``total[0, cell]`` to the lowest score of a chosen cell, raise ``total[1, cell]`` to the highest."""
        ...

    def count_up_to(self, values: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many of the scores, which rise, are at or below each of the values, which rise too."""
        ...


class _Meter:
    """How many scores were counted without the compiled code."""

    def __init__(self) -> None:
        self.counted = 0
        self.lock = Lock()

    def is_worth_loading(self, count: int) -> bool:
        with self.lock:
            self.counted += count
            return self.counted > _WORTH_LOADING


_meter = _Meter()


def passes_for(scores: Scores) -> Passes:
    """The code that these scores are best counted with."""
    if len(scores) < _FEW or not _meter.is_worth_loading(len(scores)):
        return plain
    with _meter.lock:  # one thread loads, the others wait
        return _compiled() or plain


@cache
def _compiled() -> Passes | None:
    """The compiled code, unless numba is missing or does not work here: nothing but time depends on it."""
    try:
        from fairtrial.counting import compiled

        compiled.prepare()
    except Exception:  # whatever numba fails with, on whatever machine
        return None
    return compiled
