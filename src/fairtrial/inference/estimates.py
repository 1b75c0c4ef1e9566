"""Estimates: a value, its variance by people, the uncertainty of the threshold, and degrees of freedom.

With the threshold *fixed*, an estimate is of these thresholds on new test trials. With the threshold *re-estimated*, it
is of the procedure: the expected figure over new dev and test sets of these sizes, with new people.

Limits are the extremes of the figure over an ellipsoid of uncertainty: of the test trials (Wilson's limits of each
rate, combined by MOVER, Zou & Donner 2008) and of the threshold (`ThresholdCurve`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from math import copysign, erfc, exp, inf, pi, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import check_confidence
from fairtrial.core.notes import Note
from fairtrial.counting.search import points_beside
from fairtrial.counting.tallies import ErrorCounts, Scores, add_counts, count_errors
from fairtrial.inference.decide import Judgement, count_people, once, wrong_decisions
from fairtrial.inference.intervals import RateInterval, rate_interval
from fairtrial.inference.people import Cluster, People, class_moments, unrelated_errors, unrelated_moments
from fairtrial.inference.person_counts import ClassCounts
from fairtrial.inference.split import TrialSets
from fairtrial.inference.student import Alternative, find_root, student_p_value, student_quantile
from fairtrial.inference.thresholds import (
    DEVIATIONS,
    FEW,
    CostGrid,
    ThresholdCurve,
    crossing_curve,
    grid_thresholds,
    inside,
    level_of,
    minimum_curve,
)
from fairtrial.inference.variance import Components, Floats, Moments, Variance, welch
from fairtrial.rules.measures import AnyMeasure, Measure, MeasureLike, Weights, as_measure

Threshold: TypeAlias = Literal["re-estimated", "fixed"]
Resample: TypeAlias = Literal["test", "both"]
"""Whether only test trials are a sample, or dev trials, too."""
GIVEN: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given this threshold"}
"""Phrases for the threshold."""
GIVEN_ALONG: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given these thresholds"}
"""Phrases for the thresholds of curves and of pairs of systems."""
Side: TypeAlias = Literal["dev", "test"]
Terms: TypeAlias = Sequence[tuple[float, Judgement]]
"""Judgements on the same trials, each with its sign."""
_OTHER: dict[Side, Side] = {"dev": "test", "test": "dev"}
_RULE_OF_THREE = 3 / 1.645
"""The standard deviation, in errors, whose one-sided 95 % limit is 3."""
_TOGETHER = 8
"""Number of neighbouring alphas whose moments are computed together."""
_FARTHEST = 40.0
"""Standard deviations beyond which a p value is 0 for every purpose."""


def threshold_when(resample: Resample) -> Threshold:
    """Return the threshold of intervals if only test trials are a sample, or dev trials, too."""
    return "re-estimated" if resample == "both" else "fixed"


def wilson_limits(rate: Any, trials: Any, quantile: Any) -> tuple[Any, Any]:
    """Compute Wilson's limits of a rate; the number of trials need not be whole."""
    ratio = quantile**2 / trials
    middle = (rate + ratio / 2) / (1 + ratio)
    reach = quantile * (rate * (1 - rate) / trials + ratio / (4 * trials)) ** 0.5 / (1 + ratio)
    return middle - reach, middle + reach


@dataclass(frozen=True, slots=True)
class Rates:
    """A weighted sum of FRR and FAR with Wilson's limits of each, for effective numbers of trials.

    Attributes
    ----------
    parts : tuple of (float, float, float)
        Rate, weight and effective number of trials of each class that counts.
    correlation : float
        The correlation of the two rates.
    """

    parts: tuple[tuple[float, float, float], ...]
    correlation: float

    def sides(self, quantile: float) -> tuple[float, float]:
        """Compute the distances of the limits below and above the sum (MOVER)."""
        below, above = [], []
        for which, (rate, weight, _) in enumerate(self.parts):
            low, high = self.limits(which, quantile)
            ends = abs(weight) * (rate - low), abs(weight) * (high - rate)
            first, second = ends if weight > 0 else ends[::-1]
            below.append(first)
            above.append(second)
        return self._combined(below), self._combined(above)

    def limits(self, which: int, quantile: float) -> tuple[float, float]:
        """Compute the limits of one of the rates, Wilson's; subclasses may have others."""
        rate, _, trials = self.parts[which]
        low, high = wilson_limits(rate, trials, quantile)
        return low, high

    def _combined(self, distances: Sequence[float]) -> float:
        squares = sum(distance**2 for distance in distances)
        if len(distances) == 2:
            sign = copysign(1.0, self.parts[0][1] * self.parts[1][1])
            squares += 2 * sign * self.correlation * distances[0] * distances[1]
        return sqrt(max(squares, 0.0))


