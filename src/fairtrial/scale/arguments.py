"""What a counter may be given: precision, thresholds, classes and ids, checked in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.counting.errors import Genuine
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.ids import IdColumn, Ids
from fairtrial.scale.axis import MOST_CELLS_AT_LAST

Thresholds: TypeAlias = Sequence[float] | NDArray[np.float64] | Mapping[str, Sequence[float]]
"""Thresholds for all systems, or for each system by its name."""
_CELLS_BY_PRECISION = 100
_MOST_CELLS = 1 << 24
_BINADES = 10
"""As a power of two, how many binades may have as many cells as the floor gives them."""


def cell_budget(precision: float) -> int:
    """How many cells a precision asks for, a power of two."""
    cells: int = 2 ** ceil(log2(min(_CELLS_BY_PRECISION / precision, _MOST_CELLS)))
    return max(cells, MOST_CELLS_AT_LAST)


def cell_floor(budget: int) -> int:
    """As a power of two, how many cells a binade keeps at all but the coarsest levels."""
    return int(log2(budget)) - _BINADES


def check_thresholds(given: Thresholds | None, systems: tuple[str, ...]) -> list[NDArray[np.float64]]:
    """The thresholds of each system, distinct and rising."""
    if given is None:
        given = ()
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in systems]
        if unknown:
            raise ParameterError(f"thresholds are given for {listed(unknown)}; the systems are {listed(systems)}")
        return [_rising(given.get(name, ())) for name in systems]
    return [_rising(given)] * len(systems)


def _rising(thresholds: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        values = np.unique(np.atleast_1d(np.asarray(thresholds, dtype=np.float64))) + 0.0
    except (TypeError, ValueError) as error:
        raise ParameterError(f"thresholds must be numbers, not {thresholds!r}") from error
    if np.isnan(values).any():
        raise ParameterError("a threshold is NaN; thresholds must be numbers, -inf or inf")
    return values


def check_system(systems: tuple[str, ...], system: str | None) -> str:
    """The name itself, if there is such a system; that of the only one where none is named."""
    if system is None and len(systems) == 1:
        return systems[0]
    if system is None:
        raise TrialsError(f"there are {len(systems)} systems: name one of {listed(systems)}")
    if system not in systems:
        raise TrialsError(f"there is no system {system!r}; there are {listed(systems)}")
    return system


def check_genuine(genuine: ArrayLike | None, count: int) -> Genuine:
    """Which of so many trials are genuine: a mask, or one answer for all."""
    if genuine is None:
        raise TrialsError("genuine must say which trials are genuine: a boolean array, or one answer for all")
    flags = np.asarray(genuine)
    if flags.dtype != np.bool_ or flags.ndim > 1 or (flags.ndim and len(flags) != count):
        raise TrialsError(
            f"genuine must be True, False or a boolean array with one entry per trial ({count:,} here), "
            f"not {flags.dtype} of shape {flags.shape}"
        )
    return flags if flags.ndim else bool(flags)


def as_ids(values: Iterable[Any] | IdColumn) -> IdColumn:
    """Ids as a column, one per trial."""
    return values if hasattr(values, "numbered") else Ids.of(values)  # type: ignore[return-value]
