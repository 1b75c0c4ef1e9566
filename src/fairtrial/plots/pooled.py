"""Pooled Expected Performance Curves of a fusion benchmark: by group, or by fusion method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fairtrial.benchmark.results import BenchmarkResult
from fairtrial.claims import GIVEN_ALONG
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError, listed, shown
from fairtrial.intervals.bands import Band
from fairtrial.plots.epc import how_judged, label_axes
from fairtrial.plots.style import PALE, axes_for, legend_below, legible, look
from fairtrial.significance.curves import CurveComparison
from fairtrial.tables import Terms, level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pooled_epc_plot(
    results: BenchmarkResult | Sequence[BenchmarkResult],
    *,
    group: str = "all",
    bands: Mapping[str, Band] | None = None,
    comparison: CurveComparison | None = None,
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw pooled EPCs: all groups of one fusion method, or one group of several methods.

    Parameters
    ----------
    results : BenchmarkResult or sequence of BenchmarkResult
        One result of `run_benchmark`, or several of the same protocol.
    group : str, default "all"
        Which group of experiments, where there are several results; ``all`` pools all of them.
    bands : dict of str to Band, optional
        The bands of `pooled_band` by the label of the result.
    comparison : CurveComparison, optional
        What `compare_pooled` gives for two results: the ranges of alpha in which they differ are shaded.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (11), (12).

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> parts = tuple(ft.SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = ft.Benchmark("tiny", "Tiny", (ft.BenchmarkSet("one", dev, test, parts),))
    >>> found = ft.run_benchmark(tiny, protocol="fp-full", settings=ft.RunSettings(points=11))
    >>> pooled_epc_plot(found).get_xlabel()
    'alpha, the weight of FAR'
    """
    runs = (results,) if isinstance(results, BenchmarkResult) else tuple(results)
    curves = _pooled_curves(runs, group)
    with axes_for(ax) as own:
        for number, (name, curve) in enumerate(curves.items()):
            drawn = look(number)
            own.plot(curve.alpha, curve.value, color=drawn.colour, linestyle=drawn.line, label=legible(name))
            if bands and name in bands:
                band = bands[name]
                own.fill_between(band.alpha, band.low, band.high, color=drawn.colour, alpha=0.18, linewidth=0)
        first = runs[0]
        any_curve = next(iter(curves.values()))
        label_axes(own, any_curve, terms)
        what = first.label if len(runs) == 1 else "all experiments" if group == "all" else group
        data = f"{first.benchmark} (synthetic)" if first.synthetic else first.benchmark
        lines = [f"pooled EPC: {data}, {first.protocol}, {what}", how_judged(any_curve)]
        if bands:
            any_band = next(iter(bands.values()))
            lines.append(f"{any_band.described}, {GIVEN_ALONG[any_band.threshold]}")
        if comparison is not None:
            lines.append(_shade(own, comparison))
        own.set_title("\n".join(lines))
        legend_below(own)
        return own


def _shade(ax: Axes, comparison: CurveComparison) -> str:
    """Shade where two methods differ, and say what the shade means."""
    step = float(comparison.alpha[1] - comparison.alpha[0]) / 2
    for region in comparison.regions:
        ax.axvspan(max(region.low - step, 0.0), min(region.high + step, 1.0), color=PALE, zorder=0)
    sure = f"{level_text(comparison.confidence)} confidence, {GIVEN_ALONG[comparison.threshold]}"
    whole = "over the whole range at once" if comparison.simultaneous else "at each alpha by itself"
    where = f"grey: they differ, {sure}, {whole}" if comparison.regions else f"they differ nowhere, {sure}, {whole}"
    return "\n".join(filter(None, [where, comparison.unclaimed]))


def _pooled_curves(runs: Sequence[BenchmarkResult], group: str = "all") -> dict[str, PerformanceCurve]:
    """The curves to draw, by what the legend says."""
    if not runs:
        raise ParameterError("there is no result to draw")
    if len(runs) == 1:
        found = runs[0].groups()
        counts = {name: len(experiments) for name, experiments in found}
        counts["all"] = len(runs[0].experiments)
        whole = {name: curve for name, curve in runs[0].pooled.items() if name != "all" or len(runs[0].pooled) != 2}
        return {f"{name} ({counts[name]})": curve for name, curve in whole.items()}
    for run in runs:
        if (run.benchmark, run.protocol) != (runs[0].benchmark, runs[0].protocol):
            raise ParameterError("only runs of the same protocol on the same benchmark share a figure")
        if group not in run.pooled:
            raise ParameterError(f"there is no group {shown(group)}; there are {listed(run.pooled)}")
    return {run.label: run.pooled[group] for run in runs}
