"""Models of correlated attempts: probabilities and draws of the errors of people.

In both models a person of m attempts has X errors with E X = m pi and Var X = m pi (1 - pi) (1 + (m - 1) rho).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, as_generator, check_choice, check_whole
from fairtrial.inference.variance import Floats
from fairtrial.repeated.attempts import Individuals, Rng

Generator: TypeAlias = Literal["oman-zucker", "beta-binomial"]
GENERATORS = get_args(Generator)

MOST_SIMULATED = 10**7
"""Attempts of one person up to which errors are simulated: there is one probability per number of errors."""
MOST_INDIVIDUALS = 1 << 53
"""People up to which errors are simulated: a float still counts them."""


def errors_pmf(attempts: int, pi: float, rho: float, *, generator: Generator = "oman-zucker") -> NDArray[np.float64]:
    """Compute the probabilities of 0, 1, ... errors of a person.

    Parameters
    ----------
    attempts : int
        The number of attempts.
    pi : float
        The error rate, a fraction.
    rho : float
        The correlation between two attempts of a person.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated. ``oman-zucker``: each attempt repeats one decision of the person
        with probability sqrt(rho), and is drawn afresh otherwise. ``beta-binomial``: each person has an error rate
        drawn from a beta distribution.

    Returns
    -------
    ndarray of float
        One probability for each number of errors, shape (attempts + 1,).

    Raises
    ------
    ParameterError
        If a rate or correlation is outside [0, 1], there is no attempt, or the generator is unknown.

    References
    ----------
    Oman & Zucker, Modelling and generating correlated binary variables, 2001; Schuckers et al., A comparison of
    statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> errors_pmf(2, 0.1, 0.2).round(4)
    array([0.828, 0.144, 0.028])
    """
    m = check_whole("attempts", attempts, 1, MOST_SIMULATED)
    for name, value in (("pi", pi), ("rho", rho)):
        if not 0 <= value <= 1:
            raise ParameterError(f"{name} must be between 0 and 1 for the generator {generator}, not {value}")
    check_choice("generator", generator, GENERATORS)
    errors = np.arange(m + 1)
    if rho == 0 or pi in (0, 1):
        return binomial_pmf(m, errors, pi)
    if generator == "oman-zucker" or rho == 1:
        repeated = sqrt(rho)
        fresh = (1 - repeated) * pi
        return np.asarray(pi * binomial_pmf(m, errors, repeated + fresh) + (1 - pi) * binomial_pmf(m, errors, fresh))
    # products, because logarithms of beta functions cancel if rho is small
    steps = np.arange(m) * (rho / (1 - rho))
    wrong, right = (np.concatenate([[0.0], np.log(rate + steps).cumsum()]) for rate in (pi, 1 - pi))
    return np.asarray(np.exp(log_choices(m, errors) + wrong + right[::-1] - np.log1p(steps).sum()))


def binomial_pmf(trials: Any, hits: Any, rate: float) -> NDArray[np.float64]:
    """Compute binomial probabilities; 0 if hits exceed trials."""
    # scipy.stats has this too, but importing it takes longer than a small study
    from scipy.special import xlog1py, xlogy

    missed = np.maximum(trials - hits, 0)
    logs = log_choices(trials, np.minimum(hits, trials)) + xlogy(hits, rate) + xlog1py(missed, -rate)
    return np.where(hits <= trials, np.exp(logs), 0.0)


def log_choices(trials: Any, hits: Any) -> NDArray[np.float64]:
    """Compute logarithms of binomial coefficients."""
    from scipy.special import betaln

    return np.asarray(-betaln(hits + 1, trials - hits + 1) - np.log(trials + 1))


def draw_counts(individuals: int, pmf: Floats, data_sets: int, rng: Rng = 0) -> NDArray[np.int64]:
    """Draw the numbers of people with 0, 1, ... errors: one multinomial draw, and one row, per data set."""
    check_whole("individuals", individuals, 1, MOST_INDIVIDUALS)
    # rounding must not push the sum above 1
    return as_generator(rng).multinomial(individuals, pmf / pmf.sum(), size=data_sets)


def draw_individuals(
    attempts: ArrayLike, pi: float, rho: float, *, generator: Generator = "oman-zucker", rng: Rng = 0
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
        As for `errors_pmf`.

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


def draw_kinds(
    attempts: Sequence[int] | NDArray[Any],
    individuals: Sequence[int] | NDArray[Any],
    pmfs: Sequence[Floats],
    data_sets: int,
    rng: np.random.Generator,
) -> Individuals:
    """Simulate tests of people with several numbers of attempts: for each the number of people, and a pmf."""
    counts = [draw_counts(int(number), pmf, data_sets, rng) for number, pmf in zip(individuals, pmfs, strict=True)]
    sizes = [len(pmf) for pmf in pmfs]
    return Individuals(
        np.concatenate([np.arange(float(size)) for size in sizes]),
        np.repeat(attempts, sizes).astype(np.float64),
        np.concatenate(counts, axis=1).astype(np.float64),
    )


def drawn_people(individuals: int, pmf: Floats, data_sets: int, rng: np.random.Generator) -> Individuals:
    """Simulate tests: draw the numbers of people with 0, 1, ... errors, or the errors of people if those are fewer."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    values = np.stack([errors, errors * (errors - 1) / 2], axis=1)
    size = max(1, (1 << 20) // min(individuals, len(pmf)))
    sums = []
    for begin in range(0, data_sets, size):
        number = min(size, data_sets - begin)
        if len(pmf) <= individuals:
            sums.append(draw_counts(individuals, pmf, number, rng) @ values)
        else:
            drawn = rng.choice(len(pmf), size=(number, individuals), p=pmf / pmf.sum())
            sums.append(values[drawn].sum(axis=1))
    return people_of_sums(individuals, attempts, *np.concatenate(sums).T)


def people_of_sums(n: int, attempts: int, errors: NDArray[Any], pairs: NDArray[Any]) -> Individuals:
    """Make data sets with these sums of X and of X (X - 1) / 2; most intervals depend on nothing else."""
    # people with 0, 1 and 2 errors have the same two sums, if need be with negative numbers of people
    once = errors - 2 * pairs
    kinds = np.stack([n - once - pairs, once, pairs], axis=1)
    return Individuals(np.arange(3.0), np.full(3, float(attempts)), kinds)
