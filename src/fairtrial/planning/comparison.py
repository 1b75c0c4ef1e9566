"""How surely a test will tell two systems apart, and how many people that takes.

Trials are not independent: those against the same client go together, and so do those of an impostor who attacks
many clients. With C clients, K impostor trials against each and S impostors common to all, a mean over the N = C K
impostor trials has the variance of one trial over N, times

    1 + rho_client (K - 1) + rho_impostor (C K / S - 1).

Each of the two terms counts the other trials of the same client, or of the same impostor. Two trials of the same pair
of people are in both: their correlation is the sum. The last term grows with the clients, so that the variance never
falls below rho_impostor / S of that of one trial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import inf, isnan, sqrt
from typing import Any

import numpy as np

from fairtrial.checks import check_confidence, check_share
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import normal_quantile
from fairtrial.planning.attempts import design_effect
from fairtrial.planning.search import smallest_enough
from fairtrial.planning.simulation import SimulatedPower, simulate_comparison_power
from fairtrial.planning.systems import ComparisonSetting, Rates, discordant_share
from fairtrial.rules.measures import MeasureLike, Weights, linear_weights
from fairtrial.tables import Column, Result, Table, level_text, percent, plural

_APART = 0.05
"""Powers by the formula and by simulation that differ by more are told apart."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What the trials of one class, of one system if the systems have trials of their own, add to a variance."""

    assumed: float
    """As a test of independent trials estimates it: without the mean taken off."""
    true: float
    people: float


def comparison_power(
    a: tuple[float, float],
    b: tuple[float, float],
    *,
    impostor: float,
    genuine: float,
    correlation: float | None = 0.0,
    design_effects: tuple[float, float] = (1.0, 1.0),
    people: tuple[float, float] | None = None,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    confidence: float = 0.95,
) -> float:
    r"""Compute how probable it is that the two-sided test finds a difference.

    .. math:: P(|T| > t), \quad T \sim t_{\nu}(\Delta / \sigma), \quad \sigma^2 = \sum_c w_c^2 \sigma_c^2 d_c / N_c

    with the difference of the two systems, the variance of one trial's difference of errors, the design effects and the
    weights of both classes.

    Parameters
    ----------
    a, b : tuple of (float, float)
        FAR and FRR of the system, fractions.
    impostor, genuine : float
        How many trials of the class; of each system, if they are not the same trials.
    correlation : float or None, default 0.0
        The correlation of the errors of A and B on the same trial, for the paired test; None for systems that are
        tested on different trials, and the unpaired test.
    design_effects : tuple of (float, float), default (1.0, 1.0)
        By how much dependence between impostor and between genuine trials enlarges the variance; the test is taken to
        know that.
    people : tuple of (float, float), optional
        The smaller number of people in a role, of impostor and of genuine trials: the test is Student's t then, with
        Welch's degrees of freedom, as the test of `compare` that knows who shares trials. None: the normal test of
        independent trials.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1: 0.95 tests at 5 %.

    Returns
    -------
    float
        The power, between 0 and 1.

    Raises
    ------
    ParameterError
        A rate, correlation or confidence that is not possible, no trial of a class, or fewer than two people.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16), for the
    variance.

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
    if people is not None and min(people) < 2:
        raise ParameterError(f"there must be at least two people in each class, not {people[0]} and {people[1]}")
    weights = linear_weights(measure, alpha)
    counts = (impostor, people[0] if people else inf), (genuine, people[1] if people else inf)
    parts = list(_parts(first, second, weights, correlation, counts, design_effects))
    difference = weights.far * (first.far - second.far) + weights.frr * (first.frr - second.frr)
    true = sum(part.true for part in parts)
    if people is None:
        reach = normal_quantile(confidence) * sqrt(sum(part.assumed for part in parts))
        return _normal_power(difference, true, reach)
    return _student_power(difference, true, _degrees(parts), confidence)


def _parts(
    first: Rates,
    second: Rates,
    weights: Weights,
    correlation: float | None,
    counts: tuple[tuple[float, float], tuple[float, float]],
    effects: tuple[float, float],
) -> Iterator[_Part]:
    for p, q, weight, (trials, people), effect in (
        (first.far, second.far, weights.far, counts[0], effects[0]),
        (first.frr, second.frr, weights.frr, counts[1], effects[1]),
    ):
        scale = weight**2 * effect / trials
        if correlation is None:
            for rate in (p, q):
                yield _Part(scale * rate * (1 - rate), scale * rate * (1 - rate), people)
        else:
            discordant = discordant_share(p, q, correlation)
            yield _Part(scale * discordant, scale * max(discordant - (p - q) ** 2, 0.0), people)


def _degrees(parts: list[_Part]) -> float:
    """Welch's degrees of freedom of a sum of variances."""
    total = sum(part.true for part in parts)
    if total <= 0:
        return min(part.people for part in parts) - 1
    return total**2 / sum(part.true**2 / (part.people - 1) for part in parts)


