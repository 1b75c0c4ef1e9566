"""Plan how many people and attempts the interval of an error rate needs, or its upper bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor, isfinite, log, log1p, sqrt
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from fairtrial.core.errors import ParameterError, as_generator, check_confidence, check_number, check_rate, check_share
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import level_text, percent, plural
from fairtrial.inference.intervals import normal_quantile
from fairtrial.published.rates import rule_of_three
from fairtrial.repeated.attempts import Individuals, Rng
from fairtrial.repeated.coverage import people_of_sums, sums_of_squares
from fairtrial.repeated.generators import MOST_SIMULATED, Generator, draw_counts, errors_pmf
from fairtrial.repeated.limits import beta_binomial_limits, logit_limits

Scale: TypeAlias = Literal["linear", "logit"]

HAIR = 1e-9
"""Tolerance for rounding a solution up to a whole number."""
MOST = 1e15
"""More attempts than anybody can make, and that a float still counts."""
_LEAST_RATE = 1e-15
"""A lower rate shows itself in no test."""
_SUMMED = 1 << 16
"""Outcomes up to which the power is summed over all possible tests; beyond, tests are simulated."""
_SIMULATED = 20_000
_MANY_ERRORS = 60
"""With more errors than that at the claimed rate, one more or less hardly matters."""
_DRAWS = 4 * 10**6
_AT_ONCE = 1 << 20
_MOST_DRAWS = 10**8
_MOST_ATTEMPTS = 200
"""The largest number of attempts of a person that is tried; twice that of the formula, if that is more."""
_ATTEMPTS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
_FEWER_ATTEMPTS = _ATTEMPTS[:7]
"""Alternatives if each takes a search of its own."""
_CANDIDATES = 10**6
_POOR_COVERAGE = 0.03
"""How far below the level of confidence a simulated coverage is noted."""


def smallest_enough(is_enough: Callable[[int], bool], *, least: int = 2, most: int = 10**12) -> int | None:
    """Find the smallest whole number that is enough, if any larger one is too; None beyond `most`.

    Examples
    --------
    >>> smallest_enough(lambda number: number**2 >= 1000)
    32
    """
    low, high = least - 1, least
    while not is_enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def smallest_that_stays(
    is_enough: Callable[[int], bool], *, start: int, least: int = 2, most: int = 10**12, smooth: bool = False
) -> int | None:
    """Find the smallest whole number from which on all are enough, if some below may be enough too.

    Parameters
    ----------
    is_enough
        Whether a number is enough; it may go back and forth before it stays.
    start
        About where it is.
    least, most
        Where to look.
    smooth
        Whether it hardly goes back and forth: then fewer numbers are tried.

    Returns
    -------
    int or None
        None if no number in the range is enough. The 16 above the one that is found are all tried, and others up to 1.6
        times as large 4 % apart; `smooth`, only others, up to 1.2 times as large 10 % apart. Exceptions in between, or
        beyond, are missed.

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
    r"""Compute the number of independent attempts that gives an interval of this half-width.

    .. math:: E = z^2 \pi (1 - \pi) / h^2 \quad or, on\ the\ logit\ scale, \quad z^2 / (\pi (1 - \pi) h^2)

    Parameters
    ----------
    pi
        The rate that is expected.
    half_width
        The half-width of the interval.
    scale
        Whether that is the half-width of the rate (``linear``) or of its logit.
    confidence
        Of the interval.

    Returns
    -------
    float
        Attempts, not rounded.

    Raises
    ------
    ParameterError
        If a number is out of range, or the scale unknown.

    References
    ----------
    Schuckers et al. 2004, eqs. (6) and (9), solved for the attempts; section 5 recommends the logit.
    """
    _check_rate("pi", pi)
    if not (half_width > 0 and isfinite(half_width)):
        raise ParameterError(f"the half-width must be above 0, not {half_width}")
    if scale not in ("linear", "logit"):
        raise ParameterError(f"scale must be linear or logit, not {scale!r}")
    spread = pi * (1 - pi)
    z = normal_quantile(confidence)
    needed = (z / half_width) * (z / half_width) * (spread if scale == "linear" else 1 / spread)
    if not needed < MOST:
        raise ParameterError(
            f"a half-width of {half_width} needs more than {MOST:.0e} attempts; allow a wider interval"
        )
    return needed


