"""fairtrial plot llr-map"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import METHODS, PRIOR, FitOptions, calibrate_each
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, redrawn_option
from fairtrial.errors import ParameterError, listed

if TYPE_CHECKING:
    from fairtrial.calibration.model import Method
    from fairtrial.plots.files import Draw


@figure("llr-map")
@options.takes(TwoSets)
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHODS),
    multiple=True,
    default=METHODS[:1],
    show_default=True,
    help="How the map is fitted; may be repeated, for several maps in one figure.",
)
@click.option("--prior", **PRIOR)
@options.takes(ChanceOptions)
@redrawn_option
@options.takes(ReadingOptions)
def command(
    files: TwoSets,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    methods: tuple[Method, ...],
    prior: float,
    resamples: int,
) -> Draw:
    """The map of a calibration: log-likelihood ratios over the scores of one system, with bands by dev people.

    \b
    Examples:
      fairtrial plot llr-map --dev dev.csv --test test.csv --system face --out llr-map.png
      fairtrial plot llr-map --dev dev.csv --test test.csv --method logistic --method pav --out llr-map.png
    """
    from fairtrial.calibration.maps import llr_map
    from fairtrial.cli.inputs import read_sets
    from fairtrial.plots.llr_map import llr_map_plot

    if "logistic" not in methods:
        options.refuse_given(["prior"], "applies to --method logistic, not to pav")
    if "pav" not in methods:
        options.refuse_given(["resamples", "seed"], "applies to --method pav, whose band draws dev anew")
    dev, test = read_sets(files, reading)
    if len(dev.systems) != 1:
        raise ParameterError(f"the map is of one system, not {listed(dev.systems)}; name it with --system")
    maps = [
        llr_map(found, confidence=chance.confidence, n_resamples=resamples, rng=chance.seed)
        for method in dict.fromkeys(methods)
        for found in calibrate_each(
            dev, test, FitOptions(method, prior, False), confidence=chance.confidence, cluster=chance.cluster
        )
    ]
    return lambda figure: llr_map_plot(maps, ax=figure.add_subplot())
