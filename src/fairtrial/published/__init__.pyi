"""Draw conclusions from published numbers alone."""

from .eer_bound import EerBound, EerBounds, bound_from_eers, bounds_from_eers, smallest_difference
from .mcnemar import McNemar, mcnemar_test
from .rates import (
    Discordant,
    compare_rates,
    dependent_test,
    independent_test,
    proportion_interval,
    published_counts,
    rate_intervals,
    rule_of_three,
)

__all__ = [
    "Discordant",
    "EerBound",
    "EerBounds",
    "McNemar",
    "bound_from_eers",
    "bounds_from_eers",
    "compare_rates",
    "dependent_test",
    "independent_test",
    "mcnemar_test",
    "proportion_interval",
    "published_counts",
    "rate_intervals",
    "rule_of_three",
    "smallest_difference",
]
