"""The beta-binomial model by maximum likelihood: each person has a rate of their own, from a beta distribution."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import exp, isfinite, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.limits import Limits, normal_limits
from fairtrial.intervals.rates import Interval
from fairtrial.tables import Column, Result, Table, number_text, percent

MOST_FITTED = 1_000_000
"""Attempts of one person beyond which the model is not fitted: its likelihood has one term per attempt."""


@dataclass(frozen=True, slots=True, repr=False)
class BetaBinomialFit(Result):
    """The most likely rate and correlation, and the standard deviation of the rate; NaN where there is none.

    Attributes
    ----------
    estimate : float
        The most likely rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    sigma : float
        The standard deviation of the estimate.
    log_likelihood : float
        The largest log-likelihood, binomial factors left out.

    Examples
    --------
    >>> from fairtrial import Individuals, fit_beta_binomial
    >>> fit = fit_beta_binomial(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5))
    >>> low, high = fit.interval()
    >>> round(low, 2), round(high, 2)
    (0.0, 0.4)
    """

    estimate: float
    rho: float
    sigma: float
    log_likelihood: float

    def interval(self, confidence: float = 0.95) -> Interval:
        """Give the estimate and as many standard deviations on either side as the confidence asks for.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.

        Returns
        -------
        Interval
            Low and high, fractions; not kept within 0 and 1.
        """
        return Interval(*normal_limits(self.estimate, self.sigma, confidence))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers."""
        return asdict(self)

    def summary(self) -> str:
        """The rate and the correlation."""
        return f"rate {percent(self.estimate)}, rho {number_text(self.rho)}"

    def tables(self) -> tuple[Table, ...]:
        """The fit in one row."""
        columns = (
            Column("estimate", "rate", "rate"),
            Column("sigma", "sigma", "rate"),
            Column("rho", "rho", "number"),
            Column("log_likelihood", "log-likelihood", "number"),
        )
        row = (self.estimate, self.sigma, self.rho, self.log_likelihood)
        return (Table("fit", "Beta-binomial model by maximum likelihood", columns, (row,)),)


def fit_beta_binomial(people: Individuals) -> BetaBinomialFit:
    r"""Find the most likely error rate and correlation between attempts of a person.

    .. math:: \log L = \sum_j A_j \log(\pi + j\theta) + B_j \log(1 - \pi + j\theta) - C_j \log(1 + j\theta)

    with :math:`\theta = \rho / (1 - \rho)` and the numbers of people with more than j errors, with more than
    j attempts without error and with more than j attempts.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.

    Returns
    -------
    BetaBinomialFit
        NaN where somebody has more than a million attempts, or where there is no maximum.

    Raises
    ------
    ParameterError
        Several data sets.

    Notes
    -----
    The standard deviation of the rate comes from the observed information. Where people differ less than by
    chance, the most likely correlation is 0 and the model binomial. Without errors, or without anything else,
    there is no standard deviation. The likelihood is that of the sequence of outcomes, binomial factors left out.

    References
    ----------
    Schuckers, Estimation and sample size calculations for correlated binary error rates of biometric identification
    devices, 2003.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> fit = fit_beta_binomial(people)
    >>> round(fit.estimate, 3), round(fit.rho, 3)
    (0.2, 0.507)
    """
    if people.counts.ndim != 1:
        raise ParameterError("the beta-binomial model is fitted to one data set, not to several at once")
    rate = float(people.estimate)
    if rate in (0, 1):
        return BetaBinomialFit(rate, float("nan"), float("nan"), 0.0)
    if people.attempts.max() > MOST_FITTED:
        return BetaBinomialFit(float("nan"), float("nan"), float("nan"), float("nan"))
    model = Likelihood.of(people)
    binomial = np.array([rate, 0.0])
    if model.gradient(binomial)[1] <= 0:
        sigma = 1 / sqrt(-model.curvature(binomial)[0, 0])
        return BetaBinomialFit(rate, 0.0, sigma, model.value(binomial))
    best = _maximum(model, rate, float(np.clip(people.rho, 1e-4, 0.95)))
    return BetaBinomialFit(float(best[0]), float(best[1] / (1 + best[1])), _deviation(model, best), model.value(best))


