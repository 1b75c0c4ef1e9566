"""How far a threshold from dev would move with other people: dev drawn anew, the threshold re-estimated.

Replicates of dev are its errors plus deviations of its people, each with a random weight, in normal deviates of the
rates (see `draws`). What varies is what the people show, and where errors are few what all their scores together show
(see `alikeness`). Between and beyond the scores of dev the rates go along lines (see `error_lines`), and so do those of
the judged trials, which tell what a threshold that has moved makes of a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.alikeness import Alikeness
from fairtrial.counted_people import CountedPeople
from fairtrial.counting.errors import ErrorCounts, ScoreSource, add_counts, count_errors
from fairtrial.counting.search import Level, crossing_points
from fairtrial.draws import Draws, counted_deviations, deviations_by_unit
from fairtrial.error_lines import ErrorLines, normal_density, normal_deviates, smoothed
from fairtrial.people import People
from fairtrial.rules.criteria import Criterion
from fairtrial.spread import Floats, not_below_half
from fairtrial.tables import plural
from fairtrial.threads import one_thread

_LEVELS_CROSSING = 42
_LEVELS_MINIMUM = 128
_REACH_CROSSING = 2.5
_REACH_MINIMUM = 4.0
_STEPS = 11
"""Steps to a side of the best of as many, so 122 in all."""
_AS_MANY_ERRORS = 10
"""What all scores tell of how alike a person's errors are weighs as much as so many errors."""
_FAR_APART = 8
"""Of how many variances of dev the square of what dev and test differ by is, before test is taken in place of dev."""
_TIE = 1e-9
"""What FAR + FRR adds to a cost, so that of equal costs the one with fewer errors is the lowest."""
_Indices = NDArray[np.int64]
_Classes = tuple[NDArray[np.floating], NDArray[np.floating]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Movement:
    """By how much the threshold of each alpha moves when dev's people, or its trials, are drawn anew.

    Movements are in places on a DET curve (see `ErrorLines`): 0 is the threshold that dev chose.
    """

    candidates: Floats
    """Thresholds around those that dev chose."""
    moves: Floats
    """One row per replicate, one column per alpha."""
    middle: Floats
    """Where the threshold would be if dev were as its lines are, per alpha."""
    deviates: tuple[Floats, Floats]
    """The normal deviates of FRR and FAR on dev at the chosen thresholds, per alpha."""
    variances: tuple[Floats, Floats]
    """Their variances."""
    lines: ErrorLines
    crossing: bool
    """Whether thresholds are where a rate is met, and not where a cost is smallest."""
    of_people: bool
    """Whether people were drawn, and not trials."""

    def __repr__(self) -> str:
        """How many replicates of what there are, at how many alphas."""
        drawn = "people" if self.of_people else "trials"
        return f"<Movement: {len(self.moves):,} replicates of {drawn} at {plural(self.moves.shape[1], 'alpha')}>"

    def rates(self, which: int, errors: Floats, trials: int | _Indices) -> tuple[Floats, Floats]:
        """The rate of each replicate on judged trials, and the one that replicates move from; 0 is FRR, 1 is FAR.

        `errors` and `trials` are those of the judged trials, at each alpha, or at the only alpha in several groups.
        They tell where on its line a rate is only where they differ much from dev: with few errors it is chance
        whether a figure seems to rise or to fall there.
        """
        from scipy.special import ndtr

        dev, variance = self.deviates[which], self.variances[which]
        apart = normal_deviates(errors, trials) - dev
        beyond = np.maximum(apart**2 - _FAR_APART * variance, 0.0)
        place = dev + np.divide(beyond, apart, out=np.zeros_like(beyond), where=beyond > 0)
        slope = self.lines.slopes[which]
        return np.asarray(ndtr(place + slope * self.moves)), np.asarray(ndtr(place + slope * self.middle))


def threshold_movement(
    dev: ScoreSource,
    classes: _Classes | None,
    people: People | None,
    judged: ScoreSource,
    criterion: Criterion,
    alphas: Floats,
    chosen: ErrorCounts,
    draws: Draws,
) -> Movement:
    """Draw dev anew and choose the threshold of each alpha in every replicate.

    Parameters
    ----------
    dev
        The scores of one system.
    classes
        Its genuine and its impostor scores, in the order of `people`; None where only counts are at hand, and then
        trials are drawn, not people.
    judged
        The scores that thresholds are for, which tell lines too.
    chosen
        The thresholds that dev itself gives.
    """
    effective = float(min(dev.genuine, dev.impostor)) if people is None else min(p.effective for p in people.classes)
    ordered = None if classes is None else (np.sort(classes[0]), np.sort(classes[1]))
    around = _Around.of(dev, ordered, criterion, chosen, effective)
    counted = count_errors(dev, around.every)
    counts = counted[around.searched(criterion)]
    if classes is None or ordered is None:
        drawn = _independent(counts, draws)
    else:
        parts = []
        for which, (scores, own) in enumerate(zip(classes, ordered, strict=True)):
            part = None if people is None or people.cluster == "none" else people.classes[which]
            shown, place = _where_errors_are(dev, own, counts)
            by_unit = deviations_by_unit(scores, part, shown, draws, which)[:, place]
            weights = draws.trials(len(scores), which) if part is None else draws.people()
            alike = None if part is None else Alikeness.of(part, scores, own)
            moved = _rate_of(shown, which).at(place).without_each(by_unit)
            parts.append(_drawn(_rate_of(counts, which), by_unit, moved, weights, alike))
        drawn = parts[0], parts[1]
    moving = people is not None and people.cluster != "none"
    lines = _along_curve(counted, judged, around)
    return _movement(lines, around, counts, drawn, criterion, alphas, chosen, of_people=moving)


def counted_movement(
    dev: ScoreSource,
    people_between: Callable[[Floats], CountedPeople | None],
    judged: ScoreSource,
    criterion: Criterion,
    alphas: Floats,
    chosen: ErrorCounts,
    draws: Draws,
) -> Movement:
    """The same for trials that are not at hand, of people known by the numbers of their trials between thresholds.

    Trials are drawn as if they were independent; `people_between` counts those of each person.
    """
    people = people_between(np.unique(chosen.threshold))
    if people is None:
        return threshold_movement(dev, None, None, judged, criterion, alphas, chosen, draws)
    around = _Around.of(dev, None, criterion, chosen, people.effective)
    counted = count_errors(dev, around.every)
    counts = counted[around.searched(criterion)]
    people = people_between(np.asarray(counts.threshold))
    assert people is not None
    own = replace(draws, size=people.size, _kept={})
    parts = []
    for which, part in enumerate(people.classes):
        rate = _rate_of(counts, which)
        by_unit = counted_deviations(part, rate.errors / rate.trials, own)
        found = _drawn(rate, by_unit, rate.without_each(by_unit), own.people(), Alikeness.of_counts(part))
        parts.append(_never_still(found, draws, which))
    lines = _along_curve(counted, judged, around)
    return _movement(lines, around, counts, (parts[0], parts[1]), criterion, alphas, chosen, of_people=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """Thresholds around those that were chosen."""

    chosen: Floats
    thresholds: Floats
    """Those around them, in order."""
    near: NDArray[np.bool_]
    """For each alpha, one row each: which of them are near its threshold."""

    @classmethod
    def of(
        cls, dev: ScoreSource, ordered: _Classes | None, criterion: Criterion, chosen: ErrorCounts, effective: float
    ) -> _Around:
        """Thresholds that are even steps of both rates apart.

        Steps are even where rates are of even precision, in the arcsine of their square root, and the same whatever
        other alphas there are.
        """
        # a threshold that minimises a cost moves more than one at which a rate is met
        crossing = criterion.search == "crossing"
        reach = _REACH_CROSSING / sqrt(effective) if crossing else _REACH_MINIMUM / effective ** (1 / 3)
        step = 2 * reach / (_LEVELS_CROSSING if crossing else _LEVELS_MINIMUM)
        found, near = [], []
        for which, rates in enumerate((chosen.frr, chosen.far)):
            places = np.arcsin(np.sqrt(np.clip(np.asarray(rates), 0, 1)))
            spans = [
                (max(ceil((place - reach) / step), 0), min(floor((place + reach) / step), floor(pi / 2 / step)))
                for place in places.tolist()
            ]
            levels = np.unique(np.concatenate([np.arange(low, high + 1) for low, high in spans]))
            targets = np.sin(levels * step) ** 2
            found.append(
                _at_rates(dev, targets, which) if ordered is None else _order_statistics(ordered[which], targets, which)
            )
            near.append(np.array([(levels >= low) & (levels <= high) for low, high in spans]))
        thresholds, place = np.unique(np.concatenate(found), return_inverse=True)
        flags = np.zeros((len(near[0]), len(thresholds)), dtype=bool)
        for row, own in zip(flags, np.concatenate(near, axis=1), strict=True):
            row[place[own]] = True
        return cls(np.asarray(chosen.threshold, dtype=np.float64), thresholds, flags)

    @property
    def every(self) -> Floats:
        """All of them, with the chosen ones."""
        return np.unique(np.concatenate([self.chosen, self.thresholds]))

    def searched(self, criterion: Criterion) -> NDArray[np.bool_]:
        """At which of all of them deviations are needed.

        Where a rate is met it is the chosen ones: rates move there, and their lines with them.
        """
        every = self.every
        return np.isin(every, self.chosen) if criterion.search == "crossing" else np.ones(len(every), dtype=bool)


def _order_statistics(ordered: NDArray[np.floating], rates: Floats, which: int) -> Floats:
    """Scores at which a rate is about what it should be: 0 the FRR, 1 the FAR."""
    shares = 1 - rates if which else rates
    places = np.rint(shares * (len(ordered) - 1)).astype(np.int64)
    return np.asarray(ordered[places], dtype=np.float64)


def _at_rates(dev: ScoreSource, rates: Floats, which: int) -> Floats:
    """The same where only counts are at hand; one threshold for each rate."""
    level: Level = _minus_far if which else _frr
    order = np.argsort(-rates) if which else np.argsort(rates)
    targets = (-rates if which else rates)[order]
    points = crossing_points(dev, level, targets)
    near = np.searchsorted(level(points), targets).clip(0, len(points) - 1)
    found = np.empty(len(rates))
    found[order] = np.asarray(points.threshold)[near]
    return found


def _minus_far(counts: ErrorCounts) -> Floats:
    return np.asarray(-counts.far)


def _frr(counts: ErrorCounts) -> Floats:
    return np.asarray(counts.frr)


@dataclass(frozen=True, slots=True, eq=False)
class _Rate:
    """The errors of one class at thresholds that rise."""

    errors: Floats
    trials: int

    def at(self, place: _Indices) -> _Rate:
        """At some of the thresholds, in this order."""
        return _Rate(self.errors[place], self.trials)

    @property
    def deviates(self) -> Floats:
        """The normal deviates of the rate."""
        return normal_deviates(self.errors, self.trials)

    def without_each(self, by_unit: Floats) -> Floats:
        """By how much the normal deviate changes without each unit, where the rate itself changes by so much."""
        left = np.clip(self.errors - self.trials * by_unit, 0.0, self.trials)
        return self.deviates - normal_deviates(left, self.trials)

    def variances(self, by_unit: Floats, moved: Floats, alike: Alikeness | None) -> Floats:
        """The variance of the normal deviate: as people show it, and where errors are few as all their scores do.

        What people show is the mean of two jackknives: of the rate, brought to its deviate by a tangent, which is too
        small where one person makes most errors; and of the deviate itself, which is too large (Efron & Stein 1981).
        """
        rate = smoothed(self.errors, self.trials)
        independent = rate * (1 - rate) / self.trials
        density = normal_density(self.deviates)
        if alike is None:
            return np.asarray(independent / density**2)
        by_tangent, squares = (np.sum(own**2, axis=0, dtype=np.float64) for own in (by_unit / density, moved))
        wider = np.divide(squares, by_tangent, out=np.ones_like(squares), where=by_tangent > 0)
        shown = not_below_half(by_tangent * density**2 - independent * alike.counted_twice(rate), independent)
        shown *= (1 + np.maximum(wider, 1.0)) / 2
        expected = independent * alike.of_people(rate)
        errors = np.minimum(self.errors, self.trials - self.errors)
        mixed = (errors * shown + _AS_MANY_ERRORS * expected) / (errors + _AS_MANY_ERRORS)
        return np.asarray(mixed / density**2)


def _rate_of(counts: ErrorCounts, which: int) -> _Rate:
    if which:
        return _Rate(np.asarray(counts.false_accepts, dtype=np.float64), counts.impostor)
    return _Rate(np.asarray(counts.false_rejects, dtype=np.float64), counts.genuine)


_Deviates = NDArray[np.float32]
"""Normal deviates of error rates: many of them, and none needs more than six digits."""
_Drawn = tuple[_Deviates, Floats]
"""Deviations of the normal deviate of a rate, one row per replicate and one column per threshold; their variances."""


def _where_errors_are(
    dev: ScoreSource, ordered: NDArray[np.floating], counts: ErrorCounts
) -> tuple[ErrorCounts, _Indices]:
    """Errors at the nearest thresholds at which a class has errors, and not only errors; and which goes with each.

    Where a class has no error nobody moves its rate. Those whose scores are nearest to the threshold do in their place.
    """
    below = ordered[: np.searchsorted(ordered, ordered[-1])]
    ends = (ordered[0], below[-1]) if len(below) else (ordered[0], ordered[0])
    inner, place = np.unique(np.clip(np.asarray(counts.threshold), *ends), return_inverse=True)
    return count_errors(dev, inner), place


def _drawn(
    rate: _Rate, by_unit: Floats, moved: Floats, weights: NDArray[np.float32], alike: Alikeness | None
) -> _Drawn:
    """Replicates from what the rate and its normal deviate change by without each unit."""
    variances = rate.variances(by_unit, moved, alike)
    squares = np.sum(moved**2, axis=0, dtype=np.float64)
    scale = np.sqrt(np.divide(variances, squares, out=np.zeros_like(squares), where=squares > 0))
    with one_thread():
        return weights @ (moved * scale).astype(np.float32), variances


def _never_still(drawn: _Drawn, draws: Draws, which: int) -> _Drawn:
    """Normal replicates where a class has no error, so that no unit moves its rate."""
    moved, variances = drawn
    still = ~moved.any(axis=0)
    if still.any():
        normal = np.random.default_rng([draws.seed, 5, which]).normal(size=len(moved))
        moved[:, still] = normal[:, None] * np.sqrt(variances[still])
    return moved, variances


def _independent(counts: ErrorCounts, draws: Draws) -> tuple[_Drawn, _Drawn]:
    """Replicates of independent trials, from the numbers of trials between thresholds."""
    found = []
    for which in (0, 1):
        rate = _rate_of(counts, which)
        # errors fall with the threshold where it is an error to accept
        below = rate.trials - rate.errors if which else rate.errors
        cells = np.diff(np.concatenate([[0.0], below, [float(rate.trials)]]))
        rng = np.random.default_rng([draws.seed, 2, which])
        drawn = np.cumsum(rng.multinomial(rate.trials, cells / rate.trials, size=draws.count), axis=1)[:, :-1]
        moved = (below - drawn if which else drawn - below) / rate.trials / normal_density(rate.deviates)
        none = np.empty((0, len(counts)))
        found.append(_never_still((moved.astype(np.float32), rate.variances(none, none, None)), draws, which))
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """A DET curve around thresholds: its lines, and the places of thresholds on it."""

    lines: ErrorLines
    places: Floats
    chosen: Floats
    """Those of the chosen ones, per alpha."""


def _movement(
    curve: _Curve,
    around: _Around,
    counts: ErrorCounts,
    drawn: tuple[_Drawn, _Drawn],
    criterion: Criterion,
    alphas: Floats,
    chosen: ErrorCounts,
    *,
    of_people: bool,
) -> Movement:
    """Choose the threshold of each alpha in every replicate of deviations."""
    lines = curve.lines
    at = np.searchsorted(np.asarray(counts.threshold), around.chosen)
    deviates = (
        normal_deviates(np.asarray(chosen.false_rejects), chosen.genuine),
        normal_deviates(np.asarray(chosen.false_accepts), chosen.impostor),
    )
    moves, middle = np.empty((len(drawn[0][0]), len(at))), np.empty(len(at))
    crossing = criterion.search == "crossing"
    for column, (alpha, rule) in enumerate(_rules(criterion, alphas)):
        slopes = [float(own[column]) for own in lines.slopes]
        search = _Search(rule, alpha, [float(own[column]) for own in deviates], slopes, chosen)
        if crossing:
            moved = [own[:, at[column], None] for own, _ in drawn]
            reach = max(float(np.max(np.abs(own))) for own in moved) / min(abs(slope) for slope in slopes)
            steps = np.linspace(-reach, reach, _STEPS**2 + 1)
            best = search.best_of_even(steps, moved)
        else:
            near = around.near[column]
            steps = np.concatenate([[0.0], curve.places[near] - curve.chosen[column]])
            where = np.searchsorted(np.asarray(counts.threshold), around.thresholds[near])
            best = search.best(steps, [own[:, np.concatenate([at[column : column + 1], where])] for own, _ in drawn])
        moves[:, column] = steps[best]
        middle[column] = steps[search.best(steps, [np.zeros((1, 1), np.float32)] * 2)[0]]
    variances = drawn[0][1][at], drawn[1][1][at]
    return Movement(around.every, moves, middle, deviates, variances, lines, crossing, of_people)


def _along_curve(dev: ErrorCounts, judged: ScoreSource, around: _Around) -> _Curve:
    """Lines through the rates of dev and judged trials."""
    both = add_counts([dev, count_errors(judged, around.every)])
    which = np.searchsorted(around.every, around.thresholds)
    near = np.zeros((len(around.near), len(around.every)), dtype=bool)
    near[:, which] = around.near
    lines, places = ErrorLines.fit(both, near)
    return _Curve(lines, places[which], places[np.searchsorted(around.every, around.chosen)])


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for the best of steps along the two lines of one alpha, from the normal deviates of FRR and FAR."""

    rule: Criterion
    alpha: float
    deviates: Sequence[float]
    slopes: Sequence[float]
    chosen: ErrorCounts

    def best(self, steps: Floats, moved: Sequence[_Deviates]) -> _Indices:
        """The best step of each replicate, whose deviates have moved by so much at each."""
        from scipy.special import ndtr

        lines = (
            (own + slope * steps).astype(np.float32) for own, slope in zip(self.deviates, self.slopes, strict=True)
        )
        frr, far = (ndtr(line + own) for line, own in zip(lines, moved, strict=True))
        genuine, impostor = self.chosen.genuine, self.chosen.impostor
        return _lowest(self.rule, self.alpha, ErrorCounts(np.nan, far * impostor, frr * genuine, genuine, impostor))

    def best_of_even(self, steps: Floats, moved: Sequence[_Deviates]) -> _Indices:
        """The same where the cost falls and then rises: the best of few, then the best around it."""
        near = _STEPS * self.best(steps[::_STEPS], moved)[:, None] + np.arange(-_STEPS, _STEPS + 1)
        near = near.clip(0, len(steps) - 1)
        best = self.best(steps[near], moved)
        return np.asarray(near[np.arange(len(near)), best])


def _lowest(rule: Criterion, alpha: float, counts: ErrorCounts) -> _Indices:
    """Where the cost of each replicate is lowest; one row of errors per replicate, one column per threshold."""
    shape = counts.false_accepts.shape
    flat = [
        np.broadcast_to(part, shape).ravel() if np.ndim(part) else part
        for part in (counts.threshold, counts.false_accepts, counts.false_rejects, counts.genuine, counts.impostor)
    ]
    every = ErrorCounts(*flat)
    costs = np.asarray(rule.cost(every, alpha)) + _TIE * np.asarray(every.far + every.frr)
    return np.asarray(costs.reshape(shape).argmin(axis=1))


def best_candidates(counts: ErrorCounts, criterion: Criterion, alphas: Floats) -> _Indices:
    """The best candidate of each replicate, one column per alpha.

    `counts` has one row of errors per replicate and one column per threshold; the numbers of trials may be one column.
    """
    return np.stack([_lowest(rule, alpha, counts) for alpha, rule in _rules(criterion, alphas)], axis=1)


def _rules(criterion: Criterion, alphas: Floats) -> Iterator[tuple[float, Criterion]]:
    """The alpha and the criterion that go with each alpha."""
    own = criterion.resolve_alphas(alphas)
    used = criterion.used_at(own)
    for column, alpha in enumerate(own.tolist()):
        yield alpha, next(rule for which, rule in used if which[column])
