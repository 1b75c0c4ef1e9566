"""Docstrings taken apart by the rules of numpydoc: sections, and the entries of those that list names."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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

    @property
    def given(self) -> list[Entry]:
        """What is returned or yielded; a type alone stands for a name there."""
        lines = self.sections.get("Returns", []) + self.sections.get("Yields", [])
        return [Entry(entry.type or name, entry.text) for name, entry in _entries(lines)]


def parse(thing: object) -> Docstring:
    """The docstring of a thing; of a method without one, that of the method which it overrides."""
    return _taken_apart(inspect.getdoc(thing) or "")


@cache
def _taken_apart(text: str) -> Docstring:
    lines = text.splitlines()
    starts = [k for k in range(len(lines) - 1) if lines[k] in SECTIONS and re.fullmatch("-+", lines[k + 1])]
    sections = {lines[start]: lines[start + 2 : end] for start, end in pairwise([*starts, len(lines)])}
    return Docstring("\n".join(lines[: starts[0] if starts else None]).strip(), sections)


def _entries(lines: list[str]) -> Iterator[tuple[str, Entry]]:
    heads = [k for k, line in enumerate(lines) if line and not line.startswith(" ")]
    for start, end in pairwise([*heads, len(lines)]):
        names, _, kind = lines[start].partition(" : ")
        text = " ".join(line.strip() for line in lines[start + 1 : end]).strip()
        for name in names.split(", ") if kind else [names]:
            yield name.lstrip("*"), Entry(kind, text)
