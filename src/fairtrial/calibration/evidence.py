"""Measure natural log-likelihood ratios: Cllr, Bayes error rates, ECE, detection costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from fairtrial.core.errors import ParameterError, check_share
from fairtrial.core.words import nearest, shown
from fairtrial.counting.search import all_points, hull_points
from fairtrial.counting.tallies import ErrorCounts, Genuine, ScoreData, Scores, ScoreSource, as_source, count_errors
from fairtrial.inference.variance import Floats
from fairtrial.rules.measures import SUPPORT, DetectionCosts, Weights

Labels: TypeAlias = NDArray[np.bool_]


def sum_of_class_means(values: Floats, genuine: NDArray[np.bool_]) -> float:
    """Add the means over genuine and over impostor trials."""
    return float(values[genuine].mean() + values[~genuine].mean())


def by_class(influence: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Scale influences so that their class means add up to the sum of influences."""
    return np.asarray(influence * np.where(genuine, genuine.sum(), (~genuine).sum()))


_BLOCK = 1 << 14  # scores handled at once: they fit in the cache


def softplus(values: NDArray[np.floating]) -> Floats:
    """ln(1 + exp(x)), without overflow."""
    x = values.astype(np.float64, copy=False)
    return np.asarray(np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))))  # faster than logaddexp


@dataclass(frozen=True, slots=True)
class _CostTally:
    """For each shift, the sum of softplus(s + shift) over impostor scores, and of softplus(-s - shift) over genuine."""

    shifts: tuple[float, ...]

    def start(self) -> Floats:
        return np.zeros((2, len(self.shifts)))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, sign in ((0, 1.0), (1, -1.0)):
            rows = slice(None if genuine == bool(row) else 0) if isinstance(genuine, bool) else genuine == bool(row)
            some = scores[rows]
            for start in range(0, len(some), _BLOCK):
                block = sign * some[start : start + _BLOCK].astype(np.float64)
                for column, shift in enumerate(self.shifts):
                    total[row, column] += softplus(block + sign * shift).sum()
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


@dataclass(frozen=True, slots=True)
class Fold:
    """Apply a function to each chunk of rows of scores and labels, and join what it gives, by addition by default."""

    function: Callable[[Floats, Labels], Floats]
    join: Callable[[Any, Any], Any] = np.add

    def start(self) -> Any:
        return None

    def add(self, total: Any, scores: Scores, genuine: Genuine) -> Any:
        rows = scores.astype(np.float64, copy=False)
        labels = np.full(len(rows), genuine) if isinstance(genuine, bool) else genuine
        return self.merge(total, self.function(rows if rows.ndim == 2 else rows[:, None], labels))

    def merge(self, a: Any, b: Any) -> Any:
        return b if a is None else a if b is None else self.join(a, b)


def class_ends(scores: Floats, genuine: Labels) -> Floats:
    """Give the lowest and the negated highest scores of impostor and of genuine trials, shape (2, 2, systems)."""
    classes = scores[~genuine], scores[genuine]
    lowest = [some.min(axis=0, initial=np.inf) for some in classes]
    return np.array([lowest, [-some.max(axis=0, initial=-np.inf) for some in classes]])


def cllr(data: ScoreData, *, system: str | None = None) -> float:
    """Compute the cost of the log-likelihood ratio, in bits.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        0 for perfect evidence, 1 for none, and more than 1 for misleading evidence. Infinite if a trial has infinite
        evidence for the wrong side.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> cllr(([0.0, 0.0], [0.0]))
    1.0
    """
    return float(empirical_cross_entropy(data, 0.5, system=system))


