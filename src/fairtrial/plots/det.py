"""DET curves: FRR against FAR on normal-deviate axes, with the point at which each system would really work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.axes import DET_TICKS, DetLimits, Range, det_limits, probit, share_below
from fairtrial.claims import GIVEN
from fairtrial.errors import ParameterError
from fairtrial.plots.operating import OperatingCurve, OperatingPoint
from fairtrial.plots.style import GREY, Look, axes_for, in_percent, legend_below, legible, look
from fairtrial.tables import Terms, level_text, percent, translate
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Edges: TypeAlias = tuple[Range, Range]


def det_plot(
    curves: OperatingCurve | Sequence[OperatingCurve], *, terms: Terms = "default", ax: Axes | None = None
) -> Axes:
    """Draw DET curves; data are fractions, the axes are probit scales read in percent.

    Parameters
    ----------
    curves : OperatingCurve or sequence of OperatingCurve
        Curves of `operating_curves`. Each a-priori point comes with the intervals of its FAR and its FRR; where one of
        them is 0 or 1, which these axes do not have, the point is on their edge.
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
    Martin et al., The DET curve in assessment of detection task performance, 1997; Poh & Bengio,
    Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 3 (d).

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> from fairtrial.plots import operating_curves
    >>> det_plot(operating_curves(dev, test)).get_xlabel()
    'FAR (%)'
    """
    systems = as_curves(curves)
    with axes_for(ax, (5.4, 5.2)) as own:
        limits = det_limits(
            [(curve.roc.far, curve.roc.frr) for curve in systems],
            [(float(curve.point.counts.far), float(curve.point.counts.frr)) for curve in systems],
        )
        _probit_axes(own, limits, terms)
        ends = max(own.get_xlim()[0], own.get_ylim()[0]), own.get_xlim()[1]
        own.plot(ends, ends, color=GREY, linewidth=0.8, zorder=1)
        draw_curves(own, systems, edges=(own.get_xlim(), own.get_ylim()))
        own.set_title(headline("DET", systems))
        legend_below(own)
        return own


def as_curves(curves: OperatingCurve | Sequence[OperatingCurve]) -> tuple[OperatingCurve, ...]:
    """One or several curves as several."""
    found = (curves,) if isinstance(curves, OperatingCurve) else tuple(curves)
    if not found:
        raise ParameterError("there is no curve to draw")
    return found


def draw_curves(ax: Axes, curves: Sequence[OperatingCurve], *, edges: Edges = ((0.0, 1.0), (0.0, 1.0))) -> None:
    """Draw each curve, and its a-priori point with the intervals of both rates.

    Parameters
    ----------
    edges
        The smallest and the largest FAR and FRR that the axes have: a point beyond is drawn there.
    """
    for number, curve in enumerate(curves):
        own, counts = look(number), curve.point.counts
        eer = f"{_eer_name(curve)} {percent(curve.eer.value)}"
        line: dict[str, Any] = {"color": own.colour, "linestyle": own.line}
        ax.plot(curve.roc.far, curve.roc.frr, drawstyle="steps-pre", **line)
        label = f"{legible(curve.system)}: {eer}, HTER {percent(counts.hter)}"
        ax.plot([], [], marker=own.marker, label=label, **line)
        _draw_point(ax, curve.point, own, edges)


def _eer_name(curve: OperatingCurve) -> str:
    """What the EER of a curve is called: by its definition, if that is not the usual one."""
    return "EER" if curve.eer.definition == "step-mean" else f"EER ({curve.eer.definition})"


def _draw_point(ax: Axes, point: OperatingPoint, own: Look, edges: Edges) -> None:
    places, reach = [], []
    for rate, limits, edge in zip((point.counts.far, point.counts.frr), (point.far, point.frr), edges, strict=True):
        place = min(max(float(rate), edge[0]), edge[1])
        places.append(place)
        reach.append([[max(place - limits.low, 0.0)], [max(limits.high - place, 0.0)]])
    bars = ax.errorbar(
        places[0],
        places[1],
        xerr=reach[0],
        yerr=reach[1],
        color=own.colour,
        marker=own.marker,
        markeredgecolor="white",
        markersize=7,
        elinewidth=1.1,
        capsize=2.5,
        zorder=4,
    )
    if any(place in edge for place, edge in zip(places, edges, strict=True)):
        bars.lines[0].set_clip_on(False)  # on the edge, and whole


def headline(name: str, curves: Sequence[OperatingCurve]) -> str:
    """What is a posteriori in the figure, and what a priori."""
    point = curves[0].point
    level = f"{level_text(point.confidence)} intervals, {GIVEN[point.interval_threshold]}"
    own = PROVENANCES[point.kind]
    return (
        f"{name} and EER: a posteriori, on {own.curves}\n"
        f"points, HTER: on {own.judged}, {own.kind}, threshold by {point.criterion} {own.chosen}\n{level}"
    )


def _probit_axes(ax: Axes, limits: DetLimits, terms: Terms) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    ax.set_xscale("function", functions=(probit, share_below))
    ax.set_yscale("function", functions=(probit, share_below))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(FixedLocator(DET_TICKS))
        axis.set_minor_locator(NullLocator())
    in_percent(ax.xaxis, translate("FAR", terms))
    in_percent(ax.yaxis, translate("FRR", terms))
    ax.set_xlim(*limits.far)
    ax.set_ylim(*limits.frr)
