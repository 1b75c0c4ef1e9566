"""Calibrate by a weighted sum of scores: logistic regression, two Gaussians, or the scores unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit

from fairtrial.calibration.evidence import Floats, softplus
from fairtrial.calibration.methods import (
    CalibrationFit,
    CalibrationMethod,
    DevScores,
    Labels,
    Numbers,
    turned_notes,
)
from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.words import listed

_STEPS = 100
_ENOUGH = 1e-12
_ROUNDING = 1e-12
"""A relative increase of the cost up to this is rounding, not a step too far."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Log-likelihood ratios ``weights @ scores + offset``."""

    weights: tuple[float, ...]
    offset: float

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Linear:
        """Make the map of saved numbers."""
        weights = tuple(map(float, numbers["weights"]))
        if len(weights) != systems:
            raise ValueError("it has not one weight per system")
        return cls(weights, float(numbers["offset"]))

    @property
    def numbers(self) -> Numbers:
        """Weights and offset by name."""
        return {"weights": list(self.weights), "offset": self.offset}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios.

        Raises
        ------
        TrialsError
            If infinite scores of two systems contradict each other.
        """
        found = np.full(len(scores), self.offset)
        with np.errstate(invalid="ignore"):
            for weight, column in zip(self.weights, scores.T, strict=True):
                found += weight * column
        if np.isnan(found).any():
            raise TrialsError("infinite scores of two systems contradict each other; there is no ratio for them")
        return found

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """Every weight, and the offset."""
        weights = {f"weight of {name}": weight for name, weight in zip(systems, self.weights, strict=True)}
        return {**weights, "offset": self.offset}


@dataclass(frozen=True, slots=True, eq=False)
class LinearInfluence:
    """The influence of each dev trial on weights and offset."""

    by_parameter: Floats
    """One row per dev trial, one column per weight and one for the offset."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`."""
        with np.errstate(invalid="ignore"):  # an infinite score has no slope
            by_weight = np.nan_to_num(scores * slopes[:, None], posinf=0.0, neginf=0.0).sum(axis=0)
        return np.asarray(self.by_parameter @ np.append(by_weight, slopes.sum()))


def _turned(weights: Floats) -> tuple[Note, ...]:
    return turned_notes(float(weights[0])) if len(weights) == 1 else ()


def _in_units(scores: Floats, *, units: Floats) -> Floats:
    return scores / units


def _total(scores: Floats, genuine: Labels) -> Floats:
    return np.asarray(scores.sum(axis=0))


def _total_squares(scores: Floats, genuine: Labels, *, middle: Floats) -> Floats:
    away = scores - middle
    return np.asarray((away * away).sum(axis=0))


def _standardised(scores: Floats, *, units: Floats, middle: Floats, scale: Floats) -> Floats:
    """Standardise scores, and add a column of ones."""
    return np.column_stack([(scores / units - middle) / scale, np.ones(len(scores))])


def _logistic_sums(
    places: Floats, genuine: Labels, *, at: Floats, weights: tuple[float, float], shift: float
) -> Floats:
    """Sum the logistic cost, its slopes and its second derivatives at weights and offset, in one array."""
    by_trial = np.where(genuine, *weights)
    targets = genuine.astype(np.float64)
    ratios = places @ at + shift
    chance = expit(ratios)
    slope = places.T @ (by_trial * (chance - targets))
    bend = places.T @ ((by_trial * chance * (1 - chance))[:, None] * places)
    cost = float(np.sum(by_trial * softplus((1 - 2 * targets) * ratios)))
    return np.concatenate([[cost], slope, bend.ravel()])


