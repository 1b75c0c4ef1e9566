"""Who shares trials: the one place that groups trials by people, sums by person and draws people anew.

An error rate at a threshold is a sum of contributions, one per trial. Trials of the same person go together, so
their contributions are summed before they are squared. Where both roles count, two trials are dependent when any
person takes part in both: the sum over people, less the pairs of people that it counts twice (Fafchamps & Gubert
2007; Cameron, Gelbach & Miller 2011; Aronow, Samii & Assenova 2015).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError, check_choice
from fairtrial.core.ids import recode
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials
from fairtrial.core.words import cut
from fairtrial.inference.variance import (
    ClassSpread,
    Floats,
    Spread,
    concentration,
    effective_people,
    not_below_half,
    one_fewer,
    welch,
    without_one,
)

Cluster: TypeAlias = Literal["none", "claim", "subject", "both"]
"""What trials share: nothing, the claimed identity, the person behind the probe, or both."""

_FEW = 1.5
"""Trials of each id on average below which it may be that of a recording, not of a person."""
_SAMPLED = 1000
_TABLE = 4
"""A table of what numbers can be may be so many times as long as there are numbers."""
_LIKE_A_FILE = re.compile(r"[/\\]|\.[A-Za-z]\w{1,3}$")
FEW_PEOPLE = 10
"""The effective number of people below which intervals and tests are rough."""
_DOMINANT = 0.2
"""The share of a class's trials above which one person decides too much."""


class _WithIds(Protocol):
    """Trials that say which ids they have."""

    @property
    def ids(self) -> Collection[str]: ...


def known_cluster(trials: _WithIds, cluster: Cluster | None) -> Cluster:
    """What trials share: what the caller says, if the trials have the ids for it; else all ids that they have."""
    known = [name for name in ("claim", "subject") if name in trials.ids]
    if cluster is None:
        return "both" if len(known) == 2 else "claim" if known == ["claim"] else "subject" if known else "none"
    check_choice("cluster", cluster, ("none", "claim", "subject", "both"))
    needed = {"none": [], "claim": ["claim"], "subject": ["subject"], "both": ["claim", "subject"]}[cluster]
    missing = [name for name in needed if name not in known]
    if missing:
        raise TrialsError(f"cluster={cluster!r} needs {' and '.join(missing)} ids, which these trials do not have")
    return cluster


def people_of(trials: Trials, cluster: Cluster) -> list[NDArray[np.int64]]:
    """The people of each trial as numbers: one column, or two where both roles count.

    With both roles, claim and subject of a genuine trial are one person, whatever they are called.
    """
    return _people_of_sets([trials], [cluster])[0]


def _people_of_sets(sets: Sequence[Trials], clusters: Sequence[Cluster]) -> list[list[NDArray[np.int64]]]:
    """The people of each trial of several sets, numbered together: the same name is the same person."""
    roles = [_ROLES[cluster] for cluster in clusters]
    columns = [trials.ids[role] for trials, own in zip(sets, roles, strict=True) for role in own]
    codes = iter(recode(columns)) if columns else iter(())
    found = [[next(codes) for _ in known] for known in roles]
    person = _merged(sets, found)
    start = 1 + max((int(column.max(initial=-1)) for own in found for column in own), default=-1)
    for k, (trials, own) in enumerate(zip(sets, found, strict=True)):
        if not own:
            found[k] = [start + np.arange(len(trials))]
            start += len(trials)
        elif person is not None:
            found[k] = [person[column] for column in own]
    return found


_ROLES: dict[Cluster, tuple[str, ...]] = {
    "none": (),
    "claim": ("claim",),
    "subject": ("subject",),
    "both": ("claim", "subject"),
}


def _merged(sets: Sequence[Trials], people: Sequence[Sequence[NDArray[np.int64]]]) -> NDArray[np.int64] | None:
    """One number for the two names of a genuine trial, where they differ; None where they never do."""
    links = [
        (own[0][apart], own[1][apart])
        for trials, own in zip(sets, people, strict=True)
        if len(own) == 2
        for apart in [np.flatnonzero(trials.genuine & (own[0] != own[1]))]
        if len(apart)
    ]
    if not links:
        return None
    first, second = (np.concatenate(side) for side in zip(*links, strict=True))
    return one_person(1 + max(int(column.max(initial=-1)) for own in people for column in own), first, second)


