"""ROC, DET and precision-recall curves, areas and the EER: a posteriori views of one set of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_classes, check_resamples
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.trials import TrialsLike, trials_of
from fairtrial.core.words import percent, plural
from fairtrial.counting.counter import Counter
from fairtrial.counting.search import all_points, hull_of_points, hull_points, points_beside
from fairtrial.counting.tallies import ErrorCounts, ScoreData, as_source
from fairtrial.inference.people import Cluster, People
from fairtrial.inference.split import TrialSets
from fairtrial.rules.bounds import edge_points
from fairtrial.rules.eer import equal_error_rate
from fairtrial.rules.measures import precision, recall

if TYPE_CHECKING:
    from fairtrial.inference.bootstrap import Bootstrap

_MANY = 1 << 20
"""Number of scores above which a curve for drawing is computed without sorting them."""
_SMALL = 1e-6
"""Smallest rate that a drawn curve distinguishes from 0."""
_REACH = 6.0
"""Standard deviations around the EER within which blocks of scores are small."""
_BLOCKS = 64


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
        """Compute FAR and FRR on the axes of a DET curve.

        Returns
        -------
        tuple of (ndarray of float, ndarray of float)
            FAR and FRR; rates of 0 and 1 lie at -inf and inf.
        """
        from scipy.special import ndtri

        return ndtri(self.far), ndtri(self.frr)

    def area(self) -> float:
        """Compute the area under the curve of errors: FRR over FAR, with straight lines between the points.

        Returns
        -------
        float
            One minus the usual AUC.
        """
        return area_under(self.counts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists."""
        return _lists(threshold=self.threshold, far=self.far, frr=self.frr)

    def answer(self) -> str:
        """Write the number of points and the area under them."""
        return f"{plural(len(self.counts), 'point')}, area under the errors {percent(self.area())}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per point."""
        caption = f"ROC{' convex hull' if self.convex_hull else ''}, a posteriori"
        return _point_table("roc", caption, self.threshold, FAR=self.far, FRR=self.frr)


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
        Maximum number of points, for drawing only; all by default. Kept are the corners of the staircase;
        if these are too many, corners that are evenly far from each other on the axes of a DET curve.
    system : str, optional
        The name of the system; not needed if there is only one.

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
    else:
        source = as_source(data, system=system)
        if convex_hull:
            counts = hull_points(source)
        elif max_points is not None and source.genuine + source.impostor > _MANY:
            counts = points_beside(source, lambda edges: _even_points(edges, max_points))
        else:
            counts = all_points(source)
    return RocCurve(_thinned(counts, max_points), convex_hull)


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
        """The proportion of accepted trials that are genuine."""
        return np.asarray(precision(self.counts))

    @property
    def recall(self) -> NDArray[np.float64]:
        """The proportion of genuine trials that are accepted."""
        return np.asarray(recall(self.counts))

    def average_precision(self) -> float:
        """Compute the area under the curve as steps: the precision at each threshold times the recall that it adds.

        Returns
        -------
        float
            A fraction.
        """
        gained = -np.diff(self.recall, append=0.0)
        return float(np.dot(gained, self.precision))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and the average precision."""
        lists = _lists(threshold=self.threshold, precision=self.precision, recall=self.recall)
        return {**lists, "average_precision": self.average_precision()}

    def answer(self) -> str:
        """Write the number of points and the average precision."""
        return f"{plural(len(self.counts), 'point')}, average precision {percent(self.average_precision())}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per point."""
        caption = "Precision and recall, a posteriori"
        return _point_table("precision_recall", caption, self.threshold, precision=self.precision, recall=self.recall)


def _lists(**series: NDArray[np.float64]) -> dict[str, Any]:
    return {"kind": "a posteriori", **{name: values.tolist() for name, values in series.items()}}


def _point_table(
    name: str, caption: str, threshold: NDArray[np.float64], **rates: NDArray[np.float64]
) -> tuple[Table, ...]:
    columns = [Column("threshold", "threshold", "threshold")]
    columns += [Column(title.lower(), title, "rate") for title in rates]
    rows = tuple(zip(threshold.tolist(), *(values.tolist() for values in rates.values()), strict=True))
    return (Table(name, caption, tuple(columns), rows, shown=every_tenth(len(rows))),)


