"""The command datasets."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairtrial.benchmark.datasets import DATASETS
from fairtrial.cli.app import main


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data and an empty cache."""
    monkeypatch.delenv("FAIRTRIAL_DATA", raising=False)
    monkeypatch.delenv("FAIRTRIAL_MIRROR", raising=False)
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["datasets", *arguments])


def put_files(directory: Path, name: str) -> Path:
    folder = directory / DATASETS[name].folder
    folder.mkdir(parents=True)
    for file in DATASETS[name].files:
        (folder / f"{file}.gz").write_text("not looked into by a list")
    return folder


def test_json_lists_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put_files(tmp_path / "data", "bssr1-set1")
    monkeypatch.setenv("FAIRTRIAL_DATA", str(tmp_path / "data"))
    result = run("--json")
    assert result.exit_code == 0
    listed = {entry["name"]: entry for entry in json.loads(result.stdout)["datasets"]}
    assert list(listed) == list(DATASETS)
    keys = {"name", "title", "citation", "licence", "synthetic", "available", "path"}
    assert all(keys <= set(entry) for entry in listed.values())
    states = {name: (entry["synthetic"], entry["available"], entry["path"]) for name, entry in listed.items()}
    assert states == {
        "lausanne": (True, True, None),
        "bssr1-set1": (False, True, str(folder)),
        "asvspoof2019-la": (False, False, None),
        "xm2vts-lp2-dev": (False, False, None),
    }


def test_table_says_where_each_is_or_how_to_get_it(tmp_path: Path) -> None:
    folder = put_files(tmp_path / "cache", "xm2vts-lp2-dev")
    result = run()
    assert result.exit_code == 0
    for words in (
        *DATASETS,
        "made by fairtrial",
        "downloaded when first used, or put into $FAIRTRIAL_DATA/bssr1_set1",
        "to be put into $FAIRTRIAL_DATA/asvspoof2019_la",
        str(folder),
        "266,772",
        "none stated",
    ):
        assert words in result.stdout


def test_one_with_citation_licence_and_notes() -> None:
    result = run("asvspoof2019-la")
    assert result.exit_code == 0
    for words in ("X. Wang et al.", "Apache-2", "asv_ecapa (asv)", "asv_trials_dev.csv", "note: genuine: the target"):
        assert words in result.stdout
    (entry,) = json.loads(run("asvspoof2019-la", "--json").stdout)["datasets"]
    assert entry["notes"] == [note.to_dict() for note in DATASETS["asvspoof2019-la"].notes]
    assert entry["systems"][0] == {
        "name": "asv_ecapa",
        "modality": "asv",
        "feature": "asv_ecapa",
        "classifier": "asv_ecapa",
    }


def test_a_name_that_is_not_known() -> None:
    result = run("bssr9")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"error: there is no data set 'bssr9'; there are {', '.join(DATASETS)}\n"


def test_help_has_an_example_and_loads_nothing_heavy() -> None:
    assert "fairtrial datasets bssr1-set1" in run("--help").stdout
    code = "import sys, fairtrial.cli.commands; print('pooch' in sys.modules or 'numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_a_set_is_exported_and_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "scores"
    result = run("lausanne", "--set", "LP2", "--export", str(folder), "--json")
    assert result.exit_code == 0, result.stderr
    assert [(file["set"], file["part"]) for file in json.loads(result.stdout)["files"]] == [
        ("LP2", "dev"),
        ("LP2", "test"),
    ]
    asked = ["evaluate", "--system", "(PAC,GMM)", "--json"]
    sources = (
        ["--data", "lausanne", "--set", "LP2"],
        ["--data", str(folder)],
        ["--dev", str(folder / "LP2-dev.csv"), "--test", str(folder / "LP2-test.csv")],
    )
    known, again, files = (json.loads(CliRunner().invoke(main, [*asked, *source]).stdout) for source in sources)
    figures = [(own["systems"][0]["threshold"], own["systems"][0]["test"]["hter"]) for own in (known, again, files)]
    assert figures[0] == figures[1] == figures[2]


def test_an_export_writes_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "LP2-test.csv").write_text("mine")
    result = run("lausanne", "--set", "LP2", "--export", str(tmp_path))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"LP2-test.csv": "mine"}


@pytest.mark.parametrize("arguments", [["--export", "scores"], ["lausanne", "--set", "LP2"]])
def test_an_export_needs_a_name_and_a_directory(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "--export" in result.stderr
