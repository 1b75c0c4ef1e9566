"""Files as they lie on disk: which ones are meant, how they begin, compressed or not, written whole or not at all."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.errors import InputError, OutputError

if TYPE_CHECKING:
    import pyarrow as pa

PathLike: TypeAlias = str | os.PathLike[str]
Progress: TypeAlias = Callable[[int], None]
"""Called with the number of bytes read from disk since the last call."""

MAX_LINE = 1 << 24
_HEAD = 1 << 16
_COMPRESSION = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_SETS = {"dev", "devel", "development", "test", "eval", "evaluation"}


@dataclass(frozen=True, slots=True)
class Head:
    """A file and how it begins, decompressed: what a format is told by."""

    path: Path
    data: bytes
    compression: str | None

    def lines(self, count: int) -> list[str]:
        """The first whole lines that are neither blank nor comments."""
        text = self.data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        whole = text.split("\n")
        if len(self.data) >= _HEAD and len(whole) > 1:
            whole.pop()  # cut off by the end of the head
        found = [line for line in whole if line.strip() and not line.lstrip().startswith("#")]
        return found[:count]

    @property
    def is_text(self) -> bool:
        """Whether it looks like text."""
        return b"\x00" not in self.data[:_HEAD]

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        return self.path.name.split(".")[0] or self.path.name


def expand(paths: PathLike | Sequence[PathLike]) -> list[Path]:
    """The files meant by a file, a glob, or several of them; a directory stays a directory."""
    found: list[Path] = []
    for entry in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        path = Path(entry)
        if path.exists():
            found.append(path)
            continue
        matches = sorted(glob.glob(str(entry), recursive=True))
        if not matches:
            raise InputError(f"{entry}: there is no such file")
        found.extend(Path(match) for match in matches)
    return found


def list_directory(path: Path) -> list[Path]:
    """The files of a directory in the order of their names, hidden ones left out."""
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def read_head(path: Path) -> Head:
    """The first lines of a file, decompressed."""
    if path.is_dir():
        raise InputError(f"{path}: is a directory; name a file in it, or a directory of Parquet files")
    try:
        with open(path, "rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if not magic:
        raise InputError(f"{path}: is empty")
    compression = next((name for start, name in _COMPRESSION.items() if magic.startswith(start)), None)
    with open_stream(path, compression) as stream:
        data = stream.read(_HEAD)
        # the first lines of a large matrix are long
        while len(data) < MAX_LINE and data.count(b"\n") < 3 and (more := stream.read(_HEAD)):
            data += more
    if not data.strip():
        raise InputError(f"{path}: holds nothing but white space" if data else f"{path}: is empty")
    if len(data) >= MAX_LINE and b"\n" not in data and b"\r" not in data and b"\x00" not in data:
        raise InputError(f"{path}: line 1 is longer than {MAX_LINE >> 20} MiB; a score file has a trial a line")
    return Head(path, data, compression)


class _CountedFile(RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._file = FileIO(path, "rb")
        self._progress = progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer) or 0
        self._progress(count)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def open_stream(path: Path, compression: str | None, progress: Progress | None = None) -> Iterator[pa.NativeFile]:
    """A stream of a file's decompressed bytes; errors of the file become an `InputError`."""
    import pyarrow as pa

    try:
        if progress is None:
            raw: pa.NativeFile = pa.OSFile(str(path), "rb")
        else:
            raw = pa.PythonFile(BufferedReader(_CountedFile(path, progress), 1 << 20), mode="r")
        with raw:
            if compression is None:
                yield raw
            else:
                with pa.CompressedInputStream(raw, compression) as stream:
                    yield stream
    except OSError as error:
        raise InputError(f"{path}: {_reason(error, compression)}") from error


def _reason(error: OSError, compression: str | None) -> str:
    if compression is not None and error.errno is None:
        return f"the {compression} data is damaged or cut off ({error}); get the file again"
    return f"cannot be read: {error.strerror or error}"


def system_name(head: Head) -> str:
    """A system's name where only the file can tell: its stem without words like dev and test."""
    words = [word for word in head.stem.replace("_", "-").split("-") if word.lower() not in _SETS]
    return head.stem if len(words) == len(head.stem.replace("_", "-").split("-")) else "-".join(words) or "system"


@contextmanager
def write_whole(path: PathLike) -> Iterator[Path]:
    """A place to write to that becomes `path` when all went well, and leaves nothing when not."""
    target = Path(path)
    place = target.with_name(f".{target.name}.{os.getpid()}.part")
    if target.is_dir():
        raise OutputError(f"{target}: is a directory; name a file to write")
    try:
        try:
            yield place
            os.replace(place, target)
        finally:
            place.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}; nothing was left behind") from error
