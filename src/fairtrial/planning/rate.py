"""How many people, tested how often, an error rate needs.

Attempts of a person are correlated, so n people with m attempts are worth n m / (1 + (m - 1) rho) independent
attempts. Whatever is asked of the test becomes a number of independent attempts first, and people and attempts
of each then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, isfinite, log, log1p, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from fairtrial.checks import check_share
from fairtrial.errors import ParameterError
from fairtrial.intervals.rates import normal_quantile
from fairtrial.tables import Column, Result, Table, plural

Scale: TypeAlias = Literal["linear", "logit"]

_ATTEMPTS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
_HAIR = 1e-9
"""A solution that is a whole number but for rounding is not made one larger."""
_CANDIDATES = 10**6


def attempts_for_half_width(
    pi: float, half_width: float, *, scale: Scale = "linear", confidence: float = 0.95
) -> float:
    r"""Find how many independent attempts give an interval of this half-width.

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
        A rate, half-width, scale or confidence that is not possible.

    References
    ----------
    Schuckers et al. 2004, eqs. (6) and (9), solved for the attempts; section 5 recommends the logit.
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

    Returns
    -------
    float
        Attempts, not rounded.

    Raises
    ------
    ParameterError
        A rate that is not below the claim, or a claim, confidence or power that is not possible.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    _check_rate(claim, "the claimed rate")
    normal_quantile(confidence)
    check_share("power", power, open_ends=True)
    if pi == 0:
        return log(1 - confidence) / log1p(-claim)
    _check_rate(pi, "pi")
    if pi >= claim:
        raise ParameterError(f"no test can put a bound below {claim:g} if the rate itself is {pi:g}; claim more")
    if confidence <= 0.5 or power < 0.5:
        raise ParameterError(f"confidence must be above 0.5 and power at least 0.5, not {confidence} and {power}")
    z_bound, z_power = (float(ndtri(level)) for level in (confidence, power))

    def excess(attempts: float) -> float:
        """How far the bound lies above the claim, in logits; it falls as attempts grow."""
        highest = min(pi + z_power * sqrt(pi * (1 - pi) / attempts), claim)
        return _logit(highest) + z_bound / sqrt(attempts * highest * (1 - highest)) - _logit(claim)

    # with so many attempts the highest rate is the claim itself, and the bound above it
    low = high = max(z_power**2 * pi * (1 - pi) / (claim - pi) ** 2, 1e-3)
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-12)) if high > low else high


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
    """Compute how many times more attempts are needed than if all were independent: 1 + (m - 1) rho."""
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
    pi, rho
        The rate and the correlation between attempts of a person that are expected.
    half_width, scale
        The half-width of the interval that is asked for, of the rate or of its logit.
    claim, power
        In place of a half-width: the rate that the one-sided upper bound is to exclude, and how surely. Where no
        error is expected (`pi` 0) and attempts are correlated at all, only people count.
    confidence
        Of the interval or the bound.
    individuals, attempts
        How many people there are, or how many attempts each can make; the other is found. With neither, the
        cheapest plan is found; without correlation, that of one attempt each.
    person_cost
        What one more person costs, in attempts.

    Returns
    -------
    RatePlan
        People, attempts of each, and alternatives.

    Raises
    ------
    ParameterError
        Neither or both of a half-width and a claim, too few people for any number of attempts, or a number that is not
        possible.

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
    check_share("rho", rho)


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
