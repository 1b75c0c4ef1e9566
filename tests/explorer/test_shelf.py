"""The files that a browser may look into."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from explorer.opened import write_sets
from fairtrial import InputError, ParameterError
from fairtrial.explorer import shelf as shelves
from fairtrial.explorer.shelf import Shelf


def test_files_of_the_command_line_are_open_where_they_lie(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    shelf = Shelf([str(tmp_path / "*.csv")])
    assert sorted(file.typed for file in shelf) == paths
    assert [file.dropped for file in shelf] == [False, False]
    assert [file.glance.format for file in shelf] == ["csv", "csv"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("dev.csv", "dev.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\scores\\dev.csv", "dev.csv"),
        ("..", "scores"),
        (".hidden", "hidden"),
        ("a\x00b\nc.csv", "a_b_c.csv"),
        ("", "scores"),
        ("ü" * 500 + ".csv", "ü" * 98 + ".csv"),
        ("x" * 500, "x" * 200),
    ],
)
def test_dropped_names_are_only_names(given: str, kept: str | None) -> None:
    shelf = Shelf()
    place = shelf.place_for(given)
    place.write_text("label,face\n1,0.9\n0,0.2\n")
    file = shelf.add_dropped(place)
    assert kept is None or file.name == kept
    assert len(file.name.encode()) <= 200
    folder = place.parent.parent
    shelf.remove(file.key)
    assert not place.exists()
    shelf.close()
    assert not folder.exists()


def test_what_is_not_open_cannot_be_asked_for() -> None:
    with pytest.raises(ParameterError, match="not open any more"):
        Shelf()["../dev.csv"]


def test_there_is_room_for_so_many_files_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "MOST_FILES", 2)
    monkeypatch.setattr(shelves, "MOST_UPLOADED", 100)
    shelf = Shelf()
    for _ in range(2):
        place = shelf.place_for("scores.csv")
        place.write_text("label,face\n1,0.9\n0,0.2\n")
        shelf.add_dropped(place)
    assert shelf.room == 100 - 2 * len("label,face\n1,0.9\n0,0.2\n")
    with pytest.raises(InputError, match="2 files are open"):
        shelf.place_for("scores.csv")
    shelf.close()


def test_files_that_are_just_coming_take_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "MOST_UPLOADED", 100)

    async def two_at_once() -> Sequence[Path | BaseException]:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(6):
                await asyncio.sleep(0)
                yield b"0" * 10

        own = Shelf()
        found = await asyncio.gather(own.receive("a", pieces()), own.receive("b", pieces()), return_exceptions=True)
        own.close()
        return found

    found = asyncio.run(two_at_once())
    assert [type(own) for own in found].count(InputError) == 1


def test_errors_name_dropped_files_as_people_know_them(tmp_path: Path) -> None:
    shelf = Shelf()
    place = shelf.place_for("dev.csv")
    text = f"{place}, line 3: is bad; {tmp_path}/other.csv is not"
    assert shelf.without_folder(text) == f"dev.csv, line 3: is bad; {tmp_path}/other.csv is not"
    shelf.close()
    assert Shelf().without_folder(text) == text
