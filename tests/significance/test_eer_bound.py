"""The bound from two EERs against the examples of Hofbauer & Uhl 2016 and against McNemar's test of every table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import ParameterError
from fairtrial.significance import bound_from_eers, bounds_from_eers, mcnemar_test, smallest_difference
from reference.eer_bound_2016 import (
    DISCORDANT,
    EXAMPLE_1,
    EXAMPLE_1_EERS,
    EXAMPLE_1_TRIALS,
    EXAMPLE_2_CHI2,
    EXAMPLE_2_EERS,
    EXAMPLE_2_TRIALS,
    EXAMPLE_3_DIFFERENCE,
    EXAMPLE_3_EERS,
    EXAMPLE_3_LARGEST_EER,
    EXAMPLE_3_LEVEL,
    EXAMPLE_3_TRIALS,
    EXAMPLE_3_WEAK,
    EXAMPLE_3_WEAK_BOUND,
)


def test_bound_against_example_1() -> None:
    bound = bound_from_eers(*EXAMPLE_1_EERS, EXAMPLE_1_TRIALS)
    assert (bound.chi2, bound.p_value) == pytest.approx(EXAMPLE_1, abs=5e-6)
    assert bound.chi2 <= mcnemar_test(*DISCORDANT).chi2


def test_bound_against_example_2() -> None:
    assert bound_from_eers(*EXAMPLE_2_EERS, EXAMPLE_2_TRIALS).chi2 == pytest.approx(EXAMPLE_2_CHI2, abs=5e-3)


def test_bounds_against_example_3() -> None:
    least = smallest_difference(EXAMPLE_3_LARGEST_EER, EXAMPLE_3_TRIALS, p_value=EXAMPLE_3_LEVEL)
    assert least == pytest.approx(EXAMPLE_3_DIFFERENCE, abs=5e-9)
    pairs = bounds_from_eers(EXAMPLE_3_EERS, EXAMPLE_3_TRIALS)
    assert len(pairs) == 10
    weak = [pair for pair in pairs if pair.p_value > EXAMPLE_3_LEVEL]
    assert [(pair.a, pair.b) for pair in weak] == [EXAMPLE_3_WEAK]
    chi2, p_value = EXAMPLE_3_WEAK_BOUND
    assert weak[0].chi2 == pytest.approx(chi2, abs=5e-5)
    assert weak[0].p_value == pytest.approx(p_value, abs=5e-7)


@given(st.integers(1, 60), st.data())
def test_bound_holds_for_every_table(trials: int, data: st.DataObject) -> None:
    wrong_a, wrong_b = (data.draw(st.integers(0, trials)) for _ in range(2))
    both = data.draw(st.integers(max(0, wrong_a + wrong_b - trials), min(wrong_a, wrong_b)))
    bound = bound_from_eers(wrong_a / trials, wrong_b / trials, trials)
    real = mcnemar_test(wrong_a - both, wrong_b - both)
    assert bound.chi2 <= real.chi2 + 1e-9
    assert bound.p_value >= real.p_value - 1e-9


def test_bound_at_the_ends() -> None:
    assert bound_from_eers(0, 0, 100).p_value == 1
    assert bound_from_eers(0.9, 0.8, 1000).chi2 == pytest.approx(0.1**2 * 1000 / 0.3)
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ParameterError, match="fraction between 0 and 1"):
            bound_from_eers(bad, 0.1, 100)
    with pytest.raises(ParameterError, match="at least one trial"):
        bound_from_eers(0.1, 0.2, 0)
    with pytest.raises(ParameterError, match="at least two EERs"):
        bounds_from_eers([0.1], 100)
