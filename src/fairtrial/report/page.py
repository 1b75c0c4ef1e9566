"""What a page holds, and how it becomes one file that needs nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

from fairtrial.axes import ALPHA, COLOURS
from fairtrial.formats.files import PathLike, write_whole
from fairtrial.tables import Terms, in_percent, translate

_SMALL = 0.0001
"""Smaller p values are not told apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell of a table shows, and the number it is sorted by, if it is one."""

    text: str
    sort: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table that readers can sort."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns are of numbers."""
        return tuple(all(row[k].sort is not None for row in self.rows) for k in range(len(self.columns)))


@dataclass(frozen=True, slots=True)
class Reference:
    """A method that was used, and where it comes from."""

    what: str
    source: str


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read, to be known again."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """What it takes to do the same again."""

    command: str
    versions: dict[str, str]
    seed: int | None = None
    inputs: tuple[InputFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Captions:
    """What the figures of a page say of the trials they show: by default those of a test set."""

    threshold: str = "threshold from dev"
    no_threshold: str = "none"
    """What stands where no single threshold was used."""
    epc: str = "Expected performance curve: HTER on test trials, the threshold from dev"
    det: str = "DET curve of the test trials, and the operating point"
    density: str = "Scores of the test trials"
    hter: str = "HTER on test trials"


@dataclass(frozen=True, slots=True)
class Page:
    """All that a page says."""

    title: str
    asked: str
    answer: tuple[str, ...]
    tables: tuple[Table, ...]
    data: tuple[Table, ...]
    methods: tuple[Reference, ...]
    repeat: Repeat
    notes: tuple[str, ...] = ()
    synthetic: bool = False
    explore: dict[str, Any] = field(default_factory=dict)
    """What the interactive figures draw, by their kind: `systems`, `pooled` or `coverage`."""
    captions: Captions = Captions()
    terms: Terms = "default"


def number_cell(value: float, digits: int = 4) -> Cell:
    """A number with so many significant digits."""
    if math.isnan(value):
        return Cell("", -math.inf)
    return Cell("infinite" if math.isinf(value) else f"{value:.{digits}g}", value)


def percent_cell(rate: float) -> Cell:
    """A rate in percent, with enough digits for small ones."""
    return Cell(in_percent(rate), -math.inf if math.isnan(rate) else 100 * rate)


def range_cell(low: float, high: float) -> Cell:
    """An interval in percent, sorted by its lower end."""
    return Cell(f"{percent_cell(low).text} to {percent_cell(high).text}", low)


def p_cell(value: float) -> Cell:
    """A p value, which is never 0."""
    return number_cell(value, 3) if math.isnan(value) or value >= _SMALL else Cell(f"< {_SMALL:.4f}", value)


def p_words(value: float) -> str:
    """A p value in a sentence."""
    text = p_cell(value).text
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def count_cell(value: float) -> Cell:
    """A whole number with its thousands separated."""
    return Cell(f"{int(value):,}", float(value))


def render(page: Page) -> str:
    """The page as HTML: styles, scripts and data within; names of systems and files are always text."""
    from jinja2 import Environment, StrictUndefined

    room = resources.files("fairtrial.report")
    template = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return template.from_string((room / "page.html.j2").read_text(encoding="utf-8")).render(
        page=_in_terms(page),
        alpha=translate(ALPHA, page.terms),
        rates=[translate(name, page.terms) for name in ("FAR", "FRR")],
        style=_palette() + (room / "page.css").read_text(encoding="utf-8"),
        script=(room / "page.js").read_text(encoding="utf-8"),
        data=_embedded(page.explore),
    )


def _in_terms(page: Page) -> Page:
    """The page with error rates called by its terms, wherever no name of a system can stand."""

    def said(table: Table) -> Table:
        columns = tuple(translate(column, page.terms) for column in table.columns)
        return replace(table, caption=translate(table.caption, page.terms), columns=columns)

    return replace(
        page,
        asked=translate(page.asked, page.terms),
        tables=tuple(said(table) for table in page.tables),
        methods=tuple(replace(method, what=translate(method.what, page.terms)) for method in page.methods),
    )


def _palette() -> str:
    """The colours of figures, by which the style sheet and the script call them."""
    return f":root {{ {' '.join(f'--c{number}: {colour};' for number, colour in enumerate(COLOURS))} }}\n"


def _embedded(data: dict[str, Any]) -> str:
    """JSON that can stand in a script element whatever it holds."""
    text = json.dumps(_short(data), separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _short(value: Any, *, digits: int = 5) -> Any:
    """Rates with as many digits as can be seen; scores, which may be far from 0, with all of theirs."""
    if isinstance(value, dict):
        exact = ("threshold", "edges", "scores")
        return {key: _short(entry, digits=17 if key in exact else digits) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_short(entry, digits=digits) for entry in value]
    if isinstance(value, float):
        return None if not math.isfinite(value) else float(f"{value:.{digits}g}")
    return value


def write_report(page: Page, path: PathLike) -> None:
    """Write the page; the file is there whole, or not at all."""
    text = render(page)
    with write_whole(path) as place:
        place.write_text(text, encoding="utf-8")


def notes_once(notes: Sequence[str]) -> tuple[str, ...]:
    """Notes, each once."""
    return tuple(dict.fromkeys(notes))
