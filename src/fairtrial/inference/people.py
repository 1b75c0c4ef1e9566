"""The people who share trials: group trials by people, sum by person and resample people."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product as product_of
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import TrialsError, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials, recode, sorted_rows
from fairtrial.core.words import cut
from fairtrial.inference.variance import BOTH, Floats, Moments, effective_people

Cluster: TypeAlias = Literal["none", "claim", "subject", "both"]
"""What trials share: nothing, the claimed identity, the person behind the probe, or both."""

_FEW = 1.5
"""Mean number of trials per id below which ids may be those of recordings, not of people."""
_SAMPLED = 1000
_TABLE = 4
"""Maximum ratio of the range of values to their number for a lookup table."""
_LIKE_A_FILE = re.compile(r"[/\\]|\.[A-Za-z]\w{1,3}$")
FEW_PEOPLE = 10
"""The effective number of people below which intervals and tests are rough."""
_DOMINANT = 0.2
"""Proportion of a class's trials in which one person dominates."""


class _WithIds(Protocol):
    """Trials with ids of some roles."""

    @property
    def ids(self) -> Collection[str]: ...


CLUSTER_ROLES: dict[Cluster, tuple[str, ...]] = {
    "none": (),
    "claim": ("claim",),
    "subject": ("subject",),
    "both": ("claim", "subject"),
}
_CLUSTERS = {roles: cluster for cluster, roles in CLUSTER_ROLES.items()}


def resolve_cluster(trials: _WithIds, cluster: Cluster | None) -> Cluster:
    """Return what dependent trials share: the caller's choice, checked, or by default all ids that the trials have."""
    if cluster is None:
        return _CLUSTERS[tuple(role for role in CLUSTER_ROLES["both"] if role in trials.ids)]
    check_choice("cluster", cluster, CLUSTER_ROLES)
    missing = [role for role in CLUSTER_ROLES[cluster] if role not in trials.ids]
    if missing:
        raise TrialsError(f"cluster={cluster!r} needs {' and '.join(missing)} ids, which these trials do not have")
    return cluster


def people_of(trials: Trials, cluster: Cluster) -> list[NDArray[np.int64]]:
    """Number the people of each trial: one column, or two if both roles count.

    With both roles, claim and subject of a genuine trial are one person, whatever their names.
    """
    return _people_of_sets([trials], [cluster])[0]


def _people_of_sets(sets: Sequence[Trials], clusters: Sequence[Cluster]) -> list[list[NDArray[np.int64]]]:
    """Number the people of several sets together: the same name is the same person."""
    roles = [CLUSTER_ROLES[cluster] for cluster in clusters]
    columns = [trials.ids[role] for trials, counted in zip(sets, roles, strict=True) for role in counted]
    codes = iter(recode(columns)) if columns else iter(())
    people = [[next(codes) for _ in counted] for counted in roles]
    person = _merged(sets, people)
    start = 1 + max((int(column.max(initial=-1)) for of_set in people for column in of_set), default=-1)
    for k, (trials, of_set) in enumerate(zip(sets, people, strict=True)):
        if not of_set:
            people[k] = [start + np.argsort(sorted_rows(trials))]
            start += len(trials)
        elif person is not None:
            people[k] = [person[column] for column in of_set]
    return people


def _merged(sets: Sequence[Trials], people: Sequence[Sequence[NDArray[np.int64]]]) -> NDArray[np.int64] | None:
    """Number people so that both names of a genuine trial are one person; None if they never differ."""
    links = [
        (of_set[0][rows], of_set[1][rows])
        for trials, of_set in zip(sets, people, strict=True)
        if len(of_set) == 2
        for rows in [np.flatnonzero(trials.genuine & (of_set[0] != of_set[1]))]
        if len(rows)
    ]
    if not links:
        return None
    first, second = (np.concatenate(side) for side in zip(*links, strict=True))
    return merge_names(1 + max(int(column.max(initial=-1)) for of_set in people for column in of_set), first, second)


