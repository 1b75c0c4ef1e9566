"""The power to tell two systems apart, against the tests themselves on simulated trials."""

from __future__ import annotations

from itertools import product
from math import nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.stats import norm

from fairtrial import ErrorCounts, ParameterError, Trials, TrialsError
from fairtrial.evaluation.paired_tests import Pair, leading_test, pair_judgements
from fairtrial.inference import TrialSets, judge_at
from fairtrial.published.rates import Discordant, dependent_test, independent_test
from fairtrial.repeated.comparison_plans import (
    ComparisonSetting,
    ScoreModel,
    SystemRates,
    comparison_power,
    error_covariance,
    intraclass_correlation,
    observed_setting,
    plan_comparison,
    simulate_comparison_power,
)
from fairtrial.rules.measures import MeasureLike, Weights, linear_measure

TESTS = 2000


def outcomes(p: float, q: float, correlation: float) -> list[float]:
    """The chances that both are wrong, only A, only B and none, from the two rates and the correlation of errors."""
    both = p * q + correlation * sqrt(p * (1 - p) * q * (1 - q))
    return [both, p - both, q - both, 1 - p - q + both]


def simulated_power(
    a: SystemRates,
    b: SystemRates,
    impostor: int,
    genuine: int,
    correlation: float | None,
    measure: MeasureLike = "hter",
    confidence: float = 0.95,
) -> float:
    """How often the test of `fairtrial.evaluation.paired_tests` finds a difference."""
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
    a: SystemRates,
    b: SystemRates,
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
def test_the_same_rates_cannot_be_told_apart(a: SystemRates, b: SystemRates) -> None:
    for correlation in (None, 0.5):
        for impostors in ({}, {"impostors": 20, "rho_impostor": 0.1}):
            with pytest.raises(ParameterError) as error:
                plan_comparison(a, b, correlation=correlation, **impostors)  # type: ignore[arg-type]
            assert error.value.code == "no-difference"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": (1.5, 0.1)}, "^FAR "),
        ({"b": (0.1, -0.1)}, "^FRR "),
        ({"a": (nan, 0.1)}, "^FAR "),
        ({"rho_client": 1.5}, "^rho_client "),
        ({"rho_client": nan}, "^rho_client "),
        ({"rho_impostor": -0.1, "impostors": 5}, "^rho_impostor "),
        ({"rho_impostor": 0.6, "rho_client": 0.5, "impostors": 5}, "rho_client and rho_impostor"),
        ({"rho_impostor": 0.1}, "rho_impostor needs impostors"),
        ({"impostors": 1}, "impostors must be a whole number from 2"),
        ({"data_sets": -1}, "data_sets must be"),
        ({"attempts": 0}, "attempts must be"),
        ({"impostor_attempts": 0}, "impostor_attempts must be"),
        ({"power": 0.0}, "^power "),
        ({"power": 1.0}, "^power "),
        ({"individuals": 1}, "individuals"),
        ({"correlation": 1.5}, "correlation"),
        ({"correlation": nan}, "correlation"),
        ({"confidence": 1.0}, "^confidence "),
    ],
)
def test_bad_plans(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan_comparison(**{"a": (0.1, 0.2), "b": (0.1, 0.3), **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"impostor": 0}, "trials"),
        ({"genuine": -1}, "trials"),
        ({"design_effects": (0.0, 1.0)}, "design effects"),
        ({"people": (1, 5)}, "people"),
    ],
)
def test_bad_power(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        comparison_power((0.1, 0.2), (0.1, 0.3), **{"impostor": 10, "genuine": 10, **options})


@pytest.mark.parametrize(("options", "codes"), [({"power": 0.9}, ["power-ignored"]), ({}, [])])
def test_a_power_for_these_people_is_a_warning(options: dict[str, Any], codes: list[str]) -> None:
    plan = plan_comparison((0.01, 0.02), (0.02, 0.04), individuals=50, data_sets=0, **options)
    assert [note.code for note in plan.notes if note.warning] == codes


def test_names_of_the_json() -> None:
    found = plan_comparison((0.01, 0.02), (0.02, 0.04), attempts=3, impostor_attempts=20).to_dict()
    assert {"individuals", "attempts", "impostor_attempts", "power", "genuine", "impostor"} <= set(found)
    assert found["genuine"] == 3 * found["individuals"]


A, B = (0.06, 0.08), (0.09, 0.09)
ATTEMPTS, IMPOSTORS = 4, 25
CLIENT, IMPOSTOR, ALIKE = 0.05, 0.2, 0.5
"""Shares of the variance of scores that people have, and the correlation of the two systems."""


def two_systems(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    both, own = rng.standard_normal(shape), rng.standard_normal((2, *shape))
    return np.asarray(sqrt(ALIKE) * both + sqrt(1 - ALIKE) * own)


def draw_trials(clients: int, rng: np.random.Generator) -> Trials:
    """Scores of two systems: all impostors attack all clients once; the threshold is 0."""
    client = sqrt(CLIENT) * two_systems((clients, 1), rng)
    impostor = (
        client
        + sqrt(IMPOSTOR) * two_systems((1, IMPOSTORS), rng)
        + sqrt(1 - CLIENT - IMPOSTOR) * two_systems((clients, IMPOSTORS), rng)
    )
    genuine = sqrt(CLIENT) * two_systems((clients, 1), rng) + sqrt(1 - CLIENT) * two_systems((clients, ATTEMPTS), rng)
    for system, (far, frr) in enumerate((A, B)):
        impostor[system] += stats.norm.ppf(far)
        genuine[system] -= stats.norm.ppf(frr)
    scores = np.concatenate([impostor.reshape(2, -1), genuine.reshape(2, -1)], axis=1).T
    claims = np.concatenate([np.repeat(np.arange(clients), IMPOSTORS), np.repeat(np.arange(clients), ATTEMPTS)])
    others = np.concatenate([np.tile(clients + np.arange(IMPOSTORS), clients), claims[clients * IMPOSTORS :]])
    return Trials.from_arrays(
        scores,
        np.arange(len(scores)) >= clients * IMPOSTORS,
        systems=["a", "b"],
        claim=claims.astype(str),
        subject=others.astype(str),
    )


def power_of_the_test(clients: int, data_sets: int) -> float:
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(data_sets):
        sets = TrialSets(None, draw_trials(clients, rng))
        pair = pair_judgements(*(judge_at(sets, 0.0, system=name) for name in ("a", "b")))
        found += leading_test(pair).p_value < 0.05
    return found / data_sets


def bivariate_excess(first: float, second: float, correlation: float) -> float:
    """How much more often both scores are below their limits than if they were independent."""
    both = stats.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf([first, second])
    return float(both - stats.norm.cdf(first) * stats.norm.cdf(second))


def correlations(p: float, q: float, share: float) -> tuple[float, float]:
    """Of errors of the two systems on a trial, and of differences of errors that share an effect, by scipy."""
    first, second = stats.norm.ppf(p), stats.norm.ppf(q)
    between = bivariate_excess(first, second, ALIKE)
    spread = p * (1 - p) + q * (1 - q) - 2 * between
    shared = (
        bivariate_excess(first, first, share)
        + bivariate_excess(second, second, share)
        - 2 * bivariate_excess(first, second, ALIKE * share)
    )
    return between / sqrt(p * (1 - p) * q * (1 - q)), shared / spread


def test_impostors_common_to_all_clients() -> None:
    alike, rho_client = correlations(A[0], B[0], CLIENT)
    rho_impostor = correlations(A[0], B[0], IMPOSTOR)[1]
    known: dict[str, Any] = {
        "attempts": ATTEMPTS,
        "impostor_attempts": IMPOSTORS,
        "correlation": alike,
        "rho_client": rho_client,
    }
    # who does not know that impostors are common plans for 80 %, and gets far less
    unknowing = plan_comparison(A, B, **known, data_sets=0)
    assert 0.8 <= unknowing.power < 0.82
    found = power_of_the_test(unknowing.individuals, 200)
    assert found < 0.6
    knowing = plan_comparison(
        A, B, individuals=unknowing.individuals, impostors=IMPOSTORS, rho_impostor=rho_impostor, data_sets=400, **known
    )
    assert knowing.power == pytest.approx(found, abs=0.1)
    assert knowing.power_simulated == pytest.approx(found, abs=0.1)
    assert knowing.power_error is not None
    assert knowing.power_simulated is not None
    assert knowing.power_error == pytest.approx(sqrt(knowing.power_simulated * (1 - knowing.power_simulated) / 400))


def test_power_against_all_pairs_of_trials() -> None:
    clients, impostors, attempts, rho_client, rho_impostor = 12, 5, 7, 0.07, 0.03
    trials = [(c, (c * attempts + k) % impostors) for c in range(clients) for k in range(attempts)]
    total = 0.0
    for (client, impostor), (other, another) in product(trials, repeat=2):
        total += rho_client * (client == other) + rho_impostor * (impostor == another)
    # a trial with itself has a correlation of 1
    total += len(trials) * (1 - rho_client - rho_impostor)
    (p, q), (r, s) = (0.2, 0.3), (0.1, 0.4)
    far = (p * (1 - p) + q * (1 - q)) * total / len(trials) ** 2
    frr = (r * (1 - r) + s * (1 - s)) * (1 + 2 * rho_client) / (3 * clients)
    degrees = (far + frr) ** 2 / (far**2 / (impostors - 1) + frr**2 / (clients - 1))
    shift = (q - p + s - r) / sqrt(far + frr)
    critical = stats.t.ppf(0.975, degrees)
    expected = stats.nct.sf(critical, degrees, shift) + stats.nct.cdf(-critical, degrees, shift)
    plan = plan_comparison(
        (p, r),
        (q, s),
        individuals=clients,
        attempts=3,
        impostor_attempts=attempts,
        impostors=impostors,
        rho_client=rho_client,
        rho_impostor=rho_impostor,
        data_sets=0,
    )
    # the impostors' turns do not come out even: 84 trials of 5 impostors
    assert plan.power == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize(
    ("clients", "impostors", "impostor_attempts", "rho_client", "rho_impostor", "correlation"),
    [
        (70, None, 20, 0.0, 0.0, 0.3),
        (70, None, 20, 0.1, 0.0, 0.3),
        (100, 25, 25, 0.05, 0.02, 0.3),
        (100, 10, 30, 0.02, 0.05, 0.0),
        (60, 40, 15, 0.0, 0.1, 0.5),
        (100, 25, 25, 0.05, 0.02, None),
    ],
)
def test_planned_and_simulated_power(
    clients: int,
    impostors: int | None,
    impostor_attempts: int,
    rho_client: float,
    rho_impostor: float,
    correlation: float | None,
) -> None:
    plan = plan_comparison(
        (0.06, 0.10),
        (0.09, 0.14),
        individuals=clients,
        attempts=4,
        impostors=impostors,
        impostor_attempts=impostor_attempts,
        rho_client=rho_client,
        rho_impostor=rho_impostor,
        correlation=correlation,
    )
    assert 0.2 < plan.power < 0.97
    assert plan.power_simulated == pytest.approx(plan.power, abs=0.06)


def test_no_number_of_clients_makes_up_for_impostors() -> None:
    options: dict[str, Any] = {"impostor_attempts": 50, "rho_impostor": 0.05, "correlation": 0.5, "data_sets": 0}
    with pytest.raises(ParameterError) as error:
        plan_comparison((0.05, 0.1), (0.065, 0.1), impostors=10, **options)
    assert error.value.code == "too-few-impostors"
    least = error.value.text.values["least"]  # type: ignore[union-attr]
    assert least > 10
    endless = [
        plan_comparison((0.05, 0.1), (0.065, 0.1), impostors=number, individuals=10**9, **options).power
        for number in (least - 1, least)
    ]
    assert endless[0] < 0.8 <= endless[1] + 1e-6


def test_covariance_of_errors_against_scipy() -> None:
    for first, second, correlation in ((1.6, 2.0, 0.3), (2.3, 2.3, 0.95), (0.0, 1.0, -0.6), (0.0, 0.0, 0.5)):
        expected = bivariate_excess(-first, -second, correlation)
        assert error_covariance(first, second, correlation) == pytest.approx(expected, abs=1e-7)
    # the same score twice: the variance of an error
    assert error_covariance(1.5, 1.5, 1.0) == pytest.approx(stats.norm.sf(1.5) * stats.norm.cdf(1.5), rel=1e-6)


@pytest.mark.parametrize("correlation", [0.4, None])
def test_simulated_errors_have_the_rates_and_correlations_asked_for(correlation: float | None) -> None:
    rho_client, rho_impostor = 0.1, 0.05
    setting = ComparisonSetting((0.1, 0.2), (0.15, 0.25), 2, 2, 400, rho_client, rho_impostor, correlation=correlation)
    model = ScoreModel.of(setting, 0)
    assert model is not None
    # 200,000 clients with two attempts each, by impostors who take turns
    first, second = (wrong.astype(float) for wrong in model.errors((200_000, 2), 100_000, np.random.default_rng(0)))
    assert (first.mean(), second.mean()) == pytest.approx((0.1, 0.15), abs=0.003)
    if correlation is not None:
        assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(correlation, abs=0.01)
    for value in [first - second] if correlation is not None else [first, second]:
        assert np.corrcoef(value[:, 0], value[:, 1])[0, 1] == pytest.approx(rho_client, abs=0.01)
        # 50,000 clients on, the same impostors come again
        later = np.roll(value, 50_000, axis=0)
        assert np.corrcoef(value[:, 0], later[:, 0])[0, 1] == pytest.approx(rho_impostor, abs=0.01)


def test_equal_systems_are_told_apart_as_often_as_the_level_says() -> None:
    setting = ComparisonSetting((0.1, 0.2), (0.1, 0.2), 4, 20, 20, 0.05, 0.02, 0.3)
    found = simulate_comparison_power(setting, 60, data_sets=500)
    assert found is not None
    assert found.power == pytest.approx(0.05, abs=4 * sqrt(0.05 * 0.95 / 500))
    assert found.error == sqrt(found.power * (1 - found.power) / 500)
    powers = [simulate_comparison_power(setting, 60, data_sets=100, rng=seed) for seed in (0, 0, 1, 2, 3)]
    assert powers[0] == powers[1]
    assert len(set(powers)) > 1


def test_what_is_not_simulated() -> None:
    setting = ComparisonSetting((0.1, 0.2), (0.1, 0.3), impostors=20)
    assert simulate_comparison_power(setting, 60, data_sets=0) is None
    assert simulate_comparison_power(setting, 10**7) is None
    strong = ComparisonSetting((0.01, 0.2), (0.01, 0.3), 1, 10, 20, 0.5, 0.5)
    assert simulate_comparison_power(strong, 60) is None
    # systems that never err, and never differ
    silent = simulate_comparison_power(ComparisonSetting((0, 0), (0, 0)), 10, data_sets=5)
    assert silent is not None
    assert silent.power == 0


def test_intraclass_correlation_of_an_analysis_of_variance_by_hand() -> None:
    """Three people with two values each: means 1, 2 and 4; mean squares 14/3 between and 1 within."""
    values, groups = np.array([0.0, 2, 1, 3, 4, 4]), np.array([7, 7, 3, 3, 5, 5])
    between, within = 2 * ((1 - 7 / 3) ** 2 + (2 - 7 / 3) ** 2 + (4 - 7 / 3) ** 2) / 2, 4 / 3
    assert intraclass_correlation(values, groups) == pytest.approx((between - within) / (between + within))


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.6])
def test_intraclass_correlation_finds_what_was_simulated(rho: float) -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(4000), rng.integers(1, 6, 4000))
    values = np.sqrt(rho) * rng.normal(size=4000)[groups] + np.sqrt(1 - rho) * rng.normal(size=len(groups))
    assert intraclass_correlation(values, groups) == pytest.approx(rho, abs=0.03)


