"""The journal of a coverage study: finished cells are written at once, so that a study that was stopped resumes."""

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

from fairtrial.core.errors import InputError, OutputError
from fairtrial.formats.files import ATTEMPTS, PathLike, is_at, lock
from fairtrial.repeated.cells import Cell, CoverageRow

_CHECKSUM = 9  # bytes that a line of a journal begins with: eight digits and a space
_SYNC_EVERY = 1.0  # seconds of work that a power cut may lose; a process that is killed loses none


@dataclass(slots=True, eq=False)
class Journal:
    """The rows of finished cells, written to a file as they come."""

    done: dict[Cell, list[CoverageRow]]
    _file: IO[bytes] | None = None
    _header: bytes = b""
    _synced: float = field(default_factory=time.monotonic)

    def note(self, cell: Cell, rows: list[CoverageRow]) -> None:
        """Keep the rows of a cell, and write them to the file."""
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
    """Open the journal of a study of these cells, which is removed again if no cell was finished; None writes nothing.

    Raises
    ------
    InputError
        If it is the journal of another study, or damaged.
    OutputError
        If the file cannot be written, or another process is using it.
    """
    if path is None:
        yield Journal({})
        return
    place = Path(path)
    every = hashlib.sha256(repr([astuple(cell) for cell in cells]).encode()).hexdigest()
    header = _sealed({**settings, "cells": every})
    try:
        for attempt in range(ATTEMPTS):
            with open(place, "a+b") as file:
                if lock(file.fileno()) == "taken":
                    text = f"{path}: another process is at work on this study; wait for its end, or name another file"
                    raise OutputError(text, code="journal-in-use")
                if not is_at(file.fileno(), place) and attempt < ATTEMPTS - 1:
                    continue  # the other process removed it before it was locked
                try:
                    yield Journal(_read(file, place, header), file, header)
                finally:
                    if not os.fstat(file.fileno()).st_size:
                        place.unlink(missing_ok=True)
                return
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove_journal(path: PathLike) -> None:
    """Remove a journal that is not needed any more, unless another process is using it."""
    try:
        with open(path, "rb") as file:
            if lock(file.fileno()) != "taken":
                Path(path).unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed: {error.strerror or error}") from error


def _read(file: IO[bytes], path: Path, header: bytes) -> dict[Cell, list[CoverageRow]]:
    """Read the finished cells, and drop a line that was cut off when the study was stopped."""
    file.seek(0)
    lines = file.read().split(b"\n")
    tail = lines.pop()
    if not (lines[0] == header if lines else header.startswith(tail)):
        if not (lines and _is_sealed(lines[0])):
            text = f"{path}: is not a journal, or its first line is damaged; name another file, or remove this one"
            raise InputError(text, code="not-a-journal")
        text = f"{path}: is the journal of a study with other settings or cells; use those, remove it, or name another"
        raise InputError(text, code="other-study")
    if tail:
        file.truncate(sum(len(line) + 1 for line in lines))
    done = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            if not _is_sealed(line):
                raise ValueError("its checksum does not match its content")
            rows = [CoverageRow(**entry) for entry in json.loads(line[_CHECKSUM:])]
            done[Cell(rows[0].n, int(rows[0].m), rows[0].pi, rows[0].rho)] = rows
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            message = f"{path}, line {number}: is damaged: {error}; remove the file to start again"
            raise InputError(message, code="damaged-journal") from error
    return done


def _sealed(content: Any) -> bytes:
    """Write a line of a journal, with its checksum first."""
    text = json.dumps(content).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


def _is_sealed(line: bytes) -> bool:
    return line[:_CHECKSUM] == b"%08x " % zlib.crc32(line[_CHECKSUM:])
