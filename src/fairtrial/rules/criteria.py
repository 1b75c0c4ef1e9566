"""Choose thresholds: criteria, targets, and the exact choice among all candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, check_alphas
from fairtrial.core.registry import Registry
from fairtrial.counting.search import BoundedCost, Level, all_points, bounded_points, crossing_points, hull_points
from fairtrial.counting.tallies import ErrorCounts, ScoreData, ScoreSource, as_source, count_errors
from fairtrial.rules.measures import (
    MEASURES,
    DetectionCosts,
    Formula,
    Measure,
    MeasureLike,
    as_measure,
    f1,
    precision,
    ratio,
    recall,
    simplest_fraction,
)

End: TypeAlias = Literal["lowest", "highest"]


@dataclass(frozen=True, slots=True)
class OffTarget:
    """The distance of a measure from its target, eq. (14)."""

    measure: Measure

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return abs(alpha - _value(self.measure, counts))

    def floor(self, fewest: ErrorCounts, most: ErrorCounts, alpha: float) -> NDArray[np.float64]:
        """Bound the cost from below for errors between the fewest and the most."""
        ends = [np.asarray(_value(self.measure, counts)) for counts in (fewest, most)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        return np.asarray(np.maximum(np.maximum(low - alpha, alpha - high), 0.0))


@dataclass(frozen=True, slots=True)
class KeptTarget:
    """The proportion of trials beyond a threshold that meets the target; 2 and the shortfall if it misses it.

    Proportions are at most 1, so a threshold that misses the target costs more than all that meet it.
    """

    measure: Measure
    end: End

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return self._cost(_value(self.measure, counts), self._beyond(counts), alpha)

    def floor(self, fewest: ErrorCounts, most: ErrorCounts, alpha: float) -> NDArray[np.float64]:
        """Bound the cost from below for errors between the fewest and the most."""
        # the lower of two thresholds makes more false accepts and fewer false rejects
        if self.end == "lowest":
            rejects, accepts = fewest.false_rejects, most.false_accepts
        else:
            rejects, accepts = most.false_rejects, fewest.false_accepts
        beyond = self._beyond(ErrorCounts(None, accepts, rejects, fewest.genuine, fewest.impostor))
        return np.asarray(self._cost(_value(self.measure, fewest), beyond, alpha))

    def _cost(self, value: Any, beyond: Any, alpha: Any) -> Any:
        missed_by = alpha - value if self.measure.higher_is_better else value - alpha
        missed = missed_by > 0
        return missed * (2 + missed_by) + (1 - missed) * beyond

    def _beyond(self, counts: ErrorCounts) -> Any:
        """Compute the proportion of rejected trials for the lowest threshold, of accepted ones for the highest."""
        accepted = counts.genuine - counts.false_rejects + counts.false_accepts
        trials = counts.genuine + counts.impostor
        return (trials - accepted if self.end == "lowest" else accepted) / trials


@dataclass(frozen=True, slots=True)
class Rising:
    """A measure, or its negative, as a level that never falls as the threshold rises."""

    measure: Measure
    sign: int

    def __call__(self, counts: ErrorCounts) -> NDArray[np.float64]:
        return np.asarray(self.sign * _value(self.measure, counts))


def direction(measure: Measure) -> int:
    """Return 1 if a measure rises with the threshold, -1 if it falls, 0 if it may do both."""
    weights = measure.weights_at(0.5)
    if weights is None or (weights.far and weights.frr):
        return 0
    return int(np.sign(weights.frr - weights.far))


def _value(measure: Measure, counts: ErrorCounts) -> Any:
    """Compute the measure; alpha is the target here, so the weight of FAR is a half."""
    return measure.formula(counts, 0.5)


CriterionLike: TypeAlias = "str | Criterion | DetectionCosts | Callable[[Any, Any, Any], Any]"
AlphaMeaning: TypeAlias = Literal["none", "weight", "target"]
_NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class Criterion:
    """A cost to minimise over thresholds, and where to search for its minimum.

    Parameters
    ----------
    name : str
        Its name in tables and on the command line.
    cost : callable
        ``cost(counts, alpha)``, for arrays of counts.
    search : {"all", "hull", "crossing", "bounds"}, default "all"
        ``"all"``: every candidate, for any cost. ``"hull"``: the ROC convex hull only, for a cost that is quasi-convex
        in (FAR, FRR). ``"crossing"``: where `level` passes `target`, for a cost that grows with their distance on
        either side, with a level that never falls as the threshold rises. ``"bounds"``: stretches of scores in which
        the lower bound of the cost, its method `floor`, is low enough; see `BoundedCost`.
    level : callable, optional
        For ``"crossing"``: the level of an `ErrorCounts`.
    target : callable, optional
        For ``"crossing"``: the level to reach at each alpha of an array.
    exact : bool, default False
        Whether `cost` is plain arithmetic, which also takes fractions, so that ties are exact, and a column of alphas.
    alpha : float, optional
        The fixed alpha of this criterion, which replaces that of the caller.
    at_ends : Criterion, optional
        The equivalent criterion at alpha 0 and 1, where `level` has no crossing.
    ties_within_edges : bool, default False
        For ``"hull"``: whether, with genuine scores of -inf, a point within an edge of the hull may win a tie.
    alpha_means : {"none", "weight", "target"}, default "none"
        The meaning of the caller's alpha: none, a weight, or the target of a rate. A target must be given, see
        `resolve_alpha`.
    aim : Measure, optional
        The measure whose target is alpha.
    weighs_far : bool, default False
        Whether the cost weighs FAR with alpha and FRR with 1 - alpha.
    freed : Criterion, optional
        For a fixed `alpha`: the same criterion with the caller's alpha.
    summary : str, default ""
        A few words for the help of the command line.

    Examples
    --------
    >>> cautious = Criterion("cautious", lambda counts, alpha: 3 * counts.far + counts.frr)
    >>> choose_thresholds(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), cautious, 0.5).threshold
    array([0.6])
    """

    name: str
    cost: Formula
    search: Literal["all", "hull", "crossing", "bounds"] = "all"
    level: Level | None = None
    target: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    exact: bool = False
    alpha: float | None = None
    at_ends: Criterion | None = None
    ties_within_edges: bool = False
    alpha_means: AlphaMeaning = "none"
    aim: Measure | None = None
    weighs_far: bool = False
    freed: Criterion | None = None
    summary: str = ""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Criterion: {self.name}{f', {self.summary}' if self.summary else ''}>"

    def points(self, source: ScoreSource, alphas: NDArray[np.float64]) -> ErrorCounts:
        """Count errors at the candidates that include the optimum for each alpha.

        Parameters
        ----------
        source : ScoreSource
            The scores of dev.
        alphas : ndarray of float
            The alphas, shape (alphas,).

        Returns
        -------
        ErrorCounts
            Candidates by rising threshold.
        """
        if self.search == "hull":
            if self.ties_within_edges and count_errors(source, -np.inf).false_rejects:
                return all_points(source)
            return hull_points(source)
        if self.search == "crossing" and self.level is not None and self.target is not None:
            return crossing_points(source, self.level, self.target(alphas))
        if self.search == "bounds" and isinstance(self.cost, BoundedCost):
            return bounded_points(source, self.cost, alphas)
        return all_points(source)

    def resolve_alpha(self, alpha: float | None) -> float:
        """Return the alpha that this criterion uses.

        Parameters
        ----------
        alpha : float or None
            The caller's alpha, or None.

        Returns
        -------
        float
            The fixed alpha of the criterion, else the caller's alpha, else 0.5.

        Raises
        ------
        ParameterError
            If a target is missing, alpha is outside [0, 1], or there are several.
        """
        if alpha is None:
            if self.alpha_means == "target":
                likely = 0.95 if self.aim is not None and self.aim.higher_is_better else 0.001
                raise ParameterError(
                    "criterion {criterion} needs a target, as in {alpha!o}", criterion=self.name, alpha=likely
                )
            return 0.5 if self.alpha is None else self.alpha
        values = check_alphas(alpha)
        if len(values) != 1:
            raise ParameterError("alpha must be one number here; a range of them makes a performance curve")
        return float(values[0]) if self.alpha is None else self.alpha

    def resolve_alphas(self, alphas: ArrayLike) -> NDArray[np.float64]:
        """Return the alphas that this criterion uses.

        Parameters
        ----------
        alphas : array_like
            The caller's alphas: one, or shape (alphas,).

        Returns
        -------
        ndarray of float
            The same, or the fixed alpha of the criterion, shape (alphas,).

        Raises
        ------
        ParameterError
            If an alpha is outside [0, 1].
        """
        values = check_alphas(alphas)
        return values if self.alpha is None else np.full_like(values, self.alpha)

    def used_at(self, alphas: NDArray[np.float64]) -> tuple[tuple[NDArray[np.bool_], Criterion], ...]:
        """Select the equivalent criterion at each alpha: itself, or `at_ends` at 0 and 1.

        Parameters
        ----------
        alphas : ndarray of float
            The alphas, shape (alphas,).

        Returns
        -------
        tuple of (ndarray of bool, Criterion)
            Masks of the alphas, each of shape (alphas,), with the criterion to use there.
        """
        if self.at_ends is None:
            return ((np.ones(len(alphas), dtype=bool), self),)
        ends = (alphas == 0) | (alphas == 1)
        return tuple((which, rule) for which, rule in ((~ends, self), (ends, self.at_ends)) if which.any())

    def weight_of_far(self, alpha: float) -> float | None:
        """Return the weight of FAR against FRR at this alpha.

        Parameters
        ----------
        alpha : float
            The alpha.

        Returns
        -------
        float or None
            The weight, between 0 and 1; None if the criterion has none.
        """
        if not self.weighs_far:
            return None
        return alpha if self.alpha is None else self.alpha

    @property
    def along_alpha(self) -> Criterion:
        """The criterion whose weight of FAR is alpha: itself, or the nearest to it."""
        if self.freed is not None:
            return self.freed
        return self if self.weighs_far else CRITERIA["wer-min"]

    def described(self, alpha: float) -> str:
        """Write the name, with the alpha if the criterion takes one.

        Parameters
        ----------
        alpha : float
            The alpha.

        Returns
        -------
        str
            The name for tables and captions.

        Examples
        --------
        >>> [CRITERIA[name].described(0.001) for name in ("far", "wer-min", "eer")]
        ['far (target 0.001)', 'wer-min (alpha 0.001)', 'eer']
        """
        if self.alpha_means == "none":
            return self.name
        return f"{self.name} ({'target' if self.alpha_means == 'target' else 'alpha'} {alpha:g})"

    def alpha_of_result(self, alpha: float, measures: Iterable[Measure] = ()) -> float | None:
        """Return the alpha that a result reports.

        Parameters
        ----------
        alpha : float
            The alpha that thresholds were chosen with.
        measures : iterable of Measure, default ()
            The reported measures.

        Returns
        -------
        float or None
            The alpha; None if neither the criterion nor one of the measures depends on it.

        Examples
        --------
        >>> CRITERIA["eer"].alpha_of_result(0.5), CRITERIA["wer-min"].alpha_of_result(0.5)
        (None, 0.5)
        """
        depends = self.alpha_means != "none" or any(measure.depends_on_alpha for measure in measures)
        return alpha if depends else None


def described_criterion(name: str, alpha: float) -> str:
    """Write the name of a criterion, with its alpha if it takes one; the name alone if it is not registered."""
    return CRITERIA[name].described(alpha) if name in CRITERIA else name


def _balance(counts: ErrorCounts) -> NDArray[np.float64]:
    """Compute FRR / (FAR + FRR): alpha FAR equals (1 - alpha) FRR if this is alpha. Without errors, a half."""
    far, frr = counts.far, counts.frr
    return np.where(far + frr > 0, ratio(frr, far + frr), 0.5)


CRITERIA: Registry[Criterion] = Registry("criterion", "criteria", Criterion)
"""Criteria by name; `register_criterion` adds one."""


def register_criterion(criterion: Criterion) -> Criterion:
    """Register a criterion by its name, for the command line, too.

    Parameters
    ----------
    criterion : Criterion
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function ``C(far,
        frr, alpha)`` of arrays.

    Returns
    -------
    Criterion
        The same.

    Examples
    --------
    >>> cautious = Criterion("cautious", lambda counts, alpha: 3 * counts.far + counts.frr)
    >>> register_criterion(cautious).name in CRITERIA
    True
    >>> del CRITERIA["cautious"]
    """
    CRITERIA[criterion.name] = criterion
    return criterion


# functions, because lambdas cannot be sent to other processes
def _inequality(counts: ErrorCounts, alpha: Any) -> Any:
    return abs(alpha * counts.far - (1 - alpha) * counts.frr)


def _lost_precision_and_recall(counts: ErrorCounts, alpha: Any) -> Any:
    return -(alpha * precision(counts) + (1 - alpha) * recall(counts))


def _lost_f1(counts: ErrorCounts, alpha: Any) -> Any:
    return -f1(counts)


def _off_break_even(counts: ErrorCounts, alpha: Any) -> Any:
    return abs(counts.false_rejects - counts.false_accepts) / counts.genuine


def _surplus(counts: ErrorCounts) -> NDArray[np.float64]:
    """Compute false rejects minus false accepts for each genuine trial: precision equals recall if this is 0."""
    return np.asarray((counts.false_rejects - counts.false_accepts) / counts.genuine)


def _detection_criterion(costs: DetectionCosts) -> Criterion:
    cost = as_measure(costs).formula
    return Criterion("dcf", cost, search="hull", exact=True, summary="smallest detection cost")


_WER_MIN = Criterion(
    "wer-min",
    MEASURES["wer"].formula,
    search="hull",
    exact=True,
    alpha_means="weight",
    weighs_far=True,
    summary="smallest alpha FAR + (1 - alpha) FRR",
)
_WER_EQUAL = Criterion(
    "wer-equal",
    _inequality,
    search="crossing",
    level=_balance,
    target=np.positive,
    exact=True,
    at_ends=_WER_MIN,
    alpha_means="weight",
    weighs_far=True,
    summary="alpha FAR nearest to (1 - alpha) FRR",
)


def target_criterion(measure: MeasureLike, *, kept: bool = False) -> Criterion:
    """Make a criterion for a target of any measure; alpha is the target.

    Parameters
    ----------
    measure : str, Measure, DetectionCosts or callable
        What should be near alpha: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    kept : bool, default False
        Whether the measure must be as good as the target on dev, or better. Of the thresholds that meet it, the lowest
        is taken, which rejects fewest genuine trials; for a measure of genuine trials alone, such as recall, the
        highest, which accepts fewest impostors. If none meets it, the nearest is taken.

    Returns
    -------
    Criterion
        Not registered yet; see `register_criterion`. Named like the measure, with ``-at-most`` or ``-at-least`` if the
        target is kept.

    Raises
    ------
    ParameterError
        If the measure is unknown.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (12) to (14).

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> choose_thresholds(dev, target_criterion("precision", kept=True), [0.6, 0.8]).threshold
    array([0.3, 0.6])
    """
    aim = as_measure(measure)
    sign, weights = direction(aim), aim.weights_at()
    end: End = "highest" if weights is not None and not weights.far else "lowest"
    cost = KeptTarget(aim, end) if kept else OffTarget(aim)
    bound = "least" if aim.higher_is_better else "most"
    name = f"{aim.name}-at-{bound}" if kept else aim.name
    label = aim.label if aim.label.isupper() else aim.label.lower()
    bounded = aim.worsened_by_errors or weights is not None
    return Criterion(
        name,
        cost,
        search="crossing" if sign else "bounds" if bounded else "all",
        level=Rising(aim, sign) if sign else None,
        target=None if not sign else np.positive if sign > 0 else np.negative,
        exact=bounded,
        alpha_means="target",
        aim=aim,
        summary=f"{end} threshold whose {label} is at {bound} the target alpha"
        if kept
        else f"{label} nearest to the target alpha",
    )


for _criterion in (
    _WER_MIN,
    _WER_EQUAL,
    replace(_WER_EQUAL, name="eer", alpha=0.5, alpha_means="none", freed=_WER_EQUAL, summary="FAR nearest to FRR"),
    replace(_WER_MIN, name="hter-min", alpha=0.5, alpha_means="none", freed=_WER_MIN, summary="smallest HTER"),
    *(target_criterion(name, kept=kept) for kept in (False, True) for name in ("far", "frr")),
    *(
        target_criterion(name, kept=kept)
        for kept in (False, True)
        for name in ("precision", "recall", "sensitivity", "specificity")
    ),
    Criterion(
        "break-even",
        _off_break_even,
        search="crossing",
        level=_surplus,
        target=np.zeros_like,
        exact=True,
        summary="precision nearest to recall: as many trials accepted as are genuine",
    ),
    Criterion(
        "precision-recall",
        _lost_precision_and_recall,
        search="hull",
        exact=True,
        ties_within_edges=True,
        alpha_means="weight",
        summary="largest alpha precision + (1 - alpha) recall",
    ),
    Criterion("f1", _lost_f1, search="hull", exact=True, summary="largest F1"),
    _detection_criterion(DetectionCosts()),
):
    register_criterion(_criterion)


@dataclass(frozen=True, slots=True)
class _UsersCost:
    """A user's function ``C(far, frr, alpha)`` as a cost."""

    function: Callable[[Any, Any, Any], Any]

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        return self.function(counts.far, counts.frr, alpha)


