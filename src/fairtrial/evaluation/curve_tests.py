"""Two systems along an Expected Performance Curve: where they differ, and who is better there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_confidence
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.words import in_a_row, interval_title, level_text, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve, alpha_range, alpha_ranges
from fairtrial.evaluation.paired_tests import pair_judgements
from fairtrial.inference.bootstrap import Bootstrap, Statistic, centred_along, count_table, replicate
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    GIVEN_ALONG,
    Estimate,
    Threshold,
    estimates_along,
    neighbour_correlations,
    student_p_value,
    tube_quantile,
)
from fairtrial.inference.intervals import normal_quantile
from fairtrial.inference.variance import Floats
from fairtrial.published.rates import dependent_test, independent_test
from fairtrial.rules.measures import Measure

CurveTest: TypeAlias = Literal["independent", "dependent", "cluster", "bootstrap"]
_Judged: TypeAlias = tuple[Judgement, Judgement]


class Region(NamedTuple):
    """A range of alpha, both ends included, in which one system is better all along.

    Attributes
    ----------
    low, high : float
        The ends of the range of alpha.
    better : str
        The name of the better system.

    Examples
    --------
    >>> Region(0.2, 0.45, "face").where
    '0.2 to 0.45'
    """

    low: float
    high: float
    better: str

    @property
    def where(self) -> str:
        """The range in words."""
        return alpha_range(self.low, self.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveComparison(Result):
    """A - B along alpha: the difference, its interval, and the confidence that A is the worse one.

    Attributes
    ----------
    a, b : str
        The name of the system.
    test : str
        How the intervals were found.
    measure : Measure
        What was compared.
    alpha : ndarray of float
        The alphas of the curves, shape (alphas,).
    difference : ndarray of float
        A - B, shape (alphas,).
    low : ndarray of float
        Where the interval of the difference begins; NaN where there is none, for want of any spread or support.
    high : ndarray of float
        Where it ends. The two systems differ where it does not hold 0.
    statistic : ndarray of float
        Normal deviates: as improbable as the difference is by the test; NaN where nothing is claimed.
    critical : float
        The deviate from which on the two differ.
    confidence : float
        The level of confidence, between 0 and 1.
    simultaneous : bool
        Whether the confidence holds over the whole range of alpha.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    supported : ndarray of bool
        Where dev shows errors of both kinds; with the threshold re-estimated nothing is claimed elsewhere.

    Examples
    --------
    >>> from fairtrial import Trials, compare_curves, performance_curve
    >>> scores = [[0.9, 0.9], [0.8, 0.2], [0.4, 0.3], [0.1, 0.1], [0.3, 0.4], [0.2, 0.6]]
    >>> trials = Trials.from_arrays(scores, [True] * 3 + [False] * 3, systems=["new", "old"])
    >>> new, old = (performance_curve(trials, trials, system=name, alphas=[0.25, 0.5]) for name in trials.systems)
    >>> compare_curves(new, old, threshold="fixed").difference
    array([-0.33333333, -0.33333333])
    """

    a: str
    b: str
    test: str
    measure: Measure
    alpha: NDArray[np.float64]
    difference: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    statistic: NDArray[np.float64]
    critical: float
    confidence: float
    simultaneous: bool
    threshold: Threshold
    supported: NDArray[np.bool_]

    @property
    def worse(self) -> NDArray[np.float64]:
        """The confidence curve D(z): above a half where A is worse than B (Poh & Bengio 2006, eq. 14)."""
        from scipy.special import ndtr

        sign = -1.0 if self.measure.higher_is_better else 1.0
        return np.asarray(ndtr(sign * self.statistic))

    @property
    def different(self) -> NDArray[np.bool_]:
        """Where the two differ: where the interval of the difference does not hold 0."""
        return np.asarray(((self.low > 0) | (self.high < 0)) & self.supported)

    @property
    def regions(self) -> list[Region]:
        """The ranges of alpha where the two differ, and who is better there; never across a change of sign."""
        side = np.where(self.different, np.where(self.low > 0, 1, -1), 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], side, [0]])))
        lower_is_better = 1 if self.measure.higher_is_better else -1
        found = []
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if side[start]:
                better = self.a if side[start] == lower_is_better else self.b
                found.append(Region(float(self.alpha[start]), float(self.alpha[stop - 1]), better))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "a": self.a,
            "b": self.b,
            "test": self.test,
            "measure": self.measure.name,
            "threshold": self.threshold,
            "alpha": self.alpha.tolist(),
            "difference": self.difference.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "statistic": self.statistic.tolist(),
            "worse": self.worse.tolist(),
            "critical": self.critical,
            "simultaneous": self.simultaneous,
            "confidence": self.confidence,
            "regions": [[region.low, region.high] for region in self.regions],
            "better": [region.better for region in self.regions],
            "supported": self.supported.tolist(),
        }

    @property
    def unclaimed(self) -> str:
        """At which alphas nothing is claimed, and why; empty where there are none."""
        if self.supported.all():
            return ""
        return f"nothing is claimed at alpha {alpha_ranges(self.alpha, ~self.supported)}, where dev lacks errors"

    def answer(self) -> str:
        """Where along alpha the two differ, and who is better there."""
        ranges: dict[str, list[str]] = {}
        for region in self.regions:
            ranges.setdefault(region.better, []).append(region.where)
        where = "; ".join(f"{name} is better at alpha {in_a_row(own)}" for name, own in ranges.items())
        whole = "over the whole range at once" if self.simultaneous else "at each alpha by itself"
        sure = f"with {level_text(self.confidence)} confidence"
        how = f"{self.test} test, {GIVEN_ALONG[self.threshold]}, {whole}"
        if self.unclaimed:
            how += f"; {self.unclaimed}"
        if not where:
            return f"{self.a} and {self.b} differ in {term(self.measure.label)} {sure} at no alpha ({how})"
        return f"{term(self.measure.label)}, {sure}: {where} ({how})"

    def tables(self) -> tuple[Table, ...]:
        """The difference at each alpha."""
        columns = (
            Column("a", "A", detail=True),
            Column("b", "B", detail=True),
            Column("alpha", "alpha", "number"),
            Column("difference", f"{term(self.measure.label)}, A - B", self.measure.kind),
            Column("interval", interval_title(self.confidence), self.measure.interval_kind),
            Column("statistic", "z", "number"),
            Column("worse", "confidence that A is worse", "sure"),
            Column("different", "different", "flag"),
        )
        ends = [None if np.isnan(low) else (low, high) for low, high in zip(self.low, self.high, strict=True)]
        series = (self.statistic, self.worse, self.different)
        rows = tuple(
            (self.a, self.b, alpha, difference, limits, *rest)
            for alpha, difference, limits, *rest in zip(
                self.alpha.tolist(), self.difference.tolist(), ends, *(each.tolist() for each in series), strict=True
            )
        )
        caption = f"{self.a} - {self.b} along alpha, {self.test} test, {GIVEN_ALONG[self.threshold]}"
        shown = every_tenth(len(rows))
        notes = tuple(note for note in (self.answer(), self.measure.direction) if note)
        return (Table("differences", caption, columns, rows, notes, shown=shown),)


def compare_curves(
    a: PerformanceCurve,
    b: PerformanceCurve,
    *,
    method: CurveTest = "cluster",
    threshold: Threshold | None = None,
    simultaneous: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> CurveComparison:
    """Compare the measure of two curves at every alpha.

    Parameters
    ----------
    a, b : PerformanceCurve
        Curves of two systems on the same trials, at the same values of alpha and of the same measure.
    method : {"independent", "dependent", "cluster", "bootstrap"}, default "cluster"
        ``cluster`` knows which trials share people, and that the systems share trials. The others take the thresholds
        as they are: ``bootstrap`` is the interval of Bengio, Mariéthoz & Keller 2005, centred at the mean of replicates
        and just wide enough for the share of them that is asked for, with people or trials resampled; ``dependent``
        knows that the systems share trials, ``independent`` is eq. (14) of Poh & Bengio 2006.
    threshold : {"re-estimated", "fixed"}, optional
        Whether the threshold counts as re-estimated from other dev trials, or as fixed; by default re-estimated for
        ``cluster``, and fixed for the other methods, which know of nothing else.
    simultaneous : bool, default False
        Whether the confidence holds over the whole range of alpha, and not at each alpha by itself.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    n_resamples : int, default 10000
        How many resamples are drawn, for ``bootstrap``.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. It is for ``bootstrap``.
    workers : int, default 1
        How many work at once; the result does not depend on it. They are threads, for ``bootstrap``.

    Returns
    -------
    CurveComparison
        The difference, its intervals, and the regions where these do not hold 0.

    Raises
    ------
    ParameterError
        A method or number that cannot be, or thresholds to be re-estimated by a method that takes them as they are.
    TrialsError
        Curves that differ in alpha, measure or trials.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5 and Fig. 8; Poh & Bengio, Database,
    protocols and tools for evaluating score-level fusion, 2006, eq. (14).

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, performance_curve
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> old, new = (
    ...     performance_curve(dev, test, criterion="wer-equal", alphas=[0.4, 0.5, 0.6], system=name)
    ...     for name in ("old", "new")
    ... )
    >>> compare_curves(old, new, simultaneous=True).regions
    [Region(low=0.4, high=0.6, better='new')]
    """
    check_choice("method", method, get_args(CurveTest))
    if threshold is not None:
        check_choice("threshold", threshold, get_args(Threshold))
    if threshold == "re-estimated" and method != "cluster":
        raise ParameterError("re-estimated thresholds need {method!o}, not {given}", method="cluster", given=method)
    check_confidence(confidence)
    judged = a.judged(), b.judged()
    if not np.array_equal(a.alpha, b.alpha):
        raise TrialsError(f"{a.system} and {b.system} have different values of alpha")
    if a.measure.name != b.measure.name:
        raise TrialsError(f"the curve of {a.system} is of {a.measure.name}, that of {b.system} of {b.measure.name}")
    pair_judgements(*judged)
    if method == "cluster":
        found = _by_estimates(judged, a.measure, threshold or "re-estimated", confidence, simultaneous)
    elif method == "bootstrap":
        found = _by_bootstrap(judged, a.measure, confidence, simultaneous, n_resamples, rng, workers)
    else:
        found = _by_counts(judged, a.measure, method, confidence, simultaneous)
    return CurveComparison(
        a.system,
        b.system,
        judged[0].sets.test_name if method == "cluster" else method,
        a.measure,
        a.alpha,
        found.difference,
        found.low,
        found.high,
        found.statistic,
        found.critical,
        confidence,
        simultaneous,
        found.threshold,
        found.supported,
    )


class DifferenceAlong(NamedTuple):
    """What a method says of the difference along alpha."""

    difference: Floats
    low: Floats
    high: Floats
    statistic: Floats
    critical: float
    threshold: Threshold
    supported: NDArray[np.bool_]

    @classmethod
    def of_estimates(
        cls, found: Sequence[Estimate], supported: NDArray[np.bool_], confidence: float, largest: float | None
    ) -> DifferenceAlong:
        """The difference by Student's t; `largest` is the critical value that holds for all alphas at once."""
        from scipy.special import ndtr

        critical = normal_quantile(confidence) if largest is None else largest
        level = confidence if largest is None else float(2 * ndtr(largest) - 1)
        difference = np.array([each.value for each in found])
        low, high = np.array([each.interval(level) if each.sigma else (np.nan, np.nan) for each in found]).T
        statistic = np.array([_deviate(each) for each in found])
        statistic[~supported] = low[~supported] = high[~supported] = np.nan
        return cls(difference, low, high, statistic, critical, found[0].threshold, supported)


