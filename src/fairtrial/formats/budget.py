"""How much a file may unpack to: a small one can hold more than the memory of any machine."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_MOST = 8 << 30
_LINE = 32
"""Bytes that a trial takes in memory at the least; a shorter line counts as so many."""
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def default_size() -> int:
    """The most bytes that a file may unpack to if nothing else is said: 8 GiB, or half of the memory if that is less.

    Memory is that of the machine, or of the container.
    """
    found = [2 * _MOST]
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in _LIMITS:
        with suppress(OSError, ValueError):
            found.append(int(Path(limit).read_text()))
    return min(size for size in found if size > 0) // 2


def check_unpacked(size: int, most: int, path: Path) -> None:
    """Raise an error where a file unpacks to more than it may."""
    if size > most:
        raise InputError(
            f"{path}: holds more than {size_text(most)} unpacked (a line counts as {_LINE} bytes at least); if that is "
            f"meant and there is memory for it, allow more, as in max_size={2 * most}"
        )


def size_text(size: int) -> str:
    """A number of bytes as people say it.

    Examples
    --------
    >>> size_text(8 << 30), size_text(1500)
    ('8 GiB', '1.46 KiB')
    """
    for unit, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << unit:
            return f"{size / (1 << unit):.3g} {name}"
    return f"{size} bytes"


class BoundedStream:
    """A readable file that passes on what a stream gives, and ends where that is more than it may be, or damaged.

    It raises no error when it is read: threads in which Arrow reads ahead would still be there when the process ends.

    Parameters
    ----------
    stream
        Where the unpacked bytes come from.
    most
        How many there may be, a line counted as `_LINE` bytes at least.
    path
        The file, for the error.
    """

    def __init__(self, stream: pa.NativeFile, most: int, path: Path) -> None:
        self._stream = stream
        self._most = most
        self._path = path
        self._read = 0
        self._error: OSError | None = None
        self.closed = False

    def read(self, count: int = -1) -> bytes:
        """The next bytes."""
        try:
            data: bytes = b"" if self._error else self._stream.read(count)
        except OSError as error:
            self._error, data = error, b""
        self._read += max(len(data), _LINE * data.count(b"\n"))
        return data if self._read <= self._most else b""

    def check(self) -> None:
        """Raise an error where the stream could not be read, or where more was asked for than there may be."""
        if self._error is not None:
            raise self._error
        check_unpacked(self._read, self._most, self._path)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is not."""
        return False

    def close(self) -> None:
        """Nothing: whoever opened the stream closes it."""
        self.closed = True
