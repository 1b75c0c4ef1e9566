"""Work in the background: results, errors, and an end by request."""

import threading
from time import monotonic, sleep

import pytest

from fairtrial import TrialsError
from fairtrial.explorer import jobs
from fairtrial.explorer.jobs import Advance, Job, Stopped

SOON = 10.0


def test_a_result_and_how_far_it_is() -> None:
    go_on = threading.Event()

    def work(advance: Advance) -> str:
        advance(0.5)
        go_on.wait(SOON)
        return "found"

    job = Job(work).start()
    while job.share < 0.5:
        sleep(0.001)
    assert not job.ended
    go_on.set()
    assert job.wait(SOON)
    assert (job.result, job.error, job.stopped) == ("found", "", False)


def test_errors_of_the_user_and_of_ours_are_told_apart() -> None:
    def refuse(advance: Advance) -> None:
        raise TrialsError("there is no genuine trial")

    def fail(advance: Advance) -> None:
        raise ZeroDivisionError

    refused, failed = Job(refuse).start(), Job(fail).start()
    assert refused.wait(SOON)
    assert failed.wait(SOON)
    assert (refused.error, refused.failure) == ("there is no genuine trial", None)
    assert isinstance(failed.failure, ZeroDivisionError)


def test_any_loop_can_be_stopped_though_it_never_asks() -> None:
    began = threading.Event()

    def work(advance: Advance) -> None:
        began.set()
        end = monotonic() + SOON
        while monotonic() < end:
            sum(range(100))

    job = Job(work).start()
    assert began.wait(SOON)
    job.stop()
    job.stop()
    assert job.wait(SOON / 2)
    assert job.stopped
    assert job.result is None


def test_stopping_what_has_ended_changes_nothing() -> None:
    job = Job(lambda advance: 3).start()
    assert job.wait(SOON)
    job.stop()
    assert (job.result, job.stopped) == (3, False)


def test_what_is_stopped_before_it_begins_is_not_done() -> None:
    done = []
    job = Job(lambda advance: done.append(1))
    job.stop()
    assert job.start().wait(SOON)
    assert (job.stopped, done) == (True, [])


def test_a_stop_that_gets_lost_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where Python is called from C, or while an object is deleted, and errors have nowhere to go."""
    monkeypatch.setattr(jobs, "_AGAIN", 0.05)
    began = threading.Event()

    def work(advance: Advance) -> None:
        for _ in range(2):
            try:
                began.set()
                end = monotonic() + SOON
                while monotonic() < end:
                    pass
            except Stopped:
                continue

    job = Job(work).start()
    assert began.wait(SOON)
    job.stop()
    assert job.wait(SOON / 2)
    assert job.stopped


def test_a_result_that_comes_after_the_stop_is_not_given() -> None:
    asked, began = threading.Event(), threading.Event()

    def work(advance: Advance) -> int:
        try:
            began.set()
            asked.wait(SOON)
        except Stopped:
            pass
        return 3

    job = Job(work).start()
    assert began.wait(SOON)
    job.stop()
    asked.set()
    assert job.wait(SOON)
    assert job.stopped
