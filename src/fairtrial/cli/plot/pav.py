"""fairtrial plot pav"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import FitOptions, calibrate_with
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, redrawn_option, tell
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("pav")
@options.takes(TwoSets, FitOptions, ChanceOptions)
@redrawn_option
@click.option("--scores", "of_scores", is_flag=True, help="Along the scores of one system, not its calibrated ratios.")
@options.takes(ReadingOptions)
def command(
    files: TwoSets,
    fit: FitOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    resamples: int,
    of_scores: bool,
) -> Draw:
    """Log-likelihood ratios calibrated on dev against those by pool-adjacent-violators on test, with bands.

    \b
    Examples:
      fairtrial plot pav --dev dev.csv --test test.csv --out pav.png
      fairtrial plot pav --dev dev.csv --test test.csv --system face --scores --out pav.png
    """
    from fairtrial.calibration.maps import pav_curve
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.calibration import pav_plot

    fit.check()
    dev, test = read_sets(files, reading)
    if of_scores and len(dev.systems) != 1:
        raise ParameterError(f"--scores are those of one system, not {listed(dev.systems)}; name it with --system")
    found = calibrate_with(dev, test, fit, confidence=chance.confidence, cluster=chance.cluster)
    curves = [
        pav_curve(each, of_scores=of_scores, confidence=chance.confidence, n_resamples=resamples, rng=chance.seed)
        for each in found
    ]
    tell(note for each in found for note in each.notes)
    return lambda figure: pav_plot(curves, ax=figure.add_subplot())
