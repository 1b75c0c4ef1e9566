"""The power of a planned comparison by simulation: the test itself on trials that share clients and impostors.

Scores are normal, with an effect of the client and one of the impostor, and thresholds are where the rates are as
planned. How much of the variance the effects have, and how alike the systems are, is found so that the errors have
the correlations that were planned with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import asin, pi, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator
from fairtrial.intervals.rates import normal_quantile
from fairtrial.planning.systems import ComparisonSetting, both_wrong_share
from fairtrial.rules.measures import MeasureLike, linear_weights

_Whole: TypeAlias = NDArray[np.int8]

_SCORES = 5 * 10**7
"""Scores that are drawn at most."""
_FEWEST = 100
"""Data sets below which the power is not simulated: its standard error would be 4 points and more."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SimulatedPower:
    """The share of simulated tests that found the difference, and its Monte Carlo standard error."""

    power: float
    error: float
    data_sets: int


def simulate_comparison_power(
    setting: ComparisonSetting,
    individuals: int,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    confidence: float = 0.95,
    data_sets: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> SimulatedPower | None:
    """Simulate a planned comparison and count how often the test finds the difference.

    Parameters
    ----------
    setting
        The two systems, the trials of each client, the impostors and the correlations.
    individuals
        The number of clients.
    measure, alpha
        What is compared: a linear measure, and the weight of FAR in wer.
    confidence
        Of the test: 0.95 tests at 5 %.
    data_sets
        How many tests to simulate at most; there are fewer where each has very many trials.
    rng
        A generator or a seed.

    Returns
    -------
    SimulatedPower or None
        None where trials are too many for a hundred data sets, or the correlations too large for normal scores.

    Notes
    -----
    The test is that of `compare`: contributions of trials summed by client and by impostor, less the pairs that are
    counted twice, and Student's t with Welch's degrees of freedom. Systems with trials of their own have people of
    their own, too.

    Examples
    --------
    >>> from fairtrial.planning import ComparisonSetting
    >>> from fairtrial.planning.systems import Rates
    >>> setting = ComparisonSetting(Rates(0.1, 0.2), Rates(0.1, 0.2), impostors=20)
    >>> found = simulate_comparison_power(setting, 40, data_sets=400)
    >>> 0.01 < found.power < 0.1
    True
    """
    normal_quantile(confidence)
    trials = individuals * (setting.attempts + setting.impostor_attempts)
    number = min(data_sets, _SCORES // (2 * trials))
    models = [model for kind in ("far", "frr") if (model := _Model.of(setting, kind)) is not None]
    if not data_sets or number < min(_FEWEST, data_sets) or len(models) < 2:
        return None
    source = as_generator(rng)
    weights = linear_weights(measure, alpha)
    found = 0
    for _ in range(number):
        found += _finds(setting, individuals, models, (weights.far, weights.frr), confidence, source)
    power = found / number
    return SimulatedPower(power, sqrt(power * (1 - power) / number), number)


@dataclass(frozen=True, slots=True)
class _Model:
    """Normal scores of one class: a score above its threshold is an error."""

    thresholds: tuple[float, float]
    alike: float
    """The correlation of the two systems' scores of the same trial."""
    client: tuple[float, float]
    """The share of the variance that the client's effect has, in either system."""
    impostor: tuple[float, float]

    @classmethod
    def of(cls, setting: ComparisonSetting, kind: str) -> _Model | None:
        from scipy.special import ndtri

        rates = getattr(setting.first, kind), getattr(setting.second, kind)
        thresholds = -float(ndtri(rates[0])), -float(ndtri(rates[1]))
        rho_impostor = setting.rho_impostor if kind == "far" else 0.0
        if setting.correlation is None:
            alike = 0.0

            def shares(rho: float) -> list[float]:
                return [_share(partial(_covariance, t, t), rho) for t in thresholds]
        else:
            both = both_wrong_share(*rates, setting.correlation)
            alike = _root(lambda r: _covariance(*thresholds, r), both - rates[0] * rates[1], -1.0)

            def of_difference(share: float) -> float:
                own = sum(_covariance(t, t, share) for t in thresholds)
                return own - 2 * _covariance(*thresholds, share * alike)

            def shares(rho: float) -> list[float]:
                return [_share(of_difference, rho)] * 2

        client, impostor = shares(setting.rho_client), shares(rho_impostor)
        model = cls(thresholds, alike, (client[0], client[1]), (impostor[0], impostor[1]))
        return model if max(c + i for c, i in zip(model.client, model.impostor, strict=True)) <= 1 else None

    def errors(self, shape: tuple[int, int], people: int | None, rng: np.random.Generator) -> list[_Whole]:
        """Draw which trials each system decides wrongly, one row per client; impostors take turns."""
        rest = [sqrt(1 - c - i) for c, i in zip(self.client, self.impostor, strict=True)]
        found = [part * score for part, score in zip(rest, self._pair(shape, rng), strict=True)]
        if any(self.client):
            for score, share, effect in zip(found, self.client, self._pair((shape[0], 1), rng), strict=True):
                score += np.float32(sqrt(share)) * effect
        if people is not None and any(self.impostor):
            for score, share, effect in zip(found, self.impostor, self._pair((people,), rng), strict=True):
                score += np.resize(np.float32(sqrt(share)) * effect, shape)
        return [(score > limit).view(np.int8) for score, limit in zip(found, self.thresholds, strict=True)]

    def _pair(
        self, shape: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Draw what two systems that are as alike as these see of the same thing."""
        first, second = (rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
        if self.alike:
            second *= np.float32(sqrt(1 - self.alike**2))
            second += np.float32(self.alike) * first
        return first, second


def _covariance(first: float, second: float, correlation: float) -> float:
    """Compute the covariance of two normal scores' being above two thresholds, by Plackett's integral."""
    if not (np.isfinite(first) and np.isfinite(second)):
        return 0.0
    nodes, weights = _NODES
    angles = asin(min(max(correlation, -1.0), 1.0)) * (nodes + 1) / 2
    bent = first**2 + second**2 - 2 * first * second * np.sin(angles)
    density = np.exp(-bent / (2 * np.cos(angles) ** 2))
    return float(weights @ density) * asin(min(max(correlation, -1.0), 1.0)) / (4 * pi)


_NODES = np.polynomial.legendre.leggauss(200)


def _root(function: Callable[[float], float], target: float, low: float) -> float:
    """Find where an increasing function comes to a target, between `low` and 1; the nearer end if it does not."""
    from scipy.optimize import brentq

    if function(1.0) <= target:
        return 1.0
    if function(low) >= target:
        return low
    return float(brentq(lambda value: function(value) - target, low, 1.0))


def _share(covariance: Callable[[float], float], rho: float) -> float:
    """Find the share of the variance that an effect needs for errors to be correlated by rho."""
    return _root(covariance, rho * covariance(1.0), 0.0) if rho else 0.0


def _finds(
    setting: ComparisonSetting,
    clients: int,
    models: list[_Model],
    weights: tuple[float, float],
    confidence: float,
    rng: np.random.Generator,
) -> bool:
    """Draw one data set and test it."""
    impostor = models[0].errors((clients, setting.impostor_attempts), setting.impostors, rng)
    genuine = models[1].errors((clients, setting.attempts), None, rng)
    if setting.correlation is None:
        values = [(impostor[system], genuine[system]) for system in (0, 1)]
    else:
        values = [(impostor[0] - impostor[1], genuine[0] - genuine[1])]
    sides = [_Tested.of(*each, weights, setting.impostors) for each in values]
    estimate = sides[0].estimate - sum(side.estimate for side in sides[1:])
    return _is_significant(estimate, sides, confidence)


@dataclass(frozen=True, slots=True)
class _Tested:
    """An estimate, its variance, and what the two classes add to it with their numbers of people."""

    estimate: float
    variance: float
    classes: tuple[tuple[float, int], tuple[float, int]]

    @classmethod
    def of(cls, impostor: _Whole, genuine: _Whole, weights: tuple[float, float], people: int | None) -> _Tested:
        """Sum up errors, or differences of errors, with one row per client."""
        clients, fewest = len(impostor), len(impostor) if people is None else min(len(impostor), people)
        means = impostor.sum() / impostor.size, genuine.sum() / genuine.size
        scales = weights[0] / impostor.size, weights[1] / genuine.size
        by_client, by_own = (
            scale * (values.sum(axis=1) - mean * values.shape[1])
            for values, mean, scale in zip((impostor, genuine), means, scales, strict=True)
        )
        crossed = 0.0
        if people is not None:
            crossed = scales[0] ** 2 * (_by_impostor(impostor, people, means[0]) - _by_pair(impostor, people, means[0]))
        between, own, total = (float(np.sum(sums**2)) for sums in (by_client, by_own, by_client + by_own))
        parts = (_above_zero(between, crossed), fewest), (own, clients)
        estimate = weights[0] * means[0] + weights[1] * means[1]
        return cls(float(estimate), _above_zero(total, crossed), parts)


def _above_zero(between: float, crossed: float) -> float:
    """Add what impostors do to the variance; with few people a difference of sums may come out negative."""
    return between + crossed if between + crossed > _ROUNDING * between else between


def _by_impostor(values: _Whole, people: int, mean: float) -> float:
    """Sum deviations from the mean by impostor, who take turns, and sum the squares."""
    turns = -(-values.size // people)
    padded = np.zeros(turns * people, dtype=np.int8)
    padded[: values.size] = values.ravel()
    trials = np.full(people, turns)
    trials[people - len(padded) + values.size :] -= 1
    return float(np.sum((padded.reshape(turns, people).sum(axis=0) - mean * trials) ** 2))


def _by_pair(values: _Whole, people: int, mean: float) -> float:
    """Sum deviations by pair of client and impostor, and sum the squares; a client meets all impostors in turn."""
    clients, attempts = values.shape
    if attempts <= people:
        return float(np.count_nonzero(values) - values.size * mean**2)
    rounds = -(-attempts // people)
    padded = np.zeros((clients, rounds * people), dtype=np.int8)
    padded[:, :attempts] = values
    trials = np.full(people, rounds)
    trials[people - rounds * people + attempts :] -= 1
    return float(np.sum((padded.reshape(clients, rounds, people).sum(axis=1) - mean * trials) ** 2))


def _is_significant(estimate: float, sides: list[_Tested], confidence: float) -> bool:
    from scipy.special import stdtrit

    parts = [(variance * people / (people - 1), people - 1) for side in sides for variance, people in side.classes]
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return estimate != 0
    degrees = total**2 / sum(variance**2 / own for variance, own in parts)
    variance = sum(side.variance for side in sides) * (degrees + 1) / degrees
    return abs(estimate) > float(stdtrit(degrees, (1 + confidence) / 2)) * sqrt(variance)
