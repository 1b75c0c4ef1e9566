"""Streams between a file and Arrow's reader.

Arrow's reader accepts what a strict reader would not, such as a quote that is never closed. It cannot be asked
about the text it read, so the text is looked at on its way. It also reads ahead, and may still do so when it has
refused the file.
"""

from __future__ import annotations

import re
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

_BOM = b"\xef\xbb\xbf"


def lent(stream: pa.NativeFile | WatchedStream, given_back: Event) -> pa.NativeFile:
    """A stream for Arrow to read, and to give back.

    A thread of Arrow that still needs Python when the program ends would abort it (seen up to pyarrow 24). So the
    bytes that Arrow keeps are no objects of Python, and whoever lends a stream waits until it is given back.

    Parameters
    ----------
    stream
        Where the bytes come from.
    given_back
        Is set when Arrow no longer holds the stream.
    """
    import pyarrow as pa

    if isinstance(stream, pa.OSFile):  # which needs no Python
        given_back.set()
        return stream
    return pa.BufferedInputStream(pa.PythonFile(_LentStream(stream, given_back), mode="r"), 1 << 20)


class _LentStream:
    """A readable file that passes on what a stream gives, and tells when nobody holds it any more."""

    def __init__(self, stream: pa.NativeFile | WatchedStream, given_back: Event) -> None:
        self._given_back = given_back
        self.read = stream.read
        self.closed = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True

    def __del__(self) -> None:
        self._given_back.set()


class WatchedStream:
    """Passes on what a stream gives, and looks for NUL bytes and quotes that do not simply enclose a cell.

    Parameters
    ----------
    stream
        Where the bytes come from.
    delimiter
        What separates cells that may stand in quotes; None where a quote is a letter like any other.
    """

    def __init__(self, stream: pa.NativeFile, delimiter: str | None) -> None:
        self._stream = stream
        self._delimiter = None if delimiter is None else delimiter.encode()
        self._rest = b""
        self._begun = False
        self._odd = False

    def read(self, count: int = -1) -> bytes:
        """The next bytes."""
        data: bytes = self._stream.read(count)
        if not self._odd and data:
            self._odd = b"\x00" in data
            if self._delimiter is not None:
                self._watch_quotes(data)
        return data

    def is_odd(self) -> bool:
        """Whether all that was read has a NUL, or a quote that may mean anything but "the cell begins, or ends"."""
        return self._odd or self._is_odd_text(self._rest)

    def _watch_quotes(self, data: bytes) -> None:
        """Look at whole lines; a cell in quotes that goes over several of them is odd."""
        if not self._begun:
            data, self._begun = data.removeprefix(_BOM), True
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if b'"' in data or b'"' in self._rest:
            self._odd = self._odd or self._is_odd_text(self._rest + data[:end])
        self._rest = data[end:] if end else self._rest + data

    def _is_odd_text(self, text: bytes) -> bool:
        delimiter = self._delimiter
        if delimiter is None or b'"' not in text:
            return False
        if _is_simple(text, delimiter):
            return False
        cell = rb'(?:(?<=[%s\r\n])|\A)"[^"\r\n]*(?:""[^"\r\n]*)*"[^"%s\r\n]*(?=[%s\r\n]|\Z)' % ((delimiter,) * 3)
        return b'"' in re.sub(cell, b"", text)


def _is_simple(text: bytes, delimiter: bytes) -> bool:
    """Whether quotes come in pairs around whole cells of one line, none of them doubled."""
    letters = np.frombuffer(b"\n%s\n" % text, np.uint8)
    quotes = np.flatnonzero(letters == ord('"'))
    if len(quotes) % 2:
        return False
    first, last = quotes[0::2], quotes[1::2]
    edges = np.zeros(256, dtype=bool)
    edges[[ord(delimiter), ord("\r"), ord("\n")]] = True
    if not (edges[letters[first - 1]].all() and edges[letters[last + 1]].all()):
        return False
    breaks = np.flatnonzero((letters == ord("\r")) | (letters == ord("\n")))
    return bool((np.searchsorted(breaks, first) == np.searchsorted(breaks, last)).all())
