"""Multiple comparisons: adjusted p values, and letters for systems that do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, check_choice
from fairtrial.core.words import plural

Correction: TypeAlias = Literal["holm", "bh", "none"]


def adjust_p_values(p_values: Sequence[float], correction: Correction = "holm") -> NDArray[np.float64]:
    """Adjust p values: Holm controls any false positive, Benjamini-Hochberg their proportion.

    Parameters
    ----------
    p_values : sequence of float
        The p values, fractions.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.

    Returns
    -------
    ndarray of float
        Adjusted p values, in the order given.

    Raises
    ------
    ParameterError
        If the correction is unknown, or a p value is outside [0, 1].

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, 1979; Benjamini & Hochberg, Controlling the false
    discovery rate, 1995.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("correction", correction, get_args(Correction))
    values = np.asarray(p_values, dtype=np.float64)
    if values.size and not ((values >= 0) & (values <= 1)).all():
        raise ParameterError("p values must be between 0 and 1")
    if correction == "none" or not values.size:
        return values
    if correction == "bh":
        from scipy import stats

        return np.asarray(stats.false_discovery_control(values))
    order = np.argsort(values)
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return adjusted


def adjustment_text(correction: Correction, pairs: int) -> str:
    """Write how the p values of a number of pairs are adjusted.

    Examples
    --------
    >>> adjustment_text("holm", 3), adjustment_text("none", 3)
    ('p adjusted by holm over 3 pairs', 'p not adjusted for the number of pairs, 3')
    """
    if correction == "none":
        return f"p not adjusted for the number of pairs, {pairs}"
    return f"p adjusted by {correction} over {plural(pairs, 'pair')}"


def compact_letters(count: int, different: Sequence[tuple[int, int]]) -> list[str]:
    """Assign letters to `count` systems so that two share one exactly when they do not differ.

    Parameters
    ----------
    count : int
        The number of systems.
    different : sequence of tuple of (int, int)
        The pairs that differ, by their places.

    Returns
    -------
    list of str
        One text per system.

    Notes
    -----
    By the insert-and-absorb algorithm.

    References
    ----------
    Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, 2004.

    Examples
    --------
    >>> compact_letters(3, [(0, 2)])
    ['a', 'ab', 'b']
    """
    groups = [set(range(count))]
    for i, j in different:
        split: list[set[int]] = []
        for group in groups:
            split += [group - {i}, group - {j}] if {i, j} <= group else [group]
        groups = [g for k, g in enumerate(split) if not any(g < h or (g == h and m < k) for m, h in enumerate(split))]
    groups.sort(key=lambda group: sorted(group))
    letters = [chr(ord("a") + k) if k < 26 else f"({k + 1})" for k in range(len(groups))]
    return ["".join(letter for letter, group in zip(letters, groups, strict=True) if k in group) for k in range(count)]
