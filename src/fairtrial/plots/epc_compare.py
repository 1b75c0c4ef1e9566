"""Two Expected Performance Curves, and where along alpha they really differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.claims import GIVEN_ALONG
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError
from fairtrial.plots.epc import as_curves, how_judged, label_axes
from fairtrial.plots.style import axes_for, legend_below, legible, look
from fairtrial.significance.curves import CurveComparison
from fairtrial.tables import Terms, level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HATCHES = ("////", "\\\\\\\\")
_PALE = 0.07
"""How opaque the tint is: pale enough for curves and grid where one system is better at every alpha."""
_STRIP = (1.01, 1.04)
"""Where the strip begins and ends, in heights of the axes."""


def epc_comparison_plot(
    a: PerformanceCurve,
    b: PerformanceCurve,
    comparison: CurveComparison,
    *,
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw two EPCs and show where they differ significantly, in the colour of the better one.

    Parameters
    ----------
    a, b : PerformanceCurve
        Curves of the two systems, of the same measure.
    comparison : CurveComparison
        The result of `compare_curves` on them.
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
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Fig. 8.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> old, new = (
    ...     ft.performance_curve(dev, test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("old", "new")
    ... )
    >>> epc_comparison_plot(old, new, ft.compare_curves(old, new)).get_ylabel()
    'HTER on test (%)'
    """
    check_pair(a, b, comparison)
    with axes_for(ax) as own:
        draw_pair(own, a, b, terms)
        _shade_regions(own, comparison)
        whole = "over all alpha at once" if comparison.simultaneous else "at each alpha by itself"
        lines = [
            f"EPC: {how_judged(a)}",
            f"shaded: significant with {level_text(comparison.confidence)} confidence, {comparison.test} test, {whole}",
            GIVEN_ALONG[comparison.threshold],
            comparison.unclaimed,
        ]
        own.set_title("\n".join(filter(None, lines)), pad=18)
        legend_below(own)
        return own


def check_pair(a: PerformanceCurve, b: PerformanceCurve, comparison: CurveComparison) -> None:
    """Raise an error where curves and comparison are of different systems or measures."""
    as_curves([a, b])
    if (a.system, b.system) != (comparison.a, comparison.b) or not np.array_equal(a.alpha, comparison.alpha):
        raise ParameterError(
            f"the comparison is of {comparison.a} and {comparison.b}, the curves are of {a.system} and {b.system}, "
            "or at other values of alpha"
        )
    if a.measure.name != comparison.measure.name:
        raise ParameterError(f"the comparison is of {comparison.measure.label}; these curves show {a.measure.label}")


def draw_pair(ax: Axes, a: PerformanceCurve, b: PerformanceCurve, terms: Terms) -> None:
    """Draw the two curves."""
    for number, curve in enumerate((a, b)):
        drawn = look(number)
        ax.plot(curve.alpha, curve.value, color=drawn.colour, linestyle=drawn.line, label=legible(curve.system))
    label_axes(ax, a, terms)


def _shade_regions(ax: Axes, comparison: CurveComparison) -> None:
    """Tint where A is better, and where B is; a strip above the axes, off the curves, says who by its hatching."""
    for number, name in enumerate((comparison.a, comparison.b)):
        better = comparison.different & ((comparison.worse < 0.5) if number == 0 else (comparison.worse > 0.5))
        for place, (low, high) in enumerate(spans(comparison.alpha, better)):
            label = f"{legible(name)} significantly better" if place == 0 else None
            colour = look(number).colour
            ax.axvspan(low, high, color=colour, alpha=_PALE, linewidth=0, zorder=0)
            strip: dict[str, Any] = {"hatch": _HATCHES[number], "edgecolor": "white", "linewidth": 0}
            ax.axvspan(low, high, *_STRIP, facecolor=colour, clip_on=False, label=label, **strip)


def spans(alpha: NDArray[np.float64], chosen: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """The stretches of chosen values of alpha, each half-way to the next value that is not."""
    middles = (alpha[1:] + alpha[:-1]) / 2
    bounds = np.concatenate([alpha[:1], middles, alpha[-1:]])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]]))).reshape(-1, 2)
    return [(float(bounds[start]), float(bounds[stop])) for start, stop in edges]
