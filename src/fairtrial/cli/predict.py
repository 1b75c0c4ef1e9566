"""fairtrial predict"""

from __future__ import annotations

from dataclasses import dataclass

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ, FileCommand
from fairtrial.cli.options import OutputOptions, ReadingOptions, option
from fairtrial.cli.output import print_result
from fairtrial.cli.progress import Bar, reading_bar


@dataclass(frozen=True, slots=True)
class _Files:
    """Development scores, and perhaps test scores."""

    dev: tuple[str, ...] = option(
        "--dev", required=True, multiple=True, type=READ, metavar="F", help="Scores that the Gaussians are fitted to."
    )
    test: tuple[str, ...] = option(
        "--test", multiple=True, type=READ, metavar="F", help="Test scores, for the HTER at the threshold from dev."
    )


@click.command(cls=FileCommand)
@options.takes(_Files)
@click.option(
    "--normalise",
    default="none",
    show_default=True,
    metavar="NAME",
    help="none, z, min-max, median-mad, tanh, double-sigmoid.",
)
@click.option("--largest", type=int, metavar="K", help="Only fusions of at most K systems.  [default: all]")
@options.takes(ReadingOptions, OutputOptions)
def command(
    files: _Files,
    reading: ReadingOptions,
    output: OutputOptions,
    *,
    normalise: str,
    largest: int | None,
) -> None:
    """Predict every fusion by the mean from Gaussian fits of its parts, beside what is measured.

    Also shows how systems are correlated within genuine and within impostor trials.

    \b
    Examples:
      fairtrial predict --dev dev.csv --test test.csv --normalise z
      fairtrial predict --dev dev.csv --systems face,voice,finger --largest 2 --out predicted.csv
    """
    from fairtrial.formats.read import read_pair, read_trials
    from fairtrial.fusion.prediction import predict_fusions

    output.check()
    with reading_bar(files.dev, files.test) as bar:
        if files.test:
            dev, test = read_pair(files.dev, files.test, progress=bar.advance, **reading.keywords())
        else:
            dev, test = read_trials(files.dev, progress=bar.advance, **reading.keywords()), None
    names = dev.systems if reading.chosen is None else options.names_of(reading.chosen)
    with Bar("predicting", 1) as bar:
        found = predict_fusions(dev, test, systems=names, normalise=normalise, largest=largest, progress=bar.advance)
    print_result(output, found.tables(), found.to_dict())
