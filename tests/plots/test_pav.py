"""Reliability: steps and bands, what is infinite on the edge, and the guide."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.plots import pav_plot


def test_steps_band_and_guide(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.pav_curve(ft.calibrate(dev, test, systems=["face"]), n_resamples=50)
    assert pav_plot(curve, ax=ax) is ax
    guide, line = ax.lines
    np.testing.assert_array_equal(guide.get_xdata(), guide.get_ydata())
    assert line.get_drawstyle() == "steps-pre"
    bottom, top = ax.get_ylim()
    heights = np.asarray(line.get_ydata(), dtype=float)[1:]
    finite = np.isfinite(curve.ratios)
    np.testing.assert_array_equal(heights[finite], curve.ratios[finite])
    assert not finite.all()
    assert set(heights[~finite].tolist()) <= {bottom, top}
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    inner = np.isfinite(curve.low) & np.isfinite(curve.high)
    assert inner.any()
    for place, low, high in zip(curve.places[inner], curve.low[inner], curve.high[inner], strict=True):
        assert {low, high} <= set(corners[corners[:, 0] == place, 1].tolist())
    assert "people resampled, cluster both" in ax.get_title()


def test_along_scores_the_guide_is_the_calibration(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    found = ft.calibrate(dev, test, systems=["face"])
    curve = ft.pav_curve(found, of_scores=True, n_resamples=20)
    pav_plot(curve, ax=ax)
    drawn = np.asarray(ax.lines[0].get_xydata(), dtype=np.float64)
    weight, offset = (found.calibration.parameters[name] for name in ("weights", "offset"))
    np.testing.assert_allclose(drawn[:, 1], weight * drawn[:, 0] + offset)
    assert ax.get_xlabel() == "score"
    with pytest.raises(ft.ParameterError, match="several scales"):
        pav_plot([curve, curve], ax=ax)
