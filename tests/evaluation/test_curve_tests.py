"""Two systems along a curve: the test at each point, regions, who is better there, and levels by simulation."""

from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import MEASURES, ParameterError, Trials, TrialsError, compare_curves, performance_curve
from fairtrial.counting import count_errors
from fairtrial.evaluation import CurveComparison
from fairtrial.evaluation.epc import curve_of
from fairtrial.evaluation.paired_tests import bootstrap_difference, leading_test, pair_judgements
from fairtrial.inference import Judgement, TrialSets, judge, judge_at, make_blocks
from fairtrial.published import dependent_test, independent_test
from simulated import crossed, without_ids

ALPHAS = [0.1, 0.3, 0.5, 0.7, 0.9]


def data(seed: int, shift: float = 0.0, people: int = 30) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(people**2), people)
    scores = np.outer(claim == subject, [2.0, 2.0 + shift]) + rng.normal(size=(people**2, 2))
    return Trials.from_arrays(scores, claim == subject, systems=["a", "b"], claim=claim, subject=subject)


DEV, TEST = data(0), data(1)


@pytest.mark.parametrize(
    ("method", "threshold"),
    [("independent", "fixed"), ("dependent", "fixed"), ("cluster", "fixed"), ("cluster", "re-estimated")],
)
def test_statistic_along_the_curve_is_that_of_each_point(method: str, threshold: str) -> None:
    a, b = (performance_curve(DEV, TEST, system=s, alphas=ALPHAS) for s in ("a", "b"))
    found = compare_curves(a, b, method=method, threshold=threshold)  # type: ignore[arg-type]
    assert found.threshold == threshold
    assert found.supported.sum() >= 4
    for k in np.flatnonzero(found.supported).tolist():
        pair = pair_judgements(a.judged(), b.judged(), index=k)
        expected = {
            "independent": independent_test(pair.counts_a, pair.counts_b),
            "dependent": dependent_test(pair.counts_a, pair.counts_b, pair.discordant),
            "cluster": leading_test(pair, threshold=threshold),
        }[method]
        # as the normal deviate of the same p value
        assert 2 * NormalDist().cdf(-abs(found.statistic[k])) == pytest.approx(expected.p_value, rel=1e-3)
        assert np.sign(found.statistic[k]) == np.sign(expected.statistic)
        assert found.difference[k] == pytest.approx(expected.estimate)
        assert found.worse[k] > 0.5 or found.statistic[k] <= 0


def test_bootstrap_along_the_curve_against_the_dependent_test() -> None:
    # without shared people the spread of the replicates is that of the dependent test at a real difference
    rng = np.random.default_rng(8)
    genuine = np.arange(4000) % 8 == 0
    sets = [
        Trials.from_arrays(np.outer(genuine, [2.0, 2.2]) + rng.normal(size=(4000, 2)), genuine, systems=["a", "b"])
        for _ in range(2)
    ]
    a, b = (performance_curve(*sets, system=s, alphas=ALPHAS) for s in ("a", "b"))
    found, plain = (compare_curves(a, b, method=m, n_resamples=2000) for m in ("bootstrap", "dependent"))
    assert found.difference == pytest.approx(plain.difference)
    # few of 2,000 replicates tell how improbable a deviate beyond 2.5 is
    near = np.abs(plain.statistic) < 2.5
    assert found.statistic[near] == pytest.approx(plain.statistic[near], rel=0.1, abs=0.1)
    assert (found.high - found.low) == pytest.approx(plain.high - plain.low, rel=0.05)
    whole = compare_curves(a, b, method="bootstrap", simultaneous=True, n_resamples=1000)
    assert whole.critical > found.critical
    # what leads knows of no people here, and is not called by them
    assert compare_curves(a, b).test == "paired"


@pytest.mark.parametrize("ids", [True, False])
def test_bootstrap_regions_are_where_the_centred_interval_at_each_alpha_does_not_hold_0(ids: bool) -> None:
    dev, test = (each if ids else without_ids(each) for each in (data(4, shift=0.5), data(5, shift=0.5)))
    a, b = (performance_curve(dev, test, system=s) for s in ("a", "b"))
    found = compare_curves(a, b, method="bootstrap")
    assert len(found.alpha) == 101
    different = []
    for k in range(101):
        pair = pair_judgements(a.judged(), b.judged(), index=k)
        low, high = bootstrap_difference(pair, measure=MEASURES["hter"], rng=k).interval(method="centred")
        different.append(not low <= 0 <= high)
        # the same interval, from other replicates
        assert (found.low[k], found.high[k]) == pytest.approx((low, high), abs=0.05 * (high - low) + 1e-9)
    assert found.different.tolist() == different
    assert 5 < sum(different) < 96
    assert (found.test, found.threshold) == ("bootstrap", "fixed")
    assert found.to_dict()["low"] == found.low.tolist()


