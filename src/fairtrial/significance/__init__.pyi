"""Whether a difference is more than chance."""

from .curves import CurveComparison, Region, compare_curves
from .eer_bound import EerBound, EerBounds, bound_from_eers, bounds_from_eers, smallest_difference
from .folds import corrected_resampled_test, five_by_two_test
from .mcnemar import McNemar, mcnemar_test
from .multiple import adjust_p_values, compact_letters
from .rates import Discordant, class_test, dependent_test, independent_test, naive_test, pooled_test
from .results import TestResult, equivalence_test

__all__ = [
    "CurveComparison",
    "Discordant",
    "EerBound",
    "EerBounds",
    "McNemar",
    "Region",
    "TestResult",
    "adjust_p_values",
    "bound_from_eers",
    "bounds_from_eers",
    "class_test",
    "compact_letters",
    "compare_curves",
    "corrected_resampled_test",
    "dependent_test",
    "equivalence_test",
    "five_by_two_test",
    "independent_test",
    "mcnemar_test",
    "naive_test",
    "pooled_test",
    "smallest_difference",
]
