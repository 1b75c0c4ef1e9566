"""Intervals for one proportion: errors among independent trials."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import Interval, normal_quantile

ProportionMethod: TypeAlias = Literal["clopper-pearson", "wilson", "jeffreys", "agresti-coull"]


PROPORTION_METHODS: tuple[ProportionMethod, ...] = get_args(ProportionMethod)


def proportion_interval(
    errors: int, trials: int, *, confidence: float = 0.95, method: ProportionMethod = "clopper-pearson"
) -> Interval:
    """Compute an interval for an error rate from a whole number of errors.

    Parameters
    ----------
    errors : int
        How many errors, a whole number.
    trials : int
        How many independent trials.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    method : {"clopper-pearson", "wilson", "jeffreys", "agresti-coull"}, default "clopper-pearson"
        The name of the interval.

    Returns
    -------
    Interval
        The limits, fractions between 0 and 1.

    Raises
    ------
    ParameterError
        More errors than trials, no trial, or a method that is not known.

    Notes
    -----
    ``clopper-pearson`` covers at least at the level that is asked for; the others do so on average.

    References
    ----------
    Brown, Cai & DasGupta, Interval estimation for a binomial proportion, Statistical Science 16, 2001.

    Examples
    --------
    >>> low, high = proportion_interval(10, 400)
    >>> round(low, 5), round(high, 5)
    (0.01205, 0.04549)
    """
    from scipy import stats

    if trials < 1 or not 0 <= errors <= trials or errors != int(errors):
        raise ParameterError(f"errors must be a whole number from 0 to the number of trials, not {errors} of {trials}")
    check_choice("method", method, get_args(ProportionMethod))
    quantile = normal_quantile(confidence)
    if method in ("clopper-pearson", "wilson"):
        name: Literal["exact", "wilson"] = "exact" if method == "clopper-pearson" else "wilson"
        found = stats.binomtest(int(errors), int(trials)).proportion_ci(confidence, method=name)
        return Interval(float(found.low), float(found.high))
    if method == "jeffreys":
        tail = (1 - confidence) / 2
        posterior = stats.beta(errors + 0.5, trials - errors + 0.5)
        low = 0.0 if errors == 0 else float(posterior.ppf(tail))
        return Interval(low, 1.0 if errors == trials else float(posterior.ppf(1 - tail)))
    more = trials + quantile**2
    middle = (errors + quantile**2 / 2) / more
    reach = quantile * (middle * (1 - middle) / more) ** 0.5
    return Interval(max(middle - reach, 0.0), min(middle + reach, 1.0))


def rule_of_three(trials: int) -> float:
    """Give the rate that no error in so many independent trials excludes with about 95 % confidence: 3 / trials.

    Parameters
    ----------
    trials : int
        How many independent trials, all without error.

    Returns
    -------
    float
        A fraction; at most 1.

    Raises
    ------
    ParameterError
        No trial.

    References
    ----------
    Jovanovic & Levy, A look at the rule of three, The American Statistician 51, 1997.

    Examples
    --------
    >>> rule_of_three(300)
    0.01
    """
    if trials < 1:
        raise ParameterError(f"there must be at least one trial, not {trials}")
    return min(1.0, 3 / trials)
