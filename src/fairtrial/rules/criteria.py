"""How a threshold is chosen: criteria, and the exact choice among all candidates.

Candidates are -inf and every distinct score. Among equal minimisers the one with the smallest FAR + FRR is
taken, then the smallest threshold. Costs are compared as exact fractions where floating point cannot tell
them apart, with alpha read as the simplest fraction that rounds to it (0.3 is 3/10), so ties are found
whatever the machine rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.counting.errors import ErrorCounts, ScoreData, ScoreSource, as_source, count_errors
from fairtrial.counting.search import Level, all_points, crossing_points, hull_points
from fairtrial.errors import ParameterError
from fairtrial.rules.measures import DetectionCosts, Formula, f1, precision, recall, share, wer

CriterionLike: TypeAlias = "str | Criterion | DetectionCosts | Callable[[Any, Any, Any], Any]"
_NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class Criterion:
    """A cost to minimise over thresholds, and where its minimum has to be looked for.

    Parameters
    ----------
    name
        How it is called in tables and on the command line.
    cost
        ``cost(counts, alpha)``, for arrays of counts.
    search
        ``"all"`` looks at every candidate and suits any cost. ``"hull"`` looks at the ROC convex hull only:
        right for a cost that is quasi-convex in (FAR, FRR). ``"crossing"`` looks where `level` passes
        `target`: right for a cost that grows with their distance, with a level that never falls as the
        threshold rises.
    level, target
        For ``"crossing"``.
    exact
        Whether `cost` also takes fractions, so that ties can be told exactly.
    alpha
        The alpha that always goes with this criterion, whatever the caller gives.
    at_ends
        The criterion that says the same at alpha 0 and 1, where `level` has no crossing.
    ties_within_edges
        For ``"hull"``: whether, with genuine scores of -inf, a point within an edge of the hull may win a tie.
    """

    name: str
    cost: Formula
    search: Literal["all", "hull", "crossing"] = "all"
    level: Level | None = None
    target: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    exact: bool = False
    alpha: float | None = None
    at_ends: Criterion | None = None
    ties_within_edges: bool = False

    def points(self, source: ScoreSource, alphas: NDArray[np.float64]) -> ErrorCounts:
        """Error counts among which the optimum for each alpha is."""
        if self.search == "hull":
            if self.ties_within_edges and count_errors(source, -np.inf).false_rejects:
                return all_points(source)
            return hull_points(source)
        if self.search == "crossing" and self.level is not None and self.target is not None:
            return crossing_points(source, self.level, self.target(alphas))
        return all_points(source)


def simplest_fraction(value: float) -> Fraction:
    """A fraction of small denominator that rounds to the value: 3/10 for 0.3, 1/3 for 0.3333333333333333."""
    exact = Fraction(value)
    for digits in range(1, 17):
        fraction = exact.limit_denominator(10**digits)
        if float(fraction) == value:
            return fraction
    return exact


def _balance(counts: ErrorCounts) -> NDArray[np.float64]:
    """FRR / (FAR + FRR): alpha FAR equals (1 - alpha) FRR where this is alpha. Without any error, a half."""
    far, frr = counts.far, counts.frr
    return np.where(far + frr > 0, share(frr, far + frr), 0.5)


@dataclass(frozen=True, slots=True)
class _DetectionCost:
    """Detection costs, with exact weights where counts are exact."""

    costs: DetectionCosts

    def __call__(self, counts: ErrorCounts, alpha: Any) -> Any:
        if not isinstance(alpha, Fraction):
            return self.costs(counts)
        costs = self.costs
        weight_fr = simplest_fraction(costs.cost_fr) * simplest_fraction(costs.prior_genuine)
        weight_fa = simplest_fraction(costs.cost_fa) * simplest_fraction(costs.prior_impostor)
        return weight_fr * counts.frr + weight_fa * counts.far


def detection_criterion(costs: DetectionCosts) -> Criterion:
    """The criterion `dcf` with these costs and priors."""
    return Criterion("dcf", _DetectionCost(costs), search="hull", exact=True)


CRITERIA: dict[str, Criterion] = {}


def register_criterion(criterion: Criterion) -> Criterion:
    """Make a criterion known by its name, to the command line too."""
    CRITERIA[criterion.name] = criterion
    return criterion


def _inequality(counts: ErrorCounts, alpha: Any) -> Any:
    return abs(alpha * counts.far - (1 - alpha) * counts.frr)


def _far_off_target(counts: ErrorCounts, alpha: Any) -> Any:
    return abs(alpha - counts.far)


def _frr_off_target(counts: ErrorCounts, alpha: Any) -> Any:
    return abs(alpha - counts.frr)


def _lost_precision_and_recall(counts: ErrorCounts, alpha: Any) -> Any:
    return -(alpha * precision(counts) + (1 - alpha) * recall(counts))


def _lost_f1(counts: ErrorCounts, alpha: Any) -> Any:
    return -f1(counts)


def _minus_far(counts: ErrorCounts) -> NDArray[np.float64]:
    return np.asarray(-counts.far)


def _frr_level(counts: ErrorCounts) -> NDArray[np.float64]:
    return np.asarray(counts.frr)


_WER_MIN = Criterion("wer-min", wer, search="hull", exact=True)
_WER_EQUAL = Criterion(
    "wer-equal",
    _inequality,
    search="crossing",
    level=_balance,
    target=np.positive,
    exact=True,
    at_ends=_WER_MIN,
)
for _criterion in (
    _WER_MIN,
    _WER_EQUAL,
    replace(_WER_EQUAL, name="eer", alpha=0.5),
    replace(_WER_MIN, name="hter-min", alpha=0.5),
    Criterion(
        "far",
        _far_off_target,
        search="crossing",
        level=_minus_far,
        target=np.negative,
        exact=True,
    ),
    Criterion(
        "frr",
        _frr_off_target,
        search="crossing",
        level=_frr_level,
        target=np.positive,
        exact=True,
    ),
    Criterion(
        "precision-recall",
        _lost_precision_and_recall,
        search="hull",
        exact=True,
        ties_within_edges=True,
    ),
    Criterion("f1", _lost_f1, search="hull", exact=True),
    detection_criterion(DetectionCosts()),
):
    register_criterion(_criterion)


def as_criterion(criterion: CriterionLike) -> Criterion:
    """A criterion by its name, detection costs, or a user's function ``C(far, frr, alpha)`` of arrays."""
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, DetectionCosts):
        return detection_criterion(criterion)
    if callable(criterion):
        function = criterion
        name = getattr(function, "__name__", "criterion").strip("<>")
        return Criterion(name, lambda counts, alpha: function(counts.far, counts.frr, alpha))
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise ParameterError(f"there is no criterion {criterion!r}; there are {', '.join(CRITERIA)}")
    return CRITERIA[criterion]


