"""All data sets that people can give, with their probabilities: coverage without Monte Carlo error."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Floats, Individuals
from fairtrial.individuals.generators import binomial_pmf

_MOST = 1 << 23
"""Outcomes that are kept in memory at once."""
_MISSED = 2e-6
"""Probability that may be left out."""
_FAINT = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Data sets and how probable each is."""

    people: Individuals
    probabilities: Floats


def sums_of_errors(n: int, pmf: Floats) -> Outcomes:
    """List all sums of errors over n people: a power of one person's characteristic function."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    start, size = _window(n, pmf, errors)
    if size > _MOST:
        raise ParameterError(
            f"n = {n}, m = {attempts} has too many outcomes for exact coverage ({size:,} sums of errors); "
            "simulate it, or take fewer people or attempts"
        )
    angles = 2 * np.pi * np.arange(size // 2 + 1) / size
    spectrum = (np.exp(-1j * np.outer(angles, errors)) @ pmf) ** n * np.exp(1j * angles * start)
    masses = np.fft.irfft(spectrum, n=size)
    (found,) = np.nonzero(masses > _FAINT)
    total = start + found
    people = Individuals(np.arange(2.0), np.full(2, float(attempts)), np.stack([n - total, total], axis=1))
    return Outcomes(people, masses[found])


def sums_of_squares(n: int, pmf: Floats, *, most: int = _MOST) -> Outcomes:
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
    starts, sizes = zip(*(_window(n, pmf, values) for values in (errors, rest)), strict=True)
    if sizes[0] * sizes[1] > most:
        raise ParameterError(
            f"n = {n}, m = {attempts} has too many outcomes for exact coverage ({sizes[0]:,} sums of errors, "
            f"{sizes[1]:,} sums of squares); simulate it, or take fewer people or attempts"
        )
    angles = [2 * np.pi * np.arange(size) / size for size in (sizes[0], sizes[1])]
    angles[1] = angles[1][: sizes[1] // 2 + 1]
    first, second = (
        np.exp(-1j * np.outer(angle, values)) for angle, values in zip(angles, (errors, rest), strict=True)
    )
    spectrum = ((first * pmf) @ second.T) ** n
    spectrum *= np.exp(1j * angles[0] * starts[0])[:, None] * np.exp(1j * angles[1] * starts[1])
    masses = np.fft.irfft2(spectrum, s=sizes)
    one, two = np.nonzero(masses > _FAINT)
    total = starts[0] + one
    return Outcomes(people_of_sums(n, attempts, total, starts[1] + two + slope * total), masses[one, two])


def people_of_sums(n: int, attempts: int, errors: Floats, pairs: Floats) -> Individuals:
    """Make people whose sums of X and of X (X - 1) / 2 are these, one data set each; most intervals need no more."""
    # the same two sums have people with 0, 1 and 2 errors, if need be fewer than none of them
    once = errors - 2 * pairs
    kinds = np.stack([n - once - pairs, once, pairs], axis=1)
    return Individuals(np.arange(3.0), np.full(3, float(attempts)), kinds)


def _window(n: int, pmf: Floats, values: Floats) -> tuple[int, int]:
    """From where, and over how many whole numbers, a sum over n people spreads but for faint tails."""
    low, high = -_highest(n, pmf, -values), _highest(n, pmf, values)
    size = int(high - low) + 1
    return int(low), _even(size)


def _highest(n: int, pmf: Floats, values: Floats) -> float:
    """What a sum over n people exceeds with a probability of no more than 1e-9, by Chernoff's bound."""
    scale = np.abs(values).max() or 1.0
    tilts = np.geomspace(1e-6, 50, 200)[:, None]
    generated = np.log(np.exp(np.minimum(tilts * values / scale, 700)) @ pmf)
    bound = ((n * generated + log(1e9)) / tilts[:, 0]).min() * scale
    return float(min(np.ceil(bound), n * values.max()))


def _even(size: int) -> int:
    """The next size that a Fourier transform is quick at, and even."""
    from scipy.fft import next_fast_len

    if size > _MOST:
        return size
    found = int(next_fast_len(size + size % 2, real=True))
    while found % 2:
        found = int(next_fast_len(found + 1, real=True))
    return found


def histograms(n: int, pmf: Floats) -> Outcomes:
    """List all numbers of people with 0, 1, ... errors that are not too improbable to count.

    Notes
    -----
    One number of errors after the other is given its people, binomially among those that are left; what has
    become too improbable is left out, and less is until what is left out no longer matters.
    """
    for least in (1e-9, 1e-10, 1e-11, 1e-12, 1e-13):
        found = _histograms(n, pmf, least)
        if found is None:
            break
        counts, probabilities = found
        if 1 - probabilities.sum() < _MISSED:
            attempts = len(pmf) - 1
            people = Individuals(np.arange(attempts + 1.0), np.full(attempts + 1, float(attempts)), counts)
            return Outcomes(people, probabilities)
    raise ParameterError(
        f"n = {n}, m = {len(pmf) - 1} has too many outcomes for the exact coverage of sb and brr; simulate it, "
        "or leave these methods out"
    )


def _histograms(n: int, pmf: Floats, least: float) -> tuple[Floats, Floats] | None:
    """Histograms of at least this probability, or None if they are too many."""
    counts = np.zeros((1, len(pmf)))
    counts[0, 0] = n
    probabilities = np.ones(1)
    for errors in range(1, len(pmf)):
        share = pmf[errors] / (pmf[0] + pmf[errors:].sum())
        left = counts[:, 0]
        most = _most_people(n, pmf[errors])
        if len(left) * (most + 1) > 2 * _MOST:
            return None
        choices = np.arange(most + 1.0)
        chances = probabilities[:, None] * binomial_pmf(left[:, None], choices, share)
        rows, taken = np.nonzero(chances > least)
        if len(rows) * len(pmf) > 4 * _MOST:
            return None
        counts, probabilities = counts[rows], chances[rows, taken]
        counts[:, errors] = choices[taken]
        counts[:, 0] -= choices[taken]
    return counts, probabilities


def _most_people(n: int, share: float) -> int:
    return int(_highest(n, np.array([1 - share, share]), np.array([0.0, 1.0])))
