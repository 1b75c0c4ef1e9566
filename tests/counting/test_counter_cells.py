"""Nested cells against single scores: every double has one, order is kept, coarser cells are unions of finer ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairtrial.counting.cells import (
    LAST_LEVEL,
    CountedCells,
    cell_ends,
    cell_starts,
    meeting_levels,
    scores_at,
)
from fairtrial.counting.kernels import positions_of
from strategies import score_arrays

FLOOR = 2


@given(score_arrays())
def test_positions_are_in_the_order_of_scores(data: tuple[np.ndarray, np.ndarray]) -> None:
    scores = np.concatenate(data).astype(np.float64)
    positions = positions_of(scores)
    assert np.array_equal(scores_at(positions), scores)
    assert np.array_equal(positions[:, None] < positions, scores[:, None] < scores)


@given(score_arrays(), st.integers(0, LAST_LEVEL - 1))
def test_coarser_cells_are_unions_of_finer_ones(data: tuple[np.ndarray, np.ndarray], level: int) -> None:
    positions = positions_of(np.concatenate(data))
    starts, ends = cell_starts(positions, level, FLOOR), cell_ends(positions, level, FLOOR)
    assert np.all((starts <= positions) & (positions <= ends))
    assert np.all(cell_starts(ends, level, FLOOR) == starts)
    wider = cell_starts(positions, level + 1, FLOOR), cell_ends(positions, level + 1, FLOOR)
    assert np.all((wider[0] <= starts) & (ends <= wider[1]))


@given(score_arrays(), st.integers(0, 5))
def test_two_scores_meet_at_the_level_that_is_said(data: tuple[np.ndarray, np.ndarray], floor: int) -> None:
    positions = np.unique(positions_of(np.concatenate(data)))
    for k, level in enumerate(meeting_levels(positions, floor).tolist()):
        pair = positions[k : k + 2]
        if level <= LAST_LEVEL:
            assert np.ptp(cell_starts(pair, level, floor)) == 0
        assert np.ptp(cell_starts(pair, max(level - 1, 0), floor)) != 0


def test_infinite_scores_are_always_alone() -> None:
    positions = positions_of(np.array([-np.inf, -1.7e308, 1.7e308, np.inf]))
    assert len(np.unique(cell_starts(positions, LAST_LEVEL, FLOOR))) == 4


def test_cells_below_zero_end_below_zero() -> None:
    position = positions_of(np.array([-1e-3]))
    assert scores_at(cell_ends(position, LAST_LEVEL, FLOOR))[0] < -1e-3 / 2
    assert scores_at(cell_ends(positions_of(np.array([-5e-324])), LAST_LEVEL, FLOOR)).tolist() == [-5e-324]


def width_of_cell(score: float) -> float:
    position, level = positions_of(np.array([score])), 1074 - 8
    start, end = cell_starts(position, level, 4), cell_ends(position, level, 4)
    return float((scores_at(end + 1) - scores_at(start))[0])


def test_cells_are_even_in_value_and_fine_for_small_scores() -> None:
    assert [width_of_cell(score) for score in (1.0, 3.0, 100.0)] == [2.0**-8] * 3
    assert width_of_cell(2.0**-20) == 2.0**-24  # at least 2**4 cells from one power of two to the next


@given(score_arrays(max_size=60), st.integers(1, 30))
def test_settled_is_the_finest_level_that_the_budget_holds(data: tuple[np.ndarray, np.ndarray], budget: int) -> None:
    genuine, impostor = data
    scores = np.concatenate(data).astype(np.float64)
    whole = CountedCells.of(scores, np.arange(len(scores)) < len(genuine), floor=FLOOR)
    assert whole.totals == (len(genuine), len(impostor))

    def occupied(level: int) -> int:
        return len(np.unique(cell_starts(whole.starts, level, FLOOR)))

    if occupied(LAST_LEVEL) <= budget:
        found = whole.settled(budget)
        assert occupied(found.level) == len(found) <= budget
        assert found.level == 0 or occupied(found.level - 1) > budget
        assert found.totals == whole.totals
        for k, (start, end) in enumerate(zip(scores_at(found.starts), scores_at(found.ends), strict=True)):
            held = [np.count_nonzero((part >= start) & (part <= end)) for part in (impostor, genuine)]
            assert found.counts[:, k].tolist() == held
