"""The trade-off of a planned test: more people, or more attempts of each; and how surely a difference is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.planning import ComparisonPlan, RatePlan
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, look
from fairtrial.tables import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plan_plot(plan: RatePlan, *, ax: Axes | None = None) -> Axes:
    """Draw how many people reach the goal for each number of attempts, the attempts in all, and the cost.

    Parameters
    ----------
    plan : RatePlan
        The result of `plan_rate`; its own choice is marked.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import fairtrial as ft
    >>> plan_plot(ft.plan_rate(0.02, 0.1, half_width=0.005)).get_xlabel()
    'attempts of each individual'
    """
    from matplotlib.ticker import LogLocator

    if not plan.trade_off:
        raise ParameterError("the plan has no trade-off to draw")
    with axes_for(ax) as own:
        _draw_trade_off(own, plan)
        planned = f"planned: {plan.individuals:,} individuals, {plan.attempts:,} attempts each"
        _draw_star(own, plan.attempts, plan.individuals, look(0).colour, planned)
        own.minorticks_off()
        own.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        own.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        own.set_xlabel("attempts of each individual")
        goal = (
            f"upper bound below {level_text(plan.claim)}"
            if plan.claim is not None
            else "interval as narrow as asked for"
        )
        own.set_title(
            f"pi = {level_text(plan.pi)}, rho = {plan.rho:g}: {goal}\n"
            f"takes {plan.independent_attempts:,.0f} independent attempts"
        )
        legend_below(own)
        return own


def _draw_trade_off(ax: Axes, plan: RatePlan) -> None:
    """People, attempts and costs against the attempts of each, and how many people there must be at least."""
    rows = plan.trade_off
    attempts = [row.attempts for row in rows]
    lines = (
        ("individuals", [row.individuals for row in rows]),
        ("attempts in all", [row.total for row in rows]),
        ("cost, in attempts", [row.cost for row in rows]),
    )
    for number, (name, values) in enumerate(lines):
        drawn = look(number)
        style = {"color": drawn.colour, "linestyle": drawn.line, "marker": drawn.marker}
        ax.loglog(attempts, values, **style, markersize=4.5, label=name)
    if plan.rho:
        fewest = max(2, floor(plan.independent_attempts * plan.rho) + 1)
        ax.axhline(fewest, color=GREY, linestyle=":", label=f"{fewest:,} individuals: fewer are never enough")
    ax.set_xticks(attempts, [f"{value:g}" for value in attempts])


def _draw_star(ax: Axes, x: float, y: float, colour: str, label: str) -> None:
    """What was planned."""
    ax.plot(x, y, "*", color=colour, markersize=15, markeredgecolor="white", zorder=4, label=label)


@dataclass(frozen=True, slots=True, eq=False)
class PowerCurve:
    """How surely a difference is found, by the number of people."""

    plan: ComparisonPlan
    individuals: NDArray[np.int64]
    power: NDArray[np.float64]


def power_curve(plan: ComparisonPlan, power_of: Callable[[int], float], *, points: int = 60) -> PowerCurve:
    """Prepare the figure of a comparison.

    Parameters
    ----------
    plan : ComparisonPlan
        The result of `plan_comparison`.
    power_of : callable
        From a number of people to the power, such as
        ``lambda n: plan_comparison(a, b, individuals=n, data_sets=0).power``.
    points : int, default 60
        At how many numbers of people.

    Returns
    -------
    PowerCurve
        The power at each number of people.

    Examples
    --------
    >>> import fairtrial as ft
    >>> a, b = (0.01, 0.02), (0.015, 0.03)
    >>> plan = ft.plan_comparison(a, b, data_sets=0)
    >>> curve = power_curve(plan, lambda n: ft.plan_comparison(a, b, individuals=n, data_sets=0).power, points=5)
    >>> power_plot(curve).get_ylabel()
    'power (%)'
    """
    if points < 2:
        raise ParameterError(f"a curve needs at least 2 points, not {points}")
    people = np.unique(
        np.geomspace(max(2, plan.individuals / 20), 4 * plan.individuals, points).round().astype(np.int64)
    )
    return PowerCurve(plan, people, np.array([power_of(int(number)) for number in people]))


def power_plot(data: PowerCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the power of a comparison against the number of people, the plan marked.

    Parameters
    ----------
    data : PowerCurve
        What `power_curve` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import fairtrial as ft
    >>> a, b = (0.01, 0.02), (0.015, 0.03)
    >>> plan = ft.plan_comparison(a, b, data_sets=0)
    >>> curve = power_curve(plan, lambda n: ft.plan_comparison(a, b, individuals=n, data_sets=0).power, points=5)
    >>> power_plot(curve).get_xlabel()
    'individuals'
    """
    plan = data.plan
    with axes_for(ax) as own:
        own.semilogx(data.individuals, data.power, color=look(0).colour)
        planned = f"{plan.individuals:,} individuals: power {100 * plan.power:.1f} %"
        _draw_star(own, plan.individuals, plan.power, look(1).colour, planned)
        own.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        own.set_ylim(0, 1.02)
        own.set_xlabel("individuals")
        in_percent(own.yaxis, "power")
        kind = "paired" if plan.paired else "unpaired"
        own.set_title(
            f"{kind} test at {level_text(1 - plan.confidence)}: {plan.attempts:,} genuine and "
            f"{plan.impostor_attempts:,} impostor attempts each"
        )
        legend_below(own)
        return own
