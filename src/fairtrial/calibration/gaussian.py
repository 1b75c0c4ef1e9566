"""Gaussian calibration: two normal distributions of the same width, so that the ratio is linear in the score.

With a width for each class the ratio would be a parabola, which falls again on one side; equal widths give a rising
map. Of several systems it is Fisher's linear discriminant.
"""

from __future__ import annotations

import numpy as np

from fairtrial.calibration.linear import Linear, LinearInfluence, turned_notes
from fairtrial.calibration.methods import CalibrationFit, CalibrationMethod, DevPasses, DevScores
from fairtrial.calibration.tallies import ClassMoments
from fairtrial.errors import TrialsError, listed


def _fit_gaussian(dev: DevScores) -> CalibrationFit:
    """Fit means by class and one covariance, that of both classes weighed by the prior.

    Raises
    ------
    TrialsError
        Infinite or equal scores, no spread within the classes, or a system that repeats others.
    """
    dev.check_finite()
    scale = np.abs(dev.scores).max(axis=0)  # no square of a score overflows
    table = dev.scores / scale
    rows = dev.genuine, ~dev.genuine
    shares = dev.prior, 1 - dev.prior
    means = [table[own].mean(axis=0) for own in rows]
    apart = [table[own] - mean for own, mean in zip(rows, means, strict=True)]
    covariances = [own.T @ own / len(own) for own in apart]
    pooled = sum(share * own for share, own in zip(shares, covariances, strict=True))
    if np.linalg.matrix_rank(pooled, tol=1e-12 * np.trace(pooled), hermitian=True) < len(dev.systems):
        raise TrialsError(
            f"{listed(dev.systems)}: the dev scores of each class do not spread, or systems repeat each other; no "
            "normal distribution can be fitted"
        )
    weights = np.linalg.solve(pooled, means[0] - means[1])
    middle = (means[0] + means[1]) / 2
    # by how much each trial moves its class mean, and with the covariance the weights: to first order
    moved_means, moved_weights = np.zeros_like(table), np.zeros_like(table)
    for own, sign, share, away, covariance in zip(rows, (1, -1), shares, apart, covariances, strict=True):
        count = len(away)
        turned = share * (away * (away @ weights)[:, None] - covariance @ weights)
        moved_means[own] = away / count
        moved_weights[own] = np.linalg.solve(pooled, (sign * away - turned).T).T / count
    moved_offset = -moved_weights @ middle - moved_means @ weights / 2
    influence = np.column_stack([moved_weights / scale, moved_offset])
    mapping = Linear(tuple((weights / scale).tolist()), float(-weights @ middle))
    return CalibrationFit(mapping, LinearInfluence(influence), turned_notes(weights))


def _fit_in_passes(dev: DevPasses) -> CalibrationFit:
    found = ClassMoments.of(dev)
    variance = float(np.array([1 - dev.prior, dev.prior]) @ (found.squares - found.means**2))
    if not variance > 0:
        raise TrialsError(
            f"{dev.system}: the dev scores of each class do not spread; no normal distribution can be fitted"
        )
    weight = float(found.means[1] - found.means[0]) / variance
    offset = -weight * (found.means.sum() / 2 + found.middle / found.unit)
    return CalibrationFit(Linear((weight / found.unit,), float(offset)), notes=turned_notes(np.array([weight])))


GAUSSIAN = CalibrationMethod(
    "gaussian",
    _fit_gaussian,
    Linear.read,
    "two normal distributions of the same width",
    fuses=True,
    weighs=True,
    fit_in_passes=_fit_in_passes,
)
