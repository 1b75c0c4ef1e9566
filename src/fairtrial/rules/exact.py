"""Numbers as exact fractions, so that ties are found whatever the machine rounds."""

from __future__ import annotations

from fractions import Fraction


def simplest_fraction(value: float) -> Fraction:
    """A fraction of small denominator that rounds to the value.

    Examples
    --------
    >>> simplest_fraction(0.3), simplest_fraction(1 / 3)
    (Fraction(3, 10), Fraction(1, 3))
    """
    exact = Fraction(value)
    for digits in range(1, 17):
        fraction = exact.limit_denominator(10**digits)
        if float(fraction) == value:
            return fraction
    return exact
