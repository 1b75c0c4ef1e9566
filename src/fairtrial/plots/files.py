"""Figures as files: whole or not at all, by the ending of the name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fairtrial.errors import OutputError, ParameterError
from fairtrial.formats.files import PathLike, check_place, write_whole
from fairtrial.plots.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Draw: TypeAlias = Callable[[Figure], Any]

ENDINGS: dict[str, dict[str, Any]] = {
    ".png": {"pil_kwargs": {"optimize": True}},
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""What a picture's name may end in, and how it is saved: small, and without the time of day, so that files repeat."""
_MOST = 10_000
"""Dots across a picture, at the most."""
_FEWEST = 10
"""Dots per inch, at the least."""


def check_picture(path: PathLike, *, width: float = 6.4, height: float = 4.6, dpi: int = 120) -> None:
    """Raise an error where a name does not say how a picture is to be written, or a size is not one."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise OutputError(f"{path}: the name of a picture should end in {', '.join(ENDINGS)}")
    check_place(path)
    if dpi < _FEWEST:
        raise ParameterError(f"there must be at least {_FEWEST} dots per inch, or no letter can be drawn, not {dpi}")
    for name, inches in (("width", width), ("height", height)):
        if not (isfinite(inches) and inches > 0):
            raise ParameterError(f"the {name} must be a number of inches above 0, not {inches}")
        if inches * dpi > _MOST:
            raise ParameterError(f"a {name} of {inches:g} inches at {dpi} dots per inch is more than {_MOST:,} dots")


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
        What the figure is of; it goes above all that the figure says of itself.
    width : float, default 6.4
        The size in inches.
    height : float, default 4.6
        The size in inches.
    dpi : int, default 120
        Dots per inch of a PNG.

    Raises
    ------
    OutputError
        A name with another ending, or a place that cannot be written to.

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
            known = figure.get_suptitle()
            above = figure.suptitle("\n".join(filter(None, [title, known])), x=0.01, ha="left", fontsize=10.5)
            above.set(parse_math=False, wrap=True)
        try:
            with write_whole(path) as place:
                figure.savefig(place, format=ending[1:], dpi=dpi, **ENDINGS[ending])
        except UserWarning as warning:
            raise ParameterError(
                f"{path}: {width:g} by {height:g} inches are too small for this figure; make it wider and higher"
            ) from warning
