"""Measures against scikit-learn and by hand."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from fairtrial import (
    MEASURES,
    DetectionCosts,
    ErrorCounts,
    Measure,
    ParameterError,
    Trials,
    compare,
    compare_curves,
    evaluate,
    performance_curve,
)
from fairtrial.core.words import term, wording
from fairtrial.counting import as_source, count_errors
from fairtrial.evaluation import auc_interval, d_prime_interval
from fairtrial.inference import TrialSets
from fairtrial.rules.measures import Weights, as_measure, linear_measure, linear_weights

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
    with pytest.raises(ParameterError, match="cost_fa must be a number from 0 to 1e\\+100"):
        DetectionCosts(cost_fa=-1)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("hter", (0.5, 0.5, 0.0)),
        ("far", (1.0, 0.0, 0.0)),
        ("frr", (0.0, 1.0, 0.0)),
        ("wer", (0.3, 0.7, 0.0)),
        ("dcf", (0.99, 0.1, 0.0)),
        ("recall", (0.0, -1.0, 1.0)),
        ("sensitivity", (0.0, -1.0, 1.0)),
        ("specificity", (-1.0, 0.0, 1.0)),
        ("class-error", None),
        ("precision", None),
        ("f1", None),
    ],
)
def test_weights_of_the_linear_measures(name: str, weights: tuple[float, float, float] | None) -> None:
    assert MEASURES[name].weights_at(0.3) == (None if weights is None else pytest.approx(weights))


def test_a_measure_that_is_not_linear_has_no_weights() -> None:
    assert linear_weights(DetectionCosts(1, 0.5, 1, 0.5)) == Weights(0.5, 0.5)
    with pytest.raises(ParameterError, match="measure precision is not a weighted sum"):
        linear_weights("precision")


@given(st.integers(0, 30), st.integers(0, 20), st.fractions(0, 1, max_denominator=50))
def test_linear_measures_are_exact_with_fractions(accepts: int, rejects: int, alpha: Fraction) -> None:
    counts = ErrorCounts(None, Fraction(accepts), Fraction(rejects), Fraction(20), Fraction(30))
    far, frr = Fraction(accepts, 30), Fraction(rejects, 20)
    expected = {
        "hter": (far + frr) / 2,
        "far": far,
        "frr": frr,
        "wer": alpha * far + (1 - alpha) * frr,
        "dcf": Fraction(99, 100) * far + frr / 10,
        "recall": 1 - frr,
        "specificity": 1 - far,
    }
    for name, value in expected.items():
        for given_alpha in (alpha, float(alpha)):
            found = MEASURES[name].formula(counts, given_alpha)
            assert isinstance(found, Fraction)
            assert found == value


def test_recall_of_one_in_ten_has_all_its_digits() -> None:
    assert MEASURES["recall"](ErrorCounts(0.0, 0, 9, 10, 10)) == 0.1  # 1 - 0.9 is 0.09999999999999998
    assert MEASURES["specificity"](ErrorCounts(0.0, 9, 0, 10, 10)) == 0.1


def test_a_result_is_called_as_its_measure_is() -> None:
    trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    found = evaluate(trials, trials, measures=["precision", "class-error", "cllr-min", gmean])
    labels = [found.measure_intervals[name].label for name in found.reported]
    assert labels == [measure.label for measure in found.reported.values()]
    assert labels == ["Precision", "Classification error", "min Cllr", "gmean"]
    _, measures, *_, intervals = found.tables()
    assert intervals.column("label") == ["HTER", "HTER", "HTER", "FAR", "FRR", *labels]
    assert intervals.column("measure")[-4:] == ["precision", "class-error", "cllr-min", "gmean"]
    assert {*labels} <= {*measures.column("label")}
    assert repr(found.measure_intervals["precision"]).startswith("<RateInterval: Precision 75.00 %")
    sets = TrialSets(trials, trials)
    assert (auc_interval(sets).label, d_prime_interval(sets).label) == ("AUC", "d'")


def gmean(counts: ErrorCounts) -> Any:
    return ((1 - counts.far) * (1 - counts.frr)) ** 0.5


def test_direction_of_a_users_measure_is_said_and_can_be_set() -> None:
    genuine = np.arange(400) < 100
    scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))

    def own(counts: ErrorCounts) -> Any:
        return gmean(counts)

    best = []
    for higher in (False, True):
        own.higher_is_better = higher  # type: ignore[attr-defined]
        found = compare(dev, test, measure=own, n_resamples=20)
        curves = [performance_curve(dev, test, system=name, measure=own, alphas=[0.5]) for name in ("old", "new")]
        note = f"own: {'higher' if higher else 'lower'} values are taken as better; for the other direction set "
        note += f"own.higher_is_better = {not higher} on the function"
        assert note in found.notes
        assert note in compare_curves(*curves).tables()[0].notes
        best.append(found.ranking[0].system)
    assert best == ["old", "new"]
    assert not any("taken as better" in str(note) for note in compare(dev, test, measure="f1", n_resamples=20).notes)


def test_iso_labels() -> None:
    with wording(terms="iso"):
        labels = {name: term(measure.label) for name, measure in MEASURES.items()}
    assert (labels["far"], labels["frr"], labels["hter"], labels["f1"]) == ("FMR", "FNMR", "HTER", "F1")


COUNTS = [(30, 2, 40, 300), (0, 2, 40, 300), (300, 2, 40, 300), (30, 0, 40, 300), (7, 39, 40, 300), (1, 1, 2, 2)]


@pytest.mark.parametrize("numbers", COUNTS)
def test_gradient_against_hand_derivatives(numbers: tuple[int, int, int, int]) -> None:
    fa, fr, nc, ni = numbers
    counts = ErrorCounts(0.0, fa, fr, nc, ni)
    right, accepted = nc - fr, nc - fr + fa
    halves = 2 * right + fa + fr
    total = nc + ni
    expected = {
        "precision": (-right / accepted**2, -fa / accepted**2, fa / accepted**2, 0.0),
        "f1": (-2 * right / halves**2, -2 * (halves - right) / halves**2, 2 * (fa + fr) / halves**2, 0.0),
        "class-error": (1 / total, 1 / total, -(fa + fr) / total**2, -(fa + fr) / total**2),
        "wer": (0.3 / ni, 0.7 / nc, -0.7 * fr / nc**2, -0.3 * fa / ni**2),
        "recall": (0.0, -1 / nc, fr / nc**2, 0.0),
    }
    for name, derivatives in expected.items():
        assert MEASURES[name].gradient(counts, 0.3) == pytest.approx(derivatives, rel=1e-5, abs=1e-10)


def _g_mean(counts: ErrorCounts) -> Any:
    return np.sqrt((1 - counts.far) * (1 - counts.frr))


@given(st.data())
def test_measures_do_not_change_when_all_counts_are_scaled(data: st.DataObject) -> None:
    nc, ni = data.draw(st.integers(2, 10**6)), data.draw(st.integers(2, 10**6))
    counts = ErrorCounts(0.0, data.draw(st.integers(0, ni)), data.draw(st.integers(0, nc - 1)), nc, ni)
    four = (counts.false_accepts, counts.false_rejects, nc, ni)
    smooth = 0 < counts.false_accepts < ni
    for measure in (*MEASURES.values(), *([as_measure(_g_mean)] if smooth else [])):
        terms = [slope * count for slope, count in zip(measure.gradient(counts, 0.3), four, strict=True)]
        assert sum(terms) == pytest.approx(0, abs=1e-6 + 1e-5 * max(map(abs, terms)))


def test_gradient_of_a_users_measure_agrees_with_that_of_the_one_it_copies() -> None:
    counts = ErrorCounts(0.0, 0, 3, 50, 400)
    ours = MEASURES["hter"].gradient(counts)
    assert as_measure(lambda c: c.hter).gradient(counts) == pytest.approx(ours, rel=1e-7, abs=1e-12)
    own = linear_measure("own", "Own", Weights(0.2, 0.9))
    assert own.gradient(counts) == pytest.approx((0.2 / 400, 0.9 / 50, -0.9 * 3 / 50**2, 0))


def test_every_measure_has_a_summary() -> None:
    assert all(measure.summary for measure in MEASURES.values())
