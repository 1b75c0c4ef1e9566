"""Two systems along an Expected Performance Curve: where they differ, and who is better there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice, check_confidence
from fairtrial.claims import Claim, Threshold, claims_along, largest_of_all
from fairtrial.counting.errors import ErrorCounts
from fairtrial.epc import PerformanceCurve
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.intervals.bootstrap import Statistic, count_table, replicate
from fairtrial.intervals.rates import normal_quantile
from fairtrial.judging import Judgement
from fairtrial.rules.measures import Measure
from fairtrial.significance.paired import pair_judgements
from fairtrial.significance.rates import dependent_test, independent_test
from fairtrial.tables import Column, Result, Table, every_tenth, plural

CurveTest: TypeAlias = Literal["independent", "dependent", "cluster", "bootstrap"]


class Region(NamedTuple):
    """A range of alpha, both ends included, in which one system is better all along."""

    low: float
    high: float
    better: str

    @property
    def where(self) -> str:
        """The range in words."""
        return f"{self.low:.3g}" if self.low == self.high else f"{self.low:.3g} to {self.high:.3g}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveComparison(Result):
    """A - B along alpha: the difference, its normal deviate, and the confidence that A is the worse one."""

    a: str
    b: str
    test: str
    measure: Measure
    alpha: NDArray[np.float64]
    difference: NDArray[np.float64]
    statistic: NDArray[np.float64]
    """Normal deviates: as improbable as the difference is by the test."""
    critical: float
    confidence: float
    simultaneous: bool
    threshold: Threshold
    supported: NDArray[np.bool_]
    """Where dev shows errors of both kinds; with the threshold re-estimated nothing is claimed elsewhere."""

    @property
    def worse(self) -> NDArray[np.float64]:
        """The confidence curve D(z): above a half where A is worse than B (Poh & Bengio 2006, eq. 14)."""
        from scipy.special import ndtr

        sign = -1.0 if self.measure.higher_is_better else 1.0
        return np.asarray(ndtr(sign * self.statistic))

    @property
    def different(self) -> NDArray[np.bool_]:
        """Where the two differ."""
        return np.asarray((np.abs(self.statistic) > self.critical) & self.supported)

    @property
    def regions(self) -> list[Region]:
        """The ranges of alpha where the two differ, and who is better there; never across a change of sign."""
        side = np.where(self.different, np.sign(self.statistic), 0).astype(int)
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
            "statistic": self.statistic.tolist(),
            "worse": self.worse.tolist(),
            "critical": self.critical,
            "simultaneous": self.simultaneous,
            "confidence": self.confidence,
            "regions": [[region.low, region.high] for region in self.regions],
            "better": [region.better for region in self.regions],
            "supported": self.supported.tolist(),
        }

    def summary(self) -> str:
        """Where along alpha the two differ, and who is better there."""
        where = "; ".join(f"{region.better} is better at alpha {region.where}" for region in self.regions)
        whole = "over the whole range at once" if self.simultaneous else "at each alpha by itself"
        sure = f"with {100 * self.confidence:g} % confidence"
        how = f"{self.test} test, threshold {self.threshold}, {whole}"
        if not self.supported.all():
            how += f"; nothing is claimed at the {plural(int(np.sum(~self.supported)), 'alpha')} where dev lacks errors"
        if not where:
            return f"{self.a} and {self.b} differ in {self.measure.label} {sure} at no alpha ({how})"
        return f"{self.measure.label}, {sure}: {where} ({how})"

    def tables(self) -> tuple[Table, ...]:
        """The difference at each alpha."""
        kind: Literal["rate", "number"] = "rate" if self.measure.is_share else "number"
        columns = (
            Column("a", "A", detail=True),
            Column("b", "B", detail=True),
            Column("alpha", "alpha", "number"),
            Column("difference", f"{self.measure.label}, A - B", kind),
            Column("statistic", "z", "number"),
            Column("worse", "confidence that A is worse", "rate"),
            Column("different", "different", "flag"),
        )
        series = (self.alpha, self.difference, self.statistic, self.worse, self.different)
        rows = tuple((self.a, self.b, *values) for values in zip(*(s.tolist() for s in series), strict=True))
        caption = f"{self.a} - {self.b} along alpha, {self.test} test, threshold {self.threshold}"
        shown = every_tenth(len(rows))
        return (Table("differences", caption, columns, rows, (self.summary(),), shown=shown),)


def compare_curves(
    a: PerformanceCurve,
    b: PerformanceCurve,
    *,
    method: CurveTest = "cluster",
    threshold: Threshold = "re-estimated",
    simultaneous: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> CurveComparison:
    """Compare the measure of two curves at every alpha.

    Parameters
    ----------
    a, b
        Curves of two systems on the same trials, at the same values of alpha and of the same measure.
    method
        ``cluster`` knows which trials share people, and that the systems share trials. The others take the thresholds
        as they are: ``bootstrap`` resamples people or trials, ``dependent`` knows that the systems share trials,
        ``independent`` is eq. (14) of Poh & Bengio 2006.
    threshold
        For ``cluster``: ``re-estimated``, or ``fixed``.
    simultaneous
        Control the error over the whole range of alpha: the critical value is that of the largest of all
        deviations where nothing differs.
    n_resamples, rng, workers
        For ``bootstrap``; threads do not change the result.

    Returns
    -------
    CurveComparison
        The difference, how sure it is, and the regions.
    """
    check_choice("method", method, get_args(CurveTest))
    check_choice("threshold", threshold, get_args(Threshold))
    check_confidence(confidence)
    judged = a.judged(), b.judged()
    if not np.array_equal(a.alpha, b.alpha):
        raise TrialsError(f"{a.system} and {b.system} have different values of alpha")
    if a.measure.name != b.measure.name:
        raise TrialsError(f"the curve of {a.system} is of {a.measure.name}, that of {b.system} of {b.measure.name}")
    pair_judgements(*judged)
    measure = a.measure
    critical = normal_quantile(confidence)
    supported = np.ones(len(a.alpha), dtype=bool)
    name: str = method
    if method == "cluster":
        terms = [(1.0, judged[0]), (-1.0, judged[1])]
        found = claims_along(terms, measure, threshold=threshold)
        difference = np.array([each.estimate for each in found])
        statistic = np.array([normal_deviate(each) for each in found])
        threshold = found[0].threshold
        name = method if judged[0].sets.people[1] is not None else "paired"
        if threshold == "re-estimated":
            supported = judged[0].supported & judged[1].supported
        if simultaneous:
            critical = largest_of_all(terms, measure, supported, confidence=confidence, threshold=threshold)
    elif method == "bootstrap":
        threshold = "fixed"
        difference, statistic, reach = _by_bootstrap(judged, measure, confidence, n_resamples, rng, workers)
        critical = reach if simultaneous else critical
    else:
        threshold = "fixed"
        if measure.weights is None:
            raise ParameterError(f"{method} tests are for linear measures; {measure.name} needs cluster or bootstrap")
        difference, statistic = _by_counts(judged, measure, method)
        if simultaneous:
            terms = [(1.0, judged[0]), (-1.0, judged[1])]
            critical = largest_of_all(terms, measure, supported, confidence=confidence, threshold="fixed")
    return CurveComparison(
        a.system,
        b.system,
        name,
        measure,
        a.alpha,
        difference,
        statistic,
        critical,
        confidence,
        simultaneous,
        threshold,
        supported,
    )


def normal_deviate(found: Claim) -> float:
    """The normal deviate that is as improbable as the claim is by Student's t."""
    from scipy.special import ndtri, stdtr

    return float(np.copysign(ndtri(max(stdtr(found.degrees, -abs(found.statistic)), 1e-300)), found.statistic))


