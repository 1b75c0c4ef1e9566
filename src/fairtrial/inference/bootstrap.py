"""Bootstrap counts: a replicate costs as many draws as there are outcome cells or people, not trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import (
    ParameterError,
    TrialsError,
    as_generator,
    check_choice,
    check_confidence,
    check_resamples,
    check_workers,
)
from fairtrial.core.trials import Trials
from fairtrial.core.words import number_text, plural
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source, count_errors
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import Threshold
from fairtrial.inference.intervals import Interval
from fairtrial.inference.people import People
from fairtrial.inference.student import Alternative
from fairtrial.inference.thresholds import grid_thresholds
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import Measure

BootstrapMethod: TypeAlias = Literal["percentile", "centred", "bc", "bca"]
Statistic: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From cell counts, one row per replicate, to one number per replicate, or to a row of them."""
Progress: TypeAlias = Callable[[float], None]
"""A function that is called with the proportion of the work done since the last call."""

_BLOCK = 256
_TRIES = 100
_DENSE = 3000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Replicates of a statistic.

    Attributes
    ----------
    estimate : float
        The statistic itself.
    replicates : ndarray of float
        The statistic of each replicate, shape (replicates,).
    acceleration : float or None
        The skewness of the statistic; None if it was not computed.
    redrawn : int
        The number of replicates that lacked a class and were redrawn.

    Examples
    --------
    >>> bootstrap = Bootstrap(0.5, np.linspace(0, 1, 1001))
    >>> [round(end, 3) for end in bootstrap.interval(confidence=0.9)]
    [0.05, 0.95]
    """

    estimate: float
    replicates: NDArray[np.float64]
    acceleration: float | None = None
    redrawn: int = 0

    def __repr__(self) -> str:
        return f"<Bootstrap: {number_text(self.estimate)}, {plural(len(self.replicates), 'replicate')}>"

    @property
    def moves(self) -> bool:
        """Whether replicates differ by more than rounding."""
        return bool(np.ptp(self.replicates) > _ROUNDING * max(float(np.max(np.abs(self.replicates))), _ROUNDING))

    def interval(self, *, confidence: float = 0.95, method: BootstrapMethod = "percentile") -> Interval:
        """Compute the interval of the replicates.

        Parameters
        ----------
        confidence : float, default 0.95
            The level of confidence, between 0 and 1.
        method : {"percentile", "centred", "bc", "bca"}, default "percentile"
            ``percentile``: equal tails. ``centred``: the mean and the radius around it that holds the requested
            proportion. ``bc``: percentiles corrected for bias; ``bca``: for bias and skewness.

        Returns
        -------
        Interval
            The two limits.

        Raises
        ------
        ParameterError
            If the method is unknown, or ``bca`` is used without a known skewness.
        """
        check_confidence(confidence)
        check_choice("method", method, get_args(BootstrapMethod))
        tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
        if method == "centred":
            middle = float(self.replicates.mean())
            radius = np.quantile(np.abs(self.replicates - middle), confidence)
            return Interval(float(middle - radius), float(middle + radius))
        if method == "bc":
            tails = self._corrected(tails, 0.0)
        elif method == "bca":
            if self.acceleration is None:
                raise ParameterError("the skewness of this statistic is unknown; use {method!o}", method="bc")
            tails = self._corrected(tails, self.acceleration)
        low, high = np.quantile(self.replicates, tails)
        return Interval(float(low), float(high))

    def _corrected(self, tails: NDArray[np.float64], acceleration: float) -> NDArray[np.float64]:
        from scipy.special import ndtr, ndtri

        below = np.mean(self.replicates < self.estimate) + np.mean(self.replicates == self.estimate) / 2
        if not 0 < below < 1:
            return tails  # all replicates are on one side of the estimate, so its bias cannot be estimated
        bias = ndtri(below)
        shifted = bias + ndtri(tails)
        return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)))

    def p_value(self, alternative: Alternative = "two-sided", *, method: BootstrapMethod = "percentile") -> float:
        """Compute the p value of the hypothesis that the statistic is 0; 1 if replicates do not differ.

        Parameters
        ----------
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            What is claimed of the statistic.
        method : {"percentile", "centred", "bc", "bca"}, default "percentile"
            ``centred``: the proportion of replicates at least as far from their mean as 0 is. The other methods: the
            proportion on the side of 0 opposite to the claim.

        Returns
        -------
        float
            The p value.
        """
        if not self.moves:
            return 1.0
        check_choice("method", method, get_args(BootstrapMethod))
        if method == "centred":
            middle = float(self.replicates.mean())
            away = self.replicates - middle
            beyond = {"less": away <= middle, "greater": away >= middle, "two-sided": np.abs(away) >= abs(middle)}
            return self._proportion(beyond[alternative])
        below, above = self._proportion(self.replicates <= 0), self._proportion(self.replicates >= 0)
        return {"less": above, "greater": below, "two-sided": min(1.0, 2 * min(below, above))}[alternative]

    def _proportion(self, which: NDArray[np.bool_]) -> float:
        """Compute the proportion among the replicates and the statistic itself, so that it is never 0."""
        return (int(np.count_nonzero(which)) + 1) / (len(self.replicates) + 1)


def centred_along(
    bootstraps: Sequence[Bootstrap], *, confidence: float, simultaneous: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Compute the centred intervals of several statistics of the same replicates, and the factor of their widths.

    Simultaneous intervals are wider by one factor, so that the requested proportion of replicates lies within all of
    them.
    """
    ends = np.array([bootstrap.interval(confidence=confidence, method="centred") for bootstrap in bootstraps])
    if not simultaneous:
        return ends[:, 0], ends[:, 1], 1.0
    middles, radii = ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2
    moving = radii > 0
    replicates = np.stack([bootstrap.replicates for bootstrap in bootstraps], axis=1)
    away = np.abs(replicates - middles)[:, moving] / radii[moving]
    factor = max(float(np.quantile(np.max(away, axis=1, initial=0), confidence)), 1.0)
    return middles - factor * radii, middles + factor * radii, factor


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """The number of trials of each pair of people."""

    first: NDArray[np.int64]
    """The people of the rows."""
    second: NDArray[np.int64]
    """The people of the columns."""
    counts: Any
    """A matrix; a sparse one if few pairs meet."""

    @classmethod
    def of(cls, first: NDArray[np.int64], second: NDArray[np.int64], size: int) -> _Between:
        """Count the trials of pairs among `size` people; those without a pair have no row or column."""
        from scipy.sparse import coo_array

        (rows, row), (columns, column) = (np.unique(people, return_inverse=True) for people in (first, second))
        sparse = coo_array((np.ones(len(first)), (row, column)), shape=(len(rows), len(columns))).tocsr()
        dense = size <= _DENSE and sparse.nnz > len(rows) * len(columns) / 20
        return cls(rows, columns, sparse.toarray() if dense else sparse)

    def drawn(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Count the trials of each replicate from the number of draws of each person."""
        return np.asarray(np.einsum("ij,ij->i", numbers[:, self.first] @ self.counts, numbers[:, self.second]))

    def add_trials(self, trials: NDArray[np.float64]) -> None:
        """Add the number of trials that each person takes part in."""
        trials[self.first] += np.asarray(self.counts.sum(axis=1)).ravel()
        trials[self.second] += np.asarray(self.counts.sum(axis=0)).ravel()


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """Trials counted by outcome cell, in total or by the people who take part in them.

    The first `genuine_cells` cells are genuine trials, the others impostor trials.
    """

    cells: NDArray[np.float64]
    """The counts of all trials."""
    genuine_cells: int
    people: People | None = None
    """The people who are drawn; None if single trials are drawn."""
    alone: NDArray[np.float64] | None = None
    """Counts of trials of one person, one row per person."""
    between: tuple[_Between | None, ...] = ()
    """For each cell the trials of two people; None if there is none."""
    stratified: bool = False
    """Whether draws of single trials keep the numbers of genuine and impostor trials."""

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the cell counts of `count` replicates."""
        if self.alone is None or self.people is None:
            split = self.genuine_cells if self.stratified else 0
            parts = [part for part in (self.cells[:split], self.cells[split:]) if len(part)]
            by_part = [rng.multinomial(int(part.sum()), part / part.sum(), size=count) for part in parts]
            return np.concatenate(by_part, axis=1).astype(np.float64)
        numbers = self.people.draw(count, rng)
        drawn = numbers @ self.alone
        for cell, pairs in enumerate(self.between):
            if pairs is not None:
                drawn[:, cell] += pairs.drawn(numbers)
        return drawn

    def lacks_a_class(self, drawn: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mark the replicates without genuine or without impostor trials."""
        genuine = drawn[:, : self.genuine_cells].sum(axis=1)
        return np.asarray((genuine == 0) | (drawn.sum(axis=1) == genuine))

    def left_out(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the cell counts without one trial of each cell, or without each person, and the weight of each."""
        if self.alone is None or self.people is None:
            filled = np.flatnonzero(self.cells)
            return self.cells - np.eye(len(self.cells))[filled], self.cells[filled]
        taking_part = self.alone.copy()
        for cell, pairs in enumerate(self.between):
            if pairs is not None:
                pairs.add_trials(taking_part[:, cell])
        everyone = np.concatenate(self.people.strata)
        return self.cells - taking_part[everyone], np.ones(len(everyone))


def count_table(
    trials: Trials,
    outcome: NDArray[np.int64],
    cells: int,
    people: People | None = None,
    *,
    stratified: bool = False,
) -> CountTable:
    """Count trials by outcome cell, in total or by their people.

    Parameters
    ----------
    outcome
        The cell of each trial among those of its class, from 0 to ``cells - 1``.
    people
        The people who are resampled with all their trials; None to resample single trials.
    stratified
        Whether resampled trials keep the numbers of genuine and impostor trials.
    """
    cell = outcome + cells * ~trials.genuine
    totals = np.bincount(cell, minlength=2 * cells).astype(np.float64)
    if people is None:
        return CountTable(totals, cells, stratified=stratified)
    size = people.size
    alone = np.zeros((size, 2 * cells))
    between: list[_Between | None] = []
    for part in people.classes:
        cells_of_part = cell[part.rows]
        single = ~part.is_pair
        np.add.at(alone, (part.people[0][single], cells_of_part[single]), 1.0)
        first, second = part.people[0], part.people[-1]
        start = 0 if part is people.genuine else cells
        between += [
            _Between.of(first[rows], second[rows], size) if len(rows) else None
            for rows in (np.flatnonzero(part.is_pair & (cells_of_part == start + k)) for k in range(cells))
        ]
    return CountTable(totals, cells, people, alone, tuple(between))


def draw_replicates(
    table: CountTable,
    statistic: Statistic,
    *,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Bootstrap:
    """Draw replicates of a statistic of cell counts.

    Parameters
    ----------
    progress
        Called by any worker with the proportion of the replicates since the last call.

    Raises
    ------
    ParameterError
        If there is no replicate or no worker.
    TrialsError
        If replicates keep lacking a class.
    """
    replicates, redrawn = replicate(
        table, statistic, n_resamples=n_resamples, rng=rng, workers=workers, progress=progress
    )
    estimate = float(statistic(table.cells[None, :])[0])
    return Bootstrap(estimate, replicates, _acceleration(table, statistic), redrawn)


def replicate(
    table: CountTable,
    statistic: Statistic,
    *,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    workers: int,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], int]:
    """Draw replicates of a statistic, one number or a row of numbers, and count those that were redrawn."""
    check_resamples(n_resamples)
    check_workers(workers)
    blocks = -(-n_resamples // _BLOCK)
    sizes = [min(_BLOCK, n_resamples - k * _BLOCK) for k in range(blocks)]
    generators = as_generator(rng).spawn(blocks)

    def work(size: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], int]:
        drawn = table.draw(size, generator)
        redrawn = 0
        for _ in range(_TRIES):
            empty = np.flatnonzero(table.lacks_a_class(drawn))
            if not len(empty):
                if progress is not None:
                    progress(size / n_resamples)
                return statistic(drawn), redrawn
            redrawn += len(empty)
            drawn[empty] = table.draw(len(empty), generator)
        raise TrialsError("resampling hardly ever gives trials of both classes: there are too few of one")

    with ThreadPoolExecutor(min(workers, blocks)) as pool:
        blocks_done = list(pool.map(work, sizes, generators))
    return np.concatenate([part for part, _ in blocks_done]), sum(redrawn for _, redrawn in blocks_done)


def _acceleration(table: CountTable, statistic: Statistic) -> float:
    """Estimate the skewness of the statistic by leaving out one trial or person at a time."""
    without, weight = table.left_out()
    has_both = ~table.lacks_a_class(without)
    if not has_both.any():  # as with two people, each of whom is in all impostor trials
        return 0.0
    values, weight = statistic(without[has_both]), weight[has_both]
    deviation = np.average(values, weights=weight) - values
    squares = float(np.sum(weight * deviation**2))
    return float(np.sum(weight * deviation**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def two_systems(measure: Callable[[ErrorCounts], Any]) -> Statistic:
    """Make the difference of two systems a statistic of cells: both wrong, only A, only B, none; of each class."""

    def statistic(cells: NDArray[np.float64]) -> NDArray[np.float64]:
        genuine, impostor = cells[:, :4].sum(axis=1), cells[:, 4:].sum(axis=1)
        values = [
            measure(ErrorCounts(None, cells[:, 4] + cells[:, 4 + one], cells[:, 0] + cells[:, one], genuine, impostor))
            for one in (1, 2)
        ]
        return np.asarray(values[0] - values[1], dtype=np.float64)

    return statistic


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
        The replicates at each alpha, all of the same draws, and whether thresholds were re-estimated; given ones are
        fixed.

    Raises
    ------
    ParameterError
        If there is no dev set to resample: with folds, or if dev and test are the same trials.

    Notes
    -----
    If ids are known, people are drawn with all their trials. Drawing both people of a trial overstates what belongs to
    neither of them (Owen 2007), so these replicates are conservative.
    """
    if judgement.fold_thresholds is not None:
        raise ParameterError("folds have no separate dev set to resample; give dev and test, or do not bootstrap")
    moving = threshold == "re-estimated" and judgement.can_move
    if moving and judgement.sets.origin == "same trials":
        raise ParameterError("dev and test are the same trials, so that they cannot be resampled apart")
    if moving:
        assert judgement.dev is not None
        thresholds = grid_thresholds(judgement.source("dev"), judgement.dev)
    else:
        thresholds = np.unique(judgement.test.threshold)
    people = judgement.sets.people
    generators = as_generator(rng).spawn(2)
    # numbers of trials, then errors at each threshold
    drawn, redrawn = replicate(
        _table(judgement.sets.test, judgement, thresholds, people[1]),
        _stacked,
        n_resamples=n_resamples,
        rng=generators[0],
        workers=workers,
    )
    if moving:
        assert judgement.sets.dev is not None

        def best(cells: NDArray[np.float64]) -> NDArray[np.float64]:
            return _best(_errors(cells, thresholds), judgement).astype(np.float64)

        table = _table(judgement.sets.dev, judgement, thresholds, people[0])
        drawn_dev, _ = replicate(table, best, n_resamples=n_resamples, rng=generators[1], workers=workers)
        chosen = drawn_dev.astype(np.int64)
    else:
        at = np.searchsorted(thresholds, judgement.test.threshold)
        chosen = np.broadcast_to(at, (n_resamples, len(at)))
    rejects, accepts = (np.take_along_axis(part, chosen, axis=1) for part in np.split(drawn[:, 2:], 2, axis=1))
    counts = ErrorCounts(None, accepts, rejects, drawn[:, :1], drawn[:, 1:2])
    values = np.asarray(measure(counts, judgement.alpha), dtype=np.float64)
    estimates = np.asarray(measure(judgement.test, judgement.alpha), dtype=np.float64)
    bootstraps = [
        Bootstrap(float(estimate), np.ascontiguousarray(column), redrawn=redrawn)
        for estimate, column in zip(estimates, values.T, strict=True)
    ]
    return bootstraps, "re-estimated" if moving else "fixed"


def _best(counts: ErrorCounts, judgement: Judgement) -> NDArray[np.int64]:
    """Find the best threshold of each replicate, one column per alpha."""
    shape, columns = counts.false_accepts.shape, []
    genuine, impostor = (np.broadcast_to(total, shape).ravel() for total in (counts.genuine, counts.impostor))
    every = ErrorCounts(np.nan, counts.false_accepts.ravel(), counts.false_rejects.ravel(), genuine, impostor)
    rates = np.asarray(every.far + every.frr)
    alphas = judgement.criterion.resolve_alphas(judgement.alpha)
    for column, alpha in enumerate(alphas.tolist()):
        rule = next(rule for which, rule in judgement.criterion.used_at(alphas) if which[column])
        # of equal costs that with fewer errors
        costs = np.asarray(rule.cost(every, alpha)) + 1e-9 * rates
        columns.append(costs.reshape(shape).argmin(axis=1))
    return np.stack(columns, axis=1)


def _table(data: ScoreData, judgement: Judgement, thresholds: Floats, people: People | None) -> CountTable:
    """Count the trials of a set by the number of thresholds below their scores."""
    if people is not None and isinstance(data, Trials):
        ranks = np.searchsorted(thresholds, data.column(judgement.system), side="left")
        return count_table(data, ranks, len(thresholds) + 1, people)
    source = as_source(data, system=judgement.system)
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
    """Count the errors at each threshold, one row per replicate, from the numbers of trials between them."""
    genuine, impostor = np.split(cells, 2, axis=1)
    totals = genuine.sum(axis=1, keepdims=True), impostor.sum(axis=1, keepdims=True)
    rejects = np.cumsum(genuine, axis=1)[:, :-1]
    accepts = totals[1] - np.cumsum(impostor, axis=1)[:, :-1]
    return ErrorCounts(thresholds, accepts, rejects, *totals)


def _stacked(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    counts = _errors(cells, np.empty(0))
    return np.concatenate([counts.genuine, counts.impostor, counts.false_rejects, counts.false_accepts], axis=1)
