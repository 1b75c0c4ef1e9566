"""Notes of one code become one."""

from __future__ import annotations

import pytest

from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.tables import Column, Table, join_tables
from fairtrial.core.words import wording


def worth(about: str, people: float) -> Note:
    return Note("worth", "worth {people:number} people", about, people=people)


@pytest.mark.parametrize(
    ("notes", "text"),
    [
        ([("face", 12), ("voice", 15)], "face, voice: worth 12 and 15 people"),
        ([("face", 12), ("voice", 12)], "face, voice: worth 12 people"),
        ([("face 1", 3), ("face 2", 4)], "face 1, face 2: worth 3 and 4 people"),
        ([("", 3), ("", 4)], "worth 3 and 4 people"),
        ([(f"s{k}", k / 2) for k in range(2, 10)], "s2, s3, s4, s5, s6, s7, and 2 more: worth 1 to 4.5 people"),
    ],
)
def test_notes_of_several_systems_become_one_that_tells_what_differs(notes: list[tuple[str, float]], text: str) -> None:
    (found,) = gather_notes(worth(*note) for note in notes)
    assert str(found) == text


def test_notes_that_hold_lists_become_one() -> None:
    notes = [Note("taken", "taken for {names:list}; {n:plural row}", name, names=["a", "b"], n=2) for name in "xy"]
    (found,) = gather_notes(notes)
    assert str(found) == "x, y: taken for a, b; 2 rows"


def test_texts_and_notes_of_other_codes_stay_themselves() -> None:
    other = Note("other", "worth {people:number} people", "face", people=12)
    assert gather_notes(["a", worth("face", 12), "a", other, "b"]) == ("a", worth("face", 12), other, "b")


def test_a_name_with_braces_is_a_name() -> None:
    note = Note("worth", "worth {people} people", "{face}", people="{0}")
    assert str(note) == "{face}: worth {0} people"


def test_a_note_is_worded_when_it_is_shown() -> None:
    note = Note("few", "{errors:plural false accept}; see {nan!o}", "face", errors=2, nan="drop")
    assert note.to_dict() == {
        "code": "few",
        "text": 'face: 2 false accepts; see nan="drop"',
        "about": "face",
        "values": {"errors": 2, "nan": "drop"},
    }
    with wording(style="shell", terms="iso"):
        assert str(note) == "face: 2 false matches; see --nan drop"


def test_tables_of_several_systems_have_one_note() -> None:
    tables = [
        [Table("errors", "Errors", (Column("system", "system"),), ((name,),), (worth(name, people),))]
        for name, people in (("face", 3), ("voice", 4))
    ]
    assert [str(note) for note in join_tables(tables)[0].notes] == ["face, voice: worth 3 and 4 people"]


def test_a_note_that_is_no_detail_of_one_system_is_none_of_both() -> None:
    notes = [Note("worth", "worth {people:number}", name, people=12, detail=name == "a") for name in ("a", "b")]
    (both,) = gather_notes(notes)
    (detail,) = gather_notes(notes[:1] * 2)
    assert isinstance(both, Note)
    assert isinstance(detail, Note)
    assert (both.detail, detail.detail, notes[0].of("c").detail) == (False, True, True)