def precision_recall_curve(
    data: ScoreData, *, max_points: int | None = None, system: str | None = None
) -> PrecisionRecallCurve:
    """Compute precision and recall at every distinct operating point.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    max_points : int, optional
        Maximum number of points, for drawing only; all by default. They are chosen as in `roc_curve`.
    system : str, optional
        The name of the system; not needed if there is only one.

    Returns
    -------
    PrecisionRecallCurve
        Thresholds, precision and recall. Thresholds that accept nothing have no precision, and no point.

    Raises
    ------
    TrialsError
        If every score is -inf, so that nothing is ever accepted.

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
    return PrecisionRecallCurve(_thinned(counts, max_points))


def _thinned(counts: ErrorCounts, max_points: int | None) -> ErrorCounts:
    """Keep the corners of the staircase; if these are too many, even steps along the DET curve."""
    if max_points is None:
        return counts
    if max_points < 2:
        raise ParameterError(f"max_points must be at least 2, not {max_points}")
    if len(counts) > max_points:
        corners = np.ones(len(counts), dtype=bool)
        for errors in (counts.false_accepts, counts.false_rejects):
            same = np.diff(errors) == 0
            corners[1:-1] &= ~(same[1:] & same[:-1])
        counts = counts[corners]
    return counts[_even_points(counts, max_points)] if len(counts) > max_points else counts


def _even_points(counts: ErrorCounts, max_points: int) -> NDArray[np.int64]:
    """Select both ends, and the points on either side of even steps along the DET curve."""
    if max_points < 2:
        raise ParameterError(f"max_points must be at least 2, not {max_points}")
    from scipy.special import ndtri

    x, y = (ndtri(np.clip(rates, _SMALL, 1 - _SMALL)) for rates in (counts.far, counts.frr))
    path = y - x  # rises with the threshold
    last = len(counts) - 1
    selected = np.array([0, last])
    for finer in (8, 4, 2, 1):  # steps that end on the same long tread leave room for more
        places = np.linspace(path[0], path[-1], finer * (max_points - 2) // 2 + 2)[1:-1]
        before = np.searchsorted(path, places, side="right") - 1
        selected = np.unique(np.concatenate([[0, last], before, before + 1]).clip(0, last))
        if len(selected) <= max_points:
            break
    return selected


def area_under(counts: ErrorCounts) -> float:
    """Compute the exact area under the error curve through these points, by the trapezoid rule.

    On all distinct points it is P(genuine < impostor) + P(equal)/2: one minus the usual AUC.
    """
    widths, heights = -np.diff(counts.false_accepts), counts.false_rejects[1:] + counts.false_rejects[:-1]
    total = 0
    for start in range(0, len(widths), 1 << 16):
        width, height = widths[start : start + (1 << 16)], heights[start : start + (1 << 16)]
        if int(width.sum()) * int(height.max(initial=0)) < 2**63:
            total += int(np.dot(width, height))
        else:
            total += sum(w * h for w, h in zip(width.tolist(), height.tolist(), strict=True))
    return total / 2 / int(counts.genuine * counts.impostor)


def auc_error(data: ScoreData, *, system: str | None = None) -> float:
    """Compute P(genuine < impostor) + P(genuine = impostor)/2, exactly: one minus the usual AUC.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``.
    system : str, optional
        The name of the system; not needed if there is only one.

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


def bootstrap_eer(
    trials: TrialsLike,
    *,
    system: str | None = None,
    cluster: Cluster | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = 0,
) -> Bootstrap:
    """Bootstrap the equal error rate (step-mean), a posteriori: every replicate has another threshold.

    Parameters
    ----------
    trials : Trials or data frame
        The trials, of both classes.
    system : str, optional
        The name of the system; not needed if there is only one.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    n_resamples : int, default 1000
        How many resamples are drawn: of trials, or of people with all their trials if ids are known.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.

    Returns
    -------
    Bootstrap
        The equal error rate, those of the replicates, and their interval.

    Notes
    -----
    People are drawn with all their trials. Drawing both people of a trial overstates the variance that belongs to
    neither of them, so that the interval is conservative.

    References
    ----------
    Owen, The pigeonhole bootstrap, 2007.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> bootstrap = bootstrap_eer(trials, n_resamples=200)
    >>> low, high = bootstrap.interval()
    >>> low < bootstrap.estimate < high
    True
    """
    from fairtrial.inference.bootstrap import Bootstrap

    check_resamples(n_resamples)
    trials = trials_of(trials, "trials")
    estimate = equal_error_rate(trials, system=system).value
    generator = as_generator(rng)
    scores = trials.column(system).astype(np.float64)
    people = TrialSets(trials, trials, cluster).people[1]
    if people is None:
        classes = scores[trials.genuine], scores[~trials.genuine]
        return Bootstrap(estimate, _eer_of_resampled_trials(*classes, n_resamples, generator))
    values, redrawn = _eer_of_resampled_people(scores, people, n_resamples, generator)
    return Bootstrap(estimate, values, redrawn=redrawn)


