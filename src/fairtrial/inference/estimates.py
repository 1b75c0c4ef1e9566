"""Estimates: a value, its variance by people, what the threshold from dev adds, and degrees of freedom.

With the threshold *fixed* an estimate is about these thresholds on new test trials. With the threshold *re-estimated*
it is about the procedure: the expected figure over new dev and test sets of these sizes, with new people.

Limits are the extremes of the figure over the ellipsoid of all that is uncertain: the test trials (Wilson's limits of
each rate, put together by MOVER, Zou & Donner 2008) and the thresholds that dev leaves open (`ThresholdCurve`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from math import copysign, inf, pi, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.trials import Trials
from fairtrial.counting.search import crossing_points
from fairtrial.counting.tallies import ErrorCounts, count_errors, has_sources
from fairtrial.inference.decide import Judgement, wrong_decisions
from fairtrial.inference.people import People, independent_moments
from fairtrial.inference.split import TrialSets
from fairtrial.inference.thresholds import (
    DEVIATIONS,
    FEW,
    ClassTable,
    CostGrid,
    ThresholdCurve,
    crossing_curve,
    grid_thresholds,
    level_of,
    minimum_curve,
)
from fairtrial.inference.variance import Components, Floats, Moments, Variance, welch
from fairtrial.rules.measures import Measure, Weights

Threshold: TypeAlias = Literal["re-estimated", "fixed"]
Resample: TypeAlias = Literal["test", "both"]
"""Whether only test trials are taken as a sample, or dev trials, too."""
GIVEN: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given this threshold"}
"""What sentences say of the threshold."""
GIVEN_ALONG: dict[Threshold, str] = {"re-estimated": "threshold re-estimated", "fixed": "given these thresholds"}
"""The same of curves and of pairs of systems, which have several."""
Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""What is claimed of A - B: that it is not 0, that A is lower, or that A is higher."""
Side: TypeAlias = Literal["dev", "test"]
Terms: TypeAlias = Sequence[tuple[float, Judgement]]
"""Judgements on the same trials, each with its sign."""
_OTHER: dict[Side, Side] = {"dev": "test", "test": "dev"}
_FARTHEST = 40.0
"""Standard deviations beyond which a p value is 0 for every purpose."""


def threshold_when(resample: Resample) -> Threshold:
    """Tell what becomes of the threshold if test trials are a sample, or those of dev, too."""
    return "re-estimated" if resample == "both" else "fixed"


def student_quantile(df: float, confidence: float) -> float:
    """Give the two-sided quantile of Student's t."""
    from scipy.special import ndtri, stdtrit

    tail = (1 + confidence) / 2
    return float(ndtri(tail) if df == inf else stdtrit(df, tail))


def student_p_value(statistic: float, df: float, alternative: Alternative) -> float:
    """Give the tail or tails of Student's t beyond a statistic."""
    from scipy.special import ndtr, stdtr

    less, greater = (float(ndtr(side) if df == inf else stdtr(df, side)) for side in (statistic, -statistic))
    return {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]


def wilson_limits(rate: Any, trials: Any, quantile: Any) -> tuple[Any, Any]:
    """Give Wilson's limits of a rate, for a number of trials that need not be whole."""
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
        """Give the distances of the limits below and above the sum (MOVER)."""
        below, above = [], []
        for rate, weight, trials in self.parts:
            low, high = wilson_limits(rate, trials, quantile)
            ends = abs(weight) * (rate - low), abs(weight) * (high - rate)
            first, second = ends if weight > 0 else ends[::-1]
            below.append(first)
            above.append(second)
        return self._together(below), self._together(above)

    def _together(self, distances: Sequence[float]) -> float:
        squares = sum(distance**2 for distance in distances)
        if len(distances) == 2:
            sign = copysign(1.0, self.parts[0][1] * self.parts[1][1])
            squares += 2 * sign * self.correlation * distances[0] * distances[1]
        return sqrt(max(squares, 0.0))