def most_likely_limits(
    people: Individuals,
    *,
    confidence: float = 0.95,
    n_resamples: int | None = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Limits:
    """Compute the interval by maximum likelihood, BB-ML.

    Notes
    -----
    Undefined without errors, and where all attempts are errors.

    References
    ----------
    Schuckers 2003b; Schuckers et al. 2004, section 2.5.
    """
    if people.counts.ndim == 1:
        return fit_beta_binomial(people).interval(confidence)
    # many data sets of a study are alike
    kinds, place = np.unique(people.counts, axis=0, return_inverse=True)
    limits = [fit_beta_binomial(Individuals(people.errors, people.attempts, row)).interval(confidence) for row in kinds]
    low, high = np.array(limits)[place.reshape(-1)].T
    return low, high


def _deviation(model: Likelihood, best: Floats) -> float:
    """The standard deviation of the rate by the observed information; NaN where that is no maximum."""
    (a, b), (_, c) = -model.curvature(best)
    # where the correlation is at its bound of 1 the information about it may vanish
    left = a - b**2 / c if c > 0 else a
    return 1 / sqrt(left) if isfinite(left) and left > 0 else float("nan")


def _maximum(model: Likelihood, rate: float, rho: float) -> Floats:
    """Climb from the moments, the rate and the correlation on unbounded scales."""
    from scipy.optimize import minimize

    start = np.array([log(rate / (1 - rate)), log(rho / (1 - rho))])
    people = float(model.attempts[0])

    def natural(point: Floats) -> Floats:
        return np.array([1 / (1 + exp(-point[0])), exp(point[1])])

    def descent(point: Floats) -> tuple[float, Floats]:
        values = natural(point)
        slopes = model.gradient(values) * [values[0] * (1 - values[0]), values[1]]
        return -model.value(values) / people, -slopes / people

    # the rate is not far from that of all attempts; a correlation of 1 - 1e-6 cannot be told from 1, where the
    # likelihood has its maximum at infinity
    limits = [(start[0] - 10.0, start[0] + 10.0), (-30.0, log(1e6))]
    found = minimize(descent, start, jac=True, method="L-BFGS-B", bounds=limits, options={"ftol": 1e-15, "gtol": 1e-10})
    return natural(found.x)


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """How many people have more than 0, 1, ... errors, successes and attempts, and the likelihood that these give.

    Points are pairs of the rate and theta = rho / (1 - rho).
    """

    errors: Floats
    successes: Floats
    attempts: Floats
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, people: Individuals) -> Likelihood:
        """Count the people of one data set."""
        longest = int(people.attempts.max())

        def more_than(values: Floats) -> Floats:
            exactly = np.bincount(values.astype(np.int64), people.counts, longest + 1)
            return np.asarray(exactly.sum() - np.cumsum(exactly))[:longest]

        successes = people.attempts - people.errors
        return cls(
            more_than(people.errors), more_than(successes), more_than(people.attempts), np.arange(float(longest))
        )

    def _terms(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        pi, theta = point
        return pi + self.steps * theta, 1 - pi + self.steps * theta, 1 + self.steps * theta

    def value(self, point: Floats) -> float:
        """The logarithm of the likelihood, binomial factors left out."""
        a, b, c = self._terms(point)
        return float(self.errors @ np.log(a) + self.successes @ np.log(b) - self.attempts @ np.log(c))

    def gradient(self, point: Floats) -> Floats:
        """Its first derivatives."""
        a, b, c = self._terms(point)
        first, second, third = self.errors / a, self.successes / b, self.attempts / c
        return np.array([first.sum() - second.sum(), (first + second - third) @ self.steps])

    def curvature(self, point: Floats) -> Floats:
        """Its second derivatives."""
        a, b, c = self._terms(point)
        first, second, third = self.errors / a**2, self.successes / b**2, self.attempts / c**2
        mixed = (second - first) @ self.steps
        return np.array([[-(first + second).sum(), mixed], [mixed, (third - first - second) @ self.steps**2]])