def _deviate(found: Estimate) -> float:
    """Give the normal deviate with the same p value as Student's t."""
    from scipy.special import ndtri

    statistic = found.statistic
    return float(np.copysign(ndtri(max(student_p_value(-abs(statistic), found.df, "less"), 1e-300)), statistic))


def _by_estimates(
    judged: _Judged, measure: Measure, threshold: Threshold, confidence: float, simultaneous: bool
) -> DifferenceAlong:
    """The difference along alpha, people and thresholds taken into account."""
    terms = [(1.0, judged[0]), (-1.0, judged[1])]
    found = estimates_along(terms, measure, threshold=threshold)
    threshold = found[0].threshold
    supported = np.ones(len(found), dtype=bool)
    if threshold == "re-estimated":
        supported = judged[0].supported & judged[1].supported
    largest = None
    if simultaneous:
        largest = tube_quantile(neighbour_correlations(terms, measure, supported, threshold), confidence)
    return DifferenceAlong.of_estimates(found, supported, confidence, largest)


def _by_counts(
    judged: _Judged, measure: Measure, method: CurveTest, confidence: float, simultaneous: bool
) -> DifferenceAlong:
    """The difference along alpha and its z, trials taken as independent."""
    if measure.weights is None:
        raise ParameterError(f"{method} tests are for linear measures; {measure.name} needs cluster or bootstrap")
    tests = []
    for index, alpha in enumerate(judged[0].alpha.tolist()):
        pair = pair_judgements(*judged, index=index)
        a, b = pair.counts_a, pair.counts_b
        tests.append(
            independent_test(a, b, measure=measure, alpha=alpha)
            if method == "independent"
            else dependent_test(a, b, pair.discordant, measure=measure, alpha=alpha)
        )
    supported = np.ones(len(tests), dtype=bool)
    critical = normal_quantile(confidence)
    if simultaneous:
        terms = [(1.0, judged[0]), (-1.0, judged[1])]
        critical = tube_quantile(neighbour_correlations(terms, measure, supported, "fixed"), confidence)
    difference, statistic = (np.array([getattr(each, name) for each in tests]) for name in ("estimate", "statistic"))
    # without any spread a difference cannot be tested
    reach = np.array([critical * each.sigma if each.sigma else np.nan for each in tests])
    return DifferenceAlong(difference, difference - reach, difference + reach, statistic, critical, "fixed", supported)


