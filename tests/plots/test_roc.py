"""ROC curves: what is drawn where."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from fairtrial import (
    Trials,
)
from fairtrial.plots import operating_curves, roc_plot


def test_roc_has_the_line_of_equal_errors_and_both_kinds_of_points(dev: Trials, test: Trials, ax: Axes) -> None:
    curves = operating_curves(dev, test, systems=["face", "voice"])
    roc_plot(curves, ax=ax)
    limit = ax.get_xlim()[1]
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[0, 0], [limit, limit]])
    for curve in curves:
        assert max(curve.point.far.high, curve.point.frr.high, curve.eer.value) < limit
    hollow = [line.get_xydata() for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert [tuple(np.ravel(place)) for place in hollow] == [(c.eer.counts.far, c.eer.counts.frr) for c in curves]
    roc_plot(curves, limit=0.5, ax=ax)
    assert ax.get_ylim() == (0, 0.5)
    (hull,) = operating_curves(dev, test, systems=["face"], eer="rocch")
    (place,) = [line.get_xydata() for line in roc_plot(hull).lines if line.get_markerfacecolor() == "white"]
    assert tuple(np.ravel(place)) == (hull.eer.value, hull.eer.value)


def test_percent_is_what_people_read(dev: Trials, test: Trials, ax: Axes) -> None:
    roc_plot(operating_curves(dev, test), limit=0.5, ax=ax)
    assert ax.xaxis.get_major_formatter()(0.07, 0) == "7"
    assert ax.xaxis.get_major_formatter()(0.125, 0) == "12.5"
