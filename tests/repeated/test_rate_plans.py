"""Plans for a rate against the formulas of the paper, and the power of an upper bound against simulation."""

from __future__ import annotations

from math import ceil, log, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ParameterError
from fairtrial.repeated.models import Generator, drawn_people, errors_pmf
from fairtrial.repeated.rate_plans import (
    RatePlan,
    UpperBound,
    attempts_for_half_width,
    attempts_for_upper_bound,
    check_plan,
    plan_rate,
    rule_of_thirty,
    smallest_that_stays,
)


@given(needed=st.integers(-5, 3000), least=st.integers(1, 50))
def test_from_where_on_all_are_enough_against_trying_all(needed: int, least: int) -> None:
    tried = next(number for number in range(least, 10_000) if number >= needed)
    assert smallest_that_stays(lambda number: number >= needed, start=2, least=least) == tried


def test_nothing_is_enough() -> None:
    asked: list[int] = []

    def never(number: int) -> bool:
        asked.append(number)
        return False

    assert smallest_that_stays(never, start=2, most=1000) is None
    assert max(asked) <= 1000


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 60))
def test_smallest_that_stays_against_trying_all(early: list[bool], start: int) -> None:
    enough = dict(enumerate(early, 2))
    tried = max([1, *(number for number, good in enough.items() if not good)]) + 1
    # 4 % apart from few people means one by one
    assert smallest_that_stays(lambda number: enough.get(number, True), start=min(start, 20)) == tried


def test_nothing_stays() -> None:
    assert smallest_that_stays(lambda number: False, start=5, most=200) is None
    assert smallest_that_stays(lambda number: number == 200, start=5, most=200) == 200


rates = st.floats(1e-5, 0.6)
correlations = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
HAIR = 1e-7


def logit(rate: float) -> float:
    return log(rate / (1 - rate))


def sigma(pi: float, rho: float, people: float, attempts: float) -> float:
    """Eq. (6) of Schuckers et al. 2004 with the same number of attempts of everybody."""
    return sqrt(pi * (1 - pi) * (1 + (attempts - 1) * rho) / (people * attempts))


def half_width(pi: float, rho: float, people: float, attempts: float, confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2) * sigma(pi, rho, people, attempts)


def bound_at_power(
    pi: float, rho: float, people: float, attempts: float, confidence: float, power: float
) -> float | None:
    """The logit of the upper bound of a test that comes out as high as it may with the power; None: above 1."""
    highest = pi + NormalDist().inv_cdf(power) * sigma(pi, rho, people, attempts)
    if highest >= 1:
        return None
    reach = NormalDist().inv_cdf(confidence) * sigma(highest, rho, people, attempts) / (highest * (1 - highest))
    return logit(highest) + reach


@given(
    pi=rates,
    rho=correlations,
    relative=st.floats(0.02, 0.9),
    attempts=st.integers(1, 60),
    confidence=st.floats(0.5, 0.999),
)
def test_half_width_is_reached_by_these_people_and_not_by_one_less(
    pi: float, rho: float, relative: float, attempts: int, confidence: float
) -> None:
    goal = relative * pi
    plan = plan_rate(pi, rho, half_width=goal, attempts=attempts, confidence=confidence)
    n = plan.individuals
    assert (plan.attempts, plan.rho, plan.confidence) == (attempts, rho, confidence)
    assert half_width(pi, rho, n, attempts, confidence) <= goal * (1 + HAIR)
    assert n == 2 or half_width(pi, rho, n - 1, attempts, confidence) > goal * (1 - HAIR)
    assert plan.expected["half_width"] == pytest.approx(half_width(pi, rho, n, attempts, confidence))


@given(pi=rates, rho=correlations, goal=st.floats(0.05, 2), attempts=st.integers(1, 60))
def test_logit_half_width_is_reached_by_these_people_and_not_by_one_less(
    pi: float, rho: float, goal: float, attempts: int
) -> None:
    plan = plan_rate(pi, rho, half_width=goal, scale="logit", attempts=attempts)
    n = plan.individuals

    def reach(people: int) -> float:  # eq. (9)
        return half_width(pi, rho, people, attempts, 0.95) / (pi * (1 - pi))

    assert reach(n) <= goal * (1 + HAIR)
    assert n == 2 or reach(n - 1) > goal * (1 - HAIR)
    expected = plan.expected
    assert expected["logit_half_width"] == pytest.approx(reach(n))
    assert logit(expected["high"]) - logit(pi) == pytest.approx(reach(n), abs=1e-6)
    assert logit(pi) - logit(expected["low"]) == pytest.approx(reach(n), abs=1e-6)


