"""fairtrial evaluate --trials-out and --threshold."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner, Result

from fairtrial import FairtrialError, evaluate, write_trials
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


def run(*arguments: str, command: tuple[str, ...] = ("evaluate",)) -> Result:
    return CliRunner().invoke(main, [*command, *arguments], catch_exceptions=False)


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
    ("command", "measure", "heading"),
    [
        ("evaluate", "hter", "threshold"),
        ("evaluate", "cllr", "threshold or calibration"),
        ("compare", "hter", "threshold"),
        ("compare", "cllr", "calibration"),
    ],
)
def test_what_was_given_or_re_estimated_is_named(command: str, measure: str, heading: str) -> None:
    lines = run(*SETS, "--measure", measure, "--all", command=(command,)).stdout.splitlines()
    (titles,) = (re.split(r"  +", line) for line in lines if line.endswith(("accounts for", "  assumes")))
    assert titles[-2] == heading


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


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a directory in which no file can be made")
@pytest.mark.parametrize("more", [("--out", "/proc/a.csv"), ("--report", "/proc/a.html")])
def test_a_file_that_cannot_be_written_leaves_the_others_as_they_were(more: tuple[str, ...]) -> None:
    Path("trials.csv").write_text("of yesterday")
    result = run(*SETS, "--trials-out", "trials.csv", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert Path("trials.csv").read_text() == "of yesterday"


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


def test_a_given_threshold_needs_no_dev() -> None:
    asked = ("--threshold", "1.25", "--measure", "dcf", "--measure", "act-dcf-raw@.01", "--dcf", ".01,10,1", "--json")
    assert run("count", "test.csv", "--out", "test.ftc", command=()).exit_code == 0
    (alone, *_), (both, *_) = (json.loads(run(*sets, *asked).stdout)["systems"] for sets in (SETS[2:], SETS))
    assert (alone["dev"], alone["eer"]) == (None, None)
    texts = [dict(own["test"]) for own in (alone, both)]
    assert texts[0] == texts[1]
    with open("test.csv", newline="") as file:
        rows = [(row["label"] == "genuine", float(row["a"])) for row in csv.DictReader(file)]
    misses = np.mean([score <= 1.25 for genuine, score in rows if genuine])
    alarms = np.mean([score > 1.25 for genuine, score in rows if not genuine])
    assert alone["test"]["measures"]["dcf"] == pytest.approx(0.01 * 10 * misses + 0.99 * alarms)
    shown = run("--test", "test.csv", "--threshold", "1.25")
    assert (shown.exit_code, "dev" in shown.stdout.split("Thresholds")[0].split()) == (0, False)
    assert run("--test", "test.ftc", "--threshold", "1.25").exit_code == 0


def test_evidence_from_dev_is_refused_without_dev() -> None:
    shown = run("--test", "test.csv", "--threshold", "1", "--measure", "cllr")
    assert (shown.exit_code, shown.stdout) == (2, "")


def test_measures_may_be_separated_by_commas() -> None:
    shown = run(*SETS, "--measure", "f1,recall", "--measure", "act-dcf@.01,1,1", "--json").stdout
    names = [name.partition("@")[0] for name in json.loads(shown)["systems"][0]["test"]["measures"]]
    assert names == ["f1", "recall", "act-dcf"]
    assert "there is no measure 'fnr'; did you mean 'frr'?" in run(*SETS, "--measure", "far,fnr").stderr


def test_dev_may_be_missing_with_a_threshold_only() -> None:
    assert run("--test", "test.csv").exit_code == 2
    with pytest.raises(FairtrialError) as caught:
        evaluate(None, ([0.8], [0.2]))
    assert caught.value.code == "needs-dev"
    assert evaluate(None, ([0.8, 0.1], [0.2]), threshold=0.5).test.frr == 0.5


def test_folds_have_thresholds_of_their_own() -> None:
    shown = run("--dev", "dev.csv", "--folds", "3", "--threshold", "1")
    assert (shown.exit_code, "--folds has no effect with --threshold" in shown.stderr) == (2, True)
