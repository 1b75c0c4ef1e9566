"""The finished cells of a coverage study in a file, so that a study that was stopped can go on.

Each line begins with the CRC-32 of what follows in it. One process at a time has the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import IO, Any

from fairtrial.errors import InputError, OutputError
from fairtrial.formats.files import PathLike
from fairtrial.formats.locks import ATTEMPTS, is_at, lock
from fairtrial.individuals.coverage import Cell, CoverageRow

_CHECKSUM = 9
"""Bytes that a line begins with: eight digits and a space."""
_SYNC_EVERY = 1.0
"""Seconds: a power cut takes no more work than this, a process that is killed none."""


@dataclass(slots=True, eq=False)
class Journal:
    """What was found before, and where to note what is found now."""

    done: dict[Cell, list[CoverageRow]]
    _file: IO[bytes] | None = None
    _header: bytes = b""
    _synced: float = field(default_factory=time.monotonic)

    def note(self, cell: Cell, rows: list[CoverageRow]) -> None:
        """Keep the rows of a cell, and write them down at once."""
        self.done[cell] = rows
        if self._file is None:
            return
        begin = b"" if os.fstat(self._file.fileno()).st_size else self._header + b"\n"
        self._file.write(begin + _sealed([row.to_dict() for row in rows]) + b"\n")
        self._file.flush()
        if time.monotonic() > self._synced + _SYNC_EVERY:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()


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
        A file that cannot be written, or that another process writes to.
    """
    if path is None:
        yield Journal({})
        return
    every = hashlib.sha256(repr([astuple(cell) for cell in cells]).encode()).hexdigest()
    header = _sealed({**settings, "cells": every})
    place = Path(path)
    try:
        with _open_alone(place) as file:
            try:
                yield Journal(_read(file, place, header), file, header)
            finally:
                if not os.fstat(file.fileno()).st_size:
                    place.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove_journal(path: PathLike) -> None:
    """Remove a journal that is not needed any more, unless another process has taken it up."""
    try:
        with open(path, "rb") as file:
            if lock(file.fileno()) != "taken":
                Path(path).unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed: {error.strerror or error}") from error


@contextmanager
def _open_alone(path: Path) -> Iterator[IO[bytes]]:
    """Open a journal that no other process has open."""
    for attempt in range(ATTEMPTS):
        with open(path, "a+b") as file:
            if lock(file.fileno()) == "taken":
                raise OutputError(
                    f"{path}: another process is at work on this study; wait for its end, or name another file"
                )
            if is_at(file.fileno(), path) or attempt == ATTEMPTS - 1:
                yield file
                return
            # else the other process removed it before it was locked


def _read(file: IO[bytes], path: Path, header: bytes) -> dict[Cell, list[CoverageRow]]:
    file.seek(0)
    lines = file.read().split(b"\n")
    tail = lines.pop()
    if not (lines[0] == header if lines else header.startswith(tail)):
        if not (lines and _is_sealed(lines[0])):
            raise InputError(
                f"{path}: is not a journal, or its first line is damaged; name another file, or remove this one"
            )
        raise InputError(
            f"{path}: is the journal of a study with other settings or cells; use those, remove the file to start "
            "again, or name another file"
        )
    if tail:  # cut off in the middle of a line when the study was stopped
        file.truncate(sum(len(line) + 1 for line in lines))
    return dict(_cell(line, path, number) for number, line in enumerate(lines[1:], start=2))


def _cell(line: bytes, path: Path, number: int) -> tuple[Cell, list[CoverageRow]]:
    if not _is_sealed(line):
        raise _damaged(path, number, "its checksum does not fit what it holds")
    try:
        rows = [CoverageRow(**entry) for entry in json.loads(line[_CHECKSUM:])]
        return Cell(rows[0].n, int(rows[0].m), rows[0].pi, rows[0].rho), rows
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise _damaged(path, number, f"it does not hold a cell ({error})") from error


def _sealed(content: Any) -> bytes:
    text = json.dumps(content).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


def _is_sealed(line: bytes) -> bool:
    return line[:_CHECKSUM] == b"%08x " % zlib.crc32(line[_CHECKSUM:])


def _damaged(path: Path, number: int, why: str) -> InputError:
    return InputError(f"{path}, line {number}: is damaged: {why}; remove the file to start again")
