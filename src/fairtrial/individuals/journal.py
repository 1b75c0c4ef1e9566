"""The finished cells of a coverage study in a file, so that a study that was stopped can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import IO, Any

from fairtrial.errors import InputError, OutputError
from fairtrial.formats.files import PathLike
from fairtrial.individuals.coverage import Cell, CoverageRow


@dataclass(frozen=True, slots=True, eq=False)
class Journal:
    """What was found before, and where to note what is found now."""

    done: dict[Cell, list[CoverageRow]]
    _file: IO[str] | None = None
    _header: str = ""

    def note(self, cell: Cell, rows: list[CoverageRow]) -> None:
        """Keep the rows of a cell, and write them down at once."""
        self.done[cell] = rows
        if self._file is None:
            return
        if _is_empty(self._file):
            self._file.write(self._header + "\n")
        self._file.write(json.dumps([row.to_dict() for row in rows]) + "\n")
        self._file.flush()


@contextmanager
def open_journal(path: PathLike | None, settings: dict[str, Any], cells: Sequence[Cell]) -> Iterator[Journal]:
    """Open the journal of a study of these cells; without a path, nothing is written.

    Parameters
    ----------
    path
        The file; it is created if need be, and removed again if nothing was noted.
    settings
        What is the same for all cells. A journal with other settings or cells is refused.
    cells
        All cells of the study.

    Raises
    ------
    InputError
        A journal of another study, or a damaged one.
    OutputError
        A file that cannot be written.
    """
    if path is None:
        yield Journal({})
        return
    every = hashlib.sha256(repr([astuple(cell) for cell in cells]).encode()).hexdigest()
    header = json.dumps({**settings, "cells": every})
    place = Path(path)
    try:
        is_new = not place.exists()
        with open(place, "a+", encoding="utf-8") as file:
            try:
                yield Journal(_read(file, place, header), file, header)
            finally:
                if is_new and _is_empty(file):
                    place.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _is_empty(file: IO[str]) -> bool:
    return os.fstat(file.fileno()).st_size == 0


def _read(file: IO[str], path: Path, header: str) -> dict[Cell, list[CoverageRow]]:
    file.seek(0)
    try:
        lines = file.read().split("\n")
    except UnicodeDecodeError as error:
        raise _damaged(path, error) from error
    tail = lines.pop()
    if not (lines[0] == header if lines else header.startswith(tail)):
        raise InputError(
            f"{path}: is the journal of a study with other settings or cells; use those, remove the file to start "
            "again, or name another file"
        )
    if tail:  # cut off in the middle of a line when the study was stopped
        file.truncate(sum(len(line.encode()) + 1 for line in lines))
    done = {}
    try:
        for line in lines[1:]:
            rows = [CoverageRow(**entry) for entry in json.loads(line)]
            done[Cell(rows[0].n, int(rows[0].m), rows[0].pi, rows[0].rho)] = rows
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise _damaged(path, error) from error
    return done


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: is damaged ({error}); remove the file to start again")
