"""Comparisons with impostors common to all clients: planned power against the test itself on simulated scores."""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ParameterError, Trials, TrialSets, judge_at
from fairtrial.planning import ComparisonSetting, Rates, plan_comparison, simulate_comparison_power
from fairtrial.planning.simulation import ScoreModel, error_covariance
from fairtrial.significance.paired import leading_test, pair_judgements

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
    found = power_of_the_test(unknowing.individuals, 250)
    assert found < 0.6
    knowing = plan_comparison(
        A, B, individuals=unknowing.individuals, impostors=IMPOSTORS, rho_impostor=rho_impostor, **known
    )
    assert knowing.power == pytest.approx(found, abs=0.1)
    assert knowing.power_simulated == pytest.approx(found, abs=0.1)
    assert knowing.power_error is not None
    assert knowing.power_simulated is not None
    assert knowing.power_error == pytest.approx(sqrt(knowing.power_simulated * (1 - knowing.power_simulated) / 1000))


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
    with pytest.raises(ParameterError, match=r"power of 80 % with 10 impostors .* at least \d+$") as error:
        plan_comparison((0.05, 0.1), (0.065, 0.1), impostors=10, **options)
    least = int(str(error.value).rsplit(" ", 1)[1])
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
    setting = ComparisonSetting(
        Rates(0.1, 0.2), Rates(0.15, 0.25), 2, 2, 400, rho_client, rho_impostor, correlation=correlation
    )
    model = ScoreModel.of(setting, "far")
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
    setting = ComparisonSetting(Rates(0.1, 0.2), Rates(0.1, 0.2), 4, 20, 20, 0.05, 0.02, 0.3)
    found = simulate_comparison_power(setting, 60)
    assert found is not None
    assert found.power == pytest.approx(0.05, abs=0.025)
    assert found.data_sets == 1000
    assert simulate_comparison_power(setting, 60) == found
    assert simulate_comparison_power(setting, 60, rng=1) != found


def test_what_is_not_simulated() -> None:
    setting = ComparisonSetting(Rates(0.1, 0.2), Rates(0.1, 0.3), impostors=20)
    assert simulate_comparison_power(setting, 60, data_sets=0) is None
    assert simulate_comparison_power(setting, 10**7) is None
    strong = ComparisonSetting(Rates(0.01, 0.2), Rates(0.01, 0.3), 1, 10, 20, 0.5, 0.5)
    assert simulate_comparison_power(strong, 60) is None
    # systems that never err, and never differ
    silent = simulate_comparison_power(ComparisonSetting(Rates(0, 0), Rates(0, 0)), 10, data_sets=5)
    assert silent is not None
    assert silent.power == 0
