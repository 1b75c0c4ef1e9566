"""fairtrial coverage"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fairtrial.checks import check_workers
from fairtrial.cli import options
from fairtrial.cli.output import percent, print_json, print_table
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import check_report, repeat_of, report_option, write_page
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.individuals import CoverageStudy, Generator, Grid, StudySettings

Number = TypeVar("Number", int, float)

_FEW_CELLS = 16


@click.command()
@click.option("--grid", "grid_name", type=click.Choice(["paper", "quick"]), help="All cells of the paper, or a few.")
@click.option("--n", "n", metavar="N,..", help="Numbers of individuals, in place of the grid's.")
@click.option("--m", "m", metavar="M,..", help="Attempts of each individual, in place of the grid's.")
@click.option("--pi", "pi", metavar="P,..", help="Error rates, in place of the grid's.")
@click.option(
    "--rho", "rho", metavar="R,..", help="Correlations between attempts of an individual, in place of the grid's."
)
@click.option(
    "--like", metavar="F", help="In place of a grid: a table of errors and attempts, to study data like these."
)
@click.option("--datasets", type=int, default=1000, show_default=True, metavar="D", help="Data sets per cell.")
@click.option(
    "--resamples",
    type=int,
    default=1000,
    show_default=True,
    metavar="T",
    help="Resamples of sb and brr; 0: infinitely many.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="All possible data sets in place of simulated ones, as if with infinitely many resamples.",
)
@click.option(
    "--generator",
    type=click.Choice(["oman-zucker", "beta-binomial"]),
    default="oman-zucker",
    show_default=True,
    help="How attempts of an individual come to be correlated.",
)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="dr, bp, sb, bb, lbb or brr; may be repeated.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the data sets.")
@click.option("--workers", type=int, metavar="K", help="Cells worked on at once.  [default: one per processor]")
@click.option(
    "--out",
    metavar="F",
    help="Write all rows to this .parquet, .csv or .tsv. A study that was stopped goes on when it is called again.",
)
@report_option
@options.as_json
def command(
    grid_name: str | None,
    n: str | None,
    m: str | None,
    pi: str | None,
    rho: str | None,
    like: str | None,
    datasets: int,
    resamples: int,
    exact: bool,
    generator: Generator,
    methods: tuple[str, ...],
    confidence: float,
    seed: int,
    workers: int | None,
    out: str | None,
    report: str | None,
    json_: bool,
) -> None:
    """How often the intervals for repeated attempts hold the true rate, by simulation or exactly.

    \b
    Examples:
      fairtrial coverage --grid paper --out coverage.parquet
      fairtrial coverage --n 100 --m 2 --pi .1 --rho .2 --exact
      fairtrial coverage --like counts.csv
    """
    from fairtrial.formats.results import check_ending
    from fairtrial.individuals import PAPER, QUICK, StudySettings, run_study

    settings = StudySettings(
        methods=methods or StudySettings().methods,
        generator=generator,
        data_sets=datasets,
        n_resamples=resamples or None,
        confidence=confidence,
        exact=exact,
        seed=seed,
    )
    if workers is not None:
        check_workers(workers)
    check_report(report)
    if out is not None:
        check_ending(out)
    if like is not None:
        study = _study_like(like, settings, {"--grid": grid_name, "--n": n, "--m": m}, pi, rho)
        if out is not None:
            study.write(out)
    else:
        grid = grid_of({"paper": PAPER, "quick": QUICK, None: QUICK}[grid_name], n, m, pi, rho)
        journal = None if out is None else f"{out}.journal"
        with Bar("covering", len(grid)) as bar:
            study = run_study(grid, settings, workers=workers, journal=journal, progress=bar.advance)
        if out is not None and journal is not None:
            study.write(out)
            Path(journal).unlink(missing_ok=True)
    if report is not None:
        from fairtrial.report.coverage import coverage_page

        write_page(coverage_page(study, repeat_of([like] if like else [], seed)), report)
    if json_:
        print_json(study.to_dict())
        return
    _print(study)
    if out is not None:
        click.echo(f"{len(study.rows):,} rows in {out}")


def grid_of(start: Grid, n: str | None, m: str | None, pi: str | None, rho: str | None) -> Grid:
    """The grid with the axes that options name in place of its own."""
    from fairtrial.individuals import Grid

    return Grid(
        start.n if n is None else numbers_of("--n", n, int),
        start.m if m is None else numbers_of("--m", m, int),
        start.pi if pi is None else numbers_of("--pi", pi, float),
        start.rho if rho is None else numbers_of("--rho", rho, float),
    )


def numbers_of(option: str, text: str, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    """Read numbers separated by commas."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{option} {text}: expected {what} separated by commas") from error


def _study_like(
    file: str, settings: StudySettings, others: dict[str, str | None], pi: str | None, rho: str | None
) -> CoverageStudy:
    from fairtrial.formats.counts import read_counts
    from fairtrial.individuals import Individuals, study_like

    for option, value in others.items():
        if value is not None:
            raise ParameterError(f"{option} does not go with --like: the file says how many people and attempts")
    given = [None if text is None else numbers_of(name, text, float) for name, text in (("--pi", pi), ("--rho", rho))]
    for name, values in zip(("--pi", "--rho"), given, strict=True):
        if values is not None and len(values) > 1:
            raise ParameterError(f"{name} must be one number with --like")
    rate, correlation = (None if values is None else values[0] for values in given)
    return study_like(Individuals.from_counts(*read_counts(file)), settings, pi=rate, rho=correlation)


def _print(study: CoverageStudy) -> None:
    from rich.table import Table

    cells = list(dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in study.rows))
    settings = study.settings
    how = "all data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    title = f"{100 * settings.confidence:g} % intervals, {settings.generator}, {how}"
    table = Table(title_justify="left")
    if len(cells) == 1:
        table.title = f"n {cells[0][0]:g}, m {cells[0][1]:g}, pi {cells[0][2]:g}, rho {cells[0][3]:g}; {title}"
        head = ["coverage %", "too high %", "too low %", "undefined %", "mean width %", "median width %"]
        lines = [
            [row.method, *map(percent, (row.coverage, row.too_high, row.too_low, row.undefined)),
             *map(percent, (row.mean_width, row.median_width))]
            for row in study.rows
        ]  # fmt: skip
        columns = ["method", *head]
    elif len(cells) <= _FEW_CELLS:
        table.title = f"coverage in %; {title}"
        columns = ["n", "m", "pi", "rho", *settings.methods]
        found = {(row.n, row.m, row.pi, row.rho, row.method): row for row in study.rows}
        lines = [
            [*(f"{part:g}" for part in cell), *(percent(found[*cell, name].coverage) for name in settings.methods)]
            for cell in cells
        ]
    else:
        table.title = f"{len(cells):,} cells; {title}"
        columns = ["method", "cells with 92.5 to 97.5 %", "mean coverage %", "lowest %", "undefined %"]
        within = study.share_within()
        lines = []
        for name in settings.methods:
            rows = [row for row in study.rows if row.method == name]
            coverage = [row.coverage for row in rows]
            undefined = sum(row.undefined for row in rows) / len(rows)
            values = (within[name], sum(coverage) / len(rows), min(coverage), undefined)
            lines.append([name, *map(percent, values)])
    for column in columns:
        table.add_column(column, justify="left" if column == "method" else "right")
    for line in lines:
        table.add_row(*line)
    print_table(table)
    if "dr" in settings.methods and settings.confidence != 0.9:
        click.echo("dr is a 90 % interval at any confidence")
