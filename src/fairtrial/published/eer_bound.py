"""Bound the significance of the difference of published EERs: a lower bound of McNemar's chi2.

Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Any, ClassVar

from fairtrial.core.errors import ParameterError, check_count, check_rate, check_share
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import in_percent, p_phrase, percent
from fairtrial.inference.multiplicity import Correction, adjust_p_values
from fairtrial.inference.tests import above_zero

_LEVEL = 0.01  # the level of significance of the answer for a single pair
_INDEPENDENT = Note(
    "independent-trials",
    "the trials of most published EERs are all pairs of images, which share people; the bound assumes independent ones",
)


@dataclass(frozen=True, slots=True, repr=False)
class EerBound(Result):
    """A lower bound of chi2, and an upper bound of its p value, for two published EERs.

    Attributes
    ----------
    a, b : float
        The two EERs, fractions.
    trials : int
        The number of trials.
    chi2 : float
        The lower bound of McNemar's uncorrected chi2.
    p_value : float
        The upper bound of its p value.
    p_adjusted : float
        The p value adjusted for the number of pairs; `p_value` itself for a single pair.
    names : tuple of (str, str) or None
        The names of the two methods, if they have any.

    Examples
    --------
    >>> from fairtrial.published import bound_from_eers
    >>> result = bound_from_eers(0.0007, 0.0008, 285390)
    >>> round(result.chi2, 4), round(result.p_value, 4)
    (1.9026, 0.1678)
    """

    FIELDS: ClassVar = (
        Field("name_a", "A", get=lambda pair: pair.names and pair.names[0], in_json="if known"),
        Field("name_b", "B", get=lambda pair: pair.names and pair.names[1], in_json="if known"),
        Field("a", "EER of A", "rate"),
        Field("b", "EER of B", "rate"),
        Field("trials", "trials", "count", detail=True, in_json=False),
        Field("chi2", "chi2", "statistic"),
        Field("p_value", "p", "p"),
        Field("p_adjusted", "adjusted p", "p"),
        Field("threshold", get=lambda pair: "fixed"),
    )
    a: float
    b: float
    trials: int
    chi2: float
    p_value: float
    p_adjusted: float
    names: tuple[str, str] | None = None

    def answer(self) -> str:
        """Write what the bounds show, at 1 %."""
        return self.conclusion(_LEVEL)

    def conclusion(self, level: float) -> str:
        """Say what the bounds show at a level of significance."""
        a, b = self.names or ("A", "B")
        values = (
            f"EER {percent(self.a)} and {percent(self.b)}, {self.trials:,} trials, {p_phrase(self.p_value)} at most"
        )
        if self.p_value > level:
            return f"The EERs do not show whether {a} and {b} differ ({values})"
        better, worse = (a, b) if self.a < self.b else (b, a)
        return f"{better} is better than {worse} ({values})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the pair in one row."""
        return (_table([self], [_INDEPENDENT], "none"),)


