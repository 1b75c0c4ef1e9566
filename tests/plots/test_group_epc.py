"""EPCs of groups in one figure."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from fairtrial import alpha_grid
from fairtrial.plots import group_curves, group_epc_plot
from plots.grouped import found


def test_lines_are_the_curves_of_groups_and_of_all_trials(ax: Axes) -> None:
    curves = group_curves(found(), alphas=alpha_grid(11), measure="far")
    group_epc_plot(curves, terms="iso", ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["$none", "A", "B", "C", "all trials"]
    for line, curve in zip(ax.lines, curves, strict=True):
        assert np.array_equal(line.get_ydata(), curve.far)
    assert "one threshold for all groups" in ax.get_title(loc="left") + ax.get_title()
    assert ax.get_ylabel() == "FMR on test (%)"
