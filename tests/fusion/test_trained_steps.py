"""Classifiers as steps give what scikit-learn gives."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from fairtrial.fusion.methods import run_steps
from fairtrial.fusion.trained import classifier_steps

RNG = np.random.default_rng(0)
GENUINE = np.arange(240) < 80
SCORES = RNG.normal([0.0, 10.0, -3.0] + 2.0 * GENUINE[:, None], [1.0, 3.0, 0.5], (240, 3))
OTHERS = RNG.normal([0.5, 10.0, -2.0], [2.0, 5.0, 1.0], (100, 3))


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        LinearSVC(dual=False),
        SVC(),
        SVC(gamma=0.2, C=3),
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(StandardScaler(with_mean=False), LinearSVC(dual=False)),
        make_pipeline(StandardScaler(with_std=False), QuadraticDiscriminantAnalysis()),
    ],
    ids=str,
)
def test_steps_give_the_decision_function(classifier: Any) -> None:
    classifier.fit(SCORES, GENUINE)
    steps = classifier_steps(classifier)
    expected = classifier.decision_function(OTHERS)
    np.testing.assert_allclose(run_steps(steps, OTHERS, None)[:, 0], expected, rtol=1e-8, atol=1e-9)


def test_steps_of_a_network_give_the_log_odds() -> None:
    classifier = make_pipeline(StandardScaler(), MLPClassifier((4, 3), max_iter=30, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(SCORES, GENUINE)
    shares = classifier.predict_proba(OTHERS)[:, 1]
    found = run_steps(classifier_steps(classifier), OTHERS, None)[:, 0]
    np.testing.assert_allclose(found, np.log(shares) - np.log1p(-shares), rtol=1e-6, atol=1e-8)


class Mine(LogisticRegression):  # type: ignore[misc]
    """A classifier that computes something else."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(3),
        Mine(),
        SVC(kernel="poly"),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
        MLPClassifier((2,), activation="tanh", max_iter=5),
    ],
    ids=str,
)
def test_what_is_not_known_has_no_steps(classifier: Any) -> None:
    assert classifier_steps(classifier.fit(SCORES, GENUINE)) == ()
