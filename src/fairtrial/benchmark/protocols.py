"""List which systems are fused (Poh & Bengio 2006, section 2.2), and split one set into dev and test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_number, check_seed, check_share
from fairtrial.core.notes import Note
from fairtrial.core.registry import Registry
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, shown
from fairtrial.inference.people import Cluster, known_cluster, people_of

_MULTIMODAL = "multimodal"
_INTRAMODAL = "intramodal"
_FEATURES = "different features"
_CLASSIFIERS = "different classifiers"


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


_Chosen = Iterator[tuple[str, tuple[SystemInfo, ...]]]


def _combinations(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Combine two and more systems in every way."""
    for size in range(2, len(one.systems) + 1):
        for systems in combinations(one.systems, size):
            yield _MULTIMODAL if len({system.modality for system in systems}) > 1 else _INTRAMODAL, systems


def _intramodal(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Combine systems within one modality."""
    return ((systems[0].modality, systems) for group, systems in _combinations(one, benchmark) if group == _INTRAMODAL)


def _multimodal(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Combine systems of at least two modalities."""
    return ((group, systems) for group, systems in _combinations(one, benchmark) if group == _MULTIMODAL)


def _pairs(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Pair systems: of two modalities, of two features of one modality, of two classifiers of one feature."""
    omitted = {frozenset(pair) for pair in benchmark.never_paired}
    groups: dict[str, list[tuple[SystemInfo, ...]]] = {_MULTIMODAL: [], _FEATURES: [], _CLASSIFIERS: []}
    for a, b in combinations(one.systems, 2):
        if frozenset((a.feature, b.feature)) in omitted:
            continue
        same = _CLASSIFIERS if a.feature == b.feature else _FEATURES
        groups[_MULTIMODAL if a.modality != b.modality else same].append((a, b))
    return ((name, pair) for name, pairs in groups.items() for pair in pairs)


Choose: TypeAlias = Callable[[BenchmarkSet, Benchmark], Iterable[tuple[str, Sequence[SystemInfo]]]]
"""From a set and its benchmark to what is fused: the group it is reported in, and the systems."""

_OF_THE_PAPER: dict[str, Choose] = {
    "fp-2": _pairs,
    "fp-full": _combinations,
    "fp-intramodal": _intramodal,
    "fp-multimodal": _multimodal,
}
PROTOCOLS: Registry[Choose] = Registry("protocol", "protocols", known=_OF_THE_PAPER)
"""The fusion protocols by their names."""


def register_protocol(name: str, choose: Choose) -> None:
    """Make a fusion protocol known by its name, to the command line too.

    Parameters
    ----------
    name : str
        What the protocol is to be called.
    choose : callable
        Called with each set and its benchmark; gives, one after the other, the group that a fusion is reported in and
        the systems to be fused, two or more of those of the set.

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
        raise ParameterError(f"a protocol of your own needs a name of its own, not {shown(name)}", code="name")
    PROTOCOLS[name] = choose


def list_experiments(benchmark: Benchmark, protocol: str = "fp-2") -> list[Experiment]:
    """List which systems are fused by a protocol, set by set.

    Parameters
    ----------
    benchmark : Benchmark
        The sets and their systems.
    protocol : str, default "fp-2"
        A name in `PROTOCOLS`, or one that the benchmark lists itself.

    Returns
    -------
    list of Experiment
        What is fused, in the order in which it is reported.

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
        found = [
            Experiment(one.name, fusion.group, fusion.systems, one.split)
            for one in benchmark.sets
            for fusion in benchmark.protocols[protocol]
            if fusion.set in (None, one.name) and {system.name for system in one.systems} >= set(fusion.systems)
        ]
    else:
        found = [
            Experiment(one.name, group, tuple(system.name for system in systems), one.split)
            for one in benchmark.sets
            for group, systems in PROTOCOLS[protocol](one, benchmark)
        ]
    for experiment in found:
        if len(set(experiment.systems)) < max(2, len(experiment.systems)):
            raise ParameterError(
                f"protocol {protocol}: a fusion needs two or more different systems, not "
                f"{listed(experiment.systems) or 'none'}",
                code="one-system",
            )
    if not found:
        raise ParameterError(
            f"{benchmark.name}: protocol {protocol} finds nothing to fuse; check the systems' modalities and features",
            code="nothing-to-fuse",
        )
    return found


_WHO = {"claim": "claims", "subject": "subjects", "both": "people"}


def split_by_subject(
    trials: Trials, *, repeats: int = 10, fraction: float = 0.5, seed: int = 0
) -> list[tuple[Trials, Trials]]:
    """Split trials into dev and test so that nobody is in both.

    People are dealt at random: those with genuine trials, then the others, so that each side has its part of
    both. A trial is dev if everybody in it is (claim and subject, as far as known), test likewise; a trial
    with people of both sides is left out, which a note counts.

    Parameters
    ----------
    trials
        Trials with claim or subject ids.
    repeats
        How many splits; the first ones are the same whatever their number.
    fraction
        The share of people in dev.
    seed
        The same seed gives the same splits.

    Returns
    -------
    list of tuple
        Dev and test trials of each split.

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    TrialsError
        If there are no ids or too few people, or a side lacks genuine or impostor trials.

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
    cluster: Cluster = known_cluster(trials, None)
    if cluster == "none":
        raise TrialsError(
            "trials are split by people, but these have neither claim nor subject ids: give ids, or dev and test files",
            code="no-ids",
        )
    people = people_of(trials, cluster)
    groups = _groups(trials, people)
    if cluster == "both" and len(groups[1]) == 1:
        assert trials.subject is not None
        if len(np.unique(trials.subject.numbered().codes[~trials.genuine])) == 1:
            # one id for all impostors does not identify them, and cannot be on both sides
            cluster = "claim"
            people = people_of(trials, cluster)
            groups = _groups(trials, people)
            template = "all impostors have the same id: the split is by claims, and impostors are in both"
            trials = trials.with_notes(Note("one-impostor", template))
    who = _WHO[cluster]
    if len(groups[0]) < 2:
        raise TrialsError(
            f"a split needs at least 2 {who} with genuine trials, one for dev and one for test; "
            f"there are {len(groups[0])}",
            code="few-people",
        )
    rng = np.random.default_rng(seed)
    return [
        _one_split(trials, people, _deal(groups, fraction, rng), who, f"split {number} of seed {seed}")
        for number in range(1, repeats + 1)
    ]


def split_sets(
    name: str,
    trials: Trials,
    systems: Sequence[SystemInfo],
    *,
    repeats: int = 10,
    fraction: float = 0.5,
    seed: int = 0,
) -> tuple[tuple[BenchmarkSet, ...], Note]:
    """Make one benchmark set per split.

    Parameters
    ----------
    name, systems
        The name of the sets, and their systems.
    trials, repeats, fraction, seed
        As in `split_by_subject`.

    Returns
    -------
    tuple
        The sets, and a note on the splits.
    """
    pairs = split_by_subject(trials, repeats=repeats, fraction=fraction, seed=seed)
    sets = tuple(
        BenchmarkSet(name, dev, test, tuple(systems), split) for split, (dev, test) in enumerate(pairs, start=1)
    )
    left_out = [len(trials) - len(dev) - len(test) for dev, test in pairs]
    template = "no dev set is given; {repeats} random splits by people (seed {seed}), {fraction:level} of them in dev"
    if any(left_out):
        template += "; trials with people of both are left out, at least {least:count} of {trials:count} in each split"
    values: dict[str, Any] = {
        "repeats": repeats,
        "seed": seed,
        "fraction": fraction,
        "least": min(left_out),
        "trials": len(trials),
    }
    return sets, Note("splits", template, name, **values)


def _groups(trials: Trials, people: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the people with genuine trials, and those without."""
    everybody = np.unique(np.concatenate(people))
    genuine = np.unique(np.concatenate([column[trials.genuine] for column in people]))
    return genuine, np.setdiff1d(everybody, genuine)


def _deal(groups: Sequence[NDArray[np.int64]], fraction: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw who is in dev, by number."""
    is_dev = np.zeros(1 + max(int(group.max(initial=-1)) for group in groups), dtype=bool)
    for group in groups:
        count = int(fraction * len(group) + 0.5)
        if len(group) > 1:  # both sides get somebody
            count = min(max(count, 1), len(group) - 1)
        is_dev[rng.permutation(group)[:count]] = True
    return is_dev


def _one_split(
    trials: Trials, people: Sequence[NDArray[np.int64]], is_dev: NDArray[np.bool_], who: str, place: str
) -> tuple[Trials, Trials]:
    """Give the trials of dev and of test, with a note on who is in which."""
    in_dev = np.logical_and.reduce([is_dev[column] for column in people])
    in_test = np.logical_and.reduce([~is_dev[column] for column in people])
    for word, rows in (("dev", in_dev), ("test", in_test)):
        genuine = int(np.count_nonzero(trials.genuine[rows]))
        impostor = int(np.count_nonzero(rows)) - genuine
        if not genuine or not impostor:
            raise TrialsError(
                f"{place}: {word} would have {genuine:,} genuine and {impostor:,} impostor trials, but needs both; "
                "there are too few people, or take another fraction or seed",
                code="empty-class",
            )
    used = np.unique(np.concatenate(people))
    template = "{dev:count} of {people:count} {who} are in dev, the others in test"
    left_out = len(trials) - int(np.count_nonzero(in_dev | in_test))
    if left_out:
        template += "; {left_out:count} trials with {who} of both were left out"
    values: dict[str, Any] = {"dev": int(np.count_nonzero(is_dev[used])), "people": len(used), "left_out": left_out}
    note = Note("split", template, place, who=who, **values)
    return trials.rows(in_dev).with_notes(note), trials.rows(in_test).with_notes(note)
