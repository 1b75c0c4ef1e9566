"""z tests against the tables of Bengio & Mariéthoz 2004."""

from dataclasses import asdict
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from fairtrial import ErrorCounts, ParameterError
from fairtrial.intervals import published_counts
from fairtrial.significance import (
    Discordant,
    class_test,
    dependent_test,
    independent_test,
    naive_test,
    pooled_test,
)
from reference.hter_2004 import (
    DEPENDENT_A_B,
    DISCORDANT_A_B,
    INDEPENDENT_A_B,
    INDEPENDENT_C_D,
    MODEL_A,
    MODEL_B,
    MODEL_C,
    MODEL_D,
    NAIVE_DELTA_C_D,
    PRINTED_CLASS_A_B,
    PRINTED_NAIVE_A_B,
    WIDE_NAIVE,
)

A, B, C, D = (published_counts(**asdict(model)) for model in (MODEL_A, MODEL_B, MODEL_C, MODEL_D))


def test_independent_against_table_3() -> None:
    result = independent_test(A, B)
    assert 100 * result.delta == pytest.approx(INDEPENDENT_A_B.delta, abs=5e-5)
    assert result.sigma == pytest.approx(INDEPENDENT_A_B.sigma, abs=5e-8)


def test_dependent_against_table_3() -> None:
    result = dependent_test(A, B, Discordant(*DISCORDANT_A_B))
    assert 100 * result.delta == pytest.approx(DEPENDENT_A_B.delta, abs=5e-4)
    assert result.sigma == pytest.approx(DEPENDENT_A_B.sigma, abs=5e-9)


def test_independent_against_table_6() -> None:
    result = independent_test(C, D)
    assert 100 * result.delta == pytest.approx(INDEPENDENT_C_D.delta, abs=5e-4)
    assert result.sigma == pytest.approx(INDEPENDENT_C_D.sigma, abs=5e-8)


def test_naive_and_class_against_tables_3_and_6() -> None:
    assert 100 * naive_test(C, D).delta == pytest.approx(NAIVE_DELTA_C_D, abs=5e-4)
    assert round(naive_test(A, B).sigma or 0, 4) == PRINTED_NAIVE_A_B.sigma
    assert round(class_test(A, B).sigma or 0, 4) == PRINTED_CLASS_A_B.sigma
    assert 100 * class_test(A, B).delta == pytest.approx(PRINTED_CLASS_A_B.delta)


def test_dependent_test_has_the_right_size() -> None:
    # as printed in Fig. 2, without the factor 1/2, it would reject 33.6 % of the time at 5 %
    rng = np.random.default_rng(0)
    p_values = []
    for _ in range(2000):
        impostor, genuine = rng.binomial(2000, 0.5), rng.binomial(60, 0.5)
        found = Discordant(impostor, 2000 - impostor, genuine, 60 - genuine)
        a = ErrorCounts(0.0, 3000 + 2000 - impostor, 30 + 60 - genuine, 400, 112_000)
        b = ErrorCounts(0.0, 3000 + impostor, 30 + genuine, 400, 112_000)
        p_values.append(dependent_test(a, b, found).p_value)
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(("measure", "which"), [("far", "false_accepts"), ("frr", "false_rejects")])
def test_two_rates_alone_by_equations_7_8_and_9(measure: str, which: str) -> None:
    n = A.impostor if measure == "far" else A.genuine
    first, second = (float(getattr(own, which)) / n for own in (A, B))
    expected = sqrt((first * (1 - first) + second * (1 - second)) / n)
    alone = independent_test(A, B, measure=measure)
    assert (alone.test, alone.measure) == (f"{measure}-independent", measure)
    assert (alone.estimate, alone.sigma) == pytest.approx((first - second, expected))
    pooled = pooled_test(A, B, measure=measure)
    middle = (first + second) / 2
    assert pooled.test == f"{measure}-pooled"
    assert pooled.sigma == pytest.approx(sqrt(2 * middle * (1 - middle) / n))
    assert pooled.p_value == pytest.approx(2 * stats.norm.sf(abs(first - second) / (pooled.sigma or 0)))
    ab, ba = DISCORDANT_A_B[:2] if measure == "far" else DISCORDANT_A_B[2:]
    dependent = dependent_test(A, B, Discordant(*DISCORDANT_A_B), measure=measure)
    assert dependent.sigma == pytest.approx(sqrt((ab + ba) / n**2))


