"""Scorers in scikit-learn's own cross-validation, against figures by hand."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_curve
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from fairtrial import ParameterError, TrialsError
from fairtrial.learning import DevThresholdScorer, eer_score, hter_score

RNG = np.random.default_rng(3)
LABELS = np.repeat([0, 1], [160, 80])
INPUTS = RNG.normal(size=(240, 3)) + 1.2 * LABELS[:, None]
IS_DEV = np.arange(240) % 4 == 0
DEV = INPUTS[IS_DEV], LABELS[IS_DEV]
REST = INPUTS[~IS_DEV], LABELS[~IS_DEV]
FOLDS = StratifiedKFold(3)


def by_hand(labels: Any, scores: Any, threshold: float) -> tuple[float, float]:
    accepted = scores > threshold
    return float(accepted[labels == 0].mean()), float((~accepted)[labels == 1].mean())


def models() -> list[tuple[Any, Any]]:
    """A model for each fold, and the rows that it is judged on."""
    return [(LogisticRegression().fit(REST[0][a], REST[1][a]), b) for a, b in FOLDS.split(*REST)]


def test_eer_in_cross_validation_against_scikit_learns_roc() -> None:
    scorer = make_scorer(eer_score, response_method="decision_function", greater_is_better=False)
    found = cross_val_score(LogisticRegression(), *REST, scoring=scorer, cv=FOLDS)
    expected = []
    for model, rows in models():
        far, accepted, _ = roc_curve(REST[1][rows], model.decision_function(REST[0][rows]), drop_intermediate=False)
        nearest = np.abs(far - (1 - accepted)).argmin()
        expected.append(-(far[nearest] + 1 - accepted[nearest]) / 2)
    assert found == pytest.approx(expected)


def test_hter_at_a_given_threshold_in_cross_validation() -> None:
    scorer = make_scorer(hter_score, response_method="predict_proba", greater_is_better=False, threshold=0.3)
    found = cross_val_score(LogisticRegression(), *REST, scoring=scorer, cv=FOLDS)
    expected = [
        -np.mean(by_hand(REST[1][rows], model.predict_proba(REST[0][rows])[:, 1], 0.3)) for model, rows in models()
    ]
    assert found == pytest.approx(expected)


def test_the_threshold_of_dev_trials_in_cross_validation() -> None:
    found = cross_val_score(LogisticRegression(), *REST, scoring=DevThresholdScorer(*DEV), cv=FOLDS)
    expected = []
    for model, rows in models():
        dev = model.decision_function(DEV[0])
        threshold = min(np.sort(dev), key=lambda t: abs(np.subtract(*by_hand(DEV[1], dev, t))))
        expected.append(-np.mean(by_hand(REST[1][rows], model.decision_function(REST[0][rows]), threshold)))
    assert found == pytest.approx(expected)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=DevThresholdScorer(*DEV), cv=FOLDS)
    assert search.fit(*REST).best_score_ >= found.mean() - 1e-12


def test_a_measure_of_which_more_is_better_keeps_its_sign() -> None:
    model = LogisticRegression().fit(*REST)
    scorer = DevThresholdScorer(*DEV, criterion="far", alpha=0.1, measure="recall")
    dev, rest = model.decision_function(DEV[0]), model.decision_function(REST[0])
    threshold = min(np.sort(dev), key=lambda t: abs(by_hand(DEV[1], dev, t)[0] - 0.1))
    assert scorer(model, *REST) == pytest.approx(1 - by_hand(REST[1], rest, threshold)[1])
    assert repr(scorer) == "<DevThresholdScorer: recall at far of dev>"


def test_any_of_the_two_classes_may_be_genuine() -> None:
    names = np.where(REST[1] == 1, "anna", "not anna")
    dev = DEV[0], np.where(DEV[1] == 1, "anna", "not anna")
    plain = DevThresholdScorer(*DEV)
    for model in (LogisticRegression(), GaussianNB()):
        expected = plain(model.fit(*REST), *REST)
        named = DevThresholdScorer(*dev, genuine_label="anna")
        assert named(model.fit(REST[0], names), REST[0], names) == pytest.approx(expected)


def test_it_goes_to_other_processes() -> None:
    model = LogisticRegression().fit(*REST)
    scorer = DevThresholdScorer(*DEV)
    assert pickle.loads(pickle.dumps(scorer))(model, *REST) == scorer(model, *REST)


def test_what_cannot_be_scored() -> None:
    class Mute:
        classes_ = (0, 1)

    scorer = DevThresholdScorer(*DEV)
    with pytest.raises(ParameterError, match="Mute has neither decision_function nor predict_proba"):
        scorer(Mute(), *REST)
    with pytest.raises(ParameterError, match="knows 3 classes"):
        scorer(LogisticRegression().fit(INPUTS, np.arange(240) % 3), *REST)
    with pytest.raises(ParameterError, match="genuine_label='x' is not among the classes"):
        DevThresholdScorer(*DEV, genuine_label="x")(LogisticRegression().fit(*REST), *REST)
    with pytest.raises(TrialsError, match="genuine"):
        eer_score([0, 0, 0], [0.1, 0.2, 0.3])