def as_criterion(criterion: CriterionLike) -> Criterion:
    """Resolve a name, detection costs, or a user's function ``C(far, frr, alpha)`` of arrays to a criterion."""
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, DetectionCosts):
        return _detection_criterion(criterion)
    if callable(criterion):
        name = getattr(criterion, "__name__", "criterion").strip("<>")
        return Criterion(name, _UsersCost(criterion), alpha_means="weight")
    return CRITERIA.find(criterion)


def choose_thresholds(
    data: ScoreData, criterion: CriterionLike, alphas: ArrayLike, *, system: str | None = None
) -> ErrorCounts:
    """Choose the threshold that minimises the criterion for each alpha, and count its errors.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    criterion : str, Criterion, DetectionCosts or callable
        How the threshold is chosen: a name in `CRITERIA`, a criterion, detection costs, or a function ``C(far, frr,
        alpha)`` of arrays.
    alphas : array_like
        The weights or targets that the criterion takes: one, or shape (alphas,); each from 0 to 1.
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    ErrorCounts
        The thresholds and their errors, one for each alpha, in their order.

    Raises
    ------
    ParameterError
        If the criterion is unknown, or an alpha is outside [0, 1].
    TrialsError
        As for `as_source`.

    Notes
    -----
    Candidates are -inf and every distinct score. Among equal minimisers the one with the smallest FAR + FRR is taken,
    then the smallest threshold; ties are exact.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eqs. (7), (8) and (10) to (13); Poh & Bengio,
    Database, protocols and tools for evaluating score-level fusion, 2006, eqs. (6) and (7).

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> choose_thresholds(dev, "wer-equal", [0.25, 0.5, 0.75]).threshold
    array([0.4, 0.5, 0.6])
    """
    rule = as_criterion(criterion)
    weights = rule.resolve_alphas(alphas)
    source = as_source(data, system=system)
    distinct, place = np.unique(weights, return_inverse=True)
    chosen = np.empty((3, len(distinct)))
    for which, used in rule.used_at(distinct):
        points = used.points(source, distinct[which])
        best = points[best_of_points(points, used, distinct[which])]
        chosen[:, which] = best.threshold, best.false_accepts, best.false_rejects
    thresholds, accepts, rejects = chosen[:, place]
    return ErrorCounts(thresholds, accepts.astype(np.int64), rejects.astype(np.int64), source.genuine, source.impostor)