@dataclass(frozen=True, eq=False)
class Estimate:
    """A figure or a difference of two, with its uncertainty.

    Attributes
    ----------
    value : float
        The figure.
    variance : Variance
        The variance through the test trials, the threshold fixed.
    people : float
        The effective number of people, in the class and role with the fewest.
    threshold : {"re-estimated", "fixed"}
        Whether the uncertainty of the threshold is part of it.
    moves : tuple of ndarray
        The change of the figure with each threshold, at `DEVIATIONS`.
    correlation : ndarray
        The correlation of the deviations of the test trials and of the thresholds.
    dev_df : float
        Degrees of freedom of the level that sets the threshold on dev.
    rates : Rates or None
        The rates, for Wilson's limits; None for Student's.
    ends : tuple of float
        The smallest and the largest possible value.
    unseen : float
        The variance that a difference may have in classes without a discordant trial, by the rule of three. Only tests
        of equivalence add it, as it is no evidence of a difference.
    """

    value: float
    variance: Variance
    people: float = inf
    threshold: Threshold = "fixed"
    moves: tuple[Floats, ...] = ()
    correlation: Floats = field(default_factory=lambda: np.eye(1))
    dev_df: float = inf
    rates: Rates | None = None
    ends: tuple[float, float] = (-inf, inf)
    unseen: float = 0.0

    @cached_property
    def sigma(self) -> float:
        """The standard deviation: half the distance of the limits at one standard deviation."""
        sigma = sqrt(self.variance.value)
        if not self.moves:
            return sigma
        low, high = self._extremes(1.0, sigma, sigma)
        return (high - low) / 2

    @cached_property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the test trials and the threshold together."""
        if not self.moves:
            return self.variance.df
        low, high = self._extremes(1.0, 0.0, 0.0)
        return welch([(self.variance.value, self.variance.df), (((high - low) / 2) ** 2, self.dev_df)])

    @property
    def statistic(self) -> float:
        """The distance from 0 in standard deviations, signed as the value is."""
        return self.deviations(0.0)

    def deviations(self, null: float) -> float:
        """Compute the standard deviations at which the nearer limit reaches a value, signed as the distance is."""
        distance = self.value - null
        if distance == 0 or self.sigma == 0:  # without a standard deviation nothing can be tested
            return 0.0
        if not self.moves and self.rates is None:
            return distance / self.sigma

        def beyond(quantile: float) -> float:
            """Compute the distance of the nearer limit from the value, above 0 on the side of the estimate."""
            return copysign(1.0, distance) * (self.limits(quantile)[distance < 0] - null)

        if beyond(_FARTHEST) > 0:
            return copysign(inf, distance)
        return copysign(find_root(beyond, 0.0, _FARTHEST), distance)

    def p_value(self, alternative: Alternative = "two-sided", null: float = 0.0) -> float:
        """Compute the p value of the hypothesis that the expected figure is `null`."""
        return student_p_value(self.deviations(null), self.df, alternative)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Compute the limits of the expected figure."""
        low, high = self.limits(student_quantile(self.df, confidence))
        slack = 1e-12 * (high - low)
        low, high = (0.0 if abs(end) <= slack else end for end in (low, high))
        return max(low, self.ends[0]), self.ends[1] if high >= self.ends[1] - slack else high

    def limits(self, quantile: float) -> tuple[float, float]:
        """Compute the limits at a number of standard deviations."""
        reach = quantile * sqrt(self.variance.value)
        below, above = (reach, reach) if self.rates is None or quantile == 0 else self.rates.sides(quantile)
        low, high = self._extremes(quantile, below, above)
        return self.value + low, self.value + high

    @cached_property
    def _ellipsoid(self) -> tuple[Floats, Floats]:
        """Compute directions of the unit ellipsoid: along the test trials, and along each threshold.

        The part of the thresholds that is correlated with the test trials is linear, and stretches their axis.
        """
        shared = self.correlation[0, 1:]
        rest = self.correlation[1:, 1:] - np.outer(shared, shared)
        slopes = np.array(
            [(np.interp(1.0, DEVIATIONS, moves) - np.interp(-1.0, DEVIATIONS, moves)) / 2 for moves in self.moves]
        )
        sigma = sqrt(self.variance.value)
        factor = 1 + float(shared @ slopes) / sigma if sigma > 0 else 1.0
        directions = _directions(len(self.moves) + 1)
        return factor * directions[:, 0], (directions[:, 1:] @ np.linalg.cholesky(rest).T).T

    def _extremes(self, radius: float, below: float, above: float) -> tuple[float, float]:
        """Find the extremes of the deviation over the ellipsoid: test trials on one axis, thresholds on the others."""
        if not self.moves:
            return -below, above
        along, across = self._ellipsoid
        deviation = np.where(along > 0, along * above, along * below)
        for axis, moves in zip(across, self.moves, strict=True):
            deviation = deviation + np.interp(radius * axis, DEVIATIONS, moves)
        return float(deviation.min()), float(deviation.max())

    def shifted(self, by: float) -> Estimate:
        """Add a constant to the value."""
        return replace(self, value=self.value + by)


@cache
def _directions(axes: int) -> Floats:
    """Spread directions over the unit circle or sphere."""
    angle = np.linspace(0, 2 * pi, 97)[:-1]
    if axes == 2:
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    height = np.linspace(0, pi, 33)[:, None]
    flat = [np.cos(height) + 0 * angle, np.sin(height) * np.cos(angle), np.sin(height) * np.sin(angle)]
    return np.stack([axis.ravel() for axis in flat], axis=1)


def local_weights(measure: Measure, counts: ErrorCounts, alpha: float) -> Weights:
    """Return the weights of FAR and FRR in a measure; those of its tangent if it is not linear."""
    weights = measure.weights_at(alpha)
    if weights is not None:
        return weights
    by_accepts, by_rejects, _, _ = measure.gradient(counts, alpha)
    return Weights(by_accepts * counts.impostor, by_rejects * counts.genuine)


