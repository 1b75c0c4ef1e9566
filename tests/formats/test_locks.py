"""Locks end with whoever held them, and what was left beside a file is told from what is being written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fairtrial.formats import files as locks
from fairtrial.formats.files import is_at, lock, place_beside, remove_leftovers


def test_a_lock_is_taken_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    with open(path) as first, open(path) as second:
        assert (lock(first.fileno()), lock(second.fileno())) == ("held", "taken")
        first.close()
        assert lock(second.fileno()) == "held"


def test_a_file_system_without_locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    leftover = tmp_path / ".a.7-8.part"
    leftover.touch()
    with place_beside(tmp_path / "a", 0o666) as place:
        assert lock(os.open(place, os.O_RDONLY)) == "unknown"
        remove_leftovers(tmp_path / "a")  # nobody knows whose they are
        assert leftover.exists()
        assert place.exists()
    assert not place.exists()


def test_leftovers_of_the_same_file_are_removed_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "scores.csv"
    gone = [tmp_path / f".scores.csv.{name}.part" for name in ("17", "17-140213", "99999999-0a1b2c3d")]
    others = [".other.csv.17.part", ".scores.csv.part", ".scores.csv.x.part", "scores.csv.17.part", ".scores.csv.1.txt"]
    kept = [tmp_path / name for name in others]
    for path in (*gone, *kept):
        path.write_bytes(b"x")
    (tmp_path / ".scores.csv.18.part").mkdir()
    with place_beside(target, 0o666) as living:
        remove_leftovers(target)
        assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / ".scores.csv.18.part", living])
    assert not living.exists()


def test_a_new_file_that_was_taken_for_a_leftover_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real, calls = locks.lock, 0

    def late(file: int) -> locks.LockState:
        nonlocal calls
        calls += 1
        if calls == 1:
            remove_leftovers(tmp_path / "a")  # as another process would before this one holds the lock
        return real(file)

    monkeypatch.setattr(locks, "lock", late)
    with place_beside(tmp_path / "a", 0o666) as place:
        assert list(tmp_path.iterdir()) == [place]


def test_whether_an_open_file_is_still_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    with open(path) as file:
        assert is_at(file.fileno(), path)
        path.rename(tmp_path / "b")
        assert not is_at(file.fileno(), path)
        path.touch()
        assert not is_at(file.fileno(), path)
