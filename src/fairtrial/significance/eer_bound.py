"""What published EERs alone say about significance: a bound on McNemar's test.

Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, sqrt
from typing import Any

from fairtrial.checks import check_count, check_share
from fairtrial.errors import ParameterError
from fairtrial.significance.multiple import Correction, adjust_p_values
from fairtrial.significance.results import above_zero
from fairtrial.tables import Column, Result, Table, number_text, p_phrase, percent, plural

_NOTE = (
    "the trials of most published EERs are all pairs of images and so share people; the bound takes them as independent"
)
_CAPTION = "Bounds from published EERs: chi2 is at least, p at most"


@dataclass(frozen=True, slots=True, repr=False)
class EerBound(Result):
    """Two published EERs: chi2 is at least, and the p value at most, what is given here.

    Attributes
    ----------
    a, b : float
        The two EERs, fractions.
    trials : int
        How many trials.
    chi2 : float
        What McNemar's uncorrected chi2 is at least.
    p_value : float
        What its p value is at most.
    p_adjusted : float
        The p value adjusted for the number of pairs; the same as `p_value` where there is one pair.
    names : tuple of (str, str) or None
        The names of the two methods, where they have any.

    Examples
    --------
    >>> from fairtrial import bound_from_eers
    >>> found = bound_from_eers(0.0007, 0.0008, 285390)
    >>> round(found.chi2, 4), round(found.p_value, 4)
    (1.9026, 0.1678)
    """

    a: float
    b: float
    trials: int
    chi2: float
    p_value: float
    p_adjusted: float
    names: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        named = {} if self.names is None else dict(zip(("name_a", "name_b"), self.names, strict=True))
        return {
            **named,
            "a": self.a,
            "b": self.b,
            "chi2": self.chi2,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "threshold": "fixed",
        }

    def summary(self) -> str:
        """The bounds."""
        bounds = f"chi2 at least {number_text(self.chi2)}, {p_phrase(self.p_value)} at most"
        return f"EERs {percent(self.a)} and {percent(self.b)}, {bounds}"

    def tables(self) -> tuple[Table, ...]:
        """The pair in one row."""
        return (_table([self], "none"),)


@dataclass(frozen=True, slots=True, repr=False)
class EerBounds(Result):
    """Every pair of a list of published EERs, and the difference from which on any pair is significant.

    Attributes
    ----------
    pairs : tuple of EerBound
        Every pair, with its bounds.
    largest : float
        EER_M of eq. (7): no EER of the list is larger.
    p_value : float
        What counts as significant.
    delta_eer : float or None
        The smallest difference that is significant whatever the pair, eq. (7); None where all EERs are 0.
    delta_eer_corrected : float or None
        The same with the p value divided by the number of pairs, so that it holds for all of them at once.
    correction : {"holm", "bh", "none"}
        How p values were adjusted for the number of pairs.

    Examples
    --------
    >>> from fairtrial import bounds_from_eers
    >>> found = bounds_from_eers([0.0007, 0.0008], 285390, eer_m=0.0058)
    >>> round(100 * found.delta_eer, 3)
    0.052
    """

    pairs: tuple[EerBound, ...]
    largest: float
    p_value: float
    delta_eer: float | None
    delta_eer_corrected: float | None
    correction: Correction

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "pairs": [pair.to_dict() for pair in self.pairs],
            "eer_m": self.largest,
            "delta_eer": self.delta_eer,
            "delta_eer_corrected": self.delta_eer_corrected,
            "correction": self.correction,
            "notes": list(self.notes),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """How many pairs are significant, from which difference on, and what the bound takes for granted."""
        found = [self._significant(), self._differences()]
        alike = sum(pair.a == pair.b == 0 for pair in self.pairs)
        if alike and self.delta_eer is not None:
            found.append(f"{plural(alike, 'pair')} of EERs of 0: nothing tells them apart, p is 1")
        return (*found, _NOTE)

    def _significant(self) -> str:
        count = sum(pair.p_adjusted <= self.p_value for pair in self.pairs)
        adjusted = "" if self._plain else f", adjusted for {plural(len(self.pairs), 'pair')} ({self.correction})"
        return f"{count} of {plural(len(self.pairs), 'pair')} significant at p = {self.p_value:g}{adjusted}"

    def _differences(self) -> str:
        if self.delta_eer is None or self.delta_eer_corrected is None:
            return (
                "all EERs are 0: no difference is there to be tested, and none is significant however many trials "
                "there are; the largest EER that is possible can be chosen (eer_m=.001)"
            )
        differences = f"differences of {percent(self.delta_eer)} and more"
        if self.delta_eer > self.largest:
            return f"only {differences} are sure to be significant, and EERs up to {percent(self.largest)} have none"
        many = f" ({percent(self.delta_eer_corrected)} for all pairs at once)" if not self._plain else ""
        up_to = f"whatever the pair of EERs up to {percent(self.largest)}"
        return f"{differences}{many} are significant at p = {self.p_value:g}, {up_to}"

    @property
    def _plain(self) -> bool:
        return self.correction == "none" or len(self.pairs) == 1

    def summary(self) -> str:
        """How many pairs there are, and how many of them are significant."""
        return self._significant()

    def tables(self) -> tuple[Table, ...]:
        """One row per pair."""
        return (replace(_table(self.pairs, self.correction), notes=self.notes),)


def bound_from_eers(a: float, b: float, trials: int) -> EerBound:
    r"""Bound McNemar's uncorrected chi2 from below.

    .. math:: \chi^{2\prime} = (EER_A - EER_B)^2 N / (EER_A + EER_B)

    Parameters
    ----------
    a, b : float
        The two EERs, fractions, on the same trials.
    trials : int
        How many trials.

    Returns
    -------
    EerBound
        Chi2 at least, and the p value at most, what the discordant trials would give.

    Raises
    ------
    ParameterError
        An EER outside [0, 1], or no trial.

    Notes
    -----
    The trials that only one system gets wrong are at most ``(a + b) trials``, and no more than
    ``(2 - a - b) trials`` where the EERs sum to more than 1. Two EERs of 0 give p = 1. The bound holds for the
    statistic without the correction for continuity.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, eq. (5) and Lemma 1.

    Examples
    --------
    >>> round(bound_from_eers(0.0007, 0.0008, 285390).chi2, 4)
    1.9026
    """
    from scipy import stats

    _check(a, b, trials)
    disagree = min(a + b, 2 - a - b)
    chi2 = 0.0 if a == b else (a - b) ** 2 * trials / disagree
    p_value = above_zero(float(stats.chi2.sf(chi2, 1)))
    return EerBound(a, b, trials, chi2, p_value, p_value)


def bounds_from_eers(
    eers: Mapping[str, float] | Sequence[float],
    trials: int,
    *,
    p_value: float = 0.01,
    eer_m: float | None = None,
    correction: Correction = "holm",
) -> EerBounds:
    """Bound every pair of a list of published EERs.

    Parameters
    ----------
    eers : dict of str to float or sequence of float
        EERs, fractions, on the same trials; by the names of the methods if they are to be named.
    trials : int
        How many trials.
    p_value : float, default 0.01
        What counts as significant.
    eer_m : float, optional
        EER_M of eq. (7), at least the largest EER, which it is by default. A larger one is on the safe side where the
        published EERs are rounded.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.

    Returns
    -------
    EerBounds
        The pairs, and the smallest difference that is significant.

    Raises
    ------
    ParameterError
        Fewer than two EERs, an `eer_m` below one of them, or a number that is not possible.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, eqs. (5) to (7). The
    paper asks for the multiplicity effect to be kept in mind.

    Examples
    --------
    >>> found = bounds_from_eers({"TAN": 0.0057, "MA": 0.0007, "DAUGMAN": 0.0008}, 285390, eer_m=0.0058)
    >>> round(100 * found.delta_eer, 3), [round(pair.p_adjusted, 3) for pair in found.pairs]
    (0.052, [0.0, 0.0, 0.168])
    """
    named = list(eers.items()) if isinstance(eers, Mapping) else [(None, value) for value in eers]
    if len(named) < 2:
        raise ParameterError("comparing needs at least two EERs")
    pairs = [
        replace(bound_from_eers(a, b, trials), names=None if first is None or second is None else (first, second))
        for (first, a), (second, b) in combinations(named, 2)
    ]
    highest = max(value for _, value in named)
    largest = highest if eer_m is None else eer_m
    if not largest >= highest:
        raise ParameterError(f"EER_M must be at least the largest EER, {highest:g}, not {largest:g}")
    adjusted = adjust_p_values([pair.p_value for pair in pairs], correction)
    check_share("p_value", p_value, open_ends=True)

    def least(level: float) -> float | None:
        return smallest_difference(largest, trials, p_value=level) if largest > 0 else None

    return EerBounds(
        tuple(replace(pair, p_adjusted=float(p)) for pair, p in zip(pairs, adjusted, strict=True)),
        largest,
        p_value,
        least(p_value),
        least(p_value / len(pairs)),
        correction,
    )


def smallest_difference(eer_m: float, trials: int, *, p_value: float = 0.01) -> float:
    r"""Give the difference of EERs from which on every pair up to `eer_m` is significant.

    .. math:: \Delta EER = \sqrt{2 \chi^{2*} EER_M / N}

    Parameters
    ----------
    eer_m : float
        EER_M of eq. (7): no EER is larger.
    trials : int
        How many trials.
    p_value : float, default 0.01
        What counts as significant.

    Returns
    -------
    float
        A difference of EERs, a fraction.

    Raises
    ------
    ParameterError
        A largest EER of 0, from which nothing differs, or a number that is not possible.

    Notes
    -----
    Where EER_M is above one half, 1 takes the place of 2 EER_M: no more trials than there are can be discordant.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, eqs. (6) and (7).

    Examples
    --------
    >>> round(100 * smallest_difference(0.0058, 285390), 4)
    0.0519
    """
    from scipy import stats

    _check(eer_m, eer_m, trials)
    check_share("p_value", p_value, open_ends=True)
    if eer_m == 0:
        raise ParameterError("the largest EER must be above 0: EERs of 0 do not differ, and nothing is significant")
    return sqrt(float(stats.chi2.isf(p_value, 1)) * min(2 * eer_m, 1.0) / trials)


def _table(pairs: Sequence[EerBound], correction: Correction) -> Table:
    names = (Column("name_a", "A"), Column("name_b", "B")) if pairs[0].names is not None else ()
    columns = (
        *names,
        Column("a", "EER of A", "rate"),
        Column("b", "EER of B", "rate"),
        Column("trials", "trials", "count", detail=True),
        Column("chi2", "chi2", "statistic"),
        Column("p_value", "p", "p"),
        Column("p_adjusted", f"p ({correction})", "p", detail=correction == "none" or len(pairs) == 1),
    )
    records = [{**pair.to_dict(), "trials": pair.trials} for pair in pairs]
    return Table.of("bounds", _CAPTION, columns, records, notes=[_NOTE])


def _check(a: float, b: float, trials: int) -> None:
    for rate in (a, b):
        if not (isfinite(rate) and 0 <= rate <= 1):
            raise ParameterError(f"an EER must be a fraction between 0 and 1, not {rate}; 1.5 % is 0.015")
    if trials < 1:
        raise ParameterError(f"there must be at least one trial, not {trials}")
    check_count("the number of trials", trials)
