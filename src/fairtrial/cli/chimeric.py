"""fairtrial chimeric"""

from __future__ import annotations

from dataclasses import dataclass

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileCommand
from fairtrial.cli.options import OutputOptions, ReadingOptions, TwoSets, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar, reading_bar
from fairtrial.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class _Modality:
    """The modality whose people are exchanged."""

    move: str | None = option(
        "--move",
        metavar="A[,B...]",
        help="The systems of the modality whose people are exchanged, separated by commas.",
    )
    other_dev: tuple[str, ...] = option(
        "--other-dev",
        multiple=True,
        type=READ,
        metavar="F",
        help="In place of --move: dev scores of the other modality.",
    )
    other_test: tuple[str, ...] = option(
        "--other-test",
        multiple=True,
        type=READ,
        metavar="F",
        help="In place of --move: test scores of the other modality.",
    )
    assignments: int = option(
        "--assignments",
        type=int,
        default=50,
        show_default=True,
        metavar="N",
        help="How many random assignments of people are made.",
    )

    def check(self) -> None:
        """Raise an error if only one set of the other modality is given."""
        if bool(self.other_dev) != bool(self.other_test):
            raise ParameterError("give both --other-dev F and --other-test F")


@click.command(cls=FileCommand)
@options.takes(TwoSets, _Modality)
@click.option("--fusion", default="mean", show_default=True, metavar="NAME", help="A method of `fairtrial fuse`.")
@click.option("--normalise", default="none", show_default=True, metavar="NAME", help="As in `fairtrial fuse`.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the interval.")
@options.seed_option
@options.takes(ReadingOptions, OutputOptions)
def command(
    files: TwoSets,
    modality: _Modality,
    reading: ReadingOptions,
    output: OutputOptions,
    *,
    fusion: str,
    normalise: str,
    confidence: float,
    seed: int,
) -> None:
    """What chimeric users do to a fusion: modalities of different people put together, again and again.

    \b
    Examples:
      fairtrial chimeric --dev dev.csv --test test.csv --move voice
      fairtrial chimeric --dev face-dev.csv --test face-test.csv --other-dev v-dev.csv --other-test v-test.csv
    """
    from fairtrial.formats.read import read_pair
    from fairtrial.fusion.chimeric import chimeric_study

    modality.check()
    output.check()
    with reading_bar(files.dev, files.test, modality.other_dev, modality.other_test) as bar:
        pair = read_pair(files.dev, files.test, progress=bar.advance, **reading.keywords())
        other = None
        if modality.other_dev:
            other = read_pair(modality.other_dev, modality.other_test, progress=bar.advance, **reading.keywords())
    with Bar("assigning", 1) as bar:
        found = chimeric_study(
            *pair,
            moved=None if modality.move is None else options.names_of(modality.move),
            other=other,
            assignments=modality.assignments,
            fusion=fusion,
            normalise=normalise,
            confidence=confidence,
            rng=seed,
            progress=bar.advance,
        )
    print_result(output, found.tables(), found.to_dict())
