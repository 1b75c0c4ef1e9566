"""Estimate figures of evidence with their variances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, isfinite, log, pi, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.evidence import (
    PRESETS,
    CostPoint,
    Segments,
    by_class,
    cllr,
    dev_pav,
    softplus,
    sum_of_class_means,
)
from fairtrial.calibration.methods import Influence
from fairtrial.calibration.model import Calibration, fit_calibration, score_table
from fairtrial.calibration.nonparametric import fit_steps
from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.ids import Ids
from fairtrial.core.trials import Further, Trials
from fairtrial.core.words import listed, shown
from fairtrial.counting.search import hull_points
from fairtrial.counting.tallies import ErrorCounts, as_source
from fairtrial.inference.estimates import Claim, Threshold, claim_of_values, spread_of_values, student_quantile
from fairtrial.inference.folds import folds_of_trials
from fairtrial.inference.intervals import RateInterval
from fairtrial.inference.people import People
from fairtrial.inference.split import TrialSets
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import DetectionCosts, Weights

_FOLDS = 5
_BY_OTHERS = 2 / 3
"""What the costs at a best choice by other people weigh in the variance of a minimum."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A calibrated system on the judged trials.

    Parameters
    ----------
    calibration
        From scores to ratios.
    sets
        The trials that it was fitted and is judged on, and who takes part in them.
    folded
        Where one set of trials is judged in blocks: the calibration of each, fitted on trials of other people.
        `calibration` then is that of all trials, which tells how far those of the blocks would move.
    """

    calibration: Calibration
    sets: TrialSets
    folded: tuple[Calibration, ...] = ()

    @property
    def dev(self) -> Trials:
        """The trials that the calibration was fitted on."""
        return _trials_of(self.sets.dev)

    @property
    def test(self) -> Trials:
        """The judged trials."""
        return _trials_of(self.sets.test)

    @property
    def genuine(self) -> NDArray[np.bool_]:
        """Which of the judged trials are genuine."""
        return self.test.genuine

    @cached_property
    def ratios(self) -> Floats:
        """The log-likelihood ratio of each judged trial."""
        if not self.folded:
            return self.calibration.ratios(self.test)
        found = np.full(len(self.test), np.nan)
        for block, own in zip(self.sets.blocks, self.folded, strict=True):
            rows = block.held_out
            found[rows] = own.mapping.ratios(self.scores[rows])
        return found

    @cached_property
    def pair(self) -> tuple[Floats, Floats]:
        """Ratios of genuine and of impostor trials."""
        return self.ratios[self.genuine], self.ratios[~self.genuine]

    @cached_property
    def scores(self) -> Floats:
        """What the calibration is applied to: one row per judged trial, one column per system."""
        return score_table(self.test, self.calibration.systems)

    @property
    def influence(self) -> Influence | None:
        """How dev trials determine the calibration; None where nothing is known of it."""
        return self.calibration.influence if self.sets.origin in ("dev", "folds") else None

    def moved_by(self, slopes: Floats) -> Floats | None:
        """By how much each dev trial moves a figure, from the slopes of the figure in the ratio of each test trial."""
        if self.influence is None:
            return None
        return by_class(self.influence.moves(self.scores, slopes), self.dev.genuine)


def _trials_of(data: object) -> Trials:
    if not isinstance(data, Trials):
        raise TrialsError("figures of evidence with intervals need Trials, one row per trial; see Trials.from_arrays")
    return data


@dataclass(frozen=True, slots=True)
class ErrorSum:
    """The errors behind a figure that is a weighted sum of two error rates."""

    counts: ErrorCounts
    weights: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure of evidence on the judged trials."""

    estimate: float
    values: Floats
    """What each judged trial adds: the means over both classes move as the figure does."""
    moves: Floats | None = None
    """By how much each dev trial moves it through the calibration, times the trials of its class; None where the
    calibration does not matter, or nothing is known of it."""
    least_high: float = 0.0
    """What the upper limit is at least, where the judged trials themselves do not tell a variance."""
    errors: ErrorSum | None = None
    """Of a weighted sum of error rates: the errors, which give its limits."""
    parts: tuple[Figure, ...] = ()
    """What it is the mean of; none where it is one figure by itself."""

    @classmethod
    def mean_of(cls, parts: Sequence[Figure]) -> Figure:
        """The mean of several figures of the same evidence."""
        if len(parts) == 1:
            return parts[0]
        moved = [own.moves for own in parts if own.moves is not None]
        return cls(
            float(np.mean([own.estimate for own in parts])),
            np.mean([own.values for own in parts], axis=0),
            np.mean(moved, axis=0) if len(moved) == len(parts) else None,
            parts=tuple(parts),
        )

    def __sub__(self, other: Figure) -> Figure:
        both = [own.moves for own in (self, other) if own.moves is not None]
        moves = None
        if both:
            first, second = (0.0 if own.moves is None else own.moves for own in (self, other))
            moves = np.asarray(first - second)
        with np.errstate(invalid="ignore"):  # infinite evidence is refused where something is claimed
            estimate, values = np.subtract(self.estimate, other.estimate), self.values - other.values
        return Figure(float(estimate), values, moves)


