"""How figures look: colours that colour-blind people tell apart, lines and markers that do without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.axes import line_of
from fairtrial.errors import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    Canvas: TypeAlias = Figure | SubFigure

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

_MOST_COLUMNS = 6
_LETTERS = 17.0
"""Letters of a legend that an inch holds."""
_HANDLE = 9
"""As many letters are as wide as the line beside a label, and the room between columns."""
_LABEL = 34.0
"""Points below the axes that ticks and label take."""
_SINGLE = (6.4, 4.6)
"""Inches of a figure with one panel."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one of several things in a figure is drawn."""

    colour: str
    line: Any
    marker: str


def look(number: int) -> Look:
    """The look of the first, second, ... thing; the first 42 differ."""
    colour, dashes = line_of(number)
    turn, place = divmod(number, len(_MARKERS))
    return Look(colour, (0, dashes) if dashes else "-", _MARKERS[(place + turn) % len(_MARKERS)])


@contextmanager
def axes_for(ax: Axes | None, size: tuple[float, float] = _SINGLE) -> Iterator[Axes]:
    """The caller's axes as they are, or axes of a new figure in the style of fairtrial."""
    if ax is not None:
        before = list(ax.texts)
        yield ax
        _literally(ax, before)
        return
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        own = plt.subplots(figsize=size, layout="constrained")[1]
        yield own
        _literally(own, [])


@contextmanager
def figure_for(figure: Canvas | None, size: tuple[float, float]) -> Iterator[Canvas]:
    """The caller's figure as it is, or a new one in the style of fairtrial."""
    if figure is not None:
        yield figure
        for ax in figure.axes:
            _literally(ax, [])
        return
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        own = plt.figure(figsize=size, layout="constrained")
        yield own
        for ax in own.axes:
            _literally(ax, [])


def _literally(ax: Axes, others: Sequence[Text]) -> None:
    """Show what was written as it is, and whole: a dollar begins no formula, and a long title goes on below."""
    from matplotlib.text import Text

    titles = [text for text in ax.get_children() if isinstance(text, Text) and text not in ax.texts]
    labels = {ax.xaxis.label, ax.yaxis.label}
    ticks = {text for axis in (ax.xaxis, ax.yaxis) for text in axis.findobj(Text)} - labels
    for text in ax.findobj(Text):
        if isinstance(text, Text) and text not in ticks and text not in others:
            text.set_parse_math(False)
            text.set_wrap(text in titles)


def legible(name: str) -> str:
    """The name of a system as a figure can show it: not too long, and never hidden from a legend."""
    return f"{' ' if name.startswith('_') else ''}{cut(name, 40)}"


def in_percent(axis: Axis, label: str) -> None:
    """Let the axis of a rate, a fraction, be read in percent."""
    axis.set_major_formatter(lambda value, _: f"{100 * value:.6g}".replace("-", "\N{MINUS SIGN}"))
    axis.set_label_text(f"{label} (%)")


def legend_below(ax: Axes, *, of: Axes | None = None, **settings: Any) -> Legend:
    """A legend that is never on top of the data: below the axes and their label, in as many columns as fit.

    It is that of the same axes, or `of` others above them.
    """
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
