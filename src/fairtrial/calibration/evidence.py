"""Measure natural log-likelihood ratios: Cllr, Bayes error rates, ECE, detection costs."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from fairtrial.core.errors import ParameterError, TrialsError, check_share
from fairtrial.core.trials import Trials
from fairtrial.counting.search import hull_points
from fairtrial.counting.tallies import ErrorCounts, Genuine, ScoreData, Scores, ScoreSource, as_source, count_errors
from fairtrial.inference.variance import Floats


def sum_of_class_means(values: Floats, genuine: NDArray[np.bool_]) -> float:
    """The mean over genuine trials and that over impostor trials together."""
    return float(values[genuine].mean() + values[~genuine].mean())


def by_class(influence: Floats, genuine: NDArray[np.bool_]) -> Floats:
    """Influences as values whose means over both classes add up to what they add up to."""
    return np.asarray(influence * np.where(genuine, genuine.sum(), (~genuine).sum()))


_BLOCK = 1 << 14
"""So many scores are dealt with at once that they stay in the cache."""


def softplus(values: NDArray[np.floating]) -> Floats:
    """ln(1 + exp(x)), without overflow."""
    own = values.astype(np.float64, copy=False)
    return np.asarray(np.maximum(own, 0.0) + np.log1p(np.exp(-np.abs(own))))  # faster than logaddexp


@dataclass(frozen=True, slots=True)
class _CostTally:
    """For each shift, the sum of softplus(s + shift) over impostor scores, and of softplus(-s - shift) over genuine."""

    shifts: tuple[float, ...]

    def start(self) -> Floats:
        return np.zeros((2, len(self.shifts)))

    def add(self, total: Floats, scores: Scores, genuine: Genuine) -> Floats:
        for row, sign in ((0, 1.0), (1, -1.0)):
            if isinstance(genuine, bool):
                own = scores if genuine == bool(row) else scores[:0]
            else:
                own = scores[genuine == bool(row)]
            for start in range(0, len(own), _BLOCK):
                block = sign * own[start : start + _BLOCK].astype(np.float64)
                for column, shift in enumerate(self.shifts):
                    total[row, column] += softplus(block + sign * shift).sum()
        return total

    def merge(self, a: Floats, b: Floats) -> Floats:
        return a + b


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
        0 for perfect evidence, 1 for none at all, and more than 1 for evidence that misleads. Infinite where a trial
        has infinite evidence for the wrong side.

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
        The least that any rising map of the scores has, a posteriori, in place of that of the scores as they are.

    Returns
    -------
    float or ndarray of float
        Bits, one number per prior. At 0.5 it is Cllr, or min Cllr.

    Raises
    ------
    ParameterError
        A prior that is not between 0 and 1.

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
    found = (priors * sums[1] / source.genuine + (1 - priors) * sums[0] / source.impostor) / log(2)
    return found if np.ndim(prior) else float(found[0])


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Scores between the vertices of the ROC convex hull: what pool-adjacent-violators gives, without sorting."""

    ends: Floats
    """The highest score of each segment, rising."""
    genuine: NDArray[Any]
    impostor: NDArray[Any]
    """Trials of each segment, or their weight."""

    @classmethod
    def of(cls, source: ScoreSource) -> Segments:
        """The segments of all scores."""
        hull = hull_points(source)
        rejected = np.concatenate([[0], np.asarray(hull.false_rejects)])
        accepted = np.concatenate([[source.impostor], np.asarray(hull.false_accepts)])
        genuine, impostor = np.diff(rejected), -np.diff(accepted)
        held = (genuine > 0) | (impostor > 0)
        found = cls(np.asarray(hull.threshold, dtype=np.float64)[held], genuine[held], impostor[held])
        return found.pooled() if hull.false_rejects[0] else found  # scores of -inf lie below the hull's first vertex

    def pooled(self) -> Segments:
        """Neighbours put together until the share of genuine trials rises from each to the next."""
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
                own = genuine.pop(), impostor.pop()
                genuine[-1] += own[0]
                impostor[-1] += own[1]
        return Segments(np.array(ends), np.array(genuine), np.array(impostor))

    def ratios(self) -> Floats:
        """The log-likelihood ratio of each segment; infinite where it holds one class only."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.genuine / self.genuine.sum()) - np.log(self.impostor / self.impostor.sum()))

    def costs(self, shifts: Floats) -> Floats:
        """What `_CostTally` would sum if each score were the ratio of its segment."""
        ratios = self.ratios()
        found = np.empty((2, len(shifts)))
        for row, (counts, sign) in enumerate(((self.impostor, 1), (self.genuine, -1))):
            held = counts > 0  # none of a class costs nothing, be the ratio infinite
            found[row] = counts[held] @ softplus(sign * (ratios[held, None] + shifts))
        return found


def min_cllr(data: ScoreData, *, system: str | None = None) -> float:
    """Compute the least Cllr that any rising map of the scores has: what is lost by discrimination alone, a posteriori.

    Parameters
    ----------
    data : Trials, data frame, ScoreSource or tuple of two array_like
        Trials, a data frame of them, a source of scores, or a pair of arrays ``(genuine, impostor)``; any scores.
    system : str, optional
        The name of the system; not needed where there is only one.

    Returns
    -------
    float
        Bits, between 0 and 1.

    Raises
    ------
    TrialsError
        As for `as_source`.

    Notes
    -----
    It comes from the ROC convex hull, so millions of scores are not sorted.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> min_cllr(([0.9, 0.8], [0.1, 0.2]))
    0.0
    """
    return float(empirical_cross_entropy(data, 0.5, system=system, minimum=True))


def segment_cllr(found: Segments) -> float:
    """Cllr if each score were the ratio of its segment: min Cllr, from the segments themselves."""
    impostor, genuine = found.costs(np.zeros(1))[:, 0]
    return float(genuine / found.genuine.sum() + impostor / found.impostor.sum()) / (2 * log(2))


def dev_pav(data: ScoreData, *, system: str | None = None) -> float:
    """Compute how far log-likelihood ratios are from those that the trials themselves give, on average.

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
    found = Segments.of(source)
    scores = np.unique(np.concatenate([np.asarray(own, dtype=np.float64) for own in _classes(data, system)]))
    values = found.ratios()[np.minimum(np.searchsorted(found.ends, scores, side="left"), len(found.ends) - 1)]
    finite = np.isfinite(values) & np.isfinite(scores)
    x, away = scores[finite], (values - scores)[finite]
    if len(x) < 2:
        return float("nan")
    first, second, widths = away[:-1], away[1:], np.diff(x)
    whole = np.abs(first) + np.abs(second)
    crossing = first * second < 0
    # two triangles where the curve crosses the diagonal
    areas = np.where(crossing, (first**2 + second**2) / np.where(whole > 0, whole, 1.0), whole) * widths / 2
    return float(areas.sum() / (x[-1] - x[0]) / log(10))


