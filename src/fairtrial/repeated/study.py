"""Coverage studies of many cells on several workers, with a journal from which a stopped study resumes."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections import abc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import IO, Any, ClassVar

import numpy as np

from fairtrial.core.errors import (
    FairtrialError,
    InputError,
    OutputError,
    ParameterError,
    check_choice,
    check_confidence,
    check_number,
    check_resamples,
    check_seed,
    check_workers,
)
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import level_text, levels_text, plural
from fairtrial.formats.files import ATTEMPTS, PathLike, is_at, lock
from fairtrial.formats.results import write_tables
from fairtrial.repeated.attempts import PeopleLike, as_individuals
from fairtrial.repeated.coverage import RIGHT_COVERAGE, Cell, CoverageRow, GridName, cover, cover_exactly, grid_of
from fairtrial.repeated.generators import GENERATORS, Generator
from fairtrial.repeated.methods import PAPER_METHODS, REPEATED_METHODS, known_method
from fairtrial.repeated.paper_claims import ClaimsFound, check_claims

_CHECKSUM = 9
"""Bytes that a line begins with: eight digits and a space."""
_SYNC_EVERY = 1.0
"""Seconds of work that a power cut may lose; a process that is killed loses none."""
_FEW_CELLS = 16


@dataclass(slots=True, eq=False)
class Journal:
    """The rows of finished cells, which are written down as they come."""

    done: dict[Cell, list[CoverageRow]]
    _file: IO[bytes] | None = None
    _header: bytes = b""
    _synced: float = field(default_factory=time.monotonic)

    def note(self, cell: Cell, rows: list[CoverageRow]) -> None:
        """Keep the rows of a cell, and write them down at once."""
        self.done[cell] = rows
        if self._file is None:
            return
        begin = b"" if os.fstat(self._file.fileno()).st_size else self._header + b"\n"
        self._file.write(begin + _sealed([row.to_dict() for row in rows]) + b"\n")
        self._file.flush()
        if time.monotonic() > self._synced + _SYNC_EVERY:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()


@contextmanager
def open_journal(path: PathLike | None, settings: dict[str, Any], cells: Sequence[Cell]) -> Iterator[Journal]:
    """Open the journal of a study of these cells; without a path, nothing is written.

    Parameters
    ----------
    path
        The file; it is created if need be, and removed again if no cell was finished.
    settings
        The settings of the study. A journal with other settings or cells is refused.
    cells
        All cells of the study.

    Raises
    ------
    InputError
        If it is the journal of another study, or damaged.
    OutputError
        If the file cannot be written, or another process is using it.
    """
    if path is None:
        yield Journal({})
        return
    place = Path(path)
    every = hashlib.sha256(repr([astuple(cell) for cell in cells]).encode()).hexdigest()
    header = _sealed({**settings, "cells": every})
    try:
        for attempt in range(ATTEMPTS):
            with open(place, "a+b") as file:
                if lock(file.fileno()) == "taken":
                    raise OutputError(
                        f"{path}: another process is at work on this study; wait for its end, or name another file"
                    )
                if not is_at(file.fileno(), place) and attempt < ATTEMPTS - 1:
                    continue  # the other process removed it before it was locked
                try:
                    yield Journal(_read(file, place, header), file, header)
                finally:
                    if not os.fstat(file.fileno()).st_size:
                        place.unlink(missing_ok=True)
                return
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def remove_journal(path: PathLike) -> None:
    """Remove a journal that is not needed any more, unless another process is using it."""
    try:
        with open(path, "rb") as file:
            if lock(file.fileno()) != "taken":
                Path(path).unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed: {error.strerror or error}") from error


def _read(file: IO[bytes], path: Path, header: bytes) -> dict[Cell, list[CoverageRow]]:
    """Read the finished cells, and drop a line that was cut off when the study was stopped."""
    file.seek(0)
    lines = file.read().split(b"\n")
    tail = lines.pop()
    if not (lines[0] == header if lines else header.startswith(tail)):
        if not (lines and _is_sealed(lines[0])):
            raise InputError(
                f"{path}: is not a journal, or its first line is damaged; name another file, or remove this one"
            )
        raise InputError(
            f"{path}: is the journal of a study with other settings or cells; use those, remove the file to start "
            "again, or name another file"
        )
    if tail:
        file.truncate(sum(len(line) + 1 for line in lines))
    done = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            if not _is_sealed(line):
                raise ValueError("its checksum does not match its content")
            rows = [CoverageRow(**entry) for entry in json.loads(line[_CHECKSUM:])]
            done[Cell(rows[0].n, int(rows[0].m), rows[0].pi, rows[0].rho)] = rows
        except (ValueError, TypeError, IndexError, RecursionError) as error:
            message = f"{path}, line {number}: is damaged: {error}; remove the file to start again"
            raise InputError(message, code="damaged-journal") from error
    return done


def _sealed(content: Any) -> bytes:
    """Write a line of a journal, with its checksum first."""
    text = json.dumps(content).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


def _is_sealed(line: bytes) -> bool:
    return line[:_CHECKSUM] == b"%08x " % zlib.crc32(line[_CHECKSUM:])


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study, which are the same for all cells.

    Parameters
    ----------
    methods : tuple of str, default ("dr", "bp", "sb", "bb", "lbb", "brr")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``; the six of the paper by default.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated; see `errors_pmf`.
    data_sets : int, default 1000
        How many data sets are simulated, in each cell.
    n_resamples : int or None, default 1000
        How many resamples are drawn, for ``sb`` and ``brr``; None stands for infinitely many.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.
    exact : bool, default False
        All possible data sets instead of simulated ones, as if with infinitely many resamples.
    seed : int, default 0
        Every cell draws from a stream of its own that depends on this seed and on the cell alone.

    Raises
    ------
    ParameterError
        If a setting is unknown or out of range.

    Examples
    --------
    >>> StudySettings(methods=("bp", "lbb"), exact=True).generator
    'oman-zucker'
    """

    methods: tuple[str, ...] = PAPER_METHODS
    generator: Generator = "oman-zucker"
    data_sets: int = 1000
    n_resamples: int | None = 1000
    confidence: float = 0.95
    exact: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.methods:
            known_method(name)
        if not self.methods:
            raise ParameterError(f"name at least one method of {', '.join(REPEATED_METHODS)}")
        check_choice("generator", self.generator, GENERATORS)
        check_number("data set", self.data_sets, most=10**9)
        if self.n_resamples:
            check_resamples(self.n_resamples)
        check_seed(self.seed)
        check_confidence(self.confidence)

    def cover(self, cell: Cell, *, attempts: Sequence[int] | None = None) -> list[CoverageRow]:
        """Compute the rows of one cell.

        Parameters
        ----------
        cell : Cell
            People, attempts, error rate and correlation.
        attempts : sequence of int, optional
            The attempts of each person, if they are not `cell.m` for all.

        Returns
        -------
        list of CoverageRow
            One row per method.
        """
        if self.exact:
            return cover_exactly(cell, methods=self.methods, generator=self.generator, confidence=self.confidence)
        return cover(
            cell,
            methods=self.methods,
            generator=self.generator,
            data_sets=self.data_sets,
            n_resamples=self.n_resamples,
            confidence=self.confidence,
            rng=self.seed,
            attempts=attempts,
        )


