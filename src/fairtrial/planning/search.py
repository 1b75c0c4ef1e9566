"""The smallest whole number that is enough."""

from __future__ import annotations

from collections.abc import Callable


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
