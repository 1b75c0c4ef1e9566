"""Algorithm 1 of Poh & Bengio 2006: hyper-parameters and the threshold by one pooled cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.fusion.methods import Fitted, FusionData
from fairtrial.fusion.steps import Floats
from fairtrial.rules.criteria import CriterionLike, as_criterion, choose_thresholds


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Hyper-parameters, and the errors that all held-out trials together make at one threshold."""

    parameters: Mapping[str, Any]
    counts: ErrorCounts
    scores: Floats
    """Scores of the held-out trials of all folds, in the order of the trials."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What cross-validation chose, and everything it tried."""

    best: Candidate
    candidates: tuple[Candidate, ...]


def select_parameters(
    fit: Callable[..., Fitted],
    data: FusionData,
    grid: Sequence[Mapping[str, Any]],
    folds: Sequence[NDArray[np.bool_]],
    *,
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
) -> Selection:
    """Choose hyper-parameters by cross-validation with one threshold for all held-out folds.

    For each candidate the scores of all held-out folds are pooled into one set; one threshold is chosen on it, and
    the HTER there decides. The threshold of the best candidate is also the one for the test set.

    Parameters
    ----------
    fit : callable
        ``fit(data, **parameters)``, such as that of any registered fusion method.
    data : FusionData
        Scores and classes of dev trials.
    grid : sequence of dict
        The candidates: hyper-parameters by name.
    folds : sequence of ndarray of bool
        Which trials are held out in each fold, masks of shape (trials,); together all of them, each once.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev that decides between hyper-parameters: a name in `CRITERIA`, a criterion,
        detection costs, or a function ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.

    Returns
    -------
    Selection
        The candidate with the lowest HTER, the first of equals, and all others.

    Raises
    ------
    ParameterError
        No candidate, or no fold.
    TrialsError
        Folds that do not hold out every trial once, or that leave no trial of a class to fit on.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, appendix A, Algorithm 1.

    Examples
    --------
    >>> from fairtrial.fusion.methods import FUSIONS
    >>> scores = np.array([[0.9, 0.8], [0.7, 0.4], [0.3, 0.1], [0.2, 0.5], [0.6, 0.9], [0.1, 0.2]])
    >>> data = FusionData(scores, np.array([True, True, False, False, True, False]))
    >>> folds = [np.arange(6) % 2 == k for k in range(2)]
    >>> select_parameters(FUSIONS["mean"].fit, data, [{}], folds).best.parameters
    {}
    """
    if not grid:
        raise ParameterError("there must be at least one candidate to choose from")
    if not folds:
        raise ParameterError("there must be at least two folds; none was given")
    times = np.sum(np.stack(folds), axis=0)
    if not np.all(times == 1):
        raise TrialsError("every trial must be held out in exactly one fold")

    def held_out_scores(parameters: Mapping[str, Any]) -> tuple[Floats, list[str]]:
        scores = np.empty(len(data.genuine))
        notes: list[str] = []
        for held_out in folds:
            rest = data.rows(~held_out)
            rest.check_classes("a fold")
            fitted = fit(rest, **parameters)
            claim = None if data.claim is None else data.claim[held_out]
            scores[held_out] = fitted.apply(data.scores[held_out], claim)
            notes += fitted.notes
        return scores, notes

    return _best(held_out_scores, data, grid, criterion, alpha)


def select_without_folds(
    fit: Callable[..., Fitted],
    data: FusionData,
    grid: Sequence[Mapping[str, Any]],
    *,
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
) -> Selection:
    """Choose hyper-parameters by the scores of the trials that were fitted on, which are better than others will be.

    The paper allows it beside Algorithm 1: "the threshold calculated this way is often surprisingly acceptable".

    Parameters
    ----------
    fit, data, grid, criterion, alpha
        As in `select_parameters`.

    Returns
    -------
    Selection
        The candidate with the lowest HTER, the first of equals, and all others.

    References
    ----------
    Poh & Bengio 2006, section 2.2.
    """

    def own_scores(parameters: Mapping[str, Any]) -> tuple[Floats, list[str]]:
        return fit(data, **parameters).apply(data.scores, data.claim), []

    return _best(own_scores, data, grid, criterion, alpha)


def _best(
    score: Callable[[Mapping[str, Any]], tuple[Floats, list[str]]],
    data: FusionData,
    grid: Sequence[Mapping[str, Any]],
    criterion: CriterionLike,
    alpha: float | None,
) -> Selection:
    """One threshold and one HTER per candidate, on all dev scores together; the lowest HTER wins."""
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    candidates = []
    for parameters in grid:
        scores, notes = score(parameters)
        counts = choose_thresholds((scores[data.genuine], scores[~data.genuine]), rule, weight)[0].scalar()
        candidates.append(Candidate(parameters, counts, scores, tuple(dict.fromkeys(notes))))
    best = min(candidates, key=lambda candidate: candidate.counts.hter)
    return Selection(best, tuple(candidates))
