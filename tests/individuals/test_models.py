"""Models of correlated attempts: their likelihoods against scipy's, the best of a grid, and intervals by simulation."""

from __future__ import annotations

from math import isnan, log, sqrt
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairtrial import Individuals, ParameterError, fit_model, rho_interval
from fairtrial.individuals import Generator, draw_counts, draw_individuals, errors_pmf
from reference.individuals_2004 import EXAMPLE

PEOPLE = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
MODELS: tuple[Generator, ...] = get_args(Generator)


def log_likelihood(people: Individuals, model: Generator, pi: float, rho: float) -> float:
    """By scipy's binomial and beta-binomial probabilities."""
    if model == "beta-binomial":
        theta = rho / (1 - rho)
        found = stats.binom.logpmf(people.errors, people.attempts, pi)
        if theta > 1e-5:  # scipy's beta functions cancel below
            found = stats.betabinom.logpmf(people.errors, people.attempts, pi / theta, (1 - pi) / theta)
    else:
        own, other = sqrt(rho) + (1 - sqrt(rho)) * pi, (1 - sqrt(rho)) * pi
        chances = [stats.binom.pmf(people.errors, people.attempts, rate) for rate in (own, other)]
        found = np.log(pi * chances[0] + (1 - pi) * chances[1])
    return float(people.counts @ found)


@pytest.mark.parametrize("model", MODELS)
@given(seed=st.integers(0, 10**6), rho=st.sampled_from([0.0, 0.1, 0.4, 0.8]))
@settings(deadline=None, max_examples=15)
def test_no_point_of_a_grid_is_more_likely_than_the_fit(model: Generator, seed: int, rho: float) -> None:
    rng = np.random.default_rng(seed)
    attempts = rng.integers(2, 9, size=60)
    people = Individuals.from_counts(draw_individuals(attempts, 0.15, rho, generator=model, rng=rng), attempts)
    fit = fit_model(people, model=model)
    assert fit.log_likelihood == pytest.approx(log_likelihood(people, model, fit.estimate, fit.rho), abs=1e-5)
    grid = [
        log_likelihood(people, model, pi, other)
        for pi in fit.estimate * np.geomspace(0.7, 1.4, 9)
        for other in (1e-6, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95)
    ]
    assert max(grid) <= fit.log_likelihood + 1e-4


@pytest.mark.parametrize("model", MODELS)
def test_ends_of_the_interval_are_as_likely_as_they_may_be(model: Generator) -> None:
    low, high = rho_interval(PEOPLE, model=model, confidence=0.9)
    best = fit_model(PEOPLE, model=model).log_likelihood
    for rho in (low, high):
        profile = max(log_likelihood(PEOPLE, model, pi, rho) for pi in np.linspace(0.05, 0.6, 2201))
        assert 2 * (best - profile) == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-3)


def test_people_who_differ_less_than_by_chance_have_an_interval_from_0() -> None:
    low, high = rho_interval(Individuals.from_counts([1] * 20, 5))
    assert low == 0
    assert 0 < high < 0.3


def test_people_who_err_always_or_never_have_an_interval_up_to_1() -> None:
    low, high = rho_interval(Individuals.from_counts([5] * 3 + [0] * 9, 5))
    assert (low > 0.3, high) == (True, 1)


@pytest.mark.parametrize("model", MODELS)
def test_an_interval_of_no_confidence_is_the_estimate(model: Generator) -> None:
    for people in (PEOPLE, Individuals.from_counts([1] * 20, 5)):
        rho = fit_model(people, model=model).rho
        assert rho_interval(people, model=model, confidence=1e-9) == pytest.approx((rho, rho), abs=1e-3)


@pytest.mark.parametrize(("errors", "attempts"), [([0, 0, 0], 5), ([5, 5, 5], 5), ([0, 1, 0, 1], 1)])
def test_where_nothing_tells_the_correlation(errors: list[int], attempts: int) -> None:
    people = Individuals.from_counts(errors, attempts)
    for model in MODELS:
        assert isnan(fit_model(people, model=model).rho)
        assert all(isnan(limit) for limit in rho_interval(people, model=model))


@pytest.mark.parametrize("model", MODELS)
def test_coverage_under_the_own_model(model: Generator) -> None:
    data_sets, m = 100, 5
    counts = draw_counts(200, errors_pmf(m, 0.1, 0.3, generator=model), data_sets, 5)
    people = [Individuals(np.arange(m + 1.0), np.full(m + 1, float(m)), row.astype(float)) for row in counts]
    held = sum(low <= 0.3 <= high for low, high in (rho_interval(own, model=model) for own in people))
    assert held / data_sets == pytest.approx(0.95, abs=4 * sqrt(0.95 * 0.05 / data_sets))


def test_what_is_not_possible() -> None:
    with pytest.raises(ParameterError, match="model must be one of"):
        fit_model(PEOPLE, model="poisson")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="confidence"):
        rho_interval(PEOPLE, confidence=1)
    with pytest.raises(ParameterError, match="one data set"):
        fit_model(Individuals(np.arange(2.0), np.ones(2), np.ones((3, 2))))


def test_two_attempts_make_the_models_the_same() -> None:
    people = Individuals.from_counts([0] * 30 + [1] * 6 + [2] * 4, 2)
    first, second = (fit_model(people, model=model) for model in MODELS)
    assert first.rho == pytest.approx(second.rho, abs=1e-3)
    # both fit the three numbers exactly
    exact = log(0.75) * 30 + log(0.15) * 6 + log(0.1) * 4
    assert (first.log_likelihood, second.log_likelihood) == pytest.approx((exact, exact), abs=1e-5)
