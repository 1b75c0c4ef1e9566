"""Student's t and the normal distribution for single numbers, without loading scipy.

scipy.special takes longer to load than a small evaluation takes in all.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""The claim about A - B: that it is not 0, below 0 or above 0."""


def student_quantile(df: float, confidence: float) -> float:
    """Compute the two-sided quantile of Student's t; of the normal distribution for infinite degrees of freedom."""
    normal = NormalDist().inv_cdf((1 + confidence) / 2)
    if df == inf or normal <= 0:
        return normal
    tail, value = (1 - confidence) / 2, normal
    for _ in range(100):
        # the tail is convex, and Student's quantile is above the normal one: Newton's steps go up to it
        step = (student_tail(value, df) - tail) / student_density(value, df)
        value += step
        if step <= 1e-14 * value:
            break
    return value


def student_p_value(statistic: float, df: float, alternative: Alternative) -> float:
    """Compute the tail or tails of Student's t beyond a statistic."""
    less, greater = student_tail(-statistic, df), student_tail(statistic, df)
    return {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]


def student_tail(value: float, df: float) -> float:
    """Compute the probability that Student's t is above a value."""
    if df == inf:
        return erfc(value / sqrt(2)) / 2
    if value == 0 or abs(value) == inf:
        return 0.5 if value == 0 else float(value < 0)
    both = _beta_tail(value, df)
    return both / 2 if value > 0 else 1 - both / 2


def student_density(value: float, df: float) -> float:
    """Compute the density of Student's t."""
    return exp(_log_gammas(df / 2) - (df + 1) / 2 * log1p(value * value / df)) / sqrt(pi * df)


def _log_gammas(a: float) -> float:
    """Compute log Gamma(a + 1/2) - log Gamma(a), by Stirling's series if both are large."""
    return lgamma(a + 0.5) - lgamma(a) if a < 1e3 else log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3)


def _beta_tail(value: float, df: float) -> float:
    r"""Compute both tails, the regularised incomplete beta function :math:`I_x(df/2, 1/2)` at df / (df + value²).

    By its continued fraction (DLMF 8.17.22, Lentz's algorithm), on the side where it converges quickly.
    """
    a, b, ratio = df / 2, 0.5, min(abs(value), 1e150) ** 2 / df  # the square stays finite
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    front = exp(_log_gammas(a) - lgamma(b) - a * log1p(ratio) + b * (log(ratio) - log1p(ratio)))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find the root of a function between two values.

    References
    ----------
    Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    derivatives, 1997.
    """
    a, b, at_a, at_b = high, low, function(high), function(low)
    step = 0.5
    while True:
        x = a + step * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        least = (1e-14 * abs(best) + 1e-15) / abs(b - c)
        if least > 0.5 or at_best == 0:
            return best
        # inverse quadratic interpolation if it is safe, bisection otherwise
        ratio, gain = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        step = 0.5
        if gain**2 < ratio and (1 - gain) ** 2 < 1 - ratio:
            step = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            step += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        step = min(max(step, least), 1 - least)
