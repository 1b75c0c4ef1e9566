"""Count trials that are read in pieces, as often as needed."""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import prod
from os import PathLike, fspath
from threading import Semaphore, Thread
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.parameters import read_bytes
from fairtrial.core.trials import NamedSystems, NanPolicy, Trials
from fairtrial.core.words import listed, plural, shown
from fairtrial.counting.counter import ROLES, Counter, Roster
from fairtrial.counting.executors import run_tasks
from fairtrial.counting.kernels import Cells, fit_cells
from fairtrial.counting.search import CellTally, GatherTally
from fairtrial.counting.tallies import MAX_CELLS, SORT_AT_ONCE, Scores, Tally, processors, rank_tally
from fairtrial.formats.identities import as_options
from fairtrial.formats.opening import dataset_pieces, open_pieces, remote_dataset, set_of_pieces
from fairtrial.formats.pieces import ReadTrials
from fairtrial.formats.sheets import check_labels
from fairtrial.inference.people import CLUSTER_ROLES, Cluster
from fairtrial.inference.person_counts import PersonCounts, cells_of_ranks
from fairtrial.inference.variance import Floats

Total = TypeVar("Total")

_BYTES_FOR_EACH = 64  # memory for one score that is gathered, sorted and counted


class Part(Protocol):
    """Some trials of a set, which can be read as often as needed; it can be sent to another process."""

    @property
    def rows(self) -> int | None:
        """The number of trials, if it is known beforehand."""
        ...

    @property
    def size(self) -> int:
        """About how many bytes are read."""
        ...

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """Read the trials of some systems, some at a time; with ids and notes if `everything` is needed."""
        ...


@dataclass(slots=True)
class Survey:
    """A description of the trials themselves, made in the first pass.

    Attributes
    ----------
    genuine, impostor : int
        The numbers of trials.
    labels : frozenset of str
        The labels that occur.
    taken : tuple of str
        How the columns of one of the pieces were interpreted, in words.
    notes : collections.Counter of str
        The number of pieces that each note is about.
    ids : frozenset of str
        The ids of the trials.
    roster : Roster
        The names of all people.
    """

    genuine: int = 0
    impostor: int = 0
    labels: frozenset[str] = frozenset()
    taken: tuple[str, ...] = ()
    notes: Multiset[str] = field(default_factory=Multiset)
    ids: frozenset[str] = frozenset()
    roster: Roster = field(default_factory=Roster)

    @classmethod
    def of(cls, read: ReadTrials) -> Survey:
        """Describe some trials."""
        trials, roster = read.trials, Roster()
        people = [roster.number(trials.ids[role]) for role in ROLES if role in trials.ids]
        if len(people) == len(ROLES):
            roster.link(np.stack(people, axis=1)[trials.genuine])
        genuine = int(np.count_nonzero(trials.genuine))
        counts = (genuine, len(trials) - genuine)
        return cls(*counts, read.labels, read.taken, Multiset(trials.notes), frozenset(trials.ids), roster)

    def merge(self, other: Survey) -> None:
        """Add the survey of other trials, in whatever order they come."""
        self.genuine += other.genuine
        self.impostor += other.impostor
        self.labels |= other.labels
        self.taken = min(filter(None, (self.taken, other.taken)), default=())
        self.notes += other.notes
        self.ids |= other.ids
        self.roster.merge(other.roster)


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """What the trials are."""

    systems: tuple[str, ...] = ()
    needs_ids: bool = True

    def start(self) -> Survey:
        """Describe no trial."""
        return Survey()

    def add(self, total: Survey, read: ReadTrials) -> Survey:
        """Add some trials."""
        return self.merge(total, Survey.of(read))

    def merge(self, a: Survey, b: Survey) -> Survey:
        """Add two surveys."""
        a.merge(b)
        return a


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """A tally of the scores of one system."""

    systems: tuple[str]
    tally: Tally[Any]
    needs_ids: bool = False

    def start(self) -> Any:
        """Give the total of no score."""
        return self.tally.start()

    def add(self, total: Any, read: ReadTrials) -> Any:
        """Count some scores."""
        return self.tally.add(total, read.trials.column(*self.systems), read.trials.genuine)

    def merge(self, a: Any, b: Any) -> Any:
        """Add two totals."""
        return self.tally.merge(a, b)


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """The trials of each person by cell: between thresholds of one system, or of several together."""

    systems: tuple[str, ...]
    thresholds: tuple[NDArray[np.float64], ...]
    roles: tuple[str, ...]
    needs_ids: bool = True

    def start(self) -> Counter:
        """Give a counter that takes the number of a cell as a score."""
        cells = prod(len(thresholds) + 1 for thresholds in self.thresholds)
        return Counter("cell", thresholds=np.arange(cells - 1.0), precision=0.5, threads=1)

    def add(self, total: Counter, read: ReadTrials) -> Counter:
        """Count some trials."""
        columns = zip(self.systems, self.thresholds, strict=True)
        ranks = [rank_tally(thresholds).ranks(read.trials.column(system)) for system, thresholds in columns]
        cells = cells_of_ranks(ranks, list(map(len, self.thresholds)))
        ids = {role: read.trials.ids[role] for role in self.roles}
        total.update(cells.astype(np.float64), read.trials.genuine, **ids)
        return total

    def merge(self, a: Counter, b: Counter) -> Counter:
        """Add the people of two parts."""
        if len(b):
            a.merge(b)
        return a


