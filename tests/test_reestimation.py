"""Thresholds re-estimated: against dev's people drawn anew by explicit loops, and against new dev sets."""

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import MEASURES, Trials, TrialSets, choose_thresholds, count_errors, judge
from fairtrial.claims import threshold_deviations
from fairtrial.people import Cluster
from fairtrial.reestimation import Draws, Movement
from simulated import crossed, without_ids


def dev_set(seed: int, effect: float = 0.5) -> Trials:
    return crossed(np.random.default_rng(seed), clients=60, impostors=20, effect=effect, systems=("a",))


def movement(sets: TrialSets, criterion: str, alpha: float) -> Movement:
    found = judge(sets, criterion=criterion, alphas=alpha).movement
    assert found is not None
    return found


def drawn_thresholds(dev: Trials, people: NDArray[np.object_], criterion: str, alpha: float) -> list[float]:
    """Thresholds of replicates: people drawn with replacement, each with all of their trials."""
    rng = np.random.default_rng(1)
    scores, genuine = dev.column(None), dev.genuine
    rows = {name: np.flatnonzero(people == name) for name in np.unique(people)}
    clients = [name for name in rows if genuine[rows[name]].any()]
    others = [name for name in rows if name not in clients]
    found = []
    for _ in range(400):
        picked = [rng.choice(part, len(part)) for part in (clients, others) if part]
        trials = np.concatenate([rows[name] for part in picked for name in part])
        own, flags = scores[trials], genuine[trials]
        found.append(float(choose_thresholds((own[flags], own[~flags]), criterion, alpha).threshold[0]))
    return found


@pytest.mark.parametrize("cluster", ["claim", "subject"])
@pytest.mark.parametrize(("criterion", "alpha"), [("far", 0.05), ("far", 0.2), ("frr", 0.1), ("eer", 0.5)])
def test_threshold_moves_as_with_people_drawn_anew(cluster: Cluster, criterion: str, alpha: float) -> None:
    dev = dev_set(0)
    found = movement(TrialSets(dev, dev_set(9), cluster), criterion, alpha)
    assert found.by_people is not None
    expected = drawn_thresholds(dev, dev.ids[cluster].decode(), criterion, alpha)
    assert np.std(found.candidates[found.by_people[:, 0]]) == pytest.approx(np.std(expected), rel=0.2)
    assert found.candidates[found.chosen[0]] == choose_thresholds(dev, criterion, alpha).threshold[0]


def test_threshold_of_a_minimum_moves_as_with_people_drawn_anew() -> None:
    dev = dev_set(2)
    found = movement(TrialSets(dev, dev_set(9), "claim"), "wer-min", 0.7)
    assert found.by_people is not None
    expected = drawn_thresholds(dev, dev.ids["claim"].decode(), "wer-min", 0.7)
    moved = found.candidates[found.by_people[:, 0]]
    spread = [float(np.subtract(*np.quantile(values, [0.9, 0.1]))) for values in (moved, expected)]
    assert spread[0] == pytest.approx(spread[1], rel=0.3)


@pytest.mark.parametrize("source", ["trials", "arrays"])
def test_without_ids_trials_are_drawn(source: str) -> None:
    dev, test = without_ids(dev_set(3)), without_ids(dev_set(4))
    classes = [(own.column(None)[own.genuine], own.column(None)[~own.genuine]) for own in (dev, test)]
    sets = TrialSets(dev, test) if source == "trials" else TrialSets(classes[0], classes[1])
    found = movement(sets, "far", 0.05)
    assert found.by_people is None
    rng = np.random.default_rng(5)
    genuine, impostor = classes[0]
    expected = [
        float(choose_thresholds((genuine, rng.choice(impostor, len(impostor))), "far", 0.05).threshold[0])
        for _ in range(400)
    ]
    assert np.std(found.candidates[found.by_trials[:, 0]]) == pytest.approx(np.std(expected), rel=0.2)
    # what that adds to a figure: its errors at the thresholds that were drawn
    judgement = judge(sets, criterion="far", alphas=0.05)
    moved = threshold_deviations(judgement, MEASURES["hter"])
    assert moved is not None
    assert moved.variances()[0] == pytest.approx(np.var(count_errors(classes[1], expected).hter), rel=0.4)


def test_what_is_added_is_the_variance_over_new_dev_sets() -> None:
    # both roles have effects; dev is drawn anew from the model, test stays
    rng = np.random.default_rng(6)
    hter = MEASURES["hter"]
    test = crossed(rng, clients=100, impostors=30, systems=("a",), start=500)
    values, added = [], []
    for k in range(250):
        dev = crossed(rng, clients=60, impostors=20, effect=0.4, systems=("a",))
        sets = TrialSets(dev, test)
        judgement = judge(sets, criterion="far", alphas=0.05)
        values.append(judgement.at(0).hter)
        if k < 40:
            moved = threshold_deviations(judgement, hter)
            assert moved is not None
            added.append(moved.variances()[0])
    assert np.mean(added) == pytest.approx(np.var(values), rel=4 * np.sqrt(2 / 250))


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    dev, test = dev_set(7), dev_set(8)
    one, again, other = (movement(TrialSets(dev, test, seed=seed), "far", 0.1) for seed in (3, 3, 4))
    for name in ("by_people", "by_trials"):
        assert np.array_equal(getattr(one, name), getattr(again, name))
        assert not np.array_equal(getattr(one, name), getattr(other, name))


def test_systems_share_the_draws_so_that_equal_ones_never_differ() -> None:
    dev, test = dev_set(7), dev_set(8)
    dev, test = (
        Trials(np.repeat(own.scores, 2, axis=1), own.genuine, ("a", "b"), own.claim, own.subject) for own in (dev, test)
    )
    sets = TrialSets(dev, test)
    a, b = (judge(sets, system=name, criterion="far", alphas=0.1).movement for name in ("a", "b"))
    assert a is not None
    assert b is not None
    assert np.array_equal(a.by_people, b.by_people)  # type: ignore[arg-type]
    assert np.array_equal(a.by_trials, b.by_trials)


def test_very_many_people_are_drawn_in_groups() -> None:
    sums = np.random.default_rng(0).normal(size=3000)
    draws = Draws(1, 4000, 3000)
    assert draws.people().shape == (4000, 1024)
    units = draws.units(np.arange(3000))
    assert np.bincount(units).max() - np.bincount(units).min() <= 1
    assert np.std(draws.move_people(sums)) == pytest.approx(np.sqrt(np.sum(sums**2)), rel=0.1)
    few = Draws(1, 4000, 50)
    assert np.std(few.move_people(sums[:50])) == pytest.approx(np.sqrt(np.sum(sums[:50] ** 2)), rel=0.05)


def test_deviations_are_taken_from_the_threshold_that_was_chosen() -> None:
    draws = Draws(0, 2, 1)
    found = Movement(
        np.array([0.0, 1.0, 2.0]),
        np.array([1, 2]),
        np.array([[0, 2], [1, 0]]),
        np.array([[2, 1], [1, 2]]),
        5.0,
        draws,
        crossing=True,
    )
    people, trials = found.deviations(np.array([10.0, 20.0, 40.0]))
    assert people is not None
    assert people.tolist() == [[-10, 0], [0, -30]]
    assert trials.tolist() == [[20, -20], [0, 0]]
    by_alpha, _ = found.deviations(np.array([[10.0, 1.0], [20.0, 2.0], [40.0, 4.0]]))
    assert by_alpha is not None
    assert by_alpha.tolist() == [[-10, 0], [0, -3]]
