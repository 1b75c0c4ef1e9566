"""fairtrial plot epc-significance"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.coverage import numbers_of
from fairtrial.cli.epc import CurveOptions, measure_option
from fairtrial.cli.epc_compare import CompareCurves, ThresholdOptions
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets, resamples_option
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.plot.epc_compare import compared_curves

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("epc-significance")
@options.takes(TwoSets, CurveOptions, CompareCurves, ThresholdOptions, ChanceOptions)
@measure_option
@resamples_option
@options.takes(ReadingOptions)
@click.option("--levels", default=".1,.5,.9", show_default=True, help="Lines in the lower panel.")
@options.terms_option
def command(
    files: TwoSets,
    curve: CurveOptions,
    compared: CompareCurves,
    given: ThresholdOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    measure: str,
    resamples: int,
    levels: str,
) -> Draw:
    """Two Expected Performance Curves above the confidence that the first system is the worse one.

    \b
    Example:
      fairtrial plot epc-significance --dev dev.csv --test test.csv --systems face,voice --out sure.png
    """
    from fairtrial.figures.epc import epc_significance_plot

    lines = numbers_of("--levels", levels, float)
    found = compared_curves(files, curve, compared, given, chance, reading, measure, resamples)
    return lambda figure: epc_significance_plot(*found, levels=lines, figure=figure)
