"""The bootstrap along a curve: test drawn anew, and dev with it, so that each replicate chooses its own thresholds.

Both sets are counted between candidate thresholds once; a replicate then costs the number of these cells, or of people.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator
from fairtrial.claims import Threshold, claims_along
from fairtrial.counting.errors import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.errors import ParameterError
from fairtrial.intervals.bootstrap import Bootstrap, CountTable, count_table, replicate
from fairtrial.judging import Judgement
from fairtrial.people import People
from fairtrial.reestimation import best_candidates
from fairtrial.rules.measures import Measure
from fairtrial.spread import Floats
from fairtrial.trials import Trials


def resampled_curve(
    judgement: Judgement,
    measure: Measure,
    *,
    threshold: Threshold = "re-estimated",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> tuple[list[Bootstrap], Threshold]:
    """Bootstrap a measure at every alpha of a judgement.

    Parameters
    ----------
    judgement
        A system on test, at thresholds from dev.
    measure
        Any measure.
    threshold
        ``re-estimated``: dev is resampled too, and each replicate chooses its thresholds on it. ``fixed``: only test
        is resampled.
    n_resamples, rng, workers
        How many replicates, their seed, and threads, which do not change the result.

    Returns
    -------
    list, str
        The replicates at each alpha, all of the same draws, and whether thresholds were really re-estimated: those
        that were given are fixed.

    Raises
    ------
    ParameterError
        Trials without a dev set of their own: folds, or dev and test being the same trials.

    Notes
    -----
    Where ids are known, people are drawn with all their trials, and the replicates are brought to the standard
    deviation and the degrees of freedom that `claims_along` gives: drawing both people of a trial overstates what
    belongs to neither of them (Owen 2007), and people in both sets would have to be drawn in both at once.
    """
    if judgement.fold_thresholds is not None:
        raise ParameterError("folds have no dev set of their own to resample; give dev and test, or do not bootstrap")
    moving = threshold == "re-estimated" and judgement.movement is not None
    if moving and judgement.sets.origin == "same trials":
        raise ParameterError("dev and test are the same trials, so that they cannot be resampled apart")
    places, people = _thresholds(judgement, moving), judgement.sets.people
    generators = as_generator(rng).spawn(2)
    # numbers of trials, then errors at each threshold
    drawn, redrawn = replicate(
        _table(judgement.sets.test, judgement, places, people[1]),
        _stacked,
        n_resamples=n_resamples,
        rng=generators[0],
        workers=workers,
    )
    if moving:
        assert judgement.sets.dev is not None

        def best(cells: NDArray[np.float64]) -> NDArray[np.float64]:
            found = best_candidates(_errors(cells, places), judgement.criterion, judgement.alpha)
            return found.astype(np.float64)

        table = _table(judgement.sets.dev, judgement, places, people[0])
        drawn_dev, _ = replicate(table, best, n_resamples=n_resamples, rng=generators[1], workers=workers)
        chosen = drawn_dev.astype(np.int64)
    else:
        at = np.searchsorted(places, judgement.test.threshold)
        chosen = np.broadcast_to(at, (n_resamples, len(at)))
    rejects, accepts = (np.take_along_axis(part, chosen, axis=1) for part in np.split(drawn[:, 2:], 2, axis=1))
    counts = ErrorCounts(None, accepts, rejects, drawn[:, :1], drawn[:, 1:2])
    values = np.asarray(measure(counts, judgement.alpha), dtype=np.float64)
    estimates = np.asarray(measure(judgement.test, judgement.alpha), dtype=np.float64)
    found = [
        Bootstrap(float(estimate), np.ascontiguousarray(column), redrawn=redrawn)
        for estimate, column in zip(estimates, values.T, strict=True)
    ]
    known: Threshold = "re-estimated" if moving else "fixed"
    if people[1] is None:
        return found, known
    claims = claims_along([(1.0, judgement)], measure, threshold=known)
    return [each.scaled(claim.sigma, claim.degrees) for each, claim in zip(found, claims, strict=True)], known


def _thresholds(judgement: Judgement, moving: bool) -> Floats:
    """The thresholds between which trials are counted: those a replicate may choose, or those that were chosen."""
    if moving:
        assert judgement.movement is not None
        return judgement.movement.candidates
    return np.unique(judgement.test.threshold)


def _table(data: ScoreData, judgement: Judgement, thresholds: Floats, people: People | None) -> CountTable:
    """The trials of a set by the number of thresholds below their scores."""
    if people is not None and isinstance(data, Trials):
        ranks = np.searchsorted(thresholds, data.column(judgement.system), side="left")
        return count_table(data, ranks, len(thresholds) + 1, people)
    source = as_source(data, system=judgement.own)
    counts = count_errors(source, thresholds)
    cells = [
        np.diff(np.concatenate([[0], np.asarray(below), [total]]))
        for below, total in (
            (counts.false_rejects, source.genuine),
            (source.impostor - counts.false_accepts, source.impostor),
        )
    ]
    return CountTable(np.concatenate(cells).astype(np.float64), len(thresholds) + 1)


def _errors(cells: NDArray[np.float64], thresholds: Floats) -> ErrorCounts:
    """Errors at each threshold, one row per replicate, from the numbers of trials between them."""
    genuine, impostor = np.split(cells, 2, axis=1)
    totals = genuine.sum(axis=1, keepdims=True), impostor.sum(axis=1, keepdims=True)
    rejects = np.cumsum(genuine, axis=1)[:, :-1]
    accepts = totals[1] - np.cumsum(impostor, axis=1)[:, :-1]
    return ErrorCounts(thresholds, accepts, rejects, *totals)


def _stacked(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    counts = _errors(cells, np.empty(0))
    return np.concatenate([counts.genuine, counts.impostor, counts.false_rejects, counts.false_accepts], axis=1)