@dataclass(frozen=True, eq=False)
class Estimate:
    """A figure or a difference of two, and how certain it is.

    Attributes
    ----------
    value : float
        The figure.
    variance : Variance
        The variance through the test trials, the threshold fixed.
    people : float
        The effective number of people, in the class and role with the fewest.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold's uncertainty is part of it.
    moves : tuple of ndarray
        By how much each threshold moves the figure, at `DEVIATIONS`.
    correlation : ndarray
        The correlation of the deviations of the test trials and of the thresholds.
    dev_df : float
        Degrees of freedom of what dev measures.
    rates : Rates or None
        How test trials are distributed: Wilson's limits; None for Student's.
    ends : tuple of float
        The smallest and largest value that the figure may have.
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

    @property
    def sigma(self) -> float:
        """The standard deviation: half the width at one standard deviation."""
        own = sqrt(self.variance.value)
        if not self.moves:
            return own
        low, high = self._extremes(1.0, own, own)
        return (high - low) / 2

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of both parts."""
        if not self.moves:
            return self.variance.df
        low, high = self._extremes(1.0, 0.0, 0.0)
        return welch([(self.variance.value, self.variance.df), (((high - low) / 2) ** 2, self.dev_df)])

    @property
    def statistic(self) -> float:
        """The standard deviations by which 0 is away, signed as the value is."""
        return self.deviations(0.0)

    def deviations(self, null: float) -> float:
        """Give the standard deviations at which the nearer limit reaches a value, signed as the distance is."""
        distance = self.value - null
        if distance == 0:
            return 0.0
        if not self.moves and self.rates is None:
            sigma = self.sigma
            return distance / sigma if sigma > 0 else copysign(inf, distance)
        low, high = 0.0, _FARTHEST
        for _ in range(40):
            middle = (low + high) / 2
            limits = self.limits(middle)
            within = limits[0] > null if distance > 0 else limits[1] < null
            low, high = (middle, high) if within else (low, middle)
        return copysign(inf if low > 0.99 * _FARTHEST else (low + high) / 2, distance)

    def p_value(self, alternative: Alternative = "two-sided", null: float = 0.0) -> float:
        """Give the p value of the hypothesis that the expected figure is `null`."""
        return student_p_value(self.deviations(null), self.df, alternative)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Give the limits of the expected figure."""
        low, high = self.limits(student_quantile(self.df, confidence))
        slack = 1e-12 * (high - low)
        low, high = (0.0 if abs(end) <= slack else end for end in (low, high))
        return max(low, self.ends[0]), self.ends[1] if high >= self.ends[1] - slack else high

    def limits(self, quantile: float) -> tuple[float, float]:
        """Give the limits at a number of standard deviations."""
        own = quantile * sqrt(self.variance.value)
        below, above = (own, own) if self.rates is None or quantile == 0 else self.rates.sides(quantile)
        low, high = self._extremes(quantile, below, above)
        return self.value + low, self.value + high

    def _extremes(self, radius: float, below: float, above: float) -> tuple[float, float]:
        """Find the extremes of the deviation over the ellipsoid: test trials on one axis, thresholds on the others."""
        if not self.moves:
            return -below, above
        points = radius * _directions(len(self.moves) + 1) @ np.linalg.cholesky(self.correlation).T
        share = points[:, 0] / radius if radius > 0 else points[:, 0]
        deviation = np.where(share > 0, share * above, share * below)
        for axis, moves in enumerate(self.moves, start=1):
            deviation = deviation + np.interp(points[:, axis], DEVIATIONS, moves)
        return float(deviation.min()), float(deviation.max())

    def shifted(self, by: float) -> Estimate:
        """Give the same estimate of a value that is larger."""
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
    """Give the weights of FAR and FRR in a measure; those of its tangent if it is not linear."""
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
        ``re-estimated`` falls back to ``fixed`` if thresholds were given, or only counts of scores are known.
    """
    alpha = float(terms[0][1].alpha[index])
    counts = [judgement.at(index) for _, judgement in terms]
    value = sum(sign * float(measure(errors, alpha)) for (sign, _), errors in zip(terms, counts, strict=True))
    weights = [local_weights(measure, errors, alpha) for errors in counts]
    judgements = [judgement for _, judgement in terms]
    read = components(judgements, index, "test")
    frr = np.array([sign * own.frr for (sign, _), own in zip(terms, weights, strict=True)])
    far = np.array([sign * own.far for (sign, _), own in zip(terms, weights, strict=True)])
    variance = read.variance(frr, far)
    people = min(moments.effective for moments in read.readings[0])
    rates = None
    if len(terms) == 1:
        rates = rates_of(counts[0], weights[0], variance)
    ends = (0.0, 1.0) if measure.is_share and len(terms) == 1 else (-inf, inf)
    fixed = Estimate(value, variance, people, rates=rates, ends=ends)
    if threshold == "fixed" or not all(judgement.can_move for judgement in judgements):
        return fixed
    curves = [threshold_curve(judgement, index) for judgement in judgements]

    def figure(far: Floats, frr: Floats, errors: ErrorCounts) -> Floats:
        made = ErrorCounts(np.nan, far * errors.impostor, frr * errors.genuine, errors.genuine, errors.impostor)
        return np.asarray(measure(made, alpha), dtype=np.float64)

    moves = tuple(
        sign * curve.moves(partial(figure, errors=errors))
        for (sign, _), curve, errors in zip(terms, curves, counts, strict=True)
    )
    correlation = _correlation(judgements, index, curves, read, (frr, far), variance.value)
    dev_df = min(curve.df for curve in curves)
    return replace(fixed, threshold="re-estimated", moves=moves, correlation=correlation, dev_df=dev_df)


