"""The compiled inner loop of a counter gives the bits of NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial.counting import cells as layout
from fairtrial.counting import kernels as passes
from fairtrial.counting import kernels as plain
from fairtrial.counting.cells import CountedCells
from strategies import score_arrays

pytest.importorskip("numba")


def tables(cells: CountedCells, chunks: list[Any]) -> list[tuple[Any, ...]]:
    """What NumPy and the compiled code count: the table, and the strays with their classes."""
    found = []
    for compiled in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layout, "passes_for", lambda scores, own=compiled: passes if own else plain)
            where = layout.fit_layout(cells)
            assert where is not None
            table, strays = layout.count_in_layout(where, chunks)
        masks = [np.broadcast_to(mask, len(part)) for part, mask in strays]
        found.append(
            (table, np.concatenate([*(part for part, _ in strays), np.empty(0)]), np.concatenate([*masks, []]))
        )
    return found


@given(scores=score_arrays(max_size=200), level=st.integers(40, 60), some=st.integers(1, 200))
def test_tables_are_the_same(scores: tuple[np.ndarray, np.ndarray], level: int, some: int) -> None:
    genuine, impostor = scores
    every, flags = np.concatenate(scores), np.arange(len(genuine) + len(impostor)) < len(genuine)
    cells = CountedCells.of(every[:some], flags[:some], level=level, floor=4)
    if layout.fit_layout(cells) is None:
        return
    plainly, compiled = tables(cells, [(every, flags), (genuine, True), (impostor, False), (every[::2], flags[::2])])
    for own, other in zip(plainly, compiled, strict=True):
        assert np.array_equal(own, other)