def merge_names(size: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the people behind `size` names, given pairs of names of one person."""
    if not len(first):
        return np.arange(size)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(first)), (first, second)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1].astype(np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The people of one class of trials."""

    rows: NDArray[np.int64]
    people: tuple[NDArray[np.int64], ...]
    """One column per role that counts; one only if claim and subject of a trial are always the same."""
    roles: tuple[str, ...]
    """The roles of the columns; ``trial`` if each trial counts as another person."""
    alone: tuple[str, ...]
    """The roles with one person only."""
    size: int
    """The number of people in all sets that are numbered together."""
    together: bool
    """Whether both roles are one, ``person``, as somebody takes part in both."""

    def __repr__(self) -> str:
        """Count trials and people."""
        people = np.count_nonzero(self.person_trials)
        return f"<Members: {len(self.rows):,} trials of {people:,} people, effective number {self.effective:.3g}>"

    @cached_property
    def is_pair(self) -> NDArray[np.bool_]:
        """Mark the trials of two people."""
        return np.not_equal(self.people[0], self.people[-1])

    @cached_property
    def by_role(self) -> dict[str, tuple[NDArray[np.int64], ...]]:
        """The columns by role; one role, ``person``, if somebody takes part in both."""
        if self.together:
            return {"person": self.people}
        return {role: (column,) for role, column in zip(self.roles, self.people, strict=True)}

    @cached_property
    def role_trials(self) -> dict[str, Floats]:
        """The trials of each person by role."""
        return {role: self._by_person(role, slice(None), None) for role in self.by_role}

    @cached_property
    def person_trials(self) -> Floats:
        """The trials that each person takes part in, in any role."""
        trials = np.bincount(self.people[0], minlength=self.size)
        if len(self.people) > 1:
            trials = trials + np.bincount(self.people[1][self.is_pair], minlength=self.size)
        return trials.astype(np.float64)

    @cached_property
    def pair_of(self) -> NDArray[np.int64]:
        """The pair of people of each trial, or the one person, as a number."""
        first, second = self.people[0], self.people[-1]
        if self.together:  # who is claimed does not matter
            first, second = np.minimum(first, second), np.maximum(first, second)
        return ranks_of(first * self.size + second, self.size**2)

    @cached_property
    def pair_trials(self) -> Floats:
        """The trials of each pair."""
        return np.bincount(self.pair_of).astype(np.float64)

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of people, in the role with fewer."""
        return min(map(effective_people, self.role_trials.values()))

    @property
    def shares(self) -> Floats:
        """The proportion of the trials that each person takes part in."""
        return self.person_trials / len(self.rows)

    def roles_apart(self) -> Members:
        """Count people by role even if somebody takes part in both roles: for parts of the trials.

        The claims of a group are its members, and its subjects may be anybody. A shared person is therefore more often
        the claim than in all trials.
        """
        return replace(self, together=False) if self.together else self

    def times_drawn(self, numbers: Floats) -> Floats:
        """Compute the weight of each trial in a resample: the product of its people's numbers from `People.draw`."""
        first = numbers[self.people[0]]
        return first if len(self.people) == 1 else np.where(self.is_pair, first * numbers[self.people[1]], first)

    def sums(self, role: str, column: NDArray[Any]) -> Floats:
        """Sum a column by person (see `moments`). A trial of two people counts for both."""
        return self._by_person(role, *_rows_and_values(column))

    def _by_person(self, role: str, rows: NDArray[np.int64] | slice, values: Floats | None) -> Floats:
        total = np.zeros(self.size)
        for which, people in enumerate(self.by_role[role]):
            if which:
                values = np.asarray(self.is_pair[rows] * (1.0 if values is None else values), dtype=np.float64)
            total += np.bincount(people[rows], values, self.size)
        return total

    def moments(self, columns: Sequence[NDArray[Any]], scale: Floats | None = None) -> Moments:
        """Compute the centred products of columns by what two trials share.

        Parameters
        ----------
        columns
            One value per trial of the class; of errors, a mask or the places of the trials.
        scale
            See `Moments`; 1 by default.
        """
        trials = len(self.rows)
        means, same = _single_trials(trials, columns)
        counts = self.role_trials
        raw = {role: np.stack([self.sums(role, column) for column in columns], axis=1) for role in counts}
        sums = {role: by_person - np.outer(counts[role], means) for role, by_person in raw.items()}
        squares = {role: float(number @ number) for role, number in counts.items()}
        products = {role: by_person.T @ by_person for role, by_person in sums.items()}
        pairs = {role: number - trials for role, number in squares.items()}
        related = {role: product - same for role, product in products.items()}
        if len(self.people) > 1:
            both, both_pairs = same, float(trials)
            if len(self.pair_trials) < trials:  # the same two people meet in several trials
                both_pairs = float(self.pair_trials @ self.pair_trials)
                size = len(self.pair_trials)
                entries = (_rows_and_values(column) for column in columns)
                table = np.stack([np.bincount(self.pair_of[rows], values, size) for rows, values in entries])
                # not by BLAS, whose threads cost more than such sums
                weighted = np.outer(np.einsum("kp,p->k", table, self.pair_trials), means)
                both = np.einsum("kp,mp->km", table, table) - weighted - weighted.T
                both = both + both_pairs * np.outer(means, means)
            twice = 2 if "person" in counts else 1
            related = {role: product - twice * both for role, product in products.items()} | {BOTH: both - same}
            pairs = {role: number - twice * both_pairs for role, number in squares.items()}
            pairs[BOTH] = both_pairs - trials

        @cache
        def product(role: str, k: int, m: int) -> Floats:
            """Sum the product of two columns by person."""
            (first, a), (second, b) = _rows_and_values(columns[k]), _rows_and_values(columns[m])
            if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):  # errors
                return raw[role][:, k] if k == m else self._by_person(role, _common_rows(first, second), None)
            values = np.zeros((2, trials))
            values[0, first], values[1, second] = 1.0 if a is None else a, 1.0 if b is None else b
            return self._by_person(role, slice(None), values[0] * values[1])

        def squared(role: str, weights: Floats) -> Floats:
            centre, used = float(weights @ means), np.flatnonzero(weights).tolist()
            total = np.zeros(self.size)
            for k, m in product_of(used, used):
                total += weights[k] * weights[m] * product(role, min(k, m), max(k, m))
            twice = sums[role] @ weights + centre * counts[role]
            return np.asarray(total - 2 * centre * twice + centre**2 * counts[role])

        scale = np.ones(len(columns)) if scale is None else scale
        return Moments(trials, pairs, related, same, sums, counts, scale, self.effective, squared)


