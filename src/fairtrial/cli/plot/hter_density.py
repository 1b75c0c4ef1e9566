"""fairtrial plot hter-density"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli.plot.drawing import figure
from fairtrial.figures.table import FIGURES

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("hter-density")
@click.option("--far", type=float, default=0.1, show_default=True, metavar="X", help="FAR, a fraction.")
@click.option("--frr", type=float, default=0.2, show_default=True, metavar="X", help="FRR, a fraction.")
@click.option("--impostor", type=int, default=1000, show_default=True, metavar="NI", help="Impostor trials.")
@click.option("--genuine", type=int, default=100, show_default=True, metavar="NC", help="Genuine trials.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="X", help="Of the interval.")
def command(far: float, frr: float, impostor: int, genuine: int, confidence: float) -> Draw:
    """The normal density of an HTER, with the area of its interval.

    \b
    Example:
      fairtrial plot hter-density --far .01 --frr .02 --impostor 112000 --genuine 400 --out hter-density.png
    """
    from fairtrial.figures.published import hter_density

    data = hter_density(far=far, frr=frr, impostor=impostor, genuine=genuine, confidence=confidence)
    return FIGURES["hter-density"].draw(data)
