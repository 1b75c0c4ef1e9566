"""The files that a browser may look into: those named on the command line and those that were dropped, no others."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from fairtrial.core.errors import FairtrialError, InputError, ParameterError
from fairtrial.core.words import cut, visible
from fairtrial.formats.files import lock
from fairtrial.formats.preview import Glance, glance

MAX_UPLOADED = 2 * 1024**3
"""Bytes that the dropped files of a session may have together; larger files are opened in place."""
MAX_FILES = 64
_LONGEST_NAME = 200
_LONGEST_ENDING = 10
_PREFIX = "fairtrial-explore-"
Stamp = tuple[int, int, int] | None
"""Inode, size and time of the last change of a file, or of all in a folder; None if it is gone."""


def stamp_of(path: Path) -> Stamp:
    """Identify the state of a file, or of all in a folder."""
    try:
        status = path.stat()
        within = [part.stat() for part in path.iterdir()] if path.is_dir() else []
    except OSError:
        return None
    sizes, times = zip(*((each.st_size, each.st_mtime_ns) for each in (status, *within)), strict=True)
    return status.st_ino, sum(sizes), max(times)


class Folder:
    """A temporary folder that is deleted at the end, and by the next explorer if this one is killed.

    A locked file in it says that its owner lives.
    """

    def __init__(self) -> None:
        for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/lock"):
            _delete_if_stale(path)
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            if lock(self._lock) != "taken":
                break
            os.close(self._lock)

    def close(self) -> None:
        """Delete it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _delete_if_stale(path: Path) -> None:
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # somebody else's, or just deleted
        return
    if lock(file) == "held":
        shutil.rmtree(path.parent, ignore_errors=True)
    os.close(file)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file, its name for people, and what it would be read as."""

    key: str
    path: Path
    name: str
    size: int
    stamp: Stamp
    glance: Glance
    dropped: bool

    @classmethod
    def of(cls, key: str, path: Path, name: str, *, dropped: bool) -> OpenFile:
        """Look into a file; one that is missing or cannot be read says so in its glance."""
        stamp = stamp_of(path)
        try:
            if stamp is None:
                raise InputError(f"{visible(name)}: there is no such file any more")
            contents = Glance(description="a directory") if path.is_dir() else glance(path)
        except (FairtrialError, OSError) as error:
            contents = Glance(trouble=str(error))
        return cls(key, path, visible(name), stamp[1] if stamp and path.is_file() else 0, stamp, contents, dropped)

    @property
    def typed(self) -> str:
        """What stands for it on a command line: its path, or only its name if a browser sent it."""
        return self.name if self.dropped else str(self.path)

    def check_unchanged(self) -> None:
        """Raise an error if the file is not the one that was looked into."""
        now = stamp_of(self.path)
        if now is None:
            raise InputError(f"{self.name}: there is no such file any more; what was read from it is gone, too")
        if now != self.stamp:
            raise InputError(f"{self.name}: has changed since it was read; read the files again")

    def to_dict(self, worded: Callable[[str], str] = str) -> dict[str, Any]:
        """Convert to what the browser gets; `worded` turns an error into words for the user."""
        read_as = self.glance
        columns = [{"name": each.name, "role": each.role, "examples": list(each.examples)} for each in read_as.columns]
        return {
            "key": self.key,
            "name": self.name,
            "size": self.size,
            "dropped": self.dropped,
            "format": read_as.format,
            "description": read_as.description,
            "columns": columns,
            "labels": [{"word": label.word, "meaning": label.meaning} for label in read_as.labels],
            "lines": list(read_as.lines),
            "trouble": worded(read_as.trouble),
        }


class OpenFiles:
    """The files of one session; those that were dropped lie in a folder that goes with the session."""

    def __init__(self, paths: Iterable[Path] = (), folder: Path | None = None) -> None:
        self._files: dict[str, OpenFile] = {}
        self._folder = folder
        self._count = 0
        self._arriving: dict[Path, int] = {}
        for number, path in enumerate(paths, 1):
            self._files[f"f{number}"] = OpenFile.of(f"f{number}", path, str(path), dropped=False)

    def __iter__(self) -> Iterator[OpenFile]:
        """Return all files, those that changed looked into again."""
        for key, file in list(self._files.items()):
            if stamp_of(file.path) != file.stamp:
                self._files[key] = OpenFile.of(key, file.path, file.name, dropped=file.dropped)
        return iter(list(self._files.values()))

    def __getitem__(self, key: str) -> OpenFile:
        files = {file.key: file for file in self}
        if key not in files:
            raise ParameterError("this file is not open any more; open it again")
        return files[key]

    @property
    def room(self) -> int:
        """Bytes that may still be dropped; those of files that are just arriving count."""
        return (
            MAX_UPLOADED
            - sum(file.size for file in self._files.values() if file.dropped)
            - sum(self._arriving.values())
        )

    async def receive(self, name: str, pieces: AsyncIterable[bytes]) -> OpenFile:
        """Write a dropped file as it arrives, and open it; if that fails, nothing of it is left behind."""
        if len(self._files) + len(self._arriving) >= MAX_FILES:
            raise InputError(f"{cut(visible(name))}: {MAX_FILES} files are open; close some of them first")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._count += 1
        key = f"d{self._count}"
        place = self._folder / key / _plain_name(name)
        self._arriving[place] = 0
        try:
            place.parent.mkdir(parents=True)
            with open(place, "xb") as file:
                async for piece in pieces:
                    if len(piece) > self.room:
                        raise InputError(
                            f"{place.name}: is too large to be dropped; name it on the command line, as in fairtrial "
                            "explore FILE, and it is opened in place"
                        )
                    self._arriving[place] += len(piece)
                    file.write(piece)
            self._files[key] = await run_in_threadpool(OpenFile.of, key, place, place.name, dropped=True)
        except BaseException as error:
            shutil.rmtree(place.parent, ignore_errors=True)
            if isinstance(error, OSError):
                raise InputError(f"{place.name}: could not be copied: {error.strerror}") from error
            raise
        finally:
            del self._arriving[place]
        return self._files[key]

    def without_folder(self, text: str) -> str:
        """Return a text in which the files that were dropped have the names that people know."""
        if self._folder is None:
            return text
        return re.sub(rf"{re.escape(str(self._folder) + os.sep)}d\d+{re.escape(os.sep)}", "", text)

    def remove(self, key: str) -> None:
        """Close a file; one that was dropped is deleted."""
        file = self._files.pop(self[key].key)
        if file.dropped:
            shutil.rmtree(file.path.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete what was dropped."""
        self._files.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _plain_name(name: str) -> str:
    """Return the last part of a name, with nothing in it that a file system would take for more than a name."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(letter if letter.isprintable() and letter not in '<>:"|?*' else "_" for letter in last)
    kept = kept.strip(". ")
    ending = Path(kept).suffix if len(Path(kept).suffix) < _LONGEST_ENDING else ""
    stem = kept.removesuffix(ending).encode("utf-8", "replace")[
        : _LONGEST_NAME - len(ending.encode("utf-8", "replace"))
    ]
    return (stem.decode("utf-8", "ignore") + ending) or "scores"
