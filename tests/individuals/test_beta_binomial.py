"""The beta-binomial by maximum likelihood against scipy's probabilities, maximised and differentiated numerically."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize
from scipy.special import gammaln

from fairtrial import ParameterError
from fairtrial.individuals.attempts import Individuals
from fairtrial.individuals.beta_binomial import fit_beta_binomial
from reference.individuals_2004 import EXAMPLE

Floats = NDArray[np.float64]


def log_likelihood(errors: Floats, attempts: Floats, pi: float, theta: float) -> float:
    """By scipy; theta is rho / (1 - rho), so that a + b = 1 / theta."""
    return float(np.sum(stats.betabinom.logpmf(errors, attempts, pi / theta, (1 - pi) / theta)))


def binomial_factors(errors: Floats, attempts: Floats) -> float:
    return float((gammaln(attempts + 1) - gammaln(errors + 1) - gammaln(attempts - errors + 1)).sum())


def maximised(errors: Floats, attempts: Floats) -> tuple[float, float, float]:
    """The rate, the correlation and the standard deviation of the rate, from scipy's probabilities alone."""

    def cost(point: Floats) -> float:
        return -log_likelihood(errors, attempts, 1 / (1 + exp(-point[0])), exp(point[1]))

    starts = [np.array([logit, log_theta]) for logit in (-2.0, 0.0) for log_theta in (-2.0, 0.0)]
    best = min(
        (minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}) for start in starts),
        key=lambda found: float(found.fun),
    )
    pi, log_theta = 1 / (1 + exp(-best.x[0])), float(best.x[1])
    step = 1e-4 * np.diag([min(pi, 1 - pi), 1.0])
    at = np.array([pi, log_theta])

    def value(*moves: Floats) -> float:
        point = at + sum(moves)
        return log_likelihood(errors, attempts, point[0], exp(point[1]))

    second = np.array([
        [
            (value(a, b) - value(a, -b) - value(-a, b) + value(-a, -b)) / (4 * np.abs(a).max() * np.abs(b).max())
            for b in step
        ]
        for a in step
    ])  # fmt: skip
    sigma = sqrt(np.linalg.inv(-second)[0, 0])
    theta = exp(log_theta)
    return pi, theta / (1 + theta), sigma


DATA: dict[str, tuple[list[int], list[int]]] = {
    "example": (list(EXAMPLE.errors), [EXAMPLE.attempts] * 10),
    "unequal": ([0, 3, 1, 0, 7, 0, 2, 12, 0, 1, 0, 4], [3, 9, 2, 6, 8, 1, 15, 20, 5, 5, 30, 11]),
    "weak": ([2, 4, 1, 3, 5, 2, 0, 3, 2, 6, 1, 4, 2, 2, 3, 7], [10] * 16),
    "high": ([9, 10, 10, 10, 8, 10, 10, 3, 10, 10], [10] * 10),
    "mostly-once": ([0, 1, 0, 0, 1, 0, 0, 2, 0, 3], [1, 1, 1, 1, 1, 1, 1, 3, 4, 3]),
}


@pytest.mark.parametrize("data", DATA)
def test_fit_against_scipy_maximised_directly(data: str) -> None:
    errors, attempts = (np.array(values, dtype=float) for values in DATA[data])
    pi, rho, sigma = maximised(errors, attempts)
    fit = fit_beta_binomial(Individuals.from_counts(errors, attempts))
    assert fit.rho > 0.005
    assert (fit.estimate, fit.rho) == pytest.approx((pi, rho), rel=2e-4)
    assert fit.sigma == pytest.approx(sigma, rel=1e-3)
    there = log_likelihood(errors, attempts, fit.estimate, fit.rho / (1 - fit.rho))
    assert fit.log_likelihood == pytest.approx(there - binomial_factors(errors, attempts))
    low, high = fit.interval(0.9)
    assert (low, high) == pytest.approx((pi - 1.644854 * sigma, pi + 1.644854 * sigma), rel=1e-3)


@settings(max_examples=60)
@given(data=st.data())
def test_nothing_on_a_grid_is_more_likely(data: st.DataObject) -> None:
    attempts = np.array(data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=7)), dtype=float)
    errors = np.array([data.draw(st.integers(0, int(m))) for m in attempts], dtype=float)
    fit = fit_beta_binomial(Individuals.from_counts(errors, attempts))
    if errors.sum() in (0, attempts.sum()):
        assert np.isnan([fit.rho, fit.sigma]).all()
        return
    assert 0 < fit.estimate < 1
    assert 0 <= fit.rho < 1
    assert fit.sigma > 0
    pi, theta = np.meshgrid(np.linspace(0.02, 0.98, 33), np.geomspace(1e-4, 1e4, 33))
    pi, theta = pi.reshape(-1, 1), theta.reshape(-1, 1)
    grid = np.sum(stats.betabinom.logpmf(errors, attempts, pi / theta, (1 - pi) / theta), axis=1)
    assert fit.log_likelihood >= grid.max() - binomial_factors(errors, attempts) - 1e-6


