"""Draw coverage studies, fits and plans; and give studies to pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import InputError, ParameterError
from fairtrial.core.results import plain
from fairtrial.core.words import level_text, levels_text, listed, p_phrase, shown
from fairtrial.figures.axes import COVERAGE_COLOURS, coverage_classes, coverage_labels
from fairtrial.figures.style import GREY, axes_for, figure_for, look
from fairtrial.figures.table import Drawn
from fairtrial.formats.columns import read_named
from fairtrial.formats.files import PathLike
from fairtrial.repeated.cells import PAPER, CoverageRow
from fairtrial.repeated.comparison_plans import ComparisonPlan, plan
from fairtrial.repeated.coverage import CoverageStudy, coverage_study
from fairtrial.repeated.fits import FitTest
from fairtrial.repeated.intervals import REPEATED_METHODS
from fairtrial.repeated.paper_claims import RIGHT_COVERAGE
from fairtrial.repeated.rate_plans import RatePlan

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.figures.style import Canvas


NAMES = {name: name.upper() for name in REPEATED_METHODS}
_COLUMNS = ("n", "m", "pi", "rho", "coverage")


@dataclass(frozen=True, slots=True)
class CoveredCell:
    """A row of a coverage study as a file has it."""

    n: float
    m: float
    pi: float
    rho: float
    method: str
    coverage: float


Covered: TypeAlias = CoverageRow | CoveredCell
"""A row of a coverage study, from memory or from a file."""


@dataclass(frozen=True, slots=True, eq=False)
class CoverageMap:
    """Coverage of one method: rows by attempts and correlation, columns by people and rate."""

    method: str
    n: tuple[float, ...]
    m: tuple[float, ...]
    pi: tuple[float, ...]
    rho: tuple[float, ...]
    coverage: NDArray[np.float64]
    """By m, rho, n and pi; NaN where the study has no such cell."""

    @property
    def summary(self) -> str:
        """The proportions of cells that cover well, by both cuts: enough, and neither too little nor too much."""
        coverage = self.coverage[np.isfinite(self.coverage)]
        low, high = RIGHT_COVERAGE
        enough, right = float(np.mean(coverage >= low)), float(np.mean((coverage >= low) & (coverage <= high)))
        return f"at least {level_text(low)}: {100 * enough:.1f} %; {levels_text(low, high)}: {100 * right:.1f} %"

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
        If the file lacks the columns of a study, or has an invalid coverage value.

    Examples
    --------
    >>> import tempfile
    >>> import fairtrial as ft
    >>> study = ft.repeated.coverage_study(n=20, m=2, pi=0.1, rho=0.2, methods=["lbb"], exact=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ft.write_tables(study.tables(), f"{folder}/study.csv")
    ...     [row.method for row in read_study(f"{folder}/study.csv")]
    ['lbb']
    """
    columns = read_named(path, numbers=_COLUMNS, names=("method",), what="as `fairtrial coverage --out` writes them")
    values = zip(*(columns[name].tolist() for name in (*_COLUMNS, "method")), strict=True)
    rows = [CoveredCell(n, m, pi, rho, str(method), coverage) for n, m, pi, rho, coverage, method in values]
    for number, row in enumerate(rows):
        if not 0 <= row.coverage <= 1:
            text = f"{path}, row {number + 1}: a coverage must be between 0 and 1, not {row.coverage:g}"
            raise InputError(text, code="coverage")
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
        present = sorted({float(getattr(row, name)) for row in rows})
        for value in wanted:
            if value not in present:
                numbers = listed(f"{one:g}" for one in present) or "none"
                raise ParameterError(f"the study has no {name} = {value:g}; it has {numbers}", code="no-such-cell")
        kept = [row for row in kept if float(getattr(row, name)) in wanted]
    return kept


