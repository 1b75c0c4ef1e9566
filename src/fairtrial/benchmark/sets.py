"""A benchmark: systems that differ in modality, feature or classifier, on the same dev and test trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairtrial.errors import ParameterError, TrialsError, listed, shown
from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True)
class SystemInfo:
    """What a system is made of."""

    name: str
    modality: str
    feature: str
    classifier: str


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkSet:
    """Systems on the same trials: a protocol of a database, such as LP1, or one split of a set without dev trials."""

    name: str
    dev: Trials
    test: Trials
    systems: tuple[SystemInfo, ...]
    split: int | None = None
    """Which of several random splits of the same trials this is, counted from 1; None: dev and test are given."""

    def __post_init__(self) -> None:
        names = [system.name for system in self.systems]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise TrialsError(f"{self.name}: two systems have the same name: {listed(repeated)}")
        for word, trials in (("dev", self.dev), ("test", self.test)):
            missing = [name for name in names if name not in trials.systems]
            if missing:
                raise TrialsError(
                    f"{self.name}: there is no system {shown(missing[0])} in {word}; there are {listed(trials.systems)}"
                )


@dataclass(frozen=True, slots=True)
class ListedFusion:
    """A fusion that a protocol of one's own lists: systems, the group they are reported in, and the set."""

    systems: tuple[str, ...]
    group: str = "listed"
    set: str | None = None
    """None: every set that has the systems."""


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """Sets of systems on which fusion is measured, and where they come from."""

    name: str
    title: str
    sets: tuple[BenchmarkSet, ...]
    citation: str = ""
    licence: str = ""
    synthetic: bool = False
    never_paired: tuple[tuple[str, str], ...] = ()
    """Features that the protocol FP-2 does not pair."""
    notes: tuple[str, ...] = ()
    protocols: Mapping[str, tuple[ListedFusion, ...]] = field(default_factory=dict)
    """Protocols of its own, fusion by fusion."""
    files: tuple[Path, ...] = ()
    """What was read: the manifest, and the files of scores; a directory of them as itself."""

    def __post_init__(self) -> None:
        keys = [(one.name, one.split) for one in self.sets]
        repeated = dict.fromkeys(one.name for one, key in zip(self.sets, keys, strict=True) if keys.count(key) > 1)
        if repeated:
            raise TrialsError(f"{self.name}: two sets have the same name: {listed(repeated)}")

    def only(self, names: Sequence[str]) -> Benchmark:
        """The same with these sets only."""
        known = list(dict.fromkeys(one.name for one in self.sets))
        for name in names:
            if name not in known:
                raise ParameterError(f"{self.name} has no set {shown(name)}; there are {listed(known)}")
        return replace(self, sets=tuple(one for one in self.sets if one.name in names))
