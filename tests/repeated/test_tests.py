"""Tests of people who were tested several times, against brute force, other formulas, and simulation."""

from __future__ import annotations

from itertools import product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fairtrial as ft
from fairtrial.inference.student import Alternative
from fairtrial.repeated.models import draw_individuals
from fairtrial.repeated.tests import IndividualsTest, IndividualsTests, individuals_test
from reference.individuals_2004 import EXAMPLE

PEOPLE = ft.Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)


def by_name(found: IndividualsTests) -> dict[str, IndividualsTest]:
    return {test.test: test for test in found.tests}


def p_values(found: IndividualsTests) -> dict[str, float]:
    return {name: test.p_value for name, test in by_name(found).items()}


def by_pairs(*devices: tuple[list[int], list[int]]) -> tuple[float, float]:
    """The variance of a rate, or of the difference of two of the same people, and its degrees of freedom, by loops."""
    people = [np.repeat(np.arange(len(attempts)), attempts) for _, attempts in devices]
    wrong = [np.concatenate([np.arange(m) < x for x, m in zip(*device, strict=True)]) for device in devices]
    centred = [values - values.mean() for values in wrong]
    variances, noise = [], 0.0
    for person, values in zip(people, centred, strict=True):
        trials = len(values)
        shared = (person[:, None] == person) & ~np.eye(trials, dtype=bool)
        products = np.outer(values, values)
        apart = products[person[:, None] != person].mean()
        by_person = [products[shared & (person == k)].sum() for k in np.unique(person)]
        alike = (shared * (products - apart)).sum()
        single = (values**2).mean() - min(apart, 0)
        variances.append((trials * single + max(alike, 0)) / trials**2)
        people_less_one = trials**2 / np.sum(np.bincount(person) ** 2) - 1
        fourth = np.var(by_person) * len(by_person) / trials**4
        noise += max(fourth, 2 * variances[-1] ** 2 / people_less_one)
    df = max(2 * sum(variances) ** 2 / noise, 2)
    if len(devices) == 1:
        return variances[0], df
    meet = people[0][:, None] == people[1]
    products = np.outer(*centred)
    joint = (products[meet].mean() - products[~meet].mean()) * meet.mean()
    limit = sqrt(variances[0] * variances[1])
    return sum(variances) - 2 * float(np.clip(joint, -limit, limit)), min(df, people_less_one)


def test_rate_test_is_the_interval_of_a_clustered_rate() -> None:
    attempts = np.array([3, 5, 5, 8, 2, 6, 4, 7, 5, 5])
    errors = np.array([0, 1, 0, 4, 0, 1, 0, 0, 2, 0])
    claim = np.repeat(np.arange(10), attempts)
    wrong = np.concatenate([np.arange(m) < x for x, m in zip(errors, attempts, strict=True)])
    scores = np.concatenate([np.where(wrong, 0.0, 2.0), np.zeros(20)])
    genuine = np.arange(len(scores)) < len(claim)
    trials = ft.Trials.from_arrays(scores, genuine, claim=[*claim, *range(100, 120)])
    sets = ft.inference.TrialSets(None, trials, cluster="claim")
    interval = ft.inference.judged_interval(ft.inference.judge_at(sets, 1.0), measure="frr")
    found = by_name(individuals_test(ft.Individuals.from_counts(errors, attempts), rate=0.5))["cluster"]
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-12)


def test_variance_of_a_rate_against_pairs_of_attempts() -> None:
    errors, attempts, rate = [0, 1, 0, 4, 0, 1, 0, 0, 2, 5], [3, 5, 5, 8, 2, 6, 4, 7, 5, 5], 0.1
    variance, df = by_pairs((errors, attempts))
    estimate = 13 / 50
    effective = estimate * (1 - estimate) / variance * 50 / 49
    found = by_name(individuals_test(ft.Individuals.from_counts(errors, attempts), rate=rate))["cluster"]
    assert found.degrees == pytest.approx(df)
    assert found.statistic == pytest.approx((estimate - rate) / sqrt(rate * (1 - rate) / effective))
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, df))


