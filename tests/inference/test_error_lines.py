"""Lines of error rates along a DET curve, against normal scores whose lines are known."""

import numpy as np
import pytest
from scipy import stats

from fairtrial.counting import count_errors
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.det_fit import ErrorLines, normal_deviates


@pytest.mark.parametrize("spread", [0.7, 1.0, 1.5])
def test_slopes_of_normal_scores(spread: float) -> None:
    """Deviates rise by 1 / spread with the score for genuine trials, fall by 1 for impostors; together by 2."""
    rng = np.random.default_rng(0)
    scores = rng.normal(3, spread, 200_000), rng.normal(0, 1, 200_000)
    thresholds = np.linspace(0.5, 3, 60)
    lines, places = ErrorLines.fit(count_errors(scores, thresholds), np.ones((1, 60), dtype=bool))
    assert lines.rises[0] == pytest.approx(2 / spread / (1 / spread + 1), rel=0.02)
    assert lines.slopes[0] - lines.slopes[1] == pytest.approx([2.0])
    expected = (stats.norm.ppf(stats.norm.cdf(thresholds, 3, spread)) + thresholds) / 2
    assert places == pytest.approx(expected, abs=0.06)


def test_few_trials_leave_slopes_near_one() -> None:
    rises = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = rng.normal(3, 1, 12), rng.normal(0, 1, 12)
        counts = count_errors(scores, np.linspace(0, 3, 20))
        rises.append(float(ErrorLines.fit(counts, np.ones((1, 20), dtype=bool))[0].rises[0]))
    assert np.mean(rises) == pytest.approx(1, abs=0.1)
    assert np.std(rises) < 0.25


def test_one_threshold_or_none_has_a_slope_too() -> None:
    counts = ErrorCounts(np.array([0.0]), np.array([0]), np.array([0]), 5, 5)
    for near in (True, False):
        assert ErrorLines.fit(counts, np.array([[near]]))[0].rises.tolist() == [1.0]


def test_deviates_are_finite_without_errors() -> None:
    assert normal_deviates(np.array([0.0, 10.0]), 10) == pytest.approx(stats.norm.ppf([0.5 / 11, 10.5 / 11]))
