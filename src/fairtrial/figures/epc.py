"""Draw Expected Performance Curves: one, two compared, pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError
from fairtrial.core.results import plain
from fairtrial.core.words import figure_text, level_text, listed, shown, term
from fairtrial.evaluation.bands import Band, CurveComparison
from fairtrial.evaluation.epc import PerformanceCurve
from fairtrial.evaluation.evaluation import Evaluation, SystemEvaluation
from fairtrial.figures.axes import (
    COLOURS,
    alpha_label,
    ends_of,
    highest_within,
    line_of,
    linear_axis,
    rate_axis,
)
from fairtrial.figures.style import GREY, PALE, Pen, axes_for, figure_for, how_chosen, legible, look, sentences, several
from fairtrial.figures.table import Drawn
from fairtrial.inference.decide import judge
from fairtrial.inference.estimates import GIVEN_ALONG
from fairtrial.inference.split import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.benchmark.experiments import BenchmarkResult
    from fairtrial.benchmark.run import FusionBenchmark
    from fairtrial.evaluation.expected import ExpectedPerformance
    from fairtrial.figures.style import Canvas


ALL = "all trials"
"""The name of the curve of all groups together."""
_APART = 0.008
"""How far apart in alpha the intervals of several systems stand, so that none hides another."""


def epc_plot(
    curves: PerformanceCurve | Sequence[PerformanceCurve],
    *,
    bands: Mapping[str, Band] | None = None,
    points: Sequence[Evaluation | SystemEvaluation] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw Expected Performance Curves: at every alpha the threshold is from dev and the figure from test.

    Parameters
    ----------
    curves : PerformanceCurve or sequence of PerformanceCurve
        One curve or several, of the same measure.
    bands : dict of str to Band, optional
        The bands of `curve_band` by the name of the system.
    points : sequence of Evaluation, default ()
        Results of `evaluate` with the criterion of the curves, drawn at their alpha with their interval; those of
        several systems stand a little apart.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 3 to 5 and 7.

    Examples
    --------
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> a, b = (
    ...     ft.performance_curve(lp1.dev, lp1.test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("(DCTb,MLP)", "(PAC,GMM)")
    ... )
    >>> epc_plot([a, b]).get_xlabel()
    'alpha, the weight of FAR, by wer-equal'
    """
    systems = {curve.system: curve for curve in as_curves(curves)}
    places = {name: number for number, name in enumerate(systems)}
    first, *_ = judged = list(systems.values())
    parts: list[object] = [f"Expected performance curves: {how_judged(first)}"]
    for band in list((bands or {}).values())[:1]:
        by = " by bootstrap" if band.method == "bootstrap" else ""
        parts.append(f"{level_text(band.confidence)} {band.kind} bands{by}, {GIVEN_ALONG[band.threshold]}")
    for point in points[:1]:
        interval = point.interval()
        parts.append(f"Points with {level_text(interval.confidence)} intervals, {GIVEN_ALONG[interval.threshold]}")
    with axes_for(ax, "epc", sentences(*parts, _cut_off(judged))) as (axes, pen):
        _draw_curves(pen, systems, bands)
        for point in points:
            number = places.get(point.system)
            if number is None:
                raise ParameterError(f"there is a point of {point.system}, but no curve of it", code="no-such-curve")
            apart = _APART * (number - (len(places) - 1) / 2)
            pen.point(number, point.alpha + apart, float(point.test.hter), up=point.interval().interval)
        for confidence, kind in dict.fromkeys((band.confidence, band.kind) for band in (bands or {}).values()):
            pen.explain_band(f"{level_text(confidence)} {kind} band")
        return axes


def marked_curves(
    result: ExpectedPerformance,
    *,
    marks: Sequence[float] = (),
    confidence: float = 0.95,
    resample: Literal["test", "both"] = "both",
) -> Drawn:
    """Mark curves at some values of alpha.

    Parameters
    ----------
    marks : sequence of float, default ()
        Mark the HTER at these values of alpha with its interval.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    resample : {"test", "both"}, default "both"
        Whether intervals are conditional on the threshold, or account for its re-estimation.
    """
    first = result.curves[0]
    if marks and (result.sets.blocks or first.measure.name != "hter"):
        raise ParameterError(
            "{marks!p} shows the HTER of a test set; leave it out, or give {test!p} and no {measure!p}",
            code="does-not-apply", marks=marks, test=0, measure=0,
        )  # fmt: skip
    points = [
        SystemEvaluation(
            judge(result.sets, system=curve.system, criterion=curve.judgement.criterion, alphas=alpha),
            confidence=confidence,
            resample=resample,
        )
        for curve in result.curves
        if curve.judgement is not None
        for alpha in marks
    ]
    return Drawn((result.curves,), {"bands": result.bands, "points": points}, result.notes)


