"""Draw rates, matrices and curves by group; and give them to pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.results import plain
from fairtrial.core.words import in_percent as percent_text
from fairtrial.core.words import level_text, p_phrase, percent, plural, term
from fairtrial.evaluation.epc import PerformanceCurve, alpha_grid, curve_of
from fairtrial.figures.axes import ALPHA_ENDS, Range, log_axis, log_ticks
from fairtrial.figures.det import OperatingCurve, det_plot, operating_curve
from fairtrial.figures.epc import epc_plot
from fairtrial.figures.style import GREY, Pen, axes_for, figure_for, legible, look
from fairtrial.figures.system import JudgedCurve, along_alpha, judged_charts
from fairtrial.figures.table import Drawn
from fairtrial.groups.evaluation import group_curves
from fairtrial.groups.rates import RATES, Rate
from fairtrial.groups.results import GroupEvaluation, GroupRates
from fairtrial.inference.estimates import GIVEN, intervals_along, judged_interval
from fairtrial.inference.split import PROVENANCES
from fairtrial.rules.criteria import CriterionLike
from fairtrial.rules.eer import EerDefinition
from fairtrial.rules.measures import MeasureLike, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.figures.style import Canvas


Sorting: TypeAlias = Literal["name", "far", "frr", "hter"]
_ROW = 0.3
"""Inches of a row."""
_FAR_BELOW = 30
"""Lower limits that are this many times below the smallest rate are beyond the axis."""
_ROOM = 1.3
"""By which factor the axis goes on beyond the last limit."""
_END = 1.15
_MANY = 16
"""Groups beyond which numbers would not fit into their squares."""
_SQUARE = 0.55
"""Inches of the side of a square."""
_LUMINANCE, _GAMMA = np.array([0.2126, 0.7152, 0.0722]), 2.2
_HALFWAY = 0.179
"""The luminance that black and white stand out from equally well."""


def groups_plot(result: GroupEvaluation, *, sort: Sorting = "name", figure: Canvas | None = None) -> Canvas:
    """Draw FAR and FRR of every group with their simultaneous intervals, on log axes.

    Parameters
    ----------
    result : GroupEvaluation
        Of `evaluate_groups`.
    sort : {"name", "far", "frr", "hter"}, default "name"
        In the order of the result, or the group with the highest rate first.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.figure.Figure or SubFigure
        The figure, with one panel for each rate. The vertical line is the rate of all groups together. A group without
        errors has an arrow that comes from the upper limit of its rate: a log axis has no 0. Groups that share a
        letter are not shown to differ in this rate.

    References
    ----------
    ISO/IEC 19795-10, Quantifying biometric system performance variation across demographic groups.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> figure = groups_plot(evaluate_groups(data.dev, data.test, by="group"), sort="far")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['b (20 people)', 'a (20 people)']
    """
    rows = list(result.groups)
    if sort in ("far", "frr", "hter"):
        rows.sort(key=lambda row: -1.0 if isnan(getattr(row, sort)) else getattr(row, sort), reverse=True)
    elif sort != "name":
        raise ParameterError(f"sort must be name, far, frr or hter, not {sort!r}", code="choice")
    parts = [f"{result.system} by {' and '.join(result.by)}: {result.kind}, {result.chosen}; line: all trials"]
    intervals = [interval for row in rows for rate in RATES if (interval := row.interval_of(rate)) is not None]
    if intervals:
        claim = GIVEN[intervals[0].threshold]
        parts.append(f"{level_text(result.confidence)} simultaneous intervals, {claim}; arrows: beyond the axis")
    if result.tests:
        tests = ", ".join(f"{term(label_of(test.measure))} {p_phrase(test.p_adjusted)}" for test in result.tests)
        parts.append(f"Test of equal groups: {tests}; groups that share a letter are not shown to differ")
    with figure_for(figure, "groups", f"{'. '.join(parts)}.", (7.6, 1.7 + _ROW * len(rows))) as canvas:
        panels = canvas.subplots(1, 2, sharey=True)
        for number, (ax, rate) in enumerate(zip(panels, RATES, strict=True)):
            _draw_rates(ax, number, rows, rate, result.overall[rate])
        size = min(9.0, 72 * canvas.bbox.height / canvas.get_dpi() * 0.7 / len(rows))
        people = ["" if row.people is None else f" ({plural(row.people, 'person', 'people')})" for row in rows]
        labels = [legible(row.group) + count for row, count in zip(rows, people, strict=True)]
        panels[0].set_yticks(range(len(rows)), labels, fontsize=size)
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
        return canvas


def _draw_rates(ax: Axes, number: int, rows: Sequence[GroupRates], rate: Rate, overall: float) -> None:
    """Draw one rate of every group on a log axis, on which a rate of 0 is an arrow from its upper limit."""
    mark = look(number)
    intervals = [interval for row in rows if (interval := row.interval_of(rate)) is not None]
    low, high = _log_range([(each.estimate, each.low, each.high) for each in intervals] + [(overall, nan, nan)])
    ax.set(xscale="log", xlim=(low, high))
    if overall > 0:
        ax.axvline(overall, color=GREY, linewidth=1.0, zorder=1)
    for place, row in enumerate(rows):
        interval = row.interval_of(rate)
        if interval is None:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            style: dict[str, Any] = {"color": GREY, "ha": "center", "va": "center", "bbox": box}
            ax.text(0.5, place, "no such trial", transform=ax.get_yaxis_transform(), **style)
            continue
        ends = [interval.high]
        if interval.estimate > 0:
            ax.hlines(place, max(interval.low, low), interval.high, color=mark.colour, linewidth=1.4)
            ax.plot(interval.estimate, place, marker=mark.marker, color=mark.colour, linestyle="", markersize=5.5)
            ends = [interval.low, interval.high] if interval.low > low else ends
        if interval.low <= low:
            arrow = {"arrowstyle": "->", "color": mark.colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.4}
            ax.annotate("", (low, place), (interval.high, place), arrowprops=arrow)
        ax.plot(ends, [place] * len(ends), marker="|", color=mark.colour, linestyle="", markersize=7)
        letters = row.far_letters if rate == "far" else row.frr_letters
        ax.text(1.01, place, letters, transform=ax.get_yaxis_transform(), va="center", fontsize=8)
    ax.grid(visible=False, axis="y")
    Pen(ax).rates("x", term(label_of(rate)))
    Pen(ax).plain_log("x", log_ticks(low, high))
    ax.set_title(f"all trials: {percent(overall)}" if isfinite(overall) else "")


def _log_range(spans: Iterable[tuple[float, float, float]]) -> Range:
    """Hold all rates with their limits, but for lower ones so small that they would squeeze all the rest."""
    rates, lows, highs = table = np.array([*spans], dtype=np.float64).T
    lowest = float(np.min(table[::2], where=table[::2] > 0, initial=1.0))
    limit = float(np.min(lows, where=(rates > 0) & (lows > 0), initial=lowest))
    highest = float(np.max(highs, where=highs > 0, initial=lowest))
    return max(limit, lowest / _FAR_BELOW) / _ROOM, min(highest * _ROOM, _END)


def group_matrix_plot(result: GroupEvaluation, *, ax: Axes | None = None) -> Axes:
    """Draw the FAR by the group of the claim and the group of the impostor, on a log scale of colours.

    Parameters
    ----------
    result : GroupEvaluation
        Of `evaluate_groups`, with a table of people or `impostor_by`, so that both groups are known.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        One row per group of the claim, one column per group of the impostor; numbers are percent, bold where the
        simultaneous interval does not hold the FAR of all. Squares without trials are blank; those without a false
        accept have the colour of the lowest rate and the number 0.

    Raises
    ------
    TrialsError
        If the groups of impostors are unknown.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> result = evaluate_groups(data.dev, data.test, by="group", impostor_by="impostor_group")
    >>> group_matrix_plot(result).get_xlabel()
    'group of the impostor'
    """
    from matplotlib.colors import LogNorm

    if not result.meetings:
        raise TrialsError(
            "the groups of impostors are unknown; give them with {people!p} or {impostor_by!p}",
            code="no-impostor-groups",
            people=...,
        )
    names = [row.group for row in result.groups]
    names += sorted({pair.impostor for pair in result.meetings} - set(names))
    place = {name: k for k, name in enumerate(names)}
    rates = np.full((len(names), len(names)), np.nan)
    for pair in result.meetings:
        rates[place[pair.claim], place[pair.impostor]] = pair.interval.estimate
    low, high = float(np.min(rates, where=rates > 0, initial=1.0)), float(np.max(rates, where=rates > 0, initial=0.0))
    if high == 0:
        low, high = 0.001, 0.01
    elif low == high:
        low, high = low / 2, min(2 * high, 1.0)
    side, labels, overall = 2.2 + _SQUARE * len(names), [legible(name) for name in names], result.overall["far"]
    rule = f"threshold by {result.criterion.described(result.alpha)} {PROVENANCES[result.kind].chosen}"
    caption = (
        f"{result.system} by {' and '.join(result.by)}: {result.kind}, {rule}. Bold: differs from the rate of all "
        f"trials, {percent(overall)} ({level_text(result.confidence)} simultaneous intervals, "
        f"{GIVEN[result.meetings[0].interval.threshold]})."
    )
    with axes_for(ax, "group-matrix", caption, (side + 1.0, side)) as (axes, _):
        image = axes.imshow(np.maximum(rates, low), norm=LogNorm(low, high), cmap="viridis", aspect="equal")
        axes.set_xticks(range(len(names)), labels, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), labels)
        axes.set(xlabel="group of the impostor", ylabel="group of the claim")
        axes.grid(visible=False)
        figure = axes.get_figure()
        assert figure is not None
        bar = figure.colorbar(image, ax=axes, shrink=0.85)
        Pen(bar.ax).rates("y", term("FAR"))
        Pen(bar.ax).plain_log("y", log_ticks(low, high))
        shades = np.asarray(image.to_rgba(np.asarray(image.get_array())))[:, :, :3] ** _GAMMA @ _LUMINANCE
        for pair in result.meetings if len(names) <= _MANY else ():
            row, column, interval = place[pair.claim], place[pair.impostor], pair.interval
            axes.text(
                column,
                row,
                percent_text(interval.estimate) if interval.estimate else "0",
                ha="center",
                va="center",
                color="black" if shades[row, column] > _HALFWAY else "white",
                fontsize=8.5 - 0.25 * max(len(place) - 6, 0),
                fontweight="normal" if interval.low <= overall <= interval.high else "bold",
            )
        return axes


def group_operating_curves(
    result: GroupEvaluation,
    *,
    groups: Sequence[str] | None = None,
    eer: EerDefinition = "step-mean",
    max_points: int = 2000,
) -> tuple[OperatingCurve, ...]:
    """Prepare a DET figure of groups: the curve of each, and its point at the threshold of all.

    Parameters
    ----------
    result : GroupEvaluation
        Of `evaluate_groups`.
    groups : sequence of str, optional
        Only these; all that have impostor trials by default.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate, see `equal_error_rate`.
    max_points : int, default 2000
        How many points of a curve are kept for drawing.

    Returns
    -------
    tuple of OperatingCurve
        One per group, called by its name; the intervals of the points hold for all groups together. A group without
        genuine trials, such as a kind of attack, has those of all groups.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 40, "b": 40}, worse={"b": 4.0})
    >>> curves = group_operating_curves(evaluate_groups(data.dev, data.test, by="group"))
    >>> [curve.system for curve in curves], len({curve.point.threshold for curve in curves})
    (['a', 'b'], 1)
    """
    judged = result.judged
    rates = {row.group: row for row in result.groups}
    curves = []
    for name, part in judged.curves(judged.judgement, groups).items():
        far, frr = (
            rates[name].interval_of(rate)
            or judged_interval(part, measure=rate, confidence=result.confidence, threshold=judged.threshold)
            for rate in RATES
        )
        curves.append(operating_curve(part, far, frr, eer=eer, max_points=max_points, name=name))
    return tuple(curves)


def group_det_plot(
    result: GroupEvaluation,
    *,
    groups: Sequence[str] | None = None,
    eer: EerDefinition = "step-mean",
    ax: Axes | None = None,
) -> Axes:
    """Draw the DET curve of every group, with its point at the threshold that all groups share.

    Parameters
    ----------
    result : GroupEvaluation
        Of `evaluate_groups`.
    groups : sequence of str, optional
        Only these; all that have impostor trials by default.
    eer : {"step-mean", "step-low", "step-high", "interpolated", "rocch"}, default "step-mean"
        The definition of the equal error rate, see `equal_error_rate`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        As of `det_plot`; the bars are simultaneous intervals.

    Raises
    ------
    ParameterError
        If a group does not exist.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> group_det_plot(evaluate_groups(data.dev, data.test, by="group")).get_xlabel()
    'FAR (%)'
    """
    axes = det_plot(group_operating_curves(result, groups=groups, eer=eer), ax=ax)
    shared = "; genuine trials of all groups for groups that have none" if result.judged.without_genuine else ""
    provenance = PROVENANCES[result.kind]
    axes.set_label(
        f"{result.system} by {' and '.join(result.by)}. Curves and EER: a posteriori, on {provenance.curves}{shared}. "
        f"Points and HTER: {result.kind}, one threshold for all groups by {result.criterion} {provenance.chosen}, with "
        f"{level_text(result.confidence)} simultaneous intervals, {GIVEN[result.judged.threshold]}."
    )
    return axes


def groups_along(
    result: GroupEvaluation,
    *,
    points: int = 101,
    range: tuple[float, float] = (0.0, 1.0),
    criterion: CriterionLike = "wer-min",
    measure: MeasureLike = "hter",
    groups: Sequence[str] = (),
) -> Drawn:
    """Compute Expected Performance Curves of groups: at every alpha one threshold from all dev trials.

    Parameters
    ----------
    points : int, default 101
        The number of values of alpha.
    range : tuple of (float, float), default (0.0, 1.0)
        The range of alpha.
    groups : sequence of str, default ()
        Only these groups.
    """
    alphas = alpha_grid(points, low=range[0], high=range[1])
    return Drawn((group_curves(result, alphas=alphas, criterion=criterion, measure=measure, groups=groups),))


def group_epc_plot(curves: Sequence[PerformanceCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the Expected Performance Curve of every group: at every alpha one threshold from all dev trials.

    Parameters
    ----------
    curves : sequence of PerformanceCurve
        Of `group_curves`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        As of `epc_plot`.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005.

    Examples
    --------
    >>> from fairtrial import evaluate_groups
    >>> from fairtrial.groups import synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> from fairtrial.groups import group_curves
    >>> group_epc_plot(group_curves(evaluate_groups(data.dev, data.test, by="group"))).get_ylabel()
    'HTER on test (%)'
    """
    axes = epc_plot(curves, ax=ax)
    axes.set_label(f"{axes.get_label()} At every alpha all groups share one threshold.")
    return axes


