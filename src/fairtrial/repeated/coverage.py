"""Study how often the intervals for repeated attempts cover the true rate: several cells at once, or given data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import nan
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from fairtrial.core.errors import (
    ParameterError,
    as_generator,
    check_choice,
    check_confidence,
    check_number,
    check_resamples,
    check_seed,
    check_workers,
    refuse_given,
)
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, plain, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import level_text, levels_text, percent, plural
from fairtrial.formats.files import PathLike
from fairtrial.inference.variance import Floats
from fairtrial.repeated.attempts import PeopleLike, Rng, as_individuals
from fairtrial.repeated.cells import PAPER, QUICK, Cell, CoverageRow
from fairtrial.repeated.intervals import PAPER_METHODS, REPEATED_METHODS
from fairtrial.repeated.journal import open_journal
from fairtrial.repeated.models import GENERATORS, Generator, draw_kinds, errors_pmf, too_many_outcomes
from fairtrial.repeated.paper_claims import PAPER_CLAIMS, ClaimSupport, MethodCells

GridName: TypeAlias = Literal["paper", "quick"]


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study, as of `coverage_study`; a journal is of one set of them."""

    methods: tuple[str, ...] = PAPER_METHODS
    generator: Generator = "oman-zucker"
    data_sets: int = 1000
    n_resamples: int | None = 1000
    confidence: float = 0.95
    exact: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.methods:
            check_choice("method", name, REPEATED_METHODS)
        if not self.methods:
            raise ParameterError(f"name at least one method of {', '.join(REPEATED_METHODS)}", code="no-method")
        check_choice("generator", self.generator, GENERATORS)
        check_number("data set", self.data_sets, most=10**9)
        if self.n_resamples is not None:
            check_resamples(self.n_resamples)
        check_seed(self.seed)
        check_confidence(self.confidence)
        if self.exact:
            given = {
                "data_sets": self.data_sets != 1000,
                "n_resamples": self.n_resamples != 1000,
                "rng": self.seed != 0,
            }
            refuse_given(given, "applies to simulated data sets, not with {exact!p}", exact=True)

    def cover(self, cell: Cell, attempts: Sequence[int] | None = None) -> list[CoverageRow]:
        """Compute how often each interval covers the true rate of a cell; data sets of given attempts are simulated.

        A cell has a random stream of its own, so that it gives the same result in every study.
        """
        if self.exact:
            return self._enumerate(cell)
        if attempts is not None and len(attempts) != cell.n:
            raise ParameterError(f"there must be attempts of {cell.n} individuals, not of {len(attempts)}")
        rates = np.array([cell.pi, cell.rho]).view(np.uint64).tolist()
        source = np.random.default_rng([self.seed, cell.n, cell.m, *rates])
        tried, people = np.array([cell.m]), np.array([cell.n])
        if attempts is not None:
            tried, people = np.unique(attempts, return_counts=True)
        pmfs = [errors_pmf(int(number), cell.pi, cell.rho, generator=self.generator) for number in tried]
        drawn = draw_kinds(tried, people, pmfs, self.data_sets, source)
        settings: dict[str, Any] = {"confidence": self.confidence, "n_resamples": self.n_resamples, "rng": source}
        return [_row(cell, name, *REPEATED_METHODS[name].limits(drawn, **settings)) for name in self.methods]

    def _enumerate(self, cell: Cell) -> list[CoverageRow]:
        """Sum over all possible data sets, as if with infinitely many resamples."""
        pmf = errors_pmf(cell.m, cell.pi, cell.rho, generator=self.generator)
        list_once = cache(lambda listing: listing(cell.n, pmf))
        rows = []
        for name in self.methods:
            method = REPEATED_METHODS[name]
            outcomes = list_once(method.outcomes)
            if name == "bb-ml" and (number := len(outcomes.probabilities)) > 20_000:
                raise too_many_outcomes(cell.n, pmf, f"{number:,} fits of bb-ml; simulate it, or leave bb-ml out")
            limits = method.limits(outcomes.people, confidence=self.confidence, n_resamples=None)
            rows.append(_row(cell, name, *limits, outcomes.probabilities))
        return rows


