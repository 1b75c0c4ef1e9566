"""The trials that a session looks at."""

from pathlib import Path

import pytest

from explorer.opened import read_data, write_sets
from fairtrial import ParameterError, TrialsError


def test_the_summary_says_what_was_read(tmp_path: Path) -> None:
    found = read_data(write_sets(tmp_path)).summary
    assert found["counts"] == {name: {"genuine": 48, "impostor": 96} for name in ("dev", "test")}
    assert (found["ids"], found["columns"], found["kind"]) == (["claim", "subject"], ["device"], "a priori")
    assert "3 systems: face, voice, gait; dev: 48 genuine and 96 impostor trials" in found["said"]


def test_captions_say_where_thresholds_come_from(tmp_path: Path) -> None:
    dev, test = write_sets(tmp_path)
    apart, same, folds = (read_data(paths).summary["captions"] for paths in ([dev, test], [dev, dev], [dev]))
    assert apart["errors"] == same["errors"] == "Errors on test"
    assert apart["epc"].endswith("the threshold from dev")
    assert same["epc"].endswith("at thresholds from the same trials, a posteriori")
    assert "a posteriori" in same["curve"]
    assert folds["errors"] == "Errors on held-out trials"
    assert folds["epc"].endswith("each judged by a threshold from other folds")
    assert folds["curve"].startswith("of all trials, a posteriori")
    assert apart["interval"] == "95 % interval of the HTER"


def test_systems_are_those_that_are_there_and_not_too_many(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    assert data.chosen([]) == data.systems
    with pytest.raises(TrialsError, match="iris"):
        data.chosen(["iris"])
    with pytest.raises(ParameterError, match="at most 2"):
        data.chosen(data.systems, most=2)


def test_options_name_the_systems_that_are_not_all(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    assert data.words(data.systems) == ["--dev", str(tmp_path / "dev.csv"), "--test", str(tmp_path / "test.csv")]
    assert data.words(["voice"])[-2:] == ["--system", "voice"]
    assert data.where_files_are == ""
