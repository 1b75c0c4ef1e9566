"""Bands around Expected Performance Curves and around differences of two, and regions in which systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_confidence
from fairtrial.core.results import Result, plain
from fairtrial.core.tables import Column, Table, every_tenth
from fairtrial.core.words import figure_text, figures_text, in_a_row, interval_title, level_text, plural, term
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.evaluation.epc import PerformanceCurve, alpha_range, alpha_ranges
from fairtrial.evaluation.paired_tests import pair_judgements
from fairtrial.inference.bootstrap import Bootstrap, centred_along, count_table, replicate, resampled_curve
from fairtrial.inference.decide import Judgement
from fairtrial.inference.estimates import (
    GIVEN_ALONG,
    Estimate,
    Threshold,
    estimates_along,
    intervals_along,
    neighbour_correlations,
    tube_quantile,
)
from fairtrial.inference.intervals import normal_quantile
from fairtrial.inference.student import student_p_value
from fairtrial.inference.variance import Floats
from fairtrial.published.rates import dependent_test, independent_test
from fairtrial.rules.measures import Measure

BandKind: TypeAlias = Literal["pointwise", "simultaneous"]
BandMethod: TypeAlias = Literal["cluster", "bootstrap"]
CurveTest: TypeAlias = Literal["independent", "dependent", "cluster", "bootstrap"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Result):
    """The limits of a band, one pair per value of alpha.

    Attributes
    ----------
    alpha : ndarray of float
        The alphas of the curve, shape (alphas,).
    estimate : ndarray of float
        The curve itself, shape (alphas,).
    low, high : ndarray of float
        The limits, shape (alphas,).
    kind : {"pointwise", "simultaneous"}
        Whether the confidence is that of each alpha, or that of the whole curve.
    confidence : float
        The level of confidence, between 0 and 1.
    cluster : str
        What dependent trials share.
    threshold : {"re-estimated", "fixed"}
        Whether the threshold counts as re-estimated from other dev trials, or as fixed.
    supported : ndarray of bool
        Where dev shows errors of both kinds, shape (alphas,); elsewhere the threshold's uncertainty is unknown.
    measure : Measure
        The measure of the curve.
    method : {"cluster", "bootstrap"}
        How the limits are computed.

    Examples
    --------
    >>> from fairtrial import Trials, performance_curve
    >>> from fairtrial.evaluation import curve_band
    >>> trials = Trials.from_arrays([0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], [True] * 4 + [False] * 5)
    >>> curve_band(performance_curve(trials, trials, alphas=[0.25, 0.5, 0.75])).low.shape
    (3,)
    """

    alpha: NDArray[np.float64]
    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: BandKind
    confidence: float
    cluster: str
    threshold: Threshold
    supported: NDArray[np.bool_]
    measure: Measure
    method: BandMethod = "cluster"

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists."""
        names = ("low", "high", "supported", "kind", "confidence", "cluster")
        result = {name: plain(getattr(self, name)) for name in names}
        return {**result, "band_threshold": self.threshold, "band_method": self.method}

    def column(self) -> Column:
        """Make the column of the band in a table of the curve.

        Returns
        -------
        Column
            The column.
        """
        return Column("band", f"{self.described}, {GIVEN_ALONG[self.threshold]}", self.measure.interval_kind)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on alphas at which dev lacks errors."""
        if self.supported.all():
            return ()
        ranges = alpha_ranges(self.alpha, ~self.supported)
        return (f"the band may be too narrow at alpha {ranges}, where dev lacks errors",)

    @property
    def described(self) -> str:
        """Confidence, method and kind in words."""
        by = " bootstrap" if self.method == "bootstrap" else ""
        return f"{level_text(self.confidence)}{by} band, {self.kind}"

    def answer(self) -> str:
        """Write the kind of the band."""
        points = plural(len(self.alpha), "point")
        return f"{self.described}, {GIVEN_ALONG[self.threshold]}, {points}, cluster {self.cluster}"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per alpha."""
        columns = (Column("alpha", "alpha", "number"), Column("estimate", "estimate", self.measure.kind), self.column())
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        rows = tuple(zip(self.alpha.tolist(), self.estimate.tolist(), ends, strict=True))
        shown = every_tenth(len(rows))
        return (Table("band", "Band around a performance curve", columns, rows, self.notes, shown=shown),)


