"""Run tasks in threads of this process, or in any executor.

A task reads and counts and changes nothing, so it can be repeated. One that fails because of its worker is submitted
again; if an executor breaks, its tasks run in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from time import monotonic
from typing import TypeVar

from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.counting.tallies import processors

Input = TypeVar("Input")
Output = TypeVar("Output")

_ATTEMPTS = 4
_WORKERS_OF_OTHERS = 64  # assumed of an executor that does not give its number of workers
_POLL = 5.0  # seconds between looks at a cluster on which no task ends
_PATIENCE = 60.0  # seconds that it may be without a worker


def run_tasks(
    work: Callable[[Input], Output], arguments: Sequence[Input], executor: Executor | None = None
) -> Iterator[Output]:
    """Yield the result of each task, in the order in which they finish.

    Parameters
    ----------
    work
        The function; it and its arguments can be sent to the executor's workers.
    arguments
        One for each task.
    executor
        Any executor of `concurrent.futures`, which stays open; by default as many threads as processors.

    Raises
    ------
    FairtrialError
        If the work itself raises one, at once.
    InputError
        If a task failed several times for other reasons, or a cluster has lost all its workers.
    """
    if executor is not None:
        yield from _run(work, arguments, executor)
    elif processors() < 2 or len(arguments) < 2:
        yield from map(work, arguments)
    else:
        with ThreadPoolExecutor(processors()) as threads:
            yield from _run(work, arguments, threads)


def _run(work: Callable[[Input], Output], arguments: Sequence[Input], executor: Executor) -> Iterator[Output]:
    attempts = dict.fromkeys(range(len(arguments)), 0)
    left = list(reversed(attempts))
    given: dict[Future[Output], int] = {}
    # several tasks for each worker, so that none waits for the next
    at_once = 4 * getattr(executor, "_max_workers", _WORKERS_OF_OTHERS)
    broken = False
    alive = monotonic()
    try:
        while left or given:
            while left and len(given) < at_once and not broken:
                try:
                    future = executor.submit(work, arguments[left[-1]])
                except (BrokenExecutor, RuntimeError):  # it has been shut down, or cannot go on
                    broken = True
                else:
                    given[future] = left.pop()
            if broken and not given:
                yield from (work(arguments[index]) for index in reversed(left))
                return
            done = wait(given, timeout=_POLL, return_when=FIRST_COMPLETED).done
            if done or _has_workers(executor):
                alive = monotonic()
            elif monotonic() - alive > _PATIENCE:
                template = "the cluster has had no worker for {seconds:g} seconds; start workers, and try again"
                raise InputError(template, code="no-workers", seconds=_PATIENCE)
            for future in done:
                index = given.pop(future)
                try:
                    answer = future.result()
                except FairtrialError:
                    raise
                except BrokenExecutor:
                    broken = True
                    left.append(index)
                except Exception as error:
                    attempts[index] += 1
                    if attempts[index] == _ATTEMPTS:
                        raise InputError(
                            f"a part of the trials could not be counted: after {_ATTEMPTS} attempts the error is "
                            f"{type(error).__name__}: {error}"
                        ) from error
                    left.append(index)
                else:
                    yield answer
    finally:
        for future in given:
            future.cancel()


def _has_workers(executor: Executor) -> bool:
    """Ask a Dask cluster whether it has workers; every other executor has."""
    client = getattr(executor, "_client", None)
    if client is None:
        return True
    try:
        return bool(client.nthreads())
    except (OSError, TimeoutError, RuntimeError):  # the scheduler is gone, too
        return False
