"""Fusion methods: what is fitted, the registry, fixed rules, and rules fitted for each client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.registry import Registry
from fairtrial.fusion.model import Claims, Floats, FusionData, Step, run_steps
from fairtrial.fusion.normalise import TRUST, claim_statistics, fit_normalisation, means_by_claim, spread_of
from fairtrial.rules.eer import equal_error_rate

HeldOut: TypeAlias = Literal["none", "clients", "within-clients"]
"""``none``: dev scores are those of the trials a fusion was fitted on. ``clients``: in each fold all trials of some
clients are held out. ``within-clients``: in each fold some trials of every client are, and all clients are known."""
Apply: TypeAlias = Callable[[Floats, Claims], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A fit on dev trials, to apply to any trials.

    Parameters
    ----------
    apply : callable
        From scores, one row per trial, and claims to fused scores; higher means genuine.
    notes : tuple of Note or str, default ()
        What the reader should know.
    client_notes : tuple of Note or str, default ()
        What the reader should know of clients with too few trials; those of the fits in folds are not reported.
    steps : tuple of Step, default ()
        `apply` as names and numbers; without them the fusion cannot be saved.

    Examples
    --------
    >>> Fitted(lambda scores, claim: scores.max(axis=1)).steps
    ()
    """

    apply: Apply
    notes: tuple[Note | str, ...] = ()
    client_notes: tuple[Note | str, ...] = ()
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, steps: Sequence[Step], notes: Sequence[Note] = (), client_notes: Sequence[Note] = ()) -> Fitted:
        """Fuse by these steps, one after the other."""
        return cls(
            lambda scores, claim: run_steps(steps, scores, claim)[:, 0], tuple(notes), tuple(client_notes), tuple(steps)
        )


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
            raise ParameterError(
                "{name} has {count} candidates to choose from and holds no trials out to choose by; say {held_out!o}",
                name=self.name,
                count=len(self.grid),
                held_out="clients",
            )


FUSIONS: Registry[FusionMethod] = Registry("fusion", "fusions", FusionMethod)
"""The fusion methods by their names."""


def register_fusion(method: FusionMethod) -> FusionMethod:
    """Make a fusion method known by its name, to the command line too.

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
    """Find a fusion method by its name."""
    return fusion if isinstance(fusion, FusionMethod) else FUSIONS.find(fusion)


def _fit_product(data: FusionData) -> Fitted:
    if data.scores.min() < 0:
        raise ParameterError(
            "the product needs scores of at least 0, and the lowest dev score is {lowest:g}; normalise scores first: "
            "{normalise!o}",
            code="negative-scores",
            lowest=float(data.scores.min()),
            normalise="min-max",
        )
    return Fitted.of([Step("product")])


def _fit_weighted_mean(data: FusionData) -> Fitted:
    """Weight systems in inverse proportion to their equal error rates; one without errors is given half an error."""
    data.check_classes("the weighted mean")
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    rates = np.array([equal_error_rate((g, i)).value for g, i in zip(genuine.T, impostor.T, strict=True)])
    weights = 1 / np.maximum(rates, 0.5 / len(genuine))
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
    """Fit weights by the separation of each client's scores, half their own and half that of all clients."""
    data.check_classes("client-weights")
    client = claim_statistics(data, "client-weights")
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
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
    known = (counts > size)[:, None, None]
    of_client = products.reshape(rows, size, size)
    impostor = np.where(known, TRUST * of_client + (1 - TRUST) * shared[1], shared[1])
    covariances = np.stack([np.broadcast_to(shared[0], impostor.shape), impostor], axis=1)
    whitening = np.linalg.inv(np.linalg.cholesky(covariances)).transpose(0, 1, 3, 2)
    constants = np.sum(np.log(np.diagonal(whitening, axis1=2, axis2=3)), axis=2)
    means = np.stack([client.genuine_mean, client.impostor_mean], axis=1)
    numbers = {"means": means, "whitening": whitening, "constants": constants}
    return Fitted.of([Step("quadratic-by-client", numbers)], client_notes=client.notes)


def _fixed(name: str) -> Callable[[FusionData], Fitted]:
    return lambda data: Fitted.of([Step(name)])


_WITHIN: HeldOut = "within-clients"
for _method in (
    FusionMethod("mean", _fixed("mean"), "the mean of the scores", scale_sensitive=True),
    FusionMethod("min", _fixed("min"), "the smallest score", scale_sensitive=True),
    FusionMethod("max", _fixed("max"), "the largest score", scale_sensitive=True),
    FusionMethod("median", _fixed("median"), "the median of the scores", scale_sensitive=True),
    FusionMethod("product", _fit_product, "the product of scores of at least 0"),
    FusionMethod(
        "weighted-mean",
        _fit_weighted_mean,
        "the mean with weights in inverse proportion to dev EERs",
        scale_sensitive=True,
    ),
    FusionMethod(
        "client-threshold",
        _fit_client_threshold,
        "the mean, less a threshold per client",
        held_out=_WITHIN,
        scale_sensitive=True,
    ),
    FusionMethod(
        "client-scores",
        _fit_client_scores,
        "the mean of scores that are F-normalised for each client",
        held_out=_WITHIN,
    ),
    FusionMethod(
        "client-weights",
        _fit_client_weights,
        "the mean with weights per client",
        held_out=_WITHIN,
        scale_sensitive=True,
    ),
    FusionMethod(
        "client-qda",
        _fit_client_qda,
        "likelihood ratio of two Gaussians per client: not linear",
        held_out=_WITHIN,
    ),
):
    register_fusion(_method)
