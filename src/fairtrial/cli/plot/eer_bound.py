"""fairtrial plot eer-bound"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairtrial.cli import options
from fairtrial.cli.eer_bound import BoundOptions
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("eer-bound")
@options.takes(BoundOptions)
def command(asked: BoundOptions) -> Draw:
    """The p value over chi2, with published EERs where the bound puts them; EERs are fractions.

    \b
    Example:
      fairtrial plot eer-bound TAN=.0057 DAUGMAN=.0008 MA=.0007 YAO=.0028 BASTYS=0 --trials 285390 --out bound.png
    """
    from fairtrial.figures.published import eer_bound_plot

    bounds = asked.bounds()
    return lambda figure: eer_bound_plot(bounds, ax=figure.add_subplot())
