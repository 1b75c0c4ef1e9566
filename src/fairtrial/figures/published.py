"""Draw what published numbers allow: the EER bound, the HTER's density and its standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import Text, cut, figures_text, level_text, p_text, percent, term
from fairtrial.figures.style import (
    PALE,
    axes_for,
    draw_marked_line,
    explain,
    in_percent,
    legend_below,
    legible,
    log_ticks,
    look,
    plain_log_axis,
)
from fairtrial.inference.intervals import RateInterval, rate_interval
from fairtrial.published.eer_bound import EerBound, EerBounds
from fairtrial.published.rates import class_interval, hter_interval, naive_interval, published_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LISTED = 10
_LEAST = 1e-300
"""What an axis of logarithms can still show."""


def eer_bound_plot(bounds: EerBounds, *, ax: Axes | None = None) -> Axes:
    """Draw p against chi2, with the bound of every pair; the true values lie further down the curve.

    Parameters
    ----------
    bounds : EerBounds
        The result of `bounds_from_eers`; the pale side of the curve is significant at its p value.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Notes
    -----
    The p values are those of single pairs. Pairs beyond the right edge are listed in the figure.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, Fig. 1.

    Examples
    --------
    >>> import fairtrial as ft
    >>> eer_bound_plot(ft.published.bounds_from_eers([0.0007, 0.0008], 285390)).get_ylabel()
    'p'
    """
    p_value, critical = bounds.p_value, float(chdtri(1, bounds.p_value))
    last = max(3 * critical, 12.0)
    within = sorted((pair for pair in bounds.pairs if pair.chi2 <= last), key=lambda pair: pair.chi2)
    beyond = [pair for pair in bounds.pairs if pair.chi2 > last]
    with axes_for(ax, "eer-bound") as own:
        grid = np.linspace(0, last, 400)
        own.semilogy(grid, chdtrc(1, grid), color="black", linewidth=1.4)
        own.axvspan(critical, last, color=PALE, alpha=0.5, zorder=0)
        own.plot([critical], [p_value], "o", color="black", markersize=4)
        words = f"p = {p_value:g} at chi2 = {critical:.2f}"
        own.annotate(words, (critical, p_value), xytext=(8, 4), textcoords="offset points")
        for number, pair in enumerate(within):
            drawn = look(number)
            label = f"{_named(pair)}: chi2 {pair.chi2:.2f}, p {p_text(pair.p_value)}"
            place = pair.chi2, pair.p_value
            own.plot(*place, drawn.marker, color=drawn.colour, markersize=7, markeredgecolor="white", label=label)
            further = pair.chi2 + 0.07 * last
            arrow = {"arrowstyle": "->", "color": drawn.colour, "linewidth": 1.4}
            own.annotate("", (further, float(chdtrc(1, further))), xytext=place, arrowprops=arrow)
        for pair in beyond[:_LISTED]:
            explain(own, f"{_named(pair)}: chi2 {pair.chi2:,.0f}", marker=">")
        if len(beyond) > _LISTED:
            explain(own, f"and {len(beyond) - _LISTED} more beyond the axis")
        own.set(xlim=(0, last), xlabel="chi2", ylim=(max(float(chdtrc(1, last)) / 2, _LEAST), 1.3), ylabel="p")
        own.yaxis.set_major_formatter(lambda value, _: np.format_float_positional(value, 6, fractional=False, trim="-"))
        legend_below(own)
        return own


def eer_bound_caption(bounds: EerBounds) -> str:
    """Say what the bounds mean."""
    return (
        f"Lower bounds of chi2 from EERs on {bounds.pairs[0].trials:,} trials, and upper bounds of p; arrows: where "
        "the truth may lie; triangles: pairs beyond the right end of the axis. Shaded: significant at p = "
        f"{bounds.p_value:g}, for each pair by itself."
    )


def _named(pair: EerBound) -> str:
    if pair.names is not None:
        return " and ".join(legible(name) for name in pair.names)
    return f"{100 * pair.a:.4g} and {100 * pair.b:.4g} %"


def ratios_up_to(most: float = 1000.0, points: int = 31) -> list[float]:
    """Give numbers of impostor trials per genuine trial, from 1 on, evenly on a logarithmic axis."""
    if not (np.isfinite(most) and most > 1):
        text = f"the largest ratio of impostor to genuine trials must be above 1, not {most}"
        raise ParameterError(text, code="ratios")
    return [float(ratio) for ratio in np.geomspace(1, most, points)]


@dataclass(frozen=True, slots=True, eq=False)
class DeviationCurves:
    """Standard deviations for growing numbers of impostor trials, all trials independent."""

    far: float
    frr: float
    genuine: int
    impostor: NDArray[np.int64]
    deviations: dict[str, NDArray[np.float64]]
    """By the names HTER, NAIVE, CLASS, FAR and FRR."""

    @property
    def ratio(self) -> NDArray[np.float64]:
        """NI / NC."""
        return np.asarray(self.impostor / self.genuine)


def hter_deviations(
    *, far: float = 0.1, frr: float = 0.2, genuine: int = 100, ratios: Sequence[float] | None = None
) -> DeviationCurves:
    """Compute standard deviations for growing numbers of impostor trials; ratios are rounded to whole trials.

    Parameters
    ----------
    far : float, default 0.1
        The error rate, a fraction.
    frr : float, default 0.2
        The error rate, a fraction.
    genuine : int, default 100
        How many trials of the class.
    ratios : sequence of float, optional
        Impostor trials per genuine trial; by default from 1 to 1000.

    Returns
    -------
    DeviationCurves
        The standard deviations of HTER, NAIVE, CLASS, FAR and FRR at each ratio.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 3.

    Examples
    --------
    >>> curves = hter_deviations(ratios=[1, 10, 100, 1000])
    >>> curves.deviations["HTER"].round(6)
    array([0.025   , 0.020555, 0.020056, 0.020006])
    """
    if ratios is None:
        ratios = ratios_up_to()
    if not ratios or not all(np.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ParameterError(f"ratios of impostor to genuine trials must be above 0, not {list(ratios)}", code="ratios")
    if not 1 <= genuine < 2**53:
        raise ParameterError(f"genuine trials must be at least one and below 2**53, not {cut(genuine)}", code="trials")
    if max(ratios) * genuine >= 2**53:
        text = f"impostor trials must be below 2**53, not {max(ratios):g} times {genuine:,}"
        raise ParameterError(text, code="trials")
    impostor = [max(1, round(ratio * genuine)) for ratio in ratios]
    counts = [published_counts(far=far, frr=frr, impostor=number, genuine=genuine) for number in impostor]
    deviations = {
        "HTER": [hter_interval(one).sigma for one in counts],
        "NAIVE": [naive_interval(one).sigma for one in counts],
        "CLASS": [class_interval(one).sigma for one in counts],
        "FAR": [rate_interval(one, measure="far").sigma for one in counts],
        "FRR": [rate_interval(one, measure="frr").sigma for one in counts],
    }
    return DeviationCurves(
        far, frr, genuine, np.array(impostor), {name: np.array(values) for name, values in deviations.items()}
    )


def hter_sd_plot(data: DeviationCurves, *, ax: Axes | None = None) -> Axes:
    """Draw the standard deviations of HTER, NAIVE, CLASS, FAR and FRR against NI / NC, on logarithmic axes.

    Parameters
    ----------
    data : DeviationCurves
        What `hter_deviations` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 3.

    Examples
    --------
    >>> hter_sd_plot(hter_deviations()).get_xscale()
    'log'
    """
    names = {"HTER": "HTER, eq. (13)", "NAIVE": "NAIVE: HTER as a proportion", "CLASS": "CLASS: classification error"}
    with axes_for(ax, "hter-sd") as own:
        for number, (name, values) in enumerate(data.deviations.items()):
            every = max(1, len(values) // 6)
            # wide below narrow, and markers in turn, where lines coincide
            style: dict[str, Any] = {"linewidth": 5.0, "alpha": 0.35, "linestyle": "-"} if name == "FAR" else {}
            places = (number * every // len(data.deviations), every)
            draw_marked_line(own, number, data.ratio, values, names.get(name, term(name)), markevery=places, **style)
        own.set(xscale="log", xlabel="NI / NC, impostor trials per genuine trial", yscale="log")
        plain_log_axis(own.xaxis)
        low, high = own.get_ylim()
        in_percent(own.yaxis, "standard deviation")
        plain_log_axis(own.yaxis, log_ticks(low, high))
        own.set_ylim(low, high)
        legend_below(own)
        return own


def hter_sd_caption(data: DeviationCurves) -> str:
    """Say what the curves show."""
    return str(
        Text(
            "{FAR} {far:level}, {FRR} {frr:level}, NC = {genuine:plural independent genuine trial}. More impostor "
            "trials hardly reduce the deviation of the HTER, though NAIVE and CLASS fall.",
            far=data.far,
            frr=data.frr,
            genuine=data.genuine,
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class HterDensity:
    """The normal density of an HTER, and its interval."""

    interval: RateInterval
    values: NDArray[np.float64]
    """HTERs, four standard deviations to either side."""
    density: NDArray[np.float64]


def hter_density(
    *, far: float = 0.1, frr: float = 0.2, impostor: int = 1000, genuine: int = 100, confidence: float = 0.95
) -> HterDensity:
    """Compute the normal density of an HTER, all trials independent.

    Parameters
    ----------
    far : float, default 0.1
        The error rate, a fraction.
    frr : float, default 0.2
        The error rate, a fraction.
    impostor : int, default 1000
        How many trials of the class.
    genuine : int, default 100
        How many trials of the class.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    HterDensity
        The density, and the interval of eq. (13).

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 1 and eq. (13).

    Examples
    --------
    >>> data = hter_density(far=0.1, frr=0.2, impostor=1000, genuine=100)
    >>> round(data.interval.sigma, 6), round(float(np.trapezoid(data.density, data.values)), 4)
    (0.020555, 0.9999)
    """
    counts = published_counts(far=far, frr=frr, impostor=impostor, genuine=genuine)
    interval = hter_interval(counts, confidence=confidence)
    if not interval.sigma > 0:
        raise ParameterError("there is no density without errors: the standard deviation is 0", code="nothing-to-draw")
    deviates = np.linspace(-4, 4, 401)
    density = np.exp(-(deviates**2) / 2) / (interval.sigma * np.sqrt(2 * np.pi))
    return HterDensity(interval, interval.estimate + interval.sigma * deviates, density)


def hter_density_plot(data: HterDensity, *, ax: Axes | None = None) -> Axes:
    """Draw the normal density of an HTER, with the area of its interval.

    Parameters
    ----------
    data : HterDensity
        What `hter_density` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, Fig. 1.

    Examples
    --------
    >>> hter_density_plot(hter_density()).get_xlabel()
    'HTER (%)'
    """
    interval, drawn = data.interval, look(0)
    with axes_for(ax, "hter-density") as own:
        own.plot(data.values, data.density, color=drawn.colour)
        inside = (data.values >= interval.low) & (data.values <= interval.high)
        area = f"{level_text(interval.confidence)} interval, {figures_text(interval.low, interval.high, True)}"
        own.fill_between(data.values, data.density, where=inside.tolist(), color=drawn.colour, alpha=0.2, label=area)
        own.axvline(
            interval.estimate, color="black", linewidth=1, linestyle=":", label=f"HTER {percent(interval.estimate)}"
        )
        own.set_ylim(bottom=0)
        own.set(xlim=(data.values[0], data.values[-1]), ylabel="density", yticks=[])
        in_percent(own.xaxis, "HTER")
        legend_below(own)
        return own


def hter_density_caption(data: HterDensity) -> str:
    """Say what the density is of."""
    return (
        f"Normal density of the HTER, standard deviation {percent(data.interval.sigma)}, eq. (13); shaded: the area "
        f"of the {level_text(data.interval.confidence)} interval. All trials are taken as independent."
    )
