"""A benchmark: systems that differ in modality, feature or classifier, on the same dev and test trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, plural, shown


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
                known = listed(trials.systems)
                raise TrialsError(
                    f"{self.name}: there is no system {shown(missing[0])} in {word}; there are {known}",
                    code="no-system",
                )


@dataclass(frozen=True, slots=True)
class ListedFusion:
    """A fusion that a protocol of one's own lists: systems, the group they are reported in, and the set.

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
    """Sets of systems on which fusion is measured, and where they come from.

    Parameters
    ----------
    name : str
        The name of the benchmark.
    title : str
        What it is, in a few words.
    sets : tuple of BenchmarkSet
        Systems on the same trials, set by set.
    citation : str, default ""
        What to cite.
    licence : str, default ""
        The licence of the scores.
    synthetic : bool, default False
        Whether the scores are generated, and not measured.
    never_paired : tuple of tuple of (str, str), default ()
        Features that the protocol FP-2 does not pair.
    notes : tuple of Note or str, default ()
        What the reader should know.
    protocols : dict of str to tuple of ListedFusion, default {}
        Protocols of its own, fusion by fusion.
    files : tuple of pathlib.Path, default ()
        The manifest and the files of scores; a directory of them as itself.

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
        """Give the same with these sets only.

        Parameters
        ----------
        names : sequence of str
            The names of the sets.

        Returns
        -------
        Benchmark
            The benchmark.

        Raises
        ------
        ParameterError
            If there is no such set.
        """
        known = list(dict.fromkeys(one.name for one in self.sets))
        for name in names:
            if name not in known:
                raise ParameterError(f"{self.name} has no set {shown(name)}; there are {listed(known)}", code="no-set")
        return replace(self, sets=tuple(one for one in self.sets if one.name in names))
