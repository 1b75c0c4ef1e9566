"""Notes: what the reader of a result should know, as records that are worded where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fairtrial.core.words import Several, Text, listed

POLARITY = (
    "higher scores should mean genuine; check the labels, and read distances with {negate!p}",
    "scores were negated; check the labels, and read similarities without {negate!p}",
)
"""The advice where impostor trials have the higher scores: of scores as they are, and of negated ones."""


class Note(Text):
    """A remark about a result: a code for programs, and a template with values for people.

    Parameters
    ----------
    code : str
        What it says, in a word or two, such as ``few-errors``.
    template : str
        The sentence; see `Text`.
    about : str, default ""
        The system, set, test or pair that it is about; it stands before the sentence.
    warning : bool, default False
        Whether a figure may mislead a reader who does not know this.
    detail : bool, default False
        Whether a terminal shows it on request only (``--verbose``); pages and files have it in any case.
    **values : object
        The values of the template.

    Examples
    --------
    >>> note = Note("few-people", "worth {people:plural person/people}", "face", people=12)
    >>> print(note)
    face: worth 12 people
    >>> note.code, note.values
    ('few-people', {'people': 12})
    """

    __slots__ = ("about", "code", "detail", "warning")

    def __init__(
        self,
        code: str,
        template: str,
        about: str = "",
        /,
        *,
        warning: bool = False,
        detail: bool = False,
        **values: Any,
    ) -> None:
        super().__init__(template, **values)
        self.code, self.about, self.warning, self.detail = code, about, warning, detail

    def __str__(self) -> str:
        sentence = super().__str__()
        return f"{self.about}: {sentence}" if self.about else sentence

    def _key(self) -> tuple[Any, ...]:
        return self.code, self.about, *super()._key()

    @property
    def kind(self) -> tuple[Any, ...]:
        """Equal for notes that can be shown as one: all but numbers and what they are about."""
        words = {name: value for name, value in self.values.items() if not isinstance(value, int | float)}
        return self.code, self.template, bool(self.about), repr(sorted(words.items()))

    def of(self, about: str) -> Note:
        """Give the same note about something."""
        return Note(self.code, self.template, about, warning=self.warning, detail=self.detail, **self.values)

    def to_dict(self) -> dict[str, Any]:
        """Return the code, the sentence, what it is about, and the values."""
        about = {"about": self.about} if self.about else {}
        return {"code": self.code, "text": str(self), **about, "values": dict(self.values)}


def as_note(note: Note | str, about: str = "") -> Note:
    """Put `about` before what a note is about; a text becomes a note with the code ``note``."""
    if isinstance(note, str):
        return Note("note", "{text}", about, text=note)
    return note.of(": ".join(filter(None, (about, note.about))))


def distances_note(names: Sequence[str]) -> Note:
    """Say which systems gave distances, which were negated when they were read."""
    return Note("distances", "{names:list}: scores are distances; {accepted}", names=list(names))


def distances_in(notes: Iterable[Note | str]) -> set[str]:
    """Return the systems that `distances_note` names."""
    of_distances = (note for note in notes if isinstance(note, Note) and note.code == "distances")
    return {name for note in of_distances for name in note.values["names"]}


def gather_notes(notes: Iterable[Note | str]) -> tuple[Note | str, ...]:
    """Merge notes that say the same of several systems, sets or pairs.

    Notes that differ in numbers only become one, which names all that they are about; texts stay themselves. Codes
    stand in the order in which they first occur.

    Examples
    --------
    >>> worth = "worth {people:plural person/people}"
    >>> notes = [Note("worth", worth, name, people=count) for name, count in (("face", 12), ("voice", 15))]
    >>> print(*gather_notes(notes))
    face, voice: worth 12 and 15 people
    """
    by_kind: dict[Any, list[Any]] = {}
    for note in dict.fromkeys(notes):
        by_kind.setdefault(note if isinstance(note, str) else note.kind, []).append(note)
    return tuple(group[0] if len(group) == 1 else _merged(group) for group in by_kind.values())


def _merged(notes: list[Note]) -> Note:
    first = notes[0]
    subjects = {note.about for note in notes}
    by_values: dict[str, list[Note]] = {}
    for note in notes:
        by_values.setdefault(repr(note.values), []).append(note)
    # numbers that hold for all subjects are written once
    if all(len(group) == len(subjects) for group in by_values.values()):
        distinct = [group[0] for group in by_values.values()]
    else:
        distinct = notes
    values = {
        name: Several(note.values[name] for note in distinct)
        if isinstance(value, int | float) and len(distinct) > 1
        else value
        for name, value in first.values.items()
    }
    about = listed(dict.fromkeys(note.about for note in notes if note.about), 6)
    warning, detail = any(note.warning for note in notes), all(note.detail for note in notes)
    return Note(first.code, first.template, about, warning=warning, detail=detail, **values)
