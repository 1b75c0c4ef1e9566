"""Text cut into blocks of whole lines, never within a cell that stands in quotes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from fairtrial.errors import InputError
from fairtrial.formats.files import MAX_LINE

_LEAST = 1 << 16
"""Bytes read at once at least."""


class Readable(Protocol):
    """Bytes, a portion at a time."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a text, and what comes before them."""

    data: bytes
    start: int
    """How many bytes come before."""
    lines: int
    """How many lines come before."""


def cut_blocks(stream: Readable, size: int, *, quotes: bool, origin: str) -> Iterator[Block]:
    """Cut a text into blocks of about a size.

    Parameters
    ----------
    stream
        The text from its beginning, or from the end of a line.
    size
        How many bytes a block has at most, unless a line is longer.
    quotes
        Whether cells may stand in quotes; then a line may end within a cell, and a block does not end there.
    origin
        The file, for errors.

    Raises
    ------
    InputError
        A line, or a cell in quotes, that does not end.
    """
    start = lines = 0
    rest = b""
    while data := stream.read(max(size - len(rest), _LEAST)):
        rest += data
        end = _last_end(rest, quotes=quotes)
        if end:
            yield Block(rest[:end], start, lines)
            start, lines, rest = start + end, lines + rest.count(b"\n", 0, end), rest[end:]
        elif len(rest) > max(size, MAX_LINE):
            what = "a line, or a cell in quotes," if quotes else "a line"
            raise InputError(f"{origin}: {what} that begins in line {lines + 1:,} is longer than {MAX_LINE >> 20} MiB")
    if rest:
        yield Block(rest, start, lines)


def _last_end(data: bytes, *, quotes: bool) -> int:
    """Where the last line that is whole ends; 0 where there is none."""
    end = data.rfind(b"\n") + 1
    while quotes and end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, data.rfind(b'"', 0, end)) + 1
    return end
