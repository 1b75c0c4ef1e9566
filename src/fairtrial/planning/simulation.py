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

from fairtrial.checks import as_generator, check_confidence
from fairtrial.claims import not_below_chance, student_p_value
from fairtrial.people import People
from fairtrial.planning.systems import ComparisonSetting, both_wrong_share
from fairtrial.rules.measures import MeasureLike, Weights, linear_weights
from fairtrial.spread import welch
from fairtrial.trials import Trials

_Whole: TypeAlias = NDArray[np.int8]

_SCORES = 5 * 10**7
"""Scores that are drawn at most."""
_FEWEST = 100
"""Data sets below which the power is not simulated: its standard error would be 4 points and more."""


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
    The test is that of `compare` with thresholds fixed: the jackknife over clients and impostors, and Student's t with
    Welch's degrees of freedom. Nothing is re-estimated here, as there is no development set in a plan: a comparison
    whose thresholds come from few development trials has less power. Systems with trials of their own have people of
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
    check_confidence(confidence)
    trials = individuals * (setting.attempts + setting.impostor_attempts)
    number = min(data_sets, _SCORES // (2 * trials))
    models = [model for kind in ("far", "frr") if (model := ScoreModel.of(setting, kind)) is not None]
    if not data_sets or number < min(_FEWEST, data_sets) or len(models) < 2:
        return None
    source = as_generator(rng)
    drawn = _Trials.of(setting, individuals, linear_weights(measure, alpha))
    found = 0
    for _ in range(number):
        impostor = models[0].errors((individuals, setting.impostor_attempts), setting.impostors, source)
        genuine = models[1].errors((individuals, setting.attempts), None, source)
        found += drawn.differ(impostor, genuine, confidence)
    power = found / number
    return SimulatedPower(power, sqrt(power * (1 - power) / number), number)


@dataclass(frozen=True, slots=True)
class ScoreModel:
    """Normal scores of one class: a score above its threshold is an error."""

    thresholds: tuple[float, float]
    alike: float
    """The correlation of the two systems' scores of the same trial."""
    client: tuple[float, float]
    """The share of the variance that the client's effect has, in either system."""
    impostor: tuple[float, float]

    @classmethod
    def of(cls, setting: ComparisonSetting, kind: str) -> ScoreModel | None:
        from scipy.special import ndtri

        rates = getattr(setting.first, kind), getattr(setting.second, kind)
        thresholds = -float(ndtri(rates[0])), -float(ndtri(rates[1]))
        rho_impostor = setting.rho_impostor if kind == "far" else 0.0
        if setting.correlation is None:
            alike = 0.0

            def shares(rho: float) -> list[float]:
                return [_share(partial(error_covariance, t, t), rho) for t in thresholds]
        else:
            both = both_wrong_share(*rates, setting.correlation)
            alike = _root(lambda r: error_covariance(*thresholds, r), both - rates[0] * rates[1], -1.0)

            def of_difference(share: float) -> float:
                own = sum(error_covariance(t, t, share) for t in thresholds)
                return own - 2 * error_covariance(*thresholds, share * alike)

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


def error_covariance(first: float, second: float, correlation: float) -> float:
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


@dataclass(frozen=True, slots=True, eq=False)
class _Trials:
    """Who takes part in the trials of a data set, and what is compared on them."""

    people: People
    weights: Weights
    paired: bool

    @classmethod
    def of(cls, setting: ComparisonSetting, clients: int, weights: Weights) -> _Trials:
        """Impostor trials first, one row per client; impostors take turns."""
        claims = [np.repeat(np.arange(clients), count) for count in (setting.impostor_attempts, setting.attempts)]
        claim, genuine = np.concatenate(claims), np.repeat([False, True], [len(own) for own in claims])
        subject = None
        if setting.impostors is not None:
            others = clients + np.arange(len(claims[0])) % setting.impostors
            subject = np.concatenate([others, claims[1]])
        trials = Trials.from_arrays(np.zeros(len(claim)), genuine, claim=claim, subject=subject)
        return cls(People.of(trials), weights, setting.correlation is not None)

    def differ(self, impostor: list[_Whole], genuine: list[_Whole], confidence: float) -> bool:
        """Test the errors of the two systems, by `claims` and `people` as in `compare`."""
        errors = [np.concatenate([part.ravel() for part in own]) for own in zip(impostor, genuine, strict=True)]
        estimate = self._value(errors[0]) - self._value(errors[1])
        weights = self.weights[:2]
        if self.paired:
            difference = errors[0] - errors[1]
            spread = self.people.error_variance(difference, weights)
            parts = [not_below_chance(spread, difference, weights, self.people.is_genuine)]
        else:
            parts = [self.people.error_variance(own, weights) for own in errors]
        variance = sum(part.variance for part in parts)
        if variance <= 0:
            return estimate != 0
        degrees = welch([(part.variance, part.degrees) for part in parts])
        return student_p_value(estimate / sqrt(variance), degrees, "two-sided") < 1 - confidence

    def _value(self, errors: _Whole) -> float:
        genuine = self.people.is_genuine
        return self.weights.far * float(errors[~genuine].mean()) + self.weights.frr * float(errors[genuine].mean())
