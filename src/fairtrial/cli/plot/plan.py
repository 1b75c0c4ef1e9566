"""fairtrial plot plan"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.plan import PlanOptions
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("plan")
@options.takes(PlanOptions)
def command(asked: PlanOptions) -> Draw:
    """The trade-off between people and attempts of a planned test; with --a and --b, power against people.

    \b
    Examples:
      fairtrial plot plan --pi .02 --rho .1 --half-width .005 --person-cost 10 --out plan.png
      fairtrial plot plan --a .010 .020 --b .015 .030 --attempts 4 --impostor-attempts 100 --out power.png
    """
    from fairtrial.figures.repeated import plan_plot, power_curve, power_plot
    from fairtrial.repeated.comparison_plans import ComparisonPlan, plan

    planned = plan(**asdict(asked), data_sets=0)
    if not isinstance(planned, ComparisonPlan):
        return lambda figure: plan_plot(planned, ax=figure.add_subplot())

    def power_of(people: int) -> float:
        return plan(**{**asdict(asked), "individuals": people}, data_sets=0).power or 0.0

    data = power_curve(planned, power_of)
    return lambda figure: power_plot(data, ax=figure.add_subplot())