@dataclass(frozen=True, slots=True, repr=False)
class CoverageStudy(Result):
    """The rows of all cells, in the order of the cells and methods.

    Attributes
    ----------
    settings : StudySettings
        What is the same for all cells.
    rows : tuple of CoverageRow
        One row per cell and method.
    claims : ClaimsFound or None
        The claims of the paper, if they were checked.

    Examples
    --------
    >>> from fairtrial.repeated import Cell, StudySettings, run_study
    >>> study = run_study([Cell(100, 2, 0.1, 0.2)], StudySettings(methods=("lbb", "sb"), exact=True))
    >>> [(row.method, round(row.coverage, 3)) for row in study.rows]
    [('lbb', 0.955), ('sb', 0.784)]
    """

    FIELDS: ClassVar = (
        Field("settings", get=lambda study: asdict(study.settings)),
        Field("cells", get="rows"),
    )
    settings: StudySettings
    rows: tuple[CoverageRow, ...]
    claims: ClaimsFound | None = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """The methods whose level of confidence is another."""
        return tuple(
            Note("fixed-level", "{method} is always a {level:level} interval", method=method.name, level=method.level)
            for method in map(known_method, self.settings.methods)
            if method.level is not None and method.level != self.settings.confidence
        )

    def share_within(self, low: float = RIGHT_COVERAGE[0], high: float = RIGHT_COVERAGE[1]) -> dict[str, float]:
        """Compute the proportion of cells whose coverage lies between two limits, by method.

        Parameters
        ----------
        low : float, default 0.925
            The limits of the coverage, both included.
        high : float, default 0.975
            The limits of the coverage, both included.

        Returns
        -------
        dict of str to float
            The proportion by method.
        """
        shares = {}
        for method in self.settings.methods:
            coverage = np.array([row.coverage for row in self.rows if row.method == method])
            shares[method] = float(np.mean((coverage >= low) & (coverage <= high)))
        return shares

    def to_dict(self) -> dict[str, Any]:
        """Give the study as a dict, with the claims of the paper if they were checked."""
        return {**Record.to_dict(self), **({} if self.claims is None else self.claims.to_dict())}

    def answer(self) -> str:
        """How many cells, and of which kind."""
        cells = len(self.rows) // len(self.settings.methods)
        how = "all data sets" if self.settings.exact else f"{plural(self.settings.data_sets, 'data set')} per cell"
        kind = f"{level_text(self.settings.confidence)} intervals, {self.settings.generator}"
        return f"{plural(cells, 'cell')}, {kind}, {how}"

    def tables(self) -> tuple[Table, ...]:
        """One row per cell and method; for a few cells the coverage side by side, for many a row per method."""
        coverage = {(*row.cell, row.method): row.coverage for row in self.rows}
        cells = list(dict.fromkeys(row.cell for row in self.rows))
        shown = None if len(cells) == 1 else ()
        caption = f"Coverage: {self.answer()}"
        tables = [table_of("cells", caption, CoverageRow.FIELDS, self.rows, notes=self.notes, shown=shown)]
        if len(cells) > _FEW_CELLS:
            tables.append(self.by_method())
        elif len(cells) > 1:
            methods = self.settings.methods
            columns = [*CoverageRow.FIELDS[:4], *(Column(name, name, "rate") for name in methods)]
            rows = tuple((*cell, *(coverage[*cell, name] for name in methods)) for cell in cells)
            tables.append(Table("coverage", f"Coverage by method: {self.answer()}", tuple(columns), rows))
        return (*tables, *(() if self.claims is None else self.claims.tables()))

    def by_method(self) -> Table:
        """Give one row per method: the cells with the right coverage, and the mean and the lowest coverage.

        Returns
        -------
        Table
            The table.
        """
        columns = (
            Column("method", "method"),
            Column("within", f"cells with {levels_text(*RIGHT_COVERAGE)} coverage,", "rate"),
            Column("mean", "mean coverage", "rate"),
            Column("lowest", "lowest coverage", "rate"),
            Column("undefined", "undefined", "rate"),
        )
        rows = []
        for name, within in self.share_within().items():
            of_method = [row for row in self.rows if row.method == name]
            coverage = [row.coverage for row in of_method]
            undefined = sum(row.undefined for row in of_method) / len(of_method)
            rows.append((name, within, sum(coverage) / len(of_method), min(coverage), undefined))
        return Table("methods", f"Methods: {self.answer()}", columns, tuple(rows), self.notes)

    def write(self, path: PathLike) -> None:
        """Write one row per cell and method, as the ending of the name says: see `write_tables`.

        Parameters
        ----------
        path : str or path-like
            The file; the ending of its name says how.
        """
        write_tables(self.tables(), path)


