"""ROC curves of errors, the line of equal errors, and the point at which each system would really work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairtrial.errors import ParameterError
from fairtrial.plots.det import as_curves, draw_curves, headline
from fairtrial.plots.operating import OperatingCurve
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, look
from fairtrial.rules.eer import EqualErrorRate
from fairtrial.tables import Terms, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 3.0
"""The axes reach so many times as far as the largest EER."""


def roc_plot(
    curves: OperatingCurve | Sequence[OperatingCurve],
    *,
    limit: float | None = None,
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw ROC curves as errors, FRR against FAR, with the EER line and the a-priori points.

    Hollow points are where FAR and FRR are nearest on test; the threshold from dev leads to the filled ones.

    Parameters
    ----------
    curves : OperatingCurve or sequence of OperatingCurve
        Curves of `operating_curves`.
    limit : float, optional
        Up to which rate the axes reach; by default as far as the points need.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> from fairtrial.plots import operating_curves
    >>> roc_plot(operating_curves(dev, test), limit=0.5).get_xlabel()
    'FAR (%)'
    """
    systems = as_curves(curves)
    if limit is not None and not 0 < limit <= 1:
        raise ParameterError(f"the limit of the axes must be a fraction above 0 and at most 1, not {limit}")
    with axes_for(ax, (5.4, 5.2)) as own:
        reach = _reach(systems) if limit is None else limit
        own.plot([0, reach], [0, reach], color=GREY, linewidth=0.8, zorder=1, label=translate("FAR = FRR", terms))
        draw_curves(own, systems)
        for number, curve in enumerate(systems):
            drawn = look(number)
            place: dict[str, Any] = {"markerfacecolor": "white", "markersize": 6, "zorder": 3}
            own.plot(*_where_equal(curve.eer), drawn.marker, color=drawn.colour, **place)
        own.set_xlim(0, reach)
        own.set_ylim(0, reach)
        own.set_aspect("equal")
        in_percent(own.xaxis, translate("FAR", terms))
        in_percent(own.yaxis, translate("FRR", terms))
        own.set_title(headline("ROC", systems))
        legend_below(own)
        return own


def _where_equal(eer: EqualErrorRate) -> tuple[float, float]:
    """FAR and FRR of an equal error rate: where they are nearest, or on their line if that is how it is defined."""
    if eer.definition in ("interpolated", "rocch"):
        return eer.value, eer.value
    return float(eer.counts.far), float(eer.counts.frr)


def _reach(curves: Sequence[OperatingCurve]) -> float:
    eer = max(curve.eer.value for curve in curves)
    farthest = max(max(curve.point.far.high, curve.point.frr.high) for curve in curves)
    return min(1.0, max(_ROOM * eer, 1.15 * farthest, 0.001))
