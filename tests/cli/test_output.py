"""What every command that prints tables can do: --out, --terms, --json; options as typed values."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, evaluate, read_trials, write_trials
from fairtrial.cli.app import main
from fairtrial.cli.output import print_notes
from fairtrial.core.notes import Note

SETS = ["--dev", "dev.csv", "--test", "test.csv"]
RATES = ["--impostor", "112000", "--genuine", "400"]
COMMANDS: dict[str, list[str]] = {
    "evaluate": ["evaluate", *SETS],
    "points": ["operating-points", *SETS],
    "folds": ["evaluate", "--dev", "dev.csv", "--folds", "3"],
    "compare": ["compare", *SETS, "--resamples", "50"],
    "epc": ["epc", *SETS, "--points", "11"],
    "rates": ["interval", "rates", "--far", ".0115", "--frr", ".025", *RATES, "--measure", "all"],
    "individuals": ["interval", "individuals", "counts.csv", "--resamples", "50"],
    "plan": ["plan", "--pi", ".02", "--half-width", ".01"],
    "plan two": ["plan", "--a", ".1", ".2", "--b", ".2", ".3"],
    "compare-rates": ["compare-rates", "--a", ".0115", ".025", "--b", ".0195", ".0275", *RATES],
    "eer-bound": ["eer-bound", ".0057", ".0008", "0", "--trials", "285390"],
    "mcnemar": ["mcnemar", "--b", "3", "--c", "900"],
    "coverage": ["coverage", "--n", "20", "--m", "2", "--pi", ".1", "--rho", ".1,.2", "--datasets", "20"],
    "fuse": ["fuse", *SETS],
    "benchmark": ["benchmark", "--data", ".", "--protocol", "fp-intramodal"],
}
FIRST = {
    "evaluate": "system", "points": "system", "folds": "system", "compare": "pair", "epc": "system", "rates": "measure",
    "individuals": "method", "plan": "attempts", "plan two": "individuals", "compare-rates": "test", "eer-bound": "a",
    "mcnemar": "version", "coverage": "n", "fuse": "system", "benchmark": "benchmark",
}  # fmt: skip

MANIFEST = """name = "lab"
[[set]]
name = "S"
dev = "dev.csv"
test = "test.csv"
[[set.system]]
name = "face"
modality = "face"
[[set.system]]
name = "a_b"
modality = "face"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with score files, a manifest of them and a table of counts in it."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        claim, subject = np.divmod(np.arange(400), 20)
        scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(400, 2))
        write_trials(
            Trials.from_arrays(scores, claim == subject, systems=["face", "a_b"], claim=claim, subject=subject),
            f"{name}.csv",
        )
    Path("benchmark.toml").write_text(MANIFEST)
    Path("counts.csv").write_text("errors,attempts\n" + "".join(f"{x},5\n" for x in (0, 0, 0, 1, 0, 2, 0, 0, 5, 1)))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def out(name: str, file: str) -> list[str]:
    return [*COMMANDS[name], "--out", file]


@pytest.mark.parametrize("name", COMMANDS)
def test_out_writes_the_main_table_for_programs(name: str) -> None:
    shown = run(*out(name, "a.csv"))
    assert shown.exit_code == 0, shown.output
    assert run(*out(name, "a.parquet")).exit_code == 0
    with open("a.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    found = parquet.read_table("a.parquet")
    assert list(rows[0]) == found.column_names
    assert found.column_names[0] == FIRST[name]
    assert len(rows) == found.num_rows > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_out_writes_all_tables_for_people(name: str) -> None:
    assert run(*out(name, "a.md"), "--terms", "iso").exit_code == 0
    assert run(*out(name, "a.tex")).exit_code == 0
    markdown, latex = Path("a.md").read_text(), Path("a.tex").read_text()
    assert markdown.startswith("## ")
    assert "FAR" not in markdown
    assert latex.count("\\begin{table}") == markdown.count("## ") >= 1


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_the_same_in_a_file_and_alone_on_stdout(name: str) -> None:
    shown = run(*out(name, "a.json"), "--json")
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout) == json.loads(Path("a.json").read_text())


@pytest.mark.parametrize("name", ["evaluate", "compare", "epc", "fuse"])
def test_out_is_never_a_file_that_is_read(name: str) -> None:
    before = Path("dev.csv").read_bytes()
    shown = run(*out(name, "dev.csv"))
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "files that are read" in shown.stderr
    assert Path("dev.csv").read_bytes() == before


