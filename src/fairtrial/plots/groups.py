"""Error rates by group with their simultaneous intervals, on log axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fairtrial.axes import log_ticks
from fairtrial.claims import GIVEN
from fairtrial.errors import ParameterError
from fairtrial.groups.judged import RATES, Rate
from fairtrial.groups.results import GroupEvaluation, GroupRates
from fairtrial.plots.style import GREY, figure_for, in_percent, legible, look
from fairtrial.rules.measures import label_of
from fairtrial.tables import Terms, level_text, p_phrase, percent, plural, threshold_text, translate
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.plots.style import Canvas

Sorting: TypeAlias = Literal["name", "far", "frr", "hter"]
_ROW = 0.3
"""Inches of a row."""
_NOTHING: dict[str, Any] = {
    "color": GREY,
    "ha": "center",
    "va": "center",
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5},
}
_FAR_BELOW = 30
"""Lower limits that are so many times below the smallest rate are beyond the axis."""
_ROOM = 1.3
"""By which factor the axis goes on beyond the last limit."""
_END = 1.15


def groups_plot(
    found: GroupEvaluation, *, sort: Sorting = "name", terms: Terms = "default", figure: Canvas | None = None
) -> Canvas:
    """Draw FAR and FRR of every group with their simultaneous intervals, on log axes.

    Parameters
    ----------
    found : GroupEvaluation
        Of `evaluate_groups`.
    sort : {"name", "far", "frr", "hter"}, default "name"
        In the order of the result, or the group with the highest rate first.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
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
    >>> from fairtrial import evaluate_groups, synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> figure = groups_plot(evaluate_groups(data.dev, data.test, by="group"), sort="far")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['b (20 people)', 'a (20 people)']
    """
    rows = _sorted(found.groups, sort)
    with figure_for(figure, (7.6, 1.7 + _ROW * len(rows))) as own:
        panels = own.subplots(1, 2, sharey=True)
        for number, (ax, rate) in enumerate(zip(panels, RATES, strict=True)):
            _draw(ax, rows, rate, found, number, terms)
        size = min(9.0, 72 * own.bbox.height / own.get_dpi() * 0.7 / len(rows))
        panels[0].set_yticks(range(len(rows)), [_label(row) for row in rows], fontsize=size)
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
        own.suptitle(_headline(found, terms), x=0.01, ha="left", fontsize=9.5)
        return own


def _sorted(groups: Sequence[GroupRates], sort: Sorting) -> list[GroupRates]:
    if sort == "name":
        return list(groups)
    if sort not in ("far", "frr", "hter"):
        raise ParameterError(f"sort must be name, far, frr or hter, not {sort!r}")
    rates = [getattr(own, sort) for own in groups]
    order = sorted(range(len(groups)), key=lambda k: -1.0 if isnan(rates[k]) else rates[k], reverse=True)
    return [groups[k] for k in order]


def _label(own: GroupRates) -> str:
    return legible(own.group) + ("" if own.people is None else f" ({plural(own.people, 'person', 'people')})")


def _draw(ax: Axes, rows: Sequence[GroupRates], rate: Rate, found: GroupEvaluation, number: int, terms: Terms) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    drawn, overall = look(number), found.overall[rate]
    low, high = _range(rows, rate, overall)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    if overall > 0:
        ax.axvline(overall, color=GREY, linewidth=1.0, zorder=1)
    for place, row in enumerate(rows):
        interval = row.interval_of(rate)
        if interval is None:
            ax.text(0.5, place, "no such trial", transform=ax.get_yaxis_transform(), **_NOTHING)
            continue
        if interval.estimate > 0:
            ax.hlines(place, max(interval.low, low), interval.high, color=drawn.colour, linewidth=1.4)
            ax.plot(interval.estimate, place, marker=drawn.marker, color=drawn.colour, linestyle="", markersize=5.5)
            ends = [interval.high] if interval.low <= low else [interval.low, interval.high]
        else:
            arrow = {"arrowstyle": "->", "color": drawn.colour, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.4}
            ax.annotate("", (low, place), (interval.high, place), arrowprops=arrow)
            ends = [interval.high]
        ax.plot(ends, [place] * len(ends), marker="|", color=drawn.colour, linestyle="", markersize=7)
        letters = row.far_letters if rate == "far" else row.frr_letters
        ax.text(1.01, place, letters, transform=ax.get_yaxis_transform(), va="center", fontsize=8)
    ax.grid(visible=False, axis="y")
    in_percent(ax.xaxis, translate(label_of(rate), terms))
    ticks = [place for place, _ in log_ticks(low, high)]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_title(f"line: all trials, {percent(overall)}" if isfinite(overall) else "")


def _range(rows: Sequence[GroupRates], rate: Rate, overall: float) -> tuple[float, float]:
    """All rates and limits, but for lower ones that are so small that all the rest would be."""
    known = [own for row in rows if (own := row.interval_of(rate)) is not None]
    rates = [own.estimate for own in known if own.estimate > 0]
    lowest = min([*rates, *(own.high for own in known), overall if overall > 0 else 1.0])
    limits = [own.low for own in known if own.low > 0 and own.estimate > 0]
    high = min(max(own.high for own in known) * _ROOM, _END)
    return max(min([lowest, *limits]), lowest / _FAR_BELOW) / _ROOM, high


def _headline(found: GroupEvaluation, terms: Terms) -> str:
    interval = next(
        (own for row in found.groups for own in (row.far_interval, row.frr_interval) if own is not None), None
    )
    rule = f"threshold {threshold_text(found.threshold)} by {found.criterion.described(found.alpha)}"
    lines = [
        f"{legible(found.system)} by {' and '.join(found.by)}: {found.kind}, {rule} {PROVENANCES[found.kind].chosen}"
    ]
    if interval is not None:
        lines.append(f"{level_text(found.confidence)} intervals of all groups together, {GIVEN[interval.threshold]}")
    tests = ", ".join(f"{translate(label_of(own.measure), terms)} {p_phrase(own.p_value)}" for own in found.tests)
    if tests:
        lines.append(f"all groups equal: {tests}; those that share a letter are not shown to differ")
    return "\n".join(lines)
