"""Sessions that know nothing of each other."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from explorer.opened import read_data, write_sets
from fairtrial import InputError, ParameterError, TrialsError
from fairtrial.explorer import sessions as rooms
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data, Reading
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.questions import QUESTIONS
from fairtrial.explorer.sessions import Session, Sessions

SOON = 10.0


def wait(advance: Advance) -> None:
    while True:
        advance(0.5)
        threading.Event().wait(0.001)


def test_files_of_the_command_line_are_open_in_all_and_dropped_ones_in_one(tmp_path: Path) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"label,face\n1,0.9\n0,0.2\n"

    sessions = Sessions(write_sets(tmp_path))
    one, two = sessions.new(), sessions.new()
    file = asyncio.run(one.files.receive("more.csv", pieces()))
    assert (len(list(one.files)), len(list(two.files))) == (3, 2)
    assert sessions.get(one.key) is one
    assert sessions.get("another") is None
    with pytest.raises(TrialsError, match="nothing has been read"):
        two.known_data()
    sessions.close()
    assert not file.path.exists()


def test_files_of_the_command_line_are_read_once_for_all_until_they_change(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    sessions = Sessions(paths)
    one, two = sessions.new(), sessions.new()
    reading = Reading.of({"dev": ["f1"], "test": ["f2"]})

    def read(session: Session) -> Data:
        return sessions.read(reading, reading.files(session.files), lambda done: None)

    first = read(one)
    assert read(two) is first
    one.look_at(first)
    test = Path(paths[1])
    test.write_text(test.read_text() + test.read_text().splitlines()[-1] + "\n")
    with pytest.raises(InputError, match="has changed"):
        one.known_data()
    for session in (one, sessions.new()):
        again = read(session)
        assert len(again.test) == len(first.test) + 1
    test.unlink()
    assert "no such file" in list(sessions.new().files)[1].glance.trouble
    sessions.close()


def test_the_oldest_session_is_closed_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MAX_SESSIONS", 2)
    sessions = Sessions([])
    one, two = sessions.new(), sessions.new()
    assert sessions.get(one.key) is one
    sessions.new()
    assert sessions.get(two.key) is None
    assert sessions.get(one.key) is one


def test_new_work_in_a_slot_ends_the_old_and_there_is_not_too_much_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MAX_JOBS", 2)
    session = Sessions([]).new()
    first = session.job(session.begin(wait, "look"))
    second = session.job(session.begin(wait, "look"))
    assert first.wait(SOON)
    assert first.stopped
    session.begin(wait, "compare")
    with pytest.raises(ParameterError, match="too much"):
        session.begin(wait, "fuse")
    session.close()
    assert second.wait(SOON)
    with pytest.raises(ParameterError, match="ask again"):
        session.job("j1")
    with pytest.raises(ParameterError, match="ask again"):
        session.kept("a1")


def test_answers_are_kept_with_the_trials_they_are_of_and_as_long_as_those(tmp_path: Path) -> None:
    """Though others have been read while the answer was looked for."""
    first, second = read_data(write_sets(tmp_path)), read_data(write_sets(tmp_path, systems=("iris", "gait")))
    session = Sessions([]).new()
    question = QUESTIONS["evaluate"]
    asked = question.of(first, {})
    session.look_at(first)
    old, _ = session.keep(question, asked, Answer((), (), {}))
    session.look_at(second)
    with pytest.raises(ParameterError, match="ask again"):
        session.kept(old)
    _, kept = session.keep(question, asked, Answer((), (), {}))
    assert str(tmp_path) in kept.repeated.python


def test_slots_are_forgotten_with_their_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MAX_JOBS", 2)
    session = Sessions([]).new()
    for k in range(30):
        assert session.job(session.begin(lambda advance: None, f"slot {k}")).wait(SOON)
    assert len(session._slots) <= len(session.jobs) <= 8
