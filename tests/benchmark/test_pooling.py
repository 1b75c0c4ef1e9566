"""Pooled curves of two methods along alpha: against the comparison of one experiment, by hand, and by simulation."""

from dataclasses import replace

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, compare_curves
from fairtrial.benchmark import compare_pooled, pooled_band
from fairtrial.benchmark.protocols import split_sets
from fairtrial.benchmark.results import BenchmarkResult
from fairtrial.benchmark.run import RunSettings, run_benchmark
from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.evaluation import curve_band
from fairtrial.fusion.methods import Fitted, FusionMethod
from fairtrial.inference.estimates import Threshold
from simulated import crossed, without_ids

SYSTEMS = tuple(SystemInfo(name, "face", name, name) for name in ("a", "b"))


def column(number: int) -> FusionMethod:
    return FusionMethod(f"column {number}", lambda data: Fitted(lambda scores, claim: scores[:, number].copy()))


def parts(seed: int, *, clients: int = 25) -> tuple[Trials, Trials]:
    rng = np.random.default_rng(seed)
    more = {"clients": clients, "impostors": 8, "effect": 0.4, "separation": 2.0, "correlation": 0.3}
    return crossed(rng, **more), crossed(rng, start=1000, **more)  # type: ignore[arg-type]


def benchmark(*pairs: tuple[Trials, Trials]) -> Benchmark:
    return Benchmark("mine", "mine", tuple(BenchmarkSet(f"s{k}", *pair, SYSTEMS) for k, pair in enumerate(pairs)))


def runs(made: Benchmark, *fusions: str | FusionMethod, points: int = 11) -> list[BenchmarkResult]:
    settings = [RunSettings(fusion=fusion, points=points, keep_scores=True) for fusion in fusions]
    return [run_benchmark(made, settings=each) for each in settings]


@pytest.mark.parametrize("ids", [True, False])
def test_pooled_curve_of_one_experiment_is_its_curve(ids: bool) -> None:
    pair = parts(0) if ids else tuple(without_ids(part) for part in parts(0))
    made = benchmark(pair)  # type: ignore[arg-type]
    a, b = runs(made, "mean", "max")
    curves = [run.experiments[0].curve for run in (a, b)]
    ways: tuple[Threshold, ...] = ("re-estimated", "fixed")
    for threshold in ways:
        found = compare_pooled(made, a, b, threshold=threshold, simultaneous=False)
        expected = compare_curves(*curves, threshold=threshold)
        np.testing.assert_allclose(found.difference, expected.difference, atol=1e-15)
        inner = slice(1, -1)
        np.testing.assert_allclose(found.statistic[inner], expected.statistic[inner], rtol=0.03, atol=0.02)
        assert (found.test, found.threshold) == (expected.test, expected.threshold)
    together = compare_pooled(made, a, b).critical
    assert together == pytest.approx(compare_curves(*curves, simultaneous=True).critical, rel=0.1)
    assert together > 2


def test_band_of_one_experiment_is_near_that_of_its_curve() -> None:
    made = benchmark(parts(1))
    (run,) = runs(made, "mean")
    found, expected = pooled_band(made, run), curve_band(run.experiments[0].curve)
    np.testing.assert_allclose(found.estimate, expected.estimate)
    inner = slice(3, -3)
    # Student's t here, limits by Wilson there
    np.testing.assert_allclose((found.high - found.low)[inner], (expected.high - expected.low)[inner], rtol=0.25)
    wide = pooled_band(made, run, kind="simultaneous")
    assert np.all(wide.high - wide.low >= found.high - found.low)


def test_pooled_difference_is_that_of_sums_of_errors() -> None:
    made = benchmark(parts(2), parts(3, clients=12))
    a, b = runs(made, "mean", "min")
    found = compare_pooled(made, a, b, threshold="fixed")
    for index in (2, 5, 8):
        pooled = []
        for run in (a, b):
            fa = sum(e.curve.counts.false_accepts[index] for e in run.experiments)
            fr = sum(e.curve.counts.false_rejects[index] for e in run.experiments)
            ni = sum(np.count_nonzero(~one.test.genuine) for one in made.sets)
            nc = sum(np.count_nonzero(one.test.genuine) for one in made.sets)
            pooled.append((fa / ni + fr / nc) / 2)
        assert found.difference[index] == pytest.approx(pooled[0] - pooled[1], abs=1e-15)
    only = compare_pooled(made, a, b, group="s1: different features")
    assert not np.allclose(only.difference, found.difference)


def test_people_of_several_sets_are_the_same_people() -> None:
    """The same set twice, under two names: nothing is learnt, so nothing becomes surer."""
    pair = parts(4)
    once, twice = benchmark(pair), benchmark(pair, pair)
    single, double = (compare_pooled(made, *runs(made, "mean", "max"), simultaneous=False) for made in (once, twice))
    inner = slice(2, -2)
    ratio = double.statistic[inner] / single.statistic[inner]
    # chance on test is taken out of what thresholds add, less of it where experiments share their trials
    assert np.all((ratio > 0.75) & (ratio < 1.05))


def test_equal_methods_differ_seldom() -> None:
    """Two systems that are equally good, each as a method: 24 data sets, at each alpha and over all at once."""
    pointwise, anywhere = [], 0
    for seed in range(24):
        made = benchmark(parts(100 + seed, clients=16))
        a, b = runs(made, column(0), column(1), points=7)
        found = compare_pooled(made, a, b)
        pointwise.append(np.abs(found.statistic[2:-2]) > 1.96)
        anywhere += bool(found.different.any())
    assert np.mean(pointwise) < 0.12
    assert anywhere <= 5  # 1.2 are expected; 6 or more have a probability of 0.1 %


def test_what_is_refused() -> None:
    made = benchmark(parts(0))
    a, b = runs(made, "mean", "max")
    bare = run_benchmark(made, settings=RunSettings(points=11))
    sets, _ = split_sets("s0", parts(0)[0], SYSTEMS, repeats=2)
    split = Benchmark("mine", "mine", sets)
    (run,) = runs(split, "mean")
    for code, work in (
        ("no-scores", lambda: compare_pooled(made, a, bare)),
        ("no-group", lambda: pooled_band(made, a, group="faces")),
        ("different-runs", lambda: compare_pooled(made, a, replace(b, protocol="fp-full"))),
        ("splits", lambda: pooled_band(split, run)),
    ):
        with pytest.raises(ParameterError) as error:
            work()
        assert error.value.code == code
