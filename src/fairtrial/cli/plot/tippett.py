"""fairtrial plot tippett"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_with
from fairtrial.cli.options import ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("tippett")
@options.takes(TwoSets, FitOptions, ReadingOptions)
def command(files: TwoSets, fit: FitOptions, reading: ReadingOptions) -> Draw:
    """The shares of genuine and of impostor trials above each log-likelihood ratio, calibrated on dev.

    \b
    Example:
      fairtrial plot tippett --dev dev.csv --test test.csv --out tippett.png
    """
    from fairtrial.calibration.curves import tippett_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.calibration import tippett_plot

    fit.check()
    results = calibrate_with(*read_sets(files, reading), fit)
    tell(note for found in results for note in found.notes)
    curves = [tippett_curve(found) for found in results]
    return lambda figure: tippett_plot(curves, ax=figure.add_subplot())
