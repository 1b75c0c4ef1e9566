"""How many people and attempts a test needs."""

from fairtrial.planning.comparison import ComparisonPlan, comparison_power, plan_comparison, simulated_power
from fairtrial.planning.rate import (
    RatePlan,
    TradeOff,
    attempts_for_half_width,
    attempts_for_upper_bound,
    check_plan,
    plan_rate,
    rule_of_thirty,
    trade_off,
)

__all__ = [
    "ComparisonPlan",
    "RatePlan",
    "TradeOff",
    "attempts_for_half_width",
    "attempts_for_upper_bound",
    "check_plan",
    "comparison_power",
    "plan_comparison",
    "plan_rate",
    "rule_of_thirty",
    "simulated_power",
    "trade_off",
]
