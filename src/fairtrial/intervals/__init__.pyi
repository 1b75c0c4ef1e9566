"""How sure a figure is."""

from .bands import Band, curve_band
from .bootstrap import Bootstrap
from .eer import bootstrap_eer
from .judged import judged_interval
from .proportions import proportion_interval, rule_of_three
from .rates import (
    Interval,
    RateInterval,
    class_interval,
    hter_interval,
    naive_interval,
    published_counts,
    rate_interval,
)
from .separation import auc_interval, d_prime_interval

__all__ = [
    "Band",
    "Bootstrap",
    "Interval",
    "RateInterval",
    "auc_interval",
    "bootstrap_eer",
    "class_interval",
    "curve_band",
    "d_prime_interval",
    "hter_interval",
    "judged_interval",
    "naive_interval",
    "proportion_interval",
    "published_counts",
    "rate_interval",
    "rule_of_three",
]
