"""Sessions: each browser has its files, trials, work and answers."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.words import use_distances
from fairtrial.explorer.answers import Answer, Kept
from fairtrial.explorer.data import Data, Files, Reading
from fairtrial.explorer.files import Folder, OpenFiles
from fairtrial.explorer.jobs import Advance, Job
from fairtrial.explorer.questions import Asked, Question
from fairtrial.formats.files import expand

MAX_SESSIONS = 16
_MAX_ANSWERS = 24
_MAX_JOBS = 8
_MAX_SHARED = 2


@dataclass
class Session:
    """What one browser has opened and asked."""

    key: str
    files: OpenFiles
    data: Data | None = None
    answers: OrderedDict[str, Kept] = field(default_factory=OrderedDict)
    jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)
    _slots: dict[str, tuple[str, threading.Lock]] = field(default_factory=dict)
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def known_data(self) -> Data:
        """Return the trials; raise an error if none have been read, or if their files have changed."""
        if self.data is None:
            raise TrialsError("nothing has been read yet; open score files first", code="nothing-read")
        self.data.check_unchanged()
        use_distances(self.data.distances)
        return self.data

    def look_at(self, data: Data) -> None:
        """Look at these trials from now on; answers of others go, as memory has room for one set of trials."""
        with self._lock:
            self.data = data
            for key in [key for key, kept in self.answers.items() if kept.data is not data]:
                del self.answers[key]

    def worded(self, text: object) -> str:
        """Word an error with the names that people know of dropped files."""
        return self.files.without_folder(str(text))

    def begin(self, work: Callable[[Advance], Any], slot: str) -> str:
        """Begin some work as soon as the work in the same slot has come to its next step, where it stops."""
        with self._lock:
            before, turn = self._slots.get(slot, ("", threading.Lock()))
            if before in self.jobs:
                self.jobs[before].stop()
            if sum(not job.ended for job in self.jobs.values()) >= _MAX_JOBS:
                raise ParameterError("too much is being computed at once; wait, or stop some of it")
            self._count += 1
            key = f"j{self._count}"
            self.jobs[key] = Job(work, turn).start()
            while len(self.jobs) > 4 * _MAX_JOBS:
                self.jobs.popitem(last=False)[1].stop()
            self._slots = {name: kept for name, kept in self._slots.items() if kept[0] in self.jobs} | {
                slot: (key, turn)
            }
            return key

    def job(self, key: str) -> Job:
        """Return a job; raise an error if it is forgotten."""
        if key not in self.jobs:
            raise ParameterError("this computation is gone; ask again", code="forgotten")
        return self.jobs[key]

    def keep(self, question: Question, asked: Asked, answer: Answer) -> tuple[str, Kept]:
        """Keep an answer so that it can be saved; the oldest goes if there are many."""
        kept = Kept(answer, question.repeated(asked), asked.data)
        with self._lock:
            self._count += 1
            key = f"a{self._count}"
            self.answers[key] = kept
            while len(self.answers) > _MAX_ANSWERS:
                self.answers.popitem(last=False)
        return key, kept

    def kept(self, key: str) -> Kept:
        """Return an answer; raise an error if it is forgotten."""
        if key not in self.answers:
            raise ParameterError("this answer is not kept any more; ask again", code="forgotten")
        use_distances(self.answers[key].data.distances)
        return self.answers[key]

    def close(self) -> None:
        """Stop all work and forget everything."""
        for job in list(self.jobs.values()):
            job.stop()
        self.jobs.clear()
        self.answers.clear()
        self.data = None
        self.files.close()


class Sessions:
    """All sessions of a server, and the trials of files named on its command line, which all of them share."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(path for entry in paths for path in expand(entry))
        self._folder = Folder()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._shared: OrderedDict[object, Data] = OrderedDict()
        self._lock = threading.Lock()

    def new(self) -> Session:
        """Return a new session; if there are many, the one that was not used for the longest time is closed."""
        key = secrets.token_urlsafe(9)
        session = Session(key, OpenFiles(self._paths, self._folder.path / key))
        with self._lock:
            self._sessions[session.key] = session
            oldest = self._sessions.popitem(last=False)[1] if len(self._sessions) > MAX_SESSIONS else None
        if oldest is not None:
            oldest.close()
        return session

    def get(self, key: str) -> Session | None:
        """Return a session by its key."""
        with self._lock:
            if key in self._sessions:
                self._sessions.move_to_end(key)
            return self._sessions.get(key)

    def read(self, reading: Reading, files: Files, advance: Advance) -> Data:
        """Read files, or give what another session has read in the same way of the same, unchanged files."""
        common = not any(file.dropped for file in files.all)
        name = repr(reading), tuple(file.stamp for file in files.all)
        with self._lock:
            if common and name in self._shared:
                return self._shared[name]
        total, done = max(sum(file.size for file in files.all), 1), 0

        def progress(size: int) -> None:
            nonlocal done
            done += size
            advance(0.95 * done / total)

        data = Data(reading.read(files, progress), reading, files)
        data.check_unchanged()
        with self._lock:
            if common:
                self._shared[name] = data
            while len(self._shared) > _MAX_SHARED:
                self._shared.popitem(last=False)
        return data

    def close(self) -> None:
        """Close all sessions."""
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), OrderedDict()
            self._shared.clear()
        for session in sessions:
            session.close()
        self._folder.close()
