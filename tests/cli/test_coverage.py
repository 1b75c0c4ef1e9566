"""`fairtrial coverage`: grids, exact cells, data of one's own, and studies that go on."""

from __future__ import annotations

import fcntl
import json
import zlib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from fairtrial.cli.app import main
from fairtrial.cli.output import Bar
from fairtrial.repeated import QUICK
from reference.individuals_2004 import COVERAGE, EXAMPLE, METHODS

SMALL = ["--n", "30,100", "--m", "2,5", "--pi", ".05,.1", "--rho", ".1", "--datasets", "50", "--resamples", "40"]
CELL_KEYS = {"n", "m", "pi", "rho", "method", "coverage", "mean_width", "undefined"}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["coverage", *map(str, arguments)], catch_exceptions=False)


def answer(*arguments: str | Path) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def shown(*arguments: str | Path) -> list[list[str]]:
    """The cells of the table, without its head."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    first = next(k for k, line in enumerate(lines) if set(line) == {"-"}) + 1
    return [line.split() for line in (*lines, "")[first : (*lines, "").index("", first)]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with tables of counts in it."""
    monkeypatch.chdir(tmp_path)
    Path("counts.csv").write_text(EXAMPLE.csv)
    Path("unequal.csv").write_text("errors,attempts\n0,5\n1,3\n2,9\n0,4\n3,5\n")
    Path("none.csv").write_text("errors,attempts\n0,5\n0,3\n")
    return tmp_path


def test_exact_cell_against_recomputed_coverage() -> None:
    found = answer("--n", "100", "--m", "2", "--pi", ".1", "--rho", ".2", "--exact")
    assert all(set(cell) >= CELL_KEYS for cell in found["cells"])
    coverage = {cell["method"]: cell["coverage"] for cell in found["cells"]}
    expected = dict(zip(METHODS, COVERAGE[100, 0.1, 0.2], strict=True))
    assert coverage == pytest.approx(expected, abs=1e-5)


def test_exact_cell_as_a_table() -> None:
    arguments = ["--n", "1000", "--m", "2", "--pi", ".001", "--rho", ".2", "--exact", "--method", "lbb"]
    ((*cell, name, coverage, mean, median, undefined, high, low),) = shown(*arguments)
    assert cell == ["1,000", "2", "0.001", "0.2"]
    expected = COVERAGE[1000, 0.001, 0.2][METHODS.index("lbb")]
    assert (name, coverage) == ("lbb", f"{100 * expected:.2f}")
    assert float(coverage) + float(high) + float(low) + float(undefined) == pytest.approx(100, abs=0.02)
    # nobody of 1000 errs: (P(0 of 2))^1000 with P(0) = 1 - 2 pi + P(2), P(2) = pi^2 + rho pi (1 - pi)
    assert float(undefined) == pytest.approx(100 * (1 - 0.002 + 1e-6 + 0.2 * 0.001 * 0.999) ** 1000, abs=0.01)
    assert float(mean) > 0
    assert float(median) > 0


def test_json_of_a_grid_in_order() -> None:
    found = answer(*SMALL)
    cells = [(cell["n"], cell["m"], cell["pi"], cell["rho"], cell["method"]) for cell in found["cells"]]
    assert cells == [
        (n, m, pi, 0.1, method)
        for n in (30, 100)
        for m in (2, 5)
        for pi in (0.05, 0.1)
        for method in ("dr", "bp", "sb", "bb", "lbb", "brr")
    ]
    assert found["settings"]["data_sets"] == 50
    assert answer(*SMALL, "--workers", "2") == found
    assert answer(*SMALL, "--seed", "1") != found
    assert answer(*SMALL, "--generator", "beta-binomial") != found


def test_table_of_few_cells() -> None:
    found = answer(*SMALL, "--method", "bp", "--method", "lbb")["cells"]
    rows = shown(*SMALL, "--method", "bp", "--method", "lbb")
    assert len(rows) == 8
    for k, row in enumerate(rows):
        bp, lbb = found[2 * k], found[2 * k + 1]
        assert [float(value) for value in row[:4]] == [bp["n"], bp["m"], bp["pi"], bp["rho"]]
        assert [float(value) for value in row[4:]] == pytest.approx(
            [100 * bp["coverage"], 100 * lbb["coverage"]], abs=0.006
        )


def test_table_of_many_cells() -> None:
    arguments = ["--n", "30", "--m", "2", "--pi", ".01,.02,.03,.04,.05,.06", "--rho", ".1,.2,.3", "--datasets", "40"]
    found = answer(*arguments, "--method", "lbb")["cells"]
    ((name, enough, within, mean, lowest, undefined),) = shown(*arguments, "--method", "lbb")
    coverage = [cell["coverage"] for cell in found]
    assert len(coverage) == 18
    assert name == "lbb"
    inside = sum(0.925 <= value <= 0.975 for value in coverage) / 18
    assert float(within) == pytest.approx(100 * inside, abs=0.006)
    assert float(enough) == pytest.approx(100 * sum(value >= 0.925 for value in coverage) / 18, abs=0.006)
    assert float(mean) == pytest.approx(100 * sum(coverage) / 18, abs=0.006)
    assert float(lowest) == pytest.approx(100 * min(coverage), abs=0.006)
    assert float(undefined) == pytest.approx(100 * sum(cell["undefined"] for cell in found) / 18, abs=0.006)


