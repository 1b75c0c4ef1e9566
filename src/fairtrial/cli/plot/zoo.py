"""fairtrial plot zoo"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.options import PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, thresholds_of
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw
    from fairtrial.repeated.attempts import Person


@figure("zoo")
@options.takes(TwoSets, PointOptions)
@options.takes(ReadingOptions)
@click.option(
    "--shows",
    type=click.Choice(["scores", "errors"]),
    default="scores",
    show_default=True,
    help="Mean scores, or error rates at the threshold from dev.",
)
@click.option(
    "--by",
    type=click.Choice(["claim", "subject"]),
    default="claim",
    show_default=True,
    help="claim: who is imitated (lambs); subject: who imitates (wolves).",
)
@options.terms_option
def command(
    files: TwoSets,
    point: PointOptions,
    reading: ReadingOptions,
    *,
    shows: Literal["scores", "errors"],
    by: Person,
) -> Draw:
    """Doddington's zoo of one system: everybody by genuine and impostor trials, goats and lambs by name.

    \b
    Example:
      fairtrial plot zoo --dev dev.csv --test test.csv --system face --out zoo.png
    """
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.scores import zoo_data, zoo_plot

    point.check()
    dev, test = read_sets(files, reading)
    if len(dev.systems) != 1:
        raise ParameterError(f"the zoo is of one system, not {listed(dev.systems)}; name it with --system")
    (threshold,) = thresholds_of(dev, test, point).values()
    zoo = zoo_data(test, by=by, shows=shows, threshold=threshold)
    return lambda figure: zoo_plot(zoo, ax=figure.add_subplot())
