"""Work in the background: its progress, its result, and a way to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

Advance: TypeAlias = Callable[[float], None]
"""Called with the proportion of the work that is done, from 0 to 1; raises `Stopped` once the work is to stop."""


class Stopped(BaseException):
    """Raised by `Advance` to end work that is to stop; not an `Exception`, so that no handler of errors keeps it."""


@dataclass
class Job:
    """One piece of work in its own thread.

    It is stopped by a flag that `Advance` asks: an exception raised in a thread from outside can meet it while it holds
    a lock or starts another thread, and then nothing releases either. A stopped job has ended for those who wait for
    it; its thread ends at the next step of the work. `turn` keeps it from running beside the job that it replaces.
    """

    work: Callable[[Advance], Any]
    turn: AbstractContextManager[Any] = field(default_factory=nullcontext)
    done: float = 0.0
    result: Any = None
    error: BaseException | None = None
    began: float = field(default_factory=monotonic)
    stopped: bool = False
    _ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    thread: threading.Thread = field(init=False)

    def start(self) -> Job:
        """Begin, and return at once."""
        self.thread = threading.Thread(target=copy_context().run, args=(self._run,), name="fairtrial job", daemon=True)
        self.thread.start()
        return self

    def _run(self) -> None:
        result = error = None
        try:
            with self.turn:
                self._advance(0.0)
                result = self.work(self._advance)
        except Stopped:
            return
        except BaseException as raised:  # for those who wait
            error = raised
        with self._lock:
            if not self.stopped:
                self.result, self.error = result, error
                self._ended.set()

    def _advance(self, done: float) -> None:
        if self.stopped:
            raise Stopped
        self.done = min(max(done, 0.0), 1.0)

    def stop(self) -> None:
        """End it for everybody who waits; its thread ends at its next step."""
        with self._lock:
            self.stopped = self.stopped or not self._ended.is_set()
            self._ended.set()

    @property
    def ended(self) -> bool:
        """Whether there is a result, an error, or an end by request."""
        return self._ended.is_set()

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return monotonic() - self.began

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most `seconds`; whether it has ended."""
        return self._ended.wait(seconds)