def estimate(terms: Terms, measure: Measure, *, index: int = 0, threshold: Threshold = "re-estimated") -> Estimate:
    """Estimate a figure, or the difference of two, at one alpha.

    Parameters
    ----------
    terms
        One judgement with sign 1, or two on the same trials with signs 1 and -1.
    measure
        What is estimated.
    index
        Which of the judgements' alphas.
    threshold
        ``re-estimated`` becomes ``fixed`` if thresholds were given, or there are only counts of scores.
    """
    alpha = float(terms[0][1].alpha[index])
    counts = [judgement.at(index) for _, judgement in terms]
    value = sum(sign * float(measure(errors, alpha)) for (sign, _), errors in zip(terms, counts, strict=True))
    weights = [local_weights(measure, errors, alpha) for errors in counts]
    judgements = [judgement for _, judgement in terms]
    on_test = components(judgements, index, "test")
    frr = np.array([sign * weight.frr for (sign, _), weight in zip(terms, weights, strict=True)])
    far = np.array([sign * weight.far for (sign, _), weight in zip(terms, weights, strict=True)])
    variance = on_test.variance(frr, far)
    people = min(moments.effective for moments in on_test.sets[0])
    if len(terms) == 1:
        ends = (0.0, 1.0) if measure.is_share else (-inf, inf)
        fixed = Estimate(value, variance, people, rates=rates_of(counts[0], weights[0], variance), ends=ends)
    else:
        by_class = (variance.genuine, frr, counts[0].genuine), (variance.impostor, far, counts[0].impostor)
        unseen = [
            (np.abs(weight).max() * _RULE_OF_THREE / trials) ** 2
            for class_variance, weight, trials in by_class
            if class_variance < (weight / trials) @ (weight / trials) / 4  # that of half a discordant trial
        ]
        ends = (-1.0, 1.0) if measure.is_share else (-inf, inf)
        fixed = Estimate(value, variance, people, unseen=float(sum(unseen)), ends=ends)
    if threshold == "fixed" or not all(judgement.can_move for judgement in judgements):
        return fixed
    curves = [threshold_curve(judgement, index) for judgement in judgements]

    def figure(far: Floats, frr: Floats, errors: ErrorCounts) -> Floats:
        at_rates = ErrorCounts(np.nan, far * errors.impostor, frr * errors.genuine, errors.genuine, errors.impostor)
        return np.asarray(measure(at_rates, alpha), dtype=np.float64)

    moves = tuple(
        sign * curve.moves(partial(figure, errors=errors))
        for (sign, _), curve, errors in zip(terms, curves, counts, strict=True)
    )
    if (
        len(terms) == 2
        and fixed.unseen
        and np.array_equal(moves[0], -moves[1])
        and variance.value < 1e-12 * fixed.unseen
    ):
        return replace(fixed, threshold="re-estimated")  # two systems with the same scores
    correlation = _correlation(judgements, index, curves, on_test, (frr, far), variance.value)
    dev_df = min(curve.df for curve in curves)
    return replace(fixed, threshold="re-estimated", moves=moves, correlation=correlation, dev_df=dev_df)


def estimates_along(terms: Terms, measure: Measure, *, threshold: Threshold = "re-estimated") -> list[Estimate]:
    """Estimate a figure, or the difference of two, at every alpha; see `estimate`."""
    estimates: dict[tuple[float, ...], Estimate] = {}
    along = []
    for index, alpha in enumerate(terms[0][1].alpha.tolist()):
        thresholds = [float(judgement.test.threshold[index]) for _, judgement in terms]
        key = (alpha if measure.depends_on_alpha else 0.0, *thresholds)
        if threshold == "re-estimated" or key not in estimates:
            estimates[key] = estimate(terms, measure, index=index, threshold=threshold)
        along.append(estimates[key])
    return along


def rates_of(counts: ErrorCounts, weights: Weights, variance: Variance) -> Rates:
    """Compute each rate with its effective number of trials, which would have its variance (Korn & Graubard 1998)."""
    parts = []
    for rate, weight, trials, class_variance in (
        (float(counts.frr), weights.frr, counts.genuine, variance.genuine),
        (float(counts.far), weights.far, counts.impostor, variance.impostor),
    ):
        if weight:
            near = inside(rate, trials)
            effective = weight**2 * near * (1 - near) / class_variance if class_variance > 0 else float(trials)
            effective *= trials / max(trials - 1, 1)  # independent trials count in full
            parts.append((rate, float(weight), min(effective, float(trials))))
    return Rates(tuple(parts), variance.correlation)


def components(judgements: Sequence[Judgement], index: int, on: Side) -> Components:
    """Estimate the variance components of the errors of systems, at one alpha, on one of the two sets.

    Covariances between trials are estimated on dev and on test, at the same rates (not at the same thresholds), if both
    sets have ids of people. At rates of fewer than `FEW` errors they are extrapolated from `FEW` errors.
    """
    # alphas with the same thresholds have the same errors
    same = np.all([judgement.choices == judgement.choices[index] for judgement in judgements], axis=0)
    return _components(judgements, int(np.flatnonzero(same)[0]), on)


@once
def _components(judgements: Sequence[Judgement], index: int, on: Side) -> Components:
    entries = [(judgement, index) for judgement in judgements]
    rates = [_rates_at(judgement, index, on) for judgement in judgements]
    sets = [error_moments(entries, on, rates, exact=True)]
    first, other = judgements[0], _OTHER[on]
    if first.sharing != "none" and first.can_move and not first.sets.is_one_set and first.has_people(other):
        sets.append(error_moments(entries, other, rates, exact=False))
    return Components(sets)


def _rates_at(judgement: Judgement, index: int, on: Side) -> tuple[float, float]:
    """Return FRR and FAR at one alpha, at least half an error away from 0 and 1."""
    counts = judgement.at(index, on)
    return inside(float(counts.frr), counts.genuine), inside(float(counts.far), counts.impostor)


