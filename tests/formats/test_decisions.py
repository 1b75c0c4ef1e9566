"""Trial by trial: decisions and errors, against what is counted and what reads back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

import fairtrial as ft
from fairtrial.formats.decisions import write_decisions

TRIALS = ft.Trials.from_arrays(
    [[0.9], [0.4], [0.6], [0.1], [0.5]],
    [True, True, False, False, False],
    systems=["face"],
    claim=["a", "b", "a", "b", "a"],
    columns={"quality": [1.0, 2.0, 3.0, 4.0, 5.0], "score": ["x", "y", "z", "u", "v"]},
)


def test_decisions_by_hand() -> None:
    found = ft.inference.judge_at(ft.inference.TrialSets(None, TRIALS), 0.5).decisions()
    assert found.column_names == [
        "system", "claim", "label", "score", "threshold", "decision", "error", "quality", "score_given",
    ]  # fmt: skip
    assert found.column("decision").to_pylist() == ["accept", "reject", "accept", "reject", "reject"]
    assert found.column("error").to_pylist() == [None, "false reject", "false accept", None, None]
    assert found.column("label").to_pylist() == ["genuine", "genuine", "impostor", "impostor", "impostor"]
    assert found.column("claim").to_pylist() == ["a", "b", "a", "b", "a"]
    assert found.column("score").to_pylist() == [0.9, 0.4, 0.6, 0.1, 0.5]
    assert set(found.column("threshold").to_pylist()) == {0.5}
    assert found.column("score_given").to_pylist() == ["x", "y", "z", "u", "v"]


def crossed(seed: int) -> ft.Trials:
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.arange(400), 20)
    scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(400, 2))
    return ft.Trials.from_arrays(scores, claim == subject, systems=["face", "voice"], claim=claim, subject=subject)


def test_errors_add_up_to_those_of_the_evaluation() -> None:
    for result in (
        ft.evaluate(crossed(0), crossed(1), systems="face"),
        ft.evaluate(crossed(0), folds=ft.inference.make_blocks(crossed(0), 4), systems="face"),
    ):
        errors = result.decisions().column("error").to_pylist()
        assert errors.count("false accept") == result.test.false_accepts
        assert errors.count("false reject") == result.test.false_rejects
        assert len(errors) == result.test.genuine + result.test.impostor


def test_trials_that_no_fold_judges_are_left_out() -> None:
    from fairtrial.inference.folds import make_halves

    trials = crossed(0)
    halves = make_halves(trials)
    judged = ft.inference.judge(ft.inference.TrialSets(trials, trials, blocks=halves), system="face")
    found = judged.decisions()
    assert len(found) == sum(int(np.count_nonzero(half.held_out)) for half in halves) < len(trials)
    assert judged.fold_thresholds is not None
    assert set(found.column("threshold").to_pylist()) == set(judged.fold_thresholds[:, 0].tolist())


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.parquet"])
def test_file_of_decisions_reads_back_as_the_trials(tmp_path: Path, name: str) -> None:
    test = crossed(1)
    found = [ft.evaluate(crossed(0), test, systems=system).decisions() for system in test.systems]
    write_decisions(found, tmp_path / name)
    again = ft.read_trials(tmp_path / name)
    assert again.systems == test.systems
    assert np.array_equal(again.scores, test.scores)
    assert np.array_equal(again.genuine, test.genuine)
    if name == "a.parquet":
        assert parquet.read_table(tmp_path / name).column("error").null_count > 0
    if name == "a.csv":
        assert arrow_csv.read_csv(tmp_path / name).num_rows == 800


def test_arrays_have_no_decisions_by_trial() -> None:
    scores = ([0.9, 0.8, 0.4], [0.1, 0.3, 0.5])
    with pytest.raises(ft.TrialsError, match="needs test as Trials"):
        ft.evaluate(scores, scores).decisions()
