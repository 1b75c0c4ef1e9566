"""fairtrial operating-points."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import fairtrial as ft
from fairtrial.cli.app import main
from simulated import crossed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, start in (("dev", 0), ("test", 100)):
        ft.write_trials(crossed(rng, clients=20, impostors=10, start=start), f"{name}.csv")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["operating-points", *arguments], catch_exceptions=False)


SETS = ("--dev", "dev.csv", "--test", "test.csv")


def test_json_has_the_names_of_the_contract_and_the_numbers_of_python() -> None:
    found = json.loads(run(*SETS, "--json").stdout)["systems"]
    assert [system["system"] for system in found] == ["a", "b"]
    expected = ft.operating_points(ft.read_trials("dev.csv"), ft.read_trials("test.csv"), systems="a")
    first = found[0]
    assert (first["auc"], first["d_prime"]) == (expected.auc.estimate, expected.d_prime.estimate)
    assert [point["far_target"] for point in first["points"]] == [0.01, 0.001, 0.0001]
    for point, own in zip(first["points"], expected.points, strict=True):
        assert (point["threshold"], point["far"], point["frr"]) == (own.threshold, own.test.far, own.test.frr)
        assert (point["interval"]["low"], point["interval"]["high"]) == tuple(own.interval.interval)
        assert point["interval"]["threshold"] == "re-estimated"


def test_table_says_what_a_target_rests_on() -> None:
    shown = run(*SETS, "--far", ".1,.001", "--system", "a").stdout
    assert "FRR at FAR 10 %" in shown
    assert "FRR at FAR 0.1 %" in shown
    assert shown.count("30 needed") == 1


def test_folds_judge_held_out_trials() -> None:
    found = run("--dev", "dev.csv", "--folds", "4", "--far", ".1", "--json")
    assert json.loads(found.stdout)["systems"][0]["kind"] == "a priori (cross-validated)"
    assert "FAR on held-out trials" in run("--dev", "dev.csv", "--folds", "4", "--far", ".1").stdout


@pytest.mark.parametrize("far", ["x", "", ".1,", "0", "1.5", ".1,.1"])
def test_bad_targets_are_errors(far: str) -> None:
    result = run(*SETS, "--far", far)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_counts_are_refused() -> None:
    assert CliRunner().invoke(main, ["count", "dev.csv", "--out", "dev.ftc"]).exit_code == 0
    result = run("--dev", "dev.ftc", "--test", "dev.ftc")
    assert result.exit_code == 2
    assert "scores themselves" in result.stderr