def test_pooled_test_squared_is_the_chi2_of_scipy() -> None:
    # a 2 x 2 table without correction, with different numbers of trials
    a, b = ErrorCounts(0.0, 0, 13, 200, 1), ErrorCounts(0.0, 0, 31, 300, 1)
    found = pooled_test(a, b, measure="frr")
    chi2 = stats.chi2_contingency([[13, 187], [31, 269]], correction=False)
    assert found.statistic**2 == pytest.approx(chi2.statistic)
    assert found.p_value == pytest.approx(chi2.pvalue)
    turned = pooled_test(a, b, measure="recall")
    assert (turned.estimate, turned.sigma) == pytest.approx((-found.estimate, found.sigma))


@pytest.mark.parametrize("measure", ["hter", "dcf", "wer"])
def test_only_one_rate_is_pooled(measure: str) -> None:
    with pytest.raises(
        ParameterError, match=f"only a rate of one class can be pooled, such as far or frr, not {measure}"
    ):
        pooled_test(A, B, measure=measure)


def test_dcf_of_two_systems() -> None:
    # NIST's costs: the variance of eq. (14) for each of the two
    variances = [m.far * (1 - m.far) * 0.99**2 / m.impostor + m.frr * (1 - m.frr) / (100 * m.genuine) for m in (C, D)]
    found = independent_test(C, D, measure="dcf")
    assert found.sigma == pytest.approx(sqrt(sum(variances)))
    assert found.estimate == pytest.approx(0.99 * (0.131 - 0.158) + 0.1 * (0.096 - 0.078))


def test_over_optimistic_is_computed() -> None:
    wide = published_counts(**asdict(WIDE_NAIVE))
    assert naive_test(A, B).note.startswith("over-optimistic: ")
    assert class_test(A, B).note.startswith("over-optimistic: ")
    assert naive_test(wide, wide).note.startswith("not over-optimistic here: ")
    times = naive_test(wide, wide).sigma or 0, independent_test(wide, wide).sigma or 1
    assert f"{times[0] / times[1]:.3g} times that of eq. (15)" in naive_test(wide, wide).note


def test_few_errors_are_noted() -> None:
    assert independent_test(A, B).note.endswith("n p (1 - p) is below 10 for FRR of A")
    assert independent_test(A, B, measure="far").note == ""
    assert independent_test(C, D).note == ""


def test_dependent_test_on_contradicting_counts() -> None:
    with pytest.raises(ParameterError, match="contradict the errors"):
        dependent_test(A, B, Discordant(10, 9000, 0, 0))
    with pytest.raises(ParameterError, match="numbers differ"):
        dependent_test(A, C, Discordant(1, 1, 1, 1))
    for wrong in (-1, 0.5):
        with pytest.raises(ParameterError, match="impostor_ab must be a whole number of at least 0"):
            Discordant(wrong, 0, 0, 0)  # type: ignore[arg-type]


def test_published_rates_are_fractions() -> None:
    with pytest.raises(ParameterError, match="FAR must be a fraction"):
        published_counts(far=1.5, frr=0, impostor=1, genuine=1)
    with pytest.raises(ParameterError, match="at least one genuine trial"):
        published_counts(far=0.1, frr=0, impostor=1, genuine=0)


def test_published_numbers_of_errors_in_place_of_rates() -> None:
    found = published_counts(false_accepts=7566, frr=0.096, impostor=57_748, genuine=5_825)
    assert (found.far, found.frr) == (7566 / 57_748, pytest.approx(0.096))
    for given, message in (
        ({"far": 0.1, "false_accepts": 1, "frr": 0}, "either far=... or false_accepts=...; both were given"),
        ({"far": 0.1}, "either frr=... or false_rejects=...; neither was given"),
        ({"far": 0.1, "false_rejects": 2.5}, "number of false rejects must be a whole number of at least 0, not 2.5"),
        ({"far": 0.1, "false_rejects": -1}, "number of false rejects must be a whole number of at least 0, not -1"),
        ({"far": 0.1, "false_rejects": 11}, "there are 11 false rejects, but only 10 genuine trials"),
    ):
        with pytest.raises(ParameterError, match=message):
            published_counts(impostor=100, genuine=10, **given)  # type: ignore[arg-type]
