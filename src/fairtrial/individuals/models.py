"""The two models of correlated attempts by maximum likelihood, and what the likelihood says of the correlation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isfinite, log, nan, sqrt

import numpy as np

from fairtrial.checks import check_choice, check_confidence
from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.beta_binomial import MOST_FITTED, Likelihood, fit_beta_binomial
from fairtrial.individuals.generators import GENERATORS, Generator, log_choices
from fairtrial.intervals.rates import Interval

_MOST_RHO = 1 - 1e-6
"""A correlation that cannot be told from 1."""
_STARTS = (0.03, 0.5)
"""Correlations to climb from: the likelihood of Oman and Zucker's model may have several peaks."""

_LogLikelihood = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class ModelFit:
    """The most likely rate and correlation of a model; NaN where there are none."""

    model: Generator
    estimate: float
    rho: float
    log_likelihood: float
    """Of the numbers of errors, binomial factors and all: that of two models can be compared."""


def fit_model(people: Individuals, *, model: Generator = "beta-binomial") -> ModelFit:
    """Find the most likely rate and correlation under one of the two models.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.
    model : {"oman-zucker", "beta-binomial"}, default "beta-binomial"
        Which of the two models; see `errors_pmf`.

    Returns
    -------
    ModelFit
        The correlation is NaN where nothing tells it: without errors, with nothing but errors, where nobody was tested
        twice, and where somebody has more than a million attempts.

    Raises
    ------
    ParameterError
        Several data sets, or an unknown model.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> fit = fit_model(people, model="oman-zucker")
    >>> round(fit.estimate, 2), round(fit.rho, 2)
    (0.2, 0.48)
    """
    log_likelihood = _log_likelihood(people, model)
    rate = float(people.estimate)
    if not _tells_rho(people):
        return ModelFit(model, rate, nan, log_likelihood(rate, 0.0))
    if model == "beta-binomial":
        fit = fit_beta_binomial(people)
        return ModelFit(model, fit.estimate, fit.rho, log_likelihood(fit.estimate, fit.rho))
    from scipy.optimize import minimize

    def descent(point: Floats) -> float:
        return -log_likelihood(_expit(point[0]), _expit(point[1]))

    begin = _logit(rate)
    limits = [(begin - 10.0, begin + 10.0), (-12.0, _logit(_MOST_RHO))]
    found = [(log_likelihood(rate, 0.0), rate, 0.0)]
    for rho in _STARTS:
        best = minimize(descent, np.array([begin, _logit(rho)]), method="L-BFGS-B", bounds=limits)
        found.append((-float(best.fun), _expit(best.x[0]), _expit(best.x[1])))
    value, estimate, correlation = max(found)
    return ModelFit(model, estimate, correlation, value)


def rho_interval(people: Individuals, *, model: Generator = "beta-binomial", confidence: float = 0.95) -> Interval:
    r"""Compute the interval of the correlation between attempts of a person, by the profile likelihood.

    .. math:: \{\rho: 2 (\log L(\hat\pi, \hat\rho) - \max_\pi \log L(\pi, \rho)) \le \chi^2_1(confidence)\}

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.
    model : {"oman-zucker", "beta-binomial"}, default "beta-binomial"
        Which of the two models; see `errors_pmf`. `fit_test` says which one fits.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.

    Returns
    -------
    Interval
        Within [0, 1]; NaN where nothing tells the correlation: see `fit_model`.

    Raises
    ------
    ParameterError
        Several data sets, an unknown model, or a confidence that is not possible.

    Notes
    -----
    docs/individuals.md says how often it held the true correlation, under its own model and under the other.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks for rho to be reported; Lui et al. 1996 have another interval.

    Examples
    --------
    >>> low, high = rho_interval(Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5))
    >>> round(low, 3), round(high, 3)
    (0.135, 0.86)
    """
    from scipy.optimize import brentq
    from scipy.special import chdtri

    drop = float(chdtri(1, 1 - check_confidence(confidence))) / 2
    fit = fit_model(people, model=model)
    if not isfinite(fit.rho):
        return Interval(nan, nan)
    profile = _profile(people, model)

    def spare(rho: float) -> float:
        """By how much the likelihood of a correlation is above the least that counts."""
        return profile(rho) - fit.log_likelihood + drop

    if spare(fit.rho) <= 0:  # a confidence so small that the likelihood is not known as exactly
        return Interval(fit.rho, fit.rho)
    low = 0.0 if spare(0.0) >= 0 else float(brentq(spare, 0.0, fit.rho))
    high = 1.0 if spare(_MOST_RHO) >= 0 else float(brentq(spare, fit.rho, _MOST_RHO))
    return Interval(low, high)


def _tells_rho(people: Individuals) -> bool:
    tested_twice = people.total_attempts > people.individuals
    return bool(tested_twice and 0 < people.estimate < 1 and people.attempts.max() <= MOST_FITTED)


def _profile(people: Individuals, model: Generator) -> Callable[[float], float]:
    """The largest likelihood for a correlation, whatever the rate."""
    from scipy.optimize import minimize_scalar

    log_likelihood, begin = _log_likelihood(people, model), _logit(float(people.estimate))

    def largest(rho: float) -> float:
        found = minimize_scalar(
            lambda place: -log_likelihood(_expit(place), rho), bounds=(begin - 10, begin + 10), method="bounded"
        )
        return -float(found.fun)

    return largest


def _log_likelihood(people: Individuals, model: Generator) -> _LogLikelihood:
    """The logarithm of the likelihood of the numbers of errors, from a rate and a correlation."""
    check_choice("model", model, GENERATORS)
    if people.counts.ndim != 1:
        raise ParameterError("a model is fitted to one data set, not to several at once")
    if people.attempts.max() > MOST_FITTED:
        return lambda pi, rho: nan
    return (_of_beta_binomial if model == "beta-binomial" else _of_oman_zucker)(people)


def _of_beta_binomial(people: Individuals) -> _LogLikelihood:
    chosen = float(people.counts @ log_choices(people.attempts, people.errors))
    counted = Likelihood.of(people)

    def value(pi: float, rho: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            # a rate of 0 or 1 is certain where there is nothing else
            found = counted.value(np.array([pi, rho / (1 - rho)])) if 0 < pi < 1 else 0.0
        return chosen + found

    return value


def _of_oman_zucker(people: Individuals) -> _LogLikelihood:
    from scipy.special import xlog1py, xlogy

    there = people.counts > 0
    errors, attempts, counts = people.errors[there], people.attempts[there], people.counts[there]
    chosen = log_choices(attempts, errors)

    def value(pi: float, rho: float) -> float:
        repeated = sqrt(rho)
        fresh = (1 - repeated) * pi
        own, other = (
            xlogy(errors, rate) + xlog1py(attempts - errors, -rate) + xlogy(1, share)
            for rate, share in ((min(repeated + fresh, 1.0), pi), (fresh, 1 - pi))
        )
        return float(counts @ (chosen + np.logaddexp(own, other)))

    return value


def _logit(rate: float) -> float:
    return log(rate / (1 - rate))


def _expit(value: float) -> float:
    return 1 / (1 + exp(-value))