def error_moments(
    entries: Sequence[tuple[Judgement, int]], side: Side, rates: Sequence[tuple[float, float]], *, exact: bool
) -> tuple[Moments, Moments]:
    """Compute the moments of errors at given rates on one of the sets: a column for each system and alpha.

    With `exact` the errors are those at the thresholds themselves, if there are enough of them.
    """
    first = entries[0][0]
    people = first.sets.people[side == "test"]
    cuts = [
        _cuts(judgement, index, side, rates_at, exact)
        for (judgement, index), rates_at in zip(entries, rates, strict=True)
    ]
    scales = np.array([cut.scales for cut in cuts]).T
    if first.sets.rows(side) is not None:
        columns = []
        for (judgement, index), cut in zip(entries, cuts, strict=True):
            # of many alphas, errors would take too much memory
            find = _errors_once if len(judgement.alpha) == 1 else _errors
            columns.append(find(judgement, index, side, cut))
        by_class = zip(*columns, strict=True)
        if people is None or people.cluster == "none":
            genuine, impostor = map(unrelated_moments, cuts[0].trials, map(list, by_class), scales)
        else:
            genuine, impostor = (
                part.moments(list(errors), scale)
                for part, errors, scale in zip(people.classes, by_class, scales, strict=True)
            )
        return genuine, impostor
    thresholds: dict[Judgement, Floats] = {}
    for (judgement, _), cut in zip(entries, cuts, strict=True):
        thresholds[judgement] = np.union1d(thresholds.get(judgement, []), cut.thresholds)
    counted = count_people(list(thresholds), side, list(thresholds.values()))
    if counted is None:  # one system without ids
        genuine, impostor = (
            unrelated_errors(trials, np.array(rates_of_class) * trials)
            for trials, rates_of_class in zip(cuts[0].trials, zip(*rates, strict=True), strict=True)
        )
        return genuine, impostor
    ranks = dict(zip(thresholds, np.indices([len(each) + 1 for each in thresholds.values()]), strict=True))
    accepted = np.array(
        [
            ranks[judgement].ravel() > np.searchsorted(thresholds[judgement], cut.thresholds)[:, None]
            for (judgement, _), cut in zip(entries, cuts, strict=True)
        ]
    )  # shape (columns, classes, cells)
    genuine = counted.genuine.moments(~accepted[:, 0].T, scales[0])
    return genuine, counted.impostor.moments(accepted[:, 1].T, scales[1])


