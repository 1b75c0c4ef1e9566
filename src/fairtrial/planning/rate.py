"""How many people, tested how often, an error rate needs.

Attempts of a person are correlated, so n people with m attempts are worth n m / (1 + (m - 1) rho) independent
attempts. Whatever is asked of the test becomes a number of independent attempts first, and people and attempts
of each then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, isfinite, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.individuals.attempts import Individuals
from fairtrial.individuals.enumeration import people_of_sums
from fairtrial.individuals.generators import Generator, draw_counts, errors_pmf
from fairtrial.individuals.limits import beta_binomial_limits, logit_limits
from fairtrial.intervals.rates import normal_quantile
from fairtrial.tables import Column, Result, Table, percent, plural

Scale: TypeAlias = Literal["linear", "logit"]

_ATTEMPTS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
_HAIR = 1e-9
"""A solution that is whole but for rounding is not made one larger."""
_CANDIDATES = 10**6
_DRAWS = 10**8
_AT_ONCE = 1 << 20


def attempts_for_half_width(
    pi: float, half_width: float, *, scale: Scale = "linear", confidence: float = 0.95
) -> float:
    r"""Find how many independent attempts give an interval of this half-width.

    .. math:: E = z^2 \pi (1 - \pi) / h^2 \quad or, on\ the\ logit\ scale, \quad z^2 / (\pi (1 - \pi) h^2)

    References
    ----------
    Schuckers et al. 2004, eqs. (6) and (9), turned round; section 5 recommends the logit.
    """
    _check_rate(pi, "pi")
    if not (half_width > 0 and isfinite(half_width)):
        raise ParameterError(f"the half-width must be above 0, not {half_width}")
    if scale not in ("linear", "logit"):
        raise ParameterError(f"scale must be linear or logit, not {scale!r}")
    spread = pi * (1 - pi)
    z = normal_quantile(confidence)
    return z**2 * spread / half_width**2 if scale == "linear" else z**2 / (spread * half_width**2)


def attempts_for_upper_bound(pi: float, claim: float, *, confidence: float = 0.95, power: float = 0.8) -> float:
    r"""Find how many independent attempts put the upper bound of the rate below a claimed rate.

    A test of E attempts does so when it comes out at r or lower, and that has the probability asked for when

    .. math:: logit(r) + z_c / \sqrt{E r (1 - r)} = logit(c), \quad r = \pi + z_p \sqrt{\pi (1 - \pi) / E}

    Parameters
    ----------
    pi
        The true rate; 0: that no error at all will come up.
    claim
        The rate that is to be excluded.
    confidence
        Of the bound, on one side.
    power
        How probable it must be that the bound comes out below the claim. At 0.5 it does so on average only.
    """
    _check_rate(claim, "the claimed rate")
    normal_quantile(confidence)
    if not 0 < power < 1:
        raise ParameterError(f"power must be between 0 and 1, not {power}")
    if pi == 0:
        return log(1 - confidence) / log1p(-claim)
    _check_rate(pi, "pi")
    if pi >= claim:
        raise ParameterError(f"no test can put a bound below {claim:g} if the rate itself is {pi:g}; claim more")
    if confidence <= 0.5 or power < 0.5:
        raise ParameterError(f"confidence must be above 0.5 and power at least 0.5, not {confidence} and {power}")
    z_bound, z_power = (NormalDist().inv_cdf(level) for level in (confidence, power))

    def bound_above_claim(attempts: float) -> bool:
        highest = pi + z_power * sqrt(pi * (1 - pi) / attempts)
        if highest >= claim:
            return True
        return _logit(highest) + z_bound / sqrt(attempts * highest * (1 - highest)) > _logit(claim)

    low, high = 1e-3, 1.0
    while bound_above_claim(high):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if bound_above_claim(middle) else (low, middle)
    return high


def rule_of_thirty(pi: float) -> int:
    """Give the attempts that 30 errors need: the rate is then within 30 % with 90 % confidence, if independent."""
    _check_rate(pi, "pi")
    return ceil(30 / pi - _HAIR)


def _logit(rate: float) -> float:
    return log(rate) - log1p(-rate)


def _check_rate(rate: float, name: str) -> None:
    if not 0 < rate < 1:
        raise ParameterError(f"{name} must be a fraction above 0 and below 1, not {rate}; 1.5 % is 0.015")


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
    """People and attempts of each, what is expected of them, and alternatives."""

    individuals: int
    attempts: int
    pi: float
    rho: float
    confidence: float
    independent_attempts: float
    """How many independent attempts the goal asks for."""
    claim: float | None = None
    """The rate that the upper bound is to exclude, if that is the goal."""
    trade_off: tuple[TradeOff, ...] = ()

    @property
    def expected(self) -> dict[str, float]:
        """The half-widths and the limits to be expected, on both scales."""
        worth = self.individuals * self.attempts / design_effect(self.attempts, self.rho)
        sigma = sqrt(self.pi * (1 - self.pi) / worth)
        z = normal_quantile(self.confidence)
        if not self.pi:
            return {"independent_attempts": worth}
        reach = z * sigma / (self.pi * (1 - self.pi))
        low, high = (1 / (1 + np.exp(-(_logit(self.pi) + side * reach))) for side in (-1, 1))
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


def design_effect(attempts: Any, rho: float) -> Any:
    """How many times more attempts are needed than if all were independent: 1 + (m - 1) rho."""
    return 1 + (attempts - 1) * rho


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
) -> RatePlan:
    """Find how many people with how many attempts each give an interval that narrow, or a bound that low.

    Parameters
    ----------
    half_width, scale
        The half-width of the interval that is asked for, of the rate or of its logit.
    claim, power
        In place of a half-width: the rate that the one-sided upper bound is to exclude, and how surely. Where no
        error is expected (`pi` 0) and attempts are correlated at all, only people count.
    individuals, attempts
        How many people there are, or how many attempts each can make; the other is found. With neither, the
        cheapest plan is; without correlation, that of one attempt each.
    person_cost
        What one more person costs, in attempts.

    Examples
    --------
    >>> plan_rate(0.02, 0.1, half_width=0.005, attempts=5).individuals
    844
    """
    _check_correlation(rho)
    if (half_width is None) == (claim is None):
        raise ParameterError("ask either for a half-width of the interval, or for a claimed rate to be excluded")
    if claim is not None:
        needed = attempts_for_upper_bound(pi, claim, confidence=confidence, power=power)
    else:
        needed = attempts_for_half_width(pi, half_width or 0.0, scale=scale, confidence=confidence)
    return _solved(
        needed,
        # without errors nothing tells how strongly attempts are correlated, and only people count
        1.0 if pi == 0 and rho > 0 else rho,
        individuals=individuals,
        attempts=attempts,
        person_cost=person_cost,
        plan={"pi": pi, "rho": rho, "confidence": confidence, "claim": claim},
    )


def _check_correlation(rho: float) -> None:
    if not 0 <= rho <= 1:
        raise ParameterError(f"rho must be between 0 and 1, not {rho}")


def _solved(
    needed: float,
    rho: float,
    *,
    individuals: int | None,
    attempts: int | None,
    person_cost: float,
    plan: dict[str, Any],
) -> RatePlan:
    if individuals is not None and attempts is not None:
        raise ParameterError("give either the individuals or the attempts of each; the other is what is planned")
    for name, count in (("individuals", individuals), ("attempts", attempts)):
        if count is not None and (count < 1 or count != int(count)):
            raise ParameterError(f"there must be a whole number of {name}, at least one, not {count}")
    if not (person_cost >= 0 and isfinite(person_cost)):
        raise ParameterError(f"the cost of a person must be at least 0, not {person_cost}")
    if individuals is not None:
        attempts = _attempts(needed, rho, individuals)
    elif attempts is None:
        attempts = _cheapest(needed, rho, person_cost)
    found = individuals if individuals is not None else _individuals(needed, rho, attempts)
    others = sorted({*_ATTEMPTS, attempts})
    return RatePlan(
        found,
        attempts,
        independent_attempts=needed,
        trade_off=trade_off(needed, rho, attempts=others, person_cost=person_cost),
        **plan,
    )


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
    return max(2, ceil(needed * float(design_effect(attempts, rho)) / attempts - _HAIR))


def _attempts(needed: float, rho: float, individuals: int) -> int:
    fewest = floor(needed * rho + _HAIR) + 1
    if individuals < max(fewest, 2):
        raise ParameterError(
            f"no number of attempts is enough for {individuals} individuals at a correlation of {rho:g}: "
            f"it takes at least {max(fewest, 2)}"
        )
    return max(1, ceil(needed * (1 - rho) / (individuals - needed * rho) - _HAIR))


def _cheapest(needed: float, rho: float, person_cost: float) -> int:
    """The cost n (c + m) is least at m = sqrt(c (1 - rho) / rho), but for whole numbers; without correlation, one."""
    if rho == 0:
        return 1
    # more attempts than the goal needs of one person are of no use
    near = max(1, ceil(min(sqrt(person_cost * (1 - rho) / rho), needed)))
    enough = _individuals(needed, rho, near) * (person_cost + near)
    # as people are whole, a cheaper plan may lie farther off, but no farther than where parts of people cost as much
    spare = enough / needed - (1 - rho)
    fewest = floor(person_cost * (1 - rho) / spare) if person_cost else 1
    most = ceil(min(spare / rho - person_cost, enough / 2 - person_cost))
    numbers = np.arange(max(1, fewest, near - _CANDIDATES), max(near, min(most, near + _CANDIDATES)) + 1)
    people = np.maximum(2, np.ceil(needed * design_effect(numbers, rho) / numbers - _HAIR))
    return int(numbers[np.argmin(people * (person_cost + numbers))])


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedPlan(Result):
    """What a plan gave in simulated tests."""

    data_sets: int
    mean_half_width: float
    """Of the interval BB, on the scale of the rate."""
    coverage: float
    """How often the interval LBB held the true rate."""
    share_below_claim: float | None
    """How often the upper bound came out below the claimed rate; without errors, the bound of so many people."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return asdict(self)

    def summary(self) -> str:
        """How often lbb covered."""
        return f"{plural(self.data_sets, 'simulated test')}, lbb covered {percent(self.coverage)}"

    def tables(self) -> tuple[Table, ...]:
        """The outcome in one row."""
        columns = [
            Column("data_sets", "tests", "count"),
            Column("mean_half_width", "mean half-width", "rate"),
            Column("coverage", "coverage of lbb", "rate"),
        ]
        if self.share_below_claim is not None:
            columns.append(Column("share_below_claim", "upper bound below the claim in", "rate"))
        return (Table.of("simulated", "Simulated as planned", columns, [self.to_dict()]),)