def coverage_study(
    *,
    grid: GridName | None = None,
    n: int | Sequence[int] | None = None,
    m: int | Sequence[int] | None = None,
    pi: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
    like: PeopleLike | None = None,
    claims: bool = False,
    methods: Sequence[str] = PAPER_METHODS,
    generator: Generator = "oman-zucker",
    data_sets: int = 1000,
    n_resamples: int | None = 1000,
    confidence: float = 0.95,
    exact: bool = False,
    seed: int = 0,
    workers: int | None = None,
    journal: PathLike | None = None,
    progress: Callable[[int], None] | None = None,
) -> CoverageStudy:
    """Study the coverage of the intervals for repeated attempts: in the cells of a grid, or on data like these.

    Parameters
    ----------
    grid : {"paper", "quick"}, optional
        All cells of the paper, or a few of them; ``quick`` by default.
    n, m, pi, rho : number or sequence of numbers, optional
        Numbers of people, attempts of each, error rates and correlations, instead of the grid's. With `like`, `pi` and
        `rho` are single numbers.
    like : Individuals, path or tuple of (array_like, array_like), optional
        Instead of a grid: the errors and attempts of people; a path is that of a table with columns of both.
    claims : bool, default False
        Whether the claims of the paper are checked, too.
    methods, generator, data_sets, n_resamples, confidence, exact, seed
        As of `StudySettings`.
    workers, journal, progress
        As of `run_study`.

    Returns
    -------
    CoverageStudy
        One row per cell and method.

    Raises
    ------
    ParameterError
        If an option is out of range, or does not apply with `exact` or `like`.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, sections 3 to 5.

    Examples
    --------
    >>> study = coverage_study(n=100, m=2, pi=0.1, rho=0.2, methods=["lbb"], exact=True)
    >>> round(study.rows[0].coverage, 3)
    0.955
    """
    settings = StudySettings(tuple(methods), generator, data_sets, n_resamples, confidence, exact, seed)
    if workers is not None:
        check_workers(workers)
    usual = StudySettings()
    for name in ("data_sets", "n_resamples", "seed"):
        if exact and getattr(settings, name) != getattr(usual, name):
            raise ParameterError(
                f"{{{name}!p}} applies to simulated data sets, not with {{exact!p}}", code="does-not-apply", exact=exact
            )
    if like is None:
        cells = grid_of(grid or "quick", n=n, m=m, pi=pi, rho=rho)
        study = run_study(cells, settings, workers=workers, journal=journal, progress=progress)
    else:
        for name, given in (("grid", grid), ("n", n), ("m", m), ("workers", workers)):
            if given is not None:
                raise ParameterError(
                    f"{{{name}!p}} does not go with {{like!p}}, which has one cell", code="does-not-apply", like=like
                )
        single: dict[str, float | None] = {}
        for name, values in (("pi", pi), ("rho", rho)):
            if isinstance(values, Sequence):
                if len(values) > 1:
                    raise ParameterError(f"{{{name}!p}} must be one number with {{like!p}}", like=like)
                values = values[0]
            single[name] = values
        study = study_like(like, settings, **single)
    return replace(study, claims=check_claims(study)) if claims else study


