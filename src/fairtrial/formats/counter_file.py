"""Files of counts, ``.ftc``: named arrays of whole numbers with a header, checked as a whole when they are read.

A file is a magic word, the version of the format, the length of the whole file and of the header, the header as JSON,
the arrays one after the other, compressed by zstd, and a checksum of all that. Arrays that rise are kept as
differences, and all as the smallest unsigned integers that hold them.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError
from fairtrial.formats.files import PathLike, check_unpacked, default_size, read_whole, write_whole

Arrays: TypeAlias = dict[str, NDArray[Any]]
ENDING = ".ftc"
_MAGIC = b"\x89FTC\r\n\x1a\n"
_VERSION = 1
_FIXED = struct.Struct("<8sHQI")
_CHECK = 16
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
        A file that cannot be read, is no file of counts, is of a later version, is cut off or damaged.
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
    header = json.loads(content[_FIXED.size : _FIXED.size + length])
    entries = header.pop("arrays")
    check_unpacked(sum(entry["raw"] for entry in entries), default_size(), Path(path))
    arrays, begin = {}, _FIXED.size + length
    for entry in entries:
        arrays[entry["name"]] = _unpacked(entry, memoryview(content)[begin : begin + entry["bytes"]])
        begin += entry["bytes"]
    return header, arrays


def is_part(path: PathLike) -> bool:
    """Whether a name is that of a file of counts."""
    return os.fspath(path).lower().endswith(ENDING)


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
    values = np.frombuffer(raw, dtype=entry["kind"]).astype(np.int64)
    if "first" in entry:
        whole = np.empty(len(values) + 1, dtype=np.int64)
        whole[0] = entry["first"]
        np.cumsum(values, out=whole[1:])
        whole[1:] += entry["first"]
        values = whole
    return values.reshape(entry["shape"])
