"""Many rates at once: limits, critical values, differences and ratios."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fairtrial import Trials
from fairtrial.groups.covariance import RateFamily
from fairtrial.groups.results import rate_family
from fairtrial.inference import TrialSets, judge, judge_at
from fairtrial.inference.group_covariance import GroupedRates, independent_rates
from fairtrial.inference.limits import judged_interval
from simulated import crossed


def independent(errors: list[int], trials: list[int]) -> RateFamily:
    groups = np.repeat(np.arange(len(trials)), trials)
    wrong = np.concatenate([np.arange(n) < k for k, n in zip(errors, trials, strict=True)])
    return RateFamily(independent_rates(groups, wrong, len(trials)))


def test_limits_of_independent_trials_are_wilsons() -> None:
    family = independent([3, 0, 40], [100, 50, 200])
    low, high = family.limits(1.959963984540054)
    for k, (errors, trials) in enumerate([(3, 100), (0, 50), (40, 200)]):
        expected = stats.binomtest(errors, trials).proportion_ci(method="wilson")
        assert (low[k], high[k]) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_critical_value_of_independent_groups_is_sidaks() -> None:
    family = independent([5] * 6, [200] * 6)
    expected = stats.norm.isf((1 - 0.95 ** (1 / 6)) / 2)
    assert family.critical(0.95) == pytest.approx(expected, abs=0.03)


def test_critical_value_of_pairs_is_tukeys() -> None:
    family = independent([20] * 5, [400] * 5)
    expected = stats.studentized_range.ppf(0.95, 5, 1e6) / np.sqrt(2)
    assert family.pair_critical(0.95) == pytest.approx(expected, abs=0.04)
    assert family.adjusted(np.array([expected]))[0] == pytest.approx(0.05, abs=0.01)


def test_differences_that_cannot_be_large_do_not_count() -> None:
    """Of two errors, however they fall, nothing follows: such groups leave the critical value to the others."""
    alone, sparse = independent([40, 40], [800, 800]), independent([40, 40, 1, 1], [800, 800, 20, 20])
    assert alone.pair_critical(0.95) == pytest.approx(1.96, abs=0.04)
    assert sparse.pair_critical(0.95) < independent([40] * 4, [800] * 4).pair_critical(0.95) - 0.05
    assert sparse.pair_critical(0.95) > alone.pair_critical(0.95)


def test_groups_that_share_all_are_worth_one() -> None:
    grouped = independent([10, 10, 10], [200, 200, 200]).grouped
    full = np.full((3, 3), grouped.covariance[0, 0])
    same = GroupedRates(
        grouped.errors, grouped.trials, grouped.people, grouped.spreads, full, grouped.alike, grouped.crossed, None
    )
    assert RateFamily(same).critical(0.95) == pytest.approx(1.96, abs=0.04)


def test_statistics_agree_with_fishers_middle_p_for_rare_errors() -> None:
    """With many trials and few errors the conditional test is the binomial one of the numbers of errors."""
    family = independent([12, 2], [40_000, 40_000])
    binomial = stats.binom(14, 0.5)
    expected = stats.norm.isf(binomial.sf(12) + binomial.pmf(12) / 2)
    assert family.statistics[0] == pytest.approx(expected, abs=0.01)
    assert independent([2, 12], [40_000, 40_000]).statistics[0] == pytest.approx(-expected, abs=0.01)


def test_statistics_of_many_errors_are_those_of_two_proportions() -> None:
    family = independent([400, 300], [1000, 1000])
    pooled = 0.35 * 0.65 * (2 / 1000)
    assert family.statistics[0] == pytest.approx(0.1 / np.sqrt(pooled), rel=0.05)


@pytest.mark.parametrize("critical", [1.0, 1.96, 3.0])
def test_limits_exclude_equality_exactly_where_the_statistic_is_beyond(critical: float) -> None:
    family = independent([2, 9, 30, 0], [300, 300, 900, 100])
    beyond = abs(family.statistics) > critical
    low, high = family.ratio_limits(critical)
    assert ((low > 1) | (high < 1)).tolist() == beyond.tolist()
    low, high = family.difference_limits(critical)
    assert ((low > 0) | (high < 0)).tolist() == beyond.tolist()


def test_limits_of_one_group_are_those_of_the_judgement() -> None:
    """A family of one, people and a threshold that moves: the same limits as of all trials together."""
    dev, test = (crossed(np.random.default_rng(k), effect=0.6, start=1000 * k, systems=("a",)) for k in (1, 2))
    judgement = judge(TrialSets(dev, test))
    for rate in ("far", "frr"):
        for threshold in ("re-estimated", "fixed"):
            family = rate_family(judgement, np.zeros(len(test), dtype=np.int64), 1, rate, threshold)
            expected = judged_interval(judgement, measure=rate, threshold=threshold)
            low, high = family.limits(stats.norm.isf(0.025))
            assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), rel=1e-6)
            assert family.sigma[0] == pytest.approx(expected.sigma, rel=1e-6)


def test_people_in_both_groups_tell_how_their_difference_varies() -> None:
    """Claims that are bad with one device and not with another: as a paired test of claims, not of trials."""
    claims, devices, each = 40, 2, 30
    rng = np.random.default_rng(3)
    claim, device = (np.tile(own.ravel(), each) for own in np.indices((claims, devices)))
    bad = rng.normal(size=(claims, devices))[claim, device]
    impostor = Trials.from_arrays(
        bad + rng.normal(size=len(claim)), np.zeros(len(claim), dtype=bool), claim=claim, columns={"device": device}
    )
    genuine = Trials.from_arrays(
        np.full(40, 5.0), np.ones(40, dtype=bool), claim=np.arange(40), columns={"device": np.arange(40) % 2}
    )
    test = Trials.concat([genuine, impostor])
    judgement = judge_at(TrialSets(None, test), 1.0)
    codes = np.concatenate([np.arange(40) % 2, device])
    family = rate_family(judgement, codes, 2, "far", "fixed")
    wrong = (impostor.column() >= 1.0).astype(float)
    rates = np.bincount(claim * 2 + device, wrong).reshape(claims, 2) / each
    expected = stats.ttest_rel(rates[:, 0], rates[:, 1]).statistic
    assert family.statistics[0] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("errors", [[50, 80], [0, 0]])
def test_all_trials_decided_alike(errors: list[int]) -> None:
    """Rates of exactly 1 or 0 are known no better than others, and equal ones do not differ."""
    family = independent(errors, [50, 80])
    assert family.statistics.tolist() == [0.0]
    low, high = family.limits(1.96)
    assert (high - low > 0.03).all()
    low, high = family.difference_limits(1.96)
    assert low[0] < -0.03 < 0.03 < high[0]


def test_a_threshold_moves_groups_together() -> None:
    """What the threshold adds to two rates, it hardly adds to their difference."""
    dev, test = (crossed(np.random.default_rng(k), clients=30, start=1000 * k, systems=("a",)) for k in (1, 2))
    judgement = judge(TrialSets(dev, test))
    codes = np.arange(len(test)) % 2
    moving, fixed = (rate_family(judgement, codes, 2, "far", how) for how in ("re-estimated", "fixed"))
    added = moving.sigma**2 - fixed.sigma**2
    assert (added > 0).all()
    widths = [np.ptp(family.difference_limits(2.0), axis=0)[0] for family in (moving, fixed)]
    assert widths[0] ** 2 - widths[1] ** 2 < 0.5 * (2 * 2.0) ** 2 * added.sum()


def test_three_groups_have_three_pairs_and_their_own_people() -> None:
    """Of two groups the one with fewer people counts, also where there are as many pairs as groups."""
    dev, test = (crossed(np.random.default_rng(k), clients=30, start=1000 * k, systems=("a",)) for k in (1, 2))
    assert test.claim is not None
    claim = test.claim.numbered().codes.astype(np.int64)
    three = rate_family(judge(TrialSets(dev, test)), np.digitize(claim, [3, 9]), 3, "far", "re-estimated")
    pair = three.kept(np.array([False, True, True]))
    low, high = (own[2:] for own in three.difference_limits(2.0))
    assert (low[0], high[0]) == pytest.approx([float(own[0]) for own in pair.difference_limits(2.0)], rel=1e-3)


def test_no_errors_at_all() -> None:
    family = independent([0, 0], [50, 80])
    assert family.statistics.tolist() == [0.0]
    assert family.adjusted(family.statistics).tolist() == [1.0]
    low, high = family.ratio_limits(1.96)
    assert (low[0], high[0]) == (0.0, np.inf)
    assert isinstance(crossed(np.random.default_rng(0)), Trials)