def group_charts(result: GroupEvaluation, names: Sequence[str], label: str, *, moves: bool = True) -> dict[str, Any]:
    """Give the charts of groups at the thresholds of all values of alpha, each from all dev trials.

    Limits along alpha have the critical value of the alpha that was asked for; `label` is that of the HTER. If the
    threshold does not move, there are limits along alpha of the HTER of the first group only.
    """
    judged = result.judged
    judgement, threshold = judged.judgement, judged.threshold
    whole = along_alpha(judgement)
    # the confidence at which the interval of one group alone is its simultaneous one
    critical = {str(rate): judged.families[rate].critical(result.confidence) for rate in RATES}
    totals = judged.half_totals
    critical["hter"] = critical["far"] if totals is None else totals.critical(result.confidence)
    levels = {rate: 1 - 2 * float(ndtr(-value)) for rate, value in critical.items()}
    rates = {row.group: row for row in result.groups}
    at_point = judged.curves(judgement, names)
    weight = result.criterion.weight_of_far(result.alpha)
    groups: list[JudgedCurve] = []
    limits: list[dict[str, Any]] = []
    for name, part in judged.curves(whole, names).items():
        interval = rates[name].hter_interval or judged_interval(
            at_point[name], confidence=levels["hter"], threshold=threshold
        )
        is_drawn = moves or not groups
        along = intervals_along(part, confidence=levels["hter"], threshold=threshold) if is_drawn else ()
        counts = at_point[name].at(0)
        groups.append(JudgedCurve(curve_of(part), counts, result.threshold, interval, weight, name, along))
        limits.append({})
        for rate in RATES:
            requested = rates[name].interval_of(rate)
            if requested is not None:
                low = high = np.empty(0)
                if moves:
                    along = intervals_along(part, measure=rate, confidence=levels[rate], threshold=threshold)
                    low, high = groups[-1].limits(along, requested)
                limits[-1][rate] = {"low": low, "high": high, "asked": requested.interval}
    charts = judged_charts(groups, label)
    charts["systems"] = [{**chart, "limits": ends} for chart, ends in zip(charts["systems"], limits, strict=True)]
    charts["rates"] = {}
    middle = (whole.alpha >= ALPHA_ENDS) & (whole.alpha <= 1 - ALPHA_ENDS)
    for rate in RATES:
        spans = [(result.overall[rate], nan, nan)]
        for group, ends in zip(groups, limits, strict=True):
            if rate in ends:
                spans.append((float(getattr(group.counts, rate)), *ends[rate]["asked"]))
                if moves:
                    columns = getattr(group.curve, rate), ends[rate]["low"], ends[rate]["high"]
                    spans += zip(*(values[middle] for values in columns), strict=True)
        lowest, highest = _log_range(spans)
        axis = log_axis(term(label_of(rate)), (lowest, min(highest, 1.0)))
        charts["rates"][rate] = {"axis": axis, "all": getattr(whole.test, rate), "asked": result.overall[rate]}
    return dict(plain(charts))
