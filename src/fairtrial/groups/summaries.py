"""Summaries of inequality: one number for the rates of all groups.

Limits of differences and ratios are those of the pairs, which hold together; those of the Gini coefficient are its
extremes over all rates that the simultaneous limits of the groups allow. So they hold even if groups are equal, when a
summary of estimates overstates inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, TypeAlias

import numpy as np

from fairtrial.core.results import Field, Record
from fairtrial.core.words import Text
from fairtrial.inference.variance import Floats

Ends: TypeAlias = tuple[float, float, float]
"""A summary of one rate, and its limits."""
_ROUNDS = 100
_SETTLED = 1e-12


def over_geometric_mean(rates: Floats) -> float:
    """Divide the largest rate by the geometric mean of all; infinite if one is 0, 1 if all are."""
    if not rates.any():
        return 1.0
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(np.max(rates)) - np.mean(np.log(rates))))


def gini(rates: Floats) -> float:
    """Compute the Gini coefficient, corrected for the number of groups: 0 if all are equal, 1 if one has all errors."""
    count, total = len(rates), float(np.sum(rates))
    if total == 0 or count < 2:
        return 0.0
    return max(float(_weights(count) @ np.sort(rates)) / (total * (count - 1)), 0.0)


def _weights(count: int) -> Floats:
    """Give the weights of sorted rates in half the sum of all their differences."""
    return 2.0 * np.arange(1, count + 1, dtype=np.float64) - count - 1


def summarise_differences(rates: Floats, low: Floats, high: Floats) -> Ends:
    """Compute the largest difference of two rates, from simultaneous limits of the difference of every pair."""
    least, most = max(float(low.max()), -float(high.min())), max(float(high.max()), -float(low.min()))
    return float(np.ptp(rates)), max(least, 0.0), most


def summarise_ratios(rates: Floats, low: Floats, high: Floats) -> tuple[Ends, Ends]:
    """Compute the largest ratio of two rates and the largest rate over the geometric mean of all.

    The latter is a mean of ratios, and has the mean of their limits. `low` and `high` are simultaneous limits of the
    ratio of every pair. If all rates are 0, both summaries are 1.
    """
    first, second = np.triu_indices(len(rates), 1)
    least, most = np.ones((2, len(rates), len(rates)))
    with np.errstate(divide="ignore"):
        largest = float(rates.max() / rates.min()) if rates.any() else 1.0
        least[first, second], least[second, first] = low, 1 / high
        most[first, second], most[second, first] = high, 1 / low
        below, above = (float(np.exp(np.log(limits).mean(axis=1)).max()) for limits in (least, most))
    ratio = largest, float(least.max()), float(most.max())
    return ratio, (over_geometric_mean(rates), max(below, 1.0), above)


def summarise_ginis(rates: Floats, low: Floats, high: Floats) -> Ends:
    """Compute the Gini coefficient, and its extremes over all rates between simultaneous limits of each.

    The least has all rates as near to one number as their limits allow. Between limits of groups the coefficient is
    monotone in that number, so it is one of the limits.
    """
    least = min(gini(np.clip(place, low, high)) for place in np.unique(np.concatenate([low, high])))
    return gini(rates), least, _largest_gini(low, high)


def _largest_gini(low: Floats, high: Floats) -> float:
    """Maximise the Gini coefficient.

    It is quasi-convex, so every rate is at one of its limits. For a trial value of the coefficient, the ranks of the
    rates are an assignment problem; its solution gives a larger value, until it does not (Dinkelbach 1967).
    """
    from scipy.optimize import linear_sum_assignment

    count = len(low)
    if count < 2 or not high.any():
        return 0.0
    ranks, coefficient = _weights(count), gini(high)
    for _ in range(_ROUNDS):
        slope = ranks - coefficient * (count - 1)
        gain = np.where(slope >= 0, high[:, None], low[:, None]) * slope
        rows, places = linear_sum_assignment(gain, maximize=True)
        chosen = np.empty(count)
        chosen[rows] = np.where(slope[places] >= 0, high[rows], low[rows])
        better = gini(chosen)
        if better <= coefficient + _SETTLED:
            break
        coefficient = better
    return coefficient


_WORDS = {
    "fdr": "FDR: 1 - weighted largest differences",
    "garbe": "GARBE: weighted Gini coefficients",
    "inequity_rate": "inequity rate: weighted largest ratios",
    "far_ratio": Text("{FAR}, largest over smallest"),
    "frr_ratio": Text("{FRR}, largest over smallest"),
    "far_over_mean": Text("{FAR}, largest over geometric mean"),
    "frr_over_mean": Text("{FRR}, largest over geometric mean"),
}


@dataclass(frozen=True, slots=True)
class Summary(Record):
    """A summary of inequality, and its limits; JSON has null for what is infinite."""

    FIELDS: ClassVar = (
        Field("name", "key", detail=True, in_json=False),
        Field("summary", "summary", "term", get=lambda each: _WORDS[each.name], in_json=False),
        Field("estimate", "value", "number", in_json="finite"),
        Field("low", in_json="finite"),
        Field("high", in_json="finite"),
        Field("limits", "limits", "range", get=attrgetter("low", "high"), in_json=False),
    )
    name: str
    estimate: float
    low: float
    high: float


def summarise(far: tuple[Ends, Ends, Ends], frr: tuple[Ends, Ends, Ends], *, weight: float) -> tuple[Summary, ...]:
    """Compute FDR, GARBE and inequity rate from largest difference, Gini coefficient and largest ratio of both rates.

    Limits must hold together. The FAR has this weight, the FRR the rest.

    References
    ----------
    de Freitas Pereira & Marcel, Fairness in biometrics, 2021 (FDR); Howard et al., Evaluating proposed fairness
    models, 2022 (GARBE); Grother, FRVT part 8, NIST IR 8429, 2022 (inequity rate, largest over geometric mean).
    """
    rest = 1 - weight
    differences, ginis, ratios = (zip(a, b, strict=True) for a, b in zip(far, frr, strict=True))
    fdr, most, least = (1 - (weight * a + rest * b) for a, b in differences)
    garbe = (weight * a + rest * b for a, b in ginis)
    # an infinite ratio without weight counts as 1
    inequity = ((a**weight if weight else 1.0) * (b**rest if rest else 1.0) for a, b in ratios)
    return Summary("fdr", fdr, least, most), Summary("garbe", *garbe), Summary("inequity_rate", *inequity)
