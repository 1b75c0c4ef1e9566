"""Trials with names that must be escaped, and how to read a page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial import Trials
from fairtrial.pages.page import CHART_SCRIPTS, SCRIPTS, InputFile, Page, Repeat, read

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
"""axe-core 4.14.0, MPL 2.0: what checks pages for accessibility."""
EVIL = "<script>alert('x')</script>&\"'"
REPEAT = Repeat("fairtrial evaluate", {"fairtrial": "0"}, 0, (InputFile(EVIL, 3, "ab"),))


def two_systems(seed: int, names: tuple[str, str] = ("face", EVIL)) -> Trials:
    rng = np.random.default_rng(seed)
    clients, impostors = np.arange(20), 100 + np.arange(8)
    claim = np.concatenate([np.repeat(clients, 4), np.repeat(clients, 8)])
    subject = np.concatenate([np.repeat(clients, 4), np.tile(impostors, 20)])
    scores = np.outer(claim == subject, [2.0, 2.5]) + rng.normal(size=(len(claim), 2))
    return Trials.from_arrays(
        scores, claim == subject, systems=names, claim=[f"{EVIL}{c}" for c in claim], subject=subject
    ).with_notes(f"a note {EVIL}")


class Reader(HTMLParser):
    """The elements of a page, its text, and the data within."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts.append(data)
            self._script = False
        else:
            self.text += data


def data_of(text: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(Reader(text).scripts[0])
    return data


def check_self_contained(text: str) -> None:
    reader = Reader(text)
    for _, attributes in reader.tags:
        for name in ("src", "href", "action", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), value
    # a namespace is a name, not an address that is asked for
    assert not re.findall(r"https?://", without_libraries(text))
    assert len([tag for tag, _ in reader.tags if tag == "script"]) == count_scripts(charts=bool(data_of(text)))
    assert len(text.encode()) < 1_000_000


def without_libraries(text: str) -> str:
    """What a page holds of its own; libraries name their home and namespaces."""
    for name in CHART_SCRIPTS:
        text = text.replace(read(name), "") if name.startswith("vendor/") else text
    return text


def count_scripts(*, charts: bool) -> int:
    """The data, and what a page runs."""
    return 1 + len(SCRIPTS) + (len(CHART_SCRIPTS) if charts else 0)


def edges_of(density: dict[str, Any]) -> NDArray[np.float64]:
    """Where the bins of a density begin and end, of which the page gets the first and the last."""
    scores = density["scores"]
    return np.linspace(scores["low"], scores["high"], len(density["genuine"]) + 1)


def references(page: Page) -> str:
    return " ".join(f"{method.what} {method.source}" for method in page.methods)
