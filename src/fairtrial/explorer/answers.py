"""What a question is, and what an answer holds: sentences, tables, figures to draw and to keep, a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from fairtrial.core.notes import gather_notes
from fairtrial.core.tables import Table
from fairtrial.explorer.data import Data
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.repeating import Repeated
from fairtrial.pages.page import Page, Repeat, lay_out

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


_MOST_ROWS = 1000
"""Of a table in the browser."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found.

    Attributes
    ----------
    sentences
        The answer in words.
    tables
        Those of the result, as the command line prints them.
    found
        The same as one JSON object, as ``--json`` prints it.
    shown
        What the browser draws, by figure.
    drawn
        Figures to be kept as files, by the names that ``fairtrial plot`` has for them.
    page
        The self-contained report, where there is one.
    """

    sentences: tuple[str, ...]
    tables: tuple[Table, ...]
    found: dict[str, Any]
    shown: dict[str, Any] = field(default_factory=dict)
    drawn: Mapping[str, Draw] = field(default_factory=dict)
    page: Callable[[Repeat], Page] | None = None

    @classmethod
    def of_page(cls, page: Page, found: dict[str, Any], drawn: Mapping[str, Draw]) -> Answer:
        """An answer that says what a report says."""
        return cls(page.answer, page.tables, found, page.explore, drawn, lambda repeat: replace(page, repeat=repeat))

    def to_dict(self) -> dict[str, Any]:
        """What the browser gets."""
        return {
            "sentences": list(self.sentences),
            "tables": [lay_out(_short(table)) for table in self.tables if table.rows],
            "notes": [str(note) for note in gather_notes(note for table in self.tables for note in table.notes)],
            "found": self.found,
            "shown": self.shown,
            "figures": list(self.drawn),
            "has_page": self.page is not None,
        }


def _short(table: Table) -> Table:
    """A table that a browser can hold; files have all rows."""
    if len(table.rows) <= _MOST_ROWS:
        return table
    kept = table.shown if table.shown is not None else range(_MOST_ROWS)
    return replace(table, rows=tuple(table.rows[k] for k in list(kept)[:_MOST_ROWS]), shown=None)


class Question(Protocol):
    """Something that can be asked of the trials that were read."""

    @classmethod
    def of(cls, given: Fields) -> Self:
        """What the browser asks for."""
        ...

    def answer(self, data: Data, advance: Advance) -> Answer:
        """Find the answer; `advance` is told how far it is."""
        ...

    def repeated(self, data: Data) -> Repeated:
        """The same as a command and as Python."""
        ...


UNREPEATED = Repeat("", {})
"""What stands in a page until it is kept."""
