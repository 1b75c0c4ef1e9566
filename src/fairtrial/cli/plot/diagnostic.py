"""fairtrial plot diagnostic"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("diagnostic")
@options.takes(TwoSets, PointOptions, ChanceOptions, ReadingOptions)
@click.option("--bins", type=int, default=40, show_default=True, help="Bins of the histograms.")
@options.terms_option
def command(files: TwoSets, point: PointOptions, chance: ChanceOptions, reading: ReadingOptions, *, bins: int) -> Draw:
    """Four panels: densities of scores, FAR and FRR against the threshold, the WER at alpha, and the DET curve.

    \b
    Example:
      fairtrial plot diagnostic --dev dev.csv --test test.csv --system face --out diagnostic.png
    """
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.scores import diagnostic_plot, diagnostics

    options.check_costs(point.dcf, point.criterion)
    dev, test = read_sets(files, reading)
    found = diagnostics(
        dev,
        test,
        bins=bins,
        criterion=point.rule,
        alpha=point.alpha,
        confidence=chance.confidence,
        cluster=chance.cluster,
    )
    tell(note for own in found for note in own.curve.notes)
    return lambda figure: diagnostic_plot(found, figure=figure)