def _by_bootstrap(
    judged: _Judged,
    measure: Measure,
    confidence: float,
    simultaneous: bool,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    workers: int,
) -> DifferenceAlong:
    """The difference along alpha with the centred interval of its replicates, thresholds as they are."""
    found = _replicates(judged, measure, n_resamples, rng, workers)
    low, high, wider = centred_along(found, confidence=confidence, simultaneous=simultaneous)
    difference = np.array([each.estimate for each in found])
    statistic = np.array([_centred_deviate(each) for each in found])
    alike = np.array([not each.moves for each in found])
    low[alike] = high[alike] = np.nan
    critical, everywhere = wider * normal_quantile(confidence), np.ones(len(found), dtype=bool)
    return DifferenceAlong(difference, low, high, statistic, critical, "fixed", everywhere)


def _centred_deviate(found: Bootstrap) -> float:
    """The normal deviate of the confidence at which the centred interval just reaches 0."""
    from scipy.special import ndtri

    return float(-np.sign(found.replicates.mean()) * ndtri(found.p_value(method="centred") / 2))


def _replicates(
    judged: _Judged, measure: Measure, n_resamples: int, rng: np.random.Generator | int | None, workers: int
) -> list[Bootstrap]:
    """The bootstrap of the difference at each alpha, all from the same replicates of the test trials or people.

    The outcome cells of a trial are the pairs of intervals between thresholds that its two scores fall into.
    """
    if any(judgement.fold_thresholds is not None for judgement in judged):
        raise ParameterError("folds have thresholds of their own at every alpha; use {method!o}", method="cluster")
    trials, people = judged[0].trials, judged[0].sets.people[1]
    ranks, places, sizes = [], [], []
    for judgement in judged:
        thresholds, place = np.unique(judgement.test.threshold, return_inverse=True)
        ranks.append(np.searchsorted(thresholds, trials.column(judgement.system), side="left"))
        places.append(place)
        sizes.append(len(thresholds) + 1)
    filled, outcome = np.unique(ranks[0] * sizes[1] + ranks[1], return_inverse=True)
    table = count_table(trials, outcome, len(filled), people)
    # from joint cells to those of each system
    margins = [np.eye(size)[own] for size, own in zip(sizes, np.divmod(filled, sizes[1]), strict=True)]
    statistic = _difference(measure, judged[0].alpha, margins, places, len(filled))
    replicates, redrawn = replicate(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers)
    difference = statistic(table.cells[None, :])[0]
    return [
        Bootstrap(float(value), np.ascontiguousarray(column), redrawn=redrawn)
        for value, column in zip(difference, replicates.T, strict=True)
    ]


def _difference(
    measure: Measure,
    alphas: NDArray[np.float64],
    margins: list[NDArray[np.float64]],
    places: list[NDArray[np.int64]],
    cells: int,
) -> Statistic:
    """The difference of a measure along alpha as a statistic of how many trials lie in each joint cell."""

    def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        genuine, impostor = counts[:, :cells], counts[:, cells:]
        totals = genuine.sum(axis=1, keepdims=True), impostor.sum(axis=1, keepdims=True)
        values = []
        for margin, place in zip(margins, places, strict=True):
            rejects = np.cumsum(genuine @ margin, axis=1)[:, place]
            accepts = totals[1] - np.cumsum(impostor @ margin, axis=1)[:, place]
            values.append(np.asarray(measure(ErrorCounts(None, accepts, rejects, *totals), alphas)))
        return np.asarray(values[0] - values[1])

    return statistic
