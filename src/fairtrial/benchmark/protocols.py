"""Benchmarks: systems on the same trials, which of them a protocol fuses, and random splits into dev and test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_number, check_seed, check_share
from fairtrial.core.notes import Note
from fairtrial.core.registry import Registry
from fairtrial.core.results import Field, Record
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, plural, shown
from fairtrial.inference.people import Cluster, people_of, resolve_cluster


@dataclass(frozen=True, slots=True)
class SystemInfo(Record):
    """A system: its name, modality, feature and classifier.

    Parameters
    ----------
    name : str
        The name of the system.
    modality : str
        Its modality, such as face or speech.
    feature : str
        The feature that it extracts.
    classifier : str
        The classifier of the feature.

    Examples
    --------
    >>> SystemInfo("(FH,MLP)", "face", "FH", "MLP").modality
    'face'
    """

    FIELDS: ClassVar = (Field("name"), Field("modality"), Field("feature"), Field("classifier"))

    name: str
    modality: str
    feature: str
    classifier: str


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkSet:
    """Systems on the same trials: a protocol of a database, such as LP1, or one split of a set without dev trials.

    Parameters
    ----------
    name : str
        The name of the set.
    dev : Trials
        The trials that thresholds are chosen on.
    test : Trials
        The trials that are judged.
    systems : tuple of SystemInfo
        The systems.
    split : int, optional
        Which of several random splits of the same trials this is, counted from 1; None: dev and test are given.

    Raises
    ------
    TrialsError
        If dev or test lacks a system, or two systems have the same name.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> load_lausanne().sets[0].name
    'LP1'
    """

    name: str
    dev: Trials
    test: Trials
    systems: tuple[SystemInfo, ...]
    split: int | None = None

    def __repr__(self) -> str:
        split = "" if self.split is None else f", split {self.split}"
        trials = f"{len(self.dev):,} dev and {len(self.test):,} test trials"
        return f"<BenchmarkSet: {self.name}{split}, {plural(len(self.systems), 'system')}, {trials}>"

    def __post_init__(self) -> None:
        names = [system.name for system in self.systems]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise TrialsError(f"{self.name}: two systems have the same name: {listed(repeated)}", code="named-twice")
        for word, trials in (("dev", self.dev), ("test", self.test)):
            missing = [name for name in names if name not in trials.systems]
            if missing:
                text = f"there is no system {shown(missing[0])} in {word}; there are {listed(trials.systems)}"
                raise TrialsError(f"{self.name}: {text}", code="no-system")


@dataclass(frozen=True, slots=True)
class ListedFusion:
    """A fusion that a manifest lists: systems, the group they are reported in, and the set.

    Parameters
    ----------
    systems : tuple of str
        The names of the systems that are fused.
    group : str, default "listed"
        The group that it is reported in.
    set : str, optional
        The set; by default every set that has the systems.

    Examples
    --------
    >>> ListedFusion(("face", "voice")).group
    'listed'
    """

    systems: tuple[str, ...]
    group: str = "listed"
    set: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """Sets of systems to fuse, and where they come from.

    Parameters
    ----------
    name : str
        The name of the benchmark.
    title : str
        A description in a few words.
    sets : tuple of BenchmarkSet
        Systems on the same trials, set by set.
    citation : str, default ""
        What to cite.
    licence : str, default ""
        The licence of the scores.
    synthetic : bool, default False
        Whether the scores are generated instead of measured.
    never_paired : tuple of tuple of (str, str), default ()
        Features that the protocol FP-2 does not pair.
    notes : tuple of Note or str, default ()
        What the reader should know.
    protocols : dict of str to tuple of ListedFusion, default {}
        Protocols of the benchmark, fusion by fusion.
    files : tuple of pathlib.Path, default ()
        The manifest and the files of scores, or their directory.

    Raises
    ------
    TrialsError
        If two sets have the same name.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> [one.name for one in load_lausanne().sets]
    ['LP1', 'LP2']
    """

    name: str
    title: str
    sets: tuple[BenchmarkSet, ...]
    citation: str = ""
    licence: str = ""
    synthetic: bool = False
    never_paired: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note | str, ...] = ()
    protocols: Mapping[str, tuple[ListedFusion, ...]] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        sets = f"{plural(len(self.sets), 'set')}: {listed(dict.fromkeys(one.name for one in self.sets))}"
        return f"<Benchmark: {self.name}{', synthetic' if self.synthetic else ''}, {sets}>"

    def __post_init__(self) -> None:
        keys = [(one.name, one.split) for one in self.sets]
        repeated = dict.fromkeys(one.name for one, key in zip(self.sets, keys, strict=True) if keys.count(key) > 1)
        if repeated:
            raise TrialsError(f"{self.name}: two sets have the same name: {listed(repeated)}", code="named-twice")

    def only(self, names: Sequence[str]) -> Benchmark:
        """Select sets.

        Parameters
        ----------
        names : sequence of str
            The names of the sets.

        Returns
        -------
        Benchmark
            The benchmark with these sets only.

        Raises
        ------
        ParameterError
            If there is no such set.
        """
        present = list(dict.fromkeys(one.name for one in self.sets))
        for name in names:
            if name not in present:
                text = f"{self.name} has no set {shown(name)}; there are {listed(present)}"
                raise ParameterError(text, code="no-set")
        return replace(self, sets=tuple(one for one in self.sets if one.name in names))


@dataclass(frozen=True, slots=True)
class Experiment:
    """Systems of one set that are fused, and the group they are reported in.

    Attributes
    ----------
    set : str
        The name of the set.
    group : str
        The group that it is reported in.
    systems : tuple of str
        The names of the systems that are fused.
    split : int or None
        Which of several random splits, counted from 1; None if dev and test are given.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> list_experiments(load_lausanne())[0].systems
    ('(FH,MLP)', '(LFCC,GMM)')
    """

    set: str
    group: str
    systems: tuple[str, ...]
    split: int | None = None


_Chosen: TypeAlias = Iterator[tuple[str, tuple[SystemInfo, ...]]]


def _combinations(modalities: str) -> Callable[[BenchmarkSet, Benchmark], _Chosen]:
    """Combine two and more systems: in every way, within one modality, or of at least two modalities."""

    def choose(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
        for size in range(2, len(one.systems) + 1):
            for systems in combinations(one.systems, size):
                group = "multimodal" if len({system.modality for system in systems}) > 1 else "intramodal"
                if modalities in ("all", group):
                    yield systems[0].modality if modalities == "intramodal" else group, systems

    return choose


def _pairs(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Pair systems: of two modalities, of two features of one modality, of two classifiers of one feature."""
    omitted = {frozenset(pair) for pair in benchmark.never_paired}
    groups: dict[str, list[tuple[SystemInfo, ...]]]
    groups = {"multimodal": [], "different features": [], "different classifiers": []}
    for a, b in combinations(one.systems, 2):
        if frozenset((a.feature, b.feature)) not in omitted:
            same = "different classifiers" if a.feature == b.feature else "different features"
            groups["multimodal" if a.modality != b.modality else same].append((a, b))
    return ((name, pair) for name, pairs in groups.items() for pair in pairs)


