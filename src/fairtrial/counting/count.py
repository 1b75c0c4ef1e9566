"""Count the scores of files into one small file of counts, and merge such files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from fairtrial.core.errors import InputError, ParameterError, TrialsError
from fairtrial.core.notes import Note, distances_in
from fairtrial.core.parameters import read_number
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import as_in_files, listed
from fairtrial.counting.counter import Counter, load_counters
from fairtrial.formats.files import COUNTS, PathLike, Progress, expand
from fairtrial.formats.opening import can_be_cut, open_pieces
from fairtrial.formats.pieces import ReadTrials
from fairtrial.formats.read import read_trials
from fairtrial.formats.results import check_target
from fairtrial.formats.sheets import ReadOptions, check_labels


@dataclass(frozen=True, slots=True, repr=False)
class CountsFile(Result):
    """A file of counts that was written.

    Attributes
    ----------
    counter : Counter
        Its content.
    out : str
        Its name.
    notes : tuple of Note or str
        What the reader should know.
    """

    FIELDS: ClassVar = (
        Field("out"),
        *(Field(name, get=f"counter.{name}") for name in ("systems", "genuine", "impostor", "precision")),
        Field("thresholds"),
        Field("ids", get="counter.roles"),
        *map(Field, ("cells", "exact", "notes")),
    )
    counter: Counter
    out: str
    notes: tuple[Note | str, ...] = ()

    @property
    def thresholds(self) -> dict[str, list[float]]:
        """The thresholds known beforehand, by system."""
        return {name: sorted(as_in_files(name, [*values])) for name, values in self.counter.thresholds.items()}

    @property
    def cells(self) -> dict[str, int]:
        """The number of cells by system."""
        return {name: len(self.counter.cells(name)) for name in self.counter.systems}

    @property
    def exact(self) -> bool:
        """Whether every distinct score has a cell."""
        return all(self.counter.cells(name).level == 0 for name in self.counter.systems)

    def answer(self) -> str:
        """Give the numbers of trials and cells."""
        counter, most = self.counter, max(self.cells.values())
        kept = f"{most:,} distinct scores, all kept" if self.exact else f"up to {most:,} cells"
        trials = f"{counter.genuine:,} genuine and {counter.impostor:,} impostor trials"
        return f"{self.out}: {trials}, systems {', '.join(counter.systems)}; {kept}"

    def tables(self) -> tuple[Table, ...]:
        """Give the notes."""
        return (Table("counts", "", (), (), self.notes),)


def count_files(
    paths: Sequence[PathLike] | Trials,
    out: PathLike,
    *,
    precision: float = 1e-4,
    thresholds: Sequence[str] = (),
    together: bool = False,
    progress: Progress = lambda amount: None,
    **reading: Any,
) -> CountsFile:
    """Count the scores of files, any number of them, into one small file of counts.

    Parameters
    ----------
    paths : sequence of path-like, or Trials
        Score files, globs and directories; or the trials themselves.
    out : path-like
        The file of counts to write, P.ftc.
    precision : float, default 0.0001
        The largest distance of the bounds of an error rate, relative to the rate; it decides the number of cells.
    thresholds : sequence of str, default ()
        Thresholds known beforehand, for all systems or for one: errors there are counted exactly, and by person if the
        files have ids.
    together : bool, default False
        Whether the files are one set of trials, such as lists of genuine and impostor scores, or several systems;
        otherwise each file holds trials of its own, and one is read at a time.
    progress : callable, optional
        Called with the number of bytes read.
    **reading : object
        The fields of `ReadOptions`.

    Returns
    -------
    CountsFile
        What was written.

    Raises
    ------
    InputError
        If a file cannot be read, or holds other systems than those before it.
    """
    check_target(out, (COUNTS,))
    counter: Counter | None = None
    notes: dict[Note | str, None] = {}
    for name, (trials, _, taken) in _sets(paths, progress, together, reading):
        if counter is None:
            by_system, distances = _by_system(thresholds, trials.systems), distances_in(trials.notes)
            for system in distances:
                by_system[system] = [0.0 - value for value in by_system[system]]
            counter = Counter(trials.systems, precision=precision, thresholds=by_system, distances=distances)
        elif set(trials.systems) != set(counter.systems):
            raise InputError(
                f"{name}: holds the systems {listed(trials.systems)}, the files before {listed(counter.systems)}; "
                "files of several systems of the same trials are counted with --together"
            )
        try:
            counter.update(trials)
        except TrialsError as error:
            raise InputError(f"{name}: {error}") from error
        lines = [re.sub("; kept besides: [^;]*", "", line) for line in taken]  # a counter keeps no further columns
        notes |= dict.fromkeys((*lines, *trials.notes))
    assert counter is not None
    counter.save(out)
    return CountsFile(counter, str(out), tuple(notes))


def merge_files(
    paths: Sequence[PathLike], out: PathLike, *, progress: Callable[[int], None] | None = None
) -> CountsFile:
    """Merge files of counts into one; their order does not matter.

    Parameters
    ----------
    paths : sequence of path-like
        Files of counts of the same systems, precision and thresholds.
    out : path-like
        The file of counts to write, M.ftc.
    progress : callable, optional
        Called after each file.

    Returns
    -------
    CountsFile
        What was written.
    """
    check_target(out, (COUNTS,))
    counter = load_counters(expand(paths), progress=progress)
    counter.save(out)
    return CountsFile(counter, str(out))


def _sets(
    paths: Sequence[PathLike] | Trials, progress: Progress, together: bool, reading: dict[str, Any]
) -> Iterator[tuple[str, ReadTrials]]:
    """Give the trials of each file, or of all of them, with a name to call them by."""
    if isinstance(paths, Trials):
        yield "trials", ReadTrials(paths)
        return
    if together:
        yield listed(paths, 3), ReadTrials(read_trials(paths, progress=progress, **reading))
        return
    for path in expand(paths):
        for read in _trials_of(path, progress, **reading):
            if not reading.get("names") and len(read.trials.systems) == 1 and not reading.get("systems"):
                # a file of one system may be called after itself: those that follow are the same system
                reading = {**reading, "names": read.trials.systems}
            yield str(path), read


def _trials_of(path: Path, progress: Progress, *, format: str | None = None, **reading: Any) -> Iterator[ReadTrials]:
    """Give the trials of a file, piece by piece if its format allows it; those of a key are read whole."""
    if reading.get("key") or not can_be_cut(path, format):
        yield ReadTrials(read_trials(path, progress=progress, format=format, **reading))
        return
    options = ReadOptions(**reading)
    systems, pieces = open_pieces(path, format, options, 1 << 26)
    labels: frozenset[str] = frozenset()
    for piece in pieces:
        for read in piece.trials(systems, everything=True):
            labels |= read.labels
            yield read
        progress(piece.size)
    check_labels(labels, options, str(path))


def _by_system(given: Sequence[str], systems: Sequence[str]) -> dict[str, list[float]]:
    by_system: dict[str, list[float]] = {name: [] for name in systems}
    for entry in given:
        name, equals, numbers = entry.rpartition("=")
        try:
            values = [read_number(number) for number in numbers.split(",")]
        except ParameterError as error:
            raise ParameterError(
                "{thresholds!p} {entry}: expected numbers separated by commas, as in 0.5,0.7 or face=0.5,0.7",
                thresholds=given, entry=entry,
            ) from error  # fmt: skip
        if equals and name not in by_system:
            raise ParameterError(
                "{thresholds!p} {entry}: there is no system {name!r}; there are {systems:list}",
                thresholds=given, entry=entry, name=name, systems=systems,
            )  # fmt: skip
        for system in [name] if equals else systems:
            by_system[system] += values
    return by_system