def covered_cells(
    file: str | None = None,
    *,
    grid: Literal["paper", "quick"] | None = None,
    n: int | Sequence[int] | None = None,
    m: int | Sequence[int] | None = None,
    pi: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
    methods: Sequence[str] = (),
    generator: Literal["oman-zucker", "beta-binomial"] = "oman-zucker",
    data_sets: int = 1000,
    n_resamples: int | None = 1000,
    confidence: float = 0.95,
    exact: bool = False,
    rng: int = 0,
    workers: int | None = None,
    along_attempts: bool = False,
) -> Drawn:
    """Give the coverage of all cells of a study: one in a file, or one that is run.

    Parameters
    ----------
    file : str, optional
        What `fairtrial coverage --out` wrote.
    n : int or sequence of int, optional
        Numbers of people of the cells that are drawn.
    m : int or sequence of int, optional
        Attempts of each person.
    pi : float or sequence of float, optional
        True error rates.
    rho : float or sequence of float, optional
        Correlations of the attempts of a person.
    methods : sequence of str, default ()
        Any of dr, bp, sb, bb, lbb, brr and bb-ml.
    generator : {"oman-zucker", "beta-binomial"}, default "oman-zucker"
        How attempts of a person come to be correlated.
    data_sets : int, default 1000
        The number of data sets that are simulated in each cell.
    n_resamples : int or None, default 1000
        The number of resamples of sb and brr; None: as if with infinitely many.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    exact : bool, default False
        All possible data sets instead of simulated ones.
    workers : int, optional
        The number of cells worked on at once; by default one per processor.
    along_attempts : bool, default False
        For the figure of coverage against attempts: one n, pi and rho.
    """
    axes = {name: value for name, value in (("n", n), ("m", m), ("pi", pi), ("rho", rho)) if value is not None}
    study: dict[str, Any] = {"grid": grid, "generator": generator, "data_sets": data_sets, "n_resamples": n_resamples}
    study |= {"exact": exact, "rng": rng}
    chosen = {"methods": tuple(methods) or None}
    if file is not None:
        for name, value in study.items():
            if value != signature(covered_cells).parameters[name].default:
                template = f"{{{name}!p}} applies to a study that is run, and FILE holds one"
                raise ParameterError(template, code="does-not-apply", **{name: 0})
        values = {name: value if isinstance(value, tuple) else (value,) for name, value in axes.items()}
        rows = choose_rows(read_study(file), **values)
        return Drawn((rows,), {**chosen, "confidence": confidence} if along_attempts else chosen)
    usual = {"n": 500, "m": PAPER.m, "pi": 0.001, "rho": 0.4} if along_attempts else {}
    settings = {**usual, **study, **axes, "methods": methods or None, "workers": workers}
    given = {name: value for name, value in settings.items() if value is not None}
    result = coverage_study(confidence=confidence, **given)
    drawn = study_along_attempts(result) if along_attempts else study_rows(result)
    return Drawn(drawn.data, {**chosen, **drawn.options})


def _methods(rows: Sequence[Covered], chosen: Sequence[str] | None) -> list[str]:
    """Give the chosen methods, or all of a study."""
    present = list(dict.fromkeys(row.method for row in rows))
    if not present:
        raise ParameterError("there is no coverage to draw", code="nothing-to-draw")
    for name in chosen or ():
        if name not in present:
            raise ParameterError(
                f"the study has no method {shown(name)}; it has {listed(present)}", code="no-such-method"
            )
    return list(chosen or present)


def study_rows(result: CoverageStudy) -> Drawn:
    """Give the rows of a coverage study."""
    return Drawn((result.rows,))


def study_along_attempts(result: CoverageStudy) -> Drawn:
    """Give the rows of a coverage study, with how they were computed."""
    settings = result.settings
    data_sets = None if settings.exact else settings.data_sets
    return Drawn((result.rows,), {"data_sets": data_sets, "confidence": settings.confidence})


def coverage_map(rows: Sequence[Covered], method: str) -> CoverageMap:
    """Arrange the rows of one method."""
    _methods(rows, [method])
    cells = [row for row in rows if row.method == method]
    values = {name: sorted({float(getattr(row, name)) for row in cells}) for name in ("m", "rho", "n", "pi")}
    coverage = np.full([len(each) for each in values.values()], np.nan)
    for row in cells:
        coverage[tuple(each.index(float(getattr(row, name))) for name, each in values.items())] = row.coverage
    n, m, pi, rho = (tuple(values[name]) for name in ("n", "m", "pi", "rho"))
    return CoverageMap(method, n, m, pi, rho, coverage)


