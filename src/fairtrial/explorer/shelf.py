"""The files that a browser may look into: those named on the command line and those that were dropped. No others."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairtrial.core.errors import InputError, ParameterError
from fairtrial.core.words import cut, visible
from fairtrial.formats.files import expand
from fairtrial.formats.preview import Glance, glance

MOST_UPLOADED = 2 * 1024**3
"""Bytes that the dropped files of a session may have together; larger files are opened in place."""
MOST_FILES = 64
_LONGEST_NAME = 200
_LONGEST_ENDING = 10


@dataclass(frozen=True, slots=True)
class ShelvedFile:
    """A file, the name that people know it by, and what it would be read as."""

    key: str
    path: Path
    name: str
    size: int
    glance: Glance
    dropped: bool

    @property
    def typed(self) -> str:
        """What stands for it on a command line: its path, or only its name where a browser did not tell the path."""
        return self.name if self.dropped else str(self.path)

    def to_dict(self, said: Callable[[str], str] = str) -> dict[str, Any]:
        """What the browser gets; `said` puts an error to the user."""
        told = self.glance
        return {
            "key": self.key,
            "name": self.name,
            "size": self.size,
            "dropped": self.dropped,
            "format": told.format,
            "description": told.description,
            "columns": [{"name": own.name, "role": own.role, "examples": list(own.examples)} for own in told.columns],
            "labels": [{"word": own.word, "meaning": own.meaning} for own in told.labels],
            "lines": list(told.lines),
            "trouble": said(told.trouble),
        }


class Shelf:
    """The files of one session. What was dropped lies in a folder of its own, which goes with the session."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._files: dict[str, ShelvedFile] = {}
        self._folder: Path | None = None
        self._count = 0
        self._coming: dict[Path, int] = {}
        for path in (file for entry in paths for file in expand(entry)):
            self._add(path, str(path), dropped=False)

    def __iter__(self) -> Iterator[ShelvedFile]:
        return iter(self._files.values())

    def __getitem__(self, key: str) -> ShelvedFile:
        if key not in self._files:
            raise ParameterError("a file that was asked for is not open any more; open it again")
        return self._files[key]

    def opened(self, keys: Sequence[str]) -> tuple[ShelvedFile, ...]:
        """The files of these keys."""
        return tuple(self[key] for key in keys)

    @property
    def room(self) -> int:
        """How many bytes may still be dropped, those of files that are just coming counted."""
        return MOST_UPLOADED - sum(file.size for file in self if file.dropped) - sum(self._coming.values())

    async def receive(self, name: str, pieces: AsyncIterable[bytes]) -> Path:
        """Write a dropped file as it comes; where that does not end well, nothing of it is left behind."""
        place = self.place_for(name)
        self._coming[place] = 0
        try:
            with open(place, "xb") as file:
                async for piece in pieces:
                    if len(piece) > self.room:
                        raise InputError(
                            f"{place.name}: is too large to be dropped; name it on the command line, as in fairtrial "
                            "explore FILE, and it is opened where it lies"
                        )
                    self._coming[place] += len(piece)
                    file.write(piece)
        except BaseException as error:
            shutil.rmtree(place.parent, ignore_errors=True)
            if isinstance(error, OSError):
                raise InputError(f"{place.name}: could not be copied: {error.strerror}") from error
            raise
        finally:
            del self._coming[place]
        return place

    def place_for(self, name: str) -> Path:
        """Where a dropped file is to be written: a folder of its own, so that names cannot meet."""
        if len(self._files) + len(self._coming) >= MOST_FILES:
            raise InputError(f"{cut(visible(name))}: {MOST_FILES} files are open; close some of them first")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairtrial-explore-"))
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir()
        return place / _plain_name(name)

    def add_dropped(self, path: Path) -> ShelvedFile:
        """Add a file that lies where `place_for` said."""
        return self._add(path, path.name, dropped=True)

    def without_folder(self, text: str) -> str:
        """A text in which the files that were dropped have the names that people know."""
        if self._folder is None:
            return text
        return re.sub(rf"{re.escape(str(self._folder))}{re.escape(os.sep)}\d+{re.escape(os.sep)}", "", text)

    def remove(self, key: str) -> None:
        """Close a file; one that was dropped is deleted."""
        file = self[key]
        del self._files[key]
        if file.dropped:
            shutil.rmtree(file.path.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete what was dropped."""
        self._files.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _add(self, path: Path, name: str, *, dropped: bool) -> ShelvedFile:
        key = f"f{len(self._files) + 1 if not dropped else self._count}{'d' if dropped else ''}"
        size = path.stat().st_size if path.is_file() else 0
        told = glance(path) if path.is_file() else Glance(description="a directory")
        self._files[key] = ShelvedFile(key, path, visible(name), size, told, dropped)
        return self._files[key]


def _plain_name(name: str) -> str:
    """The last part of a name, with nothing in it that a file system would take for more than a name."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(letter if letter.isprintable() and letter not in '<>:"|?*' else "_" for letter in last)
    kept = kept.strip(". ")
    ending = Path(kept).suffix if len(Path(kept).suffix) < _LONGEST_ENDING else ""
    stem = kept.removesuffix(ending).encode("utf-8", "replace")[
        : _LONGEST_NAME - len(ending.encode("utf-8", "replace"))
    ]
    return (stem.decode("utf-8", "ignore") + ending) or "scores"