def claim_of(figure: Figure, evidence: Evidence, *, threshold: Threshold = "re-estimated") -> Claim:
    """Claim a figure, or the difference of two on the same trials, with its variance.

    Parameters
    ----------
    figure
        A figure, or the difference of two.
    evidence
        Where it comes from; of a difference, either.
    threshold
        ``re-estimated`` adds what the calibration would have moved with other dev people, where that is known.

    Raises
    ------
    TrialsError
        Infinite evidence for the wrong side, of which there is no variance.
    """
    if not np.isfinite(figure.estimate):
        raise TrialsError("a trial has infinite evidence for the wrong side, so nothing can be said of a difference")
    return claim_of_values(evidence.sets, figure.estimate, figure.values, figure.moves, threshold=threshold)


def entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The empirical cross-entropy at a prior, in bits; Cllr at one half."""
    values, slopes = _entropies(evidence.ratios, evidence.genuine, prior)
    return Figure(sum_of_class_means(values, evidence.genuine), values, evidence.moved_by(slopes))


def least_entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The least cross-entropy that a rising map of the ratios has; min Cllr at one half.

    It is a minimum over maps, so to first order each trial adds what it costs at the map of the minimum. That map
    follows the trials it is fitted on, which makes costs too even; at the map that other people give (bounded as
    `fit_steps` does) they are too uneven, with few trials. See `between`.
    """
    found = Segments.of(as_source(evidence.pair))
    place = np.minimum(np.searchsorted(found.ends, evidence.ratios, side="left"), len(found.ends) - 1)
    costs, _ = _entropies(found.ratios()[place], evidence.genuine, prior)
    ratios = evidence.ratios.copy()
    for held, rest in folds_of_people(evidence):
        classes = evidence.ratios[rest & evidence.genuine], evidence.ratios[rest & ~evidence.genuine]
        ratios[held] = fit_steps(as_source(classes)).ratios(evidence.ratios[held, None])
    held_out, _ = _entropies(ratios, evidence.genuine, prior)
    estimate = sum_of_class_means(costs, evidence.genuine)
    least_high = sum_of_class_means(held_out, evidence.genuine) if estimate == 0 else 0.0
    return Figure(estimate, between(costs, held_out), least_high=least_high)


def between(costs: Floats, by_others: Floats) -> Floats:
    """What each trial adds to a minimum: between its cost at the best choice and that at the choice of other people.

    The variance of the former is too small and that of the latter too large, with few trials; where they meet was
    chosen in simulations (docs/calibration.md).
    """
    return (1 - _BY_OTHERS) * costs + _BY_OTHERS * by_others


def folds_of_people(evidence: Evidence) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """The judged trials of some people, and those of the others, if there are any of both classes.

    People who are claimed to be are dealt into folds, or subjects, or trials where nothing is known of people.
    """
    test, rng = evidence.test, np.random.default_rng([evidence.sets.seed, 6])
    role = "subject" if evidence.sets.sharing == "subject" else "claim"
    if evidence.sets.people[1] is None or role not in test.ids:
        fold = rng.permutation(len(test)) % _FOLDS
    else:
        codes = test.ids[role].numbered().codes
        fold = (rng.permutation(int(codes.max()) + 1) % _FOLDS)[codes]
    for own in range(_FOLDS):
        held, rest = fold == own, fold != own
        if held.any() and (rest & evidence.genuine).any() and (rest & ~evidence.genuine).any():
            yield held, rest


def cllr_figure(evidence: Evidence) -> Figure:
    """Cllr; the same bits as `cllr`."""
    return replace(entropy_figure(evidence), estimate=cllr(evidence.pair))


def _entropies(ratios: Floats, genuine: NDArray[np.bool_], prior: float) -> tuple[Floats, Floats]:
    """What each trial costs in bits, times the share of its class; and the slope of the sum of means in its ratio."""
    signs = np.where(genuine, -1.0, 1.0)
    away = signs * (ratios + log(prior / (1 - prior)))
    shares = np.where(genuine, prior, 1 - prior) / log(2)
    counts = np.where(genuine, np.count_nonzero(genuine), np.count_nonzero(~genuine))
    return shares * softplus(away), shares * signs * expit(away) / counts


