"""fairtrial plot epc-compare"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.epc import CurveOptions, curves_of, measure_option
from fairtrial.cli.epc_compare import CompareCurves, ThresholdOptions, compare_two
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets, resamples_option
from fairtrial.cli.plot.drawing import figure, tell, two_systems

if TYPE_CHECKING:
    from fairtrial.evaluation.curve_tests import CurveComparison
    from fairtrial.evaluation.epc import PerformanceCurve
    from fairtrial.figures.table import Draw


@figure("epc-compare")
@options.takes(TwoSets, CurveOptions, CompareCurves, ThresholdOptions, ChanceOptions)
@measure_option
@resamples_option
@options.takes(ReadingOptions)
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
) -> Draw:
    """Two Expected Performance Curves, shaded where they differ significantly.

    \b
    Example:
      fairtrial plot epc-compare --dev dev.csv --test test.csv --systems face,voice --out compared.png
    """
    from fairtrial.figures.epc import epc_comparison_plot

    found = compared_curves(files, curve, compared, given, chance, reading, measure, resamples)
    return lambda figure: epc_comparison_plot(*found, ax=figure.add_subplot())


def compared_curves(
    files: TwoSets,
    curve: CurveOptions,
    compared: CompareCurves,
    given: ThresholdOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    measure: str,
    resamples: int,
) -> tuple[PerformanceCurve, PerformanceCurve, CurveComparison]:
    """The curves of two systems, and where they differ."""
    from fairtrial.cli.inputs import Inputs

    curve.check(measure)
    threshold = given.threshold_of(compared)
    dev, test = two_systems(files, reading)
    inputs = Inputs(dev, test)
    sets = inputs.sets(chance)
    a, b = curves_of(inputs, sets, curve, measure)
    along = compare_two(a, b, threshold, chance, compared, resamples)
    tell((*sets.notes, *along.tables()[0].notes))
    return a, b, along