def run_study(
    cells: Iterable[Cell],
    settings: StudySettings | None = None,
    *,
    workers: int | None = None,
    journal: PathLike | None = None,
    progress: Callable[[int], None] | None = None,
) -> CoverageStudy:
    """Compute the coverage of all cells.

    Parameters
    ----------
    cells : iterable of Cell
        Cells in any order, such as a `Grid`.
    settings : StudySettings, optional
        The settings of the study; by default `StudySettings()`.
    workers : int, optional
        How many work at once; the result does not depend on it. They are threads, by default one per processor.
    journal : str or path-like, optional
        A file that finished cells are written to at once. If it exists, its cells are not computed again; it must be of
        a study with the same settings and cells.
    progress : callable, optional
        Called as work proceeds, with the number of cells that were finished since the last call.

    Returns
    -------
    CoverageStudy
        The rows in the order of the cells.

    Raises
    ------
    ParameterError
        If there is no worker, or a cell is too large for exact coverage.
    InputError
        If the journal is that of another study.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> study = run_study([Cell(1000, 5, 0.01, 0.05)], StudySettings(methods=("lbb",), data_sets=500))
    >>> 0.9 < study.rows[0].coverage < 1
    True
    """
    settings = settings or StudySettings()
    if workers is not None:
        check_workers(workers)
    listed = list(cells)
    with open_journal(journal, asdict(settings), listed) as kept:
        if progress is not None and kept.done:
            progress(sum(cell in kept.done for cell in listed))
        missing = [cell for cell in dict.fromkeys(listed) if cell not in kept.done]
        with closing(_in_parallel(missing, settings.cover, workers or os.cpu_count() or 1)) as finished:
            for cell, rows in finished:
                kept.note(cell, rows)
                if progress is not None:
                    progress(1)
    return CoverageStudy(settings, tuple(row for cell in listed for row in kept.done[cell]))


