"""Dev and test trials: the people in both, and whether figures are a priori.

Whether a figure is "a priori" is decided here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_seed
from fairtrial.core.notes import Note
from fairtrial.core.trials import Frame, Trials, recode, trials_of
from fairtrial.core.words import listed
from fairtrial.counting.tallies import ScoreData, Sources, has_sources
from fairtrial.inference.folds import Block, make_blocks, with_fold_note
from fairtrial.inference.people import Cluster, People, resolve_cluster, shared_people

Value = TypeVar("Value")
Origin: TypeAlias = Literal["dev", "folds", "same trials", "given"]
"""The origin of thresholds: dev trials, folds of other people, the judged trials themselves, or the caller."""
Kind: TypeAlias = Literal["a priori", "a priori (cross-validated)", "a posteriori", "at a given threshold"]
TestName: TypeAlias = Literal["cluster", "paired"]
"""Paired tests of trials that share people, and of trials that do not."""
_GLANCE = 1024
"""Number of trials compared first: nearly always enough to find that two sets have none in common."""
_COUNTED = 3
"""Number of thresholds at which scores of two arrays are counted before they are sorted."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of thresholds, and its words: one per origin."""

    origin: Origin
    kind: Kind
    """Whether figures on the judged trials are a priori."""
    dev_kind: Kind
    """Whether figures on dev are a priori."""
    evidence_kind: Kind
    """Whether figures of evidence are a priori; calibrations are fitted where thresholds are chosen."""
    source: str
    """What follows "thresholds from"."""
    chosen: str
    """What follows "threshold by CRITERION"."""
    fitted: str
    """What follows "calibrated"."""
    judged_set: Literal["test", "held out"]
    """The judged set, in a word."""
    adjective: str
    """An adjective for the judged trials."""
    judged: str
    """What follows "figures on"."""
    curves: str
    """The trials of curves over all thresholds, after "on"."""
    threshold: str = "threshold"
    """The name of the one threshold that a result shows."""


_ON_TEST: tuple[Literal["test", "held out"], str, str, str] = ("test", "test", "test", "test")
PROVENANCES: dict[Kind, Provenance] = {
    provenance.kind: provenance
    for provenance in (
        Provenance("dev", "a priori", "a posteriori", "a priori", "dev", "on dev", "on dev", *_ON_TEST),
        Provenance(
            "folds",
            "a priori (cross-validated)",
            "a posteriori",
            "a priori (cross-validated)",
            "other folds",
            "from other folds",
            "on other folds",
            "held out",
            "held-out",
            "held-out trials",
            "all trials",
            "threshold from all trials",
        ),
        Provenance(
            "same trials",
            "a posteriori",
            "a posteriori",
            "a posteriori",
            "the same trials",
            "on the same trials",
            "on the same trials",
            *_ON_TEST,
        ),
        Provenance(
            "given",
            "at a given threshold",
            "at a given threshold",
            "a priori",
            "the caller",
            "as given",
            "before",
            *_ON_TEST,
        ),
    )
}
"""By the kind of the figures."""
_BY_ORIGIN = {provenance.origin: provenance for provenance in PROVENANCES.values()}


def _size(data: ScoreData) -> int:
    return sum(map(np.size, data)) if isinstance(data, tuple) else len(data) if isinstance(data, Trials) else 0


