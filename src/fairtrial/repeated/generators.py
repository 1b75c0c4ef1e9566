"""Errors of people whose attempts are correlated: two models with the same mean and the same correlation.

In both, a person of m attempts has X errors with E X = m pi and Var X = m pi (1 - pi) (1 + (m - 1) rho).
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, as_generator, check_choice

Generator: TypeAlias = Literal["oman-zucker", "beta-binomial"]

MOST_SIMULATED = 10**7
"""Attempts of one person beyond which nothing is simulated: there is one probability per number of errors."""
_MOST_INDIVIDUALS = 1 << 53


def errors_pmf(attempts: int, pi: float, rho: float, *, generator: Generator = "oman-zucker") -> NDArray[np.float64]:
    """Give the probabilities of 0, 1, ... errors of a person.

    Parameters
    ----------
    attempts : int
        How often the person is tested.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated. ``oman-zucker``: each attempt repeats a decision of the person's
        own with probability sqrt(rho), and is a fresh one otherwise. ``beta-binomial``: each person has a rate of their
        own, from a beta distribution.

    Returns
    -------
    ndarray of float
        One probability for each number of errors, shape (attempts + 1,).

    Raises
    ------
    ParameterError
        A rate or a correlation outside [0, 1], no attempt, or a generator that is not known.

    References
    ----------
    Oman & Zucker, Modelling and generating correlated binary variables, 2001; Schuckers et al., A comparison of
    statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> errors_pmf(2, 0.1, 0.2).round(4)
    array([0.828, 0.144, 0.028])
    """
    if not (isfinite(attempts) and attempts == int(attempts) and attempts >= 1):
        raise ParameterError(f"a person must have at least one attempt, a whole number, not {attempts}")
    if attempts > MOST_SIMULATED:
        raise ParameterError(f"{attempts:,} attempts of a person are too many to simulate")
    for name, value in (("pi", pi), ("rho", rho)):
        if not 0 <= value <= 1:
            raise ParameterError(f"{name} must be between 0 and 1 for the generator {generator}, not {value}")
    check_choice("generator", generator, GENERATORS)
    return GENERATORS[generator](int(attempts), float(pi), float(rho))


def _oman_zucker(attempts: int, pi: float, rho: float) -> NDArray[np.float64]:
    repeated = sqrt(rho)
    fresh = (1 - repeated) * pi
    errors = np.arange(attempts + 1)
    own, other = (binomial_pmf(attempts, errors, rate) for rate in (repeated + fresh, fresh))
    return np.asarray(pi * own + (1 - pi) * other)


def _beta_binomial(attempts: int, pi: float, rho: float) -> NDArray[np.float64]:
    if rho == 0 or pi in (0, 1):
        return binomial_pmf(attempts, np.arange(attempts + 1), pi)
    if rho == 1:
        return _oman_zucker(attempts, pi, rho)  # everybody repeats one decision, by either model
    # products and not beta functions, whose logarithms are too large to be told apart where rho is small
    steps = np.arange(attempts) * (rho / (1 - rho))
    errors, successes = (np.concatenate([[0.0], np.log(rate + steps).cumsum()]) for rate in (pi, 1 - pi))
    choices = log_choices(attempts, np.arange(attempts + 1))
    return np.asarray(np.exp(choices + errors + successes[::-1] - np.log1p(steps).sum()))


def binomial_pmf(trials: Any, hits: Any, rate: float) -> NDArray[np.float64]:
    """Give the binomial probabilities of so many hits in so many trials; 0 where hits exceed trials."""
    # scipy.stats has this too, but importing it takes longer than a small study
    from scipy.special import xlog1py, xlogy

    missed = np.maximum(trials - hits, 0)
    logs = log_choices(trials, np.minimum(hits, trials)) + xlogy(hits, rate) + xlog1py(missed, -rate)
    return np.where(hits <= trials, np.exp(logs), 0.0)


def log_choices(trials: Any, hits: Any) -> NDArray[np.float64]:
    """The logarithms of the numbers of ways to have so many hits in so many trials."""
    from scipy.special import betaln

    return np.asarray(-betaln(hits + 1, trials - hits + 1) - np.log(trials + 1))


GENERATORS: dict[str, Callable[[int, float, float], NDArray[np.float64]]] = {
    "oman-zucker": _oman_zucker,
    "beta-binomial": _beta_binomial,
}


def draw_counts(
    individuals: int, pmf: NDArray[np.float64], data_sets: int, rng: np.random.Generator | int | None = 0
) -> NDArray[np.int64]:
    """Draw how many people have 0, 1, ... errors: one multinomial draw per data set, however many people there are.

    Parameters
    ----------
    individuals
        How many people there are.
    pmf
        The probabilities of 0, 1, ... errors of a person.
    data_sets
        How often to draw.
    rng
        A generator or a seed.

    Returns
    -------
    ndarray
        One row per data set, one column per number of errors.

    Raises
    ------
    ParameterError
        No individual, or too many.
    """
    if individuals < 1:
        raise ParameterError(f"there must be at least one individual, not {individuals}")
    if individuals > _MOST_INDIVIDUALS:
        raise ParameterError(f"{individuals:,} individuals are too many to simulate")
    # rounding must not push the sum above 1
    probabilities = pmf / pmf.sum()
    return as_generator(rng).multinomial(individuals, probabilities, size=data_sets)


def draw_individuals(
    attempts: ArrayLike,
    pi: float,
    rho: float,
    *,
    generator: Generator = "oman-zucker",
    rng: np.random.Generator | int | None = 0,
) -> NDArray[np.int64]:
    """Draw the errors of each person; people may have different numbers of attempts.

    Parameters
    ----------
    attempts : array_like
        The attempts of each person, shape (people,).
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    ndarray of int
        The errors of each person, shape (people,).

    Raises
    ------
    ParameterError
        A rate or a correlation outside [0, 1], no attempt, or a generator that is not known.

    References
    ----------
    Oman & Zucker, Modelling and generating correlated binary variables, 2001; Schuckers et al., A comparison of
    statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> draw_individuals([3, 3, 50, 50], 0.2, 0.1, rng=1).shape
    (4,)
    """
    tried = np.atleast_1d(np.asarray(attempts))
    source = as_generator(rng)
    errors = np.zeros(len(tried), dtype=np.int64)
    for number in np.unique(tried):
        rows = np.flatnonzero(tried == number)
        pmf = errors_pmf(number, pi, rho, generator=generator)
        errors[rows] = source.choice(len(pmf), size=len(rows), p=pmf / pmf.sum())
    return errors
