"""How far dev leaves a threshold open: the thresholds that dev does not reject (Woodruff 1952), and the errors there.

A threshold from dev is one of many that other dev trials might have given. For z standard deviations of what dev
measures, the threshold is read back from the scores of dev and test together: a level of the criterion for a target or
a crossing (Francisco & Fuller 1991), the hull of costs that are not significantly higher for a minimum (Kim & Pollard
1990). Nothing is differentiated, so a bent DET curve is bent here. See docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.search import crossing_points
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, count_errors
from fairtrial.inference.variance import Components, Floats
from fairtrial.rules.criteria import Criterion

FEW = 10
"""The number of errors that covariances and tails are read from."""
DEVIATIONS = np.linspace(-7.0, 7.0, 57)
"""The standard deviations at which thresholds are read back."""
_HERMITE = ((0.0, 2 / 3), (sqrt(3), 1 / 6), (-sqrt(3), 1 / 6))
"""Three-point Gauss-Hermite quadrature: nodes and weights of a standard normal mean."""
_SMOOTH, _ROUGH = 0.98, 1.57
"""Half-width of the hull of a minimum in standard deviations of the cost's increments, over 1.96: half the normal
quantile if people's effects make the cost smooth, and the 95 % quantile of the same ratio for a two-sided Brownian
motion less a parabola if only trials move it (cube-root asymptotics)."""
_STEPS = 40


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Error rates of dev and test together at the thresholds that dev leaves open.

    Attributes
    ----------
    thresholds : ndarray of float
        The thresholds at `DEVIATIONS`.
    far, frr : ndarray of float
        The pooled error rates there.
    at : tuple of float
        The pooled FAR and FRR at the threshold itself.
    level : tuple of float
        The weights of FAR and FRR in what dev measures.
    df : float
        Degrees of freedom of the variance of the level.
    """

    thresholds: Floats
    far: Floats
    frr: Floats
    at: tuple[float, float]
    level: tuple[float, float]
    df: float

    def moves(self, figure: Callable[[Floats, Floats], Floats]) -> Floats:
        """Give the mean figure of the procedure less the figure at the threshold, at each of `DEVIATIONS`.

        If the threshold of the average dev set is z standard deviations away, this is how far the figure is from its
        expectation.
        """
        values = figure(self.far, self.frr)
        mean = sum(weight * np.interp(DEVIATIONS + node, DEVIATIONS, values) for node, weight in _HERMITE)
        here = figure(np.array([self.at[0]]), np.array([self.at[1]]))[0]
        return np.asarray(mean - here)


def level_of(criterion: Criterion, counts: ErrorCounts) -> tuple[float, float] | None:
    """Give the derivatives of a criterion's level with respect to FAR and FRR; None if it has no level."""
    if criterion.search != "crossing" or criterion.level is None:
        return None
    step = 1e-6
    far, frr = float(counts.far), float(counts.frr)

    def level(far: float, frr: float) -> float:
        assert criterion.level is not None
        own = ErrorCounts(
            counts.threshold, far * counts.impostor, frr * counts.genuine, counts.genuine, counts.impostor
        )
        return float(criterion.level(own))

    by_far = (level(far + step, frr) - level(far - step, frr)) / (2 * step)
    by_frr = (level(far, frr + step) - level(far, frr - step)) / (2 * step)
    return by_far, by_frr


def crossing_curve(
    pool: ScoreSource, chosen: ErrorCounts, criterion: Criterion, level: tuple[float, float], components: Components
) -> ThresholdCurve:
    """Read thresholds back from the level of a criterion that is met where it passes a target.

    Parameters
    ----------
    pool
        The scores of dev and test.
    chosen
        The errors of dev at the threshold.
    level
        The derivatives of the level with respect to FAR and FRR.
    components
        Variance components of dev's errors at the threshold, in their first column.
    """
    assert criterion.level is not None
    here = count_errors(pool, float(chosen.threshold)).scalar()
    if 0.0 not in level:
        return _linear_curve(pool, here, criterion, level, components)
    which = 1 if level[1] == 0 else 0
    trials = chosen.impostor if which else chosen.genuine
    rate = _inside(float(chosen.far if which else chosen.frr), trials)
    variance = components.variance([float(not which)], [float(which)]).value
    spread = rate * (1 - rate)
    start = _inside(float(here.far if which else here.frr), pool.impostor if which else pool.genuine)
    gap = _gap(pool, here, which) / (start * (1 - start))
    # the threshold is an order statistic: its rate has one error more (Gamma); Sheppard's correction for ties
    step = sqrt(max(variance - spread / trials, 0.0) / spread**2 + 1 / (trials * spread + 1) + gap**2 / 12)
    odds = np.log(start / (1 - start)) + DEVIATIONS * step
    rates = 1 / (1 + np.exp(-odds))
    thresholds, others = _read_back(pool, which, rates)
    far, frr = (rates, others) if which else (others, rates)
    met = (1.0, 0.0) if which else (0.0, 1.0)
    # the variance belongs to the level that is tried, so no degrees of freedom are lost by estimating it
    return ThresholdCurve(thresholds, far, frr, (float(here.far), float(here.frr)), met, inf)


