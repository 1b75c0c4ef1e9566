"""fairtrial plot coverage"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli import options
from fairtrial.cli.coverage import GridOptions, StudyOptions, grid_option
from fairtrial.cli.files import READ
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.progress import Bar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.figures.repeated import Covered
    from fairtrial.figures.table import Draw


@figure("coverage")
@grid_option
@click.argument("file", required=False, type=READ, metavar="[FILE]")
@options.takes(GridOptions, StudyOptions)
def command(axes: GridOptions, asked: StudyOptions, *, grid_name: str | None, file: str | None) -> Draw:
    """The map of a coverage study: blocks by n and m, squares by pi and rho, in the classes of Table 1.

    FILE is what `fairtrial coverage --out` wrote, of which --n, --m, --pi and --rho choose cells; without it, a study
    is run on the spot.

    \b
    Examples:
      fairtrial plot coverage coverage.parquet --out coverage.png
      fairtrial plot coverage --grid paper --datasets 100 --method lbb --method brr --out coverage.png
    """
    from fairtrial.figures.repeated import coverage_plot

    if file is not None and grid_name is not None:
        raise ParameterError("--grid does not go with a file, which has the cells of its own study")
    rows, _ = covered_rows(file, axes, asked, grid=grid_name)
    return lambda figure: coverage_plot(rows, methods=asked.methods or None, figure=figure)


_OF_STUDIES = ["datasets", "resamples", "exact", "generator", "seed", "workers"]


def covered_rows(
    file: str | None, axes: GridOptions, asked: StudyOptions, **chosen: Any
) -> tuple[Sequence[Covered], int | None]:
    """The rows of the study in a file, or of one that is run; and the data sets of each cell, if they were drawn."""
    from fairtrial.figures.repeated import choose_rows, read_study
    from fairtrial.repeated.coverage import grid_of
    from fairtrial.repeated.study import coverage_study

    if file is not None:
        options.refuse_given(_OF_STUDIES, "applies to a study that is run, and FILE holds one")
        return choose_rows(read_study(file), **axes.values()), None
    cells: dict[str, Any] = {**chosen, **axes.axes()}
    with Bar("covering", len(grid_of(**{**cells, "grid": cells.get("grid") or "quick"}))) as bar:
        study = coverage_study(**cells, **asked.keywords(), progress=bar.advance)
    return study.rows, None if study.settings.exact else study.settings.data_sets
