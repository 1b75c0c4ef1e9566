"""How much fusion gains over the systems it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

from fairtrial.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain ratios; above 1 the fusion is better.

    Attributes
    ----------
    beta_mean : float
        The mean HTER of the systems over that of the fusion, eq. (9).
    beta_min : float
        The lowest HTER of the systems over that of the fusion, eq. (10).

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (9) and (10).

    Examples
    --------
    >>> Gain(beta_mean=3.0, beta_min=2.0).beta_min
    2.0
    """

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

    Parameters
    ----------
    fused : float
        The HTER of the fusion, a fraction.
    baselines : sequence of float
        The HTERs of its systems, fractions.

    Returns
    -------
    Gain
        Both ratios; infinite where the fusion has no error, NaN for 0 / 0.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (9) and (10).

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
