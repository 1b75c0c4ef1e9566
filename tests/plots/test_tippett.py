"""Tippett plots: what is drawn where."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.plots import tippett_plot
from fairtrial.tables import percent


def test_lines_are_the_shares(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    curves = [ft.tippett_curve(ft.calibrate(dev, test, systems=[name]), points=51) for name in ("face", "voice")]
    assert tippett_plot(curves, ax=ax) is ax
    drawn = [line for line in ax.lines if len(np.atleast_1d(line.get_xdata())) == 51]
    for curve, pair in zip(curves, (drawn[:2], drawn[2:]), strict=True):
        for line, values in zip(pair, (curve.genuine, curve.impostor), strict=True):
            np.testing.assert_array_equal(line.get_xydata(), np.stack([curve.ratios, values], 1))
        assert pair[0].get_linestyle() != pair[1].get_linestyle()
    wrong = curves[0].misleading
    label = f"face: {percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor on the wrong side"
    assert ax.get_legend_handles_labels()[1][0] == label
    assert ax.get_xlim()[0] < 0 < ax.get_xlim()[1]
