"""Fusion methods: the registry, fixed rules, rules fitted for each client, and classifiers of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.model import fit_calibration
from fairtrial.core.errors import ParameterError, check_choice
from fairtrial.core.notes import Note, as_note
from fairtrial.core.registry import Registry
from fairtrial.core.trials import Trials
from fairtrial.fusion.model import Claims, Fitted, FusionData, Step
from fairtrial.fusion.normalise import TRUST, claim_statistics, fit_normalisation, means_by_claim, spread_of
from fairtrial.inference.variance import Floats

HeldOut: TypeAlias = Literal["none", "clients", "within-clients"]
"""``none``: dev scores are those of the trials a fusion was fitted on. ``clients``: in each fold all trials of some
clients are held out. ``within-clients``: in each fold some trials of every client are, and all clients are known."""


@dataclass(frozen=True, slots=True, eq=False)
class FusionMethod:
    """A method that makes one score of several.

    Parameters
    ----------
    name : str
        The name of the method.
    fit : callable
        ``fit(data, **parameters)`` on dev trials.
    summary : str, default ""
        What it does, in a few words.
    grid : tuple of dict, default ({},)
        The values of its hyper-parameters to choose from by Algorithm 1 of Poh & Bengio 2006; one: nothing to choose.
    held_out : {"none", "clients", "within-clients"}, default "none"
        Where the fused dev scores, and so the threshold, come from. ``none``: from the trials it was fitted on.
        ``clients``: from clients it was not fitted on, fold by fold. ``within-clients``: it fits something for each
        client, so it needs claim ids, and each trial is scored by a fit on other trials of the same client.
    scale_sensitive : bool, default False
        Whether a system with a wide range of scores outweighs the others, so that scores should be normalised first.

    Raises
    ------
    ParameterError
        If there are hyper-parameters to choose from, and nothing is held out to choose by.

    Examples
    --------
    >>> from fairtrial import FUSIONS
    >>> FUSIONS["mean"].held_out
    'none'
    """

    name: str
    fit: Callable[..., Fitted]
    summary: str = ""
    grid: tuple[Mapping[str, Any], ...] = field(default_factory=lambda: ({},))
    held_out: HeldOut = "none"
    scale_sensitive: bool = False

    def __post_init__(self) -> None:
        check_choice("held_out", self.held_out, get_args(HeldOut))
        if len(self.grid) > 1 and self.held_out == "none":
            template = (
                "{name} has {count} candidates to choose from and holds no trials out to choose by; say {held_out!o}"
            )
            raise ParameterError(template, name=self.name, count=len(self.grid), held_out="clients")


FUSIONS: Registry[FusionMethod] = Registry("fusion", "fusions", FusionMethod)
"""The fusion methods by their names."""


def register_fusion(method: FusionMethod) -> FusionMethod:
    """Register a fusion method by its name, for the command line, too.

    Parameters
    ----------
    method : FusionMethod
        The method; it replaces one of the same name.

    Returns
    -------
    FusionMethod
        The method.

    Examples
    --------
    >>> from dataclasses import replace
    >>> register_fusion(replace(FUSIONS["mean"], name="average")).name in FUSIONS
    True
    >>> del FUSIONS["average"]
    """
    FUSIONS[method.name] = method
    return method


def as_fusion(fusion: str | FusionMethod) -> FusionMethod:
    """Find a fusion method by its name; a method stays unchanged."""
    return fusion if isinstance(fusion, FusionMethod) else FUSIONS.find(fusion)


def _fit_product(data: FusionData) -> Fitted:
    if data.scores.min() < 0:
        template = (
            "the product needs scores of at least 0, and the lowest dev score is {lowest:g}; normalise scores first: "
            "{normalise!o}"
        )
        raise ParameterError(template, code="negative-scores", lowest=float(data.scores.min()), normalise="min-max")
    return Fitted.of([Step("product")])


def _fit_weighted_mean(data: FusionData) -> Fitted:
    """Weight systems in inverse proportion to their equal error rates; one without errors is given half an error."""
    data.check_classes("the weighted mean")
    rates = np.array([each.value for each in data.equal_error_rates])
    weights = 1 / np.maximum(rates, 0.5 / np.count_nonzero(data.genuine))
    return Fitted.of([Step("linear", {"weights": weights / weights.sum(), "intercept": np.zeros(())})])


def _fit_client_threshold(data: FusionData) -> Fitted:
    mean = Step("mean")
    fused = data.with_scores(mean(data.scores, data.claim))
    if not spread_of(fused.scores)[0]:
        raise ParameterError("client-threshold: the mean of the systems is the same for all dev trials")
    scale = fit_normalisation("eer-norm", fused)
    return Fitted.of([mean, *scale.steps], client_notes=scale.client_notes)


def _fit_client_scores(data: FusionData) -> Fitted:
    scale = fit_normalisation("f-norm", data)
    return Fitted.of([*scale.steps, Step("mean")], client_notes=scale.client_notes)


def _fit_client_weights(data: FusionData) -> Fitted:
    """Fit weights by the separation of each client's scores, half those of the client and half those of all clients."""
    data.check_classes("client-weights")
    client = claim_statistics(data, "client-weights")
    genuine, impostor = data.by_class
    spread = spread_of(genuine)
    if not np.all(spread + client.impostor_sd > 0):
        raise ParameterError("client-weights needs dev scores with some spread in one class at least, for every system")

    def weights(separation: Floats) -> Floats:
        # a system that does not separate gets almost no weight
        kept = np.maximum(separation, 1e-6)
        return np.asarray(kept / kept.sum(axis=-1, keepdims=True))

    everyone = weights((genuine.mean(axis=0) - impostor.mean(axis=0)) / (spread + impostor.std(axis=0)))
    of_client = weights((client.genuine_mean - client.impostor_mean) / (spread + client.impostor_sd))
    step = Step("linear-by-client", {"weights": TRUST * of_client + (1 - TRUST) * everyone})
    return Fitted.of([step], client_notes=client.notes)


