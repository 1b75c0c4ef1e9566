"""Print results and write their files: an answer with tables and notes, one JSON object, a line of progress."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note, as_note, gather_notes
from fairtrial.core.tables import json_text, wrapped
from fairtrial.core.words import visible

if TYPE_CHECKING:
    from fairtrial.core.results import Result
    from fairtrial.counting.pieces import PassState

FIRST = frozenset({"alpha-ignored", "same-trials", "reversed-scores"})
"""Codes of warnings that stand above the tables: without them no figure means what it seems to."""

_PATIENCE, _EVERY = 2.0, 0.25
"""Seconds before a line of progress appears, and between its changes."""
_WIDTH = 30
"""Columns of its bar."""


def say(text: str = "", *, aside: bool = False) -> None:
    """Print lines, or aside on standard error; escapes that a terminal would obey are spelled out."""
    _write("\n".join(visible(line) for line in text.split("\n")), aside=aside)


def _write(text: str, *, aside: bool) -> None:
    """Write to a stream without changing its encoding, as `click.echo` would; in colour on a terminal that has it."""
    stream = sys.stderr if aside else sys.stdout
    colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print(text if colour else click.unstyle(text), file=stream, flush=aside)


def help_all(*, hidden: bool) -> click.Option:
    """Make the option that shows all options of a command."""

    def show(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta["fairtrial.all"] = True
            say(ctx.get_help())
            ctx.exit()

    settings: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.Option(["--help-all"], **settings, callback=show, hidden=hidden, help="Show the other options, too.")


def terminal_width() -> int | None:
    """Give the columns of the terminal; None if the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_result(result: Result, typed: Mapping[str, Any]) -> None:
    """Print the answer, the tables, then warnings and notes; or one JSON object."""
    if typed.get("json"):
        say(json_text(result.to_json(), indent=2))
        return
    width, whole = terminal_width(), bool(typed.get("all"))
    shown = result.tables() if whole else result.main_tables()
    notes = [as_note(note) for table in shown for note in table.notes]
    if whole:
        notes = [note for note in notes if note.code != "other-tests"]
    _write(click.style("\n".join(wrapped(visible(result.answer()), width)), bold=True), aside=False)
    print_notes(note for note in notes if note.code in FIRST)
    for text in filter(None, (table.to_text(width, whole=whole) for table in shown)):
        say(f"\n{text}")
    rest = [note for note in notes if note.code not in FIRST]
    print_notes(rest, everything=whole or bool(typed.get("verbose")), gap=any(table.rows for table in shown))


def name_outputs(result: Any, typed: Mapping[str, Any]) -> None:
    """Name the files that were written."""
    words = {"out": "tables", "trials_out": "decisions", "save": "model", "scores_out": "scores", "report": "report"}
    for name, word in words.items():
        if typed.get(name) is not None and not (name == "out" and hasattr(result, "out")):
            say(f"{word} in {typed[name]}", aside=True)


def print_notes(
    notes: Iterable[Note | str], *, everything: bool = False, aside: bool = False, gap: bool = False
) -> None:
    """Print warnings, then notes, alike ones as one; details on request."""
    kept = [note for note in map(as_note, gather_notes(notes)) if everything or note.warning or not note.detail]
    if gap and kept:
        say(aside=aside)
    width = terminal_width()
    for note in sorted(kept, key=lambda note: not note.warning):
        line = visible(f"{'warning' if note.warning else 'note'}: {note}")
        text = "\n  ".join(wrapped(line, width and width - 2))
        _write(click.style(text, fg="yellow") if note.warning else text, aside=aside)


def check_outputs(typed: Mapping[str, Any]) -> None:
    """Raise an error before any work if a file could not be written."""
    if typed.get("report") is None and typed.get("title"):
        raise ParameterError("{title!p} is that of the page; give {report!p} FILE.html, too", title=0, report=0)
    if all(typed.get(name) is None for name in ("out", "trials_out", "save", "report", "scores_out")):
        return
    from fairtrial.formats.decisions import ENDINGS as DECISIONS
    from fairtrial.formats.files import check_place
    from fairtrial.formats.registry import format_of_name
    from fairtrial.formats.results import ENDINGS, check_target

    endings = {"out": (*ENDINGS, ".json"), "trials_out": DECISIONS, "save": (".json",), "report": (".html", ".htm")}
    for name in endings:
        if typed.get(name) is not None:
            check_target(typed[name], endings[name])
    if typed.get("scores_out") is not None:
        format_of_name(Path(typed["scores_out"]))
        check_place(typed["scores_out"])
        check_place(dev_beside(typed["scores_out"]))


def dev_beside(path: str) -> Path:
    """Give the file of the dev scores."""
    return Path(path).parent / f"dev-{Path(path).name}"


def write_outputs(result: Any, typed: Mapping[str, Any], data: Mapping[str, Any], read: Iterable[str]) -> None:
    """Write all requested files, or none."""
    from fairtrial.formats.files import write_together, write_whole

    with write_together():
        if typed.get("out") is not None and not hasattr(result, "out"):
            if typed["out"].lower().endswith(".json"):
                with write_whole(typed["out"]) as place:
                    place.write_text(json_text(result.to_json(), indent=2) + "\n", encoding="utf-8")
            else:
                from fairtrial.formats.results import write_tables

                write_tables(result.tables(), typed["out"])
        if typed.get("trials_out") is not None:
            from fairtrial.formats.decisions import write_decisions

            write_decisions([system.decisions() for system in result], typed["trials_out"])
        if typed.get("save") is not None:
            result.model.save(typed["save"])
        if typed.get("scores_out") is not None:
            from fairtrial.formats.read import write_trials

            scores = result.scores
            write_trials(scores.test, typed["scores_out"])
            if data.get("dev") is not None and scores.dev is not scores.test:  # with folds they are the same
                write_trials(scores.dev, dev_beside(typed["scores_out"]))
        if typed.get("report") is not None:
            _write_page(result, typed, read)


def _write_page(result: Any, typed: Mapping[str, Any], read: Iterable[str]) -> None:
    from dataclasses import replace

    from fairtrial.core.parameters import repeat_command
    from fairtrial.pages import page_of
    from fairtrial.pages.page import repeat_of, write_report

    files = [*read, *getattr(result, "files_read", ())]
    repeat = repeat_of(repeat_command(sys.argv[1:]), files, typed.get("rng") or 0)
    write_report(replace(page_of(result, repeat), heading=typed.get("title") or ""), os.fspath(typed["report"]))


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
            _redraw("")

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
            _redraw(line)


def _redraw(line: str) -> None:
    """Replace the line of progress."""
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
