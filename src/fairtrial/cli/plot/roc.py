"""fairtrial plot roc"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, InputOptions, PointOptions, ReadingOptions, eer_option
from fairtrial.cli.plot.det import curves_of
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw
    from fairtrial.rules.eer import EerDefinition


@figure("roc")
@options.takes(InputOptions, PointOptions, ChanceOptions)
@eer_option
@options.takes(ReadingOptions)
@click.option("--limit", type=float, help="How far the axes reach, a fraction.")
@options.terms_option
def command(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    eer: EerDefinition,
    limit: float | None,
) -> Draw:
    """ROC curves of errors with the EER line, and the point that the threshold from dev gives.

    \b
    Example:
      fairtrial plot roc --dev dev.csv --test test.csv --system face --system voice --out roc.svg
    """
    from fairtrial.figures.det import roc_plot

    curves = curves_of(files, point, chance, reading, eer)
    return lambda figure: roc_plot(curves, limit=limit, ax=figure.add_subplot())
