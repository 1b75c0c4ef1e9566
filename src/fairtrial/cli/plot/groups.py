"""fairtrial plot groups"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.groups import GroupOptions, evaluated
from fairtrial.cli.options import (
    ChanceOptions,
    PointOptions,
    ReadingOptions,
    TwoSets,
    dev_resamples_option,
    resample_option,
)
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.groups import Sorting
    from fairtrial.figures.table import Draw


@figure("groups")
@options.takes(TwoSets, GroupOptions, PointOptions, ChanceOptions)
@resample_option
@dev_resamples_option
@options.takes(ReadingOptions)
@click.option(
    "--sort",
    type=click.Choice(["name", "far", "frr", "hter"]),
    default="name",
    show_default=True,
    help="The order of groups: theirs, or the highest rate first.",
)
@options.terms_option
def command(
    files: TwoSets,
    wanted: GroupOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    resample: Literal["test", "both"],
    resamples: int,
    sort: Sorting,
) -> Draw:
    """FAR and FRR of every group at one threshold, with intervals that hold for all groups together.

    \b
    Example:
      fairtrial plot groups --dev dev.csv --test test.csv --people people.csv --by sex --sort far --out groups.png
    """
    from fairtrial.figures.groups import groups_plot

    found = evaluated(files, wanted, point, chance, reading, resample=resample, resamples=resamples)
    tell(found.notes)
    return lambda figure: groups_plot(found, sort=sort, figure=figure)
