"""Trials of any number that are read, and read again, piece by piece: every figure is exact, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from fairtrial.checks import check_classes
from fairtrial.counted_people import CountedPeople
from fairtrial.counting.cells import Cells, fit_cells
from fairtrial.counting.errors import MAX_CELLS, SORT_AT_ONCE, Scores, Tally
from fairtrial.counting.search import CellTally, GatherTally
from fairtrial.errors import TrialsError, listed
from fairtrial.people import Cluster
from fairtrial.scale.arguments import check_system
from fairtrial.scale.passing import Answers, Part, Pass, PeopleQuestion, Question, ScoreQuestion, Survey
from fairtrial.scale.running import run_tasks
from fairtrial.scale.sharing import watched_people
from fairtrial.scale.together import ask
from fairtrial.spread import Floats
from fairtrial.tables import plural

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
        return watched_people(ask(self, asked), system=system)

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