def as_curves(curves: PerformanceCurve | Sequence[PerformanceCurve]) -> tuple[PerformanceCurve, ...]:
    """Give one or several curves as several that can share axes."""
    systems = several(curves)
    first = systems[0]
    for curve in systems:
        if curve.measure.name != first.measure.name:
            raise ParameterError(
                f"{curve.system} shows {curve.measure.label} and {first.system} {first.measure.label}: "
                "draw curves of one measure",
                code="several-measures",
            )
    return systems


def how_judged(curve: PerformanceCurve) -> str:
    """Give the kind of a curve, and where its thresholds were chosen, in words."""
    return f"{curve.kind}, {how_chosen(curve.kind, curve.criterion)}"


def _top(curves: Sequence[PerformanceCurve]) -> float | None:
    """Give the end of the axis of errors if errors soar at the ends of alpha and would flatten the rest."""
    inner = max(highest_within(curve.alpha, curve.value) for curve in curves)
    highest = max(float(np.nanmax(curve.value)) for curve in curves)
    return 1.4 * inner if highest > 2 * inner > 0 and not curves[0].measure.higher_is_better else None


def _cut_off(curves: Sequence[PerformanceCurve]) -> str:
    """Say what the axis of errors leaves out, if it leaves out something."""
    top, measure = _top(curves), curves[0].measure
    if top is None:
        return ""
    return f"{term(measure.label)} above {figure_text(top, measure.is_share)}, at the ends of alpha, is cut off"


def _draw_curves(pen: Pen, curves: Mapping[str, PerformanceCurve], bands: Mapping[str, Band] | None = None) -> None:
    """Draw curves and bands by name, in steps: thresholds change at single values of alpha."""
    number = 0
    for name, curve in curves.items():
        if name == ALL:
            pen.axes.plot(curve.alpha, curve.value, color="black", label=name, drawstyle="steps-mid", linewidth=2)
            continue
        pen.line(number, curve.alpha, curve.value, legible(name), drawstyle="steps-mid")
        if bands and name in bands:
            pen.band(number, bands[name].alpha, bands[name].low, bands[name].high)
        number += 1
    first = next(iter(curves.values()))
    pen.axes.set(xlim=ends_of(first.alpha), xlabel=alpha_label(first.criterion))
    label = f"{term(first.measure.label)} on {PROVENANCES[first.kind].judged}"
    pen.rates("y", label, is_share=first.measure.is_share)
    if not first.measure.higher_is_better:
        pen.axes.set_ylim(0, _top(list(curves.values())))


_HATCHES = ("////", "\\\\\\\\")
_PALE = 0.07
"""Opacity of the tint: pale enough for curves and grid if one system is better at every alpha."""
_STRIP = (0.965, 1.0)
"""Where the strip begins and ends, in heights of the axes."""


def compared_curves(result: ExpectedPerformance) -> Drawn:
    """Give two curves and where they differ."""
    if not result.comparisons:
        raise ParameterError("these curves were not compared; name two systems with {compare!p}", code="not-compared")
    comparison = result.comparisons[0]
    curves = {curve.system: curve for curve in result.curves}
    notes = (*result.notes, *comparison.tables()[0].notes)
    return Drawn((curves[comparison.a], curves[comparison.b], comparison), {}, notes)