def _fit_client_qda(data: FusionData) -> Fitted:
    """Fit two Gaussians for each client; the fused score is the log likelihood ratio.

    Means are those of `claim_statistics`. The impostor covariance is half the client's and half that of all. A client
    has few genuine scores: the genuine covariance is that of all clients' scores around the means.
    """
    data.check_classes("client-qda")
    client = claim_statistics(data, "client-qda")
    assert data.claim is not None
    size, rows = data.scores.shape[1], data.claims + 1
    away = data.scores[data.genuine] - client.genuine_mean[data.claim[data.genuine]]
    claim, scores = data.claim[~data.genuine], data.scores[~data.genuine]
    shared = [away.T @ away / len(away), np.cov(scores, rowvar=False, bias=True)]
    if not all(np.linalg.matrix_rank(each) == size for each in shared):
        raise ParameterError(
            "client-qda needs dev scores with some spread in both classes, of systems that do not repeat each other"
        )
    away = scores - means_by_claim(claim, scores, rows)[0][claim]
    products, counts = means_by_claim(claim, (away[:, :, None] * away[:, None, :]).reshape(len(away), -1), rows)
    # fewer trials than this do not determine a covariance
    enough = (counts > size)[:, None, None]
    of_client = products.reshape(rows, size, size)
    impostor = np.where(enough, TRUST * of_client + (1 - TRUST) * shared[1], shared[1])
    covariances = np.stack([np.broadcast_to(shared[0], impostor.shape), impostor], axis=1)
    whitening = np.linalg.inv(np.linalg.cholesky(covariances)).transpose(0, 1, 3, 2)
    constants = np.sum(np.log(np.diagonal(whitening, axis1=2, axis2=3)), axis=2)
    means = np.stack([client.genuine_mean, client.impostor_mean], axis=1)
    numbers = {"means": means, "whitening": whitening, "constants": constants}
    return Fitted.of([Step("quadratic-by-client", numbers)], client_notes=client.notes)


def _fit_logistic(data: FusionData) -> Fitted:
    """Fit logistic regression by maximum likelihood; the fused score is the log-likelihood ratio."""
    data.check_classes("logistic")
    names = tuple(f"system {k + 1}" for k in range(data.scores.shape[1]))
    trials = Trials(np.asarray(data.scores, dtype=np.float64), data.genuine, names)
    # this prior gives all trials the same weight
    fitted = fit_calibration(trials, method="logistic", prior=float(np.mean(data.genuine)))
    weights, offset = (np.asarray(fitted.parameters[name]) for name in ("weights", "offset"))
    return Fitted.of([Step("linear", {"weights": weights, "intercept": offset})], [*map(as_note, fitted.notes)])


def _fixed(name: str) -> Callable[[FusionData], Fitted]:
    return lambda data: Fitted.of([Step(name)])


