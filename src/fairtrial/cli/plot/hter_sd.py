"""fairtrial plot hter-sd"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("hter-sd")
@click.option("--far", type=float, default=0.1, show_default=True, help="False acceptance rate, a fraction.")
@click.option("--frr", type=float, default=0.2, show_default=True, help="False rejection rate, a fraction.")
@click.option("--genuine", type=int, default=100, show_default=True, help="Number of genuine trials, NC.")
@click.option("--most", type=float, default=1000.0, show_default=True, help="The largest NI / NC.")
@options.terms_option
def command(*, far: float, frr: float, genuine: int, most: float) -> Draw:
    """Standard deviations of HTER, NAIVE and CLASS against the ratio of impostor to genuine trials.

    \b
    Example:
      fairtrial plot hter-sd --far .1 --frr .2 --genuine 100 --out hter-sd.png
    """
    from fairtrial.figures.published import hter_deviations, hter_sd_plot, ratios_up_to

    found = hter_deviations(ratios=ratios_up_to(most), far=far, frr=frr, genuine=genuine)
    return lambda figure: hter_sd_plot(found, ax=figure.add_subplot())
