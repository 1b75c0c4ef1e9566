"""Many rates at once: limits, critical values, differences and ratios."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fairtrial import Trials
from fairtrial.counting.tallies import as_source, count_errors
from fairtrial.groups.membership import Membership
from fairtrial.groups.rates import JudgedGroups, RateFamily, TailRates, people_correlation
from fairtrial.inference import TrialSets, judge, judge_at
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import Threshold, judged_interval
from fairtrial.inference.people import People
from simulated import crossed


def grouped(judgement: Judgement, codes: NDArray[np.int64], threshold: Threshold = "re-estimated") -> JudgedGroups:
    names = tuple(str(code) for code in range(1 + int(codes.max())))
    return JudgedGroups(judgement, Membership(("group",), names, codes), threshold)


def independent(errors: list[int], trials: list[int]) -> RateFamily:
    """False accepts of groups whose trials are all of other people."""
    accepted = np.concatenate([np.arange(n) < k for k, n in zip(errors, trials, strict=True)])
    groups = np.repeat(np.arange(len(trials)), trials)
    genuine = np.arange(len(groups) + len(trials)) >= len(groups)
    scores = np.concatenate([accepted.astype(float), np.ones(len(trials))])
    judgement = judge_at(TrialSets(None, Trials.from_arrays(scores, genuine)), 0.5)
    return grouped(judgement, np.concatenate([groups, np.arange(len(trials))]), "fixed").families["far"]


def test_limits_of_independent_trials_are_jeffreys() -> None:
    family = independent([3, 0, 40], [100, 50, 200])
    low, high = family.limits(1.959963984540054)
    for k, (errors, trials) in enumerate([(3, 100), (0, 50), (40, 200)]):
        expected = stats.beta(errors + 0.5, trials - errors + 0.5).ppf([0.025, 0.975])
        assert high[k] == pytest.approx(expected[1], rel=0.02)
        assert low[k] == pytest.approx(expected[0] if errors else 0.0, rel=0.02)


@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.5])
def test_limits_of_a_sum_are_its_extremes_over_all_pairs_of_deviates(correlation: float) -> None:
    rates, joint = TailRates(((0.1, 0.5, 40.0), (0.04, 0.5, 90.0)), correlation, (200, 400)), 3.0
    deviates = np.linspace(-joint, joint, 801)
    one, other = (np.where(deviates < 0, *rates.limits(which, abs(deviates))) for which in (0, 1))
    sizes = deviates[:, None] ** 2 - 2 * correlation * np.outer(deviates, deviates) + deviates**2
    totals = ((one[:, None] + other) / 2)[sizes <= (1 - correlation**2) * joint**2]
    below, above = rates.sides(joint)
    assert (0.07 - below, 0.07 + above) == pytest.approx((totals.min(), totals.max()), rel=0.005)
    # MOVER's ellipse is smaller towards 0
    mover = sqrt(sum(distance**2 for distance in (0.05 - one[0] / 2, 0.02 - other[0] / 2)))
    assert correlation or below > 1.02 * mover


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
    same = replace(independent([10, 10, 10], [200, 200, 200]), correlation=np.ones((3, 3)))
    assert same.critical(0.95) == pytest.approx(1.96, abs=0.04)


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


@pytest.mark.parametrize("threshold", ["re-estimated", "fixed"])
def test_limits_of_all_trials_as_one_group_are_near_those_of_the_judgement(threshold: Threshold) -> None:
    dev, test = (crossed(np.random.default_rng(k), effect=0.6, start=1000 * k, systems=("a",)) for k in (1, 2))
    judgement = judge(TrialSets(dev, test))
    one = grouped(judgement, np.zeros(len(test), dtype=np.int64), threshold)
    assert one.half_totals is not None
    for measure, family in (*one.families.items(), ("hter", one.half_totals)):
        expected = judged_interval(judgement, measure=measure, threshold=threshold)
        low, high = family.limits(stats.norm.isf(0.025))
        # Jeffreys' limits here, Wilson's there; the threshold moves the rates of test on the scale of the log-odds
        assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), rel=0.1)
        assert family.sigma[0] == pytest.approx(expected.sigma, rel=1e-9 if threshold == "fixed" else 0.1)


def test_correlation_of_groups_by_brute_force() -> None:
    """Over all pairs of trials that share somebody, each pair once."""
    rng = np.random.default_rng(2)
    people, trials = 24, 400
    claim = np.concatenate([np.arange(people), rng.integers(0, people, trials)])
    subject = np.concatenate([np.arange(people), rng.integers(0, people, trials)])
    genuine = np.arange(len(claim)) < people
    other = ~genuine & (claim == subject)
    subject[other] = (subject[other] + 1) % people
    effect = rng.normal(size=people)
    wrong = rng.normal(size=len(claim)) + effect[claim] + effect[subject] > 1
    part = People.of(Trials.from_arrays(wrong.astype(float), genuine, claim=claim, subject=subject)).impostor
    groups = claim[part.rows] % 2
    correlation, pairs = people_correlation(part, groups, wrong[part.rows], 2)
    who = [{int(a), int(b)} for a, b in zip(claim[part.rows], subject[part.rows], strict=True)]
    residual = wrong[part.rows] - (np.bincount(groups, wrong[part.rows]) / np.bincount(groups))[groups]
    covariance = np.zeros((2, 2))
    for i, one in enumerate(who):
        for j, two in enumerate(who):
            covariance[groups[i], groups[j]] += residual[i] * residual[j] * bool(one & two)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert correlation == pytest.approx(np.array([[1, expected], [expected, 1]]), rel=1e-9)
    assert pairs[0, 1] == 0  # even and odd claims


def test_variance_of_groups_is_that_of_new_data() -> None:
    """Over many sets of the same design: people of the small group are few, and those of dev tell how they vary."""
    rates, variances = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        dev, test = (
            crossed(rng, clients=24, impostors=12, effect=0.7, start=start, systems=("a",)) for start in (1000, 2000)
        )
        assert test.claim is not None
        small = test.claim.numbered().codes.astype(np.int64) % 24 < 6
        judgement = replace(judge(TrialSets(dev, test)), test=count_errors(as_source(test), [1.2]))
        family = grouped(judgement, small.astype(np.int64), "fixed").families["far"]
        rates.append(family.rate)
        variances.append(family.variance)
    assert np.mean(variances, axis=0) == pytest.approx(np.var(rates, axis=0), rel=0.3)


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
    family = grouped(judgement, codes, "fixed").families["far"]
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
    moving, fixed = (grouped(judgement, codes, how).families["far"] for how in ("re-estimated", "fixed"))
    added = moving.sigma**2 - fixed.sigma**2
    assert (added > 0).all()
    widths = [np.ptp(family.difference_limits(2.0), axis=0)[0] for family in (moving, fixed)]
    assert widths[0] ** 2 - widths[1] ** 2 < 0.5 * (2 * 2.0) ** 2 * added.sum()


def test_pairs_are_those_of_two_groups_alone() -> None:
    """Also if there are as many pairs as groups."""
    dev, test = (crossed(np.random.default_rng(k), clients=30, start=1000 * k, systems=("a",)) for k in (1, 2))
    assert test.claim is not None
    claim = test.claim.numbered().codes.astype(np.int64)
    codes = np.digitize(claim, [3, 9])
    three = grouped(judge(TrialSets(dev, test)), codes).families["far"]
    kept = np.flatnonzero(codes > 0)
    judgement = judge(TrialSets(dev, test)).within(kept)
    pair = grouped(judgement, codes[kept] - 1).families["far"]
    low, high = (limits[2] for limits in three.difference_limits(2.0))
    assert (low, high) == pytest.approx([float(limits[0]) for limits in pair.difference_limits(2.0)], rel=0.02)


def test_no_errors_at_all() -> None:
    family = independent([0, 0], [50, 80])
    assert family.statistics.tolist() == [0.0]
    assert family.adjusted(family.statistics).tolist() == [1.0]
    low, high = family.ratio_limits(1.96)
    assert (low[0], high[0]) == (0.0, np.inf)


def test_roles_apart_by_brute_force() -> None:
    """Pairs of trials by what they share in the same role, though everybody takes part in both roles."""
    rng = np.random.default_rng(4)
    claim, subject = rng.integers(0, 6, (2, 80))
    genuine = claim == subject
    wrong = rng.random(80) < 0.3
    part = People.of(Trials.from_arrays(wrong.astype(float), genuine, claim=claim, subject=subject)).impostor
    assert list(part.by_role) == ["person"]
    moments = part.roles_apart().moments([wrong[part.rows]])
    claim, subject = claim[part.rows], subject[part.rows]
    residual = wrong[part.rows] - wrong[part.rows].mean()
    same = [person[:, None] == person[None, :] for person in (claim, subject)]
    shared = {"claim": same[0] & ~same[1], "subject": same[1] & ~same[0], "both": same[0] & same[1]}
    np.fill_diagonal(shared["both"], False)
    for kind, pairs in shared.items():
        assert moments.pairs[kind] == pairs.sum()
        assert moments.products[kind][0, 0] == pytest.approx(residual @ pairs @ residual)