Choose: TypeAlias = Callable[[BenchmarkSet, Benchmark], Iterable[tuple[str, Sequence[SystemInfo]]]]
"""From a set and its benchmark to the fusions: the group that each is reported in, and its systems."""
_OF_THE_PAPER: dict[str, Choose] = {
    "fp-2": _pairs,
    "fp-full": _combinations("all"),
    "fp-intramodal": _combinations("intramodal"),
    "fp-multimodal": _combinations("multimodal"),
}
PROTOCOLS: Registry[Choose] = Registry("protocol", "protocols", known=_OF_THE_PAPER)
"""The fusion protocols by their names."""


def register_protocol(name: str, choose: Choose) -> None:
    """Register a fusion protocol by its name, for the command line, too.

    Parameters
    ----------
    name : str
        The name of the protocol.
    choose : callable
        Called with each set and its benchmark; gives for each fusion the group that it is reported in and its systems,
        two or more of those of the set.

    Raises
    ------
    ParameterError
        If the name is empty, or that of one of the paper's protocols.

    Examples
    --------
    >>> register_protocol("everything", lambda one, benchmark: [("all systems", one.systems)])
    >>> from fairtrial.benchmark import load_lausanne
    >>> [len(experiment.systems) for experiment in list_experiments(load_lausanne(), "everything")]
    [8, 5]
    >>> del PROTOCOLS["everything"]
    """
    if not name or name in _OF_THE_PAPER:
        raise ParameterError(f"a new protocol needs a new name, not {shown(name)}", code="name")
    PROTOCOLS[name] = choose


