"""How far dev leaves a threshold open: the thresholds that dev does not reject (Woodruff 1952), and the errors there.

A threshold from dev is one of many that other dev trials might have given. For z standard deviations of what dev
measures, the threshold is read back from the scores of dev and test together: a level of the criterion for a target or
a crossing (Francisco & Fuller 1991), the hull of costs that are not significantly higher for a minimum (Kim & Pollard
1990). Nothing is differentiated, so a bent DET curve is bent here. See docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import copysign, hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.search import crossing_points, points_beside
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, count_errors
from fairtrial.inference.person_counts import CountedClass
from fairtrial.inference.variance import Components, Floats
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import Weights

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
        """Give the change of the mean figure of the procedure if the mean threshold is at each of `DEVIATIONS`.

        The mean is over thresholds of other dev sets, which scatter by one standard deviation. It is above the figure
        at the mean threshold where the figure is convex, as at a minimum. A figure that was measured contains this
        excess already, so only the change from 0 deviations counts.
        """
        values = figure(self.far, self.frr)
        mean = sum(weight * np.interp(DEVIATIONS + node, DEVIATIONS, values) for node, weight in _HERMITE)
        return np.asarray(mean - np.interp(0.0, DEVIATIONS, mean))

    def slope(self, weights: Weights) -> float:
        """Give half the range of a weighted sum of the rates within one standard deviation, signed by its direction."""
        moves = self.moves(lambda far, frr: weights.far * far + weights.frr * frr)
        near = moves[np.abs(DEVIATIONS) <= 1]
        return copysign((near.max() - near.min()) / 2, near[-1] - near[0])


def level_of(criterion: Criterion, alpha: float, counts: ErrorCounts) -> tuple[float, float] | None:
    """Give the weights of FAR and FRR in the level that a criterion wants to meet; None if it has no level.

    Levels are linear in the rates: ``wer-equal`` wants (1 - alpha) FRR - alpha FAR to be 0.
    """
    if criterion.search != "crossing" or criterion.level is None:
        return None
    if criterion.alpha_means != "target" and criterion.weighs_far:
        return -alpha, 1 - alpha
    rates = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    made = ErrorCounts(
        np.full(3, np.nan), rates[0] * counts.impostor, rates[1] * counts.genuine, counts.genuine, counts.impostor
    )
    none, accepts, rejects = np.asarray(criterion.level(made), dtype=np.float64)
    return float(accepts - none), float(rejects - none)


def crossing_curve(
    pool: ScoreSource, here: ErrorCounts, chosen: ErrorCounts, level: tuple[float, float], components: Components
) -> ThresholdCurve:
    """Read thresholds back from the level that a criterion wants to meet.

    Parameters
    ----------
    pool
        The scores of dev and test.
    here, chosen
        The errors of the pool and of dev at the threshold.
    level
        The weights of FAR and FRR in the level.
    components
        Variance components of dev's errors at the threshold, in their first column.
    """
    at = float(here.far), float(here.frr)
    if 0.0 not in level:
        variance = components.variance([level[1]], [level[0]])
        start = level[0] * at[0] + level[1] * at[1]
        targets, points = _search(pool, level, start, lambda step: start + DEVIATIONS * step, sqrt(variance.value))
        levels = _level(points, level)
        finite = np.maximum(np.asarray(points.threshold, dtype=np.float64), np.finfo(np.float64).min)
        thresholds, far, frr = (np.interp(targets, levels, np.asarray(v)) for v in (finite, points.far, points.frr))
        return ThresholdCurve(thresholds, far, frr, at, level, variance.df)
    which = 1 if level[1] == 0 else 0
    level, sign = ((-1.0, 0.0), -1.0) if which else ((0.0, 1.0), 1.0)
    trials, size = (chosen.impostor, pool.impostor) if which else (chosen.genuine, pool.genuine)
    rate, start = inside(float(chosen.far if which else chosen.frr), trials), inside(at[1 - which], size)
    spread, width = rate * (1 - rate), start * (1 - start)
    variance = components.variance([float(not which)], [float(which)])
    # the threshold is an order statistic: its rate has one error more (Gamma)
    step = sqrt(max(variance.value - spread / trials, 0.0) / spread**2 + 1 / (trials * spread + 1))
    tail = np.arange(max(min(FEW, size // 2), 1) + 1) / size

    def targets_of(step: float) -> Floats:
        return np.asarray(sign / (1 + (1 / start - 1) * np.exp(-DEVIATIONS * step / width)))

    targets, points = _search(pool, level, sign * at[1 - which], targets_of, step * width, sign * tail)
    thresholds, others = _read_back(pool, points, level, targets, tail)
    far, frr = (-targets, others) if which else (others, targets)
    return ThresholdCurve(thresholds, far, frr, at, (abs(level[0]), level[1]), variance.df)


def _search(
    pool: ScoreSource,
    level: tuple[float, float],
    at: float,
    targets_of: Callable[[float], Floats],
    step: float,
    further: Floats | tuple[()] = (),
) -> tuple[Floats, ErrorCounts]:
    """Find levels that are multiples of a standard deviation away, and the errors around them and `further` levels.

    Ties add Sheppard's correction to the standard deviation: half the distance of the neighbouring levels, squared,
    over 12.
    """

    def search(step: float) -> ErrorCounts:
        levels = np.sort(np.concatenate([targets_of(step), [at], further]))
        return crossing_points(pool, partial(_level, level=level), levels)

    points = search(step)
    levels = _level(points, level)
    below, above = levels[levels < at], levels[levels > at]
    ends = [*(at - below[-1:]), *(above[:1] - at)]
    gap = sum(ends) / 2
    wider = hypot(step, gap / sqrt(12))
    return targets_of(wider), search(wider) if gap > step else points


def _level(counts: ErrorCounts, level: tuple[float, float]) -> Floats:
    return np.asarray(level[0] * counts.far + level[1] * counts.frr, dtype=np.float64)


def inside(rate: float, trials: float) -> float:
    """Keep a rate half an error away from 0 and 1."""
    return min(max(rate, 0.5 / trials), 1 - 0.5 / trials)


def _read_back(
    pool: ScoreSource, points: ErrorCounts, level: tuple[float, float], targets: Floats, tail: Floats
) -> tuple[Floats, Floats]:
    """Give thresholds at which one rate is met, and the other rate there; linear between scores.

    Below one error the tail is exponential beyond the `FEW`-th most extreme score (Weissman 1978).
    """
    which, sign = (1, -1.0) if level[0] else (0, 1.0)
    levels, edges = _level(points, level), np.asarray(points.threshold, dtype=np.float64)
    finite = np.isfinite(edges)
    thresholds = np.interp(targets, levels[finite], edges[finite])
    others = np.interp(targets, levels, np.asarray(points.frr if which else points.far))
    trials = pool.impostor if which else pool.genuine
    beyond = np.abs(targets) < 1 / trials
    if beyond.any():
        extreme = np.interp(sign * tail, levels[finite], edges[finite])
        excess = float(np.mean(np.abs(extreme[:-1] - extreme[-1])))
        few = len(tail) - 1
        thresholds[beyond] = extreme[-1] - sign * excess * np.log(few / (trials * np.abs(targets[beyond])))
        counted = count_errors(pool, thresholds[beyond])
        others[beyond] = counted.frr if which else counted.far
    return thresholds, others


@dataclass(frozen=True, slots=True, eq=False)
class CostGrid:
    """Thresholds around which minima of costs are sought, with dev's errors, and errors by person, there.

    Attributes
    ----------
    counts : ErrorCounts
        Errors of dev at the thresholds, by rising threshold.
    tables : sequence of (CountedClass, CountedClass)
        Genuine and impostor trials at or below the thresholds: of dev, and of test if it is another set.
    """

    counts: ErrorCounts
    tables: Sequence[tuple[CountedClass, CountedClass]]

    _known: dict[tuple[int, int], tuple[Floats, Floats]] = field(default_factory=dict)

    def _increments(self, which: int, place: int) -> tuple[Floats, Floats]:
        """Estimate the variances of one class's increments once for all alphas that choose the same threshold."""
        if (which, place) not in self._known:
            self._known[which, place] = _increments([tables[which] for tables in self.tables], place)
        return self._known[which, place]

    def deviations(self, criterion: Criterion, alpha: float, chosen: float) -> tuple[Floats, float]:
        """Give how significantly each threshold's cost is above the minimum, signed by its side, and the df of that."""
        place = int(np.searchsorted(np.asarray(self.counts.threshold), chosen))
        cost = np.asarray(criterion.cost(self.counts, alpha), dtype=np.float64)
        far, frr = cost_weights(criterion, alpha, self.counts[place])
        variance, chance = np.zeros(len(cost)), np.zeros(len(cost))
        for which, weight in enumerate((frr, far)):
            total, single = self._increments(which, place)
            variance += weight**2 * total
            chance += weight**2 * single
        rough = np.divide(chance, variance, out=np.ones_like(chance), where=variance > 0)
        scale = (_SMOOTH + (_ROUGH - _SMOOTH) * rough) / 1.96 * np.sqrt(variance)
        above = np.maximum(cost - cost[place], 0.0)
        signed = np.divide(above, scale, out=np.zeros_like(above), where=scale > 0)
        near = int(np.argmin(np.abs(signed - 1)))  # one standard deviation away
        noise = sum(
            weight**4 * _noise([tables[which] for tables in self.tables], place, near)
            for which, weight in enumerate((frr, far))
        )
        df = max(2 * variance[near] ** 2 / noise, 2.0) if noise > 0 else inf
        return np.where(np.arange(len(cost)) < place, -signed, signed), df