def _classes(data: ScoreData, system: str | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Genuine and impostor scores of trials or of a pair of arrays."""
    if isinstance(data, Trials):
        scores = data.column(system)
        return scores[data.genuine], scores[~data.genuine]
    if isinstance(data, tuple):
        return np.asarray(data[0]), np.asarray(data[1])
    raise TrialsError("devPAV needs all scores at once: Trials, or a pair of arrays")


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
        A prior that is not between 0 and 1, or a cost that is not above 0.

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


def detection_cost(data: ScoreData, point: CostPoint, *, system: str | None = None) -> float:
    """Compute the normalised actual detection cost of log-likelihood ratios: at the threshold that the costs ask for.

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
        Whether to take the best threshold for each, a posteriori, in place of the one that the log-odds ask for.

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
    return bayes_rates(bayes_counts(as_source(data, system=system), odds, minimum=minimum), odds)


def bayes_counts(source: ScoreSource, log_odds: Floats, *, minimum: bool = False) -> ErrorCounts:
    """Errors at the threshold that each of the log-odds asks for, or at the best one for it, a posteriori."""
    if not minimum:
        return count_errors(source, -log_odds)
    hull = hull_points(source)
    best = [int(np.argmin(p * hull.frr + q * hull.far)) for p, q in zip(*_priors(log_odds), strict=True)]
    return hull[best]


def bayes_rates(counts: ErrorCounts, log_odds: Floats) -> Floats:
    """Normalised Bayes error rates of errors, one threshold for each of the log-odds."""
    genuine, impostor = _priors(log_odds)
    return np.asarray((genuine * counts.frr + impostor * counts.far) / np.minimum(genuine, impostor))


def _priors(log_odds: Floats) -> tuple[Floats, Floats]:
    """The probabilities of a genuine and of an impostor trial."""
    return expit(log_odds), expit(-log_odds)
