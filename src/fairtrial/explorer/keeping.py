"""What can be taken away of an answer: the report, tables and figures as files."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from fairtrial.core.errors import ParameterError
from fairtrial.core.tables import json_text
from fairtrial.explorer.sessions import Kept
from fairtrial.figures.style import ENDINGS as PICTURE_ENDINGS
from fairtrial.figures.style import write_picture
from fairtrial.figures.table import FIGURES
from fairtrial.formats.results import ENDINGS as TABLE_ENDINGS
from fairtrial.formats.results import write_tables
from fairtrial.pages.page import InputFile, Repeat, render, repeat_of

_DRAWING = threading.Lock()
"""matplotlib's settings are those of the whole process: one picture after the other."""


def kept_report(kept: Kept) -> str:
    """The self-contained page."""
    if kept.answer.page is None:
        raise ParameterError("there is no report of this answer; its tables and figures can be taken away")
    return render(kept.answer.page(_repeat(kept)))


def _repeat(kept: Kept) -> Repeat:
    """What it takes to do the same again; dropped files by the names that people know."""
    files = [file for file in kept.data.files.all if file.path.exists()]
    found = repeat_of(
        kept.repeated.typed or kept.repeated.python, (str(file.path) for file in files), kept.data.reading.seed
    )
    known = {str(file.path): file.typed for file in files}
    inputs = tuple(InputFile(known.get(own.name, own.name), own.size, own.sha256) for own in found.inputs)
    return replace(found, inputs=inputs)


def kept_table(kept: Kept, ending: str) -> bytes:
    """The tables as a file that ends so: .csv, .tsv, .tex, .md, .parquet or .json."""
    if ending == ".json":
        return (json_text(kept.answer.found, indent=2) + "\n").encode()
    if ending not in TABLE_ENDINGS:
        raise ParameterError(f"tables can be taken away as {', '.join((*TABLE_ENDINGS, '.json'))}, not as {ending}")
    with tempfile.TemporaryDirectory(prefix="fairtrial-explore-") as folder:
        place = Path(folder, f"table{ending}")
        write_tables(kept.answer.tables, place)
        return place.read_bytes()


def kept_picture(kept: Kept, name: str, ending: str) -> bytes:
    """A figure as a file that ends so: .svg, .png or .pdf."""
    draw = kept.answer.drawn.get(name)
    if draw is None:
        raise ParameterError(
            f"there is no figure {name} of this answer; there are {', '.join(kept.answer.drawn) or 'none'}"
        )
    if ending not in PICTURE_ENDINGS:
        raise ParameterError(f"figures can be taken away as {', '.join(PICTURE_ENDINGS)}, not as {ending}")
    with tempfile.TemporaryDirectory(prefix="fairtrial-explore-") as folder, _DRAWING:
        place = Path(folder, f"figure{ending}")
        width, height = FIGURES[name].size
        write_picture(draw, place, width=width, height=height)
        return place.read_bytes()
