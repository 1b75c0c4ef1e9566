"""Two systems along an Expected Performance Curve: where they differ, and whether their areas do."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator, check_choice, check_confidence
from fairtrial.counting.errors import as_source
from fairtrial.epc import PerformanceCurve, area_weights
from fairtrial.errors import TrialsError
from fairtrial.intervals.bootstrap import count_table, replicate
from fairtrial.intervals.clusters import ClusterVariance, SharedPeople, contributions
from fairtrial.intervals.rates import RateInterval, normal_quantile
from fairtrial.people import Cluster, known_cluster, people_of
from fairtrial.rules.measures import Weights, linear_weights
from fairtrial.significance.paired import pair_systems, student_test
from fairtrial.significance.rates import dependent_test, independent_test
from fairtrial.significance.results import TestResult
from fairtrial.tables import Column, Result, Table, every_tenth
from fairtrial.trials import Trials

CurveTest: TypeAlias = Literal["independent", "dependent", "cluster", "bootstrap"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveComparison(Result):
    """A - B along alpha: the difference, its z, and the confidence that A is the worse one."""

    a: str
    b: str
    test: CurveTest
    alpha: NDArray[np.float64]
    difference: NDArray[np.float64]
    statistic: NDArray[np.float64]
    critical: float
    confidence: float
    simultaneous: bool

    @property
    def worse(self) -> NDArray[np.float64]:
        """The confidence curve D(z): above a half where A is worse than B (FUS eq. 14)."""
        return np.array([erfc(-z / sqrt(2)) / 2 for z in self.statistic])

    @property
    def different(self) -> NDArray[np.bool_]:
        """Where the two differ."""
        return np.abs(self.statistic) > self.critical

    @property
    def regions(self) -> list[tuple[float, float]]:
        """The ranges of alpha where the two differ, both ends included."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], self.different.astype(int), [0]])))
        return [(float(self.alpha[i]), float(self.alpha[j - 1])) for i, j in edges.reshape(-1, 2)]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return {
            "a": self.a,
            "b": self.b,
            "test": self.test,
            "alpha": self.alpha.tolist(),
            "difference": self.difference.tolist(),
            "statistic": self.statistic.tolist(),
            "worse": self.worse.tolist(),
            "critical": self.critical,
            "simultaneous": self.simultaneous,
            "confidence": self.confidence,
            "regions": [list(region) for region in self.regions],
        }

    def summary(self) -> str:
        """Where along alpha the two differ."""
        where = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in self.regions) or "nowhere"
        whole = "over the whole range at once" if self.simultaneous else "at each alpha by itself"
        sure = f"with {100 * self.confidence:g} % confidence"
        return f"{self.a} and {self.b} differ in HTER {sure} at alpha {where} ({self.test} test, {whole})"

    def tables(self) -> tuple[Table, ...]:
        """The difference at each alpha."""
        columns = (
            Column("a", "A", detail=True),
            Column("b", "B", detail=True),
            Column("alpha", "alpha", "number"),
            Column("difference", "A - B", "rate"),
            Column("statistic", "z", "number"),
            Column("worse", "confidence that A is worse", "rate"),
            Column("different", "different", "flag"),
        )
        series = (self.alpha, self.difference, self.statistic, self.worse, self.different)
        rows = tuple((self.a, self.b, *values) for values in zip(*(s.tolist() for s in series), strict=True))
        caption = f"{self.a} - {self.b} along alpha, {self.test} test"
        shown = every_tenth(len(rows))
        return (Table("differences", caption, columns, rows, (self.summary(),), shown=shown),)


