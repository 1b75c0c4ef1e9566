"""The map of a calibration: from scores to log-likelihood ratios, with its band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.calibration.maps import LlrMap
from fairtrial.errors import ParameterError, listed
from fairtrial.plots.priors import as_several
from fairtrial.plots.style import GREY, axes_for, legend_below, legible, look
from fairtrial.tables import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def llr_map_plot(maps: LlrMap | Sequence[LlrMap], *, ax: Axes | None = None) -> Axes:
    """Draw log-likelihood ratios along the scores of one system, by one method of calibration or by several.

    Parameters
    ----------
    maps : LlrMap or sequence of LlrMap
        Of `llr_map`; those of several methods must be of one system, whose scores the axis has.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> found = ft.calibrate(dev, test)
    >>> llr_map_plot(ft.llr_map(found)).get_xlabel()
    'score of system'
    """
    shown = as_several(maps)
    systems = dict.fromkeys(each.system for each in shown)
    if len(systems) > 1:
        raise ParameterError(
            f"scores of {listed(tuple(systems))} have scales of their own: draw the maps of one system"
        )
    with axes_for(ax) as own:
        own.axhline(0.0, color=GREY, linewidth=0.9, zorder=1)
        for number, each in enumerate(shown):
            drawn = look(number)
            own.fill_between(each.scores, each.low, each.high, color=drawn.colour, alpha=0.18, linewidth=0)
            by = "dev resampled" if each.resampled else "by its parameters"
            label = f"{each.method}, band {by}"
            own.plot(each.scores, each.ratios, color=drawn.colour, linestyle=drawn.line, label=label)
        first = shown[0]
        own.set_xlim(float(first.scores[0]), float(first.scores[-1]))
        own.set_xlabel(f"score of {legible(first.system)}")
        own.set_ylabel("log-likelihood ratio")
        people = "trials taken as independent" if first.cluster == "none" else f"dev people, cluster {first.cluster}"
        own.set_title(f"fitted on dev\n{level_text(first.confidence)} pointwise bands, {people}")
        legend_below(own)
        return own
