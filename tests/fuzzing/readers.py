"""Damaged score files: each is read and evaluated, or refused; text is read as the oracle reads it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from fairtrial.evaluation.evaluation import evaluate
from fairtrial.formats.read import read_trials
from fairtrial.formats.registry import FORMATS
from fuzzing.cases import Case, Target
from fuzzing.mutations import COMPRESSED, damage
from fuzzing.readings import DELIMITERS, NAMES, difference_from_oracle
from fuzzing.samples import BINARY, KEYED, SAMPLES
from fuzzing.watching import Misread


def make_reading(seed: str) -> Case:
    """Damaged files of a format, and how they are read.

    Parameters
    ----------
    seed
        ``sample/compression/number`` for a format of one's choice, else anything.
    """
    parts = seed.split("/")
    samples = SAMPLES | KEYED
    if parts[0] not in samples:
        dice = random.Random(seed)
        sample = dice.choice(sorted(samples))
        compression = "plain" if sample in BINARY else dice.choice(["plain", "plain", *COMPRESSED])
    else:
        sample, compression = parts[:2]
    files, done, rng = damage(samples[sample], seed, None if compression == "plain" else compression)
    words = [f"nan={rng.choice(['error', 'drop', 'reject'])}"]
    words += ["common"] * (rng.random() < 0.5)
    words += [f"format={rng.choice(sorted(FORMATS))}"] * (rng.random() < 0.15)
    return Case(files, tuple(words), f"{sample}: {done}")


def _options(words: tuple[str, ...]) -> dict[str, Any]:
    return {name: value if equals else True for name, equals, value in (word.partition("=") for word in words)}


def read_and_evaluate(folder: Path, case: Case) -> None:
    """Read the trials, with their key if there is one, and evaluate every system of them."""
    keys = [folder / name for name in case.files if name.startswith("key.")]
    scores = [folder / name for name in case.files if not name.startswith("key.")]
    trials = read_trials(scores, key=keys, **_options(case.words))
    if np.isnan(trials.scores).any():
        raise Misread("a score is NaN")
    for system in trials.systems:
        evaluate(trials, trials, systems=system)


def _lines(delimiter: str, rng: random.Random) -> bytes:
    """Trials that the columns tell apart, some of them with quotes and odd numbers."""
    lines = []
    for number in range(rng.choice([2, 12, 40])):
        claim, subject = rng.choices(["anna", "bert", "zoë", "1", "0", "c-d", '"q"'], k=2)
        score = rng.choice([f"{rng.gauss(0, 1):.5f}", f"{rng.gauss(0, 1e9)!r}", "nan", "-inf", "3", "1e-9"])
        lines.append(delimiter.join([claim, subject, f"{subject}_{number}", score]) + "\n")
    return "".join(lines).encode()


def make_text(seed: str) -> Case:
    """Damaged text of claim, subject, probe and score; a header line is as it was."""
    rng = random.Random(seed)
    kind = rng.randrange(len(DELIMITERS))
    delimiter, header = DELIMITERS[kind]
    files, done, _ = damage({"a.txt": _lines(delimiter, rng)}, seed)
    first = delimiter.join(NAMES).encode() + b"\n" if header else b""
    return Case({"a.txt": first + files["a.txt"]}, (str(kind),), done)


def read_as_the_oracle(folder: Path, case: Case) -> None:
    """Both readers of text against the oracle."""
    delimiter, header = DELIMITERS[int(case.words[0])]
    try:
        case.files["a.txt"].decode()
    except UnicodeDecodeError:
        return  # the oracle reads text
    difference = difference_from_oracle(folder / "a.txt", delimiter, header=header)
    if difference:
        raise Misread(difference)


READERS = Target("readers", make_reading, read_and_evaluate)
ORACLE = Target("oracle", make_text, read_as_the_oracle)
