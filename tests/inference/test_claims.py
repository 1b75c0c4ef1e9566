"""Claims of figures and differences: levels and coverage by simulation, variances by brute force."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fairtrial import MEASURES, Measure, Trials
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.paired_tests import leading_test, pair_judgements
from fairtrial.inference import RateInterval, TrialSets, judge, judge_at, judged_interval, make_blocks
from fairtrial.inference.estimates import (
    Threshold,
    claim,
    claim_of_values,
    claims_along,
    largest_deviation,
    largest_of_all,
    local_weights,
    spread_of_values,
    threshold_deviations,
)
from fairtrial.rules.measures import as_measure
from simulated import crossed, without_ids

HTER = MEASURES["hter"]
THRESHOLDS: tuple[Threshold, ...] = ("re-estimated", "fixed")


@dataclass
class Runs:
    """What was found on data sets of two equal systems."""

    rejected: dict[Threshold, float]
    covered: dict[Threshold, float]


def simulate(criterion: str, alpha: float, count: int = 120) -> Runs:
    """Two equal systems, thresholds from dev sets of their own people."""
    rng = np.random.default_rng(1)
    rejected = dict.fromkeys(THRESHOLDS, 0.0)
    intervals: dict[Threshold, list[RateInterval]] = {threshold: [] for threshold in THRESHOLDS}
    values = []
    for _ in range(count):
        dev, test = (crossed(rng, clients=100, impostors=20, effect=0.3, start=start) for start in (0, 500))
        sets = TrialSets(dev, test, n_resamples=200)
        a, b = (judge(sets, system=name, criterion=criterion, alphas=alpha) for name in ("a", "b"))
        pair = pair_judgements(a, b)
        values += [a.at(0).hter, b.at(0).hter]
        for threshold in THRESHOLDS:
            rejected[threshold] += (leading_test(pair, threshold=threshold).p_value < 0.05) / count
            intervals[threshold].append(judged_interval(a, threshold=threshold))
    truth = np.mean(values)
    covered = {
        threshold: float(np.mean([own.low <= truth <= own.high for own in intervals[threshold]]))
        for threshold in THRESHOLDS
    }
    return Runs(rejected, covered)


@pytest.mark.parametrize(("criterion", "alpha"), [("far", 0.01), ("wer-min", 0.9)])
def test_equal_systems_are_told_apart_no_more_than_chance_does(criterion: str, alpha: float) -> None:
    found = simulate(criterion, alpha)
    assert found.rejected["re-estimated"] < 0.1
    assert found.rejected["fixed"] > 0.2
    assert found.covered["re-estimated"] >= 0.88
    assert found.covered["fixed"] < 0.8


def geometric(counts: ErrorCounts) -> Any:
    """A measure of a user's own, neither linear nor simple."""
    return np.sqrt(counts.far * counts.frr)


@pytest.mark.parametrize("measure", ["f1", "precision", "class-error", "recall", "hter", geometric])
def test_any_measure_against_resampled_trials(measure: Any) -> None:
    rng = np.random.default_rng(3)
    genuine, impostor = rng.normal(1.6, 1, 500), rng.normal(0, 1, 1500)
    trials = Trials.from_arrays(np.concatenate([genuine, impostor]), np.arange(2000) < 500)
    judgement = judge_at(TrialSets(None, trials), 0.9)
    known: Measure = as_measure(measure)
    values = []
    for _ in range(3000):
        rejects = np.count_nonzero(rng.choice(genuine, 500) <= 0.9)
        accepts = np.count_nonzero(rng.choice(impostor, 1500) > 0.9)
        values.append(float(known(ErrorCounts(0.9, accepts, rejects, 500, 1500))))
    found, interval = claim([(1.0, judgement)], known), judged_interval(judgement, measure=measure)
    assert found.estimate == pytest.approx(float(known(judgement.at(0))))
    assert found.sigma == pytest.approx(np.std(values), rel=0.15)
    low, high = np.quantile(values, [0.025, 0.975])
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.15)
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=0.15 * (high - low))


@pytest.mark.parametrize("measure", ["f1", "precision", "hter", "class-error"])
def test_differences_of_any_measure_against_resampled_trials(measure: str) -> None:
    rng = np.random.default_rng(4)
    trials = without_ids(crossed(rng, clients=100, impostors=10, correlation=0.6))
    sets = TrialSets(None, trials)
    terms = [(1.0, judge_at(sets, 1.0, system="a")), (-1.0, judge_at(sets, 1.2, system="b"))]
    found = claim(terms, MEASURES[measure])
    genuine, impostor = np.flatnonzero(trials.genuine), np.flatnonzero(~trials.genuine)
    wrong = [judgement.wrong() for _, judgement in terms]
    values = []
    for _ in range(2000):
        rows = rng.choice(genuine, len(genuine)), rng.choice(impostor, len(impostor))
        a, b = (
            MEASURES[measure](ErrorCounts(0, own[rows[1]].sum(), own[rows[0]].sum(), len(genuine), len(impostor)))
            for own in wrong
        )
        values.append(a - b)
    assert found.sigma == pytest.approx(np.std(values), rel=0.15)


