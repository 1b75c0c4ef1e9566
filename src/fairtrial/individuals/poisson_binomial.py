"""Quantiles of sums of many independent yes-or-no draws, for thousands of data sets at once.

A bootstrap replicate of an error rate is such a sum. With its distribution at hand nothing needs to be
resampled, and the order statistics of T replicates are the quantiles at T uniform order statistics.
"""

from __future__ import annotations

from math import log
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_confidence, check_resamples
from fairtrial.individuals.attempts import Floats

_TAIL = log(1e10)
_WIDEST = 128
"""The widest window of exact probabilities; beyond it, standard deviations of 8 and more, the expansion is used."""
_ROUNDING = 1e-12
"""A level that a sum of probabilities reaches but for this is reached: 1/40 is a common value of both."""
_AT_ONCE = 1 << 15
"""Data sets whose probabilities are in memory at once."""


def sum_quantiles(probabilities: Floats, repeats: Floats, levels: Floats) -> Floats:
    r"""Find the smallest x with :math:`P(\sum_k Bin(r_k, p_k) \le x) \ge u`.

    Parameters
    ----------
    probabilities
        The probabilities p, one per kind of draw.
    repeats
        How often each kind is drawn: one row per data set, one column per kind.
    levels
        The levels u, one row per data set.

    Returns
    -------
    ndarray
        The quantiles x, in the shape of the levels.

    Notes
    -----
    Sums of standard deviation below 8 come from their probabilities, by a Fourier transform that is exact but
    for tails of 1e-10. Wider ones come from the Cornish-Fisher expansion with four cumulants. Between whole numbers,
    at x + 1/2, the distribution function of the sum is that of a smooth variable with 1/12 less variance and 1/120
    more of the fourth cumulant (Sheppard's corrections; Kolassa & McCullagh 1990). Levels are met to about 1e-5.
    """
    means = repeats @ probabilities
    variances = repeats @ (probabilities * (1 - probabilities))
    bernstein = np.ceil(_TAIL / 3 + np.sqrt((_TAIL / 3) ** 2 + 2 * _TAIL * variances))
    # what may come out: never fewer than the sure ones, never more than all
    lowest = np.maximum(np.floor(means - bernstein), repeats @ (probabilities == 1))
    highest = np.minimum(np.ceil(means + bernstein), repeats @ (probabilities > 0))
    needed = highest - lowest + 1
    found = np.empty(levels.shape)
    wide = needed > _WIDEST
    if wide.any():
        found[wide] = _expanded(probabilities, repeats[wide], levels[wide])
    below = 0
    for width in (8, 16, 32, 64, _WIDEST):
        rows = np.flatnonzero((needed > below) & (needed <= width))
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            masses = _masses(probabilities, repeats[part], lowest[part], width)
            reached = lowest[part, None] + _first_reaching(masses.cumsum(axis=1), levels[part])
            found[part] = np.minimum(reached, highest[part, None])
        below = width
    return found


def _masses(probabilities: Floats, repeats: Floats, lowest: Floats, width: int) -> Floats:
    """Probabilities of the values from the lowest on."""
    angles = 2 * np.pi * np.arange(width // 2 + 1) / width
    characteristic = 1 - probabilities[:, None] + probabilities[:, None] * np.exp(1j * angles)
    with np.errstate(divide="ignore"):
        sizes = np.maximum(np.log(np.abs(characteristic)), -800.0)  # exp(-800) is 0, and 0 times it no NaN
    modulus = np.exp(repeats @ sizes)
    phase = repeats @ np.angle(characteristic) - lowest[:, None] * angles
    spectrum = np.empty(modulus.shape, dtype=np.complex128)
    np.multiply(modulus, np.cos(phase), out=spectrum.real)
    np.multiply(modulus, -np.sin(phase), out=spectrum.imag)
    return np.fft.irfft(spectrum, n=width, axis=1)


def _first_reaching(cumulated: Floats, levels: Floats) -> NDArray[Any]:
    return np.stack([(cumulated < level[:, None] - _ROUNDING).sum(axis=1) for level in levels.T], axis=1)


def _expanded(probabilities: Floats, repeats: Floats, levels: Floats) -> Floats:
    """Quantiles by the Cornish-Fisher expansion."""
    from scipy.special import ndtri

    spread = probabilities * (1 - probabilities)
    moments = np.stack([probabilities, spread, spread * (1 - 2 * probabilities), spread * (1 - 6 * spread)], axis=1)
    mean, variance, third, fourth = (column[:, None] for column in (repeats @ moments).T)
    variance, fourth = variance - 1 / 12, fourth + 1 / 120
    sigma = np.sqrt(variance)
    skewness, kurtosis = third / sigma**3, fourth / variance**2
    z = ndtri(levels)
    w = z + skewness * (z**2 - 1) / 6 + kurtosis * (z**3 - 3 * z) / 24 - skewness**2 * (2 * z**3 - 5 * z) / 36
    return cast(Floats, np.ceil(mean + sigma * w - 0.5))


def order_statistics(confidence: float, n_resamples: int | None, data_sets: int, rng: np.random.Generator) -> Floats:
    """Draw the levels of the two percentiles of a number of replicates.

    Percentiles are the order statistics ceil(T tail) and ceil(T (1 - tail)) of T replicates, so their levels
    are those order statistics of T uniform numbers.

    Parameters
    ----------
    confidence
        The share between the two percentiles.
    n_resamples
        T; None gives the levels of infinitely many replicates, in which nothing is random.
    data_sets
        How many pairs of levels to draw.
    rng
        Where random numbers come from.

    Returns
    -------
    ndarray
        The lower and the upper level, one row per data set.

    Raises
    ------
    ParameterError
        A confidence outside (0, 1), or no resample.
    """
    check_confidence(confidence)
    if n_resamples is not None:
        check_resamples(n_resamples)
    tail = (1 - confidence) / 2
    if n_resamples is None:
        return np.tile([tail, 1 - tail], (data_sets, 1))
    low, high = percentile_ranks(confidence, n_resamples)
    gaps = rng.standard_gamma([low, high - low, n_resamples + 1 - high], (data_sets, 3))
    return cast(Floats, gaps.cumsum(axis=1)[:, :2] / gaps.sum(axis=1, keepdims=True))


def percentile_ranks(confidence: float, n_resamples: int) -> tuple[int, int]:
    """Say which of the sorted replicates are the two percentiles, counted from 1."""
    tail = (1 - confidence) / 2
    # 0.025 * 1000 must not become 26 by rounding
    low = int(np.ceil(tail * n_resamples - 1e-9))
    return max(low, 1), min(int(np.ceil((1 - tail) * n_resamples - 1e-9)), n_resamples)
