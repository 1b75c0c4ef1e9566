"""Sessions: two browsers at once have two, each with its own files, trials and answers."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.explorer.answers import Answer, Question
from fairtrial.explorer.data import Data
from fairtrial.explorer.jobs import Advance, Job
from fairtrial.explorer.reading import Files, Reading
from fairtrial.explorer.repeating import Repeated
from fairtrial.explorer.shelf import Shelf

MOST_SESSIONS = 16
_MOST_ANSWERS = 24
_MOST_JOBS = 8
_SHARED_DATA = 2
Words: TypeAlias = Callable[[str], str]
"""From the words of the library to those that the user reads."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that can still be taken away."""

    answer: Answer
    repeated: Repeated
    data: Data


@dataclass
class Session:
    """What one browser has opened and asked."""

    key: str
    shelf: Shelf
    words: Words = str
    data: Data | None = None
    answers: OrderedDict[str, Kept] = field(default_factory=OrderedDict)
    jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)
    _slots: dict[str, tuple[str, threading.Lock]] = field(default_factory=dict)
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def known_data(self) -> Data:
        """The trials; an error where none have been read."""
        if self.data is None:
            raise TrialsError("nothing has been read yet; open score files first")
        return self.data

    def look_at(self, data: Data) -> None:
        """Look at these trials from now on; answers that hold others go, as memory has room for one set of trials."""
        with self._lock:
            self.data = data
            for key in [key for key, kept in self.answers.items() if kept.data is not data]:
                del self.answers[key]

    def said(self, text: str) -> str:
        """An error of the library as the command line would put it, in the folder of the files that were dropped."""
        return self.words(self.shelf.without_folder(text))

    def begin(self, work: Callable[[Advance], Any], slot: str) -> str:
        """Begin some work as soon as the work in the same slot has come to its next step, where it stops."""
        with self._lock:
            before, turn = self._slots.get(slot, ("", threading.Lock()))
            if before in self.jobs:
                self.jobs[before].stop()
            if sum(not job.ended for job in self.jobs.values()) >= _MOST_JOBS:
                raise ParameterError("too much is being computed at once; wait, or stop some of it")
            self._count += 1
            key = f"j{self._count}"
            self.jobs[key] = Job(work, turn).start()
            while len(self.jobs) > 4 * _MOST_JOBS:
                self.jobs.popitem(last=False)[1].stop()
            self._slots = {name: kept for name, kept in self._slots.items() if kept[0] in self.jobs} | {
                slot: (key, turn)
            }
            return key

    def job(self, key: str) -> Job:
        """A job; an error where it is long gone."""
        found = self.jobs.get(key)
        if found is None:
            raise ParameterError("this work is not known any more; ask again")
        return found

    def keep(self, question: Question, answer: Answer, data: Data) -> tuple[str, Kept]:
        """Keep an answer of these trials, so that it can be taken away; the oldest goes where there are many."""
        kept = Kept(answer, question.repeated(data), data)
        with self._lock:
            self._count += 1
            key = f"a{self._count}"
            self.answers[key] = kept
            while len(self.answers) > _MOST_ANSWERS:
                self.answers.popitem(last=False)
        return key, kept

    def kept(self, key: str) -> Kept:
        """An answer; an error where it is long gone."""
        found = self.answers.get(key)
        if found is None:
            raise ParameterError("this answer is not kept any more; ask again")
        return found

    def close(self) -> None:
        """Stop all work and forget everything."""
        for job in self.jobs.values():
            job.stop()
        self.jobs.clear()
        self.answers.clear()
        self.data = None
        self.shelf.close()


class Sessions:
    """All sessions of a server, and trials of the files named on its command line, which all of them may look at."""

    def __init__(self, paths: Sequence[str], words: Words = str) -> None:
        self._paths = tuple(paths)
        self._words = words
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._shared: OrderedDict[str, Data] = OrderedDict()
        self._lock = threading.Lock()

    def new(self) -> Session:
        """A session of its own; where there are many, the one that was used the longest ago is closed."""
        session = Session(secrets.token_urlsafe(9), Shelf(self._paths), self._words)
        with self._lock:
            self._sessions[session.key] = session
            gone = self._sessions.popitem(last=False)[1] if len(self._sessions) > MOST_SESSIONS else None
        if gone is not None:
            gone.close()
        return session

    def get(self, key: str) -> Session | None:
        """A session by its key."""
        with self._lock:
            if key in self._sessions:
                self._sessions.move_to_end(key)
            return self._sessions.get(key)

    def shared(self, reading: Reading, files: Files) -> Data | None:
        """What another session has read in the same way, if all files are those of the command line."""
        with self._lock:
            return self._shared.get(repr(reading)) if _are_common(files) else None

    def share(self, data: Data) -> None:
        """Let other sessions look at the same trials."""
        if not _are_common(data.files):
            return
        with self._lock:
            self._shared[repr(data.reading)] = data
            while len(self._shared) > _SHARED_DATA:
                self._shared.popitem(last=False)

    def close(self) -> None:
        """Close all sessions."""
        with self._lock:
            going, self._sessions = list(self._sessions.values()), OrderedDict()
            self._shared.clear()
        for session in going:
            session.close()


def _are_common(files: Files) -> bool:
    return not any(file.dropped for file in files.all)
