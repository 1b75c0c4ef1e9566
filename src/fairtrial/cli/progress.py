"""A progress bar for work that takes more than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairtrial.counting.pieces import PassState

_PATIENCE = 2.0


class Bar:
    """A bar on stderr that shows itself once the work has taken longer than `_PATIENCE` seconds."""

    def __init__(self, what: str, total: float) -> None:
        self._what = what
        self._total = total
        self._done = 0.0
        self._lock = threading.Lock()
        self._shown: Any = None
        self._task: Any = None
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            if self._shown is not None:
                self._shown.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        with self._lock:
            self._shown = Progress(console=Console(stderr=True), transient=True)
            self._task = self._shown.add_task(self._what, total=self._total, completed=self._done)
            self._shown.start()

    def advance(self, amount: float = 1) -> None:
        """So much more is done."""
        with self._lock:
            self._done += amount
            if self._shown is not None:
                self._shown.update(self._task, completed=min(self._done, self._total))


class PassBar:
    """A bar for each pass over trials that do not fit in memory, with rows per second and the time left."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown: Any = None
        self._task: Any = None
        self._number = 0

    def __call__(self, state: PassState) -> None:
        """A pass has come so far."""
        if not sys.stderr.isatty():
            return
        if self._shown is None:
            self._start()
        text = f"{self._what}, pass {state.number}"
        if state.number != self._number:
            self._number = state.number
            self._shown.reset(self._task, total=state.size, description=text, rate="")
        spent = self._shown.tasks[0].elapsed or 0.0
        rate = f"{state.rows / spent / 1e6:.1f} M rows/s" if spent > 0 else ""
        self._shown.update(self._task, completed=state.read, rate=rate)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._shown.add_task(self._what, total=1, rate="")
        self._shown.start()

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()


def reading_bar(*paths: Sequence[str]) -> Bar:
    """A bar over the bytes of the files named."""
    return Bar("reading", sum(_sizes(path for group in paths for path in group)))


def _sizes(paths: Iterable[str]) -> Iterable[int]:
    from fairtrial.formats.files import expand

    for path in paths:
        for file in expand(path):
            # what cannot be looked at is an error of reading, not of the bar
            with suppress(OSError):
                entries = list(file.iterdir()) if file.is_dir() else [file]
                yield sum(entry.stat().st_size for entry in entries if entry.is_file())
