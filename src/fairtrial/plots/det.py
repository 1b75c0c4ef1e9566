"""DET curves: FRR against FAR on normal-deviate axes, with the point at which each system would really work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.errors import ParameterError
from fairtrial.plots.operating import OperatingCurve, OperatingPoint
from fairtrial.plots.style import GREY, Look, as_percent, axes_for, in_percent, legend_within, legible, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99)
Edges: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
_EDGE = 1e-9
"""Rates of 0 and 1 lie at infinity; they are drawn as far out as this one."""


def probit(rates: ArrayLike) -> NDArray[np.float64]:
    """Rates on the scale of a DET axis: normal deviates."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(np.asarray(rates, dtype=np.float64), _EDGE, 1 - _EDGE)))


def share_below(deviates: ArrayLike) -> NDArray[np.float64]:
    """The way back: rates of normal deviates."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.asarray(deviates, dtype=np.float64)))


def det_plot(curves: OperatingCurve | Sequence[OperatingCurve], *, ax: Axes | None = None) -> Axes:
    """Draw DET curves; data are fractions, the axes are probit scales read in percent.

    Parameters
    ----------
    curves
        Curves of `operating_curves`. Each a-priori point comes with the intervals of its FAR and its FRR; where one
        of them is 0 or 1, which these axes do not have, the point is on their edge.

    References
    ----------
    Martin et al., The DET curve in assessment of detection task performance, 1997; FUS Fig. 3 (d).
    """
    systems = as_curves(curves)
    with axes_for(ax, (5.4, 5.2)) as own:
        _probit_axes(own, *_limits(systems))
        ends = max(own.get_xlim()[0], own.get_ylim()[0]), own.get_xlim()[1]
        own.plot(ends, ends, color=GREY, linewidth=0.8, zorder=1)
        draw_curves(own, systems, edges=(own.get_xlim(), own.get_ylim()))
        own.set_title(headline("DET", systems))
        legend_within(own, len(systems))
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
        eer = f"{_eer_name(curve)} {as_percent(curve.eer.value)}"
        line: dict[str, Any] = {"color": own.colour, "linestyle": own.line}
        ax.plot(curve.roc.far, curve.roc.frr, drawstyle="steps-pre", **line)
        label = f"{legible(curve.system)}: {eer}, HTER {as_percent(counts.hter)}"
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
    kind = point.kind.removesuffix(" (cross-validated)")
    where = "test" if kind == point.kind else "held-out trials"
    return (
        f"{name} and EER: a posteriori on {where}\n"
        f"points, HTER: {kind}, threshold by {point.criterion} on dev; {100 * point.confidence:g} % intervals"
    )


def _limits(curves: Sequence[OperatingCurve]) -> tuple[float, float, float]:
    """The smallest FAR and FRR, but 0, at which a curve is within the axes, and the end of both axes."""
    worst = max(curve.eer.value for curve in curves)
    farthest = max(max(curve.point.counts.far, curve.point.counts.frr) for curve in curves)
    end = 0.5 if worst < 0.3 and farthest < 0.5 else 0.99
    smallest = []
    for own, other in (("far", "frr"), ("frr", "far")):
        found = [0.01]
        for curve in curves:
            rates, others = getattr(curve.roc, own), getattr(curve.roc, other)
            found += rates[(rates > 0) & (others <= end)].tolist()
            found.append(getattr(curve.point.counts, own) or end)
        smallest.append(min(found))
    return smallest[0], smallest[1], end


def _probit_axes(ax: Axes, far: float, frr: float, end: float) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    ax.set_xscale("function", functions=(probit, share_below))
    ax.set_yscale("function", functions=(probit, share_below))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(FixedLocator(TICKS))
        axis.set_minor_locator(NullLocator())
    in_percent(ax.xaxis, "FAR")
    in_percent(ax.yaxis, "FRR")
    ax.set_xlim(max(0.7 * far, TICKS[0]), end)
    ax.set_ylim(max(0.7 * frr, TICKS[0]), end)
