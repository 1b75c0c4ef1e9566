"""Thresholds re-estimated: against dev's people drawn anew by explicit loops, and against new dev sets."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fairtrial import MEASURES, Trials
from fairtrial.counting import count_errors
from fairtrial.inference import TrialSets, judge
from fairtrial.inference.det_fit import ErrorLines
from fairtrial.inference.estimates import threshold_deviations
from fairtrial.inference.people import Cluster
from fairtrial.inference.threshold import Movement
from fairtrial.rules import choose_thresholds
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


def places(thresholds: list[float], dev: Trials, test: Trials) -> NDArray[np.float64]:
    """Where thresholds are on the DET curve of both sets: half of what its two coordinates differ by."""
    scores = np.concatenate([dev.column(None), test.column(None)])
    genuine = np.concatenate([dev.genuine, test.genuine])
    above = [float(np.mean(scores[~genuine] > t)) for t in thresholds]
    below = [float(np.mean(scores[genuine] <= t)) for t in thresholds]
    return np.asarray((stats.norm.ppf(below) - stats.norm.ppf(above)) / 2)


@pytest.mark.parametrize("cluster", ["claim", "subject"])
@pytest.mark.parametrize(("criterion", "alpha"), [("far", 0.05), ("far", 0.2), ("frr", 0.1), ("eer", 0.5)])
def test_threshold_moves_as_with_people_drawn_anew(cluster: Cluster, criterion: str, alpha: float) -> None:
    dev, test = dev_set(0), dev_set(9)
    found = movement(TrialSets(dev, test, cluster), criterion, alpha)
    assert found.of_people
    expected = places(drawn_thresholds(dev, dev.ids[cluster].decode(), criterion, alpha), dev, test)
    assert np.std(found.moves) == pytest.approx(np.std(expected), rel=0.2)


def test_threshold_of_a_minimum_moves_as_with_new_people() -> None:
    """People drawn from those that there are move a minimum too far, as they keep its jumps; new people do not."""
    rng, test = np.random.default_rng(1), dev_set(9)
    drawn = [crossed(rng, clients=60, impostors=20, effect=0.5, systems=("a",)) for _ in range(200)]
    thresholds = [float(choose_thresholds(dev, "wer-min", 0.7).threshold[0]) for dev in drawn]
    expected = places(thresholds, drawn[0], test)
    moved = [movement(TrialSets(dev, test), "wer-min", 0.7).moves[:, 0] for dev in drawn[:20]]
    spread = [
        float(np.mean([np.subtract(*np.quantile(own, [0.9, 0.1])) for own in each])) for each in (moved, [expected])
    ]
    assert spread[0] == pytest.approx(spread[1], rel=0.25)


@pytest.mark.parametrize("source", ["trials", "arrays"])
def test_without_ids_trials_are_drawn(source: str) -> None:
    dev, test = without_ids(dev_set(3)), without_ids(dev_set(4))
    classes = [(own.column(None)[own.genuine], own.column(None)[~own.genuine]) for own in (dev, test)]
    sets = TrialSets(dev, test) if source == "trials" else TrialSets(classes[0], classes[1])
    found = movement(sets, "far", 0.05)
    assert not found.of_people
    rng = np.random.default_rng(5)
    genuine, impostor = classes[0]
    expected = [
        float(choose_thresholds((genuine, rng.choice(impostor, len(impostor))), "far", 0.05).threshold[0])
        for _ in range(400)
    ]
    assert np.std(found.moves) == pytest.approx(np.std(places(expected, dev, test)), rel=0.2)


def test_without_ids_what_is_added_is_the_variance_at_thresholds_that_are_drawn() -> None:
    """On very many trials; those that are judged tell the slope of a figure only roughly."""
    rng, hter = np.random.default_rng(5), MEASURES["hter"]
    many = crossed(rng, clients=2000, impostors=200, effect=0.5, systems=("a",))
    expected, added = [], []
    for seed in range(12):
        dev, test = without_ids(dev_set(seed)), without_ids(dev_set(100 + seed))
        genuine, impostor = dev.column(None)[dev.genuine], dev.column(None)[~dev.genuine]
        drawn = [
            float(choose_thresholds((genuine, rng.choice(impostor, len(impostor))), "far", 0.05).threshold[0])
            for _ in range(100)
        ]
        expected.append(np.var(count_errors(many, drawn).hter))
        moved = threshold_deviations(judge(TrialSets(dev, test), criterion="far", alphas=0.05), hter)
        assert moved is not None
        added.append(moved.variances()[0])
    assert np.mean(added) == pytest.approx(np.mean(expected), rel=0.3)


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


def test_a_threshold_moves_beyond_the_scores_that_there_are() -> None:
    """Two false accepts on dev: with other people the threshold may be above all impostor scores of these."""
    rng = np.random.default_rng(3)
    dev, test = (crossed(rng, clients=20, impostors=10, effect=1.0, systems=("a",), separation=5.0) for _ in range(2))
    found = movement(TrialSets(dev, test), "far", 0.01)
    highest = places([float(dev.column(None)[~dev.genuine].max()) - 1e-9], dev, test)[0]
    chosen = places([float(choose_thresholds(dev, "far", 0.01).threshold[0])], dev, test)[0]
    assert np.quantile(found.moves, 0.9) > highest - chosen


def test_one_alpha_moves_as_it_does_among_others() -> None:
    sets = TrialSets(dev_set(7), dev_set(8))
    for criterion in ("wer-min", "wer-equal"):
        alone, among = (judge(sets, criterion=criterion, alphas=a).movement for a in ([0.3], [0.1, 0.3, 0.8]))
        assert alone is not None
        assert among is not None
        np.testing.assert_allclose(alone.moves[:, 0], among.moves[:, 1], rtol=1e-4, atol=1e-6)


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    dev, test = dev_set(7), dev_set(8)
    one, again, other = (movement(TrialSets(dev, test, seed=seed), "far", 0.1) for seed in (3, 3, 4))
    assert np.array_equal(one.moves, again.moves)
    assert not np.array_equal(one.moves, other.moves)


def test_systems_share_the_draws_so_that_equal_ones_never_differ() -> None:
    dev, test = dev_set(7), dev_set(8)
    dev, test = (
        Trials(np.repeat(own.scores, 2, axis=1), own.genuine, ("a", "b"), own.claim, own.subject) for own in (dev, test)
    )
    sets = TrialSets(dev, test)
    a, b = (judge(sets, system=name, criterion="far", alphas=0.1).movement for name in ("a", "b"))
    assert a is not None
    assert b is not None
    assert np.array_equal(a.moves, b.moves)


def line(moves: list[list[float]], far: float, variance: float) -> Movement:
    """A movement at one alpha, the FAR of dev given, its slope -1."""
    deviates = np.array([stats.norm.ppf(0.1)]), np.array([stats.norm.ppf(far)])
    variances = np.array([variance]), np.array([variance])
    lines = ErrorLines(np.array([1.0]))
    return Movement(
        np.zeros(1), np.array(moves), np.zeros(1), deviates, variances, lines, crossing=True, of_people=True
    )


def test_rates_move_along_their_lines() -> None:
    moved, at = line([[-0.5], [0.0], [0.5]], 0.02, 0.01).rates(1, np.array([19.5]), 999)
    start = stats.norm.ppf(0.02)
    np.testing.assert_allclose(moved[:, 0], stats.norm.cdf([start + 0.5, start, start - 0.5]))
    assert at[0] == pytest.approx(0.02)


def test_judged_rates_count_only_where_they_differ_much_from_dev() -> None:
    """Within two standard deviations of a difference it is dev that tells; far beyond it is the judged trials."""
    near, far = 25.5, 599.5
    for errors, expected in ((near, 0.02), (far, 0.6)):
        _, at = line([[0.0]], 0.02, 0.01).rates(1, np.array([errors]), 999)
        assert at[0] == pytest.approx(expected, rel=0.05)
    _, groups = line([[0.0]], 0.02, 0.01).rates(1, np.array([near, far]), np.array([999, 999]))
    assert groups == pytest.approx([0.02, 0.6], rel=0.05)


def test_one_person_who_makes_most_errors_widens_the_movement() -> None:
    """The rate changes by as much without them, its normal deviate by more than its tangent says."""
    rng = np.random.default_rng(2)
    even = crossed(rng, clients=40, impostors=20, effect=0.0, systems=("a",))
    test = crossed(rng, clients=40, impostors=20, effect=0.0, systems=("a",), start=500)
    scores = even.scores.copy()
    wolf = ~even.genuine & (even.ids["subject"].decode() == even.ids["subject"].decode()[~even.genuine][0])
    scores[wolf] += 3.0
    uneven = Trials(scores, even.genuine, even.systems, claim=even.claim, subject=even.subject)
    moved, kept = (movement(TrialSets(dev, test), "far", 0.02) for dev in (uneven, even))
    # without the wolf the threshold falls from his scores to those of all others
    without = uneven.rows(np.flatnonzero(~wolf))
    chosen = [float(choose_thresholds(dev, "far", 0.02).threshold[0]) for dev in (uneven, without)]
    fall = abs(np.subtract(*places(chosen, uneven, test)))
    assert np.std(moved.moves) == pytest.approx(fall, rel=0.3)
    assert np.std(moved.moves) > 5 * np.std(kept.moves)


def test_repr_is_short() -> None:
    dev = dev_set(0)
    assert repr(movement(TrialSets(dev, dev_set(9)), "eer", 0.5)) == "<Movement: 400 replicates of people at 1 alpha>"


@pytest.mark.parametrize("ids", [True, False])
def test_a_threshold_without_errors_on_dev_moves_as_with_new_people(ids: bool) -> None:
    rng = np.random.default_rng(3)

    def draw(start: int = 0) -> Trials:
        found = crossed(rng, clients=30, impostors=20, effect=0.0, systems=("a",), start=start)
        return found if ids else without_ids(found)

    drawn, test = [draw() for _ in range(300)], draw(500)
    chosen = [choose_thresholds(dev, "far-at-most", 0.001) for dev in drawn]
    assert not any(own.false_accepts[0] for own in chosen)
    many = crossed(rng, clients=600, impostors=100, effect=0.0, systems=("a",))
    expected = np.std(places([float(own.threshold[0]) for own in chosen], many, many))
    found = [float(np.std(movement(TrialSets(dev, test), "far-at-most", 0.001).moves)) for dev in drawn[:20]]
    assert np.mean(found) == pytest.approx(expected, rel=0.4)