def _increments(sets: Sequence[CountedClass], place: int) -> tuple[Floats, Floats]:
    """Estimate the variance of the first set's rate increment from one threshold to each, and the trials' part of it.

    Covariances are averaged over the sets by their effective numbers of people: dev alone would find a cost certain to
    rise where it happens to have no trial.
    """
    first, alike = sets[0], [each for each in sets if each.by_role.keys() == sets[0].by_role.keys()]
    average: dict[str, Floats] = {}
    weight: dict[str, float] = {}
    for each in alike:
        for kind, values in each.covariances(place).items():
            average[kind] = average.get(kind, 0.0) + each.effective * values
            weight[kind] = weight.get(kind, 0.0) + each.effective
    itself = average.pop("same") / weight["same"] / first.trials
    shared = sum((first.pairs[role] * values / weight[role] for role, values in average.items()), np.zeros_like(itself))
    return np.asarray(itself + np.maximum(shared, 0.0) / first.trials**2), itself


def _noise(sets: Sequence[CountedClass], place: int, near: int) -> float:
    """Give the variance of an increment's variance, by people's fourth moments, times one half (Satterthwaite)."""
    first, alike = sets[0], [each for each in sets if each.by_role.keys() == sets[0].by_role.keys()]
    total, noise = sum(each.effective for each in alike), 0.0
    for each in alike:
        counts, below, people_below = each.role_trials, each.below, each.people_below
        for role, pairs in each.pairs.items():
            if pairs > 0:
                between = np.abs(people_below[role][:, near] - people_below[role][:, place])
                mean = abs(below[near] - below[place]) / each.trials
                squares = between * (1 - 2 * mean) + counts[role] * mean**2
                products = each.increments(role, place, slice(near, near + 1))[:, 0] ** 2 - squares
                people = max(np.count_nonzero(counts[role]), 1)
                fourth = float(products @ products - products.sum() ** 2 / people)
                noise += (each.effective / total * first.pairs[role] / first.trials**2 / pairs) ** 2 * fourth
    return noise


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


