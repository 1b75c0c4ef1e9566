"""Pooled curves of a benchmark."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    FairtrialError,
    RunSettings,
    Trials,
    compare_pooled,
    pooled_band,
    run_benchmark,
)
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.plots import pooled_epc_plot


def small_benchmark(dev: Trials, test: Trials) -> Benchmark:
    infos = tuple(
        SystemInfo(name, kind, name, "C") for name, kind in (("face", "seen"), ("voice", "heard"), ("finger", "seen"))
    )
    return Benchmark("small", "small", (BenchmarkSet("S", dev, test, infos),), synthetic=True)


def test_pooled_curves_by_group_and_by_method(dev: Trials, test: Trials, ax: Axes) -> None:
    benchmark = small_benchmark(dev, test)
    runs = [run_benchmark(benchmark, settings=RunSettings(fusion=name, points=11)) for name in ("mean", "max")]
    pooled_epc_plot(runs[0], ax=ax)
    assert len(ax.lines) == len(runs[0].pooled)
    for line, curve in zip(ax.lines, runs[0].pooled.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curve.hter)
    assert "small (synthetic)" in ax.get_title()
    assert ax.get_title().endswith("\na priori, threshold by wer-equal on dev")
    assert ax.get_legend_handles_labels()[1][0] == "all (3)"
    both = pooled_epc_plot(runs, group="S: multimodal")
    assert both.get_legend_handles_labels()[1] == ["mean", "max"]
    np.testing.assert_array_equal(both.lines[1].get_ydata(), runs[1].pooled["S: multimodal"].hter)
    with pytest.raises(FairtrialError, match="no group 'ears'"):
        pooled_epc_plot(runs, group="ears")
    with pytest.raises(FairtrialError, match="no result"):
        pooled_epc_plot([])


def test_bands_and_regions_of_two_methods(dev: Trials, test: Trials, ax: Axes) -> None:
    benchmark = small_benchmark(dev, test)
    settings = [RunSettings(fusion=name, points=11, keep_scores=True) for name in ("mean", "min")]
    runs = [run_benchmark(benchmark, settings=each) for each in settings]
    bands = {run.label: pooled_band(benchmark, run) for run in runs}
    found = compare_pooled(benchmark, *runs, confidence=0.5)
    pooled_epc_plot(runs, bands=bands, comparison=found, ax=ax)
    assert len(ax.collections) == 2
    assert len(ax.patches) == len(found.regions) > 0
    assert "95 % band, pointwise, threshold re-estimated\ngrey: they differ, 50 % confidence" in ax.get_title()
    same = compare_pooled(benchmark, runs[0], runs[0])
    assert "they differ nowhere, 95 %" in pooled_epc_plot(runs, comparison=same).get_title(loc="left")