def _row(cell: Cell, method: str, low: Floats, high: Floats, weights: Floats | None = None) -> CoverageRow:
    """Sum up the intervals of all data sets; without weights, each counts the same."""
    defined = np.isfinite(low) & np.isfinite(high)
    rounding = 1e-12
    with np.errstate(invalid="ignore"):
        above, below = low > cell.pi + rounding, high < cell.pi - rounding
    widths, parts = (high - low)[defined], None if weights is None else weights[defined]
    mean = median = nan
    if len(widths):
        mean = float(np.average(widths, weights=parts))
        median = float(np.quantile(widths, 0.5, weights=parts, method="inverted_cdf"))
    covered, undefined, too_high, too_low = (
        float(np.average(which, weights=weights)) for which in (defined & ~above & ~below, ~defined, above, below)
    )
    return CoverageRow(cell.n, cell.m, cell.pi, cell.rho, method, covered, mean, median, undefined, too_high, too_low)


@dataclass(frozen=True, slots=True, repr=False)
class CoverageStudy(Result):
    """The coverage of several intervals in several cells.

    Attributes
    ----------
    settings : StudySettings
        The settings, which are the same for all cells.
    rows : tuple of CoverageRow
        One row per cell and method, in the order of the cells and methods.
    claims : tuple of ClaimSupport or None
        The claims of the paper with the proportion of cells that supports each, if they were checked.

    Examples
    --------
    >>> from fairtrial.repeated import coverage_study
    >>> coverage_study(n=100, m=2, pi=0.1, rho=0.2, methods=["lbb", "sb"], exact=True).answer()
    'LBB comes closest to 95 %: it covers 95.53 % (n 100, m 2, pi 0.1, rho 0.2, oman-zucker, all data sets)'
    """

    FIELDS: ClassVar = (Field("settings", get=lambda study: asdict(study.settings)), Field("cells", get="rows"))
    settings: StudySettings
    rows: tuple[CoverageRow, ...]
    claims: tuple[ClaimSupport, ...] | None = None

    @property
    def right(self) -> tuple[float, float]:
        """The coverage that counts as right: 2.5 points below and above the level of confidence."""
        low, high = (round(self.settings.confidence + side, 9) for side in (-0.025, 0.025))
        return max(low, 0.0), min(high, 1.0)

    @property
    def best(self) -> str:
        """The method that covers enough in most cells, as the paper counts, and not too much in most of them."""
        enough, within = self.share_within(high=1.0), self.share_within()
        return max(enough, key=lambda method: (enough[method], within[method]))

    @property
    def cells(self) -> dict[str, MethodCells]:
        """The cells by method."""
        return {name: MethodCells.of(self.rows, name) for name in self.settings.methods}

    @property
    def widths(self) -> tuple[float, float] | None:
        """Mean and median over cells of the width of BRR over that of LBB."""
        if not {"brr", "lbb"} <= set(self.settings.methods):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = self.cells["brr"].mean_width / self.cells["lbb"].mean_width
        ratios = ratios[np.isfinite(ratios)]
        return (float(ratios.mean()), float(np.median(ratios))) if len(ratios) else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """The methods with another level of confidence."""
        return tuple(
            Note("fixed-level", "{method} is always a {level:level} interval", method=method.name, level=method.level)
            for method in (REPEATED_METHODS[name] for name in self.settings.methods)
            if method.level is not None and method.level != self.settings.confidence
        )

    def share_within(self, low: float | None = None, high: float | None = None) -> dict[str, float]:
        """Compute the proportion of cells whose coverage lies within two limits, by method; by default within `right`.

        Parameters
        ----------
        low, high : float, optional
            The limits, included.

        Returns
        -------
        dict of str to float
            The proportion by method.
        """
        least, most = self.right[0] if low is None else low, self.right[1] if high is None else high
        return {
            name: float(np.mean((cells.coverage >= least) & (cells.coverage <= most)))
            for name, cells in self.cells.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the study as a dict, with the claims of the paper if they were checked."""
        if self.claims is None:
            return Record.to_dict(self)
        widths = self.widths and dict(zip(("mean", "median"), self.widths, strict=True))
        return {**Record.to_dict(self), "claims": plain(self.claims), "brr_over_lbb_width": widths}

    def answer(self) -> str:
        """Write the method with the right coverage most often, or nearest to it in a single cell."""
        exact, confidence = self.settings.exact, level_text(self.settings.confidence)
        data = "all data sets" if exact else plural(self.settings.data_sets, "data set")
        cells = len(self.rows) // len(self.settings.methods)
        if cells == 1:
            best = min(self.rows, key=lambda row: abs(row.coverage - self.settings.confidence))
            cell = f"n {best.n:,}, m {best.m:g}, pi {best.pi:g}, rho {best.rho:g}, {self.settings.generator}, {data}"
            lead = f" comes closest to {confidence}: it" if len(self.rows) > 1 else ""
            return f"{best.method.upper()}{lead} covers {percent(best.coverage)} ({cell})"
        basis = f"{confidence} intervals, {self.settings.generator}, {data}{'' if exact else ' per cell'}"
        lead = "does best: it " if len(self.settings.methods) > 1 else ""
        share = percent(self.share_within(high=1.0)[self.best])
        enough = f"covers at least {level_text(self.right[0])} in {share} of {plural(cells, 'cell')}"
        return f"{self.best.upper()} {lead}{enough} ({basis})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per cell and method; for a few cells coverages side by side, for many a row per method."""
        coverage = {(*row.cell, row.method): row.coverage for row in self.rows}
        cells = list(dict.fromkeys(row.cell for row in self.rows))
        single, fields = len(cells) == 1, CoverageRow.FIELDS
        shown = None if single else ()
        caption = "Coverage by cell"
        tables = [table_of("cells", caption, fields, self.rows, notes=self.notes, shown=shown, detail=not single)]
        if len(cells) > 16:
            tables.append(self.by_method())
        elif len(cells) > 1:
            methods = self.settings.methods
            columns = [*fields[:4], *(Column(name, name, "rate") for name in methods)]
            rows = tuple((*cell, *(coverage[*cell, name] for name in methods)) for cell in cells)
            tables.append(Table("coverage", "Coverage by method", tuple(columns), rows))
        if self.claims is not None:
            checked = [claim for claim in self.claims if claim.cells]
            supported = sum(claim.support >= 0.9 for claim in checked)
            template = "{supported} of {claims:plural claim} supported by at least 90 % of the cells they are about"
            notes = [Note("supported", template, supported=supported, claims=len(checked))]
            if self.widths is not None:
                template = (
                    "width of brr over that of lbb: mean {mean:.3f}, median {median:.3f} over cells; the paper's "
                    "section 5 has 3.348 and 1.584"
                )
                notes.append(Note("widths", template, mean=self.widths[0], median=self.widths[1]))
            caption = "Claims of Schuckers et al. 2004"
            tables.append(table_of("claims", caption, ClaimSupport.FIELDS, self.claims, notes=notes))
        return tuple(tables)

    def by_method(self) -> Table:
        """Tabulate one row per method: the cells with the right coverage, and the mean and the lowest coverage."""
        columns = (
            Column("method", "method"),
            Column("at_least", f"cells that cover at least {level_text(self.right[0])},", "rate"),
            Column("within", f"cells that cover {levels_text(*self.right)},", "rate"),
            Column("mean", "mean coverage", "rate"),
            Column("lowest", "lowest coverage", "rate"),
            Column("undefined", "undefined", "rate"),
        )
        enough, within, rows = self.share_within(high=1.0), self.share_within(), []
        for name, cells in self.cells.items():
            figures = (cells.coverage.mean(), cells.coverage.min(), cells.undefined.mean())
            rows.append((name, enough[name], within[name], *map(float, figures)))
        return Table("methods", "Coverage by method over all cells", columns, tuple(rows), self.notes)


def coverage_study(
    grid: GridName | Iterable[Cell] | None = None,
    *,
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
    rng: Rng = 0,
    workers: int | None = None,
    journal: PathLike | None = None,
    progress: Callable[[int], None] | None = None,
) -> CoverageStudy:
    """Study how often the intervals for repeated attempts cover the true rate, in cells of a grid or on given data.

    Parameters
    ----------
    grid : {"paper", "quick"} or iterable of Cell, optional
        All cells of the paper, or a few of them (the default); or cells, such as a `Grid`.
    n : int or sequence of int, optional
        Numbers of people, instead of the grid's.
    m : int or sequence of int, optional
        Attempts of each person, instead of the grid's.
    pi : float or sequence of float, optional
        Error rates, fractions, instead of the grid's or the estimated one.
    rho : float or sequence of float, optional
        Correlations between two attempts of a person, instead of the grid's or the estimated one.
    like : Individuals, path or tuple of (array_like, array_like), optional
        Instead of a grid: the errors and attempts of people; a path is that of a table with columns of both. The study
        has as many people and attempts, and the estimated rate and correlation; a negative one counts as 0.
    claims : bool, default False
        Whether the claims of the paper are checked, too.
    methods : sequence of str, default ("dr", "bp", "sb", "bb", "lbb", "brr")
        Any of ``dr``, ``bp``, ``sb``, ``bb``, ``lbb``, ``brr`` and ``bb-ml``, which fits a model to each data set.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated: some repeat one decision of the person (``oman-zucker``), or
        each person has an error rate (``beta-binomial``).
    data_sets : int, default 1000
        How many data sets are simulated, in each cell.
    n_resamples : int or None, default 1000
        How many resamples are drawn, for ``sb`` and ``brr``; 0 or None for infinitely many.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1; that of ``dr`` is 90 % always.
    exact : bool, default False
        All possible data sets instead of simulated ones, as if with infinitely many resamples.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. Each cell has a random stream of its own, so that
        its rows are the same in every study.
    workers : int, optional
        How many work at once; the result does not depend on it. They are threads, by default one per processor.
    journal : str or path-like, optional
        A file to which finished cells are written at once. If it exists, its cells are not computed again; it must be
        that of a study with the same settings and cells.
    progress : callable, optional
        Called as work proceeds, with the number of cells that were finished since the last call.

    Returns
    -------
    CoverageStudy
        One row per cell and method.

    Raises
    ------
    ParameterError
        If an option is out of range, does not apply with `exact` or `like`, or a cell has too many outcomes for exact
        coverage.
    InputError
        If the journal is that of another study.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, sections 3 to 5.

    Examples
    --------
    >>> study = coverage_study(n=100, m=2, pi=0.1, rho=0.2, methods=["lbb"], exact=True)
    >>> round(study.rows[0].coverage, 3)
    0.955
    """
    from threadpoolctl import threadpool_limits

    seed = rng if isinstance(rng, int) else int(as_generator(rng).integers(1 << 53))
    settings = StudySettings(tuple(methods), generator, data_sets, n_resamples or None, confidence, exact, seed)
    if claims and confidence != 0.95:
        template = "the claims are about 95 % intervals, not about {confidence:level}"
        raise ParameterError(template, code="other-level", confidence=confidence)
    if workers is not None:
        check_workers(workers)
    axes: dict[str, tuple[Any, ...]] = {
        name: tuple(values) if isinstance(values, Sequence) else (values,)
        for name, values in (("n", n), ("m", m), ("pi", pi), ("rho", rho))
        if values is not None
    }
    if like is None:
        if grid is None or isinstance(grid, str):
            check_choice("grid", grid or "quick", get_args(GridName))
            cells = list(replace(PAPER if grid == "paper" else QUICK, **axes))
        elif axes:
            raise ParameterError("n, m, pi and rho go with a grid by its name, not with cells", code="does-not-apply")
        else:
            cells = list(grid)
        with open_journal(journal, asdict(settings), cells) as kept:
            if progress is not None and kept.done:
                progress(sum(cell in kept.done for cell in cells))
            missing = [cell for cell in dict.fromkeys(cells) if cell not in kept.done]
            # the matrices of a cell are small: more threads would only wait for each other
            with threadpool_limits(1), ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:
                try:
                    for cell, rows in zip(missing, threads.map(settings.cover, missing), strict=True):
                        kept.note(cell, rows)
                        if progress is not None:
                            progress(1)
                finally:
                    threads.shutdown(cancel_futures=True)
        covered = tuple(row for cell in cells for row in kept.done[cell])
    else:
        given = {"grid": grid, "n": n, "m": m, "workers": workers, "journal": journal}
        without_use = {name: value is not None for name, value in given.items()}
        refuse_given(without_use, "does not go with {like!p}, which has one cell", like=like)
        people = as_individuals(like)
        values = {"pi": float(people.estimate), "rho": float(np.clip(np.nan_to_num(people.rho), 0, 1))}
        for name, numbers in axes.items():
            if len(numbers) > 1:
                raise ParameterError(f"{{{name}!p}} must be one number with {{like!p}}", code="one-number", like=like)
            values[name] = numbers[0]
        if not 0 < values["pi"] < 1:
            template = "the error rate of these data is {rate:g}: a study needs one above 0 and below 1, as in {pi!o}"
            raise ParameterError(template, code="no-rate", rate=values["pi"], pi=0.01)
        mean, attempts = float(people.total_attempts / people.individuals), None
        cell = Cell(int(people.individuals), round(mean), values["pi"], values["rho"])
        if len(np.unique(people.attempts)) > 1:
            if exact:
                text = "exact coverage needs the same number of attempts of everybody; simulate these data"
                raise ParameterError(text, code="unequal-attempts")
            attempts = people.by_person()[1].astype(np.int64).tolist()
        covered = tuple(settings.cover(cell, attempts))
        if attempts is not None:
            covered = tuple(replace(row, m=mean) for row in covered)
    study = CoverageStudy(settings, covered)
    if not claims:
        return study
    cells_of = study.cells
    return replace(
        study, claims=tuple(claim.support(cells_of) for claim in PAPER_CLAIMS if set(claim.methods) <= set(cells_of))
    )
