"""fairtrial plot correlation"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.files import READ
from fairtrial.cli.options import ReadingOptions
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.progress import reading_bar

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("correlation")
@click.argument("files", nargs=-1, required=True, type=READ, metavar="F...")
@options.takes(ReadingOptions)
def command(reading: ReadingOptions, *, files: tuple[str, ...]) -> Draw:
    """How systems are correlated within genuine and within impostor trials: two maps.

    \b
    Example:
      fairtrial plot correlation dev.csv --systems face,voice,finger --out correlation.png
    """
    from fairtrial.figures.scores import correlation_plot
    from fairtrial.formats.read import read_trials
    from fairtrial.fusion.prediction import system_correlations

    with reading_bar(files) as bar:
        trials = read_trials(files, progress=bar.advance, **reading.keywords())
    found = system_correlations(trials)
    return lambda figure: correlation_plot(found, figure=figure)
