"""Probabilities and draws of both models against enumeration and scipy; fits against numerical maxima; tests of fit."""

from __future__ import annotations

from itertools import product
from math import exp, isnan, log, nan, sqrt
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize

from fairtrial import ParameterError
from fairtrial.repeated import fit_test, rho_interval
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.fits import fit_model
from fairtrial.repeated.models import GENERATORS, Generator, draw_counts, draw_individuals, errors_pmf
from reference.individuals_2004 import EXAMPLE

Floats = NDArray[np.float64]


def log_likelihood(errors: Floats, attempts: Floats, pi: float, theta: float) -> float:
    """By scipy; theta is rho / (1 - rho), so that a + b = 1 / theta."""
    return float(np.sum(stats.betabinom.logpmf(errors, attempts, pi / theta, (1 - pi) / theta)))


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
    fit = fit_model(Individuals.from_counts(errors, attempts))
    assert fit.rho > 0.005
    assert (fit.estimate, fit.rho) == pytest.approx((pi, rho), rel=2e-4)
    assert fit.sigma == pytest.approx(sigma, rel=1e-3)
    there = log_likelihood(errors, attempts, fit.estimate, fit.rho / (1 - fit.rho))
    assert fit.log_likelihood == pytest.approx(there)
    low, high = fit.interval(0.9)
    assert (low, high) == pytest.approx((pi - 1.644854 * sigma, pi + 1.644854 * sigma), rel=1e-3)


@settings(max_examples=60)
@given(data=st.data())
def test_nothing_on_a_grid_is_more_likely(data: st.DataObject) -> None:
    attempts = np.array(data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=7)), dtype=float)
    errors = np.array([data.draw(st.integers(0, int(m))) for m in attempts], dtype=float)
    fit = fit_model(Individuals.from_counts(errors, attempts))
    if errors.sum() in (0, attempts.sum()):
        assert np.isnan([fit.rho, fit.sigma]).all()
        return
    assert 0 < fit.estimate < 1
    assert 0 <= fit.rho < 1 or attempts.max() == 1
    assert fit.sigma > 0
    pi, theta = np.meshgrid(np.linspace(0.02, 0.98, 33), np.geomspace(1e-4, 1e4, 33))
    pi, theta = pi.reshape(-1, 1), theta.reshape(-1, 1)
    grid = np.sum(stats.betabinom.logpmf(errors, attempts, pi / theta, (1 - pi) / theta), axis=1)
    assert fit.log_likelihood >= grid.max() - 1e-6


def test_people_who_differ_less_than_by_chance_are_binomial() -> None:
    errors, attempts = np.array([2.0, 2, 3, 2, 3, 2]), np.array([8.0, 8, 9, 8, 10, 9])
    fit = fit_model(Individuals.from_counts(errors, attempts))
    pi = errors.sum() / attempts.sum()
    assert fit.rho == 0
    assert fit.estimate == pytest.approx(pi)
    assert fit.sigma == pytest.approx(sqrt(pi * (1 - pi) / attempts.sum()))
    binomial = float(np.sum(stats.binom.logpmf(errors, attempts, pi)))
    assert fit.log_likelihood == pytest.approx(binomial)
    # and any correlation is less likely indeed
    assert log_likelihood(errors, attempts, pi, 0.01) < binomial


def test_all_or_nothing_has_a_correlation_close_to_1() -> None:
    # then a person is worth one attempt, however many he made
    fit = fit_model(Individuals.from_counts([6] * 5 + [0] * 15, 6))
    assert fit.rho == pytest.approx(1, abs=1e-4)
    assert fit.estimate == pytest.approx(0.25, rel=1e-3)
    assert fit.sigma == pytest.approx(sqrt(0.25 * 0.75 / 20), rel=1e-3)


def test_one_attempt_each_is_binomial() -> None:
    fit = fit_model(Individuals.from_counts([1] * 4 + [0] * 12, 1))
    assert (fit.estimate, fit.sigma) == pytest.approx((0.25, sqrt(0.25 * 0.75 / 16)))
    assert isnan(fit.rho)


@pytest.mark.parametrize("errors", [0, 4])
def test_without_errors_or_successes_there_is_no_deviation(errors: int) -> None:
    fit = fit_model(Individuals.from_counts([errors] * 5, 4))
    assert fit.estimate == errors / 4
    assert np.isnan([fit.rho, fit.sigma, *fit.interval()]).all()


def test_estimates_of_a_large_sample_are_the_truth() -> None:
    rng = np.random.default_rng(0)
    attempts = rng.integers(1, 15, 30_000)
    errors = stats.betabinom(attempts, 0.6, 5.4).rvs(random_state=rng)
    fit = fit_model(Individuals.from_counts(errors, attempts))
    assert fit.estimate == pytest.approx(0.1, abs=4 * fit.sigma)
    assert fit.rho == pytest.approx(1 / 7, abs=0.01)


