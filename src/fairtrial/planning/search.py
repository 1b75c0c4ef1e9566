"""The smallest whole number that is enough, or from which on all are."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil


def smallest_enough(is_enough: Callable[[int], bool], *, least: int = 2, most: int = 10**12) -> int | None:
    """Find the smallest whole number that is enough, where any larger one is too.

    Parameters
    ----------
    is_enough
        Whether a number is enough.
    least, most
        Where to look.

    Returns
    -------
    int or None
        None where no number in the range is enough, as far as doubling from `least` tells.

    Examples
    --------
    >>> smallest_enough(lambda number: number**2 >= 1000)
    32
    """
    low, high = least - 1, least
    while not is_enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def smallest_that_stays(
    is_enough: Callable[[int], bool], *, start: int, least: int = 2, most: int = 10**12, smooth: bool = False
) -> int | None:
    """Find the smallest whole number from which on all are enough, where some below may be enough too.

    Parameters
    ----------
    is_enough
        Whether a number is enough; it may go back and forth before it stays.
    start
        About where it is.
    least, most
        Where to look.
    smooth
        Whether it goes back and forth hardly at all: then fewer numbers are tried.

    Returns
    -------
    int or None
        None where no number in the range is enough. The 16 above the one that is found are all tried, and others up to
        1.6 times as large 4 % apart; `smooth`, only others, up to 1.2 times as large 10 % apart. What is not enough in
        between, or beyond, is not seen.

    Examples
    --------
    >>> smallest_that_stays(lambda number: number >= 100 and not 120 <= number < 130, start=90)
    130
    """
    step, reach, looked_at = (1.1, 1.2, 0) if smooth else (1.04, 1.6, 16)
    known: dict[int, bool] = {}

    def enough(number: int) -> bool:
        if number not in known:
            known[number] = is_enough(number)
        return known[number]

    number = min(max(start, least), most)
    while number > least and enough(number):
        number = max(least, int(number / 1.25))
    failed = least - 1 if enough(number) else number
    first = None if failed == number else number
    while first is None or number < reach * first:
        if number == most:
            break
        number = min(max(number + 1, ceil(step * number)), most)
        if not enough(number):
            failed, first = number, None
        elif first is None:
            first = number
    if first is None:
        return None
    while first - failed > 1:
        middle = (failed + first) // 2
        failed, first = (failed, middle) if enough(middle) else (middle, first)
    number = first
    while number < min(first + looked_at, most):
        number += 1
        first = first if enough(number) else number + 1
    return first
