"""Normalised Bayes error over prior log-odds: calibrated on dev, the least there is, and the scores as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairtrial.calibration.curves import BayesErrorCurve
from fairtrial.judging import SUPPORT
from fairtrial.plots.priors import as_several, draw_band, draw_line, headline, highest, label_lines, label_priors
from fairtrial.plots.style import GREY, axes_for, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAINT = 0.35
_HIGHEST = 1.3
"""How high the axis goes at the most: above 1, a system is worse than none."""


def bayes_error_plot(curves: BayesErrorCurve | Sequence[BayesErrorCurve], *, ax: Axes | None = None) -> Axes:
    """Draw normalised Bayes error rates along prior log-odds.

    Parameters
    ----------
    curves : BayesErrorCurve or sequence of BayesErrorCurve
        Of `bayes_error_curve`. Lines are faint where fewer than 30 errors of a kind are behind them; the guide at 1 is
        the default system, which decides without a score.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Brümmer & de Villiers, The BOSARIS toolkit, 2011; Doddington's rule of 30.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> bayes_error_plot(ft.bayes_error_curve(found)).get_xlabel()
    'prior log-odds of a genuine trial'
    """
    shown = as_several(curves)
    with axes_for(ax) as own:
        own.axhline(1.0, color=GREY, linewidth=0.9, zorder=1)
        for number, curve in enumerate(shown):
            draw_band(own, number, curve.band)
            lines = {"calibrated": curve.calibrated, "minimum": curve.minimum, "raw": curve.raw}
            for kind, errors in lines.items():
                if errors is None:
                    continue
                draw_line(own, number, kind, curve.log_odds, errors.rates, alpha=_FAINT)
                sure = np.where(errors.supported, errors.rates, np.nan)
                draw_line(own, number, kind, curve.log_odds, sure)
        label_priors(own, shown[0].log_odds)
        top = 1.05 * highest([curve.calibrated.rates for curve in shown])
        own.set_ylim(0, min(max(top, 1.05), _HIGHEST))
        own.set_ylabel("normalised Bayes error on test")
        text = f"1: the default system, which decides without a score\nfaint: fewer than {SUPPORT} errors of a kind"
        own.set_title(headline(text, [curve.band for curve in shown]))
        kinds = ["calibrated", "minimum", *(["raw"] if any(curve.raw is not None for curve in shown) else [])]
        label_lines(own, [curve.system for curve in shown], kinds, shown[0].kind)
        legend_below(own)
        return own
