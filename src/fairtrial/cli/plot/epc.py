"""fairtrial plot epc"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.epc import BandOptions, CurveOptions, bands_of, check_bands, curves_of, measure_option, pool_option
from fairtrial.cli.epc_compare import ThresholdOptions
from fairtrial.cli.options import ChanceOptions, InputOptions, ReadingOptions, resamples_option
from fairtrial.cli.plot.drawing import figure, tell
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("epc")
@options.takes(InputOptions, CurveOptions, ChanceOptions)
@measure_option
@options.takes(BandOptions, ThresholdOptions)
@resamples_option
@pool_option
@options.takes(ReadingOptions)
@click.option(
    "--mark", type=float, multiple=True, help="Mark the HTER at this alpha with its interval; may be repeated."
)
@options.terms_option
def command(
    files: InputOptions,
    curve: CurveOptions,
    chance: ChanceOptions,
    band: BandOptions,
    given: ThresholdOptions,
    reading: ReadingOptions,
    *,
    measure: str,
    resamples: int,
    pool: bool,
    mark: tuple[float, ...],
) -> Draw:
    """Expected Performance Curves of all systems, with bands.

    \b
    Example:
      fairtrial plot epc --dev dev.txt --test test.txt --bands simultaneous --mark .5 --out epc.png
    """
    from fairtrial.cli.inputs import read_inputs
    from fairtrial.evaluation.evaluation import SystemEvaluation
    from fairtrial.figures.epc import epc_plot
    from fairtrial.inference.decide import judge

    curve.check(measure)
    if not mark:
        check_bands(band, "--bands")
    inputs = read_inputs(files, reading, chance)
    if mark and (inputs.test is None or measure != "hter"):
        raise ParameterError("--mark shows the HTER of a test set; leave it out, or give --test and no --measure")
    sets = inputs.sets(chance)
    tell(sets.notes)
    curves = curves_of(inputs, sets, curve, measure, pool=pool)
    bands = bands_of(inputs, curves, band, given, chance, resamples)
    rule = options.criterion_by_name(curve.criterion, curve.dcf)
    points = [
        SystemEvaluation(
            judge(sets, system=name, criterion=rule, alphas=alpha),
            confidence=chance.confidence,
            resample=given.resample,
        )
        for name in inputs.systems
        for alpha in mark
    ]
    return lambda figure: epc_plot(curves, bands=bands, points=points, ax=figure.add_subplot())
