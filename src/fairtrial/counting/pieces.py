"""Answer questions about trials that are read, and read again, in pieces."""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from os import PathLike, fspath
from threading import Semaphore, Thread
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.trials import NanPolicy, Trials
from fairtrial.core.words import listed, plural, shown
from fairtrial.counting.counter import Counter, check_system
from fairtrial.counting.executors import run_tasks
from fairtrial.counting.histogram import ROLES
from fairtrial.counting.radix import Cells, fit_cells
from fairtrial.counting.search import CellTally, GatherTally
from fairtrial.counting.tallies import MAX_CELLS, SORT_AT_ONCE, Scores, Tally, processors
from fairtrial.formats.identities import as_options
from fairtrial.formats.opening import ReadTrials, TrialPiece, dataset_pieces, open_pieces, remote_dataset, set_of_pieces
from fairtrial.formats.sheets import ReadOptions, check_labels
from fairtrial.inference.people import Cluster
from fairtrial.inference.person_counts import CountedPeople, people_of_counter
from fairtrial.inference.variance import Floats

_COARSE = 0.5
"""A precision that asks for few cells."""


class Part(Protocol):
    """Some trials of a set, which can be read as often as needed; it can be sent to another process."""

    @property
    def rows(self) -> int | None:
        """How many trials it has, where that is known beforehand."""
        ...

    @property
    def size(self) -> int:
        """About how many bytes are read."""
        ...

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems, some at a time, and what was found out as they were read."""
        ...


class Question(Protocol):
    """What is asked of trials; answers of parts add up. It can be sent to another process."""

    @property
    def system(self) -> str:
        """Whose scores it is about."""
        ...

    @property
    def needs_ids(self) -> bool:
        """Whether it asks who takes part in the trials."""
        ...

    def start(self) -> Any:
        """The answer of no trial at all."""
        ...

    def add(self, total: Any, trials: Trials) -> Any:
        """Add some trials; the total given may be changed in place."""
        ...

    def merge(self, a: Any, b: Any) -> Any:
        """Put the answers of two parts together."""
        ...


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """A tally of the scores of one system."""

    system: str
    tally: Tally[Any]
    needs_ids: bool = False

    def start(self) -> Any:
        """The total of no score."""
        return self.tally.start()

    def add(self, total: Any, trials: Trials) -> Any:
        """Count some scores."""
        return self.tally.add(total, trials.column(self.system), trials.genuine)

    def merge(self, a: Any, b: Any) -> Any:
        """Add two totals."""
        return self.tally.merge(a, b)


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """The trials of each person between thresholds."""

    system: str
    thresholds: tuple[float, ...]
    roles: tuple[str, ...]
    needs_ids: bool = True

    def start(self) -> Counter:
        """A counter that knows the thresholds, and of all else as little as it can."""
        return Counter(self.system, thresholds=self.thresholds, precision=_COARSE, threads=1)

    def add(self, total: Counter, trials: Trials) -> Counter:
        """Count some trials."""
        ids = {role: trials.ids[role] for role in self.roles}
        total.update(trials.column(self.system), trials.genuine, **ids)
        return total

    def merge(self, a: Counter, b: Counter) -> Counter:
        """Put the people of two parts together."""
        if len(b):
            a.merge(b)
        return a


@dataclass(slots=True)
class Survey:
    """What is found out about the trials themselves, once."""

    genuine: int = 0
    impostor: int = 0
    labels: frozenset[str] = frozenset()
    taken: tuple[str, ...] = ()
    """What was taken for what in the first piece, in words."""
    notes: Multiset[str] = field(default_factory=Multiset)
    """How many pieces each note is about."""
    ids: frozenset[str] = frozenset()
    people: set[str] = field(default_factory=set)
    """The names of all who take part."""

    def add(self, found: ReadTrials) -> None:
        """Look at some trials."""
        trials = found.trials
        right = int(np.count_nonzero(trials.genuine))
        self.genuine += right
        self.impostor += len(trials) - right
        self.labels |= found.labels
        self.taken = self.taken or found.taken
        self.notes.update(trials.notes)
        self.ids |= frozenset(trials.ids)
        for role in ROLES:
            if role in trials.ids:
                own = trials.ids[role].numbered()
                self.people.update(own.names[np.unique(own.codes)].tolist())

    def merge(self, other: Survey) -> Survey:
        """Put together what was found out about two parts."""
        return Survey(
            self.genuine + other.genuine,
            self.impostor + other.impostor,
            self.labels | other.labels,
            self.taken or other.taken,
            self.notes + other.notes,
            self.ids | other.ids,
            self.people | other.people,
        )


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: what is asked, and whether the trials are looked at for the first time."""

    questions: tuple[Question, ...]
    first: bool
    systems: tuple[str, ...]
    """All systems of the set."""

    def over(self, parts: Iterable[Part]) -> Answers:
        """The answers of some parts; this is what is done in other processes."""
        systems = self.systems if self.first else tuple(dict.fromkeys(asked.system for asked in self.questions))
        found = self.start()
        everything = self.first or any(asked.needs_ids for asked in self.questions)
        found_in = (part.trials(systems, everything=everything) for part in parts)
        for read in chain.from_iterable(found_in):
            found.rows += len(read.trials)
            if found.survey is not None:
                found.survey.add(read)
            for index, asked in enumerate(self.questions):
                found.totals[index] = asked.add(found.totals[index], read.trials)
        return found

    def start(self) -> Answers:
        """The answers of no trial at all."""
        return Answers([asked.start() for asked in self.questions], Survey() if self.first else None)

    def merge(self, answers: Iterable[Answers]) -> Answers:
        """Put answers together, in whatever order they come."""
        found = self.start()
        for other in answers:
            found.rows += other.rows
            if found.survey is not None and other.survey is not None:
                found.survey = found.survey.merge(other.survey)
            for index, asked in enumerate(self.questions):
                found.totals[index] = asked.merge(found.totals[index], other.totals[index])
        return found


