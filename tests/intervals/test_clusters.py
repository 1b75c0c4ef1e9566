"""Cluster-robust variances against brute force over all pairs of trials, and by simulation."""

from itertools import product

import numpy as np
import pytest
from fairtrial.intervals.clusters import (
    SharedPeople,
    cluster_interval,
    cluster_variance,
    contributions,
    wrong_decisions,
)
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import Trials, TrialsError, hter_interval
from fairtrial.counting.errors import as_source, count_errors
from fairtrial.intervals.rates import independent_variance
from fairtrial.people import Cluster
from fairtrial.rules.measures import Weights


def some_trials(seed: int, count: int = 40, people: int = 6) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = rng.integers(0, people, (2, count))
    claim[:4], subject[:4] = [0, 1, 1, 2], [0, 0, 1, 1]
    return Trials.from_arrays(rng.normal(size=count), claim == subject, claim=claim, subject=subject)


def dependent(trials: Trials, cluster: Cluster, i: int, j: int) -> bool:
    """Whether two trials share a person."""
    claim, subject = (trials.ids[name].decode() for name in ("claim", "subject"))
    if cluster == "claim":
        return bool(claim[i] == claim[j])
    if cluster == "subject":
        return bool(subject[i] == subject[j])
    return bool({claim[i], subject[i]} & {claim[j], subject[j]})


@pytest.mark.parametrize("cluster", ["claim", "subject", "both"])
@given(seed=st.integers(0, 60))
def test_variance_is_the_sum_over_dependent_pairs(cluster: Cluster, seed: int) -> None:
    trials = some_trials(seed)
    deviations = contributions(trials.genuine, wrong_decisions(trials, None, 0.2), Weights(0.5, 0.5))
    pairs = product(range(len(trials)), repeat=2)
    expected = sum(deviations[i] * deviations[j] for i, j in pairs if dependent(trials, cluster, i, j))
    found = cluster_variance(trials, deviations, cluster=cluster)
    one_way = [
        sum(
            deviations[i] * deviations[j]
            for i, j in product(range(len(trials)), repeat=2)
            if dependent(trials, side, i, j)
        )
        for side in ("claim", "subject")
    ]
    if cluster == "both" and expected <= 0:
        expected = max(one_way)
    assert found.variance == pytest.approx(expected * (found.degrees + 1) / found.degrees)


@pytest.mark.parametrize("cluster", ["none", "claim", "subject", "both"])
@given(seed=st.integers(0, 60), threshold=st.floats(-2, 2))
def test_variance_from_errors_alone_is_that_of_all_contributions(cluster: Cluster, seed: int, threshold: float) -> None:
    trials = some_trials(seed)
    weights = Weights(0.3, 0.9)
    wrong = wrong_decisions(trials, None, threshold)
    difference = wrong.astype(np.int8) - wrong_decisions(trials, None, 0.1).astype(np.int8)
    shared = SharedPeople.of(trials, cluster)
    for errors in (wrong, difference):
        expected = shared.variance(contributions(trials.genuine, errors, weights))
        found = shared.error_variance(errors, weights)
        assert found.variance == pytest.approx(expected.variance, abs=1e-15)
        assert found.degrees == pytest.approx(expected.degrees)
        for part in ("genuine", "impostor"):
            assert getattr(found, part).variance == pytest.approx(getattr(expected, part).variance, abs=1e-15)


def test_contributions_sum_to_nothing_and_squares_to_the_independent_variance() -> None:
    trials = some_trials(3, 400, 30)
    wrong = wrong_decisions(trials, None, 0.0)
    weights = Weights(0.3, 0.9)
    deviations = contributions(trials.genuine, wrong, weights)
    assert deviations.sum() == pytest.approx(0)
    counts = count_errors(as_source(trials), 0.0).scalar()
    assert np.sum(deviations**2) == pytest.approx(independent_variance(counts, weights))


def test_everybody_with_one_trial_is_as_good_as_independent() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(2000) % 2 == 0
    trials = Trials.from_arrays(rng.normal(genuine, 1), genuine, claim=np.arange(2000), subject=np.arange(2000) + 5000)
    independent = hter_interval(count_errors(as_source(trials), 0.5).scalar())
    clusters: list[Cluster] = ["claim", "subject", "both"]
    for cluster in clusters:
        found = cluster_interval(trials, 0.5, cluster=cluster)
        assert found.sigma == pytest.approx(independent.sigma, rel=1e-3)
        assert found.estimate == pytest.approx(independent.estimate)


