"""Work in the background: how far it is, what it found, and a way to stop it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, TypeAlias

from fairtrial.core.errors import FairtrialError

Advance: TypeAlias = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""


class Stopped(BaseException):
    """The work was asked to stop; no handler of errors takes it for one."""


_AGAIN = 1.0
"""Seconds after which a job that was asked to stop is asked again: what calls Python from C may lose the first time."""


@dataclass
class Job:
    """One piece of work in a thread of its own.

    A thread is stopped by an exception that is raised in it, between two steps of the interpreter: so any work of the
    library can be stopped, without each loop having to ask. A thread of its own, so that the exception can meet
    nothing else; and only while `_stoppable`, so that it meets neither the beginning nor the end of the thread. The
    thread takes no lock for that, as it could be stopped while it holds one.
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
    _thread: int = 0
    _asked_to_stop: bool = False
    _stoppable: bool = False
    _raising: bool = False

    def start(self) -> Job:
        """Begin, and return at once."""
        threading.Thread(target=self._run, name="fairtrial job", daemon=True).start()
        return self

    def _run(self) -> None:
        try:
            try:
                self._thread = threading.get_ident()
                self._stoppable = True
                if not self._asked_to_stop:
                    self.result = self.work(self._advance)
            except FairtrialError as error:
                self.error = str(error)
            except Exception as error:  # a thread must not die in silence
                self.failure = error
        except Stopped:
            pass
        # what is just being raised is waited for and forgotten; a call here would be outside of any try
        settled = False
        while not settled:
            try:
                self._stoppable = False
                while self._raising:
                    sleep(0)
                _raise_in(self._thread, None)
                settled = True
            except Stopped:
                pass
        self.stopped = self._asked_to_stop
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
        if not self.ended and not self._asked_to_stop:
            self._asked_to_stop = True
            threading.Thread(target=self._insist, name="fairtrial stop", daemon=True).start()

    def _insist(self) -> None:
        while not self.ended:
            self._raising = True
            if self._stoppable:
                _raise_in(self._thread, Stopped)
            self._raising = False
            self._ended.wait(_AGAIN)


def _raise_in(thread: int, what: type[BaseException] | None) -> None:
    """Raise an exception in a thread at its next step; None: forget one that is not raised yet."""
    given = None if what is None else ctypes.py_object(what)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)
