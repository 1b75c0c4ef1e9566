"""fairtrial plot: one file per figure, loaded when it is drawn."""

from __future__ import annotations

import click

from fairtrial.cli.app import LazyGroup
from fairtrial.figures.table import FIGURES


@click.group(cls=LazyGroup, room="fairtrial.cli.plot", known={name: kind.about for name, kind in FIGURES.items()})
def command() -> None:
    """Draw a figure and write it as .png, .svg or .pdf.

    \b
    Examples:
      fairtrial plot det --dev dev.txt --test test.txt --out det.png
      fairtrial plot epc --dev dev.csv --test test.csv --bands simultaneous --out epc.svg
    """