@pytest.mark.parametrize("name", COMMANDS)
def test_out_is_checked_before_the_work(name: str, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    for file, message in (("a.doc", "should end in"), ("nowhere/a.csv", "no directory nowhere")):
        shown = run(*out(name, file))
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert message in shown.stderr
    assert {path.name for path in folder.iterdir()} == before


def test_evaluate_has_one_row_per_system_and_set() -> None:
    run(*out("evaluate", "a.csv"))
    with open("a.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["system"], row["set"]) for row in rows] == [
        ("face", "dev"), ("face", "test"), ("a_b", "dev"), ("a_b", "test"),
    ]  # fmt: skip
    expected = evaluate(read_trials("dev.csv"), read_trials("test.csv"), systems="face")
    assert float(rows[1]["hter"]) == expected.test.hter
    assert (float(rows[1]["interval_low"]), rows[0]["interval_low"]) == (expected.interval().low, "")


def test_iso_terms_on_the_terminal() -> None:
    shown = run(*COMMANDS["evaluate"], "--terms", "iso").stdout
    assert "FMR %" in shown
    assert "FNMR %" in shown
    assert "FAR" not in shown
    assert "FAR %" in run(*COMMANDS["evaluate"]).stdout
    assert run(*COMMANDS["evaluate"], "--terms", "nist").exit_code == 2


def test_p_is_never_zero_on_the_terminal() -> None:
    shown = run(*COMMANDS["mcnemar"]).stdout
    assert shown.count("< 0.0001") == 5
    assert json.loads(run(*COMMANDS["mcnemar"], "--json").stdout)["p_value"] > 0


def test_two_dots_are_no_interval() -> None:
    for name in ("evaluate", "compare", "epc", "rates"):
        shown = run(*COMMANDS[name]).stdout
        assert " .. " not in shown
        assert " to " in shown


def test_warnings_come_first_and_alike_notes_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_notes(["one", Note("two", "two", warning=True), "one", Note("read-as", "three", detail=True)])
    assert capsys.readouterr().out == "warning: two\nnote: one\n"
    print_notes([Note("read-as", "three", detail=True)], everything=True)
    assert capsys.readouterr().out == "note: three\n"


FIXED = ["--resample", "test"]
COSTS: dict[str, tuple[list[str], Callable[[Any], list[float]]]] = {
    "interval": (
        ["interval", "rates", "--far", ".0115", "--frr", ".025", *RATES, "--measure", "dcf"],
        lambda found: [found["intervals"][0][name] for name in ("estimate", "sigma", "low", "high", "width")],
    ),
    "compare-rates": (
        ["compare-rates", "--a", ".0115", ".025", "--b", ".0195", ".0275", *RATES, "--measure", "dcf"],
        lambda found: [found["tests"][0][name] for name in ("difference", "sigma")],
    ),
    "compare": (
        ["compare", *SETS, "--measure", "dcf", "--resamples", "50"],
        lambda found: [
            found["pairs"][0]["difference"],
            *(found["pairs"][0]["interval"][end] for end in ("low", "high")),
        ],
    ),
    "evaluate": (
        ["evaluate", *SETS, "--measure", "dcf"],
        lambda found: [found["systems"][0]["test"]["measure_intervals"]["dcf"][end] for end in ("low", "high")],
    ),
    "epc": (
        # as dev has too few errors here to say how far thresholds would move, they are taken as they are
        ["epc", *SETS, "--measure", "dcf", "--points", "11", "--bands", "pointwise", "--compare", "face,a_b", *FIXED],
        lambda found: [found["curves"][0]["value"][5], found["curves"][0]["high"][5], found["comparison"]["high"][5]],
    ),
}


@pytest.mark.parametrize("name", COSTS)
def test_a_cost_is_never_in_percent(name: str) -> None:
    command, costs = COSTS[name]
    shown = run(*command, "--all").stdout
    for cost in costs(json.loads(run(*command, "--json").stdout)):
        assert re.search(rf"(?<![\d.]){re.escape(f'{cost:.4g}')}(?! %|\d)", shown), cost


def test_cost_and_rates_in_one_table_each_with_its_unit() -> None:
    shown = run(*COMMANDS["rates"]).stdout.splitlines()[1:]
    (hter,) = (line for line in shown if line.startswith("HTER"))
    (dcf,) = (line for line in shown if line.startswith("DCF"))
    # (.0115 + .025) / 2, and .0115 * .99 + 10 * .01 * .025
    assert float(hter.split()[1]) == pytest.approx(1.825, abs=0.0051)
    assert hter.split()[2] == "%"
    assert float(dcf.split()[1]) == pytest.approx(0.013885, abs=1e-5)
    assert "%" not in dcf
    assert run(*out("rates", "a.csv")).exit_code == 0
    with open("a.csv", newline="") as file:
        measures = [row["measure"] for row in csv.DictReader(file)]
    assert "dcf" in measures
    assert "hter" in measures


def test_alike_notes_are_one() -> None:
    few = ["--far", ".01", "--frr", ".01", "--impostor", "500", "--genuine", "50"]
    shown = run("interval", "rates", *few, "--measure", "all")
    notes = [line for line in shown.stdout.splitlines() if "few errors for a normal approximation" in line]
    assert any(note.startswith("note: HTER, WER, DCF: ") for note in notes)
    assert len(notes) < 5


def test_all_tables_have_one_style() -> None:
    for command in (["datasets"], ["formats"], COMMANDS["rates"], COMMANDS["evaluate"]):
        assert any(set(line) == {"-"} for line in run(*command).stdout.splitlines())


@pytest.mark.parametrize("group", [["plot"], ["interval"], ["test"], []], ids=str)
def test_help_cuts_no_description_and_fits_80_columns(group: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(*group, "--help").stdout
    commands = shown.split("--help ")[-1]
    assert "..." not in commands
    assert max(map(len, commands.splitlines())) <= 80
    assert "several times" in run("interval", "--help").stdout


def test_details_are_printed_on_request() -> None:
    command = ["evaluate", "--dev", "dev.csv", "--folds", "3", "--measure", "f1"]
    brief, whole = run(*command).stdout, [run(*command, flag).stdout for flag in ("-v", "--all")]
    for words in ("the interval is that of the HTER", "3 folds of 20 people", "read as csv"):
        assert words not in brief
        assert all(words in text for text in whole)
    assert "F1 " in brief
    assert "accounts for" in whole[1]