def epc_comparison_plot(
    a: PerformanceCurve,
    b: PerformanceCurve,
    comparison: CurveComparison,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw two EPCs and show where they differ significantly, in the colour of the better one.

    Parameters
    ----------
    a, b : PerformanceCurve
        Curves of the two systems, of the same measure.
    comparison : CurveComparison
        The result of `compare_curves` on them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Fig. 8.

    Examples
    --------
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> a, b = (
    ...     ft.performance_curve(lp1.dev, lp1.test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("(DCTb,MLP)", "(PAC,GMM)")
    ... )
    >>> epc_comparison_plot(a, b, ft.compare_curves(a, b)).get_ylabel()
    'HTER on test (%)'
    """
    _check_pair(a, b, comparison)
    whole = "simultaneously over all alpha" if comparison.simultaneous else "at each alpha by itself"
    caption = sentences(
        f"Expected performance curves: {how_judged(a)}",
        f"Shaded: significant with {level_text(comparison.confidence)} confidence, {comparison.test} test, {whole}, "
        f"{GIVEN_ALONG[comparison.threshold]}",
        comparison.unclaimed,
        _cut_off((a, b)),
    )
    with axes_for(ax, "epc-compare", caption) as (axes, pen):
        _draw_curves(pen, {curve.system: curve for curve in (a, b)})
        axes.set_ylim(top=axes.get_ylim()[0] + 1.08 * np.diff(axes.get_ylim())[0])
        # a tint where A or B is better; a strip at the top, off the curves, says who by its hatching
        for number, name in enumerate((comparison.a, comparison.b)):
            better = comparison.different & ((comparison.worse < 0.5) if number == 0 else (comparison.worse > 0.5))
            for place, (low, high) in enumerate(spans(comparison.alpha, better)):
                label = f"{legible(name)} significantly better" if place == 0 else None
                colour = look(number).colour
                axes.axvspan(low, high, color=colour, alpha=_PALE, linewidth=0, zorder=0)
                strip: dict[str, Any] = {"hatch": _HATCHES[number], "edgecolor": "white", "linewidth": 0}
                axes.axvspan(low, high, *_STRIP, facecolor=colour, label=label, **strip)
        return axes


def _check_pair(a: PerformanceCurve, b: PerformanceCurve, comparison: CurveComparison) -> None:
    """Raise an error if curves and comparison are of different systems or measures."""
    as_curves([a, b])
    if (a.system, b.system) != (comparison.a, comparison.b) or not np.array_equal(a.alpha, comparison.alpha):
        raise ParameterError(
            f"the comparison is of {comparison.a} and {comparison.b}, the curves are of {a.system} and {b.system}, "
            "or at other values of alpha",
            code="other-systems",
        )
    if a.measure.name != comparison.measure.name:
        text = f"the comparison is of {comparison.measure.label}; these curves show {a.measure.label}"
        raise ParameterError(text, code="several-measures")


def spans(alpha: NDArray[np.float64], chosen: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Give the ranges of chosen values of alpha, each up to half-way to the next value that is not."""
    middles = (alpha[1:] + alpha[:-1]) / 2
    bounds = np.concatenate([alpha[:1], middles, alpha[-1:]])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]]))).reshape(-1, 2)
    return [(float(bounds[start]), float(bounds[stop])) for start, stop in edges]


_LEVELS = (0.1, 0.5, 0.9)


