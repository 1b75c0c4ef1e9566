"""How sure a figure is."""

from fairtrial.intervals.proportions import proportion_interval, rule_of_three
from fairtrial.intervals.rates import (
    Interval,
    RateInterval,
    class_interval,
    hter_interval,
    naive_interval,
    published_counts,
    rate_interval,
)

__all__ = [
    "Interval",
    "RateInterval",
    "class_interval",
    "hter_interval",
    "naive_interval",
    "proportion_interval",
    "published_counts",
    "rate_interval",
    "rule_of_three",
]
