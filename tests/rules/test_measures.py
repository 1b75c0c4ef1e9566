"""Measures against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn import metrics

from fairtrial import MEASURES, DetectionCosts, ErrorCounts, Measure, ParameterError, as_source, count_errors
from fairtrial.rules.measures import as_measure

PEERS = {
    "precision": lambda y, d: metrics.precision_score(y, d, zero_division=0),
    "recall": metrics.recall_score,
    "f1": lambda y, d: metrics.f1_score(y, d, zero_division=0),
    "sensitivity": metrics.recall_score,
    "specificity": lambda y, d: metrics.recall_score(~y, ~d),
    "far": lambda y, d: 1 - metrics.recall_score(~y, ~d),
    "frr": lambda y, d: 1 - metrics.recall_score(y, d),
    "hter": lambda y, d: 1 - metrics.balanced_accuracy_score(y, d),
    "class-error": metrics.zero_one_loss,
}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("threshold", [-10.0, 0.0, 0.7, 10.0])
def test_measure_against_scikit_learn(name: str, threshold: float) -> None:
    rng = np.random.default_rng(0)
    scores, genuine = rng.normal(size=200), rng.random(200) < 0.3
    counts = count_errors(as_source((scores[genuine], scores[~genuine])), threshold)
    expected = PEERS[name](genuine, scores > threshold)
    assert MEASURES[name](counts) == pytest.approx(expected)


def test_weighted_error_and_detection_cost_by_hand() -> None:
    counts = ErrorCounts(0.0, 30, 2, 40, 300)  # FAR .1, FRR .05
    assert MEASURES["wer"](counts, 0.3) == pytest.approx(0.3 * 0.1 + 0.7 * 0.05)
    assert MEASURES["dcf"](counts) == pytest.approx(10 * 0.01 * 0.05 + 1 * 0.99 * 0.1)
    assert as_measure(DetectionCosts(1, 0.5, 1, 0.5))(counts) == pytest.approx(counts.hter)


def test_arrays_go_through_every_measure_as_numbers_do() -> None:
    accepts, rejects = np.array([0, 3, 10]), np.array([5, 2, 0])
    for measure in MEASURES.values():
        together = measure(ErrorCounts(np.zeros(3), accepts, rejects, 5, 10), 0.25)
        apart = [measure(ErrorCounts(0.0, int(a), int(r), 5, 10), 0.25) for a, r in zip(accepts, rejects, strict=True)]
        assert np.asarray(together).tolist() == pytest.approx(apart)


def test_users_measure_and_direction() -> None:
    def missed(counts: ErrorCounts) -> int:
        return int(counts.false_rejects)

    measure = as_measure(missed)
    assert (measure.name, measure(ErrorCounts(0.0, 1, 7, 10, 10))) == ("missed", 7)
    assert as_measure(measure) is measure
    assert MEASURES["f1"].higher_is_better
    assert not Measure("x", lambda c, a: 0, "X").higher_is_better


def test_unknown_measure_and_costs_out_of_range() -> None:
    with pytest.raises(ParameterError, match="no measure 'eer2'; there are hter"):
        as_measure("eer2")
    with pytest.raises(ParameterError, match="prior_genuine must be at most 1"):
        DetectionCosts(prior_genuine=2)
    with pytest.raises(ParameterError, match="cost_fa must be a number of at least 0"):
        DetectionCosts(cost_fa=-1)
