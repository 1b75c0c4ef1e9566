"""fairtrial plot bayes-error"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_each
from fairtrial.cli.options import ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, raw_option

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw


@figure("bayes-error", size=(6.4, 5.0))
@options.takes(TwoSets, FitOptions)
@raw_option
@options.takes(ReadingOptions)
def command(files: TwoSets, fit: FitOptions, reading: ReadingOptions, *, raw: bool) -> Draw:
    """Normalised Bayes error on test over prior log-odds: calibrated on dev, and the least there is.

    \b
    Example:
      fairtrial plot bayes-error --dev dev.csv --test test.csv --out bayes-error.png
    """
    from fairtrial.calibration.curves import bayes_error_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.plots.bayes_error import bayes_error_plot

    fit.check()
    curves = [bayes_error_curve(found, raw=raw) for found in calibrate_each(*read_sets(files, reading), fit)]
    return lambda figure: bayes_error_plot(curves, ax=figure.add_subplot())
