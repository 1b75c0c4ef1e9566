"""Whether a difference is more than chance."""

from fairtrial.significance.eer_bound import (
    EerBound,
    EerBounds,
    bound_from_eers,
    bounds_from_eers,
    smallest_difference,
)
from fairtrial.significance.folds import corrected_resampled_test, five_by_two_test
from fairtrial.significance.mcnemar import McNemar, mcnemar_test
from fairtrial.significance.multiple import adjust_p_values, compact_letters
from fairtrial.significance.rates import (
    Discordant,
    class_test,
    dependent_test,
    independent_test,
    naive_test,
    pooled_test,
)
from fairtrial.significance.results import TestResult, equivalence_test

__all__ = [
    "Discordant",
    "EerBound",
    "EerBounds",
    "McNemar",
    "TestResult",
    "adjust_p_values",
    "bound_from_eers",
    "bounds_from_eers",
    "class_test",
    "compact_letters",
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
