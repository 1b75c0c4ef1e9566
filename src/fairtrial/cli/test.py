"""fairtrial test"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileGroup
from fairtrial.cli.options import OutputOptions, argument, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar
from fairtrial.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.individuals import FitTest, Generator, IndividualsTests


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
    output.check()
    found = _tests(asked, alternative)
    print_result(output, found.tables(), found.to_dict())


def _tests(asked: TestOptions, alternative: options.Alternatives) -> IndividualsTests:
    from fairtrial.formats.counts import read_counts, read_paired_counts
    from fairtrial.individuals import Individuals, device_test, paired_device_test, rate_test

    if len(asked.files) > 2:
        raise ParameterError(f"tests are of one table of people or of two, not of {len(asked.files)}")
    if len(asked.files) == 1:
        if asked.rate is None or asked.paired:
            raise ParameterError("one table is tested against a rate, as in --rate .01; --paired needs two tables")
        people = Individuals.from_counts(*read_counts(asked.files[0]).counts)
        return rate_test(people, asked.rate, alternative=alternative, confidence=asked.confidence)
    if asked.rate is not None:
        raise ParameterError("two tables are tested against each other; --rate goes with one table")
    if not asked.paired:
        a, b = (Individuals.from_counts(*read_counts(file).counts) for file in asked.files)
        return device_test(a, b, alternative=alternative, confidence=asked.confidence)
    first, second = read_paired_counts(*asked.files)
    tests = paired_device_test(first.counts, second.counts, alternative=alternative, confidence=asked.confidence)
    how = "row by row" if first.ids is None else "by their ids"
    return replace(tests, notes=(f"{len(first.errors)} people matched {how}", *tests.notes))


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
        from fairtrial.formats.counts import read_counts
        from fairtrial.individuals import Individuals, fit_test

        people = Individuals.from_counts(*read_counts(self.file).counts)
        models: tuple[Generator, ...] = self.models or ("beta-binomial", "oman-zucker")
        with Bar("fitting", len(models) * self.resamples) as bar:
            return fit_test(people, models=models, n_resamples=self.resamples, rng=self.seed, progress=bar.advance)


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
