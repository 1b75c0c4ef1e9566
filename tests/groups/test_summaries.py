"""Summaries of unequal rates: published check values, and extremes over boxes by brute force."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairtrial.groups.summaries import (
    Summary,
    gini,
    over_geometric_mean,
    summarise,
    summarise_differences,
    summarise_ginis,
    summarise_ratios,
)

FAR, FRR = np.array([0.01, 0.02, 0.03]), np.array([0.1, 0.1, 0.2])


def test_check_values_of_section_12() -> None:
    ends = []
    for rates in (FAR, FRR):
        first, second = np.triu_indices(3, 1)
        differences, ratios = rates[first] - rates[second], rates[first] / rates[second]
        ratio, over_mean = summarise_ratios(rates, ratios, ratios)
        assert over_mean == pytest.approx([over_geometric_mean(rates)] * 3)
        ends.append(
            (summarise_differences(rates, differences, differences), summarise_ginis(rates, rates, rates), ratio)
        )
    found = {own.name: own for own in summarise(*ends, weight=0.5)}
    assert found["fdr"].estimate == pytest.approx(0.94, abs=1e-12)
    assert found["garbe"].estimate == pytest.approx(0.2916667, abs=1e-7)
    assert found["inequity_rate"].estimate == pytest.approx(2.44949, abs=1e-5)
    assert over_geometric_mean(FAR) == pytest.approx(1.65096, abs=1e-5)
    for own in found.values():
        assert (own.low, own.high) == pytest.approx((own.estimate, own.estimate))


def test_gini_by_its_double_sum() -> None:
    rates = np.array([0.01, 0.05, 0.02, 0.0])
    differences = np.abs(rates[:, None] - rates).sum()
    assert gini(rates) == pytest.approx(4 / 3 * differences / (2 * 16 * rates.mean()))


boxes = st.lists(st.tuples(st.floats(0.001, 0.5), st.floats(0, 0.5)), min_size=2, max_size=5)


@settings(max_examples=40)
@given(box=boxes)
def test_gini_over_a_box(box: list[tuple[float, float]]) -> None:
    low = np.array([start for start, _ in box])
    high = low + np.array([width for _, width in box])
    _, least, most = summarise_ginis(low, low, high)
    corners = [gini(np.array(corner)) for corner in product(*zip(low, high, strict=True))]
    assert most == pytest.approx(max(corners), rel=1e-9)
    inner = np.random.default_rng(0).random((50, len(low)))
    tried = [gini(low + (high - low) * place) for place in inner]
    tried += [gini(np.clip(place, low, high)) for place in np.linspace(0, 1, 50)]
    assert least <= min(tried) + 1e-12


@settings(max_examples=60)
@given(rates=st.lists(st.floats(0.001, 0.5), min_size=2, max_size=5), seed=st.integers(0, 99))
def test_limits_of_pairs_hold_the_summaries_of_rates_that_they_hold(rates: list[float], seed: int) -> None:
    true, rng = np.array(rates), np.random.default_rng(seed)
    first, second = np.triu_indices(len(true), 1)
    reach = rng.random((4, len(first)))
    difference, ratio = true[first] - true[second], true[first] / true[second]
    value, low, high = summarise_differences(true, difference - reach[0], difference + reach[1])
    assert max(difference.max(), -difference.min(), 0) == pytest.approx(value)
    assert 0 <= low <= value <= high
    limits = summarise_ratios(true, ratio / (1 + reach[2]), ratio * (1 + reach[3]))
    for (value, low, high), expected in zip(limits, (true.max() / true.min(), over_geometric_mean(true)), strict=True):
        assert value == pytest.approx(expected)
        assert 1 <= low <= value * (1 + 1e-12)
        assert value <= high * (1 + 1e-12)


def test_no_error_in_a_group_makes_ratios_infinite_and_keeps_a_limit() -> None:
    ratio, over_mean = summarise_ratios(np.array([0.0, 0.1]), np.array([0.0]), np.array([0.4]))
    assert ratio == (inf, 2.5, inf)
    assert over_mean == pytest.approx((inf, 2.5**0.5, inf))
    assert Summary("far_ratio", *ratio).to_dict() == {"estimate": None, "low": 2.5, "high": None}
    assert summarise_ratios(np.zeros(2), np.array([0.0]), np.array([inf])) == ((1, 1, inf), (1, 1, inf))