def empirical_cross_entropy(
    data: ScoreData, prior: ArrayLike, *, system: str | None = None, minimum: bool = False
) -> Any:
    """Compute the empirical cross-entropy of log-likelihood ratios, in bits, at one prior or several.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    prior : array_like
        The prior probability of a genuine trial, between 0 and 1; one, or an array of any shape.
    system : str, optional
        The name of the system; not needed where there is only one.
    minimum : bool, default False
        The least of any non-decreasing map of the scores, a posteriori, instead of that of the scores.

    Returns
    -------
    float or ndarray of float
        Bits, one number per prior. At 0.5 it is Cllr, or min Cllr.

    Raises
    ------
    ParameterError
        If a prior is not between 0 and 1.

    References
    ----------
    Ramos & Gonzalez-Rodriguez, Reliable support: measuring calibration of likelihood ratios, 2013.

    Examples
    --------
    >>> float(empirical_cross_entropy(([0.0, 0.0], [0.0]), 0.5))
    1.0
    """
    priors = np.atleast_1d(np.asarray(prior, dtype=np.float64))
    for value in priors.tolist():
        check_share("prior", value, open_ends=True)
    source = as_source(data, system=system)
    shifts = np.log(priors) - np.log1p(-priors)
    sums = Segments.of(source).costs(shifts) if minimum else source.tally(_CostTally(tuple(shifts.tolist())))
    bits = (priors * sums[1] / source.genuine + (1 - priors) * sums[0] / source.impostor) / log(2)
    return bits if np.ndim(prior) else float(bits[0])


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Scores between the vertices of the ROC convex hull: what pool-adjacent-violators gives, without sorting."""

    ends: Floats  # the highest score of each segment, rising
    genuine: NDArray[Any]
    impostor: NDArray[Any]  # trials of each segment, or their weight

    @classmethod
    def of(cls, source: ScoreSource) -> Segments:
        """Find the segments of all scores."""
        hull = hull_points(source)
        rejected = np.concatenate([[0], np.asarray(hull.false_rejects)])
        accepted = np.concatenate([[source.impostor], np.asarray(hull.false_accepts)])
        genuine, impostor = np.diff(rejected), -np.diff(accepted)
        held = (genuine > 0) | (impostor > 0)
        segments = cls(np.asarray(hull.threshold, dtype=np.float64)[held], genuine[held], impostor[held])
        # scores of -inf lie below the hull's first vertex
        return segments.pooled() if hull.false_rejects[0] else segments

    def pooled(self) -> Segments:
        """Pool neighbours until the proportion of genuine trials rises from each to the next."""
        ends: list[float] = []
        genuine: list[float] = []
        impostor: list[float] = []
        for end, g, i in zip(self.ends.tolist(), self.genuine.tolist(), self.impostor.tolist(), strict=True):
            ends.append(end)
            genuine.append(g)
            impostor.append(i)
            while len(ends) > 1 and genuine[-2] * impostor[-1] >= genuine[-1] * impostor[-2]:
                last = ends.pop()
                ends[-1] = ends[-1] if isnan(last) else last
                g, i = genuine.pop(), impostor.pop()
                genuine[-1] += g
                impostor[-1] += i
        return Segments(np.array(ends), np.array(genuine), np.array(impostor))

    def ratios(self) -> Floats:
        """Give the log-likelihood ratio of each segment; infinite where it holds one class only."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.genuine / self.genuine.sum()) - np.log(self.impostor / self.impostor.sum()))

    def costs(self, shifts: Floats) -> Floats:
        """Sum the costs of `_CostTally` with each score replaced by the ratio of its segment."""
        ratios = self.ratios()
        costs = np.empty((2, len(shifts)))
        for row, (counts, sign) in enumerate(((self.impostor, 1), (self.genuine, -1))):
            held = counts > 0  # a segment without trials of a class costs nothing, even if its ratio is infinite
            costs[row] = counts[held] @ softplus(sign * (ratios[held, None] + shifts))
        return costs


def min_cllr(data: ScoreData, *, system: str | None = None) -> float:
    """Compute the least Cllr of any non-decreasing map of the scores: what discrimination alone loses, a posteriori.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; any scores.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        Bits, between 0 and 1; 1 if higher scores mean impostor.

    Raises
    ------
    TrialsError
        As for `as_source`.

    Notes
    -----
    It comes from the ROC convex hull, so that scores need not be sorted.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> min_cllr(([0.9, 0.8], [0.1, 0.2]))
    0.0
    """
    return float(empirical_cross_entropy(data, 0.5, system=system, minimum=True))