def study_like(
    people: PeopleLike,
    settings: StudySettings | None = None,
    *,
    pi: float | None = None,
    rho: float | None = None,
) -> CoverageStudy:
    """Compute the coverage on data like these: as many people and attempts, and the estimated rate and correlation.

    Parameters
    ----------
    people : Individuals, path or tuple of (array_like, array_like)
        The errors and attempts of people, one data set; a path is that of a table with columns of both.
    settings : StudySettings, optional
        The settings of the study; by default `StudySettings()`.
    pi : float, optional
        The error rate, a fraction, instead of the estimate.
    rho : float, optional
        The correlation between two attempts of a person, instead of the estimate; a negative estimate counts as 0.

    Returns
    -------
    CoverageStudy
        Of one cell.

    Raises
    ------
    ParameterError
        If there is no error to estimate from, or attempts differ and the coverage is to be exact.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5.

    Examples
    --------
    >>> study = study_like(([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5), StudySettings(methods=("bp",), exact=True))
    >>> round(study.rows[0].coverage, 3)
    0.841
    """
    settings, people = settings or StudySettings(), as_individuals(people)
    rate = float(people.estimate) if pi is None else pi
    if not 0 < rate < 1:
        raise ParameterError(
            "the error rate of these data is {rate:g}: a study needs one above 0 and below 1, as in {pi!o}",
            rate=rate,
            pi=0.01,
        )
    correlation = float(np.clip(np.nan_to_num(people.rho), 0, 1)) if rho is None else rho
    mean = float(people.total_attempts / people.individuals)
    cell = Cell(int(people.individuals), round(mean), rate, correlation)
    if len(np.unique(people.attempts)) == 1:
        return CoverageStudy(settings, tuple(settings.cover(cell)))
    if settings.exact:
        raise ParameterError("exact coverage needs the same number of attempts of everybody; simulate these data")
    attempts = np.repeat(people.attempts, people.counts.astype(np.int64)).astype(np.int64)
    rows = settings.cover(cell, attempts=attempts.tolist())
    return CoverageStudy(settings, tuple(replace(row, m=mean) for row in rows))


def _in_parallel(
    cells: Sequence[Cell], work: Callable[[Cell], list[CoverageRow]], workers: int
) -> abc.Generator[tuple[Cell, list[CoverageRow]]]:
    """Compute several cells at once, and yield each with its rows, in their order."""
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    stopped = Event()

    def rows_or_error(cell: Cell) -> list[CoverageRow] | FairtrialError:
        # an error raised in a worker would discard the finished cells before it
        try:
            return [] if stopped.is_set() else work(cell)
        except FairtrialError as error:
            return error

    # the matrices of a cell are small: more threads would only wait for each other
    with threadpool_limits(1):
        pool = Parallel(
            n_jobs=max(1, min(workers, len(cells))), backend="threading", return_as="generator", batch_size=1
        )
        results = pool(delayed(rows_or_error)(cell) for cell in cells)
        try:
            for rows, cell in zip(results, cells, strict=True):
                if isinstance(rows, FairtrialError):
                    raise rows
                yield cell, rows
        finally:
            stopped.set()
            for _ in results:  # joblib warns of results that are not taken
                pass
