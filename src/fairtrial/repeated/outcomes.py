"""All possible data sets of people with the same number of attempts, and their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from fairtrial.core.errors import ParameterError
from fairtrial.inference.variance import Floats
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.models import binomial_pmf, people_of_sums

_MOST_LISTED = 1 << 23  # outcomes in memory at once
_FAINT = 1e-13  # probabilities that are rounding errors of a Fourier transform


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
    """Give the start and the size of the range of a sum over n people; the size is even and quick to transform."""
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
