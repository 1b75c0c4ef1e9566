"""Fuse by classifiers of scikit-learn, fitted on dev scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.model import fit_calibration
from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note, as_note
from fairtrial.core.trials import Trials
from fairtrial.fusion.methods import Fitted, FusionMethod, HeldOut, register_fusion
from fairtrial.fusion.model import Floats, FusionData, Step
from fairtrial.fusion.normalise import spread_of


def classifier_steps(classifier: Any) -> tuple[Step, ...]:
    """Give the steps of a fitted classifier or pipeline; none if its type is not supported.

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


def _training_rows(genuine: NDArray[np.bool_], most: int | None, name: str) -> tuple[NDArray[Any], list[Note]]:
    """Take all genuine trials, and at most as many impostor trials, evenly."""
    impostors = np.flatnonzero(~genuine)
    if most is None or len(impostors) <= most:
        return np.arange(len(genuine)), []
    chosen = impostors[np.linspace(0, len(impostors) - 1, most).round().astype(np.int64)]
    template = "{method} was trained on {trained:count} of {impostors:count} impostor dev trials, taken evenly"
    note = Note("some-impostors", template, method=name, trained=most, impostors=len(impostors))
    return np.sort(np.concatenate([np.flatnonzero(genuine), chosen])), [note]


def _train(classifier: Any, scores: Floats, genuine: NDArray[np.bool_], name: str) -> list[Note]:
    """Fit a classifier, and note if it did not converge."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # matrices of a few columns: threads would spend their time waiting for each other
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            classifier.fit(scores, genuine)
            # older versions of scikit-learn warn instead of raising
            if any("collinear" in str(warning.message) for warning in caught):
                raise np.linalg.LinAlgError("the covariance matrix of a class is not full rank")
        except (ValueError, np.linalg.LinAlgError) as error:
            # what follows the first sentence is advice on parameters that cannot be set here
            reason = str(error).partition(". ")[0].rstrip(".")
            raise ParameterError(
                f"{name} cannot be fitted on these dev scores: {reason}; normalise otherwise, or leave a system out"
            ) from error
    missed = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    template = "{method} did not converge; its last iterate is used"
    return [Note("not-converged", template, warning=True, method=name)] if missed else []


def _soft_decisions(classifier: Any, scores: Floats) -> Floats:
    """Give the decision function, or the log odds of the probabilities; higher for genuine."""
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(scores), dtype=np.float64)
    impostor, genuine = np.clip(np.asarray(classifier.predict_proba(scores), dtype=np.float64), 1e-300, None).T
    return np.asarray(np.log(genuine) - np.log(impostor))


def _classifier(path: str, *, scaled: bool = False, **fixed: Any) -> Callable[..., Any]:
    """Give a function that makes a classifier of scikit-learn, perhaps of standardised scores."""

    def make(**parameters: Any) -> Any:
        module, _, name = path.rpartition(".")
        classifier = getattr(import_module(f"sklearn.{module}"), name)(**fixed, **parameters)
        if not scaled:
            return classifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), classifier)

    return make


def _fit_logistic(data: FusionData) -> Fitted:
    """Fit logistic regression by maximum likelihood; the fused score is the log likelihood ratio."""
    data.check_classes("logistic")
    names = tuple(f"system {k + 1}" for k in range(data.scores.shape[1]))
    trials = Trials(np.asarray(data.scores, dtype=np.float64), data.genuine, names)
    # this prior weighs all trials alike
    fitted = fit_calibration(trials, method="logistic", prior=float(np.mean(data.genuine)))
    weights, offset = (np.asarray(fitted.parameters[name]) for name in ("weights", "offset"))
    return Fitted.of([Step("linear", {"weights": weights, "intercept": offset})], [*map(as_note, fitted.notes)])


register_fusion(FusionMethod("logistic", _fit_logistic, "logistic regression"))
register_classifier(
    "lda",
    _classifier("discriminant_analysis.LinearDiscriminantAnalysis"),
    summary="linear discriminant analysis",
    held_out="none",
)
register_classifier(
    "qda",
    _classifier("discriminant_analysis.QuadraticDiscriminantAnalysis"),
    summary="quadratic discriminant analysis",
)
register_classifier(
    "svm-linear",
    _classifier("svm.LinearSVC", scaled=True, class_weight="balanced", dual=False),
    grid=[{"C": c} for c in (0.01, 0.1, 1.0)],
    summary="linear support vector machine",
)
register_classifier(
    "svm-rbf",
    _classifier("svm.SVC", scaled=True, class_weight="balanced"),
    grid=[{"C": c} for c in (0.1, 1.0, 10.0)],
    summary="support vector machine with a Gaussian kernel",
    most_impostors=MOST_IMPOSTORS,
)
register_classifier(
    "mlp",
    lambda hidden=3: _classifier(
        "neural_network.MLPClassifier",
        scaled=True,
        hidden_layer_sizes=(hidden,),
        solver="lbfgs",
        max_iter=1000,
        random_state=0,
    )(),
    grid=[{"hidden": h} for h in (3, 6)],
    summary="multi-layer perceptron",
    most_impostors=MOST_IMPOSTORS,
)


def _fit_mixtures(data: FusionData, components: int = 2) -> Fitted:
    """Fit Gaussian mixtures of both classes; the fused score is the log likelihood ratio."""
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
