"""fairtrial plot group-matrix"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
    from fairtrial.figures.table import Draw


@figure("group-matrix")
@options.takes(TwoSets, GroupOptions, PointOptions, ChanceOptions)
@resample_option
@dev_resamples_option
@options.takes(ReadingOptions)
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
) -> Draw:
    """The FAR of impostors of every group against claims of every group, at one threshold.

    \b
    Examples:
      fairtrial plot group-matrix --dev dev.csv --test test.csv --people people.csv --by origin --out matrix.png
      fairtrial plot group-matrix --dev dev.csv --test test.csv --by sex --impostor-by impostor_sex --out matrix.png
    """
    from fairtrial.figures.groups import group_matrix_plot

    found = evaluated(files, wanted, point, chance, reading, resample=resample, resamples=resamples)
    tell(found.notes)
    return lambda figure: group_matrix_plot(found, ax=figure.add_subplot())