_sensitive = partial(FusionMethod, scale_sensitive=True)
_WITHIN: HeldOut = "within-clients"
for _method in (
    _sensitive("mean", _fixed("mean"), "the mean of the scores"),
    _sensitive("min", _fixed("min"), "the smallest score"),
    _sensitive("max", _fixed("max"), "the largest score"),
    _sensitive("median", _fixed("median"), "the median of the scores"),
    FusionMethod("product", _fit_product, "the product of scores of at least 0"),
    _sensitive("weighted-mean", _fit_weighted_mean, "the mean with weights in inverse proportion to dev EERs"),
    _sensitive("client-threshold", _fit_client_threshold, "the mean, less a threshold per client", held_out=_WITHIN),
    FusionMethod(
        "client-scores", _fit_client_scores, "the mean of scores F-normalised for each client", held_out=_WITHIN
    ),
    _sensitive("client-weights", _fit_client_weights, "the mean with weights per client", held_out=_WITHIN),
    FusionMethod("client-qda", _fit_client_qda, "likelihood ratio of two Gaussians per client", held_out=_WITHIN),
    FusionMethod("logistic", _fit_logistic, "logistic regression"),
):
    register_fusion(_method)


def classifier_steps(classifier: Any) -> tuple[Step, ...]:
    """Give the steps of a fitted classifier or pipeline; none if its type is not supported.

    The first class is that of impostors, the second that of genuine trials.
    """
    # a class derived from one of scikit-learn may compute something else
    if not type(classifier).__module__.startswith("sklearn."):
        return ()
    kind = type(classifier).__name__
    if kind == "Pipeline":
        parts = [classifier_steps(part) for _, part in classifier.steps]
        return tuple(step for part in parts for step in part) if all(parts) else ()
    if kind == "StandardScaler":
        centre = classifier.mean_ if classifier.with_mean else np.zeros(classifier.n_features_in_)
        scale = classifier.scale_ if classifier.with_std else np.ones(classifier.n_features_in_)
        return (Step("scale", {"centre": centre, "scale": scale}),)
    if kind in ("LogisticRegression", "LinearDiscriminantAnalysis", "LinearSVC"):
        weights, intercept = np.asarray(classifier.coef_)[0], np.ravel(classifier.intercept_)[0]
        return (Step("linear", {"weights": weights, "intercept": np.asarray(intercept)}),)
    if kind == "QuadraticDiscriminantAnalysis":
        whitening = [r * s**-0.5 for r, s in zip(classifier.rotations_, classifier.scalings_, strict=True)]
        spreads = np.array([np.sum(np.log(scaling)) for scaling in classifier.scalings_])
        constants = np.log(classifier.priors_) - 0.5 * spreads
        numbers = {"means": classifier.means_, "whitening": np.stack(whitening), "constants": constants}
        return (Step("quadratic", {name: np.asarray(each)[::-1] for name, each in numbers.items()}),)
    if kind == "SVC" and classifier.kernel == "rbf":
        numbers = {
            "vectors": np.asarray(classifier.support_vectors_),
            "coefficients": np.asarray(classifier.dual_coef_)[0],
            "gamma": np.asarray(classifier._gamma),
            "intercept": np.asarray(classifier.intercept_[0]),
        }
        return (Step("kernel", numbers),)
    if kind == "MLPClassifier" and classifier.activation == "relu" and classifier.out_activation_ == "logistic":
        *hidden, last = zip(classifier.coefs_, classifier.intercepts_, strict=True)
        layers = (Step("layer", {"weights": weights, "intercepts": shift}) for weights, shift in hidden)
        return (*layers, Step("linear", {"weights": last[0][:, 0], "intercept": np.asarray(last[1][0])}))
    return ()


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
    """Register a scikit-learn classifier as a fusion method, for the command line, too.

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

        def apply(scores: Floats, claim: Claims) -> Floats:
            """Give the decision function, or the log odds of the probabilities; higher for genuine."""
            if hasattr(classifier, "decision_function"):
                return np.asarray(classifier.decision_function(scores), dtype=np.float64)
            chances = np.asarray(classifier.predict_proba(scores), dtype=np.float64)
            impostor, genuine = np.clip(chances, 1e-300, None).T
            return np.asarray(np.log(genuine) - np.log(impostor))

        return Fitted(apply, tuple(notes))

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
        except (ValueError, IndexError, np.linalg.LinAlgError) as error:
            # what follows the first sentence is advice on parameters that cannot be set here
            reason = str(error).partition(". ")[0].rstrip(".")
            if isinstance(error, IndexError):  # scikit-learn looks for a singular value, and there is none
                reason = "their spread is next to nothing"
            raise ParameterError(
                f"{name} cannot be fitted on these dev scores: {reason}; normalise otherwise, or leave a system out"
            ) from error
    missed = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    template = "{method} did not converge; its last iterate is used"
    return [Note("not-converged", template, warning=True, method=name)] if missed else []


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


register_classifier(
    "lda",
    _classifier("discriminant_analysis.LinearDiscriminantAnalysis"),
    summary="linear discriminant analysis",
    held_out="none",
)
register_classifier(
    "qda", _classifier("discriminant_analysis.QuadraticDiscriminantAnalysis"), summary="quadratic discriminant analysis"
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
