"""The power of an upper bound, against simulation from the definition of the generators and formulas of the paper."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial.individuals import errors_pmf
from fairtrial.planning import UpperBound, plan_rate
from fairtrial.planning.bound import drawn_people

DATA_SETS = 6000
Z = NormalDist().inv_cdf(0.95)


def oman_zucker(people: int, attempts: int, pi: float, rho: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Errors of each person in each data set: each attempt repeats the person's own decision or is a fresh one."""
    shape = (DATA_SETS, people, attempts)
    own = rng.random(shape[:2]) < pi
    fresh = rng.random(shape, dtype=np.float32) < pi
    outcomes = np.where(rng.random(shape, dtype=np.float32) < sqrt(rho), own[:, :, None], fresh)
    return np.asarray(outcomes.sum(axis=2))


def share_below(errors: NDArray[np.int64], attempts: int, claim: float) -> float:
    """How often the upper bound lies below the claim: eqs. (5) and (9) of Schuckers et al. 2004, on one side."""
    n = errors.shape[1]
    rate = errors.mean(axis=1) / attempts
    between = attempts * ((errors / attempts - rate[:, None]) ** 2).sum(axis=1) / (n - 1)
    within = (errors * (1 - errors / attempts)).sum(axis=1) / (n * (attempts - 1))
    with np.errstate(all="ignore"):
        rho = (between - within) / (between + (attempts - 1) * within)
        reach = Z * np.sqrt((1 + (attempts - 1) * rho) / (rate * (1 - rate) * attempts * n))
        bound = 1 / (1 + np.exp(-(np.log(rate / (1 - rate)) + reach)))
    return float(np.mean(np.where(rate > 0, bound, 1 - 0.05 ** (1 / n)) < claim))


@pytest.mark.parametrize(
    ("pi", "rho", "claim", "attempts", "before", "its_power"),
    [(0.001, 0.2, 0.01, 5, 191, 0.38), (0.002, 0.05, 0.01, 4, 197, 0.64)],
)
def test_planned_people_reach_the_power(
    pi: float, rho: float, claim: float, attempts: int, before: int, its_power: float
) -> None:
    rng = np.random.default_rng(1)
    plan = plan_rate(pi, rho, claim=claim, attempts=attempts)
    error = 4 * sqrt(0.25 / DATA_SETS)
    for people, power in ((plan.individuals, plan.power), (before, its_power)):
        found = share_below(oman_zucker(people, attempts, pi, rho, rng), attempts, claim)
        assert found == pytest.approx(power, abs=error + 0.005)
        assert UpperBound(pi, rho, claim, 0.95).power(people, attempts) == pytest.approx(found, abs=error)
    assert plan.power is not None
    assert plan.power >= 0.8


def test_power_stays_above_what_is_asked_for() -> None:
    plan, bound = plan_rate(0.002, 0.05, claim=0.01, attempts=4), UpperBound(0.002, 0.05, 0.01, 0.95)
    people = plan.individuals
    assert bound.power(people - 1, 4) < 0.8
    assert min(bound.power(number, 4) for number in range(people, 2 * people)) >= 0.8


def test_power_summed_and_simulated_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = UpperBound(0.01, 0.1, 0.02, 0.95, "beta-binomial")
    summed = bound.power(300, 6)
    monkeypatch.setattr("fairtrial.planning.bound._SUMMED", 1)
    assert bound.power(300, 6) != summed
    assert bound.power(300, 6) == pytest.approx(summed, abs=4 * sqrt(0.25 / 20_000))


def test_people_are_drawn_alike_whether_they_or_their_attempts_are_more() -> None:
    rng = np.random.default_rng(0)
    for individuals, attempts in ((40, 6), (6, 40)):
        people = drawn_people(individuals, errors_pmf(attempts, 0.2, 0.3), 20_000, rng)
        assert np.mean(people.estimate) == pytest.approx(0.2, abs=0.005)
        variance = 0.2 * 0.8 * (1 + (attempts - 1) * 0.3) / (individuals * attempts)
        assert np.var(people.estimate) == pytest.approx(variance, rel=0.06)
