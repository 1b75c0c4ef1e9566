"""Coverage along the attempts."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    CoverageStudy,
    FairtrialError,
)
from fairtrial.plots import (
    hook_plot,
)
from fairtrial.plots.coverage import choose_rows


def test_hook_lines(study: CoverageStudy, ax: Axes) -> None:
    rows = choose_rows(study.rows, n=[200], pi=[0.01], rho=[0.4])
    hook_plot(rows, data_sets=40, ax=ax)
    for name, bars in zip(("dr", "lbb", "sb"), ax.containers, strict=True):
        line = bars.lines[0]  # type: ignore[attr-defined]
        expected = [(r.m, r.coverage) for r in rows if r.method == name]
        np.testing.assert_array_equal(line.get_xydata(), expected)
        share = expected[0][1]
        segment = bars.lines[2][0].get_segments()[0][:, 1]  # type: ignore[attr-defined]
        reach = 2 * (share * (1 - share) / 40) ** 0.5
        np.testing.assert_allclose(segment, [share - reach, share + reach])
    assert ax.get_ylabel() == "coverage (%)"
    with pytest.raises(FairtrialError, match="8 combinations"):
        hook_plot(study.rows, ax=ax)
    with pytest.raises(FairtrialError, match="no method 'bp'"):
        hook_plot(rows, methods=["bp"], ax=ax)
    with pytest.raises(FairtrialError, match="no n = 7; it has 50, 200"):
        choose_rows(study.rows, n=[7])
