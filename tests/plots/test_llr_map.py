"""Maps of calibrations: several methods of one system, with their bands."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import fairtrial as ft
from fairtrial.plots import llr_map_plot


def test_maps_of_two_methods(dev: ft.Trials, test: ft.Trials, ax: Axes) -> None:
    methods = ("logistic", "pav")
    maps = [ft.llr_map(ft.calibrate(dev, test, systems=["face"], method=method), n_resamples=50) for method in methods]
    assert llr_map_plot(maps, ax=ax) is ax
    for own, line, band in zip(maps, ax.lines[1:], ax.collections, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([own.scores, own.ratios], 1))
        corners = np.asarray(band.get_paths()[0].vertices)
        assert set(own.low.tolist()) | set(own.high.tolist()) <= set(corners[:, 1].tolist())
    assert ax.get_legend_handles_labels()[1] == ["logistic, band by its parameters", "pav, band dev resampled"]
    other = ft.llr_map(ft.calibrate(dev, test, systems=["voice"]))
    with pytest.raises(ft.ParameterError, match="the maps of one system"):
        llr_map_plot([maps[0], other], ax=ax)
