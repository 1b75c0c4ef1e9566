"""The power to tell two systems apart, against the tests themselves on simulated trials."""

from __future__ import annotations

from math import nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fairtrial import ErrorCounts, ParameterError
from fairtrial.planning import comparison_power, plan_comparison
from fairtrial.rules.measures import MeasureLike, Weights, linear_measure
from fairtrial.significance import Discordant, dependent_test, independent_test

Pair = tuple[float, float]
TESTS = 2000


def outcomes(p: float, q: float, correlation: float) -> list[float]:
    """The chances that both are wrong, only A, only B and none, from the two rates and the correlation of errors."""
    both = p * q + correlation * sqrt(p * (1 - p) * q * (1 - q))
    return [both, p - both, q - both, 1 - p - q + both]


def simulated_power(
    a: Pair,
    b: Pair,
    impostor: int,
    genuine: int,
    correlation: float | None,
    measure: MeasureLike = "hter",
    confidence: float = 0.95,
) -> float:
    """How often the test of `fairtrial.significance` finds a difference."""
    rng = np.random.default_rng(0)
    drawn: list[NDArray[np.int64]] = []
    for p, q, trials in ((a[0], b[0], impostor), (a[1], b[1], genuine)):
        if correlation is None:
            drawn.append(np.stack([rng.binomial(trials, rate, TESTS) for rate in (p, q)], axis=1))
        else:
            drawn.append(rng.multinomial(trials, outcomes(p, q, correlation), TESTS))
    found = 0
    for accepts, rejects in zip(*(table.tolist() for table in drawn), strict=True):
        if correlation is None:
            first, second = (ErrorCounts(nan, accepts[k], rejects[k], genuine, impostor) for k in (0, 1))
            p_value = independent_test(first, second, measure=measure).p_value
        else:
            first = ErrorCounts(nan, accepts[0] + accepts[1], rejects[0] + rejects[1], genuine, impostor)
            second = ErrorCounts(nan, accepts[0] + accepts[2], rejects[0] + rejects[2], genuine, impostor)
            discordant = Discordant(accepts[2], accepts[1], rejects[2], rejects[1])
            p_value = dependent_test(first, second, discordant, measure=measure).p_value
        found += p_value < 1 - confidence
    return found / TESTS


@pytest.mark.parametrize("correlation", [None, 0.0, 0.3, 0.7])
@pytest.mark.parametrize(
    ("a", "b", "impostor", "genuine", "measure", "confidence"),
    [
        ((0.05, 0.10), (0.055, 0.12), 4000, 1000, "hter", 0.95),
        ((0.20, 0.10), (0.23, 0.10), 1500, 500, "far", 0.9),
        ((0.10, 0.08), (0.10, 0.11), 3000, 900, "frr", 0.99),
        ((0.10, 0.10), (0.12, 0.07), 2000, 800, linear_measure("cost", "Cost", Weights(0.9, 0.2)), 0.95),
    ],
)
def test_power_against_the_tests_on_simulated_trials(
    a: Pair,
    b: Pair,
    impostor: int,
    genuine: int,
    measure: MeasureLike,
    confidence: float,
    correlation: float | None,
) -> None:
    expected = simulated_power(a, b, impostor, genuine, correlation, measure, confidence)
    found = comparison_power(
        a,
        b,
        impostor=impostor,
        genuine=genuine,
        correlation=correlation,
        measure=measure,
        confidence=confidence,
    )
    assert 0.1 < expected < 0.99
    assert found == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / TESTS) + 0.01)


def test_no_difference_is_found_as_often_as_the_level_says() -> None:
    for correlation in (None, 0.0, 0.6):
        found = comparison_power((0.1, 0.2), (0.1, 0.2), impostor=1000, genuine=300, correlation=correlation)
        assert found == pytest.approx(0.05)
    # HTERs that are the same, though FAR and FRR are not, by the unpaired test
    found = comparison_power((0.1, 0.2), (0.2, 0.1), impostor=500, genuine=500, correlation=None, confidence=0.9)
    assert found == pytest.approx(0.1)