def list_experiments(benchmark: Benchmark, protocol: str = "fp-2") -> list[Experiment]:
    """List the fusions of a protocol, set by set.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists itself.

    Returns
    -------
    list of Experiment
        The fusions, in the order in which they are reported.

    Raises
    ------
    ParameterError
        If the protocol is unknown, or leaves nothing to fuse.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 3 and Table 2.

    Examples
    --------
    >>> from fairtrial.benchmark import load_lausanne
    >>> len(list_experiments(load_lausanne(), "fp-2"))
    32
    """
    if protocol not in benchmark.protocols and protocol not in PROTOCOLS:
        check_choice("protocol", protocol, [*PROTOCOLS, *benchmark.protocols])
    if protocol in benchmark.protocols:
        experiments = [
            Experiment(one.name, fusion.group, fusion.systems, one.split)
            for one in benchmark.sets
            for fusion in benchmark.protocols[protocol]
            if fusion.set in (None, one.name) and {system.name for system in one.systems} >= set(fusion.systems)
        ]
    else:
        experiments = [
            Experiment(one.name, group, tuple(system.name for system in systems), one.split)
            for one in benchmark.sets
            for group, systems in PROTOCOLS[protocol](one, benchmark)
        ]
    for experiment in experiments:
        if len(set(experiment.systems)) < max(2, len(experiment.systems)):
            raise ParameterError(
                f"protocol {protocol}: a fusion needs two or more different systems, not "
                f"{listed(experiment.systems) or 'none'}",
                code="one-system",
            )
    if not experiments:
        raise ParameterError(
            f"{benchmark.name}: protocol {protocol} has nothing to fuse; check the systems' modalities and features",
            code="nothing-to-fuse",
        )
    return experiments


def without_shared_impostor(parts: Sequence[Trials], about: str = "") -> tuple[list[Trials], list[Note]]:
    """Drop the subject ids of all parts if in one of them all impostors have the same id, which identifies nobody."""
    subjects = [part.subject.numbered().codes[~part.genuine] for part in parts if part.subject is not None]
    if not any(len(np.unique(codes)) == 1 for codes in subjects):
        return list(parts), []
    template = "all impostors have the same id, so they are taken as unknown: trials share the claimed client only"
    return [replace(part, subject=None) for part in parts], [Note("one-impostor", template, about)]