def _normal_power(difference: float, variance: float, reach: float) -> float:
    from scipy.special import ndtr

    if variance <= 0:
        return float(abs(difference) > reach)
    sigma = sqrt(variance)
    return float(ndtr((-reach - difference) / sigma) + ndtr((difference - reach) / sigma))


def _student_power(difference: float, variance: float, degrees: float, confidence: float) -> float:
    """Give the power of the two-sided t test, by the noncentral t distribution."""
    from scipy.special import nctdtr, stdtrit

    check_confidence(confidence)
    if variance <= 0:
        return float(difference != 0)
    shift, critical = abs(difference) / sqrt(variance), float(stdtrit(degrees, (1 + confidence) / 2))
    above, below = 1 - float(nctdtr(degrees, shift, critical)), float(nctdtr(degrees, shift, -critical))
    # far from the centre scipy gives NaN for tails that are empty
    return (1.0 if isnan(above) else above) + (0.0 if isnan(below) else below)


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonPlan(Result):
    """Clients, their genuine attempts, the impostor attempts against them, and the power they give.

    Attributes
    ----------
    individuals : int
        How many clients.
    attempts : int
        How many genuine attempts of each client.
    impostor_attempts : int
        How many impostor attempts against each client.
    impostors : int or None
        How many impostors are common to all clients; None where each client has impostors of their own.
    power : float
        The power by the formula.
    confidence : float
        The level of confidence, between 0 and 1.
    paired : bool
        Whether both systems are tested on the same trials.
    power_simulated : float or None
        The share of simulated tests that found the difference; None where nothing was simulated.
    power_error : float or None
        The Monte Carlo standard error of that share.

    Examples
    --------
    >>> from fairtrial import plan_comparison
    >>> plan = plan_comparison((0.01, 0.02), (0.015, 0.03), individuals=200, data_sets=0)
    >>> plan.genuine, plan.impostor, round(plan.power, 2)
    (200, 2000, 0.15)
    """

    individuals: int
    attempts: int
    impostor_attempts: int
    impostors: int | None
    power: float
    confidence: float
    paired: bool
    power_simulated: float | None = None
    power_error: float | None = None

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

    def _with(self, simulated: SimulatedPower | None) -> ComparisonPlan:
        if simulated is None:
            return self
        return replace(self, power_simulated=simulated.power, power_error=simulated.error)

    def summary(self) -> str:
        """People, the test, and its power."""
        test = f"{'paired' if self.paired else 'unpaired'} test at {level_text(1 - self.confidence)}"
        return f"{plural(self.individuals, 'individual')}, {test}, power {percent(self.power)}"

    def tables(self) -> tuple[Table, ...]:
        """The plan in one row."""
        each = "" if self.paired else " per system"
        columns = (
            Column("individuals", "individuals", "count"),
            Column("attempts", "genuine each", "count"),
            Column("impostor_attempts", "impostor each", "count"),
            *([] if self.impostors is None else [Column("impostors", "common impostors", "count")]),
            Column("genuine", f"genuine trials{each}", "count"),
            Column("impostor", f"impostor trials{each}", "count"),
            Column("power", "power", "rate"),
            Column("power_simulated", "simulated power", "rate"),
            Column("power_error", "its standard error", "rate"),
            Column("confidence", "confidence", "level", detail=True),
            Column("paired", "paired", "flag", detail=True),
        )
        notes = []
        if self.power_simulated is not None and abs(self.power_simulated - self.power) > _APART:
            few = "the two powers differ by more than 5 points, since errors are few or people few"
            notes.append(f"{few}; go by the simulated power")
        return (Table.of("plan", self.summary(), columns, [self.to_dict()], notes=notes),)