@dataclass(frozen=True, eq=False)
class TrialSets:
    """The trials that set thresholds, those that are judged, and their people; for all systems.

    Parameters
    ----------
    dev : Trials, data frame, ScoreSource, tuple of two array_like or None
        The trials that thresholds are chosen on.
    test : Trials, data frame, ScoreSource or tuple of two array_like
        The trials that are judged.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that the
        trials have.
    seed : int, default 0
        The same seed gives the same result, for every system, so that two can be compared.
    blocks : sequence of Block, default ()
        Which trials set the threshold for which; see `make_blocks`. Dev and test are the same trials then.
    given : bool, default False
        Whether the caller gives the thresholds, so that dev has no part in them.

    Raises
    ------
    TrialsError
        If dev and test hold different systems.

    Examples
    --------
    >>> sets = TrialSets(([0.9, 0.4], [0.1, 0.5]), ([0.8, 0.6], [0.2, 0.3]))
    >>> sets.origin, sets.sharing
    ('dev', 'none')
    """

    dev: ScoreData | None
    test: ScoreData
    cluster: Cluster | None = None
    seed: int = 0
    blocks: Sequence[Block] = ()
    given: bool = False

    def __post_init__(self) -> None:
        for name in ("dev", "test"):
            if isinstance(data := getattr(self, name), Frame):
                object.__setattr__(self, name, trials_of(data, name))
        if self.dev is not None:
            check_same_systems(self.dev, self.test)
        if self.cluster not in (None, "none") and not _has_systems(self.test):
            raise TrialsError(f"cluster={self.cluster!r} needs test trials with ids")

    @classmethod
    def of(
        cls,
        dev: ScoreData | None,
        test: ScoreData | None = None,
        *,
        folds: int | Sequence[Block] | None = None,
        cluster: Cluster | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> TrialSets:
        """Make the sets of an evaluation: dev and test, or folds of one set."""
        seed = seed_of(rng)
        if (test is None) == (folds is None):
            how = "give {test!p}, or {folds!p} if there is one set only"
            raise ParameterError(how if test is None else "give {test!p} or {folds!p}, not both", test=0, folds=0)
        if folds is None:
            assert test is not None
            return cls(dev, test, cluster, seed)
        if has_sources(dev):
            raise ParameterError(
                "{folds!p} needs all trials in memory; give a test set", code="needs-trials", folds=folds
            )
        if isinstance(dev, Frame):
            dev = trials_of(dev, "trials")
        if not isinstance(dev, Trials):
            raise TrialsError("folds need Trials, one row per trial")
        if not isinstance(folds, int):
            return cls(dev, dev, cluster, seed, folds)
        blocks = make_blocks(dev, folds, cluster=cluster, rng=seed)
        trials = with_fold_note(dev, folds, blocks, cluster)
        return cls(trials, trials, cluster, seed, blocks)

    def system_names(self, systems: str | Sequence[str] | None) -> tuple[str, ...]:
        """Resolve the names of systems; None for all that the judged trials have."""
        if systems is None and _has_systems(self.test):
            return tuple(self.test.systems)
        names = [systems] if systems is None or isinstance(systems, str) else systems
        return tuple(map(self.system_name, names))

    def system_name(self, system: str | None) -> str:
        """Resolve the name of a system; None for the only one."""
        for data in (self.test, self.dev):
            if _has_systems(data):
                return data.check_system(system)
        return "system" if system is None else system

    def data(self, side: Literal["dev", "test"]) -> ScoreData | None:
        """Return one of the sets.

        Parameters
        ----------
        side : {"dev", "test"}
            Which set.

        Returns
        -------
        Trials, ScoreSource, tuple of two ndarray or None
            Trials, or scores in another form.
        """
        return self.test if side == "test" else self.dev

    def trials(self, side: Literal["dev", "test"] = "test") -> Trials:
        """Return the trials of one set, one row each.

        Parameters
        ----------
        side : {"dev", "test"}, default "test"
            Which set.

        Returns
        -------
        Trials
            The trials.

        Raises
        ------
        TrialsError
            If there are only arrays, counts or trials in pieces.
        """
        trials = self.rows(side)
        if trials is None:
            template = "this needs {side} as Trials, one row per trial; build them with Trials.from_arrays"
            raise TrialsError(template, code="needs-trials", side=side)
        return trials

    def rows(self, side: Literal["dev", "test"] = "test") -> Trials | None:
        """Return the trials of one set, one row each; None if there are only arrays, counts or trials in pieces."""
        data = self.data(side)
        return data if isinstance(data, Trials) else None

    def sources(self, side: Literal["dev", "test"] = "test") -> Sources | None:
        """Return the source of one set that is not in memory: in pieces, or counted; None otherwise."""
        data = self.data(side)
        return data if has_sources(data) else None

    def run_together(self, works: Sequence[Callable[[], Value]]) -> list[Value]:
        """Run functions that count these trials; each pass over trials in pieces answers all of them."""
        sources = self.sources("dev") or self.sources()
        return [work() for work in works] if sources is None else sources.run_together(works)

    @cached_property
    def provenance(self) -> Provenance:
        """The origin of thresholds, and its words."""
        if self.given or self.dev is None:
            return _BY_ORIGIN["given"]
        if self.blocks:
            return _BY_ORIGIN["folds"]
        is_same = self.same_rows or 0 < _size(self.test) == self.shared_trials
        return _BY_ORIGIN["same trials" if is_same else "dev"]

    @property
    def origin(self) -> Origin:
        """The origin of thresholds, in a word."""
        return self.provenance.origin

    @property
    def kind(self) -> Kind:
        """Whether figures on the judged trials are a priori."""
        return self.provenance.kind

    @cached_property
    def same_rows(self) -> bool:
        """Whether dev and test are the same trials in the same order, as with folds."""
        if self.given or self.dev is None:
            return False
        return bool(self.blocks) or same_rows(self.dev, self.test)

    @property
    def is_one_set(self) -> bool:
        """Whether dev and test are the same trials, in any order, as with folds."""
        return self.same_rows or (self._same_size and 0 < _size(self.test) == self.shared_trials)

    @cached_property
    def shared_trials(self) -> int:
        """The number of judged trials that are also in dev; see `trials_in_both`."""
        if self.given or self.dev is None:
            return 0
        return _size(self.test) if self.same_rows else trials_in_both(self.dev, self.test)

    @cached_property
    def sharing(self) -> Cluster:
        """What the judged trials share."""
        return resolve_cluster(self.test, self.cluster) if _has_systems(self.test) else "none"

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, and not only counts of them."""
        return all(getattr(data, "has_scores", True) for data in (self.dev, self.test))

    @property
    def test_name(self) -> TestName:
        """The name of a paired test: ``cluster`` if it accounts for shared people."""
        return paired_test_name(self.sharing != "none")

    @cached_property
    def people(self) -> tuple[People | None, People | None]:
        """The people of dev and of test, numbered together; None if each trial is of other people."""
        dev, test = self.rows("dev"), self.rows()
        if self.sharing == "none" or test is None:
            return None, None
        if dev is None or self.given or self.same_rows:
            people = People.of(test, self.cluster)
            return (people if self.same_rows else None), people
        on_dev, on_test = People.of_sets([dev, test], self.cluster)
        return (None if on_dev.cluster == "none" else on_dev), on_test

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each person by name, in both sets, if these are not in memory."""
        first, *others = [data.roster for data in (self.dev, self.test) if has_sources(data)]
        numbers: dict[str, int] = first.persons(others, linked=self.sharing == "both")
        return numbers

    @cached_property
    def _people_by_role(self) -> tuple[People | None, People | None]:
        """The people of dev and of test by role; see `Members.roles_apart`."""
        dev, test = self.people
        by_role = None if test is None else test.roles_apart()
        return (by_role if dev is test else None if dev is None else dev.roles_apart()), by_role

    @cached_property
    def overlap(self) -> int:
        """The number of people who take part in both dev and test."""
        sources = self.sources("dev"), self.sources()
        if sources[0] is not None and sources[1] is not None:
            first, second = ({self.numbers[name] for name in source.roster.names} for source in sources if source)
            return len(first & second) if self.sharing != "none" else 0
        dev, test = self.people
        return 0 if dev is None or test is None else shared_people(dev, test)

    def with_scores(self, dev: Trials, test: Trials) -> TrialSets:
        """Replace the scores by those of other systems, such as fused ones.

        Parameters
        ----------
        dev, test : Trials
            The same trials in the same order, with other scores.

        Returns
        -------
        TrialSets
            The sets.
        """
        names = ("provenance", "sharing", "people", "overlap", "shared_trials", "same_rows")
        return replace(self, dev=dev, test=test)._knowing(**{name: getattr(self, name) for name in names})

    def within(self, rows: NDArray[np.int64], *, alone: bool = False) -> TrialSets:
        """Select some of the judged trials, such as those of a group; dev stays whole.

        Parameters
        ----------
        rows : ndarray of int
            Which of the judged trials.
        alone : bool, default False
            Whether the people of dev are left out.

        Returns
        -------
        TrialSets
            People keep their numbers, and thresholds their provenance.
        """
        dev, test = self._people_by_role
        part = None if test is None else test.within(rows)
        people = (None if alone else dev), part
        blocks = [replace(block, first=block.first[rows], second=block.second[rows]) for block in self.blocks]
        sets = replace(self, test=self.trials().rows(rows), blocks=blocks)
        return sets._knowing(provenance=self.provenance, sharing=self.sharing, people=people, same_rows=False)

    def at_given_thresholds(self) -> TrialSets:
        """Judge the same trials at thresholds that the caller gives.

        Returns
        -------
        TrialSets
            The sets. Dev figures can be computed, but dev has no part in any threshold.
        """
        sets = replace(self, blocks=(), given=True)
        if "people" not in vars(self):  # not computed yet
            return sets
        return sets._knowing(sharing=self.sharing, people=(None, self.people[1]))

    def _knowing(self, **values: Any) -> TrialSets:
        """Set cached properties that are known from other sets."""
        vars(self).update(values)
        return self

    @property
    def _same_size(self) -> bool:
        """Whether dev and test have the same number of trials."""
        return self.same_rows or (self.dev is not None and _size(self.dev) == _size(self.test))

    @property
    def notes(self) -> tuple[Note | str, ...]:
        """Notes on the trials and their people."""
        notes: list[Note | str] = _notes_of_sets(self.dev, None if self.blocks else self.test)
        if self.origin == "same trials":
            which = "dev and test are the same trials" if self._same_size else "all test trials are also in dev"
            text = "{which}, so the threshold was chosen on the trials that it is judged on"
            notes.append(Note("same-trials", text, warning=True, which=which))
        if self.origin == "dev" and self.shared_trials:
            text = (
                "{shared:count} of {size:plural test trial} are also in dev, so the figures are only in part a priori; "
                "remove these trials from one of the two sets"
            )
            notes.append(Note("shared-trials", text, warning=True, shared=self.shared_trials, size=_size(self.test)))
        if self.origin == "dev" and self.overlap:
            text = "{people:plural person/people} take part in both dev and test"
            if not self.has_scores:
                text += "; that this makes threshold and figure dependent is not accounted for"
            notes.append(Note("shared-people", text, people=self.overlap))
        if self.people[1] is not None:
            notes += self.people[1].notes
        elif self.cluster == "none":
            text = "trials are taken as independent, as {cluster!o} asks"
            notes.append(Note("independent-trials", text, detail=True, cluster=self.cluster))
        elif self.sharing == "none" and _has_systems(self.test):
            text = "trials are taken as independent: no ids, so shared people cannot be identified"
            notes.append(Note("independent-trials", text))
        if not self.has_scores:
            text = "counters cannot show how uncertain the threshold is: intervals and tests are conditional on it"
            notes.append(Note("threshold-fixed", text))
        return tuple(notes)


def pooled_kind(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of pooled figures: a posteriori if one of them is, else that of the first."""
    return "a posteriori" if "a posteriori" in kinds else kinds[0]


def paired_test_name(shares_people: bool) -> TestName:
    """Return the name of a paired test: ``cluster`` if it accounts for shared people."""
    return "cluster" if shares_people else "paired"


def seed_of(rng: np.random.Generator | int | None) -> int:
    """Return a seed for several systems: the number itself, or one drawn from a generator."""
    return check_seed(rng) if isinstance(rng, int) else int(as_generator(rng).integers(2**62))


def _has_systems(data: object) -> TypeGuard[Trials | Sources]:
    """Check whether scores are of systems with names."""
    return hasattr(data, "check_system")


def check_same_systems(dev: Any, test: Any) -> None:
    """Check that dev and test are trials of the same systems."""
    on_dev, on_test = (list(getattr(data, "systems", ())) for data in (dev, test))
    if not on_dev or not on_test or set(on_dev) == set(on_test):
        return
    only = {"dev": sorted({*on_dev} - {*on_test}), "test": sorted({*on_test} - {*on_dev})}
    differences = "; ".join(f"{listed(names)} in {place} only" for place, names in only.items() if names)
    common = [name for name in on_dev if name in on_test]
    one, other = ((*names, None)[0] for names in only.values())
    ways = ["with {systems!o}"] if common else []
    if [one if name == other else name for name in on_test] == on_dev:
        ways.append("with {names!o} if {other} is {one}")
    how = f"read both {', or '.join(ways)}" if ways else "select or rename the systems"
    template = f"dev and test hold different systems: {{differences}}; {how}"
    raise TrialsError(template, differences=differences, systems=common, names=on_dev, one=one, other=other)


def _notes_of_sets(dev: ScoreData | None, test: ScoreData | None) -> list[Note | str]:
    """Collect the notes of both sets, each with the name of its set; a note of both sets once."""
    places: dict[Note | str, list[str]] = {}
    for name, data in (("dev", dev), ("test", test)):
        for note in getattr(data, "notes", ()):
            places.setdefault(note, []).append(name)
    return [
        note.of(" and ".join(names)) if isinstance(note, Note) else f"{' and '.join(names)}: {note}"
        for note, names in places.items()
    ]


def same_rows(dev: ScoreData, test: ScoreData) -> bool:
    """Check whether dev and test are the same trials in the same order."""
    if dev is test:
        return True
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return _same_array(dev.genuine, test.genuine) and _same_array(dev.scores, test.scores)
    if isinstance(dev, tuple) and isinstance(test, tuple):
        return all(a is b or _same_array(a, b) for a, b in zip(dev, test, strict=True))
    return has_sources(dev) and has_sources(test) and dev.same_as(test)


def _same_array(first: ArrayLike, second: ArrayLike) -> bool:
    """Compare two arrays; arrays that differ nearly always differ in their first entries."""
    a, b = np.asarray(first), np.asarray(second)
    return np.array_equal(a[:_GLANCE], b[:_GLANCE]) and np.array_equal(a, b)


def trials_in_both(dev: ScoreData, test: ScoreData) -> int:
    """Count the judged trials that are also in dev.

    Parameters
    ----------
    dev, test : Trials, ScoreSource or tuple of two array_like
        The trials that set thresholds, and those that are judged.

    Returns
    -------
    int
        The number of test trials. A trial is identified by its ids, label and scores. If these do not identify single
        trials, as without ids, or with few distinct scores and several trials of the same people, only sets that are
        the same as a whole count. Trials that are not in memory are not compared one by one.

    Examples
    --------
    >>> genuine, impostor = [0.9, 0.8, 0.4], [0.1, 0.3, 0.5]
    >>> trials_in_both((genuine, impostor), (genuine[::-1], impostor))
    6
    """
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return _common_trials(dev, test)
    if isinstance(dev, tuple) and isinstance(test, tuple):
        pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(dev, test, strict=True)]
        return sum(b.size for _, b in pairs) if all(_same_values(a, b) for a, b in pairs) else 0
    return 0


def _same_values(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Check whether two arrays hold the same numbers in any order; compare extremes and a few counts first."""
    if first.size != second.size:
        return False
    if first.size and (first.min() != second.min() or first.max() != second.max()):
        return False
    counts = [[np.count_nonzero(values > value) for value in first[:_COUNTED]] for values in (first, second)]
    return counts[0] == counts[1] and np.array_equal(np.sort(first), np.sort(second))


def _common_trials(dev: Trials, test: Trials) -> int:
    rows = np.arange(0, len(test), max(1, len(test) // _GLANCE))
    scores = dev.column(test.systems[0])
    places = _places_of(scores, test.scores[rows, 0])
    if not places.size:
        return 0
    mostly_distinct = 2 * len(np.unique(test.scores[rows], axis=0)) > len(rows)
    if test.ids and (test.probe is not None or mostly_distinct):  # ids and scores identify each trial
        if not _is_in(dev.rows(places), test.rows(rows)).any():
            return 0
        return int(np.count_nonzero(_is_in(dev, test)))
    if not _same_values(scores, test.scores[:, 0]):
        return 0
    first, second = _numbered_together(dev, test)
    return len(test) if np.array_equal(np.sort(first), np.sort(second)) else 0


def _places_of(scores: NDArray[np.floating], few: NDArray[np.floating]) -> NDArray[np.int64]:
    """Find the places of a few scores; a hash of 16 bits excludes most of the others."""
    table = np.zeros(1 << 16, dtype=bool)
    table[_hashed(few)] = True
    likely = np.flatnonzero(table[_hashed(scores)])
    return likely[np.isin(scores[likely], few)]


def _hashed(values: NDArray[np.floating]) -> NDArray[np.uint16]:
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # 0.0 and -0.0 are one number
    return (bits * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(48)).astype(np.uint16)


def _is_in(dev: Trials, test: Trials) -> NDArray[np.bool_]:
    """Mark the trials of the second set that have the ids, label and scores of one of the first."""
    first, second = _numbered_together(dev, test)
    return np.isin(second, first)


def _numbered_together(dev: Trials, test: Trials) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the trials of both sets; trials with the same ids, label and scores have the same number."""
    columns: list[tuple[NDArray[Any], NDArray[Any]]] = [(dev.genuine, test.genuine)]
    for name in dev.ids.keys() & test.ids.keys():
        first, second = recode([dev.ids[name], test.ids[name]])
        columns.append((first, second))
    columns += [(dev.column(system), test.column(system)) for system in test.systems]
    numbers: NDArray[np.int64] = np.zeros(len(dev) + len(test), dtype=np.int64)
    for pair in columns:
        values, codes = np.unique(np.concatenate(pair), return_inverse=True)
        numbers = np.unique(numbers * len(values) + codes, return_inverse=True)[1]
    return numbers[: len(dev)], numbers[len(dev) :]
