"""The option --report: one page of what a command found."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairtrial.cli.files import WRITTEN
from fairtrial.cli.output import say
from fairtrial.errors import OutputError, visible

if TYPE_CHECKING:
    from fairtrial.report.page import InputFile, Page, Repeat

report_option = click.option(
    "--report",
    type=WRITTEN,
    metavar="FILE.html",
    help="Write one page with tables and figures, to look at and to share.",
)


def check_report(path: str | None) -> None:
    """Raise an error before any work where the page could not be written."""
    from fairtrial.formats.files import check_place

    if path is None:
        return
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"{path}: the name of a report should end in .html")
    check_place(path)


def repeat_of(inputs: Iterable[str], seed: int | None) -> Repeat:
    """The command as it was given, versions, and the files it read."""
    from importlib.metadata import version

    from fairtrial import __version__
    from fairtrial.report.page import Repeat

    versions = {
        "fairtrial": __version__,
        "Python": sys.version.split()[0],
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit-learn": version("scikit-learn"),
    }
    words = [Path(sys.argv[0]).name if sys.argv else "fairtrial", *sys.argv[1:]]
    words[0] = "fairtrial"
    return Repeat(visible(shlex.join(words)), versions, seed, tuple(_files(inputs)))


def _files(inputs: Iterable[str]) -> Iterable[InputFile]:
    from fairtrial.formats.files import expand, list_directory
    from fairtrial.report.page import InputFile

    for name in inputs:
        for path in expand(name):
            for entry in list_directory(path) if path.is_dir() else [path]:
                if entry.is_file():
                    with open(entry, "rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                    yield InputFile(visible(str(entry)), entry.stat().st_size, digest)


def write_page(page: Page, path: str) -> None:
    """Write the page and say so on stderr, so that --json stays alone on stdout."""
    from fairtrial.report.page import write_report

    write_report(page, path)
    say(f"report in {path}", aside=True)
