"""Reliability: log-likelihood ratios as calibrated against those that pool-adjacent-violators finds on test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairtrial.calibration.reliability import PavCurve
from fairtrial.calibration.results import calibrated_words
from fairtrial.errors import ParameterError
from fairtrial.plots.priors import as_several
from fairtrial.plots.style import GREY, axes_for, legend_below, legible, look
from fairtrial.tables import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 0.06


def pav_plot(curves: PavCurve | Sequence[PavCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the log-likelihood ratios that test gives against those of the calibration, or against scores.

    Parameters
    ----------
    curves : PavCurve or sequence of PavCurve
        Of `pav_curve`; one only where it is along scores. What is infinite is drawn on the edge of the axes. The grey
        line is what dev says: where a band lies beside it, the evidence is too strong or too weak.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2013; Dimitriadis, Gneiting & Jordan 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> pav_plot(ft.pav_curve(found, n_resamples=20)).get_xlabel()
    'log-likelihood ratio, calibrated on dev, a priori'
    """
    shown = as_several(curves)
    if len(shown) > 1 and any(curve.of_scores for curve in shown):
        raise ParameterError("scores of several systems have several scales: draw one curve, or log-likelihood ratios")
    with axes_for(ax, (5.4, 5.2)) as own:
        left, right = (pick(end for curve in shown for end in curve.guide[0][[0, -1]]) for pick in (min, max))
        bottom, top = _heights(shown, left, right)
        first = shown[0]
        guide = first.guide if first.of_scores else ([left, right], [left, right])
        own.plot(*guide, color=GREY, linewidth=0.9, zorder=1, label=f"calibrated {calibrated_words(first.kind)}")
        for number, curve in enumerate(shown):
            drawn = look(number)
            edges = np.concatenate([[curve.start], curve.places])
            low, high = (np.clip(np.concatenate([end[:1], end]), bottom, top) for end in (curve.low, curve.high))
            own.fill_between(edges, low, high, step="pre", color=drawn.colour, alpha=0.18, linewidth=0)
            places = np.concatenate([[curve.start], curve.ends])
            ratios = np.clip(np.concatenate([curve.ratios[:1], curve.ratios]), bottom, top)
            own.plot(
                places, ratios, drawstyle="steps-pre", label=legible(curve.system), color=drawn.colour, ls=drawn.line
            )
        own.set_xlim(left, right)
        own.set_ylim(bottom, top)
        own.set_xlabel(
            "score" if first.of_scores else f"log-likelihood ratio, calibrated {calibrated_words(first.kind)}"
        )
        own.set_ylabel("log-likelihood ratio by PAV on test")
        own.set_title(
            f"PAV on test: a posteriori; on the edge: trials of one class only\n"
            f"{level_text(first.confidence)} pointwise bands, {first.method}"
        )
        legend_below(own)
        return own


def _heights(curves: Sequence[PavCurve], left: float, right: float) -> tuple[float, float]:
    """Ends of the upright axis: all that is finite within the other one, and a little more."""
    found = [np.zeros(1)]
    for curve in curves:
        within = (curve.places >= left) & (curve.places <= right)
        found += [curve.low[within], curve.high[within], curve.ratios, curve.guide[1]]
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    room = _ROOM * (values.max() - values.min()) or 1.0
    return float(values.min() - room), float(values.max() + room)
