"""The bootstrap on counts against resampling of rows, and its repeatability."""

from math import sqrt

import numpy as np
import pytest
from fairtrial.intervals.clusters import wrong_decisions
from scipy import stats

from fairtrial import MEASURES, ErrorCounts, ParameterError, Trials
from fairtrial.intervals.bootstrap import Bootstrap, count_table, draw_replicates, one_system
from fairtrial.people import Cluster


def hter(counts: ErrorCounts) -> np.ndarray:
    return np.asarray(counts.hter)


def model_a() -> Trials:
    """FA 1285 of 112,000 and FR 10 of 400: model A of Bengio & Mariéthoz 2004."""
    genuine = np.repeat([True, False], [400, 112_000])
    scores = np.where(genuine, 1.0, 0.0)
    scores[:10], scores[400 : 400 + 1285] = 0.0, 1.0
    return Trials.from_arrays(scores, genuine)


def table(trials: Trials, cluster: Cluster = "none", **options: bool):  # type: ignore[no-untyped-def]
    return count_table(trials, 1 - wrong_decisions(trials, None, 0.5).astype(np.int64), 2, cluster=cluster, **options)


def test_percentile_interval_of_model_a() -> None:
    found = draw_replicates(table(model_a()), one_system(hter), n_resamples=10_000)
    assert found.interval() == pytest.approx((0.0109, 0.0264), abs=3e-4)
    assert found.estimate == pytest.approx((1285 / 112_000 + 0.025) / 2)


def test_replicates_are_those_of_resampled_rows() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(300) % 3 == 0
    trials = Trials.from_arrays(rng.normal(genuine, 1), genuine)
    wrong = wrong_decisions(trials, None, 0.5)
    by_rows = []
    for _ in range(4000):
        rows = rng.integers(0, 300, 300)
        w, g = wrong[rows], genuine[rows]
        by_rows.append((w[g].mean() + w[~g].mean()) / 2)
    found = draw_replicates(table(trials), one_system(hter), n_resamples=4000, rng=1)
    assert stats.ks_2samp(by_rows, found.replicates).pvalue > 0.001
    f1 = draw_replicates(table(trials), one_system(MEASURES["f1"]), n_resamples=2000, rng=1)
    assert f1.interval().low < f1.estimate < f1.interval().high


def test_stratified_keeps_the_class_sizes() -> None:
    drawn = table(model_a(), stratified=True).draw(50, np.random.default_rng(0))
    assert (drawn[:, :2].sum(axis=1) == 400).all()
    assert (drawn[:, 2:].sum(axis=1) == 112_000).all()
    loose = table(model_a()).draw(50, np.random.default_rng(0))
    assert (loose.sum(axis=1) == 112_400).all()
    assert np.std(loose[:, :2].sum(axis=1)) > 0


def grid(people: int = 20, seed: int = 0) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(people**2), people)
    effect = rng.normal(0, 1, people)
    scores = np.where(claim == subject, 2.0, effect[subject]) + rng.normal(size=people**2)
    return Trials.from_arrays(scores, claim == subject, claim=claim, subject=subject)


@pytest.mark.parametrize("cluster", ["claim", "subject", "both"])
def test_people_are_resampled_with_all_their_trials(cluster: Cluster) -> None:
    trials = grid()
    rng = np.random.default_rng(3)
    claim, subject = np.divmod(np.arange(400), 20)
    wrong = wrong_decisions(trials, None, 0.5)
    by_rows = []
    for _ in range(3000):
        number = np.bincount(rng.integers(0, 20, 20), minlength=20)
        if cluster == "both":
            weight = np.where(claim == subject, number[claim], number[claim] * number[subject])
        else:
            weight = number[claim if cluster == "claim" else subject]
        far = np.average(wrong[~trials.genuine], weights=weight[~trials.genuine])
        frr = np.average(wrong[trials.genuine], weights=weight[trials.genuine])
        by_rows.append((far + frr) / 2)
    found = draw_replicates(table(trials, cluster), one_system(hter), n_resamples=3000)
    assert stats.ks_2samp(by_rows, found.replicates).pvalue > 0.001


@pytest.mark.parametrize("cluster", ["none", "claim", "both"])
def test_left_out_counts_are_those_without_the_trial_or_person(cluster: Cluster) -> None:
    trials = grid(6)
    without, weight = table(trials, cluster).left_out()
    if cluster == "none":
        assert (table(trials).cells - without).sum(axis=1) == pytest.approx(1)
        assert weight.sum() == len(trials)
        return
    claim, subject = np.divmod(np.arange(36), 6)
    taking_part = (claim == 2) | ((subject == 2) & (cluster == "both"))
    assert any(row.sum() == np.count_nonzero(~taking_part) for row in without)


def test_a_seed_gives_the_same_replicates_for_any_workers() -> None:
    one, four = (
        draw_replicates(table(model_a()), one_system(hter), n_resamples=3000, rng=5, workers=w) for w in (1, 4)
    )
    assert np.array_equal(one.replicates, four.replicates)
    other = draw_replicates(table(model_a()), one_system(hter), n_resamples=3000, rng=6)
    assert not np.array_equal(one.replicates, other.replicates)


def test_bca_against_scipy() -> None:
    rng = np.random.default_rng(2)
    errors = (rng.random(120) < 0.08).astype(float)
    ours = draw_replicates(
        count_table(
            Trials.from_arrays(np.zeros(240), np.repeat([True, False], 120)),
            np.concatenate([1 - errors, np.ones(120)]).astype(np.int64),
            2,
            cluster="none",
            stratified=True,
        ),
        one_system(lambda counts: np.asarray(counts.frr)),
        n_resamples=20_000,
    )
    theirs = stats.bootstrap((errors,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(0))
    found = ours.interval(method="bca")
    assert found == pytest.approx(tuple(theirs.confidence_interval), abs=0.009)


def test_centred_interval_holds_its_share_around_the_mean() -> None:
    replicates = np.random.default_rng(0).normal(1.0, 2.0, 20_000)
    low, high = Bootstrap(1.0, replicates, 0.0).interval(method="centred")
    assert (low + high) / 2 == pytest.approx(replicates.mean())
    assert np.mean((replicates >= low) & (replicates <= high)) == pytest.approx(0.95, abs=1e-3)


def test_replicates_without_a_class_are_redrawn_and_counted() -> None:
    trials = Trials.from_arrays([1.0, 0.0, 0.0, 0.0, 0.0, 1.0], [True, False, False, False, False, False])
    found = draw_replicates(table(trials), one_system(hter), n_resamples=1000)
    expected = (5 / 6) ** 6
    assert found.redrawn / (1000 + found.redrawn) == pytest.approx(expected, abs=4 * sqrt(expected / 1000))
    assert not np.isnan(found.replicates).any()


def test_bad_numbers() -> None:
    for options in ({"n_resamples": 0}, {"workers": 0}):
        with pytest.raises(ParameterError, match="at least one"):
            draw_replicates(table(model_a()), one_system(hter), **options)
    found = Bootstrap(0.0, np.zeros(3), 0.0)
    with pytest.raises(ParameterError, match="method must be one of"):
        found.interval(method="normal")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="confidence"):
        found.interval(confidence=2)
