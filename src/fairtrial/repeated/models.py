"""Models of correlated attempts: probabilities of a person's errors, data sets drawn from them, and lists of all.

In both models a person of m attempts has X errors with E X = m pi and Var X = m pi (1 - pi) (1 + (m - 1) rho).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
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
_MOST_LISTED = 1 << 23  # outcomes in memory at once
_FAINT = 1e-13  # probabilities that are rounding errors of a Fourier transform


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


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Data sets and their probabilities."""

    people: Individuals
    probabilities: Floats


def too_many_outcomes(n: int, pmf: Floats, why: str) -> ParameterError:
    """Make the error for a cell with too many possible outcomes."""
    return ParameterError(f"n = {n}, m = {len(pmf) - 1} has too many outcomes for {why}", code="too-many-outcomes")


def sums_of_errors(n: int, pmf: Floats) -> Outcomes:
    """List all sums of errors over n people: a power of one person's characteristic function."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    start, size = _window(n, pmf, errors)
    if size > _MOST_LISTED:
        raise too_many_outcomes(
            n, pmf, f"exact coverage ({size:,} sums of errors); simulate it, or take fewer people or attempts"
        )
    angles = 2 * np.pi * np.arange(size // 2 + 1) / size
    spectrum = (np.exp(-1j * np.outer(angles, errors)) @ pmf) ** n * np.exp(1j * angles * start)
    masses = np.fft.irfft(spectrum, n=size)
    (kept,) = np.nonzero(masses > _FAINT)
    total = start + kept
    people = Individuals(np.arange(2.0), np.full(2, float(attempts)), np.stack([n - total, total], axis=1))
    return Outcomes(people, masses[kept])


def sums_of_squares(n: int, pmf: Floats, *, most: int = _MOST_LISTED) -> Outcomes:
    """List all pairs of the sum of errors and the sum of their squares over n people, if they are not too many.

    Notes
    -----
    The sum of X and that of y(X) = X (X - 1) / 2 - c X have a joint characteristic function that is the n-th power
    of one person's; c is chosen so that the two are nearly uncorrelated and the window of values small.
    """
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    pairs = errors * (errors - 1) / 2
    mean = pmf @ errors
    variance = pmf @ (errors - mean) ** 2
    slope = np.round(pmf @ ((errors - mean) * pairs) / variance) if variance > 0 else 0.0
    rest = pairs - slope * errors
    (start, size), (rest_start, rest_size) = (_window(n, pmf, values) for values in (errors, rest))
    if size * rest_size > most:
        many = f"{size:,} sums of errors, {rest_size:,} sums of squares"
        raise too_many_outcomes(n, pmf, f"exact coverage ({many}); simulate it, or take fewer people or attempts")
    angles, rest_angles = 2 * np.pi * np.arange(size) / size, 2 * np.pi * np.arange(rest_size // 2 + 1) / rest_size
    spectrum = ((np.exp(-1j * np.outer(angles, errors)) * pmf) @ np.exp(-1j * np.outer(rest_angles, rest)).T) ** n
    spectrum *= np.exp(1j * angles * start)[:, None] * np.exp(1j * rest_angles * rest_start)
    masses = np.fft.irfft2(spectrum, s=(size, rest_size))
    one, two = np.nonzero(masses > _FAINT)
    total = start + one
    return Outcomes(people_of_sums(n, attempts, total, rest_start + two + slope * total), masses[one, two])


def _window(n: int, pmf: Floats, values: Floats) -> tuple[int, int]:
    """Return the start and the size of the range of a sum over n people; the size is even and quick to transform."""
    from scipy.fft import next_fast_len

    low, high = -_upper_bound(n, pmf, -values), _upper_bound(n, pmf, values)
    size = int(high - low) + 1
    if size > _MOST_LISTED:
        return int(low), size
    size = int(next_fast_len(size, real=True))
    while size % 2:
        size = int(next_fast_len(size + 1, real=True))
    return int(low), size


def _upper_bound(n: int, pmf: Floats, values: Floats) -> float:
    """Bound a sum over n people that is exceeded with a probability of at most 1e-9, by Chernoff."""
    scale = np.abs(values).max() or 1.0
    tilts = np.geomspace(1e-6, 50, 200)[:, None]
    generated = np.log(np.exp(np.minimum(tilts * values / scale, 700)) @ pmf)
    bound = ((n * generated + log(1e9)) / tilts[:, 0]).min() * scale
    return float(min(np.ceil(bound), n * values.max()))


def histograms(n: int, pmf: Floats) -> Outcomes:
    """List all probable numbers of people with 0, 1, ... errors.

    Notes
    -----
    People are assigned to one number of errors after the other, binomially among those that are left. Outcomes below a
    least probability are left out, which is lowered until what is left out does not matter.
    """
    for least in (1e-9, 1e-10, 1e-11, 1e-12, 1e-13):
        outcomes = _probable_histograms(n, pmf, least)
        if outcomes is None:
            break
        if 1 - outcomes.probabilities.sum() < 2e-6:
            return outcomes
    raise too_many_outcomes(n, pmf, "the exact coverage of sb and brr; simulate it, or leave these methods out")


def _probable_histograms(n: int, pmf: Floats, least: float) -> Outcomes | None:
    """List histograms of at least this probability, or give None if they are too many."""
    attempts = len(pmf) - 1
    counts = np.zeros((1, len(pmf)))
    counts[0, 0] = n
    probabilities = np.ones(1)
    for errors in range(1, len(pmf)):
        left, rate = counts[:, 0], pmf[errors] / (pmf[0] + pmf[errors:].sum())
        most = int(_upper_bound(n, np.array([1 - pmf[errors], pmf[errors]]), np.array([0.0, 1.0])))
        if len(left) * (most + 1) > 2 * _MOST_LISTED:
            return None
        choices = np.arange(most + 1.0)
        chances = probabilities[:, None] * binomial_pmf(left[:, None], choices, rate)
        rows, taken = np.nonzero(chances > least)
        if len(rows) * len(pmf) > 4 * _MOST_LISTED:
            return None
        counts, probabilities = counts[rows], chances[rows, taken]
        counts[:, errors] = choices[taken]
        counts[:, 0] -= choices[taken]
    return Outcomes(
        Individuals(np.arange(attempts + 1.0), np.full(attempts + 1, float(attempts)), counts), probabilities
    )