@dataclass(frozen=True, slots=True, repr=False)
class EerBounds(Result):
    """Bounds for every pair of published EERs, and the smallest difference that is significant for any pair.

    Attributes
    ----------
    pairs : tuple of EerBound
        Every pair, with its bounds.
    largest : float
        EER_M of eq. (7): no EER of the list is larger.
    p_value : float
        The level of significance.
    delta_eer : float or None
        The smallest difference that is significant for any pair, eq. (7); None if all EERs are 0.
    delta_eer_corrected : float or None
        The same with the p value divided by the number of pairs, so that it holds for all of them at once.
    correction : {"holm", "bh", "none"}
        How p values were adjusted for the number of pairs.

    Examples
    --------
    >>> from fairtrial.published import bounds_from_eers
    >>> result = bounds_from_eers([0.0007, 0.0008], 285390, eer_m=0.0058)
    >>> round(100 * result.delta_eer, 3)
    0.052
    """

    FIELDS: ClassVar = (
        Field("pairs"),
        Field("eer_m", get="largest"),
        Field("delta_eer"),
        Field("delta_eer_corrected"),
        Field("correction"),
        Field("notes"),
    )
    pairs: tuple[EerBound, ...]
    largest: float
    p_value: float
    delta_eer: float | None
    delta_eer_corrected: float | None
    correction: Correction

    @property
    def notes(self) -> tuple[Note, ...]:
        """The smallest significant difference, and what the bound assumes."""
        values: dict[str, Any] = {"difference": self.delta_eer, "largest": self.largest, "p_value": self.p_value}
        if self.delta_eer is None:
            template = (
                "all EERs are 0: no difference can be tested, however many trials there are; the largest EER that is "
                "possible can be chosen, as in {eer_m!o}"
            )
            return (Note("all-zero", template, eer_m=0.001), _INDEPENDENT)
        if self.delta_eer > self.largest:
            template = (
                "only differences of {difference:percent} and more are sure to be significant, and EERs up to "
                "{largest:percent} cannot differ by as much"
            )
        else:
            template = (
                "differences of {difference:percent} and more are significant at p = {p_value:g}, for any pair of EERs "
                "up to {largest:percent}"
            )
            if self._is_adjusted:
                values["corrected"] = self.delta_eer_corrected
                template += "; differences of {corrected:percent} and more for all pairs at once"
        notes = [Note("smallest-difference", template, **values)]
        equal = sum(pair.a == pair.b == 0 for pair in self.pairs)
        if equal:
            template = "{pairs:plural pair} of EERs of 0: they cannot differ, p is 1"
            notes.append(Note("equal-zero", template, pairs=equal))
        return (*notes, _INDEPENDENT)

    @property
    def _is_adjusted(self) -> bool:
        return self.correction != "none" and len(self.pairs) > 1

    def answer(self) -> str:
        """Write how many pairs are significant, and the difference that is for any pair."""
        if len(self.pairs) == 1:
            return self.pairs[0].conclusion(self.p_value)
        significant = sum(pair.p_adjusted <= self.p_value for pair in self.pairs)
        adjusted = f", adjusted by {self.correction}" if self._is_adjusted else ""
        verb = "differs" if significant == 1 else "differ"
        pairs = (
            f"{significant} of {len(self.pairs)} pairs of EERs {verb} significantly at p = {self.p_value:g}{adjusted}"
        )
        if self.delta_eer is None or self.delta_eer > self.largest:
            return pairs
        least = f"{in_percent(self.delta_eer)} points or more"
        return f"{pairs}; any two EERs up to {percent(self.largest)} that differ by {least} differ significantly"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per pair."""
        return (_table(self.pairs, self.notes, self.correction),)


def bound_from_eers(a: float, b: float, trials: int) -> EerBound:
    r"""Bound McNemar's uncorrected chi2 from below.

    .. math:: \chi^{2\prime} = (EER_A - EER_B)^2 N / (EER_A + EER_B)

    Parameters
    ----------
    a, b : float
        The two EERs, fractions, on the same trials.
    trials : int
        The number of trials.

    Returns
    -------
    EerBound
        The lower bound of chi2, and the upper bound of the p value.

    Raises
    ------
    ParameterError
        If an EER is outside [0, 1], or there is no trial.

    Notes
    -----
    The trials that only one system gets wrong are at most ``(a + b) trials``, and no more than
    ``(2 - a - b) trials`` if the EERs sum to more than 1. Two EERs of 0 give p = 1. The bound holds for the
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

    _check(trials, a, b)
    disagree = min(a + b, 2 - a - b)
    chi2 = 0.0 if a == b else (a - b) ** 2 * trials / disagree
    p_value = above_zero(float(stats.chi2.sf(chi2, 1)))
    return EerBound(a, b, trials, chi2, p_value, p_value)


