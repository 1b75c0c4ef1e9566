"""The bootstrap on counts against resampling of rows, and its repeatability."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy import stats

from fairtrial import MEASURES, ErrorCounts, ParameterError, Trials
from fairtrial.inference.bootstrap import Bootstrap, Statistic, count_table, draw_replicates
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.people import Cluster, People
from reference.hter_2004 import BOOTSTRAP_INTERVAL_OF_A, FALSE_ACCEPTS_OF_A, FALSE_REJECTS_OF_A, MODEL_A


def one_system(measure: Callable[[ErrorCounts], Any]) -> Statistic:
    """A measure as a statistic of the cells wrong and right, genuine and then impostor."""

    def statistic(cells: NDArray[np.float64]) -> NDArray[np.float64]:
        counts = ErrorCounts(None, cells[:, 2], cells[:, 0], cells[:, :2].sum(axis=1), cells[:, 2:].sum(axis=1))
        return np.asarray(measure(counts), dtype=np.float64)

    return statistic


def hter(counts: ErrorCounts) -> np.ndarray:
    return np.asarray(counts.hter)


def model_a() -> Trials:
    """Model A of Bengio & Mariéthoz 2004, trial by trial."""
    genuine = np.repeat([True, False], [MODEL_A.genuine, MODEL_A.impostor])
    scores = np.where(genuine, 1.0, 0.0)
    scores[:FALSE_REJECTS_OF_A], scores[MODEL_A.genuine : MODEL_A.genuine + FALSE_ACCEPTS_OF_A] = 0.0, 1.0
    return Trials.from_arrays(scores, genuine)


def table(trials: Trials, cluster: Cluster = "none", **options: bool):  # type: ignore[no-untyped-def]
    people = None if cluster == "none" else People.of(trials, cluster)
    return count_table(trials, 1 - wrong_decisions(trials, None, 0.5).astype(np.int64), 2, people, **options)


def test_percentile_interval_of_model_a() -> None:
    found = draw_replicates(table(model_a()), one_system(hter), n_resamples=10_000)
    assert found.interval() == pytest.approx(BOOTSTRAP_INTERVAL_OF_A, abs=3e-4)
    assert found.estimate == pytest.approx((FALSE_ACCEPTS_OF_A / MODEL_A.impostor + MODEL_A.frr) / 2)


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
            stratified=True,
        ),
        one_system(lambda counts: np.asarray(counts.frr)),
        n_resamples=20_000,
    )
    named = "rng" if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15) else "random_state"
    generator: dict[str, Any] = {named: np.random.default_rng(0)}
    theirs = stats.bootstrap((errors,), np.mean, method="BCa", n_resamples=20_000, **generator)
    found = ours.interval(method="bca")
    assert found == pytest.approx(tuple(theirs.confidence_interval), abs=0.009)
    # Efron's acceleration of a mean: the third moment over six times the second to the power 1.5
    off = errors - errors.mean()
    assert ours.acceleration == pytest.approx(np.sum(off**3) / (6 * np.sum(off**2) ** 1.5), rel=0.02)


def test_bc_corrects_for_bias_alone() -> None:
    replicates = np.random.default_rng(1).gamma(3.0, size=4000)
    estimate = float(np.quantile(replicates, 0.4))
    found = Bootstrap(estimate, replicates, 0.1)
    bias = stats.norm.ppf(np.mean(replicates < estimate) + np.mean(replicates == estimate) / 2)
    for method, acceleration in (("bc", 0.0), ("bca", 0.1)):
        ends = bias + stats.norm.ppf([0.025, 0.975])
        expected = np.quantile(replicates, stats.norm.cdf(bias + ends / (1 - acceleration * ends)))
        assert found.interval(method=method) == pytest.approx(expected)  # type: ignore[arg-type]
    assert found.interval(method="bc") != found.interval(method="bca")
    assert Bootstrap(estimate, replicates, 0.0).interval(method="bca") == found.interval(method="bc")
    with pytest.raises(ParameterError, match='use method="bc"'):
        Bootstrap(estimate, replicates).interval(method="bca")


def test_p_values_by_side() -> None:
    replicates = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
    found = Bootstrap(1.0, replicates)
    # one more replicate on either side, so that no p is 0: 3 at or below 0, 7 at or above
    assert found.p_value("greater") == pytest.approx(4 / 10)
    assert found.p_value("less") == pytest.approx(8 / 10)
    assert found.p_value() == pytest.approx(8 / 10)
    assert Bootstrap(1.0, replicates + 2).p_value() == pytest.approx(2 / 10)


def test_a_standard_deviation_that_is_0_up_to_rounding_tells_nothing() -> None:
    noise = np.random.default_rng(0).choice([0.0, 3.5e-18], 100)
    for found in (Bootstrap(0.025, 0.025 + noise), Bootstrap(0.025, np.full(100, np.nextafter(0.025, 1)))):
        assert not found.moves
        assert found.p_value() == found.p_value("greater") == 1
    assert Bootstrap(0.0, np.array([0.0, 1e-9])).moves


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
    with pytest.raises(ParameterError, match="at least one"):
        draw_replicates(table(model_a()), one_system(hter), n_resamples=0)
    with pytest.raises(ParameterError, match="at least one"):
        draw_replicates(table(model_a()), one_system(hter), workers=0)
    found = Bootstrap(0.0, np.zeros(3), 0.0)
    with pytest.raises(ParameterError, match="method must be one of"):
        found.interval(method="normal")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="confidence"):
        found.interval(confidence=2)
