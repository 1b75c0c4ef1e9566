"""fairtrial plot epc-significance"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.compare import resamples_option, systems_option
from fairtrial.cli.coverage import numbers_of
from fairtrial.cli.epc import CurveOptions, measure_option
from fairtrial.cli.epc_compare import CompareCurves, ThresholdOptions
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.plot.epc_compare import compared_curves

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw
    from fairtrial.tables import Terms


@figure("epc-significance", size=(6.4, 6.2))
@systems_option
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
    chosen: str | None,
    resamples: int,
    levels: str,
    terms: Terms,
) -> Draw:
    """Two Expected Performance Curves above the confidence that the first system is the worse one.

    \b
    Example:
      fairtrial plot epc-significance --dev dev.csv --test test.csv --systems face,voice --out sure.png
    """
    from fairtrial.plots.epc_significance import epc_significance_plot

    lines = numbers_of("--levels", levels, float)
    found = compared_curves(files, curve, compared, given, chance, reading, measure, chosen, resamples)
    return lambda figure: epc_significance_plot(*found, terms=terms, levels=lines, figure=figure)
