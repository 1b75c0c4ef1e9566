"""The axis on which scores are counted: nested cells of rising coarseness, the same for all data.

Every double has a *position*, an integer in the order of the doubles. A cell is a run of positions within one binade
(the doubles between two powers of two), and a *level* says how long the runs are: at level 0 each double is alone; with
each level cells become twice as wide in value. They stay finer than that where doubles are small: a binade keeps
``2**floor`` cells until there is no other way, so that likelihoods over many orders of magnitude are told apart as
well as scores on an even scale. Infinite scores always have cells of their own.

The cells of a level are unions of cells of the level before. So what is counted in cells can be counted on at any
coarser level, and the order in which scores come does not matter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]

MANTISSA = 52
"""Bits of a double below its exponent."""
LAST_LEVEL = 2097
"""The coarsest level: one cell per binade."""
MOST_CELLS_AT_LAST = 1 << 12
"""So many cells there are at that level."""
_LARGEST = np.int64(np.iinfo(np.int64).max)
_BITS_AT_ONE = 1074


def positions_of(scores: NDArray[np.floating]) -> Integers:
    """The positions of scores that are not NaN; 0.0 and -0.0 are at 0."""
    bits = np.add(scores, 0.0, dtype=np.float64).view(np.int64)  # adding zero makes -0.0 equal 0.0
    return np.asarray(bits ^ ((bits >> 63) & _LARGEST))


def scores_at(positions: Integers) -> NDArray[np.float64]:
    """The doubles at these positions; where -0.0 would be, which no score is, the one below."""
    own = np.where(positions == -1, -2, positions)
    return np.asarray((own ^ ((own >> 63) & _LARGEST)).view(np.float64))


@lru_cache(maxsize=64)
def shifts_at(level: int, floor: int) -> Integers:
    """For each exponent of a double, how many of the low bits of a position do not matter at a level."""
    # the doubles below the smallest normal one are as far apart as those above it
    exponents = np.maximum(np.arange(2048), 1) - 1023
    fewest = min(floor, LAST_LEVEL - level)
    shifts = MANTISSA - np.clip(_BITS_AT_ONE - level + exponents, fewest, MANTISSA)
    shifts[-1] = 0
    shifts.flags.writeable = False
    return np.asarray(shifts)


def _shifts(positions: Integers, level: int, floor: int) -> Integers:
    magnitudes = positions ^ (positions >> 63)
    return np.asarray(shifts_at(level, floor)[magnitudes >> MANTISSA])


def cell_starts(positions: Integers, level: int, floor: int) -> Integers:
    """The first position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return (positions >> shifts) << shifts


def cell_ends(positions: Integers, level: int, floor: int) -> Integers:
    """The last position of the cell of each position."""
    shifts = _shifts(positions, level, floor)
    return positions | ((np.int64(1) << shifts) - 1)


def meeting_levels(positions: Integers, floor: int) -> Integers:
    """For each two neighbours among rising positions, the first level at which they share a cell; else one too many."""
    magnitudes = positions ^ (positions >> 63)
    exponents = magnitudes >> MANTISSA
    apart = positions[1:] ^ positions[:-1]
    alone = (exponents[1:] != exponents[:-1]) | (apart < 0) | (exponents[1:] == 2047)
    bits = np.frexp(np.where(alone, 0, apart).astype(np.float64))[1].astype(np.int64)
    levels = bits + np.maximum(exponents[1:], 1) - 1023 + _BITS_AT_ONE - MANTISSA
    coarse = MANTISSA - bits < floor
    levels[coarse] = np.maximum(levels[coarse], bits[coarse] + LAST_LEVEL - MANTISSA)
    levels[alone] = LAST_LEVEL + 1
    return np.asarray(levels)
