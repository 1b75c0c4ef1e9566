"""Detection costs of calibrated scores on test: actual, least, and how sure they are.

The actual cost is at the log-likelihood ratio that prior and costs ask for. In scores, that is a threshold from dev:
with other dev people the calibration, and so the threshold, would have been another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import PRESETS, CostPoint
from fairtrial.calibration.figures import ErrorSum, Evidence, Figure, between, folds_of_people
from fairtrial.calibration.values import by_class, sum_of_class_means
from fairtrial.claims import spread_of_values
from fairtrial.counting.errors import ErrorCounts, as_source
from fairtrial.counting.search import hull_points
from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.ids import Ids
from fairtrial.rules.measures import Weights
from fairtrial.spread import Floats
from fairtrial.trials import Further, Trials


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


def point_weights(point: CostPoint) -> Weights:
    """What FAR and FRR weigh in the normalised cost."""
    scale = min(1.0, point.ratio)
    return Weights(point.ratio / scale, 1 / scale)


def cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """The actual cost, at the thresholds that priors and costs ask for."""
    parts = Parts.of(evidence.test, target.partition)
    found = []
    for point in target.points:
        own = _point_figure(evidence, parts, point, point.threshold)
        found.append(replace(own, moves=_moves(evidence, parts, point)))
    return Figure.mean_of(found)


def least_cost_figure(evidence: Evidence, target: CostTarget) -> Figure:
    """The least cost at any threshold, the best one for each point, a posteriori.

    It is a minimum: trials add something between what they cost at the best threshold and at that of other people.
    """
    parts = Parts.of(evidence.test, target.partition)
    best = _least_thresholds(evidence, target, parts)
    by_others = [np.full(len(evidence.ratios), own) for own in best]
    for held, rest in folds_of_people(evidence):
        for column, threshold in zip(by_others, _least_thresholds(evidence, target, parts, rest), strict=True):
            column[held] = threshold
    found = []
    for point, threshold, others in zip(target.points, best, by_others, strict=True):
        own = _point_figure(evidence, parts, point, threshold)
        held_out = parts.centred(_priced(evidence.ratios, evidence.genuine, point, others))
        found.append(replace(own, values=between(own.values, held_out)))
    return Figure.mean_of(found)


def _least_thresholds(
    evidence: Evidence, target: CostTarget, parts: Parts, rows: NDArray[np.bool_] | None = None
) -> list[float]:
    """The threshold of the least cost at each operating point, of all trials or of some of them.

    Where trials are in parts, costs are the means over them.
    """
    some = slice(None) if rows is None else rows
    ratios, genuine, weights = evidence.ratios[some], evidence.genuine[some], parts.weights[some]
    if not target.partition:
        hull = hull_points(as_source((ratios[genuine], ratios[~genuine])))
        thresholds, far, frr = (np.asarray(own) for own in (hull.threshold, hull.far, hull.frr))
    else:
        order = np.argsort(ratios, kind="stable")
        scores, genuine, weights = ratios[order], genuine[order], weights[order]
        last = np.append(scores[1:] != scores[:-1], True)
        thresholds = np.concatenate([[-np.inf], scores[last]])
        frr, rejected = (
            np.concatenate([[0.0], np.cumsum(own)[last] / own.sum()]) for own in (weights * genuine, weights * ~genuine)
        )
        far = 1 - rejected
    found = []
    for point in target.points:
        by_far, by_frr, _ = point_weights(point)
        found.append(float(thresholds[int(np.argmin(by_far * far + by_frr * frr))]))
    return found


def _point_figure(evidence: Evidence, parts: Parts, point: CostPoint, threshold: float) -> Figure:
    """The cost at one operating point and one threshold."""
    genuine = evidence.genuine
    values = parts.centred(_priced(evidence.ratios, genuine, point, threshold))
    wrong = parts.weights * ((evidence.ratios > threshold) != genuine)
    positive = int(np.count_nonzero(genuine))
    counts = ErrorCounts(
        threshold, float(wrong[~genuine].sum()), float(wrong[genuine].sum()), positive, len(wrong) - positive
    )
    errors = ErrorSum(counts, point_weights(point))
    return Figure(sum_of_class_means(values, genuine), values, errors=errors)


def _priced(ratios: Floats, genuine: NDArray[np.bool_], point: CostPoint, threshold: float | Floats) -> Floats:
    """What each trial costs at an operating point, all at one threshold or each at its own."""
    weights = point_weights(point)
    return np.asarray(((ratios > threshold) != genuine) * np.where(genuine, weights.frr, weights.far))


def _moves(evidence: Evidence, parts: Parts, point: CostPoint) -> Floats | None:
    """By how much each dev trial moves the cost at a point through the calibration; None where that is not known.

    A cost is a step function of ratios: it changes as trials pass the threshold. How many do is asked of all trials as
    near to it as dev leaves the ratio there uncertain: the slope of the cost in each ratio is a normal density around
    the threshold, of that width.
    """
    influence = evidence.influence
    if influence is None:
        return None
    away, dev = evidence.ratios - point.threshold, evidence.dev.genuine
    nearest = int(np.argmin(np.abs(away)))
    moved = by_class(influence.moves(evidence.scores[[nearest]], np.ones(1)), dev)
    width = spread_of_values(evidence.sets.people[0], dev, moved).sigma
    if not width > 0:
        return np.zeros(len(dev))
    genuine, weights = evidence.genuine, point_weights(point)
    passing = np.where(genuine, -weights.frr / genuine.sum(), weights.far / (~genuine).sum()) * parts.weights
    return evidence.moved_by(passing * np.exp(-((away / width) ** 2) / 2) / (width * sqrt(2 * pi)))