Question: TypeAlias = SurveyQuestion | ScoreQuestion | PeopleQuestion
"""A count over trials, of which those of parts add up; it can be sent to another process."""


class Answers(NamedTuple):
    """The total of each question, and the trials and bytes that were read."""

    totals: list[Any]
    rows: int
    size: int


def answer_parts(questions: Sequence[Any], systems: Sequence[str], parts: Sequence[Part]) -> Answers:
    """Answer questions for some parts of a set of these systems; this is the work of other processes."""
    named = tuple(dict.fromkeys(name for question in questions for name in question.systems or systems))
    everything = any(question.needs_ids for question in questions)
    totals, rows = [question.start() for question in questions], 0
    for part in parts:
        for read in part.trials(named, everything=everything):
            rows += len(read.trials)
            totals = [question.add(total, read) for question, total in zip(questions, totals, strict=True)]
    return Answers(totals, rows, sum(part.size for part in parts))


@dataclass(slots=True)
class _Request:
    """A question, the trials that it is about, and its answer."""

    trials: OpenTrials
    question: Question
    total: Any = None
    error: BaseException | None = None


class _AbandonedError(Exception):
    """Another asker failed, so this one ends, too."""


class _Asker(Thread):
    """A thread that stops at each question until it is answered."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._context = copy_context()
        self._go, self._stopped = Semaphore(0), Semaphore(0)
        self._abandoned = self._finished = False
        self.request: _Request | None = None
        self.result: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        self._go.acquire()
        try:
            if not self._abandoned:
                self._context.run(_asker.set, self)
                self.result = self._context.run(self._work)
        except BaseException as error:
            self._error = error
        self._finished = True
        self._stopped.release()

    def resume(self) -> None:
        """Let it run until it asks or has finished, and raise the error of its work."""
        self.request = None
        self._go.release()
        self._stopped.acquire()
        if self._error is not None:
            raise self._error

    def abandon(self) -> None:
        """End it if it has not finished: no question is answered any more."""
        self._abandoned = True
        while not self._finished:
            if self.request is not None:
                self.request.error = _AbandonedError()
            with suppress(BaseException):
                self.resume()

    def ask(self, request: _Request) -> Any:
        """Wait for an answer; called in its own thread."""
        self.request = request
        self._stopped.release()
        self._go.acquire()
        if request.error is not None:
            raise request.error
        return request.total


_asker: ContextVar[_Asker | None] = ContextVar("_asker", default=None)


def ask(trials: OpenTrials, question: Question) -> Any:
    """Answer a question: in a pass of its own, or in one with others that `answer_together` runs."""
    asker = _asker.get()
    return trials.answer([question])[0] if asker is None else asker.ask(_Request(trials, question))


def answer_together(works: Sequence[Callable[[], Total]]) -> list[Total]:
    """Run several functions that ask trials in passes, and let each pass answer all of them.

    Parameters
    ----------
    works
        Functions without arguments.

    Returns
    -------
    list
        The result of each.

    Raises
    ------
    Exception
        The first that one of them raises; the others are not finished then.
    """
    askers = [_Asker(work) for work in works]
    known: list[OpenTrials] = []
    try:
        for asker in askers:
            asker.resume()
        while waiting := [(asker, asker.request) for asker in askers if asker.request is not None]:
            for _, request in waiting:
                if not any(request.trials is each for each in known):
                    known.append(request.trials)
            # dev before test: questions about test wait until no other is left
            first = next(each for each in known if any(request.trials is each for _, request in waiting))
            asked = [(asker, request) for asker, request in waiting if request.trials is first]
            try:
                totals = first.answer([request.question for _, request in asked])
                for (_, request), total in zip(asked, totals, strict=True):
                    request.total = total
            except Exception as error:
                for _, request in asked:
                    request.error = error
            for asker, _ in asked:
                asker.resume()
        return [asker.result for asker in askers]
    finally:
        for asker in askers:
            asker.abandon()


@dataclass(frozen=True, slots=True)
class PassState:
    """The progress of a pass.

    Attributes
    ----------
    number : int
        Which pass over these trials it is, from 1.
    rows : int
        Trials read so far.
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


