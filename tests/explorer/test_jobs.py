"""Work in the background: results, errors, and an end by request."""

import threading
from time import monotonic, sleep

from fairtrial import TrialsError
from fairtrial.explorer.jobs import Advance, Job

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
