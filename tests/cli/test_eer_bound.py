"""fairtrial eer-bound: names, the EER_M that was chosen, corrections, files and messages."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairtrial.cli.app import main
from reference.eer_bound_2016 import (
    EXAMPLE_3_DIFFERENCE,
    EXAMPLE_3_LARGEST_EER,
    EXAMPLE_3_NAMED,
    EXAMPLE_3_TRIALS,
)

EXAMPLE_3 = [
    *(f"{name}={eer}" for name, eer in EXAMPLE_3_NAMED.items()),
    "--trials", str(EXAMPLE_3_TRIALS), "--eer-m", str(EXAMPLE_3_LARGEST_EER),
]  # fmt: skip


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["eer-bound", *arguments], catch_exceptions=False)


def answer(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return found


def test_names_and_largest_eer_of_example_3() -> None:
    found = answer(*EXAMPLE_3)
    assert found["delta_eer"] == pytest.approx(EXAMPLE_3_DIFFERENCE, abs=5e-9)
    weak = [(pair["name_a"], pair["name_b"]) for pair in found["pairs"] if pair["p_adjusted"] > 0.01]
    assert weak == [("DAUGMAN", "MA")]
    shown = run(*EXAMPLE_3).stdout
    assert "0.0519 %" in shown


def test_pairs_are_written_to_files(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    run(*EXAMPLE_3, "--correction", "bh", "--out", str(file))
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 10
    assert (rows[4]["name_a"], rows[4]["name_b"], float(rows[4]["p_adjusted"])) == pytest.approx(
        ("DAUGMAN", "MA", 0.167788), abs=5e-7
    )


def test_two_eers_of_0() -> None:
    found = answer("0", "0", "--trials", "100")
    assert (found["delta_eer"], found["pairs"][0]["p_value"]) == (None, 1)
    shown = run("0", "0", "--trials", "100").stdout
    assert "all EERs are 0" in shown
    assert "--eer-m 0.001" in shown
    assert answer("0", "0", "--trials", "100", "--eer-m", ".001")["delta_eer"] > 0


def test_an_eer_without_a_name_beside_named_ones_is_numbered() -> None:
    (pair,) = answer("TAN=.0057", ".0008", "--trials", "1000")["pairs"]
    assert (pair["name_a"], pair["name_b"]) == ("TAN", "EER 2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A=.1", "A=.2"], "a name of its own"),
        (["=.1", "B=.2"], "one is empty"),
        (["A=x", "B=.2"], "expected a number"),
        ([".1", ".2", "--eer-m", ".15"], "at least the largest EER"),
        (["10", ".2"], "1.5 % is 0.015"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], message: str) -> None:
    result = run(*arguments, "--trials", "1000")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