def curve_band(
    curve: PerformanceCurve,
    *,
    kind: BandKind = "pointwise",
    method: BandMethod = "cluster",
    confidence: float = 0.95,
    threshold: Threshold = "re-estimated",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> Band:
    """Put a band around a curve.

    Parameters
    ----------
    curve : PerformanceCurve
        A curve of one system, not a pooled one.
    kind : {"pointwise", "simultaneous"}, default "pointwise"
        ``pointwise``: the interval at each alpha. ``simultaneous``: a band for the whole curve, by Hotelling's tube or
        the largest deviation of the replicates.
    method : {"cluster", "bootstrap"}, default "cluster"
        ``cluster``: the intervals of `judged_interval`. ``bootstrap``: replicates of test, and of dev where the
        threshold is re-estimated, drawn by people if ids are known; the interval of Bengio, Mariéthoz & Keller 2005,
        centred at their mean.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    threshold : {"re-estimated", "fixed"}, default "re-estimated"
        Whether the band is for the curve of the system, with thresholds re-estimated from other dev trials, or for that
        of these thresholds.
    n_resamples : int, default 10000
        How many resamples are drawn, for ``bootstrap``.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. For ``bootstrap``.
    workers : int, default 1
        How many work at once; the result does not depend on it. Threads, for ``bootstrap``.

    Returns
    -------
    Band
        Limits at every alpha. With re-estimated thresholds, a simultaneous band holds the curve where `supported` says
        that dev shows errors of both kinds.

    Raises
    ------
    ParameterError
        If a kind or method is unknown, a number is out of range, or the curve is pooled.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5 and Fig. 7.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, performance_curve
    >>> genuine = np.arange(400) < 100
    >>> trials = Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> curve = performance_curve(dev, test, criterion="wer-equal", alphas=[0.25, 0.5, 0.75])
    >>> band = curve_band(curve, kind="simultaneous")
    >>> bool(np.all((band.low < curve.hter) & (curve.hter < band.high)))
    True
    """
    check_choice("kind", kind, get_args(BandKind))
    check_choice("method", method, get_args(BandMethod))
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    judgement, measure, simultaneous = curve.judged(), curve.measure, kind == "simultaneous"
    supported = judgement.supported if threshold == "re-estimated" else np.ones(len(curve.alpha), dtype=bool)
    if method == "bootstrap":
        estimate = curve.value
        bootstraps, threshold = resampled_curve(
            judgement, measure, threshold=threshold, n_resamples=n_resamples, rng=rng, workers=workers
        )
        low, high, _ = centred_along(bootstraps, confidence=confidence, simultaneous=False)
        if simultaneous and supported.any():
            within = [bootstraps[k] for k in np.flatnonzero(supported)]
            low[supported], high[supported], _ = centred_along(within, confidence=confidence, simultaneous=True)
        if measure.is_share:
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    else:
        level = confidence
        if simultaneous and supported.any():
            from scipy.special import ndtr

            correlations = neighbour_correlations([(1.0, judgement)], measure, supported, threshold)
            level = float(2 * ndtr(tube_quantile(correlations, confidence)) - 1)
        intervals = intervals_along(judgement, measure=measure, confidence=level, threshold=threshold)
        estimate, low, high = np.array([(interval.estimate, *interval.interval) for interval in intervals]).T
        threshold = intervals[0].threshold
    sharing = judgement.sets.sharing
    return Band(curve.alpha, estimate, low, high, kind, confidence, sharing, threshold, supported, measure, method)


class Region(NamedTuple):
    """A range of alpha, both ends included, in which one system is better.

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
        """The range as text."""
        return alpha_range(self.low, self.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveComparison(Result):
    """A - B along alpha: the difference, its interval, and the confidence that A is the worse one.

    Attributes
    ----------
    a, b : str
        The names of the systems.
    test : str
        The name of the test.
    measure : Measure
        The measure that was compared.
    alpha : ndarray of float
        The alphas of the curves, shape (alphas,).
    difference : ndarray of float
        A - B, shape (alphas,).
    low : ndarray of float
        Lower limits of the difference; NaN without a standard deviation or support.
    high : ndarray of float
        Upper limits. The two systems differ if the interval excludes 0.
    statistic : ndarray of float
        z scores with the same p value as the test; NaN if nothing is claimed.
    critical : float
        The z score above which the two differ.
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

    @classmethod
    def of_estimates(
        cls,
        a: str,
        b: str,
        test: str,
        measure: Measure,
        alpha: Floats,
        estimates: Sequence[Estimate],
        supported: NDArray[np.bool_],
        confidence: float,
        tube: float | None = None,
    ) -> CurveComparison:
        """Compare by Student's t at each alpha; with a tube's critical value, over the whole range of alpha."""
        from scipy.special import ndtr, ndtri

        level = confidence if tube is None else float(2 * ndtr(tube) - 1)
        difference = np.array([point.value for point in estimates])
        low, high = np.array([point.interval(level) if point.sigma else (np.nan, np.nan) for point in estimates]).T
        deviations = np.array([point.statistic for point in estimates])
        tails = [
            student_p_value(-abs(deviation), point.df, "less")
            for deviation, point in zip(deviations.tolist(), estimates, strict=True)
        ]
        statistic = np.copysign(ndtri(np.maximum(tails, 1e-300)), deviations)
        statistic[~supported] = low[~supported] = high[~supported] = np.nan
        critical = normal_quantile(confidence) if tube is None else tube
        threshold, simultaneous = estimates[0].threshold, tube is not None
        return cls(
            a, b, test, measure, alpha, difference, low, high, statistic, critical, confidence, simultaneous, threshold,
            supported,
        )  # fmt: skip

    @property
    def worse(self) -> NDArray[np.float64]:
        """The confidence curve D(z): above a half if A is worse than B (Poh & Bengio 2006, eq. 14)."""
        from scipy.special import ndtr

        sign = -1.0 if self.measure.higher_is_better else 1.0
        return np.asarray(ndtr(sign * self.statistic))

    @property
    def different(self) -> NDArray[np.bool_]:
        """Whether the interval of the difference excludes 0, at each alpha."""
        return np.asarray(((self.low > 0) | (self.high < 0)) & self.supported)

    @property
    def regions(self) -> list[Region]:
        """The ranges of alpha in which the two differ, and the better system; never across a change of sign."""
        side = np.where(self.different, np.where(self.low > 0, 1, -1), 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], side, [0]])))
        lower_is_better = 1 if self.measure.higher_is_better else -1
        regions = []
        for start, stop in pairwise(edges.tolist()):
            if side[start]:
                better = self.a if side[start] == lower_is_better else self.b
                regions.append(Region(float(self.alpha[start]), float(self.alpha[stop - 1]), better))
        return regions

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists."""
        names = ("a", "b", "test", "threshold", "alpha", "difference", "low", "high", "statistic", "worse", "critical")
        return {
            **{name: plain(getattr(self, name)) for name in (*names, "simultaneous", "confidence", "supported")},
            "measure": self.measure.name,
            "regions": [[region.low, region.high] for region in self.regions],
            "better": [region.better for region in self.regions],
        }

    @property
    def unclaimed(self) -> str:
        """The alphas at which nothing is claimed, and why; empty if there are none."""
        if self.supported.all():
            return ""
        return f"nothing is claimed at alpha {alpha_ranges(self.alpha, ~self.supported)}, where dev lacks errors"

    def answer(self) -> str:
        """Write the alphas at which the two differ, the better system, and the difference at the middle alpha."""
        ranges: dict[str, list[str]] = {}
        for region in self.regions:
            ranges.setdefault(region.better, []).append(region.where)
        label, middle = term(self.measure.label), ""
        better = "; ".join(
            f"{name} has the better {label} at alpha {in_a_row(where)}" for name, where in ranges.items()
        )
        whole = "over the whole range at once" if self.simultaneous else "at each alpha by itself"
        how = f"{level_text(self.confidence)} confidence {whole}, {self.test} test, {GIVEN_ALONG[self.threshold]}"
        if self.unclaimed:
            how += f"; {self.unclaimed}"
        known = self.supported & ~np.isnan(self.low)
        if known.any():
            distance = np.where(known, abs(self.alpha - (self.alpha[0] + self.alpha[-1]) / 2), np.inf)
            k, share = int(np.argmin(distance)), self.measure.is_share
            limits = figures_text(float(self.low[k]), float(self.high[k]), share)
            difference = f"{self.a} - {self.b} is {figure_text(float(self.difference[k]), share)}"
            middle = f"; at alpha {self.alpha[k]:g}, {difference}, {interval_title(self.confidence)} {limits}"
        better = better or f"{self.a} and {self.b} cannot be told apart in {label} at any alpha"
        return f"{better}{middle} ({how})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate the difference at each alpha."""
        columns = (
            Column("a", "A", detail=True),
            Column("b", "B", detail=True),
            Column("alpha", "alpha", "number"),
            Column("difference", f"{term(self.measure.label)}, A - B", self.measure.kind),
            Column("interval", interval_title(self.confidence), self.measure.interval_kind),
            Column("statistic", "z", "number", optional=True),
            Column("worse", "confidence that A is worse", "sure"),
            Column("different", "different", "flag"),
        )
        limits = [None if np.isnan(low) else (low, high) for low, high in zip(self.low, self.high, strict=True)]
        series = (self.alpha.tolist(), self.difference.tolist(), limits, self.statistic.tolist(), self.worse.tolist())
        rows = tuple((self.a, self.b, *row) for row in zip(*series, self.different.tolist(), strict=True))
        caption = f"{self.a} - {self.b} along alpha, {self.test} test, {GIVEN_ALONG[self.threshold]}"
        shown = every_tenth(len(rows))
        notes = (self.measure.direction,) if self.measure.direction else ()
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
        ``cluster`` accounts for trials that share people and for systems that share trials. The others take thresholds
        as fixed: ``bootstrap`` is the interval of Bengio, Mariéthoz & Keller 2005, centred at the mean of replicates of
        people or trials; ``dependent`` accounts for shared trials; ``independent`` is eq. (14) of Poh & Bengio 2006.
    threshold : {"re-estimated", "fixed"}, optional
        Whether the threshold counts as re-estimated from other dev trials, or as fixed; by default re-estimated for
        ``cluster``; always fixed for the other methods.
    simultaneous : bool, default False
        Whether the confidence holds over the whole range of alpha, and not at each alpha by itself.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    n_resamples : int, default 10000
        How many resamples are drawn, for ``bootstrap``.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. For ``bootstrap``.
    workers : int, default 1
        How many work at once; the result does not depend on it. Threads, for ``bootstrap``.

    Returns
    -------
    CurveComparison
        The difference, its intervals, and the regions where these exclude 0.

    Raises
    ------
    ParameterError
        If a method is unknown, a number is out of range, or the method cannot re-estimate thresholds.
    TrialsError
        If the curves differ in alpha, measure or trials.

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
    judgements, measure = (a.judged(), b.judged()), a.measure
    if not np.array_equal(a.alpha, b.alpha):
        raise TrialsError(f"{a.system} and {b.system} have different values of alpha")
    if a.measure.name != b.measure.name:
        raise TrialsError(f"the curve of {a.system} is of {a.measure.name}, that of {b.system} of {b.measure.name}")
    pair_judgements(*judgements)
    terms = [(1.0, judgements[0]), (-1.0, judgements[1])]
    everywhere = np.ones(len(a.alpha), dtype=bool)
    if method == "cluster":
        estimates = estimates_along(terms, measure, threshold=threshold or "re-estimated")
        threshold = estimates[0].threshold
        supported = judgements[0].supported & judgements[1].supported if threshold == "re-estimated" else everywhere
        tube = None
        if simultaneous:
            tube = tube_quantile(neighbour_correlations(terms, measure, supported, threshold), confidence)
        test = judgements[0].sets.test_name
        return CurveComparison.of_estimates(
            a.system, b.system, test, measure, a.alpha, estimates, supported, confidence, tube
        )
    critical = normal_quantile(confidence)
    if method == "bootstrap":
        from scipy.special import ndtri

        bootstraps = _replicates(judgements, measure, n_resamples, rng, workers)
        low, high, factor = centred_along(bootstraps, confidence=confidence, simultaneous=simultaneous)
        difference = np.array([bootstrap.estimate for bootstrap in bootstraps])
        # normal deviates of the confidence at which the centred interval just reaches 0
        means = np.array([bootstrap.replicates.mean() for bootstrap in bootstraps])
        p_values = np.array([bootstrap.p_value(method="centred") for bootstrap in bootstraps])
        statistic = -np.sign(means) * ndtri(p_values / 2)
        constant = np.array([not bootstrap.moves for bootstrap in bootstraps])
        low[constant] = high[constant] = np.nan
        critical *= factor
    elif measure.weights is None:
        raise ParameterError(f"{method} tests are for linear measures; {measure.name} needs cluster or bootstrap")
    else:
        tests = []
        for index, alpha in enumerate(a.alpha.tolist()):
            pair = pair_judgements(*judgements, index=index)
            counts = pair.counts_a, pair.counts_b
            tests.append(
                independent_test(*counts, measure=measure, alpha=alpha)
                if method == "independent"
                else dependent_test(*counts, pair.discordant, measure=measure, alpha=alpha)
            )
        if simultaneous:
            critical = tube_quantile(neighbour_correlations(terms, measure, everywhere, "fixed"), confidence)
        difference, statistic = np.array([(result.estimate, result.statistic) for result in tests]).T
        # without a standard deviation a difference cannot be tested
        reach = np.array([critical * result.sigma if result.sigma else np.nan for result in tests])
        low, high = difference - reach, difference + reach
    return CurveComparison(
        a.system, b.system, method, measure, a.alpha, difference, low, high, statistic, critical, confidence,
        simultaneous, "fixed", everywhere,
    )  # fmt: skip


