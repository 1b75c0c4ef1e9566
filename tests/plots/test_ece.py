"""Empirical cross-entropy over priors: what is drawn where."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.plots import ece_plot


def test_lines_are_the_entropies(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.ece_curve(ft.calibrate(dev, test, systems=["face"]), raw=True)
    assert ece_plot(curve, ax=ax) is ax
    drawn = [line.get_ydata() for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 71]
    for line, values in zip(drawn, (curve.calibrated, curve.minimum, curve.raw, curve.neutral), strict=True):
        np.testing.assert_array_equal(line, values)
    assert ax.get_legend_handles_labels()[1] == [
        "face", "calibrated on dev, a priori", "least there is, a posteriori", "scores as they are",
        "likelihood ratio of 1",
    ]  # fmt: skip
    assert ax.get_ylim()[1] >= 1
    assert not ax.collections
    (above,) = ax.child_axes
    priors = [text.get_text() for text in above.get_xticklabels()]
    np.testing.assert_allclose(above.get_xticks(), [np.log(float(p) / (1 - float(p))) for p in priors])


def test_band_is_drawn_and_named(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curve = ft.ece_curve(ft.calibrate(dev, test, systems=["face"]), confidence=0.9)
    ece_plot(curve, ax=ax)
    assert curve.band is not None
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    assert {*curve.band.low.tolist(), *curve.band.high.tolist()} <= set(corners[:, 1].tolist())
    assert "90 % pointwise bands, calibration re-estimated" in ax.get_title()