def best_of_points(points: ErrorCounts, rule: Criterion, alphas: NDArray[np.float64]) -> NDArray[np.int64]:
    """Find the point of the smallest cost for each alpha; points are sorted by threshold, and ties are exact."""
    at_once = max(1, (1 << 20) // len(points)) if rule.exact else 1
    best = np.empty(len(alphas), dtype=np.int64)
    for start in range(0, len(alphas), at_once):
        chunk = alphas[start : start + at_once]
        costs = _costs(points, rule, chunk)
        lowest = costs.min(axis=1, keepdims=True)
        margin = _NEAR * np.maximum(1.0, abs(lowest)) if rule.exact else 0.0
        near = costs <= lowest + margin
        best[start : start + at_once] = near.argmax(axis=1)
        for row in np.flatnonzero(np.count_nonzero(near, axis=1) > 1).tolist():
            best[start + row] = _best_of_ties(points, rule, float(chunk[row]), np.flatnonzero(near[row]).tolist())
    return best


def _costs(points: ErrorCounts, rule: Criterion, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute costs, one row per alpha, one column per threshold."""
    shape = len(alphas), len(points)
    try:
        costs = np.asarray(rule.cost(points, alphas[:, None] if rule.exact else float(alphas[0])), dtype=np.float64)
        fits = rule.exact or costs.shape == shape[1:]
    except Exception as error:  # a user's function may fail in any way
        how = "; it is called with FAR, FRR and alpha" if isinstance(rule.cost, _UsersCost) else ""
        raise ParameterError(f"criterion {rule.name} failed: {type(error).__name__}: {error}{how}") from error
    if not fits or np.isnan(costs).any():
        raise ParameterError(
            f"criterion {rule.name}: the cost must be one number per threshold and never NaN, for arrays of rates"
        )
    return np.broadcast_to(costs, shape)


def _best_of_ties(points: ErrorCounts, rule: Criterion, alpha: float, near: list[int]) -> int:
    """Choose the lowest cost, exactly; then the fewest errors; then the lowest threshold."""
    fraction = simplest_fraction(alpha)

    def rank(index: int) -> tuple[Any, int, float]:
        accepts, rejects = int(points.false_accepts[index]), int(points.false_rejects[index])
        total = accepts * points.genuine + rejects * points.impostor
        exact = ErrorCounts(
            None, Fraction(accepts), Fraction(rejects), Fraction(points.genuine), Fraction(points.impostor)
        )
        cost = rule.cost(exact, fraction) if rule.exact else 0
        return cost, total, float(points.threshold[index])

    return min(near, key=rank)
