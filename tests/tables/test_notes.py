"""Notes that differ in their numbers only become one."""

from fairtrial.tables import Column, Table, gather_notes, join_tables


def test_notes_of_several_systems_become_one_that_tells_what_differs() -> None:
    notes = [f"{name}: sigma is {times} times that of {trials} trials" for name, times, trials in (
        ("face", "1.30", "1,200"), ("voice", "1.52", "1,200"), ("iris", "2.05", "1,200"),
    )]  # fmt: skip
    (found,) = gather_notes(notes)
    assert found == "face, voice, iris: sigma is 1.30, 1.52 and 2.05 times that of 1,200 trials"


def test_notes_of_more_systems_than_are_named_tell_the_ends() -> None:
    (found,) = gather_notes(f"s{k}: worth {k / 2:.1f} people" for k in (9, 3, 4, 5, 6, 7, 8, 2))
    assert found == "s9, s3, s4, s5, s6, s7, and 2 more: worth 1.0 to 4.5 people"


def test_notes_that_were_put_together_stay_so() -> None:
    once = gather_notes(f"a system with a long name {k}: worth {k} people" for k in "abcd")
    assert gather_notes(once) == once
    parts = ["dev: 3 trials left out", "test: 4 trials left out"]
    assert gather_notes([*gather_notes(parts), *parts]) == ("dev, test: 3 and 4 trials left out",)


def test_a_name_may_end_in_a_number() -> None:
    assert gather_notes(["face 1: 3 trials", "face 2: 4 trials"]) == ("face 1, face 2: 3 and 4 trials",)


def test_notes_of_one_name_tell_the_ends() -> None:
    assert gather_notes(["cluster: worth 30 people", "cluster: worth 9 people"]) == ("cluster: worth 9 to 30 people",)


def test_other_notes_stay_as_they_are() -> None:
    notes = (
        "3 people take part in both dev and test",
        "4 people take part in both dev and test",
        "face: no false accepts",
        "voice: no false accepts",
        "one person takes part in 60 % of the genuine trials: these are worth 1.9 people",
        "one person takes part in 71 % of the impostor trials: these are worth 3.0 people",
        "dev: read as csv: scores face1",
        "test: read as csv: scores face2",
    )
    assert gather_notes([*notes, notes[0]]) == notes


def test_tables_of_several_systems_have_one_note() -> None:
    tables = [
        [Table("errors", "Errors", (Column("system", "system"),), ((name,),), (f"{name}: worth {worth} people",))]
        for name, worth in (("face", 3), ("voice", 4))
    ]
    assert join_tables(tables)[0].notes == ("face, voice: worth 3 and 4 people",)
