"""Expected areas: exact against fine grids of targets, their uncertainty against leaving people out."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brute_force import Point, points
from fairtrial import ErrorCounts, ParameterError, Trials, TrialsError, performance_curve
from fairtrial.evaluation import auc_error, compare_areas, expected_areas
from fairtrial.evaluation.areas import AreaName, Targets, area_estimates, areas_of
from fairtrial.evaluation.expected import expected_performance
from fairtrial.inference import TrialSets
from fairtrial.inference.estimates import Estimate
from fairtrial.inference.people import Cluster
from fairtrial.inference.thresholds import DEVIATIONS
from reference.epc_2005 import AREA_OF_DEV, AUC_ERROR_OF_DEV, DEV, TEST
from simulated import crossed, strangers, without_ids
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]
NAMES: tuple[AreaName, ...] = ("e_v1", "e_v2", "g")


def rates(high: float = 1.0) -> Targets:
    return Targets.of("far", "frr", 0.0, high)


def test_area_of_dev_itself_follows_from_its_auc() -> None:
    areas = expected_areas(DEV, DEV)
    assert auc_error(DEV) == pytest.approx(AUC_ERROR_OF_DEV)
    assert areas.g == pytest.approx(AREA_OF_DEV)


def test_areas_of_data_frames_are_those_of_their_trials() -> None:
    trials = [
        Trials.from_arrays([*genuine, *impostor], [True] * len(genuine) + [False] * len(impostor), systems=["face"])
        for genuine, impostor in (DEV, TEST)
    ]
    frames = [pa.table({"label": each.genuine, "face": each.column()}) for each in trials]
    ours, expected = expected_performance(*frames).areas, expected_performance(*trials).areas
    assert [areas.to_dict() for areas in ours.values()] == [areas.to_dict() for areas in expected.values()] != []


@given(score_arrays())
def test_auc_relation_is_exact_with_ties(scores: Pair) -> None:
    genuine, impostor = (np.maximum(part.astype(np.float64), -1.7e308) for part in scores)
    areas = expected_areas((genuine, impostor), (genuine, impostor))
    assert areas.g == pytest.approx((auc_error((genuine, impostor)) + 0.5) / 2)
    assert areas.e_v1 == pytest.approx(areas.e_v2)


@settings(max_examples=40)
@given(score_arrays(max_size=12), score_arrays(max_size=12), st.sampled_from([(0.0, 1.0), (0.0, 0.5), (0.2, 0.3)]))
def test_step_areas_against_a_fine_grid_of_targets(dev: Pair, test: Pair, bounds: tuple[float, float]) -> None:
    low, high = bounds
    targets = low + (np.arange(500) + 0.5) / 500 * (high - low)
    areas = expected_areas(dev, test, low=low, high=high, convention="step")
    for criterion, area in (("far", areas.e_v1), ("frr", areas.e_v2)):
        curve = performance_curve(dev, test, alphas=targets, criterion=criterion)
        assert area == pytest.approx(curve.hter.mean(), abs=0.02)


def _mixed(on_dev: list[Point], test: Pair, target: float) -> float:
    """HTER on test where two neighbouring thresholds are mixed so that FAR on dev is the target."""
    for left, right in pairwise(on_dev):
        if left.far > target >= right.far:
            weight = (Fraction(target) - right.far) / (left.far - right.far)
            hters = [(np.mean(test[1] > p.threshold) + np.mean(test[0] <= p.threshold)) / 2 for p in (left, right)]
            return float(weight * Fraction(float(hters[0])) + (1 - weight) * Fraction(float(hters[1])))
    return float("nan")


@given(score_arrays(max_size=10), score_arrays(max_size=10))
def test_interpolated_area_against_mixed_thresholds(dev: Pair, test: Pair) -> None:
    dev = (np.maximum(dev[0].astype(float), -1.7e308), np.maximum(dev[1].astype(float), -1.7e308))
    test = (test[0].astype(float), test[1].astype(float))
    targets = (np.arange(200) + 0.5) / 400  # targets up to a half
    on_dev = points(dev[0].tolist(), dev[1].tolist())
    expected = np.mean([_mixed(on_dev, test, float(target)) for target in targets])
    assert expected_areas(dev, test, high=0.5).e_v1 == pytest.approx(expected, abs=0.02)


@settings(max_examples=40)
@given(score_arrays(max_size=12), score_arrays(max_size=12))
def test_areas_of_sensitivity_and_specificity_are_those_of_the_rates_turned_round(dev: Pair, test: Pair) -> None:
    for convention in ("interpolated", "step"):
        rates = expected_areas(dev, test, convention=convention)
        found = expected_areas(
            dev,
            test,
            v1="specificity",
            v2="sensitivity",
            convention=convention,
        )
        assert (found.e_v1, found.e_v2) == pytest.approx((1 - rates.e_v1, 1 - rates.e_v2))
        assert found.targets.convention == convention


def _mean_of_precision_and_recall(counts: ErrorCounts) -> Any:
    right = counts.genuine - counts.false_rejects
    accepted = right + counts.false_accepts
    return (right / np.maximum(accepted, 1) + right / counts.genuine) / 2


@settings(max_examples=10)
@given(score_arrays(max_size=12), score_arrays(max_size=12), st.sampled_from([(0.0, 1.0), (0.5, 0.9)]))
def test_areas_of_precision_and_recall_against_a_fine_grid(dev: Pair, test: Pair, bounds: tuple[float, float]) -> None:
    low, high = bounds
    targets = low + (np.arange(500) + 0.5) / 500 * (high - low)
    areas = expected_areas(dev, test, v1="precision", v2="recall", low=low, high=high)
    for criterion, area in (("precision", areas.e_v1), ("recall", areas.e_v2)):
        curve = performance_curve(dev, test, alphas=targets, criterion=criterion, measure=_mean_of_precision_and_recall)
        assert area == pytest.approx(curve.value.mean(), abs=0.02)


def test_areas_of_measures_of_ones_own() -> None:
    def right(counts: ErrorCounts) -> Any:
        return 1 - counts.far

    def found(counts: ErrorCounts) -> Any:
        return 1 - counts.frr

    own = expected_areas(DEV, TEST, v1=right, v2=found)
    known = expected_areas(DEV, TEST, v1="specificity", v2="sensitivity", convention="step")
    assert (own.e_v1, own.e_v2) == pytest.approx((known.e_v1, known.e_v2))
    assert (own.targets.convention, own.to_dict()["v1"]) == ("step", "right")


def test_variance_of_the_areas_of_precision_and_recall() -> None:
    # over targets that many trials meet: at least that of new dev and test sets, and no more than half as much again
    rng = np.random.default_rng(6)
    values, claimed = [], []
    targets = Targets.of("precision", "recall", 0.4, 0.9)
    for _ in range(150):
        dev, test = (without_ids(crossed(rng, systems=("a",), clients=30, impostors=15)) for _ in range(2))
        sets = TrialSets(dev, test)
        found = area_estimates(sets, [(1.0, "a")], targets)
        values.append([found[name].value for name in NAMES])
        claimed.append([found[name].sigma ** 2 for name in NAMES])
    ratio = np.mean(claimed, axis=0) / np.var(values, axis=0)
    chance = 4 * np.sqrt(2 / 150)
    assert (ratio > 1 - chance).all()
    assert (ratio < 1.5 + chance).all()
    limits = expected_areas(dev, test, v1="precision", v2="recall", low=0.4, high=0.9).interval()
    assert limits.low < limits.estimate < limits.high


def test_pairs_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="precision is better if higher and frr if lower"):
        expected_areas(DEV, TEST, v1="precision", v2="frr")
    with pytest.raises(ParameterError, match=r'precision may be met at several thresholds.*use convention="step"'):
        expected_areas(DEV, TEST, v1="precision", v2="recall", convention="interpolated")


def test_areas_out_of_range() -> None:
    with pytest.raises(ParameterError, match="range of targets"):
        expected_areas(DEV, TEST, low=0.5, high=0.2)
    with pytest.raises(ParameterError, match="convention"):
        expected_areas(DEV, TEST, convention="other")  # type: ignore[arg-type]


def one(seed: int, effect: float = 0.5, start: int = 0) -> Trials:
    return crossed(np.random.default_rng(seed), clients=40, impostors=20, effect=effect, start=start)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, 0.3)])
def test_intervals_are_around_the_areas(bounds: tuple[float, float]) -> None:
    low, high = bounds
    dev, test = one(0), one(1, start=500)
    areas = expected_areas(dev, test, system="a", low=low, high=high)
    for name in NAMES:
        interval = areas.interval(name)
        assert interval.estimate == pytest.approx(getattr(areas, name))
        assert 0 <= interval.low < interval.estimate < interval.high <= 1
        assert (interval.threshold, interval.method) == ("re-estimated", "cluster-both")
    other = expected_areas(dev, test, system="b", low=low, high=high)
    for name, test_result in compare_areas(areas, other).items():
        assert test_result.estimate == pytest.approx(getattr(areas, name) - getattr(other, name))
        assert test_result.test == f"area-{name}"
    assert expected_areas(without_ids(dev), without_ids(test), system="a").interval().method == "student"


def dev_part(found: Estimate) -> float:
    """The variance that dev adds to an estimate."""
    return float(found.moves[0][-1] / DEVIATIONS[-1]) ** 2


def left_out(dev: Trials, test: Trials, people: NDArray[np.object_], name: str, high: float) -> float:
    """The jackknife's variance of an area over dev's people."""
    names = np.unique(people)
    values = [
        getattr(expected_areas(dev.rows(np.flatnonzero(people != own)), test, system="a", high=high), name)
        for own in names
    ]
    return float((len(names) - 1) / len(names) * np.sum((values - np.mean(values)) ** 2))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("high", [1.0, 0.2])
@pytest.mark.parametrize("cluster", ["claim", "subject"])
def test_what_dev_adds_is_the_jackknife_over_its_people(name: AreaName, high: float, cluster: Cluster) -> None:
    dev, test = one(2), one(3, start=500)
    found = area_estimates(TrialSets(dev, test, cluster), [(1.0, "a")], rates(high))[name]
    expected = left_out(dev, test, dev.ids[cluster].decode(), name, high)
    assert dev_part(found) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_what_independent_dev_trials_add_is_the_jackknife_over_them(name: AreaName) -> None:
    dev, test = one(7).rows(np.arange(0, 960, 3)), one(8)
    found = area_estimates(TrialSets(dev, test, "none"), [(1.0, "a")], rates())[name]
    total = 0.0
    for rows in (np.flatnonzero(dev.genuine), np.flatnonzero(~dev.genuine)):
        values = [
            getattr(expected_areas(dev.rows(np.delete(np.arange(len(dev)), row)), test, system="a"), name)
            for row in rows.tolist()
        ]
        total += (len(rows) - 1) / len(rows) * float(np.sum((values - np.mean(values)) ** 2))
    assert dev_part(found) == pytest.approx(total, rel=0.15)


def test_whole_variance_is_that_of_new_dev_and_test_sets() -> None:
    rng = np.random.default_rng(4)
    values, claimed = [], []
    for _ in range(200):
        sets = TrialSets(
            crossed(rng, clients=30, impostors=15, effect=0.4),
            crossed(rng, clients=30, impostors=15, effect=0.4, start=500),
        )
        found = area_estimates(sets, [(1.0, "a")], rates())["g"]
        values.append(found.value)
        claimed.append(found.sigma**2)
    assert np.mean(claimed) == pytest.approx(np.var(values), rel=4 * np.sqrt(2 / 200))


def test_area_test_of_equal_systems_keeps_its_level() -> None:
    rng = np.random.default_rng(5)
    rejected = dict.fromkeys(NAMES, 0)
    for _ in range(200):
        sets = TrialSets(
            crossed(rng, clients=30, impostors=15, effect=0.4),
            crossed(rng, clients=30, impostors=15, effect=0.4, start=500),
        )
        for name, found in compare_areas(*(areas_of(sets, system, rates()) for system in "ab")).items():
            rejected[name] += found.p_value < 0.05
    for count in rejected.values():
        assert count / 200 < 0.1


def test_people_in_both_sets_have_their_covariance_counted() -> None:
    rng = np.random.default_rng(0)
    values, claimed, apart = [], [], []
    for _ in range(200):
        effects = 0.6 * rng.normal(size=(60, 1))
        dev, test = (
            crossed(rng, clients=40, impostors=20, effects=effects, separation=3.0, systems=("a",)) for _ in range(2)
        )
        found = area_estimates(TrialSets(dev, test), [(1.0, "a")], rates())
        values.append([found["g"].value, found["e_v1"].value])
        claimed.append([found["g"].sigma ** 2, found["e_v1"].sigma ** 2])
        apart.append(area_estimates(TrialSets(dev, strangers(test)), [(1.0, "a")], rates())["e_v1"].sigma ** 2)
    assert np.mean(claimed, axis=0)[0] == pytest.approx(np.var(values, axis=0)[0], rel=4 * np.sqrt(2 / 200))
    # a person who raises dev's thresholds raises their own false accepts: the two cancel, by half at most
    assert np.mean(claimed, axis=0)[1] > np.var(values, axis=0)[1]
    assert np.mean(apart) > 1.7 * np.mean(claimed, axis=0)[1]


def test_a_difference_without_spread_is_not_sure() -> None:
    # dev tells all apart; on test A decides everything rightly and B nothing
    genuine = np.arange(40) < 20
    right, wrong = np.where(genuine, 2.0, 0.0), np.where(genuine, 0.0, 2.0)
    spread = np.linspace(0, 0.1, 40)
    claim, subject = np.arange(40) % 20, np.arange(40) % 20 + np.where(genuine, 0, 100)
    dev, test = (
        Trials.from_arrays(np.stack(scores, axis=1), genuine, systems=["a", "b"], claim=claim, subject=subject)
        for scores in ([right + spread, right + spread], [right + 0.05, wrong + 0.05])
    )
    for found in compare_areas(*(expected_areas(dev, test, system=name, high=0.01) for name in "ab")).values():
        assert np.isfinite(found.statistic)
        assert found.p_value > 0


def test_areas_need_trials() -> None:
    with pytest.raises(TrialsError, match="needs dev as Trials"):
        expected_areas(DEV, TEST).interval()


def test_only_areas_of_the_same_kind_are_compared() -> None:
    dev, test = one(0), one(1, start=500)
    areas = expected_areas(dev, test, system="a")
    with pytest.raises(ParameterError) as refused:
        compare_areas(areas, expected_areas(dev, test, system="b", high=0.5))
    assert refused.value.code == "different-runs"
    with pytest.raises(TrialsError) as other_trials:
        compare_areas(areas, expected_areas(dev, one(2, start=500), system="b"))
    assert other_trials.value.code == "different-runs"
