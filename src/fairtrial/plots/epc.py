"""Expected Performance Curves of several systems, with bands and operating points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairtrial.axes import ALPHA, ALPHA_ENDS
from fairtrial.claims import GIVEN_ALONG
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError
from fairtrial.evaluation import Evaluation
from fairtrial.intervals.bands import Band
from fairtrial.plots.style import axes_for, in_percent, legend_below, legible, look
from fairtrial.rules.criteria import Criterion
from fairtrial.tables import Terms, level_text, translate
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART = 0.008
"""How far apart in alpha the intervals of several systems stand, so that none hides another."""


def epc_plot(
    curves: PerformanceCurve | Sequence[PerformanceCurve],
    *,
    bands: Mapping[str, Band] | None = None,
    points: Sequence[Evaluation] = (),
    terms: Terms = "default",
    ax: Axes | None = None,
) -> Axes:
    """Draw Expected Performance Curves: at every alpha the threshold is from dev and the figure from test.

    Parameters
    ----------
    curves : PerformanceCurve or sequence of PerformanceCurve
        One curve or several, of the same measure.
    bands : dict of str to Band, optional
        The bands of `curve_band` by the name of the system.
    points : sequence of Evaluation, default ()
        Results of `evaluate` with the criterion of the curves, drawn at their alpha with their interval; those of
        several systems stand a little apart.
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
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Figs. 3 to 5 and 7.

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
    >>> epc_plot([old, new]).get_xlabel()
    'alpha, the weight of FAR'
    """
    shown = as_curves(curves)
    around = bands or {}
    with axes_for(ax) as own:
        places = {}
        for number, curve in enumerate(shown):
            drawn = look(number)
            places[curve.system] = number
            own.plot(curve.alpha, curve.value, color=drawn.colour, linestyle=drawn.line, label=legible(curve.system))
            if curve.system in around:
                band = around[curve.system]
                own.fill_between(band.alpha, band.low, band.high, color=drawn.colour, alpha=0.18, linewidth=0)
        _draw_points(own, points, places)
        label_axes(own, shown[0], terms)
        own.set_title(_headline(shown[0], next(iter(around.values()), None), points))
        legend_below(own)
        return own


def as_curves(curves: PerformanceCurve | Sequence[PerformanceCurve]) -> tuple[PerformanceCurve, ...]:
    """One or several curves as several that can share axes."""
    found = (curves,) if isinstance(curves, PerformanceCurve) else tuple(curves)
    if not found:
        raise ParameterError("there is no curve to draw")
    for curve in found:
        if curve.measure.name != found[0].measure.name:
            raise ParameterError(
                f"{curve.system} shows {curve.measure.label} and {found[0].system} {found[0].measure.label}: "
                "draw curves of one measure"
            )
    return found


def label_axes(ax: Axes, curve: PerformanceCurve, terms: Terms) -> None:
    """Name the axes of an EPC, and let the ends of alpha, where errors soar, not flatten all that lies between."""
    ax.set_xlim(float(curve.alpha[0]), float(curve.alpha[-1]))
    ax.set_xlabel(translate(_alpha_label(curve.criterion), terms))
    label = translate(f"{curve.measure.label} on {PROVENANCES[curve.kind].judged}", terms)
    if curve.measure.is_share:
        in_percent(ax.yaxis, label)
    else:
        ax.set_ylabel(label)
    if curve.measure.higher_is_better:
        return
    ax.set_ylim(bottom=0)
    inner = [
        float(height)
        for line in ax.lines
        for place, height in np.asarray(line.get_xydata(), dtype=np.float64).tolist()
        if ALPHA_ENDS <= place <= 1 - ALPHA_ENDS
    ]
    if inner and ax.get_ylim()[1] > 2 * max(inner) > 0:
        ax.set_ylim(top=1.4 * max(inner))


def _alpha_label(criterion: Criterion) -> str:
    """What alpha is to a criterion."""
    if criterion.aim is not None:
        return f"target {criterion.aim.label} on dev"
    return ALPHA if criterion.weighs_far else "alpha"


def _draw_points(ax: Axes, points: Sequence[Evaluation], places: Mapping[str, int]) -> None:
    for point in points:
        place = places.get(point.system)
        if place is None:
            raise ParameterError(f"there is a point of {point.system}, but no curve of it")
        drawn, hter, interval = look(place), float(point.test.hter), point.interval
        ax.errorbar(
            point.alpha + _APART * (place - (len(places) - 1) / 2),
            hter,
            yerr=[[hter - interval.low], [interval.high - hter]],
            color=drawn.colour,
            marker=drawn.marker,
            markeredgecolor="white",
            markersize=7,
            elinewidth=1.2,
            capsize=3,
            zorder=4,
        )


def how_judged(curve: PerformanceCurve) -> str:
    """What kind of figures a curve shows, and where its thresholds were chosen."""
    return f"{curve.kind}, threshold by {curve.criterion} {PROVENANCES[curve.kind].chosen}"


def _headline(curve: PerformanceCurve, band: Band | None, points: Sequence[Evaluation]) -> str:
    around = []
    if band is not None:
        by = " by bootstrap" if band.method == "bootstrap" else ""
        around.append((f"{level_text(band.confidence)} {band.kind} bands{by}", GIVEN_ALONG[band.threshold]))
    if points:
        interval = points[0].interval
        around.append((f"points with {level_text(interval.confidence)} intervals", GIVEN_ALONG[interval.threshold]))
    lines = [f"EPC: {how_judged(curve)}"]
    if len({given for _, given in around}) == 1:
        lines.append(f"{', '.join(what for what, _ in around)}; {around[0][1]}")
    else:
        lines += [f"{what}, {given}" for what, given in around]
    return "\n".join(lines)