def epc_significance_plot(
    a: PerformanceCurve,
    b: PerformanceCurve,
    comparison: CurveComparison,
    *,
    levels: Sequence[float] = _LEVELS,
    figure: Canvas | None = None,
) -> tuple[Axes, Axes]:
    """Draw two EPCs and, below, the confidence along alpha that A is worse.

    Parameters
    ----------
    a, b : PerformanceCurve
        Curves of the two systems, of the same measure.
    comparison : CurveComparison
        The result of `compare_curves` on them; with ``method="independent"`` it is eq. (14) of the paper below.
    levels : sequence of float, default (0.1, 0.5, 0.9)
        Lines across the lower panel. Beyond the first and the last the two-sided test is significant at twice the
        first: at 20 % for .1 and .9.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        The upper and the lower axes.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 1.

    Examples
    --------
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> a, b = (
    ...     ft.performance_curve(lp1.dev, lp1.test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("(DCTb,MLP)", "(PAC,GMM)")
    ... )
    >>> len(epc_significance_plot(a, b, ft.compare_curves(a, b)))
    2
    """
    _check_pair(a, b, comparison)
    if not levels or not all(0 <= level <= 1 for level in levels):
        raise ParameterError(f"levels must be fractions between 0 and 1, not {list(levels)}", code="levels")
    caption = sentences(
        f"(a) Expected performance curves: {how_judged(a)}",
        f"(b) Confidence that {a.system} is worse than {b.system}, {comparison.test} test, "
        f"{GIVEN_ALONG[comparison.threshold]}; grey: {_beyond(levels)}",
        comparison.unclaimed,
        _cut_off((a, b)),
    )
    with figure_for(figure, "epc-significance", caption) as canvas:
        upper, lower = canvas.subplots(2, 1, sharex=True, height_ratios=[3, 2])
        _draw_curves(Pen(upper), {curve.system: curve for curve in (a, b)})
        if not a.measure.higher_is_better:
            upper.set_ylim(bottom=0.8 * min(np.nanmin(a.value), np.nanmin(b.value)))
        lower.set_xlabel(upper.get_xlabel())
        upper.set_xlabel("")
        upper.set_title("(a)")
        lower.set_title("(b)")
        lower.plot(comparison.alpha, comparison.worse, color="black")
        for level in levels:
            lower.axhline(level, color=GREY, linewidth=0.9, linestyle="-" if level == 0.5 else "--")
        for label, ends in ((_beyond(levels), (-0.02, min(levels))), (None, (max(levels), 1.02))):
            lower.axhspan(*ends, color=PALE, alpha=0.6, linewidth=0, zorder=0, label=label)
        lower.set_ylim(-0.02, 1.02)
        lower.set_yticks(sorted({0.0, 1.0, *levels}))
        Pen(lower).rates("y", f"confidence that {legible(a.system)}\nis worse")
        Pen(lower).legend(of=(upper, lower))
        return upper, lower


def _beyond(levels: Sequence[float]) -> str:
    """Say what the confidence beyond the outer levels means."""
    low, high = min(levels), max(levels)
    if np.isclose(low + high, 1) and low < high:
        return f"significant difference, two-sided test at {200 * low:g} %"
    return f"below {100 * low:g} or above {100 * high:g} %"


def pooled_curves(
    result: FusionBenchmark,
    *,
    group: str = "all",
    bands: Literal["none", "pointwise", "simultaneous"] = "none",
    compare: bool = False,
    confidence: float = 0.95,
) -> Drawn:
    """Give the pooled curves of a benchmark, with bands and where two methods differ.

    Parameters
    ----------
    group : str, default "all"
        Which group, if several methods are drawn.
    bands : {"none", "pointwise", "simultaneous"}, default "none"
        Bands around the curves of several methods.
    compare : bool, default False
        Shade where two methods differ along alpha, thresholds re-estimated.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    """
    from fairtrial.benchmark.pooling import compare_pooled, pooled_band

    runs = result.runs
    if compare and len(runs) != 2:
        raise ParameterError("{compare!p} is for two methods; name them with {fusions!o}", compare=0, fusions="A,B")
    if bands != "none" and len(runs) < 2:
        raise ParameterError("{bands!p} is for several methods; name them with {fusions!o}", bands=0, fusions="A,B")
    around = None
    if bands != "none":
        around = {run.label: pooled_band(run, group=group, kind=bands, confidence=confidence) for run in runs}
    compared = compare_pooled(runs[0], runs[1], group=group, confidence=confidence) if compare else None
    return Drawn((runs,), {"group": group, "bands": around, "comparison": compared})


