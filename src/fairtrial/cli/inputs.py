"""What a command works on: dev and test trials, or one set cut into folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click
import numpy as np

from fairtrial.checks import check_classes, check_resamples
from fairtrial.cli.opened import PlaceOptions, opened_sets
from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions, TwoSets, check_chosen, names_of
from fairtrial.cli.progress import Bar, reading_bar
from fairtrial.draws import RESAMPLES
from fairtrial.errors import ParameterError
from fairtrial.folds import Block, make_blocks, with_fold_note
from fairtrial.formats import read_pair, read_trials
from fairtrial.trial_sets import TrialSets, check_same_systems
from fairtrial.trials import Trials

if TYPE_CHECKING:
    from fairtrial.scale.opened import OpenTrials

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Dev and test trials; without a test set, the blocks that the dev trials are cut into."""

    dev: Trials
    test: Trials | None
    blocks: Sequence[Block] = field(default_factory=list)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems to be evaluated."""
        return self.dev.systems

    def sets(self, chance: ChanceOptions, *, resamples: int = RESAMPLES) -> TrialSets:
        """What is judged: the trials, and who shares them."""
        test = self.dev if self.test is None else self.test
        return TrialSets(self.dev, test, chance.cluster, chance.seed, self.blocks, check_resamples(resamples))


@dataclass(frozen=True, slots=True)
class OpenInputs:
    """Dev and test trials that are not in memory, but read piece by piece."""

    dev: OpenTrials
    test: OpenTrials

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems to be evaluated."""
        return self.dev.systems

    def sets(self, chance: ChanceOptions, *, resamples: int = RESAMPLES) -> TrialSets:
        """What is judged."""
        return TrialSets(self.dev, self.test, chance.cluster, chance.seed, n_resamples=check_resamples(resamples))


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
    return OpenInputs(*click.get_current_context().with_resource(opened_sets(files, reading, place, whole)))


def read_inputs(
    files: InputOptions, reading: ReadingOptions, chance: ChanceOptions, chosen: str | None = None
) -> Inputs:
    """Read dev and test trials, or cut the dev trials into folds; systems that `chosen` names by commas, if it does."""
    check_chosen(chosen, reading)
    if chosen:
        reading = replace(reading, systems=names_of(chosen))
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


def read_sets(files: TwoSets, reading: ReadingOptions, chosen: str | None = None) -> tuple[Trials, Trials]:
    """Read dev and test trials of the same systems; of those that `chosen` names by commas, if it does."""
    check_chosen(chosen, reading)
    if chosen:
        reading = replace(reading, systems=names_of(chosen))
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
        from fairtrial.scale.together import answer_together

        return answer_together([partial(work, system) for system in inputs.systems])
    results = []
    with Bar(what, len(inputs.systems)) as bar:
        for system in inputs.systems:
            results.append(work(system))
            bar.advance()
    return results
