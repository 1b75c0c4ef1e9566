"""Fixed rules: mean, weighted mean, product, minimum, maximum, median."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import ParameterError
from fairtrial.fusion.methods import Fitted, FusionData, FusionMethod, register_fusion
from fairtrial.fusion.steps import Floats, Step
from fairtrial.rules.eer import equal_error_rate


def _rule(name: str, summary: str) -> None:
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
            f"the product needs scores of at least 0; the lowest dev score is {data.scores.min():g}; "
            "normalise them first with min-max, tanh or double-sigmoid"
        )
    return Fitted.of([Step("product")])


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
    return Fitted.of([Step("linear", {"weights": weights, "intercept": np.zeros(())})])


register_fusion(
    FusionMethod(
        "weighted-mean",
        _fit_weighted,
        "the mean with weights in inverse proportion to dev EERs",
        takes_scores_as_they_are=True,
    )
)