def _linear_curve(
    pool: ScoreSource, here: ErrorCounts, criterion: Criterion, level: tuple[float, float], components: Components
) -> ThresholdCurve:
    """Read thresholds back from a level that depends on both rates, as the EER's does."""
    assert criterion.level is not None
    found = components.variance([level[1]], [level[0]])
    start = float(criterion.level(here))
    beside = crossing_points(pool, criterion.level, np.array([start]))
    gap = _half_gap(np.asarray(criterion.level(beside)), start)
    targets = start + DEVIATIONS * sqrt(found.value + gap**2 / 12)
    points = crossing_points(pool, criterion.level, targets)
    levels = np.asarray(criterion.level(points), dtype=np.float64)
    finite = np.maximum(np.asarray(points.threshold, dtype=np.float64), np.finfo(np.float64).min)
    thresholds, far, frr = (np.interp(targets, levels, np.asarray(v)) for v in (finite, points.far, points.frr))
    return ThresholdCurve(thresholds, far, frr, (float(here.far), float(here.frr)), level, found.df)


def _inside(rate: float, trials: float) -> float:
    """Keep a rate half an error away from 0 and 1."""
    return min(max(rate, 0.5 / trials), 1 - 0.5 / trials)


def _gap(pool: ScoreSource, here: ErrorCounts, which: int) -> float:
    """Half the distance of the two neighbouring values of a rate."""
    rate = _far_falling if which else _frr
    start = float(rate(here))
    return _half_gap(np.asarray(rate(crossing_points(pool, rate, np.array([start])))), start)


def _half_gap(levels: Floats, at: float) -> float:
    below, above = levels[levels < at], levels[levels > at]
    ends = [float(at - below.max())] if below.size else []
    ends += [float(above.min() - at)] if above.size else []
    return sum(ends) / 2 if ends else 0.0


def _far_falling(counts: ErrorCounts) -> Floats:
    return np.asarray(-counts.far, dtype=np.float64)


def _frr(counts: ErrorCounts) -> Floats:
    return np.asarray(counts.frr, dtype=np.float64)


