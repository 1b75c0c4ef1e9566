"""Linear logistic calibration: weights of scores and an offset that make log-likelihood ratios of them."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from fairtrial.calibration.evidence import softplus
from fairtrial.calibration.linear import Linear, LinearInfluence, turned_notes
from fairtrial.calibration.methods import CalibrationFit, CalibrationMethod, DevScores
from fairtrial.errors import TrialsError, listed
from fairtrial.spread import Floats

_STEPS = 100
_ENOUGH = 1e-12
_ROUNDING = 1e-12
"""A cost that is higher by no more than this share is not taken for higher: near the minimum, only rounding is left."""
SEPARATED = (
    "a threshold divides all genuine from all impostor dev trials, so nothing bounds the evidence but their number: "
    "one trial of each class was added at the mean of the other"
)


def fit_logistic(dev: DevScores) -> CalibrationFit:
    """Fit weights and offset by the logistic cost, each class weighted to the prior, however many trials it has.

    Raises
    ------
    TrialsError
        Infinite scores, a system whose scores are all equal, or one that is there twice.
    """
    dev.check_finite()
    units = dev.units
    table, genuine, prior = dev.scores / units, dev.genuine, dev.prior
    middle, scale = table.mean(axis=0), table.std(axis=0)
    places = np.column_stack([(table - middle) / scale, np.ones(len(table))])
    targets = genuine.astype(np.float64)
    notes: tuple[str, ...] = ()
    weights = np.where(genuine, prior / genuine.sum(), (1 - prior) / (~genuine).sum())
    found = minimise(_cost_terms(places, targets, weights, prior), places.shape[1], prior)
    if found is None:
        means = [places[genuine].mean(axis=0), places[~genuine].mean(axis=0)]
        more = np.array([(1 - prior) / (~genuine).sum(), prior / genuine.sum()])
        again = _cost_terms(np.vstack([places, means]), np.append(targets, [0.0, 1.0]), np.append(weights, more), prior)
        found = minimise(again, places.shape[1], prior)
        if found is None:
            twice = "; is one there twice?" if len(dev.systems) > 1 else ""
            raise TrialsError(f"{listed(dev.systems)}: no weights could be fitted to these dev scores{twice}")
        notes = (SEPARATED,)
    shift = log(prior / (1 - prior))
    chance = expit(places @ found + shift)
    bend = (weights * chance * (1 - chance))[:, None] * places
    moves = -np.linalg.solve(places.T @ bend, ((weights * (chance - targets))[:, None] * places).T).T
    # from standardised scores to scores themselves
    back = np.diag(np.append(1 / scale / units, 1.0))
    back[-1, :-1] = -middle / scale
    *weights_back, offset = (back @ found).tolist()
    mapping = Linear(tuple(weights_back), offset)
    return CalibrationFit(mapping, LinearInfluence(moves @ back.T), (*notes, *turned_notes(np.array(weights_back))))


CostTerms: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]
"""From weights and offset to the cost, its slopes and its bends."""


def _cost_terms(places: Floats, targets: Floats, weights: Floats, prior: float) -> CostTerms:
    """The logistic cost of scores in memory."""
    shift = log(prior / (1 - prior))
    signs = 1 - 2 * targets

    def terms(at: Floats) -> tuple[float, Floats, Floats]:
        ratios = places @ at + shift
        chance = expit(ratios)
        slope = places.T @ (weights * (chance - targets))
        bend = places.T @ ((weights * chance * (1 - chance))[:, None] * places)
        return float(np.sum(weights * softplus(signs * ratios))), slope, bend

    return terms


def minimise(terms: CostTerms, size: int, prior: float) -> Floats | None:
    """Newton's method with steps halved where they go too far; None where the minimum lies at infinity.

    Parameters
    ----------
    terms
        Cost, slopes and bends at weights and offset.
    size
        How many weights and offsets there are.
    prior
        The prior, by which a cost is next to nothing.
    """
    found = np.zeros(size)
    now, slope, bend = terms(found)
    for _ in range(_STEPS):
        if not np.isfinite(bend).all() or np.linalg.cond(bend) > 1e14:
            return None
        step = np.linalg.solve(bend, slope)
        if np.abs(step).max() < _ENOUGH * max(1.0, np.abs(found).max()):
            return np.asarray(found - step)
        part = 1.0
        after = terms(found - step)
        while after[0] > now * (1 + _ROUNDING) and part > 1e-10:
            part /= 2
            after = terms(found - part * step)
        found = found - part * step
        now, slope, bend = after
        if now < 1e-10 * min(prior, 1 - prior):
            return None
    return np.asarray(found)


LOGISTIC = CalibrationMethod(
    "logistic", fit_logistic, Linear.read, "a weighted sum and an offset", fuses=True, weighs=True
)
