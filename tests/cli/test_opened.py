"""Commands on files that are larger than the memory they may take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.formats import read


def run(*given: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(part) for part in given])
    return result.exit_code, result.output


def found(*given: object) -> Any:
    code, output = run(*given, "--json")
    assert code == 0, output
    return json.loads(output)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        genuine = rng.random(5000) < 0.4
        scores = rng.normal(size=(5000, 2)) + np.array([2, 1.5]) * genuine[:, None]
        ft.write_trials(ft.Trials.from_arrays(scores, genuine, systems=["face", "voice"]), tmp_path / f"{name}.parquet")
    return ["--dev", str(tmp_path / "dev.parquet"), "--test", str(tmp_path / "test.parquet")]


def test_figures_are_those_of_the_trials_read_whole(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found("evaluate", *files), found("epc", *files, "--no-areas", "--points", 11)
    monkeypatch.setattr(read, "expected_memory", lambda paths: 10**12)
    pieces = found("evaluate", *files, "--memory", "64MB"), found("epc", *files, "--points", 11, "--memory", "64MB")
    for own, other in zip(whole[0]["systems"], pieces[0]["systems"], strict=True):
        for key in ("system", "threshold", "eer", "dev"):
            assert own[key] == other[key]
        for key in ("far", "frr", "hter", "eer"):
            assert own["test"][key] == other["test"][key]
    for own, other in zip(whole[1]["curves"], pieces[1]["curves"], strict=True):
        assert {key: own[key] for key in ("threshold", "far", "frr")} == {
            key: other[key] for key in ("threshold", "far", "frr")
        }
    assert any("read in pieces" in note for note in pieces[0]["systems"][0]["notes"])
    assert "no-areas" in [note["code"] for note in pieces[1]["notes"] if isinstance(note, dict)]


def test_systems_are_compared_as_those_read_whole(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = found("compare", *files, "--resamples", 50)["pairs"]
    monkeypatch.setattr(read, "expected_memory", lambda paths: 10**12)
    (pieces,) = found("compare", *files, "--resamples", 50, "--memory", "64MB")["pairs"]
    assert pieces["discordant"] == whole["discordant"]
    for test, other in zip(pieces["tests"], whole["tests"], strict=True):
        assert test["test"] == other["test"]
        assert test["p_value"] == pytest.approx(other["p_value"], rel=1e-6)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("evaluate", ["--report", "page.html"]),
        ("evaluate", ["--common"]),
        ("compare", ["--report", "page.html"]),
        ("epc", ["--bands", "pointwise"]),
        ("epc", ["--compare", "face,voice"]),
    ],
)
def test_what_needs_the_trials_whole_says_so(
    files: list[str], command: str, option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "expected_memory", lambda paths: 10**12)
    code, output = run(command, *files, *option)
    assert code == 2
    assert output.startswith(f"error: {option[0]} needs ")


def test_files_of_one_system_each_are_not_taken_for_parts_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("face", "voice"):
        (tmp_path / f"{name}.csv").write_text("claim,subject,probe,score\na,a,1,0.9\na,b,2,0.1\nb,a,3,0.3\n")
    files = [word for name in ("face", "voice") for word in ("--dev", str(tmp_path / f"{name}.csv"))]
    files += [word.replace("--dev", "--test") for word in files]
    assert [own["system"] for own in found("evaluate", *files)["systems"]] == ["face", "voice"]
    monkeypatch.setattr(read, "expected_memory", lambda paths: 10**12)
    code, output = run("evaluate", *files)
    assert code == 2
    assert "several files that do not name their systems cannot be read in pieces" in output
    assert found("evaluate", *files, "--name", "both")["systems"][0]["dev"]["genuine"] == 2


def test_how_much_memory_is_said_in_words(files: list[str]) -> None:
    assert run("evaluate", *files, "--memory", "a lot")[1].startswith("error: memory must be a number of bytes")
    assert run("evaluate", *files, "--memory", "1MB")[1].startswith("error: memory of 1MB is too little")


def test_memory_is_guessed_from_rows_and_sizes(tmp_path: Path, files: list[str]) -> None:
    assert 5000 * 16 < read.expected_memory([files[1]]) < 5000 * 200
    (tmp_path / "a.csv").write_text("label,face\n1,0.5\n0,0.25\n")
    assert read.expected_memory([tmp_path / "a.csv"]) > 20
    assert read.expected_memory([tmp_path / "nothing.csv"]) == 0