def _eer_of_resampled_people(
    scores: NDArray[np.float64], people: People, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], int]:
    """Compute the EERs of resampled people, and count the resamples that lacked a class and were redrawn."""
    thresholds = np.unique(scores)
    parts, ends = [], []
    for part in people.classes:
        order = np.argsort(scores[part.rows], kind="stable")
        columns = tuple(column[order] for column in part.people)
        parts.append(replace(part, rows=part.rows[order], people=columns))
        ends.append(np.searchsorted(scores[part.rows[order]], thresholds, side="right"))
    values, redrawn = np.empty(count), 0
    for k in range(count):
        while True:
            numbers = people.draw(1, rng)[0]
            weights = [part.times_drawn(numbers) for part in parts]
            totals = [float(weight.sum()) for weight in weights]
            if min(totals) > 0:
                break
            redrawn += 1
        below = [np.concatenate([[0.0], np.cumsum(weight)])[end] for weight, end in zip(weights, ends, strict=True)]
        frr, far = below[0] / totals[0], 1 - below[1] / totals[1]
        best = int(np.argmin(np.abs(far - frr)))
        values[k] = (far[best] + frr[best]) / 2
    return values, redrawn


def _eer_of_resampled_trials(
    genuine: NDArray[np.float64], impostor: NDArray[np.float64], count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Compute the EERs of resampled trials, both class sizes kept.

    Trials are drawn by blocks of scores, and then one by one within the block in which FAR and FRR cross.
    """
    sizes = len(genuine), len(impostor)
    scores, place = np.unique(np.concatenate([genuine, impostor]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(scores)) for part in np.split(place, [len(genuine)])]
    frr, rejected = (np.cumsum(of_class) / size for of_class, size in zip(counts, sizes, strict=True))
    rate = frr[np.argmin(np.abs(1 - rejected - frr))]
    reach = _REACH * sqrt(max(rate * (1 - rate), 0.01) * sum(1 / size for size in sizes))
    near = np.flatnonzero((np.abs(frr - rate) < reach) | (np.abs(1 - rejected - rate) < reach))
    ends = np.unique(np.linspace(near[0], near[-1] + 1, _BLOCKS).astype(np.int64))
    starts = np.unique(np.append(0, ends[ends < len(scores)]))
    drawn = [
        rng.multinomial(size, np.add.reduceat(of_class, starts) / size, size=count)
        for of_class, size in zip(counts, sizes, strict=True)
    ]
    below = [np.cumsum(of_class, axis=1) for of_class in drawn]
    crossing = np.argmax(1 - below[1] / sizes[1] < below[0] / sizes[0], axis=1)
    values = np.empty(count)
    for block in np.unique(crossing):
        rows, cells = np.flatnonzero(crossing == block), slice(starts[block], [*starts, None][block + 1])
        rejects, below_impostor = (
            _drawn_below(of_class[cells], in_block[rows, block], upto[rows, block], rng)
            for of_class, in_block, upto in zip(counts, drawn, below, strict=True)
        )
        frr, far = rejects / sizes[0], (sizes[1] - below_impostor) / sizes[1]
        # of two thresholds that are equally near the crossing, the one with fewer errors
        best = np.argmin(np.abs(far - frr) + 1e-12 * (far + frr), axis=1)[:, None]
        values[rows] = np.take_along_axis(far + frr, best, axis=1)[:, 0] / 2
    return values


def _drawn_below(
    counts: NDArray[np.int64], drawn: NDArray[np.int64], upto: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw the numbers of trials at or below each score of a block, and before the first, given those of the block."""
    within = np.cumsum(rng.multinomial(drawn, counts / max(counts.sum(), 1)), axis=1)
    return np.asarray((upto - drawn)[:, None] + np.pad(within, ((0, 0), (1, 0))))
