"""ROC, DET and areas against scikit-learn and brute force."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn import metrics

from fairtrial import ErrorCounts, ParameterError, auc_error, roc_curve
from fairtrial.curves import area_under
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]


@given(score_arrays())
def test_auc_against_all_pairs(scores: Pair) -> None:
    genuine, impostor = (part.astype(np.float64) for part in scores)
    # the curve begins at threshold -inf, which already rejects scores of -inf
    genuine, impostor = np.maximum(genuine, -1.7e308), np.maximum(impostor, -1.7e308)
    below = (genuine[:, None] < impostor[None, :]).mean()
    equal = (genuine[:, None] == impostor[None, :]).mean()
    assert auc_error((genuine, impostor)) == pytest.approx(below + equal / 2)


def test_auc_and_roc_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    genuine, impostor = rng.normal(1, 1, 500).round(1), rng.normal(0, 1, 2000).round(1)
    labels = np.repeat([1, 0], [500, 2000])
    scores = np.concatenate([genuine, impostor])
    assert auc_error((genuine, impostor)) == pytest.approx(1 - metrics.roc_auc_score(labels, scores))
    far, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    curve = roc_curve((genuine, impostor))
    assert curve.far[::-1] == pytest.approx(far)
    assert curve.frr[::-1] == pytest.approx(1 - tpr)
    assert curve.area() == pytest.approx(auc_error((genuine, impostor)))


def test_det_axes_are_normal_deviates() -> None:
    curve = roc_curve(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    far, frr = curve.probit()
    assert far == pytest.approx(norm.ppf(curve.far))
    assert frr == pytest.approx(norm.ppf(curve.frr))
    assert far[0] == np.inf


def test_convex_hull_lies_below_and_thinning_keeps_the_ends() -> None:
    rng = np.random.default_rng(1)
    data = rng.normal(1, 1, 3000), rng.normal(0, 1, 3000)
    full, hull, thin = roc_curve(data), roc_curve(data, convex_hull=True), roc_curve(data, max_points=50)
    some = full.far > 0  # where none is accepted the hull is upright
    assert (np.interp(-full.far[some], -hull.far, hull.frr) <= full.frr[some] + 1e-12).all()
    assert len(hull.far) < 200
    assert len(thin.far) <= 50
    assert (thin.far[0], thin.frr[-1]) == (1.0, 1.0)
    with pytest.raises(ParameterError, match="at least 2"):
        roc_curve(data, max_points=1)


def test_area_is_exact_beyond_64_bits() -> None:
    many = 5 * 10**9
    square = ErrorCounts(np.array([0.0, 1.0]), np.array([many, 0]), np.array([0, many]), many, many)
    assert area_under(square) == 0.5
