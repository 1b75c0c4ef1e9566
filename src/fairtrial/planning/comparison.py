"""How surely a test will tell two systems apart, and how many people that takes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import HTER, ErrorWeights, normal_quantile
from fairtrial.planning.rate import design_effect
from fairtrial.tables import Column, Result, Table, percent, plural

_MOST = 10**12


@dataclass(frozen=True, slots=True)
class Rates:
    """The FAR and the FRR that a system is thought to have."""

    far: float
    frr: float

    def __post_init__(self) -> None:
        for name, rate in (("FAR", self.far), ("FRR", self.frr)):
            if not 0 <= rate <= 1:
                raise ParameterError(f"{name} must be a fraction between 0 and 1, not {rate}; 1.5 % is 0.015")


def comparison_power(
    a: tuple[float, float],
    b: tuple[float, float],
    *,
    impostor: float,
    genuine: float,
    correlation: float | None = 0.0,
    design_effects: tuple[float, float] = (1.0, 1.0),
    weights: ErrorWeights = HTER,
    confidence: float = 0.95,
) -> float:
    """Compute how probable it is that the two-sided z test finds a difference.

    Parameters
    ----------
    a, b
        FAR and FRR of the two systems.
    impostor, genuine
        Numbers of trials; of each system, if they are not the same trials.
    correlation
        Of the errors of A and B on the same trial; the test is the paired one then. None: the systems are tested
        on different trials, and the test is the unpaired one.
    design_effects
        By how much dependence between impostor and between genuine trials enlarges the variance; the test is
        taken to know that.

    Examples
    --------
    >>> round(comparison_power((0.01, 0.02), (0.012, 0.03), impostor=20_000, genuine=1000, correlation=0.5), 2)
    0.66
    """
    first, second = Rates(*a), Rates(*b)
    if impostor < 1 or genuine < 1:
        raise ParameterError(f"there must be trials of both classes, not {impostor} and {genuine}")
    if min(design_effects) <= 0:
        raise ParameterError(f"design effects must be above 0, not {design_effects}")
    if correlation is not None and not -1 <= correlation <= 1:
        raise ParameterError(f"the correlation of errors must be between -1 and 1, not {correlation}")
    difference = weights.far * (first.far - second.far) + weights.frr * (first.frr - second.frr)
    assumed = true = 0.0
    for p, q, weight, trials, effect in (
        (first.far, second.far, weights.far, impostor, design_effects[0]),
        (first.frr, second.frr, weights.frr, genuine, design_effects[1]),
    ):
        apart = p * (1 - p) + q * (1 - q)
        if correlation is not None:
            discordant = _discordant(p, q, correlation)
            spread = discordant, discordant - (p - q) ** 2
        else:
            spread = apart, apart
        scale = weight**2 * effect / trials
        assumed, true = assumed + scale * spread[0], true + scale * spread[1]
    z = normal_quantile(confidence) * sqrt(assumed)
    if true <= 0:
        return float(abs(difference) > z)
    normal = NormalDist(difference, sqrt(true))
    return normal.cdf(-z) + 1 - normal.cdf(z)


def _both_wrong(p: float, q: float, correlation: float) -> float:
    """The share of trials that both systems decide wrongly, as near to the correlation as the rates allow."""
    both = p * q + correlation * sqrt(p * (1 - p) * q * (1 - q))
    return min(max(both, p + q - 1, 0.0), p, q)


def _discordant(p: float, q: float, correlation: float) -> float:
    """The share of trials that one system decides wrongly and the other does not."""
    return p + q - 2 * _both_wrong(p, q, correlation)


def simulated_power(
    a: tuple[float, float],
    b: tuple[float, float],
    *,
    impostor: int,
    genuine: int,
    correlation: float | None = 0.0,
    weights: ErrorWeights = HTER,
    confidence: float = 0.95,
    data_sets: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> float:
    """Simulate tests of independent trials and count how often the two-sided z test finds a difference.

    The parameters are those of `comparison_power`, which approximates this.
    """
    first, second = Rates(*a), Rates(*b)
    source = np.random.default_rng(rng)
    difference, variance = np.zeros(data_sets), np.zeros(data_sets)
    for p, q, weight, trials in (
        (first.far, second.far, weights.far, impostor),
        (first.frr, second.frr, weights.frr, genuine),
    ):
        if correlation is None:
            wrong_a, wrong_b = (source.binomial(trials, rate, data_sets) / trials for rate in (p, q))
            spread = wrong_a * (1 - wrong_a) + wrong_b * (1 - wrong_b)
        else:
            both = _both_wrong(p, q, correlation)
            shares = np.array([p - both, q - both, max(1 - p - q + both, 0.0)])
            only = source.multinomial(trials, np.append(shares, both) / (shares.sum() + both), data_sets) / trials
            wrong_a, wrong_b = only[:, 0], only[:, 1]
            spread = wrong_a + wrong_b
        difference += weight * (wrong_a - wrong_b)
        variance += weight**2 * spread / trials
    found = np.abs(difference) > normal_quantile(confidence) * np.sqrt(variance)
    return float(np.mean(found & (variance > 0)))


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonPlan(Result):
    """People, their attempts against their own and against others' claims, and the power they give."""

    individuals: int
    attempts: int
    impostor_attempts: int
    power: float
    confidence: float
    paired: bool

    @property
    def genuine(self) -> int:
        """Genuine trials."""
        return self.individuals * self.attempts

    @property
    def impostor(self) -> int:
        """Impostor trials."""
        return self.individuals * self.impostor_attempts

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {**asdict(self), "genuine": self.genuine, "impostor": self.impostor}

    def summary(self) -> str:
        """People, the test, and its power."""
        test = f"{'paired' if self.paired else 'unpaired'} test at {100 * (1 - self.confidence):.3g} %"
        return f"{plural(self.individuals, 'individual')}, {test}, power {percent(self.power)}"

    def tables(self) -> tuple[Table, ...]:
        """The plan in one row."""
        each = "" if self.paired else " per system"
        columns = (
            Column("individuals", "individuals", "count"),
            Column("attempts", "genuine each", "count"),
            Column("impostor_attempts", "impostor each", "count"),
            Column("genuine", f"genuine trials{each}", "count"),
            Column("impostor", f"impostor trials{each}", "count"),
            Column("power", "power", "rate"),
            Column("confidence", "confidence", "level", detail=True),
            Column("paired", "paired", "flag", detail=True),
        )
        notes = ["the power is by the normal approximation"]
        return (Table.of("plan", self.summary(), columns, [self.to_dict()], notes=notes),)