def check_plan(
    plan: RatePlan,
    *,
    generator: Generator = "oman-zucker",
    data_sets: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> SimulatedPlan:
    """Simulate tests as planned and see what they give; fewer of them where each has very many attempts."""
    data_sets = max(1, min(data_sets, _DRAWS // min(plan.individuals, plan.attempts + 1)))
    people = _drawn(plan, generator, data_sets, np.random.default_rng(rng))
    low, high = logit_limits(people, confidence=plan.confidence)
    plain_low, plain_high = beta_binomial_limits(people, confidence=plan.confidence)
    below = None
    if plan.claim is not None:
        bound = logit_limits(people, confidence=2 * plan.confidence - 1)[1]
        without = -np.expm1(log(1 - plan.confidence) / plan.individuals)
        below = float(np.mean(np.where(people.total_errors > 0, bound, without) < plan.claim))
    return SimulatedPlan(
        data_sets,
        float(np.mean(plain_high - plain_low)) / 2,
        float(np.mean((low <= plan.pi) & (plan.pi <= high))),
        below,
    )


def _drawn(plan: RatePlan, generator: Generator, data_sets: int, rng: np.random.Generator) -> Individuals:
    """Tests as planned: numbers of people with 0, 1, ... errors are drawn, or people's errors if those are fewer."""
    pmf = errors_pmf(plan.attempts, plan.pi, plan.rho, generator=generator)
    errors = np.arange(plan.attempts + 1.0)
    values = np.stack([errors, errors * (errors - 1) / 2], axis=1)
    size = max(1, _AT_ONCE // min(plan.individuals, len(pmf)))
    sums = []
    for start in range(0, data_sets, size):
        number = min(size, data_sets - start)
        if len(pmf) <= plan.individuals:
            sums.append(draw_counts(plan.individuals, pmf, number, rng) @ values)
        else:
            drawn = rng.choice(len(pmf), size=(number, plan.individuals), p=pmf / pmf.sum())
            sums.append(values[drawn].sum(axis=1))
    return people_of_sums(plan.individuals, plan.attempts, *np.concatenate(sums).T)
