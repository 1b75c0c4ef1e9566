"""fairtrial plot group-det"""

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
    eer_option,
    resample_option,
)
from fairtrial.cli.plot.drawing import figure, tell

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw
    from fairtrial.rules.eer import EerDefinition

group_option = click.option(
    "--group", "groups", multiple=True, metavar="NAME", help="Only this group; may be repeated. [default: all]"
)


@figure("group-det")
@options.takes(TwoSets, GroupOptions, PointOptions, ChanceOptions)
@eer_option
@resample_option
@dev_resamples_option
@options.takes(ReadingOptions)
@group_option
@options.terms_option
def command(
    files: TwoSets,
    wanted: GroupOptions,
    point: PointOptions,
    chance: ChanceOptions,
    reading: ReadingOptions,
    *,
    eer: EerDefinition,
    resample: Literal["test", "both"],
    resamples: int,
    groups: tuple[str, ...],
) -> Draw:
    """DET curves of groups, with the point of each at the one threshold from dev and its intervals.

    \b
    Example:
      fairtrial plot group-det --dev dev.csv --test test.csv --by device --group phone --group laptop --out det.png
    """
    from fairtrial.figures.groups import group_det_plot

    found = evaluated(files, wanted, point, chance, reading, resample=resample, resamples=resamples)
    tell(found.notes)
    return lambda figure: group_det_plot(found, groups=groups, eer=eer, ax=figure.add_subplot())
