"""The two generators against enumeration of their construction, against scipy, and by their moments."""

from __future__ import annotations

from itertools import product
from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ParameterError
from fairtrial.repeated.generators import GENERATORS, Generator, draw_counts, draw_individuals, errors_pmf

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
        (0, 0.1, 0.1, "at least one attempt, a whole number, not 0"),
        (-2, 0.1, 0.1, "at least one attempt"),
        (2.5, 0.1, 0.1, "at least one attempt, a whole number, not 2.5"),
        (nan, 0.1, 0.1, "at least one attempt"),
        (float("inf"), 0.1, 0.1, "at least one attempt"),
        (10**9, 0.1, 0.1, "too many to simulate"),
        (3, -0.1, 0.1, "pi must be between 0 and 1 for the generator oman-zucker, not -0.1"),
        (3, 1.1, 0.1, "pi must be between 0 and 1"),
        (3, nan, 0.1, "pi must be between 0 and 1"),
        (3, 0.1, -0.01, "rho must be between 0 and 1"),
        (3, 0.1, 1.01, "rho must be between 0 and 1"),
        (3, 0.1, nan, "rho must be between 0 and 1"),
    ],
)
def test_values_out_of_range(attempts: Any, pi: float, rho: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        errors_pmf(attempts, pi, rho)
    with pytest.raises(ParameterError, match=message):
        draw_individuals([3, attempts], pi, rho)


def test_unknown_generator() -> None:
    name: Any = "poisson"
    with pytest.raises(ParameterError, match="generator must be one of oman-zucker, beta-binomial, not 'poisson'"):
        errors_pmf(3, 0.1, 0.1, generator=name)


@pytest.mark.parametrize(("people", "message"), [(0, "at least one individual"), (10**20, "too many to simulate")])
def test_number_of_people_out_of_range(people: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        draw_counts(people, errors_pmf(2, 0.1, 0.1), 1)


@given(pi=st.floats(1e-6, 1 - 1e-6), rho=st.floats(0, 1))
def test_pairs_of_attempts_have_the_correlation(pi: float, rho: float) -> None:
    assume(rho > 1e-9)
    for generator in NAMES:
        _, _, both = errors_pmf(2, pi, rho, generator=generator)
        assert (both - pi**2) / (pi * (1 - pi)) == pytest.approx(rho, abs=1e-9)
