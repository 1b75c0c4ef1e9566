"""Fusion that differs from client to client: thresholds, scores, weights or Gaussians of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.fusion.claims import TRUST, claim_statistics
from fairtrial.fusion.methods import Fitted, FusionData, FusionMethod, register_fusion, spread_of
from fairtrial.fusion.normalise import fit_normalisation
from fairtrial.fusion.steps import Floats, Step


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
    """Weights by how well each client's own scores are separated, half their own and half that of all."""
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
    """The log likelihood ratio of two Gaussians of each client's own.

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
    own, counts = _covariances(data, ~data.genuine)
    # fewer trials than this say nothing of a covariance
    known = (counts > size)[:, None, None]
    impostor = np.where(known, TRUST * own + (1 - TRUST) * shared[1], shared[1])
    covariances = np.stack([np.broadcast_to(shared[0], impostor.shape), impostor], axis=1)
    whitening = np.linalg.inv(np.linalg.cholesky(covariances)).transpose(0, 1, 3, 2)
    constants = np.sum(np.log(np.diagonal(whitening, axis1=2, axis2=3)), axis=2)
    means = np.stack([found.genuine_mean, found.impostor_mean], axis=1)
    numbers = {"means": means, "whitening": whitening, "constants": constants}
    return Fitted.of([Step("quadratic-by-client", numbers)], client_notes=found.notes)


def _covariances(data: FusionData, which: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.int64]]:
    """The covariance of each client's trials of a class, 0 for anybody else, and how many trials there are."""
    assert data.claim is not None
    claim, scores, rows = data.claim[which], data.scores[which], data.claims + 1
    counts = np.bincount(claim, minlength=rows)

    def means(columns: Floats) -> Floats:
        sums = np.stack([np.bincount(claim, column, rows) for column in columns.T], axis=1)
        return np.asarray(sums / np.maximum(counts, 1)[:, None])

    away = scores - means(scores)[claim]
    size = scores.shape[1]
    products = (away[:, :, None] * away[:, None, :]).reshape(len(away), -1)
    return means(products).reshape(rows, size, size), counts


def _shares(separation: Floats) -> Floats:
    """Separations as weights that sum to 1; a system that does not separate gets next to nothing."""
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
