"""Two systems on the same trials: the tests agree where they should, and keep their level where trials share people."""

import numpy as np
import pytest

from fairtrial import Trials, TrialsError
from fairtrial.significance import dependent_test, independent_test
from fairtrial.significance.paired import (
    Pair,
    bootstrap_difference,
    bootstrap_test,
    cluster_test,
    mcnemar_of_pair,
    pair_systems,
    permutation_test,
)


def two_systems(rng: np.random.Generator, *, clients: int = 40, impostors: int = 20, effect: float = 0.0) -> Trials:
    """Two equally good systems on the same trials; people have effects on each system of their own."""
    claim = np.concatenate([np.repeat(np.arange(clients), 4), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.repeat(np.arange(clients), 4), 1000 + np.tile(np.arange(impostors), clients)])
    genuine = claim == subject
    shared = rng.normal(size=len(claim))[:, None]
    own = rng.normal(size=(len(claim), 2))
    person = effect * rng.normal(size=(1000 + impostors, 2))
    scores = 2.2 * genuine[:, None] + 0.7 * shared + 0.7 * own + person[subject] * ~genuine[:, None]
    return Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)


def pair(trials: Trials) -> Pair:
    return pair_systems(trials, "a", "b", 1.1, 1.1)


def test_counts_and_discordant_trials_by_hand() -> None:
    trials = Trials.from_arrays(
        np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        [True, True, True, False, False, False],
        systems=["a", "b"],
    )
    found = pair_systems(trials, "a", "b", 0.5, 0.5)
    assert (found.counts_a.false_rejects, found.counts_a.false_accepts) == (1, 2)
    assert (found.counts_b.false_rejects, found.counts_b.false_accepts) == (2, 2)
    disagree = found.discordant
    assert (disagree.impostor_ab, disagree.impostor_ba, disagree.genuine_ab, disagree.genuine_ba) == (1, 1, 1, 0)
    assert found.outcome.tolist() == [2, 3, 0, 1, 2, 0]
    assert (mcnemar_of_pair(found).b, mcnemar_of_pair(found).c) == (1, 2)


def test_all_tests_agree_on_independent_trials() -> None:
    trials = two_systems(np.random.default_rng(0), clients=200)
    found = pair(trials)
    a, b = found.counts_a, found.counts_b
    sigmas = {
        "dependent": dependent_test(a, b, found.discordant).sigma,
        "cluster": cluster_test(found, cluster="none").sigma,
        "permutation": permutation_test(found).sigma,
        "bootstrap": bootstrap_test(bootstrap_difference(found, cluster="none")).sigma,
    }
    reference = sigmas.pop("dependent")
    assert reference is not None
    for sigma in sigmas.values():
        assert sigma == pytest.approx(reference, rel=0.05)
    # the systems share noise, so the difference varies less than that of two independent ones
    assert reference < (independent_test(a, b).sigma or 0)


def test_permutation_against_all_sign_changes() -> None:
    rng = np.random.default_rng(4)
    trials = two_systems(rng, clients=4, impostors=3)
    found = pair(trials)
    genuine = trials.genuine
    difference = found.wrong_a.astype(int) - found.wrong_b.astype(int)
    places = np.flatnonzero(difference)
    weight = np.where(genuine, 0.5 / genuine.sum(), 0.5 / (~genuine).sum())[places]
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(places))).reshape(len(places), -1)
    shifts = weight @ signs
    estimate = abs(float(np.sum(np.where(genuine, 0.5 / genuine.sum(), 0.5 / (~genuine).sum()) * difference)))
    exact = np.mean(np.abs(shifts) >= estimate - 1e-12)
    assert permutation_test(found, n_resamples=50_000).p_value == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("side", ["less", "greater"])
def test_one_sided_p_values_add_up(side: str) -> None:
    found = pair(two_systems(np.random.default_rng(1)))
    less, greater = (cluster_test(found, alternative=s).p_value for s in ("less", "greater"))
    assert less + greater == pytest.approx(1)
    assert cluster_test(found).p_value == pytest.approx(2 * min(less, greater))
    assert permutation_test(found, alternative=side).p_value <= 1  # type: ignore[arg-type]


def test_cluster_test_keeps_its_level_where_the_others_do_not() -> None:
    rng = np.random.default_rng(2)
    rejected = {"cluster": 0, "dependent": 0}
    runs = 500
    for _ in range(runs):
        found = pair(two_systems(rng, effect=0.8))
        rejected["cluster"] += cluster_test(found).p_value < 0.05
        rejected["dependent"] += dependent_test(found.counts_a, found.counts_b, found.discordant).p_value < 0.05
    assert 0.02 <= rejected["cluster"] / runs <= 0.08
    assert rejected["dependent"] / runs > 0.15


def test_same_system_twice_does_not_differ() -> None:
    trials = two_systems(np.random.default_rng(3))
    found = pair_systems(trials, "a", "a", 1.1, 1.1)
    assert cluster_test(found).p_value == 1
    assert permutation_test(found).p_value == 1
    assert bootstrap_test(bootstrap_difference(found, n_resamples=300)).p_value == 1


def test_one_class_only() -> None:
    trials = Trials.from_arrays(np.zeros((2, 2)), [True, True], systems=["a", "b"])
    with pytest.raises(TrialsError, match="genuine and impostor"):
        pair_systems(trials, "a", "b", 0.5, 0.5)