def bounds_from_eers(
    eers: Mapping[str, float] | Sequence[float | tuple[str, float]],
    trials: int,
    *,
    p_value: float = 0.01,
    eer_m: float | None = None,
    correction: Correction = "holm",
) -> EerBounds:
    """Bound the significance of every pair of published EERs.

    Parameters
    ----------
    eers : dict of str to float, or sequence of float or (str, float)
        EERs, fractions, on the same trials, perhaps with the names of the methods. If some have a name, the others are
        numbered.
    trials : int
        The number of trials.
    p_value : float, default 0.01
        The level of significance.
    eer_m : float, optional
        The largest possible EER, EER_M of eq. (7); by default the largest of the list. A larger one is conservative if
        the published EERs are rounded.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.

    Returns
    -------
    EerBounds
        The pairs, and the smallest difference that is significant.

    Raises
    ------
    ParameterError
        If there are fewer than two EERs, `eer_m` is below one of them, or a number is out of range.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, eqs. (5) to (7). The
    paper asks for the multiplicity effect to be kept in mind.

    Examples
    --------
    >>> result = bounds_from_eers({"TAN": 0.0057, "MA": 0.0007, "DAUGMAN": 0.0008}, 285390, eer_m=0.0058)
    >>> round(100 * result.delta_eer, 3), [round(pair.p_adjusted, 3) for pair in result.pairs]
    (0.052, [0.0, 0.0, 0.168])
    """
    entries = list(eers.items()) if isinstance(eers, Mapping) else list(eers)
    unnamed = not any(isinstance(entry, tuple) for entry in entries)
    named = [entry if isinstance(entry, tuple) else (f"EER {number}", entry) for number, entry in enumerate(entries, 1)]
    if len(named) < 2:
        raise ParameterError("comparing needs at least two EERs", code="too-few")
    names = [name for name, _ in named]
    for name in names:
        if not name or names.count(name) > 1:
            problem = "{name!r} is there twice" if name else "one is empty"
            template = f"every EER needs a name of its own, as in TAN=.0057; {problem}"
            raise ParameterError(template, code="same-name", name=name)
    pairs = [
        replace(bound_from_eers(a, b, trials), names=None if unnamed else (first, second))
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
    r"""Compute the smallest difference of EERs that is significant for every pair up to `eer_m`.

    .. math:: \Delta EER = \sqrt{2 \chi^{2*} EER_M / N}

    Parameters
    ----------
    eer_m : float
        EER_M of eq. (7): no EER is larger.
    trials : int
        The number of trials.
    p_value : float, default 0.01
        The level of significance.

    Returns
    -------
    float
        A difference of EERs, a fraction.

    Raises
    ------
    ParameterError
        If the largest EER is 0, or a number is out of range.

    Notes
    -----
    If EER_M is above one half, 1 replaces 2 EER_M: no more trials than there are can be discordant.

    References
    ----------
    Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016, eqs. (6) and (7).

    Examples
    --------
    >>> round(100 * smallest_difference(0.0058, 285390), 4)
    0.0519
    """
    from scipy import stats

    _check(trials, eer_m)
    check_share("p_value", p_value, open_ends=True)
    if eer_m == 0:
        raise ParameterError("the largest EER must be above 0: EERs of 0 do not differ, and nothing is significant")
    return sqrt(float(stats.chi2.isf(p_value, 1)) * min(2 * eer_m, 1.0) / trials)


def _table(pairs: Sequence[EerBound], notes: Sequence[Note], correction: Correction) -> Table:
    is_alone = correction == "none" or len(pairs) == 1
    fields = [
        replace(field, detail=is_alone) if field.key == "p_adjusted" else field
        for field in EerBound.FIELDS
        if pairs[0].names or not field.key.startswith("name_")
    ]
    caption, titles = "Bounds from published EERs: chi2 is at least, p at most", {"p_adjusted": f"p ({correction})"}
    return table_of("bounds", caption, fields, pairs, notes=notes, titles=titles)


def _check(trials: int, *eers: float) -> None:
    for eer in eers:
        check_rate("an EER", eer)
    if check_count("the number of trials", trials) < 1:
        raise ParameterError("there must be at least one trial, not 0")
