"""The option --report: a page beside what a command prints."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairtrial import write_trials
from fairtrial.cli.app import main
from pages.pages import check_self_contained, two_systems

FILES = ["--dev", "dev.csv", "--test", "test.csv"]
COMMANDS = {
    "evaluate": ["evaluate", *FILES],
    "folds": ["evaluate", "--dev", "dev.csv", "--folds", "3"],
    "compare": ["compare", *FILES, "--resamples", "50"],
    "coverage": ["coverage", "--n", "50", "--m", "2", "--pi", ".1", "--rho", ".1", "--datasets", "20"],
    "benchmark": ["benchmark", "--set", "LP2"],
    "fuse": ["fuse", *FILES],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, seed in (("dev", 0), ("test", 1)):
        write_trials(two_systems(seed, ("face", "voice")), f"{name}.csv")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_report_stands_beside_the_json(name: str) -> None:
    result = run(*COMMANDS[name], "--report", "page.html", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == json.loads(run(*COMMANDS[name], "--json").stdout)
    assert result.stderr == "report in page.html\n"
    text = Path("page.html").read_text(encoding="utf-8")
    check_self_contained(text)
    assert "To reproduce this" in text


def test_page_has_a_title_and_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    arguments = (*COMMANDS["evaluate"], "--report", "page.html", "--title", "Face & voice")
    assert run(*arguments).exit_code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>Face &amp; voice</h1>" in text
    assert "Evaluation of face and voice" in text
    assert "1 January 2026" in text
    assert run(*arguments).exit_code == 0
    assert Path("page.html").read_text(encoding="utf-8") == text


def test_title_without_a_page_is_refused() -> None:
    result = run(*COMMANDS["evaluate"], "--title", "Face")
    assert result.exit_code == 2
    assert "--report" in result.stderr


def test_page_of_a_saved_fusion() -> None:
    assert run(*COMMANDS["fuse"], "--save", "model.json").exit_code == 0
    result = run("fuse", "--model", "model.json", "--test", "test.csv", "--report", "page.html")
    assert result.exit_code == 0, result.stderr
    text = Path("page.html").read_text(encoding="utf-8")
    assert "Saved fusion of face and voice" in text
    assert "model.json" in text


def test_input_files_are_named_with_their_hashes() -> None:
    run(*COMMANDS["evaluate"], "--report", "page.html")
    text = Path("page.html").read_text(encoding="utf-8")
    for name in ("dev.csv", "test.csv"):
        assert re.search(rf"{name}.*?{hashlib.sha256(Path(name).read_bytes()).hexdigest()}", text, re.DOTALL)


@pytest.mark.parametrize(
    ("target", "words"),
    [("page.pdf", "should end in .html"), ("nowhere/page.html", "there is no directory"), (".html/", ".html")],
)
def test_a_page_that_cannot_be_written_is_an_error_before_any_work(target: str, words: str) -> None:
    result = run("evaluate", "--dev", "missing.csv", "--test", "missing.csv", "--report", target)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "missing.csv" not in result.stderr


def test_a_report_is_of_one_fusion() -> None:
    result = run("benchmark", "--fusion", "mean,max", "--report", "page.html")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert not Path("page.html").exists()