def test_many_data_sets_are_an_error() -> None:
    with pytest.raises(ParameterError, match=r"data set.*several at once"):
        fit_model(Individuals(np.arange(2.0), np.ones(2), np.ones((3, 2))))


@pytest.mark.parametrize(
    ("people", "attempts", "a", "b"),
    [(517, 516, 1, 400), (517, 516, 3, 3000), (1000, 300, 0.5, 300), (100, 2000, 0.05, 30)],
)
def test_many_attempts_at_low_rates(people: int, attempts: int, a: float, b: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        errors = rng.binomial(attempts, rng.beta(a, b, people))
        data = Individuals.from_counts(errors, attempts)
        fit = fit_model(data)
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
    fit = fit_model(Individuals.from_counts([1, 0, 3], 300_000_000))
    assert np.isnan(fit.sigma)


PEOPLE = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
MODELS: tuple[Generator, ...] = get_args(Generator)


def model_likelihood(people: Individuals, model: Generator, pi: float, rho: float) -> float:
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
    assert fit.log_likelihood == pytest.approx(model_likelihood(people, model, fit.estimate, fit.rho), abs=1e-5)
    grid = [
        model_likelihood(people, model, pi, other)
        for pi in fit.estimate * np.geomspace(0.7, 1.4, 9)
        for other in (1e-6, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95)
    ]
    assert max(grid) <= fit.log_likelihood + 1e-4


@pytest.mark.parametrize("model", MODELS)
def test_ends_of_the_interval_are_as_likely_as_they_may_be(model: Generator) -> None:
    low, high = rho_interval(PEOPLE, model=model, confidence=0.9)
    best = fit_model(PEOPLE, model=model).log_likelihood
    for rho in (low, high):
        profile = max(model_likelihood(PEOPLE, model, pi, rho) for pi in np.linspace(0.05, 0.6, 2201))
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
    data_sets, m = 40, 5
    counts = draw_counts(200, errors_pmf(m, 0.1, 0.3, generator=model), data_sets, 5)
    people = [Individuals(np.arange(m + 1.0), np.full(m + 1, float(m)), row.astype(float)) for row in counts]
    held = sum(low <= 0.3 <= high for low, high in (rho_interval(own, model=model) for own in people))
    assert held / data_sets == pytest.approx(0.95, abs=4 * sqrt(0.95 * 0.05 / data_sets))


def test_what_is_not_possible() -> None:
    with pytest.raises(ParameterError, match=r"^model "):
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


def test_expected_people_respect_their_attempts() -> None:
    errors, attempts = [0, 1, 0, 3, 0, 2, 0, 4], [2, 2, 5, 5, 5, 8, 8, 8]
    found = fit_test(Individuals.from_counts(errors, attempts), models=["beta-binomial"], n_resamples=5)
    fit, theta = found.models[0].fit, found.models[0].fit.rho / (1 - found.models[0].fit.rho)
    shapes = fit.estimate / theta, (1 - fit.estimate) / theta
    expected = [sum(float(stats.betabinom.pmf(k, m, *shapes)) for m in attempts) for k in range(9)]
    assert found.models[0].expected == pytest.approx(expected)
    assert found.observed.tolist() == [4, 1, 1, 1, 1, 0, 0, 0, 0]
    statistic = 2 * sum(o * np.log(o / e) for o, e in zip(found.observed, expected, strict=True) if o)
    assert found.models[0].statistic == pytest.approx(statistic)


@pytest.mark.parametrize(("true", "other"), [(0, 1), (1, 0)])
def test_the_true_model_fits_and_the_other_does_not(true: int, other: int) -> None:
    models: list[Generator] = ["beta-binomial", "oman-zucker"]
    errors = draw_individuals([12] * 400, 0.1, 0.2, generator=models[true], rng=3)
    found = fit_test(Individuals.from_counts(errors, 12), models=models, n_resamples=24)
    assert found.models[true].p_value > 0.05
    assert found.models[other].p_value == pytest.approx(1 / 25)
    assert found.models[true].fit.log_likelihood > found.models[other].fit.log_likelihood


def test_level_of_the_true_model() -> None:
    rng = np.random.default_rng(4)
    p_values = []
    for _ in range(20):
        people = Individuals.from_counts(draw_individuals([6] * 80, 0.15, 0.2, generator="beta-binomial", rng=rng), 6)
        found = fit_test(people, models=["beta-binomial"], n_resamples=9, rng=rng)
        p_values.append(found.models[0].p_value)
    # uniform on 1/10, ..., 1: 4 standard deviations around 10 % and around the mean
    assert np.mean(np.array(p_values) <= 0.1) < 0.1 + 4 * (0.1 * 0.9 / 20) ** 0.5
    assert np.mean(p_values) == pytest.approx(0.55, abs=4 * 0.29 / 20**0.5)


def test_nothing_to_fit() -> None:
    found = fit_test(Individuals.from_counts([0, 0, 0], 5), n_resamples=5)
    assert all(isnan(model.p_value) for model in found.models)
    assert [note.code for note in found.notes] == ["rho-undefined"]


def test_few_repeated_errors_are_noted() -> None:
    found = fit_test(Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts), n_resamples=5)
    assert [(note.code, note.values) for note in found.notes] == [
        ("simulated", {"count": 5}), ("few-people", {"count": 2}),
    ]  # fmt: skip


