"""Style of all figures, marks that many of them draw, and files they are written to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from fairtrial.core.errors import OutputError, ParameterError
from fairtrial.core.words import cut
from fairtrial.figures.axes import Range, line_of
from fairtrial.figures.table import FIGURES
from fairtrial.formats.files import PathLike, check_place, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

    from fairtrial.figures.table import Draw

    Canvas: TypeAlias = Figure | SubFigure

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


@contextmanager
def axes_for(ax: Axes | None, name: str, size: tuple[float, float] | None = None) -> Iterator[Axes]:
    """Give the caller's axes as they are, or axes of a new figure in the style of fairtrial."""
    if ax is not None:
        before = list(ax.texts)
        yield ax
        _write_literally([ax], before)
        return
    with figure_for(None, name, size) as figure:
        yield figure.add_subplot()


@contextmanager
def figure_for(figure: Canvas | None, name: str, size: tuple[float, float] | None = None) -> Iterator[Canvas]:
    """Give the caller's figure as it is, or a new one in the style of fairtrial."""
    if figure is not None:
        yield figure
        _write_literally(figure.axes)
        return
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        made = plt.figure(figsize=size or FIGURES[name].size, layout="constrained")
        yield made
        _write_literally(made.axes)


def _write_literally(panels: Sequence[Axes], others: Sequence[Text] = ()) -> None:
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


def draw_line(ax: Axes, number: int, x: ArrayLike, y: ArrayLike, label: str | None = None, **more: Any) -> None:
    """Draw a line in the colour and dashes of the first, second, ... thing."""
    drawn = look(number)
    ax.plot(x, y, **{"color": drawn.colour, "linestyle": drawn.line, "label": label} | more)


def draw_marked_line(ax: Axes, number: int, x: ArrayLike, y: ArrayLike, label: str | None = None, **more: Any) -> None:
    """Draw a line with markers."""
    draw_line(ax, number, x, y, label, **{"marker": look(number).marker, "markersize": 4.5} | more)


def draw_band(ax: Axes, number: int, x: ArrayLike, low: ArrayLike, high: ArrayLike, **more: Any) -> None:
    """Draw a band in the colour of the first, second, ... thing."""
    ax.fill_between(x, low, high, color=look(number).colour, alpha=0.18, linewidth=0, **more)


def draw_point(
    ax: Axes, number: int, x: float, y: float, *, across: Range | None = None, up: Range | None = None
) -> Any:
    """Draw a point with the intervals of its coordinates, as far as they are known."""
    drawn = look(number)
    xerr, yerr = (
        None if limits is None else [[max(at - limits[0], 0.0)], [max(limits[1] - at, 0.0)]]
        for at, limits in ((x, across), (y, up))
    )
    style: dict[str, Any] = {"markeredgecolor": "white", "markersize": 7, "elinewidth": 1.1, "capsize": 2.5}
    return ax.errorbar(x, y, xerr=xerr, yerr=yerr, color=drawn.colour, marker=drawn.marker, zorder=4, **style)


def draw_hollow_point(ax: Axes, number: int, x: float, y: float) -> None:
    """Draw a point that is a posteriori."""
    drawn = look(number)
    ax.plot(x, y, drawn.marker, color=drawn.colour, markerfacecolor="white", markersize=6, zorder=3)


def draw_diagonal(ax: Axes, low: float, high: float, label: str | None = None) -> None:
    """Draw the line on which both coordinates are equal."""
    ax.plot([low, high], [low, high], color=GREY, linewidth=0.8, zorder=1, label=label)


def legible(name: str) -> str:
    """Give a name as a figure can show it: not too long, and never hidden from a legend."""
    return f"{' ' if name.startswith('_') else ''}{cut(name, 40)}"


def in_percent(axis: Axis, label: str) -> None:
    """Label the axis of a rate, a fraction, in percent."""
    axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}".replace("-", "\N{MINUS SIGN}"))
    axis.set_label_text(f"{label} (%)")


def legend_below(ax: Axes, *, of: Axes | None = None, **settings: Any) -> Legend:
    """Put a legend below the axes and their label, in as many columns as fit: that of these axes, or `of` others."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure()
    assert figure is not None
    handles, labels = (ax if of is None else of).get_legend_handles_labels()
    room = figure.bbox.width * ax.get_position().width / figure.dpi * _LETTERS
    columns = int(room // (max(map(len, labels), default=0) + _HANDLE))
    columns = max(1, min(columns, _MOST_COLUMNS, len(labels)))
    below = ax.transAxes + ScaledTranslation(0, -_LABEL / 72, figure.dpi_scale_trans)
    place: dict[str, Any] = {"bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0.2}
    return ax.legend(handles, labels, loc="upper left", ncols=columns, frameon=False, **place, **settings)


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
    width: float = 6.4,
    height: float = 4.6,
    dpi: int = 120,
) -> None:
    """Draw a figure and write it as PNG, SVG or PDF; no window, and nothing global, is touched.

    Parameters
    ----------
    draw : callable
        Draws into an empty figure, as in ``lambda figure: det_plot(curves, ax=figure.add_subplot())``.
    path : str or path-like
        The file; its ending says PNG, SVG or PDF.
    title : str, default ""
        A line above the figure's own title.
    width : float, default 6.4
        The size in inches.
    height : float, default 4.6
        The size in inches.
    dpi : int, default 120
        Dots per inch of a PNG.

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

    check_picture(path, width=width, height=height, dpi=dpi)
    ending = Path(path).suffix.lower()
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # a name in a script that no font at hand has is drawn as boxes
        warnings.filterwarnings("ignore", message=".*missing from font")
        warnings.filterwarnings("error", message="constrained_layout not applied")
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        if title:
            titles = [title, figure.get_suptitle()]
            above = figure.suptitle("\n".join(filter(None, titles)), x=0.01, ha="left", fontsize=10.5)
            above.set(parse_math=False, wrap=True)
        try:
            with write_whole(path) as place:
                figure.savefig(place, format=ending[1:], dpi=dpi, **ENDINGS[ending])
        except UserWarning as warning:
            raise ParameterError(
                f"{path}: {width:g} by {height:g} inches are too small for this figure; make it wider and higher",
                code="size",
            ) from warning
