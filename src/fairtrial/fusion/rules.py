"""Fixed rules: mean, weighted mean, product, minimum, maximum, median."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.fusion.methods import Claims, Fitted, Floats, FusionData, FusionMethod, register_fusion
from fairtrial.rules.eer import equal_error_rate


def _rule(name: str, combine: Callable[[Floats], Any], summary: str) -> None:
    def fit(data: FusionData) -> Fitted:
        return Fitted(lambda scores, claim: np.asarray(combine(scores), dtype=np.float64))

    register_fusion(FusionMethod(name, fit, summary))


def _mean(scores: Floats) -> Floats:
    # column by column: much faster than a mean over short rows
    total = scores[:, 0].copy()
    for column in scores.T[1:]:
        total += column
    return np.asarray(total / scores.shape[1])


_rule("mean", _mean, "the mean of the scores")
_rule("min", lambda scores: scores.min(axis=1), "the smallest score")
_rule("max", lambda scores: scores.max(axis=1), "the largest score")
_rule("median", lambda scores: np.median(scores, axis=1), "the median of the scores")


def _fit_product(data: FusionData) -> Fitted:
    if data.scores.min() < 0:
        raise ParameterError(
            f"the product needs scores of at least 0; the lowest dev score is {data.scores.min():g}; "
            "normalise them first with min-max, tanh or double-sigmoid"
        )

    def apply(scores: Floats, claim: Claims) -> Floats:
        # a score below all dev scores may come out below 0
        return np.asarray(np.prod(np.maximum(scores, 0.0), axis=1))

    return Fitted(apply)


register_fusion(FusionMethod("product", _fit_product, "the product of scores of at least 0"))


def inverse_error_weights(scores: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Find weights of systems in inverse proportion to their equal error rates.

    Parameters
    ----------
    scores
        Dev scores, one row per trial and one column per system.
    genuine
        Which trials are genuine.

    Returns
    -------
    ndarray
        One weight per system; they sum to 1. A system without errors counts as if it had made half an error.
    """
    rates = np.array([max(equal_error_rate((column[genuine], column[~genuine])).value, 0.0) for column in scores.T])
    weights = 1 / np.maximum(rates, 0.5 / np.count_nonzero(genuine))
    return np.asarray(weights / weights.sum())


def _fit_weighted(data: FusionData) -> Fitted:
    data.check_classes("the weighted mean")
    weights = inverse_error_weights(data.scores, data.genuine)
    shown = ", ".join(f"{weight:.3f}" for weight in weights)
    return Fitted(lambda scores, claim: np.asarray(scores @ weights), (f"weights {shown}",))


register_fusion(FusionMethod("weighted-mean", _fit_weighted, "the mean with weights in inverse proportion to dev EERs"))
