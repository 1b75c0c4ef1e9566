"""Figures from counters against those of the same trials in memory."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrial as ft
from fairtrial import evaluate, performance_curve, roc_curve
from fairtrial.core.notes import Note
from fairtrial.core.words import percent
from fairtrial.inference import TrialSets, judge_at
from fairtrial.inference.estimates import judged_intervals
from fairtrial.rules.eer import EerDefinition
from simulated import crossed

COARSE = 0.05
"""A precision for which 4096 cells are kept, so that 20,000 scores share cells."""


def counters(precision: float, size: int = 20_000) -> tuple[Any, Any, ft.Counter, ft.Counter]:
    sets, counted = [], []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        pair = rng.normal(2.5, 1.0, size // 4), rng.normal(0.0, 1.2, size)
        counter = ft.Counter("face", precision=precision)
        counter.update(pair[0], True)
        counter.update(pair[1], False)
        sets.append(pair)
        counted.append(counter)
    return sets[0], sets[1], counted[0], counted[1]


def codes(found: ft.Evaluation) -> set[str]:
    return {note.code for note in found.notes if isinstance(note, Note)}


@pytest.mark.parametrize("name", ft.CRITERIA)
def test_distinct_scores_give_the_same_as_in_memory(name: str) -> None:
    dev, test, dev_counter, test_counter = counters(1e-4)
    expected = ft.evaluate(dev, test, criterion=name, alpha=0.02, measures=["f1"], resample="test")
    found = evaluate(dev_counter, test_counter, criterion=name, alpha=0.02, measures=["f1"])
    assert found.exact
    own = found["face"]
    assert (own.threshold, own.dev, own.test) == (expected.threshold, expected.dev, expected.test)
    assert own.test_eer is not None
    assert own.dev_eer is not None
    assert (own.dev_eer.value, own.test_eer.value) == (expected.dev_eer.value, expected.test_eer.value)
    assert own.intervals == expected.intervals
    assert own.measure_intervals["f1"].interval == pytest.approx(expected.measure_intervals["f1"].interval)
    assert own.bounds["test"]["hter"] == (expected.test.hter,) * 2
    assert "for certain between" not in own.answer()
    assert "bounds" not in codes(found)


@pytest.mark.parametrize("name", ft.CRITERIA)
def test_bounds_of_shared_cells_hold_the_figures_in_memory(name: str) -> None:
    dev, test, dev_counter, test_counter = counters(COARSE)
    assert dev_counter.cells().level > 0
    expected = ft.evaluate(dev, test, criterion=name, alpha=0.02, measures=["f1"])
    found = evaluate(dev_counter, test_counter, criterion=name, alpha=0.02, measures=["f1"])
    assert not found.exact
    dev_bounds, test_bounds = found.bounds["dev"], found.bounds["test"]
    pairs = [(found.judgement.boxes[0][0].threshold, expected.threshold)]
    pairs += [(test_bounds["measure f1"], expected.measures["f1"]), (dev_bounds["eer"], expected.dev_eer.value)]
    for word in ("far", "frr", "hter"):
        pairs += [(dev_bounds[word], getattr(expected.dev, word)), (test_bounds[word], getattr(expected.test, word))]
    for bounds, value in pairs:
        assert bounds.low <= value <= bounds.high
    (shown,) = found.tables()[-1].sections()
    assert all(cell.endswith(" %") for row in shown if row[2] != "threshold" for cell in row[3:5])
    own = found["face"]
    low, high = map(percent, test_bounds["hter"])
    assert (f"; for certain between {low} and {high}" in own.answer()) == (low != high)
    assert "bounds" in codes(found)
    assert own.test == ft.counting.count_errors(test, own.threshold).scalar()
    assert own.dev == ft.counting.count_errors(dev, own.threshold).scalar()


@pytest.mark.parametrize("definition", get_args(EerDefinition))
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), digits=st.integers(1, 12))
def test_bounds_of_every_eer(definition: EerDefinition, seed: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    pair = tuple(np.round(rng.normal(shift, 1.0, 6000), digits) for shift in (1.5, 0.0))
    counter = ft.Counter(precision=COARSE)
    for scores, genuine in zip(pair, (True, False), strict=True):
        counter.update(scores, genuine)
    bounds = ft.equal_error_rate(counter, definition=definition).bounds
    assert bounds is not None
    low, high = bounds
    assert low <= ft.equal_error_rate((pair[0], pair[1]), definition=definition).value <= high


@pytest.mark.parametrize("criterion", ["wer-min", "wer-equal", "precision-recall"])
def test_curve_lies_within_its_bounds(criterion: str) -> None:
    dev, test, dev_counter, test_counter = counters(COARSE)
    found = performance_curve(dev_counter, test_counter, criterion=criterion, measure="dcf")
    expected = ft.performance_curve(dev, test, criterion=criterion, measure="dcf")
    for name in ("threshold", "far", "frr", "hter", "value"):
        low, high = found.bounds[name]
        values = getattr(expected, name)
        assert np.all((low <= values) & (values <= high))
    assert np.array_equal(found.counts.false_accepts, ft.counting.count_errors(test, found.threshold).false_accepts)
    exact = performance_curve(*counters(1e-4)[2:], criterion=criterion, measure="dcf")
    assert exact.exact
    assert np.array_equal(exact.value, expected.value)
    assert np.array_equal(exact.threshold, expected.threshold)


def test_roc_at_the_ends_of_cells_is_exact() -> None:
    _, test, _, counter = counters(COARSE)
    found = roc_curve(counter, max_points=100)
    assert 50 < len(found.counts) <= 100
    expected = ft.counting.count_errors(test, found.threshold)
    assert np.array_equal(found.counts.false_accepts, expected.false_accepts)
    assert np.array_equal(found.counts.false_rejects, expected.false_rejects)


def test_interval_at_a_threshold_given_beforehand_knows_people() -> None:
    dev, test = (crossed(np.random.default_rng(seed), effect=0.5, start=1000 * seed) for seed in (0, 1))
    system = test.systems[0]
    first = ft.Counter(system)
    first.update(dev)
    threshold = evaluate(first, first).threshold
    second = ft.Counter(system, thresholds=[threshold])
    second.update(test)
    found = evaluate(first, second)
    fixed, independent = judged_intervals(judge_at(TrialSets(None, test), threshold, system=system))
    assert found.interval().method == "cluster-both"
    assert found.interval().interval == pytest.approx(tuple(fixed.interval), rel=1e-9)
    assert found.design_effect == pytest.approx((fixed.sigma / independent.sigma) ** 2)
    without = ft.Counter(system)
    without.update(test)
    blind = evaluate(first, without)
    assert blind.interval().method == "wilson"
    assert blind.interval().sharing == "none"
    assert "independent-trials" in codes(blind)


def test_same_trials_are_not_a_priori() -> None:
    counter = counters(1e-4, 100)[2]
    assert evaluate(counter, counter).kind == "a posteriori"


def test_a_counter_says_why_its_intervals_take_the_threshold_as_given() -> None:
    dev, test = counters(1e-4, 100)[2:]
    found = evaluate(dev, test)
    assert found.interval().threshold == "fixed"
    assert "threshold-fixed" in codes(found)
    (shown,) = found.tables()[-1].sections()
    assert [row[2] for row in shown if row[1] == "test"] == ["FAR", "FRR", "HTER", "EER"]


def test_counters_that_do_not_fit() -> None:
    dev, test = counters(1e-4, 100)[2], counters(1e-3, 100)[3]
    with pytest.raises(ft.ParameterError, match=r"precision 0\.0001 and test with 0\.001"):
        evaluate(dev, test)
    with pytest.raises(ft.TrialsError, match="no system 'voice'"):
        evaluate(dev, dev, systems="voice")
    empty = ft.Counter("face")
    with pytest.raises(ft.TrialsError, match="no genuine trial"):
        evaluate(empty, dev)
    with pytest.raises(ft.TrialsError, match="test: there is no genuine trial"):
        evaluate(dev, empty)
    with pytest.raises(ft.TrialsError, match="no genuine trial"):
        roc_curve(empty)
