"""Scales, ticks, colours and names that figures and pages share."""

from __future__ import annotations

from statistics import NormalDist

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from fairtrial.core.trials import check_drawable
from fairtrial.figures.axes import (
    COVERAGE_BOUNDS,
    COVERAGE_COLOURS,
    coverage_classes,
    coverage_labels,
    det_axis,
    det_limits,
    line_of,
    linear_ticks,
    log_ticks,
    probit,
    probit_inverse,
    rate_axis,
    score_range,
)
from figures.drawn import refused


def test_probit_against_the_standard_library() -> None:
    rates = np.array([[1e-6, 0.001, 0.5], [0.975, 0.2, 0.99]])
    expected = [[NormalDist().inv_cdf(rate) for rate in row] for row in rates.tolist()]
    np.testing.assert_allclose(probit(rates), expected, atol=1e-9)
    np.testing.assert_allclose(probit_inverse(expected), rates, rtol=1e-9)
    assert np.isfinite(probit([0, 1])).all()


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (0, 0.3, ["0.0", "0.1", "0.2", "0.3"]),
        (-0.13, 0.11, ["-0.10", "-0.05", "0.00", "0.05", "0.10"]),
        (-31, 12, ["-30", "-20", "-10", "0", "10"]),
        (1e6, 1e6 + 0.004, ["1000000.000", "1000000.001", "1000000.002", "1000000.003", "1000000.004"]),
        (0, 4.99, ["0", "1", "2", "3", "4"]),
    ],
)
def test_ticks_are_round_numbers_within_the_axis(low: float, high: float, labels: list[str]) -> None:
    ticks = linear_ticks(low, high)
    assert [text for _, text in ticks] == labels
    assert [value for value, _ in ticks] == pytest.approx([float(text) for text in labels], abs=0)


@pytest.mark.parametrize("middle", [0.0, 1.0, -3e5, 1e16, -1e16, 1e300, 5e-324])
def test_a_range_of_equal_scores_has_room_for_bins_and_ticks(middle: float) -> None:
    low, high = score_range(middle, middle)
    assert low < middle < high
    assert (np.diff(np.linspace(low, high, 61)) > 0).all()
    ticks = linear_ticks(low, high)
    assert 0 < len(ticks) < 20
    assert all(low <= value <= high and len(label) < 25 for value, label in ticks)


def test_scores_that_are_too_large_to_be_drawn() -> None:
    check_drawable(np.array([]))
    check_drawable(np.array([-1e300, 1e300]))
    with refused("scores-too-large"):
        check_drawable(np.array([-1e308, 2]))


def test_axis_of_a_rate_is_read_in_percent() -> None:
    axis = rate_axis("HTER", 0.05)
    assert axis == {
        "label": "HTER (%)",
        "low": 0.0,
        "high": pytest.approx(0.054),
        "ticks": ((0, "0"), (0.02, "2"), (0.04, "4")),
    }
    assert rate_axis("HTER", 0.0)["high"] > 0


def test_det_axis_has_ticks_apart_at_their_normal_deviates() -> None:
    axis = det_axis("FAR", (0.004, 0.5))
    assert [text for _, text in axis["ticks"]] == ["0.5", "1", "2", "5", "10", "20", "40"]
    assert [place for place, _ in axis["ticks"]] == pytest.approx(
        [NormalDist().inv_cdf(float(text) / 100) for _, text in axis["ticks"]]
    )
    assert (axis["low"], axis["high"]) == pytest.approx((NormalDist().inv_cdf(0.004), 0), abs=1e-12)
    wide = det_axis("FAR", (1e-6, 0.99))
    assert (np.diff([place for place, _ in wide["ticks"]]) >= 0.06 * (wide["high"] - wide["low"])).all()


def test_det_limits_follow_curves_and_points() -> None:
    good = np.array([1.0, 0.2, 0.02, 0.0]), np.array([0.0, 0.03, 0.2, 1.0])
    limits = det_limits([good], [(0.05, 0.1)])
    assert [*limits.far, *limits.frr] == pytest.approx([0.007, 0.5, 0.007, 0.5])
    assert det_limits([good], [(0.001, 0.1)]).far[0] == pytest.approx(0.0007)
    assert det_limits([good], [(0.6, 0.0)]).far[1] == 0.99
    poor = np.array([1.0, 0.4, 0.0]), np.array([0.0, 0.4, 1.0])
    assert det_limits([good, poor], []).frr[1] == 0.99
    x, y = limits.place([0.0, 0.1], [1.0, 0.1])
    deviates = [NormalDist().inv_cdf(rate) for rate in (limits.far[0], 0.1)]
    assert x.tolist() == pytest.approx(deviates)
    assert y.tolist() == pytest.approx([0, deviates[1]], abs=1e-12)


def test_the_first_42_lines_differ() -> None:
    assert len({line_of(number) for number in range(42)}) == 42


def test_colours_of_coverage_are_steps_of_viridis() -> None:
    shades = matplotlib.colormaps["viridis_r"](np.linspace(0, 1, len(COVERAGE_BOUNDS) - 2))
    assert tuple(to_hex(shade) for shade in shades) == COVERAGE_COLOURS[:-1]  # too high a coverage is no shade of it
    assert coverage_labels()[0] == "0 to 1 %"
    assert coverage_labels()[5] == "90 to 92.5 %"


@pytest.mark.parametrize(
    ("coverage", "place"),
    [
        (0, 0),
        (0.0099, 0),
        (0.01, 1),
        (0.25, 2),
        (0.5, 3),
        (0.75, 4),
        (0.9, 5),
        (0.925, 6),
        (0.9499, 6),
        (0.95, 7),
        (0.9749, 7),
        (0.975, 8),
        (1, 8),
    ],
)
def test_classes_of_table_1_of_schuckers_2004(coverage: float, place: int) -> None:
    assert coverage_classes(coverage) == place


@pytest.mark.parametrize(("low", "high"), [(0.012, 0.019), (0.0004, 0.00045), (0.02, 0.05), (1e-6, 0.9)])
def test_a_log_axis_has_at_least_three_ticks(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert len(ticks) >= 3
    for rate, text in ticks:
        assert low * (1 - 1e-9) <= rate <= high * (1 + 1e-9)
        assert float(text) == pytest.approx(100 * rate)
