"""Fuse by fixed rules, and by rules fitted for each client."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError
from fairtrial.fusion.methods import Fitted, Floats, FusionData, FusionMethod, Step, register_fusion, spread_of
from fairtrial.fusion.normalise import TRUST, claim_statistics, fit_normalisation, means_by_claim
from fairtrial.rules.eer import equal_error_rate


def _rule(name: str, summary: str) -> None:
    """Register a fixed rule."""

    def fit(data: FusionData) -> Fitted:
        return Fitted.of([Step(name)])

    register_fusion(FusionMethod(name, fit, summary, takes_scores_as_they_are=True))


_rule("mean", "the mean of the scores")
_rule("min", "the smallest score")
_rule("max", "the largest score")
_rule("median", "the median of the scores")


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


register_fusion(FusionMethod("product", _fit_product, "the product of scores of at least 0"))


def inverse_error_weights(scores: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Compute weights of systems in inverse proportion to their equal error rates.

    Parameters
    ----------
    scores
        Dev scores, one row per trial and one column per system.
    genuine
        Which trials are genuine.

    Returns
    -------
    ndarray
        One weight per system; they sum to 1. A system without errors is given half an error.
    """
    rates = np.array([max(equal_error_rate((column[genuine], column[~genuine])).value, 0.0) for column in scores.T])
    weights = 1 / np.maximum(rates, 0.5 / np.count_nonzero(genuine))
    return np.asarray(weights / weights.sum())


def _fit_weighted(data: FusionData) -> Fitted:
    data.check_classes("the weighted mean")
    weights = inverse_error_weights(data.scores, data.genuine)
    return Fitted.of([Step("linear", {"weights": weights, "intercept": np.zeros(())})])


register_fusion(
    FusionMethod(
        "weighted-mean",
        _fit_weighted,
        "the mean with weights in inverse proportion to dev EERs",
        takes_scores_as_they_are=True,
    )
)


def _fit_threshold(data: FusionData) -> Fitted:
    mean = Step("mean")
    fused = data.with_scores(mean(data.scores, data.claim))
    if not spread_of(fused.scores)[0]:
        raise ParameterError("client-threshold: the mean of the systems is the same for all dev trials")
    inner = fit_normalisation("eer-norm", fused)
    return Fitted.of([mean, *inner.steps], client_notes=inner.client_notes)


def _fit_scores(data: FusionData) -> Fitted:
    inner = fit_normalisation("f-norm", data)
    return Fitted.of([*inner.steps, Step("mean")], client_notes=inner.client_notes)


def _fit_weights(data: FusionData) -> Fitted:
    """Fit weights by the separation of each client's scores, half their own and half that of all clients."""
    data.check_classes("client-weights")
    found = claim_statistics(data, "client-weights")
    genuine, impostor = data.scores[data.genuine], data.scores[~data.genuine]
    spread = spread_of(genuine)
    if not np.all(spread + found.impostor_sd > 0):
        raise ParameterError("client-weights needs dev scores with some spread in one class at least, for every system")
    everyone = _shares((genuine.mean(axis=0) - impostor.mean(axis=0)) / (spread + impostor.std(axis=0)))
    own = _shares((found.genuine_mean - found.impostor_mean) / (spread + found.impostor_sd))
    weights = TRUST * own + (1 - TRUST) * everyone
    return Fitted.of([Step("linear-by-client", {"weights": weights})], client_notes=found.notes)


def _fit_gaussians(data: FusionData) -> Fitted:
    """Fit two Gaussians for each client; the fused score is the log likelihood ratio.

    Means are those of `claim_statistics`. The impostor covariance is half the client's own and half that of all. A
    client has few genuine scores: the genuine covariance is that of all clients' scores around the means.
    """
    data.check_classes("client-qda")
    found = claim_statistics(data, "client-qda")
    assert data.claim is not None
    size = data.scores.shape[1]
    away = data.scores[data.genuine] - found.genuine_mean[data.claim[data.genuine]]
    shared = [away.T @ away / len(away), np.cov(data.scores[~data.genuine], rowvar=False, bias=True)]
    if not all(np.linalg.matrix_rank(each) == size for each in shared):
        raise ParameterError(
            "client-qda needs dev scores with some spread in both classes, of systems that do not repeat each other"
        )
    own, counts = _impostor_covariances(data)
    # fewer trials than this do not determine a covariance
    known = (counts > size)[:, None, None]
    impostor = np.where(known, TRUST * own + (1 - TRUST) * shared[1], shared[1])
    covariances = np.stack([np.broadcast_to(shared[0], impostor.shape), impostor], axis=1)
    whitening = np.linalg.inv(np.linalg.cholesky(covariances)).transpose(0, 1, 3, 2)
    constants = np.sum(np.log(np.diagonal(whitening, axis1=2, axis2=3)), axis=2)
    means = np.stack([found.genuine_mean, found.impostor_mean], axis=1)
    numbers = {"means": means, "whitening": whitening, "constants": constants}
    return Fitted.of([Step("quadratic-by-client", numbers)], client_notes=found.notes)


def _impostor_covariances(data: FusionData) -> tuple[Floats, NDArray[np.int64]]:
    """Compute the covariance of impostor scores by client, 0 for anybody else, and count the trials."""
    assert data.claim is not None
    claim, scores, rows = data.claim[~data.genuine], data.scores[~data.genuine], data.claims + 1
    away = scores - means_by_claim(claim, scores, rows)[0][claim]
    size = scores.shape[1]
    products = (away[:, :, None] * away[:, None, :]).reshape(len(away), -1)
    covariances, counts = means_by_claim(claim, products, rows)
    return covariances.reshape(rows, size, size), counts


def _shares(separation: Floats) -> Floats:
    """Turn separations into weights that sum to 1; a system that does not separate gets almost none."""
    kept = np.maximum(separation, 1e-6)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


for _name, _fit, _summary in (
    ("client-threshold", _fit_threshold, "the mean, less each client's own threshold"),
    ("client-scores", _fit_scores, "the mean of scores that are F-normalised for each client"),
    ("client-weights", _fit_weights, "the mean with weights of each client's own"),
    ("client-qda", _fit_gaussians, "likelihood ratio of Gaussians of each client's own: not linear"),
):
    register_fusion(
        FusionMethod(
            _name,
            _fit,
            _summary,
            held_out="within-clients",
            takes_scores_as_they_are=_name in ("client-threshold", "client-weights"),
        )
    )