def one_person(size: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the person behind each of so many names, given pairs of names that are one person."""
    if not len(first):
        return np.arange(size)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first)), (first, second)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Members:
    """Who takes part in the trials of one class."""

    rows: NDArray[np.int64]
    people: tuple[NDArray[np.int64], ...]
    """One column per role that counts; a role in which there is one person only tells nothing and is left out."""
    apart: NDArray[np.bool_]
    """Which trials are of two people."""
    pairs: NDArray[np.int64]
    """For those: which two, as a number."""
    pair_of: NDArray[np.int64]
    """The same for all trials, 0 where there is one person."""
    person_trials: Floats
    pair_trials: Floats
    effective: float
    alone: tuple[str, ...]
    """The roles in which there is one person only."""

    def __repr__(self) -> str:
        """How many trials and people there are."""
        people = np.count_nonzero(self.person_trials)
        return f"<Members: {len(self.rows):,} trials of {people:,} people, worth {self.effective:.3g} of equal weight>"

    @property
    def shares(self) -> Floats:
        """The share of the trials that each person takes part in."""
        return self.person_trials / len(self.rows)

    def sums(self, which: NDArray[np.int64] | slice, values: Floats, size: int) -> Floats:
        """Values of some trials summed by person; a trial of two people counts for both."""
        found = np.bincount(self.people[0][which], values, size).astype(np.float64)
        if len(self.people) > 1:
            two = self.apart[which]
            found += np.bincount(self.people[1][which][two], values[two], size)
        return found

    def times_drawn(self, numbers: Floats) -> Floats:
        """How often each trial comes, where each person comes so often (see `People.draw`): as often as both do."""
        first = numbers[self.people[0]]
        return first if len(self.people) == 1 else np.where(self.apart, first * numbers[self.people[1]], first)

    def without_one(self, sums: Floats) -> Floats:
        """By how much a mean changes without each person."""
        shares = np.zeros(len(sums))
        shares[: len(self.person_trials)] = self.shares
        return without_one(sums, shares)

    def one_error(self, size: int) -> ClassSpread:
        """What one error would add to the rate, made by people who have the fewest trials; of `size` people in all."""
        trials = np.sum([self.person_trials[column] for column in self.people], axis=0)
        error = np.array([np.argmin(trials)])
        sums, twice, alone = _centred(self, error, np.ones(1), 1.0, max(size, len(self.person_trials)))
        return PersonSums(self.without_one(sums), twice, alone, self.effective, len(self.rows)).spread


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class People:
    """Which trials share people: found once, used for any contributions of the same trials.

    Notes
    -----
    The variance is that of the jackknife over people (CV3): each person's sum is taken as it would change the mean if
    they were left out. It is never below half of that of independent trials. The variance of each class has one degree
    of freedom fewer than its effective number of people; those of a sum are Welch's and Satterthwaite's.
    """

    cluster: Cluster
    size: int
    is_genuine: NDArray[np.bool_]
    place: NDArray[np.int64]
    """Where each trial stands among those of its class."""
    genuine: Members
    impostor: Members
    doubts: tuple[Note, ...] = ()
    """Whether the ids may be those of recordings, not of people."""

    @classmethod
    def of(cls, trials: Trials, cluster: Cluster | None = None) -> People:
        """Find out who takes part in which trials."""
        return cls.of_sets([trials], cluster)[0]

    @classmethod
    def of_sets(cls, sets: Sequence[Trials], cluster: Cluster | None = None) -> list[People]:
        """The same for several sets, such as dev and test; people have the same number in all of them.

        Raises
        ------
        TrialsError
            Ids that the last set does not have, or a class without trials. Other sets go by the ids they have.
        """
        chosen = [
            known_cluster(trials, cluster if trials is sets[-1] or cluster == "none" else None) for trials in sets
        ]
        chosen = [_common(own, chosen[-1]) for own in chosen]
        codes = _people_of_sets(sets, chosen)
        size = 1 + max(int(column.max(initial=-1)) for own in codes for column in own)
        fresh = size + np.cumsum([0, *(len(trials) for trials in sets[:-1])])
        return [
            cls._of(trials, own, columns, size, start)
            for trials, own, columns, start in zip(sets, chosen, codes, fresh.tolist(), strict=True)
        ]

    @classmethod
    def _of(cls, trials: Trials, cluster: Cluster, codes: list[NDArray[np.int64]], size: int, fresh: int) -> People:
        parts = []
        for rows, word in ((trials.genuine, "genuine"), (~trials.genuine, "impostor")):
            if not rows.any():
                raise TrialsError(f"there is no {word} trial; error rates need both classes")
            parts.append(_members(np.flatnonzero(rows), codes, size, _ROLES[cluster], fresh))
        place = np.empty(len(trials), dtype=np.int64)
        for part in parts:
            place[part.rows] = np.arange(len(part.rows))
        most = 1 + max(int(column.max(initial=-1)) for part in parts for column in part.people)
        doubts = _doubts(trials, cluster)
        return cls(cluster, max(size, most), trials.genuine, place, parts[0], parts[1], doubts)

    def within(self, rows: NDArray[np.int64]) -> People:
        """Who takes part in some of the trials, such as those of a group; people keep their numbers."""
        genuine = self.is_genuine[rows]
        place = np.empty(len(rows), dtype=np.int64)
        parts, fresh = [], self.size
        for part, flags in ((self.genuine, genuine), (self.impostor, ~genuine)):
            own = np.flatnonzero(flags)
            place[own] = np.arange(len(own))
            parts.append(replace(members_within(part, self.place[rows[own]], self.size, fresh), rows=own))
            fresh += len(part.rows)
        most = 1 + max(int(column.max(initial=-1)) for part in parts for column in part.people)
        return People(self.cluster, max(self.size, most), genuine, place, parts[0], parts[1], self.doubts)

    def __repr__(self) -> str:
        """What trials share, and how many people there are in each class."""
        return f"<People: cluster {self.cluster}, genuine {self.genuine!r}, impostor {self.impostor!r}>"

    @property
    def classes(self) -> tuple[Members, Members]:
        """Genuine and impostor trials."""
        return self.genuine, self.impostor

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know of the people: roles with one person, one person with much of the weight."""
        if self.cluster == "none":
            return ()
        found = (("genuine", self.genuine), ("impostor", self.impostor))
        return (*(note for word, part in found for note in class_notes(word, part)), *self.doubts)

    def variance(self, deviations: Floats) -> Spread:
        """The variance of a sum of contributions, one per trial, that sum to 0 in each class."""
        sums, twice, alone = [], [], []
        for part in self.classes:
            own = deviations[part.rows]
            sums.append(part.sums(slice(None), own, self.size))
            twice.append(_sum_of_squares(part.pairs, own[part.apart]) if len(part.pairs) else 0.0)
            alone.append(float(np.sum(own**2)))
        return self._put_together(sums, twice, alone)

    def error_variance(self, errors: NDArray[Any], weights: tuple[float, float] = (1.0, 1.0)) -> Spread:
        """The variance of a weighted sum of class means of errors; weights are those of FAR and of FRR.

        `errors` is 1 for an error and 0 for none, the difference of two systems' errors, or any other number per
        trial. The same as that of their `contributions`, at a cost that grows with the number of errors only.
        """
        found = self._centred_errors(errors, weights)
        return self._put_together([own[0] for own in found], [own[1] for own in found], [own[2] for own in found])

    def error_sums(self, errors: NDArray[Any], weights: tuple[float, float] = (1.0, 1.0)) -> Floats:
        """By how much a weighted sum of class means of errors changes with each person, at the same cost."""
        found = self._centred_errors(errors, weights)
        parts = [
            sqrt(one_fewer(part.effective)) * part.without_one(own[0])
            for part, own in zip(self.classes, found, strict=True)
        ]
        return np.asarray(parts[0] + parts[1])

    def _centred_errors(self, errors: NDArray[Any], weights: tuple[float, float]) -> list[tuple[Floats, float, float]]:
        hits = np.flatnonzero(errors)
        values = errors[hits].astype(np.float64)
        genuine = self.is_genuine[hits]
        return [
            _centred(part, self.place[hits[which]], values[which], weight, self.size)
            for part, weight, which in ((self.genuine, weights[1], genuine), (self.impostor, weights[0], ~genuine))
        ]

    def _put_together(self, sums: list[Floats], twice: list[float], alone: list[float]) -> Spread:
        """From sums by person, squares that they count twice, and squares of single trials, to variances."""
        parts = [
            PersonSums(part.without_one(own), squares, single, part.effective, len(part.rows))
            for part, own, squares, single in zip(self.classes, sums, twice, alone, strict=True)
        ]
        return spread_of_sums(*parts)

    def sums_by_person(self, deviations: Floats) -> Floats:
        """By how much a sum of contributions changes without each person, and the other way round."""
        return sum(
            (part.without_one(part.sums(slice(None), deviations[part.rows], self.size)) for part in self.classes),
            np.zeros(self.size),
        )

    @property
    def strata(self) -> tuple[NDArray[np.int64], ...]:
        """People with genuine trials, and the others: each drawn among themselves, so that classes keep their order."""
        clients = np.unique(np.concatenate(self.genuine.people))
        others = np.setdiff1d(np.concatenate(self.impostor.people), clients)
        return tuple(part for part in (clients, others) if len(part))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """How often each person comes in each of so many replicates: people drawn with replacement."""
        numbers = np.zeros((count, self.size))
        for members in self.strata:
            numbers[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=count)
        return numbers


class _Shares(Protocol):
    """The people of one class of trials, as far as their weights go."""

    @property
    def alone(self) -> tuple[str, ...]: ...

    @property
    def shares(self) -> Floats: ...

    @property
    def effective(self) -> float: ...


def class_notes(word: str, part: _Shares) -> list[Note]:
    """Note roles with one person only, and one person with much weight."""
    notes = [
        Note(
            "one-person",
            "all {trials} trials have the same {role}: intervals and tests hold for this {role} only",
            warning=True,
            trials=word,
            role=role,
        )
        for role in part.alone
    ]
    largest = float(part.shares.max())
    values = {"trials": word, "people": part.effective}
    if not part.alone and largest > _DOMINANT:
        text = (
            "one person takes part in {largest:level} of the {trials} trials: their effective number of people is "
            "{people:.3g}, and intervals and tests are rough"
        )
        notes.append(Note("dominant-person", text, warning=True, largest=round(largest, 2), **values))
    elif part.effective < FEW_PEOPLE:
        text = "the {trials} trials have an effective number of {people:.3g} people in one role ({needed} needed)"
        notes.append(
            Note("few-people", f"{text}: intervals and tests are rough", warning=True, needed=FEW_PEOPLE, **values)
        )
    return notes


def _doubts(trials: Trials, cluster: Cluster) -> tuple[Note, ...]:
    """Notes on ids that look like those of files, or that come once each."""
    found = []
    for role in _ROLES[cluster]:
        ids = trials.ids[role].numbered()
        used = np.flatnonzero(np.bincount(ids.codes, minlength=len(ids.names)))
        names = [str(name) for name in ids.names[used[:: 1 + len(used) // _SAMPLED]]]
        files = [name for name in names if _LIKE_A_FILE.search(name)]
        why = "if a person has several, intervals are too narrow and p values too small; find the person by {person!o}"
        values = {"role": role, "person": "^[^/]+"}
        if 2 * len(files) > len(names):
            text = f"{{role}} ids look like files, such as {{example}}: {why}"
            found.append(Note("ids-like-files", text, warning=True, example=cut(files[0]), **values))
        elif len(used) > 1 and len(trials) < _FEW * len(used):
            text = f"{{ids:count}} {{role}} ids take part in {{each:.1f}} trials each: {why}"
            each = len(trials) / len(used)
            found.append(Note("few-trials-per-id", text, warning=True, ids=len(used), each=each, **values))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class PersonSums:
    """The contributions of one class of trials, summed by person."""

    moved: Floats
    """By how much the figure changes without each person."""
    twice: float
    """The squares that sums by person count twice, as two people take part in a trial."""
    alone: float
    """The squares of single trials."""
    effective: float
    """As many people of equal weight they are worth."""
    trials: int

    @property
    def spread(self) -> ClassSpread:
        """The variance of the class, from what leaving each person out changes."""
        squares = self.moved**2
        total = float(squares.sum())
        variance = not_below_half((total - self.twice) * one_fewer(self.effective), self.alone)
        return ClassSpread(variance, self.effective, self.trials, concentration(squares, total))


def spread_of_sums(genuine: PersonSums, impostor: PersonSums) -> Spread:
    """The variance of a figure of both classes, people numbered alike in them."""
    classes = genuine.spread, impostor.spread
    degrees = welch([(own.variance, max(own.people - 1, 1.0)) for own in classes])
    together = float(np.sum((genuine.moved + impostor.moved) ** 2)) - genuine.twice - impostor.twice
    variance = not_below_half(together * degrees / (degrees + 1), genuine.alone + impostor.alone)
    return Spread(variance, degrees, *classes)


def _common(own: Cluster, asked: Cluster) -> Cluster:
    """The roles that a set knows and that count in the set that is judged."""
    roles = [role for role in _ROLES[own] if role in _ROLES[asked]]
    return "both" if len(roles) == 2 else "claim" if roles == ["claim"] else "subject" if roles else "none"


def _members(
    rows: NDArray[np.int64], codes: list[NDArray[np.int64]], size: int, roles: tuple[str, ...], fresh: int
) -> Members:
    """Who takes part in some trials; where each role has one person only, each trial stands for a person of its own.

    Those are numbered from `fresh`, so that they are in no other class and no other set.
    """
    people = [column[rows] for column in codes]
    counts = [int(np.count_nonzero(np.bincount(column, minlength=size))) for column in people]
    alone = tuple(role for role, count in zip(roles, counts, strict=False) if count < 2)
    if len(alone) == len(roles) and roles:
        people = [fresh + rows]
        size = 1 + int(people[0][-1])
    else:
        people = [column for column, count in zip(people, counts, strict=True) if count > 1 or not roles]
    apart = people[0] != people[-1]
    first, second = people[0][apart], people[-1][apart]
    numbers = np.minimum(first, second) * size + np.maximum(first, second)
    pairs = ranks_of(numbers, size * size)
    pair_of = np.zeros(len(rows), dtype=np.int64)
    pair_of[apart] = pairs
    trials = np.bincount(people[0], minlength=size).astype(np.float64)
    if len(people) > 1:
        trials += np.bincount(second, minlength=size)
    effective = min(effective_people(trials[np.bincount(column, minlength=size) > 0]) for column in people)
    return Members(
        rows, tuple(people), apart, pairs, pair_of, trials, np.bincount(pairs).astype(np.float64), effective, alone
    )


def ranks_of(numbers: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The rank of each number among all distinct ones; all are below `limit`.

    Where there are many numbers and few that they can be, a table of those is quicker than to sort.
    """
    if limit > _TABLE * len(numbers):
        return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    there = np.zeros(limit, dtype=np.int64)
    there[numbers] = 1
    found: NDArray[np.int64] = (np.cumsum(there) - 1)[numbers]
    return found


def members_within(part: Members, rows: NDArray[np.int64], size: int, fresh: int | None = None) -> Members:
    """Who takes part in some of the trials of a class, of `size` people in all; rows count within the class.

    Trials that stand for people of their own are numbered from `fresh`, or from `size`.
    """
    roles = ("claim", "subject")[: len(part.people)]
    return _members(rows, list(part.people), size, roles, size if fresh is None else fresh)


def _centred(
    part: Members, which: NDArray[np.int64], values: Floats, weight: float, size: int
) -> tuple[Floats, float, float]:
    """Sums by person, squares counted twice and squares of trials, of contributions alike but for a few trials."""
    count = len(part.rows)
    mean, scale = values.sum() / count, weight / count
    trials = np.zeros(size)
    trials[: len(part.person_trials)] = part.person_trials
    sums = scale * (part.sums(which, values, size) - mean * trials)
    alone = scale**2 * (float(np.sum(values**2)) - count * mean**2)
    if not len(part.pairs):
        return sums, 0.0, max(alone, 0.0)
    two = part.apart[which]
    pairs, place = np.unique(part.pair_of[which[two]], return_inverse=True)
    hits = np.bincount(place, values[two], len(pairs))
    alike = mean**2 * float(np.sum(part.pair_trials**2))
    twice = scale**2 * (alike + float(np.sum(hits * (hits - 2 * mean * part.pair_trials[pairs]))))
    return sums, max(twice, 0.0), max(alone, 0.0)


def _sum_of_squares(codes: NDArray[Any], deviations: Floats) -> float:
    return float(np.sum(np.bincount(codes, deviations) ** 2))


def shared_people(dev: People, test: People) -> int:
    """How many people take part in both sets."""
    there = np.zeros((2, max(dev.size, test.size)), dtype=bool)
    for own, people in zip(there, (dev, test), strict=True):
        for part in people.classes:
            for column in part.people:
                own[column] = True
    return int(np.count_nonzero(there[0] & there[1]))
