"""Bootstraps in which the threshold moves: against resampling of scores themselves."""

import numpy as np
import pytest
from fairtrial.intervals.clusters import wrong_decisions
from fairtrial.intervals.resampled import bootstrap_eer, bootstrap_with_threshold
from numpy.typing import NDArray
from scipy import stats

from fairtrial import ErrorCounts, ParameterError, Trials, choose_thresholds, count_errors, equal_error_rate
from fairtrial.intervals.bootstrap import count_table, draw_replicates, one_system

Scores = tuple[NDArray[np.float64], NDArray[np.float64]]


def classes(shape: str) -> Scores:
    rng = np.random.default_rng(0)
    sizes = {"few": (5, 7), "many": (400, 3000)}.get(shape, (60, 300))
    genuine, impostor = rng.normal(1.5, 1, sizes[0]), rng.normal(0, 1, sizes[1])
    if shape == "ties":
        return genuine.round(1), impostor.round(1)
    if shape == "apart":
        return genuine + 50, impostor
    if shape == "rejected":
        genuine[:10] = -np.inf
    return genuine, impostor


@pytest.mark.parametrize("shape", ["plain", "ties", "few", "many", "apart", "rejected"])
def test_eer_replicates_are_those_of_resampled_scores(shape: str) -> None:
    genuine, impostor = classes(shape)
    rng = np.random.default_rng(1)
    expected = [
        equal_error_rate((rng.choice(genuine, len(genuine)), rng.choice(impostor, len(impostor)))).value
        for _ in range(2000)
    ]
    trials = Trials.from_arrays(
        np.concatenate([genuine, impostor]), np.repeat([True, False], [len(genuine), len(impostor)])
    )
    found = bootstrap_eer(trials, n_resamples=2000)
    assert stats.ks_2samp(expected, found.replicates).pvalue > 1e-3
    assert found.estimate == equal_error_rate(trials).value
    assert np.array_equal(found.replicates, bootstrap_eer(trials, n_resamples=2000).replicates)


def test_eer_by_people_is_less_sure_than_by_trials() -> None:
    rng = np.random.default_rng(2)
    claim, subject = np.divmod(np.arange(1600), 40)
    scores = np.where(claim == subject, 3.0, 1.5 * rng.normal(size=40)[subject]) + rng.normal(size=1600)
    trials = Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)
    people, alone = (bootstrap_eer(trials, cluster=c, n_resamples=500).replicates.std() for c in ("both", "none"))
    assert people > 1.1 * alone


def some_trials(seed: int, size: int) -> Trials:
    rng = np.random.default_rng(seed)
    genuine = np.arange(size) % 4 == 0
    return Trials.from_arrays(rng.normal(2.0 * genuine, 1), genuine)


def test_moving_threshold_against_resampling_both_sets() -> None:
    dev, test = some_trials(0, 80), some_trials(1, 400)
    rng = np.random.default_rng(3)
    expected: list[float] = []
    while len(expected) < 1000:
        rows, others = rng.integers(0, 80, 80), rng.integers(0, 400, 400)
        threshold = choose_thresholds(dev.rows(rows), "eer", 0.5).threshold[0]
        expected.append(float(count_errors(test.rows(others), threshold).hter))
    found = bootstrap_with_threshold(dev, test, n_resamples=1000)
    assert stats.ks_2samp(expected, found.replicates).pvalue > 1e-3


def test_moving_threshold_is_less_sure_than_a_fixed_one() -> None:
    dev, test = some_trials(0, 60), some_trials(1, 4000)
    threshold = float(choose_thresholds(dev, "wer-min", 0.2).threshold[0])

    def wer(counts: ErrorCounts) -> NDArray[np.float64]:
        return np.asarray(0.2 * counts.far + 0.8 * counts.frr)

    moving = bootstrap_with_threshold(dev, test, criterion="wer-min", alpha=0.2, measure=wer, n_resamples=400)
    outcome = 1 - wrong_decisions(test, None, threshold).astype(np.int64)
    fixed = draw_replicates(count_table(test, outcome, 2, cluster="none"), one_system(wer), n_resamples=400)
    assert moving.estimate == pytest.approx(fixed.estimate)
    assert moving.replicates.std() > 1.2 * fixed.replicates.std()


def test_no_resamples() -> None:
    with pytest.raises(ParameterError, match="at least one resample"):
        bootstrap_eer(some_trials(0, 40), n_resamples=0)
    with pytest.raises(ParameterError, match="at least one resample"):
        bootstrap_with_threshold(some_trials(0, 40), some_trials(1, 40), n_resamples=0)
