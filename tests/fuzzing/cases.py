"""What is tried: files and words made from a seed, and what to do with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzzing.mutations import Files
from fuzzing.watching import Ending, watch


@dataclass(frozen=True, slots=True)
class Case:
    """One input: the files of a folder, by their path in it, and words such as those of a command line."""

    files: Files
    words: tuple[str, ...] = ()
    damage: str = ""
    """What was done to it, for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of fairtrial that is tried.

    Parameters
    ----------
    name
        The first part of its seeds.
    make
        The case of a seed.
    use
        Does with the files of a folder and the words what a user would; raises `Misread` where the result is wrong.
    seconds
        After which a case counts as hanging.
    """

    name: str
    make: Callable[[str], Case]
    use: Callable[[Path, Case], None]
    seconds: float = 20.0

    def run(self, case: Case, folder: Path) -> Ending:
        """How the case ends, in a folder that then holds its files and whatever came of them."""
        lay_out(case.files, folder)
        return watch(lambda: self.use(folder, case), seconds=self.seconds)


def lay_out(files: Files, folder: Path) -> None:
    """Make a folder hold these files and nothing else."""
    for place in sorted(folder.rglob("*"), reverse=True):
        name = place.relative_to(folder).as_posix()
        if place.is_dir() and not place.is_symlink():
            if not any(file.startswith(f"{name}/") for file in files):
                shutil.rmtree(place)
        elif name not in files:
            place.unlink()
    for name, data in files.items():
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not (place.is_file() and place.stat().st_size == len(data) and place.read_bytes() == data):
            place.write_bytes(data)


def contents(folder: Path) -> Files:
    """The files that a folder holds."""
    found = (place for place in folder.rglob("*") if place.is_file() and "__pycache__" not in place.parts)
    return {place.relative_to(folder).as_posix(): place.read_bytes() for place in found}
