"""fairtrial plot plan"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.plan import PlanOptions
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw


@figure("plan")
@options.takes(PlanOptions)
def command(asked: PlanOptions) -> Draw:
    """The trade-off between people and attempts of a planned test; with --a and --b, power against people.

    \b
    Examples:
      fairtrial plot plan --pi .02 --rho .1 --half-width .005 --person-cost 10 --out plan.png
      fairtrial plot plan --a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --out power.png
    """
    from fairtrial.plots.plan import plan_plot, power_curve, power_plot

    asked.check()
    pair = asked.pair
    if pair is None:
        plan = asked.plan_rate()
        return lambda figure: plan_plot(plan, ax=figure.add_subplot())
    data = power_curve(asked.plan_comparison(pair), lambda people: asked.plan_comparison(pair, people).power)
    return lambda figure: power_plot(data, ax=figure.add_subplot())
