"""Random weights of people and of trials, and by how much they move an error rate.

The errors of a replicate are those that were made plus deviations of people, each with a random weight. So replicates
at many thresholds are one matrix product, and the same seed moves all systems alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.counting.tallies import ErrorCounts, rank_tally
from fairtrial.counting.threads import one_thread
from fairtrial.inference.people import Members
from fairtrial.inference.person_counts import CountedClass
from fairtrial.inference.variance import Floats, one_fewer, without_one

RESAMPLES = 400
_GROUPS = 200
_MOST_UNITS = 1024


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


def deviations_by_unit(
    scores: NDArray[np.floating],
    part: Members | None,
    counts: ErrorCounts,
    draws: Draws,
    which: int,
) -> Floats:
    """Deviations of an error rate at thresholds that rise, by the units that are drawn: people, or groups of trials.

    `which` is 0 for genuine scores and their FRR, 1 for impostor scores and their FAR; where trials are drawn, dev and
    test have groups of their own, and those of test are 2 and 3.
    """
    accepted = which % 2 == 1
    rates = np.asarray(counts.far if accepted else counts.frr)
    ranks = rank_tally(np.asarray(counts.threshold)).ranks(scores)
    table = _Table(ranks, len(counts), rates, accepted)
    if part is None:
        groups = draws.groups(len(scores), which)
        return table.sums(groups, int(groups.max()) + 1)
    size = draws.units_count
    found = table.sums(draws.units(part.people[0]), size)
    for column in part.people[1:]:
        found += table.sums(draws.units(column[part.apart]), size, part.apart)
    return _left_out(found, part.person_trials, len(part.rows), part.effective, draws)


def counted_deviations(part: CountedClass, rates: Floats, draws: Draws) -> Floats:
    """The same for people that are known by the numbers of their trials between thresholds."""
    by_person = (part.errors().sum(axis=0) - rates * part.together[:, None]) / part.total
    units = draws.units(np.arange(part.counts.shape[1]))
    found = np.zeros((draws.units_count, len(rates)))
    np.add.at(found, units, by_person)
    return _left_out(found, part.together, part.total, part.effective, draws)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The trials of one class by the number of thresholds below their scores."""

    ranks: NDArray[np.int64]
    thresholds: int
    rates: Floats
    accepted: bool

    def sums(self, codes: NDArray[np.int64], size: int, which: NDArray[np.bool_] | slice = slice(None)) -> Floats:
        """Deviations of the error rate at each threshold, summed by code."""
        cells = self.thresholds + 1
        found = np.bincount(codes * cells + self.ranks[which], minlength=size * cells).reshape(size, cells)
        # a score of rank r is accepted at thresholds 0 to r - 1
        above = np.cumsum(found[:, ::-1], axis=1)[:, ::-1]
        total = above[:, :1]
        errors = above[:, 1:] if self.accepted else total - above[:, 1:]
        return np.asarray((errors - self.rates * total) / len(self.ranks), dtype=np.float32)


def _left_out(found: Floats, person_trials: Floats, total: int, effective: float, draws: Draws) -> Floats:
    """Deviations as they would be if each unit of people were left out in turn."""
    trials = np.zeros(draws.units_count)
    np.add.at(trials, draws.units(np.arange(len(person_trials))), person_trials)
    return without_one(found, (trials / total)[:, None]) * sqrt(one_fewer(effective))
