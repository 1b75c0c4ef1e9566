"""What figures along prior log-odds have in common: their axis, and how lines of several kinds and systems look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.special import logit

from fairtrial.calibration.bands import PriorBand
from fairtrial.calibration.results import calibrated_words
from fairtrial.errors import ParameterError
from fairtrial.plots.style import GREY, legible, look
from fairtrial.spread import Floats
from fairtrial.trial_sets import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Curve = TypeVar("_Curve")
KINDS: dict[str, tuple[Any, str]] = {
    "calibrated": ("-", "calibrated"),
    "minimum": ((0, (2, 1.2)), "least there is, a posteriori"),
    "raw": ((0, (6, 1.5, 1, 1.5)), "scores as they are"),
}
"""The dashes of each kind of line, and what the legend calls it."""
_PRIORS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
_APART = 10
"""So many points lie between the markers of a line."""


def as_several(curves: _Curve | Sequence[_Curve]) -> tuple[_Curve, ...]:
    """One or several curves as several."""
    found = tuple(curves) if isinstance(curves, Sequence) else (curves,)
    if not found:
        raise ParameterError("there is no curve to draw")
    return found


def label_priors(ax: Axes, log_odds: Floats) -> None:
    """Name the axis of prior log-odds, with the priors themselves above."""
    ax.set_xlim(float(log_odds[0]), float(log_odds[-1]))
    ax.set_xlabel("prior log-odds of a genuine trial")
    above = ax.secondary_xaxis("top", functions=(lambda x: x, lambda x: x))
    shown = [prior for prior in _PRIORS if log_odds[0] <= logit(prior) <= log_odds[-1]]
    above.set_xticks([float(logit(prior)) for prior in shown], labels=[f"{prior:g}" for prior in shown])
    above.set_xlabel("prior of a genuine trial", fontsize="small")
    above.tick_params(labelsize="small")


def draw_line(ax: Axes, number: int, kind: str, log_odds: Floats, values: Floats, **more: Any) -> None:
    """Draw a line of a kind in the colour and with the markers of the first, second, ... system."""
    drawn = look(number)
    style: dict[str, Any] = {"marker": drawn.marker, "markersize": 4, "markevery": (3 * number % _APART, _APART)}
    ax.plot(log_odds, values, color=drawn.colour, linestyle=KINDS[kind][0], **style, **more)


def draw_band(ax: Axes, number: int, band: PriorBand | None) -> None:
    """Draw a band in the colour of the first, second, ... system, if there is one."""
    if band is not None:
        ax.fill_between(band.log_odds, band.low, band.high, color=look(number).colour, alpha=0.18, linewidth=0)


def headline(text: str, bands: Sequence[PriorBand | None]) -> str:
    """A title, with what the bands are."""
    return "\n".join([text, *dict.fromkeys(band.described for band in bands if band is not None)])


def label_lines(ax: Axes, systems: Sequence[str], kinds: Sequence[str], kind: Kind) -> None:
    """Entries of the legend: one per system, by colour and marker, then one per kind of line."""
    for number, system in enumerate(systems):
        drawn = look(number)
        ax.plot([], [], color=drawn.colour, marker=drawn.marker, markersize=4, linestyle="", label=legible(system))
    for name in kinds:
        dashes, label = KINDS[name]
        more = f" {calibrated_words(kind)}" if name == "calibrated" else ""
        ax.plot([], [], color=GREY, linestyle=dashes, label=f"{label}{more}")


def highest(lines: Sequence[Floats]) -> float:
    """The highest finite value of several lines, 0 if there is none."""
    return max((float(line[np.isfinite(line)].max(initial=0.0)) for line in lines), default=0.0)
