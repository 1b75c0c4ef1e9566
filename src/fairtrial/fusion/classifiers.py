"""Classifiers of scikit-learn as steps: what they compute, in numbers that a file can hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairtrial.fusion.steps import Step


def classifier_steps(classifier: Any) -> tuple[Step, ...]:
    """The steps that a fitted classifier or pipeline does; none where it is of a kind that is not known.

    The first class is that of impostors, the second that of genuine trials.
    """
    kind = type(classifier).__name__
    # what is derived from a class of scikit-learn may compute something else
    if not type(classifier).__module__.startswith("sklearn.") or kind not in _STEPS:
        return ()
    return _STEPS[kind](classifier)


def _pipeline(classifier: Any) -> tuple[Step, ...]:
    parts = [classifier_steps(part) for _, part in classifier.steps]
    return tuple(step for part in parts for step in part) if all(parts) else ()


def _scaler(scaler: Any) -> tuple[Step, ...]:
    size = scaler.n_features_in_
    centre = scaler.mean_ if scaler.with_mean else np.zeros(size)
    return (Step("scale", {"centre": centre, "scale": scaler.scale_ if scaler.with_std else np.ones(size)}),)


def _linear(classifier: Any) -> tuple[Step, ...]:
    weights, intercept = np.asarray(classifier.coef_)[0], np.ravel(classifier.intercept_)[0]
    return (Step("linear", {"weights": weights, "intercept": np.asarray(intercept)}),)


def _quadratic(classifier: Any) -> tuple[Step, ...]:
    whitening = [r * s**-0.5 for r, s in zip(classifier.rotations_, classifier.scalings_, strict=True)]
    spreads = np.array([np.sum(np.log(scaling)) for scaling in classifier.scalings_])
    constants = np.log(classifier.priors_) - 0.5 * spreads
    numbers = {"means": classifier.means_, "whitening": np.stack(whitening), "constants": constants}
    return (Step("quadratic", {name: np.asarray(each)[::-1] for name, each in numbers.items()}),)


def _support_vectors(classifier: Any) -> tuple[Step, ...]:
    if classifier.kernel != "rbf":
        return ()
    return (
        Step(
            "kernel",
            {
                "vectors": np.asarray(classifier.support_vectors_),
                "coefficients": np.asarray(classifier.dual_coef_)[0],
                "gamma": np.asarray(classifier._gamma),
                "intercept": np.asarray(classifier.intercept_[0]),
            },
        ),
    )


def _network(classifier: Any) -> tuple[Step, ...]:
    if classifier.activation != "relu" or classifier.out_activation_ != "logistic":
        return ()
    *hidden, last = zip(classifier.coefs_, classifier.intercepts_, strict=True)
    layers = (Step("layer", {"weights": weights, "intercepts": shift}) for weights, shift in hidden)
    return (*layers, Step("linear", {"weights": last[0][:, 0], "intercept": np.asarray(last[1][0])}))


_STEPS: dict[str, Callable[[Any], tuple[Step, ...]]] = {
    "Pipeline": _pipeline,
    "StandardScaler": _scaler,
    "LogisticRegression": _linear,
    "LinearDiscriminantAnalysis": _linear,
    "LinearSVC": _linear,
    "QuadraticDiscriminantAnalysis": _quadratic,
    "SVC": _support_vectors,
    "MLPClassifier": _network,
}
