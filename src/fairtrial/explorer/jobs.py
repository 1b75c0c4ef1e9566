"""Work in the background: how far it is, what it found, and a way to stop it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

from fairtrial.errors import FairtrialError

Advance: TypeAlias = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""


class Stopped(BaseException):
    """The work was asked to stop; no handler of errors takes it for one."""


@dataclass
class Job:
    """One piece of work in a thread of its own.

    A thread is stopped by an exception that is raised in it, between two steps of the interpreter: so any work of the
    library can be stopped, without each loop having to ask. A thread of its own, so that the exception can meet
    nothing else.
    """

    work: Callable[[Advance], Any]
    share: float = 0.0
    """How much is done, where the work says so."""
    result: Any = None
    error: str = ""
    """What to tell the user, where the work could not be done."""
    failure: BaseException | None = None
    """An error that is ours."""
    stopped: bool = False
    began: float = field(default_factory=monotonic)
    _ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None
    _asked_to_stop: bool = False

    def start(self) -> Job:
        """Begin, and return at once."""
        self._thread = threading.Thread(target=self._run, name="fairtrial job", daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            try:
                self.result = self.work(self._advance)
            except FairtrialError as error:
                self.error = str(error)
            except Stopped:
                self.stopped = True
            except BaseException as error:  # a thread must not die in silence
                self.failure = error
            with self._lock:  # from here on nobody raises anything in this thread
                self._ended.set()
        except Stopped:  # came between the end of the work and that of the thread
            self.stopped = True
            self._ended.set()

    def _advance(self, share: float) -> None:
        self.share = min(max(share, 0.0), 1.0)

    @property
    def ended(self) -> bool:
        """Whether there is a result, an error, or an end by request."""
        return self._ended.is_set()

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return monotonic() - self.began

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; whether it has ended."""
        return self._ended.wait(seconds)

    def stop(self) -> None:
        """Ask it to stop, soon."""
        with self._lock:
            if self._thread is None or self._thread.ident is None or self.ended or self._asked_to_stop:
                return
            self._asked_to_stop = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(Stopped))
