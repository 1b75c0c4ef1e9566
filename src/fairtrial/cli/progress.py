"""A line of progress on a terminal, for work that takes more than two seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairtrial.counting.pieces import PassState

_PATIENCE, _EVERY = 2.0, 0.25
_WIDTH = 30


class Bar:
    """A line on stderr that appears once the work has taken longer than `_PATIENCE` seconds.

    Parameters
    ----------
    what
        What is being done.
    total
        The amount of work; 0 if it is not known.
    """

    def __init__(self, what: str, total: float = 0) -> None:
        self.what, self.total = what, total
        self._done, self._rate = 0.0, ""
        self._begin, self._shown = monotonic(), False
        self._stop = threading.Event()

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            threading.Thread(target=self._draw_until_stopped, daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stop.set()
        if self._shown:
            _write("")

    def advance(self, amount: float = 1) -> None:
        """Add finished work."""
        self._done += amount

    def show_pass(self, state: PassState) -> None:
        """Take over how far a pass over files has come."""
        spent = monotonic() - self._begin
        self._done, self.total = state.read, state.size
        self._rate = f"  pass {state.number}, {state.rows / spent / 1e6:.1f} M rows/s" if spent > 0 else ""

    def _draw_until_stopped(self) -> None:
        pause = _PATIENCE
        while not self._stop.wait(pause):
            pause, self._shown = _EVERY, True
            spent = monotonic() - self._begin
            line = f"{self.what}  {spent:.0f} s"
            if self.total and self._done:
                part = min(self._done / self.total, 1.0)
                bar = "#" * round(_WIDTH * part)
                line = (
                    f"{self.what}  {bar:.<{_WIDTH}}  {100 * part:.0f} %, {spent / part - spent:.0f} s left{self._rate}"
                )
            _write(line)


def _write(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def reading_bar(*paths: Sequence[str]) -> Bar:
    """Make a bar over the bytes of the files named."""
    return Bar("reading", sum(_sizes(path for group in paths for path in group)))


def _sizes(paths: Iterable[str]) -> Iterable[int]:
    from fairtrial.formats.files import expand

    for path in paths:
        for file in expand(path):
            # what cannot be looked at is an error of reading, not of the bar
            with suppress(OSError):
                entries = list(file.iterdir()) if file.is_dir() else [file]
                yield sum(entry.stat().st_size for entry in entries if entry.is_file())