def test_people_who_differ_less_than_by_chance_are_binomial() -> None:
    errors, attempts = np.array([2.0, 2, 3, 2, 3, 2]), np.array([8.0, 8, 9, 8, 10, 9])
    fit = fit_beta_binomial(Individuals.from_counts(errors, attempts))
    pi = errors.sum() / attempts.sum()
    assert fit.rho == 0
    assert fit.estimate == pytest.approx(pi)
    assert fit.sigma == pytest.approx(sqrt(pi * (1 - pi) / attempts.sum()))
    binomial = float(np.sum(stats.binom.logpmf(errors, attempts, pi)))
    assert fit.log_likelihood == pytest.approx(binomial - binomial_factors(errors, attempts))
    # and any correlation is less likely indeed
    assert log_likelihood(errors, attempts, pi, 0.01) < binomial


def test_all_or_nothing_has_a_correlation_close_to_1() -> None:
    # then a person is worth one attempt, however many he made
    fit = fit_beta_binomial(Individuals.from_counts([6] * 5 + [0] * 15, 6))
    assert fit.rho == pytest.approx(1, abs=1e-4)
    assert fit.estimate == pytest.approx(0.25, rel=1e-3)
    assert fit.sigma == pytest.approx(sqrt(0.25 * 0.75 / 20), rel=1e-3)


def test_one_attempt_each_is_binomial() -> None:
    fit = fit_beta_binomial(Individuals.from_counts([1] * 4 + [0] * 12, 1))
    assert (fit.estimate, fit.rho, fit.sigma) == pytest.approx((0.25, 0, sqrt(0.25 * 0.75 / 16)))


@pytest.mark.parametrize("errors", [0, 4])
def test_without_errors_or_successes_there_is_no_deviation(errors: int) -> None:
    fit = fit_beta_binomial(Individuals.from_counts([errors] * 5, 4))
    assert fit.estimate == errors / 4
    assert np.isnan([fit.rho, fit.sigma, *fit.interval()]).all()


def test_estimates_of_a_large_sample_are_the_truth() -> None:
    rng = np.random.default_rng(0)
    attempts = rng.integers(1, 15, 30_000)
    errors = stats.betabinom(attempts, 0.6, 5.4).rvs(random_state=rng)
    fit = fit_beta_binomial(Individuals.from_counts(errors, attempts))
    assert fit.estimate == pytest.approx(0.1, abs=4 * fit.sigma)
    assert fit.rho == pytest.approx(1 / 7, abs=0.01)


def test_many_data_sets_are_an_error() -> None:
    with pytest.raises(ParameterError, match=r"data set.*several at once"):
        fit_beta_binomial(Individuals(np.arange(2.0), np.ones(2), np.ones((3, 2))))


@pytest.mark.parametrize(
    ("people", "attempts", "a", "b"),
    [(517, 516, 1, 400), (517, 516, 3, 3000), (1000, 300, 0.5, 300), (100, 2000, 0.05, 30)],
)
def test_many_attempts_at_low_rates(people: int, attempts: int, a: float, b: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        errors = rng.binomial(attempts, rng.beta(a, b, people))
        data = Individuals.from_counts(errors, attempts)
        fit = fit_beta_binomial(data)
        assert fit.estimate == pytest.approx(float(data.estimate), rel=0.2)
        assert 0.5 < fit.sigma / float(np.sqrt(data.variance)) < 2
        # no neighbour is likelier
        for pi, rho in ((1.01, 1), (0.99, 1), (1, 1.05), (1, 0.95)):
            rest = 1 / (fit.rho * rho) - 1
            rate = fit.estimate * pi
            value = stats.betabinom.logpmf(errors, attempts, rate * rest, (1 - rate) * rest).sum()
            rest = 1 / fit.rho - 1
            best = stats.betabinom.logpmf(errors, attempts, fit.estimate * rest, (1 - fit.estimate) * rest).sum()
            assert value < best


def test_more_attempts_than_can_be_fitted_are_undefined_not_an_error() -> None:
    fit = fit_beta_binomial(Individuals.from_counts([1, 0, 3], 300_000_000))
    assert np.isnan(fit.sigma)
