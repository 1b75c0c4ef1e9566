"""fairtrial evaluate --trials-out and --threshold."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner, Result

from fairtrial import write_trials
from fairtrial.cli.app import main
from simulated import crossed

SETS = ("--dev", "dev.csv", "--test", "test.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, start in (("dev", 0), ("test", 100)):
        write_trials(crossed(rng, clients=20, impostors=10, start=start), f"{name}.csv")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["evaluate", *arguments], catch_exceptions=False)


def test_decisions_of_every_system_and_trial() -> None:
    shown = run(*SETS, "--trials-out", "decisions.csv")
    assert "decisions in decisions.csv" in shown.stderr
    with open("decisions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    systems = json.loads(run(*SETS, "--json", "--trials-out", "decisions.parquet").stdout)["systems"]
    assert parquet.read_table("decisions.parquet").num_rows == len(rows) == 2 * 280
    for system in systems:
        own = [row for row in rows if row["system"] == system["system"]]
        assert sum(row["error"] == "false accept" for row in own) == system["test"]["false_accepts"]
        assert sum(row["error"] == "false reject" for row in own) == system["test"]["false_rejects"]
        assert {float(row["threshold"]) for row in own} == {system["threshold"]}
        for row in own:
            accepted = float(row["score"]) > float(row["threshold"])
            assert row["decision"] == ("accept" if accepted else "reject")
            assert bool(row["error"]) == (accepted != (row["claim"] == row["subject"]))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--trials-out", "a.md"), "should end in"),
        (("--trials-out", "dev.csv"), "files that are read"),
        (("--trials-out", "a.csv", "--out", "a.csv"), "two results would be written"),
    ],
)
def test_decisions_that_cannot_be_written_are_an_error_before_the_work(more: tuple[str, ...], words: str) -> None:
    before = {path.name for path in Path().iterdir()}
    result = run(*SETS, *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert {path.name for path in Path().iterdir()} == before


def test_a_given_threshold_is_that_of_the_decisions() -> None:
    found = json.loads(run(*SETS, "--system", "a", "--threshold", "1.25", "--json", "--trials-out", "d.csv").stdout)
    (system,) = found["systems"]
    with open("d.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert system["threshold"] == 1.25 == float(rows[0]["threshold"])
    assert system["test"]["false_accepts"] == sum(row["error"] == "false accept" for row in rows)
    assert system["test"]["interval"]["threshold"] == "fixed"
    assert system["test"]["kind"] == "at a given threshold"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--alpha", ".3"), "--alpha has no effect with --threshold"),
        (("--criterion", "wer-min"), "--criterion has no effect with --threshold"),
        (("--resample", "test"), "--resample has no effect with --threshold"),
        (("--report", "page.html"), "errors at thresholds from dev"),
        (("--measure", "cllr"), "calibrated on dev"),
    ],
)
def test_what_does_not_go_with_a_given_threshold_is_refused(more: tuple[str, ...], words: str) -> None:
    shown = run(*SETS, "--threshold", "1", *more)
    assert shown.exit_code == 2
    assert words in shown.stderr


def test_folds_have_thresholds_of_their_own() -> None:
    shown = run("--dev", "dev.csv", "--folds", "3", "--threshold", "1")
    assert (shown.exit_code, "--folds has no effect with --threshold" in shown.stderr) == (2, True)
