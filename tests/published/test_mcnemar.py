"""McNemar's test against the example of Hofbauer & Uhl 2016 and the binomial distribution."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrial import ParameterError
from fairtrial.published.mcnemar import mcnemar_test
from reference.eer_bound_2016 import DISCORDANT, MCNEMAR, MCNEMAR_CORRECTED, MCNEMAR_EXACT_P


def test_mcnemar_against_example_1() -> None:
    result = mcnemar_test(*DISCORDANT)
    assert (result.chi2, result.p_value) == pytest.approx(MCNEMAR, abs=5e-5)
    assert (result.chi2_corrected, result.p_value_corrected) == pytest.approx(MCNEMAR_CORRECTED, abs=5e-5)
    assert result.p_value_exact == pytest.approx(MCNEMAR_EXACT_P, abs=5e-8)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_exact_and_mid_p_against_the_binomial(b: int, c: int) -> None:
    result = mcnemar_test(b, c)
    total, least = b + c, min(b, c)
    pmf = [float(stats.binom.pmf(k, total, 0.5)) for k in range(total + 1)]
    exact = min(1.0, 2 * sum(pmf[: least + 1])) if b != c else 1.0
    assert result.p_value_exact == pytest.approx(exact)
    if b != c:
        assert result.p_value_mid == pytest.approx(2 * sum(pmf[:least]) + pmf[least])


def test_mcnemar_is_never_certain_and_counts_in_words() -> None:
    found = mcnemar_test(50000, 0).to_dict()
    assert min(value for name, value in found.items() if name.startswith("p_value")) > 0
    assert found["threshold"] == "fixed"
    assert mcnemar_test(1, 0).tables()[0].caption == "McNemar's test, 1 trial wrong for A only and 0 for B only"


def test_mcnemar_without_discordant_trials_and_with_bad_ones() -> None:
    assert mcnemar_test(0, 0).p_value == 1
    with pytest.raises(ParameterError, match="b must be a whole number"):
        mcnemar_test(-1, 3)
