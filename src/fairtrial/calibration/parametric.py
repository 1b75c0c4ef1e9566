"""Calibrate by logistic regression or by two Gaussians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from fairtrial.calibration.evidence import softplus
from fairtrial.calibration.methods import (
    CalibrationFit,
    CalibrationMethod,
    ClassMoments,
    DevPasses,
    DevScores,
    Linear,
    LinearInfluence,
    by_class,
    turned_notes,
)
from fairtrial.core.errors import TrialsError
from fairtrial.core.words import listed
from fairtrial.counting.tallies import Genuine, Scores
from fairtrial.inference.variance import Floats

_STEPS = 100
_ENOUGH = 1e-12
_ROUNDING = 1e-12
"""A cost that is higher by no more than this share is not taken for higher: near the minimum, only rounding is left."""
_SEPARATED = (
    "a threshold divides all genuine from all impostor dev trials, so nothing bounds the evidence but their number: "
    "one trial of each class was added at the mean of the other"
)


def _fit_logistic(dev: DevScores) -> CalibrationFit:
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
        notes = (_SEPARATED,)
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


_CostTerms: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]
"""From weights and offset to the cost, its slopes and its bends."""


def _cost_terms(places: Floats, targets: Floats, weights: Floats, prior: float) -> _CostTerms:
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


def minimise(terms: _CostTerms, size: int, prior: float) -> Floats | None:
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


@dataclass(frozen=True, slots=True)
class _LogisticSums:
    """Per class (impostor, genuine): the cost, and its first and second derivatives, at a weight and an offset."""

    weight: float
    offset: float
    middle: float
    scale: float

    def start(self) -> Floats:
        return np.zeros((2, 6))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, own in enumerate(by_class(scores, genuine)):
            places = (own.astype(np.float64, copy=False) - self.middle) / self.scale
            total[row] += _logistic_sums(places, self.weight, self.offset, genuine=bool(row))
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


def _logistic_sums(places: Floats, weight: float, offset: float, *, genuine: bool) -> Floats:
    """The sums over some trials of one class: cost, slopes in weight and offset, and the three bends."""
    ratios = weight * places + offset
    chance = expit(ratios)
    wrong, bend = chance - genuine, chance * (1 - chance)
    cost = softplus(-ratios if genuine else ratios)
    return np.array(
        [cost.sum(), wrong @ places, wrong.sum(), (bend * places) @ places, bend @ places, bend.sum()],
    )


def _fit_in_passes(dev: DevPasses) -> CalibrationFit:
    moments, prior = ClassMoments.of(dev), dev.prior
    width = float(np.sqrt(moments.squares @ moments.counts / moments.counts.sum()))
    scale = width * moments.unit
    shift = float(np.log(prior) - np.log1p(-prior))
    shares = np.array([(1 - prior) / moments.counts[0], prior / moments.counts[1]])
    added = moments.means[::-1] / width

    def terms(at: Floats, *, separated: bool) -> tuple[float, Floats, Floats]:
        weight, offset = float(at[0]), float(at[1]) + shift
        sums = dev.source.tally(_LogisticSums(weight, offset, moments.middle, scale))
        if separated:  # one trial of each class at the mean of the other
            sums = sums + [_logistic_sums(added[k : k + 1], weight, offset, genuine=bool(k)) for k in (0, 1)]
        cost, *slope, twice, mixed, once = (shares @ sums).tolist()
        return cost, np.array(slope), np.array([[twice, mixed], [mixed, once]])

    notes: tuple[str, ...] = ()
    found = minimise(lambda at: terms(at, separated=False), 2, prior)
    if found is None:
        found, notes = minimise(lambda at: terms(at, separated=True), 2, prior), (_SEPARATED,)
    if found is None:
        raise TrialsError(f"{dev.system}: no weight could be fitted to these dev scores")
    weight = float(found[0]) / scale
    mapping = Linear((weight,), float(found[1]) - weight * moments.middle)
    return CalibrationFit(mapping, notes=(*notes, *turned_notes(np.array([weight]))))


LOGISTIC = CalibrationMethod(
    "logistic",
    _fit_logistic,
    Linear.read,
    "a weighted sum and an offset",
    fuses=True,
    weighs=True,
    fit_in_passes=_fit_in_passes,
)


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


def _fit_gaussian_in_passes(dev: DevPasses) -> CalibrationFit:
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
    fit_in_passes=_fit_gaussian_in_passes,
)