def dev_pav(data: ScoreData, *, system: str | None = None) -> float:
    """Compute the mean distance of log-likelihood ratios from those of the trials (devPAV).

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        The mean distance, in powers of ten, of the ratios by pool-adjacent-violators from the ratios themselves, along
        all ratios from the lowest to the highest at which the former are finite. 0 is perfect calibration; NaN where no
        range of them is finite, as when a threshold divides all trials.

    Raises
    ------
    TrialsError
        As for `as_source`.

    Notes
    -----
    Between the ratios of trials the curve is straight. A posteriori; `calibrate` gives its interval.

    References
    ----------
    Vergeer, van Schaik & Sjerps, Measuring calibration of likelihood-ratio systems: a comparison of four metrics,
    including a new metric devPAV, 2021.

    Examples
    --------
    >>> round(dev_pav(([-1.0, 1.0], [-1.0, 1.0])), 4)
    0.2171
    """
    source = as_source(data, system=system)
    segments, scores = Segments.of(source), all_points(source).threshold
    place = np.minimum(np.searchsorted(segments.ends, scores, side="left"), len(segments.ends) - 1)
    values = segments.ratios()[place]
    finite = np.isfinite(values) & np.isfinite(scores)
    x, away = scores[finite], values[finite] - scores[finite]
    if len(x) < 2:
        return float("nan")
    first, second, widths = away[:-1], away[1:], np.diff(x)
    whole = np.abs(first) + np.abs(second)
    crossing = first * second < 0
    # two triangles where the curve crosses the diagonal
    areas = np.where(crossing, (first**2 + second**2) / np.where(whole > 0, whole, 1.0), whole) * widths / 2
    return float(areas.sum() / (x[-1] - x[0]) / log(10))


@dataclass(frozen=True, slots=True)
class CostPoint:
    """A detection cost: how probable genuine trials are, and what errors cost.

    Parameters
    ----------
    prior : float
        The prior probability of a genuine trial, between 0 and 1.
    miss : float, default 1.0
        What it costs to reject a genuine trial.
    false_alarm : float, default 1.0
        What it costs to accept an impostor.

    Raises
    ------
    ParameterError
        If the prior is not between 0 and 1, or a cost is not above 0.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> CostPoint(0.01).ratio
    99.0
    """

    prior: float
    miss: float = 1.0
    false_alarm: float = 1.0

    def __post_init__(self) -> None:
        check_share("prior", self.prior, open_ends=True)
        if not (self.miss > 0 and self.false_alarm > 0):
            raise ParameterError(f"costs must be above 0, not {self.miss:g} and {self.false_alarm:g}")

    @property
    def ratio(self) -> float:
        """What a false accept weighs against a false reject."""
        return self.false_alarm * (1 - self.prior) / (self.miss * self.prior)

    @property
    def threshold(self) -> float:
        """The log-likelihood ratio above which to accept."""
        return log(self.ratio)

    @property
    def weights(self) -> Weights:
        """The weights of FAR and FRR in the normalised cost."""
        scale = min(1.0, self.ratio)
        return Weights(self.ratio / scale, 1 / scale)

    def normalised(self, counts: ErrorCounts) -> Any:
        """Give the cost of errors over that of the best decision without a score.

        Parameters
        ----------
        counts : ErrorCounts
            Errors at one threshold or at several.

        Returns
        -------
        float or ndarray of float
            As the counts are.
        """
        return (counts.frr + self.ratio * counts.far) / min(1.0, self.ratio)


PRESETS: dict[str, tuple[CostPoint, ...]] = {
    "sre16": (CostPoint(0.01), CostPoint(0.005)),
    "sre18": (CostPoint(0.01), CostPoint(0.005)),
    "sre18-vast": (CostPoint(0.05),),
    "sre19-cts": (CostPoint(0.01), CostPoint(0.005)),
    "sre19-av": (CostPoint(0.05),),
    "sre20-cts": (CostPoint(0.05),),
    "sre21": (CostPoint(0.01), CostPoint(0.05)),
}
"""Operating points of NIST's speaker recognition evaluations; the figure is the mean over them."""


