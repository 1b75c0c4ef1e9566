"""Notes that say the same of several systems or pairs, put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fairtrial.errors import listed
from fairtrial.tables.words import in_a_row

_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
_SENTENCE = re.compile(_NUMBER.pattern + r"\s")
"""A number and more words, as no name has them."""
_NAMED = 6
"""So many names and numbers are told one by one; of more numbers, the smallest and the largest."""


def gather_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note once; those that say the same but for their numbers as one, which tells what differs.

    Parameters
    ----------
    notes
        A note of a system, a test or a set begins with its name and a colon. Such notes are put together if they
        hold a number. Where a sentence stands before the colon, with a number of its own, the note stays as it is.

    Returns
    -------
    tuple of str
        Numbers stand in the order of the names; where they have no names of their own, the smallest and the largest.

    Examples
    --------
    >>> gather_notes(["face: worth 12 people", "dev is small", "voice: worth 15 people"])
    ('face, voice: worth 12 and 15 people', 'dev is small')
    >>> gather_notes(["cluster: worth 12 people", "cluster: worth 15 people", "cluster: worth 13 people"])
    ('cluster: worth 12 to 15 people',)
    """
    alike: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for note in dict.fromkeys(notes):
        name, colon, text = note.partition(": ")
        parts = _NUMBER.split(text)
        joins = len(parts) > 1 and not _SENTENCE.search(name)
        alike.setdefault((colon, *parts) if joins else (note,), []).append((name, text) if joins else ("", note))
    return tuple(dict.fromkeys(_together(found) for found in alike.values()))


def _together(found: Sequence[tuple[str, str]]) -> str:
    if len(found) == 1:
        name, text = found[0]
        return f"{name}: {text}" if name else text
    names = list(dict.fromkeys(name for name, _ in found))
    numbers = zip(*(_NUMBER.findall(text) for _, text in found), strict=True)
    first, *others = _NUMBER.split(found[0][1])
    named = len(names) == len(found) <= _NAMED
    text = first + "".join(f"{_spoken(own, named)}{after}" for own, after in zip(numbers, others, strict=True))
    return f"{listed(names, _NAMED)}: {text}"


def _spoken(numbers: Sequence[str], named: bool) -> str:
    """Numbers as one phrase, one where they are all the same."""
    distinct = sorted(set(numbers), key=lambda text: float(text.replace(",", "")))
    if len(distinct) == 1:
        return distinct[0]
    return in_a_row(numbers) if named else f"{distinct[0]} to {distinct[-1]}"
