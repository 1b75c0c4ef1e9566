"""How many people and attempts a test needs."""

from fairtrial.planning.attempts import attempts_for_half_width, attempts_for_upper_bound, rule_of_thirty
from fairtrial.planning.bound import UpperBound
from fairtrial.planning.checking import SimulatedPlan, check_plan
from fairtrial.planning.comparison import ComparisonPlan, comparison_power, plan_comparison
from fairtrial.planning.rate import RatePlan, TradeOff, plan_rate, trade_off
from fairtrial.planning.simulation import SimulatedPower, simulate_comparison_power
from fairtrial.planning.systems import ComparisonSetting, Rates

__all__ = [
    "ComparisonPlan",
    "ComparisonSetting",
    "RatePlan",
    "Rates",
    "SimulatedPlan",
    "SimulatedPower",
    "TradeOff",
    "UpperBound",
    "attempts_for_half_width",
    "attempts_for_upper_bound",
    "check_plan",
    "comparison_power",
    "plan_comparison",
    "plan_rate",
    "rule_of_thirty",
    "simulate_comparison_power",
    "trade_off",
]
