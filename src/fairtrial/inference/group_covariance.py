"""Error rates of groups of trials: how they vary, and vary together, through the people who take part in them.

What `people` says of all trials of a class, said of each group of them at once: sums by person and group, less the
pairs of people that such sums count twice. Groups may share people, as when everybody is tested with every device, or
when the impostors of one group come from another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.inference.jackknife import (
    ClassSpread,
    concentration,
    independent_class,
    not_below_half,
    one_error,
    one_fewer,
    without_one,
)
from fairtrial.inference.people import Members, members_within
from fairtrial.inference.variance import Floats, effective_people

_ROUNDS = 3


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRates:
    """The error rates of one class of trials, one per group, and how they vary together."""

    errors: NDArray[np.int64]
    trials: NDArray[np.int64]
    people: NDArray[np.int64]
    """How many people take part in each; as many as there are trials where nobody is known."""
    spreads: tuple[ClassSpread, ...]
    """The variance of each rate, and the people it rests on; as if there were one error where it would be 0."""
    covariance: Floats
    """Of each rate with each; the variances are on the diagonal, 0 where all trials are decided alike."""
    alike: Floats
    """The same in units of the variance of a single trial, if people in all groups are alike: what a group of its
    people and trials would vary by, told from the errors of all groups together."""
    crossed: NDArray[np.bool_]
    """Which groups have claims in common, or people of genuine trials: such are compared person by person."""
    moved: Floats | None
    """By how much each rate changes with each person: one row per person; None where nobody is known."""

    @property
    def rate(self) -> Floats:
        """The share of wrong decisions; NaN where there is no trial."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.errors / self.trials)

    def kept(self, which: NDArray[np.bool_]) -> GroupedRates:
        """Some of the groups only."""
        places = np.flatnonzero(which)
        square = np.ix_(places, places)
        return GroupedRates(
            self.errors[places],
            self.trials[places],
            self.people[places],
            tuple(self.spreads[k] for k in places),
            self.covariance[square],
            self.alike[square],
            self.crossed[square],
            None if self.moved is None else self.moved[:, places],
        )


def independent_rates(groups: NDArray[np.int64], wrong: NDArray[np.bool_], count: int) -> GroupedRates:
    """The rates of groups of trials, all of other people.

    Parameters
    ----------
    groups
        The group of each trial of the class, from 0 on; -1 for none.
    wrong
        Whether each is decided wrongly.
    count
        How many groups there are.

    Returns
    -------
    GroupedRates
        One rate per group; all of them are independent.
    """
    trials, errors = _tally(groups, count), _tally(groups[wrong], count)
    rate = errors / np.maximum(trials, 1)
    spreads = tuple(
        independent_class(own * (1 - own), max(number, 1))
        for own, number in zip(rate.tolist(), trials.tolist(), strict=True)
    )
    variances = np.diag([own.variance for own in spreads])
    alike, none = np.diag(1 / np.maximum(trials, 1)), np.zeros((count, count), dtype=bool)
    return GroupedRates(errors, trials, trials, spreads, variances, alike, none, None)


def clustered_rates(
    part: Members, groups: NDArray[np.int64], wrong: NDArray[np.bool_], count: int, size: int
) -> GroupedRates:
    """The rates of groups of trials that share people.

    Parameters
    ----------
    part
        Who takes part in the trials of the class; see `People`.
    groups, wrong, count
        As in `independent_rates`.
    size
        How many people there are in all.

    Returns
    -------
    GroupedRates
        One rate per group, with their covariance.
    """
    table = _Table(part, groups, wrong, count, size)
    scale = 1 / np.maximum(table.trials, 1)
    mean, shares = table.errors * scale, table.took_part * scale
    sums = (table.erred - mean * table.took_part) * scale
    moved = np.column_stack([without_one(sums[:, k], shares[:, k]) for k in range(count)])
    twice = table.same_people.centred(mean) * np.outer(scale, scale)
    effective = [table.effective(k) for k in range(count)]
    fewer = np.array([sqrt(one_fewer(own)) for own in effective])
    covariance = (moved.T @ moved - twice) * np.outer(fewer, fewer)
    alone = scale * mean * (1 - mean)
    np.fill_diagonal(covariance, not_below_half(np.diag(covariance), alone))
    spreads = []
    for k in range(count):
        if covariance[k, k] == 0 and table.trials[k]:
            spreads.append(one_error(members_within(part, np.flatnonzero(groups == k), size)))
            continue
        squares = moved[:, k] ** 2
        even = concentration(squares, float(squares.sum()))
        spreads.append(ClassSpread(float(covariance[k, k]), effective[k], int(table.trials[k]), even))
    people = np.count_nonzero(table.took_part, axis=0)
    return GroupedRates(
        table.errors, table.trials, people, tuple(spreads), covariance, _alike(table), table.crossed, moved * fewer
    )