@dataclass(slots=True)
class Answers:
    """What was counted for each question, and what was found out about the trials."""

    totals: list[Any]
    survey: Survey | None
    rows: int = 0


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


Total = TypeVar("Total")

_LOOKED_AT = 16
"""Parts from which a few scores are taken before the first pass."""
_SAMPLED = 1 << 12
"""Scores taken from each of them."""
_IN_A_CELL = 64
_MOST_CELLS = 1 << 20
"""The more scores there are, the more cells; up to so many, which still are near at hand."""
_TOGETHER = 1 << 27
"""Bytes of parts that are counted together, so that what is counted for them is added up once."""
_TASKS, _MOST_TASKS = 64, 4096
"""As many tasks at least, where there are so many parts, and at most."""
_BYTES_FOR_EACH = 64
"""Memory for one score that is gathered, sorted and counted."""


@dataclass(frozen=True, slots=True)
class PassState:
    """How far a pass has come.

    Attributes
    ----------
    number : int
        Which pass over these trials it is, from 1.
    rows : int
        How many trials have been read.
    read : int
        Bytes read so far.
    size : int
        Bytes in all.

    Examples
    --------
    >>> PassState(number=1, rows=1000, read=8000, size=16000).read
    8000
    """

    number: int
    rows: int
    read: int
    size: int


