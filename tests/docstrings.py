"""Docstrings taken apart by the rules of numpydoc: sections, and the entries of those that list names."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

SECTIONS = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
"""In the order in which they stand."""


@dataclass(frozen=True)
class Entry:
    """What stands below a name: its type, and what it is."""

    type: str
    text: str


@dataclass(frozen=True)
class Docstring:
    """The summary and the sections of one docstring."""

    summary: str
    sections: dict[str, list[str]]

    def entries(self, section: str) -> dict[str, Entry]:
        """The names that a section describes."""
        return dict(_entries(self.sections.get(section, [])))

    def returned(self) -> list[Entry]:
        """What the section Returns lists, where a type alone stands for a name."""
        return [Entry(entry.type or name, entry.text) for name, entry in _entries(self.sections.get("Returns", []))]


def parse(thing: object) -> Docstring:
    """The docstring of a thing; of a method, also that of the method which it overrides."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    starts = [k for k in range(len(lines) - 1) if lines[k] in SECTIONS and re.fullmatch("-+", lines[k + 1])]
    sections = {lines[start]: lines[start + 2 : end] for start, end in pairwise([*starts, len(lines)])}
    return Docstring("\n".join(lines[: starts[0] if starts else None]).strip(), sections)


def _entries(lines: list[str]) -> Iterator[tuple[str, Entry]]:
    heads = [k for k, line in enumerate(lines) if line and not line.startswith(" ")]
    for start, end in pairwise([*heads, len(lines)]):
        names, _, kind = lines[start].partition(" : ")
        text = " ".join(line.strip() for line in lines[start + 1 : end]).strip()
        for name in names.split(", "):
            yield name.lstrip("*"), Entry(kind, text)