def test_tangent_of_a_measure_that_is_not_linear() -> None:
    counts = ErrorCounts(0.0, 30, 20, 200, 1000)
    # F1 = 2 TP / (2 TP + FP + FN) with TP = 200 - FN: its derivatives by hand
    whole = 2 * 180 + 30 + 20
    by_accepts, by_rejects = -2 * 180 / whole**2, (-2 * whole + 2 * 180) / whole**2
    assert local_weights(MEASURES["f1"], counts, 0.5)[:2] == pytest.approx((1000 * by_accepts, 200 * by_rejects))
    assert local_weights(HTER, counts, 0.5)[:2] == (0.5, 0.5)


def test_people_in_both_sets_have_their_covariance_counted() -> None:
    # a client whose scores are low moves the threshold and is rejected by it: the same people in dev and test
    rng = np.random.default_rng(0)
    frr = MEASURES["frr"]
    values, claimed, apart = [], [], []
    for _ in range(160):
        effects = rng.normal(size=(60, 1))
        dev, test = (
            crossed(rng, clients=40, impostors=20, effects=effects, separation=3.0, systems=("a",)) for _ in range(2)
        )
        judgement = judge(TrialSets(dev, test, n_resamples=200))
        found, moved = claim([(1.0, judgement)], frr), threshold_deviations(judgement, frr)
        assert moved is not None
        values.append(found.estimate)
        claimed.append(found.variance)
        apart.append(found.spread.variance + moved.variances()[0])
    slack = 4 * sqrt(2 / 160)
    assert np.mean(claimed) == pytest.approx(np.var(values), rel=slack)
    assert np.mean(apart) > (1 + slack) * np.var(values)


def test_claims_along_are_those_of_each_alpha() -> None:
    rng = np.random.default_rng(5)
    sets = TrialSets(crossed(rng, effect=0.3), crossed(rng, effect=0.3, start=500))
    alphas = [0.0, 0.2, 0.5, 1.0]
    for measure in (HTER, MEASURES["wer"], MEASURES["f1"]):
        terms = [
            (sign, judge(sets, system=name, criterion="wer-min", alphas=alphas))
            for sign, name in ((1.0, "a"), (-1.0, "b"))
        ]
        for threshold in THRESHOLDS:
            along = claims_along(terms, measure, threshold=threshold)
            for index, found in enumerate(along):
                alone = claim(terms, measure, index=index, threshold=threshold)
                assert (found.estimate, found.variance, found.degrees) == pytest.approx(
                    (alone.estimate, alone.variance, alone.degrees)
                )
                assert found.threshold == threshold
                assert found.shifted(1.0).estimate == found.estimate + 1


def test_variance_is_that_of_test_and_what_the_threshold_adds() -> None:
    rng = np.random.default_rng(6)
    judgement = judge(TrialSets(crossed(rng), crossed(rng, start=500)), system="a", criterion="far", alphas=0.02)
    moved, fixed = (claim([(1.0, judgement)], HTER, threshold=threshold) for threshold in THRESHOLDS)
    assert fixed.moved == 0
    assert moved.spread == fixed.spread
    added = threshold_deviations(judgement, HTER)
    assert added is not None
    assert moved.variance == pytest.approx(fixed.variance + added.variances()[0])
    # Welch's: what the threshold adds is taken as known
    share = fixed.variance / moved.variance
    assert moved.degrees == pytest.approx(fixed.degrees / share**2)
    assert moved.quantile(0.95) == pytest.approx(stats.t.ppf(0.975, moved.degrees))
    given = judge_at(judgement.sets, 1.0, system="a")
    assert claim([(1.0, given)], HTER).threshold == "fixed"
    assert threshold_deviations(given, HTER) is None


def test_a_variance_below_zero_is_floored() -> None:
    claims, subject = np.divmod(np.arange(16), 4)
    claims, subject = np.concatenate([claims, np.arange(4)]), np.concatenate([subject + 100, np.arange(4)])
    genuine = claims == subject
    scores = np.where(genuine | (subject - 100 == claims), 1.0, 0.0)
    trials = Trials.from_arrays(scores, genuine, claim=claims, subject=subject)
    judgement = judge_at(TrialSets(None, trials), 0.5)
    found = claim([(1.0, judgement)], MEASURES["far"])
    # half of that of 16 independent trials, 4 of them errors
    assert found.variance == pytest.approx(0.25 * 0.75 / 16 / 2)
    assert np.isfinite([found.statistic, found.p_value(), found.degrees]).all()
    interval = judged_interval(judgement)
    assert 0 <= interval.low < interval.high < 1


