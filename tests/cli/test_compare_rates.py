"""compare-rates: from rates or from counts, for one rate or for sums of both, and what contradicts itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from fairtrial.cli.app import main
from reference.hter_2004 import DISCORDANT_A_B, MODEL_A, MODEL_B

A = ["--a", str(MODEL_A.far), str(MODEL_A.frr)]
B = ["--b", str(MODEL_B.far), str(MODEL_B.frr)]
COUNTS = ["--a-counts", "1288", "10", "--b-counts", "2184", "11"]
TRIALS = ["--impostor", "112000", "--genuine", "400"]


def found_by(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["compare-rates", *arguments, *TRIALS, "--json"])
    assert result.exit_code == 0, result.output
    return {test["test"]: test for test in json.loads(result.stdout)["tests"]}


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["compare-rates", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("hter", ["hter-dependent", "hter-independent", "naive", "class"]),
        ("dcf", ["dcf-dependent", "dcf-independent"]),
        ("wer", ["wer-dependent", "wer-independent"]),
        ("far", ["far-dependent", "far-independent", "far-pooled"]),
        ("frr", ["frr-dependent", "frr-independent", "frr-pooled"]),
    ],
)
def test_measures_have_their_tests(measure: str, names: list[str]) -> None:
    found = found_by(*A, *B, "--discordant", *map(str, DISCORDANT_A_B), "--measure", measure)
    assert list(found) == names


def test_counts_say_the_same_as_the_rates_they_give() -> None:
    for measure in ("hter", "frr"):
        from_rates, from_counts = found_by(*A, *B, "--measure", measure), found_by(*COUNTS, "--measure", measure)
        for name, test in from_rates.items():
            assert from_counts[name]["p_value"] == pytest.approx(test["p_value"])


def test_costs_and_weights_are_respected() -> None:
    nist = found_by(*A, *B, "--measure", "dcf")["dcf-independent"]["difference"]
    assert nist == pytest.approx(0.99 * (0.0115 - 0.0195) + 0.1 * (0.025 - 0.0275))
    even = found_by(*A, *B, "--measure", "dcf", "--dcf", "1,.5,1,.5")["dcf-independent"]["difference"]
    assert even == pytest.approx((0.0115 - 0.0195 + 0.025 - 0.0275) / 2)
    wer = found_by(*A, *B, "--measure", "wer", "--alpha", ".9")["wer-independent"]["difference"]
    assert wer == pytest.approx(0.9 * (0.0115 - 0.0195) + 0.1 * (0.025 - 0.0275))


def test_contradictions_are_refused() -> None:
    assert "give either --a (FAR and FRR) or --a-counts (numbers of errors); both were given" in refused(
        *A, *COUNTS, *TRIALS
    )
    assert "give either --b (FAR and FRR) or --b-counts (numbers of errors); neither was given" in refused(*A, *TRIALS)
    many = refused(*A, "--b-counts", "1", "401", *TRIALS)
    assert "system B: there are 401 false rejects, but only 400 genuine trials" in many
    assert "expected a whole number, not '2.5'" in refused(*A, "--b-counts", "2.5", "1", *TRIALS)
    assert "expected a whole number, not '2.5'" in refused(*A, *B, *TRIALS, "--discordant", "2.5", "1", "1", "1")
