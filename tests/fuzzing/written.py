"""Damaged files that fairtrial wrote itself: read back as they were, or refused."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from fairtrial.formats import read_trials, write_trials
from fairtrial.trials import Trials
from fuzzing.cases import Case, Target
from fuzzing.mutations import flip, truncate
from fuzzing.watching import Misread

_ENDINGS = (".parquet", ".npz", ".csv.gz", ".csv.zst", ".txt.zst")
"""Files with a checksum; plain text has none."""


@cache
def _trials() -> Trials:
    rng = np.random.default_rng(11)
    claim, subject = np.divmod(np.arange(400), 20)
    scores = rng.normal(size=400) + 2 * (claim == subject)
    return Trials.from_arrays(
        scores,
        claim == subject,
        systems=["face"],
        claim=claim,
        subject=subject,
        probe=[f"probe{k}" for k in range(400)],
    )


@cache
def _whole(ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, f"a{ending}")
        write_trials(_trials(), place)
        return place.read_bytes()


def make_written(seed: str) -> Case:
    """One of our own files with flipped bits or without its end."""
    rng = random.Random(seed)
    ending = rng.choice(_ENDINGS)
    mutate = rng.choice([flip, flip, flip, truncate])
    return Case({f"a{ending}": mutate(rng, _whole(ending))}, damage=mutate.__name__)


def read_back(folder: Path, case: Case) -> None:
    """Read the file, which must hold what was written."""
    (name,) = case.files
    found, expected = read_trials(folder / name), _trials()
    same = np.array_equal(found.scores, expected.scores) and np.array_equal(found.genuine, expected.genuine)
    for role, column in expected.ids.items():
        same = same and role in found.ids and found.ids[role].decode().tolist() == column.decode().tolist()
    if not same:
        raise Misread("other trials than those written")


WRITTEN = Target("written", make_written, read_back)