def _tally(groups: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """How many trials each group has; those of no group are left out."""
    return np.bincount(groups + 1, minlength=count + 1)[1:].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Two trials that have something in common, over all such: one row per group of the first, a column per second's.

    How many there are, and in how many the first is an error, the second, both.
    """

    number: Floats
    first: Floats
    second: Floats
    both: Floats

    @classmethod
    def of(cls, one: Sequence[Any], other: Sequence[Any]) -> _Products:
        """From trials and errors by what is shared, one column per group, of the first and of the second trial."""
        found = (a.T @ b for b in other for a in one)
        number, first, second, both = (own.toarray() if hasattr(own, "toarray") else own for own in found)
        return cls(number, first, second, both)

    def plus(self, other: _Products, times: float = 1.0) -> _Products:
        """Those of both, the other's so many times."""
        return _Products(
            self.number + times * other.number,
            self.first + times * other.first,
            self.second + times * other.second,
            self.both + times * other.both,
        )

    def centred(self, rate: Floats) -> Floats:
        """The products of the deviations of both trials from the rates of their groups, summed."""
        return self.both - self.first * rate - self.second * rate[:, None] + self.number * np.outer(rate, rate)


@dataclass(frozen=True, eq=False)
class _Table:
    """Trials and errors of one class by group, and by the people who take part."""

    part: Members
    groups: NDArray[np.int64]
    wrong: NDArray[np.bool_]
    count: int
    size: int

    @cached_property
    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        known = self.groups >= 0
        return np.flatnonzero(known), np.flatnonzero(known & self.wrong)

    @cached_property
    def trials(self) -> NDArray[np.int64]:
        return _tally(self.groups, self.count)

    @cached_property
    def errors(self) -> NDArray[np.int64]:
        return _tally(self.groups[self._rows[1]], self.count)

    def _by_person(self, role: int, chosen: NDArray[np.bool_] | None = None) -> tuple[Floats, Floats]:
        """Trials and errors by person in a role, of some trials only: one row per person, one column per group."""
        found = []
        for rows in self._rows:
            own = rows if chosen is None else rows[chosen[rows]]
            places = self.part.people[role][own] * self.count + self.groups[own]
            table = np.bincount(places, minlength=self.size * self.count).reshape(self.size, self.count)
            found.append(table.astype(np.float64))
        return found[0], found[1]

    @cached_property
    def _first(self) -> tuple[Floats, Floats]:
        return self._by_person(0)

    @cached_property
    def _second(self) -> tuple[Floats, Floats]:
        """By the other person of a trial, where there are two."""
        return self._by_person(-1, self.part.apart)

    @cached_property
    def took_part(self) -> Floats:
        """Trials by person and group; a trial of two people counts for both."""
        return self._first[0] + self._second[0]

    @cached_property
    def erred(self) -> Floats:
        """Errors by person and group."""
        return self._first[1] + self._second[1]

    @property
    def crossed(self) -> NDArray[np.bool_]:
        """Which groups have people in common in the first role."""
        took_part = self._first[0] > 0
        return (took_part.T.astype(np.float64) @ took_part > 0) & ~np.eye(self.count, dtype=bool)

    def effective(self, group: int) -> float:
        """As many people of equal weight a group is worth, in the role with fewer of them, unless that has one only."""
        took_part = self.took_part[:, group]
        roles = [np.flatnonzero(own[0][:, group]) for own in (self._first, self._second)]
        known = [effective_people(took_part[people]) for people in roles if len(people) > 1]
        return min(known, default=float(max(self.trials[group], 1)))

    @cached_property
    def _meetings(self) -> tuple[list[Any], list[Any]]:
        """Trials and errors by pair of people, as the two have one role and the other: sparse, one column per group."""
        from scipy.sparse import coo_array

        part = self.part
        shape = (2 * len(part.pair_trials), self.count)
        found = []
        for rows in self._rows:
            own = rows[part.apart[rows]]
            codes = 2 * part.pair_of[own] + (part.people[0][own] < part.people[-1][own])
            table = coo_array((np.ones(len(own)), (codes, self.groups[own])), shape=shape).tocsr()
            found.append((table[0::2], table[1::2]))
        return [own[0] for own in found], [own[1] for own in found]

    @cached_property
    def _same_pair(self) -> _Products:
        """Trials of the same two people in the same roles; each is one of them itself."""
        one, other = self._meetings
        return _Products.of(one, one).plus(_Products.of(other, other))

    @cached_property
    def _other_way_round(self) -> _Products:
        """Trials in which two people have changed roles."""
        one, other = self._meetings
        return _Products.of(one, other).plus(_Products.of(other, one))

    @property
    def same_people(self) -> _Products:
        """Trials of the same two people, whose products sums by person count twice."""
        return self._same_pair.plus(self._other_way_round)

    def sharing(self) -> Iterator[tuple[_Products, float]]:
        """Trials by what they have in common, and the lowest correlation that this may have.

        The claim, the subject, the claim of one that is the subject of the other, or everybody.
        """
        first, second = self._first, self._second
        alone = self._by_person(0, ~self.part.apart)
        same_person = _Products.of(alone, alone)
        yield _Products.of(first, first).plus(self._same_pair, -1).plus(same_person, -1), 0.0
        yield _Products.of(second, second).plus(self._same_pair, -1), 0.0
        mixed = _Products.of(first, second).plus(_Products.of(second, first))
        yield mixed.plus(self._other_way_round, -2), -1.0
        trials, errors = np.diag(self.trials.astype(np.float64)), np.diag(self.errors.astype(np.float64))
        itself = _Products(trials, errors, errors, errors)
        yield self.same_people.plus(same_person).plus(itself, -1), 0.0


def _alike(table: _Table) -> Floats:
    """The covariance of the rates in units of the variance of a trial, if errors are alike in all groups.

    Errors of two trials are correlated by what the trials have in common, as much in every group, and less if the two
    are of different groups: somebody may be bad with one device and not with another. Deviations are from each group's
    own rate, so that groups may differ; as those rates are estimated, what they vary by is added again.
    """
    number = np.maximum(table.trials, 1).astype(np.float64)
    rate = table.errors / number
    sigma = np.sqrt(rate * (1 - rate))
    single, both, per_pair = np.diag(1 / number), np.outer(sigma, sigma), 1 / np.outer(number, number)
    same = np.eye(len(number), dtype=bool)
    known = [(own.number, own.centred(rate), lowest) for own, lowest in table.sharing()]
    found = single
    for _ in range(_ROUNDS):
        parts = [single]
        for pairs, products, lowest in known:
            within = _correlation(pairs[same], products[same], found[same], both[same])
            within = min(max(within, lowest), 1.0)
            between = _correlation(pairs[~same], products[~same], found[~same], both[~same])
            between = min(max(between, -abs(within)), abs(within))
            parts.append(np.where(same, within, between) * pairs * per_pair)
        found = np.sum(parts, axis=0)
        np.fill_diagonal(found, np.maximum(np.diag(found), 1 / number))
    return found


def _correlation(pairs: Floats, products: Floats, found: Floats, both: Floats) -> float:
    """The mean correlation of so many pairs of trials, from the products of their deviations."""
    whole = float(np.sum(pairs * both))
    return float(products.sum() + np.sum(pairs * found * both)) / whole if whole > 0 else 0.0