@given(
    pi=rates,
    rho=correlations,
    times=st.floats(1.1, 5),
    attempts=st.integers(1, 60),
    confidence=st.floats(0.6, 0.99),
    power=st.floats(0.5, 0.99),
)
def test_upper_bound_by_the_formula_is_reached_by_these_people_and_not_by_one_less(
    pi: float, rho: float, times: float, attempts: int, confidence: float, power: float
) -> None:
    claim = times * pi
    assume(claim < 0.95)
    needed = attempts_for_upper_bound(pi, claim, confidence=confidence, power=power)
    n = max(2, ceil(needed * (1 + (attempts - 1) * rho) / attempts - 1e-9))
    bound = bound_at_power(pi, rho, n, attempts, confidence, power)
    assert bound is not None
    assert bound <= logit(claim) + HAIR
    if n > 2:
        fewer = bound_at_power(pi, rho, n - 1, attempts, confidence, power)
        assert fewer is None or fewer > logit(claim) - HAIR


@given(pi=rates, rho=correlations, relative=st.floats(0.05, 0.9), more=st.floats(1.001, 20))
def test_attempts_from_individuals_are_the_fewest(pi: float, rho: float, relative: float, more: float) -> None:
    goal = relative * pi
    needed = attempts_for_half_width(pi, goal)
    people = max(2, ceil(more * needed * rho) + 1)
    plan = plan_rate(pi, rho, half_width=goal, individuals=people)
    m = plan.attempts
    assert plan.individuals == people
    assert half_width(pi, rho, people, m, 0.95) <= goal * (1 + HAIR)
    assert m == 1 or half_width(pi, rho, people, m - 1, 0.95) > goal * (1 - HAIR)
    # and back: so many attempts need no more people than there are
    back = plan_rate(pi, rho, half_width=goal, attempts=m)
    assert back.individuals <= people


@given(pi=rates, rho=st.floats(0.01, 1), relative=st.floats(0.05, 0.4))
def test_too_few_people_are_an_error_that_names_the_least_number(pi: float, rho: float, relative: float) -> None:
    goal = relative * pi
    # attempts without end are worth 1 / rho independent ones a person
    limit = NormalDist().inv_cdf(0.975) ** 2 * pi * (1 - pi) * rho / goal**2
    assume(limit > 2.1)
    assume(abs(limit - round(limit)) > 1e-6)
    least = ceil(limit)
    with pytest.raises(ParameterError) as error:
        plan_rate(pi, rho, half_width=goal, individuals=least - 1)
    assert (error.value.code, error.value.text.values["least"]) == ("too-few-people", least)  # type: ignore[union-attr]
    assert plan_rate(pi, rho, half_width=goal, individuals=least).individuals == least


@given(
    needed=st.floats(1, 3000),
    rho=st.one_of(st.floats(1e-4, 1), st.sampled_from([0.01, 0.1])),
    cost=st.one_of(st.sampled_from([0.0, 1.0, 10.0]), st.floats(0, 300)),
)
def test_cheapest_plan_against_all_numbers_of_attempts(needed: float, rho: float, cost: float) -> None:
    goal = sqrt(NormalDist().inv_cdf(0.975) ** 2 * 0.25 / needed)
    plan = plan_rate(0.5, rho, half_width=goal, person_cost=cost)
    # two people at least: with more attempts than this, they cost more than all that are tested once
    m = np.arange(1, ceil(max(2, ceil(needed)) * (cost + 1) / 2) + 1)
    people = np.maximum(2, np.ceil(plan.independent_attempts * (1 + (m - 1) * rho) / m - 1e-9))
    least = float((people * (cost + m)).min())
    assert plan.individuals * (cost + plan.attempts) == pytest.approx(least)
    # and it is in the table of what else would do, where nothing is cheaper
    assert min(row.cost for row in plan.trade_off) == pytest.approx(least)
    assert any((row.attempts, row.individuals) == (plan.attempts, plan.individuals) for row in plan.trade_off)


