"""Quantiles of sums against scipy's Poisson binomial, and order statistics against sorted uniform numbers."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ParameterError
from fairtrial.repeated.replicates import order_statistics, percentile_ranks, sum_quantiles

rates = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1 / 40, 1e-3, 1 - 1e-3]), st.floats(0, 1))
LEVELS = np.array([1e-4, 0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995, 1 - 1e-4])


def distribution_function(probabilities: list[float], repeats: list[int]) -> NDArray[np.float64]:
    """At 0, 1, ... all, by scipy."""
    if sum(repeats) <= 500 and hasattr(stats, "poisson_binom"):  # since scipy 1.15
        each = np.repeat(probabilities, repeats)
        return np.asarray(stats.poisson_binom(each).cdf(np.arange(len(each) + 1)))
    # scipy takes memory by the square of the draws; so many are binomials put together
    masses = np.ones(1)
    for p, r in zip(probabilities, repeats, strict=True):
        if r <= 500:  # one by one, as the binomial of older versions of scipy overflows at tiny probabilities
            for _ in range(r):
                masses = np.convolve(masses, [1 - p, p])
        else:
            masses = np.convolve(masses, stats.binom(r, p).pmf(np.arange(r + 1)))
    return np.asarray(masses.cumsum())


def spread(probabilities: list[float], repeats: list[int]) -> float:
    return sqrt(sum(r * p * (1 - p) for p, r in zip(probabilities, repeats, strict=True)))


def quantiles(probabilities: list[float], repeats: list[int], levels: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sum_quantiles(np.array(probabilities), np.array([repeats], dtype=float), levels[None])[0])


@st.composite
def sums(draw: st.DrawFn, most: int) -> tuple[list[float], list[int]]:
    probabilities = draw(st.lists(rates, min_size=1, max_size=5))
    repeats = [draw(st.integers(0, most)) for _ in probabilities]
    repeats[0] = max(repeats[0], 1)
    return probabilities, repeats


@given(drawn=sums(50), levels=st.lists(st.floats(1e-6, 1 - 1e-6), min_size=1, max_size=5))
def test_narrow_sums_are_exact_against_scipy(drawn: tuple[list[float], list[int]], levels: list[float]) -> None:
    assert spread(*drawn) < 8
    expected = distribution_function(*drawn)
    found = quantiles(*drawn, np.array(levels))
    for x, level in zip(found, levels, strict=True):
        assert x == int(x)
        # where scipy's sum comes within 1e-9 of the level, either side is right
        assert expected[int(x)] >= level - 1e-9
        assert x == 0 or expected[int(x) - 1] < level + 1e-9


@pytest.mark.parametrize(
    ("probabilities", "repeats"),
    [
        ([0.5], [255]),  # sd 7.98
        ([0.01, 0.2], [4000, 100]),
        ([0.999], [50_000]),
        ([0.001, 0.002, 0.9], [3000, 8000, 200]),
        ([0.03, 1.0, 0.0], [2000, 700, 900]),
    ],
)
def test_wide_windows_below_a_deviation_of_8_are_exact(probabilities: list[float], repeats: list[int]) -> None:
    assert 4 < spread(probabilities, repeats) < 8
    expected = np.searchsorted(distribution_function(probabilities, repeats), LEVELS)
    assert quantiles(probabilities, repeats, LEVELS).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("probabilities", "repeats"),
    [
        ([0.5], [300]),
        ([0.01, 0.3], [9000, 20]),
        ([0.99, 0.02], [9000, 50]),
        ([0.02, 0.001, 1.0], [5000, 5000, 5]),
        ([0.1, 0.4, 0.6], [900, 300, 200]),
    ],
)
def test_wide_sums_miss_levels_by_little(probabilities: list[float], repeats: list[int]) -> None:
    sigma = spread(probabilities, repeats)
    assert sigma > 8
    cumulated = distribution_function(probabilities, repeats)
    levels = np.concatenate([LEVELS, np.linspace(0.001, 0.999, 5000)])
    found = quantiles(probabilities, repeats, levels).astype(int)
    # the level that was met: none if the value is the exact one, else how far the distribution function is off
    missed = np.maximum(cumulated[found - 1] - levels, 0) + np.maximum(levels - cumulated[found], 0)
    assert missed.max() < 2e-5
    assert np.abs(found - np.searchsorted(cumulated, levels)).max() <= 1


def test_impossible_and_sure_draws() -> None:
    levels = np.array([0.01, 0.5, 0.99])
    assert quantiles([0.0], [1000], levels).tolist() == [0, 0, 0]
    assert quantiles([1.0], [1000], levels).tolist() == [1000, 1000, 1000]
    assert quantiles([0.0, 1.0, 0.5], [5, 3, 0], levels).tolist() == [3, 3, 3]
    # a fair coin on top of three sure ones
    assert quantiles([0.0, 1.0, 0.5], [5, 3, 1], levels).tolist() == [3, 3, 4]


def test_sums_stay_within_what_is_possible_at_every_level() -> None:
    levels = np.array([0.0, 1e-15, 1 - 1e-15, 1.0])
    assert quantiles([0.5], [4], levels).tolist() == [0, 0, 4, 4]
    found = quantiles([0.3, 1.0], [100, 7], levels)
    assert found.min() >= 7
    assert found.max() <= 107
    # rounding grows with the draws, which are nearly sure here
    many = quantiles([1 - 1e-6, 1.0], [10**7, 3], levels)
    assert many.max() <= 10**7 + 3


def test_levels_that_the_distribution_just_reaches() -> None:
    # one draw with 1/40: exactly 39/40 for nothing; both of 1/20 and 1/2: exactly 1/40
    for levels in (np.array([0.025, 0.975]), order_statistics(0.95, None, 1, np.random.default_rng())[0]):
        assert quantiles([1 / 40], [1], levels).tolist() == [0, 0]
        assert quantiles([39 / 40], [1], levels).tolist() == [0, 1]
        assert quantiles([0.05, 0.5], [1, 1], levels).tolist() == [0, 1]
        assert quantiles([0.95, 0.5], [1, 1], levels).tolist() == [0, 2]


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_many_data_sets_at_once_are_as_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = np.array([0.0, 0.002, 0.1, 0.5, 1.0])
    repeats = np.floor(rng.exponential(1, (50, 5)) * 10.0 ** rng.uniform(0, 3, (50, 1)))
    levels = rng.random((50, 2))
    found = sum_quantiles(probabilities, repeats, levels)
    one_by_one = [sum_quantiles(probabilities, repeats[[k]], levels[[k]])[0] for k in range(50)]
    assert found.tolist() == np.array(one_by_one).tolist()


@pytest.mark.parametrize(
    ("confidence", "resamples", "low", "high"),
    [
        (0.95, 1000, 25, 975),
        (0.95, 40, 1, 39),
        (0.95, 39, 1, 39),
        (0.95, 41, 2, 40),
        (0.95, 1, 1, 1),
        (0.95, 2, 1, 2),
        (0.95, 10_000, 250, 9750),
        (0.9, 1000, 50, 950),
        (0.99, 1000, 5, 995),
    ],
)
def test_percentile_ranks_by_hand(confidence: float, resamples: int, low: int, high: int) -> None:
    # ceil(tail T) and ceil((1 - tail) T)
    assert percentile_ranks(confidence, resamples) == (low, high)


@pytest.mark.parametrize("resamples", [1, 2, 40, 1000])
def test_order_statistics_against_sorted_uniform_numbers(resamples: int) -> None:
    low, high = percentile_ranks(0.95, resamples)
    found = order_statistics(0.95, resamples, 4000, np.random.default_rng(0))
    uniform = np.sort(np.random.default_rng(1).random((4000, resamples)), axis=1)[:, [low - 1, high - 1]]
    for side in (0, 1):
        assert stats.ks_2samp(found[:, side], uniform[:, side]).pvalue > 0.001
    assert np.all(found[:, 0] <= found[:, 1])
    if resamples > 1:
        expected = float(stats.pearsonr(*uniform.T).statistic)
        assert float(stats.pearsonr(*found.T).statistic) == pytest.approx(expected, abs=0.08)
        for side, rank in ((0, low), (1, high)):
            exact = stats.beta(rank, resamples + 1 - rank)
            assert stats.kstest(found[:, side], exact.cdf).pvalue > 0.001
    else:
        assert found[:, 0].tolist() == found[:, 1].tolist()


def test_infinitely_many_replicates_have_the_levels_themselves() -> None:
    found = order_statistics(0.9, None, 3, np.random.default_rng(0))
    assert found == pytest.approx(np.array([[0.05, 0.95]] * 3))


@pytest.mark.parametrize("resamples", [0, -1])
def test_bad_number_of_resamples(resamples: int) -> None:
    with pytest.raises(ParameterError, match=f"at least one resample, not {resamples}"):
        order_statistics(0.95, resamples, 1, np.random.default_rng())


@pytest.mark.parametrize("confidence", [0.0, 1.0, 2.0, float("nan")])
def test_bad_confidence(confidence: float) -> None:
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        order_statistics(confidence, None, 1, np.random.default_rng())
