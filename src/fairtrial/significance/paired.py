"""Two systems on the same trials, each at its own threshold: every test, from most to least careful."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import as_generator, check_resamples
from fairtrial.claims import Alternative, Threshold, claim
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import TrialsError
from fairtrial.intervals.bootstrap import Bootstrap, Progress, count_table, draw_replicates, two_systems
from fairtrial.judging import Judgement
from fairtrial.people import People
from fairtrial.rules.measures import Measure, MeasureLike, as_measure, linear_weights
from fairtrial.significance.mcnemar import McNemar, mcnemar_test
from fairtrial.significance.rates import Discordant, dependent_test, independent_test
from fairtrial.significance.results import TestResult, student_test
from fairtrial.trials import Trials


@dataclass(frozen=True, slots=True)
class Agreement:
    """On how many trials both systems are right, only one is, or neither."""

    discordant: Discordant
    both_right: int
    both_wrong: int

    @property
    def only_a_wrong(self) -> int:
        """McNemar's b."""
        return self.discordant.impostor_ba + self.discordant.genuine_ba

    @property
    def only_b_wrong(self) -> int:
        """McNemar's c."""
        return self.discordant.impostor_ab + self.discordant.genuine_ab

    @property
    def mcnemar_table(self) -> dict[str, int]:
        """The four cells as McNemar's test calls them: both right, only A wrong, only B wrong, both wrong."""
        return {"a": self.both_right, "b": self.only_a_wrong, "c": self.only_b_wrong, "d": self.both_wrong}


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """The decisions of two systems on the same trials."""

    a: Judgement
    b: Judgement
    wrong_a: NDArray[np.bool_]
    wrong_b: NDArray[np.bool_]
    index: int = 0

    @property
    def trials(self) -> Trials:
        """The trials that both decide."""
        return self.a.trials

    @property
    def alpha(self) -> float:
        """The alpha that thresholds were chosen at."""
        return float(self.a.alpha[self.index])

    @property
    def counts_a(self) -> ErrorCounts:
        """The errors of A."""
        return self.a.at(self.index)

    @property
    def counts_b(self) -> ErrorCounts:
        """The errors of B."""
        return self.b.at(self.index)

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
    def agreement(self) -> Agreement:
        """The trials on which they agree and disagree."""
        both_wrong = int(np.count_nonzero(self.wrong_a & self.wrong_b))
        both_right = len(self.trials) - int(np.count_nonzero(self.wrong_a | self.wrong_b))
        return Agreement(self.discordant, both_right, both_wrong)

    @property
    def outcome(self) -> NDArray[np.int64]:
        """The outcome cell of each trial: 0 both wrong, 1 only A, 2 only B, 3 none."""
        return np.where(self.wrong_a, np.where(self.wrong_b, 0, 1), np.where(self.wrong_b, 2, 3))


def pair_judgements(a: Judgement, b: Judgement, *, index: int = 0) -> Pair:
    """Decide all trials by both systems."""
    if a.sets is not b.sets and a.trials is not b.trials:
        same = len(a.trials) == len(b.trials) and np.array_equal(a.trials.genuine, b.trials.genuine)
        if not same:
            raise TrialsError(f"{a.system} and {b.system} were judged on different trials")
    return Pair(a, b, a.wrong(index), b.wrong(index), index)


def leading_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    threshold: Threshold = "re-estimated",
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test the difference with a variance that knows which trials share people, and that the systems share trials.

    Parameters
    ----------
    pair
        Two systems on the same trials.
    measure
        Any measure.
    threshold
        ``re-estimated``: whether the systems differ, each with its way to a threshold. ``fixed``: whether these two
        thresholds do.

    Returns
    -------
    TestResult
        By Student's t, called ``cluster`` where ids tell who shares trials and ``paired`` where they do not.
    """
    known = as_measure(measure)
    found = claim([(1.0, pair.a), (-1.0, pair.b)], known, index=pair.index, threshold=threshold)
    sets = pair.a.sets
    note = "" if sets.people[1] is None else _people_note(sets.people[1], found.spread.people)
    return student_test(sets.test_name, found, alternative=alternative, measure=known, note=note)


def _people_note(people: People, count: float) -> str:
    """How many people a test rests on; where a role has one person only, that nobody can tell."""
    alone = [
        f"all {word} trials have the same {' and '.join(part.alone)}"
        for word, part in (("genuine", people.genuine), ("impostor", people.impostor))
        if part.alone
    ]
    if alone:
        return f"how many people the trials are worth cannot be told: {' and '.join(alone)}"
    return f"the trials are worth {count:.3g} people of equal weight in the smaller role"


def mcnemar_of_pair(pair: Pair) -> McNemar:
    """McNemar's test on all trials, whatever their class."""
    found = pair.agreement
    return mcnemar_test(found.only_a_wrong, found.only_b_wrong)


