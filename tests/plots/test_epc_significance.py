"""Two curves above the confidence that they differ."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from fairtrial import (
    FairtrialError,
    Trials,
    compare_curves,
)
from fairtrial.plots import epc_significance_plot
from plots.drawn import curve_of


def test_significance_panels_share_alpha(dev: Trials, test: Trials) -> None:
    a, b = curve_of(dev, test, "face"), curve_of(dev, test, "finger")
    comparison = compare_curves(a, b)
    upper, lower = epc_significance_plot(a, b, comparison, figure=Figure())
    np.testing.assert_array_equal(upper.lines[0].get_ydata(), a.hter)
    np.testing.assert_array_equal(upper.lines[1].get_ydata(), b.hter)
    np.testing.assert_array_equal(lower.lines[0].get_ydata(), comparison.worse)
    assert [float(np.asarray(line.get_ydata())[0]) for line in lower.lines[1:]] == [0.1, 0.5, 0.9]
    assert upper.get_shared_x_axes().joined(upper, lower)
    with pytest.raises(FairtrialError, match="levels"):
        epc_significance_plot(a, b, comparison, levels=[90], figure=Figure())
