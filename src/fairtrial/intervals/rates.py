"""Normal intervals for rates at a fixed threshold, from error counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from fairtrial.counting import ErrorCounts
from fairtrial.errors import ParameterError


class Interval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RateInterval:
    """An interval for a rate, with the estimate and the standard deviation it was made of."""

    estimate: float
    low: float
    high: float
    sigma: float
    confidence: float
    method: str

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.low, self.high)

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "method": self.method,
            "sigma": self.sigma,
        }


def hter_interval(counts: ErrorCounts, *, confidence: float = 0.95) -> RateInterval:
    r"""Compute the interval of an HTER at a fixed threshold, all trials taken as independent.

    .. math:: HTER \pm Z \sqrt{FAR (1 - FAR) / (4 NI) + FRR (1 - FRR) / (4 NC)}

    Notes
    -----
    The limits are not clipped to [0, 1]; without errors the width is zero. Trials that share people are not
    independent, and this interval is then too narrow.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eq. (13).

    Examples
    --------
    >>> model_a = ErrorCounts(0.0, 1285, 10, 400, 112000)
    >>> interval = hter_interval(model_a)
    >>> round(interval.low, 5), round(interval.high, 5)
    (0.01058, 0.02589)
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be between 0 and 1, not {confidence}")
    far, frr = counts.far, counts.frr
    sigma = sqrt(far * (1 - far) / (4 * counts.impostor) + frr * (1 - frr) / (4 * counts.genuine))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sigma
    hter = counts.hter
    return RateInterval(hter, hter - reach, hter + reach, sigma, confidence, "independent")
