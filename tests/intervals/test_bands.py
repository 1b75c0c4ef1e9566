"""Bands around curves, regions where two differ, areas with intervals: by brute force and by simulation."""

from statistics import NormalDist

import numpy as np
import pytest

from fairtrial import (
    ParameterError,
    Trials,
    TrialsError,
    area_intervals,
    area_test,
    compare_curves,
    curve_band,
    dependent_test,
    expected_areas,
    independent_test,
    performance_curve,
    pool_curves,
)
from fairtrial.significance.curves import area_values
from fairtrial.significance.paired import cluster_test, pair_systems


def data(seed: int, shift: float = 0.0, people: int = 30) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(people**2), people)
    scores = np.outer(claim == subject, [2.0, 2.0 + shift]) + rng.normal(size=(people**2, 2))
    return Trials.from_arrays(scores, claim == subject, systems=["a", "b"], claim=claim, subject=subject)


DEV, TEST = data(0), data(1)
ALPHAS = [0.1, 0.3, 0.5, 0.7, 0.9]


def test_pointwise_band_against_resampled_rows() -> None:
    curve = performance_curve(DEV, TEST, system="a", alphas=ALPHAS)
    band = curve_band(curve, TEST, system="a", cluster="none", n_resamples=3000)
    rng = np.random.default_rng(2)
    scores, genuine = TEST.column("a"), TEST.genuine
    rows = []
    for _ in range(3000):
        picked = rng.integers(0, len(scores), len(scores))
        s, g = scores[picked], genuine[picked]
        rows.append([((s[~g] > t).mean() + (s[g] <= t).mean()) / 2 for t in curve.threshold])
    low, high = np.quantile(rows, [0.025, 0.975], axis=0)
    # one of 30 genuine trials more or less moves a quantile by 1/60
    assert band.low == pytest.approx(low, abs=1 / 60)
    assert band.high == pytest.approx(high, abs=1 / 60)
    assert np.mean(np.abs(band.low - low)) < 0.006
    assert band.estimate == pytest.approx(curve.hter)


def test_simultaneous_band_is_wider_and_holds_whole_curves() -> None:
    curve = performance_curve(DEV, TEST, system="a")
    pointwise, whole = (
        curve_band(curve, TEST, system="a", cluster="none", kind=kind, n_resamples=2000)
        for kind in ("pointwise", "simultaneous")
    )
    assert np.mean(whole.high - whole.low) > 1.1 * np.mean(pointwise.high - pointwise.low)
    # fresh test sets of the same kind: whole curves at the same thresholds lie within about 95 % of the time
    truth = np.mean([performance_curve(DEV, data(s), system="a").hter for s in range(100, 160)], axis=0)
    inside = []
    for seed in range(200, 260):
        test = data(seed)
        other = performance_curve(DEV, test, system="a")
        band = curve_band(other, test, system="a", cluster="none", kind="simultaneous", n_resamples=400)
        inside.append(bool(((band.low <= truth) & (truth <= band.high)).all()))
    assert np.mean(inside) > 0.8


def test_band_by_people_and_of_another_measure() -> None:
    curve = performance_curve(DEV, TEST, system="a", alphas=ALPHAS, criterion="precision-recall", measure="f1")
    band = curve_band(curve, TEST, system="a", n_resamples=300)
    assert (band.low <= curve.value).all()
    assert (curve.value <= band.high).all()
    assert set(band.to_dict()) >= {"low", "high", "kind", "confidence"}


def test_bands_that_cannot_be() -> None:
    curve = performance_curve(DEV, TEST, system="a", alphas=ALPHAS)
    with pytest.raises(ParameterError, match="kind must be one of"):
        curve_band(curve, TEST, system="a", kind="wide")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="confidence"):
        curve_band(curve, TEST, system="a", confidence=1)
    pooled = pool_curves([curve, performance_curve(TEST, DEV, system="a", alphas=ALPHAS)])
    with pytest.raises(ParameterError, match="no thresholds of its own"):
        curve_band(pooled, TEST, system="a")