def test_cheapest_plan_without_correlation_tests_everybody_once() -> None:
    assert plan_rate(0.1, 0.0, half_width=0.01).attempts == 1
    assert plan_rate(0.1, 1.0, half_width=0.01, person_cost=100).attempts == 1


def test_cheapest_plan_where_correlation_is_next_to_nothing() -> None:
    for rho in (5e-324, 1e-300, 1e-18):
        plan = plan_rate(0.1, rho, half_width=0.0001)
        assert plan.individuals == 2
        assert half_width(0.1, rho, plan.individuals, plan.attempts, 0.95) <= 0.0001


def test_trade_off_by_hand() -> None:
    # 100 independent attempts at a correlation of .1: n = 100 (.9 / m + .1)
    goal = NormalDist().inv_cdf(0.975) * 0.5 / sqrt(100)
    rows = {row.attempts: row for row in plan_rate(0.5, 0.1, half_width=goal, attempts=90, person_cost=5).trade_off}
    assert [(m, rows[m].individuals, rows[m].total, rows[m].cost) for m in (1, 3, 20, 90)] == [
        (1, 100, 100, 600),
        (3, 40, 120, 320),
        (20, 15, 300, 375),
        (90, 11, 990, 1045),
    ]


def test_rule_of_thirty_by_hand() -> None:
    assert [rule_of_thirty(pi) for pi in (0.01, 0.1, 0.3, 0.007)] == [3000, 300, 100, 4286]
    # 30 errors in independent attempts are within 30 % with about 90 % confidence, as Doddington says
    attempts = rule_of_thirty(0.01)
    assert 1.645 * sqrt(0.99 / (attempts * 0.01)) == pytest.approx(0.3, abs=0.002)


def test_a_simulation_of_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one data set"):
        check_plan(plan_rate(0.02, 0.1, half_width=0.01, attempts=5), data_sets=0)


def test_no_error_expected_against_the_exact_bound() -> None:
    # no error in E attempts excludes c when (1 - c)^E <= .05
    needed = attempts_for_upper_bound(0, 0.01)
    assert 0.99**needed == pytest.approx(0.05)
    plan = plan_rate(0, 0.0, below=0.01)
    assert (plan.individuals, plan.attempts) == (299, 1)
    assert stats.beta(1, 299).ppf(0.95) < 0.01 < stats.beta(1, 298).ppf(0.95)  # Clopper & Pearson's bound
    assert plan.expected == {"independent_attempts": 299}
    # no error tells nothing about the correlation: only people count, as in the bound over individuals
    correlated = plan_rate(0, 0.2, below=0.01, attempts=5)
    assert (correlated.individuals, correlated.rho) == (ceil(needed), 0.2)
    simulated = check_plan(plan, data_sets=10)
    assert simulated.share_below_claim == 1
    assert simulated.mean_half_width == 0


@pytest.mark.parametrize("generator", ["oman-zucker", "beta-binomial"])
@pytest.mark.parametrize(("pi", "rho", "attempts"), [(0.02, 0.1, 5), (0.1, 0.4, 3), (0.3, 0.0, 1), (0.05, 0.05, 8)])
def test_half_width_by_simulation(pi: float, rho: float, attempts: int, generator: Generator) -> None:
    goal = pi / 6
    plan = plan_rate(pi, rho, half_width=goal, attempts=attempts)
    found = check_plan(plan, generator=generator, data_sets=4000)
    assert plan.individuals * pi > 20
    assert found.mean_half_width == pytest.approx(goal, rel=0.03)
    assert found.coverage == pytest.approx(0.95, abs=0.015)
    assert found.share_below_claim is None


def test_logit_half_width_by_simulation() -> None:
    plan = plan_rate(0.03, 0.1, half_width=0.25, scale="logit", attempts=4)
    found = check_plan(plan, data_sets=4000)
    assert found.mean_half_width == pytest.approx(0.25 * 0.03 * 0.97, rel=0.03)
    assert found.coverage == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    ("pi", "claim", "rho", "attempts", "power"),
    [(0.05, 0.07, 0.1, 4, 0.5), (0.02, 0.03, 0.0, 1, 0.8), (0.1, 0.15, 0.3, 6, 0.95)],
)
def test_upper_bound_by_simulation(pi: float, claim: float, rho: float, attempts: int, power: float) -> None:
    plan = plan_rate(pi, rho, below=claim, attempts=attempts, power=power, generator="beta-binomial")
    found = check_plan(plan, generator="beta-binomial", data_sets=4000)
    # a whole error more or less makes the power jump, by 8 points at most here
    assert power - 0.03 <= found.share_below_claim <= power + 0.08  # type: ignore[operator]
    assert found.share_below_claim == pytest.approx(plan.power, abs=0.03)


