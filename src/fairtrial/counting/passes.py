"""What is done with every score, and by which code: NumPy's, or the same compiled.

Both give the same bits. The compiled one needs numba (``pip install fairtrial[fast]``), whose import takes as long as
NumPy needs for some tens of millions of scores. So it is loaded only after this process has counted that many: whoever
counts fewer never waits for it, and whoever counts more soon has the time back.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting import plain
from fairtrial.counting.cells import Cells

if TYPE_CHECKING:
    from fairtrial.counting.errors import Genuine, RankTally, Scores

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
