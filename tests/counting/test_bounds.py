"""Bounds from cells against the figures of all scores, found by looking at every threshold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fairtrial as ft
from brute_force import best
from fairtrial.counting.cells import LAST_LEVEL, CountedCells
from fairtrial.rules.bounds import bounded_choices, boxes_at
from strategies import score_arrays

Pair = tuple[np.ndarray, np.ndarray]
LEVELS = st.sampled_from([0, 1060, 1070, 1074, 1076, 1090, LAST_LEVEL]) | st.integers(0, LAST_LEVEL)
BELOW_ZERO = np.array([0.0]), np.array([-5e-324])
"""A cell that ends where -0.0 would be."""
MEASURES = ("far", "frr", "hter", "wer", "f1", "precision", "class-error")


def cells_of(scores: Pair, level: int) -> CountedCells:
    genuine = np.arange(sum(map(len, scores))) < len(scores[0])
    return CountedCells.of(np.concatenate(scores), genuine, floor=2).coarsened(level)


@pytest.mark.parametrize("name", ft.CRITERIA)
@settings(max_examples=25, deadline=None)
@given(dev=score_arrays(), test=score_arrays(), levels=st.tuples(LEVELS, LEVELS), alpha=st.integers(0, 20))
@example(dev=BELOW_ZERO, test=BELOW_ZERO, levels=(1060, 0), alpha=0)
def test_figures_lie_within_their_bounds(name: str, dev: Pair, test: Pair, levels: tuple[int, int], alpha: int) -> None:
    weight = alpha / 20
    exact = ft.rules.choose_thresholds(dev, name, weight)[0].scalar()
    judged = ft.counting.count_errors(test, exact.threshold).scalar()
    chosen, (possible,) = bounded_choices(cells_of(dev, levels[0]), ft.CRITERIA[name], weight)
    low, high = possible.threshold
    assert low <= exact.threshold <= high
    on_test = boxes_at(cells_of(test, levels[1]), possible.first, possible.last)
    for boxes, counts in ((possible, exact), (on_test, judged)):
        for word in MEASURES:
            low, high = boxes.of(ft.MEASURES[word], weight)
            assert low - 1e-12 <= float(ft.MEASURES[word](counts, weight)) <= high + 1e-12
    at_edge = ft.counting.count_errors(dev, chosen.threshold)
    assert np.array_equal(at_edge.false_accepts, chosen.false_accepts)
    assert np.array_equal(at_edge.false_rejects, chosen.false_rejects)


@given(score_arrays(max_size=20), st.integers(0, 12))
def test_bounds_of_distinct_scores_are_the_choice_itself(scores: Pair, alpha: int) -> None:
    chosen, (possible,) = bounded_choices(cells_of(scores, 0), ft.CRITERIA["wer-min"], alpha / 12)
    expected = best(
        scores[0].tolist(), scores[1].tolist(), lambda far, frr, a: a * far + (1 - a) * frr, Fraction(alpha, 12)
    )
    assert possible.threshold == (expected.threshold, expected.threshold)
    assert possible.of(ft.MEASURES["far"]) == (float(expected.far),) * 2
    assert chosen.threshold[0] == expected.threshold


def test_criterion_that_may_choose_anything_needs_distinct_scores() -> None:
    scores = np.linspace(0, 1, 50), np.linspace(-0.5, 0.5, 50)
    rule = ft.Criterion("odd", lambda counts, alpha: -np.sin(40 * counts.far))
    chosen, _ = bounded_choices(cells_of(scores, 0), rule, 0.5)
    assert chosen.threshold[0] == ft.rules.choose_thresholds(scores, rule, 0.5).threshold[0]
    with pytest.raises(ft.ParameterError, match="criterion odd may choose any threshold"):
        bounded_choices(cells_of(scores, 1074), rule, 0.5)


def test_one_class_only() -> None:
    with pytest.raises(ft.TrialsError, match="no genuine trial"):
        bounded_choices(CountedCells.of(np.ones(2), np.zeros(2, dtype=bool), floor=2), ft.CRITERIA["eer"], 0.5)
