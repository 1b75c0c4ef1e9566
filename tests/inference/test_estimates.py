"""Estimates: limits and tests agree, nothing depends on the order of rows, levels hold on new people."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fairtrial import MEASURES, Trials
from fairtrial.inference import TrialSets, judge, judge_at, make_blocks
from fairtrial.inference.estimates import (
    Estimate,
    dev_influence,
    error_moments,
    estimate,
    neighbour_correlations,
    threshold_curve,
    tube_quantile,
    variance_of_values,
)
from fairtrial.inference.thresholds import DEVIATIONS
from fairtrial.inference.variance import Variance
from simulated import crossed, without_ids

HTER = MEASURES["hter"]


def two_sets(seed: int = 1, **options: float) -> TrialSets:
    rng = np.random.default_rng(seed)
    dev, test = (crossed(rng, effect=0.4, correlation=0.5, start=start) for start in (0, 500))
    return TrialSets(dev, test)


def shuffled(trials: Trials, seed: int) -> Trials:
    return trials.rows(np.random.default_rng(seed).permutation(len(trials)))


@pytest.mark.parametrize(("criterion", "alpha"), [("eer", 0.5), ("far", 0.01), ("wer-min", 0.9), ("wer-equal", 0.3)])
def test_the_order_of_rows_does_not_matter(criterion: str, alpha: float) -> None:
    sets = two_sets()
    assert isinstance(sets.dev, Trials)
    assert isinstance(sets.test, Trials)
    other = TrialSets(shuffled(sets.dev, 3), shuffled(sets.test, 4))
    found = []
    for own in (sets, other):
        a, b = (judge(own, system=name, criterion=criterion, alphas=alpha) for name in "ab")
        both = estimate([(1.0, a), (-1.0, b)], HTER)
        found.append([*estimate([(1.0, a)], HTER).interval(0.95), *both.interval(0.95), both.p_value()])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_errors_are_read_at_the_rates_asked_for() -> None:
    kept = judge(two_sets(), system="a")
    for rate in (0.1, 0.3):
        for judgement in (kept, judge(two_sets(), system="a")):
            genuine, impostor = error_moments([(judgement, 0)], "dev", [(rate, rate)], exact=False)
            read = genuine.same[0, 0] / genuine.trials, impostor.same[0, 0] / impostor.trials  # p (1 - p)
            assert read == pytest.approx((rate * (1 - rate),) * 2, rel=0.1)


@pytest.mark.parametrize(("criterion", "alpha"), [("eer", 0.5), ("far", 0.01), ("wer-min", 0.9)])
def test_an_interval_leaves_0_out_exactly_if_the_test_rejects(criterion: str, alpha: float) -> None:
    for seed in range(6):
        a, b = (judge(two_sets(seed), system=name, criterion=criterion, alphas=alpha) for name in "ab")
        made = estimate([(1.0, a), (-1.0, b)], HTER)
        p_value = made.p_value()
        low, high = made.interval(1 - p_value)
        assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-6)
        assert (made.interval(0.95)[0] > 0 or made.interval(0.95)[1] < 0) == (p_value < 0.05)


def test_straight_moves_add_their_variances() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        sigma, first, second = rng.uniform(0.1, 2, 3)
        r = rng.uniform(-0.9, 0.9)
        correlation = np.array([[1, 0, 0], [0, 1, r], [0, r, 1]])
        moves = DEVIATIONS * first, -DEVIATIONS * second
        made = Estimate(0.3, Variance(sigma**2, sigma**2, 0, 0, inf), moves=moves, correlation=correlation)
        expected = np.sqrt(sigma**2 + first**2 + second**2 - 2 * r * first * second)
        assert made.sigma == pytest.approx(expected, rel=5e-3)
        reach = stats.norm.ppf(0.975) * expected
        assert made.interval(0.95) == pytest.approx((0.3 - reach, 0.3 + reach), abs=5e-3 * reach)


def test_a_value_between_the_figure_and_the_mean_of_the_procedure_is_not_rejected() -> None:
    # the threshold only ever adds to the figure, by .1 at least
    made = Estimate(0.3, Variance(1e-4, 1e-4, 0, 0, inf), moves=(0.1 + DEVIATIONS**2,), correlation=np.eye(2))
    assert made.deviations(0.35) == 0
    assert made.p_value(null=0.35) == 1
    assert made.deviations(0.29) == pytest.approx(11)  # .1 and .01 by the test trials alone
    assert made.deviations(-9.0) == inf


def test_a_known_threshold_without_ids_has_the_variance_of_equation_13() -> None:
    trials = without_ids(crossed(np.random.default_rng(2)))
    made = estimate([(1.0, judge_at(TrialSets(None, trials), 1.0, system="a"))], HTER)
    counts = judge_at(TrialSets(None, trials), 1.0, system="a").at(0)
    expected = counts.far * (1 - counts.far) / counts.impostor + counts.frr * (1 - counts.frr) / counts.genuine
    assert made.sigma**2 == pytest.approx(expected / 4, rel=0.01)
    assert made.threshold == "fixed"


def test_thresholds_read_back_from_the_target_and_the_crossing() -> None:
    sets = two_sets()
    target = judge(sets, system="a", criterion="far", alphas=0.02)
    curve = threshold_curve(target, 0)
    assert np.all(np.diff(curve.far) > 0)
    assert np.all(np.diff(curve.thresholds) <= 0)
    pooled = np.concatenate([data.column("a")[~data.genuine] for data in (sets.dev, sets.test)])  # type: ignore[union-attr]
    for place in (10, 28, 46):
        assert np.mean(pooled > curve.thresholds[place]) == pytest.approx(curve.far[place], abs=2 / len(pooled))
    crossing = threshold_curve(judge(sets, system="a"), 0)
    middle = len(DEVIATIONS) // 2
    assert (crossing.far[middle], crossing.frr[middle]) == pytest.approx(crossing.at, abs=0.01)


def test_minima_are_hulls_around_the_chosen_threshold() -> None:
    judged = judge(two_sets(), system="a", criterion="wer-min", alphas=[0.2, 0.8])
    for index in (0, 1):
        curve = threshold_curve(judged, index)
        assert np.all(np.diff(curve.thresholds) >= 0)
        assert curve.thresholds[0] <= judged.test.threshold[index] <= curve.thresholds[-1]


def test_influence_of_dev_trials_has_the_deviation_of_the_moves() -> None:
    judged = judge(two_sets(), system="a", criterion="far", alphas=0.02)
    influence = dev_influence(judged, MEASURES["frr"])
    assert influence is not None
    assert isinstance(judged.sets.dev, Trials)
    sigma = np.sqrt(variance_of_values(judged.sets.people[0], judged.sets.dev.genuine, influence).value)
    moves = threshold_curve(judged, 0).moves(lambda far, frr: frr)
    slope = np.interp([1.0, -1.0], DEVIATIONS, moves)
    assert sigma == pytest.approx(abs(slope[0] - slope[1]) / 2)


def test_the_tube_of_one_point_is_the_normal_quantile_and_many_are_bonferroni_at_most() -> None:
    assert tube_quantile(np.ones(5), 0.95) == pytest.approx(stats.norm.ppf(0.975))
    several = tube_quantile(np.zeros(4), 0.95)
    assert stats.norm.ppf(0.975) < several < stats.norm.ppf(1 - 0.05 / 2 / 10)


def test_neighbouring_alphas_correlate() -> None:
    judged = judge(two_sets(), system="a", criterion="wer-equal", alphas=np.linspace(0.3, 0.7, 9))
    found = neighbour_correlations([(1.0, judged)], HTER, np.ones(9, dtype=bool), "re-estimated")
    assert np.all((found > 0.5) & (found <= 1 + 1e-9))


def test_folds_and_given_thresholds() -> None:
    trials = crossed(np.random.default_rng(5), effect=0.4)
    folds = TrialSets(trials, trials, None, 0, make_blocks(trials, 4))
    made = estimate([(1.0, judge(folds, system="a"))], HTER)
    low, high = made.interval(0.95)
    assert low < made.value < high
    assert made.threshold == "re-estimated"


@pytest.mark.parametrize("noise", ["normal", "t3"])
def test_levels_hold_for_other_than_bell_shaped_scores(noise: str) -> None:
    rng = np.random.default_rng(8)
    rejected, limits, values = 0, [], []
    for _ in range(120):
        sets = []
        for start in (0, 500):
            trials = crossed(rng, effect=0.4, correlation=0.5, start=start)
            extra: float | NDArray[np.float64] = 0.0
            if noise == "t3":
                extra = (
                    rng.standard_normal(len(trials))[:, None]
                    * (1 / np.sqrt(rng.chisquare(3, len(trials)) / 3))[:, None]
                )
            sets.append(Trials(trials.scores + extra, trials.genuine, trials.systems, trials.claim, trials.subject))
        a, b = (judge(TrialSets(*sets), system=name, criterion="far", alphas=0.01) for name in "ab")  # type: ignore[arg-type]
        rejected += estimate([(1.0, a), (-1.0, b)], HTER).p_value() < 0.05
        made = estimate([(1.0, a)], HTER)
        limits.append(made.interval(0.95))
        values += [a.at(0).hter, b.at(0).hter]
    low, high = np.array(limits).T
    truth = np.mean(values)
    assert np.mean((low <= truth) & (truth <= high)) >= 0.88
    assert rejected / 120 <= 0.11