def coverage_chart(rows: Sequence[Covered], best: str) -> dict[str, Any]:
    """Give the chart `coverage` of every method, that of `best` first to be seen."""
    maps = {}
    for name in _methods(rows, None):
        coverage = np.array([row.coverage for row in rows if row.method == name])
        maps[name] = {"values": coverage, "classes": coverage_classes(coverage)}
    cells = dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in rows)
    legend = zip(COVERAGE_COLOURS, coverage_labels(), strict=True)
    return dict(plain({"cells": list(cells), "maps": maps, "best": best, "legend": list(legend)}))


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
    >>> study = ft.repeated.coverage_study(n=(20, 30), m=(2, 3), pi=0.1, rho=0.2, methods=["lbb"], exact=True)
    >>> len(coverage_plot(study.rows))
    1
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    maps = [coverage_map(rows, name) for name in _methods(rows, methods)]
    columns = min(3, len(maps))
    lines = ceil(len(maps) / columns)
    first, counts = maps[0], "; ".join(f"{NAMES.get(one.method, one.method)} {one.summary}" for one in maps)
    caption = (
        f"Coverage. Within each block pi from {first.pi[0]:g} to {first.pi[-1]:g} (left to right), rho from "
        f"{first.rho[0]:g} to {first.rho[-1]:g} (bottom to top). Cells with a coverage of {counts}."
    )
    with figure_for(figure, "coverage", caption, (1.2 + 3.4 * columns, 0.9 + 3.3 * lines)) as canvas:
        panels: list[Axes] = canvas.subplots(lines, columns, squeeze=False).ravel().tolist()
        colours = ListedColormap(COVERAGE_COLOURS, name="coverage")
        for panel, one in zip(panels, maps, strict=False):
            _draw_map(panel, one, colours)
        for panel in panels[len(maps) :]:
            panel.set_axis_off()
        keys = zip(COVERAGE_COLOURS, coverage_labels(), strict=True)
        canvas.legend(
            handles=[Patch(facecolor=colour, label=label) for colour, label in keys],
            loc="outside lower center",
            ncols=5 if columns == 3 else 3,
            frameon=False,
            handlelength=1.2,
            columnspacing=1.0,
        )
        return tuple(panels[: len(maps)])


