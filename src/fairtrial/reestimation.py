"""How far a threshold from dev would move with other people: dev drawn anew, the threshold re-estimated.

The errors of replicates are those of dev plus deviations of its people, each with a random weight, so a replicate at
every candidate threshold is one row of a matrix product. Replicates of people count what single trials add twice
where a trial is of two people; replicates of trials alone tell how much that is, as the pairs do in `people`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.counted_people import CountedClass, CountedPeople
from fairtrial.counting.errors import ErrorCounts, ScoreSource, count_errors, rank_tally
from fairtrial.counting.search import Level, crossing_points
from fairtrial.people import Members, People
from fairtrial.rules.criteria import Criterion
from fairtrial.spread import Floats
from fairtrial.threads import one_thread

RESAMPLES = 400
_LEVELS = 128
_REACH_CROSSING = 2.5
_REACH_MINIMUM = 4.0
_GROUPS = 200
_MOST_UNITS = 1024
_MORE_ERRORS = 1.5
_TIE = 1e-9
"""What FAR + FRR adds to a cost, so that of equal costs the one with fewer errors is the lowest."""
_Indices = NDArray[np.int64]
_Classes = tuple[NDArray[np.floating], NDArray[np.floating]]


@dataclass(frozen=True, slots=True, eq=False)
class Movement:
    """Where the threshold of each alpha falls when dev's people, or its trials, are drawn anew.

    Thresholds are places among `candidates`: one row per replicate, one column per alpha.
    """

    candidates: Floats
    chosen: _Indices
    by_people: _Indices | None
    """None where every trial is its own person."""
    by_trials: _Indices
    degrees: float
    draws: Draws
    crossing: bool
    """Whether thresholds are where a rate is met, and not where a cost is smallest."""

    def deviations(self, values: Floats) -> tuple[Floats | None, Floats]:
        """By how much a figure moves in each replicate of people and of trials.

        `values` are the figure at each candidate, one column, or one column per alpha.
        """
        table = values[:, None] if values.ndim == 1 else values
        column = np.arange(len(self.chosen)) if table.shape[1] > 1 else np.zeros(len(self.chosen), dtype=np.int64)
        at = table[self.chosen, column]
        people = None if self.by_people is None else table[self.by_people, column] - at
        return people, table[self.by_trials, column] - at


@dataclass(frozen=True, eq=False)
class Draws:
    """Random weights of people and of groups of trials; the same seed gives the same to every system."""

    seed: int
    count: int
    size: int
    _kept: dict[tuple[int, ...], NDArray[Any]] = field(default_factory=dict, repr=False)

    def _normal(self, units: int, *key: int) -> NDArray[np.float32]:
        name = (units, *key)
        if name not in self._kept:
            drawn = np.random.default_rng([self.seed, *key]).standard_normal((self.count, units), dtype=np.float32)
            self._kept[name] = drawn
        return self._kept[name]

    @property
    def units_count(self) -> int:
        """How many units of people are drawn."""
        return min(self.size, _MOST_UNITS)

    def units(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """People as they are drawn: one by one, or where there are very many in groups."""
        if self.size <= _MOST_UNITS:
            return codes
        return np.asarray(np.random.default_rng([self.seed, 3]).permutation(self.size)[codes] % _MOST_UNITS)

    def people(self) -> NDArray[np.float32]:
        """One row per replicate, one column per unit of people."""
        return self._normal(self.units_count, 0)

    def groups(self, trials: int, which: int) -> NDArray[np.int64]:
        """The group of each trial of a class; class 0 is genuine, 1 impostor."""
        name = (trials, -1, which)
        if name not in self._kept:
            order = np.random.default_rng([self.seed, 1, which]).permutation(trials)
            self._kept[name] = order % min(trials, _GROUPS)
        return self._kept[name]

    def trials(self, trials: int, which: int) -> NDArray[np.float32]:
        """One row per replicate, one column per group of the trials of a class."""
        return self._normal(min(trials, _GROUPS), 2, which)

    def move_people(self, sums: Floats) -> Floats:
        """Replicates of a sum of contributions, given by person: one row per replicate."""
        if self.size > _MOST_UNITS:
            grouped = np.zeros((_MOST_UNITS, *sums.shape[1:]))
            np.add.at(grouped, self.units(np.arange(self.size)), sums)
            sums = grouped
        with one_thread():
            return np.asarray(self.people() @ sums.astype(np.float32), dtype=np.float64)


def threshold_movement(
    dev: ScoreSource,
    classes: _Classes | None,
    people: People | None,
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
    chosen
        The thresholds that dev itself gives.
    """
    crossing = criterion.search == "crossing"
    effective = float(min(dev.genuine, dev.impostor)) if people is None else min(p.effective for p in people.classes)
    candidates = _candidates(dev, classes, criterion, chosen, effective)
    if classes is None:
        counts = count_errors(dev, candidates)
        moves: tuple[_Moves | None, _Moves] = None, _counted(counts, dev, draws)
    else:
        ranked = _Ranked.of(classes, candidates)
        counts = ranked.counts
        with one_thread():
            moves = _moves(ranked, people, draws, at_crossing=crossing)
    at = np.searchsorted(candidates, chosen.threshold)
    by_people = None
    if moves[0] is not None:
        by_people = _choose(counts, *moves[0], criterion, alphas)
    by_trials = _choose(counts, *moves[1], criterion, alphas)
    return Movement(candidates, at, by_people, by_trials, max(effective - 1, 1.0), draws, crossing)


