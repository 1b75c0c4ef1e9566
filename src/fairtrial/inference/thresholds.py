"""Threshold uncertainty: the thresholds that dev does not reject (Woodruff 1952), and the errors there.

Other dev trials would give another threshold. At z standard deviations on dev the threshold is found in the pooled
scores of dev and test: for a target or a crossing where the criterion's level is z standard deviations away (Francisco
& Fuller 1991), for a minimum at the hull of costs that are not significantly higher (Kim & Pollard 1990). Nothing is
linearised, so that a curved DET stays curved. See docs/methods.md.
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
from fairtrial.inference.person_counts import ClassCounts
from fairtrial.inference.variance import Components, Floats
from fairtrial.rules.criteria import Criterion
from fairtrial.rules.measures import Weights

FEW = 10
"""The number of errors that covariances and tails are estimated from."""
DEVIATIONS = np.linspace(-7.0, 7.0, 57)
"""The numbers of standard deviations on dev at which thresholds are found."""
_HERMITE = ((0.0, 2 / 3), (sqrt(3), 1 / 6), (-sqrt(3), 1 / 6))
"""Three-point Gauss-Hermite quadrature: nodes and weights of a standard normal mean."""
_SMOOTH, _ROUGH = 0.98, 1.57
"""Half-width of the hull of a minimum in standard deviations of the cost's increments, over 1.96: half the normal
quantile if people's effects make the cost smooth, and the 95 % quantile of the same ratio for a two-sided Brownian
motion less a parabola if only trials move it (cube-root asymptotics)."""
_STEPS = 40


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Pooled error rates of dev and test at the thresholds that dev does not reject.

    Attributes
    ----------
    thresholds : ndarray of float
        The thresholds at `DEVIATIONS`.
    far, frr : ndarray of float
        The pooled error rates there.
    at : tuple of float
        The pooled FAR and FRR at the threshold itself.
    level : tuple of float
        The weights of FAR and FRR in the level that sets the threshold on dev; 0 for a minimum.
    df : float
        Degrees of freedom of the variance of the level.
    """

    thresholds: Floats
    far: Floats
    frr: Floats
    at: tuple[float, float]
    level: tuple[float, float]
    df: float

    @property
    def is_minimum(self) -> bool:
        """Whether the threshold is at a minimum of costs, and not where a level crosses its target."""
        return not any(self.level)

    def moves(self, figure: Callable[[Floats, Floats], Floats]) -> Floats:
        """Compute the change of the mean figure of the procedure if the mean threshold is at each of `DEVIATIONS`.

        The mean is over thresholds of other dev sets, with one standard deviation. It is above the figure at the mean
        threshold if the figure is convex, as at a minimum. A measured figure contains this excess already, so only the
        change from 0 deviations counts.
        """
        values = figure(self.far, self.frr)
        mean = sum(weight * np.interp(DEVIATIONS + node, DEVIATIONS, values) for node, weight in _HERMITE)
        return np.asarray(mean - np.interp(0.0, DEVIATIONS, mean))

    def slope(self, weights: Weights) -> float:
        """Compute half the range of a weighted sum of rates within one standard deviation, signed by its direction."""
        moves = self.moves(lambda far, frr: weights.far * far + weights.frr * frr)
        near = moves[np.abs(DEVIATIONS) <= 1]
        return copysign((near.max() - near.min()) / 2, near[-1] - near[0])


def level_of(criterion: Criterion, alpha: float, counts: ErrorCounts) -> tuple[float, float] | None:
    """Return the weights of FAR and FRR in the level that sets the threshold of a criterion; None without a level.

    Levels are linear in the rates: ``wer-equal`` sets (1 - alpha) FRR - alpha FAR to 0.
    """
    if criterion.search != "crossing" or criterion.level is None:
        return None
    if criterion.alpha_means != "target" and criterion.weighs_far:
        return -alpha, 1 - alpha
    rates = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    corners = ErrorCounts(
        np.full(3, np.nan), rates[0] * counts.impostor, rates[1] * counts.genuine, counts.genuine, counts.impostor
    )
    origin, by_far, by_frr = np.asarray(criterion.level(corners), dtype=np.float64)
    return float(by_far - origin), float(by_frr - origin)