def plan_comparison(
    a: tuple[float, float],
    b: tuple[float, float],
    *,
    power: float = 0.8,
    individuals: int | None = None,
    attempts: int = 1,
    impostor_attempts: int = 10,
    rho: float = 0.0,
    correlation: float | None = 0.0,
    weights: ErrorWeights = HTER,
    confidence: float = 0.95,
) -> ComparisonPlan:
    """Find how many people tell two systems apart with this power, or the power of the people there are.

    Parameters
    ----------
    individuals
        The people there are; then only the power is computed.
    attempts, impostor_attempts
        Genuine and impostor attempts of each person.
    rho
        The correlation between attempts of a person: of the difference of the two systems' errors if the test is
        paired, of the errors if it is not.
    correlation
        Of the errors of A and B on the same trial, or None if they are tested on different trials.
    """
    if not 0 <= rho <= 1:
        raise ParameterError(f"rho must be between 0 and 1, not {rho}")
    if min(attempts, impostor_attempts) < 1:
        raise ParameterError(f"each person must make attempts of both kinds, not {attempts} and {impostor_attempts}")
    if not 0 < power < 1:
        raise ParameterError(f"power must be between 0 and 1, not {power}")
    effects = design_effect(impostor_attempts, rho), design_effect(attempts, rho)

    def plan(people: int) -> ComparisonPlan:
        found = comparison_power(
            a,
            b,
            impostor=people * impostor_attempts,
            genuine=people * attempts,
            correlation=correlation,
            design_effects=effects,
            weights=weights,
            confidence=confidence,
        )
        return ComparisonPlan(people, attempts, impostor_attempts, found, confidence, correlation is not None)

    if individuals is not None:
        if individuals < 2:
            raise ParameterError(f"there must be at least two individuals, not {individuals}")
        return plan(individuals)
    low, high = 1, 2
    while plan(high).power < power:
        low, high = high, 2 * high
        if high > _MOST:
            raise ParameterError(
                "the two systems have the same error rate by what is asked; no test can tell them apart"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if plan(middle).power < power else (low, middle)
    return plan(high)
