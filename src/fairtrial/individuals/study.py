"""A coverage study: many cells, on several workers, that goes on where it was stopped."""

from __future__ import annotations

import os
from collections import abc
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from fairtrial.checks import check_choice, check_confidence, check_number, check_resamples, check_seed, check_workers
from fairtrial.errors import FairtrialError, ParameterError
from fairtrial.formats.files import PathLike
from fairtrial.formats.results import write_tables
from fairtrial.individuals.attempts import Individuals
from fairtrial.individuals.coverage import Cell, CoverageRow, cover, cover_exactly
from fairtrial.individuals.generators import GENERATORS, Generator
from fairtrial.individuals.journal import open_journal
from fairtrial.individuals.limits import INDIVIDUALS_METHODS
from fairtrial.individuals.methods import REPEATED_METHODS, known_method
from fairtrial.tables import Column, Result, Table, level_text, levels_text, plural


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What is the same for all cells of a study.

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
        All possible data sets in place of simulated ones, as if with infinitely many resamples.
    seed : int, default 0
        Every cell draws from a stream of its own that depends on this seed and on the cell alone.

    Raises
    ------
    ParameterError
        A setting that is not possible.

    Examples
    --------
    >>> StudySettings(methods=("bp", "lbb"), exact=True).generator
    'oman-zucker'
    """

    methods: tuple[str, ...] = tuple(INDIVIDUALS_METHODS)
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
        """Find the rows of one cell.

        Parameters
        ----------
        cell : Cell
            People, attempts, error rate and correlation.
        attempts : sequence of int, optional
            The attempts of each person, where they are not `cell.m` for all.

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


_CELL_COLUMNS = (
    Column("n", "n", "count"),
    Column("m", "m", "number"),
    Column("pi", "pi", "number"),
    Column("rho", "rho", "number"),
)
_FEW_CELLS = 16
RIGHT_COVERAGE = (0.925, 0.975)
"""A coverage between these counts as right for intervals of 95 %."""


