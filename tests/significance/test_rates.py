"""z tests against the tables of Bengio & Mariéthoz 2004."""

from dataclasses import asdict

import numpy as np
import pytest

from fairtrial import ErrorCounts, ParameterError
from fairtrial.intervals import published_counts
from fairtrial.significance import (
    Discordant,
    class_test,
    dependent_test,
    independent_test,
    naive_test,
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


def test_dependent_test_on_contradicting_counts() -> None:
    with pytest.raises(ParameterError, match="contradict the errors"):
        dependent_test(A, B, Discordant(10, 9000, 0, 0))
    with pytest.raises(ParameterError, match="numbers differ"):
        dependent_test(A, C, Discordant(1, 1, 1, 1))
    with pytest.raises(ParameterError, match="at least 0"):
        Discordant(-1, 0, 0, 0)


def test_published_rates_are_fractions() -> None:
    with pytest.raises(ParameterError, match="FAR must be a fraction"):
        published_counts(far=1.5, frr=0, impostor=1, genuine=1)
    with pytest.raises(ParameterError, match="at least one genuine trial"):
        published_counts(far=0.1, frr=0, impostor=1, genuine=0)
