"""Turn trials into Arrow tables, and Arrow tables into text, plain or compressed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairtrial.core.ids import IdColumn
from fairtrial.core.trials import Further
from fairtrial.formats.text import ArrowTexts, string_buffers

if TYPE_CHECKING:
    import pyarrow as pa


_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_64 = (1 << 64) - 1
_STRIPE = 32
_LANES = 4
_LANE = 128
"""Bits in which a lane of 64 lies within one Python integer, so that one product is that of all lanes."""
_MASK = sum(_64 << _LANE * k for k in range(_LANES))
_DESCRIPTOR = 4
_HAS_CHECKSUM = 4


@contextmanager
def zstd_stream(place: Path) -> Iterator[pa.NativeFile]:
    """A stream to write to; what is written becomes one zstd frame with its checksum."""
    import pyarrow as pa

    with pa.OSFile(os.fsencode(place), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as compressed:
        hashed = _Hashed(compressed)
        with pa.PythonFile(hashed, mode="w") as stream:
            yield stream
    with open(place, "r+b") as file:
        descriptor = file.read(_DESCRIPTOR + 1)[_DESCRIPTOR]
        file.seek(_DESCRIPTOR)
        file.write(bytes([descriptor | _HAS_CHECKSUM]))
        file.seek(0, os.SEEK_END)
        file.write((hashed.sum.digest() & 0xFFFFFFFF).to_bytes(4, "little"))


class _Hashed:
    """A writable file that passes on to a stream what it sums up."""

    def __init__(self, stream: pa.NativeFile) -> None:
        self.sum = XXH64()
        self.closed = False
        self._stream = stream

    def write(self, data: bytes) -> int:
        self.sum.update(data)
        return int(self._stream.write(data))

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        """Nothing: whoever opened the stream closes it."""
        self.closed = True


class XXH64:
    """The checksum of bytes that come in pieces, with seed 0.

    Examples
    --------
    >>> found = XXH64()
    >>> found.update(b"abc")
    >>> f"{found.digest():x}"
    '44bc2cf5ad770999'
    """

    def __init__(self) -> None:
        self._lanes = sum((start & _64) << _LANE * k for k, start in enumerate((_P1 + _P2, _P2, 0, -_P1)))
        self._rest = b""
        self._length = 0

    def update(self, data: bytes) -> None:
        """Take the next bytes."""
        self._length += len(data)
        data = self._rest + data
        whole = len(data) // _STRIPE * _STRIPE
        self._rest = data[whole:]
        products = np.zeros((whole // 8, 2), dtype="<u8")
        products[:, 0] = np.frombuffer(data, "<u8", whole // 8) * np.uint64(_P2)
        stripes = products.tobytes()
        lanes = self._lanes
        for begin in range(0, len(stripes), 2 * _STRIPE):
            lanes = lanes + int.from_bytes(stripes[begin : begin + 2 * _STRIPE], "little") & _MASK
            lanes = ((lanes << 31 | lanes >> 33) & _MASK) * _P1 & _MASK
        self._lanes = lanes

    def digest(self) -> int:
        """The checksum of all bytes so far."""
        found = _P5
        if self._length >= _STRIPE:
            lanes = [self._lanes >> _LANE * k & _64 for k in range(_LANES)]
            found = sum(_rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _64
            for lane in lanes:
                found = ((found ^ _mixed(lane)) * _P1 + _P4) & _64
        found = found + self._length & _64
        rest = self._rest
        while len(rest) >= 8:
            found = _rotated(found ^ _mixed(int.from_bytes(rest[:8], "little")), 27) * _P1 + _P4 & _64
            rest = rest[8:]
        if len(rest) >= 4:
            found = _rotated(found ^ int.from_bytes(rest[:4], "little") * _P1 & _64, 23) * _P2 + _P3 & _64
            rest = rest[4:]
        for byte in rest:
            found = _rotated(found ^ byte * _P5 & _64, 11) * _P1 & _64
        found = (found ^ found >> 33) * _P2 & _64
        found = (found ^ found >> 29) * _P3 & _64
        return found ^ found >> 32


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _64


def _mixed(value: int) -> int:
    return _rotated(value * _P2 & _64, 31) * _P1 & _64


_FORMULA = ("=", "+", "-", "@")


def text_column(ids: IdColumn) -> pa.ChunkedArray | pa.Array:
    """One name per row, as Arrow has it."""
    import pyarrow as pa

    if isinstance(ids, ArrowTexts):
        return ids.texts
    numbered = ids.numbered()
    names = pa.array(numbered.names.tolist(), type=pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(numbered.codes), names).dictionary_decode()


def further_column(column: Further) -> pa.ChunkedArray | pa.Array:
    """Numbers or names, as Arrow has them."""
    import pyarrow as pa

    return pa.array(column) if isinstance(column, np.ndarray) else text_column(column)


def write_text(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool) -> None:
    """Write a table as text, compressed as the target's name says; numbers read back as they are.

    Below a header all text is in quotes where some of it needs them, or begins like a formula of a spreadsheet.
    """
    import pyarrow as pa

    if not (header and _begins_like_a_formula(table)):
        try:
            _write(table, place, target, delimiter=delimiter, header=header, quoting="none")
            return
        except pa.ArrowInvalid:
            pass
    _write(table, place, target, delimiter=delimiter, header=header, quoting="needed")


def _begins_like_a_formula(table: pa.Table) -> bool:
    """Whether a name or a text begins with a character that spreadsheets take for the beginning of a formula."""
    import pyarrow as pa

    if any(name.startswith(_FORMULA) for name in table.column_names):
        return True
    letters = np.zeros(256, dtype=bool)
    letters[[ord(letter) for letter in _FORMULA]] = True
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_string(column.type) else ():
            offsets, data = string_buffers(chunk)
            if letters[data[offsets[:-1][offsets[1:] > offsets[:-1]]]].any():
                return True
    return False


def _write(table: pa.Table, place: Path, target: Path, *, delimiter: str, header: bool, quoting: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    options = arrow_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
    names = pa.table([pa.array([name]) for name in table.column_names], names=table.column_names)
    with _stream(place, target) as stream:
        for part in (names, table) if header else (table,):
            arrow_csv.write_csv(part, stream, options)


@contextmanager
def _stream(place: Path, target: Path) -> Iterator[pa.NativeFile]:
    """A stream to a place, compressed as the target's name says; both compressions hold a checksum."""
    import pyarrow as pa

    ending = target.suffix.lower()
    if ending == ".zst":
        with zstd_stream(place) as stream:
            yield stream
        return
    with pa.OSFile(os.fsencode(place), "wb") as raw:
        if ending != ".gz":
            yield raw
            return
        with pa.CompressedOutputStream(raw, "gzip") as stream:
            yield stream
