"""What a page holds, and how it becomes one file that needs nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import resources
from typing import Any

from fairtrial.axes import ALPHA, COLOURS
from fairtrial.formats.files import PathLike, write_whole
from fairtrial.report.laying import LaidTable
from fairtrial.tables import Table, Terms, gather_notes, translate

_STYLES = ("theme.css", "page.css", "charts.css")
CHART_SCRIPTS = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "charts.js")
"""What draws charts, in the order in which a browser reads it; a page without charts does without."""
SCRIPTS = ("tables.js", "theme.js", "page.js")
_DIGITS = {"threshold": 17, "scores": 17} | dict.fromkeys(("at", "det", "limits", "band", "tippett", "pav", "map"), 4)
"""Scores, which may be far from 0, have all of theirs; what is drawn and never written has fewer than others."""
_LONG = 1e6
"""Smaller whole numbers are written without a point."""


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
    made: date | None = None
    """The day on which the page was made, if it is to say so."""


@dataclass(frozen=True, slots=True)
class Captions:
    """What the figures of a page say of the trials they show: by default those of a test set."""

    threshold: str = "threshold from dev"
    no_threshold: str = "none"
    """What stands where no single threshold was used."""
    epc: str = "Expected performance curve: HTER on test trials, the threshold from dev"
    curve: str = "of the test trials, and the operating point"
    """What follows "DET curve" and "ROC curve"."""
    density: str = "Scores of the test trials"
    hter: str = "HTER on test trials"
    interval: str = "interval of the HTER"
    choose: str = "System"
    """What one of several curves is of."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that a page says."""

    title: str
    """What the page is of."""
    asked: str
    answer: tuple[str, ...]
    tables: tuple[Table, ...]
    """Of the results; readers can sort them. Their notes come below those of the page."""
    data: tuple[Table, ...]
    methods: tuple[Reference, ...]
    repeat: Repeat
    notes: tuple[str, ...] = ()
    synthetic: bool = False
    explore: dict[str, Any] = field(default_factory=dict)
    """What figures draw, by their kind: `systems`, `rates`, `differences`, `evidence`, `pooled` or `coverage`."""
    captions: Captions = Captions()
    terms: Terms = "default"
    heading: str = ""
    """What its writer calls it; what it is of comes below."""


def read(name: str) -> str:
    """A file of this room that goes to a browser as it is."""
    return (resources.files("fairtrial.report") / name).read_text(encoding="utf-8")


def render(page: Page) -> str:
    """The page as HTML: styles, scripts and data within; names of systems and files are always text."""
    from jinja2 import Environment, StrictUndefined

    template = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return template.from_string(read("page.html.j2")).render(
        page=_in_terms(page),
        notes=[
            translate(note, page.terms)
            for note in gather_notes([*page.notes, *(note for table in page.tables for note in table.notes)])
        ],
        tables=[LaidTable.of(table, page.terms) for table in page.tables if table.rows],
        data_tables=[LaidTable.of(table, page.terms) for table in page.data],
        alpha=translate(ALPHA, page.terms),
        rates=[translate(name, page.terms) for name in ("FAR", "FRR")],
        style=palette() + "".join(read(name) for name in _STYLES),
        scripts=[read(name) for name in (*(CHART_SCRIPTS if page.explore else ()), *SCRIPTS)],
        data=_embedded(page.explore),
    )


def _in_terms(page: Page) -> Page:
    """The page with error rates called by its terms, wherever no name of a system can stand."""
    return replace(
        page,
        asked=translate(page.asked, page.terms),
        methods=tuple(replace(method, what=translate(method.what, page.terms)) for method in page.methods),
    )


def palette() -> str:
    """The colours of figures, by which the style sheet and the script call them."""
    return f":root {{ {' '.join(f'--c{number}: {colour};' for number, colour in enumerate(COLOURS))} }}\n"


def _embedded(data: dict[str, Any]) -> str:
    """JSON that can stand in a script element whatever it holds."""
    text = json.dumps(_short(_said_once(data)), separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _said_once(data: dict[str, Any]) -> dict[str, Any]:
    """With what several systems have in common beside them, as `shared`."""
    systems = data.get("systems", ())
    if len(systems) < 2:
        return data
    first, *others = systems
    shared = {key: first[key] for key in ("alpha", "threshold") if all(own[key] == first[key] for own in others)}
    return {**data, "shared": shared, "systems": [{k: own[k] for k in own if k not in shared} for own in systems]}


def _short(value: Any, *, digits: int = 5) -> Any:
    """Numbers with as many digits as can be seen, by what they are of."""
    if isinstance(value, dict):
        return {key: _short(entry, digits=_DIGITS.get(key, digits)) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_short(entry, digits=digits) for entry in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        rounded = float(f"{value:.{digits}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < _LONG else rounded
    return value


def write_report(page: Page, path: PathLike) -> None:
    """Write the page; the file is there whole, or not at all."""
    text = render(page)
    with write_whole(path) as place:
        place.write_text(text, encoding="utf-8")
