"""Two systems on the same trials, each at its own threshold from dev: every test, from most to least careful."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator, check_resamples
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import TrialsError
from fairtrial.intervals.bootstrap import Bootstrap, count_table, draw_replicates, two_systems
from fairtrial.intervals.clusters import ClusterVariance, SharedPeople, wrong_decisions
from fairtrial.people import Cluster
from fairtrial.rules.measures import MeasureLike, linear_weights
from fairtrial.significance.mcnemar import McNemar, mcnemar_test
from fairtrial.significance.rates import Discordant
from fairtrial.significance.results import Alternative, TestResult
from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The decisions of two systems on the same trials."""

    trials: Trials
    wrong_a: NDArray[np.bool_]
    wrong_b: NDArray[np.bool_]
    threshold_a: float
    threshold_b: float

    @property
    def counts_a(self) -> ErrorCounts:
        """The errors of A."""
        return self._counts(self.wrong_a, self.threshold_a)

    @property
    def counts_b(self) -> ErrorCounts:
        """The errors of B."""
        return self._counts(self.wrong_b, self.threshold_b)

    def _counts(self, wrong: NDArray[np.bool_], threshold: float) -> ErrorCounts:
        genuine = self.trials.genuine
        positive = int(np.count_nonzero(genuine))
        accepts, rejects = (int(np.count_nonzero(wrong & rows)) for rows in (~genuine, genuine))
        return ErrorCounts(threshold, accepts, rejects, positive, len(genuine) - positive)

    @property
    def discordant(self) -> Discordant:
        """The trials on which they disagree."""
        only_b, only_a = self.wrong_b & ~self.wrong_a, self.wrong_a & ~self.wrong_b
        genuine = self.trials.genuine
        return Discordant(
            *(int(np.count_nonzero(side & ~genuine)) for side in (only_b, only_a)),
            *(int(np.count_nonzero(side & genuine)) for side in (only_b, only_a)),
        )

    @property
    def outcome(self) -> NDArray[np.int64]:
        """The outcome cell of each trial: 0 both wrong, 1 only A, 2 only B, 3 none."""
        return np.where(self.wrong_a, np.where(self.wrong_b, 0, 1), np.where(self.wrong_b, 2, 3))


def pair_systems(trials: Trials, a: str, b: str, threshold_a: float, threshold_b: float) -> Pair:
    """Decide all trials by both systems."""
    if not trials.genuine.any() or trials.genuine.all():
        raise TrialsError("comparing two systems needs genuine and impostor trials")
    wrong_a, wrong_b = wrong_decisions(trials, a, threshold_a), wrong_decisions(trials, b, threshold_b)
    return Pair(trials, wrong_a, wrong_b, threshold_a, threshold_b)


def cluster_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    cluster: Cluster | None = None,
    alternative: Alternative = "two-sided",
    shared: SharedPeople | None = None,
) -> TestResult:
    """Test the difference with a variance that knows which trials share people, and that the systems share trials.

    The variance comes from the contribution of each trial to the difference, summed by person; the p value
    from Student's t with Welch's degrees of freedom, each class having one fewer than it has people.
    """
    difference = pair.wrong_a.astype(np.int8) - pair.wrong_b.astype(np.int8)
    weights = linear_weights(measure, alpha)
    people = shared or SharedPeople.of(pair.trials, cluster)
    found = people.error_variance(difference, weights)
    estimate = float(weights.value(pair.counts_a) - weights.value(pair.counts_b))
    return student_test("cluster", estimate, found, alternative=alternative)


def student_test(
    test: str, estimate: float, found: ClusterVariance, *, alternative: Alternative = "two-sided"
) -> TestResult:
    """Test a difference by a variance between people and its degrees of freedom."""
    from scipy.special import stdtr

    sigma = sqrt(found.variance)
    statistic = estimate / sigma if sigma > 0 else 0.0 if estimate == 0 else float(np.copysign(np.inf, estimate))
    less, greater = (float(stdtr(found.degrees, side)) for side in (statistic, -statistic))
    p_value = {"less": less, "greater": greater, "two-sided": min(1.0, 2 * min(less, greater))}[alternative]
    note = f"people counted by {found.cluster}, {found.people} at least" if found.cluster != "none" else ""
    return TestResult(test, statistic, p_value, estimate, sigma, alternative, note)


def mcnemar_of_pair(pair: Pair) -> McNemar:
    """McNemar's test on all trials, whatever their class."""
    only_a = int(np.count_nonzero(pair.wrong_a & ~pair.wrong_b))
    only_b = int(np.count_nonzero(pair.wrong_b & ~pair.wrong_a))
    return mcnemar_test(only_a, only_b)


def permutation_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    alpha: float = 0.5,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test the difference by exchanging A and B on each trial at random, all trials independent.

    Only discordant trials matter, and how many of them change sides is binomial, so a permutation costs two draws.
    """
    check_resamples(n_resamples)
    weights = linear_weights(measure, alpha)
    found = pair.discordant
    generator = as_generator(rng)
    a = pair.counts_a
    impostor, genuine = found.impostor_ab + found.impostor_ba, found.genuine_ab + found.genuine_ba
    shifts = weights.far * (2 * generator.binomial(int(impostor), 0.5, n_resamples) - impostor) / a.impostor
    shifts = shifts + weights.frr * (2 * generator.binomial(int(genuine), 0.5, n_resamples) - genuine) / a.genuine
    estimate = float(weights.value(a) - weights.value(pair.counts_b))
    slack = 1e-12
    beyond = {
        "less": shifts <= estimate + slack,
        "greater": shifts >= estimate - slack,
        "two-sided": np.abs(shifts) >= abs(estimate) - slack,
    }[alternative]
    p_value = (int(np.count_nonzero(beyond)) + 1) / (n_resamples + 1)
    return TestResult("permutation", estimate, p_value, estimate, float(np.std(shifts)), alternative)


def bootstrap_difference(
    pair: Pair,
    *,
    measure: Callable[[ErrorCounts], Any] = lambda counts: counts.hter,
    cluster: Cluster | None = None,
    stratified: bool = False,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
) -> Bootstrap:
    """Bootstrap the difference of any measure between the two systems, trials or people resampled.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5.
    """
    table = count_table(pair.trials, pair.outcome, 4, cluster=cluster, stratified=stratified)
    return draw_replicates(table, two_systems(measure), n_resamples=n_resamples, rng=rng, workers=workers)


def bootstrap_test(found: Bootstrap, test: str = "bootstrap") -> TestResult:
    """The bootstrap of a difference as a test against 0."""
    return TestResult(test, found.estimate, found.p_value(), found.estimate, float(np.std(found.replicates)))
