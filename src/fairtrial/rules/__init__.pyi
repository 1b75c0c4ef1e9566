"""Choose thresholds (criteria) and report errors (measures)."""

from .criteria import CRITERIA, Criterion, choose_thresholds, register_criterion, target_criterion
from .eer import BreakEvenPoint, EqualErrorRate, break_even_point, equal_error_rate
from .measures import MEASURES, DetectionCosts, Measure, Weights, linear_measure, register_measure

__all__ = [
    "CRITERIA",
    "MEASURES",
    "BreakEvenPoint",
    "Criterion",
    "DetectionCosts",
    "EqualErrorRate",
    "Measure",
    "Weights",
    "break_even_point",
    "choose_thresholds",
    "equal_error_rate",
    "linear_measure",
    "register_criterion",
    "register_measure",
    "target_criterion",
]
