"""How sure a figure is."""

from fairtrial.intervals.proportions import proportion_interval, rule_of_three
from fairtrial.intervals.rates import (
    FAR,
    FRR,
    HTER,
    ErrorWeights,
    Interval,
    RateInterval,
    class_interval,
    dcf_weights,
    hter_interval,
    naive_interval,
    published_counts,
    rate_interval,
    wer_weights,
)

__all__ = [
    "FAR",
    "FRR",
    "HTER",
    "ErrorWeights",
    "Interval",
    "RateInterval",
    "class_interval",
    "dcf_weights",
    "hter_interval",
    "naive_interval",
    "proportion_interval",
    "published_counts",
    "rate_interval",
    "rule_of_three",
    "wer_weights",
]