def attempts_for_upper_bound(pi: float, below: float, *, confidence: float = 0.95, power: float = 0.8) -> float:
    r"""Compute the number of independent attempts that puts the upper bound of the rate below another rate.

    A test of E attempts does so if it gives a rate of at most r, which has the given power if

    .. math:: logit(r) + z_c / \sqrt{E r (1 - r)} = logit(c), \quad r = \pi + z_p \sqrt{\pi (1 - \pi) / E}

    Parameters
    ----------
    pi
        The true rate; 0 if no error is expected at all.
    below
        The rate c that is to be excluded.
    confidence
        Of the bound, on one side.
    power
        The probability that the bound lies below it. At 0.5 it does so on average only.

    Returns
    -------
    float
        Attempts, not rounded.

    Raises
    ------
    ParameterError
        If `pi` is not below `below`, or a number is out of range.
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
        raise ParameterError(f"no test can put a bound below {below:g} if the rate itself is {pi:g}; give a higher one")
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
    return ceil(30 / pi - HAIR)


def _check_rate(name: str, rate: float) -> None:
    """Check a rate strictly between 0 and 1, and not so small that no test could tell it from 0."""
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

        Parameters
        ----------
        individuals, attempts
            People, and attempts of each.

        Returns
        -------
        float
            A probability, exact but for 1e-6 if all possible tests can be listed, and otherwise from at most 20,000
            simulated ones, always the same.
        """
        pmf = errors_pmf(attempts, self.pi, self.rho, generator=self.generator)
        try:
            listed = sums_of_squares(individuals, pmf, most=_SUMMED)
        except ParameterError:
            data_sets = max(1, min(_SIMULATED, _DRAWS // min(individuals, attempts + 1)))
            people = drawn_people(individuals, pmf, data_sets, np.random.default_rng(0))
            return float(np.mean(self.holds(people)))
        return float(listed.probabilities @ self.holds(listed.people))


def drawn_people(individuals: int, pmf: Any, data_sets: int, rng: np.random.Generator) -> Individuals:
    """Simulate tests: draw the numbers of people with 0, 1, ... errors, or the errors of people if those are fewer."""
    attempts = len(pmf) - 1
    errors = np.arange(attempts + 1.0)
    values = np.stack([errors, errors * (errors - 1) / 2], axis=1)
    size = max(1, _AT_ONCE // min(individuals, len(pmf)))
    sums = []
    for begin in range(0, data_sets, size):
        number = min(size, data_sets - begin)
        if len(pmf) <= individuals:
            sums.append(draw_counts(individuals, pmf, number, rng) @ values)
        else:
            drawn = rng.choice(len(pmf), size=(number, individuals), p=pmf / pmf.sum())
            sums.append(values[drawn].sum(axis=1))
    return people_of_sums(individuals, attempts, *np.concatenate(sums).T)


@dataclass(frozen=True, slots=True)
class TradeOff(Record):
    """A design that reaches the goal: people and attempts of each."""

    FIELDS: ClassVar = (
        Field("attempts", "attempts each", "count"),
        Field("individuals", "individuals", "count"),
        Field("total", "in all", "count"),
        Field("cost", "cost", "count"),
    )
    attempts: int
    individuals: int
    cost: float

    @property
    def total(self) -> int:
        """All attempts."""
        return self.attempts * self.individuals


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedPlan(Result):
    """The outcome of simulated tests as planned.

    Attributes
    ----------
    data_sets : int
        How many tests were simulated.
    mean_half_width : float
        The mean half-width of the interval BB, on the scale of the rate.
    coverage : float
        How often the interval LBB held the true rate.
    share_below_claim : float or None
        How often the upper bound was below the claimed rate; without errors, the bound over individuals.
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

    def answer(self) -> str:
        """How often lbb covered."""
        return f"{plural(self.data_sets, 'simulated test')}, lbb covered {percent(self.coverage)}"

    def tables(self) -> tuple[Table, ...]:
        """The outcome in one row."""
        fields = self.FIELDS if self.share_below_claim is not None else self.FIELDS[:-1]
        return (table_of("simulated", "Simulated as planned", fields, [self]),)


@dataclass(frozen=True, slots=True, repr=False)
class RatePlan(Result):
    """People and attempts of each, the interval to expect of them, and alternatives.

    Attributes
    ----------
    individuals : int
        How many people.
    attempts : int
        How many attempts of each person.
    pi : float
        The error rate, a fraction, that is expected.
    rho : float
        The correlation between two attempts of a person that is expected.
    confidence : float
        The level of confidence, between 0 and 1.
    independent_attempts : float
        How many independent attempts the goal takes.
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
    >>> plan_rate(0.02, 0.1, half_width=0.005, attempts=5)
    <RatePlan: 844 individuals with 5 attempts each, 4,220 in all, worth 3,014 independent ones>
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
            "worth",
            "count",
            detail=True,
            get=lambda plan: plan.expected["independent_attempts"],
            in_json=False,
        ),
        Field("rho", "rho", "number", detail=True),
        Field("confidence", "confidence", "level", detail=True),
        Field("claim", "claim", "rate", detail=True, get="below"),
        *map(Field, ("expected", "trade_off", "rule_of_3", "rule_of_3_individuals", "rule_of_30", "simulated")),
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

        effective = self.individuals * self.attempts / design_effect(self.attempts, self.rho)
        sigma = sqrt(self.pi * (1 - self.pi) / effective)
        z = normal_quantile(self.confidence)
        if not self.pi:
            return {"independent_attempts": effective}
        reach = z * sigma / (self.pi * (1 - self.pi))
        low, high = (expit(logit(self.pi) + side * reach) for side in (-1, 1))
        return {
            "independent_attempts": effective,
            "half_width": z * sigma,
            "logit_half_width": reach,
            "low": float(low),
            "high": float(high),
        }

    @property
    def rule_of_3(self) -> float:
        """The rate that no error at all would exclude if attempts were independent."""
        return rule_of_three(self.total)

    @property
    def rule_of_3_individuals(self) -> float:
        """The rate that no error at all would exclude however attempts are correlated."""
        return rule_of_three(self.individuals)

    @property
    def rule_of_30(self) -> int | None:
        """The independent attempts that 30 errors take; None if no error is expected."""
        return rule_of_thirty(self.pi) if self.pi > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as a dict; the rule of 30 only if errors are expected."""
        return {key: value for key, value in Record.to_dict(self).items() if key != "rule_of_30" or value is not None}

    def answer(self) -> str:
        """People and attempts of each, and the effective number of attempts."""
        worth = plural(self.expected["independent_attempts"], "independent one")
        people = f"{plural(self.individuals, 'individual')} with {plural(self.attempts, 'attempt')} each"
        return f"{people}, {self.total:,} in all, worth {worth}"

    def tables(self) -> tuple[Table, ...]:
        """The plan with the interval to expect, its simulation, and the alternatives."""
        missing = (*(() if self.pi else ("half_width", "interval")), *(() if self.power is not None else ("power",)))
        fields = [field for field in self.FIELDS if field.key not in missing]
        simulated = () if self.simulated is None else self.simulated.tables()
        if self.simulated is not None and self.simulated.coverage < self.confidence - _POOR_COVERAGE:
            template = "with so few errors, lbb covers too rarely; plan for more people"
            simulated = (simulated[0].with_notes(Note("poor-coverage", template, warning=True)),)
        notes = [
            Note(
                "rule-of-3",
                "rule of 3: no error at all would exclude {attempts:percent} if attempts were independent, and "
                "{individuals:percent} however they are correlated",
                attempts=self.rule_of_3,
                individuals=self.rule_of_3_individuals,
            )
        ]
        if self.rule_of_30 is not None:
            template = "rule of 30: 30 errors at this rate take {count:plural independent attempt}"
            notes.append(Note("rule-of-30", template, count=self.rule_of_30))
        return (
            table_of("plan", self.answer(), fields, [self]),
            *simulated,
            table_of("alternatives", "Alternatives", TradeOff.FIELDS, self.trade_off, notes=notes),
        )


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
        How many people there are; the attempts of each are found.
    attempts : int, optional
        How many attempts each can make; the people are found. With neither, the cheapest plan is found; without
        correlation, that with one attempt each.
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
        raise ParameterError(
            "ask either for a half-width of the interval ({half_width!p}), or for an upper bound ({below!p})",
            code="either-or",
            below=below,
        )
    if individuals is not None and attempts is not None:
        raise ParameterError(
            "give either the individuals or the attempts of each; the other is what is planned", code="either-or"
        )
    for name, count in (("individuals", individuals), ("attempts", attempts)):
        if count is not None and (count < 1 or count != int(count)):
            raise ParameterError(f"there must be a whole number of {name}, at least one, not {count}")
        if count is not None and count > MOST:
            raise ParameterError(f"{count:,} {name} are more than there can be; give at most {MOST:g}")
    if not 0 <= person_cost <= MOST:
        raise ParameterError(
            f"the cost of a person must be at least 0 and at most {MOST:.0e} attempts, not {person_cost}"
        )
    reached = None
    if below is None:
        needed = attempts_for_half_width(pi, half_width or 0.0, scale=scale, confidence=confidence)
    else:
        needed = attempts_for_upper_bound(pi, below, confidence=confidence, power=power)
    if below is None or pi == 0 or (attempts or 1) > MOST_SIMULATED:
        # without errors the correlation cannot be estimated, and only people count
        correlation = 1.0 if pi == 0 and rho > 0 else rho
        if individuals is not None:
            attempts = _attempts(needed, correlation, individuals)
        elif attempts is None:
            attempts = _cheapest(needed, correlation, person_cost)
        people = individuals or _individuals(needed, correlation, attempts)
        rows = trade_off(needed, correlation, attempts=sorted({*_ATTEMPTS, attempts}), person_cost=person_cost)
        independent = needed
    else:
        # the formula says where to look
        bound = UpperBound(pi, rho, below, confidence, generator)
        if individuals is not None:
            attempts = _attempts_with_power(bound, power, needed, individuals)
        numbers = sorted({*_FEWER_ATTEMPTS, attempts or _cheapest(needed, rho, person_cost)})
        counts = [_individuals_with_power(bound, power, needed, number) for number in numbers]
        rows = tuple(
            TradeOff(number, count, count * (person_cost + number))
            for number, count in zip(numbers, counts, strict=True)
        )
        # without correlation one attempt of each is planned, as for other goals
        attempts = attempts or (1 if rho == 0 else min(rows, key=lambda row: row.cost).attempts)
        people = individuals or next(row.individuals for row in rows if row.attempts == attempts)
        independent = people * attempts / float(design_effect(attempts, rho))
        reached = bound.power(people, attempts)
    plan = RatePlan(people, attempts, pi, rho, confidence, independent, below, reached, rows)
    if not data_sets or not pi or attempts > MOST_SIMULATED:
        return plan
    return replace(plan, simulated=check_plan(plan, generator=generator, data_sets=data_sets, rng=rng))


def _individuals_with_power(bound: UpperBound, power: float, needed: float, attempts: int) -> int:
    """Find the number of people from which on the power is reached."""
    start = _individuals(needed, bound.rho, attempts)
    people = smallest_that_stays(
        lambda number: bound.power(number, attempts) >= power,
        start=start,
        smooth=start * attempts * bound.below > _MANY_ERRORS,
    )
    assert people is not None  # more people always do in the end
    return people


def _attempts_with_power(bound: UpperBound, power: float, needed: float, individuals: int) -> int:
    """Find the number of attempts of each person from which on the power is reached."""
    enough = individuals > needed * bound.rho
    start = _attempts(needed, bound.rho, individuals) if enough and individuals >= 2 else 1
    attempts = smallest_that_stays(
        lambda number: bound.power(individuals, number) >= power,
        start=start,
        least=1,
        most=max(_MOST_ATTEMPTS, 2 * start),
    )
    if attempts is None:
        raise ParameterError(
            f"no number of attempts gives {individuals} individuals a power of {level_text(power)} at a correlation of "
            f"{bound.rho:g}; more individuals are needed"
        )
    return attempts


def trade_off(
    needed: float, rho: float, *, attempts: Sequence[int] = _ATTEMPTS, person_cost: float = 1.0
) -> tuple[TradeOff, ...]:
    """Compute the people needed with each number of attempts, for an effective number of `needed` attempts."""
    people = [_individuals(needed, rho, number) for number in attempts]
    return tuple(
        TradeOff(number, count, count * (person_cost + number)) for number, count in zip(attempts, people, strict=True)
    )


def _individuals(needed: float, rho: float, attempts: int) -> int:
    return max(2, ceil(needed * float(design_effect(attempts, rho)) / attempts - HAIR))


def _attempts(needed: float, rho: float, individuals: int) -> int:
    fewest = floor(needed * rho + HAIR) + 1
    if individuals < max(fewest, 2):
        raise ParameterError(
            f"no number of attempts is enough for {individuals} individuals at a correlation of {rho:g}: "
            f"it takes at least {max(fewest, 2)}"
        )
    return max(1, ceil(needed * (1 - rho) / (individuals - needed * rho) - HAIR))


def _cheapest(needed: float, rho: float, person_cost: float) -> int:
    """Find the attempts with the least cost n (c + m), near m = sqrt(c (1 - rho) / rho); without correlation, one."""
    if rho == 0 or needed < HAIR:
        return 1
    # more attempts than the goal needs of one person are of no use
    near = max(1, ceil(min(sqrt(person_cost * (1 - rho) / rho), needed)))
    enough = _individuals(needed, rho, near) * (person_cost + near)
    # as people are whole, a cheaper plan may lie farther off, but no farther than where parts of people cost as much
    spare = enough / needed - (1 - rho)
    fewest = floor(person_cost * (1 - rho) / spare) if person_cost else 1
    most = ceil(min(spare / rho - person_cost, enough / 2 - person_cost))
    numbers = np.arange(max(1, fewest, near - _CANDIDATES), max(near, min(most, near + _CANDIDATES)) + 1)
    people = np.maximum(2, np.ceil(needed * design_effect(numbers, rho) / numbers - HAIR))
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
    >>> found = check_plan(plan_rate(0.02, 0.1, half_width=0.005, attempts=5), data_sets=2000)
    >>> 0.0045 < found.mean_half_width < 0.0055
    True
    """
    most = _MOST_DRAWS // min(plan.individuals, plan.attempts + 1)
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
