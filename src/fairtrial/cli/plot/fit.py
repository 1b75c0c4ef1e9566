"""fairtrial plot fit"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.test import FitOptions

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("fit")
@options.takes(FitOptions)
def command(asked: FitOptions) -> Draw:
    """How many people made 0, 1, ... errors, and how many a model expects to: does it fit?

    FILE is a table with the columns errors and attempts, one row per person.

    \b
    Example:
      fairtrial plot fit counts.csv --out fit.png
    """
    from fairtrial.figures.repeated import fit_plot

    found = asked.test()
    return lambda figure: fit_plot(found, ax=figure.add_subplot())
