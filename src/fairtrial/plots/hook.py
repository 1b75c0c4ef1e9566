"""Coverage as people make more attempts each: the hook paradox."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from fairtrial.errors import ParameterError
from fairtrial.plots.coverage import NAMES, Covered
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, look

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
    rows
        Rows of a `CoverageStudy` or of its file, with one n, pi and rho; `choose_rows` chooses.
    data_sets
        How many data sets each cell was simulated with, for two standard errors of simulation; None: exact.

    References
    ----------
    Schuckers et al. 2004, section 4: under certain circumstances more attempts decrease coverage.
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
            f"grey: the {100 * confidence:g} % asked for{bars}"
        )
        legend_below(own)
        return own