def test_bootstrap_regions_keep_their_level_at_given_thresholds() -> None:
    # the same thresholds for both systems, which are equal in truth
    rejected = {True: np.zeros(5), False: np.zeros(5)}
    for seed in range(200):
        dev, test = data(1000 + seed, people=20), data(3000 + seed, people=20)
        sets = TrialSets(dev, test, "none")
        first = judge(sets, system="a", alphas=ALPHAS, criterion="wer-min")
        counts = count_errors(test, first.test.threshold, system="b")
        second = Judgement("b", first.criterion, first.alpha, sets, None, counts)
        for simultaneous, total in rejected.items():
            total += compare_curves(
                curve_of(first), curve_of(second), method="bootstrap", simultaneous=simultaneous, n_resamples=300
            ).different
    chance = 4 * np.sqrt(0.05 * 0.95 / 200)
    assert (rejected[False] / 200 < 0.05 + chance).all()
    assert (rejected[False] > 0).all()
    assert (rejected[True] <= rejected[False]).all()


def test_nothing_stands_where_dev_does_not_support_a_claim() -> None:
    # at alpha 0 and 1 dev has no error of one kind, however far the threshold would move
    a, b = (performance_curve(DEV, TEST, system=s, alphas=[0.0, 0.3, 0.5, 1.0]) for s in ("a", "b"))
    found = compare_curves(a, b)
    assert found.supported.tolist() == [False, True, True, False]
    for series in (found.low, found.high, found.statistic, found.worse):
        assert np.isnan(series).tolist() == [True, False, False, True]
    assert found.difference == pytest.approx(a.hter - b.hter)
    assert "nothing is claimed at alpha 0 and 1, where dev lacks errors" in found.answer()
    (table,) = found.tables()
    lines = table.to_markdown().splitlines()
    assert [line.split("|")[3:6] for line in lines if line.startswith("| 0 ")] == [["  "] * 3]


@pytest.mark.parametrize("method", ["bootstrap", "dependent", "independent"])
def test_methods_that_take_thresholds_as_they_are_do_not_re_estimate_them(method: str) -> None:
    a, b = (performance_curve(DEV, TEST, system=s, alphas=ALPHAS) for s in ("a", "b"))
    with pytest.raises(ParameterError, match=f'need method="cluster", not {method}'):
        compare_curves(a, b, method=method, threshold="re-estimated")  # type: ignore[arg-type]
    assert compare_curves(a, b, method=method, n_resamples=50).threshold == "fixed"  # type: ignore[arg-type]


def test_bootstrap_does_not_take_folds_for_one_threshold() -> None:
    blocks = make_blocks(DEV, 3)
    a, b = (performance_curve(DEV, folds=blocks, system=s, alphas=ALPHAS) for s in ("a", "b"))
    assert compare_curves(a, b).difference == pytest.approx(a.hter - b.hter)
    with pytest.raises(ParameterError, match="folds have thresholds of their own"):
        compare_curves(a, b, method="bootstrap", n_resamples=50)


def test_replicates_without_spread_show_no_difference() -> None:
    # A rejects one of the 20 trials of each of two clients, and B none: every draw of clients gives the same rate
    claim = np.repeat([0, 1], 50)
    subject = np.where(np.arange(100) % 50 < 20, claim, 10 + np.arange(100) % 10)
    genuine = claim == subject
    scores = np.repeat(genuine[:, None].astype(float), 2, axis=1)
    scores[[0, 50], 0] = 0.4
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    a, b = (curve_of(judge_at(sets, 0.5, system=name)) for name in ("a", "b"))
    found = compare_curves(a, b, method="bootstrap", n_resamples=100)
    assert found.difference == pytest.approx([1 / 20 / 2])
    assert np.isnan(found.low).all()
    assert not found.different.any()


def made_up(statistic: list[float], measure: str = "hter") -> CurveComparison:
    values: NDArray[np.float64] = np.array(statistic)
    alpha = np.linspace(0, 1, len(values))
    return CurveComparison(
        "a",
        "b",
        "cluster",
        MEASURES[measure],
        alpha,
        values / 100,
        (values - 2) / 100,
        (values + 2) / 100,
        values,
        2.0,
        0.95,
        False,
        "fixed",
        np.ones(len(values), dtype=bool),
    )