def estimates_along(terms: Terms, measure: Measure, *, threshold: Threshold = "re-estimated") -> list[Estimate]:
    """Estimate a figure, or the difference of two, at every alpha; see `estimate`."""
    found: dict[tuple[float, ...], Estimate] = {}
    along = []
    for index, alpha in enumerate(terms[0][1].alpha.tolist()):
        thresholds = [float(judgement.test.threshold[index]) for _, judgement in terms]
        key = (alpha if measure.depends_on_alpha else 0.0, *thresholds)
        if threshold == "re-estimated" or key not in found:
            found[key] = estimate(terms, measure, index=index, threshold=threshold)
        along.append(found[key])
    return along


def rates_of(counts: ErrorCounts, weights: Weights, variance: Variance) -> Rates:
    """Give each rate with the number of independent trials that would have its variance (Korn & Graubard 1998)."""
    parts = []
    for rate, weight, trials, spread in (
        (float(counts.frr), weights.frr, counts.genuine, variance.genuine),
        (float(counts.far), weights.far, counts.impostor, variance.impostor),
    ):
        if weight:
            near = min(max(rate, 0.5 / trials), 1 - 0.5 / trials)
            effective = weight**2 * near * (1 - near) / spread if spread > 0 else float(trials)
            effective *= trials / max(trials - 1, 1)  # independent trials count in full
            parts.append((rate, float(weight), min(effective, float(trials))))
    return Rates(tuple(parts), variance.correlation)


def components(judgements: Sequence[Judgement], index: int, on: Side) -> Components:
    """Read the variance components of the errors of systems, at one alpha, for one of the two sets.

    Covariances between trials are read on dev and on test, at the same rates (not at the same thresholds), if people
    are known in both; at least `FEW` errors are read, and brought to the rate.
    """
    if len(judgements) == 1:
        return judgements[0].once(("components", index, on), lambda: _read(judgements, index, on))
    return _read(judgements, index, on)


def _read(judgements: Sequence[Judgement], index: int, on: Side) -> Components:
    entries = [(judgement, index) for judgement in judgements]
    rates = [_rates_of(judgement, index, on) for judgement in judgements]
    readings = [_moments(entries, on, rates, exact=True)]
    first, other = judgements[0], _OTHER[on]
    if first.sharing != "none" and first.can_move and not first.sets.is_one_set and first.knows_people(other):
        readings.append(_moments(entries, other, rates, exact=False))
    return Components(readings)


