"""Parquet files in which no flipped bit goes unseen.

Pages have checksums of their own. The footer, which says where pages lie and what they hold, has none in Parquet: it
is preceded by a seal, where other readers do not look. A file of others has no seal, and is read as it is.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fairtrial.errors import InputError, shown
from fairtrial.formats.files import Head

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_MARK = b"fairtrial"
_DIGEST = 16
_END = 8
"""Bytes after the footer: its length, and PAR1."""


def write_parquet(table: pa.Table, place: Path) -> None:
    """Write a table with checksums."""
    import pyarrow.parquet as pq

    with open(place, "w+b") as file:
        pq.write_table(table, file, compression="zstd", write_page_checksum=True)
        start, footer, end = _footer(file)
        file.seek(start)
        file.write(_MARK + _digest(footer) + footer + end)


@contextmanager
def open_parquet(head: Head) -> Iterator[pq.ParquetFile]:
    """Open a file; what is wrong with it, also while it is read, becomes an `InputError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(head.source, "rb") as raw:
            _check_seal(raw, head.origin)
            with pq.ParquetFile(raw, page_checksum_verification=True) as file:
                yield file
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(
            f"{head.origin}: is not a complete Parquet file, or is damaged: {shown(error, 200)}; get the file again"
        ) from error


def _check_seal(file: IO[bytes], origin: str) -> None:
    start, footer, _ = _footer(file)
    begin = start - len(_MARK) - _DIGEST
    if begin >= 0:
        file.seek(begin)
        if file.read(len(_MARK)) == _MARK and file.read(_DIGEST) != _digest(footer):
            raise InputError(f"{origin}: is damaged: its checksum does not fit what it holds; get the file again")
    file.seek(0)


def _footer(file: IO[bytes]) -> tuple[int, bytes, bytes]:
    """Where the footer begins, the footer, and what follows it; an empty one where it cannot be."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read()
    length = int.from_bytes(end[:4], "little")
    start = size - _END - length
    if start < 0:
        return 0, b"", end
    file.seek(start)
    return start, file.read(length), end


def _digest(footer: bytes) -> bytes:
    return hashlib.blake2b(footer, digest_size=_DIGEST).digest()