def test_without_errors_all_attempts_of_a_person_count_as_one() -> None:
    found = by_name(individuals_test(ft.Individuals.from_counts([0] * 40, 5), rate=0.3))["cluster"]
    quantile = stats.t.ppf(0.975, 39)
    assert (found.low, found.high) == pytest.approx((0, quantile**2 / (40 + quantile**2)), rel=0.01)


@given(st.floats(0.001, 0.999), st.lists(st.tuples(st.integers(0, 6), st.integers(6, 9)), min_size=3, max_size=12))
@settings(deadline=None)
def test_p_value_of_a_rate_says_whether_the_interval_holds_it(rate: float, rows: list[tuple[int, int]]) -> None:
    errors, attempts = zip(*rows, strict=True)
    for test in individuals_test(ft.Individuals.from_counts(errors, attempts), rate=rate).tests:
        if test.low + 1e-9 < rate < test.high - 1e-9:
            assert test.p_value >= 0.05
        elif not test.low - 1e-9 <= rate <= test.high + 1e-9:
            assert test.p_value <= 0.05


def test_any_correlation_is_the_relative_entropy() -> None:
    rate, found = 0.4, EXAMPLE.pi
    entropy = found * log(found / rate) + (1 - found) * log((1 - found) / (1 - rate))
    p = p_values(individuals_test(PEOPLE, rate=rate, alternative="less"))["any-correlation"]
    assert p == pytest.approx(np.exp(-len(EXAMPLE.errors) * entropy))
    assert p_values(individuals_test(PEOPLE, rate=rate, alternative="greater"))["any-correlation"] == 1


def test_any_correlation_without_errors_is_exact_over_individuals() -> None:
    people = ft.Individuals.from_counts([0] * 299, 5)
    assert p_values(individuals_test(people, rate=0.01, alternative="less"))["any-correlation"] == pytest.approx(
        0.99**299
    )
    found = by_name(individuals_test(people, rate=0.01, confidence=0.9))["any-correlation"]
    assert found.high == pytest.approx(1 - 0.05 ** (1 / 299))


def test_what_holds_its_level_leads() -> None:
    errors = [0] * 95 + [1] * 5
    first = [
        individuals_test(ft.Individuals.from_counts(errors, m), rate=rate).tests[0] for m, rate in ((5, 0.05), (5, 0.2))
    ]
    assert [test.test for test in first] == ["any-correlation", "cluster"]


@pytest.mark.parametrize("errors", [0, 3, 8, 60])
def test_single_attempts_have_the_binomial_test(errors: int) -> None:
    people = ft.Individuals.from_counts([1] * errors + [0] * (60 - errors), 1)
    found = individuals_test(people, rate=0.05)
    assert found.tests[0].test == "any-correlation"
    assert "few-expected" not in [note.code for note in found.notes]
    sides: tuple[Alternative, ...] = ("less", "greater")
    for side in sides:
        p_value = stats.binomtest(errors, 60, 0.05, side).pvalue
        assert individuals_test(people, rate=0.05, alternative=side).tests[0].p_value == pytest.approx(p_value)
    limits = stats.binomtest(errors, 60).proportion_ci(0.95)
    assert (found.tests[0].low, found.tests[0].high) == pytest.approx((limits.low, limits.high))


@given(st.integers(1, 30), st.floats(0.01, 0.99), st.integers(1, 4))
@settings(deadline=None)
def test_any_correlation_holds_where_all_attempts_of_a_person_are_the_same(
    wrong: int, rate: float, attempts: int
) -> None:
    people = ft.Individuals.from_counts([attempts] * wrong + [0] * (30 - wrong), attempts)
    for side, tail in (("greater", stats.binom.sf(wrong - 1, 30, rate)), ("less", stats.binom.cdf(wrong, 30, rate))):
        assert p_values(individuals_test(people, rate=rate, alternative=side))["any-correlation"] >= tail - 1e-12  # type: ignore[arg-type]


def test_any_correlation_of_unequal_attempts_against_the_least_bound() -> None:
    errors, attempts, rate = np.array([3, 0, 1, 0, 9]), np.array([5, 2, 8, 1, 10]), 0.1
    weights = attempts / attempts.sum()
    tilts = np.linspace(0, 200, 400_001)[:, None]
    bounds = np.log(1 - rate + rate * np.exp(tilts * weights)).sum(axis=1) - tilts[:, 0] * errors.sum() / attempts.sum()
    found = individuals_test(ft.Individuals.from_counts(errors, attempts), rate=rate, alternative="greater")
    assert p_values(found)["any-correlation"] == pytest.approx(np.exp(bounds.min()), rel=1e-6)


