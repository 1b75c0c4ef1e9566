"""Test the difference of two systems on the same trials, and over folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_resamples
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials
from fairtrial.core.words import plural
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.inference.bootstrap import Bootstrap, CountTable, Progress, count_table, draw_replicates, two_systems
from fairtrial.inference.decide import Judgement, count_people
from fairtrial.inference.estimates import Threshold, estimate
from fairtrial.inference.folds import Block, fold_of_trials
from fairtrial.inference.student import Alternative
from fairtrial.inference.tests import TestResult, student_test, z_test
from fairtrial.published.mcnemar import mcnemar_test
from fairtrial.published.rates import Discordant, dependent_test, independent_test
from fairtrial.rules.measures import AnyMeasureLike, Measure, MeasureLike, as_any_measure, as_measure, linear_weights


@dataclass(frozen=True, slots=True)
class Agreement:
    """The numbers of trials on which both systems are right, only one is, or neither."""

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
        """McNemar's four cells."""
        return {"a": self.both_right, "b": self.only_a_wrong, "c": self.only_b_wrong, "d": self.both_wrong}


@dataclass(frozen=True, eq=False)
class Pair:
    """The decisions of two systems on the same trials."""

    a: Judgement
    b: Judgement
    index: int = 0

    @property
    def trials(self) -> Trials:
        """The trials that both decide."""
        return self.a.trials

    @cached_property
    def wrong_a(self) -> NDArray[np.bool_]:
        """The trials that A decides wrongly."""
        return self.a.wrong(self.index)

    @cached_property
    def wrong_b(self) -> NDArray[np.bool_]:
        """The trials that B decides wrongly."""
        return self.b.wrong(self.index)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """The numbers of genuine and of impostor trials by outcome: both wrong, only A, only B, none."""
        if self.a.sets.rows() is not None:
            return np.bincount(self.outcome + 4 * ~self.trials.genuine, minlength=8).reshape(2, 4)
        thresholds = [np.atleast_1d(judgement.at(self.index).threshold) for judgement in (self.a, self.b)]
        counted = count_people([self.a, self.b], "test", thresholds)
        assert counted is not None
        # cells are numbered by acceptance, which is right for genuine trials and wrong for impostor trials
        return np.stack([counted.genuine.counts, counted.impostor.counts[::-1]])

    @property
    def alpha(self) -> float:
        """The alpha of the thresholds."""
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
        (_, genuine_ba, genuine_ab, _), (_, impostor_ba, impostor_ab, _) = self.cells.tolist()
        return Discordant(impostor_ab, impostor_ba, genuine_ab, genuine_ba)

    @property
    def agreement(self) -> Agreement:
        """The trials on which they agree and disagree."""
        both_wrong, _, _, both_right = self.cells.sum(axis=0).tolist()
        return Agreement(self.discordant, both_right, both_wrong)

    @property
    def outcome(self) -> NDArray[np.int64]:
        """The outcome cell of each trial: 0 both wrong, 1 only A, 2 only B, 3 none."""
        return np.where(self.wrong_a, np.where(self.wrong_b, 0, 1), np.where(self.wrong_b, 2, 3))


def pair_judgements(a: Judgement, b: Judgement, *, index: int = 0) -> Pair:
    """Compute the decisions of both systems on all trials."""
    if not (a.sets is b.sets or a.trials is b.trials or np.array_equal(a.trials.genuine, b.trials.genuine)):
        raise TrialsError(f"{a.system} and {b.system} were judged on different trials")
    if not a.sets.has_scores:
        raise TrialsError("counters do not show on which trials two systems err together", code="needs-scores")
    return Pair(a, b, index)