def test_same_seed_same_p_value() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    first, second = (fit_test(people, n_resamples=10, rng=7).to_dict() for _ in range(2))
    assert first == second


def test_fits_that_are_not_possible() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    with pytest.raises(ParameterError, match="at least one model"):
        fit_test(people, models=[])
    with pytest.raises(ParameterError, match="at least one resample"):
        fit_test(people, n_resamples=0)


NAMES: list[Generator] = ["oman-zucker", "beta-binomial"]


def enumerated(attempts: int, pi: float, rho: float) -> NDArray[np.float64]:
    """x_j = Z_0 with probability sqrt(rho), else Z_j, all Z Bernoulli(pi): all outcomes of all Z and all choices."""
    masses = np.zeros(attempts + 1)
    for own, *fresh in product((0, 1), repeat=attempts + 1):
        for repeats in product((0, 1), repeat=attempts):
            chance = 1.0
            for z in (own, *fresh):
                chance *= pi if z else 1 - pi
            for r in repeats:
                chance *= sqrt(rho) if r else 1 - sqrt(rho)
            masses[sum(own if r else z for r, z in zip(repeats, fresh, strict=True))] += chance
    return masses


@pytest.mark.parametrize("attempts", [1, 2, 3])
@pytest.mark.parametrize("pi", [0.001, 0.1, 0.5, 0.93, 0.0, 1.0])
@pytest.mark.parametrize("rho", [0.0, 0.01, 0.4, 1.0])
def test_oman_zucker_against_enumeration(attempts: int, pi: float, rho: float) -> None:
    found = errors_pmf(attempts, pi, rho, generator="oman-zucker")
    assert found == pytest.approx(enumerated(attempts, pi, rho), abs=1e-14)


