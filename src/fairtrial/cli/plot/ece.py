"""fairtrial plot ece"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_with
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import band_confidence, bands_option, figure, raw_option, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("ece")
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
    """Empirical cross-entropy on test over prior log-odds: calibrated on dev, the least there is, and without evidence.

    \b
    Example:
      fairtrial plot ece --dev dev.csv --test test.csv --out ece.png
    """
    from fairtrial.calibration.curves import ece_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.calibration import ece_plot

    fit.check()
    confidence = band_confidence(bands, chance)
    results = calibrate_with(*read_sets(files, reading), fit, cluster=chance.cluster)
    curves = [ece_curve(found, raw=raw, confidence=confidence) for found in results]
    tell(note for found in results for note in found.notes)
    return lambda figure: ece_plot(curves, ax=figure.add_subplot())