def test_grids_by_name() -> None:
    for arguments in ([], ["--grid", "quick"]):
        found = answer(*arguments, "--method", "dr", "--datasets", "2")["cells"]
        assert [(cell["n"], cell["m"], cell["pi"], cell["rho"]) for cell in found] == [
            (cell.n, cell.m, cell.pi, cell.rho) for cell in QUICK
        ]
    # the paper's values, but for the people
    paper = answer("--grid", "paper", "--n", "10", "--method", "dr", "--datasets", "1")["cells"]
    assert len(paper) == 8 * 7 * 7


def test_rows_are_written_and_the_journal_removed(folder: Path) -> None:
    found = answer(*SMALL)["cells"]
    before = set(folder.iterdir())
    result = run(*SMALL, "--out", "rows.parquet")
    assert result.exit_code == 0
    assert pq.read_table("rows.parquet").to_pylist() == found
    assert set(folder.iterdir()) - before == {folder / "rows.parquet"}
    assert answer(*SMALL, "--out", "rows.csv")["cells"] == found
    lines = Path("rows.csv").read_text().splitlines()
    assert len(lines) == 49
    assert lines[0].split(",")[:6] == ["n", "m", "pi", "rho", "method", "coverage"]


def sealed(text: str) -> str:
    """A line of a journal."""
    return f"{zlib.crc32(text.encode()):08x} {text}"


def test_a_stopped_study_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer(*SMALL)["cells"]
    seen = 0

    def advance(self: Bar, amount: float = 1) -> None:
        nonlocal seen
        seen += int(amount)
        if seen == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Bar, "advance", advance)
        result = CliRunner().invoke(main, ["coverage", *SMALL, "--out", "rows.parquet"])
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")
    assert not Path("rows.parquet").exists()
    journal = Path("rows.parquet.journal")
    lines = journal.read_text().splitlines()
    assert len(lines) == 1 + 3
    # a mark in what was found shows that it is not computed again
    marked = lines[1][9:].replace('"too_low": ', '"too_low": 7')
    journal.write_text("\n".join([lines[0], sealed(marked), *lines[2:], ""]))
    calls: list[float] = []
    with monkeypatch.context() as patch:
        patch.setattr(Bar, "advance", lambda self, amount=1: calls.append(amount))
        assert run(*SMALL, "--out", "rows.parquet").exit_code == 0
    assert calls == [3, 1, 1, 1, 1, 1]
    rows = pq.read_table("rows.parquet").to_pylist()
    assert [row["too_low"] >= 7 for row in rows] == [True] * 6 + [False] * 42
    assert [row["coverage"] for row in rows] == [cell["coverage"] for cell in found]
    assert not journal.exists()


