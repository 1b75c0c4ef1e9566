"""Plan the people that a comparison of two systems needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import asin, inf, isnan, sqrt
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import (
    ParameterError,
    TrialsError,
    as_generator,
    check_confidence,
    check_count,
    check_rate,
    check_share,
    check_whole,
    refuse_given,
)
from fairtrial.core.notes import Note
from fairtrial.core.parameters import changed
from fairtrial.core.results import Field, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import level_text, percent, plural
from fairtrial.evaluation.paired_tests import Pair
from fairtrial.inference.intervals import normal_quantile
from fairtrial.inference.people import People
from fairtrial.inference.student import student_p_value
from fairtrial.inference.variance import Components, Floats, welch
from fairtrial.repeated.attempts import Rng
from fairtrial.repeated.rate_plans import MOST, RatePlan, Scale, design_effect, plan_rate, smallest_that_stays
from fairtrial.rules.measures import MeasureLike, Weights, linear_weights

SystemRates: TypeAlias = tuple[float, float]
"""FAR and FRR of a system, fractions."""

_NODES = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, slots=True)
class ComparisonSetting:
    """Two systems and the design of their comparison, as in `plan_comparison`; `individuals` are clients observed."""

    a: SystemRates
    b: SystemRates
    attempts: int = 1
    impostor_attempts: int = 10
    impostors: int | None = None
    rho_client: float = 0.0
    rho_impostor: float = 0.0
    correlation: float | None = 0.0
    individuals: int | None = None
    measure: MeasureLike = "hter"
    alpha: float = 0.5

    def __post_init__(self) -> None:
        for name, rho in (("rho_client", self.rho_client), ("rho_impostor", self.rho_impostor)):
            if not 0 <= rho <= 1:
                raise ParameterError(f"{{{name}!p}} must be between 0 and 1, not {{value}}", value=rho)
        if self.rho_client + self.rho_impostor > 1:
            template = "{rho_client!p} and {rho_impostor!p} must not exceed 1 together, not {first} and {second}"
            raise ParameterError(template, first=self.rho_client, second=self.rho_impostor)
        if self.rho_impostor and self.impostors is None:
            template = "{rho_impostor!p} needs {impostors!p}, the number of impostors common to all clients"
            raise ParameterError(template, code="needs-impostors", impostors=None)
        if self.impostors is not None:
            check_whole("impostors", self.impostors, 2, 10**7)
        for name, count in (("attempts", self.attempts), ("impostor_attempts", self.impostor_attempts)):
            check_whole(name, count, 1, MOST)

    def power(self, clients: int, confidence: float = 0.95) -> float:
        """Compute the power with this number of clients by the formula of `comparison_power`."""
        trials = clients * self.impostor_attempts
        effect = design_effect(self.impostor_attempts, self.rho_client)
        if self.impostors is not None:
            effect += self.rho_impostor * max(trials / self.impostors - 1, 0.0)
        return comparison_power(
            self.a,
            self.b,
            impostor=trials,
            genuine=clients * self.attempts,
            correlation=self.correlation,
            design_effects=(effect, design_effect(self.attempts, self.rho_client)),
            people=(clients if self.impostors is None else min(clients, self.impostors), clients),
            measure=self.measure,
            alpha=self.alpha,
            confidence=confidence,
        )

    def plan(
        self,
        *,
        power: float = 0.8,
        individuals: int | None = None,
        confidence: float = 0.95,
        data_sets: int = 1000,
        rng: Rng = 0,
    ) -> ComparisonPlan:
        """Plan a comparison in this setting, with the parameters of `plan_comparison`.

        An observed difference is uncertain, and one that was picked for its size is too large on average: a plan for it
        is then too small on average.
        """
        check_share("power", power, open_ends=True)
        check_count("data_sets", data_sets)
        if individuals is not None:
            check_whole("individuals", individuals, 2, MOST)
        clients = individuals or smallest_that_stays(lambda clients: self.power(clients, confidence) >= power)
        if clients is None:
            # with infinitely many clients, only the variance of the impostors is left
            endless, effects = ((1.0, inf), (inf, inf)), (self.rho_impostor, 1.0)
            weights = linear_weights(self.measure, self.alpha)
            difference, parts = _difference(self.a, self.b, weights, self.correlation, endless, effects)
            variance = sum(part.true for part in parts)
            least = smallest_that_stays(lambda n: _student_power(difference, variance / n, n - 1, confidence) >= power)
            if self.impostors is None or least is None:
                text = "the two systems have the same error rate by this measure; no test can tell them apart"
                raise ParameterError(text, code="no-difference")
            template = (
                "no number of clients reaches a power of {power:level} with {impostors} impostors common to all; more "
                "impostors are needed, at least {least:count}"
            )
            least = max(least, self.impostors + 1)
            raise ParameterError(template, code="too-few-impostors", power=power, impostors=self.impostors, least=least)
        formula, notes = self.power(clients, confidence), []
        simulated = simulate_comparison_power(self, clients, confidence=confidence, data_sets=data_sets, rng=rng)
        if simulated is None and data_sets:
            template = "the power was not simulated: too many trials, or correlations too large"
            notes.append(Note("not-simulated", template))
        elif simulated is not None and abs(simulated.power - formula) > 0.05:
            template = "the two powers differ by more than 5 points: few errors or few people; use the simulated power"
            notes.append(Note("powers-differ", template, warning=True))
        return ComparisonPlan(
            clients,
            self.attempts,
            self.impostor_attempts,
            self.impostors,
            formula,
            confidence,
            self.correlation is not None,
            simulated and simulated.power,
            simulated and simulated.error,
            tuple(notes),
        )


def both_wrong_share(p: float, q: float, correlation: float) -> float:
    """Compute the proportion of trials that both systems decide wrongly, as near to the correlation as rates allow."""
    both = p * q + correlation * sqrt(p * (1 - p) * q * (1 - q))
    return min(max(both, p + q - 1, 0.0), p, q)


class SimulatedPower(NamedTuple):
    """The proportion of simulated tests that reject equality, and its Monte Carlo standard error."""

    power: float
    error: float


def simulate_comparison_power(
    setting: ComparisonSetting, individuals: int, *, confidence: float = 0.95, data_sets: int = 1000, rng: Rng = 0
) -> SimulatedPower | None:
    """Simulate a planned comparison with this number of clients, and count how often the test rejects equality.

    There are fewer data sets if each has very many trials; None if they would be fewer than a hundred, or if the
    correlations are too large for normal scores. The test is that of `compare` with fixed thresholds: the variance by
    clients and impostors, and Student's t with Satterthwaite's degrees of freedom. Systems with trials of their own
    have people of their own, too.
    """
    trials = individuals * (setting.attempts + setting.impostor_attempts)
    number = min(data_sets, 5 * 10**7 // (2 * trials))
    models = [model for kind in (0, 1) if (model := ScoreModel.of(setting, kind)) is not None]
    # with fewer than 100 data sets the standard error of the power would be 4 points and more
    if not data_sets or number < min(100, data_sets) or len(models) < 2:
        return None
    # impostor trials first, one row per client; impostors take turns
    claims = [np.repeat(np.arange(individuals), count) for count in (setting.impostor_attempts, setting.attempts)]
    claim, genuine = np.concatenate(claims), np.repeat([False, True], [len(part) for part in claims])
    subject = None
    if setting.impostors is not None:
        subject = np.concatenate([individuals + np.arange(len(claims[0])) % setting.impostors, claims[1]])
    people = People.of(Trials.from_arrays(np.zeros(len(claim)), genuine, claim=claim, subject=subject))
    source, weights = as_generator(rng), linear_weights(setting.measure, setting.alpha)

    def value(errors: NDArray[np.int8]) -> float:
        return weights.far * float(errors[~genuine].mean()) + weights.frr * float(errors[genuine].mean())

    rejected = 0
    for _ in range(number):
        impostor = models[0].errors((individuals, setting.impostor_attempts), setting.impostors, source)
        client = models[1].errors((individuals, setting.attempts), None, source)
        errors = [np.concatenate([part.ravel() for part in system]) for system in zip(impostor, client, strict=True)]
        estimate = value(errors[0]) - value(errors[1])
        compared = errors if setting.correlation is None else [errors[0] - errors[1]]
        variances = [
            Components([people.moments([wrong.astype(np.float64)])]).variance([weights.frr], [weights.far])
            for wrong in compared
        ]
        total = sum(variance.value for variance in variances)
        if total <= 0:
            rejected += estimate != 0
        else:
            degrees = welch([(variance.value, variance.df) for variance in variances])
            rejected += student_p_value(estimate / sqrt(total), degrees, "two-sided") < 1 - confidence
    power = rejected / number
    return SimulatedPower(power, sqrt(power * (1 - power) / number))


@dataclass(frozen=True, slots=True)
class ScoreModel:
    """Normal scores of one class: a score above the threshold of its system is an error.

    `correlation` is that of the two systems' scores of the same trial; `client` and `impostor` are the proportions of
    each system's variance that are due to them.
    """

    thresholds: tuple[float, float]
    correlation: float
    client: tuple[float, float]
    impostor: tuple[float, float]

    @classmethod
    def of(cls, setting: ComparisonSetting, kind: int) -> ScoreModel | None:
        """Model impostor trials (0) or genuine trials (1); None if correlations are too large."""
        from scipy.special import ndtri

        rates = setting.a[kind], setting.b[kind]
        thresholds = -float(ndtri(rates[0])), -float(ndtri(rates[1]))
        correlation = 0.0
        if setting.correlation is not None:
            both = both_wrong_share(*rates, setting.correlation)
            correlation = _root(lambda r: error_covariance(*thresholds, r), both - rates[0] * rates[1], -1.0)

        def of_difference(proportion: float) -> float:
            within = sum(error_covariance(t, t, proportion) for t in thresholds)
            return within - 2 * error_covariance(*thresholds, proportion * correlation)

        def proportions(rho: float) -> tuple[float, float]:
            """Find the proportions of the variance that correlate errors, or their differences, by rho."""
            if not rho:
                return 0.0, 0.0
            of_errors: list[Callable[[float], float]] = [partial(error_covariance, t, t) for t in thresholds]
            first, second = of_errors if setting.correlation is None else (of_difference, of_difference)
            return _root(first, rho * first(1.0), 0.0), _root(second, rho * second(1.0), 0.0)

        client, impostor = proportions(setting.rho_client), proportions(0.0 if kind else setting.rho_impostor)
        if max(c + i for c, i in zip(client, impostor, strict=True)) > 1:
            return None
        return cls(thresholds, correlation, client, impostor)

    def errors(self, shape: tuple[int, int], people: int | None, rng: np.random.Generator) -> list[NDArray[np.int8]]:
        """Draw which trials each system decides wrongly, one row per client; impostors take turns."""

        def pair(*shape: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            """Draw correlated scores of the two systems."""
            first, second = (rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
            if self.correlation:
                second *= np.float32(sqrt(1 - self.correlation**2))
                second += np.float32(self.correlation) * first
            return first, second

        rest = [sqrt(1 - c - i) for c, i in zip(self.client, self.impostor, strict=True)]
        scores = [part * score for part, score in zip(rest, pair(*shape), strict=True)]
        if any(self.client):
            for score, proportion, effect in zip(scores, self.client, pair(shape[0], 1), strict=True):
                score += np.float32(sqrt(proportion)) * effect
        if people is not None and any(self.impostor):
            for score, proportion, effect in zip(scores, self.impostor, pair(people), strict=True):
                score += np.resize(np.float32(sqrt(proportion)) * effect, shape)
        return [(score > limit).view(np.int8) for score, limit in zip(scores, self.thresholds, strict=True)]


def error_covariance(first: float, second: float, correlation: float) -> float:
    """Compute the covariance of the errors of two normal scores at two thresholds, by Plackett's integral."""
    if not (np.isfinite(first) and np.isfinite(second)):
        return 0.0
    nodes, weights = _NODES
    angle = asin(min(max(correlation, -1.0), 1.0))
    angles = angle * (nodes + 1) / 2
    bent = first**2 + second**2 - 2 * first * second * np.sin(angles)
    density = np.exp(-bent / (2 * np.cos(angles) ** 2))
    return float(weights @ density) * angle / (4 * np.pi)


