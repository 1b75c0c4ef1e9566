"""The bound from two EERs against the examples of Hofbauer & Uhl 2016 and against McNemar's test of every table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrial import ParameterError
from fairtrial.published.eer_bound import bound_from_eers, bounds_from_eers, smallest_difference
from fairtrial.published.mcnemar import mcnemar_test
from reference.eer_bound_2016 import (
    DISCORDANT,
    EXAMPLE_1,
    EXAMPLE_1_EERS,
    EXAMPLE_1_TRIALS,
    EXAMPLE_2_CHI2,
    EXAMPLE_2_EERS,
    EXAMPLE_2_TRIALS,
    EXAMPLE_3_DIFFERENCE,
    EXAMPLE_3_LARGEST_EER,
    EXAMPLE_3_LEVEL,
    EXAMPLE_3_NAMED,
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
    found = bounds_from_eers(EXAMPLE_3_NAMED, EXAMPLE_3_TRIALS, p_value=EXAMPLE_3_LEVEL, eer_m=EXAMPLE_3_LARGEST_EER)
    pairs = found.pairs
    assert found.delta_eer == least
    assert len(pairs) == 10
    weak = [pair for pair in pairs if pair.p_value > EXAMPLE_3_LEVEL]
    assert [(pair.a, pair.b) for pair in weak] == [EXAMPLE_3_WEAK]
    assert weak[0].names == ("DAUGMAN", "MA")
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
    with pytest.raises(ParameterError, match=r"EER_M must be at least the largest EER, 0\.2"):
        bounds_from_eers([0.1, 0.2], 100, eer_m=0.15)


def test_two_eers_of_0_do_not_differ() -> None:
    found = bounds_from_eers([0.0, 0.0], 100)
    assert found.delta_eer is None
    assert found.pairs[0].p_value == found.pairs[0].p_adjusted == 1
    assert [note.code for note in found.notes] == ["all-zero", "independent-trials"]
    some = {note.code: note.values for note in bounds_from_eers([0.0, 0.0, 0.1], 100).notes}
    assert some["equal-zero"] == {"pairs": 1}
    assert "smallest-difference" in some
    with pytest.raises(ParameterError, match="above 0"):
        smallest_difference(0.0, 100)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5), st.integers(1, 10**6), st.floats(0.001, 0.5))
def test_pairs_that_differ_by_the_smallest_difference_are_significant(
    eers: list[float], trials: int, level: float
) -> None:
    found = bounds_from_eers(eers, trials, p_value=level)
    if found.delta_eer is not None and found.delta_eer_corrected is not None:
        for pair in found.pairs:
            apart = abs(pair.a - pair.b)
            assert apart < found.delta_eer * (1 + 1e-9) or pair.p_value <= level
            assert apart < found.delta_eer_corrected * (1 + 1e-9) or pair.p_adjusted <= level


def test_p_values_are_adjusted_for_the_number_of_pairs() -> None:
    eers = (0.010, 0.012, 0.011)
    plain = [(a - b) ** 2 * 20_000 / (a + b) for a, b in ((0.010, 0.012), (0.010, 0.011), (0.012, 0.011))]
    p = [float(stats.chi2.sf(value, 1)) for value in plain]
    holm = bounds_from_eers(eers, 20_000, correction="holm")
    assert [pair.p_value for pair in holm.pairs] == pytest.approx(p)
    # p[0] is the smallest, p[1] the next
    assert [pair.p_adjusted for pair in holm.pairs] == pytest.approx([3 * p[0], 2 * p[1], max(2 * p[1], p[2])])
    bh = bounds_from_eers(eers, 20_000, correction="bh")
    assert [pair.p_adjusted for pair in bh.pairs] == pytest.approx(stats.false_discovery_control(p).tolist())
    none = bounds_from_eers(eers, 20_000, correction="none")
    assert [pair.p_adjusted for pair in none.pairs] == pytest.approx(p)
