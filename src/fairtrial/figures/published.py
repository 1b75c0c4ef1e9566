"""Draw what published numbers allow: the EER bound, the HTER's density and its standard deviation."""

from __future__ import annotations

from math import ceil, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, chdtri

from fairtrial.core.words import Text, figures_text, level_text, p_text, percent, term
from fairtrial.figures.axes import linear_ticks, log_ticks
from fairtrial.figures.style import GREY, PALE, axes_for, legible, look
from fairtrial.figures.table import Drawn
from fairtrial.published.eer_bound import EerBound, EerBounds
from fairtrial.published.normal import DeviationCurves, HterDensity, ratios_up_to
from fairtrial.published.normal import hter_density as hter_density
from fairtrial.published.normal import hter_deviations as hter_deviations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LISTED = 10
_LEAST = 1e-300
"""What an axis of logarithms can still show."""


def eer_bound_plot(bounds: EerBounds, *, ax: Axes | None = None) -> Axes:
    """Draw p against chi2, with the bound of every pair; the true values lie further down the curve.

    Parameters
    ----------
    bounds : EerBounds
        The result of `bounds_from_eers`; the pale side of the curve is significant at its p value.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Notes
    -----
    The p values are those of single pairs. Far beyond the level of significance the axis of chi2 is logarithmic, and
    pairs are on the lower edge.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, Fig. 1.

    Examples
    --------
    >>> import fairtrial as ft
    >>> eer_bound_plot(ft.published.bounds_from_eers([0.0007, 0.0008], 285390)).get_ylabel()
    'p'
    """
    p_value, critical = bounds.p_value, float(chdtri(1, bounds.p_value))
    usual = max(3 * critical, 12.0)
    pairs = sorted(bounds.pairs, key=lambda pair: pair.chi2)
    beyond = [pair for pair in pairs if pair.chi2 > usual]
    last = 1.5 * beyond[-1].chi2 if beyond else usual
    lowest = max(float(chdtrc(1, usual)) / 2, _LEAST)
    further = f"; beyond chi2 = {usual:.3g} the axis is logarithmic, and p is below the lower edge" if beyond else ""
    caption = (
        f"Lower bounds of chi2 from EERs on {bounds.pairs[0].trials:,} trials, and upper bounds of p; arrows: where "
        f"the truth may lie{further}. Shaded: significant at p = {p_value:g}, for each pair by itself."
    )
    with axes_for(ax, "eer-bound", caption) as (axes, pen):
        if beyond:
            axes.set_xscale("symlog", linthresh=usual, linscale=2.2)
            powers = [10.0**power for power in range(1, ceil(log10(last))) if 10.0**power > usual]
            axes.set_xticks([*(place for place, _ in linear_ticks(0, usual, most=5)), *powers], minor=False)
            axes.minorticks_off()
            axes.axvline(usual, color=GREY, linestyle=":", linewidth=0.9)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        grid = np.linspace(0, usual, 400)
        axes.semilogy(grid, chdtrc(1, grid), color="black", linewidth=1.4)
        axes.axvspan(critical, last, color=PALE, alpha=0.5, zorder=0)
        axes.plot([critical], [p_value], "o", color="black", markersize=4)
        words = f"p = {p_value:g} at chi2 = {critical:.2f}"
        axes.annotate(words, (critical, p_value), xytext=(8, 4), textcoords="offset points")
        for number, pair in enumerate(pairs):
            mark, name = look(number), _named(pair)
            style: dict[str, Any] = {"color": mark.colour, "markersize": 7, "markeredgecolor": "white"}
            if pair.chi2 > usual:
                label = f"{name}: chi2 {pair.chi2:,.0f}" if pair in beyond[:_LISTED] else None
                axes.plot(pair.chi2, lowest, mark.marker, label=label, zorder=4, clip_on=False, **style)
                continue
            label = f"{name}: chi2 {pair.chi2:.2f}, p {p_text(pair.p_value)}"
            axes.plot(pair.chi2, pair.p_value, mark.marker, label=label, **style)
            truth = pair.chi2 + 0.07 * usual
            arrow = {"arrowstyle": "->", "color": mark.colour, "linewidth": 1.4}
            axes.annotate("", (truth, float(chdtrc(1, truth))), xytext=(pair.chi2, pair.p_value), arrowprops=arrow)
        if len(beyond) > _LISTED:
            pen.explain(f"and {len(beyond) - _LISTED} more on the lower edge")
        axes.set(xlim=(0, last), xlabel="chi2", ylim=(lowest, 1.3), ylabel="p")
        axes.yaxis.set_major_formatter(
            lambda value, _: np.format_float_positional(value, 6, fractional=False, trim="-")
        )
        return axes