def test_degrees_of_freedom_are_welchs() -> None:
    from scipy import stats

    rng = np.random.default_rng(2)
    genuine = np.arange(90) < 30
    trials = Trials.from_arrays(rng.normal(genuine, 1), genuine, claim=np.arange(90), subject=np.arange(90) + 100)
    wrong = wrong_decisions(trials, None, 0.4)
    expected = stats.ttest_ind(wrong[genuine].astype(float), wrong[~genuine].astype(float), equal_var=False).df
    clusters: list[Cluster] = ["none", "claim", "both"]
    for cluster in clusters:
        found = cluster_variance(trials, contributions(genuine, wrong, Weights(0.5, 0.5)), cluster=cluster)
        assert found.degrees == pytest.approx(expected)
        assert (found.genuine.people, found.impostor.people) == (30, 60)


def test_one_person_only_is_an_error() -> None:
    trials = Trials.from_arrays([0.0, 1.0], [False, True], claim=["a", "a"], subject=["b", "a"])
    with pytest.raises(TrialsError, match="same claim"):
        cluster_interval(trials, 0.5, cluster="claim")
    plain = Trials.from_arrays([0.0, 1.0], [False, True])
    assert cluster_interval(plain, 0.5).method == "cluster-none"
    with pytest.raises(TrialsError, match="needs claim ids"):
        cluster_interval(plain, 0.5, cluster="claim")


def test_coverage_with_client_and_impostor_effects() -> None:
    # 60 clients x 25 impostors, both with effects on the score; the true rates follow from the normal model
    from statistics import NormalDist

    rng = np.random.default_rng(1)
    clients, impostors, spread, threshold = 60, 25, 0.7, 1.3
    claim = np.concatenate([np.repeat(np.arange(clients), 4), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.repeat(np.arange(clients), 4), 100 + np.tile(np.arange(impostors), clients)])
    genuine = claim == subject
    far = 1 - NormalDist(0, (1 + spread**2) ** 0.5).cdf(threshold)
    frr = NormalDist(2.5).cdf(threshold)
    truth = (far + frr) / 2
    trials = Trials.from_arrays(np.zeros(len(claim)), genuine, claim=claim, subject=subject)
    covered = {"both": 0, "independent": 0}
    for _ in range(800):
        effect = rng.normal(0, spread, 200)
        scores = np.where(genuine, 2.5, effect[subject]) + rng.normal(size=len(claim))
        data = Trials(scores[:, None], genuine, ("system",), claim=trials.claim, subject=trials.subject)
        robust = cluster_interval(data, threshold)
        plain = hter_interval(count_errors(as_source(data), threshold).scalar())
        covered["both"] += robust.low <= truth <= robust.high
        covered["independent"] += plain.low <= truth <= plain.high
    assert 0.925 <= covered["both"] / 800 <= 0.975
    assert covered["independent"] / 800 < 0.85


def test_interval_with_no_error_has_a_width() -> None:
    trials = some_trials(0, 400, 30)
    none = cluster_interval(
        Trials(np.where(trials.genuine, 1.0, 0.0)[:, None], trials.genuine, ("s",), trials.claim, trials.subject), 0.5
    )
    assert (none.estimate, none.sigma) == (0, 0)
    assert none.low == pytest.approx(0)
    assert 0.01 < none.high < 0.3


def test_independent_trials_give_wilsons_limits() -> None:
    # only FRR counts: then the interval is Wilson's own, with Student's quantile for very many people
    from scipy.stats import binomtest

    count = 4000
    genuine = np.arange(2 * count) < count
    scores = np.where(genuine, 1.0, 0.0)
    scores[:60] = 0.0
    trials = Trials.from_arrays(scores, genuine, claim=np.arange(2 * count))
    found = cluster_interval(trials, 0.5, measure="frr")
    expected = binomtest(60, count).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=2e-3)
    recall = cluster_interval(trials, 0.5, measure="recall")
    assert (recall.low, recall.high) == pytest.approx((1 - found.high, 1 - found.low))
    assert recall.estimate == pytest.approx(1 - 60 / count)
