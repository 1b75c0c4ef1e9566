"""fairtrial coverage"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from fairtrial.checks import check_workers
from fairtrial.cli import options
from fairtrial.cli.files import READ, FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.individuals import CoverageStudy, Generator, Grid, StudySettings

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class GridOptions:
    """The axes of a grid of cells."""

    n: str | None = option("--n", metavar="N,..", help="Numbers of individuals, in place of the grid's.")
    m: str | None = option("--m", metavar="M,..", help="Attempts of each individual, in place of the grid's.")
    pi: str | None = option("--pi", metavar="P,..", help="Error rates, in place of the grid's.")
    rho: str | None = option(
        "--rho", metavar="R,..", help="Correlations between attempts of an individual, in place of the grid's."
    )

    def grid(self, start: Grid) -> Grid:
        """The grid with the axes that were named in place of its own."""
        from fairtrial.individuals import Grid

        return Grid(
            start.n if self.n is None else numbers_of("--n", self.n, int),
            start.m if self.m is None else numbers_of("--m", self.m, int),
            start.pi if self.pi is None else numbers_of("--pi", self.pi, float),
            start.rho if self.rho is None else numbers_of("--rho", self.rho, float),
        )

    def values(self) -> dict[str, tuple[float, ...]]:
        """The axes that were named, for choosing rows of a finished study."""
        given = {"n": self.n, "m": self.m, "pi": self.pi, "rho": self.rho}
        return {name: numbers_of(f"--{name}", text, float) for name, text in given.items() if text is not None}


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """How each cell is studied."""

    datasets: int = option(
        "--datasets", type=int, default=1000, show_default=True, metavar="D", help="Data sets per cell."
    )
    resamples: int = option(
        "--resamples",
        type=int,
        default=1000,
        show_default=True,
        metavar="T",
        help="Resamples of sb and brr; 0: as if with infinitely many.",
    )
    exact: bool = option(
        "--exact",
        is_flag=True,
        help="All possible data sets in place of simulated ones, as if with infinitely many resamples.",
    )
    generator: Generator = choice(
        "--generator",
        ["oman-zucker", "beta-binomial"],
        "oman-zucker",
        help="How attempts of an individual come to be correlated.",
    )
    methods: tuple[str, ...] = option(
        "--method",
        multiple=True,
        metavar="NAME",
        help="dr, bp, sb, bb, lbb, brr or bb-ml; may be repeated.  [default: all but bb-ml]",
    )
    confidence: float = option(
        "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."
    )
    seed: int = option("--seed", **options.SEED, help="Seed of the data sets.")
    workers: int | None = option(
        "--workers", type=int, metavar="K", help="Cells worked on at once.  [default: one per processor]"
    )

    def check(self) -> None:
        """Raise an error where an option was given that would be ignored."""
        if self.exact:
            options.refuse_given(["datasets", "resamples", "seed"], "applies to simulated data sets, not with --exact")

    def settings(self) -> StudySettings:
        """What is the same for all cells."""
        from fairtrial.individuals import StudySettings

        return StudySettings(
            methods=self.methods or StudySettings().methods,
            generator=self.generator,
            data_sets=self.datasets,
            n_resamples=self.resamples or None,
            confidence=self.confidence,
            exact=self.exact,
            seed=self.seed,
        )


grid_option = click.option(
    "--grid", "grid_name", type=click.Choice(["paper", "quick"]), help="All cells of the paper, or a few."
)


@click.command(cls=FileCommand)
@grid_option
@options.takes(GridOptions)
@click.option(
    "--like",
    type=READ,
    metavar="F",
    help="In place of a grid: a table of errors and attempts, to study data like these.",
)
@click.option("--claims", is_flag=True, help="What the paper claims beside what this study finds.")
@options.takes(StudyOptions, OutputOptions, ReportOptions)
def command(
    axes: GridOptions,
    asked: StudyOptions,
    output: OutputOptions,
    page: ReportOptions,
    *,
    grid_name: str | None,
    like: str | None,
    claims: bool,
) -> None:
    """How often the intervals for repeated attempts hold the true rate, by simulation or exactly.

    With --out, finished cells are noted in a journal beside the file: a study that was stopped goes on when it is
    called again.

    \b
    Examples:
      fairtrial coverage --grid paper --out coverage.parquet
      fairtrial coverage --n 100 --m 2 --pi .1 --rho .2 --exact
      fairtrial coverage --like counts.csv
      fairtrial coverage --grid quick --claims
    """
    from fairtrial.individuals import PAPER, QUICK, check_claims, run_study
    from fairtrial.individuals.journal import remove_journal

    settings = asked.settings()
    if asked.workers is not None:
        check_workers(asked.workers)
    page.check()
    asked.check()
    if like is not None:
        options.refuse_given(["workers"], "applies to the cells of a grid, and --like has one")
    output.check()
    journal = None
    if like is not None:
        study = _study_like(like, settings, grid_name, axes)
    else:
        grid = axes.grid(PAPER if grid_name == "paper" else QUICK)
        journal = None if output.out is None else f"{output.out}.journal"
        with Bar("covering", len(grid)) as bar:
            study = run_study(grid, settings, workers=asked.workers, journal=journal, progress=bar.advance)
    if page.report is not None:
        from fairtrial.report.coverage import coverage_page

        repeat = repeat_of([like] if like else [], asked.seed)
        page.write(coverage_page(study, repeat, terms=output.terms))
    tables, answer = list(study.tables()), study.to_dict()
    if claims:
        found = check_claims(study)
        tables, answer = [*tables, *found.tables()], {**answer, **found.to_dict()}
    print_result(output, tables, answer)
    if journal is not None:
        remove_journal(journal)


def numbers_of(flag: str, text: str, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    """Numbers separated by commas."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{flag} {text}: expected {what} separated by commas") from error


def _study_like(file: str, settings: StudySettings, grid_name: str | None, axes: GridOptions) -> CoverageStudy:
    from fairtrial.formats.counts import read_counts
    from fairtrial.individuals import Individuals, study_like

    for flag, value in (("--grid", grid_name), ("--n", axes.n), ("--m", axes.m)):
        if value is not None:
            raise ParameterError(f"{flag} does not go with --like: the file says how many people and attempts")
    given = axes.values()
    for name, values in given.items():
        if len(values) > 1:
            raise ParameterError(f"--{name} must be one number with --like")
    people = Individuals.from_counts(*read_counts(file).counts)
    pi, rho = (given[name][0] if name in given else None for name in ("pi", "rho"))
    return study_like(people, settings, pi=pi, rho=rho)
