"""Fusion that differs from client to client: thresholds, scores or weights of their own."""

from __future__ import annotations

import numpy as np

from fairtrial.errors import ParameterError
from fairtrial.fusion.claims import TRUST, claim_statistics
from fairtrial.fusion.methods import Claims, Fitted, Floats, FusionData, FusionMethod, register_fusion, spread_of
from fairtrial.fusion.normalise import fit_normalisation


def _mean(scores: Floats) -> Floats:
    return np.asarray(scores.mean(axis=1))


def _fit_threshold(data: FusionData) -> Fitted:
    fused = data.with_scores(_mean(data.scores)[:, None])
    if not spread_of(fused.scores)[0]:
        raise ParameterError("client-threshold: the mean of the systems is the same for all dev trials")
    inner = fit_normalisation("eer-norm", fused)
    return Fitted(
        lambda scores, claim: inner.apply(_mean(scores)[:, None], claim)[:, 0], inner.notes, inner.client_notes
    )


def _fit_scores(data: FusionData) -> Fitted:
    inner = fit_normalisation("f-norm", data)
    return Fitted(lambda scores, claim: _mean(inner.apply(scores, claim)), inner.notes, inner.client_notes)


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

    def apply(scores: Floats, claim: Claims) -> Floats:
        return np.asarray((scores * weights[found.rows(claim)]).sum(axis=1))

    return Fitted(apply, client_notes=found.notes)


def _shares(separation: Floats) -> Floats:
    """Separations as weights that sum to 1; a system that does not separate gets next to nothing."""
    kept = np.maximum(separation, 1e-6)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


for _name, _fit, _summary in (
    ("client-threshold", _fit_threshold, "the mean, less each client's own threshold"),
    ("client-scores", _fit_scores, "the mean of scores that are F-normalised for each client"),
    ("client-weights", _fit_weights, "the mean with weights of each client's own"),
):
    register_fusion(FusionMethod(_name, _fit, _summary, held_out="within-clients"))
