"""Threshold search against brute force, also where only a few cells of the score axis are looked at."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from brute_force import lower_hull, points
from fairtrial import ErrorCounts
from fairtrial.counting import ScoreSource, as_source, kernels, search
from fairtrial.counting import tallies as errors
from fairtrial.counting.kernels import fit_cells
from fairtrial.counting.search import SplitTally, all_points, crossing_points, hull_points
from fairtrial.counting.tallies import PooledSource, Scores
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]


def same(a: ErrorCounts, b: ErrorCounts) -> bool:
    return all(np.array_equal(getattr(a, f), getattr(b, f)) for f in ("threshold", "false_accepts", "false_rejects"))


@given(score_arrays())
def test_all_points(scores: Pair) -> None:
    expected = points(scores[0].tolist(), scores[1].tolist())
    found = all_points(as_source(scores))
    assert found.threshold.tolist() == [point.threshold for point in expected]
    assert found.false_accepts.tolist() == [point.false_accepts for point in expected]
    assert found.false_rejects.tolist() == [point.false_rejects for point in expected]


@given(score_arrays(max_size=15))
def test_hull(scores: Pair) -> None:
    expected = lower_hull(scores[0].tolist(), scores[1].tolist())
    assert hull_points(as_source(scores)).threshold.tolist() == [point.threshold for point in expected]


@given(score_arrays(max_size=15), st.sampled_from([3, 8, 64]))
def test_hull_by_cells(scores: Pair, cells: int) -> None:
    expected = lower_hull(scores[0].tolist(), scores[1].tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors, "SORT_AT_ONCE", 0)
        patch.setattr(errors, "fit_cells", lambda sample, inner: fit_cells(sample, cells))
        assert hull_points(as_source(scores)).threshold.tolist() == [point.threshold for point in expected]


SHAPES: dict[str, Callable[[np.random.Generator, int], Pair]] = {
    "normal": lambda rng, n: (rng.normal(2, 1, n), rng.normal(0, 1, 5 * n)),
    "no overlap": lambda rng, n: (rng.normal(50, 1, n), rng.normal(0, 1, 5 * n)),
    "reversed": lambda rng, n: (rng.normal(-2, 1, n), rng.normal(0, 1, 5 * n)),
    "saturated": lambda rng, n: (np.tanh(rng.normal(4, 3, n)), np.tanh(rng.normal(-4, 3, 5 * n))),
    "likelihoods": lambda rng, n: (np.exp(rng.normal(-20, 40, n)), np.exp(rng.normal(-60, 40, 5 * n))),
    "integers": lambda rng, n: (rng.poisson(14, n).astype(float), rng.poisson(9, 5 * n).astype(float)),
    "one value": lambda rng, n: (np.ones(n), np.ones(5 * n)),
    "float32": lambda rng, n: (
        rng.normal(1, 1, n).astype(np.float32),
        rng.normal(0, 1, 5 * n).astype(np.float32),
    ),
    "far from zero": lambda rng, n: (1e9 + rng.normal(1, 1, n), 1e9 + rng.normal(0, 1, 5 * n)),
    "with outliers": lambda rng, n: (
        np.concatenate([rng.normal(1, 1, n), [1e300, np.inf]]),
        np.concatenate([rng.normal(0, 1, 5 * n), [-1e300, -np.inf, np.inf]]),
    ),
    "two scales": lambda rng, n: (
        np.concatenate([rng.normal(1, 1, n), rng.normal(1e-9, 1e-9, n)]),
        np.concatenate([rng.normal(0, 1, n), rng.normal(0, 1e-9, 4 * n)]),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cells", [16, 1024, 1 << 18])
def test_search_by_cells_against_sorting(shape: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = as_source(SHAPES[shape](np.random.default_rng(5), 20_000))
    by_sorting = [hull_points, _at_equality, _at_rates]
    monkeypatch.setattr(errors, "SORT_AT_ONCE", 10**9)
    expected = [find(source) for find in by_sorting]
    monkeypatch.setattr(errors, "SORT_AT_ONCE", 0)
    monkeypatch.setattr(errors, "MAX_CELLS", cells)
    monkeypatch.setattr(search, "MAX_CELLS", cells)
    for find, points_ in zip(by_sorting, expected, strict=True):
        assert same(find(source), points_)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sample", [1 << 8, 1 << 12])
@pytest.mark.parametrize("mixed", [False, True])
def test_search_between_samples_against_sorting(
    shape: str, sample: int, mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, impostor = SHAPES[shape](np.random.default_rng(5), 20_000)
    source = as_source((genuine, impostor))
    if mixed:
        order = np.random.default_rng(6).permutation(len(genuine) + len(impostor))
        flags, scores = order < len(genuine), np.concatenate([genuine, impostor])[order]
        source = errors.ArraySource(((scores, flags),), len(genuine), len(impostor))
    monkeypatch.setattr(errors, "SORT_AT_ONCE", 10**9)
    monkeypatch.setattr(search, "_SAMPLE", 10**9)
    questions: list[Callable[[ScoreSource], ErrorCounts]] = [_at_equality]
    questions += [partial(_at_rate, target=target) for target in (-0.5, -0.01, -0.0001, 0.0)]
    expected = [find(source) for find in questions]
    monkeypatch.setattr(search, "_SAMPLE", sample)
    for find, points_ in zip(questions, expected, strict=True):
        assert same(find(source), points_)


@pytest.mark.parametrize("worth", [0, 10**18])
def test_a_sample_that_misleads(worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_SAMPLE", 1 << 8)
    monkeypatch.setattr(kernels, "_WORTH_LOADING", worth)
    split = []

    def spy(low: float, high: float) -> SplitTally:
        split.append((low, high))
        return SplitTally(low, high)

    monkeypatch.setattr(search, "SplitTally", spy)
    rng = np.random.default_rng(9)
    genuine, impostor = rng.normal(2, 1, 25_600), rng.normal(0, 1, 128_000)
    genuine[::100] += 3  # those of the sample
    points_ = _nearest(all_points(as_source((genuine, impostor))), lambda c: c.frr - c.far, [0.0])
    assert same(_at_equality(as_source((genuine, impostor))), points_)
    assert not split[0][0] < points_.threshold[0] <= split[0][1]


@given(score_arrays(max_size=60), st.integers(1, 3), st.floats(-1, 1))
def test_crossing_of_few_samples(scores: Pair, sample: int, target: float) -> None:
    source, targets = as_source(scores), np.array([target])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_SAMPLE", sample)
        patch.setattr(errors.ArraySource, "room", 10**9)
        found = crossing_points(source, lambda c: c.frr - c.far, targets)
    expected = _nearest(all_points(source), lambda c: c.frr - c.far, [target])
    assert same(_nearest(found, lambda c: c.frr - c.far, [target]), expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("per_cell", [1, 7, 32])
def test_search_of_sorted_scores_against_all_of_them(
    shape: str, per_cell: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "SORT_AT_ONCE", 10**9)
    monkeypatch.setattr(search, "_PER_CELL", per_cell)
    source = as_source(SHAPES[shape](np.random.default_rng(8), 5_000))
    for find in (hull_points, _at_equality, _at_rates):
        assert same(find(search.sort_once(source)), find(source))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("per_cell", [1, 7, 32])
def test_search_of_scores_sorted_by_part(shape: str, per_cell: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "SORT_AT_ONCE", 10**9)
    monkeypatch.setattr(search, "_PER_CELL", per_cell)
    parts = [as_source(SHAPES[shape](np.random.default_rng(seed), size)) for seed, size in ((8, 2_000), (9, 300))]
    by_part = PooledSource(tuple(map(search.sort_once, parts)))
    for find in (hull_points, _at_equality, _at_rates):
        assert same(find(by_part), find(PooledSource(tuple(parts))))


@given(score_arrays(max_size=15), st.sampled_from([1, 3]))
def test_hull_of_sorted_scores(scores: Pair, per_cell: int) -> None:
    expected = lower_hull(scores[0].tolist(), scores[1].tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_PER_CELL", per_cell)
        found = hull_points(search.sort_once(as_source(scores)))
    assert found.threshold.tolist() == [point.threshold for point in expected]


def _at_equality(source: ScoreSource) -> ErrorCounts:
    return _nearest(crossing_points(source, lambda c: c.frr - c.far, np.array([0.0])), lambda c: c.frr - c.far, [0.0])


def _at_rate(source: ScoreSource, target: float) -> ErrorCounts:
    return _nearest(crossing_points(source, lambda c: -c.far, np.array([target])), lambda c: -c.far, [target])


def _at_rates(source: ScoreSource) -> ErrorCounts:
    targets = np.linspace(-1, 0, 21)
    return _nearest(crossing_points(source, lambda c: -c.far, targets), lambda c: -c.far, targets.tolist())


def _nearest(points_: ErrorCounts, level: search.Level, targets: list[float]) -> ErrorCounts:
    """For each target the first and the last of the points nearest to it, which any right answer holds."""
    chosen = []
    for target in targets:
        distance = np.abs(level(points_) - target)
        nearest = np.flatnonzero(distance == distance.min())
        chosen += [nearest[0], nearest[-1]]
    return points_[chosen]


def test_few_scores_are_gathered_where_cells_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    gathered = []
    original = search._join

    def spy(parts: tuple[list[Scores], list[Scores]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        joined = original(parts)
        gathered.append(len(joined[0]) + len(joined[1]))
        return joined

    monkeypatch.setattr(search, "_join", spy)
    rng = np.random.default_rng(6)
    source = as_source((rng.normal(2, 1, 100_000), rng.normal(0, 1, 1_000_000)))
    _at_equality(source)
    hull_points(source)
    sample, near, below_hull = gathered
    assert sample < 3 * search._SAMPLE
    assert near < 30_000
    assert below_hull < 200_000


def test_hull_beyond_exact_doubles() -> None:
    # NI * NC is above 2**53 here, so the first sieve must not decide what rounding blurs
    accepts = np.array([3 * 10**9, 2 * 10**9, 10**9, 1, 0])
    rejects = np.array([0, 10**9, 2 * 10**9, 3 * 10**9 - 1, 3 * 10**9])
    counts = ErrorCounts(np.arange(5.0), accepts, rejects, 3 * 10**9, 3 * 10**9)
    assert search.hull_of_points(counts).tolist() == [0, 4]
    rejects[2] -= 1
    assert search.hull_of_points(counts).tolist() == [0, 2, 4]
