"""fairtrial plot ece"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_each
from fairtrial.cli.options import ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, raw_option

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw


@figure("ece", size=(6.4, 5.0))
@options.takes(TwoSets, FitOptions)
@raw_option
@options.takes(ReadingOptions)
def command(files: TwoSets, fit: FitOptions, reading: ReadingOptions, *, raw: bool) -> Draw:
    """Empirical cross-entropy on test over prior log-odds: calibrated on dev, the least there is, and without evidence.

    \b
    Example:
      fairtrial plot ece --dev dev.csv --test test.csv --out ece.png
    """
    from fairtrial.calibration.curves import ece_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.plots.ece import ece_plot

    fit.check()
    curves = [ece_curve(found, raw=raw) for found in calibrate_each(*read_sets(files, reading), fit)]
    return lambda figure: ece_plot(curves, ax=figure.add_subplot())
