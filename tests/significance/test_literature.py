"""McNemar, the EER bound and many tests at once, against seed 003 and other implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrial import ParameterError
from fairtrial.significance import (
    adjust_p_values,
    bound_from_eers,
    bounds_from_eers,
    compact_letters,
    mcnemar_test,
    smallest_difference,
)


def test_mcnemar_against_example_1() -> None:
    result = mcnemar_test(26055, 26707)
    assert (result.chi2, result.p_value) == pytest.approx((8.0570, 0.0045328), abs=5e-5)
    assert (result.chi2_corrected, result.p_value_corrected) == pytest.approx((8.0323, 0.0045950), abs=5e-5)
    assert result.p_value_exact == pytest.approx(0.0045946, abs=5e-8)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_exact_and_mid_p_against_the_binomial(b: int, c: int) -> None:
    result = mcnemar_test(b, c)
    total, least = b + c, min(b, c)
    pmf = [float(stats.binom.pmf(k, total, 0.5)) for k in range(total + 1)]
    exact = min(1.0, 2 * sum(pmf[: least + 1])) if b != c else 1.0
    assert result.p_value_exact == pytest.approx(exact)
    if b != c:
        assert result.p_value_mid == pytest.approx(2 * sum(pmf[:least]) + pmf[least])


def test_mcnemar_without_discordant_trials_and_with_bad_ones() -> None:
    assert mcnemar_test(0, 0).p_value == 1
    with pytest.raises(ParameterError, match="b must be a whole number"):
        mcnemar_test(-1, 3)


def test_bound_against_example_1() -> None:
    bound = bound_from_eers(0.010426, 0.010317, 3_480_841)
    assert (bound.chi2, bound.p_value) == pytest.approx((1.99373, 0.15795), abs=5e-6)
    assert bound.chi2 <= mcnemar_test(26055, 26707).chi2


def test_bound_against_example_2() -> None:
    assert bound_from_eers(0.0013, 0.0058, 719_400).chi2 == pytest.approx(2051.81, abs=5e-3)


def test_bounds_against_example_3() -> None:
    assert 100 * smallest_difference(0.0058, 285_390) == pytest.approx(0.051931, abs=5e-7)
    pairs = bounds_from_eers([0.0057, 0.0008, 0.0007, 0.0028, 0.0], 285_390)
    assert len(pairs) == 10
    weak = [pair for pair in pairs if pair.p_value > 0.01]
    assert [(pair.a, pair.b) for pair in weak] == [(0.0008, 0.0007)]
    assert weak[0].chi2 == pytest.approx(1.9026, abs=5e-5)
    assert 100 * weak[0].p_value == pytest.approx(16.7788, abs=5e-5)


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
