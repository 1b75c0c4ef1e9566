"""Normalised Bayes error over priors: what is drawn where, and what is faint."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.plots import bayes_error_plot
from fairtrial.plots.style import GREY


def test_lines_are_the_rates_and_faint_without_support(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curves = [ft.bayes_error_curve(ft.calibrate(dev, test, systems=[name]), raw=True) for name in ("face", "voice")]
    assert bayes_error_plot(curves, ax=ax) is ax
    drawn = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 71]
    assert len(drawn) == 2 * 3 * 2
    faint, sure = drawn[0], drawn[1]
    np.testing.assert_array_equal(faint.get_ydata(), curves[0].calibrated.rates)
    assert faint.get_alpha() is not None
    shown = np.asarray(sure.get_ydata(), dtype=float)
    np.testing.assert_array_equal(np.isfinite(shown), curves[0].calibrated.supported)
    np.testing.assert_array_equal(shown[np.isfinite(shown)], curves[0].calibrated.rates[np.isfinite(shown)])
    assert drawn[0].get_color() != drawn[6].get_color()
    assert [line.is_dashed() for line in drawn[:6]] == [False, False, True, True, True, True]
    guide = ax.lines[0]
    assert (guide.get_color(), set(np.atleast_1d(guide.get_ydata()).tolist())) == (GREY, {1.0})
    labels = ax.get_legend_handles_labels()[1]
    assert labels[:2] == ["face", "voice"]
    assert "calibrated on dev, a priori" in labels
    assert "fewer than 30 errors" in ax.get_title()


def test_same_trials_are_not_a_priori(dev: ft.Trials, ax: Axes) -> None:
    bayes_error_plot(ft.bayes_error_curve(ft.calibrate(dev, dev, systems=["face"])), ax=ax)
    labels = ax.get_legend_handles_labels()[1]
    assert "calibrated on the same trials, a posteriori" in labels
    assert "scores as they are" not in labels


def test_nothing_to_draw() -> None:
    with pytest.raises(ft.ParameterError, match="no curve"):
        bayes_error_plot([])