@pytest.mark.parametrize("attempts", [1, 2, 7, 30, 200])
@pytest.mark.parametrize("pi", [0.0001, 0.1, 0.5, 0.97])
@pytest.mark.parametrize("rho", [0.001, 0.05, 0.4, 0.8, 0.999])
def test_beta_binomial_against_scipy(attempts: int, pi: float, rho: float) -> None:
    both = 1 / rho - 1
    expected = stats.betabinom(attempts, pi * both, (1 - pi) * both).pmf(np.arange(attempts + 1))
    assert errors_pmf(attempts, pi, rho, generator="beta-binomial") == pytest.approx(expected, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("rho", [0.0, 5e-324, 1e-200, 1e-15])
def test_hardly_any_correlation_is_binomial_against_scipy(rho: float) -> None:
    expected = stats.binom(12, 0.3).pmf(np.arange(13))
    assert errors_pmf(12, 0.3, rho, generator="beta-binomial") == pytest.approx(expected, rel=1e-9)
    # the square root of the correlation counts here
    assert errors_pmf(12, 0.3, rho) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("generator", NAMES)
def test_full_correlation_is_all_or_nothing(generator: Generator) -> None:
    assert errors_pmf(4, 0.3, 1.0, generator=generator) == pytest.approx([0.7, 0, 0, 0, 0.3])
    assert errors_pmf(4, 0.0, 0.5, generator=generator).tolist() == [1, 0, 0, 0, 0]
    assert errors_pmf(4, 1.0, 0.5, generator=generator).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("generator", NAMES)
@given(attempts=st.integers(1, 80), pi=st.floats(0, 1), rho=st.floats(0, 1))
@example(attempts=50, pi=0.01, rho=1e-13)
@example(attempts=2, pi=5e-324, rho=1e-9)
def test_moments_against_eq_4(generator: Generator, attempts: int, pi: float, rho: float) -> None:
    masses = errors_pmf(attempts, pi, rho, generator=generator)
    k = np.arange(attempts + 1)
    assert masses.shape == (attempts + 1,)
    assert np.all(masses >= 0)
    assert masses.sum() == pytest.approx(1, abs=1e-10)
    assert masses @ k == pytest.approx(attempts * pi, rel=1e-8, abs=1e-10)
    variance = attempts * pi * (1 - pi) * (1 + (attempts - 1) * rho)
    assert masses @ (k - attempts * pi) ** 2 == pytest.approx(variance, rel=1e-7, abs=1e-9)


def test_generators_differ_where_three_attempts_tell_them_apart() -> None:
    first, second = (errors_pmf(3, 0.1, 0.2, generator=name) for name in NAMES)
    assert np.abs(first - second).max() > 0.004
    assert errors_pmf(2, 0.1, 0.2) == pytest.approx(errors_pmf(2, 0.1, 0.2, generator="beta-binomial"))
    assert list(GENERATORS) == NAMES


@pytest.mark.parametrize("generator", NAMES)
def test_drawn_counts_have_the_probabilities(generator: Generator) -> None:
    masses = errors_pmf(4, 0.2, 0.3, generator=generator)
    found = draw_counts(50, masses, 2000, 4)
    assert found.shape == (2000, 5)
    assert found.sum(axis=1).tolist() == [50] * 2000
    assert stats.chisquare(found.sum(axis=0), 100_000 * masses / masses.sum()).pvalue > 0.001
    assert found.tolist() == draw_counts(50, masses, 2000, 4).tolist()


@pytest.mark.parametrize("generator", NAMES)
def test_drawn_people_with_unequal_attempts_have_the_moments(generator: Generator) -> None:
    attempts = np.tile([1, 2, 9, 40], 10_000)
    pi, rho = 0.15, 0.25
    found = draw_individuals(attempts, pi, rho, generator=generator, rng=3)
    assert found.shape == attempts.shape
    assert found.min() >= 0
    assert np.all(found <= attempts)
    for m in (1, 2, 9, 40):
        drawn = found[attempts == m]
        variance = m * pi * (1 - pi) * (1 + (m - 1) * rho)
        assert drawn.mean() == pytest.approx(m * pi, abs=4.5 * sqrt(variance / 10_000))
        spread = np.var((drawn - m * pi) ** 2)  # of squares, by what was drawn
        assert drawn.var() == pytest.approx(variance, abs=4.5 * sqrt(spread / 10_000))
        frequencies = np.bincount(drawn, minlength=m + 1)
        expected = 10_000 * errors_pmf(m, pi, rho, generator=generator)
        kept = expected > 5
        scaled = expected[kept] * frequencies[kept].sum() / expected[kept].sum()
        assert stats.chisquare(frequencies[kept], scaled).pvalue > 0.001


def test_drawing_people_repeats_with_the_seed() -> None:
    first, same, other = (draw_individuals([5] * 200, 0.3, 0.2, rng=seed).tolist() for seed in (1, 1, 2))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("attempts", "pi", "rho", "message"),
    [
        (0, 0.1, 0.1, "attempts must be a whole number from 1 to 10,000,000, not 0"),
        (-2, 0.1, 0.1, "whole number from 1"),
        (2.5, 0.1, 0.1, "not 2.5"),
        (nan, 0.1, 0.1, "whole number from 1"),
        (float("inf"), 0.1, 0.1, "whole number from 1"),
        (10**9, 0.1, 0.1, "not 1000000000"),
        (3, -0.1, 0.1, "^pi "),
        (3, 1.1, 0.1, "^pi "),
        (3, nan, 0.1, "^pi "),
        (3, 0.1, -0.01, "^rho "),
        (3, 0.1, 1.01, "^rho "),
        (3, 0.1, nan, "^rho "),
    ],
)
def test_values_out_of_range(attempts: Any, pi: float, rho: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        errors_pmf(attempts, pi, rho)
    with pytest.raises(ParameterError, match=message):
        draw_individuals([3, attempts], pi, rho)


def test_unknown_generator() -> None:
    name: Any = "poisson"
    with pytest.raises(ParameterError, match=r"^generator "):
        errors_pmf(3, 0.1, 0.1, generator=name)


@pytest.mark.parametrize("people", [0, 10**20, 10**400])
def test_number_of_people_out_of_range(people: int) -> None:
    with pytest.raises(ParameterError, match="individuals"):
        draw_counts(people, errors_pmf(2, 0.1, 0.1), 1)


@given(pi=st.floats(1e-6, 1 - 1e-6), rho=st.floats(0, 1))
def test_pairs_of_attempts_have_the_correlation(pi: float, rho: float) -> None:
    assume(rho > 1e-9)
    for generator in NAMES:
        _, _, both = errors_pmf(2, pi, rho, generator=generator)
        assert (both - pi**2) / (pi * (1 - pi)) == pytest.approx(rho, abs=1e-9)
