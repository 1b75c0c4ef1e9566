"""Who shares trials, from the errors of each person at a threshold known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairtrial.intervals.judged import ClassName
from fairtrial.people import Cluster, PersonSums, spread_of_sums
from fairtrial.rules.measures import Weights
from fairtrial.scale.axis import Integers
from fairtrial.scale.counter import Counter
from fairtrial.scale.watched import ROLES, Role
from fairtrial.spread import ClassSpread, Floats, Spread, effective_people, without_one


@dataclass(frozen=True, slots=True, eq=False)
class _ClassPeople:
    """The people of one class: their trials and errors, one row per role that tells people apart."""

    trials: Floats
    errors: Floats
    count: int

    @property
    def together(self) -> Floats:
        """The trials of each person in all roles."""
        return np.asarray(self.trials.sum(axis=0))

    @property
    def effective(self) -> float:
        """How many people of equal weight they are worth, in the role with fewer."""
        return min(effective_people(self.together[own > 0]) for own in self.trials)

    def sums(self, errors: Floats, weight: float) -> PersonSums:
        """The contributions of the class by person, for errors by role and person.

        That two people take part in several trials of the class is not known. Each trial is counted twice then, as if
        no two trials had both people in common; the variance is rather too large where they have.
        """
        whole = float(errors[0].sum())
        mean, scale = whole / self.count, weight / self.count
        own = scale * (errors.sum(axis=0) - mean * self.together)
        alone = scale**2 * whole * (1 - mean)
        twice = alone if len(self.trials) > 1 else 0.0
        return PersonSums(without_one(own, self.together / self.count), twice, alone, self.effective, self.count)

    def one_error(self) -> ClassSpread:
        """What one error would add to the rate, made by people who have the fewest trials."""
        errors = np.zeros_like(self.trials)
        for row, own in enumerate(self.trials):
            errors[row, np.argmin(np.where(own > 0, self.together, np.inf))] = 1
        return self.sums(errors, 1.0).spread


@dataclass(frozen=True, slots=True, eq=False)
class WatchedPeople:
    """People with their trials and errors at one threshold."""

    cluster: Cluster
    genuine: _ClassPeople
    impostor: _ClassPeople

    def spread(self, weights: Weights) -> Spread:
        """The variance of a weighted sum of FAR and FRR."""
        return spread_of_sums(
            self.genuine.sums(self.genuine.errors, weights.frr),
            self.impostor.sums(self.impostor.errors, weights.far),
        )

    @property
    def one_error(self) -> Callable[[ClassName], ClassSpread]:
        """What one error of a class would add to its rate."""
        return lambda word: (self.genuine if word == "genuine" else self.impostor).one_error()


def watched_people(counter: Counter, threshold: float, *, system: str | None = None) -> WatchedPeople | None:
    """The people of a counter at a threshold that was given beforehand.

    Returns
    -------
    WatchedPeople or None
        None where there are no ids, or where no role of a class has two people.
    """
    found = counter.errors_by_person(threshold, system=system)
    if not found.trials:
        return None
    classes = []
    for row, total in ((1, counter.genuine), (0, counter.impostor)):
        roles = [role for role in ROLES if role in found.trials]
        # claim and subject of a genuine trial are one person
        own = roles[:1] if row == 1 else roles
        trials = {role: _merged(found.trials[role][row], found.person) for role in own}
        kept = [role for role in own if np.count_nonzero(trials[role]) > 1]
        if not kept:
            return None
        errors = [_merged(found.errors[role][row], found.person) for role in kept]
        classes.append(_ClassPeople(np.stack([trials[role] for role in kept]), np.stack(errors), total))
    known: list[Role] = list(found.trials)
    return WatchedPeople("both" if len(known) > 1 else known[0], classes[0], classes[1])


def _merged(counts: Integers, person: Integers) -> Floats:
    return np.bincount(person, counts).astype(np.float64)
