"""Counts by person: the trials of people between thresholds, for trials that are not in memory.

Counts do not show whether two people meet in several trials. They are taken to meet once, so that variances are too
large rather than too small if they meet more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.notes import Note
from fairtrial.inference.people import Cluster, Members, People, class_notes
from fairtrial.inference.variance import BOTH, Floats, Moments, effective_people


@dataclass(frozen=True, eq=False)
class CountedClass:
    """The trials of one class between thresholds, in all and by person.

    Attributes
    ----------
    counts : ndarray
        Trials by the number of thresholds below their scores, shape (thresholds + 1,).
    by_role : dict of str to ndarray
        The same by person, shape (people, thresholds + 1), for each role with two people or more.
    accepted : bool
        Whether accepted trials are errors, as for impostor trials.
    people_per_trial : int
        The number of people of a role in each trial: 2 if somebody takes part in both roles, which are then one.
    alone : tuple of str
        The roles with one person only.
    """

    counts: NDArray[np.int64]
    by_role: dict[str, NDArray[np.int64]]
    accepted: bool
    people_per_trial: int = 1
    alone: tuple[str, ...] = ()

    @classmethod
    def of(cls, by_role: dict[str, NDArray[np.int64]], *, accepted: bool, alone: tuple[str, ...] = ()) -> CountedClass:
        """Count the trials of people in one role or two; the two become one if somebody takes part in both."""
        tables = list(by_role.values())
        counts = tables[0].sum(axis=0)
        if len(tables) > 1 and np.all([table.any(axis=1) for table in tables], axis=0).any():
            return cls(counts, {"person": tables[0] + tables[1]}, accepted, 2, alone)
        return cls(counts, by_role, accepted, 1, alone)

    @classmethod
    def of_members(cls, members: Members, ranks: NDArray[np.int64], thresholds: int, *, accepted: bool) -> CountedClass:
        """Count trials in memory; a rank is the number of thresholds below a score."""
        cells = thresholds + 1
        by_role = {
            role: sum(
                (np.bincount(person * cells + ranks, minlength=members.size * cells) for person in columns),
                np.zeros(members.size * cells, dtype=np.int64),
            ).reshape(members.size, cells)
            for role, columns in members.by_role.items()
        }
        people_per_trial = max(map(len, members.by_role.values()), default=1)
        return cls(np.bincount(ranks, minlength=cells), by_role, accepted, people_per_trial, members.alone)

    def at(self, places: Sequence[int]) -> CountedClass:
        """Select thresholds by place."""

        def merged(counts: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.diff(np.cumsum(counts, axis=-1)[..., [*places, -1]], prepend=0)

        by_role = {role: merged(table) for role, table in self.by_role.items()}
        return replace(self, counts=merged(self.counts), by_role=by_role)

    @cached_property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.counts.sum())

    @cached_property
    def below(self) -> Floats:
        """The number of trials at or below each threshold."""
        return np.cumsum(self.counts)[:-1].astype(np.float64)

    @cached_property
    def people_below(self) -> dict[str, Floats]:
        """The same by person, for each role."""
        return {role: np.cumsum(table, axis=1)[:, :-1].astype(np.float64) for role, table in self.by_role.items()}

    @cached_property
    def role_trials(self) -> dict[str, Floats]:
        """The trials of each person by role."""
        return {role: table.sum(axis=1).astype(np.float64) for role, table in self.by_role.items()}

    @property
    def shares(self) -> Floats:
        """The proportion of the trials that each person takes part in."""
        return np.asarray(sum(self.role_trials.values()) / self.trials)

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of people, in the role with fewer; of trials without ids."""
        return min(map(effective_people, self.role_trials.values()), default=float(self.trials))

    @cached_property
    def pairs(self) -> dict[str, float]:
        """The number of ordered pairs of trials that share a person, by role."""
        return {
            role: float(trials @ trials) - self.people_per_trial * self.trials
            for role, trials in self.role_trials.items()
        }

    def moments(self) -> Moments:
        """Compute the moments of errors at the thresholds, as if two people never met twice; see `Members.moments`."""
        trials, counts, pairs = self.trials, self.role_trials, dict(self.pairs)
        totals, by_role = self.below, self.people_below
        if self.accepted:
            totals = trials - totals
            by_role = {role: counts[role][:, None] - below for role, below in by_role.items()}
        means = totals / trials
        same = np.minimum.outer(totals, totals) - trials * np.outer(means, means)
        sums = {role: errors - np.outer(counts[role], means) for role, errors in by_role.items()}
        related = {role: by_person.T @ by_person - self.people_per_trial * same for role, by_person in sums.items()}
        if self.people_per_trial > 1 or len(by_role) > 1:
            pairs[BOTH], related[BOTH] = 0.0, np.zeros_like(same)

        def squares(role: str, weights: Floats) -> Floats:
            # errors at a stricter threshold are among those at a more lenient one
            centre, used = float(weights @ means), np.flatnonzero(weights)
            raw = by_role[role][:, used]
            products = np.minimum(raw[:, :, None], raw[:, None, :]) @ weights[used] @ weights[used]
            return np.asarray(products - 2 * centre * (raw @ weights[used]) + centre**2 * counts[role])

        return Moments(trials, pairs, related, same, sums, counts, np.ones(len(means)), self.effective, squares)

    def increments(self, role: str, place: int, to: slice = slice(None)) -> Floats:
        """Count each person's trials between one threshold and others, less the mean of all trials."""
        table, mean = self.people_below[role], (self.below[to] - self.below[place]) / self.trials
        return np.asarray(table[:, to] - table[:, [place]] - np.outer(self.role_trials[role], mean))

    def covariances(self, place: int) -> dict[str, Floats]:
        """Estimate covariances of trials between one threshold and each, by what two trials share."""
        between = self.below - self.below[place]
        mean = between / self.trials
        same = np.abs(between) - self.trials * mean**2
        pairs, related = self.pairs, {}
        for role in self.by_role:
            sums = self.increments(role, place)
            related[role] = np.einsum("ij,ij->j", sums, sums) - self.people_per_trial * same
        unrelated = float(self.trials) ** 2 - self.trials - sum(pairs.values())
        mean_unrelated = np.zeros_like(same)
        if related and unrelated > 0:
            mean_unrelated = -(sum(related.values(), np.zeros_like(same)) + same) / unrelated
        shared = {role: values / pairs[role] - mean_unrelated for role, values in related.items() if pairs[role] > 0}
        return {**shared, "same": same / self.trials - mean_unrelated}


