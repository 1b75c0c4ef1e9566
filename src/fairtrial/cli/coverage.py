"""fairtrial coverage"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileCommand
from fairtrial.cli.options import OutputOptions, choice, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.cli.reporting import ReportOptions, repeat_of
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.repeated.models import Generator

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

    def axes(self) -> dict[str, tuple[int, ...] | tuple[float, ...]]:
        """The axes that were named, for a study."""
        whole = {"n": self.n, "m": self.m}
        fractions = {"pi": self.pi, "rho": self.rho}
        return {
            **{name: numbers_of(f"--{name}", text, int) for name, text in whole.items() if text is not None},
            **{name: numbers_of(f"--{name}", text, float) for name, text in fractions.items() if text is not None},
        }

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

    def keywords(self) -> dict[str, Any]:
        """Keyword arguments of `coverage_study`."""
        return {
            **({"methods": self.methods} if self.methods else {}),
            "generator": self.generator,
            "data_sets": self.datasets,
            "n_resamples": self.resamples,
            "confidence": self.confidence,
            "exact": self.exact,
            "rng": self.seed,
            "workers": self.workers,
        }


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
    from fairtrial.repeated.coverage import grid_of
    from fairtrial.repeated.study import coverage_study, remove_journal

    page.check()
    output.check()
    chosen: dict[str, Any] = {"grid": grid_name, **axes.axes()}
    cells = 1 if like is not None else len(grid_of(**{**chosen, "grid": grid_name or "quick"}))
    journal = None if output.out is None or like is not None else f"{output.out}.journal"
    with Bar("covering", cells) as bar:
        study = coverage_study(
            **chosen, like=like, claims=claims, **asked.keywords(), journal=journal, progress=bar.advance
        )
    if page.report is not None:
        from fairtrial.pages import page_of

        page.write(page_of(study, repeat_of([like] if like else [], asked.seed)))
    print_result(output, study.tables(), study.to_dict())
    if journal is not None:
        remove_journal(journal)


def numbers_of(flag: str, text: str, kind: Callable[[str], Number]) -> tuple[Number, ...]:
    """Numbers separated by commas."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{flag} {text}: expected {what} separated by commas") from error
