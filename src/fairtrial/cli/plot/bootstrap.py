"""fairtrial plot bootstrap"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.compare import resamples_option, systems_option
from fairtrial.cli.options import ChanceOptions, PointOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, tell, two_systems

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw
    from fairtrial.tables import Terms


@figure("bootstrap")
@systems_option
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
    chosen: str | None,
    resamples: int,
    workers: int,
    method: Literal["percentile", "centred", "bc", "bca"] | None,
    terms: Terms,
) -> Draw:
    """The histogram of the bootstrapped difference of two systems, with the bounds of its interval and zero.

    \b
    Example:
      fairtrial plot bootstrap --dev dev.csv --test test.csv --systems face,voice --out difference.png
    """
    from fairtrial.comparison import compare
    from fairtrial.plots.bootstrap import bootstrap_plot

    point.check(measure)
    known = options.measure_by_name(measure, point.dcf)
    label = known.label
    dev, test = two_systems(files, reading, chosen)
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
    return lambda figure: bootstrap_plot(pair, measure=label, terms=terms, method=method, ax=figure.add_subplot())