def test_unpaired_devices_against_pairs_of_attempts() -> None:
    a, b = ([0, 1, 0, 2, 3, 0, 1], [5] * 7), ([2, 3, 5, 1, 4], [8, 6, 8, 3, 8])
    (variance_a, df_a), (variance_b, df_b) = by_pairs(a), by_pairs(b)
    variance = variance_a + variance_b
    df = variance**2 / (variance_a**2 / df_a + variance_b**2 / df_b)
    difference = sum(a[0]) / sum(a[1]) - sum(b[0]) / sum(b[1])
    found = individuals_test(a, b).tests[0]
    assert found.statistic == pytest.approx(difference / sqrt(variance))
    assert found.p_value == pytest.approx(2 * stats.t.cdf(found.statistic, df))
    reach = stats.t.ppf(0.975, df) * sqrt(variance)
    assert (found.low, found.high) == pytest.approx((difference - reach, difference + reach))


def test_paired_devices_against_pairs_of_attempts() -> None:
    a, b = ([0, 1, 0, 2, 3, 0, 1], [5, 3, 5, 4, 5, 2, 5]), ([1, 0, 0, 5, 4, 1, 1], [8, 6, 8, 5, 8, 2, 3])
    variance, df = by_pairs(a, b)
    found = individuals_test(a, b, paired=True).tests[0]
    assert found.statistic == pytest.approx((7 / 29 - 12 / 40) / sqrt(variance))
    assert found.degrees == pytest.approx(df)


def test_paired_devices_against_students_t_of_differences() -> None:
    a, b = np.array([0, 7, 0, 2, 3, 0, 1, 4, 2, 0]), np.array([2, 3, 6, 1, 8, 2, 3, 5, 4, 2])
    found = individuals_test((a, 8), (b, 8), paired=True).tests[0]
    assert found.statistic == pytest.approx(stats.ttest_rel(a, b).statistic)
    assert found.p_value == pytest.approx(2 * stats.t.cdf(found.statistic, found.degrees))


def test_the_same_difference_for_everybody_has_the_variance_of_independent_attempts() -> None:
    found = individuals_test(([1] * 9, 5), ([0] * 9, 5), paired=True).tests[0]
    assert found.statistic == pytest.approx(0.2 / sqrt(0.2 * 0.8 / 45))


def test_devices_with_the_same_errors_differ_by_less_than_half_an_error_of_each() -> None:
    found = individuals_test(([1, 1, 0, 0], 1), ([1, 1, 0, 0], 1), paired=True).tests[0]
    reach = stats.t.ppf(0.975, 3) * sqrt(2 * 0.125 * 0.875 / 4)
    assert (found.p_value, found.low, found.high) == pytest.approx((1, -reach, reach))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9))
@settings(deadline=None)
def test_sign_flip_against_all_signs(rows: list[tuple[int, int]]) -> None:
    a, b = zip(*rows, strict=True)
    differences = np.subtract(a, b)
    sums = np.array([signs @ np.abs(differences) for signs in product((-1, 1), repeat=len(rows))])
    total = differences.sum()
    expected = {
        "less": np.mean(sums <= total),
        "greater": np.mean(sums >= total),
        "two-sided": np.mean(np.abs(sums) >= abs(total)),
    }
    for alternative, p_value in expected.items():
        found = individuals_test((a, 4), (b, 4), paired=True, alternative=alternative)  # type: ignore[arg-type]
        assert p_values(found)["sign-flip"] == pytest.approx(p_value, abs=1e-12)


def test_sign_flip_needs_as_many_attempts_with_both_devices() -> None:
    found = individuals_test(([1, 0, 2], [5, 5, 5]), ([1, 1, 2], [5, 5, 6]), paired=True)
    assert [test.test for test in found.tests] == ["cluster"]


