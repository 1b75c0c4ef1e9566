"""Figures of published numbers, against the papers."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import FairtrialError
from fairtrial.core.words import wording
from fairtrial.figures.published import eer_bound_plot, hter_density_plot, hter_sd_plot
from fairtrial.published import bounds_from_eers
from fairtrial.published.normal import hter_density, hter_deviations, ratios_up_to
from figures.drawn import caption, refused
from reference.eer_bound_2016 import (
    EXAMPLE_2_TRIALS,
    EXAMPLE_3_EERS,
    EXAMPLE_3_TRIALS,
    EXAMPLE_3_WEAK,
    EXAMPLE_3_WEAK_BOUND,
)
from reference.hter_2004 import FIGURE_3


def test_eer_bound_against_a_table_of_chi2(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers(EXAMPLE_3_WEAK, EXAMPLE_3_TRIALS, p_value=0.05), ax=ax)
    curve, critical = ax.lines[:2]
    chi2, p = np.asarray(curve.get_xydata()).T
    for value, tail in ((2.706, 0.10), (3.841, 0.05), (6.635, 0.01)):
        assert np.interp(value, chi2, p) == pytest.approx(tail, rel=1e-3)
    assert float(np.asarray(critical.get_xdata())[0]) == pytest.approx(3.841, abs=1e-3)


def test_eer_bound_against_example_3_of_hofbauer_and_uhl_2016(ax: Axes) -> None:
    bounds = bounds_from_eers(EXAMPLE_3_EERS, EXAMPLE_3_TRIALS)
    eer_bound_plot(bounds, ax=ax)
    points = [line for line in ax.lines if line.get_label() and not str(line.get_label()).startswith("_")]
    (place, *beyond) = [np.ravel(line.get_xydata()) for line in points]
    assert place == pytest.approx(EXAMPLE_3_WEAK_BOUND, abs=6e-5)
    assert [chi2 for chi2, _ in beyond] == sorted(pair.chi2 for pair in bounds.pairs)[1:]
    assert {p for _, p in beyond} == {ax.get_ylim()[0]}
    assert all(chi2 < ax.get_xlim()[1] for chi2, _ in beyond)
    assert ax.get_yscale() == "log"
    assert ax.patches[0].get_x() == pytest.approx(6.6349, abs=1e-4)  # type: ignore[attr-defined]


def test_eer_bound_where_every_pair_is_beyond_the_edge_says_so(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers({"$A": 0.0013, "B": 0.0058}, EXAMPLE_2_TRIALS), ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["$A and B: chi2 2,052"]


def test_eer_bound_of_two_perfect_systems(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers([0.0, 0.0], 100), ax=ax)
    (label,) = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert label == "0 and 0 %: chi2 0.00, p 1"


def test_deviations_against_fig_3_of_bengio_and_mariethoz_2004(ax: Axes) -> None:
    deviations = hter_deviations(ratios=list(FIGURE_3))
    for place, expected in enumerate(FIGURE_3.values()):
        three = [deviations.deviations[name][place] for name in ("HTER", "NAIVE", "CLASS")]
        assert three == pytest.approx(expected, abs=6e-7)
    hter_sd_plot(deviations, ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_legend_handles_labels()[1][0] == "HTER, eq. (13)"
    with wording(terms="iso"):
        iso = hter_sd_plot(deviations)
        assert caption("hter-sd", deviations).startswith("FMR 10 %, FNMR 20 %, NC = 100 independent genuine trials")
    assert iso.get_legend_handles_labels()[1][3:] == ["FMR", "FNMR"]
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [1, 10, 100, 1000])
    for line, values in zip(ax.lines, deviations.deviations.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_density_against_the_normal_distribution(ax: Axes) -> None:
    data = hter_density(far=0.1, frr=0.2, impostor=1000, genuine=100, confidence=0.9)
    normal = NormalDist(0.15, (0.1 * 0.9 / 4000 + 0.2 * 0.8 / 400) ** 0.5)
    np.testing.assert_allclose(data.density, [normal.pdf(value) for value in data.values])
    assert (data.interval.low, data.interval.high) == pytest.approx((normal.inv_cdf(0.05), normal.inv_cdf(0.95)))
    hter_density_plot(data, ax=ax)
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    inside = (data.values >= data.interval.low) & (data.values <= data.interval.high)
    assert (corners[:, 0].min(), corners[:, 0].max()) == (data.values[inside][0], data.values[inside][-1])
    assert "90 %" in caption("hter-density", data)
    with refused("nothing-to-draw"):
        hter_density(far=0.0, frr=0.0)


def test_deviations_of_single_rates() -> None:
    deviations = hter_deviations(ratios=[10])
    assert deviations.deviations["FAR"][0] == pytest.approx((0.1 * 0.9 / 1000) ** 0.5)
    assert deviations.deviations["FRR"][0] == pytest.approx((0.2 * 0.8 / 100) ** 0.5)
    assert ratios_up_to(100, 3) == pytest.approx([1, 10, 100])
    settings: list[dict[str, Any]] = [{"ratios": [0]}, {"ratios": []}, {"far": 2.0}]
    for wrong in settings:
        with pytest.raises(FairtrialError):
            hter_deviations(**wrong)
    with refused("ratios"):
        ratios_up_to(1)
