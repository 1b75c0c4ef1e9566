"""compare: the commands it prints say the same from counts, and folds in place of a test set."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import Trials, write_trials
from fairtrial.cli.app import main

SETS = ["--dev", "dev.csv", "--test", "test.csv"]
FEW = ["--resamples", "50"]


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Scores of three systems, 24 people against each other."""
    place = tmp_path_factory.mktemp("compare")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for seed, name in enumerate(("dev", "test")):
            claim, subject = np.divmod(np.arange(576), 24)
            noise = np.random.default_rng(seed).normal(size=(576, 3))
            scores = np.outer(claim == subject, [1.5, 2.0, 3.0]) + noise
            known: dict[str, Any] = {"systems": ["face", "voice", "iris"], "claim": claim, "subject": subject}
            write_trials(Trials.from_arrays(scores, claim == subject, **known), f"{name}.csv")
        yield place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def answer(*arguments: str) -> Any:
    return json.loads(shown(*arguments, "--json"))


def test_commands_of_a_pair_find_the_same_from_counts_alone() -> None:
    for pair in answer("compare", *SETS, *FEW)["pairs"]:
        tests = {test["test"]: test for test in pair["tests"]}
        rates, mcnemar = (shlex.split(command)[1:] for command in pair["commands"])
        found = {test["test"]: test for test in answer(*rates)["tests"]}
        for name in ("hter-dependent", "hter-independent"):
            assert found[name]["p_value"] == pytest.approx(tests[name]["p_value"])
        assert answer(*mcnemar)["p_value"] == pytest.approx(tests["mcnemar"]["p_value"])


def test_discordant_counts_add_up_and_are_everywhere() -> None:
    found = answer("compare", *SETS, *FEW, "--systems", "face,iris")
    (pair,) = found["pairs"]
    errors = {rank["system"]: rank for rank in found["ranking"]}
    own = pair["discordant"]
    for errors_name, ab, ba in (
        ("false_accepts", own["impostor_ab"], own["impostor_ba"]),
        ("false_rejects", own["genuine_ab"], own["genuine_ba"]),
    ):
        assert errors["iris"][errors_name] - errors["face"][errors_name] == ab - ba
    cells = pair["mcnemar_table"]
    assert list(cells) == ["a", "b", "c", "d"]
    assert sum(cells.values()) == 576
    assert cells["b"] + cells["d"] == errors["face"]["false_accepts"] + errors["face"]["false_rejects"]
    text = shown("compare", *SETS, *FEW, "--systems", "face,iris", "--out", "t.csv", "--report", "p.html", "--all")
    page = Path("p.html").read_text(encoding="utf-8")
    for command in pair["commands"]:
        assert command in text
        assert command in page
    header, first = Path("t.csv").read_text().splitlines()[:2]
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert row["impostor_ab"] == str(own["impostor_ab"])
    assert row["only_a_wrong"] == str(cells["b"])


def test_folds_in_place_of_a_test_set() -> None:
    found = answer("compare", "--dev", "dev.csv", "--folds", "4", "--5x2cv", *FEW)
    assert found["kind"] == "a priori (cross-validated)"
    assert len(found["pairs"]) == 3
    tests = {test["test"]: test for test in found["pairs"][0]["tests"]}
    assert tests["corrected-resampled"]["degrees"] == 3
    assert tests["5x2cv"]["degrees"] == 5
    held = answer("evaluate", "--dev", "dev.csv", "--folds", "4")["systems"]
    ranked = {rank["system"]: rank for rank in found["ranking"]}
    for system in held:
        assert ranked[system["system"]]["hter"] == pytest.approx(system["test"]["hter"])
        assert ranked[system["system"]]["threshold"] == pytest.approx(system["threshold"])
    shown("compare", "--dev", "dev.csv", "--folds", "4", *FEW, "--systems", "face,voice", "--report", "f.html")
    page = Path("f.html").read_text(encoding="utf-8")
    assert "each at its threshold from other folds" in page
    assert "Nadeau &amp; Bengio" in page
    assert "Dietterich" not in page


def test_what_does_not_go_together() -> None:
    for arguments, message in (
        ([*SETS, "--5x2cv"], "--5x2cv deals the people of one set into halves; give --folds"),
        ([*SETS, "--folds", "3"], "give --test or --folds, not both"),
        (["--dev", "dev.csv"], "give --test F, or --folds K"),
    ):
        result = run("compare", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
