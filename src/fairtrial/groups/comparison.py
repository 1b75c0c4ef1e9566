"""Whether groups differ in a rate: every two of them, all together, and whether they are shown to be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from fairtrial.groups.covariance import RateFamily
from fairtrial.groups.results import LEAST_SHOWN, EqualityTest, Equivalence, GroupPair, Rate
from fairtrial.inference.multiplicity import compact_letters


@dataclass(frozen=True, slots=True)
class RateComparison:
    """What is found of one rate of all groups."""

    pairs: tuple[GroupPair, ...]
    test: EqualityTest
    equivalence: Equivalence
    letters: dict[str, str]
    """By group; two share one where they are not shown to differ."""


def compare_rates(
    family: RateFamily, names: Sequence[str], rate: Rate, *, confidence: float, factor: float
) -> RateComparison:
    """Compare one rate of every two groups.

    Parameters
    ----------
    family
        The rate of two groups or more.
    names
        The groups.
    rate
        Which rate it is.
    confidence
        Of intervals for all pairs together; letters tell what is significant at the same level.
    factor
        Within which rates count as equal.

    Returns
    -------
    RateComparison
        Pairs, the test that all are equal, and equivalence.
    """
    from scipy.special import ndtr, ndtri

    first, second = family.pairs
    statistics, critical = family.statistics, family.pair_critical(confidence)
    adjusted = family.adjusted(statistics)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = family.rate[first] / family.rate[second]
    columns = (
        family.rate[first] - family.rate[second],
        *family.difference_limits(critical),
        ratio,
        *family.ratio_limits(critical),
        statistics,
        2 * ndtr(-abs(statistics)),
        adjusted,
    )
    pairs = tuple(
        GroupPair(rate, names[i], names[j], *numbers)
        for i, j, *numbers in zip(first, second, *(column.tolist() for column in columns), strict=True)
    )
    largest = int(np.argmax(abs(statistics)))
    apart = pairs[largest]
    test = EqualityTest(rate, abs(apart.statistic), apart.p_adjusted, apart.a, apart.b)
    # every ratio must be within the factor, so each is judged alone, and on one side at a time
    within = inf
    if confidence > LEAST_SHOWN:
        low, high = family.ratio_limits(float(ndtri(confidence)))
        with np.errstate(divide="ignore"):
            within = float(np.max(np.maximum(high, 1 / low)))
    differ = np.flatnonzero(adjusted < 1 - confidence)
    letters = compact_letters(len(names), [(int(first[k]), int(second[k])) for k in differ])
    return RateComparison(pairs, test, Equivalence(rate, factor, within), dict(zip(names, letters, strict=True)))