class OpenTrials:
    """Trials that are not held in memory: parts that are read whenever something is asked.

    Wherever trials are asked for figures (`evaluate`, `performance_curve`, `count_errors`, `choose_thresholds`,
    `equal_error_rate`) they can be given in place of `Trials`, and every figure is the same to the last bit. See
    `open_trials`.

    Parameters
    ----------
    parts : sequence of Part
        Where the trials are read from.
    systems : tuple of str
        The names of the systems.
    origin : str
        What errors call them.
    memory : int
        How many bytes to use at most.
    named : bool, default True
        Whether the parts themselves name their systems.
    executor : concurrent.futures.Executor, optional
        Where pieces are counted; by default threads of this process.
    progress : callable, optional
        Called as work proceeds, with a `PassState` after each piece.
    check : callable, optional
        Called with what the first pass found; raises an error where it does not hold.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import equal_error_rate, open_trials
    >>> scores, genuine = np.array([0.9, 0.4, 0.1, 0.5]), np.array([True, True, False, False])
    >>> equal_error_rate(open_trials(scores, genuine)).value
    0.5
    """

    has_scores = True

    def __init__(
        self,
        parts: Sequence[Part],
        systems: tuple[str, ...],
        *,
        origin: str,
        memory: int,
        named: bool = True,
        executor: Executor | None = None,
        progress: Callable[[PassState], None] | None = None,
        check: Callable[[Survey], None] | None = None,
    ) -> None:
        self.systems = systems
        self.origin = origin
        self.named = named
        """Whether the files themselves name the systems; otherwise they are named after the files."""
        self.memory = memory
        self.passes = 0
        self._parts = tuple(parts)
        self._executor = executor
        self._progress = progress
        self._check = check
        self._survey: Survey | None = None
        self._sources = {name: OpenSource(self, name) for name in systems}
        self._samples: dict[str, Scores] | None = None

    def __repr__(self) -> str:
        known = "not read yet" if self._survey is None else f"{self.genuine:,} genuine, {self.impostor:,} impostor"
        parts = plural(len(self._parts), "part")
        return f"<OpenTrials: {parts} ({known}), {plural(len(self.systems), 'system')}: {listed(self.systems)}>"

    @property
    def survey(self) -> Survey:
        """What is known of the trials themselves; the first to ask has them passed over."""
        if self._survey is None:
            self.answer(())
        assert self._survey is not None
        return self._survey

    @property
    def genuine(self) -> int:
        """How many genuine trials there are."""
        return self.survey.genuine

    @property
    def impostor(self) -> int:
        """How many impostor trials there are."""
        return self.survey.impostor

    def __len__(self) -> int:
        return self.genuine + self.impostor

    def __bool__(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a report should know; those of single parts with their number."""
        found = [*self.survey.taken]
        for note, parts in self.survey.notes.items():
            found.append(note if len(self._parts) == 1 else f"{note} (in {plural(parts, 'part')})")
        found.append("read in pieces: whether a trial occurs twice was not looked at")
        return tuple(found)

    def check_system(self, system: str | None) -> str:
        """Give the name itself, if there is such a system; that of the only one where none is named.

        Parameters
        ----------
        system : str or None
            A name, or None.

        Returns
        -------
        str
            The name.

        Raises
        ------
        TrialsError
            A name that is not known, or none where there are several systems.
        """
        return check_system(self.systems, system)

    def same_as(self, other: Any) -> bool:
        """Tell whether both are read from the same places.

        Parameters
        ----------
        other : object
            Anything that could be the same trials.

        Returns
        -------
        bool
            Whether they are.
        """
        return isinstance(other, OpenTrials) and self._parts == other._parts

    @property
    def ids(self) -> frozenset[str]:
        """Which ids the trials have."""
        return self.survey.ids

    @property
    def people(self) -> set[str]:
        """The names of all who take part."""
        return self.survey.people

    def people_between(self, system: str, thresholds: Floats, cluster: Cluster) -> CountedPeople | None:
        """Count people by the numbers of their trials between thresholds that rise.

        Parameters
        ----------
        system : str
            The name of the system.
        thresholds : ndarray of float
            Rising thresholds, shape (thresholds,).
        cluster : {"none", "claim", "subject", "both"}
            What dependent trials share.

        Returns
        -------
        CountedPeople or None
            The counts; None where people cannot be told apart.
        """
        roles = ("claim", "subject") if cluster == "both" else (cluster,)
        asked = PeopleQuestion(self.check_system(system), tuple(thresholds.tolist()), roles)
        return people_of_counter(ask(self, asked), system=system)

    def source_of(self, system: str | None) -> OpenSource:
        """Give the scores of one system.

        Parameters
        ----------
        system : str or None
            A name, or None for the only one.

        Returns
        -------
        OpenSource
            The source.
        """
        return self._sources[self.check_system(system)]

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Pass once over all trials.

        Parameters
        ----------
        questions : sequence of Question
            What to count.

        Returns
        -------
        list of object
            The total of each question.
        """
        self.passes += 1
        what = Pass(tuple(questions), self._survey is None, self.systems)
        found = what.merge(self._counted(what))
        if found.survey is not None:
            self._take(found.survey)
        return found.totals

    def _counted(self, what: Pass) -> Any:
        """The answers of parts, as they come."""
        size, read, rows = sum(part.size for part in self._parts), 0, 0
        if self._progress is not None:
            self._progress(PassState(self.passes, 0, 0, size))
        for answers, own in run_tasks(_Counting(what), self._tasks(), self._executor):
            read, rows = read + own, rows + answers.rows
            if self._progress is not None:
                self._progress(PassState(self.passes, rows, read, size))
            yield answers

    def _tasks(self) -> list[tuple[Part, ...]]:
        """Parts that are counted together: so many that adding up takes little time, and all workers have work."""
        whole = sum(part.size for part in self._parts)
        enough = max(min(_TOGETHER, whole // _TASKS), whole // _MOST_TASKS)
        tasks: list[list[Part]] = [[]]
        for part in self._parts:
            if sum(own.size for own in tasks[-1]) > enough:
                tasks.append([])
            tasks[-1].append(part)
        return [tuple(own) for own in tasks]

    def _take(self, survey: Survey) -> None:
        if self._check is not None:
            self._check(survey)
        check_classes(survey.genuine, survey.impostor, self.origin)
        self._survey = survey

    def sample_of(self, system: str) -> Scores:
        """Give some scores of a system from all over the trials; they guide the work and never change a result.

        Parameters
        ----------
        system : str
            The name of the system.

        Returns
        -------
        ndarray of float
            Some scores.
        """
        if self._samples is None:
            chosen = np.unique(np.linspace(0, len(self._parts) - 1, _LOOKED_AT).astype(int)).tolist()
            found = [sample for index in chosen for sample in _sample(self._parts[index], self.systems)]
            if not found:
                raise TrialsError(f"{self.origin}: holds no trial")
            self._samples = {
                name: np.concatenate([sample[:, k] for sample in found]) for k, name in enumerate(self.systems)
            }
        return self._samples[system]

    @property
    def rows(self) -> int | None:
        """How many trials there are, if that is known without a pass."""
        if self._survey is not None:
            return len(self)
        rows = [part.rows for part in self._parts]
        return None if None in rows else sum(count for count in rows if count is not None)


def _sample(part: Part, systems: tuple[str, ...]) -> list[Scores]:
    """A few rows of scores of the first trials of a part."""
    for trials in (read.trials for read in part.trials(systems)):
        if len(trials):
            return [trials.scores[:: max(1, len(trials) // _SAMPLED)]]
    return []


@dataclass(frozen=True, slots=True)
class _Counting:
    """What is done with some parts, wherever that is: the answers, and how many bytes were read."""

    what: Pass

    def __call__(self, parts: Sequence[Part]) -> tuple[Answers, int]:
        return self.what.over(parts), sum(part.size for part in parts)


class OpenSource:
    """The scores of one system in open trials: a source like arrays in memory."""

    def __init__(self, trials: OpenTrials, system: str) -> None:
        self._trials = trials
        self._system = system
        self._cells: Cells | None = None
        self._counts: Any = None

    @property
    def genuine(self) -> int:
        """How many genuine scores there are."""
        return self._trials.genuine

    @property
    def impostor(self) -> int:
        """How many impostor scores there are."""
        return self._trials.impostor

    @property
    def room(self) -> int:
        """How many scores may be gathered at once, where fewer will do."""
        return min((self.genuine + self.impostor) // 8, self._trials.memory // _BYTES_FOR_EACH)

    def lay_cells(self, fineness: int) -> Cells | None:
        """As many cells as there may be, whatever is asked for: they are counted once, and used for every search."""
        rows = self._trials.rows
        if rows is not None and rows <= SORT_AT_ONCE:
            return None
        if self._cells is None:
            most = MAX_CELLS if rows is None else min(max(MAX_CELLS, rows // _IN_A_CELL), _MOST_CELLS)
            self._cells = fit_cells(self._trials.sample_of(self._system), most)
        return self._cells

    def tally(self, what: Tally[Total]) -> Total:
        """One pass over all scores, or none where the answer is known."""
        own = isinstance(what, CellTally) and what.cells is self._cells
        if own and self._counts is not None:
            counts: Total = self._counts.copy()
            return counts
        if isinstance(what, GatherTally) and what.cells is None:
            self._check_room()
        found: Total = ask(self._trials, ScoreQuestion(self._system, what))
        if own:
            self._counts = found.copy()  # type: ignore[attr-defined]
        return found

    def _check_room(self) -> None:
        """Raise an error where all scores at once would take more memory than there is."""
        if (self.genuine + self.impostor) * _BYTES_FOR_EACH > self._trials.memory:
            raise TrialsError(
                f"{self._trials.origin}: this needs all {self.genuine + self.impostor:,} scores of {self._system} in "
                "memory at once; choose a criterion that does not, such as eer, or allow more memory, as in "
                'memory="16GB"'
            )


@dataclass(frozen=True, slots=True, eq=False)
class ArrayPart:
    """Rows of arrays that may lie on disk."""

    scores: NDArray[np.floating]
    genuine: NDArray[np.bool_]
    systems: tuple[str, ...]
    nan: NanPolicy
    first: int
    """The index of its first row."""

    @property
    def rows(self) -> int:
        """How many trials it has."""
        return len(self.genuine)

    @property
    def size(self) -> int:
        """How many bytes are read."""
        return int(self.scores.nbytes + self.genuine.nbytes)

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems."""
        try:
            found = Trials.from_arrays(self.scores, self.genuine, systems=self.systems, nan=self.nan)
        except TrialsError as error:
            raise TrialsError(f"rows from index {self.first:,} on: {error}") from error
        yield ReadTrials(found.select(systems))


@dataclass(frozen=True, slots=True, eq=False)
class ChunkPart:
    """Chunks of trials that a function, or an iterable, gives anew each time."""

    chunks: Callable[[], Any] | Iterable[Any]
    systems: tuple[str, ...]
    nan: NanPolicy
    name: str
    rows: None = None
    size: int = 1

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """The trials of some systems, chunk by chunk."""
        for index, chunk in enumerate(_given(self.chunks)):
            try:
                found = _as_trials(chunk, self.systems, self.nan)
                missing = [name for name in self.systems if name not in found.systems]
                if missing:
                    raise TrialsError(f"has no scores of {listed(missing)}")
            except TrialsError as error:
                raise TrialsError(f"{self.name}, chunk {index}: {error}") from error
            if len(found):
                yield ReadTrials(found.select(systems))


def _given(chunks: Callable[[], Any] | Iterable[Any]) -> Iterable[Any]:
    found = chunks() if callable(chunks) else chunks
    return [found] if isinstance(found, (Trials, tuple)) else found


def _as_trials(chunk: Any, systems: Sequence[str] | None, nan: NanPolicy) -> Trials:
    """Trials of what a chunk may be: trials, or a pair of scores and a mask of those that are genuine."""
    if isinstance(chunk, Trials):
        return chunk
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return Trials.from_arrays(*chunk, systems=systems, nan=nan)
    raise TrialsError(f"a chunk must be Trials or a pair (scores, genuine), not {type(chunk).__name__}")


def array_parts(
    scores: NDArray[Any], genuine: Any, systems: Sequence[str] | None, nan: NanPolicy, rows: int
) -> tuple[tuple[str, ...], list[ArrayPart]]:
    """The systems and the parts of arrays of one row per trial."""
    table = scores[:, None] if scores.ndim == 1 else scores
    flags = np.asanyarray(genuine)
    if table.ndim != 2 or flags.shape != table.shape[:1] or flags.dtype != np.bool_:
        raise TrialsError(
            f"scores of shape {scores.shape} need a boolean array genuine with one entry per trial, not {flags.dtype} "
            f"of shape {flags.shape}"
        )
    names = Trials.from_arrays(table[:0], flags[:0], systems=systems).systems
    starts = range(0, len(flags), rows)
    return names, [ArrayPart(table[k : k + rows], flags[k : k + rows], names, nan, k) for k in starts]


def chunk_parts(data: Any, systems: Sequence[str] | None, nan: NanPolicy) -> tuple[tuple[str, ...], list[ChunkPart]]:
    """The systems and the parts of an iterable of chunks, or of a function that gives one."""
    if _iter_is_spent(data):
        raise ParameterError(
            "trials are read more than once, and a generator gives its chunks only once; give the function that makes "
            "it, as in open_trials(chunks) in place of open_trials(chunks())"
        )
    given: list[Any] = list(data) if isinstance(data, (list, tuple)) else [data]
    first = next((chunk for part in given for chunk in _given(_one(part))), None)
    if first is None:
        raise TrialsError("there is no chunk of trials")
    try:
        names = _as_trials(first, systems, nan).systems
    except TrialsError as error:
        raise TrialsError(f"part 0, chunk 0: {error}") from error
    return names, [ChunkPart(_one(part), names, nan, f"part {index}") for index, part in enumerate(given)]


def _one(part: Any) -> Any:
    """A function or an iterable of chunks; a single chunk as an iterable of it."""
    return [part] if isinstance(part, (Trials, tuple)) else part


def _iter_is_spent(data: Any) -> bool:
    """Whether something can be gone through once only."""
    return not callable(data) and hasattr(data, "__next__")


_MEMORY = "1GB"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_LEAST_MEMORY = 64 * 10**6
_LEAST_READ = 1 << 16
_SHARE = 8
"""Each thread reads this part of its share of the memory at once: columns are decoded, checked and counted."""


def open_trials(
    data: Any,
    genuine: Any = None,
    *,
    systems: Sequence[str] | None = None,
    format: str | None = None,
    memory: int | str = _MEMORY,
    executor: Executor | None = None,
    progress: Callable[[PassState], None] | None = None,
    **options: Any,
) -> OpenTrials:
    """Open trials that need not fit in memory; they are read, piece by piece, whenever something is asked.

    Parameters
    ----------
    data : object
        A file, a glob, a directory of Parquet files, or several: parts of one set, each with trials of its own of the
        same systems (Parquet, CSV, TSV, bob's formats; compressed text too). An address such as ``s3://...`` of
        Parquet, through fsspec. A ``pyarrow.dataset.Dataset``. An array of scores, such as a memory map, with
        `genuine`. Chunks: a list or another iterable that can be gone through again, or a function that gives one; each
        chunk is `Trials` or a pair ``(scores, genuine)``.
    genuine : array_like, optional
        Whether the claim of each trial is true, for an array of scores: boolean, shape (trials,).
    systems : sequence of str, optional
        The names of the systems, for arrays and pairs; which systems of a file to use.
    format : str, optional
        The name of a format in `FORMATS`; by default the content of the files tells.
    memory : int or str, default "1GB"
        How much memory to use, in bytes or as in ``"1GB"``. What is read at once and gathered keeps within it.
    executor : concurrent.futures.Executor, optional
        Where pieces are counted: any `concurrent.futures.Executor`, as of processes, mpi4py or Dask
        (``client.get_executor()``); by default threads of this process.
    progress : callable, optional
        Called as work proceeds, with a `PassState` after each piece.
    **options : object
        The fields of `ReadOptions`, for files.

    Returns
    -------
    OpenTrials
        To be given to `evaluate`, `performance_curve` and others in place of `Trials`.

    Raises
    ------
    InputError
        As for `read_trials`; for what is wrong further down in a file, when it is first passed over.
    TrialsError
        As for `read_trials`.
    ParameterError
        An option that means nothing to the data, or memory that is not a size.

    Examples
    --------
    >>> import numpy as np
    >>> def chunks():
    ...     for seed in range(3):
    ...         rng = np.random.default_rng(seed)
    ...         genuine = rng.random(1000) < 0.5
    ...         yield rng.normal(2.0 * genuine), genuine
    >>> trials = open_trials(chunks)
    >>> len(trials), trials.passes
    (3000, 1)
    """
    room = check_memory(memory)
    threads = processors() if executor is None else 1
    size = max(room // (threads * _SHARE), _LEAST_READ)
    open_ = partial(OpenTrials, memory=room, executor=executor, progress=progress)
    if isinstance(data, np.ndarray):
        names, parts = array_parts(data, genuine, systems, options.pop("nan", "error"), max(size // 64, 1 << 12))
        _refuse(options, "an array")
        return open_(parts, names, origin="the array")
    if genuine is not None:
        raise ParameterError("genuine goes with an array of scores; files and chunks say themselves what is genuine")
    if _are_paths(data):
        settings = as_options({**options, **({} if systems is None else {"systems": tuple(systems)})})
        names, pieces = _open_files(data, format, settings, size)
        origin = ", ".join(fspath(path) for path in ([data] if isinstance(data, (str, PathLike)) else data[:3]))
        named = bool(settings.names) or all(each.piece.named for each in pieces)
        return open_(pieces, names, origin=origin, named=named, check=partial(_check, settings, origin))
    if hasattr(data, "get_fragments"):
        settings = as_options({**options, **({} if systems is None else {"systems": tuple(systems)})})
        fragments = dataset_pieces(data, settings, size, name="the dataset")
        names, pieces = set_of_pieces(fragments, settings, "dataset", "the dataset")
        return open_(pieces, names, origin="the dataset", check=partial(_check, settings, "the dataset"))
    names, chunks = chunk_parts(data, systems, options.pop("nan", "error"))
    _refuse(options, "chunks")
    return open_(chunks, names, origin="the chunks")


def _open_files(
    data: Any, format: str | None, options: ReadOptions, size: int
) -> tuple[tuple[str, ...], tuple[TrialPiece, ...]]:
    if isinstance(data, str) and re.match(r"[a-z0-9+]{2,}://", data):
        return set_of_pieces(dataset_pieces(remote_dataset(data), options, size, name=data), options, "parquet", data)
    return open_pieces(data, format, options, size)


def _are_paths(data: Any) -> bool:
    some = data if isinstance(data, (list, tuple)) and data else [data]
    return all(isinstance(entry, (str, PathLike)) for entry in some)


def _refuse(options: dict[str, Any], what: str) -> None:
    if options:
        raise ParameterError(f"{', '.join(options)}: means nothing to {what}; leave it out")


def _check(options: ReadOptions, origin: str, survey: Survey) -> None:
    """Labels are of one coding over all pieces, and those that were given occur somewhere."""
    check_labels(survey.labels, options, origin)


def check_memory(memory: int | str) -> int:
    """A number of bytes, also given as in "1GB" or "500 MiB".

    Raises
    ------
    ParameterError
        Something else, or too little to work with.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(memory).upper())
    if found is None or found[2] not in _UNITS:
        raise ParameterError(f"memory must be a number of bytes, as in 500MB or 4GB, not {shown(memory)}")
    size = int(float(found[1]) * _UNITS[found[2]])
    if size < _LEAST_MEMORY:
        raise ParameterError(f"memory of {memory} is too little to work with; give at least {_LEAST_MEMORY // 10**6}MB")
    return size
