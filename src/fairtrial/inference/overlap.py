"""Which judged trials are also among those that set the threshold, in whatever order they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.ids import recode
from fairtrial.core.trials import Trials
from fairtrial.counting.tallies import ScoreData, has_sources

_GLANCE = 1024
"""So many trials tell, nearly always, that two sets have none in common."""
_COUNTED = 3
"""Before two arrays are sorted, the numbers above so many values are compared."""


def same_rows(dev: ScoreData, test: ScoreData) -> bool:
    """Whether dev and test are the same trials in the same order."""
    if dev is test:
        return True
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return _same_array(dev.genuine, test.genuine) and _same_array(dev.scores, test.scores)
    if isinstance(dev, tuple) and isinstance(test, tuple):
        return all(a is b or _same_array(a, b) for a, b in zip(dev, test, strict=True))
    return has_sources(dev) and has_sources(test) and dev.same_as(test)


def _same_array(first: ArrayLike, second: ArrayLike) -> bool:
    """Whether two arrays are equal; those that differ nearly always do so at once."""
    a, b = np.asarray(first), np.asarray(second)
    return np.array_equal(a[:_GLANCE], b[:_GLANCE]) and np.array_equal(a, b)


def trials_in_both(dev: ScoreData, test: ScoreData) -> int:
    """How many of the judged trials are also in dev.

    Parameters
    ----------
    dev, test : Trials, ScoreSource or tuple of two array_like
        The trials that set thresholds, and those that are judged.

    Returns
    -------
    int
        The number of test trials. A trial is known by its ids, its label and its scores. Where nothing tells single
        trials apart, as without ids, or with few distinct scores and several trials of the same people, only sets that
        are the same as a whole count. Trials that are not at hand are not compared one by one.

    Examples
    --------
    >>> genuine, impostor = [0.9, 0.8, 0.4], [0.1, 0.3, 0.5]
    >>> trials_in_both((genuine, impostor), (genuine[::-1], impostor))
    6
    """
    if isinstance(dev, Trials) and isinstance(test, Trials):
        return _among(dev, test)
    if isinstance(dev, tuple) and isinstance(test, tuple):
        pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(dev, test, strict=True)]
        return sum(b.size for _, b in pairs) if all(_same_values(a, b) for a, b in pairs) else 0
    return 0


def _same_values(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Whether two arrays hold the same numbers, in any order; those that do not nearly always have other extremes."""
    if first.size != second.size:
        return False
    if first.size and (first.min() != second.min() or first.max() != second.max()):
        return False
    counts = [[np.count_nonzero(own > value) for value in first[:_COUNTED]] for own in (first, second)]
    return counts[0] == counts[1] and np.array_equal(np.sort(first), np.sort(second))


def _among(dev: Trials, test: Trials) -> int:
    rows = np.arange(0, len(test), max(1, len(test) // _GLANCE))
    glance, known = test.scores[rows, 0], dev.column(test.systems[0])
    nearby = _nearby(known, glance)
    if not nearby.size:
        return 0
    if _tells_trials_apart(test, rows):
        any_found = _found(dev.rows(nearby), test.rows(rows)).any()
        return int(np.count_nonzero(_found(dev, test))) if any_found else 0
    if not _same_values(known, test.scores[:, 0]):
        return 0
    return len(test) if _found(dev, test).all() and _found(test, dev).all() else 0


def _nearby(known: NDArray[np.floating], few: NDArray[np.floating]) -> NDArray[np.int64]:
    """Where one of a few numbers occurs; most of the others are put aside by a hash of 16 bits."""
    table = np.zeros(1 << 16, dtype=bool)
    table[_hashed(few)] = True
    likely = np.flatnonzero(table[_hashed(known)])
    return likely[np.isin(known[likely], few)]


def _hashed(values: NDArray[np.floating]) -> NDArray[np.uint16]:
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # 0.0 and -0.0 are one number
    return (bits * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(48)).astype(np.uint16)


def _tells_trials_apart(trials: Trials, rows: NDArray[np.int64]) -> bool:
    """Whether ids and scores make each of the trials another one."""
    if not trials.ids:
        return False
    return trials.probe is not None or 2 * len(np.unique(trials.scores[rows], axis=0)) > len(rows)


def _found(dev: Trials, test: Trials) -> NDArray[np.bool_]:
    """Which trials of the second set have the ids, label and scores of one of the first."""
    columns: list[tuple[NDArray[Any], NDArray[Any]]] = [(dev.genuine, test.genuine)]
    for name in dev.ids.keys() & test.ids.keys():
        first, second = recode([dev.ids[name], test.ids[name]])
        columns.append((first, second))
    columns += [(dev.column(system), test.column(system)) for system in test.systems]
    both = _numbered([np.concatenate(pair) for pair in columns])
    return np.isin(both[len(dev) :], both[: len(dev)])


def _numbered(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """A number for each row; the same for rows that are equal in all columns."""
    found: NDArray[np.int64] = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + codes, return_inverse=True)[1]
    return found