def _named(pair: EerBound) -> str:
    if pair.names is not None:
        return " and ".join(legible(name) for name in pair.names)
    return f"{100 * pair.a:.4g} and {100 * pair.b:.4g} %"


def deviations(*, far: float = 0.1, frr: float = 0.2, genuine: int = 100, most: float = 1000.0) -> Drawn:
    """Compute standard deviations against the ratio of impostor to genuine trials.

    Parameters
    ----------
    far, frr : float, default 0.1 and 0.2
        The error rate, a fraction.
    genuine : int, default 100
        The number of genuine trials, NC.
    most : float, default 1000
        The largest NI / NC.
    """
    return Drawn((hter_deviations(ratios=ratios_up_to(most), far=far, frr=frr, genuine=genuine),))


def hter_sd_plot(data: DeviationCurves, *, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of HTER, NAIVE, CLASS, FAR and FRR against NI / NC, on logarithmic axes.

    Parameters
    ----------
    data : DeviationCurves
        What `hter_deviations` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 3.

    Examples
    --------
    >>> hter_sd_plot(hter_deviations()).get_xscale()
    'log'
    """
    names = {"HTER": "HTER, eq. (13)", "NAIVE": "NAIVE: HTER as a proportion", "CLASS": "CLASS: classification error"}
    caption = Text(
        "{FAR} {far:level}, {FRR} {frr:level}, NC = {genuine:plural independent genuine trial}. More impostor trials "
        "hardly reduce the deviation of the HTER, though NAIVE and CLASS fall.",
        far=data.far,
        frr=data.frr,
        genuine=data.genuine,
    )
    with axes_for(ax, "hter-sd", str(caption)) as (axes, pen):
        for number, (name, values) in enumerate(data.deviations.items()):
            every = max(1, len(values) // 6)
            # wide below narrow, and markers in turn, where lines coincide
            style: dict[str, Any] = {"linewidth": 5.0, "alpha": 0.35, "linestyle": "-"} if name == "FAR" else {}
            places = (number * every // len(data.deviations), every)
            pen.marked_line(number, data.ratio, values, names.get(name, term(name)), markevery=places, **style)
        axes.set(xscale="log", xlabel="NI / NC, impostor trials per genuine trial", yscale="log")
        pen.plain_log("x")
        low, high = axes.get_ylim()
        pen.rates("y", "standard deviation")
        pen.plain_log("y", log_ticks(low, high))
        axes.set_ylim(low, high)
        return axes


def hter_density_plot(data: HterDensity, *, ax: Axes | None = None) -> Axes:
    """Draw the normal density of an HTER, with the area of its interval.

    Parameters
    ----------
    data : HterDensity
        What `hter_density` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 1.

    Examples
    --------
    >>> hter_density_plot(hter_density()).get_xlabel()
    'HTER (%)'
    """
    interval, mark = data.interval, look(0)
    level = level_text(interval.confidence)
    caption = (
        f"Normal density of the HTER, standard deviation {percent(interval.sigma)}, eq. (13); shaded: the area of the "
        f"{level} interval. All trials are taken as independent."
    )
    with axes_for(ax, "hter-density", caption) as (axes, pen):
        axes.plot(data.values, data.density, color=mark.colour)
        inside = (data.values >= interval.low) & (data.values <= interval.high)
        area = f"{level} interval, {figures_text(interval.low, interval.high, True)}"
        axes.fill_between(data.values, data.density, where=inside.tolist(), color=mark.colour, alpha=0.2, label=area)
        axes.axvline(
            interval.estimate, color="black", linewidth=1, linestyle=":", label=f"HTER {percent(interval.estimate)}"
        )
        axes.set_ylim(bottom=0)
        axes.set(xlim=(data.values[0], data.values[-1]), ylabel="density", yticks=[])
        pen.rates("x", "HTER")
        return axes