def _rates_of(judgement: Judgement, index: int, on: Side) -> tuple[float, float]:
    """Give FRR and FAR at one alpha, at least half an error away from 0 and 1."""
    counts = judgement.at(index) if on == "test" else _on_dev(judgement, index)
    rates = (float(counts.frr), counts.genuine), (float(counts.far), counts.impostor)
    frr, far = (min(max(rate, 0.5 / trials), 1 - 0.5 / trials) for rate, trials in rates)
    return frr, far


def _on_dev(judgement: Judgement, index: int) -> ErrorCounts:
    assert judgement.dev is not None
    return judgement.dev[index].scalar()


def _moments(
    entries: Sequence[tuple[Judgement, int]], side: Side, rates: Sequence[tuple[float, float]], *, exact: bool
) -> tuple[Moments, Moments]:
    """Compute the moments of errors at given rates on one of the sets: a column for each system and alpha.

    With `exact` the errors are those at the thresholds themselves, if there are enough of them.
    """
    first = entries[0][0]
    data = first.sets.test if side == "test" else first.sets.dev
    cuts = [_cuts(*entry, side, own, exact=exact) for entry, own in zip(entries, rates, strict=True)]
    scales = np.array([cut.scales for cut in cuts]).T
    people = first.sets.people[side == "test"]
    if not isinstance(data, Trials):
        thresholds = np.unique([cut.thresholds for cut in cuts])
        counted = first.people_at(side, thresholds)
        if counted is None:
            return _counted_moments(cuts, 0), _counted_moments(cuts, 1)
        places = np.searchsorted(thresholds, [cut.thresholds for cut in cuts]).T
        frr, far = (
            replace(part.moments().columns(own.tolist()), scale=scale)
            for part, own, scale in zip(counted.classes, places, scales, strict=True)
        )
        return frr, far
    columns = []
    for (judgement, index), cut in zip(entries, cuts, strict=True):
        if cut.is_own and side == "test":
            columns.append(judgement.wrong(index))
        else:
            scores = data.column(judgement.system)
            columns.append(np.where(data.genuine, scores <= cut.thresholds[0], scores > cut.thresholds[1]))
    if people is not None and people.cluster != "none":
        return people.moments(columns, (scales[0], scales[1]))
    frr, far = (
        independent_moments([column[rows] for column in columns], scale)
        for rows, scale in zip((data.genuine, ~data.genuine), scales, strict=True)
    )
    return frr, far