def leading_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    threshold: Threshold = "re-estimated",
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test the difference, accounting for trials that share people and systems that share trials.

    Parameters
    ----------
    pair
        Two systems on the same trials.
    measure
        Any measure.
    threshold
        ``re-estimated``: test whether the systems differ, with thresholds chosen anew. ``fixed``: test whether they
        differ at these thresholds.

    Returns
    -------
    TestResult
        By Student's t, called ``cluster`` if trials share people and ``paired`` if not.
    """
    measure = as_measure(measure)
    difference = estimate([(1.0, pair.a), (-1.0, pair.b)], measure, index=pair.index, threshold=threshold)
    sets, note = pair.a.sets, None
    people = pair.a.people
    if people is not None:
        single_roles: dict[str, Any] = {
            word: " and ".join(part.alone)
            for word, part in (("genuine", people.genuine), ("impostor", people.impostor))
            if part.alone
        }
        template = "the effective number of people is {people:number}"
        note = Note("effective-people", template, detail=True, people=round(difference.people, 1))
        if single_roles:
            same = " and ".join(f"all {word} trials have the same {{{word}}}" for word in single_roles)
            note = Note("one-person", f"the effective number of people cannot be estimated: {same}", **single_roles)
    return student_test(sets.test_name, difference, alternative=alternative, measure=measure, note=note or "")


def permutation_test(
    pair: Pair,
    *,
    measure: MeasureLike = "hter",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
    alternative: Alternative = "two-sided",
) -> TestResult:
    """Test the difference by exchanging A and B on each trial at random, all trials independent.

    Only discordant trials matter, and the number of them that change sides is binomial: two draws per permutation.
    """
    check_resamples(n_resamples)
    measure = as_measure(measure)
    weights = linear_weights(measure, pair.alpha)
    discordant = pair.discordant
    generator = as_generator(rng)
    a = pair.counts_a
    impostor = discordant.impostor_ab + discordant.impostor_ba
    genuine = discordant.genuine_ab + discordant.genuine_ba
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
        measure=measure.name,
        is_share=measure.is_share,
        label=measure.label,
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

    Drawing both people of a trial overstates the variance that belongs to neither of them: conservative (Owen 2007).

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, section 5; Owen 2007.
    """
    people = pair.a.sets.people[1]
    table = CountTable(pair.cells.ravel().astype(np.float64), 4, stratified=stratified)
    if people is not None:
        table = count_table(pair.trials, pair.outcome, 4, people, stratified=stratified)
    statistic = two_systems(lambda counts: measure(counts, pair.alpha))
    return draw_replicates(table, statistic, n_resamples=n_resamples, rng=rng, workers=workers, progress=progress)


def bootstrap_test(
    bootstrap: Bootstrap, *, alternative: Alternative = "two-sided", measure: AnyMeasureLike = "hter"
) -> TestResult:
    """Test a bootstrapped difference against 0; without a standard deviation if all replicates are equal."""
    measure = as_any_measure(measure)
    return TestResult(
        "bootstrap",
        bootstrap.estimate,
        bootstrap.p_value(alternative),
        bootstrap.estimate,
        float(np.std(bootstrap.replicates)) if bootstrap.moves else None,
        alternative,
        "" if bootstrap.moves else "all replicates are equal, so nothing can be tested",
        measure=measure.name,
        is_share=measure.is_share,
        label=measure.label,
    )


def other_tests(
    pair: Pair,
    replicates: Bootstrap | None,
    *,
    measure: Measure,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = 0,
) -> list[TestResult]:
    """Run all tests of the measure but the leading one; without replicates no bootstrap."""
    options: dict[str, Any] = {"measure": measure, "alternative": alternative}
    tests = []
    if pair.a.can_move:
        tests.append(leading_test(pair, threshold="fixed", **options))
    if replicates is not None:
        tests.append(bootstrap_test(replicates, **options))
    if measure.weights is not None:
        a, b = pair.counts_a, pair.counts_b
        tests.append(dependent_test(a, b, pair.discordant, alpha=pair.alpha, **options))
        tests.append(independent_test(a, b, names=(pair.a.system, pair.b.system), alpha=pair.alpha, **options))
        tests.append(permutation_test(pair, n_resamples=n_resamples, rng=rng, **options))
    mcnemar = mcnemar_test(pair.agreement.only_a_wrong, pair.agreement.only_b_wrong)
    tests.append(
        TestResult(
            "mcnemar",
            mcnemar.chi2,
            mcnemar.p_value,
            (mcnemar.b - mcnemar.c) / int(pair.cells.sum()),
            note="compares the classification error over all trials; two-sided",
            measure="class-error",
        )
    )
    return tests


REPEATS = 5
"""The number of times that people are divided into halves for the 5x2cv test."""