def pooled_epc_plot(
    results: BenchmarkResult | FusionBenchmark | Sequence[BenchmarkResult],
    *,
    group: str = "all",
    bands: Mapping[str, Band] | None = None,
    comparison: CurveComparison | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw pooled EPCs: all groups of one fusion method, or one group of several methods.

    Parameters
    ----------
    results : BenchmarkResult, FusionBenchmark or sequence of BenchmarkResult
        One result of `run_benchmark`, or several of the same protocol.
    group : str, default "all"
        Which group of experiments, where there are several results; ``all`` pools all of them.
    bands : dict of str to Band, optional
        The bands of `pooled_band` by the label of the result.
    comparison : CurveComparison, optional
        What `compare_pooled` gives for two results: the ranges of alpha in which they differ are shaded.
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
    >>> parts = tuple(ft.benchmark.SystemInfo(name, name, "pixels", "svm") for name in trials.systems)
    >>> tiny = ft.benchmark.Benchmark("tiny", "Tiny", (ft.benchmark.BenchmarkSet("one", dev, test, parts),))
    >>> result = ft.run_benchmark(tiny, protocol="fp-full", points=11)
    >>> pooled_epc_plot(result).get_xlabel()
    'alpha, the weight of FAR, by wer-equal'
    """
    given: Any = getattr(results, "runs", results)
    runs: tuple[BenchmarkResult, ...] = several(given, "result")
    first = runs[0]
    if any((run.benchmark, run.protocol) != (first.benchmark, first.protocol) for run in runs):
        text = "only runs of the same protocol on the same benchmark share a figure"
        raise ParameterError(text, code="several-benchmarks")
    if len(runs) == 1:
        counts = {name: len(experiments) for name, experiments in first.groups()} | {"all": len(first.experiments)}
        names = [name for name in first.pooled if name != "all" or len(first.pooled) != 2]
        curves = {f"{name} ({counts[name]})": first.pooled[name] for name in names}
        what, all_curves = first.label, list(first.pooled.values())
    else:
        for run in runs:
            if group not in run.pooled:
                text = f"there is no group {shown(group)}; there are {listed(run.pooled)}"
                raise ParameterError(text, code="no-such-group")
        curves = {run.label: run.pooled[group] for run in runs}
        what, all_curves = "all experiments" if group == "all" else group, list(curves.values())
    data = f"{first.benchmark} (synthetic)" if first.synthetic else first.benchmark
    parts: list[object] = [
        f"Pooled expected performance curves: {data}, {first.protocol}, {what}",
        how_judged(all_curves[0]),
    ]
    parts += [f"{band.described}, {GIVEN_ALONG[band.threshold]}" for band in list((bands or {}).values())[:1]]
    if comparison is not None:
        differ = "Grey: they differ" if comparison.regions else "They differ nowhere"
        whole = "simultaneously over the whole range" if comparison.simultaneous else "at each alpha by itself"
        level = f"{level_text(comparison.confidence)} confidence, {GIVEN_ALONG[comparison.threshold]}"
        parts += [f"{differ}, {level}, {whole}", comparison.unclaimed]
    with axes_for(ax, "pooled-epc", sentences(*parts, _cut_off(all_curves))) as (axes, pen):
        _draw_curves(pen, curves, bands)
        for band in list((bands or {}).values())[:1]:
            pen.explain_band(str(band.described))
        if comparison is not None:
            for place, (low, high, _) in enumerate(_regions(comparison)):
                axes.axvspan(low, high, color=PALE, zorder=0, label=None if place else "significantly different")
        return axes


def pooled_chart(
    curves: Mapping[str, PerformanceCurve],
    bands: Mapping[str, Band] | None = None,
    comparison: CurveComparison | None = None,
) -> dict[str, Any]:
    """Give the chart `pooled` of curves and their bands by name, and where two of them differ."""
    lines = []
    for number, (name, curve) in enumerate(curves.items()):
        colour, dashes = line_of(number)
        band = (bands or {}).get(name)
        limits = {} if band is None else {"low": band.low, "high": band.high}
        style = {"colour": COLOURS.index(colour), "dashes": dashes, "bold": name == "all"}
        lines.append({"name": name, "alpha": curve.alpha, "hter": curve.value, **style, **limits})
    first = next(iter(curves.values()))
    highest = max(highest_within(curve.alpha, curve.value) for curve in curves.values())
    label = f"{term(first.measure.label)} on {PROVENANCES[first.kind].judged} trials"
    up = rate_axis(label, highest) if first.measure.is_share else linear_axis(label, (0.0, 1.08 * highest or 1.0))
    regions = [] if comparison is None else _regions(comparison)
    chart = {
        "curves": lines,
        "x": linear_axis(alpha_label(first.criterion), ends_of(first.alpha)),
        "y": up,
        "regions": [{"from": low, "to": high, "better": better} for low, high, better in regions],
    }
    return dict(plain(chart))


def _regions(comparison: CurveComparison) -> list[tuple[float, float, str]]:
    """Give where two curves differ, each region up to half-way to the values of alpha beside it, and who is better."""
    step = float(comparison.alpha[1] - comparison.alpha[0]) / 2
    return [(max(each.low - step, 0.0), min(each.high + step, 1.0), each.better) for each in comparison.regions]
