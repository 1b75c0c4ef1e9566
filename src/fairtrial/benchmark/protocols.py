"""Which systems are fused: the fusion protocols of Poh & Bengio 2006, section 2.2, for any benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fairtrial.benchmark.sets import Benchmark, BenchmarkSet, SystemInfo
from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError

MULTIMODAL = "multimodal"
INTRAMODAL = "intramodal"
FEATURES = "different features"
CLASSIFIERS = "different classifiers"


@dataclass(frozen=True, slots=True)
class Experiment:
    """Systems of one set that are fused, and the group they are reported in."""

    set: str
    group: str
    systems: tuple[str, ...]
    split: int | None = None


Chosen = Iterator[tuple[str, tuple[SystemInfo, ...]]]


def _subsets(systems: Sequence[SystemInfo]) -> Iterator[tuple[SystemInfo, ...]]:
    for size in range(2, len(systems) + 1):
        yield from combinations(systems, size)


def _modalities(systems: Sequence[SystemInfo]) -> set[str]:
    return {system.modality for system in systems}


def _full(one: BenchmarkSet, benchmark: Benchmark) -> Chosen:
    """Every combination of two and more systems."""
    for systems in _subsets(one.systems):
        yield (MULTIMODAL if len(_modalities(systems)) > 1 else INTRAMODAL), systems


def _intramodal(one: BenchmarkSet, benchmark: Benchmark) -> Chosen:
    """Every combination within one modality."""
    for systems in _subsets(one.systems):
        if len(_modalities(systems)) == 1:
            yield systems[0].modality, systems


def _multimodal(one: BenchmarkSet, benchmark: Benchmark) -> Chosen:
    """Every combination of at least two modalities."""
    for systems in _subsets(one.systems):
        if len(_modalities(systems)) > 1:
            yield MULTIMODAL, systems


def _pairs(one: BenchmarkSet, benchmark: Benchmark) -> Chosen:
    """Pairs: of two modalities, of two features of one modality, of two classifiers of one feature."""
    omitted = {frozenset(pair) for pair in benchmark.never_paired}
    groups: dict[str, list[tuple[SystemInfo, ...]]] = {MULTIMODAL: [], FEATURES: [], CLASSIFIERS: []}
    for a, b in combinations(one.systems, 2):
        if frozenset((a.feature, b.feature)) in omitted:
            continue
        if a.modality != b.modality:
            groups[MULTIMODAL].append((a, b))
        elif a.feature == b.feature:
            groups[CLASSIFIERS].append((a, b))
        else:
            groups[FEATURES].append((a, b))
    for name, pairs in groups.items():
        for pair in pairs:
            yield name, pair


PROTOCOLS: dict[str, Callable[[BenchmarkSet, Benchmark], Chosen]] = {
    "fp-2": _pairs,
    "fp-full": _full,
    "fp-intramodal": _intramodal,
    "fp-multimodal": _multimodal,
}
"""The fusion protocols by their names."""


def list_experiments(benchmark: Benchmark, protocol: str = "fp-2") -> list[Experiment]:
    """List which systems are fused by a protocol, set by set.

    Parameters
    ----------
    benchmark
        The sets and their systems.
    protocol
        One of `PROTOCOLS`.

    Returns
    -------
    list of Experiment
        What is fused, in the order in which it is reported.

    Raises
    ------
    ParameterError
        A protocol that is not known, or one that leaves nothing to fuse.
    """
    check_choice("protocol", protocol, PROTOCOLS)
    found = [
        Experiment(one.name, group, tuple(system.name for system in systems), one.split)
        for one in benchmark.sets
        for group, systems in PROTOCOLS[protocol](one, benchmark)
    ]
    if not found:
        raise ParameterError(
            f"{benchmark.name}: protocol {protocol} finds nothing to fuse; check the systems' modalities and features"
        )
    return found
