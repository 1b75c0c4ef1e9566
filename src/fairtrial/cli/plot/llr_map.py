"""fairtrial plot llr-map"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.calibrating import PRIOR, FitOptions, calibrate_with, check_prior
from fairtrial.cli.options import ChanceOptions, ReadingOptions, TwoSets
from fairtrial.cli.plot.drawing import figure, redrawn_option, tell
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("llr-map")
@options.takes(TwoSets)
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=["logistic"],
    **{**options.CALIBRATION, "help": f"{options.CALIBRATION['help']} May be repeated, for several maps."},
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
    methods: tuple[str, ...],
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
    from fairtrial.calibration.parametric import LinearInfluence
    from fairtrial.cli.inputs import read_sets
    from fairtrial.figures.calibration import llr_map_plot

    check_prior(methods)
    dev, test = read_sets(files, reading)
    if len(dev.systems) != 1:
        raise ParameterError(f"the map is of one system, not {listed(dev.systems)}; name it with --system")
    found = [
        each
        for method in dict.fromkeys(methods)
        for each in calibrate_with(
            dev, test, FitOptions(method, prior, False, "none"), confidence=chance.confidence, cluster=chance.cluster
        )
    ]
    if all(isinstance(each.calibration.influence, LinearInfluence) for each in found):
        options.refuse_given(["resamples", "seed"], "applies to maps whose band draws dev anew, as that of pav does")
    maps = [llr_map(each, confidence=chance.confidence, n_resamples=resamples, rng=chance.seed) for each in found]
    tell(note for each in found for note in each.notes)
    return lambda figure: llr_map_plot(maps, ax=figure.add_subplot())
