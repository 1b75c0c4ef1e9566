"""How a value is compared with the recorded one: by its key, or else by the innermost key around it that has a rule.

The key of a cell in a table is the name of its column.

To change an answer on purpose, record it anew and say in the commit which keys changed, and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isclose
from typing import Any

TOLERANCE = 1e-9
ELSEWHERE = 1e-4
"""Tolerance of all fractions on a machine that computes other last bits than the one on which they were recorded."""

WORDS = re.compile(
    r"notes?|message|answer|caption|text|title|description|citation|contents|licence|source|commands|recommendation"
)
"""Sentences for people: the key must be there, whatever is below it."""

EXACT = re.compile(r"estimate|confidence")
"""Point figures, also within an interval or a test: equal to the bit. So is all that has no rule."""

CLOSE = re.compile(
    # limits, tests and whatever else depends on seeds, resamples or distribution functions
    r"(.*_)?(low|high|width|widths|interval|intervals|bands?|sigma|design_effect)"
    r"|p|(.*_)?(sd|p_value|p_adjusted|statistic|critical|power|degrees|df|worse|coverage|chi2)(_.*)?"
    # fits, logarithms and exponentials
    r"|(.*[_-])?(cllr|ece|llr|d_prime|dev_pav|weights?|parameters|offset|expected|log_likelihood|rho|correlations?)([@_-].*)?"
)
"""Numbers that may differ by rounding, within `TOLERANCE`."""


def differences(
    expected: Any, found: Any, way: str = "", *, slack: float = 0.0, elsewhere: bool = False
) -> Iterator[str]:
    """Say where an answer differs from the recorded one; keys may be added, none may go.

    Parameters
    ----------
    expected, found
        What was recorded, and what is answered now.
    way
        The keys that lead here.
    slack
        How much numbers here may differ, relative to the recorded ones.
    elsewhere
        Whether the answer was recorded on a machine that computes other last bits.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            here = f"{way}.{key}" if way else key
            if key not in found:
                yield f"{here}: is missing"
            elif not WORDS.fullmatch(key):
                inner = 0.0 if EXACT.fullmatch(key) else TOLERANCE if CLOSE.fullmatch(key) else slack
                yield from differences(value, found[key], here, slack=inner, elsewhere=elsewhere)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{way}: {len(found)} entries, {len(expected)} recorded"
        for k, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, f"{way}[{k}]", slack=slack, elsewhere=elsewhere)
    elif not _same(expected, found, ELSEWHERE if elsewhere else slack):
        yield f"{way}: {found!r}, recorded {expected!r}"


def _same(expected: Any, found: Any, slack: float) -> bool:
    """Whether two values are the same: numbers, texts, true and false, or nothing."""
    if _is_number(expected) and _is_number(found):
        return isclose(expected, found, rel_tol=slack, abs_tol=slack * TOLERANCE) or bool(expected == found)
    return type(expected) is type(found) and bool(expected == found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
