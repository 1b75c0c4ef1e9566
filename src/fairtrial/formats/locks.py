"""Locks on files, and the places beside files that are being written.

A lock belongs to an open file and ends with it, however the process ends: none is ever left behind.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

LockState: TypeAlias = Literal["held", "taken", "unknown"]
"""``held``: the lock is ours now; ``taken``: another holds it; ``unknown``: there are no locks here."""

ATTEMPTS = 5
"""How often a file that another process removed just before it was locked is made again."""
_LONGEST = 180
"""Bytes of a file's name that the place beside it takes over; a name may have 255 on most file systems."""


if sys.platform == "win32":

    def lock(file: int) -> LockState:
        """Lock an open file, if nobody else has."""
        return "unknown"

else:
    import fcntl

    def lock(file: int) -> LockState:
        """Lock an open file, if nobody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return "taken"
        except OSError:  # a file system without locks
            return "unknown"
        return "held"


def is_at(file: int, path: Path) -> bool:
    """Whether an open file still is the one that a name leads to, so far as can be told."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def place_beside(target: Path, mode: int) -> Iterator[Path]:
    """A new file beside another, locked; it is gone afterwards, unless it was renamed.

    Parameters
    ----------
    target
        The file that it may become.
    mode
        The permissions of the new file, before the user's mask.
    """
    place, held = _new_file(target, mode)
    try:
        yield place
    finally:
        with suppress(OSError):  # what is still there, but not locked, is removed the next time
            if held is not None:
                os.close(held)
            place.unlink(missing_ok=True)


def _new_file(target: Path, mode: int) -> tuple[Path, int | None]:
    """A new file, and its descriptor where that holds a lock."""
    for _ in range(ATTEMPTS):
        place = target.with_name(f"{_beginning(target)}{os.getpid()}-{secrets.token_hex(4)}.part")
        file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), mode)
        state = lock(file)
        if state == "held" and is_at(file, place):
            return place, file
        os.close(file)
        if state == "unknown":
            break
        # else another process took it for a leftover before it was locked
    return place, None


def remove_leftovers(target: Path) -> None:
    """Remove what processes that were killed left beside a file; what a living one writes is locked, and stays."""
    leftover = re.compile(re.escape(_beginning(target)) + r"\d+(-\w+)?\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if leftover.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unlocked(Path(entry.path))


def _remove_unlocked(path: Path) -> None:
    with suppress(OSError):
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            if lock(file) == "held":
                path.unlink()
        finally:
            os.close(file)


def _beginning(target: Path) -> str:
    return f".{os.fsdecode(os.fsencode(target.name)[:_LONGEST])}."
