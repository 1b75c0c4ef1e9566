"""The same once more without the explorer: as a command and as lines of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairtrial.core.words import visible


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it is written in Python: arguments as they are typed, keywords by their values."""

    name: str
    arguments: tuple[str, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [*self.arguments, *(f"{name}={value!r}" for name, value in self.keywords.items())]
        return f"{self.name}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A question as one command and as lines of Python; either may be missing, with the reason in place of it."""

    command: tuple[str, ...]
    """What is typed after `fairtrial`, word by word; empty where no command asks this."""
    lines: tuple[str, ...]
    note: str = ""
    """What to know, such as that a browser did not tell where a file lies."""

    @property
    def typed(self) -> str:
        """The command as it is typed."""
        return visible(shlex.join(["fairtrial", *self.command])) if self.command else ""

    @property
    def python(self) -> str:
        """The lines as they are typed."""
        return "\n".join(["import fairtrial as ft", "", *self.lines]) + "\n"

    def to_dict(self) -> dict[str, str]:
        """What the browser gets."""
        return {"command": self.typed, "python": self.python, "note": self.note}


THRESHOLD_OF_FOLDS = "no command judges folds at a threshold that is given"
"""Why there is no command where the user dragged the threshold and there is no test set."""


def words(flag: str, value: object) -> list[str]:
    """An option of a command and its value, with as many digits as the value has."""
    return [flag, f"{value:.17g}" if isinstance(value, float) and float(f"{value:.12g}") != value else _plain(value)]


def _plain(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def together(names: Sequence[str]) -> str:
    """Names separated by commas, as options take them."""
    return ",".join(names)


DEFAULT_CONFIDENCE = 0.95


def sure_words(confidence: float) -> list[str]:
    """The level of confidence as an option, where it is not the default."""
    return [] if confidence == DEFAULT_CONFIDENCE else words("--confidence", confidence)


def sure_keywords(confidence: float) -> dict[str, float]:
    """The level of confidence as a keyword of Python, where it is not the default."""
    return {} if confidence == DEFAULT_CONFIDENCE else {"confidence": confidence}
