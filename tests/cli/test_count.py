"""fairtrial count and merge, and commands that take files of counts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from simulated import crossed


def run(*given: object) -> str:
    result = CliRunner().invoke(main, [str(part) for part in given])
    assert result.exit_code == 0, result.output
    return result.output


def found(*given: object) -> Any:
    return json.loads(run(*given, "--json"))


def error(*given: object) -> str:
    result = CliRunner().invoke(main, [str(part) for part in given])
    assert result.exit_code == 2
    assert len(result.output.strip().splitlines()) == 1
    return result.output


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """dev.csv, test.csv, and the trials of dev again in three files."""
    folder = tmp_path_factory.mktemp("counts")
    for seed, name in enumerate(("dev", "test")):
        trials = crossed(np.random.default_rng(seed), effect=0.5, start=1000 * seed)
        ft.write_trials(trials, folder / f"{name}.csv")
        for k in range(3):
            ft.write_trials(trials.rows(np.arange(k, len(trials), 3)), folder / f"{name}-part-{k}.csv")
        run("count", folder / f"{name}.csv", "--out", folder / f"{name}.ftc")
    return folder


def test_parts_merged_are_the_whole(place: Path) -> None:
    for k in range(3):
        run("count", place / f"dev-part-{k}.csv", "--out", place / f"{k}.ftc")
    said = found("merge", place / "2.ftc", place / "0.ftc", place / "1.ftc", "--out", place / "merged.ftc")
    assert (said["genuine"], said["impostor"], said["exact"]) == (200, 1250, True)
    assert (place / "merged.ftc").read_bytes() == (place / "dev.ftc").read_bytes()
    run("count", place / "dev-part-*.csv", "--out", place / "at-once.ftc")
    assert (place / "at-once.ftc").read_bytes() == (place / "dev.ftc").read_bytes()


def test_evaluate_from_counts_is_evaluate_from_scores(place: Path) -> None:
    counted = found("evaluate", "--dev", place / "dev.ftc", "--test", place / "test.ftc", "--measure", "f1")
    scored = found("evaluate", "--dev", place / "dev.csv", "--test", place / "test.csv", "--measure", "f1")
    for own, other in zip(counted["systems"], scored["systems"], strict=True):
        assert {key: own[key] for key in ("system", "threshold", "eer")} == {
            key: other[key] for key in ("system", "threshold", "eer")
        }
        for part in ("dev", "test"):
            for name in ("far", "frr", "hter", "false_accepts", "false_rejects", "genuine", "impostor"):
                assert own[part][name] == other[part][name]
            assert own[part]["hter_bounds"] == {"low": other[part]["hter"], "high": other[part]["hter"]}
        assert own["test"]["measures"] == other["test"]["measures"]
        assert own["test"]["measure_bounds"]["f1"]["low"] == other["test"]["measures"]["f1"]
    shown = run("evaluate", "--dev", place / "dev.ftc", "--test", place / "test.ftc", "--system", "b")
    assert "at least" not in shown  # the bounds are the figures themselves
    assert "taken as independent" in shown


def test_threshold_from_dev_then_people_on_test(place: Path) -> None:
    (first,) = found("evaluate", "--dev", place / "dev.ftc", "--test", place / "dev.ftc", "--system", "a")["systems"]
    run("count", place / "test.csv", "--thresholds", f"a={first['threshold']!r}", "--out", place / "watched.ftc")
    asked = ("evaluate", "--dev", place / "dev.ftc", "--test", place / "watched.ftc", "--system", "a")
    counted = found(*asked)["systems"][0]["test"]["interval"]
    scores = "evaluate", "--dev", place / "dev.csv", "--test", place / "test.csv", "--system", "a", "--resample", "test"
    scored = found(*scores)["systems"][0]["test"]["interval"]
    assert counted["method"] == scored["method"] == "cluster-both"
    assert counted["low"] <= scored["low"] < scored["high"] <= counted["high"]  # who met whom is not counted


def test_epc_from_counts(place: Path) -> None:
    counted = found("epc", "--dev", place / "dev.ftc", "--test", place / "test.ftc", "--points", 5)
    scored = found("epc", "--dev", place / "dev.csv", "--test", place / "test.csv", "--points", 5, "--no-areas")
    for own, other in zip(counted["curves"], scored["curves"], strict=True):
        for name in ("alpha", "threshold", "far", "frr", "hter"):
            assert own[name] == other[name]
        assert own["hter_bounds"] == {"low": other["hter"], "high": other["hter"]}
    assert "bounds of HTER" in run("epc", "--dev", place / "dev.ftc", "--test", place / "test.ftc")


def test_compare_from_counts(place: Path) -> None:
    counted = found("compare", "--dev", place / "dev.ftc", "--test", place / "test.ftc")
    scored = found("compare", "--dev", place / "dev.csv", "--test", place / "test.csv", "--resamples", 10)
    (own,), (other,) = counted["pairs"], scored["pairs"]
    assert (own["hter_a"], own["hter_b"]) == (other["hter_a"], other["hter_b"])
    (test,) = own["tests"]
    (same,) = (each for each in other["tests"] if each["test"] == "hter-independent")
    assert (test["statistic"], test["p_value"]) == pytest.approx((same["statistic"], same["p_value"]))
    assert "on which trials two systems err together" in run(
        "compare", "--dev", place / "dev.ftc", "--test", place / "test.ftc"
    )


def test_genuine_and_impostor_lists_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "gen.scores").write_text("0.9\n0.8\n")
    (tmp_path / "imp.scores").write_text("0.1\n0.2\n0.3\n")
    said = found("count", tmp_path / "gen.scores", tmp_path / "imp.scores", "--together", "--out", tmp_path / "a.ftc")
    assert (said["genuine"], said["impostor"]) == (2, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("count", "dev.csv", "--out", "part.csv"), ".ftc"),
        (("count", "dev.csv", "--out", "x.ftc", "--thresholds", "a=x"), "expected numbers"),
        (("count", "dev.csv", "--out", "x.ftc", "--thresholds", "c=1"), "no system 'c'"),
        (("count", "dev.csv", "--out", "x.ftc", "--precision", "2"), "between 0 and 1"),
        (("merge", "dev.csv", "--out", "x.ftc"), "is not a file of counts"),
        (("merge", "dev.ftc", "--out", "dev.ftc"), "written over files that are read"),
        (("merge", "none.ftc", "--out", "x.ftc"), "there is no such file"),
        (("evaluate", "--dev", "dev.ftc", "--test", "test.csv"), "test.csv: is not a file of counts"),
        (("evaluate", "--dev", "dev.ftc", "--folds", "5"), "--folds needs the trials"),
        (("evaluate", "--dev", "dev.ftc"), "--test"),
        (("evaluate", "--dev", "dev.ftc", "--test", "test.ftc", "--negate"), "--negate says how scores are read"),
        (("evaluate", "--dev", "dev.ftc", "--test", "test.ftc", "--cluster", "both"), "needs claim and subject ids"),
        (("evaluate", "--dev", "dev.ftc", "--test", "test.ftc", "--system", "c"), "no system 'c'"),
        (("evaluate", "--dev", "dev.ftc", "--test", "test.ftc", "--report", "x.html"), "--report needs the scores"),
        (("epc", "--dev", "dev.ftc", "--test", "test.ftc", "--bands", "pointwise"), "--bands needs the scores"),
        (("compare", "--dev", "dev.ftc", "--test", "test.ftc", "--margin", "0.1"), "--margin needs the scores"),
        (("compare", "--dev", "dev.ftc", "--test", "test.ftc", "--systems", "a"), "only one was given: a"),
        (("compare", "--dev", "dev.ftc", "--test", "test.ftc", "--reference", "c"), "no system 'c'; there are a, b"),
    ],
)
def test_what_does_not_go(place: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], message: str) -> None:
    monkeypatch.chdir(place)
    before = sorted(path.name for path in place.iterdir())
    assert message in error(*given)
    assert sorted(path.name for path in place.iterdir()) == before


def test_files_of_other_systems_are_not_counted_into_one(place: Path, tmp_path: Path) -> None:
    ft.write_trials(ft.Trials.from_arrays([[1.0, 0.0]] * 2, [True, False], systems=["c", "d"]), tmp_path / "cd.csv")
    said = error("count", place / "dev.csv", tmp_path / "cd.csv", "--out", tmp_path / "x.ftc")
    assert "cd.csv: holds the systems c, d, the files before a, b" in said


def test_a_compressed_file_with_a_limit_of_size(place: Path, tmp_path: Path) -> None:
    """It ended in an AttributeError, as a bounded stream cannot seek."""
    (tmp_path / "dev.csv.gz").write_bytes(gzip.compress((place / "dev.csv").read_bytes()))
    run("count", tmp_path / "dev.csv.gz", "--max-size", "20G", "--out", tmp_path / "dev.ftc")
    assert (tmp_path / "dev.ftc").read_bytes() == (place / "dev.ftc").read_bytes()
    assert "--max-size 2000" in error(
        "count", tmp_path / "dev.csv.gz", "--max-size", "1000", "--out", tmp_path / "dev.ftc"
    )


def test_scores_with_a_key(tmp_path: Path) -> None:
    """The option was offered, and refused."""
    (tmp_path / "key.txt").write_text("m1 u1 target\nm1 u2 nontarget\nm2 u1 nontarget\n")
    (tmp_path / "face.txt").write_text("m1 u1 0.9\nm1 u2 0.2\nm2 u1 0.1\n")
    said = found("count", tmp_path / "face.txt", "--key", tmp_path / "key.txt", "--out", tmp_path / "face.ftc")
    assert (said["genuine"], said["impostor"], said["systems"]) == (1, 2, ["face"])


@pytest.mark.parametrize(
    "command", ["fuse", "predict", "groups --by claim", "plot det --out a.png", "calibrate", "operating-points"]
)
def test_commands_that_counts_cannot_serve(place: Path, command: str) -> None:
    """Some errors named classes of Python."""
    message = error(*command.split(), "--dev", place / "dev.ftc", "--test", place / "test.ftc")
    assert "Counter" not in message
    assert "counts" in message or "counters" in message


def test_a_file_of_counts_is_not_read_as_trials(place: Path) -> None:
    for call in (ft.read_trials, ft.open_trials, lambda path: ft.read_pair(path, path)):
        with pytest.raises(
            ft.InputError, match=r"dev\.ftc: is a file of counts.* evaluate, compare, epc.*Counter\.load"
        ):
            call(place / "dev.ftc")
    assert "is a file of counts" in error("convert", place / "dev.ftc", "--out", place / "x.csv")
    with pytest.raises(ft.TrialsError, match="dev must be trials in memory, not counts, which evaluate"):
        ft.fuse(ft.Counter.load(place / "dev.ftc"), ft.Counter.load(place / "test.ftc"))  # type: ignore[arg-type]