@pytest.mark.parametrize("method", ["independent", "dependent", "cluster"])
def test_statistic_along_the_curve_is_that_of_each_point(method: str) -> None:
    a, b = (performance_curve(DEV, TEST, system=s, alphas=ALPHAS) for s in ("a", "b"))
    found = compare_curves(a, b, TEST, method=method)  # type: ignore[arg-type]
    for k in range(len(ALPHAS)):
        pair = pair_systems(TEST, "a", "b", float(a.threshold[k]), float(b.threshold[k]))
        expected = {
            "independent": independent_test(pair.counts_a, pair.counts_b),
            "dependent": dependent_test(pair.counts_a, pair.counts_b, pair.discordant),
            "cluster": cluster_test(pair),
        }[method]
        # as the normal deviate of the same p value, which for these tests is the statistic itself
        assert 2 * NormalDist().cdf(-abs(found.statistic[k])) == pytest.approx(expected.p_value, rel=1e-6)
        assert np.sign(found.statistic[k]) == np.sign(expected.statistic)
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
    found, plain = (compare_curves(a, b, sets[1], method=m, n_resamples=2000) for m in ("bootstrap", "dependent"))
    assert found.difference == pytest.approx(plain.difference)
    assert found.statistic == pytest.approx(plain.statistic, rel=0.1, abs=0.05)
    whole = compare_curves(a, b, sets[1], method="bootstrap", simultaneous=True, n_resamples=1000)
    assert whole.critical > found.critical


def test_regions_are_where_a_much_better_system_differs() -> None:
    dev, test = data(0, shift=2.0), data(1, shift=2.0)
    a, b = (performance_curve(dev, test, system=s) for s in ("a", "b"))
    found = compare_curves(a, b, test)
    assert found.different.any()
    assert (
        sum(((found.alpha >= low) & (found.alpha <= high)).sum() for low, high in found.regions)
        == found.different.sum()
    )
    assert compare_curves(a, b, test, simultaneous=True).critical > found.critical > 1.9


def test_whole_range_control_keeps_the_level() -> None:
    rejected = {True: 0, False: 0}
    for seed in range(120):
        dev, test = data(1000 + seed, people=20), data(3000 + seed, people=20)
        a, b = (performance_curve(dev, test, system=s, alphas=ALPHAS, criterion="far") for s in ("a", "b"))
        # the same thresholds for both, so that the two are equal in truth
        b = performance_curve(dev.select(["a"]), test.select(["b"]).renamed(["a"]), alphas=ALPHAS, criterion="far")
        same = Trials.from_arrays(test.scores, test.genuine, systems=["a", "b"])
        b = type(b)("b", b.criterion, b.measure, b.alpha, b.counts)
        for simultaneous in (True, False):
            found = compare_curves(a, b, same, method="dependent", simultaneous=simultaneous, n_resamples=1000)
            rejected[simultaneous] += bool(found.different.any())
    assert rejected[True] / 120 <= 0.11
    assert rejected[False] > rejected[True]


def test_curves_that_do_not_go_together() -> None:
    a = performance_curve(DEV, TEST, system="a", alphas=ALPHAS)
    with pytest.raises(TrialsError, match="different values of alpha"):
        compare_curves(a, performance_curve(DEV, TEST, system="b", alphas=[0.5, 0.6]), TEST)
    with pytest.raises(ParameterError, match="method must be one of"):
        compare_curves(a, a, TEST, method="z")  # type: ignore[arg-type]


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, 0.3)])
def test_area_values_sum_to_the_areas(bounds: tuple[float, float]) -> None:
    low, high = bounds
    areas = expected_areas(DEV, TEST, system="a", low=low, high=high)
    values = area_values(DEV, TEST, "a", low=low, high=high)
    for name in ("e_v1", "e_v2", "g"):
        total = values[name][TEST.genuine].mean() + values[name][~TEST.genuine].mean()
        assert total == pytest.approx(getattr(areas, name))
    interval = area_intervals(DEV, TEST, "a", low=low, high=high)["g"]
    assert interval.estimate == pytest.approx(areas.g)
    assert interval.low < areas.g < interval.high


def test_area_interval_covers_and_area_test_keeps_its_level() -> None:
    truth = np.mean([expected_areas(DEV, data(s), system="a").g for s in range(500, 700)])
    covered: list[bool] = []
    rejected: list[bool] = []
    for seed in range(700, 1000):
        test = data(seed)
        found = area_intervals(DEV, test, "a")["g"]
        covered.append(bool(found.low <= truth <= found.high))
        same = Trials.from_arrays(test.scores, test.genuine, systems=["a", "b"], claim=test.claim, subject=test.subject)
        doubled = Trials.from_arrays(DEV.scores[:, [0, 0]], DEV.genuine, systems=["a", "b"])
        rejected.append(area_test(doubled, same, "a", "b").p_value < 0.05)
    assert 0.90 <= np.mean(covered) <= 0.985
    assert np.mean(rejected) <= 0.09
