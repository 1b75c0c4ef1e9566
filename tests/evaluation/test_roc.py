"""ROC, DET and areas against scikit-learn and brute force."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn import metrics

from fairtrial import ErrorCounts, ParameterError, TrialsError, roc_curve
from fairtrial.evaluation import auc_error, precision_recall_curve
from fairtrial.evaluation import roc as curves
from fairtrial.evaluation.roc import RocCurve, area_under
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


def test_precision_and_recall_against_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    genuine, impostor = rng.normal(1, 1, 500).round(1), rng.normal(0, 1, 2000).round(1)
    labels, scores = np.repeat([1, 0], [500, 2000]), np.concatenate([genuine, impostor])
    curve = precision_recall_curve((genuine, impostor))
    # theirs accepts scores of at least the threshold, and ends with a point of precision 1 where nothing is accepted
    precision, recall, thresholds = metrics.precision_recall_curve(labels, scores)
    assert curve.precision == pytest.approx(precision[:-1])
    assert curve.recall == pytest.approx(recall[:-1])
    assert curve.threshold[1:] == pytest.approx(thresholds[:-1])
    assert curve.average_precision() == pytest.approx(metrics.average_precision_score(labels, scores))
    thin = precision_recall_curve((genuine, impostor), max_points=40)
    assert (len(thin.recall) <= 40, thin.recall[0], thin.recall[-1]) == (True, 1.0, curve.recall[-1])


def test_there_is_no_precision_where_nothing_is_ever_accepted() -> None:
    with pytest.raises(TrialsError, match="nothing is ever accepted"):
        precision_recall_curve(([-np.inf], [-np.inf]))


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


def distances(full: RocCurve, thin: RocCurve, *, det: bool = False) -> NDArray[np.float64]:
    """How far every point of a curve is from the staircase through the points of another, by brute force."""

    def drawn(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(norm.ppf(np.clip(rates, 1e-6, 1 - 1e-6))) if det else rates

    far, frr = np.repeat(drawn(thin.far), 2)[:-1], np.repeat(drawn(thin.frr), 2)[1:]
    starts, ends = np.stack([far[:-1], frr[:-1]], 1), np.stack([far[1:], frr[1:]], 1)
    lows, highs = np.minimum(starts, ends), np.maximum(starts, ends)
    points = np.stack([drawn(full.far), drawn(full.frr)], 1)
    return np.array([np.abs(np.clip(point, lows, highs) - point).max(axis=1).min() for point in points])


FEW_ERRORS = (400, 8000, 4.0), (8000, 400, 4.0), (30, 6000, 1.0), (6000, 30, 1.0)


@pytest.mark.parametrize(("genuine", "impostor", "apart"), FEW_ERRORS)
@pytest.mark.parametrize("decimals", [2, 9])
def test_thinned_staircase_has_all_corners(genuine: int, impostor: int, apart: float, decimals: int) -> None:
    rng = np.random.default_rng(genuine)
    data = rng.normal(apart, 1, genuine).round(decimals), rng.normal(0, 1, impostor).round(decimals)
    full, thin = roc_curve(data), roc_curve(data, max_points=850)
    assert len(thin.far) <= 850
    assert distances(full, thin).max() == 0
    # FRR leaves 0 where it does, and not on a slant from somewhere before
    assert thin.far[thin.frr == 0].min() == full.far[full.frr == 0].min()


def test_too_many_corners_are_thinned_to_a_near_staircase() -> None:
    rng = np.random.default_rng(3)
    data = rng.normal(2, 1, 3000), rng.normal(0, 1, 3000)
    full, thin = roc_curve(data), roc_curve(data, max_points=400)
    assert len(thin.far) <= 400 < np.count_nonzero(np.diff(full.far) * np.diff(full.frr) == 0)
    assert distances(full, thin).max() < 0.02
    # and near on a DET curve, where small rates are far apart; both axes together are 19 deviates long
    assert distances(full, thin, det=True).max() < 19 / 200
    assert distances(full, roc_curve(data, max_points=1000), det=True).max() < 19 / 500


@given(score_arrays())
def test_thinning_never_gives_too_many_points(scores: Pair) -> None:
    for most in (2, 3, 4, 7):
        thin = roc_curve(scores, max_points=most)
        full = roc_curve(scores)
        assert len(thin.far) <= most
        assert (thin.far[0], thin.frr[0], thin.far[-1], thin.frr[-1]) == (
            full.far[0],
            full.frr[0],
            full.far[-1],
            full.frr[-1],
        )


def test_area_is_exact_beyond_64_bits() -> None:
    many = 5 * 10**9
    square = ErrorCounts(np.array([0.0, 1.0]), np.array([many, 0]), np.array([0, many]), many, many)
    assert area_under(square) == 0.5


@pytest.mark.parametrize("kind", ["smooth", "rounded", "heavy-tailed", "all the same", "few genuine"])
def test_curves_of_very_many_scores_are_near_the_whole_curve(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all scores are sorted then; every point that is drawn is one of the whole curve, and none is far away."""
    rng = np.random.default_rng(0)
    genuine, impostor = rng.normal(3, 1, 4000), rng.normal(0, 1, 120_000)
    if kind == "rounded":
        genuine, impostor = genuine.round(1), impostor.round(1)
    elif kind == "heavy-tailed":
        genuine, impostor = 3 + rng.standard_cauchy(4000), rng.standard_cauchy(120_000)
    elif kind == "all the same":
        genuine, impostor = np.ones(4000), np.ones(120_000)
    elif kind == "few genuine":
        genuine = genuine[:30]
    full = roc_curve((genuine, impostor))
    monkeypatch.setattr(curves, "_MANY", 1000)
    drawn = roc_curve((genuine, impostor), max_points=1000)
    places = np.searchsorted(full.threshold, drawn.threshold)
    assert np.array_equal(full.threshold[places], drawn.threshold)
    assert np.array_equal(full.far[places], drawn.far)
    assert np.array_equal(full.frr[places], drawn.frr)
    assert (drawn.threshold[0], drawn.threshold[-1]) == (full.threshold[0], full.threshold[-1])
    some = RocCurve(full.counts[:: 1 + len(full.counts) // 500], False)
    assert distances(some, drawn, det=True).max() < 19 / 500
    if kind == "few genuine":
        assert drawn.far[drawn.frr == 0].min() == full.far[full.frr == 0].min()