@dataclass(frozen=True, slots=True, repr=False)
class CoverageStudy(Result):
    """The rows of all cells, in the order of the cells and methods.

    Attributes
    ----------
    settings : StudySettings
        What was the same for all cells.
    rows : tuple of CoverageRow
        One row per cell and method.

    Examples
    --------
    >>> from fairtrial import Cell, StudySettings, run_study
    >>> study = run_study([Cell(100, 2, 0.1, 0.2)], StudySettings(methods=("lbb", "sb"), exact=True))
    >>> [(row.method, round(row.coverage, 3)) for row in study.rows]
    [('lbb', 0.955), ('sb', 0.784)]
    """

    settings: StudySettings
    rows: tuple[CoverageRow, ...]

    def share_within(self, low: float = RIGHT_COVERAGE[0], high: float = RIGHT_COVERAGE[1]) -> dict[str, float]:
        """Compute for each method the share of cells whose coverage lies between the two.

        Parameters
        ----------
        low : float, default 0.925
            The limits of the coverage, both included.
        high : float, default 0.975
            The limits of the coverage, both included.

        Returns
        -------
        dict of str to float
            The share by method.
        """
        found = {}
        for method in self.settings.methods:
            coverage = np.array([row.coverage for row in self.rows if row.method == method])
            found[method] = float(np.mean((coverage >= low) & (coverage <= high)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"settings": asdict(self.settings), "cells": [row.to_dict() for row in self.rows]}

    def summary(self) -> str:
        """How many cells, and of which kind."""
        cells = len(self.rows) // len(self.settings.methods)
        how = "all data sets" if self.settings.exact else f"{plural(self.settings.data_sets, 'data set')} per cell"
        kind = f"{level_text(self.settings.confidence)} intervals, {self.settings.generator}"
        return f"{plural(cells, 'cell')}, {kind}, {how}"

    def tables(self) -> tuple[Table, ...]:
        """One row per cell and method; for a few cells the coverage side by side, for many a row per method."""
        columns = (
            *_CELL_COLUMNS,
            Column("method", "method"),
            Column("coverage", "coverage", "rate"),
            Column("mean_width", "mean width", "rate"),
            Column("median_width", "median width", "rate"),
            Column("undefined", "undefined", "rate"),
            Column("too_high", "too high", "rate"),
            Column("too_low", "too low", "rate"),
        )
        cells = list(dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in self.rows))
        main = Table.of(
            "cells",
            f"Coverage: {self.summary()}",
            columns,
            [row.to_dict() for row in self.rows],
            notes=self._notes(),
            shown=None if len(cells) == 1 else (),
        )
        if len(cells) == 1:
            return (main,)
        return main, (self._side_by_side(cells) if len(cells) <= _FEW_CELLS else self.by_method())

    def _side_by_side(self, cells: Sequence[tuple[int, float, float, float]]) -> Table:
        columns = (*_CELL_COLUMNS, *(Column(name, name, "rate") for name in self.settings.methods))
        found = {(row.n, row.m, row.pi, row.rho, row.method): row.coverage for row in self.rows}
        rows = tuple((*cell, *(found[*cell, name] for name in self.settings.methods)) for cell in cells)
        return Table("coverage", f"Coverage by method: {self.summary()}", columns, rows)

    def by_method(self) -> Table:
        """Give one row per method: how many cells it covers as it should, and the mean and the lowest coverage.

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
        within = self.share_within()
        rows = []
        for name in self.settings.methods:
            mine = [row for row in self.rows if row.method == name]
            coverage = [row.coverage for row in mine]
            undefined = sum(row.undefined for row in mine) / len(mine)
            rows.append((name, within[name], sum(coverage) / len(mine), min(coverage), undefined))
        return Table("methods", f"Methods: {self.summary()}", columns, tuple(rows), self._notes())

    def _notes(self) -> tuple[str, ...]:
        return tuple(
            f"{method.name} is a {level_text(method.level)} interval whatever confidence is asked for"
            for method in map(known_method, self.settings.methods)
            if method.level is not None and method.level != self.settings.confidence
        )

    def write(self, path: PathLike) -> None:
        """Write one row per cell and method, as the ending of the name says: see `write_tables`.

        Parameters
        ----------
        path : str or path-like
            The file; the ending of its name says how.
        """
        write_tables(self.tables(), path)


def run_study(
    cells: Iterable[Cell],
    settings: StudySettings | None = None,
    *,
    workers: int | None = None,
    journal: PathLike | None = None,
    progress: Callable[[int], None] | None = None,
) -> CoverageStudy:
    """Find the coverage of all cells.

    Parameters
    ----------
    cells : iterable of Cell
        Cells in any order, such as a `Grid`.
    settings : StudySettings, optional
        What is the same for all cells; by default `StudySettings()`.
    workers : int, optional
        How many work at once; the result does not depend on it. They are processes, by default one per processor.
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
        No worker, or a cell that is too large for exact coverage.
    InputError
        A journal of another study.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 3.

    Examples
    --------
    >>> study = run_study([Cell(1000, 5, 0.01, 0.05)], StudySettings(methods=("lbb",), data_sets=500))
    >>> 0.9 < study.rows[0].coverage < 1
    True
    """
    chosen = settings or StudySettings()
    if workers is not None:
        check_workers(workers)
    listed = list(cells)
    with open_journal(journal, asdict(chosen), listed) as kept:
        if progress is not None and kept.done:
            progress(sum(cell in kept.done for cell in listed))
        missing = [cell for cell in dict.fromkeys(listed) if cell not in kept.done]
        with closing(_in_parallel(missing, chosen.cover, workers or os.cpu_count() or 1)) as found:
            for cell, rows in found:
                kept.note(cell, rows)
                if progress is not None:
                    progress(1)
    return CoverageStudy(chosen, tuple(row for cell in listed for row in kept.done[cell]))


def study_like(
    people: Individuals,
    settings: StudySettings | None = None,
    *,
    pi: float | None = None,
    rho: float | None = None,
) -> CoverageStudy:
    """Find the coverage on data like these: as many people and attempts, and the rate and correlation they show.

    Parameters
    ----------
    people : Individuals
        The errors and attempts of people, one data set.
    settings : StudySettings, optional
        What is the same for all cells; by default `StudySettings()`.
    pi : float, optional
        The error rate, a fraction, in place of the estimate.
    rho : float, optional
        The correlation between two attempts of a person, in place of the estimate; a negative estimate is taken as 0.

    Returns
    -------
    CoverageStudy
        Of one cell.

    Raises
    ------
    ParameterError
        No error to estimate from, or exact coverage of people with different numbers of attempts.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5.

    Examples
    --------
    >>> people = Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> study = study_like(people, StudySettings(methods=("bp",), exact=True))
    >>> round(study.rows[0].coverage, 3)
    0.841
    """
    chosen = settings or StudySettings()
    rate = float(people.estimate) if pi is None else pi
    if not 0 < rate < 1:
        raise ParameterError(
            f"the error rate of these data is {rate:g}: a study needs one above 0 and below 1, as in pi=.01"
        )
    correlation = float(np.clip(np.nan_to_num(people.rho), 0, 1)) if rho is None else rho
    mean = float(people.total_attempts / people.individuals)
    cell = Cell(int(people.individuals), round(mean), rate, correlation)
    if len(np.unique(people.attempts)) == 1:
        return CoverageStudy(chosen, tuple(chosen.cover(cell)))
    if chosen.exact:
        raise ParameterError("exact coverage needs the same number of attempts of everybody; simulate these data")
    attempts = np.repeat(people.attempts, people.counts.astype(np.int64)).astype(np.int64)
    rows = chosen.cover(cell, attempts=attempts.tolist())
    return CoverageStudy(chosen, tuple(replace(row, m=mean) for row in rows))


def _in_parallel(
    cells: Sequence[Cell], work: Callable[[Cell], list[CoverageRow]], workers: int
) -> abc.Generator[tuple[Cell, list[CoverageRow]]]:
    """Work on several cells at once and give them with their rows, in their order."""
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    stopped = Event()

    def rows_or_error(cell: Cell) -> list[CoverageRow] | FairtrialError:
        # an error raised in a worker would take the finished cells before it along
        try:
            return [] if stopped.is_set() else work(cell)
        except FairtrialError as error:
            return error

    # matrices of a cell are small: threads of their own would only wait for each other
    with threadpool_limits(1):
        pool = Parallel(
            n_jobs=max(1, min(workers, len(cells))), backend="threading", return_as="generator", batch_size=1
        )
        coming = pool(delayed(rows_or_error)(cell) for cell in cells)
        try:
            for found, cell in zip(coming, cells, strict=True):
                if isinstance(found, FairtrialError):
                    raise found
                yield cell, found
        finally:
            stopped.set()
            for _ in coming:  # joblib warns of results that nobody takes
                pass