@dataclass(frozen=True, slots=True, eq=False)
class CountedPeople:
    """Counts of people's trials at rising thresholds, by class."""

    cluster: Cluster
    genuine: CountedClass
    impostor: CountedClass

    @classmethod
    def of(cls, people: People, ranks: NDArray[np.int64], thresholds: int) -> CountedPeople:
        """Count trials in memory by person; a rank is the number of thresholds below a score."""
        genuine, impostor = (
            CountedClass.of_members(part, ranks[part.rows], thresholds, accepted=part is people.impostor)
            for part in people.classes
        )
        return cls(people.cluster, genuine, impostor)

    def at(self, places: Sequence[int]) -> CountedPeople:
        """Select thresholds by place."""
        return replace(self, genuine=self.genuine.at(places), impostor=self.impostor.at(places))

    @property
    def classes(self) -> tuple[CountedClass, CountedClass]:
        """Genuine and impostor trials."""
        return self.genuine, self.impostor

    @property
    def effective(self) -> float:
        """The effective number of people, in the class and role with the fewest."""
        return min(part.effective for part in self.classes)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on roles with one person, and on one person with much of the weight."""
        classes = (("genuine", self.genuine), ("impostor", self.impostor))
        return tuple(note for word, part in classes for note in class_notes(word, part))


def count_people(
    cluster: Cluster,
    person: NDArray[np.int64],
    counts: dict[str, NDArray[np.int64]],
) -> CountedPeople | None:
    """Count trials by person from the counts of names.

    Parameters
    ----------
    cluster
        What trials share.
    person
        For each name the number of its person.
    counts
        For each role an array of class (impostor, genuine), name and number of thresholds below the score.

    Returns
    -------
    CountedPeople or None
        None if no role of a class has two people.
    """
    classes = []
    for row in (1, 0):
        # claim and subject of a genuine trial are one person
        roles = list(counts)[:1] if row == 1 else list(counts)
        merged = {role: _merged(counts[role][row], person) for role in roles}
        alone = tuple(role for role in roles if np.count_nonzero(merged[role].sum(axis=1)) < 2)
        if len(alone) == len(roles):
            return None
        by_role = {role: merged[role] for role in roles if role not in alone}
        classes.append(CountedClass.of(by_role, accepted=row == 0, alone=alone))
    return CountedPeople(cluster, *classes)


def people_of_counter(counter: Any, *, system: str | None = None) -> CountedPeople | None:
    """Count people's trials at the thresholds of a counter; None if no role has two people."""
    ranks = counter.ranks_by_person(system=system)
    if not ranks.counts:
        return None
    roles = list(ranks.counts)
    return count_people("both" if len(roles) > 1 else roles[0], ranks.person, ranks.counts)


def _merged(counts: NDArray[np.int64], person: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum the counts of names by person."""
    summed = np.zeros((int(person.max(initial=-1)) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(summed, person, counts)
    return summed
