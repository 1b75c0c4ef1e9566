"""Two error rates near a threshold as two straight lines: normal deviates of the rates, along a DET curve.

On the axes of a DET curve the curve of a verification system is nearly straight. So is each rate along it: what is
needed between and beyond the scores that there are can be read from a line through many of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.variance import Floats

_ENOUGH_ERRORS = 3
"""Rates of fewer errors, or of fewer trials without, are left out of the fit where enough others remain."""
_ENOUGH_POINTS = 5
_BEFOREHAND = 4.0
"""How precisely slopes are taken to be 1 beforehand: within 0.5, one standard deviation."""
_STEEPEST = 1.9
"""The two slopes sum to 2; neither is more than this."""


def normal_deviates(errors: Floats, trials: int | NDArray[np.int64]) -> Floats:
    """The normal deviate of an error rate, with half an error more of each kind, so that it is finite."""
    from scipy.special import ndtri

    return np.asarray(ndtri(smoothed(errors, trials)))


def smoothed(errors: Floats, trials: int | NDArray[np.int64]) -> Floats:
    """An error rate with half an error more of each kind."""
    return (np.asarray(errors, dtype=np.float64) + 0.5) / (trials + 1)


def normal_density(deviates: Floats) -> Floats:
    """The density of the normal distribution."""
    return np.asarray(np.exp(-(deviates**2) / 2) / np.sqrt(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class ErrorLines:
    """The lines around the threshold of each alpha.

    The place of a threshold is half of the difference of the two normal deviates there, FRR less FAR: it rises with
    the threshold.
    """

    rises: Floats
    """By how much the deviate of the FRR rises with the place, per alpha; that of the FAR falls by 2 less that."""

    @property
    def slopes(self) -> tuple[Floats, Floats]:
        """Of FRR and of FAR."""
        return self.rises, self.rises - 2

    @classmethod
    def fit(cls, counts: ErrorCounts, near: NDArray[np.bool_]) -> tuple[ErrorLines, Floats]:
        """Fit lines, and give the place of every threshold.

        `counts` are errors at thresholds that rise; `near` says for each alpha, one row each, which are near.
        """
        frr = normal_deviates(counts.false_rejects, counts.genuine)
        far = normal_deviates(counts.false_accepts, counts.impostor)
        place = (frr - far) / 2
        known = 1 / (1 / _information(frr, counts.genuine) + 1 / _information(far, counts.impostor))
        enough = np.ones(len(counts), dtype=bool)
        for errors, trials in ((counts.false_rejects, counts.genuine), (counts.false_accepts, counts.impostor)):
            enough &= (errors >= _ENOUGH_ERRORS) & (errors <= trials - _ENOUGH_ERRORS)
        many = np.count_nonzero(near & enough, axis=1) >= _ENOUGH_POINTS
        used = np.where(many[:, None], near & enough, near)
        weights = known * used
        total = np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
        middle = weights @ place / total
        across = weights @ place**2 / total - middle**2
        together = weights @ (place * frr) / total - middle * (weights @ frr) / total
        # rates at neighbouring thresholds are of the same trials: all of them tell no more than one of them
        precision = total / np.maximum(used.sum(axis=1), 1) * across
        rises = 1 + (together - across) / np.maximum(across, 1e-12) * precision / (precision + _BEFOREHAND)
        return cls(np.clip(rises, 2 - _STEEPEST, _STEEPEST)), place


def _information(deviates: Floats, trials: int) -> Floats:
    """How well so many trials tell the deviate of a rate."""
    from scipy.special import ndtr

    rate = ndtr(deviates)
    return np.asarray(trials * normal_density(deviates) ** 2 / (rate * (1 - rate)))
