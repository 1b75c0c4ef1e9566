"""The histogram of a bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    Trials,
    compare,
)
from fairtrial.plots import bootstrap_plot


@pytest.mark.parametrize("method", ["percentile", "centred", "bca"])
def test_bootstrap_histogram_bounds_and_zero(dev: Trials, test: Trials, ax: Axes, method: str) -> None:
    (pair,) = compare(dev, test, systems=["face", "voice"], n_resamples=400, confidence=0.9).pairs
    bootstrap_plot(pair, method=method, ax=ax)  # type: ignore[arg-type]
    assert sum(patch.get_height() for patch in ax.patches) == pytest.approx(1)  # type: ignore[attr-defined]
    low, high = pair.replicates.interval(confidence=0.9, method=method)  # type: ignore[arg-type]
    places = [float(np.asarray(line.get_xdata())[0]) for line in ax.lines]
    assert places == [low, high, pair.replicates.estimate, 0]
    inside = "within" if low <= 0 <= high else "outside"
    assert inside in ax.get_title()
    assert "thresholds fixed" in ax.get_title()
    assert ax.get_xlabel() == "HTER of face minus HTER of voice (%)"