def corrected_resampled_test(
    differences: ArrayLike,
    *,
    test_to_train: float | None = None,
    measure: MeasureLike = "hter",
    alternative: Alternative = "two-sided",
) -> TestResult:
    r"""Test the differences of folds by Student's t, with a variance for overlapping training sets.

    .. math:: t = \bar d / \sqrt{(1 / J + n_2 / n_1) s^2}

    with the mean and the variance of J differences, of tests on :math:`n_2` trials after training on :math:`n_1`.

    Parameters
    ----------
    differences : array_like
        A - B on each fold or random split, two or more, shape (folds,).
    test_to_train : float, optional
        The number of test trials per training trial; by default 1 / (J - 1), as with J folds.
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``corrected-resampled``, with J - 1 degrees of freedom.

    Raises
    ------
    ParameterError
        If there are fewer than two differences, one is not a number, or the ratio is below 0.

    Notes
    -----
    The correlation of any two differences is taken to be n2 / (n1 + n2). If only the threshold is chosen on the
    training folds it is smaller, and the test is conservative.

    References
    ----------
    Nadeau & Bengio, Inference for the generalization error, Machine Learning 52, 2003.

    Examples
    --------
    >>> result = corrected_resampled_test([0.01, 0.02, 0.015, 0.03, 0.01])
    >>> round(result.statistic, 3), result.degrees
    (3.029, 4)
    """
    values = _numbers(differences)
    if values.ndim != 1 or len(values) < 2:
        raise ParameterError(f"the test needs two differences or more in one row, not an array of shape {values.shape}")
    count = len(values)
    ratio = 1 / (count - 1) if test_to_train is None else test_to_train
    if not (np.isfinite(ratio) and ratio >= 0):
        raise ParameterError(f"test_to_train must be a number of at least 0, not {ratio}")
    # the mean of equal numbers may differ from them in the last digit
    variance = float(np.var(values, ddof=1)) if np.ptp(values) else 0.0
    sigma = sqrt((1 / count + ratio) * variance)
    return z_test(
        "corrected-resampled",
        float(values.mean()),
        sigma,
        alternative=alternative,
        measure=measure,
        note=f"mean over {plural(count, 'fold')}",
        threshold="re-estimated",
        degrees=count - 1,
    )


def five_by_two_test(
    differences: ArrayLike, *, measure: MeasureLike = "hter", alternative: Alternative = "two-sided"
) -> TestResult:
    r"""Test the differences of five times two halves by Student's t with five degrees of freedom.

    .. math:: t = d_1^{(1)} / \sqrt{\tfrac 1 5 \sum_i s_i^2}

    where :math:`s_i^2` is the sum of squares of the two differences of deal i about their mean.

    Parameters
    ----------
    differences : array_like
        A - B: one row per deal, one column per half; shape (5, 2).
    measure : str, Measure, DetectionCosts or callable, default "hter"
        What is compared: a name in `MEASURES`, a measure, detection costs, or a function of an `ErrorCounts`.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).

    Returns
    -------
    TestResult
        Called ``5x2cv``. Its difference is the one that it tests, that of the first half of the first deal.

    Raises
    ------
    ParameterError
        If the differences are not five rows of two numbers.

    References
    ----------
    Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms, Neural
    Computation 10, 1998, section 3.5.

    Examples
    --------
    >>> halves = [[0.02, 0.01], [0.03, 0.01], [0.02, 0.02], [0.01, 0.03], [0.02, 0.01]]
    >>> result = five_by_two_test(halves)
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (2.0, 0.1019)
    """
    values = _numbers(differences)
    if values.shape != (REPEATS, 2):
        raise ParameterError(f"the 5x2cv test needs five rows of two differences, not an array of shape {values.shape}")
    variances = np.var(values, axis=1, ddof=1)
    return z_test(
        "5x2cv",
        float(values[0, 0]),
        sqrt(float(variances.mean())),
        alternative=alternative,
        measure=measure,
        note="the difference is that of the first split into halves, on which the test is based",
        threshold="re-estimated",
        degrees=REPEATS,
    )


def fold_differences(pair: Pair, measure: Measure) -> NDArray[np.float64]:
    """Compute the difference A - B of each fold, on its held-out trials at thresholds from other people.

    Raises
    ------
    TrialsError
        If a fold lacks genuine or impostor trials.
    """
    fold, genuine = fold_of_trials(pair.a.sets.blocks), pair.trials.genuine
    lacking = fold_without_class(pair.a.sets.blocks, genuine)
    if lacking:
        raise TrialsError(lacking)
    is_judged = fold >= 0
    values = []
    for wrong in (pair.wrong_a, pair.wrong_b):
        cells = np.bincount((4 * fold + 2 * genuine + wrong)[is_judged], minlength=4 * (1 + int(fold.max())))
        right_impostor, accepts, right_genuine, rejects = cells.reshape(-1, 4).T
        counts = ErrorCounts(np.nan, accepts, rejects, right_genuine + rejects, right_impostor + accepts)
        values.append(np.asarray(measure(counts, pair.alpha), dtype=np.float64))
    return values[0] - values[1]


def fold_without_class(blocks: Sequence[Block], genuine: NDArray[np.bool_]) -> str:
    """Write which fold lacks genuine or impostor trials; empty if none does."""
    fold = fold_of_trials(blocks)
    for number in range(1 + int(fold.max())):
        for name, rows in (("genuine", genuine), ("impostor", ~genuine)):
            if not np.any((fold == number) & rows):
                return f"fold {number + 1} has no {name} trial, so it shows no difference"
    return ""


def _numbers(differences: ArrayLike) -> NDArray[np.float64]:
    """Validate the differences of folds."""
    try:
        values = np.asarray(differences, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the differences must be numbers: {error}") from error
    if not np.isfinite(values).all():
        raise ParameterError("a difference is not a finite number")
    return values
