"""What a command works on: dev and test trials, or one set cut into folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
import numpy as np

from fairtrial.cli.counted import read_counters
from fairtrial.cli.opened import PlaceOptions, opened_sets
from fairtrial.cli.options import (
    ChanceOptions,
    InputOptions,
    ReadingOptions,
    SetOptions,
    TwoSets,
)
from fairtrial.cli.progress import Bar, reading_bar
from fairtrial.core.errors import ParameterError, check_classes
from fairtrial.core.trials import Trials
from fairtrial.counting.tallies import ScoreData
from fairtrial.formats.counter_file import is_part
from fairtrial.formats.read import read_pair, read_trials
from fairtrial.inference.folds import Block, make_blocks, with_fold_note
from fairtrial.inference.split import TrialSets, check_same_systems

if TYPE_CHECKING:
    from fairtrial.counting.pieces import OpenTrials

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Dev and test trials; without a test set, the blocks that the dev trials are cut into."""

    dev: Any
    test: Any
    blocks: Sequence[Block] = field(default_factory=list)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems to be evaluated."""
        return tuple(self.dev.systems)

    def sets(self, chance: ChanceOptions) -> TrialSets:
        """What is judged: the trials, and who shares them."""
        test = self.dev if self.test is None else self.test
        return TrialSets(self.dev, test, chance.cluster, chance.seed, self.blocks)


@dataclass(frozen=True, slots=True)
class OpenInputs:
    """Dev and test trials that are not in memory, but read piece by piece."""

    dev: OpenTrials
    test: OpenTrials

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems to be evaluated."""
        return self.dev.systems

    def sets(self, chance: ChanceOptions) -> TrialSets:
        """What is judged."""
        return TrialSets(self.dev, self.test, chance.cluster, chance.seed)


def read_or_open(
    files: InputOptions,
    reading: ReadingOptions,
    chance: ChanceOptions,
    place: PlaceOptions,
    **whole: object,
) -> Inputs | OpenInputs:
    """Read dev and test trials, or open them where they are too large to be read whole.

    `whole` are options that need all trials in memory, with their values; None and False are options not given.
    """
    if not place.asks_for_pieces(files.files):
        return read_inputs(files, reading, chance)
    refused = {**whole, "folds": files.folds}
    return OpenInputs(*click.get_current_context().with_resource(opened_sets(files, reading, place, refused)))


def read_sources(
    given: Mapping[type[Any], Any], *, folds: object, needs: Sequence[str]
) -> tuple[ScoreData, ScoreData | None]:
    """Read what a command is asked about: trials, trials in pieces, or counters; no test set with folds.

    Parameters
    ----------
    given
        Instances of `SetOptions` and `ReadingOptions`, and perhaps of `PlaceOptions`, by class.
    folds
        What was asked for in place of a test set; None for nothing.
    needs
        Options that were given and need all trials in memory.
    """
    files, reading, place = given[SetOptions], given[ReadingOptions], given.get(PlaceOptions)
    if bool(files.test) == (folds is not None):
        raise ParameterError("give either {test!p} F, or {folds!p} K if there is no test set", test=None, folds=None)
    if any(is_part(name) for name in files.files):
        return read_counters(files, reading, needs)
    if place is not None and place.asks_for_pieces(files.files):
        refused = {flag.removeprefix("--"): True for flag in needs} | {"folds": folds}
        return click.get_current_context().with_resource(opened_sets(files, reading, place, refused))
    if folds is None:
        return read_sets(TwoSets(files.dev, files.test), reading)
    with reading_bar(files.dev) as bar:
        trials = read_trials(files.dev, progress=bar.advance, **reading.keywords())
    _remember([trials])
    _check_classes(trials, files.dev, "to be cut into folds")
    return trials, None


def read_inputs(files: InputOptions, reading: ReadingOptions, chance: ChanceOptions) -> Inputs:
    """Read dev and test trials, or cut the dev trials into folds."""
    if bool(files.test) == (files.folds is not None):
        raise ParameterError("give either --test F, or --folds K where there is no test set")
    if files.folds is None:
        return Inputs(*read_sets(TwoSets(files.dev, files.test), reading))
    with reading_bar(files.dev) as bar:
        trials = read_trials(files.dev, progress=bar.advance, **reading.keywords())
    _remember([trials])
    _check_classes(trials, files.dev, "to be cut into folds")
    blocks = make_blocks(trials, files.folds, cluster=chance.cluster, rng=chance.seed)
    return Inputs(with_fold_note(trials, files.folds, blocks, chance.cluster), None, blocks)


def read_sets(files: TwoSets, reading: ReadingOptions) -> tuple[Trials, Trials]:
    """Read dev and test trials of the same systems."""
    with reading_bar(files.dev, files.test) as bar:
        pair = read_pair(files.dev, files.test, progress=bar.advance, **reading.keywords())
    check_same_systems(*pair)
    _remember(pair)
    for trials, named, name in zip(pair, (files.dev, files.test), ("dev", "test"), strict=True):
        _check_classes(trials, named, name)
    return pair


_NOTES = "fairtrial.notes"


def _remember(sets: Sequence[Trials]) -> None:
    """Keep the notes of what was read for commands that show no tables, such as figures."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_NOTES, []).extend(note for trials in sets for note in trials.notes)


def notes_of_reading() -> list[str]:
    """What is to be known of the files that the present command read, each note once."""
    return list(dict.fromkeys(click.get_current_context().meta.get(_NOTES, [])))


def _check_classes(trials: Trials, files: Sequence[str], name: str) -> None:
    """Raise an error that names the files where they hold one class only."""
    genuine = int(np.count_nonzero(trials.genuine))
    check_classes(genuine, len(trials) - genuine, f"{', '.join(files[:3])}, {name}")


def for_each_system(inputs: Inputs | OpenInputs, what: str, work: Callable[[str], Found]) -> list[Found]:
    """The results of all systems, with a progress bar."""
    if isinstance(inputs, OpenInputs):
        from fairtrial.counting.pieces import answer_together

        return answer_together([partial(work, system) for system in inputs.systems])
    results = []
    with Bar(what, len(inputs.systems)) as bar:
        for system in inputs.systems:
            results.append(work(system))
            bar.advance()
    return results
