"""fairtrial plot bayes-error"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_with
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import band_confidence, bands_option, figure, raw_option, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("bayes-error")
@options.takes(TwoSets, FitOptions, ChanceOptions)
@bands_option
@raw_option
@options.takes(ReadingOptions)
def command(
    files: TwoSets,
    fit: FitOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    bands: Literal["none", "pointwise"],
    raw: bool,
) -> Draw:
    """Normalised Bayes error on test over prior log-odds: calibrated on dev, and the least there is.

    \b
    Example:
      fairtrial plot bayes-error --dev dev.csv --test test.csv --out bayes-error.png
    """
    from fairtrial.calibration.curves import bayes_error_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.calibration import bayes_error_plot

    fit.check()
    confidence = band_confidence(bands, chance)
    results = calibrate_with(*read_sets(files, reading), fit, cluster=chance.cluster)
    curves = [bayes_error_curve(found, raw=raw, confidence=confidence) for found in results]
    tell(note for found in results for note in found.notes)
    return lambda figure: bayes_error_plot(curves, ax=figure.add_subplot())
