"""ROC, DET and precision-recall curves and the areas under them: a posteriori views of one set of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_classes
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.words import percent, plural
from fairtrial.counting.counter import Counter
from fairtrial.counting.search import all_points, hull_of_points, hull_points, points_beside
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source
from fairtrial.rules.bounds import edge_points
from fairtrial.rules.measures import precision, recall

_MANY = 1 << 20
"""More scores than these are not sorted for a curve that is drawn."""
_SMALL = 1e-6
"""Rates below this one are all the same to a curve that is drawn."""


@dataclass(frozen=True, slots=True, repr=False)
class RocCurve(Result):
    """FAR and FRR at -inf and every distinct score, by rising threshold.

    Attributes
    ----------
    counts : ErrorCounts
        Errors at each point, by rising threshold.
    convex_hull : bool
        Whether the points are the vertices of the convex hull.

    Examples
    --------
    >>> from fairtrial import roc_curve
    >>> roc_curve(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6])).area()
    0.1
    """

    counts: ErrorCounts
    convex_hull: bool

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The thresholds."""
        return np.asarray(self.counts.threshold)

    @property
    def far(self) -> NDArray[np.float64]:
        """False acceptance rates."""
        return np.asarray(self.counts.far)

    @property
    def frr(self) -> NDArray[np.float64]:
        """False rejection rates."""
        return np.asarray(self.counts.frr)

    def probit(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give FAR and FRR on the axes of a DET curve.

        Returns
        -------
        tuple of (ndarray of float, ndarray of float)
            FAR and FRR; rates of 0 and 1 lie at -inf and inf.
        """
        from scipy.special import ndtri

        return ndtri(self.far), ndtri(self.frr)

    def area(self) -> float:
        """Give the area under the curve of errors: FRR over FAR, with straight lines between the points.

        Returns
        -------
        float
            One minus the usual AUC.
        """
        return area_under(self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "kind": "a posteriori",
            "threshold": self.threshold.tolist(),
            "far": self.far.tolist(),
            "frr": self.frr.tolist(),
        }

    def answer(self) -> str:
        """The number of points and the area under them."""
        return f"{plural(len(self.counts), 'point')}, area under the errors {percent(self.area())}"

    def tables(self) -> tuple[Table, ...]:
        """One row per point."""
        columns = (
            Column("threshold", "threshold", "threshold"),
            Column("far", "FAR", "rate"),
            Column("frr", "FRR", "rate"),
        )
        rows = tuple(zip(self.threshold.tolist(), self.far.tolist(), self.frr.tolist(), strict=True))
        caption = f"ROC{' convex hull' if self.convex_hull else ''}, a posteriori"
        return (Table("roc", caption, columns, rows, shown=every_tenth(len(rows))),)


def roc_curve(
    data: ScoreData, *, convex_hull: bool = False, max_points: int | None = None, system: str | None = None
) -> RocCurve:
    """Compute the ROC: every distinct operating point, or the vertices of its convex hull only.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource, Counter or tuple of two array_like
        Trials, a data frame of them, a source of scores, a counter, or a pair of arrays ``(genuine, impostor)``. The
        points of a counter are those at the ends of its cells: exact, with the curve of the scores through all of them.
    convex_hull : bool, default False
        Whether to give the vertices of the convex hull only.
    max_points : int, optional
        At most so many points, for drawing, never for figures; by default all. Kept are the corners of the staircase;
        if these are too many, corners that are evenly far from each other on the axes of a DET curve.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    RocCurve
        Thresholds, FAR and FRR, by rising threshold.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 2.

    Examples
    --------
    >>> curve = roc_curve(([0.9, 0.4], [0.1, 0.5]))
    >>> curve.threshold, curve.far, curve.frr
    (array([-inf,  0.1,  0.4,  0.5,  0.9]), array([1. , 0.5, 0.5, 0. , 0. ]), array([0. , 0. , 0.5, 0.5, 1. ]))
    """
    if isinstance(data, Counter):
        check_classes(data.genuine, data.impostor, "the counts")
        counts = edge_points(data.cells(system))
        counts = counts[hull_of_points(counts)] if convex_hull else counts
        return RocCurve(counts if max_points is None else thinned_points(counts, max_points), convex_hull)
    source = as_source(data, system=system)
    if convex_hull:
        counts = hull_points(source)
    elif max_points is not None and source.genuine + source.impostor > _MANY:
        counts = points_beside(source, lambda edges: _spread(edges, max_points))
    else:
        counts = all_points(source)
    return RocCurve(counts if max_points is None else thinned_points(counts, max_points), convex_hull)


@dataclass(frozen=True, slots=True, repr=False)
class PrecisionRecallCurve(Result):
    """Precision and recall at every threshold that accepts a trial, by rising threshold.

    Attributes
    ----------
    counts : ErrorCounts
        Errors at each point, by rising threshold.

    Examples
    --------
    >>> from fairtrial.evaluation import precision_recall_curve
    >>> curve = precision_recall_curve(([0.9, 0.4], [0.1, 0.5]))
    >>> curve.precision.round(3), curve.recall
    (array([0.5  , 0.667, 0.5  , 1.   ]), array([1. , 1. , 0.5, 0.5]))
    """

    counts: ErrorCounts

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The thresholds."""
        return np.asarray(self.counts.threshold)

    @property
    def precision(self) -> NDArray[np.float64]:
        """The shares of accepted trials that are genuine."""
        return np.asarray(precision(self.counts))

    @property
    def recall(self) -> NDArray[np.float64]:
        """The shares of genuine trials that are accepted."""
        return np.asarray(recall(self.counts))

    def average_precision(self) -> float:
        """Give the area under the curve as steps: the precision at each threshold times the recall that it adds.

        Returns
        -------
        float
            A fraction.
        """
        gained = -np.diff(self.recall, append=0.0)
        return float(np.dot(gained, self.precision))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "kind": "a posteriori",
            "threshold": self.threshold.tolist(),
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
            "average_precision": self.average_precision(),
        }

    def answer(self) -> str:
        """The number of points and the average precision."""
        return f"{plural(len(self.counts), 'point')}, average precision {percent(self.average_precision())}"

    def tables(self) -> tuple[Table, ...]:
        """One row per point."""
        columns = (
            Column("threshold", "threshold", "threshold"),
            Column("precision", "precision", "rate"),
            Column("recall", "recall", "rate"),
        )
        rows = tuple(zip(self.threshold.tolist(), self.precision.tolist(), self.recall.tolist(), strict=True))
        caption = "Precision and recall, a posteriori"
        return (Table("precision_recall", caption, columns, rows, shown=every_tenth(len(rows))),)


