"""How many independent attempts a goal asks for, and what correlated ones are worth."""

from __future__ import annotations

from math import ceil, isfinite, log, log1p, sqrt
from typing import Any, Literal, TypeAlias

from fairtrial.checks import check_confidence, check_rate, check_share
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import normal_quantile

Scale: TypeAlias = Literal["linear", "logit"]

HAIR = 1e-9
"""A solution that is a whole number but for rounding is not made one larger."""
MOST = 1e15
"""Attempts that nobody can make, and that a float still counts."""

_LEAST_RATE = 1e-15
"""No test has so many attempts that a lower rate shows itself."""


def design_effect(attempts: Any, rho: float) -> Any:
    """Compute how many times more attempts are needed than if all were independent: 1 + (m - 1) rho."""
    return 1 + (attempts - 1) * rho


def attempts_for_half_width(
    pi: float, half_width: float, *, scale: Scale = "linear", confidence: float = 0.95
) -> float:
    r"""Find how many independent attempts give an interval of this half-width.

    .. math:: E = z^2 \pi (1 - \pi) / h^2 \quad or, on\ the\ logit\ scale, \quad z^2 / (\pi (1 - \pi) h^2)

    Parameters
    ----------
    pi
        The rate that is expected.
    half_width
        The half-width of the interval.
    scale
        Whether that is the half-width of the rate (``linear``) or of its logit.
    confidence
        Of the interval.

    Returns
    -------
    float
        Attempts, not rounded.

    Raises
    ------
    ParameterError
        A rate, half-width, scale or confidence that is not possible.

    References
    ----------
    Schuckers et al. 2004, eqs. (6) and (9), solved for the attempts; section 5 recommends the logit.
    """
    _check_rate("pi", pi)
    if not (half_width > 0 and isfinite(half_width)):
        raise ParameterError(f"the half-width must be above 0, not {half_width}")
    if scale not in ("linear", "logit"):
        raise ParameterError(f"scale must be linear or logit, not {scale!r}")
    spread = pi * (1 - pi)
    z = normal_quantile(confidence)
    needed = (z / half_width) * (z / half_width) * (spread if scale == "linear" else 1 / spread)
    if not needed < MOST:
        raise ParameterError(
            f"a half-width of {half_width} needs more than {MOST:.0e} attempts; allow a wider interval"
        )
    return needed


def attempts_for_upper_bound(pi: float, claim: float, *, confidence: float = 0.95, power: float = 0.8) -> float:
    r"""Find how many independent attempts put the upper bound of the rate below a claimed rate.

    A test of E attempts does so when it comes out at r or lower, and that has the probability asked for when

    .. math:: logit(r) + z_c / \sqrt{E r (1 - r)} = logit(c), \quad r = \pi + z_p \sqrt{\pi (1 - \pi) / E}

    Parameters
    ----------
    pi
        The true rate; 0: that no error at all will come up.
    claim
        The rate that is to be excluded.
    confidence
        Of the bound, on one side.
    power
        How probable it must be that the bound comes out below the claim. At 0.5 it does so on average only.

    Returns
    -------
    float
        Attempts, not rounded.

    Raises
    ------
    ParameterError
        A rate that is not below the claim, or a claim, confidence or power that is not possible.
    """
    from scipy.optimize import brentq
    from scipy.special import logit, ndtri

    _check_rate("the claimed rate", claim)
    check_confidence(confidence)
    check_share("power", power, open_ends=True)
    if pi == 0:
        return log(1 - confidence) / log1p(-claim)
    _check_rate("pi", pi)
    if pi >= claim:
        raise ParameterError(f"no test can put a bound below {claim:g} if the rate itself is {pi:g}; claim more")
    if confidence <= 0.5 or power < 0.5:
        raise ParameterError(f"confidence must be above 0.5 and power at least 0.5, not {confidence} and {power}")
    z_bound, z_power = (float(ndtri(level)) for level in (confidence, power))

    def excess(attempts: float) -> float:
        """How far the bound lies above the claim, in logits; it falls as attempts grow."""
        highest = min(pi + z_power * sqrt(pi * (1 - pi) / attempts), claim)
        return logit(highest) + z_bound / sqrt(attempts * highest * (1 - highest)) - logit(claim)

    # with so many attempts the highest rate is the claim itself, and the bound above it
    low = high = max(z_power**2 * pi * (1 - pi) / (claim - pi) ** 2, 1e-3)
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-12)) if high > low else high


def rule_of_thirty(pi: float) -> int:
    """Give the attempts that 30 errors need: the rate is then within 30 % with 90 % confidence, if independent.

    Parameters
    ----------
    pi : float
        The error rate, a fraction.

    Returns
    -------
    int
        A whole number of independent attempts.

    Raises
    ------
    ParameterError
        A rate that is not above 0 and below 1.

    References
    ----------
    Doddington et al., The NIST speaker recognition evaluation, 2000.

    Examples
    --------
    >>> rule_of_thirty(0.01)
    3000
    """
    _check_rate("pi", pi)
    if not 30 / pi < MOST:
        raise ParameterError(f"30 errors at a rate of {pi:g} take more than {MOST:.0e} attempts; plan for more")
    return ceil(30 / pi - HAIR)


def _check_rate(name: str, rate: float) -> None:
    """A rate strictly between 0 and 1, and not so small that no test could tell it from 0."""
    if check_rate(name, rate, open_ends=True) < _LEAST_RATE:
        raise ParameterError(f"{name} must be at least {_LEAST_RATE:g}, not {rate:g}; plan with 0 for no errors at all")
