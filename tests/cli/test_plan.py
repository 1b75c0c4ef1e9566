"""`fairtrial plan`: people and attempts for an interval, a bound, or a comparison."""

from __future__ import annotations

import json
from math import ceil, log, sqrt
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairtrial.cli.app import main

INTERVAL = ["--pi", ".02", "--rho", ".1", "--half-width", ".005"]
COMPARISON = ["--a", ".010", ".020", "--b", ".015", ".030"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments], catch_exceptions=False)


def answer(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_interval_against_eq_6() -> None:
    found = answer(*INTERVAL, "--attempts", "5")
    people = ceil(1.959964**2 * 0.02 * 0.98 * (1 + 4 * 0.1) / (5 * 0.005**2))
    assert (found["individuals"], found["attempts"], found["total"]) == (people, 5, 5 * people)
    assert found["expected"]["half_width"] == pytest.approx(0.005, rel=1e-3)
    assert found["expected"]["half_width"] <= 0.005
    assert found["rule_of_3"] == pytest.approx(3 / (5 * people))
    assert found["rule_of_30"] == 1500
    assert found["simulated"]["mean_half_width"] == pytest.approx(0.005, rel=0.03)
    assert found["simulated"]["coverage"] == pytest.approx(0.95, abs=0.015)
    assert found["simulated"]["share_below_claim"] is None
    for row in found["trade_off"]:
        m = row["attempts"]
        assert row["individuals"] == ceil(1.959964**2 * 0.02 * 0.98 * (1 + (m - 1) * 0.1) / (m * 0.005**2))
        assert row["total"] == m * row["individuals"]


def test_attempts_of_the_people_there_are() -> None:
    found = answer(*INTERVAL, "--individuals", "844")
    assert (found["individuals"], found["attempts"]) == (844, 5)


def test_cheapest_plan() -> None:
    found = answer(*INTERVAL, "--person-cost", "9")
    row = next(row for row in found["trade_off"] if row["attempts"] == found["attempts"])
    assert row["cost"] == found["individuals"] * (9 + found["attempts"])
    assert row["cost"] == min(other["cost"] for other in found["trade_off"])
    assert found["attempts"] == pytest.approx(sqrt(9 * 0.9 / 0.1), abs=2)  # sqrt(c (1 - rho) / rho), but for whole ones


def test_logit_scale_against_eq_9() -> None:
    found = answer("--pi", ".02", "--half-width", ".3", "--scale", "logit", "--attempts", "1")
    assert found["individuals"] == ceil(1.959964**2 / (0.02 * 0.98 * 0.3**2))
    assert log(found["expected"]["high"] / (1 - found["expected"]["high"])) - log(0.02 / 0.98) == pytest.approx(
        0.3, rel=1e-3
    )


def test_bound_below_a_claim() -> None:
    found = answer("--pi", ".02", "--below", ".03", "--power", ".9", "--attempts", "1")
    assert found["claim"] == 0.03
    assert found["simulated"]["share_below_claim"] == pytest.approx(0.9, abs=0.03)
    fewer = answer("--pi", ".02", "--below", ".03", "--power", ".8", "--attempts", "1")
    assert fewer["individuals"] < found["individuals"]


def test_no_error_expected_against_the_exact_bound() -> None:
    found = answer("--pi", "0", "--below", ".01")
    assert (found["individuals"], found["attempts"]) == (299, 1)  # log .05 / log .99
    assert found["simulated"] is None
    assert "rule_of_30" not in found
    result = run("--pi", "0", "--below", ".01")
    assert result.stdout.startswith("299 people with 1 attempt each")
    assert "rule of 30" not in result.stdout


def test_plan_for_people_to_read() -> None:
    result = run(*INTERVAL, "--attempts", "5", "--all")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("844 people with 5 attempts each")
    assert ["5", "844", "4,220", "2.00", "0.500", "1.56", "to", "2.57"] in [line.split() for line in lines]
    assert lines[lines.index("Simulated as planned") + 3].split()[0] == "10,000"
    assert "Alternatives" in lines
    assert "would exclude 0.0711 % if attempts were independent, and 0.355 % for any" in result.stdout
    assert "rule of 30: 30 errors at this rate take 1,500 independent attempts" in result.stdout
    assert "upper bound" not in result.stdout
    below = run("--pi", ".02", "--below", ".03", "--attempts", "2", "--rho", ".2", "--all")
    assert "upper bound below the claim in" in below.stdout


def test_the_power_is_reached_where_few_people_err() -> None:
    # the normal approximation would give 90 % of such tests a bound below the claim
    found = answer("--pi", ".005", "--rho", ".9", "--below", ".05", "--power", ".95", "--attempts", "4")
    assert found["power"] >= 0.95
    assert found["simulated"]["share_below_claim"] >= 0.94


def test_seed_of_the_simulation() -> None:
    first, same, other = (answer(*INTERVAL, "--attempts", "5", "--seed", seed) for seed in ("1", "1", "2"))
    assert first == same
    assert first["simulated"] != other["simulated"]
    assert {**first, "simulated": None} == {**other, "simulated": None}


def test_attempts_too_many_to_simulate_are_planned_all_the_same() -> None:
    found = answer("--pi", ".02", "--half-width", ".00003", "--individuals", "2")
    assert found["attempts"] == pytest.approx(1.959964**2 * 0.02 * 0.98 / 0.00003**2 / 2, rel=1e-6)
    assert found["simulated"] is None
    result = run("--pi", ".02", "--half-width", ".00003", "--individuals", "2")
    assert result.exit_code == 0
    assert "Simulated" not in result.stdout


def test_comparison_of_two_systems() -> None:
    trials = [*COMPARISON, "--attempts", "4", "--impostor-attempts", "20"]
    arguments = [*trials, "--correlation", ".5"]
    found = answer(*arguments)
    assert {"individuals", "attempts", "power"} <= set(found)
    assert 0.8 <= found["power"] < 0.82
    assert (found["genuine"], found["impostor"]) == (4 * found["individuals"], 20 * found["individuals"])
    fewer = answer(*arguments, "--individuals", str(found["individuals"] - 1))
    assert fewer["power"] < 0.8
    unpaired = answer(*trials, "--unpaired")
    assert unpaired["individuals"] > found["individuals"]
    assert (found["paired"], unpaired["paired"]) == (True, False)
    dependent = answer(*arguments, "--rho", ".3")
    assert dependent["individuals"] > found["individuals"]
    assert answer(*arguments, "--power", ".95")["individuals"] > found["individuals"]


def test_comparison_with_common_impostors() -> None:
    arguments = [*COMPARISON, "--attempts", "4", "--impostor-attempts", "25", "--individuals", "200"]
    own = answer(*arguments)
    common = answer(*arguments, "--impostors", "25", "--rho-impostor", ".03", "--rho", ".01")
    assert (own["impostors"], common["impostors"]) == (None, 25)
    assert common["power"] < own["power"] - 0.1
    assert common["power_simulated"] == pytest.approx(common["power"], abs=0.06)
    assert 0 < common["power_error"] < 0.02
    result = run(*arguments, "--impostors", "25", "--rho-impostor", ".03", "--rho", ".01")
    headings, _, row = result.stdout.splitlines()[3:6]
    assert "common impostors" in headings
    assert "simulated %" in headings
    assert row.split()[:6] == ["200", "4", "25", "25", "800", "5,000"]
    assert "note: " not in result.stdout


def test_powers_that_differ_are_told() -> None:
    # hardly an error is expected: the test cannot tell systems apart that the formula tells apart now and then
    result = run("--a", ".0001", ".0001", "--b", ".002", ".01", "--individuals", "50", "--attempts", "4")
    planned, simulated = (float(cell) for cell in result.stdout.splitlines()[5].split()[-3:-1])
    assert abs(planned - simulated) > 5
    assert "the two powers differ by more than 5 points" in result.stdout


def test_seed_of_a_comparison() -> None:
    arguments = [*COMPARISON, "--individuals", "60"]
    first, same, other = (answer(*arguments, "--seed", seed) for seed in ("1", "1", "2"))
    assert first == same
    assert first["power_simulated"] != other["power_simulated"]
    assert first["power"] == other["power"]


def test_comparison_for_people_to_read() -> None:
    result = run(*COMPARISON, "--individuals", "400", "--attempts", "4")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("400 clients with 4 genuine and 10 impostor attempts each")
    assert lines[5].split()[:5] == ["400", "4", "10", "1,600", "4,000"]
    other = run(*COMPARISON, "--individuals", "400", "--unpaired", "--confidence", ".9")
    assert "impostor trials per system" in other.stdout
    assert "unpaired test at 10 %" in other.stdout


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["--pi 0.01"]),
        (["--pi", ".01"], ["--half-width"]),
        (["--pi", ".01", "--half-width", ".1", "--below", ".2"], ["--half-width"]),
        (["--pi", "1", "--half-width", ".1"], ["pi must be a fraction above 0 and below 1"]),
        (["--pi", "nan", "--half-width", ".1"], ["pi must be a fraction"]),
        (["--pi", "0", "--half-width", ".1"], ["pi must be a fraction"]),
        (["--pi", ".01", "--half-width", "0"], ["half-width must be above 0"]),
        (["--pi", ".01", "--below", ".01"], ["no test can put a bound below 0.01"]),
        (["--pi", ".01", "--below", ".02", "--power", "1"], ["power must be between 0 and 1"]),
        (["--pi", ".02", "--rho", "1.5", "--half-width", ".005"], ["rho must be between 0 and 1"]),
        ([*INTERVAL, "--attempts", "0"], ["attempts", "not 0"]),
        ([*INTERVAL, "--attempts", "2", "--individuals", "2"], ["either the individuals or the attempts"]),
        ([*INTERVAL, "--individuals", "300"], ["300", "302"]),
        ([*INTERVAL, "--seed", "-1"], ["a seed must be a whole number of at least 0, not -1"]),
        ([*INTERVAL, "--confidence", "1"], ["confidence must be between 0 and 1"]),
        ([*INTERVAL, "--person-cost", "-1"], ["cost of a person", "-1"]),
        (["--pi", ".5", "--half-width", "1e-12"], ["needs more than 1e+15 attempts"]),
        (["--a", ".01", ".02"], ["both --a and --b, FAR and FRR of each"]),
        (["--b", ".01", ".02"], ["both --a and --b, FAR and FRR of each"]),
        (["--a", ".01", ".02", "--b", ".01", ".02"], ["same error rate"]),
        (["--a", ".01", "2", "--b", ".01", ".02"], ["FRR must be a fraction between 0 and 1, not 2.0"]),
        ([*COMPARISON, "--pi", ".1"], ["--pi does not go with --a and --b"]),
        ([*COMPARISON, "--half-width", ".1"], ["--half-width does not go with --a and --b"]),
        ([*COMPARISON, "--below", ".1"], ["--below does not go with --a and --b"]),
        ([*COMPARISON, "--attempts", "0"], ["--attempts must be", "not 0"]),
        ([*COMPARISON, "--impostor-attempts", "0"], ["--impostor-attempts must be", "not 0"]),
        ([*COMPARISON, "--individuals", "1"], ["--individuals must be a whole number from 2", "not 1"]),
        ([*COMPARISON, "--correlation", "2"], ["correlation of errors must be between -1 and 1"]),
        ([*COMPARISON, "--rho", "1.5"], ["--rho must be between 0 and 1, not 1.5"]),
        ([*COMPARISON, "--rho-impostor", "nan", "--impostors", "9"], ["--rho-impostor must be between 0 and 1"]),
        ([*COMPARISON, "--rho-impostor", ".1"], ["--rho-impostor needs --impostors"]),
        ([*COMPARISON, "--rho", ".6", "--rho-impostor", ".6", "--impostors", "9"], ["must not exceed 1 together"]),
        ([*COMPARISON, "--impostors", "1"], ["--impostors must be a whole number from 2", "not 1"]),
        ([*COMPARISON, "--rho-impostor", ".1", "--impostors", "9"], ["with 9 impostors common to all; more impostors"]),
    ],
)
def test_bad_input(arguments: list[str], parts: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr
