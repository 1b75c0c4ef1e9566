"""Splits by people: nobody is on both sides, and every trial of one side's people is there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.protocols import split_by_subject, split_sets
from fairtrial.benchmark.sets import SystemInfo
from fairtrial.core.notes import Note


def square(people: int) -> Trials:
    """Everybody against everybody; the score is the number of the trial."""
    claim, subject = np.divmod(np.arange(people**2), people)
    return Trials.from_arrays(np.arange(people**2), claim == subject, claim=claim, subject=subject)


def clients_and_impostors(clients: int, impostors: int) -> Trials:
    claim = np.concatenate([np.arange(clients), np.repeat(np.arange(clients), impostors)])
    subject = np.concatenate([np.arange(clients), 1000 + np.tile(np.arange(impostors), clients)])
    return Trials.from_arrays(np.arange(len(claim)), claim == subject, claim=claim, subject=subject)


def people(trials: Trials) -> set[str]:
    assert trials.claim is not None
    assert trials.subject is not None
    return set(trials.claim.decode()) | set(trials.subject.decode())


@given(st.integers(4, 20), st.floats(0.2, 0.8), st.integers(0, 9))
def test_splits_against_brute_force(number: int, fraction: float, seed: int) -> None:
    trials = square(number)
    for dev, test in split_by_subject(
        trials, repeats=3, fraction=min(max(fraction, 2 / number), 1 - 2 / number), seed=seed
    ):
        in_dev, in_test = people(dev), people(test)
        assert not in_dev & in_test
        assert len(in_dev | in_test) == number
        pairs = [(str(i), str(j), i * number + j) for i in range(number) for j in range(number)]
        for part, members in ((dev, in_dev), (test, in_test)):
            assert part.column().tolist() == [k for i, j, k in pairs if i in members and j in members]
        left_out = number**2 - len(dev) - len(test)
        (note,) = dev.notes
        assert isinstance(note, Note)
        assert (note.code, note.values["left_out"]) == ("split", left_out)


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, 10), (0.25, 5), (0.9, 18), (0.001, 1), (0.999, 19)])
def test_fraction_is_the_share_of_people_in_dev(fraction: float, expected: int) -> None:
    claim = np.repeat(np.arange(20), 2)
    trials = Trials.from_arrays(np.zeros(40), np.arange(40) % 2 == 0, claim=claim)
    ((dev, test),) = split_by_subject(trials, repeats=1, fraction=fraction)
    assert (len(dev), len(test)) == (2 * expected, 40 - 2 * expected)


def test_clients_and_impostors_are_dealt_apart() -> None:
    for dev, test in split_by_subject(clients_and_impostors(10, 6)):
        assert [int(part.genuine.sum()) for part in (dev, test)] == [5, 5]
        assert [int((~part.genuine).sum()) for part in (dev, test)] == [15, 15]


def test_claims_alone_leave_no_trial_out() -> None:
    claim = np.repeat(np.arange(6), 4)
    trials = Trials.from_arrays(np.zeros(24), np.arange(24) % 4 == 0, claim=claim)
    ((dev, test),) = split_by_subject(trials, repeats=1)
    assert len(dev) + len(test) == 24
    (note,) = dev.notes
    assert isinstance(note, Note)
    assert (note.about, note.values) == ("split 1 of seed 0", {"who": "claims", "dev": 3, "people": 6, "left_out": 0})


def test_a_person_with_two_names_is_on_one_side() -> None:
    claim, subject = np.divmod(np.arange(64), 8)
    trials = Trials.from_arrays(
        np.zeros(64), claim == subject, claim=[f"gallery{c}" for c in claim], subject=[f"probe{s}" for s in subject]
    )
    for dev, test in split_by_subject(trials):
        sides = [{name.removeprefix("gallery").removeprefix("probe") for name in people(part)} for part in (dev, test)]
        assert not sides[0] & sides[1]


def test_the_seed_repeats_and_more_splits_keep_the_first() -> None:
    def rows(repeats: int, seed: int) -> list[list[float]]:
        return [dev.column().tolist() for dev, _ in split_by_subject(square(12), repeats=repeats, seed=seed)]

    assert rows(3, 5) == rows(3, 5) == rows(6, 5)[:3]
    assert rows(3, 5) != rows(3, 6)
    assert len({tuple(split) for split in rows(6, 5)}) > 1


def test_sets_of_splits_are_numbered_and_noted() -> None:
    system = SystemInfo("system", "face", "a", "b")
    sets, note = split_sets("mine", square(8), [system], repeats=3, seed=2)
    assert [(one.name, one.split, one.systems) for one in sets] == [("mine", k, (system,)) for k in (1, 2, 3)]
    assert (note.code, note.about) == ("splits", "mine")
    assert note.values == {"repeats": 3, "seed": 2, "fraction": 0.5, "least": 32, "trials": 64}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "at least one repeat, not 0"),
        ({"fraction": 0.0}, "must be between 0 and 1, not 0.0"),
        ({"fraction": 1.0}, "must be between 0 and 1, not 1.0"),
        ({"fraction": float("nan")}, "must be between 0 and 1, not nan"),
        ({"seed": -1}, "at least 0, not -1"),
    ],
)
def test_parameters_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        split_by_subject(square(8), **options)  # type: ignore[arg-type]


def test_trials_without_ids() -> None:
    with pytest.raises(TrialsError) as error:
        split_by_subject(Trials.from_arrays([0.0, 1.0], [False, True]))
    assert error.value.code == "no-ids"


def test_too_few_people() -> None:
    with pytest.raises(TrialsError) as error:
        split_by_subject(clients_and_impostors(1, 5))
    assert error.value.code == "few-people"


def test_a_side_without_impostors() -> None:
    with pytest.raises(TrialsError, match="1 genuine and 0 impostor trials") as error:
        split_by_subject(square(3), fraction=0.1)
    assert error.value.code == "empty-class"


def test_impostors_under_one_id_are_in_both_halves() -> None:
    claim = np.repeat(np.arange(6), 4)
    genuine = np.arange(24) % 4 == 0
    subject = np.where(genuine, claim, 999)
    trials = Trials.from_arrays(np.arange(24.0), genuine, claim=claim, subject=subject)
    ((dev, test),) = split_by_subject(trials, repeats=1)
    assert (len(dev), len(test)) == (12, 12)
    assert not {*dev.ids["claim"].decode()} & {*test.ids["claim"].decode()}
    assert isinstance(dev.notes[0], Note)
    assert dev.notes[0].code == "one-impostor"
