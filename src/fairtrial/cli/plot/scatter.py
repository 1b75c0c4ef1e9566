"""fairtrial plot scatter"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.options import PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, thresholds_of, two_systems

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("scatter")
@options.takes(TwoSets, PointOptions)
@options.seed_option
@options.takes(ReadingOptions)
@click.option("--points", type=int, default=500, show_default=True, help="At most so many trials of each class.")
def command(files: TwoSets, point: PointOptions, reading: ReadingOptions, *, seed: int, points: int) -> Draw:
    """The scores of two systems against each other, a seeded subsample, with the Gaussian of each class.

    \b
    Example:
      fairtrial plot scatter --dev dev.csv --test test.csv --systems face,voice --points 300 --out scatter.png
    """
    from fairtrial.figures.scores import scatter_data, scatter_plot

    point.check()
    dev, test = two_systems(files, reading)
    thresholds = thresholds_of(dev, test, point)
    a, b = dev.systems
    data = scatter_data(test, a, b, points=points, rng=seed)
    return lambda figure: scatter_plot(data, thresholds=thresholds, ax=figure.add_subplot())
