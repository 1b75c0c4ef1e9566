"""Plan the people and attempts that the interval of an error rate needs, or its upper bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor, isfinite, log, log1p, sqrt
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import (
    ParameterError,
    as_generator,
    check_choice,
    check_confidence,
    check_number,
    check_rate,
    check_share,
    check_whole,
)
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import cut, in_percent, level_text, percent, plural
from fairtrial.inference.intervals import normal_quantile
from fairtrial.published.rates import rule_of_three
from fairtrial.repeated.attempts import Individuals, Rng
from fairtrial.repeated.limits import beta_binomial_limits, logit_limits
from fairtrial.repeated.models import MOST_SIMULATED, Generator, drawn_people, errors_pmf, sums_of_squares

Scale: TypeAlias = Literal["linear", "logit"]

MOST = 10**15
"""The largest number of people or attempts: a float still counts them."""
_HAIR = 1e-9  # tolerance for rounding a solution up to a whole number
_LEAST_RATE = 1e-15
_SUMMED = 1 << 16  # outcomes up to which the power is summed over all possible tests; beyond, tests are simulated
_ATTEMPTS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)  # alternatives that are shown


def smallest_that_stays(
    is_enough: Callable[[int], bool], *, start: int = 2, least: int = 2, most: int = 10**12, smooth: bool = False
) -> int | None:
    """Find the smallest whole number from which on all are enough, though some below may be enough too.

    The search begins near `start`. The 16 numbers above the result are all tried, and others up to 1.6 times as large
    4 % apart; `smooth`, only others, up to 1.2 times as large 10 % apart. Exceptions in between, or beyond, are missed.

    Examples
    --------
    >>> smallest_that_stays(lambda number: number >= 100 and not 120 <= number < 130, start=90)
    130
    """
    step, reach, looked_at = (1.1, 1.2, 0) if smooth else (1.04, 1.6, 16)
    enough = cache(is_enough)
    number = min(max(start, least), most)
    while number > least and enough(number):
        number = max(least, int(number / 1.25))
    failed = least - 1 if enough(number) else number
    first = None if failed == number else number
    while first is None or number < reach * first:
        if number == most:
            break
        number = min(max(number + 1, ceil(step * number)), most)
        if not enough(number):
            failed, first = number, None
        elif first is None:
            first = number
    if first is None:
        return None
    while first - failed > 1:
        middle = (failed + first) // 2
        failed, first = (failed, middle) if enough(middle) else (middle, first)
    number = first
    while number < min(first + looked_at, most):
        number += 1
        first = first if enough(number) else number + 1
    return first


def design_effect(attempts: Any, rho: float) -> Any:
    """Compute the design effect 1 + (m - 1) rho."""
    return 1 + (attempts - 1) * rho


def attempts_for_half_width(
    pi: float, half_width: float, *, scale: Scale = "linear", confidence: float = 0.95
) -> float:
    r"""Compute the number of independent attempts, not rounded, that gives an interval of this half-width.

    .. math:: E = z^2 \pi (1 - \pi) / h^2 \quad or, on\ the\ logit\ scale, \quad z^2 / (\pi (1 - \pi) h^2)

    Schuckers et al. 2004, eqs. (6) and (9), solved for the attempts; section 5 recommends the logit.
    """
    _check_rate("pi", pi)
    if not (half_width > 0 and isfinite(half_width)):
        raise ParameterError(f"the half-width must be above 0, not {half_width}")
    check_choice("scale", scale, get_args(Scale))
    variance, z = pi * (1 - pi), normal_quantile(confidence)
    needed = (z / half_width) * (z / half_width) * (variance if scale == "linear" else 1 / variance)
    if not needed < MOST:
        text = f"a half-width of {half_width} needs more than {MOST:.0e} attempts; allow a wider interval"
        raise ParameterError(text, code="too-many-attempts")
    return needed


def attempts_for_upper_bound(pi: float, below: float, *, confidence: float = 0.95, power: float = 0.8) -> float:
    r"""Compute the number of independent attempts, not rounded, that puts the upper bound of the rate below another.

    A test of E attempts does so if it gives a rate of at most r, which has the given power if

    .. math:: logit(r) + z_c / \sqrt{E r (1 - r)} = logit(c), \quad r = \pi + z_p \sqrt{\pi (1 - \pi) / E}

    with the rate c to be excluded, `below`.
    """
    from scipy.optimize import brentq
    from scipy.special import logit, ndtri

    _check_rate("the claimed rate", below)
    check_confidence(confidence)
    check_share("power", power, open_ends=True)
    if pi == 0:
        return log(1 - confidence) / log1p(-below)
    _check_rate("pi", pi)
    if pi >= below:
        text = f"no test can put a bound below {below:g} if the rate itself is {pi:g}; give a higher one"
        raise ParameterError(text, code="not-below")
    if confidence <= 0.5 or power < 0.5:
        raise ParameterError(f"confidence must be above 0.5 and power at least 0.5, not {confidence} and {power}")
    z_bound, z_power = (float(ndtri(level)) for level in (confidence, power))

    def excess(attempts: float) -> float:
        """Compute how far the bound lies above the claimed rate, in logits; it falls as attempts grow."""
        highest = min(pi + z_power * sqrt(pi * (1 - pi) / attempts), below)
        return logit(highest) + z_bound / sqrt(attempts * highest * (1 - highest)) - logit(below)

    # with these attempts the highest rate is the claimed one itself, and the bound above it
    low = high = max(z_power**2 * pi * (1 - pi) / (below - pi) ** 2, 1e-3)
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-12)) if high > low else high


def rule_of_thirty(pi: float) -> int:
    """Compute the attempts that 30 errors take: independent ones give the rate within 30 % at 90 % confidence.

    Parameters
    ----------
    pi : float
        The error rate, a fraction.

    Returns
    -------
    int
        A whole number of independent attempts.

    Raises
    ------
    ParameterError
        If the rate is not above 0 and below 1.

    References
    ----------
    Doddington et al., The NIST speaker recognition evaluation, 2000.

    Examples
    --------
    >>> rule_of_thirty(0.01)
    3000
    """
    _check_rate("pi", pi)
    if not 30 / pi < MOST:
        raise ParameterError(f"30 errors at a rate of {pi:g} take more than {MOST:.0e} attempts; plan for more")
    return ceil(30 / pi - _HAIR)


def _check_rate(name: str, rate: float) -> None:
    """Check a rate strictly between 0 and 1, and not indistinguishable from 0."""
    if check_rate(name, rate, open_ends=True) < _LEAST_RATE:
        raise ParameterError(f"{name} must be at least {_LEAST_RATE:g}, not {rate:g}; plan with 0 for no errors at all")


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A test that is to put the upper bound of a rate below a claimed one."""

    pi: float
    rho: float
    below: float
    confidence: float
    generator: Generator = "oman-zucker"

    def holds(self, people: Individuals) -> Any:
        """Compute whether the bound lies below the claimed rate, for each data set."""
        bound = logit_limits(people, confidence=2 * self.confidence - 1)[1]
        without_errors = -np.expm1(log(1 - self.confidence) / people.individuals)
        return np.where(people.total_errors > 0, bound, without_errors) < self.below

    def power(self, individuals: int, attempts: int) -> float:
        """Compute the probability that the bound lies below the claimed rate.

        It is exact but for 1e-6 if all possible tests can be listed, and otherwise from at most 20,000 simulated ones.
        """
        pmf = errors_pmf(attempts, self.pi, self.rho, generator=self.generator)
        try:
            listed = sums_of_squares(individuals, pmf, most=_SUMMED)
        except ParameterError:
            data_sets = max(1, min(20_000, 4 * 10**6 // min(individuals, attempts + 1)))
            people = drawn_people(individuals, pmf, data_sets, np.random.default_rng(0))
            return float(np.mean(self.holds(people)))
        return float(listed.probabilities @ self.holds(listed.people))


@dataclass(frozen=True, slots=True)
class TradeOff(Record):
    """A design that reaches the goal: attempts of each person, people, and the cost of a person in attempts."""

    FIELDS: ClassVar = (
        Field("attempts", "attempts each", "count"),
        Field("individuals", "individuals", "count"),
        Field("total", "in all", "count"),
        Field("cost", "cost", "count"),
    )
    attempts: int
    individuals: int
    person_cost: float

    @property
    def total(self) -> int:
        """All attempts."""
        return self.attempts * self.individuals

    @property
    def cost(self) -> float:
        """The cost of people and attempts, in attempts."""
        return self.individuals * (self.person_cost + self.attempts)


@dataclass(frozen=True, slots=True)
class SimulatedPlan(Record):
    """The outcome of simulated tests as planned.

    The mean half-width is that of BB, on the scale of the rate, and the coverage that of LBB; `share_below_claim` is
    the proportion of tests with the upper bound below the claimed rate (without errors, the bound over individuals).
    """

    FIELDS: ClassVar = (
        Field("data_sets", "tests", "count"),
        Field("mean_half_width", "mean half-width", "rate"),
        Field("coverage", "coverage of lbb", "rate"),
        Field("share_below_claim", "upper bound below the claim in", "rate"),
    )
    data_sets: int
    mean_half_width: float
    coverage: float
    share_below_claim: float | None


@dataclass(frozen=True, slots=True, repr=False)
class RatePlan(Result):
    """People and attempts of each, the interval to expect of them, and alternatives.

    Attributes
    ----------
    individuals, attempts : int
        The number of people, and of attempts of each.
    pi : float
        The error rate, a fraction, that is expected.
    rho : float
        The correlation between two attempts of a person that is expected.
    confidence : float
        The level of confidence, between 0 and 1.
    independent_attempts : float
        The number of independent attempts that the goal takes.
    below : float or None
        The rate that the upper bound is to exclude, if that is the goal.
    power : float or None
        The probability that the bound does so; None for another goal, and if no error is expected.
    trade_off : tuple of TradeOff
        Alternatives: other numbers of attempts with the people that they need.
    simulated : SimulatedPlan or None
        The outcome of simulated tests as planned.

    Examples
    --------
    >>> from fairtrial import plan_rate
    >>> plan_rate(0.02, 0.1, half_width=0.005, attempts=5).answer()
    '844 people with 5 attempts each give an interval of 2.00 % +- 0.500 points (95 %, correlation 0.1)'
    """

    FIELDS: ClassVar = (
        *TradeOff.FIELDS[:3],
        Field("pi", "expected rate", "rate"),
        Field("half_width", "half-width", "rate", get=lambda plan: plan.expected["half_width"], in_json=False),
        Field(
            "interval",
            "interval by the logit",
            "interval",
            get=lambda plan: (plan.expected["low"], plan.expected["high"]),
            in_json=False,
        ),
        Field("power", "power", "rate"),
        Field(
            "independent_attempts",
            "independent attempts",
            "count",
            detail=True,
            get=lambda plan: plan.expected["independent_attempts"],
            in_json=False,
        ),
        Field("rho", "rho", "number", detail=True),
        Field("confidence", "confidence", "level", detail=True),
        Field("claim", "claim", "rate", detail=True, get="below"),
        Field("expected"),
        Field("trade_off"),
        Field("rule_of_3", get=lambda plan: rule_of_three(plan.total)),
        Field("rule_of_3_individuals", get=lambda plan: rule_of_three(plan.individuals)),
        Field("rule_of_30", get=lambda plan: rule_of_thirty(plan.pi) if plan.pi else None, in_json="if known"),
        Field("simulated"),
    )
    individuals: int
    attempts: int
    pi: float
    rho: float
    confidence: float
    independent_attempts: float
    below: float | None = None
    power: float | None = None
    trade_off: tuple[TradeOff, ...] = ()
    simulated: SimulatedPlan | None = None

    @property
    def total(self) -> int:
        """All attempts."""
        return self.attempts * self.individuals

    @property
    def expected(self) -> dict[str, float]:
        """The half-widths and the limits to be expected, on both scales."""
        from scipy.special import expit, logit

        expected = {"independent_attempts": self.total / design_effect(self.attempts, self.rho)}
        if not self.pi:
            return expected
        variance = self.pi * (1 - self.pi)
        linear = normal_quantile(self.confidence) * sqrt(variance / expected["independent_attempts"])
        reach = linear / variance
        low, high = (float(expit(logit(self.pi) + side * reach)) for side in (-1, 1))
        return expected | {"half_width": linear, "logit_half_width": reach, "low": low, "high": high}

    def answer(self) -> str:
        """Write people, attempts of each, and what they are enough for."""
        design = f"{plural(self.individuals, 'person', 'people')} with {plural(self.attempts, 'attempt')} each"
        level, rho = level_text(self.confidence), f"correlation {self.rho:g}"
        if self.below is None:
            reach = f"{percent(self.pi)} +- {in_percent(self.expected['half_width'])} points"
            return f"{design} give an interval of {reach} ({level}, {rho})"
        bound = f"an upper bound below {percent(self.below)}"
        if self.power is None:
            return f"{design}, all without error, give {bound} ({level})"
        chance = f"with a probability of {percent(self.power)} if the rate is {percent(self.pi)}"
        return f"{design} give {bound} {chance} ({level}, {rho})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the plan with the interval to expect, the alternatives, and the simulation."""
        missing = (*(() if self.pi else ("half_width", "interval")), *(() if self.power is not None else ("power",)))
        fields = [field for field in self.FIELDS if field.key not in missing]
        notes = [
            Note(
                "rule-of-3",
                "rule of 3: no error at all would exclude {attempts:percent} if attempts were independent, and "
                "{individuals:percent} for any correlation",
                attempts=rule_of_three(self.total),
                individuals=rule_of_three(self.individuals),
            )
        ]
        if self.pi:
            template = "rule of 30: 30 errors at this rate take {count:plural independent attempt}"
            notes.append(Note("rule-of-30", template, count=rule_of_thirty(self.pi)))
        tables = [
            table_of("plan", "Plan", fields, [self]),
            table_of("alternatives", "Alternatives", TradeOff.FIELDS, self.trade_off, notes=notes),
        ]
        if self.simulated is not None:
            columns = [f for f in SimulatedPlan.FIELDS if f.key != "share_below_claim" or self.below is not None]
            tables.append(table_of("simulated", "Simulated as planned", columns, [self.simulated], detail=True))
            if self.simulated.coverage < self.confidence - 0.03:
                template = "lbb covers {coverage:percent} of simulated tests: too few errors; plan for more people"
                note = Note("poor-coverage", template, warning=True, coverage=self.simulated.coverage)
                tables[0] = tables[0].with_notes(note)
        return tuple(tables)


def plan_rate(
    pi: float,
    rho: float,
    *,
    half_width: float | None = None,
    scale: Scale = "linear",
    below: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    individuals: int | None = None,
    attempts: int | None = None,
    person_cost: float = 1.0,
    generator: Generator = "oman-zucker",
    data_sets: int = 0,
    rng: Rng = 0,
) -> RatePlan:
    """Plan the people and attempts of each for an interval of a given width, or for an upper bound.

    Parameters
    ----------
    pi : float
        The error rate, a fraction, that is expected.
    rho : float
        The correlation between two attempts of a person that is expected.
    half_width : float, optional
        The half-width of the interval.
    scale : {"linear", "logit"}, default "linear"
        Whether the half-width is that of the rate, or of its logit.
    below : float, optional
        Instead of a half-width: the rate that the one-sided upper bound is to exclude.
    power : float, default 0.8
        The probability that it does so, between 0 and 1. If no error is expected (`pi` 0) and attempts are correlated
        at all, only people count.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the interval or the bound.
    individuals : int, optional
        The number of people there are, if the attempts of each are to be planned.
    attempts : int, optional
        The number of attempts of each, if the people are to be planned. With neither, the cheapest design is planned;
        without correlation, that with one attempt each.
    person_cost : float, default 1.0
        The cost of one more person, in attempts.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    data_sets : int, default 0
        How many data sets are simulated at most, to check the plan as `check_plan` does; 0 for none.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    RatePlan
        People, attempts of each, and alternatives.

    Raises
    ------
    ParameterError
        If neither or both of a half-width and a bound are given, no number of attempts is enough for the people, or a
        number is out of range.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, eq. (6), solved for
    the number of people.

    Examples
    --------
    >>> plan_rate(0.02, 0.1, half_width=0.005, attempts=5).individuals
    844
    """
    check_share("rho", rho)
    if (half_width is None) == (below is None):
        template = (
            "give either the half-width of an interval, as in {half_width!o}, or the rate to exclude, as in {below!o}"
        )
        raise ParameterError(template, code="either-or", half_width=0.005, below=0.01)
    if individuals is not None and attempts is not None:
        text = "give either the individuals or the attempts of each; the other is what is planned"
        raise ParameterError(text, code="either-or")
    for name, count in (("individuals", individuals), ("attempts", attempts)):
        if count is not None:
            check_whole(name, count, 1, MOST)
    if not 0 <= person_cost <= MOST:
        text = f"the cost of a person must be from 0 to {MOST:.0e} attempts, not {cut(person_cost)}"
        raise ParameterError(text, code="out-of-range")
    if below is None:
        needed = attempts_for_half_width(pi, half_width or 0.0, scale=scale, confidence=confidence)
    else:
        needed = attempts_for_upper_bound(pi, below, confidence=confidence, power=power)
    bound, correlation = None, rho
    if below is None or pi == 0 or (attempts or 1) > MOST_SIMULATED:
        if pi == 0 and rho > 0:
            correlation = 1.0  # without errors it cannot be estimated, and only people count
        if individuals is not None:
            attempts = _attempts(needed, correlation, individuals)
        attempts = attempts or _cheapest(needed, correlation, person_cost)
        numbers = {*_ATTEMPTS, attempts}
    else:
        bound = UpperBound(pi, rho, below, confidence, generator)
        if individuals is not None:
            # the formula says where to search
            enough = individuals >= 2 and individuals > needed * rho
            start = _attempts(needed, rho, individuals) if enough else 1
            attempts = smallest_that_stays(
                lambda m: bound.power(individuals, m) >= power, start=start, least=1, most=max(200, 2 * start)
            )
            if attempts is None:
                template = (
                    "no number of attempts gives {individuals:plural person/people} a power of {power:level} at a "
                    "correlation of {rho:g}; more people are needed"
                )
                raise ParameterError(template, code="too-few-people", individuals=individuals, power=power, rho=rho)
        numbers = {*_ATTEMPTS[:7], attempts or _cheapest(needed, rho, person_cost)}

    def people_for(attempts: int) -> int:
        start = _individuals(needed, correlation, attempts)
        if bound is None:
            return start
        # with many errors at the claimed rate, one more or less hardly matters
        smooth = start * attempts * bound.below > 60
        people = smallest_that_stays(lambda n: bound.power(n, attempts) >= power, start=start, smooth=smooth)
        assert people is not None  # more people always do in the end
        return people

    rows = tuple(TradeOff(m, people_for(m), person_cost) for m in sorted(numbers))
    # without correlation one attempt of each is planned, as for other goals
    attempts = attempts or (1 if rho == 0 else min(rows, key=lambda row: row.cost).attempts)
    people = individuals or next(row.individuals for row in rows if row.attempts == attempts)
    reached = None
    if bound is not None:
        needed, reached = people * attempts / float(design_effect(attempts, rho)), bound.power(people, attempts)
    plan = RatePlan(people, attempts, pi, rho, confidence, needed, below, reached, rows)
    if not data_sets or not pi or attempts > MOST_SIMULATED:
        return plan
    return replace(plan, simulated=check_plan(plan, generator=generator, data_sets=data_sets, rng=rng))


def _individuals(needed: float, rho: float, attempts: int) -> int:
    """Compute the people that are as good as the independent attempts needed."""
    return max(2, ceil(needed * float(design_effect(attempts, rho)) / attempts - _HAIR))


def _attempts(needed: float, rho: float, individuals: int) -> int:
    """Compute the attempts of each person that are as good as the independent attempts needed."""
    least = max(floor(needed * rho + _HAIR) + 1, 2)
    if individuals < least:
        template = "no number of attempts is enough for {individuals} people at a correlation of {rho:g}; {least} are"
        raise ParameterError(template, code="too-few-people", individuals=individuals, rho=rho, least=least)
    return max(1, ceil(needed * (1 - rho) / (individuals - needed * rho) - _HAIR))


def _cheapest(needed: float, rho: float, person_cost: float) -> int:
    """Find the attempts with the least cost n (c + m), near m = sqrt(c (1 - rho) / rho); without correlation, one."""
    if rho == 0 or needed < _HAIR:
        return 1
    # more attempts than the goal needs of one person are of no use
    near = max(1, ceil(min(sqrt(person_cost * (1 - rho) / rho), needed)))
    enough = _individuals(needed, rho, near) * (person_cost + near)
    # as people are whole, a cheaper plan may lie farther off, but no farther than where parts of people cost as much
    spare = enough / needed - (1 - rho)
    fewest = floor(person_cost * (1 - rho) / spare) if person_cost else 1
    most = ceil(min(spare / rho - person_cost, enough / 2 - person_cost))
    numbers = np.arange(max(1, fewest, near - 10**6), max(near, min(most, near + 10**6)) + 1)
    people = np.maximum(2, np.ceil(needed * design_effect(numbers, rho) / numbers - _HAIR))
    return int(numbers[np.argmin(people * (person_cost + numbers))])


def check_plan(
    plan: RatePlan, *, generator: Generator = "oman-zucker", data_sets: int = 10_000, rng: Rng = 0
) -> SimulatedPlan:
    """Simulate tests as planned.

    Parameters
    ----------
    plan : RatePlan
        The result of `plan_rate`.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    data_sets : int, default 10000
        How many data sets are simulated at most; there are fewer if each has very many attempts.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    SimulatedPlan
        The mean half-width, the coverage and how often the upper bound was below the claimed rate.

    Raises
    ------
    ParameterError
        If the generator is unknown.

    Examples
    --------
    >>> from fairtrial.repeated import plan_rate
    >>> simulated = check_plan(plan_rate(0.02, 0.1, half_width=0.005, attempts=5), data_sets=2000)
    >>> 0.0045 < simulated.mean_half_width < 0.0055
    True
    """
    most = 10**8 // min(plan.individuals, plan.attempts + 1)
    data_sets = max(1, min(check_number("data set", data_sets, most=10**9), most))
    pmf = errors_pmf(plan.attempts, plan.pi, plan.rho, generator=generator)
    people = drawn_people(plan.individuals, pmf, data_sets, as_generator(rng))
    low, high = logit_limits(people, confidence=plan.confidence)
    linear_low, linear_high = beta_binomial_limits(people, confidence=plan.confidence)
    below = None
    if plan.below is not None:
        bound = UpperBound(plan.pi, plan.rho, plan.below, plan.confidence, generator)
        below = float(np.mean(bound.holds(people)))
    return SimulatedPlan(
        data_sets,
        float(np.mean(linear_high - linear_low)) / 2,
        float(np.mean((low <= plan.pi) & (plan.pi <= high))),
        below,
    )
