"""Coverage as people make more attempts each: the hook paradox."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from fairtrial.errors import ParameterError
from fairtrial.plots.coverage import NAMES, Covered
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, look
from fairtrial.tables import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def hook_plot(
    rows: Sequence[Covered],
    *,
    methods: Sequence[str] | None = None,
    confidence: float = 0.95,
    data_sets: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw coverage against the number of attempts, for one n, pi and rho.

    Parameters
    ----------
    rows : sequence of CoverageRow
        The rows of a `CoverageStudy`, or of its file by `read_study`, with one n, pi and rho; `choose_rows` chooses.
    methods : sequence of str, optional
        The names of the methods; by default all that the rows have.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    data_sets : int, optional
        How many data sets each cell was simulated with, for two standard errors of simulation; None stands for exact
        coverage.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ParameterError
        Rows of several n, pi or rho.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 4: under
    certain circumstances more attempts decrease coverage.

    Examples
    --------
    >>> import fairtrial as ft
    >>> study = ft.run_study(ft.Grid((20,), (2, 3), (0.1,), (0.2,)), ft.StudySettings(methods=("lbb",), exact=True))
    >>> hook_plot(study.rows).get_xlabel()
    'm, attempts of each individual'
    """
    cells = {(row.n, row.pi, row.rho) for row in rows}
    if len(cells) != 1:
        raise ParameterError(
            f"the figure is of one n, pi and rho, and the study has {len(cells)} combinations of them; choose one"
        )
    ((n, pi, rho),) = cells
    names = list(dict.fromkeys(row.method for row in rows)) if methods is None else list(methods)
    with axes_for(ax) as own:
        for number, name in enumerate(names):
            line = sorted((row.m, row.coverage) for row in rows if row.method == name)
            if not line:
                raise ParameterError(f"the study has no method {name!r}")
            drawn = look(number)
            attempts, coverage = zip(*line, strict=True)
            errors = [2 * sqrt(share * (1 - share) / data_sets) if data_sets else 0.0 for share in coverage]
            own.errorbar(
                attempts,
                coverage,
                yerr=errors if data_sets else None,
                color=drawn.colour,
                linestyle=drawn.line,
                marker=drawn.marker,
                markersize=4.5,
                elinewidth=0.9,
                capsize=2,
                label=NAMES.get(name, name),
            )
        own.set_xticks(sorted({row.m for row in rows}))
        own.axhline(confidence, color=GREY, linewidth=0.9)
        own.set_ylim(0, 1.02)
        own.set_xlabel("m, attempts of each individual")
        in_percent(own.yaxis, "coverage")
        bars = f"; bars: 2 standard errors of {data_sets:,} data sets" if data_sets else ""
        own.set_title(
            f"n = {n:,g} individuals, pi = {pi:g}, rho = {rho:g} (n pi = {n * pi:g})\n"
            f"grey: the {level_text(confidence)} asked for{bars}"
        )
        legend_below(own)
        return own
