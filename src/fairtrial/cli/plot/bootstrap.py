"""fairtrial plot bootstrap"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, PointOptions, ReadingOptions, TwoSets, resamples_option
from fairtrial.cli.plot.drawing import figure, tell, two_systems

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("bootstrap")
@options.takes(TwoSets, PointOptions, ChanceOptions)
@options.measure_option("--measure", default="hter", show_default=True, help="What is compared.")
@resamples_option
@options.workers_option
@options.takes(ReadingOptions)
@click.option(
    "--method",
    type=click.Choice(["percentile", "centred", "bc", "bca"]),
    help="How the interval is made.  [default: centred where people are resampled, else percentile]",
)
@options.terms_option
def command(
    files: TwoSets,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    measure: str,
    resamples: int,
    workers: int,
    method: Literal["percentile", "centred", "bc", "bca"] | None,
) -> Draw:
    """The histogram of the bootstrapped difference of two systems, with the bounds of its interval and zero.

    \b
    Example:
      fairtrial plot bootstrap --dev dev.csv --test test.csv --systems face,voice --out difference.png
    """
    from fairtrial.evaluation.comparison import compare
    from fairtrial.figures.scores import bootstrap_plot

    point.check(measure)
    known = options.measure_by_name(measure, point.dcf)
    label = known.label
    dev, test = two_systems(files, reading)
    found = compare(
        dev,
        test,
        criterion=point.rule,
        alpha=point.alpha,
        measure=known,
        confidence=chance.confidence,
        cluster=chance.cluster,
        n_resamples=resamples,
        rng=chance.seed,
        workers=workers,
    )
    tell(found.notes)
    (pair,) = found.pairs
    return lambda figure: bootstrap_plot(pair, measure=label, method=method, ax=figure.add_subplot())
