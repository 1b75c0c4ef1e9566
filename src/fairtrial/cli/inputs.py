"""What a command works on: dev and test trials, or one set cut into folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from fairtrial.checks import check_seed
from fairtrial.cli.options import read_options
from fairtrial.cli.progress import Bar, reading_bar
from fairtrial.errors import ParameterError
from fairtrial.folds import Block, make_blocks
from fairtrial.formats import read_pair, read_trials
from fairtrial.people import known_cluster, people_of
from fairtrial.trials import Trials, check_same_systems

Result = TypeVar("Result")


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

    @property
    def notes(self) -> list[str]:
        """Notes of both sets, each with the set's name."""
        sets = [("dev", self.dev)] if self.test is None else [("dev", self.dev), ("test", self.test)]
        return [f"{name}: {note}" for name, trials in sets for note in trials.notes]


def read_inputs(values: dict[str, Any]) -> Inputs:
    """Read what the options of a command name."""
    if bool(values["test"]) == (values["folds"] is not None):
        raise ParameterError("give either --test F, or --folds K where there is no test set")
    check_seed(values["seed"])
    settings = read_options(values)
    if values["folds"] is None:
        with reading_bar(values["dev"], values["test"]) as bar:
            pair = read_pair(values["dev"], values["test"], progress=bar.advance, **settings)
        check_same_systems(*pair)
        return Inputs(*pair)
    with reading_bar(values["dev"]) as bar:
        trials = read_trials(values["dev"], progress=bar.advance, **settings)
    blocks = make_blocks(trials, values["folds"], cluster=values["cluster"], rng=values["seed"])
    cluster = known_cluster(trials, values["cluster"])
    people = len(np.unique(np.concatenate(people_of(trials, cluster))))
    who = {"none": "trials", "claim": "claims", "subject": "subjects", "both": "people"}[cluster]
    return Inputs(trials.with_notes(f"{values['folds']} folds of {people:,} {who}, {len(blocks)} blocks"), None, blocks)


def for_each_system(inputs: Inputs, what: str, work: Callable[[str], Result]) -> list[Result]:
    """The results of all systems, with a progress bar."""
    results = []
    with Bar(what, len(inputs.systems)) as bar:
        for system in inputs.systems:
            results.append(work(system))
            bar.advance()
    return results