def test_regions_never_merge_opposite_signs() -> None:
    found = made_up([3, 3, -3, -3, 0, 3]).regions
    assert found == [(0.0, pytest.approx(0.2), "b"), (pytest.approx(0.4), pytest.approx(0.6), "a"), (1.0, 1.0, "b")]
    assert made_up([1, -1, 0.5, 0, 0, 0]).regions == []
    assert len(made_up([3] * 6).regions) == 1


def test_a_system_that_is_better_in_several_ranges_is_named_once() -> None:
    assert "b has the better HTER at alpha 0 and 1; a has the better HTER at alpha 0.5" in made_up([3, -3, 3]).answer()


def test_the_better_system_is_the_one_with_less_error_or_more_of_what_is_good() -> None:
    # the statistic is that of A - B
    assert [made_up([5, 5]).regions[0].better, made_up([-5, -5]).regions[0].better] == ["b", "a"]
    assert [made_up([5, 5], "f1").regions[0].better, made_up([-5, -5], "f1").regions[0].better] == ["a", "b"]
    assert made_up([5, 5]).worse.min() > 0.99
    assert made_up([5, 5], "f1").worse.max() < 0.01
    told = made_up([5, 5, -5]).to_dict()
    assert (told["better"], told["regions"]) == (["b", "a"], [[0.0, 0.5], [1.0, 1.0]])


@pytest.mark.parametrize("measure", ["hter", "f1"])
def test_a_much_better_system_is_found_better(measure: str) -> None:
    dev, test = data(0, shift=2.0), data(1, shift=2.0)
    a, b = (performance_curve(dev, test, system=s, measure=measure) for s in ("a", "b"))
    found = compare_curves(a, b)
    assert found.different.any()
    assert {region.better for region in found.regions} == {"b"}
    inside = sum(((found.alpha >= low) & (found.alpha <= high)).sum() for low, high, _ in found.regions)
    assert inside == found.different.sum()
    assert compare_curves(a, b, simultaneous=True).critical > found.critical > 1.9


def test_whole_range_control_keeps_the_level_at_given_thresholds() -> None:
    # the same thresholds for both, so that the two are equal in truth
    rejected = {True: 0, False: 0}
    for seed in range(120):
        dev, test = data(1000 + seed, people=20), data(3000 + seed, people=20)
        sets = TrialSets(dev, test, "none")
        first = judge(sets, system="a", alphas=ALPHAS, criterion="far")
        counts = count_errors((test.column("b")[test.genuine], test.column("b")[~test.genuine]), first.test.threshold)
        second = Judgement("b", first.criterion, first.alpha, sets, None, counts)
        for simultaneous in rejected:
            found = compare_curves(curve_of(first), curve_of(second), method="dependent", simultaneous=simultaneous)
            rejected[simultaneous] += bool(found.different.any())
    assert rejected[True] / 120 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 120)
    assert rejected[False] > rejected[True]


def test_equal_systems_have_no_regions_where_thresholds_are_re_estimated() -> None:
    rng = np.random.default_rng(6)
    alphas = np.linspace(0, 1, 11)
    found = {"re-estimated": 0, "fixed": 0}
    for _ in range(60):
        sets = TrialSets(
            crossed(rng, clients=40, impostors=20, effect=0.3),
            crossed(rng, clients=80, impostors=20, effect=0.3, start=500),
        )
        a, b = (curve_of(judge(sets, system=name, criterion="wer-min", alphas=alphas)) for name in ("a", "b"))
        for threshold in found:
            regions = compare_curves(a, b, simultaneous=True, threshold=threshold).regions  # type: ignore[arg-type]
            found[threshold] += bool(regions)
    assert found["re-estimated"] / 60 < 0.1
    assert found["fixed"] / 60 > 0.5


def test_curves_that_do_not_go_together() -> None:
    a = performance_curve(DEV, TEST, system="a", alphas=ALPHAS)
    b = performance_curve(DEV, TEST, system="b", alphas=ALPHAS)
    with pytest.raises(TrialsError, match="different values of alpha"):
        compare_curves(a, performance_curve(DEV, TEST, system="b", alphas=[0.5, 0.6]))
    with pytest.raises(ParameterError, match="method must be one of"):
        compare_curves(a, a, method="z")  # type: ignore[arg-type]
    with pytest.raises(TrialsError, match="of hter, that of b of f1"):
        compare_curves(a, curve_of(b.judged(), "f1"))
    with pytest.raises(ParameterError, match="f1 needs cluster or bootstrap"):
        compare_curves(curve_of(a.judged(), "f1"), curve_of(b.judged(), "f1"), method="dependent")
    others = performance_curve(without_ids(DEV), without_ids(data(5, people=20)), system="b", alphas=ALPHAS)
    with pytest.raises(TrialsError, match="judged on different trials"):
        compare_curves(a, others)
