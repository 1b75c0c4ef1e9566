"""How many people, tested how often, an error rate needs.

Attempts of a person are correlated, so n people with m attempts are worth n m / (1 + (m - 1) rho) independent
attempts. Whatever is asked of the test becomes a number of independent attempts first, and people and attempts
of each then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, sqrt
from typing import Any

import numpy as np

from fairtrial.checks import check_share
from fairtrial.errors import ParameterError
from fairtrial.individuals import Generator
from fairtrial.individuals.generators import MOST_SIMULATED
from fairtrial.intervals.rates import normal_quantile
from fairtrial.planning.attempts import (
    HAIR,
    MOST,
    Scale,
    attempts_for_half_width,
    attempts_for_upper_bound,
    design_effect,
)
from fairtrial.planning.bound import UpperBound
from fairtrial.tables import Column, Result, Table, level_text, plural

_ATTEMPTS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
_FEWER_ATTEMPTS = _ATTEMPTS[:7]
"""Alternatives where each takes a search of its own."""
_CANDIDATES = 10**6


_PLAN_COLUMNS = (
    Column("attempts", "attempts each", "count"),
    Column("individuals", "individuals", "count"),
    Column("total", "in all", "count"),
)


@dataclass(frozen=True, slots=True)
class TradeOff:
    """So many attempts of each of so many people reach the goal."""

    attempts: int
    individuals: int
    cost: float

    @property
    def total(self) -> int:
        """All attempts."""
        return self.attempts * self.individuals


@dataclass(frozen=True, slots=True, repr=False)
class RatePlan(Result):
    """People and attempts of each, what is expected of them, and alternatives.

    Attributes
    ----------
    individuals : int
        How many people.
    attempts : int
        How many attempts of each person.
    pi : float
        The error rate that was expected, a fraction.
    rho : float
        The correlation between two attempts of a person that was expected.
    confidence : float
        The level of confidence, between 0 and 1.
    independent_attempts : float
        How many independent attempts the goal asks for.
    claim : float or None
        The rate that the upper bound is to exclude, if that is the goal.
    power : float or None
        How probable it is that the bound does so; None for another goal, and where no error is expected.
    trade_off : tuple of TradeOff
        Alternatives: other numbers of people with the attempts that they need.

    Examples
    --------
    >>> from fairtrial import plan_rate
    >>> plan_rate(0.02, 0.1, half_width=0.005, attempts=5)
    <RatePlan: 844 individuals with 5 attempts each, 4,220 in all, worth 3,014 independent ones>
    """

    individuals: int
    attempts: int
    pi: float
    rho: float
    confidence: float
    independent_attempts: float
    claim: float | None = None
    power: float | None = None
    trade_off: tuple[TradeOff, ...] = ()

    @property
    def expected(self) -> dict[str, float]:
        """The half-widths and the limits to be expected, on both scales."""
        from scipy.special import expit, logit

        worth = self.individuals * self.attempts / design_effect(self.attempts, self.rho)
        sigma = sqrt(self.pi * (1 - self.pi) / worth)
        z = normal_quantile(self.confidence)
        if not self.pi:
            return {"independent_attempts": worth}
        reach = z * sigma / (self.pi * (1 - self.pi))
        low, high = (expit(logit(self.pi) + side * reach) for side in (-1, 1))
        return {
            "independent_attempts": worth,
            "half_width": z * sigma,
            "logit_half_width": reach,
            "low": float(low),
            "high": float(high),
        }

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "individuals": self.individuals,
            "attempts": self.attempts,
            "total": self.individuals * self.attempts,
            "pi": self.pi,
            "rho": self.rho,
            "confidence": self.confidence,
            "claim": self.claim,
            "power": self.power,
            "expected": self.expected,
            "trade_off": [{**asdict(row), "total": row.total} for row in self.trade_off],
        }

    def summary(self) -> str:
        """People and attempts of each, and what they are worth."""
        worth = plural(self.expected["independent_attempts"], "independent one")
        people = f"{plural(self.individuals, 'individual')} with {plural(self.attempts, 'attempt')} each"
        return f"{people}, {self.individuals * self.attempts:,} in all, worth {worth}"

    def tables(self) -> tuple[Table, ...]:
        """The plan with what is expected of it, and the alternatives."""
        found = self.expected
        columns = [*_PLAN_COLUMNS, Column("pi", "expected rate", "rate")]
        if self.pi > 0:
            columns.append(Column("half_width", "half-width", "rate"))
            columns.append(Column("interval", "interval by the logit", "interval"))
        if self.power is not None:
            columns.append(Column("power", "power", "rate"))
        columns += [
            Column("independent_attempts", "worth", "count", detail=True),
            Column("rho", "rho", "number", detail=True),
            Column("confidence", "confidence", "level", detail=True),
            Column("claim", "claim", "rate", detail=True),
        ]
        record = {**self.to_dict(), **found, "interval": (found["low"], found["high"]) if self.pi > 0 else None}
        others = (*_PLAN_COLUMNS, Column("cost", "cost", "count"))
        return (
            Table.of("plan", self.summary(), columns, [record]),
            Table.of("alternatives", "Alternatives", others, record["trade_off"]),
        )


def plan_rate(
    pi: float,
    rho: float,
    *,
    half_width: float | None = None,
    scale: Scale = "linear",
    claim: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    individuals: int | None = None,
    attempts: int | None = None,
    person_cost: float = 1.0,
    generator: Generator = "oman-zucker",
) -> RatePlan:
    """Find how many people with how many attempts each give an interval that narrow, or a bound that low.

    Parameters
    ----------
    pi : float
        The error rate, a fraction, that is expected.
    rho : float
        The correlation between two attempts of a person that is expected.
    half_width : float, optional
        The half-width of the interval that is asked for.
    scale : {"linear", "logit"}, default "linear"
        Whether the half-width is that of the rate, or of its logit.
    claim : float, optional
        In place of a half-width: the rate that the one-sided upper bound is to exclude.
    power : float, default 0.8
        How surely it is to do so, between 0 and 1. Where no error is expected (`pi` 0) and attempts are correlated at
        all, only people count.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1, of the interval or the bound.
    individuals : int, optional
        How many people there are; the attempts of each are found.
    attempts : int, optional
        How many attempts each can make; the people are found. With neither, the cheapest plan is found; without
        correlation, that of one attempt each.
    person_cost : float, default 1.0
        What one more person costs, in attempts.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.

    Returns
    -------
    RatePlan
        People, attempts of each, and alternatives.

    Raises
    ------
    ParameterError
        Neither or both of a half-width and a claim, too few people for any number of attempts, or a number that is not
        possible.

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
    if (half_width is None) == (claim is None):
        raise ParameterError("ask either for a half-width of the interval, or for a claimed rate to be excluded")
    _check_counts(individuals, attempts, person_cost)
    goal = _Goal(pi, rho, confidence, claim, individuals, attempts, person_cost)
    if claim is None:
        return _solved(goal, attempts_for_half_width(pi, half_width or 0.0, scale=scale, confidence=confidence), rho)
    needed = attempts_for_upper_bound(pi, claim, confidence=confidence, power=power)
    if pi == 0 or (attempts or 1) > MOST_SIMULATED:
        # without errors nothing tells how strongly attempts are correlated, and only people count
        return _solved(goal, needed, 1.0 if pi == 0 and rho > 0 else rho)
    return _powerful(goal, UpperBound(pi, rho, claim, confidence, generator), power, needed)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What is expected, and what is given, of a plan."""

    pi: float
    rho: float
    confidence: float
    claim: float | None
    individuals: int | None
    attempts: int | None
    person_cost: float

    def planned(
        self,
        individuals: int,
        attempts: int,
        independent_attempts: float,
        trade_off: tuple[TradeOff, ...],
        power: float | None = None,
    ) -> RatePlan:
        """The plan with these people and attempts."""
        return RatePlan(
            individuals,
            attempts,
            self.pi,
            self.rho,
            self.confidence,
            independent_attempts,
            self.claim,
            power,
            trade_off,
        )


def _check_counts(individuals: int | None, attempts: int | None, person_cost: float) -> None:
    if individuals is not None and attempts is not None:
        raise ParameterError("give either the individuals or the attempts of each; the other is what is planned")
    for name, count in (("individuals", individuals), ("attempts", attempts)):
        if count is not None and (count < 1 or count != int(count)):
            raise ParameterError(f"there must be a whole number of {name}, at least one, not {count}")
        if count is not None and count > MOST:
            raise ParameterError(f"{count:,} {name} are more than there can be; give at most {MOST:g}")
    if not 0 <= person_cost <= MOST:
        raise ParameterError(
            f"the cost of a person must be at least 0 and at most {MOST:.0e} attempts, not {person_cost}"
        )


def _powerful(goal: _Goal, bound: UpperBound, power: float, needed: float) -> RatePlan:
    """The plan whose upper bound comes out below the claim as surely as asked for; the formula says where to look."""

    def people(number: int) -> int:
        return bound.individuals(number, power, start=_individuals(needed, bound.rho, number))

    attempts = goal.attempts
    if goal.individuals is not None:
        attempts = _attempts_below(bound, power, needed, goal.individuals)
    numbers = {*_FEWER_ATTEMPTS, attempts or _cheapest(needed, bound.rho, goal.person_cost)}
    rows = []
    for number in sorted(numbers):
        found = people(number)
        rows.append(TradeOff(number, found, found * (goal.person_cost + number)))
    # without correlation one attempt of each is planned, as for other goals
    chosen = attempts or (1 if bound.rho == 0 else min(rows, key=lambda row: row.cost).attempts)
    count = goal.individuals or next(row.individuals for row in rows if row.attempts == chosen)
    worth = count * chosen / float(design_effect(chosen, bound.rho))
    return goal.planned(count, chosen, worth, tuple(rows), bound.power(count, chosen))


def _attempts_below(bound: UpperBound, power: float, needed: float, individuals: int) -> int:
    enough = individuals > needed * bound.rho
    start = _attempts(needed, bound.rho, individuals) if enough and individuals >= 2 else 1
    found = bound.attempts(individuals, power, start=start)
    if found is None:
        raise ParameterError(
            f"no number of attempts gives {individuals} individuals a power of {level_text(power)} at a correlation of "
            f"{bound.rho:g}; more individuals are needed"
        )
    return found


def _solved(goal: _Goal, needed: float, rho: float) -> RatePlan:
    """The plan that is worth so many independent attempts, each person's correlated like this."""
    individuals, attempts = goal.individuals, goal.attempts
    if individuals is not None:
        attempts = _attempts(needed, rho, individuals)
    elif attempts is None:
        attempts = _cheapest(needed, rho, goal.person_cost)
    found = individuals if individuals is not None else _individuals(needed, rho, attempts)
    rows = trade_off(needed, rho, attempts=sorted({*_ATTEMPTS, attempts}), person_cost=goal.person_cost)
    return goal.planned(found, attempts, needed, rows)


def trade_off(
    needed: float, rho: float, *, attempts: Sequence[int] = _ATTEMPTS, person_cost: float = 1.0
) -> tuple[TradeOff, ...]:
    """Find the people that are needed for each number of attempts, to be worth `needed` independent attempts."""
    rows = []
    for number in attempts:
        people = _individuals(needed, rho, number)
        rows.append(TradeOff(number, people, people * (person_cost + number)))
    return tuple(rows)


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
    """The cost n (c + m) is least at m = sqrt(c (1 - rho) / rho), but for whole numbers; without correlation, one."""
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