def test_folds_are_claimed_with_their_own_decisions() -> None:
    trials = crossed(np.random.default_rng(7), systems=("a",), clients=30, impostors=20, effect=0.5)
    sets = TrialSets(trials, trials, blocks=make_blocks(trials, 3))
    judgement = judge(sets, alphas=[0.3, 0.7], criterion="wer-min")
    fixed = claims_along([(1.0, judgement)], HTER, threshold="fixed")
    people = sets.people[1]
    assert people is not None
    for index, found in enumerate(fixed):
        expected = people.error_variance(judgement.wrong(index), (0.5, 0.5))
        assert found.variance == pytest.approx(expected.variance)
    moved = claims_along([(1.0, judgement)], HTER)
    assert all(own.threshold == "re-estimated" for own in moved)


@pytest.mark.parametrize("ids", [True, False])
def test_critical_value_of_one_alpha_is_the_normal_one(ids: bool) -> None:
    rng = np.random.default_rng(8)
    dev, test = crossed(rng), crossed(rng, start=500)
    sets = TrialSets(dev, test, None if ids else "none", n_resamples=6000)
    judgement = judge(sets, system="a", criterion="far", alphas=[0.1, 0.1001, 0.4])
    terms = [(1.0, judgement)]
    for threshold in THRESHOLDS:
        one, alike, both = (
            largest_of_all(terms, HTER, np.array(kept), confidence=0.95, threshold=threshold)
            for kept in ([True, False, False], [True, True, False], [True, False, True])
        )
        # thresholds that are re-estimated move the figure by steps, so deviations are not quite normal
        assert one == pytest.approx(1.96, abs=0.06 if threshold == "fixed" else 0.3)
        assert alike == pytest.approx(one, abs=0.05)
        # between one test and Bonferroni's two
        assert one < both < stats.norm.isf(0.0125) + 0.15


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_variance_with_the_threshold_in_it_is_that_of_new_dev_and_test_sets(correlation: float) -> None:
    rng = np.random.default_rng(11)
    estimates, variances = [], []
    for _ in range(250):
        dev, test = (
            crossed(rng, clients=40, impostors=10, separation=3, correlation=correlation, start=start)
            for start in (0, 500)
        )
        sets = TrialSets(dev, test, n_resamples=200)
        a, b = (judge(sets, system=name, criterion="eer") for name in ("a", "b"))
        found = claim([(1.0, a), (-1.0, b)], HTER)
        estimates.append(found.estimate)
        variances.append(found.variance)
    # errors between thresholds are few on test, and their chance is not counted as movement of the threshold
    assert np.mean(variances) == pytest.approx(np.var(estimates), rel=0.25)


def test_people_in_both_sets_move_values_of_both_by_hand() -> None:
    dev, test = (crossed(np.random.default_rng(k), clients=6, impostors=5) for k in (1, 2))
    rng = np.random.default_rng(3)
    on_dev, on_test = rng.normal(size=len(dev)), rng.normal(size=len(test))

    def by_client(trials: Trials, values: np.ndarray) -> np.ndarray:
        """Each client's part in both class means, as leaving them out would change it: all have the same share."""
        assert trials.claim is not None
        names = trials.claim.decode()
        total = np.zeros(6)
        for rows in (trials.genuine, ~trials.genuine):
            away = (values[rows] - values[rows].mean()) / rows.sum()
            clients = np.unique(names.astype(str))
            total += np.array([away[names[rows] == client].sum() for client in clients]) / (1 - 1 / 6)
        return np.asarray(total * np.sqrt(5 / 6))

    sets = TrialSets(dev, test, "claim")
    found = claim_of_values(sets, 0.1, on_test, on_dev)
    own = spread_of_values(sets.people[0], dev.genuine, on_dev).variance
    assert found.moved - own == pytest.approx(2 * by_client(dev, on_dev) @ by_client(test, on_test))
    assert (found.estimate, found.threshold) == (0.1, "re-estimated")
    others = crossed(np.random.default_rng(2), clients=6, impostors=5, start=1000)
    assert claim_of_values(TrialSets(dev, others, "claim"), 0.1, on_test, on_dev).moved == pytest.approx(own)
    fixed = claim_of_values(sets, 0.1, on_test, on_dev, threshold="fixed")
    assert (fixed.moved, fixed.threshold, fixed.spread) == (0.0, "fixed", found.spread)


def test_the_largest_of_all_deviations() -> None:
    """Of independent normal columns it is known; where some jump farther than normal ones do it is larger."""
    rng = np.random.default_rng(0)
    replicates = rng.normal(size=(4000, 10))
    expected = stats.norm.ppf((1 + 0.95**0.1) / 2)
    assert largest_deviation(replicates, 0.95, 0) == pytest.approx(expected, rel=0.03)
    assert largest_deviation(replicates * np.arange(1, 11), 0.95, 0) == pytest.approx(expected, rel=0.03)
    jumping = rng.standard_t(3, size=(4000, 10))
    assert largest_deviation(jumping, 0.95, 0) > 1.2 * expected
    assert largest_deviation(np.zeros((10, 3)), 0.95, 0) == np.inf