def _errors(judgement: Judgement, index: int, side: Side, cut: _Cuts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the genuine and the impostor trials in error, by their places in their class."""
    data = judgement.sets.trials(side)
    classes = data.genuine, ~data.genuine
    if cut.is_exact and side == "test" and judgement.fold_thresholds is not None:
        wrong = judgement.wrong(index)
        rejects, accepts = (np.flatnonzero(wrong[rows]) for rows in classes)
        return rejects, accepts
    whole = judgement.part_of if side == "dev" and judgement.part_of is not None else judgement
    genuine, impostor = _scores_by_class(whole, side)
    return np.flatnonzero(genuine <= cut.thresholds[0]), np.flatnonzero(impostor > cut.thresholds[1])


_errors_once = once(_errors)


@once
def _scores_by_class(judgement: Judgement, side: Side) -> tuple[Scores, Scores]:
    data = judgement.sets.trials(side)
    scores = data.column(judgement.system)
    return scores[data.genuine], scores[~data.genuine]


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The thresholds of one system at which covariances of its errors are estimated, one per class."""

    thresholds: tuple[float, float]
    trials: tuple[int, int]
    scales: tuple[float, float]
    """The ratio of p(1-p) at the rate of interest to that at the threshold, by class."""
    is_exact: bool
    """Whether the thresholds are those of the judgement."""


@once
def _cuts(judgement: Judgement, index: int, side: Side, rates: tuple[float, float], exact: bool) -> _Cuts:
    """Select the thresholds of the judgement; for a class with fewer than `FEW` errors, the one nearest to `FEW`.

    Without `exact`, thresholds at which the errors are nearest to the given rates, and not fewer than `FEW`.
    """
    counts = judgement.at(index, side)
    trials = int(counts.genuine), int(counts.impostor)
    errors = [float(counts.false_rejects), float(counts.false_accepts)]
    threshold = float((counts if judgement.dev is None else judgement.at(index, "dev")).threshold)
    thresholds = [threshold, threshold]
    fewest = [min(FEW, size // 2) for size in trials]
    moved = [not exact or not low <= n <= size - low for n, size, low in zip(errors, trials, fewest, strict=True)]
    if any(moved) and judgement.sets.has_scores:
        targets = [
            min(max(round(rate * size), low), size - low) for rate, size, low in zip(rates, trials, fewest, strict=True)
        ]
        points = points_beside(judgement.source(side), partial(_places_of, targets=targets))
        near = points[_places_of(points, targets).clip(0, len(points) - 1)]
        for which in np.flatnonzero(moved).tolist():
            candidates = near.false_accepts if which else near.false_rejects
            is_partial = (candidates > 0) & (candidates < trials[which])
            best = int(np.argmin(np.where(is_partial, np.abs(candidates - targets[which]), inf)))
            thresholds[which], errors[which] = float(near.threshold[best]), float(candidates[best])
    at_cuts = [n / size * (1 - n / size) for n, size in zip(errors, trials, strict=True)]
    frr, far = (rate * (1 - rate) / at_cut if at_cut > 0 else 1.0 for rate, at_cut in zip(rates, at_cuts, strict=True))
    return _Cuts((thresholds[0], thresholds[1]), trials, (frr, far), not any(moved))


def _places_of(edges: ErrorCounts, targets: Sequence[float]) -> NDArray[np.int64]:
    """Find the places on either side of target numbers of false rejects and false accepts."""
    passed = (
        np.searchsorted(edges.false_rejects, targets[0], side="right"),
        np.searchsorted(-edges.false_accepts, -targets[1], side="right"),
    )
    return np.array([place + step for place in passed for step in (-1, 0)], dtype=np.int64)


@once
def threshold_curve(judgement: Judgement, index: int) -> ThresholdCurve:
    """Compute the thresholds that dev does not reject at one alpha, and the error rates there.

    A part of the trials has the thresholds of all; its error rates change by the same log-odds as those of all.
    """
    assert judgement.dev is not None
    if judgement.part_of is not None:
        from scipy.special import expit, logit

        whole = threshold_curve(judgement.part_of, index)
        frr, far = _rates_at(judgement, index, "test")

        def moved(rates: Floats, pooled: float, rate: float) -> Floats:
            odds = logit(np.clip([pooled, *rates], 1e-12, 1 - 1e-12))
            return np.asarray(expit(logit(rate) + odds[1:] - odds[0]))

        rates = moved(whole.far, whole.at[0], far), moved(whole.frr, whole.at[1], frr)
        return replace(whole, far=rates[0], frr=rates[1], at=(far, frr))
    alpha = float(judgement.alpha[index])
    (_, rule), *_ = judgement.criterion.used_at(np.array([alpha]))
    chosen = judgement.at(index, "dev")
    level = level_of(rule, alpha, chosen)
    if level is not None and any(level):
        here = chosen if judgement.sets.is_one_set else add_counts([chosen, judgement.at(index)]).scalar()
        return crossing_curve(judgement.pool, here, chosen, level, components([judgement], index, "dev"))
    grid, pooled = _grid(judgement)
    return minimum_curve(grid, pooled, rule, alpha, float(chosen.threshold))


def threshold_notes(judgement: Judgement) -> tuple[Note | str, ...]:
    """Return the notes of a judgement, with one if the minimum on dev is hardly below a trivial cost."""
    notes: list[Note | str] = [*judgement.notes]
    if len(judgement.alpha) > 1 or not judgement.can_move or judgement.part_of is not None:
        return tuple(notes)
    curve, chosen = threshold_curve(judgement, 0), judgement.at(0, "dev")
    if not curve.is_minimum:
        return tuple(notes)
    # a minimum whose cost is not significantly below, at 5 %, that of rejecting or accepting everybody
    genuine, impostor = chosen.genuine, chosen.impostor
    reach = student_quantile(curve.df, 0.95)
    frr, far = np.interp(reach, DEVIATIONS, curve.frr), np.interp(-reach, DEVIATIONS, curve.far)
    for rate, trials, everybody, trivial in (
        (frr, genuine, "rejecting", ErrorCounts(inf, 0, genuine, genuine, impostor)),
        (far, impostor, "accepting", ErrorCounts(-inf, impostor, 0, genuine, impostor)),
    ):
        alpha = float(judgement.alpha[0])
        cost, most = (float(np.asarray(judgement.criterion.cost(counts, alpha))) for counts in (chosen, trivial))
        if (1 - rate) * trials < 1 and most:  # not one trial is left
            text = (
                "on dev this threshold costs {proportion:percent} of what {everybody} everybody costs, not "
                "significantly less: intervals may be too narrow, and p values too small"
            )
            values: dict[str, Any] = {"proportion": cost / most, "everybody": everybody}
            notes.append(Note("open-minimum", text, judgement.system, warning=True, **values))
    return tuple(notes)


@once
def _grid(judgement: Judgement) -> tuple[CostGrid, ErrorCounts]:
    """Count errors around all chosen thresholds: of dev, of each set by person, and of both sets pooled."""
    assert judgement.dev is not None
    edges = grid_thresholds(judgement.source("dev"), judgement.dev)
    counts = count_errors(judgement.source("dev"), edges)
    tables = [_counted_classes(judgement, "dev", counts)]
    if judgement.sets.is_one_set:
        return CostGrid(counts, tables), counts
    on_test = count_errors(judgement.source(), edges)
    if judgement.has_people("test") or judgement.sharing == "none":
        tables.append(_counted_classes(judgement, "test", on_test))
    return CostGrid(counts, tables), add_counts([counts, on_test])


def _counted_classes(judgement: Judgement, side: Side, counts: ErrorCounts) -> tuple[ClassCounts, ClassCounts]:
    """Count genuine and impostor trials between thresholds, by person if there are ids."""
    people = None if judgement.sharing == "none" else count_people([judgement], side, [np.asarray(counts.threshold)])
    if people is not None:
        return people.classes
    below = counts.false_rejects, counts.impostor - counts.false_accepts
    genuine, impostor = (
        ClassCounts(np.diff(ranks, prepend=0, append=trials), {}, accepted)
        for ranks, trials, accepted in zip(below, (counts.genuine, counts.impostor), (False, True), strict=True)
    )
    return genuine, impostor


def _correlation(
    judgements: Sequence[Judgement],
    index: int,
    curves: Sequence[ThresholdCurve],
    on_test: Components,
    weights: tuple[Floats, Floats],
    variance: float,
) -> Floats:
    """Correlate the deviations of the test trials and of the thresholds, through people in both sets."""
    correlation = np.eye(1 + len(judgements))
    if len(judgements) == 2:
        if curves[0].is_minimum:
            correlation[1, 2] = correlation[2, 1] = _correlation_of_minima(judgements, index, curves)
        else:
            on_dev = components(judgements, index, "dev")
            correlation[1, 2] = correlation[2, 1] = on_dev.correlation(*_levels(curves))
    if judgements[0].sets.overlap and variance > 0 and not curves[0].is_minimum:
        correlation[0, 1:] = correlation[1:, 0] = _correlations_with_test(judgements, index, curves, on_test, weights)
    return _positive(correlation)


def _levels(curves: Sequence[ThresholdCurve]) -> list[tuple[Floats, Floats]]:
    """Return the weights of FRR and FAR in the level of each system, one entry per system."""
    units = np.eye(len(curves))
    return [(unit * curve.level[1], unit * curve.level[0]) for unit, curve in zip(units, curves, strict=True)]


def _correlations_with_test(
    judgements: Sequence[Judgement],
    index: int,
    curves: Sequence[ThresholdCurve],
    on_test: Components,
    weights: tuple[Floats, Floats],
) -> list[float]:
    """Correlate the figure on test with each level on dev; a higher level means a lower threshold."""
    first = judgements[0]
    if first.sets.is_one_set:
        on_dev, joint = components(judgements, index, "dev"), on_test.covariance
    else:  # at pooled rates, so that a high rate on test does not raise the correlation
        on_test, on_dev = _shared_components(judgements, index, curves)
        joint = partial(on_test.across, on_dev.sets[0])
    products = [on_test.value(*weights) * on_dev.value(*level) for level in _levels(curves)]
    return [
        -joint(weights, level) / sqrt(product) if product > 0 else 0.0
        for level, product in zip(_levels(curves), products, strict=True)
    ]


@once
def _shared_components(
    judgements: Sequence[Judgement], index: int, curves: Sequence[ThresholdCurve]
) -> tuple[Components, Components]:
    """Estimate variance components of test and of dev at the pooled error rates of both."""
    chosen = judgements[0].at(index, "dev")
    rates = [(inside(curve.at[1], chosen.genuine), inside(curve.at[0], chosen.impostor)) for curve in curves]
    entries = [(judgement, index) for judgement in judgements]
    on_test, on_dev = (error_moments(entries, side, rates, exact=False) for side in ("test", "dev"))
    return Components([on_test, on_dev]), Components([on_dev, on_test])


def _positive(correlation: Floats) -> Floats:
    """Make a matrix of correlations positive definite, by its eigenvalues."""
    clipped = np.clip(correlation, -0.999, 0.999)
    np.fill_diagonal(clipped, 1.0)
    values, vectors = np.linalg.eigh(clipped)
    if values.min() < 1e-3:
        clipped = vectors * np.maximum(values, 1e-3) @ vectors.T
        scale = np.sqrt(np.diag(clipped))
        clipped = clipped / np.outer(scale, scale)
    return np.asarray(clipped)


def _correlation_of_minima(judgements: Sequence[Judgement], index: int, curves: Sequence[ThresholdCurve]) -> float:
    """Correlate two minima through the trials with scores near them."""
    sets = judgements[0].sets
    windows = [_window(curve) for curve in curves]
    if sets.rows("dev") is not None:
        columns = [_near_minimum(*pair) for pair in zip(judgements, windows, strict=True)]
        on_dev = column_components(sets.people[0], sets.trials("dev").genuine, columns)
    else:
        edges = list(map(np.unique, windows))
        counted = count_people(judgements, "dev", edges)
        assert counted is not None
        ranks = np.indices([len(each) + 1 for each in edges]).reshape(len(edges), -1)
        within = (ranks.T == 1) & [len(each) == 2 for each in edges]
        on_dev = Components([(counted.genuine.moments(within), counted.impostor.moments(within))])
    frr, far = _weights_of_minimum(judgements[0], index)
    first, second = ((unit * frr, unit * far) for unit in np.eye(2))
    return on_dev.correlation(first, second)


def _window(curve: ThresholdCurve) -> Floats:
    """Return the thresholds one standard deviation below and above a minimum."""
    return curve.thresholds[np.searchsorted(DEVIATIONS, [-1.0, 1.0])]


def _near_minimum(judgement: Judgement, window: Floats) -> NDArray[np.bool_]:
    """Mark dev trials whose scores lie within one standard deviation of a minimum."""
    scores = judgement.sets.trials("dev").column(judgement.system)
    return np.asarray((scores > window[0]) & (scores <= window[1]))


def _weights_of_minimum(judgement: Judgement, index: int) -> tuple[float, float]:
    """Return the weights of genuine and impostor trials near a minimum in the position of the minimum."""
    weight = judgement.criterion.weight_of_far(float(judgement.alpha[index]))
    far = 0.5 if weight is None else weight
    return 1 - far, -far


@dataclass(frozen=True, slots=True, eq=False)
class DevMoves:
    """The dev trials that move a threshold, and the change of a figure with it.

    Attributes
    ----------
    slope : float
        The change of the figure with one standard deviation of the threshold.
    weights : Weights
        The influence of trials of each class on the threshold, up to a common factor.
    bits : ndarray of uint8
        Which dev trials move it, eight in a byte.
    """

    slope: float
    weights: Weights
    bits: NDArray[np.uint8]

    def influence(self, people: People | None, genuine: NDArray[np.bool_]) -> Floats:
        """Compute the influence of each dev trial on the figure through the threshold, a sum of both class means."""
        moved = np.unpackbits(self.bits, count=len(genuine)).astype(np.bool_)
        values = np.where(genuine, self.weights.frr, self.weights.far) * moved
        sigma = sqrt(variance_of_values(people, genuine, values).value)
        return np.asarray(self.slope / sigma * values if sigma > 0 else 0.0 * values)


def dev_moves(judgement: Judgement, measure: Measure, index: int = 0) -> DevMoves | None:
    """Find the dev trials that move a threshold, and the change of a figure with it; see `DevMoves`.

    None if the threshold was given, or dev trials are not in memory.
    """
    dev = judgement.sets.rows("dev")
    if not judgement.can_move or dev is None:
        return None
    curve = threshold_curve(judgement, index)
    slope = curve.slope(local_weights(measure, judgement.at(index), float(judgement.alpha[index])))
    if curve.is_minimum:
        by_frr, by_far = _weights_of_minimum(judgement, index)
        moved = _near_minimum(judgement, _window(curve))
    else:
        by_far, by_frr = curve.level
        moved = wrong_decisions(dev, judgement.system, float(judgement.at(index, "dev").threshold))
    return DevMoves(slope, Weights(by_far, by_frr), np.packbits(moved))


def dev_influence(judgement: Judgement, measure: Measure, index: int = 0) -> Floats | None:
    """Compute the influence of each dev trial on a figure through the threshold; see `DevMoves`."""
    moves = dev_moves(judgement, measure, index)
    return None if moves is None else moves.influence(judgement.sets.people[0], judgement.sets.trials("dev").genuine)


def variance_of_values(people: People | None, genuine: NDArray[np.bool_], values: Floats) -> Variance:
    """Estimate the variance of the sum of both class means of values by trial."""
    return _value_components(people, genuine, values).variance([1.0], [1.0])


def _value_components(people: People | None, genuine: NDArray[np.bool_], values: Floats) -> Components:
    return column_components(people, genuine, [np.asarray(values, dtype=np.float64)])


def column_components(people: People | None, genuine: NDArray[np.bool_], columns: Sequence[NDArray[Any]]) -> Components:
    """Estimate the variance components of columns with one value per trial of a set."""
    return Components([class_moments(people, genuine, columns)])


def estimate_of_values(
    sets: TrialSets,
    value: float,
    on_test: Floats,
    on_dev: Floats | None = None,
    *,
    threshold: Threshold = "re-estimated",
) -> Estimate:
    """Estimate a figure that is, to first order, a sum of both class means of values by trial.

    Parameters
    ----------
    sets
        Dev and test trials, and who shares them.
    value
        The figure, or the difference of two.
    on_test
        The influence of each test trial.
    on_dev
        The influence of each dev trial through what is chosen or fitted on dev; None without it.
    threshold
        ``fixed`` leaves out the influence of dev.
    """
    test = _value_components(sets.people[1], sets.trials().genuine, on_test)
    variance = test.variance([1.0], [1.0])
    fixed = Estimate(value, variance, min(moments.effective for moments in test.sets[0]))
    if on_dev is None or threshold == "fixed":
        return fixed
    dev = _value_components(sets.people[0], sets.trials("dev").genuine, on_dev)
    dev_variance = dev.variance([1.0], [1.0])
    correlation = np.eye(2)
    product = sqrt(variance.value * dev_variance.value)
    if sets.overlap and sets.people[0] is not None and sets.people[1] is not None and product > 0:
        joint = _covariance_of_values(sets, on_test, on_dev, test, dev)
        correlation[0, 1] = correlation[1, 0] = joint / product
    return replace(
        fixed,
        threshold="re-estimated",
        moves=(DEVIATIONS * sqrt(dev_variance.value),),
        correlation=_positive(correlation),
        dev_df=dev_variance.df,
    )


def _covariance_of_values(sets: TrialSets, on_test: Floats, on_dev: Floats, test: Components, dev: Components) -> float:
    """Estimate the covariance of the influences of test and dev trials, through people in both sets."""
    if sets.same_rows:
        both = _value_components(sets.people[1], sets.trials().genuine, on_test + on_dev).variance([1.0], [1.0]).value
        return (both - test.variance([1.0], [1.0]).value - dev.variance([1.0], [1.0]).value) / 2
    total = 0.0
    for one in test.sets[0]:
        for other in dev.sets[0]:
            for sums in one.sums.values():
                for others in other.sums.values():
                    size = min(len(sums), len(others))
                    total += float(sums[:size, 0] @ others[:size, 0]) / (one.trials * other.trials)
    return total


def tube_quantile(correlations: Floats, confidence: float) -> float:
    r"""Compute the critical value for all points of a curve at once (Hotelling's tube).

    .. math:: 2 \Phi(-c) + (\ell / \pi) \exp(-c^2 / 2) = 1 - confidence

    with the length of the curve :math:`\ell`, the sum of arccos of the correlations of neighbouring points.

    References
    ----------
    Naiman, Simultaneous confidence bounds in multiple regression, 1986; Sun & Loader, 1994.
    """
    length = float(np.sum(np.arccos(np.clip(correlations, -1.0, 1.0))))

    def excess(critical: float) -> float:
        return erfc(critical / sqrt(2)) + length / pi * exp(-(critical**2) / 2) - (1 - confidence)

    return find_root(excess, 0.0, _FARTHEST)


def neighbour_correlations(terms: Terms, measure: Measure, used: NDArray[np.bool_], threshold: Threshold) -> Floats:
    """Correlate the deviations of neighbouring points of a curve, through the test trials and the thresholds.

    Only the alphas marked in `used` are points.
    """
    judgements = [judgement for _, judgement in terms]
    moving = threshold == "re-estimated" and all(judgement.can_move for judgement in judgements)
    sides: tuple[Side, ...] = ("test", "dev") if moving else ("test",)
    places = np.flatnonzero(used).tolist()
    if not measure.depends_on_alpha:  # alphas with the same thresholds are one point of the curve
        choices = np.array([judgement.choices for judgement in judgements]).T
        places = [k for n, k in enumerate(places) if n == 0 or np.any(choices[k] != choices[places[n - 1]])]
    variances, covariances = np.zeros(len(places)), np.zeros(max(len(places) - 1, 0))
    for start in range(0, len(covariances), _TOGETHER):
        chunk = places[start : start + _TOGETHER + 1]
        for side in sides:
            entries = [(judgement, index) for index in chunk for judgement in judgements]
            rates = [_rates_at(*entry, side) for entry in entries]
            along = Components([error_moments(entries, side, rates, exact=True)])
            weights = []
            for place, index in enumerate(chunk):
                columns = np.arange(len(entries)) // len(judgements) == place
                frr, far = np.zeros((2, len(entries)))
                frr[columns], far[columns] = _influence(terms, measure, index, side)
                weights.append((frr, far))
            for place, (first, second) in enumerate(pairwise(weights), start):
                covariances[place] += along.covariance(first, second)
            for place, point in enumerate(weights[bool(start) :], start + bool(start)):
                variances[place] += along.covariance(point, point)
    products = np.sqrt(variances[:-1] * variances[1:])
    return np.divide(covariances, products, out=np.ones_like(covariances), where=products > 0)


def _influence(terms: Terms, measure: Measure, index: int, side: Side) -> tuple[Floats, Floats]:
    """Compute the weights of FRR and FAR, system by system, in the deviation of a figure through one of the sets."""
    frr, far = [], []
    for sign, judgement in terms:
        weights = local_weights(measure, judgement.at(index), float(judgement.alpha[index]))
        if side == "test":
            frr.append(sign * weights.frr)
            far.append(sign * weights.far)
            continue
        curve = threshold_curve(judgement, index)
        slope = sign * curve.slope(weights)
        by_far, by_frr = (1.0, -1.0) if curve.is_minimum else curve.level
        sigma = sqrt(components([judgement], index, "dev").variance([by_frr], [by_far]).value) or 1.0
        frr.append(slope * by_frr / sigma)
        far.append(slope * by_far / sigma)
    return np.array(frr), np.array(far)


def judged_interval(
    judgement: Judgement,
    *,
    measure: MeasureLike = "hter",
    index: int = 0,
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> RateInterval:
    """Compute the interval of a measure of a judgement.

    Parameters
    ----------
    judgement : Judgement
        A system on the judged trials.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is reported: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`. The
        limits of a proportion stay between 0 and 1.
    index : int, default 0
        Which of the alphas, by its place.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the threshold counts as re-estimated from other dev trials, or as fixed: how good the system is, or how
        good this threshold is. Thresholds that were given are always fixed.

    Returns
    -------
    RateInterval
        Estimate, limits, standard deviation, and which of the two it is.

    Raises
    ------
    ParameterError
        If the measure is unknown or the confidence out of range.

    Notes
    -----
    Covariances by what two trials share give the variance of each rate; Wilson's limits for the effective number of
    trials, with Student's quantile, are put together by MOVER. The threshold adds the figure at the thresholds that dev
    does not reject (Woodruff). See docs/methods.md.

    References
    ----------
    Owen, The pigeonhole bootstrap, 2007; Woodruff, Confidence intervals for medians and other position measures, 1952;
    Zou & Donner, Construction of confidence limits about effect measures, 2008.

    Examples
    --------
    >>> from fairtrial.inference import TrialSets, judge
    >>> sets = TrialSets(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]), ([0.8, 0.5, 0.7], [0.2, 0.6]))
    >>> interval = judged_interval(judge(sets), measure="far", threshold="fixed")
    >>> interval.estimate, interval.method, interval.threshold
    (0.5, 'wilson', 'fixed')
    """
    known = as_measure(measure)
    made = estimate([(1.0, judgement)], known, index=index, threshold=threshold)
    return estimated_interval(made, known, confidence=check_confidence(confidence), sharing=judgement.sharing)


def intervals_along(
    judgement: Judgement,
    *,
    measure: MeasureLike = "hter",
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
) -> list[RateInterval]:
    """Compute the interval of a measure at every alpha of a judgement; see `judged_interval`."""
    known = as_measure(measure)
    check_confidence(confidence)
    made = estimates_along([(1.0, judgement)], known, threshold=threshold)
    return [estimated_interval(each, known, confidence=confidence, sharing=judgement.sharing) for each in made]


def estimated_interval(made: Estimate, measure: AnyMeasure, *, confidence: float, sharing: Cluster) -> RateInterval:
    """Give the interval of an estimate of a measure."""
    low, high = made.interval(confidence)
    return RateInterval(
        made.value,
        low,
        high,
        made.sigma,
        confidence,
        "wilson",
        measure.name,
        made.threshold,
        is_share=measure.is_share,
        label=measure.label,
        sharing=sharing,
    )


def counted_interval(
    counts: ErrorCounts, *, measure: MeasureLike = "hter", alpha: float = 0.5, confidence: float = 0.95
) -> RateInterval:
    """Compute Wilson's interval of a measure from counts alone, all trials independent, the threshold fixed."""
    known = as_measure(measure)
    weights = local_weights(known, counts, alpha)
    parts = []
    for rate, weight, trials in ((counts.frr, weights.frr, counts.genuine), (counts.far, weights.far, counts.impostor)):
        parts.append((float(rate), float(weight), float(trials)))
    frr, far = (weight**2 * rate * (1 - rate) / max(trials - 1, 1) for rate, weight, trials in parts)
    rates = Rates(tuple(part for part in parts if part[1]), 0.0)
    ends = (0.0, 1.0) if known.is_share else (-inf, inf)
    made = Estimate(float(known(counts, alpha)), Variance(frr + far, frr, far, 0.0, inf), rates=rates, ends=ends)
    return estimated_interval(made, known, confidence=confidence, sharing="none")


def judged_intervals(
    judgement: Judgement, *, measure: MeasureLike = "hter", index: int = 0, confidence: float = 0.95
) -> tuple[RateInterval, ...]:
    """Compute the leading interval, that with the threshold fixed, and that for independent trials."""
    known = as_measure(measure)
    thresholds: Sequence[Threshold] = ("re-estimated", "fixed") if judgement.can_move else ("fixed",)
    intervals = [
        judged_interval(judgement, measure=known, index=index, confidence=confidence, threshold=threshold)
        for threshold in thresholds
    ]
    if known.weights is not None:
        counts, alpha = judgement.at(index), float(judgement.alpha[index])
        intervals.append(rate_interval(counts, measure=known, alpha=alpha, confidence=confidence))
    return tuple(intervals)