def _counted_moments(cuts: Sequence[_Cuts], which: int) -> Moments:
    """Compute the moments of one class of independent trials from counts of one system: errors are nested."""
    trials = cuts[0].trials[which]
    errors = np.array([cut.rates[which] * trials for cut in cuts])
    same = np.minimum.outer(errors, errors) - np.outer(errors, errors) / trials
    return Moments(trials, {}, {}, same, {}, {}, np.ones(len(cuts)))


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The thresholds of one system at which FRR and FAR are read, and the errors there."""

    thresholds: tuple[float, float]
    errors: tuple[float, float]
    trials: tuple[int, int]
    rates: tuple[float, float]
    is_own: bool

    @property
    def scales(self) -> tuple[float, float]:
        """By how much p(1-p) at the rate asked for differs from that of what is read, by class."""
        found = []
        for errors, trials, rate in zip(self.errors, self.trials, self.rates, strict=True):
            read = errors / trials * (1 - errors / trials)
            found.append(rate * (1 - rate) / read if read > 0 else 1.0)
        return found[0], found[1]


def _cuts(judgement: Judgement, index: int, side: Side, rates: tuple[float, float], *, exact: bool) -> _Cuts:
    counts = judgement.at(index) if side == "test" else _on_dev(judgement, index)
    trials = int(counts.genuine), int(counts.impostor)
    made = int(counts.false_rejects), int(counts.false_accepts)
    few = [min(FEW, number // 2) for number in trials]
    threshold = float(_on_dev(judgement, index).threshold if judgement.dev is not None else counts.threshold)
    enough = [low <= errors <= number - low for errors, number, low in zip(made, trials, few, strict=True)]
    if exact and all(enough):
        return _Cuts((threshold, threshold), made, trials, rates, True)
    source = judgement.source(side)
    thresholds, errors = [], []
    for which in (0, 1):
        if exact and enough[which]:
            thresholds.append(threshold)
            errors.append(made[which])
            continue
        wanted = float(np.clip(round(rates[which] * trials[which]), few[which], trials[which] - few[which]))
        cut, number = _cut_at(source, which, wanted)
        thresholds.append(cut)
        errors.append(number)
    own = exact and judgement.fold_thresholds is None and not any(cut != threshold for cut in thresholds)
    return _Cuts((thresholds[0], thresholds[1]), (errors[0], errors[1]), trials, rates, own)


def _cut_at(source: Any, which: int, wanted: float) -> tuple[float, int]:
    """Find the threshold at which one class has about so many errors, some and not all; 0 FRR, 1 FAR."""

    def level(counts: ErrorCounts) -> Floats:
        return np.asarray(-counts.false_accepts if which else counts.false_rejects, dtype=np.float64)

    trials = source.impostor if which else source.genuine
    targets = np.unique([-wanted if which else wanted, -1.0 if which else 1.0])
    points = crossing_points(source, level, targets)
    errors = np.abs(level(points))
    distance = np.where((errors > 0) & (errors < trials), np.abs(errors - wanted), inf)
    best = int(np.argmin(distance))
    return float(points.threshold[best]), int(errors[best])


def threshold_curve(judgement: Judgement, index: int) -> ThresholdCurve:
    """Give the thresholds that dev leaves open at one alpha, and the errors there."""
    return judgement.once(("curve", index), lambda: _curve(judgement, index))


def _curve(judgement: Judgement, index: int) -> ThresholdCurve:
    assert judgement.dev is not None
    alpha = float(judgement.alpha[index])
    (_, rule), *_ = judgement.criterion.used_at(np.array([alpha]))
    chosen = _on_dev(judgement, index)
    level = level_of(rule, chosen)
    if level is not None and any(level):
        return crossing_curve(judgement.pool, chosen, rule, level, components([judgement], index, "dev"))
    grid, pooled_errors = judgement.once("grid", lambda: _grid(judgement))
    return minimum_curve(grid, pooled_errors, rule, alpha, float(chosen.threshold))


def _grid(judgement: Judgement) -> tuple[CostGrid, ErrorCounts]:
    """Count dev's errors around all chosen thresholds, in all and by person."""
    assert judgement.dev is not None
    dev = judgement.source("dev")
    edges = grid_thresholds(dev, np.unique(np.asarray(judgement.dev.threshold, dtype=np.float64)))
    counts = count_errors(dev, edges)
    data, people = judgement.sets.dev, judgement.sets.people[0]
    tables = []
    counted = judgement.people_at("dev", edges) if has_sources(data) and judgement.sharing != "none" else None
    for which in (0, 1):
        trials = int(counts.impostor if which else counts.genuine)
        below = np.asarray(trials - counts.false_accepts if which else counts.false_rejects, dtype=np.float64)
        by_role: dict[str, Floats] = {}
        by_person: dict[str, Floats] = {}
        two = False
        if counted is not None:
            part = counted.classes[which]
            two = len(part.roles) > 1
            by_role = dict(zip(part.roles, part.cumulative.astype(np.float64), strict=True))
            by_person = dict(zip(part.roles, part.trials, strict=True))
        elif people is not None and people.cluster != "none":
            assert isinstance(data, Trials)
            members = people.classes[which]
            two = len(members.people) > 1
            bins = np.searchsorted(edges, data.column(judgement.system)[members.rows], side="left")
            for role, columns in members.by_role.items():
                table = np.zeros((members.size, len(edges) + 1))
                for person in columns:
                    cells = np.bincount(person * (len(edges) + 1) + bins, minlength=table.size)
                    table += cells.reshape(table.shape)
                by_role[role] = np.cumsum(table, axis=1)[:, :-1]
                by_person[role] = table.sum(axis=1)
        tables.append(ClassTable(trials, below, by_role, by_person, two))
    return CostGrid(counts, (tables[0], tables[1])), count_errors(judgement.pool, edges)


