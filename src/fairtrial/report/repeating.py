"""What it takes to do the same again: the command, the versions, and the files that were read."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib.metadata import version

from fairtrial import __version__
from fairtrial.errors import visible
from fairtrial.formats.files import expand, list_directory
from fairtrial.report.page import InputFile, Repeat


def repeat_of(command: str, inputs: Iterable[str], seed: int | None) -> Repeat:
    """A command as it is typed, versions, and the files it reads.

    Parameters
    ----------
    command
        The command.
    inputs
        Files, globs and directories.
    seed
        Of all random numbers, if there are any.

    Returns
    -------
    Repeat
        For the page.
    """
    versions = {
        "fairtrial": __version__,
        "Python": sys.version.split()[0],
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit-learn": version("scikit-learn"),
    }
    return Repeat(visible(command), versions, seed, tuple(_files(inputs)), _today())


def _today() -> date:
    """The day, or that of $SOURCE_DATE_EPOCH, so that pages can be made again to the byte."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return (datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)).date()


def _files(inputs: Iterable[str]) -> Iterable[InputFile]:
    for name in inputs:
        for path in expand(name):
            for entry in list_directory(path) if path.is_dir() else [path]:
                if entry.is_file():
                    with open(entry, "rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                    yield InputFile(visible(str(entry)), entry.stat().st_size, digest)