def _draw_map(ax: Axes, one: CoverageMap, colours: Any) -> None:
    squares, wide, high = one.squares, len(one.pi), len(one.rho)
    classes = np.ma.masked_array(coverage_classes(np.nan_to_num(squares)), np.isnan(squares))
    edges = [np.arange(size + 1) - 0.5 for size in reversed(squares.shape)]
    ax.pcolormesh(*edges, classes, cmap=colours, vmin=-0.5, vmax=len(COVERAGE_COLOURS) - 0.5)
    for border in np.arange(1, len(one.n)) * wide - 0.5:
        ax.axvline(border, color="white", linewidth=1.6)
    for border in np.arange(1, len(one.m)) * high - 0.5:
        ax.axhline(border, color="white", linewidth=1.6)
    ax.grid(visible=False)
    people = [f"{value / 1000:g}k" if value >= 1000 else f"{value:g}" for value in one.n]
    ax.set_xticks(np.arange(len(one.n)) * wide + (wide - 1) / 2, people)
    ax.set_yticks(np.arange(len(one.m)) * high + (high - 1) / 2, [f"{value:g}" for value in one.m])
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set(xlabel="n, individuals", ylabel="m, attempts of each")
    ax.set_title(NAMES.get(one.method, one.method), fontweight="bold")
    ax.text(0, -0.26, one.summary.replace("; ", "\n"), transform=ax.transAxes, va="top", fontsize=8)


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
        If rows have several n, pi or rho.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 4: under
    certain circumstances more attempts decrease coverage.

    Examples
    --------
    >>> import fairtrial as ft
    >>> study = ft.repeated.coverage_study(n=20, m=(2, 3), pi=0.1, rho=0.2, methods=["lbb"], exact=True)
    >>> hook_plot(study.rows).get_xlabel()
    'm, attempts of each individual'
    """
    names = _methods(rows, methods)
    cells = {(row.n, row.pi, row.rho) for row in rows}
    if len(cells) != 1:
        raise ParameterError(
            f"the figure is of one n, pi and rho, and the study has {len(cells)} combinations of them; choose one",
            code="several-cells",
        )
    first, all_m = rows[0], sorted({row.m for row in rows})
    gap = float(min(np.diff(all_m), default=1.0))
    bars = f"; bars: 2 standard errors of {data_sets:,} data sets" if data_sets else ""
    caption = (
        f"Coverage for n = {first.n:,g} individuals, pi = {first.pi:g}, rho = {first.rho:g} (n pi = "
        f"{first.n * first.pi:g}); grey: the nominal {level_text(confidence)}{bars}. Points are moved aside where they "
        "would coincide."
    )
    with axes_for(ax, "hook", caption) as (axes, pen):
        for number, name in enumerate(names):
            line = sorted((row.m, row.coverage) for row in rows if row.method == name)
            attempts, coverage = np.array(line, dtype=np.float64).T
            errors = 2 * np.sqrt(coverage * (1 - coverage) / data_sets) if data_sets else None
            mark, label = look(number), NAMES.get(name, name)
            attempts = attempts + _DODGE * gap * (number - (len(names) - 1) / 2)
            style: dict[str, Any] = {"color": mark.colour, "linestyle": mark.line, "marker": mark.marker}
            axes.errorbar(attempts, coverage, errors, markersize=4.5, elinewidth=0.9, capsize=2, label=label, **style)
        axes.set_xticks(all_m)
        axes.axhline(confidence, color=GREY, linewidth=0.9)
        axes.set(ylim=(0, 1.02), xlabel="m, attempts of each individual")
        pen.rates("y", "coverage")
        return axes


_DODGE = 0.05
"""How far apart coverages of methods stand, as a proportion of the smallest step in attempts."""
_LEAST = 0.2
"""People: what is expected to be fewer is below the axis."""


def fit_plot(fit: FitTest, *, ax: Axes | None = None) -> Axes:
    """Draw how many people made 0, 1, ... errors, and how many the models expect to, on a logarithmic scale.

    Parameters
    ----------
    fit : FitTest
        The result of `fit_test`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ParameterError
        If the data do not determine the correlation, so that nothing is expected.

    References
    ----------
    Schuckers et al., A comparison of statistical methods for evaluating matching performance, 2004, section 5, which
    asks which of the two distributions data follow.

    Examples
    --------
    >>> import fairtrial as ft
    >>> people = ft.Individuals.from_counts([0, 0, 0, 1, 0, 2, 0, 0, 5, 1], 5)
    >>> fit_plot(ft.repeated.fit_test(people, n_resamples=2)).get_yscale()
    'log'
    """
    from matplotlib.ticker import MaxNLocator

    models = [model for model in fit.models if np.isfinite(model.expected).all()]
    if not models:
        raise ParameterError(
            "there is no model to draw: there must be errors, attempts without error and people who were tested twice",
            code="nothing-to-draw",
        )
    likely = np.max([model.expected for model in models], axis=0) >= _LEAST
    last = int(np.flatnonzero((fit.observed > 0) | likely)[-1]) + 1
    caption = f"{fit.individuals:,} people by their number of errors; a small p: the model does not fit. 0: nobody."
    with axes_for(ax, "fit", caption) as (axes, pen):
        axes.bar(np.arange(last), fit.observed[:last], color=GREY, alpha=0.45, width=0.8, label="observed")
        for number, model in enumerate(models):
            label = f"{model.fit.model}: rho {model.fit.rho:.3g}, {p_phrase(model.p_value)}"
            pen.marked_line(number, np.arange(last), model.expected[:last], label, markersize=5.5)
        axes.set(yscale="log", xlabel="errors of a person", ylabel="people")
        highest = max(float(fit.observed.max()), *(float(model.expected.max()) for model in models))
        axes.set_ylim(_LEAST, 1.5 * highest)
        pen.plain_log("y")
        for place in np.flatnonzero(fit.observed[:last] == 0):
            axes.annotate("0", (place, _LEAST), (0, 3), textcoords="offset points", ha="center", color=GREY)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return axes


def plan_plot(plan: RatePlan | PowerCurve, *, ax: Axes | None = None) -> Axes:
    """Draw how many people reach the goal for each number of attempts, the attempts in all, and the cost.

    Parameters
    ----------
    plan : RatePlan or PowerCurve
        The result of `plan_rate`, whose own choice is marked; what `power_curve` gives is drawn by `power_plot`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import fairtrial as ft
    >>> plan_plot(ft.plan_rate(0.02, 0.1, half_width=0.005)).get_xlabel()
    'attempts of each individual'
    """
    if isinstance(plan, PowerCurve):
        return power_plot(plan, ax=ax)
    rows = plan.trade_off
    if not rows:
        raise ParameterError("the plan has no trade-off to draw", code="nothing-to-draw")
    attempts = [row.attempts for row in rows]
    goal = "an interval as narrow as asked for"
    if plan.below is not None:
        goal = f"an upper bound below {level_text(plan.below)}"
    caption = (
        f"Designs for pi = {level_text(plan.pi)}, rho = {plan.rho:g}; {goal} takes "
        f"{plan.independent_attempts:,.0f} independent attempts."
    )
    with axes_for(ax, "plan", caption) as (axes, pen):
        pen.marked_line(0, attempts, [row.individuals for row in rows], "individuals")
        pen.marked_line(1, attempts, [row.total for row in rows], "attempts in all")
        pen.marked_line(2, attempts, [row.cost for row in rows], "cost, in attempts")
        if plan.rho:
            fewest = max(2, floor(plan.independent_attempts * plan.rho) + 1)
            axes.axhline(fewest, color=GREY, linestyle=":", label=f"{fewest:,} individuals: fewer are never enough")
        planned = f"planned: {plan.individuals:,} individuals, {plan.attempts:,} attempts each"
        _draw_star(axes, plan.attempts, plan.individuals, look(0).colour, planned)
        axes.set(xscale="log", yscale="log", xlabel="attempts of each individual", ylabel="people, attempts or cost")
        axes.set_xticks(attempts, [f"{value:g}" for value in attempts])
        axes.minorticks_off()
        pen.plain_log("y")
        return axes


def _draw_star(ax: Axes, x: float, y: float, colour: str, label: str) -> None:
    """Mark the plan."""
    ax.plot(x, y, "*", color=colour, markersize=15, markeredgecolor="white", zorder=4, label=label)


@dataclass(frozen=True, slots=True, eq=False)
class PowerCurve:
    """The power to find a difference, by the number of people."""

    plan: ComparisonPlan
    individuals: NDArray[np.int64]
    power: NDArray[np.float64]


def power_curve(plan: ComparisonPlan, power_of: Callable[[int], float], *, points: int = 60) -> PowerCurve:
    """Prepare the figure of a comparison.

    Parameters
    ----------
    plan : ComparisonPlan
        The result of `plan_comparison`.
    power_of : callable
        From a number of people to the power, such as
        ``lambda n: plan_comparison(a, b, individuals=n, data_sets=0).power``.
    points : int, default 60
        At how many numbers of people.

    Returns
    -------
    PowerCurve
        The power at each number of people.

    Examples
    --------
    >>> import fairtrial as ft
    >>> a, b = (0.01, 0.02), (0.015, 0.03)
    >>> plan = ft.plan_comparison(a, b, data_sets=0)
    >>> curve = power_curve(plan, lambda n: ft.plan_comparison(a, b, individuals=n, data_sets=0).power, points=5)
    >>> power_plot(curve).get_ylabel()
    'power (%)'
    """
    if points < 2:
        raise ParameterError(f"a curve needs at least 2 points, not {points}", code="points")
    grid = np.geomspace(max(2, plan.individuals / 20), 4 * plan.individuals, points)
    people = np.unique(grid.round().astype(np.int64))
    return PowerCurve(plan, people, np.array([power_of(int(number)) for number in people]))


def plan_or_power(result: Any, asked: Mapping[str, Any]) -> Drawn:
    """Give the trade-off of a plan, or the power of a comparison against its people."""
    if not isinstance(result, ComparisonPlan):
        return Drawn((result,))

    def power_of(people: int) -> float:
        return plan(**{**asked, "individuals": people}).power or 0.0

    return Drawn((power_curve(result, power_of),))


def power_plot(data: PowerCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the power of a comparison against the number of people, the plan marked.

    Parameters
    ----------
    data : PowerCurve
        What `power_curve` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import fairtrial as ft
    >>> a, b = (0.01, 0.02), (0.015, 0.03)
    >>> plan = ft.plan_comparison(a, b, data_sets=0)
    >>> curve = power_curve(plan, lambda n: ft.plan_comparison(a, b, individuals=n, data_sets=0).power, points=5)
    >>> power_plot(curve).get_xlabel()
    'individuals'
    """
    plan = data.plan
    caption = (
        f"Power of the {'paired' if plan.paired else 'unpaired'} test at {level_text(1 - plan.confidence)}: "
        f"{plan.attempts:,} genuine and {plan.impostor_attempts:,} impostor attempts of each individual."
    )
    with axes_for(ax, "plan", caption) as (axes, pen):
        pen.line(0, data.individuals, data.power)
        planned = f"{plan.individuals:,} individuals: power {100 * plan.power:.1f} %"
        _draw_star(axes, plan.individuals, plan.power, look(1).colour, planned)
        axes.set(xscale="log", xlabel="individuals", ylim=(0, 1.02))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        pen.rates("y", "power")
        return axes
