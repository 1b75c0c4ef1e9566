"""fairtrial test"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileGroup
from fairtrial.cli.options import OutputOptions, argument, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.repeated.models import FitTest, Generator


@click.group(cls=FileGroup)
def command() -> None:
    """Tests of error rates.

    \b
    Examples:
      fairtrial test individuals counts.csv --rate .01
      fairtrial test fit counts.csv
    """


@dataclass(frozen=True, slots=True)
class TestOptions:
    """Whose errors are tested, and against what."""

    files: tuple[str, ...] = argument(nargs=-1, required=True, type=READ, metavar="FILE [FILE]")
    rate: float | None = option("--rate", type=float, metavar="X", help="With one FILE: the rate to test against.")
    paired: bool = option("--paired", is_flag=True, help="With two FILEs: the same people tested both devices.")
    confidence: float = option(
        "--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."
    )


@command.command()
@options.takes(TestOptions)
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "less", "greater"]),
    default="two-sided",
    show_default=True,
    help="What is claimed of the rate, or of the first device.",
)
@options.takes(OutputOptions)
def individuals(asked: TestOptions, output: OutputOptions, *, alternative: options.Alternatives) -> None:
    """Test an error rate when people were tested several times, or compare two devices.

    FILE is a table with the columns errors and attempts, one row per person. One FILE is tested against --rate; two
    FILEs, one per device, against each other. With --paired, people are matched by a column id if both have it, and
    otherwise row by row.

    \b
    Examples:
      fairtrial test individuals counts.csv --rate .01 --alternative less
      fairtrial test individuals a.csv b.csv --paired
    """
    from fairtrial.repeated.tests import individuals_test

    output.check()
    if len(asked.files) > 2:
        raise ParameterError(f"tests are of one table of people or of two, not of {len(asked.files)}")
    found = individuals_test(
        *asked.files,
        rate=asked.rate,
        paired=asked.paired,
        alternative=alternative,
        confidence=asked.confidence,
    )
    print_result(output, found.tables(), found.to_dict())


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Which models of whose errors."""

    file: str = argument(type=READ, metavar="FILE")
    models: tuple[Generator, ...] = option(
        "--model",
        type=click.Choice(["beta-binomial", "oman-zucker"]),
        multiple=True,
        help="Which model; may be repeated.  [default: both]",
    )
    resamples: int = option(
        "--resamples",
        type=int,
        default=200,
        show_default=True,
        metavar="M",
        help="Data sets simulated from each fitted model.",
    )
    seed: int = option("--seed", **options.SEED, help="Seed of the data sets.")

    def test(self) -> FitTest:
        """The test, with a bar."""
        from fairtrial.repeated.models import fit_test

        models: tuple[Generator, ...] = self.models or ("beta-binomial", "oman-zucker")
        with Bar("fitting", len(models) * self.resamples) as bar:
            return fit_test(self.file, models=models, n_resamples=self.resamples, rng=self.seed, progress=bar.advance)


@command.command()
@options.takes(FitOptions, OutputOptions)
def fit(asked: FitOptions, output: OutputOptions) -> None:
    """Test whether people's errors are beta-binomial, or as Oman and Zucker's model has them.

    FILE is a table with the columns errors and attempts, one row per person. A small p value says that the model does
    not fit. `fairtrial plot fit` draws it.

    \b
    Example:
      fairtrial test fit counts.csv
    """
    output.check()
    found = asked.test()
    print_result(output, found.tables(), found.to_dict())
