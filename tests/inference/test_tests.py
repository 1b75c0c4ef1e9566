"""The result of a test: p values, intervals and equivalence by the distribution that the test has."""

from dataclasses import replace
from math import inf, isfinite, isnan

import numpy as np
import pytest
from scipy import stats

from fairtrial import ParameterError, Trials
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.inference import TrialSets, judge_at
from fairtrial.inference.estimates import Estimate
from fairtrial.inference.student import Alternative
from fairtrial.inference.tests import TestResult, equivalence_test, student_test, z_test
from fairtrial.inference.variance import Variance

SIDES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


def claimed(estimate: float, sigma: float, degrees: float) -> Estimate:
    return Estimate(estimate, Variance(sigma**2, sigma**2 / 2, sigma**2 / 2, 0.0, degrees), degrees + 1)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("estimate", [-0.3, 0.0, 0.1, 2.0])
@pytest.mark.parametrize("degrees", [3.0, 17.5, inf])
def test_p_values_against_scipy(alternative: Alternative, estimate: float, degrees: float) -> None:
    law = stats.norm if degrees == inf else stats.t(degrees)
    z = estimate / 0.1
    expected = {"two-sided": 2 * law.sf(abs(z)), "less": law.cdf(z), "greater": law.sf(z)}[alternative]
    result = student_test("t", claimed(estimate, 0.1, degrees), alternative=alternative)
    assert result.p_value == pytest.approx(expected)
    assert result.statistic == pytest.approx(z)
    assert result.degrees == degrees
    if degrees == inf:
        assert z_test("z", estimate, 0.1, alternative=alternative).p_value == pytest.approx(expected)


def test_interval_is_by_the_distribution_of_the_test() -> None:
    result = student_test("t", claimed(0.02, 0.01, 5.0))
    reach = stats.t.ppf(0.95, 5) * 0.01
    assert result.interval(0.9) == pytest.approx((0.02 - reach, 0.02 + reach))
    assert z_test("z", 0.02, 0.01).interval() == pytest.approx((0.02 - 0.0196, 0.02 + 0.0196), abs=1e-5)


def test_certainty_is_never_printed() -> None:
    (row,) = (row for section in z_test("z", 1.0, 0.01).tables()[0].sections() for row in section)
    assert row[-2:] == ["< 0.0001", "> 99.99"]


def test_without_spread_nothing_is_tested_and_it_is_said() -> None:
    assert z_test("z", 0.0, 0.0).p_value == 1
    found = z_test("z", 0.1, 0.0)
    assert (found.p_value, found.note) == (1, "without any spread a difference cannot be tested")


@pytest.mark.parametrize("degrees", [3.0, 40.0, inf])
def test_equivalence_is_two_one_sided_tests(degrees: float) -> None:
    close = student_test("t", claimed(0.001, 0.002, degrees))
    result = equivalence_test(close, 0.006)
    law = stats.norm if degrees == inf else stats.t(degrees)
    assert result.p_value == pytest.approx(law.sf((0.006 - 0.001) / 0.002))
    assert (result.alternative, result.degrees) == ("less", degrees)
    assert result.interval() == close.interval()
    assert equivalence_test(student_test("t", claimed(-0.001, 0.002, degrees)), 0.006).alternative == "greater"
    assert equivalence_test(close, 0.0005).p_value > 0.5
    assert equivalence_test(close, 0.02).note == "a small p value says that the difference is within 2.00 %"
    cost = replace(close, measure="dcf", is_share=False)
    assert equivalence_test(cost, 0.02).note == "a small p value says that the difference is within 0.02"
    with pytest.raises(ParameterError, match="margin must be above 0"):
        equivalence_test(close, 0)
    with pytest.raises(ParameterError, match="test mcnemar has no standard deviation"):
        equivalence_test(TestResult("mcnemar", 1.0, 0.3, 0.01), 0.1)


def test_equivalence_of_systems_that_are_alike_is_not_tested_and_it_is_said() -> None:
    for alike in (student_test("t", claimed(0.0, 0.0, 5.0)), z_test("z", 0.0, 0.0)):
        found = equivalence_test(alike, 0.1)
        assert (found.p_value, found.statistic) == (1, 0)
        assert found.note == "the two do not differ on any trial that counts: without any spread nothing can be tested"
        # an interval of no width would be a claim
        assert alike.interval() is None
        assert isnan(alike.interval_entry()["low"])
    assert student_test("t", claimed(0.0, 0.0, 5.0)).note == found.note


def test_equivalence_of_four_people_is_not_sure() -> None:
    # 4 clients and 4 impostors, one false reject of A: a normal distribution would be sure of anything
    claim, subject = np.divmod(np.arange(16), 4)
    claim, subject = np.concatenate([claim, np.arange(4)]), np.concatenate([subject + 100, np.arange(4)])
    genuine = claim == subject
    scores = np.repeat(np.where(genuine, 1.0, 0.0)[:, None], 2, axis=1)
    scores[16, 0] = 0.0
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    test = leading_test(pair_judgements(*(judge_at(sets, 0.5, system=name) for name in ("a", "b"))))
    assert test.sigma is not None
    assert test.degrees <= 3 + 1e-9
    found = equivalence_test(test, 1.0)
    # none of 16 impostor trials is discordant: rule of three
    sigma = np.hypot(test.sigma, 0.5 * 3 / stats.norm.isf(0.05) / 16)
    assert found.p_value == pytest.approx(stats.t.sf((1.0 - test.estimate) / sigma, test.degrees), rel=1e-3)
    assert found.p_value > 1e-4


def test_no_p_is_0_because_a_variance_is() -> None:
    # A rejects every client once and B none: the same difference for all, so no spread between people
    claim = np.concatenate([np.repeat(np.arange(2), 2), np.repeat(np.arange(2), 3)])
    subject = np.concatenate([np.repeat(np.arange(2), 2), 100 + np.tile(np.arange(3), 2)])
    genuine = claim == subject
    scores = np.repeat(np.where(genuine, 1.0, 0.0)[:, None], 2, axis=1)
    scores[[0, 2], 0] = 0.0
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    test = leading_test(pair_judgements(*(judge_at(sets, 0.5, system=name) for name in ("a", "b"))))
    assert test.estimate == pytest.approx(0.25)
    assert isfinite(test.statistic)
    assert test.p_value > 0.01
    assert equivalence_test(test, 0.5).p_value > 0.01
