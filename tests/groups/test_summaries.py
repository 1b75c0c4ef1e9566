"""Summaries of unequal rates: published check values, and extremes over boxes by brute force."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairtrial.groups.summaries import (
    DIFFERENCE,
    GINI,
    OVER_MEAN,
    RATIO,
    Inequality,
    gini,
    over_geometric_mean,
    summarise,
    summarise_one,
)

FAR, FRR = np.array([0.01, 0.02, 0.03]), np.array([0.1, 0.1, 0.2])


def test_check_values_of_section_12() -> None:
    found = {own.name: own for own in summarise((FAR, FAR, FAR), (FRR, FRR, FRR), weight=0.5)}
    assert found["fdr"].estimate == pytest.approx(0.94, abs=1e-12)
    assert found["garbe"].estimate == pytest.approx(0.2916667, abs=1e-7)
    assert found["inequity_rate"].estimate == pytest.approx(2.44949, abs=1e-5)
    assert over_geometric_mean(FAR) == pytest.approx(1.65096, abs=1e-5)
    assert found["fdr"].low == pytest.approx(found["fdr"].high)


def test_gini_by_its_double_sum() -> None:
    rates = np.array([0.01, 0.05, 0.02, 0.0])
    differences = np.abs(rates[:, None] - rates).sum()
    assert gini(rates) == pytest.approx(4 / 3 * differences / (2 * 16 * rates.mean()))


boxes = st.lists(st.tuples(st.floats(0.001, 0.5), st.floats(0, 0.5)), min_size=2, max_size=5)


@pytest.mark.parametrize("kind", [DIFFERENCE, RATIO, OVER_MEAN, GINI], ids=lambda kind: kind.name)
@settings(max_examples=40)
@given(box=boxes)
def test_extremes_over_a_box(kind: Inequality, box: list[tuple[float, float]]) -> None:
    low = np.array([start for start, _ in box])
    high = low + np.array([width for _, width in box])
    least, most = kind.extremes(low, high)
    corners = [kind.value(np.array(corner)) for corner in product(*zip(low, high, strict=True))]
    assert most == pytest.approx(max(corners), rel=1e-9)
    inner = np.random.default_rng(0).random((50, len(low)))
    tried = [kind.value(low + (high - low) * place) for place in inner]
    tried += [kind.value(np.clip(place, low, high)) for place in np.linspace(0, 1, 50)]
    assert least <= min(tried) + 1e-12


def test_no_error_in_a_group_makes_ratios_infinite_and_keeps_a_limit() -> None:
    rate, low, high = np.array([0.0, 0.1]), np.array([0.0, 0.05]), np.array([0.02, 0.2])
    found = summarise_one(rate, low, high, name="far_ratio", kind=RATIO)
    assert (found.estimate, found.low, found.high) == (inf, 2.5, inf)
    assert found.to_dict() == {"estimate": None, "low": 2.5, "high": None}
