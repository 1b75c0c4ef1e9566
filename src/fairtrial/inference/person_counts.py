"""Counts by person: the trials of people between thresholds, for trials that are not in memory.

Counts do not show whether two people meet in several trials. They are taken to meet once, so that variances are too
large rather than too small if they meet more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.notes import Note
from fairtrial.inference.people import Cluster, Members, People, class_notes
from fairtrial.inference.variance import BOTH, Floats, Moments, effective_people


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The trials of one class by cell, in all and by person.

    The cell of a trial is the number of thresholds below its score; of several systems, each with thresholds of its
    own, it is a combination of these numbers (see `cells_of_ranks`).

    Attributes
    ----------
    counts : ndarray
        Trials by cell, shape (cells,).
    by_role : dict of str to ndarray
        The same by person, shape (people, cells), for each role with two people or more.
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
    def of(
        cls,
        by_role: dict[str, NDArray[np.int64]],
        *,
        accepted: bool,
        counts: NDArray[np.int64] | None = None,
    ) -> ClassCounts:
        """Count the trials of people in one role or two; the two become one if somebody takes part in both.

        `counts` is needed if there is no role.
        """
        if counts is None:
            counts = next(iter(by_role.values())).sum(axis=0)
        takes_part = {role: table.any(axis=1) for role, table in by_role.items()}
        alone = tuple(role for role, people in takes_part.items() if np.count_nonzero(people) < 2)
        several = {role: table for role, table in by_role.items() if role not in alone}
        if len(several) > 1 and np.all([takes_part[role] for role in several], axis=0).any():
            person: NDArray[np.int64] = sum(several.values(), np.zeros((), dtype=np.int64))
            return cls(counts, {"person": person}, accepted, 2, alone)
        return cls(counts, several, accepted, 1, alone)

    @classmethod
    def of_members(cls, members: Members, cell: NDArray[np.int64], cells: int, *, accepted: bool) -> ClassCounts:
        """Count trials in memory by the cell of each."""
        by_role = {
            role: sum(
                (np.bincount(person * cells + cell, minlength=members.size * cells) for person in columns),
                np.zeros(members.size * cells, dtype=np.int64),
            ).reshape(members.size, cells)
            for role, columns in members.by_role.items()
        }
        people_per_trial = max(map(len, members.by_role.values()), default=1)
        return cls(np.bincount(cell, minlength=cells), by_role, accepted, people_per_trial, members.alone)

    def at(self, places: Sequence[int]) -> ClassCounts:
        """Select thresholds of one system by place."""

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
        """Kish's effective number of people, in the role with fewer; the number of trials without ids."""
        return min(map(effective_people, self.role_trials.values()), default=float(self.trials))

    @cached_property
    def pairs(self) -> dict[str, float]:
        """The number of ordered pairs of trials that share a person, by role."""
        return {
            role: float(trials @ trials) - self.people_per_trial * self.trials
            for role, trials in self.role_trials.items()
        }

    def moments(self, errors: NDArray[np.bool_] | None = None, scale: Floats | None = None) -> Moments:
        """Compute the moments of errors, as if two people never met twice; see `Members.moments`.

        Parameters
        ----------
        errors
            The cells whose trials are errors, one column for each kind of errors; by default one for each threshold.
        scale
            See `Moments`; 1 by default.
        """
        if errors is None:
            below = np.arange(len(self.counts))[:, None] <= np.arange(len(self.counts) - 1)
            errors = ~below if self.accepted else below
        trials, by_person, pairs = self.trials, self.role_trials, dict(self.pairs)
        centred = errors - self.counts @ errors / trials
        same = centred.T @ (self.counts[:, None] * centred)
        sums = {role: table @ centred for role, table in self.by_role.items()}
        related = {role: of_role.T @ of_role - self.people_per_trial * same for role, of_role in sums.items()}
        if self.people_per_trial > 1 or len(sums) > 1:
            pairs[BOTH], related[BOTH] = 0.0, np.zeros_like(same)

        def squares(role: str, weights: Floats) -> Floats:
            return np.asarray(self.by_role[role] @ (centred @ weights) ** 2)

        scale = np.ones(errors.shape[1]) if scale is None else scale
        return Moments(trials, pairs, related, same, sums, by_person, scale, self.effective, squares)

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
class PersonCounts:
    """Counts of people's trials by cell, of both classes."""

    cluster: Cluster
    genuine: ClassCounts
    impostor: ClassCounts

    @classmethod
    def of(cls, people: People, cell: NDArray[np.int64], cells: int) -> PersonCounts:
        """Count trials in memory by person and by the cell of each."""
        genuine, impostor = (
            ClassCounts.of_members(part, cell[part.rows], cells, accepted=part is people.impostor)
            for part in people.classes
        )
        return cls(people.cluster, genuine, impostor)

    @classmethod
    def of_names(
        cls,
        cluster: Cluster,
        names: Sequence[str],
        counts: Mapping[Any, NDArray[np.int64]],
        totals: NDArray[np.int64],
        numbers: Mapping[str, int],
    ) -> PersonCounts:
        """Count trials by person from the counts of names.

        Parameters
        ----------
        cluster
            What trials share.
        names
            The names, in the order of the counts.
        counts
            For each role an array of class (impostor, genuine), name and cell.
        totals
            The counts of all trials, by class and cell.
        numbers
            The number of the person of each name.
        """
        person = np.array([numbers[name] for name in names], dtype=np.int64)
        size = 1 + max(numbers.values(), default=-1)

        def by_person(of_names: NDArray[np.int64]) -> NDArray[np.int64]:
            summed = np.zeros((size, of_names.shape[1]), dtype=np.int64)
            np.add.at(summed, person, of_names)
            return summed

        # claim and subject of a genuine trial are one person
        first = {role: by_person(table[1]) for role, table in list(counts.items())[:1]}
        both = {role: by_person(table[0]) for role, table in counts.items()}
        genuine = ClassCounts.of(first, accepted=False, counts=totals[1])
        return cls(cluster, genuine, ClassCounts.of(both, accepted=True, counts=totals[0]))

    def at(self, places: Sequence[int]) -> PersonCounts:
        """Select thresholds of one system by place."""
        return replace(self, genuine=self.genuine.at(places), impostor=self.impostor.at(places))

    @property
    def classes(self) -> tuple[ClassCounts, ClassCounts]:
        """Genuine and impostor trials."""
        return self.genuine, self.impostor

    @property
    def effective(self) -> float:
        """The effective number of people, in the class and role with the fewest."""
        return min(part.effective for part in self.classes)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on roles with one person, and on one person with much of the weight."""
        if self.cluster == "none":
            return ()
        classes = (("genuine", self.genuine), ("impostor", self.impostor))
        return tuple(note for word, part in classes for note in class_notes(word, part))


def cells_of_ranks(ranks: Sequence[NDArray[np.int64]], thresholds: Sequence[int]) -> NDArray[np.int64]:
    """Number the combinations of ranks among the thresholds of several systems; see `ClassCounts`."""
    return np.ravel_multi_index(tuple(ranks), tuple(number + 1 for number in thresholds)).astype(np.int64)