def split_by_subject(
    trials: Trials, *, repeats: int = 10, fraction: float = 0.5, seed: int = 0
) -> list[tuple[Trials, Trials]]:
    """Split trials into dev and test so that nobody is in both.

    People are dealt at random: those with genuine trials, then the others, so that each side has its part of both. A
    trial is dev if everybody in it is (claim and subject, as far as known), test likewise; a trial with people of both
    sides is left out, and a note counts these. The first splits do not depend on `repeats`.

    Examples
    --------
    >>> claim, subject = np.divmod(np.arange(36), 6)
    >>> trials = Trials.from_arrays(np.zeros(36), claim == subject, claim=claim, subject=subject)
    >>> [(len(dev), len(test)) for dev, test in split_by_subject(trials, repeats=2)]
    [(9, 9), (9, 9)]
    """
    check_number("repeat", repeats, most=10_000)
    check_share("fraction, the proportion of people in dev,", fraction, open_ends=True)
    check_seed(seed)
    cluster: Cluster = resolve_cluster(trials, None)
    if cluster == "none":
        raise TrialsError(
            "trials are split by people, but these have neither claim nor subject ids: give ids, or dev and test files",
            code="no-ids",
        )
    if cluster == "both":
        (trials,), notes = without_shared_impostor([trials])
        trials, cluster = trials.with_notes(*notes), resolve_cluster(trials, None)
    people = people_of(trials, cluster)
    everybody = np.unique(np.concatenate(people))
    clients = np.unique(np.concatenate([column[trials.genuine] for column in people]))
    who = {"claim": "claims", "subject": "subjects", "both": "people"}[cluster]
    if len(clients) < 2:
        raise TrialsError(
            f"a split needs at least 2 {who} with genuine trials, one for dev and one for test; "
            f"there are {len(clients)}",
            code="few-people",
        )
    rng = np.random.default_rng(seed)
    splits = []
    for number in range(1, repeats + 1):
        is_dev = np.zeros(1 + int(everybody.max()), dtype=bool)
        for group in (clients, np.setdiff1d(everybody, clients)):
            count = int(fraction * len(group) + 0.5)
            if len(group) > 1:  # both sides get somebody
                count = min(max(count, 1), len(group) - 1)
            is_dev[rng.permutation(group)[:count]] = True
        in_dev = np.logical_and.reduce([is_dev[column] for column in people])
        in_test = np.logical_and.reduce([~is_dev[column] for column in people])
        place = f"split {number} of seed {seed}"
        for word, rows in (("dev", in_dev), ("test", in_test)):
            genuine = int(np.count_nonzero(trials.genuine[rows]))
            impostor = int(np.count_nonzero(rows)) - genuine
            if not genuine or not impostor:
                raise TrialsError(
                    f"{place}: {word} would have {genuine:,} genuine and {impostor:,} impostor trials, but needs both; "
                    "there are too few people, or take another fraction or seed",
                    code="empty-class",
                )
        template = "{dev:count} of {people:count} {who} are in dev, the others in test"
        left_out = len(trials) - int(np.count_nonzero(in_dev | in_test))
        if left_out:
            template += "; {left_out:count} trials with {who} of both were left out"
        dealt = int(np.count_nonzero(is_dev))
        note = Note("split", template, place, who=who, dev=dealt, people=len(everybody), left_out=left_out)
        splits.append((trials.rows(in_dev).with_notes(note), trials.rows(in_test).with_notes(note)))
    return splits


def split_sets(
    name: str, trials: Trials, systems: Sequence[SystemInfo], *, repeats: int = 10, fraction: float = 0.5, seed: int = 0
) -> tuple[tuple[BenchmarkSet, ...], Note]:
    """Make one benchmark set per split of `split_by_subject`, and a note on the splits."""
    pairs = split_by_subject(trials, repeats=repeats, fraction=fraction, seed=seed)
    sets = tuple(BenchmarkSet(name, *pair, tuple(systems), split) for split, pair in enumerate(pairs, start=1))
    left_out = [len(trials) - len(dev) - len(test) for dev, test in pairs]
    template = "no dev set is given; {repeats} random splits by people (seed {seed}), {fraction:level} of them in dev"
    if any(left_out):
        template += "; trials with people of both are left out, at least {least:count} of {trials:count} in each split"
    least, size = min(left_out), len(trials)
    note = Note("splits", template, name, repeats=repeats, seed=seed, fraction=fraction, least=least, trials=size)
    return sets, note
