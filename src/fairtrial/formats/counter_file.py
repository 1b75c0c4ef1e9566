"""Files of counts, ``.ftc``: named arrays of whole numbers with a header, checked as a whole when they are read.

A file is a magic word, the version of the format, the length of the whole file and of the header, the header as JSON,
the arrays one after the other, compressed by zstd, and a checksum of all that. Arrays that rise are kept as
differences, and all as the smallest unsigned integers that hold them.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.core.words import shown
from fairtrial.formats.files import PathLike, check_unpacked, default_size, read_whole, size_text, write_whole

Arrays: TypeAlias = dict[str, NDArray[Any]]
_MAGIC = b"\x89FTC\r\n\x1a\n"
_VERSION = 1
_FIXED = struct.Struct("<8sHQI")
_CHECK = 16
# types of packed integers, with their sizes in bytes
_KINDS = {np.dtype(f"u{size}").newbyteorder("<").str: size for size in (1, 2, 4, 8)}
_SMALL, _RATIO = 1 << 26, 2048
"""Bytes in memory that any file may take, and for each of its bytes: far more than counts of real scores do."""
_AGAIN = "count the scores again, or get the file again"


def write_part(path: PathLike, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of integers and a header that JSON can hold, whole or not at all."""
    entries, blocks = [], []
    for name, values in arrays.items():
        entry, block = _packed(name, values)
        entries.append(entry)
        blocks.append(block)
    text = json.dumps({**header, "arrays": entries}, separators=(",", ":"), allow_nan=True).encode()
    size = _FIXED.size + len(text) + sum(map(len, blocks)) + _CHECK
    content = b"".join([_FIXED.pack(_MAGIC, _VERSION, size, len(text)), text, *blocks])
    with write_whole(path) as place, open(place, "wb") as file:
        file.write(content)
        file.write(_checksum(content))


def read_part(path: PathLike) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_part` wrote.

    Raises
    ------
    InputError
        If the file cannot be read, is not a file of counts, of a later version, cut off, damaged or inconsistent.
    """
    content = read_whole(path, default_size())
    if not content.startswith(_MAGIC):
        found = "is empty" if not content else "is not a file of counts"
        raise InputError(f"{path}: {found}; Counter.save writes such files, and so does: fairtrial count")
    if len(content) < _FIXED.size:
        raise InputError(f"{path}: is cut off after {len(content)} bytes; {_AGAIN}")
    _, version, size, length = _FIXED.unpack_from(content)
    if version > _VERSION:
        raise InputError(
            f"{path}: is of version {version} of the format; this fairtrial reads up to {_VERSION}: update fairtrial"
        )
    if len(content) < size:
        raise InputError(f"{path}: is cut off: {len(content):,} of {size:,} bytes are there; {_AGAIN}")
    if len(content) > size or _checksum(memoryview(content)[:-_CHECK]) != content[-_CHECK:]:
        raise InputError(f"{path}: is damaged: its checksum does not fit what it holds; {_AGAIN}")
    try:
        header = json.loads(content[_FIXED.size : _FIXED.size + length])
        entries = header.pop("arrays")
        _check_entries(entries, size - _FIXED.size - length - _CHECK)
        needed = 8 * sum(prod(entry["shape"]) for entry in entries)
        if needed > _SMALL + _RATIO * size:
            raise ValueError(
                f"its counts would take {size_text(needed)}, more than a file of {size_text(size)} can hold"
            )
        check_unpacked(needed, default_size(), Path(path))
        arrays, begin = {}, _FIXED.size + length
        for entry in entries:
            arrays[entry["name"]] = _unpacked(entry, memoryview(content)[begin : begin + entry["bytes"]])
            begin += entry["bytes"]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, OSError) as error:
        raise wrong_content(path, error) from error
    return header, arrays


def wrong_content(path: PathLike, error: Exception) -> InputError:
    """Describe a file whose checksum is right and whose content is not."""
    reason = f"{error} is missing" if isinstance(error, KeyError) else shown(error, 200)
    return InputError(
        "{path}: does not hold the counts of a counter: {reason}; {again}",
        code="counter-content",
        path=str(path),
        reason=reason,
        again=_AGAIN,
    )


def _check_entries(entries: Any, size: int) -> None:
    """Check that the header describes arrays of `size` bytes in all, each of them once."""
    for entry in entries:
        numbers = [entry["raw"], entry["bytes"], *entry["shape"]]
        if not isinstance(entry["name"], str) or any(type(number) is not int or number < 0 for number in numbers):
            raise ValueError(f"array {shown(entry['name'])} has no valid size")
        if entry["kind"] not in _KINDS or type(entry.get("first", 0)) is not int:
            raise ValueError(f"array {shown(entry['name'])} is of an unknown type")
        if prod(entry["shape"]) - ("first" in entry) != entry["raw"] // _KINDS[entry["kind"]]:
            raise ValueError(f"array {shown(entry['name'])} has another size than its shape")
    if len({entry["name"] for entry in entries}) < len(entries):
        raise ValueError("an array occurs twice")
    if sum(entry["bytes"] for entry in entries) != size:
        raise ValueError("the arrays have another size than the file")


def _checksum(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECK).digest()


def _packed(name: str, values: NDArray[Any]) -> tuple[dict[str, Any], bytes]:
    import pyarrow as pa

    flat = values.astype(np.int64, copy=False).ravel()
    entry: dict[str, Any] = {"name": name, "shape": list(values.shape)}
    if len(flat) and int(flat.min()) < 0:
        entry["first"] = int(flat[0])
        flat = np.diff(flat)
    wide = flat.view(np.uint64)
    kind = np.min_scalar_type(int(wide.max())) if len(wide) else np.dtype(np.uint8)
    raw = wide.astype(kind.newbyteorder("<")).tobytes()
    block: bytes = pa.Codec("zstd", compression_level=1).compress(raw, asbytes=True)
    return entry | {"kind": kind.newbyteorder("<").str, "raw": len(raw), "bytes": len(block)}, block


def _unpacked(entry: Mapping[str, Any], block: memoryview) -> NDArray[Any]:
    import pyarrow as pa

    raw = pa.Codec("zstd").decompress(block, decompressed_size=entry["raw"], asbytes=True)
    if len(raw) != entry["raw"]:
        raise ValueError(f"array {shown(entry['name'])} is shorter than its shape")
    values = np.frombuffer(raw, dtype=entry["kind"]).astype(np.int64)
    if "first" in entry:
        whole = np.empty(len(values) + 1, dtype=np.int64)
        whole[0] = entry["first"]
        np.cumsum(values, out=whole[1:])
        whole[1:] += entry["first"]
        values = whole
    return values.reshape(entry["shape"])
