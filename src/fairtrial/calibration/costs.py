"""Detection costs of calibrated scores on test: actual, least, and how sure they are.

The actual cost is at the log-likelihood ratio that prior and costs ask for. In scores, that is a threshold from dev:
with other dev people the calibration, and so the threshold, would have been another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import PRESETS, CostPoint
from fairtrial.calibration.figures import Evidence, Figure
from fairtrial.calibration.linear import Linear, LinearInfluence
from fairtrial.calibration.methods import units_of
from fairtrial.calibration.values import by_class, spread_of_values, sum_of_class_means
from fairtrial.counting.errors import ErrorCounts, as_source, count_errors
from fairtrial.counting.search import hull_points
from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.spread import Floats
from fairtrial.trials import Further, Ids, Trials

_DRAWN = 400


@dataclass(frozen=True, slots=True)
class CostTarget:
    """A detection cost: the mean over one operating point or several, perhaps over equal parts of the trials.

    Parameters
    ----------
    name : str
        What it is called.
    points : tuple of CostPoint
        The operating points.
    partition : tuple of str, default ()
        Further columns of the trials. Trials are divided by their values, and error rates are the means of those of all
        parts that have trials of the class, as NIST's scorer equalises them.

    Examples
    --------
    >>> cost_target("sre18").name
    'sre18'
    """

    name: str
    points: tuple[CostPoint, ...]
    partition: tuple[str, ...] = ()


CostLike: TypeAlias = str | CostPoint | CostTarget
"""An operating point, several under one name, or a text: a preset, a prior, or prior and costs as in ``.01,10,1``."""


def cost_target(cost: CostLike, partition: Sequence[str] = ()) -> CostTarget:
    """Make a detection cost of its name, of a prior, or of prior and costs.

    Parameters
    ----------
    cost : CostLike
        A `CostPoint`, a `CostTarget`, a prior, or a text: a name such as ``sre18``, or ``prior,miss,false_alarm``.
    partition : sequence of str, default ()
        Further columns of test. Detection costs are then means of error rates over the parts that their values divide
        the trials into, all at the same threshold.

    Returns
    -------
    CostTarget
        The cost.

    Raises
    ------
    ParameterError
        A text that is no preset and no numbers.

    Examples
    --------
    >>> [point.prior for point in cost_target("sre18").points]
    [0.01, 0.005]
    >>> cost_target(".01,10,1").points
    (CostPoint(prior=0.01, miss=10.0, false_alarm=1.0),)
    """
    columns = tuple(partition)
    if isinstance(cost, CostTarget):
        return cost
    if isinstance(cost, CostPoint):
        costs = "" if cost.miss == cost.false_alarm == 1 else f",{cost.miss:g},{cost.false_alarm:g}"
        return CostTarget(f"{cost.prior:g}{costs}", (cost,), columns)
    if cost.lower() in PRESETS:
        return CostTarget(cost.lower(), PRESETS[cost.lower()], columns)
    try:
        numbers = [float(number) for number in cost.split(",")]
    except ValueError as error:
        raise ParameterError(
            f"the detection cost {shown(cost)} is not known: expected a prior, a prior and two costs as in .01,10,1, "
            f"or one of {', '.join(PRESETS)}"
        ) from error
    if len(numbers) not in (1, 3):
        raise ParameterError(
            f"the detection cost {shown(cost)} is not known: expected a prior, or a prior and two costs as in .01,10,1"
        )
    return cost_target(CostPoint(*numbers), columns)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The judged trials divided into parts that count alike."""

    genuine: NDArray[np.bool_]
    part: NDArray[np.int64]
    weights: Floats
    """Of each trial in the mean over its class: 1 where there is one part."""

    @classmethod
    def of(cls, trials: Trials, columns: Sequence[str]) -> Parts:
        """Trials divided by the values of these columns together.

        Raises
        ------
        TrialsError
            A column that the trials do not have.
        """
        part = np.zeros(len(trials), dtype=np.int64)
        for name in columns:
            if name not in trials.columns and name not in trials.ids:
                known = listed([*trials.ids, *trials.columns]) or "none"
                raise TrialsError(f"there is no column {shown(name)} to divide trials by; further columns: {known}")
            column: Further = {**trials.ids, **trials.columns}[name]
            codes = (Ids.of(column) if isinstance(column, np.ndarray) else column.numbered()).codes
            part = np.unique(part * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        weights = np.ones(len(trials))
        for rows in (trials.genuine, ~trials.genuine):
            counts = np.bincount(part[rows])
            weights[rows] = np.count_nonzero(rows) / (np.count_nonzero(counts) * counts[part[rows]])
        return cls(trials.genuine, part, weights)

    def centred(self, values: Floats) -> Floats:
        """Weighted values whose means over the classes are those over the parts, and which vary within parts only."""
        found = np.empty(len(values))
        for rows in (self.genuine, ~self.genuine):
            part, own = self.part[rows], values[rows]
            means = np.bincount(part, own) / np.maximum(np.bincount(part), 1)
            whole = float(np.mean(self.weights[rows] * own))
            found[rows] = self.weights[rows] * (own - means[part]) + whole
        return found


def point_weights(point: CostPoint) -> tuple[float, float]:
    """What FAR and FRR weigh in the normalised cost."""
    scale = min(1.0, point.ratio)
    return point.ratio / scale, 1 / scale


def cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """The actual cost, at the thresholds that priors and costs ask for."""
    parts = Parts.of(evidence.test, target.partition)

    thresholds = [point.threshold for point in target.points]
    values = parts.centred(_priced(evidence.ratios, thresholds, evidence, target))
    estimate = sum_of_class_means(values, evidence.genuine)
    influence, mapping = evidence.influence, evidence.calibration.mapping
    if not isinstance(influence, LinearInfluence) or not isinstance(mapping, Linear):
        return Figure(estimate, values)
    units = units_of(influence.by_parameter)
    influence, middle = LinearInfluence(influence.by_parameter / units), mapping.vector / units
    covariance = _covariance(influence, evidence)
    rng = np.random.default_rng([evidence.sets.seed, 5])
    drawn = rng.multivariate_normal(middle, covariance, size=_DRAWN, method="eigh", check_valid="ignore") - middle
    weights = parts.weights / np.where(evidence.genuine, evidence.genuine.sum(), (~evidence.genuine).sum())
    moved = _costs_at((drawn + middle) * units, evidence, target, weights) - estimate
    # a cost is a step function: its slope is that over the range in which dev leaves the calibration
    gradient = np.linalg.lstsq(drawn, moved, rcond=None)[0]
    return Figure(estimate, values, by_class(influence.by_parameter @ gradient, evidence.dev.genuine))


def least_cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """The least cost at any threshold, the best one for each point, a posteriori."""
    parts = Parts.of(evidence.test, target.partition)
    values = parts.centred(_priced(evidence.ratios, least_thresholds(evidence, target, parts), evidence, target))
    return Figure(sum_of_class_means(values, evidence.genuine), values)


def least_thresholds(evidence: Evidence, target: CostTarget, parts: Parts | None = None) -> list[float]:
    """The threshold of the least cost at each operating point; where trials are in parts, of the means over them."""
    if parts is None or not target.partition:
        hull = hull_points(as_source(evidence.pair))
        thresholds, far, frr = (np.asarray(own) for own in (hull.threshold, hull.far, hull.frr))
    else:
        order = np.argsort(evidence.ratios, kind="stable")
        scores, genuine, weights = evidence.ratios[order], evidence.genuine[order], parts.weights[order]
        last = np.append(scores[1:] != scores[:-1], True)
        thresholds = np.concatenate([[-np.inf], scores[last]])
        frr, rejected = (
            np.concatenate([[0.0], np.cumsum(weights * own)[last] / np.count_nonzero(own)])
            for own in (genuine, ~genuine)
        )
        far = 1 - rejected
    found = []
    for point in target.points:
        by_far, by_frr = point_weights(point)
        found.append(float(thresholds[int(np.argmin(by_far * far + by_frr * frr))]))
    return found


def cost_counts(evidence: Evidence, target: CostTarget, *, least: bool) -> ErrorCounts:
    """The errors at the threshold of a single operating point; where trials are in parts, those of the mean rates."""
    parts = Parts.of(evidence.test, target.partition)
    (threshold,) = least_thresholds(evidence, target, parts) if least else [point.threshold for point in target.points]
    if not target.partition:
        return count_errors(evidence.pair, threshold).scalar()
    wrong = parts.weights * ((evidence.ratios > threshold) != evidence.genuine)
    errors = [float(wrong[rows].sum()) for rows in (~evidence.genuine, evidence.genuine)]
    genuine = int(np.count_nonzero(evidence.genuine))
    return ErrorCounts(threshold, errors[0], errors[1], genuine, len(wrong) - genuine)


def _priced(ratios: Floats, thresholds: Sequence[float], evidence: Evidence, target: CostTarget) -> Floats:
    """What each trial costs, the mean over the operating points, each at its threshold."""
    found = np.zeros(len(ratios))
    for point, threshold in zip(target.points, thresholds, strict=True):
        by_far, by_frr = point_weights(point)
        found += ((ratios > threshold) != evidence.genuine) * np.where(evidence.genuine, by_frr, by_far)
    return found / len(target.points)


def _covariance(known: LinearInfluence, evidence: Evidence) -> Floats:
    """The covariance of weights and offset, by dev people."""
    influence = known.by_parameter
    count = influence.shape[1]
    variances = np.empty((count, count))
    genuine, people = evidence.dev.genuine, evidence.sets.people[0]
    for row in range(count):
        for column in range(row + 1):
            together = influence[:, row] + (influence[:, column] if column < row else 0.0)
            found = spread_of_values(people, genuine, by_class(together, genuine), (1.0, 1.0))
            variances[row, column] = variances[column, row] = found.variance
    own = np.diag(variances).copy()
    covariance = (variances - own[:, None] - own[None, :]) / 2
    np.fill_diagonal(covariance, own)
    return covariance


def _costs_at(drawn: Floats, evidence: Evidence, target: CostTarget, weights: Floats) -> Floats:
    """The cost on test for each row of weights and offset; `weights` are those of trials."""
    if drawn.shape[1] == 2 and (drawn[:, 0] > 0).all():  # thresholds of the score itself
        scores = evidence.scores[:, 0]
        order = np.argsort(scores, kind="stable")
        genuine = evidence.genuine[order]
        rejected = np.concatenate([[0.0], np.cumsum(weights[order] * genuine)])
        accepted = np.concatenate([[0.0], np.cumsum(weights[order] * ~genuine)])
        total = np.zeros(len(drawn))
        for point in target.points:
            by_far, by_frr = point_weights(point)
            place = np.searchsorted(scores[order], (point.threshold - drawn[:, 1]) / drawn[:, 0], side="right")
            total += by_frr * rejected[place] + by_far * (accepted[-1] - accepted[place])
        return total / len(target.points)
    thresholds = [point.threshold for point in target.points]
    rows = ((evidence.scores @ row[:-1] + row[-1], weights) for row in drawn)
    return np.array([float(own @ _priced(ratios, thresholds, evidence, target)) for ratios, own in rows])