def counted_movement(
    dev: ScoreSource,
    people_between: Callable[[Floats], CountedPeople | None],
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
        return threshold_movement(dev, None, None, criterion, alphas, chosen, draws)
    crossing = criterion.search == "crossing"
    candidates = _candidates(dev, None, criterion, chosen, people.effective)
    people = people_between(candidates)
    assert people is not None
    counts = count_errors(dev, candidates)
    own = replace(draws, size=people.size, _kept={})
    frr, far = (
        own.people() @ _deviations_of(part, np.asarray(rates), own, at_crossing=crossing)
        for part, rates in zip(people.classes, (counts.frr, counts.far), strict=True)
    )
    by_people = _choose(counts, far, frr, criterion, alphas)
    by_trials = _choose(counts, *_counted(counts, dev, draws), criterion, alphas)
    at = np.searchsorted(candidates, chosen.threshold)
    return Movement(candidates, at, by_people, by_trials, max(people.effective - 1, 1.0), own, crossing)


def _deviations_of(part: CountedClass, rates: Floats, draws: Draws, *, at_crossing: bool) -> Floats:
    """Deviations of an error rate at each candidate by the units of people that are drawn."""
    by_person = (part.errors().sum(axis=0) - rates * part.together[:, None]) / part.total
    units = draws.units(np.arange(part.counts.shape[1]))
    found = np.zeros((draws.units_count, len(rates)))
    np.add.at(found, units, by_person)
    found = _left_out(found, part.together, part.total, part.effective, draws)
    return _with_more_errors(found, part.total, part.effective) if at_crossing else found


def _candidates(
    dev: ScoreSource, classes: _Classes | None, criterion: Criterion, chosen: ErrorCounts, effective: float
) -> Floats:
    """Thresholds that are even steps of both rates apart, around those that were chosen.

    Steps are even where rates are of even precision: in the arcsine of their square root.
    """
    # a threshold that minimises a cost moves more than one at which a rate is met
    crossing = criterion.search == "crossing"
    reach = _REACH_CROSSING / sqrt(effective) if crossing else _REACH_MINIMUM / effective ** (1 / 3)
    levels = _LEVELS if len(chosen) > 1 or not crossing else _LEVELS // 3
    found = [np.asarray(chosen.threshold)]
    for which, name in enumerate(("frr", "far")):
        places = np.arcsin(np.sqrt(np.clip(np.asarray(getattr(chosen, name)), 0, 1)))
        low, high = max(places.min() - reach, 0.0), min(places.max() + reach, pi / 2)
        targets = np.sin(np.linspace(low, high, levels)) ** 2
        found.append(_at_rates(dev, targets, which) if classes is None else _order_statistics(classes, targets, which))
    return np.unique(np.concatenate(found))


def _order_statistics(classes: _Classes, rates: Floats, which: int) -> Floats:
    """Scores at which a rate is about what it should be: 0 the FRR, 1 the FAR."""
    shares = 1 - rates if which else rates
    places = np.rint(shares * (len(classes[which]) - 1)).astype(np.int64)
    return np.asarray(np.sort(classes[which])[places], dtype=np.float64)


def _at_rates(dev: ScoreSource, rates: Floats, which: int) -> Floats:
    """The same where only counts are at hand."""
    level: Level = _minus_far if which else _frr
    targets = np.sort(-rates) if which else rates
    points = crossing_points(dev, level, targets)
    near = np.searchsorted(level(points), targets).clip(0, len(points) - 1)
    return np.asarray(np.asarray(points.threshold)[np.unique(near)])


def _minus_far(counts: ErrorCounts) -> Floats:
    return np.asarray(-counts.far)


def _frr(counts: ErrorCounts) -> Floats:
    return np.asarray(counts.frr)


_Moves = tuple[Floats, Floats]
"""Deviations of FAR and of FRR, one row per replicate and one column per candidate."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """The scores of both classes, genuine first, by the number of candidates below them."""

    ranks: tuple[_Indices, _Indices]
    counts: ErrorCounts
    """Errors at the candidates."""

    @classmethod
    def of(cls, classes: _Classes, candidates: Floats) -> _Ranked:
        tally = rank_tally(candidates)
        genuine, impostor = (tally.ranks(scores) for scores in classes)
        rejected, not_accepted = (
            np.cumsum(np.bincount(ranks, minlength=len(candidates) + 1))[:-1] for ranks in (genuine, impostor)
        )
        counts = ErrorCounts(candidates, len(impostor) - not_accepted, rejected, len(genuine), len(impostor))
        return cls((genuine, impostor), counts)


def _moves(ranked: _Ranked, people: People | None, draws: Draws, *, at_crossing: bool) -> tuple[_Moves | None, _Moves]:
    by_people: list[Floats] = []
    by_trials: list[Floats] = []
    counts, multipliers = ranked.counts, draws.people() if people is not None else None
    for which, (ranks, rates) in enumerate(zip(ranked.ranks, (counts.frr, counts.far), strict=True)):
        table = _Table(ranks, len(counts), np.asarray(rates), accepted=which == 1)
        groups = draws.groups(len(ranks), which)
        by_trials.append(draws.trials(len(ranks), which) @ table.sums(groups, int(groups.max()) + 1))
        if people is not None and multipliers is not None:
            part = people.classes[which]
            deviations = _by_person(table, part, draws)
            if at_crossing:
                deviations = _with_more_errors(deviations, len(part.rows), part.effective)
            by_people.append(multipliers @ deviations)
    moved = (by_people[1], by_people[0]) if by_people and people is not None and people.cluster != "none" else None
    return moved, (by_trials[1], by_trials[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The trials of one class by the number of candidates below their scores."""

    ranks: NDArray[np.int64]
    candidates: int
    rates: Floats
    accepted: bool

    def sums(self, codes: NDArray[np.int64], size: int, which: NDArray[np.bool_] | slice = slice(None)) -> Floats:
        """Deviations of the error rate at each candidate, summed by code."""
        cells = self.candidates + 1
        found = np.bincount(codes * cells + self.ranks[which], minlength=size * cells).reshape(size, cells)
        # a score of rank r is accepted at candidates 0 to r - 1
        above = np.cumsum(found[:, ::-1], axis=1)[:, ::-1]
        total = above[:, :1]
        errors = above[:, 1:] if self.accepted else total - above[:, 1:]
        return np.asarray((errors - self.rates * total) / len(self.ranks), dtype=np.float32)


def deviations_by_unit(
    scores: NDArray[np.floating],
    part: Members | None,
    counts: ErrorCounts,
    draws: Draws,
    which: int,
) -> Floats:
    """Deviations of an error rate at thresholds that rise, by the units that are drawn: people, or groups of trials.

    `which` is 0 for genuine scores and their FRR, 1 for impostor scores and their FAR.
    """
    rates = counts.far if which else counts.frr
    table = _Table(
        rank_tally(np.asarray(counts.threshold)).ranks(scores),
        len(counts),
        np.asarray(rates),
        accepted=which == 1,
    )
    if part is not None:
        return _by_person(table, part, draws)
    groups = draws.groups(len(scores), 2 + which)
    return table.sums(groups, int(groups.max()) + 1)


def _by_person(table: _Table, part: Members, draws: Draws) -> Floats:
    """Deviations by person, as if each were left out in turn."""
    size = draws.units_count
    found = table.sums(draws.units(part.people[0]), size)
    for column in part.people[1:]:
        found += table.sums(draws.units(column[part.apart]), size, part.apart)
    return _left_out(found, part.person_trials, len(part.rows), part.effective, draws)


def _left_out(found: Floats, person_trials: Floats, total: int, effective: float, draws: Draws) -> Floats:
    """Deviations as they would be if each unit of people were left out in turn."""
    trials = np.zeros(draws.units_count)
    np.add.at(trials, draws.units(np.arange(len(person_trials))), person_trials)
    found /= (1 - np.minimum(trials / total, 0.9))[:, None]
    return np.asarray(found * sqrt(max(effective - 1, 1.0) / max(effective, 2.0)))


def _with_more_errors(deviations: Floats, trials: int, effective: float) -> Floats:
    """Deviations that are somewhat larger where errors are few.

    A rate of few errors shows little of how alike the errors of a person are. So it is taken to have an error or two
    more, each with the variance of one trial times the square root of trials per person.
    """
    squares = np.sum(deviations**2, axis=0)
    more = _MORE_ERRORS * sqrt(trials / effective) / trials**2
    return np.asarray(deviations * np.sqrt(1 + np.divide(more, squares, out=np.zeros_like(squares), where=squares > 0)))


def _counted(counts: ErrorCounts, dev: ScoreSource, draws: Draws) -> _Moves:
    """Deviations of replicates of independent trials, from the numbers of trials between candidates."""
    moves = []
    for which, (errors, trials) in enumerate(
        ((counts.false_rejects, dev.genuine), (dev.impostor - counts.false_accepts, dev.impostor))
    ):
        cells = np.diff(np.concatenate([[0], np.asarray(errors), [trials]]))
        rng = np.random.default_rng([draws.seed, 2, which])
        drawn = np.cumsum(rng.multinomial(trials, cells / trials, size=draws.count), axis=1)[:, :-1]
        moves.append((drawn - np.asarray(errors)) / trials)
    return -moves[1], moves[0]


def _choose(counts: ErrorCounts, far: Floats, frr: Floats, criterion: Criterion, alphas: Floats) -> _Indices:
    """The best candidate of each replicate of deviations, one column per alpha."""
    rejects = np.clip(counts.frr + frr, 0, 1) * counts.genuine
    accepts = np.clip(counts.far + far, 0, 1) * counts.impostor
    moved = ErrorCounts(counts.threshold, accepts, rejects, counts.genuine, counts.impostor)
    return best_candidates(moved, criterion, alphas)


def best_candidates(counts: ErrorCounts, criterion: Criterion, alphas: Floats) -> _Indices:
    """The best candidate of each replicate, one column per alpha.

    `counts` has one row of errors per replicate and one column per threshold; the numbers of trials may be one column.
    """
    shape = counts.false_accepts.shape
    flat = [
        np.broadcast_to(part, shape).ravel() if np.ndim(part) else part
        for part in (counts.threshold, counts.false_accepts, counts.false_rejects, counts.genuine, counts.impostor)
    ]
    every = ErrorCounts(*flat)
    in_ties = _TIE * np.asarray(every.far + every.frr)
    found = np.empty((shape[0], len(alphas)), dtype=np.int64)
    for column, (alpha, rule) in enumerate(_rules(criterion, alphas)):
        found[:, column] = (np.asarray(rule.cost(every, alpha)) + in_ties).reshape(shape).argmin(axis=1)
    return found


def _rules(criterion: Criterion, alphas: Floats) -> Iterator[tuple[float, Criterion]]:
    for alpha in alphas.tolist():
        own = alpha if criterion.alpha is None else criterion.alpha
        ends = criterion.at_ends is not None and own in (0.0, 1.0)
        yield own, criterion.at_ends if ends and criterion.at_ends is not None else criterion
