"""Lay out a page as one file, with what it takes to repeat it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from importlib import resources
from importlib.metadata import version
from typing import Any

from fairtrial import __version__
from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.tables import Table
from fairtrial.core.words import Text, latex_text, term, visible
from fairtrial.figures.axes import COLOURS
from fairtrial.formats.files import PathLike, expand, list_directory, write_whole

_STYLES = ("theme.css", "page.css", "charts.css")
CHART_SCRIPTS = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "charts.js")
"""What draws charts, in the order in which a browser reads it; a page without charts does without."""
SCRIPTS = ("tables.js", "theme.js", "page.js")
_DIGITS = {"threshold": 17, "scores": 17} | dict.fromkeys(
    ("at", "det", "limits", "band", "minimum", "tippett", "pav", "map"), 4
)
"""Scores, which may be far from 0, have all of theirs; what is drawn and never written has fewer than others."""
_LONG = 1e6
"""Smaller whole numbers are written without a point."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A method that was used, and where it comes from."""

    what: str | Text
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
class Number:
    """A number that people quote: its name, the number with its unit, and its interval or what it is out of."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Captions:
    """Captions of the figures of a page, by default those of a test set."""

    threshold: str = "threshold from dev"
    no_threshold: str = "none"
    """What stands where no single threshold was used."""
    epc: str = "Expected performance curve: HTER on test trials, the threshold from dev"
    curve: str = "of the test trials, and the operating point"
    """What follows "DET curve" and "ROC curve"."""
    density: str = "Scores of the test trials"
    hter: str = "HTER on test trials"
    interval: str = "interval of the HTER"
    pooled: str = "Expected performance curves pooled over the experiments of a group"
    choose: str = "System"
    """What one of several curves is of."""
    explore: str = "Explore"
    """The heading of the figures that a slider moves."""

    def to_dict(self) -> dict[str, Any]:
        """Give what scripts say."""
        captions = {"epc": self.epc, "curve": self.curve, "interval": self.interval}
        return {"no_threshold": self.no_threshold, "captions": captions}


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of a page."""

    title: str
    """What the page is of."""
    asked: str
    answer: tuple[str, ...] = ()
    """The answer of the result, and further sentences that it rests on; the page adds their full stops."""
    tables: tuple[Table, ...] = ()
    """Of the results, the main one first; readers unfold and sort them. Notes stand with the table they speak of."""
    data: tuple[Table, ...] = ()
    methods: tuple[Reference, ...] = ()
    repeat: Repeat = Repeat("", {})
    numbers: tuple[Number, ...] = ()
    """The numbers that people quote, large beside the answer."""
    notes: tuple[Note, ...] = ()
    """Of the figures."""
    synthetic: bool = False
    explore: dict[str, Any] = field(default_factory=dict)
    """What figures draw, by their kind: `systems`, `rates`, `differences`, `evidence`, `pooled` or `coverage`."""
    captions: Captions = Captions()
    heading: str = ""
    """What its writer calls it; what it is of comes below."""

    @property
    def charts(self) -> dict[str, Any]:
        """What figures draw, with the captions that scripts write."""
        return {**self.explore, **self.captions.to_dict()} if self.explore else {}


def lay_out(table: Table) -> dict[str, Any]:
    """Lay out the visible columns of a table; a pair is sorted by its lower end, and the unknown comes first."""
    columns, rows = table.visible_columns, []
    for values in zip(*(table.column(column.key) for column in columns), strict=True):
        row = []
        for column, value in zip(columns, values, strict=True):
            number = value[0] if isinstance(value, tuple) else value
            unknown = number is None or (isinstance(number, float) and math.isnan(number))
            sort = (-math.inf if unknown else float(number)) if column.is_numeric else None
            row.append({"text": column.text(value), "sort": sort})
        rows.append(row)
    numeric = [column.is_numeric for column in columns]
    notes = [str(note) for note in gather_notes(table.notes)]
    return {
        "caption": str(table.caption),
        "headings": table.headings,
        "numeric": numeric,
        "rows": rows,
        "notes": notes,
    }


def read(name: str) -> str:
    """Read a file of this room that goes to a browser unchanged."""
    return (resources.files("fairtrial.pages") / name).read_text(encoding="utf-8")


def render(page: Page) -> str:
    """Write the page as HTML: styles, scripts and data within; names of systems and files are always text."""
    from jinja2 import Environment, StrictUndefined

    template = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    notes = gather_notes([*page.notes, *(page.tables[0].notes if page.tables else ())])
    warnings = [str(note) for note in notes if isinstance(note, Note) and note.warning]
    tables = [lay_out(table) for table in page.tables if table.rows]
    for table in tables:
        table["notes"] = [note for note in table["notes"] if note not in warnings]
    return template.from_string(read("page.html.j2")).render(
        page=page,
        warnings=warnings,
        notes=[str(note) for note in gather_notes(page.notes) if str(note) not in warnings],
        tables=tables,
        data_tables=[lay_out(table) for table in page.data],
        citation=_citation(page),
        rates=[term(name) for name in ("FAR", "FRR")],
        style=palette() + "".join(read(name) for name in _STYLES),
        scripts=[read(name) for name in (*(CHART_SCRIPTS if page.explore else ()), *SCRIPTS)],
        data=_embedded(page.charts),
    )


def _citation(page: Page) -> str:
    """Write the answer as a BibTeX entry."""
    made, version_ = page.repeat.made, page.repeat.versions.get("fairtrial", __version__)
    fields = {
        "title": latex_text(page.heading or page.title),
        "howpublished": f"Report made by fairtrial {latex_text(version_)}",
        "note": latex_text(page.answer[0]) if page.answer else "",
        **({"year": str(made.year), "month": made.strftime("%b").lower()} if made else {}),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:6]
    return "\n".join([f"@misc{{fairtrial-{digest},", *lines, "}"])


def palette() -> str:
    """Name the colours of figures for the style sheet and the scripts."""
    return f":root {{ {' '.join(f'--c{number}: {colour};' for number, colour in enumerate(COLOURS))} }}\n"


def _embedded(data: dict[str, Any]) -> str:
    """Write JSON that can stand in a script element; what several systems have in common is written once."""
    first, *others = data.get("systems") or [{}]
    if others:
        shared = {key: first[key] for key in ("alpha", "threshold") if all(each[key] == first[key] for each in others)}
        systems = [{key: each[key] for key in each if key not in shared} for each in data["systems"]]
        data = {**data, "shared": shared, "systems": systems}
    text = json.dumps(_short(data), separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _short(value: Any, *, digits: int = 5) -> Any:
    """Round numbers to the digits that can be seen, by what they are of."""
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


def repeat_of(command: str, inputs: Iterable[str], seed: int | None) -> Repeat:
    """Gather what it takes to do the same again: a command, its seed, versions, and the files it reads."""
    versions = {"fairtrial": __version__, "Python": sys.version.split()[0]}
    versions |= {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    files = []
    for path in (path for name in inputs for path in expand(name)):
        for entry in list_directory(path) if path.is_dir() else [path]:
            if entry.is_file():
                with open(entry, "rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                files.append(InputFile(visible(str(entry)), entry.stat().st_size, digest))
    # the day of $SOURCE_DATE_EPOCH, if there is one, so that pages can be made again to the byte
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    made = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return Repeat(visible(command), versions, seed, tuple(files), made.date())
