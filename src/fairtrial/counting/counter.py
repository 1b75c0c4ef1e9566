"""Count scores in bounded memory: feed, merge, save and load counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import ceil, log2
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import FairtrialError, InputError, ParameterError, TrialsError, check_share, check_workers
from fairtrial.core.ids import IdColumn, Ids
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, plural
from fairtrial.counting.cells import LAST_LEVEL, MOST_CELLS_AT_LAST, CountedCells, Integers, cell_starts, scores_at
from fairtrial.counting.histogram import ROLES, Accumulator, PersonErrors, PersonRanks, Role, Roster, WatchedErrors
from fairtrial.counting.tallies import ErrorCounts, Genuine, Scores, processors, score_array
from fairtrial.formats.counter_file import read_part, write_part, wrong_content
from fairtrial.formats.files import PathLike
from fairtrial.formats.frames import Frame, trials_of
from fairtrial.inference.people import one_person

Thresholds: TypeAlias = Sequence[float] | NDArray[np.float64] | Mapping[str, Sequence[float]]
"""Thresholds for all systems, or for each system by its name."""
_CELLS_BY_PRECISION = 100
_MOST_CELLS = 1 << 24
_MOST_TRIALS = 1 << 53
"""More could not be told apart as 64-bit floats."""
_BINADES = 10
"""As a power of two, how many binades may have as many cells as the floor gives them."""


def cell_budget(precision: float) -> int:
    """How many cells a precision asks for, a power of two."""
    cells: int = 2 ** ceil(log2(min(_CELLS_BY_PRECISION / precision, _MOST_CELLS)))
    return max(cells, MOST_CELLS_AT_LAST)


def cell_floor(budget: int) -> int:
    """As a power of two, how many cells a binade keeps at all but the coarsest levels."""
    return int(log2(budget)) - _BINADES


def check_thresholds(given: Thresholds | None, systems: tuple[str, ...]) -> list[NDArray[np.float64]]:
    """The thresholds of each system, distinct and rising."""
    if given is None:
        given = ()
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in systems]
        if unknown:
            raise ParameterError(f"thresholds are given for {listed(unknown)}; the systems are {listed(systems)}")
        return [_rising(given.get(name, ())) for name in systems]
    return [_rising(given)] * len(systems)


def _rising(thresholds: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        values = np.unique(np.atleast_1d(np.asarray(thresholds, dtype=np.float64))) + 0.0
    except (TypeError, ValueError) as error:
        raise ParameterError(f"thresholds must be numbers, not {thresholds!r}") from error
    if np.isnan(values).any():
        raise ParameterError("a threshold is NaN; thresholds must be numbers, -inf or inf")
    return values


def check_system(systems: tuple[str, ...], system: str | None) -> str:
    """The name itself, if there is such a system; that of the only one where none is named."""
    if system is None and len(systems) == 1:
        return systems[0]
    if system is None:
        raise TrialsError(f"there are {len(systems)} systems: name one of {listed(systems)}")
    if system not in systems:
        raise TrialsError(f"there is no system {system!r}; there are {listed(systems)}")
    return system


def check_genuine(genuine: ArrayLike | None, count: int) -> Genuine:
    """Which of so many trials are genuine: a mask, or one answer for all."""
    if genuine is None:
        raise TrialsError("genuine must say which trials are genuine: a boolean array, or one answer for all")
    flags = np.asarray(genuine)
    if flags.dtype != np.bool_ or flags.ndim > 1 or (flags.ndim and len(flags) != count):
        raise TrialsError(
            f"genuine must be True, False or a boolean array with one entry per trial ({count:,} here), "
            f"not {flags.dtype} of shape {flags.shape}"
        )
    return flags if flags.ndim else bool(flags)


def as_ids(values: Iterable[Any] | IdColumn) -> IdColumn:
    """Ids as a column, one per trial."""
    return values if hasattr(values, "numbered") else Ids.of(values)  # type: ignore[return-value]


PRECISION = 1e-4


class Counter:
    """Scores of one or several systems, counted as they come, in bounded memory.

    Scores are counted in cells so narrow that every figure is known between two bounds. What a counter holds
    depends on the scores it was given and on nothing else: not on their order, not on how they were cut into
    chunks, and not on which of them were counted elsewhere and merged.

    Parameters
    ----------
    systems : str or iterable of str, default "system"
        The names of the systems, in the order of the columns of scores.
    precision : float, default 0.0001
        How far apart the bounds of an error rate may be, relative to the rate. It decides how many cells are kept, and
        so the memory: about a million cells for 1e-4. It is a target; `evaluate_counted` says where it is missed.
    thresholds : sequence of float or dict of str to sequence of float, optional
        Thresholds that are known beforehand, for all systems or by name. Errors there are counted exactly, and by
        person where ids are given.
    threads : int, optional
        How many threads count large arrays; all processors by default. The result is the same for any.

    Raises
    ------
    ParameterError
        A precision that is not between 0 and 1, thresholds that are not numbers, or names that occur twice.

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
    ) -> None:
        self.systems: tuple[str, ...] = (systems,) if isinstance(systems, str) else tuple(systems)
        if not self.systems or len(set(self.systems)) != len(self.systems):
            raise ParameterError(f"systems must have names of their own, not {listed(self.systems) or 'none at all'}")
        self.precision = check_share("precision", precision, open_ends=True)
        self.budget = cell_budget(self.precision)
        if threads is not None:
            check_workers(threads)
        self._counted = [Accumulator(self.budget, cell_floor(self.budget), threads=threads) for _ in self.systems]
        self._by_system = check_thresholds(thresholds, self.systems)
        self._roles: tuple[Role, ...] | None = None
        self._roster = Roster()
        self._watched: list[WatchedErrors] = []
        self._totals = np.zeros(2, dtype=np.int64)

    @property
    def genuine(self) -> int:
        """How many genuine trials were counted."""
        return int(self._totals[1])

    @property
    def impostor(self) -> int:
        """How many impostor trials were counted."""
        return int(self._totals[0])

    @property
    def thresholds(self) -> dict[str, tuple[float, ...]]:
        """The thresholds known beforehand, by system; empty where there are none."""
        return {name: tuple(values.tolist()) for name, values in zip(self.systems, self._by_system, strict=True)}

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles in which people are known."""
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
        return self.settings() == other.settings() and _same(self.arrays(), other.arrays())

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
            A score that is NaN, arrays that do not fit each other, or ids where earlier trials had none or the other
            way round. Nothing of the update is counted then.

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
            self._update_trials(scores)
            return
        columns = self._columns(cast(ArrayLike, scores))
        mask = check_genuine(genuine, len(columns[0]))
        ids = {role: ids for role, ids in (("claim", claim), ("subject", subject)) if ids is not None}
        self._update(columns, mask, {role: as_ids(ids[role]) for role in ROLES if role in ids})

    def _update_trials(self, trials: Trials) -> None:
        missing = [name for name in self.systems if name not in trials.systems]
        if missing:
            raise TrialsError(f"the trials hold no scores of {listed(missing)}; they hold {listed(trials.systems)}")
        columns = [np.ascontiguousarray(trials.column(name)) for name in self.systems]
        self._update(columns, trials.genuine, {role: trials.ids[role] for role in ROLES if role in trials.ids})

    def _update(self, columns: list[Scores], genuine: Genuine, ids: Mapping[Role, IdColumn]) -> None:
        count = len(columns[0])
        if any(len(column) != count for column in ids.values()):
            raise TrialsError("scores and ids must have one entry per trial")
        people = self._people(ids, genuine, count)
        for accumulator, column in zip(self._counted, columns, strict=True):
            accumulator.add(column, genuine)
        for watched, column in zip(self._watched, columns, strict=False):
            watched.add(column, genuine, people, len(self._roster))
        right = (count if genuine else 0) if isinstance(genuine, bool) else int(np.count_nonzero(genuine))
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

    def _people(self, ids: Mapping[Role, IdColumn], genuine: Genuine, count: int) -> dict[Role, Integers]:
        if not any(len(values) for values in self._by_system):
            return {}
        self._know_roles(tuple(ids))
        people = {role: self._roster.number(column) for role, column in ids.items()}
        if len(people) == 2:
            rows: Any = slice(None) if genuine is True else slice(0) if genuine is False else genuine
            self._roster.link(np.stack([people[role][rows] for role in ROLES], axis=1))
        return people

    def _know_roles(self, roles: tuple[Role, ...]) -> None:
        if self._roles is None:
            self._roles = roles
            self._watched = [WatchedErrors(values, roles) for values in self._by_system]
        elif roles != self._roles:
            raise TrialsError(
                f"these trials come with {_words(roles)}, those counted before with {_words(self._roles)}; "
                "give the same ids with all trials"
            )

    def merge(self, other: Counter) -> None:
        """Add what another counter has counted; the other one stays as it is.

        Parameters
        ----------
        other : Counter
            A counter of the same systems, precision and thresholds.

        Raises
        ------
        ParameterError
            Another counter of other systems or settings. Nothing of it is counted then.

        Examples
        --------
        >>> one, other = Counter(), Counter()
        >>> one.update([0.9, 0.2], [True, False])
        >>> other.update([0.8], True)
        >>> one.merge(other)
        >>> len(one)
        3
        """
        own, theirs = self.settings(), other.settings()
        for name in own:
            if own[name] != theirs[name]:
                found = f"{_shown(own[name])} and {_shown(theirs[name])}"
                hint = "; count them under the same names" if name == "systems" else ""
                raise ParameterError(f"counters of different {name} cannot be merged: {found}{hint}")
        if len(self) + len(other) > _MOST_TRIALS:
            raise TrialsError("a counter holds at most {most:,} trials", code="too-many-trials", most=_MOST_TRIALS)
        if other._roles is not None:
            self._know_roles(other._roles)
            numbers = self._roster.add(other._roster.names)
            self._roster.link(numbers[other._roster.links])
            for mine, more in zip(self._watched, other._watched, strict=True):
                mine.merge(more, numbers)
        for accumulator, system in zip(self._counted, self.systems, strict=True):
            accumulator.merge(other.cells(system))
        self._totals += other._totals

    def emptied(self) -> Counter:
        """Give a counter of the same settings and the same roles of people that has counted nothing yet.

        Returns
        -------
        Counter
            The new counter.
        """
        found = Counter(self.systems, precision=self.precision, thresholds=self.thresholds)
        if self._roles is not None:
            found._know_roles(self._roles)
        return found

    def cells(self, system: str | None = None) -> CountedCells:
        """Give the scores of one system in their cells.

        Parameters
        ----------
        system : str, optional
            The name of the system; not needed where there is only one.

        Returns
        -------
        CountedCells
            How many scores of each class each cell holds.
        """
        return self._counted[self._index(system)].cells()

    def errors_at(self, threshold: float, *, system: str | None = None) -> ErrorCounts:
        """Give the exact errors at a threshold that was given beforehand.

        Parameters
        ----------
        threshold : float
            One of the thresholds given beforehand.
        system : str, optional
            The name of the system; not needed where there is only one.

        Returns
        -------
        ErrorCounts
            Errors and trials.

        Raises
        ------
        ParameterError
            A threshold that was not given beforehand.
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
            The name of the system; not needed where there is only one.

        Returns
        -------
        PersonErrors
            One entry per name, in each role that is known; see there.

        Examples
        --------
        >>> counter = Counter(thresholds=[0.5])
        >>> counter.update([0.9, 0.6, 0.2], [True, False, False], claim=["a", "b", "a"])
        >>> found = counter.errors_by_person(0.5)
        >>> found.names, found.errors["claim"].tolist()
        (('a', 'b'), [[0, 1], [0, 0]])
        """
        self.errors_at(threshold, system=system)
        found = self.ranks_by_person(system=system)
        place = 1 + int(np.searchsorted(self._by_system[self._index(system)], threshold))
        trials = {role: counts.sum(axis=2) for role, counts in found.counts.items()}
        errors = {
            role: np.stack([counts[0, :, place:].sum(axis=1), counts[1, :, :place].sum(axis=1)])
            for role, counts in found.counts.items()
        }
        return PersonErrors(found.names, found.person, trials, errors)

    def ranks_by_person(self, *, system: str | None = None) -> PersonRanks:
        """Give the trials of each person by the number of thresholds below the score, for those given beforehand.

        Parameters
        ----------
        system : str, optional
            The name of the system; not needed where there is only one.

        Returns
        -------
        PersonRanks
            One entry per name, in each role that is known; see there.
        """
        index = self._index(system)
        names, order, links = self._roster.ordered()
        counts = self._watched[index].renumbered(order) if self._watched else {}
        return PersonRanks(names, one_person(len(names), links[:, 0], links[:, 1]), counts)

    has_scores = False

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader of a report should know."""
        return ()

    @property
    def ids(self) -> frozenset[str]:
        """Which ids were counted at thresholds that were given beforehand."""
        return frozenset(self.roles if self._watched else ())

    @property
    def people(self) -> set[str]:
        """The names of all who take part, if they were counted."""
        return set(self._roster.ordered()[0])

    def same_as(self, other: Any) -> bool:
        """Tell whether both hold the same counts."""
        return self is other or bool(self == other)

    def people_between(self, system: str, thresholds: NDArray[np.float64], cluster: Any) -> Any:
        """Count people by their trials between thresholds; None unless these were given beforehand, with ids."""
        from fairtrial.inference.person_counts import people_of_counter

        watched = self.thresholds[system]
        if not set(thresholds.tolist()) <= set(watched):
            return None
        people = people_of_counter(self, system=system)
        return None if people is None else people.at([watched.index(own) for own in thresholds.tolist()])

    def source_of(self, system: str | None) -> Any:
        """Refuse to give scores, which a counter does not keep."""
        raise TrialsError("a counter keeps no scores; this needs the scores themselves", code="needs-scores")

    def check_system(self, system: str | None) -> str:
        """Give the name itself, if there is such a system; that of the only one where none is named.

        Parameters
        ----------
        system : str or None
            A name, or None.

        Returns
        -------
        str
            The name.

        Raises
        ------
        TrialsError
            A name that is not known, or none where there are several systems.
        """
        return check_system(self.systems, system)

    def _index(self, system: str | None) -> int:
        return self.systems.index(self.check_system(system))

    def settings(self) -> dict[str, Any]:
        """Give what two counters must have in common to be merged.

        Returns
        -------
        dict
            Systems, precision and thresholds.
        """
        return {"systems": list(self.systems), "precision": self.precision, "thresholds": self.thresholds}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that was counted, by name: the same for the same trials, however they came.

        Returns
        -------
        dict of str to ndarray
            Arrays by name.
        """
        found: dict[str, NDArray[Any]] = {"totals": self._totals}
        for k, name in enumerate(self.systems):
            cells = self.cells(name)
            found |= {f"level.{k}": np.array([cells.level]), f"starts.{k}": cells.starts, f"counts.{k}": cells.counts}
        if self._roles is None:
            return found
        names, order, links = self._roster.ordered()
        found |= {"roles": np.array([role in self._roles for role in ROLES]), "links": links}
        words = [name.encode("utf-8", "surrogatepass") for name in names]
        found["people"] = np.frombuffer(b"".join(words), dtype=np.uint8)
        found["people.ends"] = np.cumsum([0, *map(len, words)])
        for k, watched in enumerate(self._watched):
            found[f"watched.{k}"] = watched.by_class
            found |= {f"{role}.{k}": counts for role, counts in watched.renumbered(order).items()}
        return found

    def save(self, path: PathLike) -> None:
        """Write all that was counted to a file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, by custom with the ending ``.ftc``. The same trials give the same bytes.

        Raises
        ------
        OutputError
            A file that cannot be written.
        """
        write_part(path, {"settings": self.settings()}, self.arrays())

    @classmethod
    def load(cls, path: PathLike) -> Counter:
        """Read a counter that was saved; it can be fed on.

        Parameters
        ----------
        path : str or path-like
            A file that `save` or ``fairtrial count`` wrote.

        Returns
        -------
        Counter
            The counter as it was.

        Raises
        ------
        InputError
            A file that cannot be read, is of something else or of a later version, is cut off or damaged.
        """
        header, arrays = read_part(path)
        try:
            return cls.from_arrays(header["settings"], arrays)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
            raise wrong_content(path, error) from error

    @classmethod
    def from_arrays(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Counter:
        """Give the counter of these settings and arrays.

        Parameters
        ----------
        settings : dict
            What `settings` gives.
        arrays : dict of str to ndarray
            What `arrays` gives.

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
        counter = cls(settings["systems"], precision=settings["precision"], thresholds=settings["thresholds"])
        counter._check_arrays(arrays)
        counter._totals += arrays["totals"]
        for k, accumulator in enumerate(counter._counted):
            level = int(arrays[f"level.{k}"][0])
            floor = cell_floor(counter.budget)
            accumulator.merge(CountedCells(level, floor, arrays[f"starts.{k}"], arrays[f"counts.{k}"]))
        if "roles" in arrays:
            counter._know_roles(tuple(role for role, known in zip(ROLES, arrays["roles"], strict=True) if known))
            letters, ends = arrays["people"].astype(np.uint8).tobytes(), arrays["people.ends"].tolist()
            words = (letters[begin:end] for begin, end in pairwise(ends))
            counter._roster = Roster(tuple(word.decode("utf-8", "surrogatepass") for word in words), arrays["links"])
            for k, watched in enumerate(counter._watched):
                watched.by_class = arrays[f"watched.{k}"]
                watched.by_person = {role: arrays[f"{role}.{k}"] for role in counter.roles}
        return counter

    def _check_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Raise a ValueError unless the arrays are what a counter of these settings gives."""
        totals = arrays["totals"]
        _check_counts("totals", totals, (2,))
        names = {"totals"}
        floor = cell_floor(self.budget)
        for k in range(len(self.systems)):
            level, starts, counts = (arrays[f"{name}.{k}"] for name in ("level", "starts", "counts"))
            names |= {f"level.{k}", f"starts.{k}", f"counts.{k}"}
            if level.shape != (1,) or not 0 <= level[0] <= LAST_LEVEL or starts.ndim != 1 or len(starts) > self.budget:
                raise ValueError(f"level.{k} or starts.{k} is out of range")
            if np.isnan(scores_at(starts)).any() or not (starts[1:] > starts[:-1]).all():
                raise ValueError(f"starts.{k} does not rise, or is out of range")
            if not np.array_equal(cell_starts(starts, int(level[0]), floor), starts):
                raise ValueError(f"starts.{k} holds values that are not starts of cells")
            _check_counts(f"counts.{k}", counts, (2, len(starts)), totals)
            if not counts.any(axis=0).all():
                raise ValueError(f"counts.{k} holds an empty cell")
        if "roles" in arrays:
            names |= self._check_people(arrays)
        if names != arrays.keys():
            raise ValueError(f"it holds {listed(sorted(arrays.keys() - names))}, which no such counter has")

    def _check_people(self, arrays: Mapping[str, NDArray[Any]]) -> set[str]:
        """Check the counts by person; the names of their arrays."""
        known, letters, ends, links = (arrays[name] for name in ("roles", "people", "people.ends", "links"))
        if known.shape != (2,) or not np.isin(known, (0, 1)).all():
            raise ValueError("roles must be two truth values")
        if letters.ndim != 1 or ends.ndim != 1 or not len(ends) or ends[0] != 0 or ends[-1] != len(letters):
            raise ValueError("people.ends does not fit people")
        if (np.diff(ends) < 0).any() or ((letters < 0) | (letters > 255)).any():
            raise ValueError("people is not text")
        text = letters.astype(np.uint8).tobytes()
        people = [text[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends.tolist())]
        if any(one >= other for one, other in pairwise(people)):
            raise ValueError("people are not in order, or occur twice")
        pairs = links.reshape(-1, 2)
        if pairs.shape != links.shape or ((pairs < 0) | (pairs >= len(people))).any():
            raise ValueError("links holds people that are not there")
        if (pairs[:, 0] >= pairs[:, 1]).any() or len(np.unique(pairs, axis=0)) < len(pairs):
            raise ValueError("links are not in order, or occur twice")
        names = {"roles", "people", "people.ends", "links"}
        for k, thresholds in enumerate(self._by_system):
            width = len(thresholds) + 1
            watched = arrays[f"watched.{k}"]
            _check_counts(f"watched.{k}", watched, (2, width), arrays["totals"])
            names.add(f"watched.{k}")
            for role in (role for role, is_known in zip(ROLES, known, strict=True) if is_known):
                _check_counts(f"{role}.{k}", arrays[f"{role}.{k}"], (2, len(people), width), arrays["totals"])
                if not np.array_equal(arrays[f"{role}.{k}"].sum(axis=1), watched):
                    raise ValueError(f"{role}.{k} does not add up to watched.{k}")
                names.add(f"{role}.{k}")
        return names


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


def _words(roles: tuple[Role, ...]) -> str:
    return f"{' and '.join(roles)} ids" if roles else "no ids"


def _shown(setting: Any) -> str:
    if isinstance(setting, dict):
        return "; ".join(f"{name}: {listed(values) or 'none'}" for name, values in setting.items())
    return listed(setting) if isinstance(setting, list) else str(setting)


def _same(a: Mapping[str, NDArray[Any]], b: Mapping[str, NDArray[Any]]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


_MOST_THREADS = 4
_BY_THREAD = 8
"""Files that are worth a thread."""


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
        All that they have counted; the same whatever their order.

    Raises
    ------
    InputError
        A file that cannot be read, or is of other settings than the first one.
    ParameterError
        No file at all.

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
    first, *others = paths
    whole = Counter.load(first)
    _advance(progress)
    threads = max(1, min(processors(), _MOST_THREADS, len(others) // _BY_THREAD))
    # each thread merges a share of the files into a counter of its own: the result is the same for any sharing
    with ThreadPoolExecutor(threads) as pool:
        shares = [
            pool.submit(_merge_into, whole.emptied(), first, others[k::threads], progress) for k in range(threads)
        ]
        for share in shares:
            whole.merge(share.result())
    return whole


def _merge_into(
    counter: Counter, first: PathLike, paths: Sequence[PathLike], progress: Callable[[int], None] | None
) -> Counter:
    for path in paths:
        part = Counter.load(path)
        try:
            counter.merge(part)
        except FairtrialError as error:
            raise InputError(f"{path}: does not fit {first}: {error}") from error
        _advance(progress)
    return counter


def _advance(progress: Callable[[int], None] | None) -> None:
    if progress is not None:
        progress(1)
