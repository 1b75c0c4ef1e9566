"""Trials: what they hold, and what they refuse."""

import numpy as np
import pytest

from fairtrial import Ids, ParameterError, Trials, TrialsError


def test_ids_are_numbered_by_first_occurrence_and_compare_by_name() -> None:
    ids, other = Ids.of(["b", "a", "b"]), Ids.of(["a", "a", "b"])
    assert (ids.codes.tolist(), ids.names.tolist()) == ([0, 1, 0], ["b", "a"])
    assert ids.equals(other).tolist() == [False, True, True]
    assert ids.decode().tolist() == ["b", "a", "b"]
    assert ids[np.array([True, False, True])].name(1) == "b"
    assert ids.same_as(Ids.of(["b", "a", "b"]))
    assert not ids.same_as(Ids.of(["b", "a"]))


def test_nan_policies() -> None:
    scores, genuine = np.array([[0.1, 1.0], [np.nan, 2.0], [0.3, 3.0]]), [True, True, False]
    with pytest.raises(TrialsError, match="system 1 in trial 2 is NaN"):
        Trials.from_arrays(scores, genuine)
    dropped = Trials.from_arrays(scores, genuine, claim=["a", "b", "c"], nan="drop")
    assert dropped.column("system 2").tolist() == [1.0, 3.0]
    assert dropped.ids["claim"].decode().tolist() == ["a", "c"]
    assert dropped.notes == ("1 trials without a score were dropped",)
    rejected = Trials.from_arrays(scores, genuine, nan="reject")
    assert rejected.column("system 1").tolist() == [0.1, -np.inf, 0.3]
    with pytest.raises(ParameterError, match="nan must be one of"):
        Trials.from_arrays(scores, genuine, nan="skip")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "genuine", "systems", "message"),
    [
        (np.zeros((2, 2)), [True, False], ["a", "a"], "same name: a"),
        (np.zeros((2, 2)), [True, False], ["a"], "do not fit 1 systems"),
        (np.zeros(3), [True, False], None, "2 entries in genuine, but 3 trials"),
        (np.zeros(2), [1, 0], None, "boolean"),
    ],
)
def test_trials_that_contradict_themselves(
    scores: np.ndarray, genuine: list[bool], systems: list[str] | None, message: str
) -> None:
    with pytest.raises(TrialsError, match=message):
        Trials.from_arrays(scores, genuine, systems=systems)


def test_ids_of_the_wrong_length() -> None:
    with pytest.raises(TrialsError, match="1 entries in claim, but 2 trials"):
        Trials.from_arrays([0.0, 1.0], [True, False], claim=["a"])


def test_select_rows_and_rename() -> None:
    trials = Trials.from_arrays(
        np.array([[1.0, 2.0], [3.0, 4.0]]), [True, False], systems=["a", "b"], subject=["x", "y"]
    )
    assert trials.select(["b"]).scores.tolist() == [[2.0], [4.0]]
    assert trials.rows(np.array([1])).ids["subject"].name(0) == "y"
    assert trials.renamed(["c", "d"]).systems == ("c", "d")
    with pytest.raises(TrialsError, match="1 names for 2 systems"):
        trials.renamed(["c"])
    with pytest.raises(TrialsError, match="no system 'z'; there are a, b"):
        trials.select(["z"])


def test_float32_scores_stay_float32() -> None:
    assert Trials.from_arrays(np.zeros(2, dtype=np.float32), [True, False]).scores.dtype == np.float32
    assert Trials.from_arrays([1, 2], [True, False]).scores.dtype == np.float64