@given(
    rates=st.tuples(*[st.floats(0.001, 0.5)] * 4),
    correlation=st.one_of(st.none(), st.floats(0, 0.9)),
    impostor=st.integers(10, 50_000),
    genuine=st.integers(10, 5000),
)
def test_more_trials_never_give_less_power(
    rates: tuple[float, float, float, float], correlation: float | None, impostor: int, genuine: int
) -> None:
    a, b = rates[:2], rates[2:]
    few, more = (
        comparison_power(a, b, impostor=k * impostor, genuine=k * genuine, correlation=correlation) for k in (1, 3)
    )
    assert 0 <= few <= more + 1e-12 <= 1 + 1e-9
    dependent = comparison_power(
        a, b, impostor=impostor, genuine=genuine, correlation=correlation, design_effects=(2, 2)
    )
    assert dependent <= few + 1e-12
    # a design effect of 2 is half as many trials
    half = comparison_power(a, b, impostor=impostor / 2, genuine=genuine / 2, correlation=correlation)
    assert dependent == pytest.approx(half)


@given(rates=st.tuples(*[st.floats(0.001, 0.5)] * 4))
def test_power_does_not_depend_on_which_system_is_first(rates: tuple[float, float, float, float]) -> None:
    a, b = rates[:2], rates[2:]
    first, second = (comparison_power(*pair, impostor=3000, genuine=400, correlation=0.2) for pair in ((a, b), (b, a)))
    assert first == pytest.approx(second)


def test_correlated_errors_help() -> None:
    powers = [
        comparison_power((0.02, 0.04), (0.025, 0.05), impostor=4000, genuine=500, correlation=correlation)
        for correlation in (-0.02, 0.0, 0.3, 0.6)
    ]
    assert powers == sorted(powers)
    assert powers[-1] > powers[0] + 0.1


def test_errors_can_be_no_more_alike_than_the_rates_allow() -> None:
    # errors of B are among those of A: |p - q| of the trials are discordant, whatever correlation is asked for
    values = {
        correlation: comparison_power((0.3, 0.1), (0.1, 0.1), impostor=40, genuine=40, correlation=correlation)
        for correlation in (0.6, 0.99, 1.0)
    }
    z = NormalDist().inv_cdf(0.975)
    # HTERs differ by .1; the FRR errors are the same (at 1), the FAR errors differ in .2 of trials
    assumed, true = sqrt(0.2 / 4 / 40), sqrt((0.2 - 0.04) / 4 / 40)
    assert values[1.0] == pytest.approx(1 - NormalDist().cdf((z * assumed - 0.1) / true), abs=1e-6)
    assert values[0.6] < values[0.99] <= values[1.0] + 1e-9


def test_systems_that_never_err_and_one_that_always_does() -> None:
    nothing = comparison_power((0, 0), (0, 0), impostor=100, genuine=100)
    assert nothing == 0
    # one errs in every trial and the other in none: the test knows no spread, but its variance is 1 / (4 N) + 1 / (4 N)
    assert comparison_power((1, 1), (0, 0), impostor=100, genuine=100) == 1
    assert comparison_power((1, 1), (0, 0), impostor=1, genuine=1) == 0  # 1 < 1.96 sqrt(.5)


@given(
    rates=st.tuples(*[st.floats(0.01, 0.4)] * 4),
    correlation=st.one_of(st.none(), st.floats(0, 0.8)),
    power=st.floats(0.1, 0.99),
    attempts=st.integers(1, 8),
    impostor_attempts=st.integers(1, 50),
    rho=st.floats(0, 1),
)
def test_planned_people_reach_the_power_and_one_less_does_not(
    rates: tuple[float, float, float, float],
    correlation: float | None,
    power: float,
    attempts: int,
    impostor_attempts: int,
    rho: float,
) -> None:
    a, b = rates[:2], rates[2:]
    assume(abs(sum(a) - sum(b)) > 0.01)

    def reached(people: int) -> float:
        return comparison_power(
            a,
            b,
            impostor=people * impostor_attempts,
            genuine=people * attempts,
            correlation=correlation,
            design_effects=(1 + (impostor_attempts - 1) * rho, 1 + (attempts - 1) * rho),
            people=(people, people),
        )

    plan = plan_comparison(
        a,
        b,
        power=power,
        attempts=attempts,
        impostor_attempts=impostor_attempts,
        rho_client=rho,
        correlation=correlation,
        data_sets=0,
    )
    n = plan.individuals
    assert plan.power == pytest.approx(reached(n))
    assert reached(n) >= power
    assert n == 2 or reached(n - 1) < power
    assert (plan.genuine, plan.impostor) == (n * attempts, n * impostor_attempts)
    assert plan.paired == (correlation is not None)
    # and back: so many people have that power
    back = plan_comparison(
        a,
        b,
        individuals=n,
        attempts=attempts,
        impostor_attempts=impostor_attempts,
        rho_client=rho,
        correlation=correlation,
        data_sets=0,
    )
    assert back == plan


