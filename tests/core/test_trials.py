"""Trials: what they hold, and what they refuse."""

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, TrialsError


def test_nan_policies() -> None:
    scores, genuine = np.array([[0.1, 1.0], [np.nan, 2.0], [0.3, 3.0]]), [True, True, False]
    with pytest.raises(TrialsError, match="system 1 in trial 2 is NaN"):
        Trials.from_arrays(scores, genuine)
    dropped = Trials.from_arrays(scores, genuine, claim=["a", "b", "c"], nan="drop")
    assert dropped.column("system 2").tolist() == [1.0, 3.0]
    assert dropped.ids["claim"].decode().tolist() == ["a", "c"]
    assert dropped.notes == ("dropped 1 trial without a score",)
    rejected = Trials.from_arrays(scores, genuine, nan="reject")
    assert rejected.column("system 1").tolist() == [0.1, -np.inf, 0.3]
    with pytest.raises(ParameterError, match="nan must be one of"):
        Trials.from_arrays(scores, genuine, nan="skip")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "genuine", "systems", "message"),
    [
        (np.zeros((2, 2)), [True, False], ["a", "a"], "same name: a"),
        (np.zeros((2, 2)), [True, False], ["a"], "do not fit 1 system:"),
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
    with pytest.raises(TrialsError, match="1 name for 2 systems"):
        trials.renamed(["c"])
    with pytest.raises(TrialsError, match="no system 'z'; there are a, b"):
        trials.select(["z"])


def test_float32_scores_stay_float32() -> None:
    assert Trials.from_arrays(np.zeros(2, dtype=np.float32), [True, False]).scores.dtype == np.float32
    assert Trials.from_arrays([1, 2], [True, False]).scores.dtype == np.float64


def test_trials_are_concatenated_with_the_ids_that_all_have() -> None:
    a = Trials.from_arrays([[1.0, 2.0]], [True], systems=["f", "v"], claim=["p"], subject=["p"], notes=["n", "m"])
    b = Trials.from_arrays([[3.0, 4.0], [5.0, 6.0]], [False, True], systems=["f", "v"], claim=["q", "p"], notes=["n"])
    both = Trials.concat([a, b])
    assert both.scores.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert both.genuine.tolist() == [True, False, True]
    assert list(both.ids) == ["claim"]
    assert both.ids["claim"].decode().tolist() == ["p", "q", "p"]
    assert both.ids["claim"].numbered().codes.tolist() == [0, 1, 0]
    assert (both.systems, both.notes) == (("f", "v"), ("n", "m"))


def test_trials_of_other_systems_are_not_concatenated() -> None:
    a, b = (Trials.from_arrays(np.zeros((1, 2)), [True], systems=names) for names in (["f", "v"], ["v", "f"]))
    with pytest.raises(TrialsError, match="trials of v, f cannot be added to trials of f, v: select the same systems"):
        Trials.concat([a, b])
    with pytest.raises(TrialsError, match="at least one set of trials"):
        Trials.concat([])


def test_what_is_printed_of_trials_is_one_short_line() -> None:
    rng = np.random.default_rng(0)
    many = Trials.from_arrays(
        rng.normal(size=(112_400, 2)),
        np.arange(112_400) < 400,
        systems=["face", "voice"],
        claim=np.arange(112_400) % 200,
        subject=np.arange(112_400),
    )
    expected = "<Trials: 112,400 trials (400 genuine, 112,000 impostor), 2 systems: face, voice; ids: claim, subject>"
    assert repr(many) == str(many) == expected
    one = Trials.from_arrays([0.5], [True])
    assert repr(one) == "<Trials: 1 trial (1 genuine, 0 impostor), 1 system: system; ids: none>"
    crowd = Trials.from_arrays(np.zeros((1, 90)), [True])
    assert repr(crowd).endswith("system 12, and 78 more; ids: none>")


def test_further_columns_go_with_their_trials() -> None:
    trials = Trials.from_arrays(
        [[0.9, 1.0], [np.nan, 0.5], [0.2, 0.1]],
        [True, True, False],
        systems=["f", "v"],
        nan="drop",
        columns={"gender": ["f", "m", "m"], "quality": [1, 2, 3]},
    )
    assert repr(trials).endswith("; further columns: gender, quality>")
    for part in (trials, trials.select(["v"]), trials.renamed(["a", "b"]), trials.rows(np.array([0, 1]))):
        gender = part.columns["gender"]
        assert not isinstance(gender, np.ndarray)
        assert gender.decode().tolist() == ["f", "m"]
        assert np.asarray(part.columns["quality"]).tolist() == [1, 3]
    assert np.asarray(trials.rows(np.array([False, True])).columns["quality"]).tolist() == [3]
    other = Trials.from_arrays([[0.5, 0.5]], [False], systems=["f", "v"], columns={"quality": [9]})
    both = Trials.concat([trials, other])
    assert np.asarray(both.columns["quality"]).tolist() == [1, 3, 9]
    assert "columns that not all parts have were left out: gender" in both.notes
    with pytest.raises(TrialsError, match="2 entries in quality, but 1 trials"):
        Trials.from_arrays([0.5], [True], columns={"quality": [1, 2]})
