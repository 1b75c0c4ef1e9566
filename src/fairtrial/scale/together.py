"""Questions asked together, so that one pass over the trials answers all that wait for it.

Whoever asks is written as if it were alone: it asks a source for a tally and goes on with the answer. Here each asker
has a thread of its own, of which one runs at a time. When all that have not finished wait for an answer, a pass is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from threading import Semaphore, Thread
from typing import Any, Protocol, TypeVar

from fairtrial.scale.passing import Question

Found = TypeVar("Found")


class Passed(Protocol):
    """Trials that can be passed over."""

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """One pass: the total of each question."""
        ...


@dataclass(slots=True)
class _Wish:
    """A question and where to ask it, and the answer once it is there."""

    trials: Passed
    question: Question
    total: Any = None
    error: BaseException | None = None
    answered: bool = False


class _NobodyAnswersError(Exception):
    """The others were given up, and so is this one."""


class _Asker(Thread):
    """Something that asks, and stops until it is answered."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._context = copy_context()
        self._go, self._stopped = Semaphore(0), Semaphore(0)
        self._given_up = self._finished = False
        self.wish: _Wish | None = None
        self.found: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        self._go.acquire()
        try:
            if not self._given_up:
                self.found = self._context.run(self._ask_and_work)
        except BaseException as error:
            self._error = error
        self._finished = True
        self._stopped.release()

    def _ask_and_work(self) -> Any:
        _asker.set(self)
        return self._work()

    def go_on(self) -> None:
        """Let it run until it asks or has finished.

        Raises
        ------
        Exception
            What the work raises.
        """
        self.wish = None
        self._go.release()
        self._stopped.acquire()
        if self._error is not None:
            raise self._error

    def give_up(self) -> None:
        """Have it end where it has not: nobody will answer any more."""
        self._given_up = True
        while not self._finished:
            if self.wish is not None:
                self.wish.error = _NobodyAnswersError()
            with suppress(BaseException):
                self.go_on()

    def ask(self, wish: _Wish) -> Any:
        """Wait for an answer; called in its own thread."""
        self.wish = wish
        self._stopped.release()
        self._go.acquire()
        if wish.error is not None:
            raise wish.error
        return wish.total


_asker: ContextVar[_Asker | None] = ContextVar("_asker", default=None)


def ask(trials: Passed, question: Question) -> Any:
    """The answer to a question: in a pass of its own, or in one with others that are asked together with it."""
    asker = _asker.get()
    return trials.answer([question])[0] if asker is None else asker.ask(_Wish(trials, question))


def answer_together(works: Sequence[Callable[[], Found]]) -> list[Found]:
    """Run pieces of work that ask trials in passes, and let each pass answer all of them.

    Parameters
    ----------
    works
        Functions without arguments.

    Returns
    -------
    list
        What each of them gives.

    Raises
    ------
    Exception
        The first that one of them raises; the others are not finished then.
    """
    askers = [_Asker(work) for work in works]
    known: list[Passed] = []
    try:
        for asker in askers:
            asker.go_on()
        while wishes := [asker.wish for asker in askers if asker.wish is not None]:
            known += [wish.trials for wish in wishes if not any(wish.trials is each for each in known)]
            # dev before test: who waits for test waits until all others do
            first = next(each for each in known if any(wish.trials is each for wish in wishes))
            _answer(first, [wish for wish in wishes if wish.trials is first])
            for asker in askers:
                if asker.wish is not None and asker.wish.answered:
                    asker.go_on()
        return [asker.found for asker in askers]
    finally:
        for asker in askers:
            asker.give_up()


def _answer(trials: Passed, wishes: Sequence[_Wish]) -> None:
    """One pass over a set of trials."""
    try:
        totals = trials.answer([wish.question for wish in wishes])
    except Exception as error:
        for wish in wishes:
            wish.error = error
    else:
        for wish, total in zip(wishes, totals, strict=True):
            wish.total = total
    for wish in wishes:
        wish.answered = True
