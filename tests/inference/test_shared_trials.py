"""Trials that are in both dev and test: against sets of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial import Trials, evaluate
from fairtrial.inference import TrialSets, judge
from fairtrial.inference.estimates import judged_interval
from fairtrial.inference.split import trials_in_both
from simulated import crossed, without_ids

TEST = crossed(np.random.default_rng(1), clients=15, impostors=8)
DEV = crossed(np.random.default_rng(0), clients=15, impostors=8)
SHUFFLED = TEST.rows(np.random.default_rng(2).permutation(len(TEST)))
HALF = np.arange(0, len(TEST), 2)


def rows(trials: Trials) -> list[tuple[object, ...]]:
    ids = [column.decode().tolist() for column in trials.ids.values()]
    return list(zip(trials.genuine.tolist(), *ids, *trials.scores.T.tolist(), strict=True))


@pytest.mark.parametrize(
    "dev",
    [DEV, SHUFFLED, TEST.rows(HALF), Trials.concat([DEV, SHUFFLED]), Trials.concat([DEV, TEST.rows(HALF[:3])])],
    ids=["others", "shuffled", "half", "more", "three"],
)
def test_trials_are_known_by_ids_label_and_scores(dev: Trials) -> None:
    expected = sum(row in set(rows(dev)) for row in rows(TEST))
    assert trials_in_both(dev, TEST) == TrialSets(dev, TEST).shared_trials == expected


def test_systems_may_come_in_another_order() -> None:
    assert trials_in_both(SHUFFLED.select(["b", "a"]), TEST) == len(TEST)


def coarse(trials: Trials, seed: int) -> Trials:
    scores: NDArray[np.float64] = np.random.default_rng(seed).integers(0, 3, trials.scores.shape).astype(np.float64)
    return Trials(scores, trials.genuine, trials.systems, claim=trials.claim, subject=trials.subject)


def test_few_distinct_scores_tell_no_single_trials() -> None:
    one, other = coarse(TEST, 3), coarse(TEST, 4)
    assert {*rows(one)} & {*rows(other)}  # the same people and, by chance, the same scores
    assert trials_in_both(one, other) == 0
    assert trials_in_both(one.rows(np.arange(len(one))[::-1]), one) == len(one)


def test_without_ids_only_whole_sets_are_told_to_be_the_same() -> None:
    bare = without_ids(TEST)
    assert trials_in_both(without_ids(SHUFFLED), bare) == len(bare)
    assert trials_in_both(without_ids(TEST.rows(HALF)), bare) == 0
    genuine, impostor = np.arange(5.0), np.arange(5.0, 9.0)
    assert trials_in_both((genuine[::-1], impostor), (genuine, impostor)) == 9
    assert trials_in_both((impostor, genuine), (genuine, impostor)) == 0


def test_the_same_trials_in_any_order_are_a_posteriori_with_the_same_interval() -> None:
    for dev in (SHUFFLED, Trials.concat([DEV, TEST])):
        found = evaluate(dev, TEST, systems="a")
        assert found.kind == "a posteriori"
        assert any(
            "so the threshold was chosen on the trials that it is judged on" in str(note) for note in found.notes
        )
    shuffled, same = (judged_interval(judge(TrialSets(dev, TEST), system="a")) for dev in (SHUFFLED, TEST))
    assert shuffled.interval == pytest.approx(tuple(same.interval), rel=1e-9)


def test_some_trials_in_both_are_counted_and_said() -> None:
    sets = TrialSets(TEST.rows(HALF), TEST)
    assert sets.kind == "a priori"
    assert any(
        str(note).startswith(
            f"{len(HALF):,} of {len(TEST):,} test trials are also in dev, so the figures are only in part"
        )
        for note in sets.notes
    )
    assert not any("test trials are also in dev" in str(note) for note in TrialSets(DEV, TEST).notes)


def test_sets_of_the_same_extremes_and_counts_are_not_the_same() -> None:
    """They begin alike and differ by one score that no quick look tells."""
    genuine = [0.5, 0.6, 0.7, 0.1, 0.2, 0.9]
    assert trials_in_both((genuine, [0.3]), (genuine[::-1], [0.3])) == 7
    assert trials_in_both((genuine, [0.3]), ([*genuine[:4], 0.25, 0.9], [0.3])) == 0
    # other extremes, and other numbers above the first scores
    assert trials_in_both((genuine, [0.3]), ([*genuine[:5], 0.8], [0.3])) == 0
    assert trials_in_both((genuine, [0.3]), ([0.5, 0.5, 0.7, 0.1, 0.2, 0.9], [0.3])) == 0


def test_few_distinct_scores_in_other_numbers_are_another_set() -> None:
    """Both sets have 30 trials of every score, and other numbers of genuine ones among them."""
    scores = np.repeat([0.0, 1.0], 30)
    dev, test = (
        Trials.from_arrays(scores, np.concatenate([np.arange(30) < few, np.arange(30) < many]))
        for few, many in ((5, 25), (10, 20))
    )
    assert trials_in_both(dev, test) == 0
    assert trials_in_both(dev, dev.rows(np.arange(60)[::-1])) == 60