def _correlation(
    judgements: Sequence[Judgement],
    index: int,
    curves: Sequence[ThresholdCurve],
    read: Components,
    weights: tuple[Floats, Floats],
    variance: float,
) -> Floats:
    """Correlate the deviations of the test trials and of the thresholds, the latter through dev's people."""
    size = len(judgements)
    found = np.eye(1 + size)
    first = judgements[0].sets
    crossing = any(curves[0].level)
    on_dev = components(judgements, index, "dev") if crossing and (size == 2 or first.overlap) else None
    units = np.eye(size)
    levels = [(units[k] * curve.level[1], units[k] * curve.level[0]) for k, curve in enumerate(curves)]
    spreads = [] if on_dev is None else [on_dev.variance(*level).value for level in levels]
    if size == 2:
        if on_dev is not None and min(spreads) > 0:
            found[1, 2] = found[2, 1] = on_dev.covariance(*levels) / sqrt(spreads[0] * spreads[1])
        elif not crossing:
            found[1, 2] = found[2, 1] = _correlation_of_minima(judgements, index, curves)
    if on_dev is not None and first.overlap and variance > 0:
        for k, level in enumerate(levels):
            if spreads[k] > 0:
                joint = (
                    read.covariance(weights, level)
                    if first.is_one_set
                    else read.across(on_dev.readings[0], weights, level)
                )
                found[0, k + 1] = found[k + 1, 0] = -joint / sqrt(variance * spreads[k])
    return _positive(found)


def _positive(correlation: Floats) -> Floats:
    """Give the nearest matrix of correlations that has a Cholesky factor, by its eigenvalues."""
    clipped = np.clip(correlation, -0.999, 0.999)
    np.fill_diagonal(clipped, 1.0)
    values, vectors = np.linalg.eigh(clipped)
    if values.min() < 1e-3:
        clipped = vectors * np.maximum(values, 1e-3) @ vectors.T
        scale = np.sqrt(np.diag(clipped))
        clipped = clipped / np.outer(scale, scale)
    return np.asarray(clipped)


def _correlation_of_minima(judgements: Sequence[Judgement], index: int, curves: Sequence[ThresholdCurve]) -> float:
    """Correlate two minima by the trials whose scores lie where they may move to."""
    data = judgements[0].sets.dev
    assert isinstance(data, Trials)
    columns = [_near_minimum(judgement, curve) for judgement, curve in zip(judgements, curves, strict=True)]
    read = read_columns(judgements[0].sets.people[0], data.genuine, columns)
    frr, far = _weights_of_minimum(judgements[0], index)
    first, second = ((unit * frr, unit * far) for unit in np.eye(2))
    spreads = [read.variance(*level).value for level in (first, second)]
    return read.covariance(first, second) / sqrt(spreads[0] * spreads[1]) if min(spreads) > 0 else 0.0


def _near_minimum(judgement: Judgement, curve: ThresholdCurve) -> NDArray[np.bool_]:
    """Mark dev trials whose scores lie within one standard deviation of a minimum."""
    assert isinstance(judgement.sets.dev, Trials)
    scores = judgement.sets.dev.column(judgement.system)
    low, high = (curve.thresholds[int(np.searchsorted(DEVIATIONS, end))] for end in (-1.0, 1.0))
    return np.asarray((scores > low) & (scores <= high))


def _weights_of_minimum(judgement: Judgement, index: int) -> tuple[float, float]:
    """Give the weights of genuine and impostor trials in how they move a minimum."""
    weight = judgement.criterion.weight_of_far(float(judgement.alpha[index]))
    far = 0.5 if weight is None else weight
    return 1 - far, -far


