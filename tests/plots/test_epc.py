"""Figures of expected performance curves."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    FairtrialError,
    Trials,
    alpha_grid,
    compare_curves,
    cross_validated_curve,
    curve_band,
    evaluate,
    make_blocks,
)
from fairtrial.plots import epc_comparison_plot, epc_plot, epc_significance_plot
from plots.drawn import curve_of


def test_epc_lines_bands_and_points(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = [curve_of(dev, test, name) for name in ("face", "voice")]
    bands = {"voice": curve_band(curves[1])}
    point = evaluate(dev, test, system="face", criterion="wer-min")
    assert epc_plot(curves, bands=bands, points=[point], ax=ax) is ax
    for curve, line in zip(curves, ax.lines, strict=False):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([curve.alpha, curve.hter], 1))
    corners = ax.collections[0].get_paths()[0].vertices
    for alpha, low, high in zip(bands["voice"].alpha, bands["voice"].low, bands["voice"].high, strict=True):
        heights = np.asarray(corners)[np.asarray(corners)[:, 0] == alpha, 1]
        assert {low, high} <= set(heights.tolist())
    marker, _, bars = ax.containers[0].lines  # type: ignore[attr-defined]
    assert marker.get_ydata()[0] == point.test.hter
    assert abs(marker.get_xdata()[0] - 0.5) < 0.01
    np.testing.assert_allclose(bars[0].get_segments()[0][:, 1], point.interval.interval)
    assert ax.get_ylabel() == "HTER on test (%)"
    assert "95 % pointwise bands, points with 95 % intervals; threshold re-estimated" in ax.get_title()
    fixed = curve_band(curves[1], threshold="fixed")
    assert "given these thresholds" in epc_plot(curves[1], bands={"voice": fixed}).get_title(loc="left")


def test_epc_ends_of_alpha_do_not_flatten_the_rest(dev: Trials, test: Trials, ax: Axes) -> None:
    curve = curve_of(dev, test, "voice")
    inner = curve.hter[(curve.alpha >= 0.03) & (curve.alpha <= 0.97)].max()
    assert curve.hter.max() > 2 * inner
    epc_plot(curve, ax=ax)
    np.testing.assert_allclose(ax.get_ylim(), (0, 1.4 * inner))


def test_epc_by_folds_says_held_out(dev: Trials, ax: Axes) -> None:
    curve = cross_validated_curve(dev, make_blocks(dev, 4), system="face", alphas=alpha_grid(5))
    epc_plot(curve, ax=ax)
    assert ax.get_ylabel() == "HTER on held-out trials (%)"
    assert ax.get_title() == "EPC: a priori (cross-validated), threshold by wer-min from other folds"


def test_epc_in_the_terms_of_iso(dev: Trials, test: Trials) -> None:
    a, b = curve_of(dev, test, "face"), curve_of(dev, test, "voice")
    comparison = compare_curves(a, b, method="independent")
    for ax in (
        epc_plot(a, terms="iso"),
        epc_comparison_plot(a, b, comparison, terms="iso"),
        epc_significance_plot(a, b, comparison, terms="iso")[1],
    ):
        assert ax.get_xlabel() == "alpha, the weight of FMR"


def test_epc_of_another_measure(dev: Trials, test: Trials, ax: Axes) -> None:
    f1 = curve_of(dev, test, "face", "f1")
    epc_plot(f1, ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), f1.value)
    assert ax.get_ylabel().startswith("F1")
    with pytest.raises(FairtrialError, match="one measure"):
        epc_plot([f1, curve_of(dev, test, "voice")], ax=ax)
    with pytest.raises(FairtrialError, match="no curve of it"):
        epc_plot(f1, points=[evaluate(dev, test, system="voice")], ax=ax)


def test_figures_of_the_same_trials_are_not_a_priori(dev: Trials) -> None:
    a, b = (curve_of(dev, dev, name) for name in ("face", "voice"))
    comparison = compare_curves(a, b, threshold="fixed")
    for ax in (
        epc_plot(a),
        epc_comparison_plot(a, b, comparison),
        epc_significance_plot(a, b, comparison)[0],
    ):
        assert "a posteriori, threshold by wer-min on the same trials" in ax.get_title(loc="left")
        assert "a priori" not in ax.get_title(loc="left")
