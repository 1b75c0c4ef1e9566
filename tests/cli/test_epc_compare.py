"""epc --compare: what a method cannot do is refused, areas are tested where they are asked for, folds are compared."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from fairtrial import compare_curves, performance_curve, read_trials, write_trials
from fairtrial.cli.app import main
from fairtrial.inference import make_blocks
from simulated import crossed

SETS = ["--dev", "dev.csv", "--test", "test.csv"]
COMPARED = ["--compare", "face,voice", "--points", "3"]


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scores of two systems: 20 clients and 10 impostors."""
    place = tmp_path_factory.mktemp("curves")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for seed, name in enumerate(("dev", "test")):
            rng = np.random.default_rng(seed)
            made = crossed(rng, clients=20, impostors=10, systems=("face", "voice"), start=100 * seed)
            write_trials(made, f"{name}.csv")
        yield place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(*arguments: str) -> Any:
    return json.loads(shown(*arguments, "--json"))


@pytest.mark.parametrize("method", ["bootstrap", "dependent", "independent"])
@pytest.mark.parametrize(
    "command",
    [
        ["epc", *SETS, *COMPARED],
        ["plot", "epc-compare", *SETS, "--points", "3", "--out", "a.png"],
        ["plot", "epc-significance", *SETS, "--points", "3", "--out", "a.png"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_thresholds_are_not_re_estimated_by_a_method_that_cannot(command: list[str], method: str) -> None:
    result = run(*command, "--method", method, "--json")
    assert result.exit_code == 0
    if command[0] == "epc":
        assert json.loads(result.stdout)["comparison"]["threshold"] == "fixed"


def test_the_other_methods_say_that_thresholds_are_fixed() -> None:
    for more in ([], ["--resample", "test"]):
        found = answer("epc", *SETS, *COMPARED, "--method", "dependent", *more)["comparison"]
        assert (found["test"], found["threshold"]) == ("dependent", "fixed")
    assert answer("epc", *SETS, *COMPARED, "--resample", "both")["comparison"]["threshold"] == "re-estimated"


def test_unsupported_alphas_show_no_interval_and_are_named() -> None:
    found = answer("epc", *SETS, *COMPARED)["comparison"]
    assert found["supported"] == [False, True, False]
    for name in ("low", "high", "statistic", "worse"):
        assert [value is None for value in found[name]] == [True, False, True]
    assert "nothing is claimed at alpha 0 and 1, where dev lacks errors" in shown("epc", *SETS, *COMPARED)


def test_areas_are_tested_with_their_intervals_and_say_what_they_are_of() -> None:
    command = ["epc", *SETS, *COMPARED, "--measure", "f1", "--confidence", ".9"]
    for test in answer(*command)["comparison"]["areas"]:
        reach = stats.t.ppf(0.95, test["degrees"]) * test["sigma"]
        own = test["interval"]
        assert (own["low"], own["high"]) == pytest.approx((test["difference"] - reach, test["difference"] + reach))
        assert (own["confidence"], own["method"], own["threshold"]) == (0.9, test["test"], "re-estimated")
    text = shown(*command, "--all")
    assert "Tests of the areas, face - voice: HTER over targets of FAR and FRR" in text
    assert "90 % interval" in text.split("Tests of the areas")[1]


def test_areas_that_are_left_out_are_not_tested_either() -> None:
    assert answer("epc", *SETS, *COMPARED, "--no-areas")["comparison"]["areas"] == []
    assert "Tests of the areas" not in shown("epc", *SETS, *COMPARED, "--no-areas")
    result = run("epc", *SETS, *COMPARED, "--no-areas", "--areas", "precision,recall")
    assert (result.exit_code, "--no-areas" in result.output) == (2, True)


def test_curves_of_folds_are_compared_as_in_python() -> None:
    found = answer("epc", "--dev", "test.csv", "--folds", "3", *COMPARED)["comparison"]
    trials = read_trials("test.csv")
    curves = [
        performance_curve(trials, folds=make_blocks(trials, 3), system=name, alphas=[0, 0.5, 1], criterion="wer-min")
        for name in ("face", "voice")
    ]
    expected = compare_curves(*curves)
    assert found["difference"] == pytest.approx(expected.difference)
    assert found["low"][1] == pytest.approx(expected.low[1])
    assert found["areas"] == []


def test_a_file_of_bands_says_what_they_are_of() -> None:
    shown("epc", *SETS, "--points", "3", "--bands", "simultaneous", "--out", "bands.csv")
    with Path("bands.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    curves = answer("epc", *SETS, "--points", "3", "--bands", "simultaneous")["curves"]
    assert [row["band_supported"] == "true" for row in rows] == [own for curve in curves for own in curve["supported"]]
    assert {(row["band_kind"], row["band_threshold"]) for row in rows} == {("simultaneous", "re-estimated")}
    shown("epc", *SETS, "--points", "3", "--bands", "pointwise", "--resample", "test", "--out", "bands.csv")
    assert "pointwise,fixed,true" in Path("bands.csv").read_text()