@pytest.mark.parametrize(("individuals", "power"), [(60, 0.8), (80, 0.9)])
def test_attempts_of_these_people_reach_the_power(individuals: int, power: float) -> None:
    plan = plan_rate(0.03, 0.1, below=0.08, individuals=individuals, power=power)
    bound = UpperBound(0.03, 0.1, 0.08, 0.95)
    assert plan.power == bound.power(individuals, plan.attempts) >= power
    assert bound.power(individuals, plan.attempts - 1) < power


def test_too_few_people_for_any_attempts_are_refused() -> None:
    with pytest.raises(ParameterError) as error:
        plan_rate(0.03, 0.1, below=0.08, individuals=10)
    assert error.value.code == "too-few-people"


def test_the_cheapest_of_the_alternatives_is_planned() -> None:
    plan = plan_rate(0.03, 0.1, below=0.08, person_cost=10)
    assert plan.individuals * (10 + plan.attempts) == min(row.cost for row in plan.trade_off)
    assert plan_rate(0.02, 0.0, below=0.03).attempts == 1


def test_simulation_against_sums_drawn_one_by_one() -> None:
    # more people than attempts and the other way round take different ways to the same distribution
    for people, attempts in ((60, 5), (5, 60)):
        plan = RatePlan(people, attempts, pi=0.2, rho=0.1, confidence=0.95, independent_attempts=0.0)
        found = check_plan(plan, generator="beta-binomial", data_sets=4000)
        rng = np.random.default_rng(0)
        errors = stats.betabinom(attempts, 1.8, 7.2).rvs((4000, people), random_state=rng)
        rate = errors.mean(axis=1) / attempts
        between = ((errors / attempts - rate[:, None]) ** 2).sum(axis=1) * attempts / (people - 1)
        within = (errors * (1 - errors / attempts)).sum(axis=1) / (people * (attempts - 1))
        rho = (between - within) / (between + (attempts - 1) * within)
        spread = np.sqrt(np.maximum(rate * (1 - rate) * (1 + (attempts - 1) * rho), 0) / (people * attempts))
        assert found.mean_half_width == pytest.approx(1.959964 * spread.mean(), rel=0.02)


def test_plans_with_very_many_attempts_take_little_memory() -> None:
    plan = plan_rate(0.02, 0.0, half_width=0.0002, individuals=3)
    assert plan.attempts > 500_000
    found = check_plan(plan, data_sets=10_000)
    assert found.data_sets == 10_000
    # only 2 degrees of freedom: E s = sqrt(pi) / 2 sigma
    assert found.mean_half_width == pytest.approx(0.0002 * 0.886, rel=0.03)
    assert check_plan(RatePlan(10**8, 10**5, 0.1, 0.1, 0.95, 1.0), data_sets=10_000).data_sets < 10_000


