"""Many tests at once: Holm by its definition, Benjamini & Hochberg against scipy, letters by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrial import ParameterError
from fairtrial.inference.multiplicity import adjust_p_values, adjustment_text, compact_letters


def test_without_a_correction_nothing_is_said_to_be_adjusted() -> None:
    assert adjustment_text("none", 6) == "p not adjusted for the number of pairs, 6"
    assert adjustment_text("bh", 1) == "p adjusted by bh over 1 pair"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_by_its_definition(p_values: list[float]) -> None:
    ordered = sorted(p_values)
    expected = {
        p: min(1.0, max((len(ordered) - j) * ordered[j] for j in range(ordered.index(p) + 1))) for p in p_values
    }
    found = adjust_p_values(p_values)
    for p, adjusted in zip(p_values, found.tolist(), strict=True):
        assert adjusted >= expected[p] - 1e-12
        last = len(ordered) - 1 - ordered[::-1].index(p)
        assert adjusted <= min(1.0, max((len(ordered) - j) * ordered[j] for j in range(last + 1))) + 1e-12


def test_corrections() -> None:
    values = [0.01, 0.02, 0.03]
    assert adjust_p_values(values, "none").tolist() == values
    assert adjust_p_values(values, "bh") == pytest.approx(stats.false_discovery_control(values))
    with pytest.raises(ParameterError, match="correction must be one of"):
        adjust_p_values(values, "bonferroni")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="between 0 and 1"):
        adjust_p_values([2.0])


@given(st.integers(1, 6), st.data())
def test_letters_are_shared_exactly_by_those_that_do_not_differ(count: int, data: st.DataObject) -> None:
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    different = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    letters = compact_letters(count, different)
    for i, j in pairs:
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in different)
    assert all(letters)
    assert np.all([len(set(word)) == len(word) for word in letters])
