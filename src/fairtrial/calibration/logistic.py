"""Linear logistic calibration: weights of scores and an offset that make log-likelihood ratios of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.evidence import softplus
from fairtrial.errors import TrialsError, listed
from fairtrial.spread import Floats

_STEPS = 100
_ENOUGH = 1e-12
_SEPARATED = (
    "a threshold divides all genuine from all impostor dev trials, so nothing bounds the evidence but their number: "
    "one trial of each class was added at the mean of the other"
)


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """The fitted map ``weights @ scores + offset``, and by how much each dev trial moves it."""

    weights: Floats
    offset: float
    influence: Floats
    """By how much leaving a trial out changes weights and offset, with the sign turned: one row per trial."""
    notes: tuple[str, ...] = ()

    @property
    def parameters(self) -> Floats:
        """Weights and offset."""
        return np.append(self.weights, self.offset)

    def apply(self, scores: NDArray[np.floating]) -> Floats:
        """Log-likelihood ratios of scores, one row per trial."""
        return np.asarray(scores.astype(np.float64) @ self.weights + self.offset)


def fit_logistic(
    scores: NDArray[np.floating], genuine: NDArray[np.bool_], prior: float, systems: tuple[str, ...]
) -> LogisticFit:
    """Fit weights and offset by the prior-weighted logistic cost.

    Parameters
    ----------
    scores
        One row per trial, one column per system.
    genuine
        Which trials are genuine.
    prior
        The prior at which the cost counts; each class is weighted to it, however many trials it has.
    systems
        The names of the systems, for errors.

    Raises
    ------
    TrialsError
        Infinite scores, or a system whose scores are all equal.
    """
    table = scores.astype(np.float64)
    for name, column in zip(systems, table.T, strict=True):
        if not np.isfinite(column).all():
            raise TrialsError(f"{name}: some dev scores are infinite; a linear map of them has no meaning")
        if column.min() == column.max():
            raise TrialsError(f"{name}: all dev scores are equal, so they are evidence of nothing")
    middle, scale = table.mean(axis=0), table.std(axis=0)
    places = np.column_stack([(table - middle) / scale, np.ones(len(table))])
    targets = genuine.astype(np.float64)
    notes: tuple[str, ...] = ()
    weights = np.where(genuine, prior / genuine.sum(), (1 - prior) / (~genuine).sum())
    found = _minimise(places, targets, weights, prior)
    if found is None:
        means = [places[genuine].mean(axis=0), places[~genuine].mean(axis=0)]
        more = np.array([(1 - prior) / (~genuine).sum(), prior / genuine.sum()])
        found = _minimise(np.vstack([places, means]), np.append(targets, [0.0, 1.0]), np.append(weights, more), prior)
        if found is None:
            raise TrialsError(f"{listed(systems)}: no weights could be fitted to these dev scores; is one there twice?")
        notes = (_SEPARATED,)
    shift = log(prior / (1 - prior))
    chance = expit(places @ found + shift)
    bend = (weights * chance * (1 - chance))[:, None] * places
    moves = -np.linalg.solve(places.T @ bend, ((weights * (chance - targets))[:, None] * places).T).T
    # from standardised scores to scores themselves
    back = np.diag(np.append(1 / scale, 1.0))
    back[-1, :-1] = -middle / scale
    parameters = back @ found
    return LogisticFit(parameters[:-1], float(parameters[-1]), moves @ back.T, notes)


def _minimise(places: Floats, targets: Floats, weights: Floats, prior: float) -> Floats | None:
    """Newton's method with steps halved where they go too far; None where the minimum lies at infinity."""
    shift = log(prior / (1 - prior))
    found = np.zeros(places.shape[1])
    signs = 1 - 2 * targets

    def cost(at: Floats) -> float:
        return float(np.sum(weights * softplus(signs * (places @ at + shift))))

    now = cost(found)
    for _ in range(_STEPS):
        chance = expit(places @ found + shift)
        slope = places.T @ (weights * (chance - targets))
        bend = places.T @ ((weights * chance * (1 - chance))[:, None] * places)
        if not np.isfinite(bend).all() or np.linalg.cond(bend) > 1e14:
            return None
        step = np.linalg.solve(bend, slope)
        if np.abs(step).max() < _ENOUGH * max(1.0, np.abs(found).max()):
            return np.asarray(found - step)
        size = 1.0
        while cost(found - size * step) > now and size > 1e-10:
            size /= 2
        found = found - size * step
        now = cost(found)
        if now < 1e-10 * min(prior, 1 - prior):
            return None
    return np.asarray(found)