def test_correlated_attempts_by_simulation() -> None:
    # unpaired: 4 genuine and 4 impostor attempts of each of 300 people, with a correlation of .3; the test knows it
    a, b, n, m, rho = (0.10, 0.20), (0.14, 0.26), 300, 4, 0.3
    plan = plan_comparison(
        a, b, individuals=n, attempts=m, impostor_attempts=m, rho_client=rho, correlation=None, data_sets=0
    )
    rng = np.random.default_rng(3)

    def rate(pi: float) -> NDArray[np.float64]:
        both = 1 / rho - 1
        return np.asarray(rng.binomial(m, rng.beta(pi * both, (1 - pi) * both, (TESTS, n))).mean(axis=1) / m)

    far, frr = (np.stack([rate(a[k]), rate(b[k])]) for k in (0, 1))
    hter = (far + frr) / 2
    variance = (far * (1 - far) + frr * (1 - frr)).sum(axis=0) / 4 * (1 + (m - 1) * rho) / (n * m)
    found = float(np.mean(np.abs(hter[0] - hter[1]) > 1.959964 * np.sqrt(variance)))
    assert plan.power == pytest.approx(found, abs=4 * sqrt(found * (1 - found) / TESTS) + 0.01)


@pytest.mark.parametrize(("a", "b"), [((0.1, 0.2), (0.1, 0.2)), ((0.1, 0.2), (0.2, 0.1)), ((0.0, 0.0), (0.0, 0.0))])
def test_the_same_rates_cannot_be_told_apart(a: Pair, b: Pair) -> None:
    for correlation in (None, 0.5):
        with pytest.raises(ParameterError, match=r"same error rate .*no test can tell them apart"):
            plan_comparison(a, b, correlation=correlation, impostors=20, rho_impostor=0.1)
        with pytest.raises(ParameterError, match=r"same error rate .*no test can tell them apart"):
            plan_comparison(a, b, correlation=correlation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": (1.5, 0.1)}, "FAR must be a fraction between 0 and 1, not 1.5"),
        ({"b": (0.1, -0.1)}, "FRR must be a fraction between 0 and 1, not -0.1"),
        ({"a": (nan, 0.1)}, "FAR must be a fraction"),
        ({"rho_client": 1.5}, "rho_client must be between 0 and 1"),
        ({"rho_client": nan}, "rho_client must be between 0 and 1"),
        ({"rho_impostor": -0.1, "impostors": 5}, "rho_impostor must be between 0 and 1"),
        ({"rho_impostor": 0.6, "rho_client": 0.5, "impostors": 5}, "must not exceed 1 together"),
        ({"rho_impostor": 0.1}, "rho_impostor needs impostors=..., the number"),
        ({"impostors": 1}, "at least two impostors, not 1"),
        ({"data_sets": -1}, "at least 0 data sets"),
        ({"attempts": 0}, "attempts of both kinds, not 0 and 10"),
        ({"impostor_attempts": 0}, "attempts of both kinds, not 1 and 0"),
        ({"power": 0.0}, "power must be between 0 and 1"),
        ({"power": 1.0}, "power must be between 0 and 1"),
        ({"individuals": 1}, "at least two individuals, not 1"),
        ({"correlation": 1.5}, "correlation of errors must be between -1 and 1"),
        ({"correlation": nan}, "correlation of errors must be between -1 and 1"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
    ],
)
def test_bad_plans(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan_comparison(**{"a": (0.1, 0.2), "b": (0.1, 0.3), **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"impostor": 0}, "trials of both classes, not 0 and 10"),
        ({"genuine": -1}, "trials of both classes"),
        ({"design_effects": (0.0, 1.0)}, "design effects must be above 0"),
        ({"people": (1, 5)}, "at least two people in each class, not 1 and 5"),
    ],
)
def test_bad_power(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        comparison_power((0.1, 0.2), (0.1, 0.3), **{"impostor": 10, "genuine": 10, **options})


def test_names_of_the_json() -> None:
    found = plan_comparison((0.01, 0.02), (0.02, 0.04), attempts=3, impostor_attempts=20).to_dict()
    assert {"individuals", "attempts", "impostor_attempts", "power", "genuine", "impostor"} <= set(found)
    assert found["genuine"] == 3 * found["individuals"]
