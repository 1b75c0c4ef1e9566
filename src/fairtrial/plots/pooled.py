"""Pooled Expected Performance Curves of a fusion benchmark: by group, or by fusion method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.benchmark.results import BenchmarkResult
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError, listed, shown
from fairtrial.plots.epc import how_judged, label_axes
from fairtrial.plots.style import axes_for, legend_below, legible, look
from fairtrial.tables import Terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pooled_epc_plot(
    results: BenchmarkResult | Sequence[BenchmarkResult],
    *,
    group: str = "all",
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw pooled EPCs: all groups of one fusion method, or one group of several methods.

    Parameters
    ----------
    results
        One result of `run_benchmark`, or several of the same protocol.
    group
        Which group, where there are several results; ``all`` pools all experiments.
    terms
        ``iso`` calls error rates FMR and FNMR.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (11), (12).
    """
    runs = (results,) if isinstance(results, BenchmarkResult) else tuple(results)
    curves = pooled_curves(runs, group)
    with axes_for(ax) as own:
        for number, (name, curve) in enumerate(curves.items()):
            drawn = look(number)
            own.plot(curve.alpha, curve.value, color=drawn.colour, linestyle=drawn.line, label=legible(name))
        first = runs[0]
        any_curve = next(iter(curves.values()))
        label_axes(own, any_curve, terms)
        what = _name(first) if len(runs) == 1 else "all experiments" if group == "all" else group
        data = f"{first.benchmark} (synthetic)" if first.synthetic else first.benchmark
        own.set_title(f"pooled EPC: {data}, {first.protocol}, {what}\n{how_judged(any_curve)}")
        legend_below(own)
        return own


def pooled_curves(runs: Sequence[BenchmarkResult], group: str = "all") -> dict[str, PerformanceCurve]:
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
    return {_name(run): run.pooled[group] for run in runs}


def _name(run: BenchmarkResult) -> str:
    return run.fusion if run.normalise == "none" else f"{run.fusion}, {run.normalise}"