def plan_comparison(
    a: tuple[float, float],
    b: tuple[float, float],
    *,
    power: float = 0.8,
    individuals: int | None = None,
    attempts: int = 1,
    impostor_attempts: int = 10,
    impostors: int | None = None,
    rho_client: float = 0.0,
    rho_impostor: float = 0.0,
    correlation: float | None = 0.0,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    confidence: float = 0.95,
    data_sets: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> ComparisonPlan:
    """Find how many people tell two systems apart with this power, or the power of the people there are.

    The test is the one of `compare` that knows who shares trials, at fixed thresholds.

    Parameters
    ----------
    a, b : tuple of (float, float)
        FAR and FRR of the system, fractions.
    power : float, default 0.8
        How surely the difference is to be found, between 0 and 1.
    individuals : int, optional
        The clients there are; then only the power is computed.
    attempts : int, default 1
        Genuine attempts of each client.
    impostor_attempts : int, default 10
        Impostor attempts against each client.
    impostors : int, optional
        How many impostors there are, each of whom attacks all clients in turn. None: every client is attacked by
        impostors of their own.
    rho_client : float, default 0.0
        The correlation between two trials that share the client: of the difference of the two systems' errors if the
        test is paired, of the errors if it is not.
    rho_impostor : float, default 0.0
        The same for impostor trials that share the impostor. Trials that share both have the sum of the two.
    correlation : float or None, default 0.0
        The correlation of the errors of A and B on the same trial, for the paired test; None for systems that are
        tested on different trials, and the unpaired test.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a weighted sum of FAR and FRR.
    alpha : float, default 0.5
        The weight of FAR in the measure ``wer``.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1: 0.95 tests at 5 %.
    data_sets : int, default 1000
        How many data sets are simulated, to check the power; 0 for none. There are fewer where each has very many
        trials, and none where only a few would be left.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    ComparisonPlan
        With the power by the formula and, if simulated, the share of tests that found the difference.

    Raises
    ------
    ParameterError
        Systems with the same error rate, so few common impostors that no number of clients is enough, or a number that
        is not possible.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16), for the
    variance.

    Examples
    --------
    >>> plan = plan_comparison((0.01, 0.02), (0.015, 0.03), individuals=200, impostors=25, rho_impostor=0.02)
    >>> plan.power < 0.4
    True
    """
    setting = ComparisonSetting(
        Rates(*a), Rates(*b), attempts, impostor_attempts, impostors, rho_client, rho_impostor, correlation
    )
    check_share("power", power, open_ends=True)
    weights = linear_weights(measure, alpha)
    if data_sets < 0:
        raise ParameterError(f"there must be at least 0 data sets, not {data_sets}")

    def power_of(clients: int) -> float:
        trials = clients * impostor_attempts
        effect = design_effect(impostor_attempts, rho_client)
        if impostors is not None:
            effect += rho_impostor * max(trials / impostors - 1, 0.0)
        return comparison_power(
            a,
            b,
            impostor=trials,
            genuine=clients * attempts,
            correlation=correlation,
            design_effects=(effect, design_effect(attempts, rho_client)),
            people=(clients if impostors is None else min(clients, impostors), clients),
            measure=measure,
            alpha=alpha,
            confidence=confidence,
        )

    if individuals is not None and individuals < 2:
        raise ParameterError(f"there must be at least two individuals, not {individuals}")
    found = individuals or smallest_enough(lambda clients: power_of(clients) >= power)
    if found is None:
        raise _never_enough(setting, weights, power, confidence)
    plan = ComparisonPlan(
        found, attempts, impostor_attempts, impostors, power_of(found), confidence, correlation is not None
    )
    return plan._with(
        simulate_comparison_power(
            setting, found, measure=measure, alpha=alpha, confidence=confidence, data_sets=data_sets, rng=rng
        )
    )


def _never_enough(setting: ComparisonSetting, weights: Weights, power: float, confidence: float) -> ParameterError:
    """Say why no number of clients reaches the power."""
    least = None if setting.impostors is None else _fewest_impostors(setting, weights, power, confidence)
    if setting.impostors is None or least is None:
        return ParameterError("the two systems have the same error rate by this measure; no test can tell them apart")
    return ParameterError(
        f"no number of clients reaches a power of {level_text(power)} with {setting.impostors} impostors common to "
        f"all; more impostors are needed, at least {max(least, setting.impostors + 1):,}"
    )


def _fewest_impostors(setting: ComparisonSetting, weights: Weights, power: float, confidence: float) -> int | None:
    """Find how many impostors are enough with infinitely many clients: only the spread between impostors is left."""
    first, second = setting.first, setting.second
    difference = weights.far * (first.far - second.far) + weights.frr * (first.frr - second.frr)
    endless = (1.0, inf), (inf, inf)
    parts = _parts(first, second, weights, setting.correlation, endless, (setting.rho_impostor, 1.0))
    variance = sum(part.true for part in parts)

    def is_enough(impostors: int) -> bool:
        return _student_power(difference, variance / impostors, impostors - 1, confidence) >= power

    return smallest_enough(is_enough)
