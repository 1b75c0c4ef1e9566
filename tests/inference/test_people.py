"""Who shares trials: variances against brute force over all pairs of trials, who is numbered as whom, who is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import Trials, TrialsError
from fairtrial.inference.people import Cluster, People, people_of, ranks_of, resolve_cluster, shared_people
from fairtrial.inference.variance import Components
from simulated import strangers


def some_trials(seed: int, count: int = 40, people: int = 6) -> Trials:
    rng = np.random.default_rng(seed)
    claim, subject = rng.integers(0, people, (2, count))
    claim[:4], subject[:4] = [0, 1, 1, 2], [0, 0, 1, 1]
    return Trials.from_arrays(rng.normal(size=count), claim == subject, claim=claim, subject=subject)


def test_effective_number_of_people_by_hand() -> None:
    # one client has 6 of 12 genuine trials and six others one each: 12^2 / (6^2 + 6) = 3.43
    claim = np.concatenate([[0] * 6, np.arange(1, 7), np.arange(7)])
    subject = np.concatenate([claim[:12], 100 + np.arange(7)])
    trials = Trials.from_arrays(np.zeros(19), claim == subject, claim=claim, subject=subject)
    found = People.of(trials)
    assert found.genuine.effective == pytest.approx(144 / 42)
    assert found.impostor.effective == pytest.approx(7)
    notes = {note.code: note.values for note in found.notes}
    assert notes["dominant-person"]["trials"] == "genuine"
    assert notes["dominant-person"]["people"] == pytest.approx(144 / 42)
    assert notes["few-people"]["trials"] == "impostor"
    assert notes["few-people"]["people"] == pytest.approx(7)


@pytest.mark.parametrize(("role", "other"), [("claim", "subject"), ("subject", "claim")])
def test_one_person_in_a_role_is_said_and_left_out(role: str, other: Cluster) -> None:
    ids = {role: np.zeros(60, dtype=int), other: 1 + np.arange(60) % 20}
    genuine = np.arange(60) < 20
    ids["claim"] = np.where(genuine, np.arange(60) % 20 + 1, ids["claim"])
    ids["subject"] = np.where(genuine, np.arange(60) % 20 + 1, ids["subject"])
    rng = np.random.default_rng(0)
    trials = Trials.from_arrays(rng.normal(size=60), genuine, claim=ids["claim"], subject=ids["subject"])
    people = People.of(trials)
    assert people.impostor.alone == (role,)
    (note,) = people.notes
    assert (note.code, note.values) == ("one-person", {"trials": "impostor", "role": role})
    # what is left goes by the other role
    wrong = rng.random(60) < 0.4
    one_way = People.of(trials, other)
    two, one = (Components([own.moments([wrong])]).variance([1.0], [1.0]) for own in (people, one_way))
    assert two.impostor == pytest.approx(one.impostor)


def test_one_person_in_every_role_leaves_single_trials() -> None:
    genuine = np.arange(40) < 20
    trials = Trials.from_arrays(np.arange(40.0), genuine, claim=["x"] * 40, subject=np.where(genuine, "x", "y"))
    wrong = np.arange(40) % 5 == 0
    people = People.of(trials)
    assert len(people.notes) == 4
    found = Components([people.moments([wrong])]).variance([1.0], [1.0])
    rows = genuine, ~genuine
    expected = sum(np.var(wrong[own], ddof=1) / np.count_nonzero(own) for own in rows)
    assert found.value == pytest.approx(expected)
    assert people.draw(3, np.random.default_rng(0)).sum() == 3 * 40
    # the stand-ins of one set are nobody in another
    assert shared_people(*People.of_sets([trials, trials.rows(np.arange(40)[::-1])])) == 0


def test_what_is_shared_is_said_or_found() -> None:
    plain = Trials.from_arrays([0.0, 1.0], [False, True])
    with pytest.raises(TrialsError, match="needs claim ids"):
        People.of(plain, "claim")
    assert resolve_cluster(plain, None) == "none"
    assert resolve_cluster(some_trials(0), None) == "both"
    only = Trials.from_arrays([0.0, 1.0], [False, True], subject=["a", "b"])
    assert resolve_cluster(only, None) == "subject"
    with pytest.raises(TrialsError, match="no impostor trial"):
        People.of(Trials.from_arrays([0.0, 1.0], [True, True], claim=["a", "b"]))


def test_two_names_of_a_genuine_trial_are_one_person() -> None:
    claim = ["model1", "model2", "model1", "model2"]
    subject = ["ann", "bob", "bob", "ann"]
    trials = Trials.from_arrays(np.zeros(4), [True, True, False, False], claim=claim, subject=subject)
    first, second = people_of(trials, "both")
    assert first.tolist()[:2] == second.tolist()[:2]
    assert sorted([first[2], second[2]]) == sorted(first[:2].tolist())
    assert len(set(first.tolist())) == 2


def test_people_have_one_number_in_all_sets() -> None:
    dev, test = some_trials(1), some_trials(2, people=8)
    moved = strangers(test)
    names = [
        {name for role in ("claim", "subject") for name in trials.ids[role].decode()} for trials in (dev, test, moved)
    ]
    assert shared_people(*People.of_sets([dev, test])) == len(names[0] & names[1])
    assert shared_people(*People.of_sets([dev, moved])) == len(names[0] & names[2]) == 0
    # dev goes by the roles it knows among those that count in test
    half = Trials(dev.scores, dev.genuine, dev.systems, dev.claim)
    assert [people.cluster for people in People.of_sets([half, test])] == ["claim", "both"]
    assert [people.cluster for people in People.of_sets([dev, test], "subject")] == ["subject", "subject"]
    assert [people.cluster for people in People.of_sets([dev, test], "none")] == ["none", "none"]


def test_clients_and_others_are_drawn_among_themselves() -> None:
    claim = np.concatenate([np.arange(7), np.repeat(np.arange(7), 5)])
    subject = np.concatenate([np.arange(7), np.tile(100 + np.arange(5), 7)])
    people = People.of(Trials.from_arrays(np.zeros(42), claim == subject, claim=claim, subject=subject))
    clients, others = people.strata
    numbers = people.draw(4000, np.random.default_rng(0))
    assert (len(clients), len(others)) == (7, 5)
    assert (numbers[:, clients].sum(axis=1) == 7).all()
    assert (numbers[:, others].sum(axis=1) == 5).all()
    # each number is binomial: variance n (1/n) (1 - 1/n)
    assert numbers[:, clients].var(axis=0) == pytest.approx(np.full(7, 6 / 7), rel=0.12)
    assert numbers[:, others].mean(axis=0) == pytest.approx(np.ones(5), abs=0.06)


def test_ids_that_look_like_files_or_come_once_are_doubted() -> None:
    genuine = np.arange(300) < 100
    scores = np.random.default_rng(0).normal(size=300)

    def notes(claim: list[str], subject: list[str]) -> str:
        return "; ".join(
            str(note) for note in People.of(Trials.from_arrays(scores, genuine, claim=claim, subject=subject)).notes
        )

    people = [f"person {k % 20}" for k in range(300)]
    assert "person=" not in notes(people, people)
    assert "claim ids look like files, such as id1/x0.wav" in notes([f"id1/x{k % 20}.wav" for k in range(300)], people)
    assert "subject ids look like files, such as f0.png" in notes(people, [f"f{k % 20}.png" for k in range(300)])
    once = [f"u{k}" for k in range(300)]
    assert "300 subject ids take part in 1.0 trials each: if a person has several" in notes(people, once)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(41, 400))
def test_ranks_are_those_of_numpy_however_they_are_found(numbers: list[int], limit: int) -> None:
    codes = np.array(numbers, dtype=np.int64)
    assert np.array_equal(ranks_of(codes, limit), np.unique(codes, return_inverse=True)[1])


def test_repr_is_short() -> None:
    people = People.of(some_trials(0))
    assert repr(people).startswith("<People: cluster both, genuine <Members: ")
    assert len(repr(people)) < 200


def test_times_drawn_is_the_product_over_the_people_of_a_trial() -> None:
    trials = some_trials(3)
    people = People.of(trials)
    numbers = np.arange(1.0, people.size + 1)
    for part in people.classes:
        expected = [
            np.prod([numbers[person] for person in {int(column[row]) for column in part.people}])
            for row in range(len(part.rows))
        ]
        assert part.times_drawn(numbers).tolist() == expected
