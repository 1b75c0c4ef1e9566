"""The looks of figures, the pen that draws with them, and pictures as files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from numpy.typing import ArrayLike

from fairtrial.core.errors import OutputError, ParameterError, check_choice
from fairtrial.core.words import as_in_files, cut
from fairtrial.figures.axes import Range, Tick, line_of
from fairtrial.figures.table import FIGURES, Drawing, caption_of
from fairtrial.formats.files import PathLike, check_place, write_whole
from fairtrial.inference.split import PROVENANCES, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text as MplText

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

    def scores(self, which: Literal["x", "y"], label: str, *systems: str) -> None:
        """Label an axis of scores; distances, which were negated when they were read, stand there as in their files."""
        axis = self.axes.xaxis if which == "x" else self.axes.yaxis
        axis.set_label_text(label)
        if are_distances(*systems):
            axis.set_major_formatter(lambda value, _: f"{0.0 - value:.12g}".replace("-", "\N{MINUS SIGN}"))
            axis.set_inverted(True)

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


def are_distances(*systems: str) -> bool:
    """Check whether scores of all these systems are shown as distances; see `use_distances`."""
    return all(as_in_files(system, 1) < 0 for system in systems)


def how_chosen(kind: Kind, criterion: object) -> str:
    """Name the criterion of a threshold, and the trials that it was chosen on."""
    origin = PROVENANCES[kind]
    return f"threshold {'' if origin.origin == 'given' else f'by {criterion} '}{origin.chosen}"


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
    ''
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