def crossing_curve(
    pool: ScoreSource, here: ErrorCounts, chosen: ErrorCounts, level: tuple[float, float], components: Components
) -> ThresholdCurve:
    """Find the thresholds at which the level of a criterion is `DEVIATIONS` standard deviations away.

    Parameters
    ----------
    pool
        The scores of dev and test.
    here, chosen
        The errors of the pool and of dev at the threshold.
    level
        The weights of FAR and FRR in the level; see `level_of`.
    components
        Variance components of dev's errors at the threshold, in their first column.
    """
    if 0.0 in level:
        return _crossing_of_one_rate(pool, here, chosen, level, components)
    at = float(here.far), float(here.frr)
    variance = components.variance([level[1]], [level[0]])
    start = level[0] * at[0] + level[1] * at[1]
    targets, points = _search(pool, level, start, lambda step: start + DEVIATIONS * step, sqrt(variance.value))
    levels = _level(points, level)
    finite = np.maximum(np.asarray(points.threshold, dtype=np.float64), np.finfo(np.float64).min)
    thresholds, far, frr = (np.interp(targets, levels, np.asarray(v)) for v in (finite, points.far, points.frr))
    return ThresholdCurve(thresholds, far, frr, at, level, variance.df)


def _crossing_of_one_rate(
    pool: ScoreSource, here: ErrorCounts, chosen: ErrorCounts, level: tuple[float, float], components: Components
) -> ThresholdCurve:
    """Find the thresholds at which FAR or FRR is `DEVIATIONS` standard deviations away, in log-odds."""
    at = float(here.far), float(here.frr)
    which = 1 if level[1] == 0 else 0
    level, sign = ((-1.0, 0.0), -1.0) if which else ((0.0, 1.0), 1.0)
    trials, size = (chosen.impostor, pool.impostor) if which else (chosen.genuine, pool.genuine)
    rate, start = inside(float(chosen.far if which else chosen.frr), trials), inside(at[1 - which], size)
    on_dev, pooled = rate * (1 - rate), start * (1 - start)
    variance = components.variance([float(not which)], [float(which)])
    # the threshold is an order statistic, so its rate has one error more (Gamma distribution)
    step = sqrt(max(variance.value - on_dev / trials, 0.0) / on_dev**2 + 1 / (trials * on_dev + 1))
    tail = np.arange(max(min(FEW, size // 2), 1) + 1) / size

    def targets_of(step: float) -> Floats:
        return np.asarray(sign / (1 + (1 / start - 1) * np.exp(-DEVIATIONS * step / pooled)))

    targets, points = _search(pool, level, sign * at[1 - which], targets_of, step * pooled, sign * tail)
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
    """Compute levels at multiples of a standard deviation, and find the points around them and `further` levels.

    Ties add Sheppard's correction to the variance: half the distance of the neighbouring levels, squared, over 12.
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
    """Find the thresholds at which one rate meets its targets, and the other rate there; linear between scores.

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
        extreme, few = np.interp(sign * tail, levels[finite], edges[finite]), len(tail) - 1
        with np.errstate(over="ignore"):  # thresholds beyond the largest float are infinite
            excess = float(np.mean(np.abs(extreme[:-1] - extreme[-1])))
            thresholds[beyond] = extreme[-1] - sign * excess * np.log(few / (trials * np.abs(targets[beyond])))
        counted = count_errors(pool, thresholds[beyond])
        others[beyond] = counted.frr if which else counted.far
    return thresholds, others


@dataclass(frozen=True, slots=True, eq=False)
class CostGrid:
    """Thresholds around the minima of costs, with the errors on dev and the errors by person there.

    Attributes
    ----------
    counts : ErrorCounts
        Errors of dev at the thresholds, by rising threshold.
    tables : sequence of (ClassCounts, ClassCounts)
        Genuine and impostor trials at or below the thresholds: of dev, and of test if it is another set.
    """

    counts: ErrorCounts
    tables: Sequence[tuple[ClassCounts, ClassCounts]]

    _cached: dict[tuple[int, int], tuple[Floats, Floats]] = field(default_factory=dict)

    def _increments(self, which: int, place: int) -> tuple[Floats, Floats]:
        """Estimate the variances of one class's increments, once for all alphas with the same threshold."""
        if (which, place) not in self._cached:
            self._cached[which, place] = _increments([tables[which] for tables in self.tables], place)
        return self._cached[which, place]

    def deviations(self, criterion: Criterion, alpha: float, chosen: float) -> tuple[Floats, float]:
        """Compute the excess of each threshold's cost in standard deviations, signed by its side, and its df."""
        place = int(np.searchsorted(np.asarray(self.counts.threshold), chosen))
        cost = np.asarray(criterion.cost(self.counts, alpha), dtype=np.float64)
        far, frr = cost_weights(criterion, alpha, self.counts[place])
        variance, of_trials = np.zeros(len(cost)), np.zeros(len(cost))
        for which, weight in enumerate((frr, far)):
            total, single = self._increments(which, place)
            variance += weight**2 * total
            of_trials += weight**2 * single
        rough = np.divide(of_trials, variance, out=np.ones_like(of_trials), where=variance > 0)
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


def _increments(sets: Sequence[ClassCounts], place: int) -> tuple[Floats, Floats]:
    """Estimate the variance of the first set's rate increment from one threshold to each, and that of single trials.

    Covariances are averaged over the sets by their effective numbers of people: on dev alone the variance would be 0
    between thresholds without a dev trial.
    """
    first, similar = sets[0], [part for part in sets if part.by_role.keys() == sets[0].by_role.keys()]
    average: dict[str, Floats] = {}
    weight: dict[str, float] = {}
    for part in similar:
        for kind, values in part.covariances(place).items():
            average[kind] = average.get(kind, 0.0) + part.effective * values
            weight[kind] = weight.get(kind, 0.0) + part.effective
    single = average.pop("same") / weight["same"] / first.trials
    shared = sum((first.pairs[role] * values / weight[role] for role, values in average.items()), np.zeros_like(single))
    return np.asarray(single + np.maximum(shared, 0.0) / first.trials**2), single


def _noise(sets: Sequence[ClassCounts], place: int, near: int) -> float:
    """Estimate half the variance of an increment's variance, from people's fourth moments (for Satterthwaite)."""
    first, similar = sets[0], [part for part in sets if part.by_role.keys() == sets[0].by_role.keys()]
    total, noise = sum(part.effective for part in similar), 0.0
    for part in similar:
        counts, below, people_below = part.role_trials, part.below, part.people_below
        for role, pairs in part.pairs.items():
            if pairs > 0:
                between = np.abs(people_below[role][:, near] - people_below[role][:, place])
                mean = abs(below[near] - below[place]) / part.trials
                squares = between * (1 - 2 * mean) + counts[role] * mean**2
                products = part.increments(role, place, slice(near, near + 1))[:, 0] ** 2 - squares
                people = max(np.count_nonzero(counts[role]), 1)
                fourth = float(products @ products - products.sum() ** 2 / people)
                noise += (part.effective / total * first.pairs[role] / first.trials**2 / pairs) ** 2 * fourth
    return noise


def cost_weights(criterion: Criterion, alpha: float, counts: ErrorCounts) -> tuple[float, float]:
    """Compute the derivatives of a cost with respect to FAR and FRR, by one more error of each kind."""
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
    """Select thresholds around the chosen ones: dense nearby, sparse far away, in ranks of both classes."""
    targets_by_class = []
    for level, trials, ends in (((-1.0, 0.0), dev.impostor, (-1.0, 0.0)), ((0.0, 1.0), dev.genuine, (0.0, 1.0))):
        start = np.unique(_level(chosen, level))
        centres = start if len(start) <= 3 else start[np.linspace(0, len(start) - 1, 3).astype(int)]
        steps = np.linspace(-sqrt(trials), sqrt(trials), 2 * _STEPS)
        around = centres[:, None] + np.sign(steps) * steps**2 / trials
        targets_by_class.append((level, np.unique(np.clip(around, *ends))))

    def places(counts: ErrorCounts) -> NDArray[np.int64]:
        passed = [np.searchsorted(_level(counts, level), targets) for level, targets in targets_by_class]
        return np.concatenate(passed).clip(0, len(counts) - 1)

    points = points_beside(dev, places)
    edges = np.asarray(points.threshold, dtype=np.float64)
    return np.unique(np.concatenate([np.asarray(chosen.threshold, dtype=np.float64), edges[places(points)]]))


def minimum_curve(
    grid: CostGrid, pooled: ErrorCounts, criterion: Criterion, alpha: float, chosen: float
) -> ThresholdCurve:
    """Find the hull of thresholds whose cost on dev is `DEVIATIONS` standard deviations above its minimum.

    Parameters
    ----------
    grid
        Thresholds around the minimum, and dev's errors there.
    pooled
        Pooled errors of dev and test at the same thresholds.
    """
    edges = np.asarray(grid.counts.threshold, dtype=np.float64)
    place = int(np.searchsorted(edges, chosen))
    signed, df = grid.deviations(criterion, alpha, chosen)
    # a threshold is in the hull if one beyond it is
    upper = np.minimum.accumulate(signed[place:][::-1])[::-1]
    lower = np.maximum.accumulate(signed[: place + 1])
    hull = np.concatenate([lower[:-1], upper])
    finite = np.clip(edges, np.finfo(np.float64).min, np.finfo(np.float64).max)
    thresholds, far, frr = (
        np.interp(DEVIATIONS, hull, np.asarray(values)) for values in (finite, pooled.far, pooled.frr)
    )
    at = float(np.asarray(pooled.far)[place]), float(np.asarray(pooled.frr)[place])
    return ThresholdCurve(thresholds, far, frr, at, (0.0, 0.0), df)