class OpenTrials(NamedSystems):
    """Trials that are not held in memory, but read in parts when they are needed.

    `evaluate`, `performance_curve`, `count_errors`, `choose_thresholds` and `equal_error_rate` take them instead of
    `Trials`, and every figure is the same to the last bit. See `open_trials`.

    Parameters
    ----------
    parts : sequence of Part
        The parts that are read.
    systems : tuple of str
        The names of the systems.
    origin : str
        The name of the trials in errors.
    memory : int
        The maximum number of bytes to use.
    named : bool, default True
        Whether the parts themselves name their systems; otherwise these are named after the files.
    executor : concurrent.futures.Executor, optional
        Where pieces are counted; by default threads of this process.
    progress : callable, optional
        Called as work proceeds, with a `PassState` after each piece.
    check : callable, optional
        Called with the survey of the first pass; raises an error if it is invalid.

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
        """The description of the trials; it takes a pass when it is first needed."""
        if self._survey is None:
            self.answer(())
        assert self._survey is not None
        return self._survey

    @property
    def genuine(self) -> int:
        """The number of genuine trials."""
        return self.survey.genuine

    @property
    def impostor(self) -> int:
        """The number of impostor trials."""
        return self.survey.impostor

    def __len__(self) -> int:
        return self.genuine + self.impostor

    def __bool__(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a report should know; notes on some of the parts with their number."""
        counted = sorted(self.survey.notes.items(), key=lambda note: str(note[0]))
        notes = [note if len(self._parts) == 1 else f"{note} (in {plural(parts, 'part')})" for note, parts in counted]
        return (*self.survey.taken, *notes, "read in pieces: whether a trial occurs twice was not looked at")

    def same_as(self, other: Any) -> bool:
        """Compare the parts that two sets of trials are read from.

        Parameters
        ----------
        other : object
            Any trials.

        Returns
        -------
        bool
            Whether they are the same.
        """
        return isinstance(other, OpenTrials) and self._parts == other._parts

    def run_together(self, works: Sequence[Callable[[], Total]]) -> list[Total]:
        """Run functions that count trials in passes, and let each pass answer all of them; see `answer_together`."""
        return answer_together(works)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the trials."""
        return self.survey.ids

    @property
    def roster(self) -> Roster:
        """The names of all people."""
        return self.survey.roster

    def people_between(
        self, systems: Sequence[str], thresholds: Sequence[Floats], cluster: Cluster, numbers: Mapping[str, int]
    ) -> PersonCounts:
        """Count people by the numbers of their trials between thresholds.

        Parameters
        ----------
        systems : sequence of str
            The names of the systems.
        thresholds : sequence of ndarray of float
            For each system, rising thresholds.
        cluster : {"none", "claim", "subject", "both"}
            What dependent trials share.
        numbers : dict of str to int
            The number of each person by name.

        Returns
        -------
        PersonCounts
            The counts by cell: by the combination of the numbers of thresholds below the scores of a trial.
        """
        names = tuple(map(self.check_system, systems))
        counter = ask(self, PeopleQuestion(names, tuple(thresholds), CLUSTER_ROLES[cluster], cluster != "none"))
        ranks = counter.ranks_by_person()
        return PersonCounts.of_names(cluster, ranks.names, ranks.counts, ranks.totals, numbers)

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
        first = [SurveyQuestion()] if self._survey is None else []
        asked: list[Any] = [*first, *questions]
        size = sum(part.size for part in self._parts)
        # count enough parts together that adding up takes little time, but leave work for all workers
        enough = max(min(1 << 27, size // 64), size // 4096)
        tasks: list[list[Part]] = [[]]
        for part in self._parts:
            if sum(other.size for other in tasks[-1]) > enough:
                tasks.append([])
            tasks[-1].append(part)
        report = self._progress or (lambda state: None)
        report(PassState(self.passes, 0, 0, size))
        totals, rows, read = [question.start() for question in asked], 0, 0
        for some in run_tasks(partial(answer_parts, asked, self.systems), tasks, self._executor):
            totals = [question.merge(*pair) for question, *pair in zip(asked, totals, some.totals, strict=True)]
            rows, read = rows + some.rows, read + some.size
            report(PassState(self.passes, rows, read, size))
        if first:
            survey, *totals = totals
            if self._check is not None:
                self._check(survey)
            check_classes(survey.genuine, survey.impostor, self.origin)
            self._survey = survey
        return totals

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
            samples = []
            for index in np.unique(np.linspace(0, len(self._parts) - 1, 16).astype(int)).tolist():
                read = (each.trials.scores for each in self._parts[index].trials(self.systems) if len(each.trials))
                samples += [scores[:: max(1, len(scores) // 4096)] for scores in islice(read, 1)]
            if not samples:
                raise TrialsError(f"{self.origin}: holds no trial")
            self._samples = dict(zip(self.systems, np.concatenate(samples).T, strict=True))
        return self._samples[system]

    @property
    def rows(self) -> int | None:
        """The number of trials, if it is known without a pass."""
        if self._survey is not None:
            return len(self)
        rows = [part.rows for part in self._parts if part.rows is not None]
        return sum(rows) if len(rows) == len(self._parts) else None


class OpenSource:
    """The scores of one system in open trials: a source like arrays in memory."""

    def __init__(self, trials: OpenTrials, system: str) -> None:
        self._trials = trials
        self._system = system
        self._cells: Cells | None = None
        self._counts: Any = None

    @property
    def genuine(self) -> int:
        """The number of genuine scores."""
        return self._trials.genuine

    @property
    def impostor(self) -> int:
        """The number of impostor scores."""
        return self._trials.impostor

    @property
    def room(self) -> int:
        """The number of scores that may be gathered at once, if fewer will do."""
        return min((self.genuine + self.impostor) // 8, self._trials.memory // _BYTES_FOR_EACH)

    def lay_cells(self, fineness: int) -> Cells | None:
        """Lay the most cells allowed, whatever the fineness: they are counted once, and used for every search."""
        rows = self._trials.rows
        if rows is not None and rows <= SORT_AT_ONCE:
            return None
        if self._cells is None:
            # at most as many as fit in cache
            most = MAX_CELLS if rows is None else min(max(MAX_CELLS, rows // 64), 1 << 20)
            self._cells = fit_cells(self._trials.sample_of(self._system), most)
        return self._cells

    def tally(self, what: Tally[Total]) -> Total:
        """Pass over all scores, unless the answer is known."""
        is_known = isinstance(what, CellTally) and what.cells is self._cells
        if is_known and self._counts is not None:
            counts: Total = self._counts.copy()
            return counts
        scores = self.genuine + self.impostor if isinstance(what, GatherTally) and what.cells is None else 0
        if scores * _BYTES_FOR_EACH > self._trials.memory:
            raise TrialsError(
                f"{self._trials.origin}: this needs all {scores:,} scores of {self._system} in memory at once; choose "
                'a criterion that does not, such as eer, or allow more memory, as in memory="16GB"'
            )
        total: Total = ask(self._trials, ScoreQuestion((self._system,), what))
        if is_known:
            self._counts = total.copy()  # type: ignore[attr-defined]
        return total


@dataclass(frozen=True, slots=True, eq=False)
class ChunkPart:
    """Chunks of trials: a chunk, an iterable of them that can be repeated, or a function that gives one of both."""

    chunks: Any
    systems: tuple[str, ...]
    nan: NanPolicy
    name: str
    rows: int | None = None
    size: int = 1

    def trials(self, systems: Sequence[str], *, everything: bool = False) -> Iterator[ReadTrials]:
        """Give the trials of some systems, chunk by chunk."""
        for index, chunk in enumerate(_chunks(self.chunks)):
            try:
                trials = _as_trials(chunk, self.systems, self.nan)
                missing = [name for name in self.systems if name not in trials.systems]
                if missing:
                    raise TrialsError(f"has no scores of {listed(missing)}")
            except TrialsError as error:
                where = f"{self.name}, chunk {index}" if self.rows is None else self.name
                raise TrialsError(f"{where}: {error}") from error
            if len(trials):
                yield ReadTrials(trials.select(systems))


def _chunks(given: Any) -> Iterable[Any]:
    chunks = given() if callable(given) else given
    return [chunks] if isinstance(chunks, (Trials, tuple)) else chunks


def _as_trials(chunk: Any, systems: Sequence[str] | None, nan: NanPolicy) -> Trials:
    """Make trials of a chunk: trials, or a pair of scores and a mask of those that are genuine."""
    if isinstance(chunk, Trials):
        return chunk
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return Trials.from_arrays(*chunk, systems=systems, nan=nan)
    raise TrialsError(f"a chunk must be Trials or a pair (scores, genuine), not {type(chunk).__name__}")


def array_parts(
    scores: NDArray[Any], genuine: Any, systems: Sequence[str] | None, nan: NanPolicy, rows: int
) -> tuple[tuple[str, ...], list[ChunkPart]]:
    """Give the systems and the parts of arrays of one row per trial, which may lie on disk."""
    table = scores[:, None] if scores.ndim == 1 else scores
    flags = np.asanyarray(genuine)
    if table.ndim != 2 or flags.shape != table.shape[:1] or flags.dtype != np.bool_:
        raise TrialsError(
            f"scores of shape {scores.shape} need a boolean array genuine with one entry per trial, not {flags.dtype} "
            f"of shape {flags.shape}"
        )
    names = Trials.from_arrays(table[:0], flags[:0], systems=systems).systems
    cut = [(k, table[k : k + rows], flags[k : k + rows]) for k in range(0, len(flags), rows)]
    return names, [
        ChunkPart((part, right), names, nan, f"rows from index {k:,} on", len(right), part.nbytes + right.nbytes)
        for k, part, right in cut
    ]


def chunk_parts(data: Any, systems: Sequence[str] | None, nan: NanPolicy) -> tuple[tuple[str, ...], list[ChunkPart]]:
    """Give the systems and the parts of an iterable of chunks, or of a function that gives one."""
    if not callable(data) and hasattr(data, "__next__"):
        raise ParameterError(
            "trials are read more than once, and a generator gives its chunks only once; give the function that makes "
            "it, as in open_trials(chunks) instead of open_trials(chunks())"
        )
    given: list[Any] = list(data) if isinstance(data, (list, tuple)) else [data]
    first = next((chunk for part in given for chunk in _chunks(part)), None)
    if first is None:
        raise TrialsError("there is no chunk of trials")
    try:
        names = _as_trials(first, systems, nan).systems
    except TrialsError as error:
        raise TrialsError(f"part 0, chunk 0: {error}") from error
    return names, [ChunkPart(part, names, nan, f"part {index}") for index, part in enumerate(given)]


_LEAST_MEMORY = 64 * 10**6
_LEAST_READ = 1 << 16
_SHARE = 8  # a thread reads 1/8 of its memory at once: columns are decoded, checked and counted


def open_trials(
    data: Any,
    genuine: Any = None,
    *,
    systems: Sequence[str] | None = None,
    format: str | None = None,
    memory: int | str = "1GB",
    executor: Executor | None = None,
    progress: Callable[[PassState], None] | None = None,
    **options: Any,
) -> OpenTrials:
    """Open trials that need not fit in memory; they are read, piece by piece, when they are needed.

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
        The name of a format in `FORMATS`; by default it is detected from the content of the files.
    memory : int or str, default "1GB"
        The memory to use for reading and gathering scores, in bytes or as in ``"1GB"``.
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
        Trials for `evaluate`, `performance_curve` and others, instead of `Trials`.

    Raises
    ------
    InputError
        As for `read_trials`; errors further down in a file are raised in the first pass.
    TrialsError
        As for `read_trials`.
    ParameterError
        If an option does not apply to the data, or the memory is not a size.

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
    some = data if isinstance(data, (list, tuple)) and data else [data]
    is_files = all(isinstance(entry, (str, PathLike)) for entry in some)
    if not is_files and not hasattr(data, "get_fragments"):
        names, chunks = chunk_parts(data, systems, options.pop("nan", "error"))
        _refuse(options, "chunks")
        return open_(chunks, names, origin="the chunks")
    settings = as_options({**options, **({} if systems is None else {"systems": systems})})
    if is_files:
        origin = ", ".join(fspath(path) for path in some[:3])
        if isinstance(data, str) and re.match(r"[a-z0-9+]{2,}://", data):
            fragments = dataset_pieces(remote_dataset(data), settings, size, name=data)
            names, pieces = set_of_pieces(fragments, settings, "parquet", data)
        else:
            names, pieces = open_pieces(data, format, settings, size)
        named = bool(settings.names) or all(each.roles.named for each in pieces)
    else:
        origin, named = "the dataset", True
        names, pieces = set_of_pieces(dataset_pieces(data, settings, size, name=origin), settings, "dataset", origin)
    # labels have one coding over all pieces, and those that were given occur somewhere
    return open_(
        pieces, names, origin=origin, named=named, check=lambda survey: check_labels(survey.labels, settings, origin)
    )


def _refuse(options: dict[str, Any], what: str) -> None:
    if options:
        raise ParameterError(f"{', '.join(options)}: does not apply to {what}")


def check_memory(memory: int | str) -> int:
    """Read a number of bytes, also given as in "1GB", and check that it is enough to work with."""
    try:
        size = memory if isinstance(memory, int) else read_bytes(memory)
    except ParameterError as error:
        text = f"memory must be a number of bytes, as in 500MB or 4GB, not {shown(memory)}"
        raise ParameterError(text) from error
    if size < _LEAST_MEMORY:
        raise ParameterError(f"memory of {memory} is too little to work with; give at least {_LEAST_MEMORY // 10**6}MB")
    return size
