"""Expected Performance Curves: Algorithm 1, pooling, cross-validation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from fairtrial import (
    CRITERIA,
    MEASURES,
    ErrorCounts,
    ParameterError,
    PerformanceCurve,
    Trials,
    TrialsError,
    performance_curve,
)
from fairtrial.evaluation import alpha_grid, pool_curves
from fairtrial.inference import make_blocks
from fairtrial.rules import choose_thresholds
from reference.epc_2005 import ALPHAS, DEV, HTERS, TEST
from strategies import score_arrays

Pair = tuple[NDArray[np.floating], NDArray[np.floating]]


@pytest.mark.parametrize(("criterion", "hter"), HTERS.items())
def test_curve_of_algorithm_1_check(criterion: str, hter: list[float]) -> None:
    curve = performance_curve(DEV, TEST, alphas=ALPHAS, criterion=criterion)
    assert curve.hter.tolist() == pytest.approx(hter, abs=5e-5)
    assert curve.kind == "a priori"


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("measure", MEASURES)
def test_any_criterion_with_any_measure(criterion: str, measure: str) -> None:
    curve = performance_curve(DEV, TEST, alphas=[0.1, 0.9], criterion=criterion, measure=measure)
    for index, alpha in enumerate((0.1, 0.9)):
        threshold = float(choose_thresholds(DEV, criterion, alpha).threshold[0])
        accepts = sum(score > threshold for score in TEST[1])
        rejects = sum(score <= threshold for score in TEST[0])
        counts = ErrorCounts(threshold, accepts, rejects, len(TEST[0]), len(TEST[1]))
        assert curve.value[index] == pytest.approx(MEASURES[measure](counts, alpha))


@given(score_arrays(max_size=20), score_arrays(max_size=20))
def test_test_scores_do_not_move_the_thresholds(dev: Pair, test: Pair) -> None:
    alphas = [0.0, 0.3, 1.0]
    curve = performance_curve(dev, test, alphas=alphas)
    assert curve.threshold.tolist() == choose_thresholds(dev, "wer-min", alphas).threshold.tolist()


def test_alpha_grid_is_the_decimals_people_write() -> None:
    assert alpha_grid(101).tolist() == [float(f"{k / 100:.2f}") for k in range(101)]
    assert alpha_grid(3, low=0.2, high=0.4).tolist() == pytest.approx([0.2, 0.3, 0.4])
    bad: dict[str, Any]
    for bad in ({"points": 1}, {"low": 0.5, "high": 0.5}, {"low": -1.0}):
        with pytest.raises(ParameterError):
            alpha_grid(**bad)


def test_alphas_must_rise() -> None:
    with pytest.raises(ParameterError, match="must rise"):
        performance_curve(DEV, TEST, alphas=[0.5, 0.2])


def test_pooled_curve_sums_errors_at_each_ones_own_threshold() -> None:
    first = performance_curve(DEV, TEST, alphas=[0.0, 0.5])
    second = performance_curve(TEST, DEV, alphas=[0.0, 0.5])
    pooled = pool_curves([first, second])
    assert pooled.counts.false_accepts.tolist() == (first.counts.false_accepts + second.counts.false_accepts).tolist()
    assert pooled.far.tolist() == (pooled.counts.false_accepts / (6 + 5)).tolist()
    assert pooled.frr.tolist() == (pooled.counts.false_rejects / (5 + 4)).tolist()
    assert np.isnan(pooled.threshold).all()
    assert pooled.to_dict()["threshold"] == [None, None]


def test_pooling_what_does_not_go_together() -> None:
    curve = performance_curve(DEV, TEST, alphas=[0.0, 0.5])
    with pytest.raises(TrialsError, match="no curve"):
        pool_curves([])
    with pytest.raises(TrialsError, match="different values of alpha"):
        pool_curves([curve, performance_curve(DEV, TEST, alphas=[0.0, 0.6])])
    with pytest.raises(TrialsError, match="different criteria"):
        pool_curves([curve, performance_curve(DEV, TEST, alphas=[0.0, 0.5], criterion="wer-equal")])


def test_mean_along_the_curve_is_its_area_over_its_width() -> None:
    curve = performance_curve(DEV, TEST, alphas=[0.2, 0.4, 0.8])
    by_hand = (0.2 * (curve.hter[0] + curve.hter[1]) / 2 + 0.4 * (curve.hter[1] + curve.hter[2]) / 2) / 0.6
    assert curve.mean() == pytest.approx(by_hand)


def test_cross_validated_curve_equals_a_loop_over_blocks() -> None:
    rng = np.random.default_rng(4)
    claim, subject = np.divmod(np.arange(400), 20)
    scores = rng.normal(2.0 * (claim == subject), 1)
    trials = Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)
    blocks = make_blocks(trials, 4, rng=7)
    curve = performance_curve(trials, folds=blocks, alphas=[0.2, 0.5, 0.8])
    for index, alpha in enumerate([0.2, 0.5, 0.8]):
        accepts = rejects = 0
        for block in blocks:
            others = scores[block.others], trials.genuine[block.others]
            threshold = choose_thresholds((others[0][others[1]], others[0][~others[1]]), "wer-min", alpha).threshold[0]
            held, flags = scores[block.held_out], trials.genuine[block.held_out]
            accepts += int((held[~flags] > threshold).sum())
            rejects += int((held[flags] <= threshold).sum())
        assert (curve.counts.false_accepts[index], curve.counts.false_rejects[index]) == (accepts, rejects)
    assert curve.counts.impostor + curve.counts.genuine == 400
    assert isinstance(curve, PerformanceCurve)
    assert curve.kind == "a priori (cross-validated)"
