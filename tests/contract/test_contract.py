"""The contract: what every command answers on fixed inputs, beside what it answered before."""

from __future__ import annotations

import json
from math import nextafter
from pathlib import Path
from typing import Any

import pytest

from contract.cases import CASES, REFUSED
from contract.machine import is_recorded
from contract.rules import differences
from contract.runner import GOLDEN, OPTIONS, THEN, make_inputs, options_of_commands, run_case


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_inputs(tmp_path_factory.mktemp("contract"))


@pytest.mark.parametrize("name", CASES)
def test_answers_are_those_recorded(name: str, inputs: Path, tmp_path: Path) -> None:
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    outcome = run_case(CASES[name], inputs, tmp_path / "case")
    assert outcome.exit_code == expected["exit_code"], outcome.stderr
    assert outcome.stdout
    found = json.loads(json.dumps(outcome.golden(CASES[name])))
    assert list(differences(expected, found, elsewhere=not is_recorded())) == []
    assert set(found["files"]) == set(expected["files"])


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_print_and_write_nothing(name: str, inputs: Path, tmp_path: Path) -> None:
    outcome = run_case(REFUSED[name], inputs, tmp_path / "case", as_json=False)
    assert outcome.exit_code == 2, outcome.stdout
    assert outcome.stdout == ""
    assert outcome.stderr
    assert outcome.files == {}


def test_one_bit_is_a_difference_where_answers_were_recorded() -> None:
    if not is_recorded():
        pytest.skip("recorded on another machine or with other versions: fractions need to agree to 1e-4 only")
    recorded = json.loads((GOLDEN / "evaluate.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(recorded))
    test = found["json"]["systems"][0]["test"]
    test["far"] = nextafter(test["far"], 1)
    assert len(list(differences(recorded, found, elsewhere=not is_recorded()))) == 1


def test_every_answer_recorded_is_of_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(CASES)


def test_no_option_of_a_command_is_gone() -> None:
    recorded, found = json.loads(OPTIONS.read_text()), options_of_commands()
    gone = {name: set(flags) - set(found.get(name, [])) for name, flags in recorded.items()}
    assert {name: flags for name, flags in gone.items() if flags} == {}
    assert set(recorded) <= set(found)


def test_every_command_is_in_a_case() -> None:
    typed = [part.strip() + " " for case in CASES.values() for part in " ".join(case).split(THEN)]
    assert [name for name in options_of_commands() if not any(each.startswith(f"{name} ") for each in typed)] == []


RECORDED: dict[str, Any] = {
    "far": 0.1,
    "test": {"interval": {"low": 0.25, "method": "wilson"}, "errors": [1, 2]},
    "note": "as it was",
    "exact": True,
}


@pytest.mark.parametrize(
    ("found", "count"),
    [
        ({}, 0),
        ({"new": 1}, 0),
        ({"note": "in other words"}, 0),
        ({"note": [{"code": "words"}]}, 0),
        ({"far": 0.1 + 1e-16}, 1),
        ({"far": "0.1"}, 1),
        ({"far": None}, 1),
        ({"exact": 1}, 1),
        ({"test": {"interval": {"low": 0.25 + 1e-12, "method": "wilson"}, "errors": [1, 2]}}, 0),
        ({"test": {"interval": {"low": 0.25 + 1e-8, "method": "wilson"}, "errors": [1, 2]}}, 1),
        ({"test": {"interval": {"low": 0.25, "method": "exact"}, "errors": [1, 2]}}, 1),
        ({"test": {"interval": {"low": 0.25, "method": "wilson"}, "errors": [1, 3]}}, 1),
        ({"test": {"interval": {"low": 0.25, "method": "wilson"}, "errors": [1]}}, 1),
        ({"test": {"interval": {"low": 0.25, "method": "wilson"}}}, 1),
    ],
)
def test_what_counts_as_a_difference(found: dict[str, Any], count: int) -> None:
    assert len(list(differences(RECORDED, RECORDED | found))) == count


@pytest.mark.parametrize(("far", "count"), [(0.1 + 1e-7, 0), (0.1 + 1e-4, 1)])
def test_what_counts_as_a_difference_elsewhere(far: float, count: int) -> None:
    assert len(list(differences(RECORDED, RECORDED | {"far": far}, elsewhere=True))) == count


def test_a_sentence_must_be_there() -> None:
    assert list(differences(RECORDED, {key: RECORDED[key] for key in RECORDED if key != "note"})) == [
        "note: is missing"
    ]
