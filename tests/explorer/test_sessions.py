"""Sessions that know nothing of each other."""

import threading
from pathlib import Path

import pytest

from explorer.opened import read_data, write_sets
from fairtrial import ParameterError, TrialsError
from fairtrial.explorer import sessions as rooms
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.points import Point
from fairtrial.explorer.questions.evaluating import EvaluateQuestion
from fairtrial.explorer.sessions import Sessions

SOON = 10.0


def wait(advance: Advance) -> None:
    while True:
        advance(0.5)
        threading.Event().wait(0.001)


def test_files_of_the_command_line_are_open_in_all_and_dropped_ones_in_one(tmp_path: Path) -> None:
    sessions = Sessions(write_sets(tmp_path))
    one, two = sessions.new(), sessions.new()
    place = one.shelf.place_for("more.csv")
    place.write_text("label,face\n1,0.9\n0,0.2\n")
    one.shelf.add_dropped(place)
    assert (len(list(one.shelf)), len(list(two.shelf))) == (3, 2)
    assert sessions.get(one.key) is one
    assert sessions.get("another") is None
    with pytest.raises(TrialsError, match="nothing has been read"):
        two.known_data()
    sessions.close()
    assert not place.exists()


def test_trials_of_the_command_line_are_read_once_for_all(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    sessions = Sessions(paths)
    data = read_data(paths)
    assert sessions.shared(data.reading, data.files) is None
    sessions.share(data)
    assert sessions.shared(data.reading, data.files) is data


def test_the_oldest_session_is_closed_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MOST_SESSIONS", 2)
    sessions = Sessions([])
    one, two = sessions.new(), sessions.new()
    assert sessions.get(one.key) is one
    sessions.new()
    assert sessions.get(two.key) is None
    assert sessions.get(one.key) is one


def test_new_work_in_a_slot_ends_the_old_and_there_is_not_too_much_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MOST_JOBS", 2)
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
    question = EvaluateQuestion((), Point())
    session.look_at(first)
    old, _ = session.keep(question, Answer((), (), {}), first)
    session.look_at(second)
    with pytest.raises(ParameterError, match="ask again"):
        session.kept(old)
    _, kept = session.keep(question, Answer((), (), {}), first)
    assert str(list(first.systems)) in kept.repeated.python


def test_slots_are_forgotten_with_their_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MOST_JOBS", 2)
    session = Sessions([]).new()
    for k in range(30):
        assert session.job(session.begin(lambda advance: None, f"slot {k}")).wait(SOON)
    assert len(session._slots) <= len(session.jobs) <= 8
