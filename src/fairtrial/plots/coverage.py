"""The map of a coverage study: blocks by people and attempts, squares by error rate and correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairtrial.axes import COVERAGE_COLOURS, coverage_classes, coverage_labels
from fairtrial.errors import InputError, ParameterError, listed, shown
from fairtrial.formats.columns import read_named
from fairtrial.formats.files import PathLike
from fairtrial.individuals import REPEATED_METHODS
from fairtrial.plots.style import figure_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.plots.style import Canvas

NAMES = {name: name.upper() for name in REPEATED_METHODS}
_COLUMNS = ("n", "m", "pi", "rho", "coverage")


class Covered(Protocol):
    """What a figure needs of a row of a coverage study."""

    @property
    def n(self) -> float: ...
    @property
    def m(self) -> float: ...
    @property
    def pi(self) -> float: ...
    @property
    def rho(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def coverage(self) -> float: ...


@dataclass(frozen=True, slots=True)
class CoveredCell:
    """A row of a coverage study as a file has it."""

    n: float
    m: float
    pi: float
    rho: float
    method: str
    coverage: float


@dataclass(frozen=True, slots=True, eq=False)
class CoverageMap:
    """Coverage of one method, by attempts and correlation (rows) and people and rate (columns)."""

    method: str
    n: tuple[float, ...]
    m: tuple[float, ...]
    pi: tuple[float, ...]
    rho: tuple[float, ...]
    coverage: NDArray[np.float64]
    """By m, rho, n and pi; NaN where the study has no such cell."""

    @property
    def squares(self) -> NDArray[np.float64]:
        """One row of squares per m and rho, one column per n and pi, each from the smallest up."""
        return self.coverage.reshape(len(self.m) * len(self.rho), -1)


def read_study(path: PathLike) -> list[CoveredCell]:
    """Read the rows that `CoverageStudy.write` wrote, as Parquet, CSV or TSV.

    Parameters
    ----------
    path : str or path-like
        The file, whose ending says the format.

    Returns
    -------
    list of CoveredCell
        One row per cell and method.

    Raises
    ------
    InputError
        A file without the columns of a study, or with a coverage that is none.

    Examples
    --------
    >>> import tempfile
    >>> import fairtrial as ft
    >>> study = ft.run_study([ft.Cell(20, 2, 0.1, 0.2)], ft.StudySettings(methods=("lbb",), exact=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study.write(f"{folder}/study.csv")
    ...     [row.method for row in read_study(f"{folder}/study.csv")]
    ['lbb']
    """
    found = read_named(path, numbers=_COLUMNS, names=("method",), what="as CoverageStudy.write writes them")
    rows = [
        CoveredCell(n, m, pi, rho, str(method), coverage)
        for n, m, pi, rho, coverage, method in zip(
            *(found[name].tolist() for name in (*_COLUMNS, "method")), strict=True
        )
    ]
    for number, row in enumerate(rows):
        if not 0 <= row.coverage <= 1:
            raise InputError(f"{path}, row {number + 1}: a coverage must be between 0 and 1, not {row.coverage:g}")
    return rows


def choose_rows(rows: Sequence[Covered], **values: Sequence[float]) -> list[Covered]:
    """Give the rows with these values of n, m, pi and rho.

    Parameters
    ----------
    rows : sequence of CoverageRow
        The rows of a `CoverageStudy`, or of its file by `read_study`.
    **values : sequence of float
        The values to keep, by the names n, m, pi and rho.

    Returns
    -------
    list of CoverageRow
        Those of the rows, in their order.

    Examples
    --------
    >>> rows = [CoveredCell(n, 2, 0.1, 0.2, "lbb", 0.95) for n in (100, 500)]
    >>> [row.n for row in choose_rows(rows, n=[500])]
    [500]
    """
    kept = list(rows)
    for name, wanted in values.items():
        known = sorted({float(getattr(row, name)) for row in rows})
        for value in wanted:
            if value not in known:
                numbers = listed(f"{one:g}" for one in known)
                raise ParameterError(f"the study has no {name} = {value:g}; it has {numbers or 'none'}")
        kept = [row for row in kept if float(getattr(row, name)) in wanted]
    return kept


def coverage_map(rows: Sequence[Covered], method: str) -> CoverageMap:
    """Arrange the rows of one method."""
    own = [row for row in rows if row.method == method]
    if not own:
        known = list(dict.fromkeys(row.method for row in rows))
        raise ParameterError(f"the study has no method {shown(method)}; it has {listed(known) or 'none'}")
    values = {name: sorted({float(getattr(row, name)) for row in own}) for name in ("m", "rho", "n", "pi")}
    place = {name: {value: k for k, value in enumerate(found)} for name, found in values.items()}
    coverage = np.full([len(found) for found in values.values()], np.nan)
    for row in own:
        coverage[tuple(place[name][float(getattr(row, name))] for name in values)] = row.coverage
    return CoverageMap(
        method, tuple(values["n"]), tuple(values["m"]), tuple(values["pi"]), tuple(values["rho"]), coverage
    )


def coverage_plot(
    rows: Sequence[Covered], *, methods: Sequence[str] | None = None, figure: Canvas | None = None
) -> tuple[Axes, ...]:
    """Draw the block map of each method; darker squares cover more.

    Parameters
    ----------
    rows : sequence of CoverageRow
        The rows of a `CoverageStudy`, or of its file by `read_study`.
    methods : sequence of str, optional
        The names of the methods; by default all that the rows have.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        The axes of the methods, in their order.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, Table 1 and Figs. 1
    and 2: blocks by n (x) and m (y), within a block pi (x) and rho (y).

    Examples
    --------
    >>> import fairtrial as ft
    >>> study = ft.run_study(ft.Grid((20, 30), (2, 3), (0.1,), (0.2,)), ft.StudySettings(methods=("lbb",), exact=True))
    >>> len(coverage_plot(study.rows))
    1
    """
    from matplotlib.colors import ListedColormap

    names = list(dict.fromkeys(row.method for row in rows)) if methods is None else list(methods)
    if not names:
        raise ParameterError("there is no coverage to draw")
    maps = [coverage_map(rows, name) for name in names]
    columns = min(3, len(maps))
    lines = ceil(len(maps) / columns)
    with figure_for(figure, _map_size(len(maps))) as own:
        panels: list[Axes] = own.subplots(lines, columns, squeeze=False).ravel().tolist()
        colours = ListedColormap(COVERAGE_COLOURS, name="coverage")
        for panel, one in zip(panels, maps, strict=False):
            _draw_map(panel, one, colours)
        for panel in panels[len(maps) :]:
            panel.set_axis_off()
        _key(own, columns=8 if columns == 3 else 4)
        first = maps[0]
        own.suptitle(
            f"coverage; within each block pi from {first.pi[0]:g} to {first.pi[-1]:g} (left to right),"
            f"{' ' if columns == 3 else chr(10)}rho from {first.rho[0]:g} to {first.rho[-1]:g} (bottom to top)",
            fontsize=9,
        )
        return tuple(panels[: len(maps)])


def _map_size(panels: int) -> tuple[float, float]:
    """Inches of a figure with so many maps."""
    columns = min(3, panels)
    return 1.2 + 3.4 * columns, 0.9 + 3.3 * ceil(panels / columns)


def _draw_map(ax: Axes, one: CoverageMap, colours: Any) -> None:
    squares = one.squares
    classes = np.ma.masked_array(coverage_classes(np.nan_to_num(squares)), np.isnan(squares))
    wide, high = len(one.pi), len(one.rho)
    edges = [np.arange(size + 1) - 0.5 for size in reversed(squares.shape)]
    ax.pcolormesh(*edges, classes, cmap=colours, vmin=-0.5, vmax=len(COVERAGE_COLOURS) - 0.5)
    for border in np.arange(1, len(one.n)) * wide - 0.5:
        ax.axvline(border, color="white", linewidth=1.6)
    for border in np.arange(1, len(one.m)) * high - 0.5:
        ax.axhline(border, color="white", linewidth=1.6)
    ax.grid(visible=False)
    ax.set_xticks(np.arange(len(one.n)) * wide + (wide - 1) / 2, [_short(value) for value in one.n])
    ax.set_yticks(np.arange(len(one.m)) * high + (high - 1) / 2, [f"{value:g}" for value in one.m])
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_xlabel("n, individuals")
    ax.set_ylabel("m, attempts of each")
    ax.set_title(NAMES.get(one.method, one.method), fontweight="bold")


def _short(number: float) -> str:
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"


def _key(figure: Canvas, *, columns: int) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=colour, label=label) for colour, label in zip(COVERAGE_COLOURS, coverage_labels(), strict=True)
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=1.2,
        columnspacing=1.0,
    )