def _replicates(
    judgements: tuple[Judgement, Judgement],
    measure: Measure,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    workers: int,
) -> list[Bootstrap]:
    """Bootstrap the difference at each alpha, all from the same replicates of the test trials or people.

    The outcome cells of a trial are the pairs of intervals between thresholds that its two scores fall into.
    """
    if any(judgement.fold_thresholds is not None for judgement in judgements):
        raise ParameterError("folds have thresholds of their own at every alpha; use {method!o}", method="cluster")
    trials, people = judgements[0].trials, judgements[0].sets.people[1]
    ranks, places, sizes = [], [], []
    for judgement in judgements:
        thresholds, place = np.unique(judgement.test.threshold, return_inverse=True)
        ranks.append(np.searchsorted(thresholds, trials.column(judgement.system), side="left"))
        places.append(place)
        sizes.append(len(thresholds) + 1)
    filled, outcome = np.unique(ranks[0] * sizes[1] + ranks[1], return_inverse=True)
    table = count_table(trials, outcome, len(filled), people)
    # from joint cells to those of each system
    margins = [np.eye(size)[cell] for size, cell in zip(sizes, np.divmod(filled, sizes[1]), strict=True)]

    def statistic(counts: Floats) -> Floats:
        """Compute the difference along alpha from the number of trials in each joint cell."""
        genuine, impostor = counts[:, : len(filled)], counts[:, len(filled) :]
        totals = genuine.sum(axis=1, keepdims=True), impostor.sum(axis=1, keepdims=True)
        values = []
        for margin, place in zip(margins, places, strict=True):
            rejects = np.cumsum(genuine @ margin, axis=1)[:, place]
            accepts = totals[1] - np.cumsum(impostor @ margin, axis=1)[:, place]
            values.append(np.asarray(measure(ErrorCounts(None, accepts, rejects, *totals), judgements[0].alpha)))
        return np.asarray(values[0] - values[1])

    replicates, redrawn = replicate(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers)
    difference = statistic(table.cells[None, :])[0]
    return [
        Bootstrap(float(value), np.ascontiguousarray(column), redrawn=redrawn)
        for value, column in zip(difference, replicates.T, strict=True)
    ]
