"""The one home of looks: colours, dashes, axes and ticks for matplotlib and charts.js; marks, files and styles."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from fairtrial.core.errors import OutputError, ParameterError, check_choice
from fairtrial.core.words import Text, cut, levels_text, term
from fairtrial.figures.table import FIGURES, Drawing, caption_of
from fairtrial.formats.files import PathLike, check_place, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text as MplText

    from fairtrial.figures.table import Draw
    from fairtrial.rules.criteria import Criterion

    Canvas: TypeAlias = Figure | SubFigure

Floats: TypeAlias = NDArray[np.float64]
Range: TypeAlias = tuple[float, float]
Tick: TypeAlias = tuple[float, str]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Those of Okabe and Ito, without the yellow that no white page shows."""
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (6, 1.5, 1, 1.5), (1, 1), (8, 1, 1, 1, 1, 1), (2, 2))
"""Lengths of strokes and gaps, in widths of the line; the first is solid."""
COVERAGE_BOUNDS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.925, 0.95, 0.975, 1.0)
"""Of the classes of Schuckers et al. 2004, Table 1, the last one cut at 97.5 %; a class holds its lower bound."""
COVERAGE_COLOURS = ("#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154", "#cc79a7")
"""One per class, pale to dark: eight steps of viridis; too high a coverage has a colour of its own."""
DET_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99)
TOGETHER = 12
"""Systems that a page draws faintly behind the one that was chosen, at most."""
ALPHA_ENDS = 0.03
"""Errors soar at the ends of alpha: this much at either end does not stretch the axis of errors."""
_LONG = 1e15
"""Larger numbers are not written with all their digits."""
_STEPS = 256
"""Numbers that an axis must hold at the least, so that bins and ticks differ."""
_EDGE = 1e-9
"""Rates of 0 and 1 lie at infinity; they are drawn as far out as this one."""


def line_of(number: int) -> tuple[str, tuple[float, ...]]:
    """Give colour and dashes of the first, second, ... line; the first 42 differ."""
    turn, place = divmod(number, len(COLOURS))
    return COLOURS[place], _DASHES[(place + turn) % len(_DASHES)]


class Axis(TypedDict):
    """An axis as `charts.js` takes it: its label, where it begins and ends, and its ticks with their labels."""

    label: str
    low: float
    high: float
    ticks: tuple[Tick, ...]


def linear_ticks(low: float, high: float, *, most: int = 6) -> tuple[Tick, ...]:
    """Give round numbers between two ends, 1, 2 or 5 times a power of ten apart.

    Examples
    --------
    >>> linear_ticks(0, 7)
    ((0.0, '0'), (2.0, '2'), (4.0, '4'), (6.0, '6'))
    """
    raw = (high - low) / (most - 1)
    power = floor(log10(raw))
    factor = next(k for k in (1, 2, 5, 10) if k * 10.0**power >= raw * (1 - 1e-12))
    step = factor * 10.0**power
    digits = max(0, -power - (factor == 10))
    places = range(ceil(low / step - 1e-6), floor(high / step + 1e-6) + 1)
    values = [round(place * step, digits) + 0.0 for place in places]
    return tuple((value, f"{value:.{digits}f}" if abs(value) < _LONG else f"{value:g}") for value in values)


def score_range(low: float, high: float) -> Range:
    """Give the range of an axis of scores, a little wider if all are the same, or nearly so.

    Examples
    --------
    >>> score_range(2.0, 2.0)
    (1.5, 2.5)
    """
    least = _STEPS * float(np.spacing(max(abs(low), abs(high))))
    if high - low >= least and high > low:
        return low, high
    half = max(0.5, least)
    return low - half, high + half