def _common_rows(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Intersect two sorted arrays of rows."""
    if not (len(first) and len(second)):
        return first[:0]
    is_in_first = np.zeros(1 + max(first[-1], second[-1]), dtype=bool)
    is_in_first[first] = True
    common: NDArray[np.int64] = second[is_in_first[second]]
    return common


def _rows_and_values(column: NDArray[Any]) -> tuple[NDArray[np.int64] | slice, Floats | None]:
    """Return the rows of a column and their values; of errors, the rows in error and None, as each counts 1."""
    if column.dtype == bool:
        return np.flatnonzero(column), None
    return (column, None) if column.dtype.kind == "i" else (slice(None), column)


def class_moments(
    people: People | None, genuine: NDArray[np.bool_], columns: Sequence[NDArray[Any]]
) -> tuple[Moments, Moments]:
    """Compute the moments of both classes for columns with one value per trial of a set.

    Without people, every trial counts as one of other people.
    """
    if people is not None and people.cluster != "none":
        return people.moments(columns)
    by_class = ([column[rows] for column in columns] for rows in (genuine, ~genuine))
    first, second = (unrelated_moments(len(values[0]), values) for values in by_class)
    return first, second


def unrelated_moments(trials: int, columns: Sequence[NDArray[Any]], scale: Floats | None = None) -> Moments:
    """Compute the moments of one class if every trial is of other people; see `Members.moments`."""
    _, same = _single_trials(trials, columns)
    return Moments(trials, {}, {}, same, {}, {}, np.ones(len(columns)) if scale is None else scale, float(trials))


def unrelated_errors(trials: int, errors: Floats) -> Moments:
    """Compute the moments of errors of one system, if every trial is of other people, from their numbers alone.

    Errors at a stricter threshold are among those at a more lenient one.
    """
    same = np.minimum.outer(errors, errors) - np.outer(errors, errors) / trials
    return Moments(trials, {}, {}, same, {}, {}, np.ones(len(errors)), float(trials))


def _single_trials(trials: int, columns: Sequence[NDArray[Any]]) -> tuple[Floats, Floats]:
    """Compute the means of columns and the sums of their centred products."""
    entries = [_rows_and_values(column) for column in columns]
    errors = [rows for rows, _ in entries if isinstance(rows, np.ndarray)]
    same = np.empty((len(columns), len(columns)))
    if len(errors) == len(columns):
        for k, m in product_of(range(len(columns)), repeat=2):
            same[k, m] = len(errors[k] if k == m else _common_rows(errors[k], errors[m]))
        means = np.diag(same) / trials
    else:
        values = np.zeros((len(columns), trials))
        for line, (rows, entry) in zip(values, entries, strict=True):
            line[rows] = 1.0 if entry is None else entry
        for k, m in product_of(range(len(columns)), repeat=2):
            same[k, m] = values[k] @ values[m]
        means = np.array([line.mean() for line in values])
    return means, same - trials * np.outer(means, means)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class People:
    """The people of one set of trials, by class."""

    cluster: Cluster
    size: int
    is_genuine: NDArray[np.bool_]
    place: NDArray[np.int64]
    """The place of each trial among those of its class."""
    genuine: Members
    impostor: Members
    doubts: tuple[Note, ...] = ()
    """Notes on ids that may be those of recordings, not of people."""

    @classmethod
    def of(cls, trials: Trials, cluster: Cluster | None = None) -> People:
        """Identify the people of the trials of one set; see `of_sets`."""
        return cls.of_sets([trials], cluster)[0]

    @classmethod
    def of_sets(cls, sets: Sequence[Trials], cluster: Cluster | None = None) -> list[People]:
        """Identify the people of several sets, such as dev and test; a person has the same number in all of them.

        Raises
        ------
        TrialsError
            If the last set lacks ids, or a set lacks a class. Other sets use the ids that they have.
        """
        clusters = [
            resolve_cluster(trials, cluster if trials is sets[-1] or cluster == "none" else None) for trials in sets
        ]
        counted = CLUSTER_ROLES[clusters[-1]]
        clusters = [_CLUSTERS[tuple(role for role in CLUSTER_ROLES[shared] if role in counted)] for shared in clusters]
        codes = _people_of_sets(sets, clusters)
        size = 1 + max(int(column.max(initial=-1)) for columns in codes for column in columns)
        fresh = size + np.cumsum([0, *(len(trials) for trials in sets[:-1])])
        return [
            cls._of(trials, shared, columns, size, start)
            for trials, shared, columns, start in zip(sets, clusters, codes, fresh.tolist(), strict=True)
        ]

    @classmethod
    def _of(cls, trials: Trials, cluster: Cluster, codes: list[NDArray[np.int64]], size: int, fresh: int) -> People:
        parts = []
        for rows, word in ((trials.genuine, "genuine"), (~trials.genuine, "impostor")):
            if not rows.any():
                raise TrialsError(f"there is no {word} trial; error rates need both classes")
            parts.append(_members(np.flatnonzero(rows), codes, size, CLUSTER_ROLES[cluster], fresh))
        place = np.empty(len(trials), dtype=np.int64)
        for part in parts:
            place[part.rows] = np.arange(len(part.rows))
        most = 1 + max(int(column.max(initial=-1)) for part in parts for column in part.people)
        doubts = _doubts(trials, cluster)
        return cls(cluster, max(size, most), trials.genuine, place, parts[0], parts[1], doubts)

    def within(self, rows: NDArray[np.int64]) -> People:
        """Select the people of some trials, such as those of a group; they keep their numbers."""
        genuine = self.is_genuine[rows]
        place = np.empty(len(rows), dtype=np.int64)
        parts, fresh = [], self.size
        for part, flags in ((self.genuine, genuine), (self.impostor, ~genuine)):
            of_class = np.flatnonzero(flags)
            place[of_class] = np.arange(len(of_class))
            here = self.place[rows[of_class]]
            members = _members(here, list(part.people), self.size, part.roles, fresh, merge=part.together)
            parts.append(replace(members, rows=of_class))
            fresh += len(part.rows)
        most = 1 + max(int(column.max(initial=-1)) for part in parts for column in part.people)
        return People(self.cluster, max(self.size, most), genuine, place, parts[0], parts[1], self.doubts)

    def roles_apart(self) -> People:
        """Count people by role; see `Members.roles_apart`."""
        return replace(self, genuine=self.genuine.roles_apart(), impostor=self.impostor.roles_apart())

    def __repr__(self) -> str:
        """Show what trials share, and the people of each class."""
        return f"<People: cluster {self.cluster}, genuine {self.genuine!r}, impostor {self.impostor!r}>"

    @property
    def effective(self) -> float:
        """The effective number of people, in the class and role with the fewest."""
        return min(part.effective for part in self.classes)

    @property
    def classes(self) -> tuple[Members, Members]:
        """Genuine and impostor trials."""
        return self.genuine, self.impostor

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the people: roles with one person, one person with much of the weight."""
        if self.cluster == "none":
            return ()
        classes = (("genuine", self.genuine), ("impostor", self.impostor))
        return (*(note for word, part in classes for note in class_notes(word, part)), *self.doubts)

    def moments(self, columns: Sequence[NDArray[Any]]) -> tuple[Moments, Moments]:
        """Compute the moments of both classes for columns with one value per trial of the set."""
        genuine, impostor = (part.moments([column[part.rows] for column in columns]) for part in self.classes)
        return genuine, impostor

    @property
    def strata(self) -> tuple[NDArray[np.int64], ...]:
        """People with genuine trials, and the others; drawn separately, so that both classes keep people."""
        clients = np.unique(np.concatenate(self.genuine.people))
        others = np.setdiff1d(np.concatenate(self.impostor.people), clients)
        return tuple(part for part in (clients, others) if len(part))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw people with replacement, and count the draws of each person in each of `count` replicates."""
        numbers = np.zeros((count, self.size))
        for members in self.strata:
            numbers[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=count)
        return numbers


class _Shares(Protocol):
    """The weights of the people of one class."""

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
    values: dict[str, Any] = {"trials": word, "people": part.effective}
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
    """Note ids that look like file names, or that occur about once each."""
    notes = []
    for role in CLUSTER_ROLES[cluster]:
        ids = trials.ids[role].numbered()
        used = np.flatnonzero(np.bincount(ids.codes, minlength=len(ids.names)))
        names = [str(name) for name in ids.names[used[:: 1 + len(used) // _SAMPLED]]]
        files = [name for name in names if _LIKE_A_FILE.search(name)]
        why = "if a person has several, intervals are too narrow and p values too small; find the person by {person!o}"
        values: dict[str, Any] = {"role": role, "person": "^[^/]+"}
        if 2 * len(files) > len(names):
            text = f"{{role}} ids look like files, such as {{example}}: {why}"
            notes.append(Note("ids-like-files", text, warning=True, example=cut(files[0]), **values))
        elif len(used) > 1 and len(trials) < _FEW * len(used):
            text = f"{{ids:count}} {{role}} ids take part in {{each:.1f}} trials each: {why}"
            each = len(trials) / len(used)
            notes.append(Note("few-trials-per-id", text, warning=True, ids=len(used), each=each, **values))
    return tuple(notes)


def _members(
    rows: NDArray[np.int64],
    codes: list[NDArray[np.int64]],
    size: int,
    roles: tuple[str, ...],
    fresh: int,
    *,
    merge: bool = True,
) -> Members:
    """Identify the people of some trials; if each role has one person only, each trial counts as another person.

    These are numbered from `fresh`, so that they are in no other class or set. With `merge`, the two roles become one
    if somebody is in both.
    """
    people = [column[rows] for column in codes]
    counts = [int(np.count_nonzero(np.bincount(column, minlength=size))) for column in people]
    alone = tuple(role for role, count in zip(roles, counts, strict=False) if count < 2)
    counted = tuple(role for role in roles if role not in alone) or ("trial",)
    if len(alone) == len(roles) and roles:
        people = [fresh + rows]
        size = 1 + int(people[0][-1])
    else:
        people = [column for column, count in zip(people, counts, strict=True) if count > 1 or not roles]
    if np.array_equal(people[0], people[-1]):  # claim and subject of a genuine trial are one person
        people, counted = people[:1], counted[:1]
    both = [np.bincount(column, minlength=size) > 0 for column in people]
    together = merge and len(people) > 1 and bool((both[0] & both[1]).any())
    return Members(rows, tuple(people), counted, alone, size, together)


def ranks_of(numbers: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Rank numbers below `limit` among the distinct ones; by a table of all values if they are few."""
    if limit > _TABLE * len(numbers):
        return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    is_used = np.zeros(limit, dtype=np.int64)
    is_used[numbers] = 1
    ranks: NDArray[np.int64] = (np.cumsum(is_used) - 1)[numbers]
    return ranks


def shared_people(dev: People, test: People) -> int:
    """Count the people who take part in both sets."""
    takes_part = np.zeros((2, max(dev.size, test.size)), dtype=bool)
    for row, people in zip(takes_part, (dev, test), strict=True):
        for part in people.classes:
            for column in part.people:
                row[column] = True
    return int(np.count_nonzero(takes_part.all(axis=0)))
