"""Percentiles of resampled error rates, from their distribution: a replicate is a sum of binomial numbers."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.core.errors import as_generator, check_confidence, check_resamples

if TYPE_CHECKING:
    from fairtrial.inference.variance import Floats
    from fairtrial.repeated.attempts import Individuals, Rng

_TAIL = log(1e10)
_WIDEST = 128  # widest window of exact probabilities; from standard deviations of 8 on, the expansion is used
_ROUNDING = 1e-12  # a cumulative probability may equal a level: 1/40 is a common value of both
_AT_ONCE = 1 << 15  # data sets whose probabilities are in memory at once


def replicate_limits(
    people: Individuals, repeats: Floats, *, confidence: float, n_resamples: int | None, rng: Rng
) -> tuple[Any, Any]:
    """Compute percentiles of replicated rates, one pair per data set.

    Attempts of people of each kind are drawn as often as `repeats` says, one row per data set; without a number of
    resamples there are infinitely many.
    """
    levels = order_statistics(confidence, n_resamples, len(repeats), as_generator(rng))
    low, high = sum_quantiles(people.errors / people.attempts, repeats, levels).T / repeats.sum(axis=1)
    return (low, high) if people.counts.ndim > 1 else (low[0], high[0])


def order_statistics(confidence: float, n_resamples: int | None, data_sets: int, rng: np.random.Generator) -> Floats:
    """Draw the levels of the lower and the upper percentile of a number of replicates, one row per data set.

    Percentiles are the order statistics ceil(T tail) and ceil(T (1 - tail)) of T replicates, so their levels are those
    order statistics of T uniform numbers; the levels of infinitely many replicates are not random.
    """
    tail = (1 - check_confidence(confidence)) / 2
    if n_resamples is None:
        return np.tile([tail, 1 - tail], (data_sets, 1))
    low, high = percentile_ranks(confidence, check_resamples(n_resamples))
    gaps = rng.standard_gamma([low, high - low, n_resamples + 1 - high], (data_sets, 3))
    return np.asarray(gaps.cumsum(axis=1)[:, :2] / gaps.sum(axis=1, keepdims=True))


def percentile_ranks(confidence: float, n_resamples: int) -> tuple[int, int]:
    """Return the ranks of the two percentiles among the sorted replicates, counted from 1."""
    tail = (1 - confidence) / 2
    # 0.025 * 1000 must not become 26 by rounding
    low = int(np.ceil(tail * n_resamples - 1e-9))
    return max(low, 1), min(int(np.ceil((1 - tail) * n_resamples - 1e-9)), n_resamples)


def sum_quantiles(probabilities: Floats, repeats: Floats, levels: Floats) -> Floats:
    r"""Find the smallest x with :math:`P(\sum_k Bin(r_k, p_k) \le x) \ge u`.

    Probabilities p are one per kind of draw; repeats r have one row per data set and one column per kind, and the
    quantiles x have the shape of the levels u, one row per data set.

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
    # never fewer than the certain ones, never more than all
    lowest = np.maximum(np.floor(means - bernstein), repeats @ (probabilities == 1))
    highest = np.minimum(np.ceil(means + bernstein), repeats @ (probabilities > 0))
    needed = highest - lowest + 1
    quantiles = np.empty(levels.shape)
    wide = needed > _WIDEST
    if wide.any():
        quantiles[wide] = _cornish_fisher_quantiles(probabilities, repeats[wide], levels[wide])
    below = 0
    for width in (8, 16, 32, 64, _WIDEST):
        rows = np.flatnonzero((needed > below) & (needed <= width))
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            cumulated = _masses(probabilities, repeats[part], lowest[part], width).cumsum(axis=1)
            for k, level in enumerate(levels[part].T):
                reached = lowest[part] + (cumulated < level[:, None] - _ROUNDING).sum(axis=1)
                quantiles[part, k] = np.minimum(reached, highest[part])
        below = width
    return quantiles


def _masses(probabilities: Floats, repeats: Floats, lowest: Floats, width: int) -> Floats:
    """Compute the probabilities of the values from the lowest on."""
    angles = 2 * np.pi * np.arange(width // 2 + 1) / width
    characteristic = 1 - probabilities[:, None] + probabilities[:, None] * np.exp(1j * angles)
    with np.errstate(divide="ignore"):
        sizes = np.maximum(np.log(np.abs(characteristic)), -800.0)  # exp(-800) is 0, and 0 times it is not NaN
    modulus = np.exp(repeats @ sizes)
    phase = repeats @ np.angle(characteristic) - lowest[:, None] * angles
    spectrum = np.empty(modulus.shape, dtype=np.complex128)
    np.multiply(modulus, np.cos(phase), out=spectrum.real)
    np.multiply(modulus, -np.sin(phase), out=spectrum.imag)
    return np.fft.irfft(spectrum, n=width, axis=1)


def _cornish_fisher_quantiles(probabilities: Floats, repeats: Floats, levels: Floats) -> Floats:
    """Compute quantiles by the Cornish-Fisher expansion."""
    from scipy.special import ndtri

    variances = probabilities * (1 - probabilities)
    cumulants = [probabilities, variances, variances * (1 - 2 * probabilities), variances * (1 - 6 * variances)]
    mean, variance, third, fourth = (column[:, None] for column in (repeats @ np.stack(cumulants, axis=1)).T)
    variance, fourth = variance - 1 / 12, fourth + 1 / 120
    sigma = np.sqrt(variance)
    skewness, kurtosis = third / sigma**3, fourth / variance**2
    z = ndtri(levels)
    w = z + skewness * (z**2 - 1) / 6 + kurtosis * (z**3 - 3 * z) / 24 - skewness**2 * (2 * z**3 - 5 * z) / 36
    return np.asarray(np.ceil(mean + sigma * w - 0.5))
