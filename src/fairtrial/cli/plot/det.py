"""fairtrial plot det"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, InputOptions, PointOptions, ReadingOptions, eer_option
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.det import OperatingCurve
    from fairtrial.figures.table import Draw
    from fairtrial.rules.eer import EerDefinition


@figure("det")
@options.takes(InputOptions, PointOptions, ChanceOptions)
@eer_option
@options.takes(ReadingOptions)
@options.terms_option
def command(
    files: InputOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    eer: EerDefinition,
) -> Draw:
    """DET curves on probit axes, with the point that the threshold from dev gives and its intervals.

    \b
    Example:
      fairtrial plot det --dev dev.txt --test test.txt --out det.png
    """
    from fairtrial.figures.det import det_plot

    curves = curves_of(files, point, chance, reading, eer)
    return lambda figure: det_plot(curves, ax=figure.add_subplot())


def curves_of(
    files: InputOptions, point: PointOptions, chance: ChanceOptions, reading: ReadingOptions, eer: EerDefinition
) -> tuple[OperatingCurve, ...]:
    """The curves of all systems with their operating points."""
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.figures.det import operating_curves

    point.check()
    inputs = read_inputs(files, reading, chance)
    curves = operating_curves(
        inputs.dev,
        inputs.test,
        blocks=inputs.blocks,
        criterion=point.rule,
        alpha=point.alpha,
        confidence=chance.confidence,
        cluster=chance.cluster,
        eer=eer,
    )
    tell(note for own in curves for note in own.notes)
    return curves
