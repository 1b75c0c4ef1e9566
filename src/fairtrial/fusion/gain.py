"""How much fusion gains over the systems it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

from fairtrial.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain ratios of Poh & Bengio 2006, eqs. (9) and (10); above 1 the fusion is better."""

    beta_mean: float
    beta_min: float

    @property
    def note(self) -> str:
        """What to know of a gain without bounds."""
        if isnan(self.beta_mean):
            return "neither the fusion nor its systems made an error: there is no gain to tell"
        if isnan(self.beta_min):
            return "neither the fusion nor its best system made an error: there is no gain over it to tell"
        return "the fusion made no error: its gain is infinite" if self.beta_mean == inf else ""


def fusion_gain(fused: float, baselines: Sequence[float]) -> Gain:
    """Compute mean(HTER_i) / HTER_COM and min(HTER_i) / HTER_COM.

    An HTER_COM of 0 gives infinite gains; 0 / 0 is NaN.

    Examples
    --------
    >>> fusion_gain(0.01, [0.02, 0.04])
    Gain(beta_mean=3.0, beta_min=2.0)
    """
    if not baselines:
        raise ParameterError("a gain needs at least one baseline")
    mean, least = sum(baselines) / len(baselines), min(baselines)
    if fused == 0:
        return Gain(inf if mean else nan, inf if least else nan)
    return Gain(mean / fused, least / fused)


def mean_gain(gains: Sequence[float]) -> tuple[float, int]:
    """The mean of the gains that are finite, NaN if none is; and how many are not.

    Examples
    --------
    >>> mean_gain([1.0, 3.0, inf, nan])
    (2.0, 2)
    """
    finite = [gain for gain in gains if isfinite(gain)]
    return (sum(finite) / len(finite) if finite else nan), len(gains) - len(finite)