def precision_recall_curve(
    data: ScoreData, *, max_points: int | None = None, system: str | None = None
) -> PrecisionRecallCurve:
    """Compute precision and recall at every distinct operating point.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    max_points : int, optional
        At most so many points, for drawing, never for figures; by default all. They are chosen as in `roc_curve`.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    PrecisionRecallCurve
        Thresholds, precision and recall. Where nothing is accepted there is no precision, and no point.

    Raises
    ------
    TrialsError
        Every score is -inf, so that nothing is ever accepted.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (4).

    Examples
    --------
    >>> curve = precision_recall_curve(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    >>> curve.recall
    array([1.  , 1.  , 1.  , 1.  , 0.75, 0.75, 0.75, 0.5 , 0.25])
    >>> round(curve.average_precision(), 4)
    0.9167
    """
    counts = all_points(as_source(data, system=system))
    counts = counts[counts.genuine - counts.false_rejects + counts.false_accepts > 0]
    if not len(counts):
        raise TrialsError("every score is -inf: nothing is ever accepted, and there is no precision")
    return PrecisionRecallCurve(counts if max_points is None else thinned_points(counts, max_points))


def thinned_points(counts: ErrorCounts, max_points: int) -> ErrorCounts:
    """Points whose staircase is that of all points, or near it where there are too many corners."""
    if max_points < 2:
        raise ParameterError(f"max_points must be at least 2, not {max_points}")
    if len(counts) > max_points:
        counts = counts[_corners(counts)]
    return counts[_spread(counts, max_points)] if len(counts) > max_points else counts


def _corners(counts: ErrorCounts) -> NDArray[np.bool_]:
    """The ends, and all points but those inside a stretch on which one of the two errors stays the same."""
    kept = np.ones(len(counts), dtype=bool)
    for errors in (counts.false_accepts, counts.false_rejects):
        same = np.diff(errors) == 0
        kept[1:-1] &= ~(same[1:] & same[:-1])
    return kept


def _spread(counts: ErrorCounts, max_points: int) -> NDArray[np.int64]:
    """The ends, and the points on either side of even steps along the DET curve: long treads keep both of theirs."""
    if max_points < 2:
        raise ParameterError(f"max_points must be at least 2, not {max_points}")
    from scipy.special import ndtri

    x, y = (ndtri(np.clip(rates, _SMALL, 1 - _SMALL)) for rates in (counts.far, counts.frr))
    travelled = y - x  # as the threshold rises, so does this
    last = len(counts) - 1
    for finer in (8, 4, 2):  # many steps end on the same long tread: there is room for more of them
        kept = _beside_steps(travelled, finer * (max_points - 2) // 2, last)
        if len(kept) <= max_points:
            return kept
    return _beside_steps(travelled, (max_points - 2) // 2, last)


def _beside_steps(travelled: NDArray[np.float64], steps: int, last: int) -> NDArray[np.int64]:
    places = np.linspace(travelled[0], travelled[-1], steps + 2)[1:-1]
    before = np.searchsorted(travelled, places, side="right") - 1
    return np.unique(np.concatenate([[0, last], before, before + 1]).clip(0, last))


def area_under(counts: ErrorCounts) -> float:
    """The exact area under the error curve through these points, by the trapezoid rule.

    On all distinct points it is P(genuine < impostor) + P(equal)/2: one minus the usual AUC.
    """
    area = _trapezoid(-np.diff(counts.false_accepts), counts.false_rejects)
    return area / int(counts.genuine * counts.impostor)


def _trapezoid(widths: NDArray[np.int64], heights: NDArray[np.int64]) -> float:
    both = heights[1:] + heights[:-1]
    total = 0
    for start in range(0, len(widths), 1 << 16):
        width, height = widths[start : start + (1 << 16)], both[start : start + (1 << 16)]
        if int(width.sum()) * int(height.max(initial=0)) < 2**63:
            total += int(np.dot(width, height))
        else:
            total += sum(w * h for w, h in zip(width.tolist(), height.tolist(), strict=True))
    return total / 2


def auc_error(data: ScoreData, *, system: str | None = None) -> float:
    """Compute P(genuine < impostor) + P(genuine = impostor)/2, exactly: one minus the usual AUC.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        A fraction.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, eq. (17).

    Examples
    --------
    >>> auc_error(([0.9, 0.8, 0.4, 0.7], [0.1, 0.3, 0.5, 0.2, 0.6]))
    0.1
    """
    return area_under(all_points(as_source(data, system=system)))
