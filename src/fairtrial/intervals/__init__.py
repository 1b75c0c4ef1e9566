"""How sure a figure is."""

from fairtrial.intervals.rates import Interval, RateInterval, hter_interval

__all__ = ["Interval", "RateInterval", "hter_interval"]
