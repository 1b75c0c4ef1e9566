"""Trained fusion: classifiers of scikit-learn, fitted on dev scores; any other is one registration away."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.fusion.classifiers import classifier_steps
from fairtrial.fusion.holding import HeldOut
from fairtrial.fusion.methods import Fitted, FusionData, FusionMethod, register_fusion, spread_of
from fairtrial.fusion.steps import Floats, Step

MOST_IMPOSTORS = 4000
"""Impostor dev trials that slow methods are trained on; there are many more of them than genuine ones."""


def register_classifier(
    name: str,
    make: Callable[..., Any],
    *,
    grid: Sequence[Mapping[str, Any]] = ({},),
    summary: str = "",
    most_impostors: int | None = None,
    held_out: HeldOut = "clients",
) -> FusionMethod:
    """Make a scikit-learn classifier known as a fusion method, to the command line too.

    Parameters
    ----------
    name : str
        What the method is to be called.
    make : callable
        Called with the hyper-parameters; gives a classifier that is not fitted, or a pipeline.
    grid : sequence of dict, default ({},)
        The values of its hyper-parameters to choose from by Algorithm 1.
    summary : str, default ""
        What it does, in a few words.
    most_impostors : int, optional
        Train on no more impostor trials than this, taken evenly; a note says so.
    held_out : {"none", "clients", "within-clients"}, default "clients"
        ``clients``: dev scores, and so the threshold, are those of clients that the classifier was not trained on, fold
        by fold. ``none``: they are those of the trials it was trained on, which is good for a classifier with few
        parameters only.

    Returns
    -------
    FusionMethod
        The method, as it was registered.

    Examples
    --------
    >>> from fairtrial import FUSIONS
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> method = register_classifier("forest", lambda: RandomForestClassifier(20, random_state=0))
    >>> FUSIONS.pop(method.name).name
    'forest'
    """

    def fit(data: FusionData, **parameters: Any) -> Fitted:
        data.check_classes(name)
        rows, notes = _training_rows(data.genuine, most_impostors, name)
        classifier = make(**parameters)
        notes += _train(classifier, data.scores[rows], data.genuine[rows], name)
        if not any(hasattr(classifier, method) for method in ("decision_function", "predict_proba")):
            raise ParameterError(
                f"{name}: {type(classifier).__name__} gives decisions only; a fusion needs a classifier with "
                "decision_function or predict_proba"
            )
        steps = classifier_steps(classifier)
        if steps:
            return Fitted.of(steps, notes)
        return Fitted(lambda scores, claim: _soft_decisions(classifier, scores), tuple(notes))

    return register_fusion(FusionMethod(name, fit, summary, tuple(grid), held_out=held_out))


def _training_rows(genuine: NDArray[np.bool_], most: int | None, name: str) -> tuple[NDArray[Any], list[str]]:
    impostors = np.flatnonzero(~genuine)
    if most is None or len(impostors) <= most:
        return np.arange(len(genuine)), []
    chosen = impostors[np.linspace(0, len(impostors) - 1, most).round().astype(np.int64)]
    note = f"{name} was trained on {most:,} of {len(impostors):,} impostor dev trials, taken evenly"
    return np.sort(np.concatenate([np.flatnonzero(genuine), chosen])), [note]


def _train(classifier: Any, scores: Floats, genuine: NDArray[np.bool_], name: str) -> list[str]:
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # matrices of a few columns: threads would only wait for each other, many times as long as the work takes
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            classifier.fit(scores, genuine)
            if any(
                "collinear" in str(warning.message) for warning in caught
            ):  # all that older versions of scikit-learn say
                raise np.linalg.LinAlgError("the covariance matrix of a class is not full rank")
        except (ValueError, np.linalg.LinAlgError) as error:
            # what follows the first sentence is advice on parameters that cannot be set here
            reason = str(error).partition(". ")[0].rstrip(".")
            raise ParameterError(
                f"{name} cannot be fitted on these dev scores: {reason}; normalise otherwise, or leave a system out"
            ) from error
    missed = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    return [f"{name} did not converge: what it had reached is used"] if missed else []


def _soft_decisions(classifier: Any, scores: Floats) -> Floats:
    """One number per trial, higher for genuine: the decision function, or the log odds of the probabilities."""
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(scores), dtype=np.float64)
    impostor, genuine = np.clip(np.asarray(classifier.predict_proba(scores), dtype=np.float64), 1e-300, None).T
    return np.asarray(np.log(genuine) - np.log(impostor))


def _logistic(**parameters: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000, **parameters)


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _qda() -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis()


def _linear_svm(C: float = 1.0) -> Any:  # noqa: N803 - scikit-learn's name
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    return make_pipeline(StandardScaler(), LinearSVC(C=C, class_weight="balanced", dual=False))


def _rbf_svm(C: float = 1.0) -> Any:  # noqa: N803 - scikit-learn's name
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    return make_pipeline(StandardScaler(), SVC(C=C, class_weight="balanced"))


def _mlp(hidden: int = 5) -> Any:
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    network = MLPClassifier((hidden,), batch_size=500, learning_rate_init=0.01, max_iter=50, random_state=0)
    return make_pipeline(StandardScaler(), network)


register_classifier("logistic", _logistic, summary="logistic regression", held_out="none")
register_classifier("lda", _lda, summary="linear discriminant analysis", held_out="none")
register_classifier("qda", _qda, summary="quadratic discriminant analysis")
register_classifier(
    "svm-linear", _linear_svm, grid=[{"C": c} for c in (0.01, 0.1, 1.0)], summary="linear support vector machine"
)
register_classifier(
    "svm-rbf",
    _rbf_svm,
    grid=[{"C": c} for c in (0.1, 1.0, 10.0)],
    summary="support vector machine with a Gaussian kernel",
    most_impostors=MOST_IMPOSTORS,
)
register_classifier(
    "mlp",
    _mlp,
    grid=[{"hidden": h} for h in (3, 6)],
    summary="multi-layer perceptron",
    most_impostors=MOST_IMPOSTORS,
)


def _fit_mixtures(data: FusionData, components: int = 2) -> Fitted:
    """Gaussian mixtures of both classes; the fused score is the log likelihood ratio."""
    from sklearn.mixture import GaussianMixture

    data.check_classes("gmm")
    chosen, notes = _training_rows(data.genuine, MOST_IMPOSTORS, "gmm")
    scores, flags = data.scores[chosen], data.genuine[chosen]
    scale = spread_of(scores)
    scale = np.where(scale > 0, scale, 1.0)
    numbers = {}
    for word, rows in (("genuine", flags), ("impostor", ~flags)):
        wanted = min(components, max(1, int(np.count_nonzero(rows)) // 10))
        model = GaussianMixture(wanted, reg_covar=1e-4, random_state=0)
        notes += _train(model, scores[rows] / scale, flags[rows], f"gmm ({word})")
        numbers[f"{word}_weights"] = model.weights_
        numbers[f"{word}_means"] = model.means_
        numbers[f"{word}_whitening"] = model.precisions_cholesky_
    first = Step("scale", {"centre": np.zeros_like(scale), "scale": scale})
    return Fitted.of([first, Step("mixtures", numbers)], notes)


register_fusion(
    FusionMethod(
        "gmm",
        _fit_mixtures,
        "likelihood ratio of Gaussian mixtures",
        tuple({"components": k} for k in (1, 2, 4)),
        held_out="clients",
    )
)