def dev_influence(judgement: Judgement, measure: Measure, index: int = 0) -> Floats | None:
    """Give what each dev trial adds to a figure through its threshold, as a sum of both class means.

    None if the threshold was given, or dev trials are not in memory.
    """
    data = judgement.sets.dev
    if not judgement.can_move or not isinstance(data, Trials):
        return None
    curve = threshold_curve(judgement, index)
    weights = local_weights(measure, judgement.at(index), float(judgement.alpha[index]))
    moves = curve.moves(partial(_weighted, weights))
    slope = float(np.interp(1.0, DEVIATIONS, moves) - np.interp(-1.0, DEVIATIONS, moves)) / 2
    by_far, by_frr = curve.level
    if any(curve.level):
        chosen = float(_on_dev(judgement, index).threshold)
        moved = wrong_decisions(data, judgement.system, chosen)
    else:
        by_frr, by_far = _weights_of_minimum(judgement, index)
        moved = _near_minimum(judgement, curve)
    values = np.where(data.genuine, by_frr, by_far) * moved
    spread = sqrt(variance_of_values(judgement.sets.people[0], data.genuine, values).value)
    return np.asarray(slope / spread * values if spread > 0 else 0.0 * values)


def variance_of_values(people: People | None, genuine: NDArray[np.bool_], values: Floats) -> Variance:
    """Estimate the variance of the sum of both class means of values by trial."""
    return _read_values(people, genuine, values).variance([1.0], [1.0])


def _read_values(people: People | None, genuine: NDArray[np.bool_], values: Floats) -> Components:
    return read_columns(people, genuine, [np.asarray(values, dtype=np.float64)])


def read_columns(people: People | None, genuine: NDArray[np.bool_], columns: Sequence[NDArray[Any]]) -> Components:
    """Read variance components of columns with one value per trial of a set."""
    if people is not None and people.cluster != "none":
        return Components([people.moments(columns)])
    frr, far = (independent_moments([column[rows] for column in columns]) for rows in (genuine, ~genuine))
    return Components([(frr, far)])


def estimate_of_values(
    sets: TrialSets,
    value: float,
    on_test: Floats,
    on_dev: Floats | None = None,
    *,
    threshold: Threshold = "re-estimated",
) -> Estimate:
    """Estimate a figure that moves as the sum of both class means of values by trial.

    Parameters
    ----------
    sets
        Dev and test trials, and who shares them.
    value
        The figure, or the difference of two.
    on_test
        What each test trial adds to it.
    on_dev
        What each dev trial adds through what was chosen or fitted on dev; None if nothing was.
    threshold
        ``fixed`` leaves out what dev adds.
    """
    test = sets.test
    assert isinstance(test, Trials)
    read = _read_values(sets.people[1], test.genuine, on_test)
    variance = read.variance([1.0], [1.0])
    fixed = Estimate(value, variance, min(moments.effective for moments in read.readings[0]))
    if on_dev is None or threshold == "fixed":
        return fixed
    assert isinstance(sets.dev, Trials)
    dev = _read_values(sets.people[0], sets.dev.genuine, on_dev)
    moved = dev.variance([1.0], [1.0])
    correlation = np.eye(2)
    product = sqrt(variance.value * moved.value)
    if sets.overlap and sets.people[0] is not None and sets.people[1] is not None and product > 0:
        joint = _joint_of_values(sets, on_test, on_dev, read, dev)
        correlation[0, 1] = correlation[1, 0] = joint / product
    return replace(
        fixed,
        threshold="re-estimated",
        moves=(DEVIATIONS * sqrt(moved.value),),
        correlation=_positive(correlation),
        dev_df=moved.df,
    )


