"""Cells keep the order of scores, whatever their fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import ParameterError
from fairtrial.counting.kernels import fit_cells, position, refine_cells
from strategies import anything, special, ties

scores = st.lists(st.one_of(ties, special, anything), min_size=1, max_size=40)


@given(scores, scores, st.integers(1, 300), st.integers(0, 2))
def test_lower_scores_are_in_lower_cells(sample: list[float], values: list[float], inner: int, divisions: int) -> None:
    cells = fit_cells(np.array(sample), inner)
    for _ in range(divisions):
        lowest, highest = (np.full(cells.count, end) for end in position(np.array([-4.0, 4.0]), ordinal=cells.ordinal))
        cells = refine_cells(cells, lowest, highest, np.full(cells.count, 3))
    found = cells.locate(np.sort(values))
    assert (np.diff(found) >= 0).all()
    assert found.min() >= 0
    assert found.max() < cells.count
    assert ((found == 0) == (np.sort(values) == -np.inf)).all()


def test_crowded_scores_get_cells_of_their_own() -> None:
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.normal(0, 1, 5000), rng.normal(0.5, 1e-6, 5000)])
    load = np.bincount(fit_cells(sample, 4096).locate(sample))
    assert load.max() < 1000  # in even cells, half of the sample would be in one


def test_a_division_needs_an_entry_per_cell() -> None:
    cells = fit_cells(np.arange(10.0), 4)
    with pytest.raises(ParameterError, match="one entry per cell"):
        refine_cells(cells, np.zeros(2), np.ones(2), np.ones(2, dtype=np.int64))
