"""fairtrial plot group-epc"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.epc import CurveOptions, measure_option
from fairtrial.cli.groups import GroupOptions, evaluated
from fairtrial.cli.options import ChanceOptions, PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.plot.group_det import group_option

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("group-epc")
@options.takes(TwoSets, GroupOptions, CurveOptions)
@measure_option
@options.takes(ReadingOptions)
@group_option
@options.terms_option
def command(
    files: TwoSets,
    wanted: GroupOptions,
    curve: CurveOptions,
    reading: ReadingOptions,
    *,
    measure: str,
    groups: tuple[str, ...],
) -> Draw:
    """Expected Performance Curves of groups: at every alpha one threshold from all dev trials.

    \b
    Example:
      fairtrial plot group-epc --dev dev.csv --test test.csv --people people.csv --by sex --out epc.png
    """
    from fairtrial.evaluation.epc import alpha_grid
    from fairtrial.figures.groups import group_epc_plot
    from fairtrial.groups.curves import group_curves

    curve.check(measure)
    alphas = alpha_grid(curve.points, low=curve.range[0], high=curve.range[1])
    # of this result only the trials and their groups are drawn
    at_eer, independent = PointOptions("eer", None, None), ChanceOptions("none", 0.95, 0)
    found = evaluated(files, wanted, at_eer, independent, reading, resample="test")
    curves = group_curves(
        found,
        alphas=alphas,
        criterion=options.criterion_by_name(curve.criterion, curve.dcf),
        measure=options.measure_by_name(measure, curve.dcf),
        groups=groups,
    )
    return lambda figure: group_epc_plot(curves, ax=figure.add_subplot())
