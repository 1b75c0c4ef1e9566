"""Tests over cross-validation folds, from the difference that each fold shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.claims import Alternative
from fairtrial.counting.errors import ErrorCounts
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.folds import Block, fold_of_trials
from fairtrial.rules.measures import Measure, MeasureLike
from fairtrial.significance.paired import Pair
from fairtrial.significance.results import TestResult, z_test
from fairtrial.tables import plural

REPEATS = 5
"""How often people are dealt into halves for the 5x2cv test."""


def corrected_resampled_test(
    differences: ArrayLike,
    *,
    test_to_train: float | None = None,
    measure: MeasureLike = "hter",
    alternative: Alternative = "two-sided",
) -> TestResult:
    r"""Test the differences of folds by Student's t, with a variance that allows for training sets that overlap.

    .. math:: t = \bar d / \sqrt{(1 / J + n_2 / n_1) s^2}

    with the mean and the variance of J differences, of tests on :math:`n_2` trials after training on :math:`n_1`.

    Parameters
    ----------
    differences : array_like
        A - B on each fold or random split, two or more, shape (folds,).
    test_to_train : float, optional
        How many test trials there are per training trial; by default 1 / (J - 1), as with J folds.
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
        Fewer than two differences, one that is not a number, or a ratio below 0.

    Notes
    -----
    The correlation of any two differences is taken to be n2 / (n1 + n2). Where only the threshold is chosen on the
    training folds it is smaller, and the test is careful: it finds fewer differences than there are.

    References
    ----------
    Nadeau & Bengio, Inference for the generalization error, Machine Learning 52, 2003.

    Examples
    --------
    >>> result = corrected_resampled_test([0.01, 0.02, 0.015, 0.03, 0.01])
    >>> round(result.statistic, 3), result.degrees
    (3.029, 4)
    """
    found = _numbers(differences)
    if found.ndim != 1 or len(found) < 2:
        raise ParameterError(f"the test needs two differences or more in one row, not an array of shape {found.shape}")
    count = len(found)
    ratio = 1 / (count - 1) if test_to_train is None else test_to_train
    if not (np.isfinite(ratio) and ratio >= 0):
        raise ParameterError(f"test_to_train must be a number of at least 0, not {ratio}")
    # the mean of equal numbers may differ from them in the last digit
    variance = float(np.var(found, ddof=1)) if np.ptp(found) else 0.0
    sigma = sqrt((1 / count + ratio) * variance)
    return z_test(
        "corrected-resampled",
        float(found.mean()),
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
        Other than five rows of two numbers.

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
    found = _numbers(differences)
    if found.shape != (REPEATS, 2):
        raise ParameterError(f"the 5x2cv test needs five rows of two differences, not an array of shape {found.shape}")
    variances = np.var(found, axis=1, ddof=1)
    return z_test(
        "5x2cv",
        float(found[0, 0]),
        sqrt(float(variances.mean())),
        alternative=alternative,
        measure=measure,
        note="the difference is that of the first half dealt, which the test goes by",
        threshold="re-estimated",
        degrees=REPEATS,
    )


def fold_differences(pair: Pair, measure: Measure) -> NDArray[np.float64]:
    """The difference A - B of each fold, on its held-out trials at thresholds from other people.

    Parameters
    ----------
    pair
        Two systems judged over the same blocks.
    measure
        Any measure.

    Raises
    ------
    TrialsError
        A fold without genuine or without impostor trials.
    """
    fold, genuine = fold_of_trials(pair.a.sets.blocks), pair.trials.genuine
    lacking = fold_without_class(pair.a.sets.blocks, genuine)
    if lacking:
        raise TrialsError(lacking)
    values = np.array(
        [
            [float(measure(own, pair.alpha)) for own in _counts_by_fold(fold, genuine, wrong)]
            for wrong in (pair.wrong_a, pair.wrong_b)
        ]
    )
    return np.asarray(values[0] - values[1])


def fold_without_class(blocks: Sequence[Block], genuine: NDArray[np.bool_]) -> str:
    """What is wrong with folds that lack genuine or impostor trials to show a difference on; empty where none does."""
    fold = fold_of_trials(blocks)
    for number in range(1 + int(fold.max())):
        for name, rows in (("genuine", genuine), ("impostor", ~genuine)):
            if not np.any((fold == number) & rows):
                return f"fold {number + 1} has no {name} trial, so it shows no difference"
    return ""


def _counts_by_fold(
    fold: NDArray[np.int64], genuine: NDArray[np.bool_], wrong: NDArray[np.bool_]
) -> Iterator[ErrorCounts]:
    """The errors of each fold."""
    kept = fold >= 0
    cells = np.bincount((4 * fold + 2 * genuine + wrong)[kept], minlength=4 * (1 + int(fold.max())))
    for right_impostor, accepts, right_genuine, rejects in cells.reshape(-1, 4).tolist():
        yield ErrorCounts(float("nan"), accepts, rejects, right_genuine + rejects, right_impostor + accepts)


def _numbers(differences: ArrayLike) -> NDArray[np.float64]:
    try:
        found = np.asarray(differences, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the differences must be numbers: {error}") from error
    if not np.isfinite(found).all():
        raise ParameterError("a difference is not a finite number")
    return found
