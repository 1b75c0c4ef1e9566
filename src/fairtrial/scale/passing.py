"""One pass over trials in pieces: every question that waits for one is asked of each piece, and the answers add up."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import numpy as np

from fairtrial.counting.errors import Tally
from fairtrial.formats.opening import ReadTrials
from fairtrial.scale.counter import Counter
from fairtrial.scale.watched import ROLES
from fairtrial.trials import Trials

_COARSE = 0.5
"""A precision that asks for few cells."""


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

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems, some at a time, and what was found out as they were read."""
        ...


class Question(Protocol):
    """What is asked of trials; answers of parts add up. It can be sent to another process."""

    @property
    def system(self) -> str:
        """Whose scores it is about."""
        ...

    @property
    def needs_ids(self) -> bool:
        """Whether it asks who takes part in the trials."""
        ...

    def start(self) -> Any:
        """The answer of no trial at all."""
        ...

    def add(self, total: Any, trials: Trials) -> Any:
        """Add some trials; the total given may be changed in place."""
        ...

    def merge(self, a: Any, b: Any) -> Any:
        """Put the answers of two parts together."""
        ...


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """A tally of the scores of one system."""

    system: str
    tally: Tally[Any]
    needs_ids: bool = False

    def start(self) -> Any:
        """The total of no score."""
        return self.tally.start()

    def add(self, total: Any, trials: Trials) -> Any:
        """Count some scores."""
        return self.tally.add(total, trials.column(self.system), trials.genuine)

    def merge(self, a: Any, b: Any) -> Any:
        """Add two totals."""
        return self.tally.merge(a, b)


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """The trials of each person between thresholds."""

    system: str
    thresholds: tuple[float, ...]
    roles: tuple[str, ...]
    needs_ids: bool = True

    def start(self) -> Counter:
        """A counter that knows the thresholds, and of all else as little as it can."""
        return Counter(self.system, thresholds=self.thresholds, precision=_COARSE, threads=1)

    def add(self, total: Counter, trials: Trials) -> Counter:
        """Count some trials."""
        ids = {role: trials.ids[role] for role in self.roles}
        total.update(trials.column(self.system), trials.genuine, **ids)
        return total

    def merge(self, a: Counter, b: Counter) -> Counter:
        """Put the people of two parts together."""
        if len(b):
            a.merge(b)
        return a


@dataclass(slots=True)
class Survey:
    """What is found out about the trials themselves, once."""

    genuine: int = 0
    impostor: int = 0
    labels: frozenset[str] = frozenset()
    taken: tuple[str, ...] = ()
    """What was taken for what in the first piece, in words."""
    notes: Multiset[str] = field(default_factory=Multiset)
    """How many pieces each note is about."""
    ids: frozenset[str] = frozenset()
    people: set[str] = field(default_factory=set)
    """The names of all who take part."""

    def add(self, found: ReadTrials) -> None:
        """Look at some trials."""
        trials = found.trials
        right = int(np.count_nonzero(trials.genuine))
        self.genuine += right
        self.impostor += len(trials) - right
        self.labels |= found.labels
        self.taken = self.taken or found.taken
        self.notes.update(trials.notes)
        self.ids |= frozenset(trials.ids)
        for role in ROLES:
            if role in trials.ids:
                own = trials.ids[role].numbered()
                self.people.update(own.names[np.unique(own.codes)].tolist())

    def merge(self, other: Survey) -> Survey:
        """Put together what was found out about two parts."""
        return Survey(
            self.genuine + other.genuine,
            self.impostor + other.impostor,
            self.labels | other.labels,
            self.taken or other.taken,
            self.notes + other.notes,
            self.ids | other.ids,
            self.people | other.people,
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
        everything = self.first or any(asked.needs_ids for asked in self.questions)
        found_in = (part.trials(systems, everything=everything) for part in parts)
        for read in chain.from_iterable(found_in):
            found.rows += len(read.trials)
            if found.survey is not None:
                found.survey.add(read)
            for index, asked in enumerate(self.questions):
                found.totals[index] = asked.add(found.totals[index], read.trials)
        return found

    def start(self) -> Answers:
        """The answers of no trial at all."""
        return Answers([asked.start() for asked in self.questions], Survey() if self.first else None)

    def merge(self, answers: Iterable[Answers]) -> Answers:
        """Put answers together, in whatever order they come."""
        found = self.start()
        for other in answers:
            found.rows += other.rows
            if found.survey is not None and other.survey is not None:
                found.survey = found.survey.merge(other.survey)
            for index, asked in enumerate(self.questions):
                found.totals[index] = asked.merge(found.totals[index], other.totals[index])
        return found


@dataclass(slots=True)
class Answers:
    """What was counted for each question, and what was found out about the trials."""

    totals: list[Any]
    survey: Survey | None
    rows: int = 0
