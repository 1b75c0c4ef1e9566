"""Few errors compared: against the exact binomial distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrial.groups.rates import lowest_proportion, upper_tail


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.01, 0.99))
def test_tails_of_whole_numbers_are_binomial(errors: int, others: int, share: float) -> None:
    binomial = stats.binom(errors + others, share)
    expected = binomial.sf(errors) + binomial.pmf(errors) / 2
    found = upper_tail(np.array([float(errors)]), np.array([float(others)]), np.array([share]))
    assert found[0] == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(st.floats(1, 200), st.floats(0, 200), st.floats(0.001, 0.4))
def test_the_lowest_proportion_has_this_tail(errors: float, others: float, tail: float) -> None:
    found = lowest_proportion(np.array([errors]), np.array([others]), np.array([tail]))
    assert upper_tail(np.array([errors]), np.array([others]), found)[0] == pytest.approx(tail, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("errors", [0.0, 0.3, 0.9])
def test_with_less_than_one_error_no_share_is_too_low(errors: float) -> None:
    assert lowest_proportion(np.array([errors]), np.array([5.0]), np.array([0.025])).tolist() == [0.0]
