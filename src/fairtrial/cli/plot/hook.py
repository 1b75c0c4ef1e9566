"""fairtrial plot hook"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.coverage import GridOptions, StudyOptions
from fairtrial.cli.files import READ
from fairtrial.cli.plot.coverage import covered_rows
from fairtrial.cli.plot.drawing import figure

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("hook")
@click.argument("file", required=False, type=READ, metavar="[FILE]")
@options.takes(GridOptions, StudyOptions)
def command(axes: GridOptions, asked: StudyOptions, *, file: str | None) -> Draw:
    """Coverage against the attempts of each individual, for one n, pi and rho: the hook paradox.

    FILE is what `fairtrial coverage --out` wrote, of which --n, --pi and --rho choose a cell; without it, a study is
    run on the spot, at n 500, pi .001 and rho .4 unless you choose others.

    \b
    Examples:
      fairtrial plot hook --datasets 5000 --out hook.png
      fairtrial plot hook coverage.parquet --n 500 --pi .001 --rho .4 --method lbb --out hook.png
    """
    from fairtrial.figures.repeated import hook_plot
    from fairtrial.repeated.coverage import PAPER

    rows, drawn = covered_rows(file, axes, asked, n=500, m=PAPER.m, pi=0.001, rho=0.4)
    methods = asked.methods or None
    return lambda figure: hook_plot(
        rows, data_sets=drawn, methods=methods, confidence=asked.confidence, ax=figure.add_subplot()
    )
