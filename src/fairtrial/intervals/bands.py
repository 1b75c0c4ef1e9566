"""Bands around an Expected Performance Curve: pointwise, or holding the whole curve at once.

Along a curve the outcome cells of a trial are the intervals between its thresholds, so a replicate of the
whole curve is one draw over as many cells as the curve has points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_confidence
from fairtrial.counting.errors import ErrorCounts
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError
from fairtrial.intervals.bootstrap import Statistic, count_table, replicate
from fairtrial.people import Cluster, known_cluster
from fairtrial.tables import Column, Result, Table, every_tenth, plural
from fairtrial.trials import Trials

BandKind: TypeAlias = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Result):
    """The limits of a band, one pair per value of alpha."""

    alpha: NDArray[np.float64]
    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: BandKind
    confidence: float
    cluster: str

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "kind": self.kind,
            "confidence": self.confidence,
            "cluster": self.cluster,
        }

    def column(self) -> Column:
        """The column that a table of the curve shows of it."""
        return Column("band", f"{100 * self.confidence:g} % band, {self.kind}", "interval")

    def summary(self) -> str:
        """What kind of band it is."""
        return f"{100 * self.confidence:g} %, {self.kind}, {plural(len(self.alpha), 'point')}, cluster {self.cluster}"

    def tables(self) -> tuple[Table, ...]:
        """One row per alpha."""
        columns = (Column("alpha", "alpha", "number"), Column("estimate", "estimate", "rate"), self.column())
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(zip(self.alpha.tolist(), self.estimate.tolist(), ends, strict=True))
        return (Table("band", "Band around a performance curve", columns, rows, shown=every_tenth(len(rows))),)


def curve_band(
    curve: PerformanceCurve,
    test: Trials,
    *,
    system: str | None = None,
    kind: BandKind = "pointwise",
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> Band:
    """Bootstrap a band around a curve, with the thresholds as they are.

    Parameters
    ----------
    kind
        ``pointwise``: at each alpha the percentiles of the replicates. ``simultaneous``: so many standard
        deviations at every alpha that the share asked for of the replicates lies within all along.
    cluster
        What test trials share; by default all ids that are known, trials themselves without ids.
    """
    check_choice("kind", kind, get_args(BandKind))
    check_confidence(confidence)
    sharing = known_cluster(test, cluster)
    thresholds, place = np.unique(curve.threshold, return_inverse=True)
    if np.isnan(thresholds).any():
        raise ParameterError("a pooled or cross-validated curve has no thresholds of its own to put a band around")
    outcome = np.searchsorted(thresholds, test.column(system), side="left")
    table = count_table(test, outcome, len(thresholds) + 1, cluster=sharing)
    statistic = _along(curve, place, len(thresholds))
    replicates, _ = replicate(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers)
    estimate = statistic(table.cells[None, :])[0]
    if kind == "pointwise":
        low, high = np.quantile(replicates, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    else:
        spread = replicates.std(axis=0)
        moving = spread > 0
        farthest = np.max(np.abs(replicates[:, moving] - estimate[moving]) / spread[moving], axis=1, initial=0)
        reach = np.quantile(farthest, confidence) * spread
        low, high = estimate - reach, estimate + reach
    return Band(curve.alpha, estimate, low, high, kind, confidence, sharing)


def _along(curve: PerformanceCurve, place: NDArray[np.int64], thresholds: int) -> Statistic:
    """The curve's measure as a statistic of how many trials lie between its thresholds."""
    cells = thresholds + 1

    def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        genuine, impostor = counts[:, :cells], counts[:, cells:]
        # a score with r thresholds below it is accepted at those r
        rejects = np.cumsum(genuine, axis=1)[:, :-1]
        accepts = impostor.sum(axis=1, keepdims=True) - np.cumsum(impostor, axis=1)[:, :-1]
        totals = genuine.sum(axis=1, keepdims=True), impostor.sum(axis=1, keepdims=True)
        found = ErrorCounts(curve.threshold, accepts[:, place], rejects[:, place], *totals)
        return np.asarray(curve.measure(found, curve.alpha), dtype=np.float64)

    return statistic
