"""People known by counts alone: the numbers of their trials between thresholds, for trials that are not in memory.

Whether two people meet in several trials is unknown. Each trial counts for both of its people, as if no two trials had
both in common, so that a variance is rather too large if they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.notes import Note
from fairtrial.inference.people import Cluster, class_notes
from fairtrial.inference.variance import BOTH, Floats, Moments, effective_people


@dataclass(frozen=True, slots=True, eq=False)
class CountedClass:
    """The people of one class of trials."""

    counts: NDArray[np.int64]
    """Trials by role, person and number of thresholds below the score. Only roles with two people or more."""
    accepted: bool
    """Whether it is an error to accept, as for impostor trials."""
    roles: tuple[str, ...] = ("claim",)
    """The names of the roles that count."""
    alone: tuple[str, ...] = ()
    """The roles in which there is one person only."""

    def at(self, places: Sequence[int]) -> CountedClass:
        """Give the same people at some of the thresholds, by place."""
        ends = [0, *(place + 1 for place in places), self.counts.shape[2]]
        between = [self.counts[:, :, start:stop].sum(axis=2) for start, stop in pairwise(ends)]
        return replace(self, counts=np.stack(between, axis=2))

    @property
    def total(self) -> int:
        """The number of trials."""
        return int(self.counts[0].sum())

    @property
    def trials(self) -> Floats:
        """The trials of each person in each role."""
        return np.asarray(self.counts.sum(axis=2), dtype=np.float64)

    @property
    def together(self) -> Floats:
        """The trials of each person in all roles."""
        return np.asarray(self.trials.sum(axis=0))

    @property
    def shares(self) -> Floats:
        """The proportion of the trials that each person takes part in."""
        return self.together / self.total

    @property
    def effective(self) -> float:
        """Kish's effective number of people, in the role with fewer."""
        together = self.together
        return min(effective_people(together[trials > 0]) for trials in self.trials)

    @property
    def cumulative(self) -> NDArray[np.int64]:
        """The trials at or below each threshold, by role and person."""
        return np.asarray(np.cumsum(self.counts, axis=2)[:, :, :-1])

    def moments(self) -> Moments:
        """Compute the moments of errors at the thresholds; see `Members.moments`.

        Which two people met is unknown: every trial counts as one of another pair, so variances are rather too large.
        """
        trials, below = self.total, self.cumulative.astype(np.float64)
        errors = self.counts.sum(axis=2)[:, :, None] - below if self.accepted else below
        totals = errors[0].sum(axis=0)
        means = totals / trials
        same = np.minimum.outer(totals, totals) - trials * np.outer(means, means)
        apart = len(self.roles) < 2 or not np.any((self.trials > 0).all(axis=0))
        counts = dict(zip(self.roles, self.trials, strict=True)) if apart else {"person": self.together}
        by_role = dict(zip(self.roles, errors, strict=True)) if apart else {"person": errors.sum(axis=0)}
        sums = {role: by_role[role] - np.outer(counts[role], means) for role in counts}
        twice = 2 if "person" in counts else 1
        pairs = {role: float(number @ number) - twice * trials for role, number in counts.items()}
        related = {role: by_person.T @ by_person - twice * same for role, by_person in sums.items()}
        if len(self.roles) > 1:
            pairs[BOTH], related[BOTH] = 0.0, np.zeros_like(same)
        effective = min(map(effective_people, counts.values()))

        def squares(role: str, weights: Floats) -> Floats:
            # errors at a stricter threshold are among those at a more lenient one
            centre, used = float(weights @ means), np.flatnonzero(weights)
            raw = by_role[role][:, used]
            products = np.minimum(raw[:, :, None], raw[:, None, :]) @ weights[used] @ weights[used]
            return np.asarray(products - 2 * centre * (raw @ weights[used]) + centre**2 * counts[role])

        return Moments(trials, pairs, related, same, sums, counts, np.ones(len(means)), effective, squares)


@dataclass(frozen=True, slots=True, eq=False)
class CountedPeople:
    """The people of trials, by their counts at rising thresholds."""

    cluster: Cluster
    names: tuple[str, ...]
    genuine: CountedClass
    impostor: CountedClass

    def at(self, places: Sequence[int]) -> CountedPeople:
        """Give the same people at some of the thresholds, by place."""
        return replace(self, genuine=self.genuine.at(places), impostor=self.impostor.at(places))

    @property
    def classes(self) -> tuple[CountedClass, CountedClass]:
        """Genuine and impostor trials."""
        return self.genuine, self.impostor

    @property
    def size(self) -> int:
        """The number of people."""
        return int(self.genuine.counts.shape[1])

    @property
    def effective(self) -> float:
        """The smallest effective number of people in a class and role."""
        return min(part.effective for part in self.classes)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know of the people."""
        classes = (("genuine", self.genuine), ("impostor", self.impostor))
        return tuple(note for word, part in classes for note in class_notes(word, part))


def count_people(
    cluster: Cluster,
    names: tuple[str, ...],
    person: NDArray[np.int64],
    counts: dict[str, NDArray[np.int64]],
) -> CountedPeople | None:
    """Make people from the numbers of their trials.

    Parameters
    ----------
    cluster
        What trials share.
    names, person
        The names, and for each the number of the person it belongs to.
    counts
        For each role: class (impostor, genuine), name, number of thresholds below the score.

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
        kept = [role for role in roles if np.count_nonzero(merged[role].sum(axis=1)) > 1]
        if not kept:
            return None
        alone = tuple(role for role in roles if role not in kept)
        stacked = np.stack([merged[role] for role in kept])
        classes.append(CountedClass(stacked, accepted=row == 0, roles=tuple(kept), alone=alone))
    return CountedPeople(cluster, names, *classes)


def people_of_counter(counter: Any, *, system: str | None = None) -> CountedPeople | None:
    """Give the people of a counter at the thresholds that it was given beforehand; None if it knows no two people."""
    ranks = counter.ranks_by_person(system=system)
    if not ranks.counts:
        return None
    roles = list(ranks.counts)
    return count_people("both" if len(roles) > 1 else roles[0], ranks.names, ranks.person, ranks.counts)


def _merged(counts: NDArray[np.int64], person: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum the counts of names by person."""
    summed = np.zeros((int(person.max(initial=-1)) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(summed, person, counts)
    return summed