def along_alpha(criterion: CriterionLike) -> Criterion:
    """The criterion whose weight of FAR is alpha: itself, or its kin where alpha is fixed or means something else."""
    rule = as_criterion(criterion)
    if rule.name in ("wer-equal", "wer-min"):
        return rule
    return CRITERIA["wer-equal" if rule.name == "eer" else "wer-min"]


def check_alphas(alphas: ArrayLike) -> NDArray[np.float64]:
    """One alpha or several as an array, each within [0, 1]."""
    values = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if values.ndim != 1 or not values.size:
        raise ParameterError("alpha must be one number or a one-dimensional array of them")
    outside = values[~((values >= 0) & (values <= 1))]
    if outside.size:
        raise ParameterError(f"alpha must be between 0 and 1, not {outside[0]:g}")
    return values


def choose_thresholds(
    data: ScoreData, criterion: CriterionLike, alphas: ArrayLike, *, system: str | None = None
) -> ErrorCounts:
    """Choose the threshold that minimises the criterion, for each alpha, with the errors it makes there.

    Examples
    --------
    >>> dev = ([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])
    >>> choose_thresholds(dev, "wer-equal", [0.25, 0.5, 0.75]).threshold
    array([0.4, 0.5, 0.6])
    """
    rule = as_criterion(criterion)
    weights = check_alphas(alphas)
    if rule.alpha is not None:
        weights = np.full_like(weights, rule.alpha)
    source = as_source(data, system=system)
    distinct, place = np.unique(weights, return_inverse=True)
    ends = (distinct == 0) | (distinct == 1) if rule.at_ends is not None else np.zeros(len(distinct), dtype=bool)
    chosen: dict[float, ErrorCounts] = {}
    for which, own in ((distinct[~ends], rule), (distinct[ends], rule.at_ends or rule)):
        if len(which):
            points = own.points(source, which)
            chosen |= {alpha: points[_best(points, own, alpha)] for alpha in which.tolist()}
    found = [chosen[alpha] for alpha in distinct.tolist()]
    columns = [
        np.array([getattr(counts, name) for counts in found])[place]
        for name in ("threshold", "false_accepts", "false_rejects")
    ]
    return ErrorCounts(columns[0], columns[1], columns[2], source.genuine, source.impostor)


def _best(points: ErrorCounts, rule: Criterion, alpha: float) -> int:
    try:
        costs = np.asarray(rule.cost(points, alpha), dtype=np.float64)
    except Exception as error:  # a user's function may fail in any way
        raise ParameterError(f"criterion {rule.name} failed: {type(error).__name__}: {error}") from error
    if costs.shape != points.threshold.shape or np.isnan(costs).any():
        raise ParameterError(
            f"criterion {rule.name}: the cost must be one number a threshold and never NaN, for arrays of rates"
        )
    lowest = costs.min()
    if rule.exact:
        near = np.flatnonzero(costs <= lowest + _NEAR * max(1.0, abs(lowest)))
    else:
        near = np.flatnonzero(costs == lowest)
    if len(near) == 1:
        return int(near[0])
    fraction = simplest_fraction(alpha)

    def rank(index: int) -> tuple[Any, int, float]:
        accepts, rejects = int(points.false_accepts[index]), int(points.false_rejects[index])
        total = accepts * points.genuine + rejects * points.impostor
        exact = ErrorCounts(
            None, Fraction(accepts), Fraction(rejects), Fraction(points.genuine), Fraction(points.impostor)
        )
        cost = rule.cost(exact, fraction) if rule.exact else 0
        return cost, total, float(points.threshold[index])

    return int(min(near.tolist(), key=rank))