def compare_curves(
    a: PerformanceCurve,
    b: PerformanceCurve,
    test: Trials,
    *,
    method: CurveTest = "cluster",
    cluster: Cluster | None = None,
    simultaneous: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> CurveComparison:
    """Compare the HTER of two systems at every alpha.

    Parameters
    ----------
    a, b
        Curves of two systems of `test`, at the same values of alpha.
    method
        ``independent`` is FUS eq. (14); ``dependent`` knows that the systems share trials; ``cluster`` also
        that trials share people, and so does ``bootstrap``, which resamples them.
    simultaneous
        Control the error over the whole range of alpha: the critical value is that of the largest of all
        statistics when there is no difference, drawn from a normal process with their correlation (between
        people for ``cluster``, between trials else) or taken from the replicates of ``bootstrap``.
    """
    check_choice("method", method, get_args(CurveTest))
    check_confidence(confidence)
    if not np.array_equal(a.alpha, b.alpha):
        raise TrialsError(f"{a.system} and {b.system} have different values of alpha")
    sharing = known_cluster(test, cluster)
    if method == "bootstrap":
        difference, statistic, critical = _by_bootstrap(
            a, b, test, sharing, confidence, n_resamples, rng, simultaneous=simultaneous
        )
        return CurveComparison(
            a.system, b.system, method, a.alpha, difference, statistic, critical, confidence, simultaneous
        )
    points = np.stack([a.threshold, b.threshold], axis=1)
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    people = people_of(test, sharing) if method == "cluster" else people_of(test, "none")
    shared = SharedPeople.of(test, sharing) if method == "cluster" else None
    estimates, statistics, sums = [], [], []
    critical = normal_quantile(confidence)
    for threshold_a, threshold_b in distinct.tolist():
        pair = pair_systems(test, a.system, b.system, threshold_a, threshold_b)
        disagreement = pair.wrong_a.astype(np.int8) - pair.wrong_b.astype(np.int8)
        deviation = contributions(test.genuine, disagreement, linear_weights("hter"))
        if simultaneous:
            sums.append(_by_person(people, deviation))
        if shared is not None:
            estimate = float(pair.counts_a.hter - pair.counts_b.hter)
            deviate = shared.variance(deviation).as_normal(estimate)
        else:
            found = (
                independent_test(pair.counts_a, pair.counts_b)
                if method == "independent"
                else dependent_test(pair.counts_a, pair.counts_b, pair.discordant)
            )
            estimate, deviate = found.estimate, found.statistic
        estimates.append(estimate)
        statistics.append(deviate)
    estimate_along, statistic = (np.array(values)[place.ravel()] for values in (estimates, statistics))
    if simultaneous:
        critical = _largest_of_all(np.array(sums), confidence, n_resamples, rng)
    return CurveComparison(
        a.system, b.system, method, a.alpha, estimate_along, statistic, critical, confidence, simultaneous
    )


def _by_bootstrap(
    a: PerformanceCurve,
    b: PerformanceCurve,
    test: Trials,
    cluster: Cluster,
    confidence: float,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    *,
    simultaneous: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The difference along alpha, in standard deviations of its replicates, and the critical value.

    The outcome cells of a trial are the pairs of intervals between thresholds that its two scores fall into.
    """
    ranks, places, sizes = [], [], []
    for curve in (a, b):
        thresholds, place = np.unique(curve.threshold, return_inverse=True)
        ranks.append(np.searchsorted(thresholds, test.column(curve.system), side="left"))
        places.append(place)
        sizes.append(len(thresholds) + 1)
    filled, outcome = np.unique(ranks[0] * sizes[1] + ranks[1], return_inverse=True)
    table = count_table(test, outcome, len(filled), cluster=cluster)
    # from joint cells to those of each system
    margins = [np.eye(size)[own] for size, own in zip(sizes, np.divmod(filled, sizes[1]), strict=True)]

    def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        genuine, impostor = counts[:, : len(filled)], counts[:, len(filled) :]
        hters = []
        for margin, place in zip(margins, places, strict=True):
            rejected = np.cumsum(genuine @ margin, axis=1)[:, place] / genuine.sum(axis=1, keepdims=True)
            below = np.cumsum(impostor @ margin, axis=1)[:, place] / impostor.sum(axis=1, keepdims=True)
            hters.append((rejected + 1 - below) / 2)
        return np.asarray(hters[0] - hters[1])

    replicates, _ = replicate(table, statistic, n_resamples=n_resamples, rng=rng, workers=1)
    difference = statistic(table.cells[None, :])[0]
    spread = replicates.std(axis=0)
    moving = spread > 0
    scaled = np.zeros_like(difference)
    scaled[moving] = difference[moving] / spread[moving]
    if not simultaneous:
        return difference, scaled, normal_quantile(confidence)
    farthest = np.max(np.abs(replicates[:, moving] - difference[moving]) / spread[moving], axis=1, initial=0)
    return difference, scaled, float(np.quantile(farthest, confidence))


def _by_person(people: list[NDArray[np.int64]], deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Contributions summed by everyone who takes part."""
    first, second = people[0], people[-1]
    size = 1 + int(max(first.max(), second.max()))
    apart = first != second
    total = np.bincount(first, deviation, size) + np.bincount(second[apart], deviation[apart], size)
    return np.asarray(total, dtype=np.float64)


def _largest_of_all(
    sums: NDArray[np.float64], confidence: float, n_resamples: int, rng: np.random.Generator | int | None
) -> float:
    """The critical value of the largest of several statistics that are correlated like their sums by person."""
    covariance = sums @ sums.T
    spread = np.sqrt(np.diag(covariance))
    moving = spread > 0
    correlation = covariance[np.ix_(moving, moving)] / np.outer(spread[moving], spread[moving])
    values, vectors = np.linalg.eigh(correlation)
    normal = as_generator(rng).normal(size=(n_resamples, len(values)))
    process = normal @ (vectors * np.sqrt(np.clip(values, 0, None))).T
    return float(np.quantile(np.max(np.abs(process), axis=1, initial=0), confidence))


def area_values(
    dev: Trials, test: Trials, system: str, *, low: float = 0.0, high: float = 1.0
) -> dict[str, NDArray[np.float64]]:
    """What each test trial adds to the areas E_V1, E_V2 and G: their sums of class means are the areas.

    An area is a weighted mean of HTERs at dev's thresholds, so a trial adds half the weight of the
    thresholds that decide it wrongly.
    """
    thresholds, by_far, by_frr = area_weights(as_source(dev, system=system, what="dev"), low=low, high=high)
    rank = np.searchsorted(thresholds, test.column(system), side="left")
    values = {}
    for name, weight in (("e_v1", by_far), ("e_v2", by_frr), ("g", (by_far + by_frr) / 2)):
        below = np.concatenate([[0.0], np.cumsum(weight)])[rank]  # thresholds that accept the score
        values[name] = np.where(test.genuine, weight.sum() - below, below) / 2
    return values


def _area(test: Trials, values: NDArray[np.float64], shared: SharedPeople) -> tuple[float, ClusterVariance]:
    """An area, or a difference of areas, and its variance."""
    estimate = float(values[test.genuine].mean() + values[~test.genuine].mean())
    return estimate, shared.variance(contributions(test.genuine, values, Weights(1.0, 1.0)))


def area_intervals(
    dev: Trials,
    test: Trials,
    system: str,
    *,
    low: float = 0.0,
    high: float = 1.0,
    cluster: Cluster | None = None,
    confidence: float = 0.95,
) -> dict[str, RateInterval]:
    """Compute the intervals of the expected areas E_V1, E_V2 and G, with thresholds as dev gives them."""
    shared = SharedPeople.of(test, cluster)
    intervals = {}
    for area, values in area_values(dev, test, system, low=low, high=high).items():
        estimate, found = _area(test, values, shared)
        sigma = sqrt(found.variance)
        reach = found.quantile(confidence) * sigma
        intervals[area] = RateInterval(
            estimate, estimate - reach, estimate + reach, sigma, confidence, f"cluster-{found.cluster}", area
        )
    return intervals


def area_test(
    dev: Trials,
    test: Trials,
    a: str,
    b: str,
    *,
    area: Literal["e_v1", "e_v2", "g"] = "g",
    low: float = 0.0,
    high: float = 1.0,
    cluster: Cluster | None = None,
) -> TestResult:
    """Test whether two systems differ in an expected area."""
    values = [area_values(dev, test, system, low=low, high=high)[area] for system in (a, b)]
    estimate, found = _area(test, values[0] - values[1], SharedPeople.of(test, cluster))
    return student_test(f"area-{area}", estimate, found)
