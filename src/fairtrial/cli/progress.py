"""A progress bar for work that takes more than two seconds, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

PATIENCE = 2.0


class Bar:
    """A bar on stderr that shows itself once the work has taken longer than `PATIENCE` seconds."""

    def __init__(self, what: str, total: float) -> None:
        self._what = what
        self._total = total
        self._done = 0.0
        self._began = time.monotonic()
        self._shown: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()

    def advance(self, amount: float = 1) -> None:
        """So much more is done."""
        self._done += amount
        if self._shown is None and sys.stderr.isatty() and time.monotonic() - self._began > PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            self._shown = Progress(console=Console(stderr=True), transient=True)
            self._shown.start()
            self._task = self._shown.add_task(self._what, total=self._total)
        if self._shown is not None:
            self._shown.update(self._task, completed=self._done)


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