@pytest.mark.parametrize(("rho", "attempts"), [(0.3, [2, 3, 5, 10]), (0.7, [20])])
def test_level_is_held(rho: float, attempts: list[int]) -> None:
    rng = np.random.default_rng(2)
    tried, pi, data_sets = np.resize(attempts, 40), 0.15, 100
    rejected = np.zeros(3)
    for _ in range(data_sets):
        a, b, c = (draw_individuals(tried, pi, rho, generator="beta-binomial", rng=rng) for _ in range(3))
        # the second device repeats the first one's errors for half of the people
        b = np.where(np.arange(40) % 2, a, b)
        people = [ft.Individuals.from_counts(errors, tried) for errors in (a, c)]
        found = (
            individuals_test(people[0], rate=pi),
            individuals_test(*people),
            individuals_test((a, tried), (b, tried), paired=True),
        )
        rejected += [test.tests[0].p_value <= 0.05 for test in found]
    # four standard deviations above 5 %
    assert (rejected / data_sets <= 0.05 + 4 * sqrt(0.05 * 0.95 / data_sets)).all()
    assert rejected.sum() > 0


def test_a_large_difference_is_found() -> None:
    rng = np.random.default_rng(3)
    a, b = (draw_individuals([5] * 60, pi, 0.2, generator="beta-binomial", rng=rng) for pi in (0.05, 0.35))
    people = [ft.Individuals.from_counts(errors, 5) for errors in (a, b)]
    assert individuals_test(*people, alternative="less").tests[0].p_value < 1e-4
    assert individuals_test(*people, alternative="greater").tests[0].p_value > 0.999
    assert max(p_values(individuals_test((a, 5), (b, 5), paired=True)).values()) < 1e-4
    assert max(p_values(individuals_test(people[1], rate=0.02)).values()) < 1e-3


def test_notes_say_where_little_can_be_told() -> None:
    few = individuals_test(ft.Individuals.from_counts([0, 1, 0, 0], 5), rate=0.1)
    assert [note.code for note in few.notes] == ["few-errors", "few-expected"]
    assert (few.notes[0].values, few.notes[1].values["expected"]) == ({"count": 1}, pytest.approx(0.4))
    assert individuals_test(ft.Individuals.from_counts([3] * 60, 5), rate=0.3).notes == ()
    both = individuals_test(([0, 1], 5), ([0, 0], 5), paired=True).notes
    assert [(note.code, note.values) for note in both] == [("few-errors", {"count": 1})]


def test_one_device_against_a_rate_or_two_against_each_other() -> None:
    a, b = ([0, 1, 0, 2, 0], 5), ([3, 2, 0, 4, 1], 5)
    counted = [ft.Individuals.from_counts(*device) for device in (a, b)]
    assert individuals_test(a, rate=0.1) == individuals_test(counted[0], rate=0.1)
    assert individuals_test(a, b) == individuals_test(*counted)
    for wrong in ({}, {"rate": 0.1, "paired": True}, {"b": b, "rate": 0.1}):
        with pytest.raises(ft.ParameterError) as error:
            individuals_test(a, **wrong)
        assert error.value.code == "does-not-apply"
    with pytest.raises(ft.ParameterError) as error:
        individuals_test(PEOPLE, PEOPLE, paired=True)
    assert error.value.code == "unordered"


def test_what_is_not_possible() -> None:
    for rate in (0, 1, -0.1, float("nan")):
        with pytest.raises(ft.ParameterError, match="rate"):
            individuals_test(PEOPLE, rate=rate)
    with pytest.raises(ft.ParameterError) as error:
        individuals_test(([0, 1], 5), ([0, 1, 2], 5), paired=True)
    assert error.value.code == "other-people"
    with pytest.raises(ft.ParameterError, match="alternative"):
        individuals_test(PEOPLE, PEOPLE, alternative="lower")  # type: ignore[arg-type]
    with pytest.raises(ft.ParameterError, match="confidence"):
        individuals_test(PEOPLE, PEOPLE, confidence=95)


@pytest.mark.parametrize("rate", [5e-324, 1e-300, 1 - 2**-53])
def test_a_rate_next_to_none_or_all(rate: float) -> None:
    people = ft.Individuals.from_counts([0, 0, 1, 2, 0, 1], 5)
    found = individuals_test(people, rate=rate)
    assert all(test.p_value == pytest.approx(0.0, abs=1e-9) for test in found.tests if test.test == "cluster")
