"""What published EERs alone say about significance: a bound on McNemar's test.

Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, sqrt
from typing import Any

from fairtrial.checks import check_share
from fairtrial.errors import ParameterError
from fairtrial.tables import Column, Result, Table, number_text, p_phrase, percent

NOTE = (
    "the trials of most published EERs are all pairs of images and so share people; the bound takes them as independent"
)


@dataclass(frozen=True, slots=True, repr=False)
class EerBound(Result):
    """Two published EERs: chi2 is at least, and the p value at most, what is given here."""

    a: float
    b: float
    trials: int
    chi2: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"a": self.a, "b": self.b, "chi2": self.chi2, "p_value": self.p_value}

    def summary(self) -> str:
        """The bounds."""
        bounds = f"chi2 at least {number_text(self.chi2)}, {p_phrase(self.p_value)} at most"
        return f"EERs {percent(self.a)} and {percent(self.b)}, {bounds}"

    def tables(self) -> tuple[Table, ...]:
        """The pair in one row."""
        columns = (
            Column("a", "EER of A", "rate"),
            Column("b", "EER of B", "rate"),
            Column("trials", "trials", "count", detail=True),
            Column("chi2", "chi2", "number"),
            Column("p_value", "p", "p"),
        )
        caption = "Bounds from published EERs: chi2 is at least, p at most"
        return (Table("bounds", caption, columns, ((self.a, self.b, self.trials, self.chi2, self.p_value),), (NOTE,)),)


def bound_from_eers(a: float, b: float, trials: int) -> EerBound:
    """Bound McNemar's uncorrected chi2 from below, eq. (5).

    The trials that only one system gets wrong are at most ``(a + b) trials``, and no more than
    ``(2 - a - b) trials`` where the EERs sum to more than 1. Two EERs of 0 give p = 1.

    Examples
    --------
    >>> round(bound_from_eers(0.0007, 0.0008, 285390).chi2, 4)
    1.9026
    """
    from scipy import stats

    _check(a, b, trials)
    disagree = min(a + b, 2 - a - b)
    chi2 = 0.0 if a == b else (a - b) ** 2 * trials / disagree
    return EerBound(a, b, trials, chi2, float(stats.chi2.sf(chi2, 1)))


def bounds_from_eers(eers: Sequence[float], trials: int) -> list[EerBound]:
    """Bound every pair of a list of published EERs."""
    if len(eers) < 2:
        raise ParameterError("comparing needs at least two EERs")
    return [bound_from_eers(a, b, trials) for a, b in combinations(eers, 2)]


def smallest_difference(largest: float, trials: int, *, p_value: float = 0.01) -> float:
    """Give the difference of EERs from which on every pair up to `largest` is significant, eq. (7).

    Examples
    --------
    >>> round(100 * smallest_difference(0.0058, 285390), 4)
    0.0519
    """
    from scipy import stats

    _check(largest, largest, trials)
    check_share("p_value", p_value, open_ends=True)
    return sqrt(2 * float(stats.chi2.isf(p_value, 1)) * largest / trials)


def _check(a: float, b: float, trials: int) -> None:
    for rate in (a, b):
        if not (isfinite(rate) and 0 <= rate <= 1):
            raise ParameterError(f"an EER must be a fraction between 0 and 1, not {rate}; 1.5 % is 0.015")
    if trials < 1:
        raise ParameterError(f"there must be at least one trial, not {trials}")
