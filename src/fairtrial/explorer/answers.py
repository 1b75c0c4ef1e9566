"""Answers: sentences, tables and figures for the page, the files they can be saved as, and how to repeat them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairtrial.core.errors import ParameterError
from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.parameters import repeat_command
from fairtrial.core.results import Result
from fairtrial.core.tables import Table, json_text
from fairtrial.core.words import wording
from fairtrial.explorer.data import Data
from fairtrial.figures.style import ENDINGS as PICTURE_ENDINGS
from fairtrial.figures.style import write_picture
from fairtrial.figures.table import FIGURES, drawing_of
from fairtrial.formats.results import ENDINGS as TABLE_ENDINGS
from fairtrial.formats.results import write_tables
from fairtrial.pages import page_of
from fairtrial.pages.page import InputFile, Number, Page, lay_out, render, repeat_of

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw

MAX_ROWS = 1000
"""Rows of a table in the browser; files have all of them."""
_DRAWING = threading.Lock()
"""matplotlib's settings are those of the whole process: one picture after the other."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A question as words of a command, which may be empty, and as lines of Python."""

    words: tuple[str, ...]
    lines: tuple[str, ...]
    note: str = ""

    @property
    def command(self) -> str:
        """The command as it is typed; empty if no command asks this."""
        return repeat_command(self.words) if self.words else ""

    @property
    def python(self) -> str:
        """The lines as they are typed."""
        return "\n".join(["import fairtrial as ft", "", *self.lines]) + "\n"

    def to_dict(self) -> dict[str, str]:
        """Convert to what the browser gets."""
        return {"command": self.command, "python": self.python, "note": self.note}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    Attributes
    ----------
    sentences
        The answer in words; the first is the one to quote.
    tables
        Those of the result, as the command line prints them.
    result
        The same as one JSON object, as ``--json`` prints it.
    shown
        What the browser draws, by figure.
    drawn
        Figures that can be saved, by the names that ``fairtrial plot`` has for them.
    page
        The self-contained report, if there is one.
    numbers
        The numbers that people quote.
    """

    sentences: tuple[str, ...]
    tables: tuple[Table, ...]
    result: dict[str, Any]
    shown: dict[str, Any] = field(default_factory=dict)
    drawn: Mapping[str, Draw] = field(default_factory=dict)
    page: Callable[[], Page] | None = None
    numbers: tuple[Number, ...] = ()

    @classmethod
    def of(cls, result: Result, drawn: Mapping[str, Draw], **more: Any) -> Answer:
        """Return what the report of a result says; `more` is what its page takes."""
        page = page_of(result, **more)
        sentences = tuple(f"{sentence}." for sentence in page.answer)
        return cls(sentences, page.tables, as_printed(result), page.charts, drawn, lambda: page, page.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Convert to what the browser gets."""
        tables = []
        for table in (table for table in self.tables if table.rows):
            total, kept = len(table.rows), list(range(len(table.rows)) if table.shown is None else table.shown)
            if total > MAX_ROWS:
                table = replace(table, rows=tuple(table.rows[k] for k in kept[:MAX_ROWS]), shown=None)
            tables.append({**lay_out(table), "total": total})
        notes = gather_notes(note for table in self.tables for note in table.notes)
        # targets that nobody asked for are in a table further down, and their own warnings stay there
        asked = self.tables[:1] + tuple(table for table in self.tables[1:] if table.name != "operating_points")
        codes = {note.code for table in asked for note in table.notes if isinstance(note, Note) and note.warning}
        above = [note for note in notes if isinstance(note, Note) and note.warning and note.code in codes]
        warnings = {str(note): note.code for note in above}
        return {
            "sentences": list(self.sentences),
            "numbers": [[number.name, number.value, number.detail] for number in self.numbers],
            "tables": tables,
            "warnings": [{"code": code, "text": text} for text, code in warnings.items()],
            "notes": [text for text in dict.fromkeys(map(str, notes)) if text not in warnings],
            "result": self.result,
            "shown": self.shown,
            "figures": list(self.drawn),
            "has_page": self.page is not None,
        }


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that can still be saved."""

    answer: Answer
    repeated: Repeated
    data: Data

    def report(self) -> str:
        """Return the self-contained page; dropped files have the names that people know."""
        if self.answer.page is None:
            raise ParameterError("there is no report of this answer; its tables and figures can be saved")
        files = {str(file.path): file.typed for file in self.data.files.all if file.path.exists()}
        repeat = repeat_of(self.repeated.command or self.repeated.python, files, self.data.reading.rng)
        inputs = tuple(InputFile(files.get(each.name, each.name), each.size, each.sha256) for each in repeat.inputs)
        return render(replace(self.answer.page(), repeat=replace(repeat, inputs=inputs)))

    def table(self, ending: str) -> bytes:
        """Return the tables as a file: .csv, .tsv, .tex, .md, .parquet or .json."""
        if ending == ".json":
            return (json_text(self.answer.result, indent=2) + "\n").encode()
        if ending not in TABLE_ENDINGS:
            raise ParameterError(f"tables can be saved as {', '.join((*TABLE_ENDINGS, '.json'))}, not as {ending}")
        return _written(ending, lambda place: write_tables(self.answer.tables, place))

    def picture(self, name: str, ending: str) -> bytes:
        """Return a figure as a file: .svg, .png or .pdf."""
        draw = self.answer.drawn.get(name)
        if draw is None:
            raise ParameterError(f"there is no figure {name}; there are {', '.join(self.answer.drawn) or 'none'}")
        if ending not in PICTURE_ENDINGS:
            raise ParameterError(f"figures can be saved as {', '.join(PICTURE_ENDINGS)}, not as {ending}")
        width, height = FIGURES[name].size
        with _DRAWING:
            return _written(ending, lambda place: write_picture(draw, place, width=width, height=height))


def _written(ending: str, write: Callable[[Path], object]) -> bytes:
    """Return what is written to a file of this ending."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, f"file{ending}")
        write(place)
        return place.read_bytes()


def as_printed(result: Result) -> dict[str, Any]:
    """Return a result as ``--json`` prints it."""
    with wording(style="shell"):
        return result.to_json()


def drawn_later(computed: Mapping[str, Callable[[], Any]]) -> dict[str, Draw]:
    """Return figures whose data are computed when they are saved."""

    def draw(name: str, figure: Any) -> Any:
        return FIGURES[name].draw(computed[name]())(figure)

    return {name: partial(draw, name) for name in computed}


def figures_of(result: Any, *names: str, **options: Any) -> dict[str, Draw]:
    """Return figures of a result, whose data are computed when they are saved."""

    def draw(name: str, figure: Any) -> Any:
        return drawing_of(result, name, **options)(figure)

    return {name: partial(draw, name) for name in names}