def _joint_of_values(sets: TrialSets, on_test: Floats, on_dev: Floats, read: Components, dev: Components) -> float:
    """Estimate the covariance of what test and dev trials add, through people who take part in both."""
    if sets.is_one_set:
        assert isinstance(sets.test, Trials)
        both = _read_values(sets.people[1], sets.test.genuine, on_test + on_dev).variance([1.0], [1.0]).value
        return (both - read.variance([1.0], [1.0]).value - dev.variance([1.0], [1.0]).value) / 2
    total = 0.0
    for own in read.readings[0]:
        for other in dev.readings[0]:
            for sums in own.sums.values():
                for others in other.sums.values():
                    size = min(len(sums), len(others))
                    total += float(sums[:size, 0] @ others[:size, 0]) / (own.trials * other.trials)
    return total


def tube_quantile(correlations: Floats, confidence: float) -> float:
    r"""Give the critical value for all points of a curve at once (Hotelling's tube).

    .. math:: 2 \Phi(-c) + (\ell / \pi) \exp(-c^2 / 2) = 1 - confidence

    with the length of the curve :math:`\ell`, the sum of arccos of the correlations of neighbouring points.

    References
    ----------
    Naiman, Simultaneous confidence bounds in multiple regression, 1986; Sun & Loader, 1994.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    length = float(np.sum(np.arccos(np.clip(correlations, -1.0, 1.0))))

    def excess(critical: float) -> float:
        return float(2 * ndtr(-critical) + length / pi * np.exp(-(critical**2) / 2)) - (1 - confidence)

    return float(brentq(excess, 0.0, _FARTHEST))


def neighbour_correlations(terms: Terms, measure: Measure, kept: NDArray[np.bool_], threshold: Threshold) -> Floats:
    """Correlate the deviations of neighbouring alphas, through the test trials and through dev's levels."""
    judgements = [judgement for _, judgement in terms]
    moving = threshold == "re-estimated" and all(judgement.can_move for judgement in judgements)
    found = []
    places = np.flatnonzero(kept).tolist()
    for pair in pairwise(places):
        joint = np.zeros((2, 2))
        for side in ("test", "dev") if moving else ("test",):
            entries = [(judgement, index) for index in pair for judgement in judgements]
            rates = [_rates_of(*entry, side) for entry in entries]
            read = Components([_moments(entries, side, rates, exact=True)])
            weights = [_influence(terms, measure, index, side) for index in pair]
            zero = np.zeros(len(judgements))
            first = np.concatenate([weights[0][0], zero]), np.concatenate([weights[0][1], zero])
            second = np.concatenate([zero, weights[1][0]]), np.concatenate([zero, weights[1][1]])
            joint += np.array(
                [
                    [read.variance(*first).value, read.covariance(first, second)],
                    [0.0, read.variance(*second).value],
                ]
            )
        product = sqrt(joint[0, 0] * joint[1, 1])
        found.append(joint[0, 1] / product if product > 0 else 1.0)
    return np.array(found)


def _influence(terms: Terms, measure: Measure, index: int, side: Side) -> tuple[Floats, Floats]:
    """Give the weights of FRR and FAR, system by system, in the deviation of a figure through one of the sets."""
    frr, far = [], []
    for sign, judgement in terms:
        weights = local_weights(measure, judgement.at(index), float(judgement.alpha[index]))
        if side == "test":
            frr.append(sign * weights.frr)
            far.append(sign * weights.far)
            continue
        curve = threshold_curve(judgement, index)
        moves = curve.moves(partial(_weighted, weights))
        slope = sign * float(np.interp(1.0, DEVIATIONS, moves) - np.interp(-1.0, DEVIATIONS, moves)) / 2
        by_far, by_frr = curve.level if any(curve.level) else (1.0, -1.0)
        spread = sqrt(components([judgement], index, "dev").variance([by_frr], [by_far]).value) or 1.0
        frr.append(slope * by_frr / spread)
        far.append(slope * by_far / spread)
    return np.array(frr), np.array(far)


def _weighted(weights: Weights, far: Floats, frr: Floats) -> Floats:
    return np.asarray(weights.far * far + weights.frr * frr)
