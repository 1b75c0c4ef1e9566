"""One pass over trials in pieces: every question that waits for one is asked of each piece, and the answers add up."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import numpy as np

from fairtrial.counting.errors import Tally
from fairtrial.trials import Trials


class Part(Protocol):
    """Some trials of a set, which can be read as often as needed; it can be sent to another process."""

    @property
    def rows(self) -> int | None:
        """How many trials it has, where that is known beforehand."""
        ...

    @property
    def size(self) -> int:
        """About how many bytes are read."""
        ...

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[tuple[Trials, frozenset[str]]]:
        """The trials of some systems, some at a time, and the labels that were decoded."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the scores of one system."""

    system: str
    tally: Tally[Any]


@dataclass(slots=True)
class Survey:
    """What is found out about the trials themselves, once."""

    genuine: int = 0
    impostor: int = 0
    labels: frozenset[str] = frozenset()
    notes: Multiset[str] = field(default_factory=Multiset)
    """How many pieces each note is about."""
    ids: frozenset[str] = frozenset()

    def add(self, trials: Trials, labels: frozenset[str]) -> None:
        """Look at some trials."""
        right = int(np.count_nonzero(trials.genuine))
        self.genuine += right
        self.impostor += len(trials) - right
        self.labels |= labels
        self.notes.update(trials.notes)
        self.ids |= frozenset(trials.ids)

    def merge(self, other: Survey) -> Survey:
        """Put together what was found out about two parts."""
        return Survey(
            self.genuine + other.genuine,
            self.impostor + other.impostor,
            self.labels | other.labels,
            self.notes + other.notes,
            self.ids | other.ids,
        )


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: what is asked, and whether the trials are looked at for the first time."""

    questions: tuple[Question, ...]
    first: bool
    systems: tuple[str, ...]
    """All systems of the set."""

    def over(self, parts: Iterable[Part]) -> Answers:
        """The answers of some parts; this is what is done in other processes."""
        systems = self.systems if self.first else tuple(dict.fromkeys(asked.system for asked in self.questions))
        found = self.start()
        found_in = (part.trials(systems, everything=self.first) for part in parts)
        for trials, labels in chain.from_iterable(found_in):
            found.rows += len(trials)
            if found.survey is not None:
                found.survey.add(trials, labels)
            for index, asked in enumerate(self.questions):
                column = trials.column(asked.system)
                found.totals[index] = asked.tally.add(found.totals[index], column, trials.genuine)
        return found

    def start(self) -> Answers:
        """The answers of no trial at all."""
        return Answers([asked.tally.start() for asked in self.questions], Survey() if self.first else None)

    def merge(self, answers: Iterable[Answers]) -> Answers:
        """Put answers together, in whatever order they come."""
        found = self.start()
        for other in answers:
            found.rows += other.rows
            if found.survey is not None and other.survey is not None:
                found.survey = found.survey.merge(other.survey)
            for index, asked in enumerate(self.questions):
                found.totals[index] = asked.tally.merge(found.totals[index], other.totals[index])
        return found


@dataclass(slots=True)
class Answers:
    """What was counted for each question, and what was found out about the trials."""

    totals: list[Any]
    survey: Survey | None
    rows: int = 0
