"""Empirical cross-entropy over prior log-odds: what evidence leaves open, beside what is open without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.calibration.curves import EceCurve
from fairtrial.plots.priors import as_several, draw_band, draw_line, headline, highest, label_lines, label_priors
from fairtrial.plots.style import GREY, axes_for, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGHEST = 1.5


def ece_plot(curves: EceCurve | Sequence[EceCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the empirical cross-entropy along prior log-odds.

    Parameters
    ----------
    curves : EceCurve or sequence of EceCurve
        Of `ece_curve`. The grey line is that of a likelihood ratio of 1 for every trial: above it, evidence misleads.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> ece_plot(ft.ece_curve(found)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    shown = as_several(curves)
    with axes_for(ax) as own:
        for number, curve in enumerate(shown):
            draw_band(own, number, curve.band)
            for kind, values in (("calibrated", curve.calibrated), ("minimum", curve.minimum), ("raw", curve.raw)):
                if values is not None:
                    draw_line(own, number, kind, curve.log_odds, values)
        first = shown[0]
        label_priors(own, first.log_odds)
        top = 1.05 * highest([line for curve in shown for line in (curve.calibrated, curve.neutral)])
        own.set_ylim(0, min(top, _HIGHEST))
        own.set_ylabel("empirical cross-entropy on test (bits)")
        text = "at log-odds of 0: Cllr and min Cllr\nabove the grey line evidence misleads"
        own.set_title(headline(text, [curve.band for curve in shown]))
        kinds = ["calibrated", "minimum", *(["raw"] if any(curve.raw is not None for curve in shown) else [])]
        label_lines(own, [curve.system for curve in shown], kinds, first.kind)
        own.plot(first.log_odds, first.neutral, color=GREY, linewidth=0.9, zorder=1, label="likelihood ratio of 1")
        legend_below(own)
        return own
