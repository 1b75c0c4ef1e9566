"""How far a threshold from dev would move with other people: dev drawn anew, the threshold re-estimated.

Replicates of dev's rates are those of its people or trials (see `dev_replicates`). Between and beyond the scores of dev
the rates go along lines (see `error_lines`), and so do those of the judged trials, which tell what a threshold that has
moved makes of a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.words import plural
from fairtrial.counting.search import Level, crossing_points
from fairtrial.counting.tallies import ErrorCounts, ScoreSource, add_counts, count_errors
from fairtrial.inference.det_fit import ErrorLines, normal_deviates
from fairtrial.inference.dev_resampling import Deviates, RateReplicates
from fairtrial.inference.multipliers import Draws
from fairtrial.inference.people import People
from fairtrial.inference.person_counts import CountedPeople
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import Criterion

_LEVELS_CROSSING = 42
_LEVELS_MINIMUM = 128
_REACH_CROSSING = 2.5
_REACH_MINIMUM = 4.0
_STEPS = 11
"""Steps to a side of the best of as many, so 122 in all."""
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
    moving = people is not None and people.cluster != "none"
    if classes is None or ordered is None:
        drawn = [RateReplicates.of_counts(counts, draws, which) for which in (0, 1)]
    else:
        members = people.classes if people is not None and moving else (None, None)
        # a minimum is among many thresholds: to move those without errors along with others would hold it fast
        nowhere_still = criterion.search == "crossing"
        drawn = [
            RateReplicates.of_scores(dev, *own, counts, draws, which, nowhere_still=nowhere_still)
            for which, own in enumerate(zip(classes, ordered, members, strict=True))
        ]
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
    drawn = [RateReplicates.of_counted_people(part, counts, own, which) for which, part in enumerate(people.classes)]
    lines = _along_curve(counted, judged, around)
    return _movement(lines, around, counts, drawn, criterion, alphas, chosen, of_people=True)


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
    drawn: Sequence[RateReplicates],
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
    moves, middle = np.empty((len(drawn[0].moved), len(at))), np.empty(len(at))
    crossing = criterion.search == "crossing"
    for column, (alpha, rule) in enumerate(_rules(criterion, alphas)):
        slopes = [float(own[column]) for own in lines.slopes]
        search = _Search(rule, alpha, [float(own[column]) for own in deviates], slopes, chosen)
        if crossing:
            moved = [own.moved[:, at[column], None] for own in drawn]
            reach = max(float(np.max(np.abs(own))) for own in moved) / min(abs(slope) for slope in slopes)
            steps = np.linspace(-reach, reach, _STEPS**2 + 1)
            best = search.best_of_even(steps, moved)
        else:
            near = around.near[column]
            steps = np.concatenate([[0.0], curve.places[near] - curve.chosen[column]])
            where = np.searchsorted(np.asarray(counts.threshold), around.thresholds[near])
            columns = np.concatenate([at[column : column + 1], where])
            best = search.best(steps, [own.moved[:, columns] for own in drawn])
        moves[:, column] = steps[best]
        middle[column] = steps[search.best(steps, [np.zeros((1, 1), np.float32)] * 2)[0]]
    variances = drawn[0].variances[at], drawn[1].variances[at]
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

    def best(self, steps: Floats, moved: Sequence[Deviates]) -> _Indices:
        """The best step of each replicate, whose deviates have moved by so much at each."""
        from scipy.special import ndtr

        lines = (
            (own + slope * steps).astype(np.float32) for own, slope in zip(self.deviates, self.slopes, strict=True)
        )
        frr, far = (ndtr(line + own) for line, own in zip(lines, moved, strict=True))
        genuine, impostor = self.chosen.genuine, self.chosen.impostor
        return _lowest(self.rule, self.alpha, ErrorCounts(np.nan, far * impostor, frr * genuine, genuine, impostor))

    def best_of_even(self, steps: Floats, moved: Sequence[Deviates]) -> _Indices:
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
