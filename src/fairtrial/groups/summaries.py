"""Summaries of inequality: one number for the rates of all groups.

The limits of a summary are its extremes over all rates that the simultaneous limits of the groups allow. So they hold
if those hold, even if groups are equal, when a summary of estimates overstates inequality.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from fairtrial.core.results import Field, Record
from fairtrial.inference.variance import Floats

_ROUNDS = 100
_SETTLED = 1e-12


@dataclass(frozen=True, slots=True)
class Inequality:
    """A measure of inequality: 0 or 1 if all rates are equal, else more."""

    name: str
    value: Callable[[Floats], float]
    largest: Callable[[Floats, Floats], float]
    """Its greatest value over all rates between two limits each."""

    def extremes(self, low: Floats, high: Floats) -> tuple[float, float]:
        """Give its least and greatest value over all rates between two limits each.

        The least has all rates as near to one number as their limits allow. Between limits of groups the summary is
        monotone in that number, so it is one of the limits.
        """
        nearest = min(self.value(np.clip(place, low, high)) for place in np.unique(np.concatenate([low, high])))
        return nearest, self.largest(low, high)


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


def _ratio(above: float, below: float) -> float:
    """Divide two rates; 1 if both are 0."""
    if below > 0:
        return above / below
    return inf if above > 0 else 1.0


def _two_apart(put_together: Callable[[float, float], float]) -> Callable[[Floats, Floats], float]:
    """Maximise over one group at its upper limit and another at its lower."""

    def largest(low: Floats, high: Floats) -> float:
        return max(put_together(float(high[k]), float(np.min(np.delete(low, k)))) for k in range(len(low)))

    return largest


def _one_above(low: Floats, high: Floats) -> float:
    """Maximise the ratio to the geometric mean: one group at its upper limit, all others at their lower."""
    every = np.arange(len(low))
    return max(over_geometric_mean(np.where(every == k, high, low)) for k in every)


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


DIFFERENCE = Inequality(
    "largest difference", lambda rates: float(np.ptp(rates)), _two_apart(lambda above, below: above - below)
)
RATIO = Inequality("largest ratio", lambda rates: _ratio(float(rates.max()), float(rates.min())), _two_apart(_ratio))
OVER_MEAN = Inequality("largest over geometric mean", over_geometric_mean, _one_above)
GINI = Inequality("Gini coefficient", gini, _largest_gini)


@dataclass(frozen=True, slots=True)
class Summary(Record):
    """A summary of inequality, and its limits; JSON has null for what is infinite."""

    FIELDS: ClassVar = tuple(Field(name, in_json="finite") for name in ("estimate", "low", "high"))
    name: str
    estimate: float
    low: float
    high: float


_Limits = tuple[Floats, Floats, Floats]
"""The rates of all groups, and their lower and upper limits."""


def summarise(far: _Limits, frr: _Limits, *, weight: float) -> tuple[Summary, ...]:
    """Summarise both rates together.

    Parameters
    ----------
    far, frr
        Rates and limits of the groups; all limits must hold together.
    weight
        The weight of the FAR; the FRR has the rest.

    Returns
    -------
    tuple of Summary
        FDR, GARBE and inequity rate.

    References
    ----------
    de Freitas Pereira & Marcel, Fairness in biometrics, 2021 (FDR); Howard et al., Evaluating proposed fairness
    models, 2022 (GARBE); Grother, FRVT part 8, NIST IR 8429, 2022 (inequity rate, largest over geometric mean).
    """

    def both(kind: Inequality, put_together: Callable[[float, float], float]) -> list[float]:
        ends = [(kind.value(rate), *kind.extremes(low, high)) for rate, low, high in (far, frr)]
        return [put_together(a, b) for a, b in zip(*ends, strict=True)]

    rest = 1 - weight
    apart = both(DIFFERENCE, lambda a, b: 1 - (weight * a + rest * b))
    garbe = both(GINI, lambda a, b: weight * a + rest * b)
    inequity = both(RATIO, lambda a, b: (a**weight if weight else 1.0) * (b**rest if rest else 1.0))
    return (Summary("fdr", apart[0], apart[2], apart[1]), Summary("garbe", *garbe), Summary("inequity_rate", *inequity))


def summarise_one(rate: Floats, low: Floats, high: Floats, *, name: str, kind: Inequality) -> Summary:
    """Summarise one rate."""
    return Summary(name, kind.value(rate), *kind.extremes(low, high))
