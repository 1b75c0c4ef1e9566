"""What several figures are drawn of."""

from __future__ import annotations

from fairtrial import PerformanceCurve, Trials, alpha_grid, performance_curve, plan_rate

PLAN = plan_rate(0.02, 0.1, half_width=0.005)


def curve_of(dev: Trials, test: Trials, system: str, measure: str = "hter") -> PerformanceCurve:
    return performance_curve(dev, test, system=system, alphas=alpha_grid(21), measure=measure)
