"""Folds never split an individual, and every trial is judged once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.inference import make_blocks
from fairtrial.inference.folds import fold_of_trials, make_halves
from fairtrial.inference.people import Cluster


def square(people: int, seed: int = 0) -> Trials:
    """Everybody against everybody."""
    claim, subject = np.divmod(np.arange(people**2), people)
    return Trials.from_arrays(
        np.random.default_rng(seed).normal(size=people**2), claim == subject, claim=claim, subject=subject
    )


@given(st.integers(12, 25), st.integers(3, 5), st.integers(0, 5))
def test_nobody_sets_the_threshold_he_is_judged_by(people: int, folds: int, seed: int) -> None:
    trials = square(people)
    judged = np.zeros(len(trials), dtype=int)
    claim, subject = np.divmod(np.arange(people**2), people)
    for block in make_blocks(trials, folds, rng=seed):
        judged += block.held_out
        those_judged = set(claim[block.held_out]) | set(subject[block.held_out])
        those_setting = set(claim[block.others]) | set(subject[block.others])
        assert not those_judged & those_setting
    assert (judged == 1).all()


@pytest.mark.parametrize("cluster", ["claim", "subject"])
def test_folds_by_one_role_keep_that_role_apart(cluster: Cluster) -> None:
    trials = square(20)
    ids = trials.ids[cluster].decode()
    blocks = make_blocks(trials, 4, cluster=cluster)
    assert len(blocks) == 4
    for block in blocks:
        assert not set(ids[block.held_out]) & set(ids[block.others])
        assert (block.held_out ^ block.others).all()


def test_a_person_who_claims_and_probes_is_one_individual() -> None:
    # "a" is a claim here and a subject there: both fall into one fold
    trials = square(12)
    for block in make_blocks(trials, 3):
        assert trials.claim is not None
        assert trials.subject is not None
        held = set(trials.claim.decode()[block.held_out]) | set(trials.subject.decode()[block.held_out])
        assert not held & set(trials.claim.decode()[block.others])


def test_the_same_seed_gives_the_same_folds() -> None:
    first, second, other = (make_blocks(square(15), 3, rng=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a.held_out, b.held_out) for a, b in zip(first, second, strict=True))
    assert not all(np.array_equal(a.held_out, b.held_out) for a, b in zip(first, other, strict=True))


def test_every_fold_gets_its_part_of_the_clients() -> None:
    claim = np.concatenate([np.arange(9), np.repeat(np.arange(9), 30)])
    subject = np.concatenate([np.arange(9), 100 + np.tile(np.arange(30), 9)])
    trials = Trials.from_arrays(np.zeros(len(claim)), claim == subject, claim=claim, subject=subject)
    blocks = make_blocks(trials, 3)
    genuine = [int(trials.genuine[block.held_out].sum()) for block in blocks if trials.genuine[block.held_out].any()]
    assert genuine == [3, 3, 3]


def test_trials_without_ids_need_a_word() -> None:
    trials = Trials.from_arrays(np.arange(40.0), np.arange(40) % 2 == 0)
    with pytest.raises(TrialsError, match="have no ids"):
        make_blocks(trials, 4)
    assert len(make_blocks(trials, 4, cluster="none")) == 4
    with pytest.raises(TrialsError, match="needs claim ids"):
        make_blocks(trials, 4, cluster="claim")


@pytest.mark.parametrize(
    ("folds", "cluster", "message"),
    [
        (1, None, "at least 2 folds"),
        (30, None, "at least as many individuals"),
        (2, None, "need a third fold"),
        (3, "family", "cluster must be one of"),
    ],
)
def test_folds_that_cannot_be(folds: int, cluster: Cluster | None, message: str) -> None:
    with pytest.raises((ParameterError, TrialsError), match=message):
        make_blocks(square(10), folds, cluster=cluster)


def test_others_without_a_class_are_an_error() -> None:
    claim = np.array([0, 1, 2, 3, 0, 0])
    genuine = np.array([True, True, True, True, False, False])
    trials = Trials.from_arrays(np.zeros(6), genuine, claim=claim)
    with pytest.raises(TrialsError, match="0 impostor trials left"):
        make_blocks(trials, 4)


def test_a_person_with_one_name_as_claim_and_another_as_subject_is_not_split() -> None:
    claim, subject = np.divmod(np.arange(144), 12)
    trials = Trials.from_arrays(
        np.zeros(144), claim == subject, claim=[f"gallery{c}" for c in claim], subject=[f"probe{s}" for s in subject]
    )
    for block in make_blocks(trials, 3):
        judged = set(claim[block.held_out]) | set(subject[block.held_out])
        assert not judged & (set(claim[block.others]) | set(subject[block.others]))


@given(st.integers(8, 25), st.integers(0, 20))
def test_halves_are_judged_by_each_other(people: int, seed: int) -> None:
    trials = square(people)
    claim, subject = np.divmod(np.arange(people**2), people)
    blocks = make_halves(trials, rng=seed)
    groups = [set(claim[block.held_out]) | set(subject[block.held_out]) for block in blocks]
    assert not groups[0] & groups[1]
    assert groups[0] | groups[1] == set(range(people))
    assert abs(len(groups[0]) - len(groups[1])) <= 1
    for block, other in (blocks, blocks[::-1]):
        assert np.array_equal(block.others, other.held_out)
    fold = fold_of_trials(blocks)
    for k, block in enumerate(blocks):
        assert np.array_equal(fold == k, block.held_out)
    assert np.array_equal(fold == -1, ~(blocks[0].held_out | blocks[1].held_out))


def test_halves_need_both_classes() -> None:
    with pytest.raises(TrialsError, match="half of the people have no impostor trial among themselves"):
        make_halves(square(3))
    with pytest.raises(TrialsError, match="have no ids"):
        make_halves(Trials.from_arrays([0.1, 0.2], [True, False]))


def test_every_trial_is_in_the_fold_of_its_claim() -> None:
    blocks = make_blocks(square(15), 3)
    assert np.array_equal(fold_of_trials(blocks), blocks[0].first)