def test_seed_of_the_simulation() -> None:
    plan = plan_rate(0.1, 0.2, half_width=0.02, attempts=3)
    first, same, other = (check_plan(plan, data_sets=500, rng=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "half_width"),
        ({"half_width": 0.01, "below": 0.2}, "half_width"),
        ({"half_width": 0.0}, "half-width"),
        ({"half_width": -0.01}, "half-width"),
        ({"half_width": nan}, "half-width"),
        ({"half_width": float("inf")}, "half-width"),
        ({"half_width": 0.01, "scale": "log"}, "^scale "),
        ({"half_width": 0.01, "pi": 0}, "^pi "),
        ({"half_width": 0.01, "pi": 1.0}, "^pi "),
        ({"half_width": 0.01, "pi": nan}, "^pi "),
        ({"below": 0.2, "pi": -0.1}, "^pi "),
        ({"below": 0.1}, "0.1"),
        ({"below": 0.05}, "0.05"),
        ({"below": 1.2}, "claimed rate"),
        ({"below": 0.2, "power": 1.0}, "^power "),
        ({"below": 0.2, "power": 0.3}, "power"),
        ({"below": 0.2, "confidence": 0.5}, "^confidence "),
        ({"half_width": 0.01, "confidence": 1.0}, "^confidence "),
        ({"half_width": 0.01, "rho": -0.1}, "^rho "),
        ({"half_width": 0.01, "rho": 1.1}, "^rho "),
        ({"half_width": 0.01, "rho": nan}, "^rho "),
        ({"half_width": 0.01, "individuals": 9, "attempts": 9}, "individuals or the attempts"),
        ({"half_width": 0.01, "attempts": 0}, "^attempts "),
        ({"half_width": 0.01, "individuals": 0}, "^individuals "),
        ({"half_width": 0.01, "individuals": 1, "rho": 0.0}, "2 are"),
        ({"half_width": 0.01, "person_cost": -1.0}, "cost of a person"),
        ({"half_width": 0.01, "person_cost": nan}, "cost of a person"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    values = {"pi": 0.1, "rho": 0.2, **options}
    with pytest.raises(ParameterError, match=message):
        plan_rate(**values)


@pytest.mark.parametrize("pi", [0, 1, -0.1, nan])
def test_rule_of_thirty_out_of_range(pi: float) -> None:
    with pytest.raises(ParameterError, match=r"^pi "):
        rule_of_thirty(pi)


def test_names_of_the_json() -> None:
    found = plan_rate(0.02, 0.1, half_width=0.005, attempts=5).to_dict()
    assert (found["individuals"], found["attempts"], found["total"]) == (844, 5, 4220)  # 3.8415 .0196 1.4 / (5 .005^2)
    assert {"attempts", "individuals", "cost", "total"} == set(found["trade_off"][0])


@pytest.mark.parametrize("half_width", [5e-324, 1e-300, 1e-20])
@pytest.mark.parametrize("scale", ["linear", "logit"])
def test_a_half_width_of_next_to_nothing_is_refused(half_width: float, scale: Any) -> None:
    with pytest.raises(ParameterError) as error:
        plan_rate(0.1, 0.0, half_width=half_width, scale=scale)
    assert error.value.code == "too-many-attempts"


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
    plan = plan_rate(pi, rho, below=claim, attempts=attempts)
    error = 4 * sqrt(0.25 / DATA_SETS)
    for people, power in ((plan.individuals, plan.power), (before, its_power)):
        found = share_below(oman_zucker(people, attempts, pi, rho, rng), attempts, claim)
        assert found == pytest.approx(power, abs=error + 0.005)
        assert UpperBound(pi, rho, claim, 0.95).power(people, attempts) == pytest.approx(found, abs=error)
    assert plan.power is not None
    assert plan.power >= 0.8


def test_power_stays_above_what_is_asked_for() -> None:
    plan, bound = plan_rate(0.002, 0.05, below=0.01, attempts=4), UpperBound(0.002, 0.05, 0.01, 0.95)
    people = plan.individuals
    assert bound.power(people - 1, 4) < 0.8
    assert min(bound.power(number, 4) for number in range(people, 2 * people)) >= 0.8


def test_power_summed_and_simulated_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = UpperBound(0.01, 0.1, 0.02, 0.95, "beta-binomial")
    summed = bound.power(300, 6)
    monkeypatch.setattr("fairtrial.repeated.rate_plans._SUMMED", 1)
    assert bound.power(300, 6) != summed
    assert bound.power(300, 6) == pytest.approx(summed, abs=4 * sqrt(0.25 / 20_000))


def test_people_are_drawn_alike_whether_they_or_their_attempts_are_more() -> None:
    rng = np.random.default_rng(0)
    for individuals, attempts in ((40, 6), (6, 40)):
        people = drawn_people(individuals, errors_pmf(attempts, 0.2, 0.3), 20_000, rng)
        assert np.mean(people.estimate) == pytest.approx(0.2, abs=0.005)
        variance = 0.2 * 0.8 * (1 + (attempts - 1) * 0.3) / (individuals * attempts)
        assert np.var(people.estimate) == pytest.approx(variance, rel=0.06)
