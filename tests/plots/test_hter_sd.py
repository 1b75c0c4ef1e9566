"""Deviations against Fig. 3 of Bengio & Mariéthoz 2004."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    FairtrialError,
)
from fairtrial.plots import (
    hter_deviations,
    hter_sd_plot,
)
from fairtrial.plots.hter_sd import ratios_up_to
from reference.hter_2004 import FIGURE_3


def test_deviations_against_fig_3_of_bengio_and_mariethoz_2004(ax: Axes) -> None:
    found = hter_deviations(ratios=list(FIGURE_3))
    for place, expected in enumerate(FIGURE_3.values()):
        three = [found.deviations[name][place] for name in ("HTER", "NAIVE", "CLASS")]
        assert three == pytest.approx(expected, abs=6e-7)
    hter_sd_plot(found, ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_legend_handles_labels()[1][0] == "HTER, eq. (13)"
    iso = hter_sd_plot(found, terms="iso")
    assert iso.get_legend_handles_labels()[1][3:] == ["FMR", "FNMR"]
    assert iso.get_title(loc="left").startswith("FMR 10 %, FNMR 20 %")
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [1, 10, 100, 1000])
    for line, values in zip(ax.lines, found.deviations.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_deviations_of_single_rates() -> None:
    found = hter_deviations(ratios=[10])
    assert found.deviations["FAR"][0] == pytest.approx((0.1 * 0.9 / 1000) ** 0.5)
    assert found.deviations["FRR"][0] == pytest.approx((0.2 * 0.8 / 100) ** 0.5)
    assert ratios_up_to(100, 3) == pytest.approx([1, 10, 100])
    settings: list[dict[str, Any]] = [{"ratios": [0]}, {"ratios": []}, {"far": 2.0}]
    for wrong in settings:
        with pytest.raises(FairtrialError):
            hter_deviations(**wrong)
    with pytest.raises(FairtrialError, match="above 1"):
        ratios_up_to(1)
