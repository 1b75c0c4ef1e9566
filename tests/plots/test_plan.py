"""Plans as figures."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from fairtrial import (
    FairtrialError,
    plan_comparison,
    plan_rate,
)
from fairtrial.plots import (
    plan_plot,
    power_curve,
    power_plot,
)


def test_plan_lines(ax: Axes) -> None:
    plan = plan_rate(0.02, 0.1, half_width=0.005, person_cost=10)
    plan_plot(plan, ax=ax)
    people, total, cost, least, star = ax.lines
    np.testing.assert_array_equal(people.get_xydata(), [(row.attempts, row.individuals) for row in plan.trade_off])
    np.testing.assert_array_equal(total.get_ydata(), [row.total for row in plan.trade_off])
    np.testing.assert_array_equal(cost.get_ydata(), [row.cost for row in plan.trade_off])
    assert np.ravel(star.get_xydata()).tolist() == [plan.attempts, plan.individuals]
    floor = int(np.asarray(least.get_ydata())[0])
    plan_rate(0.02, 0.1, half_width=0.005, individuals=floor)
    with pytest.raises(FairtrialError, match="no number of attempts"):
        plan_rate(0.02, 0.1, half_width=0.005, individuals=floor - 1)


def test_power_curve(ax: Axes) -> None:
    rates = (0.01, 0.02), (0.015, 0.03)
    plan = plan_comparison(*rates, attempts=4, data_sets=0)
    data = power_curve(plan, lambda n: plan_comparison(*rates, attempts=4, individuals=n, data_sets=0).power, points=9)
    power_plot(data, ax=ax)
    assert (np.diff(data.power) > 0).all()
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.stack([data.individuals, data.power], 1))
    assert np.ravel(ax.lines[1].get_xydata()).tolist() == [plan.individuals, plan.power]
    with pytest.raises(FairtrialError, match="points"):
        power_curve(plan, lambda n: 1.0, points=1)