def _by_counts(
    judged: tuple[Judgement, Judgement], measure: Measure, method: CurveTest
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The difference along alpha and its z, trials taken as independent."""
    estimates, statistics = [], []
    for index, alpha in enumerate(judged[0].alpha.tolist()):
        pair = pair_judgements(*judged, index=index)
        a, b = pair.counts_a, pair.counts_b
        found = (
            independent_test(a, b, measure=measure, alpha=alpha)
            if method == "independent"
            else dependent_test(a, b, pair.discordant, measure=measure, alpha=alpha)
        )
        estimates.append(found.estimate)
        statistics.append(found.statistic)
    return np.array(estimates), np.array(statistics)


def _by_bootstrap(
    judged: tuple[Judgement, Judgement],
    measure: Measure,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    workers: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The difference along alpha in standard deviations of its replicates, and the critical value of all at once.

    The outcome cells of a trial are the pairs of intervals between thresholds that its two scores fall into.
    """
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
    replicates, _ = replicate(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers)
    difference = statistic(table.cells[None, :])[0]
    spread = replicates.std(axis=0)
    moving = spread > 0
    scaled = np.zeros_like(difference)
    scaled[moving] = difference[moving] / spread[moving]
    farthest = np.max(np.abs(replicates[:, moving] - difference[moving]) / spread[moving], axis=1, initial=0)
    return difference, scaled, float(np.quantile(farthest, confidence))


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