@pytest.mark.parametrize("groups", [[0, 1, 2], [0, 0, 0]])
def test_nothing_is_claimed_where_nothing_tells(groups: list[int]) -> None:
    assert intraclass_correlation(np.array([1.0, 2, 3]), np.array(groups)) == 0


def pair(
    scores: list[list[float]], genuine: list[bool], claim: list[str] | None = None, subject: list[str] | None = None
) -> Pair:
    trials = Trials.from_arrays(np.array(scores), genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    a, b = (judge_at(sets, 0.5, system=name) for name in ("a", "b"))
    return pair_judgements(a, b)


def test_observed_setting_counts_people_attempts_and_errors() -> None:
    found = observed_setting(
        pair(
            [[0.9, 0.4], [0.8, 0.9], [0.4, 0.4], [0.9, 0.9], [0.6, 0.1], [0.1, 0.1], [0.2, 0.2], [0.3, 0.3]],
            [True, True, True, True, False, False, False, False],
            claim=["x", "x", "y", "y", "x", "x", "y", "y"],
            subject=["x", "x", "y", "y", "p", "q", "p", "r"],
        )
    )
    assert (found.a, found.b) == ((0.25, 0.25), (0.0, 0.5))
    assert (found.individuals, found.attempts, found.impostor_attempts, found.impostors) == (2, 2, 2, 3)
    # genuine errors 0010 and 1010: covariance 1/8, deviations sqrt(3)/4 and 1/2; impostors of b make no error
    assert found.correlation == pytest.approx((1 / 8) / (np.sqrt(3) / 8))


def test_a_plan_needs_to_know_who_claimed_to_be_whom() -> None:
    with pytest.raises(TrialsError) as error:
        observed_setting(pair([[0.9, 0.4], [0.2, 0.1]], [True, False]))
    assert error.value.code == "no-ids"


def test_the_setting_has_the_power_of_the_test_that_it_was_taken_from() -> None:
    """The people that were observed, planned for: as likely as Student's t says, around the statistic of their test.

    Genuine trials of a client go together far more than impostor trials do.
    """
    rng = np.random.default_rng(7)
    clients, impostors, attempts = 300, 40, 3
    claim = np.concatenate([np.repeat(np.arange(clients), attempts), np.repeat(np.arange(clients), impostors)])
    genuine = np.arange(len(claim)) < clients * attempts
    subject = np.where(genuine, claim, 1000 + np.tile(np.arange(impostors), len(claim) // impostors + 1)[: len(claim)])
    genuine_effect, impostor_effect = 1.2 * rng.normal(size=(clients, 2)), 0.15 * rng.normal(size=(clients, 2))
    people = np.where(genuine[:, None], genuine_effect[claim], impostor_effect[claim])
    scores = 2.0 * genuine[:, None] + people + rng.normal(size=(len(claim), 2)) + [0.0, 0.6] * genuine[:, None]
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    both = pair_judgements(*(judge_at(sets, 1.0, system=name) for name in ("a", "b")))
    test, seen = leading_test(both, threshold="fixed"), observed_setting(both)
    plan = seen.plan(individuals=seen.individuals, data_sets=0)
    assert 0.2 < plan.power < 0.95
    assert plan.power == pytest.approx(norm.cdf(abs(test.statistic) - 1.96), abs=0.02)
