"""Processes that try cases one after the other, watched from outside: one that hangs or dies is replaced."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Literal

from fuzzing.keeping import Failure, minimise
from fuzzing.targets import TARGETS
from fuzzing.watching import Complaint

MEMORY = 8 << 30
"""Bytes of address space of a worker."""
_PATIENCE = 3.0
"""A worker is given so many times the time of a case before it is ended from outside."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Cases of one target that a worker tries at a stretch."""

    target: str
    seeds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How the cases of a portion ended."""

    target: str
    ends: Counter[str] = field(default_factory=Counter)
    """How many ended in a result, refused, or in a kind of complaint."""
    failures: tuple[Failure, ...] = ()
    seconds: float = 0.0


def try_portion(portion: Portion, folder: Path, known: set[str], place: Synchronized[int] | None = None) -> Tally:
    """Try all cases of a portion; the first failure of each fault is made smaller.

    Parameters
    ----------
    portion
        The cases.
    folder
        Where files are put, an empty one.
    known
        Faults that were seen before; those found now are added.
    place
        Is set to the number of the case that is being tried.
    """
    target = TARGETS[portion.target]
    begin = time.monotonic()
    ends: Counter[str] = Counter()
    failures = []
    for number, seed in enumerate(portion.seeds):
        if place is not None:
            place.value = number
        case = target.make(seed)
        ending = target.run(case, folder)
        complaint = ending.complaint
        ends[complaint.kind if complaint else "refused" if ending.refused else "result"] += 1
        if complaint:
            is_new = complaint.fault not in known
            known.add(complaint.fault)
            smaller = is_new and complaint.kind != "hang"
            failures.append(Failure(seed, complaint, minimise(target, case, complaint, folder) if smaller else case))
    return Tally(portion.target, ends, tuple(failures), time.monotonic() - begin)


def _work(tasks: Connection, place: Synchronized[int]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    known: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        while True:
            tasks.send(try_portion(tasks.recv(), Path(folder), known, place))


class _Worker:
    """A process and what it is at."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.tasks, other = context.Pipe()
        self.place: Synchronized[int] = context.Value("q", 0)
        self.process = context.Process(target=_work, args=(other, self.place), daemon=True)
        self.process.start()
        other.close()
        self.portion: Portion | None = None

    def give(self, portion: Portion) -> None:
        self.portion, self.seen, self.since = portion, -1, time.monotonic()
        self.place.value = 0
        self.tasks.send(portion)

    @property
    def hangs(self) -> bool:
        """Whether it has been at the same case for too long."""
        if self.portion is None:
            return False
        if self.place.value != self.seen:
            self.seen, self.since = self.place.value, time.monotonic()
        return time.monotonic() - self.since > 30 + _PATIENCE * TARGETS[self.portion.target].seconds

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.tasks.close()

    def stopped_at(self, kind: Literal["hang", "died"]) -> tuple[Tally, Portion]:
        """The case at which it was stopped, and all others of its portion, which must be tried again."""
        assert self.portion is not None
        number = self.place.value
        target, seeds = self.portion.target, self.portion.seeds
        words = f"more than {TARGETS[target].seconds:g} s" if kind == "hang" else f"exit {self.process.exitcode}"
        case = TARGETS[target].make(seeds[number])
        failure = Failure(seeds[number], Complaint(kind, words), case)
        return Tally(target, Counter({kind: 1}), (failure,)), Portion(target, seeds[:number] + seeds[number + 1 :])


def try_all(portions: Iterable[Portion], workers: int) -> Iterator[Tally]:
    """How all portions ended, in whatever order they do."""
    waiting = list(portions)[::-1]
    crew = [_Worker() for _ in range(min(workers, len(waiting)))]
    try:
        for worker in crew:
            worker.give(waiting.pop())
        while crew:
            ready = wait([worker.tasks for worker in crew], timeout=1.0)
            for worker in list(crew):
                stopped: Literal["hang", "died"] | None = "hang" if worker.hangs else None
                if worker.tasks in ready:
                    try:
                        yield worker.tasks.recv()
                        stopped = None
                    except EOFError:
                        worker.process.join()
                        stopped = "died"
                elif stopped is None:
                    continue
                if stopped is not None:
                    tally, left = worker.stopped_at(stopped)
                    yield tally
                    waiting.extend([left] if left.seeds else [])
                worker = _replaced(crew, worker) if stopped else worker
                if waiting:
                    worker.give(waiting.pop())
                else:
                    worker.end()
                    crew.remove(worker)
    finally:
        for worker in crew:
            worker.end()


def _replaced(crew: list[_Worker], worker: _Worker) -> _Worker:
    worker.end()
    crew.remove(worker)
    crew.append(_Worker())
    return crew[-1]
