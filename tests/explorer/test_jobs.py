"""Work in the background: results, errors, and an end by request."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest

from fairtrial import TrialsError
from fairtrial.explorer.jobs import Advance, Job

SOON = 10.0
STOPS = int(os.environ.get("FAIRTRIAL_STOPS", "400"))


def test_result_and_progress() -> None:
    go_on = threading.Event()

    def work(advance: Advance) -> str:
        advance(0.5)
        go_on.wait(SOON)
        return "answer"

    job = Job(work).start()
    while job.done < 0.5:
        sleep(0.001)
    assert not job.ended
    go_on.set()
    assert job.wait(SOON)
    assert (job.result, job.error, job.stopped) == ("answer", None, False)


def test_errors_of_the_user_and_bugs() -> None:
    def refuse(advance: Advance) -> None:
        raise TrialsError("there is no genuine trial")

    def fail(advance: Advance) -> None:
        raise ZeroDivisionError

    refused, failed = Job(refuse).start(), Job(fail).start()
    assert refused.wait(SOON)
    assert failed.wait(SOON)
    assert isinstance(refused.error, TrialsError)
    assert isinstance(failed.error, ZeroDivisionError)


def test_stop_ends_the_job_at_once_and_its_thread_at_the_next_step() -> None:
    began, go_on, after = threading.Event(), threading.Event(), []

    def work(advance: Advance) -> None:
        began.set()
        go_on.wait(SOON)
        advance(0.5)
        after.append(1)

    job = Job(work).start()
    assert began.wait(SOON)
    job.stop()
    job.stop()
    assert job.wait(0)
    assert job.stopped
    assert job.thread.is_alive()
    go_on.set()
    job.thread.join(SOON)
    assert not job.thread.is_alive()
    assert after == []


def test_stop_after_the_end_changes_nothing() -> None:
    job = Job(lambda advance: 3).start()
    assert job.wait(SOON)
    job.stop()
    assert (job.result, job.stopped) == (3, False)


def test_stop_before_the_start_does_nothing_of_the_work() -> None:
    done: list[int] = []
    job = Job(lambda advance: done.append(1))
    job.stop()
    job.start().thread.join(SOON)
    assert (job.stopped, done) == (True, [])


def test_result_after_a_stop_is_dropped() -> None:
    began, go_on = threading.Event(), threading.Event()

    def work(advance: Advance) -> int:
        began.set()
        go_on.wait(SOON)
        return 3

    job = Job(work).start()
    assert began.wait(SOON)
    job.stop()
    go_on.set()
    job.thread.join(SOON)
    assert (job.stopped, job.result) == (True, None)


@pytest.fixture
def fine_switches() -> object:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("fine_switches")
def test_stops_never_hang_work_that_starts_threads() -> None:
    """An exception raised from outside in a thread that a pool just starts would leave both waiting for each other."""

    def work(advance: Advance) -> None:
        while True:
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(sum, [range(10), range(10)]))
            advance(0.5)

    jobs: list[Job] = []
    for k in range(STOPS):
        job = Job(work).start()
        sleep(k % 7 * 1e-4)
        job.stop()
        assert job.wait(0)
        jobs.append(job)
        if len(jobs) == 8:
            end = monotonic() + SOON
            for old in jobs:
                old.thread.join(max(end - monotonic(), 0))
                assert not old.thread.is_alive()
            jobs.clear()