def _root(function: Callable[[float], float], target: float, low: float) -> float:
    """Find where an increasing function reaches a target, between `low` and 1; the nearer end if it does not."""
    from scipy.optimize import brentq

    if function(1.0) <= target:
        return 1.0
    if function(low) >= target:
        return low
    return float(brentq(lambda value: function(value) - target, low, 1.0))


class _Part(NamedTuple):
    """The contribution of one class to a variance, of one system if the systems have trials of their own.

    `assumed` is what a test of independent trials estimates, without subtracting the mean.
    """

    assumed: float
    true: float
    people: float


def comparison_power(
    a: SystemRates,
    b: SystemRates,
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
    r"""Compute the power of the two-sided test of a difference.

    .. math:: P(|T| > t), \quad T \sim t_{\nu}(\Delta / \sigma), \quad \sigma^2 = \sum_c w_c^2 \sigma_c^2 d_c / N_c

    with the difference of the two systems, the variance of one trial's difference of errors, the design effects and the
    weights of both classes.

    Parameters
    ----------
    a, b : tuple of (float, float)
        FAR and FRR of the system, fractions.
    impostor, genuine : float
        The number of trials of the class; of each system, if they are not the same trials.
    correlation : float or None, default 0.0
        The correlation of the errors of A and B on the same trial, for the paired test; None for systems that are
        tested on different trials, and the unpaired test.
    design_effects : tuple of (float, float), default (1.0, 1.0)
        The factors by which dependence between impostor and between genuine trials enlarges the variance, for which the
        test accounts.
    people : tuple of (float, float), optional
        The smaller number of people in a role, of impostor and of genuine trials: the test is then Student's t with
        Welch's degrees of freedom, as that of `compare`. None: the normal test of independent trials.
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
        If a number is out of range, a class has no trial, or there are fewer than two people.

    References
    ----------
    Bengio & Mariéthoz, A statistical significance test for person authentication, 2004, eqs. (15) and (16), for the
    variance.

    Examples
    --------
    >>> round(comparison_power((0.01, 0.02), (0.012, 0.03), impostor=20_000, genuine=1000, correlation=0.5), 2)
    0.66
    """
    from scipy.special import ndtr

    for rates in (a, b):
        for name, rate in zip(("FAR", "FRR"), rates, strict=True):
            check_rate(name, rate)
    if correlation is not None and not -1 <= correlation <= 1:
        raise ParameterError(f"the correlation of errors must be between -1 and 1, not {correlation}")
    if impostor < 1 or genuine < 1:
        raise ParameterError(f"there must be trials of both classes, not {impostor} and {genuine}")
    if min(design_effects) <= 0:
        raise ParameterError(f"design effects must be above 0, not {design_effects}")
    if people is not None and min(people) < 2:
        raise ParameterError(f"there must be at least two people in each class, not {people[0]} and {people[1]}")
    weights = linear_weights(measure, alpha)
    counts = (impostor, people[0] if people else inf), (genuine, people[1] if people else inf)
    difference, parts = _difference(a, b, weights, correlation, counts, design_effects)
    variance = sum(part.true for part in parts)
    if people is not None:
        degrees = min(people) - 1.0
        if variance > 0:
            degrees = variance**2 / sum(part.true**2 / (part.people - 1) for part in parts)
        return _student_power(difference, variance, degrees, confidence)
    reach = normal_quantile(confidence) * sqrt(sum(part.assumed for part in parts))
    if variance <= 0:
        return float(abs(difference) > reach)
    sigma = sqrt(variance)
    return float(ndtr((-reach - difference) / sigma) + ndtr((difference - reach) / sigma))


def _difference(
    a: SystemRates,
    b: SystemRates,
    weights: Weights,
    correlation: float | None,
    counts: tuple[tuple[float, float], tuple[float, float]],
    effects: tuple[float, float],
) -> tuple[float, list[_Part]]:
    """Compute the difference, and the parts of its variance."""
    parts = []
    for p, q, weight, (trials, people), effect in zip(a, b, weights[:2], counts, effects, strict=True):
        scale = weight**2 * effect / trials
        if correlation is None:
            parts += [_Part(scale * rate * (1 - rate), scale * rate * (1 - rate), people) for rate in (p, q)]
        else:
            discordant = p + q - 2 * both_wrong_share(p, q, correlation)
            parts.append(_Part(scale * discordant, scale * max(discordant - (p - q) ** 2, 0.0), people))
    return weights.far * (a[0] - b[0]) + weights.frr * (a[1] - b[1]), parts


def _student_power(difference: float, variance: float, degrees: float, confidence: float) -> float:
    """Compute the power of the two-sided t test, by the noncentral t distribution."""
    from scipy.special import nctdtr, stdtrit

    check_confidence(confidence)
    if variance <= 0:
        return float(difference != 0)
    shift, critical = abs(difference) / sqrt(variance), float(stdtrit(degrees, (1 + confidence) / 2))
    above, below = 1 - float(nctdtr(degrees, shift, critical)), float(nctdtr(degrees, shift, -critical))
    # far from the centre scipy gives NaN for empty tails
    return (1.0 if isnan(above) else above) + (0.0 if isnan(below) else below)


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonPlan(Result):
    """Clients, their genuine attempts, the impostor attempts against them, and the power they give.

    Attributes
    ----------
    individuals, attempts, impostor_attempts : int
        The number of clients, of genuine attempts of each, and of impostor attempts against each.
    impostors : int or None
        The number of impostors common to all clients; None if each client has impostors of their own.
    power : float
        The power by the formula.
    confidence : float
        The level of confidence, between 0 and 1.
    paired : bool
        Whether both systems are tested on the same trials.
    power_simulated, power_error : float or None
        The proportion of simulated tests that reject equality, and its Monte Carlo standard error; None if nothing was
        simulated.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import plan_comparison
    >>> plan = plan_comparison((0.01, 0.02), (0.015, 0.03), individuals=200, data_sets=0)
    >>> plan.genuine, plan.impostor, round(plan.power, 2)
    (200, 2000, 0.15)
    """

    FIELDS: ClassVar = (
        Field("individuals", "individuals", "count"),
        Field("attempts", "genuine each", "count"),
        Field("impostor_attempts", "impostor each", "count"),
        Field("impostors", "common impostors", "count"),
        Field("genuine", "genuine trials", "count", optional=True),
        Field("impostor", "impostor trials", "count", optional=True),
        Field("power", "power", "rate"),
        Field("power_simulated", "simulated", "rate"),
        Field("power_error", "s.e.", "rate"),
        Field("confidence", "confidence", "level", detail=True),
        Field("paired", "paired", "flag", detail=True),
        Field("notes"),
    )
    individuals: int
    attempts: int
    impostor_attempts: int
    impostors: int | None
    power: float
    confidence: float
    paired: bool
    power_simulated: float | None = None
    power_error: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def genuine(self) -> int:
        """Genuine trials."""
        return self.individuals * self.attempts

    @property
    def impostor(self) -> int:
        """Impostor trials."""
        return self.individuals * self.impostor_attempts

    def answer(self) -> str:
        """Write the design, and the probability that it shows the difference."""
        simulated = self.power_simulated if any(note.code == "powers-differ" for note in self.notes) else None
        power = f"{percent(self.power)}" if simulated is None else f"{percent(simulated)} (simulated)"
        attempts = f"{self.attempts:,} genuine and {plural(self.impostor_attempts, 'impostor attempt')} each"
        test = f"{'paired' if self.paired else 'unpaired'} test at {level_text(1 - self.confidence)}"
        clients = plural(self.individuals, "client")
        return f"{clients} with {attempts} show this difference with a probability of {power}, {test}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the plan in one row."""
        fields = [field for field in self.FIELDS if field.key != "impostors" or self.impostors is not None]
        titles = {} if self.paired else {name: f"{name} trials per system" for name in ("genuine", "impostor")}
        return (table_of("plan", "Plan", fields, [self], notes=self.notes, titles=titles),)


def plan_comparison(
    a: SystemRates,
    b: SystemRates,
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
    rng: Rng = 0,
) -> ComparisonPlan:
    """Plan the people that tell two systems apart with a given power, or compute the power of a given number.

    The test is that of `compare`, which accounts for trials that share people, at fixed thresholds.

    Parameters
    ----------
    a, b : tuple of (float, float)
        FAR and FRR of the system, fractions.
    power : float, default 0.8
        The probability that the test shows the difference, between 0 and 1.
    individuals : int, optional
        The clients there are; then only the power is computed.
    attempts : int, default 1
        Genuine attempts of each client.
    impostor_attempts : int, default 10
        Impostor attempts against each client.
    impostors : int, optional
        The number of impostors, each of whom attacks all clients in turn. None: every client is attacked by impostors
        of their own.
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
        How many data sets are simulated, to check the power; 0 for none. There are fewer if each has very many trials,
        and none if only a few would be left.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    ComparisonPlan
        With the power by the formula and, if simulated, the proportion of tests that show the difference.

    Raises
    ------
    ParameterError
        If the systems have the same error rate, the common impostors are too few for any number of clients, or a number
        is out of range.

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
        a, b, attempts, impostor_attempts, impostors, rho_client, rho_impostor, correlation, None, measure, alpha
    )
    plan = setting.plan(power=power, individuals=individuals, confidence=confidence, data_sets=data_sets, rng=rng)
    if individuals is None or "power" not in changed(plan_comparison, locals()):
        return plan
    text = "{power!o} has no effect with {individuals!p}, whose power is computed"
    ignored = Note("power-ignored", text, warning=True, power=power, individuals=individuals)
    return replace(plan, notes=(ignored, *plan.notes))


def observed_setting(pair: Pair) -> ComparisonSetting:
    """Estimate the setting of two systems that were tested on the same trials, which must have claim ids.

    Correlations within people are one-way intraclass correlations of the difference of the errors, not below 0. That of
    clients gives the difference of HTERs the same variance as those of genuine and impostor trials. Attempts are means
    per client, at least one.
    """
    trials = pair.a.trials
    if "claim" not in trials.ids:
        text = "the number of people needed cannot be estimated without claim ids, which these trials lack"
        raise TrialsError(text, code="no-ids")
    clients = trials.ids["claim"].numbered().codes
    difference = pair.wrong_a.astype(np.float64) - pair.wrong_b
    genuine, count = trials.genuine, len(np.unique(clients))
    impostors, rho_impostor = None, 0.0
    if "subject" in trials.ids:
        subjects = trials.ids["subject"].numbered().codes[~genuine]
        impostors = max(2, len(np.unique(subjects)))
        rho_impostor = intraclass_correlation(difference[~genuine], subjects)
    weighted = weights = covariance = deviations = 0.0
    for rows in (genuine, ~genuine):
        # each class counts as much as it adds to the variance of the sum of means
        trials_of_class = int(np.count_nonzero(rows))
        others = trials_of_class / len(np.unique(clients[rows])) - 1
        weight = float(np.var(difference[rows])) * others / trials_of_class
        weighted += weight * intraclass_correlation(difference[rows], clients[rows])
        weights += weight
        # errors of both classes, each around its own rate
        a, b = (wrong[rows].astype(np.float64) for wrong in (pair.wrong_a, pair.wrong_b))
        covariance += float(np.mean((a - a.mean()) * (b - b.mean())))
        deviations += float(np.sqrt(a.var() * b.var()))
    rho_client = weighted / weights if weights > 0 else 0.0
    return ComparisonSetting(
        (pair.a.at(0).far, pair.a.at(0).frr),
        (pair.b.at(0).far, pair.b.at(0).frr),
        max(1, round(np.count_nonzero(genuine) / count)),
        max(1, round(np.count_nonzero(~genuine) / count)),
        impostors,
        rho_client,
        min(rho_impostor, 1 - rho_client),
        covariance / deviations if deviations > 0 else 0.0,
        count,
    )


def intraclass_correlation(values: Floats, groups: NDArray[np.integer]) -> float:
    """Compute the correlation within groups by a one-way analysis of variance; 0 if it is negative or undefined."""
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    people, total = len(sizes), len(values)
    if people < 2 or total <= people:
        return 0.0
    means = np.bincount(codes, values) / sizes
    between = float(np.sum(sizes * (means - values.mean()) ** 2)) / (people - 1)
    within = float(np.sum((values - means[codes]) ** 2)) / (total - people)
    size = (total - float(np.sum(sizes.astype(np.float64) ** 2)) / total) / (people - 1)
    whole = between + (size - 1) * within
    return min(max((between - within) / whole, 0.0), 1.0) if whole > 0 else 0.0


def plan(
    *,
    pi: float | None = None,
    rho: float = 0.0,
    half_width: float | None = None,
    scale: Scale = "linear",
    below: float | None = None,
    a: SystemRates | None = None,
    b: SystemRates | None = None,
    power: float = 0.8,
    individuals: int | None = None,
    attempts: int | None = None,
    impostor_attempts: int = 10,
    impostors: int | None = None,
    rho_impostor: float = 0.0,
    correlation: float = 0.0,
    unpaired: bool = False,
    person_cost: float = 1.0,
    confidence: float = 0.95,
    data_sets: int | None = None,
    rng: Rng = 0,
) -> RatePlan | ComparisonPlan:
    """Plan the people and attempts of a test: for an interval, for an upper bound, or to tell two systems apart.

    Parameters
    ----------
    pi : float, optional
        The error rate, a fraction, that is expected; 0, with `below`, for no error.
    rho : float, default 0.0
        The correlation between two attempts of a person, or between two trials that share the client.
    half_width : float, optional
        The half-width of the interval of the rate.
    scale : {"linear", "logit"}, default "linear"
        Whether the half-width is that of the rate, or of its logit.
    below : float, optional
        The claimed rate, to be excluded by the one-sided upper bound.
    a : tuple of (float, float), optional
        FAR and FRR of system A, fractions, if two systems are to be compared.
    b : tuple of (float, float), optional
        FAR and FRR of system B, fractions.
    power : float, default 0.8
        The probability that the test succeeds, between 0 and 1: for an upper bound and for a comparison.
    individuals : int, optional
        The number of people, or of clients.
    attempts : int, optional
        The number of attempts of each person, or of genuine attempts of each client. For an interval or a bound give
        either `individuals` or `attempts`; with neither, the cheapest design is planned.
    impostor_attempts : int, default 10
        Impostor attempts against each client.
    impostors : int, optional
        The number of impostors common to all clients; by default each client has impostors of their own.
    rho_impostor : float, default 0.0
        The correlation between two trials that share the impostor.
    correlation : float, default 0.0
        The correlation of the errors of A and B on the same trial.
    unpaired : bool, default False
        Whether the two systems are tested on different trials.
    person_cost : float, default 1.0
        The cost of one more person, in attempts.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the interval or the test.
    data_sets : int, optional
        How many data sets are simulated at most, to check the plan; 0 for none. By default 10,000 for one rate, and
        1000 for a comparison.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    RatePlan or ComparisonPlan
        The plan of `plan_rate`, or that of `plan_comparison` if `a` and `b` are given.

    Raises
    ------
    ParameterError
        If an option is missing, out of range, or does not apply to the plan.

    Examples
    --------
    >>> plan(pi=0.02, rho=0.1, half_width=0.005, attempts=5).individuals
    844
    """
    asked = changed(plan, locals())
    if (a is None) != (b is None):
        raise ParameterError("a comparison needs both {a!p} and {b!p}, FAR and FRR of each", code="needs-both", a=a)
    if half_width is None:
        refuse_given({"scale": "scale" in asked}, "applies to {half_width!p}", half_width=half_width)
    both = "{a!p} and {b!p}"
    if a is not None:
        of_a_rate = ("half_width", "below", "pi", "person_cost")
        refuse_given({name: name in asked for name in of_a_rate}, f"does not go with {both}", a=a)
        if asked.pop("unpaired", False):
            why = "applies to errors on the same trials, not with {unpaired!p}"
            refuse_given({"correlation": "correlation" in asked}, why, unpaired=unpaired)
            asked["correlation"] = None
        asked["rho_client"] = asked.pop("rho", 0.0)
        return plan_comparison(**asked)
    of_a_comparison = ("impostor_attempts", "impostors", "rho_impostor", "correlation", "unpaired")
    refuse_given({name: name in asked for name in of_a_comparison}, f"applies to a comparison, with {both}", a=a)
    if below is None:
        refuse_given({"power": "power" in asked}, f"applies with {{below!p}}, and to a comparison, with {both}", a=a)
    if pi is None:
        template = "give the expected error rate, as in {pi!o}; or compare two systems with {a!p} and {b!p}"
        raise ParameterError(template, code="nothing-to-plan", pi=0.01)
    return plan_rate(**{"rho": rho, "data_sets": 10_000, **asked})
