"""fairtrial test: tables of people on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import fairtrial as ft
from fairtrial.cli.app import main
from reference.individuals_2004 import EXAMPLE


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(EXAMPLE.csv)
    Path("named.csv").write_text("id,errors,attempts\nanna,0,5\nbert,3,5\ncarl,1,4\n")
    Path("turned.csv").write_text("errors,id,attempts\n4,carl,5\n1,anna,5\n4,bert,5\n")
    Path("others.csv").write_text("id,errors,attempts\nanna,0,5\ndora,3,5\ncarl,1,4\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["test", "individuals", *arguments], catch_exceptions=False)


def answer(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return found


def test_a_rate_against_a_value() -> None:
    found = answer("a.csv", "--rate", ".5", "--alternative", "less")
    expected = ft.repeated.individuals_test((EXAMPLE.errors, 5), rate=0.5, alternative="less")
    assert [set(test) >= {"test", "estimate", "statistic", "p_value", "low", "high"} for test in found["tests"]]
    assert [test["p_value"] for test in found["tests"]] == [test.p_value for test in expected.tests]
    assert found["tests"][0]["estimate"] == pytest.approx(EXAMPLE.pi)
    assert "any-correlation" in run("a.csv", "--rate", ".5").stdout


def test_paired_people_are_matched_by_their_ids() -> None:
    found = answer("named.csv", "turned.csv", "--paired")
    expected = ft.repeated.individuals_test(([0, 3, 1], [5, 5, 4]), ([1, 4, 4], [5, 5, 5]), paired=True)
    assert found["tests"][0]["p_value"] == pytest.approx(expected.tests[0].p_value)
    assert "3 people matched by their ids" in run("named.csv", "turned.csv", "--paired").stdout
    assert "10 people matched row by row" in run("a.csv", "a.csv", "--paired").stdout


def test_two_devices_of_different_people() -> None:
    found = answer("named.csv", "a.csv")
    assert found["design"] == "unpaired"
    assert found["rates"] == pytest.approx([4 / 14, EXAMPLE.pi])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.csv"], "--rate 0.01"),
        (["a.csv", "--rate", ".1", "--paired"], "needs two tables"),
        (["a.csv", "a.csv", "--rate", ".1"], "goes with one table"),
        (["a.csv", "a.csv", "a.csv"], "unexpected argument"),
        (["named.csv", "a.csv", "--paired"], "a.csv has no column id"),
        (["named.csv", "others.csv", "--paired"], "in one only: bert, dora"),
        (["a.csv", "--rate", "5"], "1.5 % is 0.015"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_rows_of_unequal_tables_are_not_matched() -> None:
    Path("b.csv").write_text("errors,attempts\n0,5\n1,5\n")
    assert "a.csv has 10 rows and b.csv 2" in run("a.csv", "b.csv", "--paired").stderr


def test_an_id_that_is_there_twice() -> None:
    Path("b.csv").write_text("id,errors,attempts\nanna,0,5\nanna,1,5\n")
    assert "the id anna is there twice" in run("b.csv", "--rate", ".1").stderr


def test_fit_of_both_models() -> None:
    result = CliRunner().invoke(main, ["test", "fit", "a.csv", "--resamples", "5", "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)
    assert found["observed"] == [6, 2, 1, 0, 0, 1]
    assert [test["test"] for test in found["tests"]] == ["beta-binomial", "oman-zucker"]
    assert {"statistic", "p_value", "rho", "estimate", "expected"} <= set(found["tests"][0])
    one = CliRunner().invoke(main, ["test", "fit", "a.csv", "--resamples", "5", "--model", "oman-zucker"])
    assert "oman-zucker" in one.stdout
    assert "beta-binomial" not in one.stdout
