"""The p value over chi2, and where published EERs lie on it at the least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, chdtri

from fairtrial.plots.style import PALE, axes_for, legend_below, legible, look
from fairtrial.significance.eer_bound import EerBound, EerBounds
from fairtrial.tables import p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LISTED = 10
_LEAST = 1e-300
"""What an axis of logarithms can still show."""


def eer_bound_plot(bounds: EerBounds, *, ax: Axes | None = None) -> Axes:
    """Draw p against chi2, with every pair where the bound puts it; the truth lies further down the curve.

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
    The p values are those of single pairs. Pairs beyond the right edge are listed in the figure.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, Fig. 1.

    Examples
    --------
    >>> import fairtrial as ft
    >>> eer_bound_plot(ft.bounds_from_eers([0.0007, 0.0008], 285390)).get_ylabel()
    'p'
    """
    pairs, p_value = bounds.pairs, bounds.p_value
    critical = float(chdtri(1, p_value))
    with axes_for(ax) as own:
        last = max(3 * critical, 12.0)
        grid = np.linspace(0, last, 400)
        own.semilogy(grid, chdtrc(1, grid), color="black", linewidth=1.4)
        own.axvspan(critical, last, color=PALE, alpha=0.5, zorder=0)
        own.plot([critical], [p_value], "o", color="black", markersize=4)
        own.annotate(
            f"p = {p_value:g} at chi2 = {critical:.2f}", (critical, p_value), xytext=(8, 4), textcoords="offset points"
        )
        within = sorted((pair for pair in pairs if pair.chi2 <= last), key=lambda pair: pair.chi2)
        for number, pair in enumerate(within):
            drawn = look(number)
            own.plot(
                pair.chi2,
                pair.p_value,
                drawn.marker,
                color=drawn.colour,
                markersize=7,
                markeredgecolor="white",
                label=f"{_named(pair)}: chi2 at least {pair.chi2:.2f}, p at most {p_text(pair.p_value)}",
            )
            further = pair.chi2 + 0.07 * last
            own.annotate(
                "",
                (further, float(chdtrc(1, further))),
                xytext=(pair.chi2, pair.p_value),
                arrowprops={"arrowstyle": "->", "color": drawn.colour, "linewidth": 1.4},
            )
        beyond = [pair for pair in pairs if pair.chi2 > last]
        if beyond:
            words = [f"{_named(pair)}: chi2 at least {pair.chi2:,.0f}" for pair in beyond[:_LISTED]]
            more = [f"and {len(beyond) - _LISTED} more"] if len(beyond) > _LISTED else []
            head = "beyond the right edge:" if within else "every pair lies beyond the right edge:"
            text = "\n".join([head, *words, *more])
            own.text(0.98, 0.97, text, transform=own.transAxes, ha="right", va="top", fontsize=7.5, color="#404040")
        own.set_xlim(0, last)
        own.set_ylim(max(float(chdtrc(1, last)) / 2, _LEAST), 1.3)
        own.set_xlabel("chi2")
        own.set_ylabel("p")
        own.set_title(f"what EERs on {pairs[0].trials:,} trials say at the least; arrows: where the truth may lie")
        if within:
            legend_below(own)
        return own


def _named(pair: EerBound) -> str:
    if pair.names is not None:
        return " and ".join(legible(name) for name in pair.names)
    return f"{100 * pair.a:.4g} and {100 * pair.b:.4g} %"
