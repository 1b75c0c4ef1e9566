"""The files that a glob means, found without an endless walk: ``**`` follows no links, and what it sees is counted."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from fairtrial.errors import InputError

_MOST = 100_000
"""How many files and directories are looked at."""


def files_matching(pattern: str) -> list[str]:
    """The paths that a glob matches, sorted; ``**`` means any number of directories.

    Raises
    ------
    InputError
        A glob that goes through more than 100,000 files and directories.
    """
    return sorted(set(_matching(Path(pattern).parts, _Walk(pattern))))


def _matching(parts: tuple[str, ...], walk: _Walk) -> Iterator[str]:
    if "**" not in parts:
        yield from glob.iglob(str(Path(*parts)))
        return
    place = parts.index("**")
    rest = parts[place + 1 :] or ("*",)
    for start in glob.iglob(str(Path(*parts[:place]))) if place else [os.curdir]:
        for folder in walk.folders(start):
            yield from _matching((glob.escape(folder), *rest), walk)


class _Walk:
    """A walk through directories, which ends in an error where it is too long."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._seen = 0

    def folders(self, start: str) -> Iterator[str]:
        """A directory and all below it, but for hidden ones."""
        for folder, below, files in os.walk(start):
            self._seen += 1 + len(files)
            if self._seen > _MOST:
                raise InputError(
                    f"{self._pattern}: goes through more than {_MOST:,} files and directories; name a smaller part"
                )
            below[:] = [name for name in below if not name.startswith(".")]
            yield folder