def _read_back(pool: ScoreSource, which: int, rates: Floats) -> tuple[Floats, Floats]:
    """Give thresholds at which one rate is met, and the other rate there; linear between scores.

    Below one error the tail is exponential beyond the `FEW`-th most extreme score (Weissman 1978).
    """
    trials = pool.impostor if which else pool.genuine
    rule = _far_falling if which else _frr
    sign = -1.0 if which else 1.0
    few = min(FEW, trials // 2)
    tail = np.arange(few + 1) / trials
    points = crossing_points(pool, rule, np.sort(sign * np.concatenate([rates, tail])))
    levels = rule(points)
    edges = np.asarray(points.threshold, dtype=np.float64)
    finite = np.isfinite(edges)
    thresholds = np.interp(sign * rates, levels[finite], edges[finite])
    others = np.interp(sign * rates, levels, np.asarray(points.frr if which else points.far))
    beyond = rates < 1 / trials
    if beyond.any():
        extreme = np.interp(sign * tail, levels[finite], edges[finite])
        excess = float(np.mean(np.abs(extreme[:-1] - extreme[-1])))
        thresholds[beyond] = extreme[-1] - sign * excess * np.log(few / (trials * rates[beyond]))
        counted = count_errors(pool, thresholds[beyond])
        others[beyond] = counted.frr if which else counted.far
    return thresholds, others


@dataclass(frozen=True, slots=True, eq=False)
class CostGrid:
    """Thresholds around which minima of costs are sought, with dev's errors and its people's errors there.

    Attributes
    ----------
    counts : ErrorCounts
        Errors of dev at the thresholds, by rising threshold.
    tables : tuple of ClassTable
        Genuine and impostor trials at or below the thresholds.
    """

    counts: ErrorCounts
    tables: tuple[ClassTable, ClassTable]

    def deviations(self, criterion: Criterion, alpha: float, chosen: float) -> Floats:
        """Give how significantly each threshold's cost is above the minimum, signed by its side of the minimum."""
        place = int(np.searchsorted(np.asarray(self.counts.threshold), chosen))
        cost = np.asarray(criterion.cost(self.counts, alpha), dtype=np.float64)
        far, frr = cost_weights(criterion, alpha, self.counts[place])
        variance, chance = np.zeros(len(cost)), np.zeros(len(cost))
        for table, weight in zip(self.tables, (frr, far), strict=True):
            total, own = table.increments(place)
            variance += weight**2 * total
            chance += weight**2 * own
        rough = np.divide(chance, variance, out=np.ones_like(chance), where=variance > 0)
        scale = (_SMOOTH + (_ROUGH - _SMOOTH) * rough) / 1.96 * np.sqrt(variance)
        above = np.maximum(cost - cost[place], 0.0)
        signed = np.divide(above, scale, out=np.zeros_like(above), where=scale > 0)
        return np.asarray(np.where(np.arange(len(cost)) < place, -signed, signed))


@dataclass(frozen=True, slots=True, eq=False)
class ClassTable:
    """Trials of one class at or below each of many thresholds, in all and by person.

    Attributes
    ----------
    below : ndarray
        All trials at or below each threshold.
    by_role : dict of str to ndarray
        The same by person, shape (people, thresholds).
    counts : dict of str to ndarray
        Trials by person.
    """

    trials: int
    below: Floats
    by_role: dict[str, Floats]
    counts: dict[str, Floats]
    two_roles: bool

    def increments(self, place: int) -> tuple[Floats, Floats]:
        """Estimate the variance of the rate's increment from one threshold to each, and the trials' own part of it.

        Pairs of people are taken to meet once: what two trials of the same pair have in common counts for both people.
        """
        trials = float(self.trials)
        between = self.below - self.below[place]
        mean = between / trials
        same = np.abs(between) - trials * mean**2
        if not self.by_role:
            return same / trials**2, same / trials**2
        twice = 2.0 if "person" in self.counts else 1.0 if self.two_roles else 0.0
        related, pairs = {}, {}
        for role, table in self.by_role.items():
            sums = table - table[:, [place]] - np.outer(self.counts[role], mean)
            related[role] = np.einsum("ij,ij->j", sums, sums) - max(twice, 1.0) * same
            pairs[role] = float(self.counts[role] @ self.counts[role]) - max(twice, 1.0) * trials
        unrelated = trials**2 - trials - sum(pairs.values())
        apart = -(sum(related.values()) + same) / unrelated if unrelated > 0 else np.zeros_like(same)
        components = [
            (pairs[role], np.maximum(related[role] / pairs[role] - apart, 0.0)) for role in related if pairs[role] > 0
        ]
        itself = np.maximum(same / trials - apart, sum((value for _, value in components), np.zeros_like(same)))
        total = trials * itself + sum(number * value for number, value in components)
        return total / trials**2, itself / trials


def cost_weights(criterion: Criterion, alpha: float, counts: ErrorCounts) -> tuple[float, float]:
    """Give the derivatives of a cost with respect to FAR and FRR, forward over a few errors."""
    genuine, impostor = float(counts.genuine), float(counts.impostor)
    accepts, rejects = float(counts.false_accepts), float(counts.false_rejects)
    values = [
        float(
            np.asarray(criterion.cost(ErrorCounts(np.nan, accepts + more, rejects + worse, genuine, impostor), alpha))
        )
        for more, worse in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    ]
    return (values[1] - values[0]) * impostor, (values[2] - values[0]) * genuine


def grid_thresholds(dev: ScoreSource, chosen: Floats) -> Floats:
    """Choose thresholds around those that were chosen: dense nearby, sparse far away, in ranks of both classes."""
    rates = count_errors(dev, chosen)
    wanted = []
    for rule, trials, start in (
        (_far_falling, dev.impostor, -np.asarray(rates.far)),
        (_frr, dev.genuine, np.asarray(rates.frr)),
    ):
        steps = np.linspace(0, sqrt(trials), _STEPS) ** 2 / trials
        low, high = (-1.0, 0.0) if rule is _far_falling else (0.0, 1.0)
        about = start if len(start) <= 3 else start[np.linspace(0, len(start) - 1, 3).astype(int)]
        around = np.concatenate([(about[:, None] + side * steps).ravel() for side in (1, -1)])
        targets = np.unique(np.clip(around, low, high))
        points = crossing_points(dev, rule, targets)
        edges = np.asarray(points.threshold, dtype=np.float64)
        wanted.append(edges[np.searchsorted(rule(points), targets).clip(0, len(edges) - 1)])
    return np.unique(np.concatenate([chosen, *wanted]))


def minimum_curve(
    grid: CostGrid, pooled: ErrorCounts, criterion: Criterion, alpha: float, chosen: float
) -> ThresholdCurve:
    """Read back the hull of thresholds whose cost dev does not tell from its minimum.

    Parameters
    ----------
    grid
        Thresholds around the minimum, and dev's errors there.
    pooled
        Errors of dev and test together at the same thresholds.
    """
    edges = np.asarray(grid.counts.threshold, dtype=np.float64)
    place = int(np.searchsorted(edges, chosen))
    signed = grid.deviations(criterion, alpha, chosen)
    # a threshold belongs to the hull as soon as one beyond it does
    upper = np.minimum.accumulate(signed[place:][::-1])[::-1]
    lower = np.maximum.accumulate(signed[: place + 1])
    reached: NDArray[np.int64] = np.where(
        DEVIATIONS >= 0,
        place + np.searchsorted(upper, DEVIATIONS, side="right") - 1,
        np.searchsorted(lower, DEVIATIONS, side="left"),
    ).clip(0, len(edges) - 1)
    far, frr = np.asarray(pooled.far)[reached], np.asarray(pooled.frr)[reached]
    at = float(np.asarray(pooled.far)[place]), float(np.asarray(pooled.frr)[place])
    return ThresholdCurve(edges[reached], far, frr, at, (0.0, 0.0), inf)
