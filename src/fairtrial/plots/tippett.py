"""Tippett plots: the shares of genuine and of impostor trials whose evidence is above each log-likelihood ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairtrial.calibration.curves import TippettCurve
from fairtrial.calibration.results import calibrated_words
from fairtrial.plots.priors import as_several
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, legible, look
from fairtrial.tables import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = (0, (4, 1.5))
_APART = 40
"""So many points lie between the markers of a line."""


def tippett_plot(curves: TippettCurve | Sequence[TippettCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the shares of both classes above each log-likelihood ratio.

    Parameters
    ----------
    curves : TippettCurve or sequence of TippettCurve
        Of `tippett_curve`. Solid: genuine trials, dashed: impostor trials; the legend has the shares whose evidence is
        for the wrong side of 0.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Meuwly, Reconnaissance de locuteurs en sciences forensiques, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> tippett_plot(ft.tippett_curve(found)).get_xlabel()
    'log-likelihood ratio'
    """
    shown = as_several(curves)
    with axes_for(ax) as own:
        own.axvline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, curve in enumerate(shown):
            drawn, wrong = look(number), curve.misleading
            style: dict[str, Any] = {
                "color": drawn.colour,
                "marker": drawn.marker,
                "markersize": 4,
                "markevery": (11 * number % _APART, _APART),
            }
            shares = f"{percent(wrong.frr)} of genuine, {percent(wrong.far)} of impostor on the wrong side"
            own.plot(curve.ratios, curve.genuine, label=f"{legible(curve.system)}: {shares}", **style)
            own.plot(curve.ratios, curve.impostor, linestyle=_DASHES, **style)
        own.set_xlim(min(curve.ratios[0] for curve in shown), max(curve.ratios[-1] for curve in shown))
        own.set_ylim(0, 1)
        own.set_xlabel("log-likelihood ratio")
        in_percent(own.yaxis, "test trials above")
        own.set_title(
            f"Tippett: calibrated {calibrated_words(shown[0].kind)}\n"
            "solid: genuine, dashed: impostor trials above a ratio"
        )
        legend_below(own)
        return own