def test_a_journal_of_other_settings_is_refused() -> None:
    Path("rows.csv.journal").write_text(sealed('{"seed": 3}') + "\n")
    result = run(*SMALL, "--out", "rows.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "rows.csv.journal: is the journal of a study with other settings" in result.stderr


def test_a_second_process_on_one_output_is_refused() -> None:
    cell = ["--n", "30", "--m", "2", "--pi", ".1", "--rho", ".1", "--datasets", "20", "--out", "rows.csv"]
    with open("rows.csv.journal", "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = run(*cell)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "rows.csv.journal: another process is at work on this study; wait for its end" in result.stderr
        assert not Path("rows.csv").exists()
    assert run(*cell).exit_code == 0  # a lock ends with the process
    assert not Path("rows.csv.journal").exists()


def test_like_a_table_of_counts() -> None:
    arguments = ["--datasets", "60", "--resamples", "40"]
    found = answer("--like", "counts.csv", *arguments)["cells"]
    assert {(cell["n"], cell["m"], cell["pi"]) for cell in found} == {(10, EXAMPLE.attempts, EXAMPLE.pi)}
    assert found[0]["rho"] == pytest.approx(EXAMPLE.rho)
    grid = ["--n", "10", "--m", "5", "--pi", "0.18", "--rho", str(found[0]["rho"])]
    assert found == answer(*grid, *arguments)["cells"]
    other = answer("--like", "counts.csv", "--pi", ".1", "--rho", ".3", *arguments)["cells"]
    assert other == answer("--n", "10", "--m", "5", "--pi", ".1", "--rho", ".3", *arguments)["cells"]
    exact = answer("--like", "counts.csv", "--exact", "--method", "dr")["cells"]
    assert exact == answer(*grid, "--exact", "--method", "dr")["cells"]


def test_like_a_table_with_unequal_attempts() -> None:
    found = answer("--like", "unequal.csv", "--datasets", "60", "--out", "rows.csv")["cells"]
    assert {cell["m"] for cell in found} == {26 / 5}
    assert {cell["n"] for cell in found} == {5}
    assert found[0]["pi"] == pytest.approx(6 / 26)
    assert len(Path("rows.csv").read_text().splitlines()) == 7
    assert {tuple(row[:3]) for row in shown("--like", "unequal.csv", "--datasets", "60")} == {("5", "5.2", "0.2308")}
    assert not Path("rows.csv.journal").exists()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--n", "ten"], ["--n: expected a whole number"]),
        (["--n", "10,"], ["--n: expected a whole number"]),
        (["--m", "2.5"], ["--m: expected a whole number"]),
        (["--pi", "a,b"], ["--pi: expected a number"]),
        (["--n", "1"], ["n must be", "2", "not 1"]),
        (["--m", "0"], ["m must be", "1", "not 0"]),
        (["--pi", "0"], ["pi must be a fraction above 0 and below 1"]),
        (["--pi", "nan"], ["pi must be a fraction"]),
        (["--rho", "2"], ["rho must be between 0 and 1"]),
        (["--rho", "-.1"], ["rho must be between 0 and 1"]),
        (["--n", "100000000000000000000"], ["--n: expected a number of at most 9,007,199,254,740,992"]),
        (["--m", "100000000"], ["m must be", "10,000,000"]),
        (["--m", "9" * 400], ["--m: expected a number of at most 9,007,199,254,740,992"]),
        (["--n", "100000", "--m", "30", "--rho", ".8", "--pi", ".1", "--exact"], ["too many outcomes", "simulate it"]),
        (["--method", "wald"], ["method must be one of dr, bp, sb, bb, lbb, brr, bb-ml, not 'wald'"]),
        (["--datasets", "0"], ["at least one data set, not 0"]),
        (["--resamples", "-1"], ["at least one resample, not -1"]),
        (["--confidence", "0"], ["confidence must be between 0 and 1"]),
        (["--seed", "-1"], ["a seed must be a whole number of at least 0, not -1"]),
        (["--workers", "0"], ["at least one worker, not 0"]),
        (["--out", "rows.txt"], ["rows.txt: its name should end in .csv, .tsv, .parquet, .md, .tex, .json"]),
        (["--out", "nowhere/rows.csv"], ["nowhere/rows.csv", "there is no directory nowhere"]),
        (["--like", "nowhere.csv"], ["nowhere.csv: there is no such file"]),
        (["--like", "none.csv"], ["the error rate of these data is 0", "--pi 0.01"]),
        (["--like", "unequal.csv", "--exact"], ["exact coverage needs the same number of attempts"]),
        (["--like", "counts.csv", "--n", "10"], ["--n does not go with --like"]),
        (["--like", "counts.csv", "--m", "10"], ["--m does not go with --like"]),
        (["--like", "counts.csv", "--grid", "paper"], ["--grid does not go with --like"]),
        (["--like", "counts.csv", "--pi", ".1,.2"], ["--pi must be one number with --like"]),
        (["--like", "counts.csv", "--rho", "x"], ["--rho: expected a number"]),
    ],
)
def test_bad_input(folder: Path, arguments: list[str], parts: list[str]) -> None:
    before = sorted(folder.rglob("*"))
    result = run(*(arguments if "--out" in arguments or "--like" in arguments else [*arguments, "--out", "rows.csv"]))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_maximum_likelihood_is_a_method_too() -> None:
    cells = answer("--n", "20", "--m", "2", "--pi", ".2", "--rho", ".1", "--exact", "--method", "bb-ml")["cells"]
    assert [cell["method"] for cell in cells] == ["bb-ml"]
    assert 0.8 < cells[0]["coverage"] < 1
    too_many = run("--n", "1000", "--m", "3", "--pi", ".1", "--rho", ".1", "--exact", "--method", "bb-ml")
    assert (too_many.exit_code, too_many.stdout) == (2, "")


def test_claims_of_the_paper_beside_the_study() -> None:
    cells = ["--n", "200", "--m", "2", "--pi", ".1", "--rho", ".1,.4", "--method", "lbb", "--exact"]
    found = answer(*cells, "--claims")
    assert {"section", "method", "claim", "cells", "support"} <= set(found["claims"][0])
    assert found["claims"][0] == {
        "section": "4", "method": "lbb", "claim": "well: n pi > 10", "cells": 2, "support": 1.0,
    }  # fmt: skip
    assert "claims" not in answer(*cells)
    assert "supported by" in run(*cells, "--claims").stdout