def permutation_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test the difference by exchanging A and B on each trial at random, all trials independent.

    Only discordant trials matter, and how many of them change sides is binomial, so a permutation costs two draws.
    """
    check_resamples(n_resamples)
    known = as_measure(measure)
    weights = linear_weights(known, pair.alpha)
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
    return TestResult(
        "permutation",
        estimate,
        p_value,
        estimate,
        float(np.std(shifts)),
        alternative,
        measure=known.name,
        is_share=known.is_share,
        label=known.label,
    )


def bootstrap_difference(
    pair: Pair,
    *,
    measure: Measure,
    stratified: bool = False,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Bootstrap:
    """Bootstrap the difference of any measure between the two systems, trials or people resampled.

    Replicates of people are brought to the standard deviation and the degrees of freedom of the leading test at fixed
    thresholds: drawing both people of a trial overstates what belongs to neither of them.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5; Owen 2007.
    """
    people = pair.a.sets.people[1]
    table = count_table(pair.trials, pair.outcome, 4, people, stratified=stratified)
    statistic = two_systems(lambda counts: measure(counts, pair.alpha))
    found = draw_replicates(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers, progress=progress)
    if people is None:
        return found
    spread = claim([(1.0, pair.a), (-1.0, pair.b)], measure, index=pair.index, threshold="fixed")
    return found.scaled(spread.sigma, spread.degrees)


def bootstrap_test(
    found: Bootstrap, *, alternative: Alternative = "two-sided", measure: MeasureLike = "hter", test: str = "bootstrap"
) -> TestResult:
    """The bootstrap of a difference as a test against 0; without a standard deviation where no replicate differs."""
    known = as_measure(measure)
    return TestResult(
        test,
        found.estimate,
        found.p_value(alternative),
        found.estimate,
        float(np.std(found.replicates)) if found.moves else None,
        alternative,
        "" if found.moves else "all replicates are alike, so they cannot tell a difference from chance",
        measure=known.name,
        is_share=known.is_share,
        label=known.label,
    )


def every_test(
    pair: Pair,
    replicates: Bootstrap,
    *,
    measure: Measure,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> tuple[TestResult, ...]:
    """Every test that there is for the measure; the one that knows most about the trials first."""
    robust = leading_test(pair, measure=measure, alternative=alternative)
    tests = [robust]
    if robust.threshold == "re-estimated":
        tests.append(leading_test(pair, measure=measure, threshold="fixed", alternative=alternative))
    tests.append(bootstrap_test(replicates, alternative=alternative, measure=measure))
    if measure.weights is not None:
        a, b = pair.counts_a, pair.counts_b
        own: dict[str, Any] = {"measure": measure, "alpha": pair.alpha, "alternative": alternative}
        tests.append(dependent_test(a, b, pair.discordant, **own))
        tests.append(independent_test(a, b, names=(pair.a.system, pair.b.system), **own))
        tests.append(permutation_test(pair, measure=measure, n_resamples=n_resamples, rng=rng, alternative=alternative))
    mcnemar = mcnemar_of_pair(pair)
    tests.append(
        TestResult(
            "mcnemar",
            mcnemar.chi2,
            mcnemar.p_value,
            (mcnemar.b - mcnemar.c) / len(pair.trials),
            note="compares the classification error over all trials; two-sided",
            measure="class-error",
        )
    )
    return tuple(tests)