def grid_thresholds(dev: ScoreSource, chosen: ErrorCounts) -> Floats:
    """Choose thresholds around those that were chosen: dense nearby, sparse far away, in ranks of both classes."""
    wanted = []
    for level, trials, ends in (((-1.0, 0.0), dev.impostor, (-1.0, 0.0)), ((0.0, 1.0), dev.genuine, (0.0, 1.0))):
        start = np.unique(_level(chosen, level))
        about = start if len(start) <= 3 else start[np.linspace(0, len(start) - 1, 3).astype(int)]
        steps = np.linspace(-sqrt(trials), sqrt(trials), 2 * _STEPS)
        around = about[:, None] + np.sign(steps) * steps**2 / trials
        wanted.append((level, np.unique(np.clip(around, *ends))))

    def places(counts: ErrorCounts) -> NDArray[np.int64]:
        passed = [np.searchsorted(_level(counts, level), targets) for level, targets in wanted]
        return np.concatenate(passed).clip(0, len(counts) - 1)

    points = points_beside(dev, places)
    edges = np.asarray(points.threshold, dtype=np.float64)
    return np.unique(np.concatenate([np.asarray(chosen.threshold, dtype=np.float64), edges[places(points)]]))


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
    signed, df = grid.deviations(criterion, alpha, chosen)
    # a threshold belongs to the hull as soon as one beyond it does
    upper = np.minimum.accumulate(signed[place:][::-1])[::-1]
    lower = np.maximum.accumulate(signed[: place + 1])
    hull = np.concatenate([lower[:-1], upper])
    finite = np.clip(edges, np.finfo(np.float64).min, np.finfo(np.float64).max)
    thresholds, far, frr = (
        np.interp(DEVIATIONS, hull, np.asarray(values)) for values in (finite, pooled.far, pooled.frr)
    )
    at = float(np.asarray(pooled.far)[place]), float(np.asarray(pooled.frr)[place])
    return ThresholdCurve(thresholds, far, frr, at, (0.0, 0.0), df)
