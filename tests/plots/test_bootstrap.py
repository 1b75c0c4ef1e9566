"""The histogram of a bootstrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import ParameterError, Trials, compare
from fairtrial.people import Cluster
from fairtrial.plots import bootstrap_plot


@pytest.mark.parametrize("method", ["percentile", "centred", "bca"])
def test_bootstrap_histogram_bounds_and_zero(dev: Trials, test: Trials, ax: Axes, method: str) -> None:
    cluster: Cluster = "both" if method == "centred" else "none"
    (pair,) = compare(dev, test, systems=["face", "voice"], n_resamples=400, confidence=0.9, cluster=cluster).pairs
    bootstrap_plot(pair, method=method, ax=ax)  # type: ignore[arg-type]
    assert sum(patch.get_height() for patch in ax.patches) == pytest.approx(1)  # type: ignore[attr-defined]
    low, high = pair.replicates.interval(confidence=0.9, method=method)  # type: ignore[arg-type]
    places = [float(np.asarray(line.get_xdata())[0]) for line in ax.lines]
    assert places == [low, high, pair.replicates.estimate, 0]
    inside = "within" if low <= 0 <= high else "outside"
    assert inside in ax.get_title()
    assert "given these thresholds" in ax.get_title()
    assert ax.get_xlabel() == "HTER of face minus HTER of voice (%)"


def test_of_people_the_interval_is_centred(dev: Trials, test: Trials, ax: Axes) -> None:
    (pair,) = compare(dev, test, systems=["face", "voice"], n_resamples=100).pairs
    bootstrap_plot(pair, ax=ax)
    bounds = [float(np.asarray(line.get_xdata())[0]) for line in ax.lines][:2]
    assert bounds == pytest.approx(pair.replicates.interval(method="centred"))
    for method in ("percentile", "bc", "bca"):
        with pytest.raises(ParameterError, match="percentiles say nothing of 0"):
            bootstrap_plot(pair, method=method, ax=ax)


def test_replicates_that_are_alike_show_neither_bounds_nor_a_difference(dev: Trials, test: Trials, ax: Axes) -> None:
    twice = [Trials.from_arrays(t.scores[:, [0, 0]], t.genuine, systems=["a", "b"], **ids(t)) for t in (dev, test)]
    (pair,) = compare(*twice, n_resamples=100).pairs
    bootstrap_plot(pair, ax=ax)
    assert [line.get_label() for line in ax.lines] == ["estimate", "no difference"]
    assert "all are alike: they tell nothing of chance" in ax.get_title()


def ids(trials: Trials) -> dict[str, Any]:
    return {role: trials.ids[role] for role in ("claim", "subject")}