def _fit_logistic(dev: DevScores) -> CalibrationFit:
    """Fit weights and offset by the logistic cost, each class weighted to the prior.

    If a threshold separates the classes, one trial of each class is added at the mean of the other.

    Raises
    ------
    TrialsError
        If scores are infinite, all scores of a system are equal, or a system is there twice.
    """
    dev.check_finite()
    units, prior, (positive, negative) = dev.units, dev.prior, dev.counts
    scaled = dev.mapped(partial(_in_units, units=units))
    middle = scaled.sum(_total) / (positive + negative)
    scale = np.sqrt(scaled.sum(partial(_total_squares, middle=middle)) / (positive + negative))
    places = dev.mapped(partial(_standardised, units=units, middle=middle, scale=scale))
    size, shift, weights = len(units) + 1, log(prior / (1 - prior)), (prior / positive, (1 - prior) / negative)

    def terms(at: Floats, separated: bool) -> tuple[float, Floats, Floats]:
        how: dict[str, Any] = {"at": at, "weights": weights, "shift": shift}
        sums = places.sum(partial(_logistic_sums, **how))
        if separated:
            sums = sums + _logistic_sums(others, np.array([True, False]), **how)
        return float(sums[0]), sums[1 : size + 1], sums[size + 1 :].reshape(size, size)

    notes: tuple[Note, ...] = ()
    found = minimise(partial(terms, separated=False), size, prior)
    if found is None:
        others = places.class_means()  # a genuine trial at the mean of impostors, and the other way round
        found = minimise(partial(terms, separated=True), size, prior)
        if found is None:
            twice = "; is one there twice?" if len(dev.systems) > 1 else ""
            raise TrialsError(
                "{systems}: no weights could be fitted to these dev scores" + twice,
                code="no-fit",
                systems=listed(dev.systems),
            )
        text = (
            "a threshold separates all genuine from all impostor dev trials, so only their number bounds the evidence: "
            "one trial of each class was added at the mean of the other"
        )
        notes = (Note("separated-classes", text),)
    # from standardised scores back to scores
    back = np.diag(np.append(1 / scale / units, 1.0))
    back[-1, :-1] = -middle / scale
    *weights_back, offset = (back @ found).tolist()
    influence = None
    if places.scores is not None and places.genuine is not None:
        by_trial = np.where(places.genuine, *weights)
        chance = expit(places.scores @ found + shift)
        bend = (by_trial * chance * (1 - chance))[:, None] * places.scores
        slopes = (by_trial * (chance - places.genuine))[:, None] * places.scores
        moves = -np.linalg.solve(places.scores.T @ bend, slopes.T).T
        influence = LinearInfluence(np.asarray(moves @ back.T, dtype=np.float64))
    return CalibrationFit(Linear(tuple(weights_back), offset), influence, (*notes, *_turned(np.array(weights_back))))


_CostTerms: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]
"""From weights and offset to the cost, its slopes and its second derivatives."""


def minimise(terms: _CostTerms, size: int, prior: float) -> Floats | None:
    """Minimise by Newton's method with step halving; None if the minimum lies at infinity.

    Parameters
    ----------
    terms
        Cost, slopes and second derivatives at weights and offset.
    size
        The number of weights and offsets.
    prior
        The prior, to which a vanishing cost is compared.
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


def _scatter(table: Floats, genuine: Labels, *, means: Floats) -> Floats:
    """Sum the products of deviations from the mean of each class, impostor trials first."""
    away = table[~genuine] - means[0], table[genuine] - means[1]
    return np.stack([some.T @ some for some in away])


def _fit_gaussian(dev: DevScores) -> CalibrationFit:
    """Fit a mean per class and one covariance matrix, that of both classes weighted by the prior.

    Raises
    ------
    TrialsError
        If scores are infinite or equal, do not vary within the classes, or a system repeats others.
    """
    dev.check_finite()
    scale = np.abs(dev.class_range).max(axis=(0, 1))  # no square of a score overflows
    table = dev.mapped(partial(_in_units, units=scale))
    means, (positive, negative) = table.class_means(), dev.counts
    covariances = table.sum(partial(_scatter, means=means)) / np.array([negative, positive])[:, None, None]
    pooled = dev.prior * covariances[1] + (1 - dev.prior) * covariances[0]
    if np.linalg.matrix_rank(pooled, tol=1e-12 * np.trace(pooled), hermitian=True) < len(dev.systems):
        raise TrialsError(
            "{systems}: the dev scores of each class do not vary, or systems repeat each other; no normal distribution "
            "can be fitted",
            code="no-variance",
            systems=listed(dev.systems),
        )
    weights = np.linalg.solve(pooled, means[1] - means[0])
    middle = (means[1] + means[0]) / 2
    mapping = Linear(tuple((weights / scale).tolist()), float(-weights @ middle))
    if table.scores is None or table.genuine is None:
        return CalibrationFit(mapping, notes=_turned(weights))
    # the influence of each trial on the mean of its class and on the covariance, and so on the weights: first order
    moved_means, moved_weights = np.zeros_like(table.scores), np.zeros_like(table.scores)
    classes = ((table.genuine, 1, dev.prior, 1), (~table.genuine, -1, 1 - dev.prior, 0))
    for rows, sign, share, k in classes:
        away = table.scores[rows] - means[k]
        turned = share * (away * (away @ weights)[:, None] - covariances[k] @ weights)
        moved_means[rows] = away / len(away)
        moved_weights[rows] = np.linalg.solve(pooled, (sign * away - turned).T).T / len(away)
    moved_offset = -moved_weights @ middle - moved_means @ weights / 2
    influence = LinearInfluence(np.column_stack([moved_weights / scale, moved_offset]))
    return CalibrationFit(mapping, influence, _turned(weights))


def identity(dev: DevScores | None = None) -> CalibrationFit:
    """Take scores as the log-likelihood ratios that they are already."""
    return CalibrationFit(Linear((1.0,), 0.0))


LOGISTIC = CalibrationMethod(
    "logistic", _fit_logistic, Linear.read, "a weighted sum and an offset", fuses=True, weighs=True
)
GAUSSIAN = CalibrationMethod(
    "gaussian", _fit_gaussian, Linear.read, "two normal distributions of the same width", fuses=True, weighs=True
)
NONE = CalibrationMethod("none", identity, Linear.read, "the scores unchanged: they are log-likelihood ratios already")
