"""How an action ended: in a result, in one short FairtrialError, or in a way that must not be."""

from __future__ import annotations

import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Literal

import fairtrial
from fairtrial.core.errors import FairtrialError

Kind = Literal["traceback", "warning", "message", "misread", "hang", "died"]
LONGEST_MESSAGE = 1500
_SOURCE = str(Path(fairtrial.__file__).parent)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with the way an action ended."""

    kind: Kind
    words: str
    place: str = ""
    """Where in fairtrial it happened: failures of one kind and place are one fault."""
    trace: str = ""

    @property
    def fault(self) -> str:
        """What two failures of the same fault have in common."""
        return f"{self.kind} {self.place or self.words[:40]}"

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}" + (f" ({self.place})" if self.place else "")


class Misread(AssertionError):
    """A result that is not what it should be."""


class _TooLong(BaseException):
    """The time is over; no `except Exception` may swallow it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How an action ended."""

    refused: bool = False
    complaint: Complaint | None = None


def watch(action: Callable[[], object], *, seconds: float | None = None) -> Ending:
    """Run an action with all warnings as errors, for so many seconds at most.

    Parameters
    ----------
    action
        It may end in a result or a FairtrialError; whoever finds a wrong result raises `Misread`.
    seconds
        After which it counts as hanging; only in a main thread.
    """
    unraisable: list[str] = []
    hook = sys.unraisablehook
    sys.unraisablehook = lambda caught: unraisable.append(f"{type(caught.exc_value).__name__}: {caught.exc_value}")
    try:
        ending = _watched(action, seconds)
    finally:
        sys.unraisablehook = hook
    if ending.complaint is None and unraisable:
        return Ending(ending.refused, Complaint("traceback", f"when it was over: {unraisable[0]}"))
    return ending


def _watched(action: Callable[[], object], seconds: float | None) -> Ending:
    try:
        with warnings.catch_warnings(), _alarm(seconds):
            warnings.simplefilter("error")
            action()
    except FairtrialError as error:
        return Ending(True, complaint_of_message(str(error)))
    except Misread as error:
        return Ending(complaint=Complaint("misread", str(error)[:600]))
    except _TooLong as error:
        return Ending(complaint=_complaint("hang", f"more than {seconds:g} s", error))
    except Warning as error:
        return Ending(complaint=_complaint("warning", _shown(error), error))
    except Exception as error:
        return Ending(complaint=_complaint("traceback", _shown(error), error))
    return Ending()


def complaint_of_message(message: str) -> Complaint | None:
    """What is wrong with the message of an error, which must be one short printable line."""
    if len(message) > LONGEST_MESSAGE:
        return Complaint("message", f"{len(message)} characters: {message[:150]!r}...")
    if not message.isprintable():
        return Complaint("message", f"cannot be printed: {message[:300]!r}")
    return None


def complaint_of(error: BaseException) -> Complaint:
    """An error that nobody should see."""
    return _complaint("warning" if isinstance(error, Warning) else "traceback", _shown(error), error)


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:300]}"


def _complaint(kind: Kind, words: str, error: BaseException) -> Complaint:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(_SOURCE)] or list(frames)
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return Complaint(kind, words, place, "".join(traceback.format_exception(error))[-4000:])


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
