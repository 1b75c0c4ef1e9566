"""Which systems are fused: the fusion protocols of Poh & Bengio 2006, section 2.2, for any benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError, listed, shown
from fairtrial.plugins import Registry

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
        Which of several random splits, counted from 1; None where dev and test are given.

    Examples
    --------
    >>> from fairtrial import load_lausanne
    >>> list_experiments(load_lausanne())[0].systems
    ('(FH,MLP)', '(LFCC,GMM)')
    """

    set: str
    group: str
    systems: tuple[str, ...]
    split: int | None = None


_Chosen = Iterator[tuple[str, tuple[SystemInfo, ...]]]


def _subsets(systems: Sequence[SystemInfo]) -> Iterator[tuple[SystemInfo, ...]]:
    for size in range(2, len(systems) + 1):
        yield from combinations(systems, size)


def _modalities(systems: Sequence[SystemInfo]) -> set[str]:
    return {system.modality for system in systems}


def _full(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Every combination of two and more systems."""
    for systems in _subsets(one.systems):
        yield (_MULTIMODAL if len(_modalities(systems)) > 1 else _INTRAMODAL), systems


def _intramodal(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Every combination within one modality."""
    for systems in _subsets(one.systems):
        if len(_modalities(systems)) == 1:
            yield systems[0].modality, systems


def _multimodal(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Every combination of at least two modalities."""
    for systems in _subsets(one.systems):
        if len(_modalities(systems)) > 1:
            yield _MULTIMODAL, systems


def _pairs(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
    """Pairs: of two modalities, of two features of one modality, of two classifiers of one feature."""
    omitted = {frozenset(pair) for pair in benchmark.never_paired}
    groups: dict[str, list[tuple[SystemInfo, ...]]] = {_MULTIMODAL: [], _FEATURES: [], _CLASSIFIERS: []}
    for a, b in combinations(one.systems, 2):
        if frozenset((a.feature, b.feature)) in omitted:
            continue
        if a.modality != b.modality:
            groups[_MULTIMODAL].append((a, b))
        elif a.feature == b.feature:
            groups[_CLASSIFIERS].append((a, b))
        else:
            groups[_FEATURES].append((a, b))
    for name, pairs in groups.items():
        for pair in pairs:
            yield name, pair


Choose: TypeAlias = Callable[[BenchmarkSet, Benchmark], Iterable[tuple[str, Sequence[SystemInfo]]]]
"""From a set and its benchmark to what is fused: the group it is reported in, and the systems."""

_OF_THE_PAPER: dict[str, Choose] = {
    "fp-2": _pairs,
    "fp-full": _full,
    "fp-intramodal": _intramodal,
    "fp-multimodal": _multimodal,
}
PROTOCOLS: Registry[Choose] = Registry("protocol", "protocols", known=_OF_THE_PAPER)
"""The fusion protocols by their names."""


def _listed(protocol: str) -> Choose:
    """A protocol that a benchmark lists, fusion by fusion."""

    def choose(one: BenchmarkSet, benchmark: Benchmark) -> _Chosen:
        systems = {system.name: system for system in one.systems}
        for fusion in benchmark.protocols[protocol]:
            if fusion.set in (None, one.name) and all(name in systems for name in fusion.systems):
                yield fusion.group, tuple(systems[name] for name in fusion.systems)

    return choose


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
        An empty name, or that of one of the paper's protocols.

    Examples
    --------
    >>> register_protocol("everything", lambda one, benchmark: [("all systems", one.systems)])
    >>> from fairtrial import load_lausanne
    >>> [len(experiment.systems) for experiment in list_experiments(load_lausanne(), "everything")]
    [8, 5]
    >>> del PROTOCOLS["everything"]
    """
    if not name or name in _OF_THE_PAPER:
        raise ParameterError(f"a protocol of your own needs a name of its own, not {shown(name)}")
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
        A protocol that is not known, or one that leaves nothing to fuse.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 3 and Table 2.

    Examples
    --------
    >>> from fairtrial import load_lausanne
    >>> len(list_experiments(load_lausanne(), "fp-2"))
    32
    """
    if protocol not in benchmark.protocols and protocol not in PROTOCOLS:
        check_choice("protocol", protocol, [*PROTOCOLS, *benchmark.protocols])
    choose = _listed(protocol) if protocol in benchmark.protocols else PROTOCOLS[protocol]
    found = [
        Experiment(one.name, group, tuple(system.name for system in systems), one.split)
        for one in benchmark.sets
        for group, systems in choose(one, benchmark)
    ]
    for experiment in found:
        if len(set(experiment.systems)) < max(2, len(experiment.systems)):
            raise ParameterError(
                f"protocol {protocol}: a fusion is of two or more different systems, not of "
                f"{listed(experiment.systems) or 'none'}"
            )
    if not found:
        raise ParameterError(
            f"{benchmark.name}: protocol {protocol} finds nothing to fuse; check the systems' modalities and features"
        )
    return found
