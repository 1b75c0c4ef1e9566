"""Small score files, opened as the explorer opens them."""

from pathlib import Path
from typing import Any

import numpy as np

from fairtrial import Trials, write_trials
from fairtrial.core.words import use_distances
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data, Reading
from fairtrial.explorer.files import OpenFiles
from fairtrial.explorer.questions import QUESTIONS
from simulated import crossed


def write_sets(folder: Path, *, systems: tuple[str, ...] = ("face", "voice", "gait"), clients: int = 12) -> list[str]:
    """Dev and test of different people, with a column that makes groups."""
    paths = []
    for seed, name in enumerate(("dev", "test")):
        made = crossed(
            np.random.default_rng(seed), clients=clients, impostors=8, systems=systems, start=100 * seed, effect=0.3
        )
        device = np.where(np.arange(len(made)) % 3 == 0, "phone", "desk")
        trials = Trials.from_arrays(
            made.scores + 0.6 * np.arange(len(systems)) * made.genuine[:, None],
            made.genuine,
            systems=made.systems,
            claim=made.ids["claim"].decode(),
            subject=made.ids["subject"].decode(),
            columns={"device": device},
        )
        paths.append(str(folder / f"{name}.csv"))
        write_trials(trials, paths[-1])
    return paths


def read_data(paths: list[str], **given: Any) -> Data:
    """The trials of files that were named on the command line: the first is dev, the others are test."""
    opened = OpenFiles(map(Path, paths))
    keys = [file.key for file in opened]
    reading = Reading.of({"dev": keys[:1], "test": keys[1:], **given})
    files = reading.files(opened)
    return Data(reading.read(files, None, room=10**10), reading, files)


def answer_to(name: str, data: Data, **given: Any) -> Answer:
    """Ask a question as a browser does; thresholds of distances are those of their files from now on."""
    question = QUESTIONS[name]
    use_distances(data.distances)
    return question.answer(question.of(data, given), lambda done: None)