def rocch_eer_figure(evidence: Evidence) -> Figure:
    """The equal error rate on the ROC convex hull: the highest over priors of the least Bayes error.

    It lies between two vertices, at the prior for which both cost the same: to first order each trial adds what it
    costs there. Both error rates are the same there, and their sum, weighed by that prior, has the limits.
    """
    hull = hull_points(as_source(evidence.pair))
    away = np.asarray(hull.frr - hull.far)  # rises from vertex to vertex
    after = int(np.argmax(away >= 0))
    before = max(after - 1, 0)
    width = float(away[after] - away[before])
    share = float(away[after]) / width if width > 0 else 0.0  # of the vertex before
    # at a vertex all priors between those of its two sides would do: that of the chord is among them
    beyond = min(after + int(away[after] == 0), len(away) - 1)
    fall, rise = float(hull.far[before] - hull.far[beyond]), float(hull.frr[beyond] - hull.frr[before])
    prior = fall / (fall + rise) if fall + rise > 0 else 0.5  # both vertices cost the same there
    wrong = [(evidence.ratios > hull.threshold[k]) != evidence.genuine for k in (before, after)]
    values = np.where(evidence.genuine, prior, 1 - prior) * (share * wrong[0] + (1 - share) * wrong[1])
    estimate = sum_of_class_means(values, evidence.genuine)
    genuine = np.count_nonzero(evidence.genuine)
    impostor = len(values) - genuine
    counts = ErrorCounts(float("nan"), estimate * impostor, estimate * genuine, genuine, impostor)
    return Figure(estimate, values, errors=ErrorSum(counts, Weights(1 - prior, prior)))


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


CostLike: TypeAlias = str | CostPoint | CostTarget | DetectionCosts
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
    if isinstance(cost, DetectionCosts):
        if abs(cost.prior_genuine + cost.prior_impostor - 1) > 1e-9:
            raise ParameterError(f"the priors of {cost} must add up to 1 here")
        return cost_target(CostPoint(cost.prior_genuine, cost.cost_fr, cost.cost_fa), columns)
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


_GROUPS = 10
_MOST = 200_000
"""Trials of dev and test together, beyond which a figure is not computed over and over again."""


def dev_pav_interval(evidence: Evidence, *, confidence: float = 0.95) -> RateInterval | None:
    """The interval of devPAV: Student's limits on the scale of logarithms, by the jackknife over groups of people.

    Parameters
    ----------
    evidence
        The judged trials, calibrated.
    confidence
        Of the interval.

    Returns
    -------
    RateInterval or None
        None where devPAV is not known, or not known without some of the people; where people are fewer than ten; and
        where there are more than 200,000 trials.

    Notes
    -----
    People are dealt into ten groups; where nothing is known of people, trials are. Without each group of test people
    devPAV is another, and without each group of dev people the calibration is. A trial of people of two groups is left
    out twice, so that intervals are rather wide.
    """
    estimate, sets = dev_pav(evidence.pair), evidence.sets
    re_estimated = sets.origin == "dev"
    trials = len(evidence.test) + (len(evidence.dev) if re_estimated else 0)
    if trials > _MOST or not (isfinite(estimate) and estimate > 0):
        return None

    def without_test(rows: NDArray[np.bool_]) -> float:
        return _of(evidence.ratios[rows], evidence.genuine[rows])

    def without_dev(rows: NDArray[np.bool_]) -> float:
        own = evidence.calibration
        fitted = fit_calibration(
            evidence.dev.rows(np.flatnonzero(rows)), systems=own.systems, method=own.method, prior=own.prior
        )
        return _of(fitted.ratios(evidence.test), evidence.genuine)

    try:
        variance = _variance(evidence.test, sets.people[1], without_test, sets.seed)
        if re_estimated:
            variance += _variance(evidence.dev, sets.people[0], without_dev, sets.seed)
    except TrialsError:  # too few people, or a class without trials
        return None
    if not isfinite(variance):
        return None
    sigma = sqrt(variance)
    factor = exp(min(student_quantile(_GROUPS - 1, confidence) * sigma / estimate, 700.0))
    return RateInterval(
        estimate,
        estimate / factor,
        estimate * factor,
        sigma,
        confidence,
        "student",
        "dev-pav",
        "re-estimated" if re_estimated else "fixed",
        is_share=False,
        label="devPAV",
        sharing=evidence.sets.sharing,
    )


def _of(ratios: Floats, genuine: NDArray[np.bool_]) -> float:
    return dev_pav((ratios[genuine], ratios[~genuine]))


def _variance(trials: Trials, people: People | None, without: Callable[[NDArray[np.bool_]], float], seed: int) -> float:
    """The jackknife's variance: by how much a figure changes without each group of people."""
    cluster = "none" if people is None else people.cluster
    first, second = folds_of_trials(trials, _GROUPS, cluster, np.random.default_rng([seed, 7]))
    found = np.array([without((first != group) & (second != group)) for group in range(_GROUPS)])
    return float(np.sum((found - found.mean()) ** 2)) * (_GROUPS - 1) / _GROUPS
