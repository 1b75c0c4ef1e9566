"""Damaged journals of coverage studies: a study goes on to the same result, or refuses the journal."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from fairtrial.repeated import CoverageStudy, Grid, coverage_study
from fuzzing.cases import Case, Target
from fuzzing.mutations import damage
from fuzzing.watching import Misread

_GRID = Grid((20, 30), (2,), (0.1,), (0.1, 0.3))


def _study(journal: Path) -> CoverageStudy:
    return coverage_study(_GRID, methods=("dr", "lbb"), data_sets=5, n_resamples=5, workers=1, journal=journal)


@cache
def _whole() -> tuple[CoverageStudy, bytes]:
    """The study, and the journal that it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder, "study.journal")
        return _study(journal), journal.read_bytes()


def make_journal(seed: str) -> Case:
    """A damaged journal."""
    files, done, rng = damage({"study.journal": _whole()[1]}, seed)
    if rng.random() < 0.2:
        files["study.journal"] = _other_digit(rng, files["study.journal"])
    return Case(files, damage=done)


def _other_digit(rng: random.Random, data: bytes) -> bytes:
    """One digit of a number changed: nothing but a checksum can tell."""
    places = [place for place, byte in enumerate(data) if 48 <= byte < 58]
    if not places:
        return data
    place = rng.choice(places)
    return data[:place] + bytes([48 + (data[place] - 47) % 10]) + data[place + 1 :]


def resume(folder: Path, case: Case) -> None:
    """Go on with the study, which must end as if it had never been stopped."""
    found = _study(folder / "study.journal")
    if found != _whole()[0]:
        raise Misread("the study that went on has another result")


JOURNALS = Target("journals", make_journal, resume)
