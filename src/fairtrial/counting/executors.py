"""Where tasks run: threads of this process, or whatever executor the caller gives.

A task reads and counts and changes nothing, so it can be done twice. One that fails for reasons of its worker is given
out again; an executor that broke down is done without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.counting.tallies import processors

Argument = TypeVar("Argument")
Found = TypeVar("Found")

_ATTEMPTS = 4
_WAITING = 4
"""Tasks given out for each worker, so that none waits for the next."""
_WORKERS_OF_OTHERS = 64
"""How many workers an executor is taken to have that does not say it."""


def run_tasks(
    work: Callable[[Argument], Found], arguments: Sequence[Argument], executor: Executor | None = None
) -> Iterator[Found]:
    """What the work gives for each argument, as it comes.

    Parameters
    ----------
    work
        What is done; it must be possible to send it and its arguments to the executor's workers.
    arguments
        One for each task.
    executor
        Any executor of `concurrent.futures`, which stays open; by default as many threads as processors.

    Raises
    ------
    FairtrialError
        What the work itself raises, at once.
    InputError
        A task that failed several times for other reasons.
    """
    if executor is not None:
        yield from _run(work, arguments, executor)
    elif processors() < 2 or len(arguments) < 2:
        yield from map(work, arguments)
    else:
        with ThreadPoolExecutor(processors()) as threads:
            yield from _run(work, arguments, threads)


def _run(work: Callable[[Argument], Found], arguments: Sequence[Argument], executor: Executor) -> Iterator[Found]:
    attempts = dict.fromkeys(range(len(arguments)), 0)
    left = list(reversed(attempts))
    given: dict[Future[Found], int] = {}
    at_once = _WAITING * getattr(executor, "_max_workers", _WORKERS_OF_OTHERS)
    broken = False
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
            for future in wait(given, return_when=FIRST_COMPLETED).done:
                index = given.pop(future)
                try:
                    found = future.result()
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
                    yield found
    finally:
        for future in given:
            future.cancel()