@dataclass(frozen=True, slots=True)
class CostTarget:
    """A detection cost: the mean over one operating point or several, perhaps over equal parts of the trials.

    Parameters
    ----------
    name : str
        What it is called.
    points : tuple of CostPoint
        The operating points.
    partition : tuple of str, default ()
        Further columns of the trials. Trials are divided by their values, and error rates are the means of those of all
        parts that have trials of the class, as NIST's scorer equalises them.

    Examples
    --------
    >>> cost_target("sre18").name
    'sre18'
    """

    name: str
    points: tuple[CostPoint, ...]
    partition: tuple[str, ...] = ()


CostLike: TypeAlias = str | CostPoint | CostTarget | DetectionCosts
"""An operating point, several under one name, or a text: a preset, a prior, or prior and costs (``.01,10,1``)."""


def cost_target(cost: CostLike, partition: Sequence[str] = ()) -> CostTarget:
    """Make a detection cost from its name, a prior, or prior and costs.

    Parameters
    ----------
    cost : CostLike
        A `CostPoint`, a `CostTarget`, a `DetectionCosts`, a prior, or a text: a name such as ``sre18``,
        ``prior,miss,false_alarm``, or the four numbers of a `DetectionCosts`.
    partition : sequence of str, default ()
        Further columns of test. Detection costs are then means of error rates over the parts that their values divide
        the trials into, all at the same threshold.

    Returns
    -------
    CostTarget
        The cost.

    Raises
    ------
    ParameterError
        If a text is neither a preset nor numbers.

    Examples
    --------
    >>> [point.prior for point in cost_target("sre18").points]
    [0.01, 0.005]
    >>> cost_target(".01,10,1").points
    (CostPoint(prior=0.01, miss=10.0, false_alarm=1.0),)
    """
    columns = tuple(partition)
    if isinstance(cost, CostTarget):
        return cost
    if isinstance(cost, CostPoint):
        costs = "" if cost.miss == cost.false_alarm == 1 else f",{cost.miss:g},{cost.false_alarm:g}"
        return CostTarget(f"{cost.prior:g}{costs}", (cost,), columns)
    if isinstance(cost, DetectionCosts):
        if abs(cost.prior_genuine + cost.prior_impostor - 1) > 1e-9:
            raise ParameterError(f"the priors of {cost} must add up to 1 here", code="priors")
        return cost_target(CostPoint(cost.prior_genuine, cost.cost_fr, cost.cost_fa), columns)
    if cost.lower() in PRESETS:
        return CostTarget(cost.lower(), PRESETS[cost.lower()], columns)
    try:
        numbers = [float(number) for number in cost.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 4:
        return cost_target(DetectionCosts(*numbers), columns)
    if len(numbers) not in (1, 3):
        template = (
            "the detection cost {cost} is unknown: expected a prior, a prior and two costs as in .01,10,1, or one of "
            "{presets}{meant}"
        )
        raise ParameterError(
            template, code="unknown-cost", cost=shown(cost), presets=", ".join(PRESETS), meant=nearest(cost, PRESETS)
        )
    return cost_target(CostPoint(*numbers), columns)


def detection_cost(data: ScoreData, point: CostPoint, *, system: str | None = None) -> float:
    """Compute the normalised actual detection cost of log-likelihood ratios, at the Bayes threshold.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    point : CostPoint
        Prior and costs of errors.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        1 is what deciding without a score costs.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> detection_cost(([5.0, -1.0], [-5.0, -1.0]), CostPoint(0.5))
    0.5
    """
    counts = count_errors(as_source(data, system=system), point.threshold)
    return float(point.normalised(counts))


def min_detection_cost(data: ScoreData, point: CostPoint, *, system: str | None = None) -> float:
    """Compute the least normalised detection cost at any threshold, a posteriori.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; any scores.
    point : CostPoint
        Prior and costs of errors.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> min_detection_cost(([0.9, 0.4], [0.1, 0.5]), CostPoint(0.5))
    0.5
    """
    return float(np.min(point.normalised(hull_points(as_source(data, system=system)))))


_STEP = 0.01  # the distance of the thresholds that `elub_bounds` tries, in powers of ten
_FARTHEST = 9.0


def elub_bounds(data: ScoreData, *, system: str | None = None) -> tuple[float, float]:
    """Compute the empirical lower and upper bounds of log-likelihood ratios (ELUB).

    Between them, decisions by the ratios cost less than decisions without, even if one misleading trial of each class
    is added beyond all others.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    tuple of (float, float)
        The lowest and the highest natural log-likelihood ratio that the trials support; 0 is between them.

    Raises
    ------
    TrialsError
        As for `as_source`.

    Notes
    -----
    Thresholds are tried in steps of 0.01 powers of ten.

    References
    ----------
    Vergeer, van Es, de Jongh, Alberink & Stoel, Numerical likelihood ratios outputted by LR systems are often based on
    extrapolation: when to stop extrapolating?, 2016.

    Examples
    --------
    >>> low, high = elub_bounds(([9.0] * 99, [-9.0] * 999))
    >>> round(low, 2), round(high, 2)
    (-4.58, 6.88)
    """
    source = as_source(data, system=system)
    genuine, impostor = source.genuine, source.impostor
    lowest, negated = source.tally(Fold(class_ends, np.minimum))
    reach = np.clip(np.array([lowest.min(), -negated.min()]) / log(10), -_FARTHEST, _FARTHEST)
    first = min(0, int(max(reach[0], -np.log10(genuine + 1)) // _STEP))
    last = max(0, int(min(reach[1], np.log10(impostor + 1)) // _STEP) + 1)
    places = np.linspace(first * _STEP, last * _STEP, last - first + 1)
    counts = count_errors(source, places * log(10))
    odds = 10**places
    costs = (counts.false_rejects + 1) / (genuine + 1) + odds * (counts.false_accepts + 1) / (impostor + 1)
    worse = costs > np.minimum(1.0, odds)
    low = np.max(places[worse & (places <= 0)] + _STEP, initial=places[0])
    high = np.min(places[worse & (places >= 0)] - _STEP, initial=places[-1])
    return float(min(low, 0.0)) * log(10), float(max(high, 0.0)) * log(10)


def bayes_errors(data: ScoreData, log_odds: ArrayLike, *, system: str | None = None, minimum: bool = False) -> Floats:
    """Compute normalised Bayes error rates along prior log-odds.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; natural
        log-likelihood ratios.
    log_odds : array_like
        Natural log-odds of a genuine trial, shape (log-odds,).
    system : str, optional
        The name of the system; not needed where there is only one.
    minimum : bool, default False
        Whether to take the best threshold for each, a posteriori, instead of the Bayes threshold.

    Returns
    -------
    ndarray of float
        One rate per value, in the order given; 1 is what deciding without a score costs.

    Raises
    ------
    TrialsError
        As for `as_source`.

    References
    ----------
    Brümmer & de Villiers, The BOSARIS toolkit: theory, algorithms and code, 2011.

    Examples
    --------
    >>> bayes_errors(([2.0, -1.0], [-2.0, -1.0]), [0.0, 1.5])
    array([0.5, 0.5])
    """
    odds = np.atleast_1d(np.asarray(log_odds, dtype=np.float64))
    return BayesErrors.of(as_source(data, system=system), odds, minimum=minimum).rates


@dataclass(frozen=True, slots=True, eq=False)
class BayesErrors:
    """Normalised Bayes error rates along prior log-odds, and the errors they come from."""

    counts: ErrorCounts
    rates: Floats

    @property
    def supported(self) -> Labels:
        """Where at least 30 errors of either kind are behind a rate (Doddington's rule of 30)."""
        return np.asarray(np.minimum(self.counts.false_accepts, self.counts.false_rejects) >= SUPPORT)

    @classmethod
    def of(cls, source: ScoreSource, log_odds: Floats, *, minimum: bool = False) -> BayesErrors:
        """Compute them at the Bayes threshold of each of the log-odds, or at the best one, a posteriori."""
        genuine, impostor = expit(log_odds), expit(-log_odds)
        if minimum:
            hull = hull_points(source)
            best = [int(np.argmin(p * hull.frr + q * hull.far)) for p, q in zip(genuine, impostor, strict=True)]
            counts = hull[best]
        else:
            counts = count_errors(source, -log_odds)
        rates = (genuine * counts.frr + impostor * counts.far) / np.minimum(genuine, impostor)
        return cls(counts, np.asarray(rates))
