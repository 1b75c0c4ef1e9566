"""Count scores in bounded memory: feed, merge, save and load counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import FairtrialError, InputError, ParameterError, TrialsError, check_share, check_workers
from fairtrial.core.notes import Note, distances_note
from fairtrial.core.trials import Frame, IdColumn, Ids, NamedSystems, Trials, trials_of
from fairtrial.core.words import listed, plural
from fairtrial.counting.cells import LAST_LEVEL, MOST_CELLS_AT_LAST, Accumulator, CountedCells, cell_starts, scores_at
from fairtrial.counting.kernels import Integers, add_by_class
from fairtrial.counting.tallies import ErrorCounts, Genuine, Scores, processors, rank_tally, score_array
from fairtrial.formats.counter_file import read_part, write_part, wrong_content
from fairtrial.formats.files import PathLike
from fairtrial.inference.people import merge_names

Thresholds: TypeAlias = Sequence[float] | NDArray[np.float64] | Mapping[str, Sequence[float]]
"""Thresholds for all systems, or for each system by its name."""
Role: TypeAlias = Literal["claim", "subject"]
ROLES: tuple[Role, ...] = ("claim", "subject")
_MOST_TRIALS = 1 << 53  # more could not be distinguished as 64-bit floats


class Roster:
    """The people of a counter, numbered as they come; the same name is the same person in both roles."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._links: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, as they came."""
        return tuple(self._numbers)

    def persons(self, others: Iterable[Roster] = (), *, linked: bool = True) -> dict[str, int]:
        """Number the persons of this roster and of others together, by name; `linked` names are one person."""
        union = Roster()
        for roster in (self, *others):
            union.merge(roster)
        names, _, links = union.ordered()
        pairs = links if linked else links[:0]
        return dict(zip(names, merge_names(len(names), pairs[:, 0], pairs[:, 1]).tolist(), strict=True))

    def number(self, ids: IdColumn) -> Integers:
        """Give the number of the person of each trial."""
        column = ids.numbered()
        used = np.unique(column.codes)
        mapping = np.zeros(len(column.names), dtype=np.int64)
        mapping[used] = self.add([str(column.names[code]) for code in used.tolist()])
        return mapping[column.codes]

    def add(self, names: Iterable[str]) -> Integers:
        """Give the numbers of these people, new ones to those that have none."""
        numbers = self._numbers
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    def link(self, pairs: Integers) -> None:
        """Make each pair one person."""
        apart = pairs[pairs[:, 0] != pairs[:, 1]]
        if len(apart):
            self._links |= {(a, b) for a, b in np.unique(np.sort(apart, axis=1), axis=0).tolist()}

    def merge(self, other: Roster) -> Integers:
        """Add the people and links of another roster, and give their numbers here."""
        numbers = self.add(other._numbers)
        self.link(numbers[other._pairs()])
        return numbers

    def ordered(self) -> tuple[tuple[str, ...], Integers, Integers]:
        """Give the names in alphabetical order, the number of each, and the links by places in that order."""
        names = list(self._numbers)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        links = np.sort(place[self._pairs()], axis=1)
        return tuple(names[k] for k in order.tolist()), order, links[np.lexsort((links[:, 1], links[:, 0]))]

    def _pairs(self) -> Integers:
        return np.array(sorted(self._links), dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class PersonErrors:
    """Trials and errors of each person at one threshold.

    Parameters
    ----------
    names
        The names of people, in their order.
    person
        For each name, the number of the person: two names that a genuine trial has in common are one person.
    trials, errors
        For each role, two rows, impostor and genuine trials, and one column per name.
    """

    names: tuple[str, ...]
    person: Integers
    trials: dict[Role, Integers]
    errors: dict[Role, Integers]


@dataclass(frozen=True, slots=True, eq=False)
class PersonRanks:
    """Trials of each person by the number of thresholds below their score.

    Parameters
    ----------
    names, person
        As in `PersonErrors`.
    counts
        For each role: class (impostor, genuine), name, number of thresholds below the score.
    totals
        The same of all trials: class, number of thresholds below the score.
    """

    names: tuple[str, ...]
    person: Integers
    counts: dict[Role, Integers]
    totals: Integers


class WatchedErrors:
    """Scores of one system by the number of thresholds below them: of each class, and of each person in each role.

    Parameters
    ----------
    thresholds
        Distinct and rising.
    roles
        The roles in which people are counted.

    Attributes
    ----------
    by_class
        Two rows, impostor and genuine.
    by_person
        For each role: class, person, number of thresholds below the score.
    """

    def __init__(self, thresholds: NDArray[np.float64], roles: tuple[Role, ...] = ()) -> None:
        self.thresholds = thresholds
        self._tally = rank_tally(thresholds)
        self.by_class = self._tally.start()
        width = len(thresholds) + 1
        self.by_person: dict[Role, Integers] = {role: np.zeros((2, 0, width), dtype=np.int64) for role in roles}

    def add(self, scores: Scores, genuine: Genuine, people: Mapping[Role, Integers], size: int) -> None:
        """Count scores of trials of these people, all of whose numbers are below `size`."""
        ranks = self._tally.ranks(scores)
        add_by_class(self.by_class, ranks, genuine)
        width = len(self.thresholds) + 1
        for role, numbers in people.items():
            counts = np.zeros((2, size * width), dtype=np.int64)
            add_by_class(counts, numbers * width + ranks, genuine)
            self._add_people(role, counts.reshape(2, size, width), np.arange(size))

    def merge(self, other: WatchedErrors, numbers: Integers) -> None:
        """Add the counts of another counter, whose people have these numbers here."""
        self.by_class = self.by_class + other.by_class
        for role, counts in other.by_person.items():
            self._add_people(role, counts, numbers[: counts.shape[1]])

    def renumbered(self, order: Integers) -> dict[Role, Integers]:
        """Give the counts of the people of these numbers, in this order."""
        return {role: _grown(counts, len(order))[:, order] for role, counts in self.by_person.items()}

    def _add_people(self, role: Role, counts: Integers, numbers: Integers) -> None:
        people = self.by_person[role] = _grown(self.by_person[role], 1 + int(numbers.max(initial=-1)))
        people[:, numbers] += counts

    def errors(self) -> ErrorCounts:
        """Give the errors at all thresholds."""
        rejected = np.cumsum(self.by_class, axis=1)[:, :-1]
        impostor, genuine = self.by_class.sum(axis=1).tolist()
        return ErrorCounts(self.thresholds, impostor - rejected[0], rejected[1], genuine, impostor)


def _grown(counts: Integers, people: int) -> Integers:
    """Add people without trials, if there are fewer."""
    if people <= counts.shape[1]:
        return counts
    return np.pad(counts, ((0, 0), (0, people - counts.shape[1]), (0, 0)))


def _check_thresholds(thresholds: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Give thresholds distinct and rising."""
    try:
        values = np.unique(np.atleast_1d(np.asarray(thresholds, dtype=np.float64))) + 0.0
    except (TypeError, ValueError) as error:
        raise ParameterError(f"thresholds must be numbers, not {thresholds!r}") from error
    if np.isnan(values).any():
        raise ParameterError("a threshold is NaN; thresholds must be numbers, -inf or inf")
    return values


PRECISION = 1e-4


class Counter(NamedSystems):
    """Scores of one or several systems, counted as they come, in bounded memory.

    Scores are counted in cells so narrow that every figure is known between two bounds. The content of a counter
    depends only on the scores it was given: not on their order, not on how they were cut into chunks, and not on
    which of them were counted elsewhere and merged.

    Parameters
    ----------
    systems : str or iterable of str, default "system"
        The names of the systems, in the order of the columns of scores.
    precision : float, default 0.0001
        How far apart the bounds of an error rate may be, relative to the rate. It decides how many cells are kept, and
        so the memory: about a million cells for 1e-4. It is a target; `evaluate` notes if it is missed.
    thresholds : sequence of float or dict of str to sequence of float, optional
        Thresholds that are known beforehand, for all systems or by name. Errors there are counted exactly, and by
        person if ids are given.
    threads : int, optional
        How many threads count large arrays; all processors by default. The result is the same for any.
    distances : iterable of str, default ()
        The systems whose scores are distances, which the caller negates before they are counted.

    Raises
    ------
    ParameterError
        If the precision is not between 0 and 1, thresholds are not numbers, or names are unknown or occur twice.

    Notes
    -----
    The cells belong to a fixed series of nested partitions of all doubles (`fairtrial.counting.cells`). A counter is at
    the finest of them at which its budget of cells holds all scores. Counts in coarser cells are sums of counts in
    finer ones, so counting in parts and merging gives the same bits as one pass. Up to that budget of distinct scores
    nothing is lost, and all figures are exact.

    Examples
    --------
    >>> counter = Counter()
    >>> counter.update([0.9, 0.8, 0.4, 0.7], True)
    >>> counter.update([0.1, 0.3, 0.5, 0.2, 0.6], False)
    >>> counter
    <Counter: 4 genuine and 5 impostor trials, 1 system: system>
    """

    def __init__(
        self,
        systems: str | Iterable[str] = "system",
        *,
        precision: float = PRECISION,
        thresholds: Thresholds | None = None,
        threads: int | None = None,
        distances: Iterable[str] = (),
    ) -> None:
        self.systems: tuple[str, ...] = (systems,) if isinstance(systems, str) else tuple(systems)
        if not self.systems or len(set(self.systems)) != len(self.systems):
            raise ParameterError(f"systems must have names of their own, not {listed(self.systems) or 'none at all'}")
        self.precision = check_share("precision", precision, open_ends=True)
        self.budget = max(2 ** ceil(log2(min(100 / self.precision, 1 << 24))), MOST_CELLS_AT_LAST)
        # as a power of two, how many cells a binade keeps at all but the coarsest levels
        self._floor = int(log2(self.budget)) - 10
        if threads is not None:
            check_workers(threads)
        self._counted = [Accumulator(self.budget, self._floor, threads=threads) for _ in self.systems]
        given: Any = () if thresholds is None else thresholds
        by_system = given if isinstance(given, Mapping) else dict.fromkeys(self.systems, given)
        negated = [*distances]
        for what, names in (("thresholds are given for", by_system), ("distances come from", negated)):
            if unknown := [name for name in names if name not in self.systems]:
                raise ParameterError(f"{what} {listed(unknown)}; the systems are {listed(self.systems)}")
        self.distances = tuple(name for name in self.systems if name in negated)
        self._by_system = [_check_thresholds(by_system.get(name, ())) for name in self.systems]
        self._roles: tuple[Role, ...] | None = None
        self._roster = Roster()
        self._watched: list[WatchedErrors] = []
        self._totals = np.zeros(2, dtype=np.int64)

    @property
    def genuine(self) -> int:
        """The number of genuine trials."""
        return int(self._totals[1])

    @property
    def impostor(self) -> int:
        """The number of impostor trials."""
        return int(self._totals[0])

    @property
    def thresholds(self) -> dict[str, tuple[float, ...]]:
        """The thresholds known beforehand, by system."""
        return {name: tuple(values.tolist()) for name, values in zip(self.systems, self._by_system, strict=True)}

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles in which people are counted."""
        return self._roles or ()

    def __len__(self) -> int:
        return self.genuine + self.impostor

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return (
            f"<Counter: {self.genuine:,} genuine and {self.impostor:,} impostor trials, "
            f"{plural(len(self.systems), 'system')}: {listed(self.systems)}>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counter):
            return NotImplemented
        if self.settings() != other.settings():
            return False
        a, b = self.arrays(), other.arrays()
        return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)

    __hash__ = None  # type: ignore[assignment]

    def update(
        self,
        scores: ArrayLike | Trials | Frame,
        genuine: ArrayLike | None = None,
        *,
        claim: Iterable[Any] | IdColumn | None = None,
        subject: Iterable[Any] | IdColumn | None = None,
    ) -> None:
        """Count more trials.

        Parameters
        ----------
        scores : array_like, Trials or data frame
            Scores of shape (trials,) or (trials, systems), higher means more genuine; or `Trials` or a data frame of
            them, which bring all the rest. Infinite scores are allowed.
        genuine : array_like, optional
            Whether the claim of each trial is true: boolean, shape (trials,), or one answer for all.
        claim, subject : iterable or Ids, optional
            One id per trial: the claimed identity, and who the probe really is. They are used at the thresholds that
            are known beforehand.

        Raises
        ------
        TrialsError
            If a score is NaN, arrays have different lengths, or only some trials have ids. Nothing of the update is
            counted then.

        Examples
        --------
        >>> counter = Counter(thresholds=[0.5])
        >>> counter.update([0.9, 0.6, 0.2], [True, False, False], claim=["a", "a", "b"])
        >>> counter.errors_at(0.5).false_accepts
        1
        """
        if isinstance(scores, Frame) and genuine is None:  # with labels beside it, it is one column
            scores = trials_of(scores, "scores")
        if isinstance(scores, Trials):
            missing = [name for name in self.systems if name not in scores.systems]
            if missing:
                raise TrialsError(f"the trials hold no scores of {listed(missing)}; they hold {listed(scores.systems)}")
            columns = [np.ascontiguousarray(scores.column(name)) for name in self.systems]
            flags: Genuine = scores.genuine
            ids = {role: scores.ids[role] for role in ROLES if role in scores.ids}
        else:
            columns = self._columns(cast(ArrayLike, scores))
            flags = _check_genuine(genuine, len(columns[0]))
            ids = {
                role: column if hasattr(column, "numbered") else Ids.of(column)  # type: ignore[misc]
                for role, column in zip(ROLES, (claim, subject), strict=True)
                if column is not None
            }
        count = len(columns[0])
        if any(len(column) != count for column in ids.values()):
            raise TrialsError("scores and ids must have one entry per trial")
        people: dict[Role, Integers] = {}
        if any(len(values) for values in self._by_system):
            self._know_roles(tuple(ids))
            people = {role: self._roster.number(column) for role, column in ids.items()}
            if len(people) == 2:
                rows: Any = slice(None) if flags is True else slice(0) if flags is False else flags
                self._roster.link(np.stack([people[role][rows] for role in ROLES], axis=1))
        for accumulator, column in zip(self._counted, columns, strict=True):
            accumulator.add(column, flags)
        for watched, column in zip(self._watched, columns, strict=False):
            watched.add(column, flags, people, len(self._roster))
        right = count * flags if isinstance(flags, bool) else int(np.count_nonzero(flags))
        self._totals += np.array([count - right, right])

    def _columns(self, scores: ArrayLike) -> list[Scores]:
        values = np.asanyarray(scores)
        if values.ndim == 2 and values.shape[1] == len(self.systems):
            return [score_array(values[:, k], f"scores of {name}") for k, name in enumerate(self.systems)]
        if values.ndim == 1 and len(self.systems) == 1:
            return [score_array(values, "scores")]
        raise TrialsError(
            f"scores of {plural(len(self.systems), 'system')} must be an array of one row per trial and "
            f"{plural(len(self.systems), 'column')}, not of shape {values.shape}"
        )

    def _know_roles(self, roles: tuple[Role, ...]) -> None:
        if self._roles is None:
            self._roles = roles
            self._watched = [WatchedErrors(values, roles) for values in self._by_system]
        elif roles != self._roles:
            now, before = (f"{' and '.join(each)} ids" if each else "no ids" for each in (roles, self._roles))
            raise TrialsError(
                f"these trials come with {now}, those counted before with {before}; give the same ids with all trials"
            )

    def merge(self, other: Counter) -> None:
        """Add the counts of another counter, which stays unchanged.

        Parameters
        ----------
        other : Counter
            A counter of the same systems, precision and thresholds.

        Raises
        ------
        ParameterError
            If the other counter has other systems or settings. Nothing of it is counted then.

        Examples
        --------
        >>> one, other = Counter(), Counter()
        >>> one.update([0.9, 0.2], [True, False])
        >>> other.update([0.8], True)
        >>> one.merge(other)
        >>> len(one)
        3
        """
        mine, theirs = self.settings(), other.settings()
        for name in mine | theirs:
            if mine.get(name) != theirs.get(name):
                settings = f"{_setting_text(mine.get(name))} and {_setting_text(theirs.get(name))}"
                hint = "; count them under the same names" if name == "systems" else ""
                raise ParameterError(f"counters of different {name} cannot be merged: {settings}{hint}")
        if len(self) + len(other) > _MOST_TRIALS:
            raise TrialsError("a counter holds at most {most:,} trials", code="too-many-trials", most=_MOST_TRIALS)
        if other._roles is not None:
            self._know_roles(other._roles)
            numbers = self._roster.merge(other._roster)
            for watched, more in zip(self._watched, other._watched, strict=True):
                watched.merge(more, numbers)
        for accumulator, system in zip(self._counted, self.systems, strict=True):
            accumulator.merge(other.cells(system))
        self._totals += other._totals

    def emptied(self) -> Counter:
        """Give an empty counter of the same settings and the same roles of people.

        Returns
        -------
        Counter
            The new counter.
        """
        counter = Counter(self.systems, precision=self.precision, thresholds=self.thresholds, distances=self.distances)
        if self._roles is not None:
            counter._know_roles(self._roles)
        return counter

    def cells(self, system: str | None = None) -> CountedCells:
        """Give the scores of one system in their cells.

        Parameters
        ----------
        system : str, optional
            The name of the system; not needed if there is only one.

        Returns
        -------
        CountedCells
            The numbers of scores of each class in each cell.
        """
        return self._counted[self._index(system)].cells()

    def errors_at(self, threshold: float, *, system: str | None = None) -> ErrorCounts:
        """Give the exact errors at a threshold that was given beforehand.

        Parameters
        ----------
        threshold : float
            One of the thresholds given beforehand.
        system : str, optional
            The name of the system; not needed if there is only one.

        Returns
        -------
        ErrorCounts
            Errors and trials.

        Raises
        ------
        ParameterError
            If the threshold was not given beforehand.
        """
        index = self._index(system)
        known = self._by_system[index]
        if threshold not in known:
            raise ParameterError(f"errors were not counted at {threshold:g}; they were at: {listed(known) or 'none'}")
        if not self._watched:
            return ErrorCounts(float(threshold), 0, 0, 0, 0)
        return self._watched[index].errors()[int(np.searchsorted(known, threshold))].scalar()

    def errors_by_person(self, threshold: float, *, system: str | None = None) -> PersonErrors:
        """Give trials and errors of each person at a threshold that was given beforehand.

        Parameters
        ----------
        threshold : float
            One of the thresholds given beforehand.
        system : str, optional
            The name of the system; not needed if there is only one.

        Returns
        -------
        PersonErrors
            One entry per name, in each role; see there.

        Examples
        --------
        >>> counter = Counter(thresholds=[0.5])
        >>> counter.update([0.9, 0.6, 0.2], [True, False, False], claim=["a", "b", "a"])
        >>> errors = counter.errors_by_person(0.5)
        >>> errors.names, errors.errors["claim"].tolist()
        (('a', 'b'), [[0, 1], [0, 0]])
        """
        self.errors_at(threshold, system=system)
        ranks = self.ranks_by_person(system=system)
        place = 1 + int(np.searchsorted(self._by_system[self._index(system)], threshold))
        trials = {role: counts.sum(axis=2) for role, counts in ranks.counts.items()}
        errors = {
            role: np.stack([counts[0, :, place:].sum(axis=1), counts[1, :, :place].sum(axis=1)])
            for role, counts in ranks.counts.items()
        }
        return PersonErrors(ranks.names, ranks.person, trials, errors)

    def ranks_by_person(self, *, system: str | None = None) -> PersonRanks:
        """Give the trials of each person by the number of thresholds below the score, for those given beforehand.

        Parameters
        ----------
        system : str, optional
            The name of the system; not needed if there is only one.

        Returns
        -------
        PersonRanks
            One entry per name, in each role; see there.
        """
        index = self._index(system)
        names, order, links = self._roster.ordered()
        watched = self._watched[index] if self._watched else WatchedErrors(self._by_system[index])
        person = merge_names(len(names), links[:, 0], links[:, 1])
        return PersonRanks(names, person, watched.renumbered(order), watched.by_class)

    has_scores = False

    @property
    def notes(self) -> tuple[Note, ...]:
        """Which systems gave distances."""
        return (distances_note(self.distances),) if self.distances else ()

    def run_together(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run functions that use the counts, one after the other."""
        return [work() for work in works]

    @property
    def ids(self) -> frozenset[str]:
        """The ids that were counted at thresholds given beforehand."""
        return frozenset(self.roles if self._watched else ())

    @property
    def roster(self) -> Roster:
        """The names of all people, if they were counted."""
        return self._roster

    def same_as(self, other: Any) -> bool:
        """Compare the counts of two counters."""
        return self is other or bool(self == other)

    def people_between(
        self,
        systems: Sequence[str],
        thresholds: Sequence[NDArray[np.float64]],
        cluster: Any,
        numbers: Mapping[str, int],
    ) -> Any:
        """Count people's trials between thresholds of one system; None unless these were given beforehand, with ids."""
        from fairtrial.inference.person_counts import PersonCounts

        (system, *others), watched = systems, self.thresholds[systems[0]]
        if others or not self.roles or not set(thresholds[0].tolist()) <= set(watched):
            return None
        ranks = self.ranks_by_person(system=system)
        counts = PersonCounts.of_names(cluster, ranks.names, ranks.counts, ranks.totals, numbers)
        return counts.at([watched.index(threshold) for threshold in thresholds[0].tolist()])

    def source_of(self, system: str | None) -> Any:
        """Refuse to give scores, which a counter does not keep."""
        raise TrialsError("a counter keeps no scores; this needs the scores themselves", code="needs-scores")

    def _index(self, system: str | None) -> int:
        return self.systems.index(self.check_system(system))

    def settings(self) -> dict[str, Any]:
        """Give the settings that two counters must have in common to be merged.

        Returns
        -------
        dict
            Systems, precision and thresholds; and distances, if there are any.
        """
        settings: dict[str, Any] = {"systems": list(self.systems), "precision": self.precision}
        settings["thresholds"] = self.thresholds
        return settings | ({"distances": list(self.distances)} if self.distances else {})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all counts by name: the same for the same trials, in whatever order they came.

        Returns
        -------
        dict of str to ndarray
            Arrays by name.
        """
        arrays: dict[str, NDArray[Any]] = {"totals": self._totals}
        for k, name in enumerate(self.systems):
            cells = self.cells(name)
            arrays |= {f"level.{k}": np.array([cells.level]), f"starts.{k}": cells.starts, f"counts.{k}": cells.counts}
        return arrays | self._people_arrays()

    def _people_arrays(self) -> dict[str, NDArray[Any]]:
        """Give the people and their counts by name; nothing if they are not counted."""
        if self._roles is None:
            return {}
        names, order, links = self._roster.ordered()
        words = [name.encode("utf-8", "surrogatepass") for name in names]
        arrays: dict[str, NDArray[Any]] = {
            "roles": np.array([role in self._roles for role in ROLES]),
            "links": links,
            "people": np.frombuffer(b"".join(words), dtype=np.uint8),
            "people.ends": np.cumsum([0, *map(len, words)]),
        }
        for k, watched in enumerate(self._watched):
            arrays[f"watched.{k}"] = watched.by_class
            arrays |= {f"{role}.{k}": counts for role, counts in watched.renumbered(order).items()}
        return arrays

    def save(self, path: PathLike) -> None:
        """Write all counts to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.ftc``. The same trials give the same bytes.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        write_part(path, {"settings": self.settings()}, self.arrays())

    @classmethod
    def load(cls, path: PathLike) -> Counter:
        """Read a saved counter; it can be updated further.

        Parameters
        ----------
        path : str or path-like
            A file that `save` or ``fairtrial count`` wrote.

        Returns
        -------
        Counter
            The counter.

        Raises
        ------
        InputError
            If the file cannot be read, is not that of a counter or of a later version, is cut off or damaged.
        """
        header, arrays = read_part(path)
        try:
            return cls.from_arrays(header["settings"], arrays)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
            raise wrong_content(path, error) from error

    @classmethod
    def from_arrays(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Counter:
        """Make a counter from its settings and arrays.

        Parameters
        ----------
        settings : dict
            As of `settings`.
        arrays : dict of str to ndarray
            As of `arrays`.

        Returns
        -------
        Counter
            The counter.

        Raises
        ------
        ValueError
            If no counter of these settings could hold these arrays.
        """
        if not all(isinstance(name, str) for name in [*settings["systems"], *settings["thresholds"]]):
            raise ValueError("the names of systems are not texts")
        known = {name: settings[name] for name in ("systems", "precision", "thresholds")}
        counter = cls(**known, distances=settings.get("distances", ()))
        totals = arrays["totals"]
        _check_counts("totals", totals, (2,))
        counter._totals += totals
        names = {"totals"}
        for k, accumulator in enumerate(counter._counted):
            names |= {f"level.{k}", f"starts.{k}", f"counts.{k}"}
            level, starts, counts = (arrays[f"{name}.{k}"] for name in ("level", "starts", "counts"))
            if level.shape != (1,) or not 0 <= level[0] <= LAST_LEVEL or starts.ndim != 1:
                raise ValueError(f"level.{k} or starts.{k} is out of range")
            if len(starts) > counter.budget or np.isnan(scores_at(starts)).any() or (starts[1:] <= starts[:-1]).any():
                raise ValueError(f"starts.{k} does not rise, or is out of range")
            if not np.array_equal(cell_starts(starts, int(level[0]), counter._floor), starts):
                raise ValueError(f"starts.{k} holds values that are not starts of cells")
            _check_counts(f"counts.{k}", counts, (2, len(starts)), totals)
            if not counts.any(axis=0).all():
                raise ValueError(f"counts.{k} holds an empty cell")
            accumulator.merge(CountedCells(int(level[0]), counter._floor, starts, counts))
        if "roles" in arrays:
            counter._know_roles(tuple(role for role, known in zip(ROLES, arrays["roles"], strict=True) if known))
            letters, ends = arrays["people"].astype(np.uint8).tobytes(), arrays["people.ends"].tolist()
            words = (letters[begin:end] for begin, end in pairwise(ends))
            counter._roster.add(word.decode("utf-8", "surrogatepass") for word in words)
            counter._roster.link(arrays["links"])
            for k, watched in enumerate(counter._watched):
                width = len(watched.thresholds) + 1
                watched.by_class = arrays[f"watched.{k}"]
                watched.by_person = {role: arrays[f"{role}.{k}"] for role in counter.roles}
                _check_counts(f"watched.{k}", watched.by_class, (2, width), totals)
                for role, by_person in watched.by_person.items():
                    _check_counts(f"{role}.{k}", by_person, (2, len(counter._roster), width), totals)
                    if not np.array_equal(by_person.sum(axis=1), watched.by_class):
                        raise ValueError(f"{role}.{k} does not add up to watched.{k}")
            # people out of order, or people and links that occur twice or cannot be, come out otherwise
            again = counter._people_arrays()
            names |= again.keys()
            for name in ("roles", "people", "people.ends", "links"):
                if not np.array_equal(again[name], arrays[name]):
                    raise ValueError(f"{name} is not what a counter holds")
        if names != arrays.keys():
            raise ValueError(f"it holds {listed(sorted(arrays.keys() - names))}, which no such counter has")
        return counter


def _check_counts(
    name: str, counts: NDArray[Any], shape: tuple[int, ...], totals: NDArray[np.int64] | None = None
) -> None:
    """Raise a ValueError unless counts are of a shape, not negative, and add up to the totals of both classes."""
    if counts.shape != shape:
        raise ValueError(f"{name} has the shape {counts.shape}, not {shape}")
    if (counts < 0).any() or counts.sum(dtype=np.float64) > _MOST_TRIALS:
        raise ValueError(f"{name} holds negative numbers, or too large ones")
    if totals is not None and counts.reshape(2, -1).sum(axis=1).tolist() != totals.tolist():
        raise ValueError(f"{name} does not add up to the totals")


def _check_genuine(genuine: ArrayLike | None, count: int) -> Genuine:
    """Check which of `count` trials are genuine: a mask, or one answer for all."""
    if genuine is None:
        raise TrialsError("genuine must say which trials are genuine: a boolean array, or one answer for all")
    flags = np.asarray(genuine)
    if flags.dtype != np.bool_ or flags.ndim > 1 or (flags.ndim and len(flags) != count):
        raise TrialsError(
            f"genuine must be True, False or a boolean array with one entry per trial ({count:,} here), "
            f"not {flags.dtype} of shape {flags.shape}"
        )
    return flags if flags.ndim else bool(flags)


def _setting_text(setting: Any) -> str:
    if setting is None:
        return "none"
    if isinstance(setting, dict):
        return "; ".join(f"{name}: {listed(values) or 'none'}" for name, values in setting.items())
    return listed(setting) if isinstance(setting, list) else str(setting)


def load_counters(paths: Sequence[PathLike], *, progress: Callable[[int], None] | None = None) -> Counter:
    """Read saved counters and merge them all.

    Parameters
    ----------
    paths : sequence of str or path-like
        Files of counters of the same systems, precision and thresholds, at least one.
    progress : callable, optional
        Called as work proceeds, with 1 after each file.

    Returns
    -------
    Counter
        All their counts; their order does not matter.

    Raises
    ------
    InputError
        If a file cannot be read, or has other settings than the first one.
    ParameterError
        If there is no file.

    Examples
    --------
    >>> import tempfile
    >>> from fairtrial import Counter
    >>> counter = Counter()
    >>> counter.update([0.9, 0.4, 0.1, 0.5], [True, True, False, False])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     counter.save(f"{folder}/one.ftc")
    ...     load_counters([f"{folder}/one.ftc", f"{folder}/one.ftc"])
    <Counter: 4 genuine and 4 impostor trials, 1 system: system>
    """
    if not paths:
        raise ParameterError("there must be at least one file of counts to merge")
    advance = progress or (lambda files: None)
    first, *others = paths
    whole = Counter.load(first)
    advance(1)

    def merge_files(paths: Sequence[PathLike]) -> Counter:
        counter = whole.emptied()
        for path in paths:
            part = Counter.load(path)
            try:
                counter.merge(part)
            except FairtrialError as error:
                raise InputError(f"{path}: does not fit {first}: {error}") from error
            advance(1)
        return counter

    threads = max(1, min(processors(), 4, len(others) // 8))
    # each thread merges some files into a counter of its own: the result is the same for any division
    with ThreadPoolExecutor(threads) as pool:
        for part in list(pool.map(merge_files, [others[k::threads] for k in range(threads)])):
            whole.merge(part)
    return whole
