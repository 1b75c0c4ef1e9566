"""Scales, ticks and axes as numbers and words, and the colours of lines: what figures and the charts of pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from fairtrial.core.words import Text, levels_text, term

if TYPE_CHECKING:
    from fairtrial.rules.criteria import Criterion

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


def alpha_label(criterion: Criterion) -> str:
    """Say what the alpha of a criterion is, a weight, a target, or its parameter; and name the criterion."""
    alpha = str(Text("alpha, the weight of {FAR}")) if criterion.weighs_far else "alpha"
    return f"{f'target {term(criterion.aim.label)} on dev' if criterion.aim else alpha}, by {criterion}"


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