def padded(values: ArrayLike, *, room: float = 0.06, least: float = 1.0) -> Range:
    """Give the range of finite values with some room at either end, `least` if all are the same."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    low, high = float(finite.min()), float(finite.max())
    spare = room * (high - low) or least
    return low - spare, high + spare


def ends_of(values: Floats) -> Range:
    """Give the first and the last of values in order."""
    return float(values[0]), float(values[-1])


def linear_axis(label: str, limits: Range, *, percent: bool = False) -> Axis:
    """Make a linear axis; with `percent`, its values are fractions that are read in percent."""
    scale = 100.0 if percent else 1.0
    ticks = tuple((value / scale, text) for value, text in linear_ticks(scale * limits[0], scale * limits[1]))
    return {"label": f"{label} (%)" if percent else label, "low": limits[0], "high": limits[1], "ticks": ticks}


def rate_axis(label: str, highest: float) -> Axis:
    """Make the axis of a rate, from 0 to a little above the highest."""
    return linear_axis(label, (0.0, 1.08 * highest if highest > 0 else 0.01), percent=True)


def alpha_axis(criterion: Criterion, limits: Range = (0.0, 1.0)) -> Axis:
    """Make the axis of an Expected Performance Curve, which names the criterion."""
    return linear_axis(f"{alpha_label(criterion)}, by {criterion.name}", limits)


def alpha_label(criterion: Criterion) -> str:
    """Say what the alpha of a criterion is: a weight, a target, or its parameter."""
    if criterion.aim is not None:
        return f"target {term(criterion.aim.label)} on dev"
    return str(Text("alpha, the weight of {FAR}")) if criterion.weighs_far else "alpha"


def highest_within(alpha: Floats, values: Floats) -> float:
    """Give the highest value, but for the ends of alpha."""
    return float(values[(alpha >= ALPHA_ENDS) & (alpha <= 1 - ALPHA_ENDS)].max(initial=0.0))


def probit(rates: ArrayLike) -> Floats:
    """Give rates on the scale of a DET axis, as normal deviates."""
    return np.asarray(ndtri(np.clip(np.asarray(rates, dtype=np.float64), _EDGE, 1 - _EDGE)))


def probit_inverse(deviates: ArrayLike) -> Floats:
    """Give the rates of normal deviates."""
    return np.asarray(ndtr(np.asarray(deviates, dtype=np.float64)))


@dataclass(frozen=True, slots=True)
class DetLimits:
    """The smallest and the largest FAR and FRR that the axes of a DET figure show, as fractions."""

    far: Range
    frr: Range

    def place(self, far: ArrayLike, frr: ArrayLike) -> tuple[Floats, Floats]:
        """Give normal deviates of rates, those beyond the limits on the edge."""
        return probit(np.clip(far, *self.far)), probit(np.clip(frr, *self.frr))


def det_limits(curves: Sequence[tuple[Floats, Floats]], points: Iterable[Range]) -> DetLimits:
    """Choose axes that curves (FAR, FRR) and operating points fill."""
    points = list(points)
    worst = max(float(np.maximum(far, frr).min()) for far, frr in curves)
    farthest = max((max(point) for point in points), default=0.0)
    end = 0.5 if worst < 0.3 and farthest < 0.5 else 0.99
    lows = []
    for this, other in ((0, 1), (1, 0)):
        smallest = [0.01, *(point[this] for point in points if point[this] > 0)]
        for curve in curves:
            visible = curve[this][(curve[this] > 0) & (curve[other] <= end)]
            smallest.append(float(visible.min(initial=end)))
        lows.append(max(0.7 * min(smallest), DET_TICKS[0]))
    return DetLimits((lows[0], end), (lows[1], end))


def det_axis(label: str, limits: Range, *, apart: float = 0.06) -> Axis:
    """Make a DET axis in normal deviates, with ticks in percent at least this proportion of the axis apart."""
    low, high = probit(limits).tolist()
    ticks: list[Tick] = []
    for rate in DET_TICKS:
        place = float(probit(rate))
        if low <= place <= high and (not ticks or place - ticks[-1][0] >= apart * (high - low)):
            ticks.append((place, f"{100 * rate:.6g}"))
    return {"label": f"{label} (%)", "low": low, "high": high, "ticks": tuple(ticks)}


def log_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Give ticks of a log axis with their labels in percent: 1, 2 and 5 times powers of ten, or round numbers.

    Examples
    --------
    >>> log_ticks(0.004, 0.06)
    ((0.005, '0.5'), (0.01, '1'), (0.02, '2'), (0.05, '5'))
    >>> log_ticks(0.00002, 0.3)
    ((0.0001, '0.01'), (0.001, '0.1'), (0.01, '1'), (0.1, '10'))
    """
    factors = (1, 2, 5) if high < 150 * low else (1, 3) if high < 1500 * low else (1,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    rates = [float(f"{factor}e{power}") for power in powers for factor in factors]
    ticks = tuple((rate, f"{100 * rate:.6g}") for rate in rates if low <= rate <= high)
    if len(ticks) > 2:
        return ticks
    return tuple((value / 100, text) for value, text in linear_ticks(100 * low, 100 * high))


def log_axis(label: str, limits: Range) -> Axis:
    """Make the axis of a rate in powers of ten, with ticks in percent."""
    ticks = tuple((log10(rate), text) for rate, text in log_ticks(*limits))
    return {"label": f"{label} (%)", "low": log10(limits[0]), "high": log10(limits[1]), "ticks": ticks}


def coverage_classes(coverage: ArrayLike) -> NDArray[np.int64]:
    """Give the class of each coverage, from 0 (below 1 %) to 8 (97.5 % and more)."""
    classes = np.searchsorted(COVERAGE_BOUNDS, np.asarray(coverage), side="right") - 1
    return np.asarray(np.clip(classes, 0, len(COVERAGE_BOUNDS) - 2))


def coverage_labels() -> tuple[str, ...]:
    """Give the label of each class of coverage."""
    return tuple(levels_text(low, high) for low, high in pairwise(COVERAGE_BOUNDS))


_T = TypeVar("_T")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#7F7F7F"
PALE = "#D9D9D9"

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.1,
    "font.size": 9,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "#FFFFFF",
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "pdf.fonttype": 42,
    "svg.hashsalt": "fairtrial",
}
"""What differs from matplotlib's own settings, in figures that fairtrial makes; axes of the caller keep their own."""
PAPER: Any = STYLE | {
    "axes.grid": False,
    "font.family": "serif",
    "font.size": 8,
    "axes.linewidth": 0.6,
    "legend.fontsize": 7,
    "lines.linewidth": 1.1,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.08,
}
"""The same for print."""
STYLES = {"screen": (STYLE, 120), "paper": (PAPER, 300)}
"""Settings and dots per inch by the name of a style."""
ENDINGS: dict[str, dict[str, Any]] = {
    ".png": {"pil_kwargs": {"optimize": True}},
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Endings of pictures, and how they are saved: small, and without the time of day, so that files repeat."""
_MOST_DOTS, _FEWEST_DPI = 10_000, 10
_MOST_COLUMNS = 6
_LETTERS = 17.0
"""Letters of a legend that an inch holds."""
_HANDLE = 9
"""Letters as wide as the line beside a label, and the room between columns."""
_LABEL = 34.0
"""Points below the axes that ticks and label take."""


class Look(NamedTuple):
    """How one of several things in a figure is drawn."""

    colour: str
    line: Any
    marker: str


def look(number: int) -> Look:
    """Give the look of the first, second, ... thing; the first 42 differ."""
    colour, dashes = line_of(number)
    turn, place = divmod(number, len(_MARKERS))
    return Look(colour, (0, dashes) if dashes else "-", _MARKERS[(place + turn) % len(_MARKERS)])


def several(data: _T | Sequence[_T], what: str = "curve") -> tuple[_T, ...]:
    """Give one or several things as several; raise an error if there is none."""
    things = tuple(data) if isinstance(data, Sequence) else (data,)
    if not things:
        raise ParameterError(f"there is no {what} to draw", code="nothing-to-draw")
    return things


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws in axes: lines, bands and points with the look of the first, second, ... thing, labels and the legend."""

    axes: Axes

    def line(self, number: int, x: ArrayLike, y: ArrayLike, label: str | None = None, **more: Any) -> None:
        """Draw a line in the colour and dashes of the first, second, ... thing."""
        mark = look(number)
        self.axes.plot(x, y, **{"color": mark.colour, "linestyle": mark.line, "label": label} | more)

    def marked_line(self, number: int, x: ArrayLike, y: ArrayLike, label: str | None = None, **more: Any) -> None:
        """Draw a line with markers."""
        self.line(number, x, y, label, **{"marker": look(number).marker, "markersize": 4.5} | more)

    def band(self, number: int, x: ArrayLike, low: ArrayLike, high: ArrayLike, **more: Any) -> None:
        """Draw a pale band with edges in the colour and dashes of the first, second, ... thing."""
        mark = look(number)
        self.axes.fill_between(x, low, high, facecolor=mark.colour, alpha=0.07, linewidth=0, **more)
        step = f"steps-{more['step']}" if "step" in more else "default"
        edge: dict[str, Any] = {"color": mark.colour, "linestyle": mark.line, "alpha": 0.75, "linewidth": 0.9}
        for limit in (low, high):
            self.axes.plot(x, limit, drawstyle=step, gid="band edge", **edge)

    def point(
        self,
        number: int,
        x: float,
        y: float,
        *,
        across: Range | None = None,
        up: Range | None = None,
        floors: Range = (0.0, 0.0),
    ) -> Any:
        """Draw a point with the known intervals of its coordinates, as arrowheads where these leave the axes."""
        mark = look(number)
        xerr, yerr = (
            None if limits is None else [[max(at - limits[0], 0.0)], [max(limits[1] - at, 0.0)]]
            for at, limits in ((x, across), (y, up))
        )
        beyond: dict[str, Any] = {"markersize": 5, "markeredgewidth": 0, "clip_on": False, "zorder": 5, "gid": "beyond"}
        if across is not None and max(across[0], 0.0) < floors[0] < x:
            self.axes.plot(floors[0], y, "<", color=mark.colour, **beyond)
        if up is not None and max(up[0], 0.0) < floors[1] < y:
            self.axes.plot(x, floors[1], "v", color=mark.colour, **beyond)
        style: dict[str, Any] = {"markeredgecolor": "white", "markersize": 7, "elinewidth": 1.1, "capsize": 2.5}
        return self.axes.errorbar(x, y, xerr=xerr, yerr=yerr, color=mark.colour, marker=mark.marker, zorder=4, **style)

    def hollow_point(self, number: int, x: float, y: float) -> None:
        """Draw a point that is a posteriori."""
        mark = look(number)
        self.axes.plot(x, y, mark.marker, color=mark.colour, markerfacecolor="white", markersize=6, zorder=3)

    def diagonal(self, low: float, high: float, label: str | None = None) -> None:
        """Draw the line on which both coordinates are equal."""
        self.axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1, label=label)

    def explain(self, label: str, **style: Any) -> None:
        """Add an entry to the legend that stands for marks of every colour."""
        self.axes.plot([], [], **{"color": GREY, "linestyle": "", "label": label} | style)

    def explain_band(self, label: str) -> None:
        """Add the bands to the legend."""
        self.axes.fill_between([], [], [], facecolor=(*(0.5,) * 3, 0.15), edgecolor=GREY, linewidth=0.9, label=label)

    def rates(self, which: Literal["x", "y"], label: str, *, is_share: bool = True) -> None:
        """Label the axis of a rate, a fraction, in percent; that of something else as it is."""
        axis = self.axes.xaxis if which == "x" else self.axes.yaxis
        if is_share:
            axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}".replace("-", "\N{MINUS SIGN}"))
        axis.set_label_text(f"{label} (%)" if is_share else label)

    def plain_log(self, which: Literal["x", "y"], ticks: Iterable[Tick] | None = None) -> None:
        """Label a log axis with plain numbers: at these ticks, or at 1, 2 and 5 times powers of ten."""
        from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator

        axis = self.axes.xaxis if which == "x" else self.axes.yaxis
        if ticks is not None:
            axis.set_major_locator(FixedLocator([place for place, _ in ticks]))
            axis.set_minor_locator(NullLocator())
            return
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(lambda value, _: f"{value:,.12g}")
        axis.set_minor_formatter(NullFormatter())

    def legend(self, *, of: Sequence[Axes] = (), **settings: Any) -> None:
        """Put the legend of these axes, or `of` others, below the axes and their label, in as many columns as fit."""
        from matplotlib.transforms import ScaledTranslation

        figure = self.axes.get_figure()
        assert figure is not None
        entries = [each.get_legend_handles_labels() for each in of or (self.axes,)]
        handles = [handle for part in entries for handle in part[0]]
        labels = [label for part in entries for label in part[1]]
        if not labels:
            return
        room = figure.bbox.width * self.axes.get_position().width / figure.dpi * _LETTERS
        columns = int(room // (max(map(len, labels)) + _HANDLE))
        columns = max(1, min(columns, _MOST_COLUMNS, len(labels)))
        below = self.axes.transAxes + ScaledTranslation(0, -_LABEL / 72, figure.dpi_scale_trans)
        place: dict[str, Any] = {"bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0.2}
        self.axes.legend(handles, labels, loc="upper left", ncols=columns, frameon=False, **place, **settings)


@contextmanager
def axes_for(
    ax: Axes | None, name: str, caption: str, size: tuple[float, float] | None = None, **legend: Any
) -> Iterator[tuple[Axes, Pen]]:
    """Give axes, those of a new figure by default, with a pen; add a legend below, and the caption as their label."""
    if ax is None:
        with figure_for(None, name, "", size) as figure, axes_for(figure.add_subplot(), name, caption, **legend) as own:
            yield own
        return
    others, pen = list(ax.texts), Pen(ax)
    yield ax, pen
    pen.legend(**legend)
    ax.set_label(caption)
    _write_literally([ax], others)


@contextmanager
def figure_for(
    figure: Canvas | None, name: str, caption: str, size: tuple[float, float] | None = None
) -> Iterator[Canvas]:
    """Give a figure to draw in, by default a new one in the style of fairtrial; add the caption as its label."""
    from matplotlib import rc_context

    with rc_context(STYLE if figure is None else {}):
        if figure is None:
            import matplotlib.pyplot as plt

            figure = plt.figure(figsize=size or FIGURES[name].size, layout="constrained")
        yield figure
        figure.set_label(caption)
        _write_literally(figure.axes)


def _write_literally(panels: Sequence[Axes], others: Sequence[MplText] = ()) -> None:
    """Show texts as they are, and whole: a dollar begins no formula, and a long title goes on below."""
    from matplotlib.text import Text

    for ax in panels:
        titles = [text for text in ax.get_children() if isinstance(text, Text) and text not in ax.texts]
        labels = {ax.xaxis.label, ax.yaxis.label}
        ticks = {text for axis in (ax.xaxis, ax.yaxis) for text in axis.findobj(Text)} - labels
        for text in ax.findobj(Text):
            if isinstance(text, Text) and text not in ticks and text not in others:
                text.set_parse_math(False)
                text.set_wrap(text in titles)


def sentences(*parts: object) -> str:
    """Write the parts of a caption, those that say something, as sentences."""
    texts = [str(part) for part in parts]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts if text)


def legible(name: str) -> str:
    """Give a name as a figure can show it: not too long, and never hidden from a legend."""
    return f"{' ' if name.startswith('_') else ''}{cut(name, 40)}"


def check_picture(path: PathLike, *, width: float = 6.4, height: float = 4.6, dpi: int = 120) -> None:
    """Raise an error if a picture cannot be written there, or in this size."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise OutputError(f"{path}: the name of a picture should end in {', '.join(ENDINGS)}", code="unknown-ending")
    check_place(path)
    if dpi < _FEWEST_DPI:
        raise ParameterError(f"there must be at least {_FEWEST_DPI} dots per inch, not {dpi}", code="dpi")
    for name, inches in (("width", width), ("height", height)):
        if not (isfinite(inches) and inches > 0):
            raise ParameterError(f"the {name} must be a number of inches above 0, not {inches}", code="size")
        if inches * dpi > _MOST_DOTS:
            text = f"a {name} of {inches:g} inches at {dpi} dots per inch is more than {_MOST_DOTS:,} dots"
            raise ParameterError(text, code="size")


def write_picture(
    draw: Draw,
    path: PathLike,
    *,
    title: str = "",
    notes: Literal["none", "caption"] = "none",
    style: Literal["screen", "paper"] = "screen",
    width: float | None = None,
    height: float | None = None,
    dpi: int | None = None,
) -> str:
    """Draw a figure and write it as PNG, SVG or PDF; no window, and nothing global, is touched.

    Parameters
    ----------
    draw : callable
        A figure of `FIGURES`, as in ``FIGURES["det"].draw(curves)``, or a function that draws into an empty figure.
    path : str or path-like
        The file; its ending says PNG, SVG or PDF.
    title : str, default ""
        The title; there is none by default.
    notes : {"none", "caption"}, default "none"
        ``caption``: write the caption beside the picture, as ``.txt``.
    style : {"screen", "paper"}, default "screen"
        ``paper``: serif letters, thin lines, no grid and 300 dots per inch.
    width : float, optional
        The width in inches; that of the figure by default.
    height : float, optional
        The height in inches; that of the figure by default.
    dpi : int, optional
        Dots per inch of a PNG; 120 by default, 300 on paper.

    Returns
    -------
    str
        The caption of the figure.

    Raises
    ------
    OutputError
        If the name has another ending, or the place cannot be written to.
    ParameterError
        If the size is out of range, or too small for the figure.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_picture(lambda figure: figure.add_subplot().plot([0, 1]), f"{folder}/line.svg", title="A line")
    """
    import matplotlib
    from matplotlib.figure import Figure

    check_choice("notes", notes, ("none", "caption"))
    check_choice("style", style, tuple(STYLES))
    settings, dots = STYLES[style]
    usual = draw.kind.size if isinstance(draw, Drawing) else (6.4, 4.6)
    size = (usual[0] if width is None else width, usual[1] if height is None else height)
    dpi = dots if dpi is None else dpi
    check_picture(path, width=size[0], height=size[1], dpi=dpi)
    ending = Path(path).suffix.lower()
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # a name in a script that no font at hand has is drawn as boxes
        warnings.filterwarnings("ignore", message=".*missing from font")
        warnings.filterwarnings("error", message="constrained_layout not applied")
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=10.5).set(parse_math=False, wrap=True)
        try:
            with write_whole(path) as place:
                figure.savefig(place, format=ending[1:], dpi=dpi, **ENDINGS[ending])
        except UserWarning as warning:
            raise ParameterError(
                f"{path}: {size[0]:g} by {size[1]:g} inches are too small for this figure; make it wider and higher",
                code="size",
            ) from warning
    if notes == "caption":
        with write_whole(Path(path).with_suffix(".txt")) as place:
            place.write_text(f"{caption_of(figure)}\n", encoding="utf-8")
    return caption_of(figure)
