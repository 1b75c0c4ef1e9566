"""fairtrial plot correlation"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.compare import systems_option
from fairtrial.cli.files import READ
from fairtrial.cli.options import ReadingOptions
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.progress import reading_bar

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw


@figure("correlation", size=(8.4, 4.2))
@click.argument("files", nargs=-1, required=True, type=READ, metavar="F...")
@systems_option
@options.takes(ReadingOptions)
def command(reading: ReadingOptions, *, files: tuple[str, ...], chosen: str | None) -> Draw:
    """How systems are correlated within genuine and within impostor trials: two maps.

    \b
    Example:
      fairtrial plot correlation dev.csv --systems face,voice,finger --out correlation.png
    """
    from fairtrial.formats import read_trials
    from fairtrial.fusion.correlation import system_correlations
    from fairtrial.plots.correlation import correlation_plot

    options.check_chosen(chosen, reading)
    if chosen:
        reading = replace(reading, systems=options.names_of(chosen))
    with reading_bar(files) as bar:
        trials = read_trials(files, progress=bar.advance, **reading.keywords())
    found = system_correlations(trials)
    return lambda figure: correlation_plot(found, figure=figure)
