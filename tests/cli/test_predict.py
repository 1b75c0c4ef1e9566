"""The commands predict and chimeric."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import write_trials
from fairtrial.cli.app import main
from fairtrial.fusion import chimeric_study, predict_fusions
from simulated import crossed

DEV, TEST = (
    crossed(np.random.default_rng(k), clients=10, impostors=4, systems=("face", "voice", "gait")) for k in (0, 1)
)
FILES = ["--dev", "dev.csv", "--test", "test.csv"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_trials(DEV, "dev.csv")
    write_trials(TEST, "test.csv")
    for system in ("face", "voice"):
        for name, part in (("dev", DEV), ("test", TEST)):
            write_trials(part.select([system]), f"{system}-{name}.csv")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def plain(found: dict[str, Any]) -> Any:
    return json.loads(json.dumps(found))


def test_predict_in_json_and_tables() -> None:
    expected = predict_fusions(DEV, TEST, normalise="z")
    assert json.loads(run("predict", *FILES, "--normalise", "z", "--json")) == plain(expected.to_json())
    shown = run("predict", *FILES, "--normalise", "z", "--all")
    assert "Fusions by the mean, normalisation z, the best predicted first\n" in shown
    assert "Correlation of systems by class, 40 genuine and 40 impostor trials" in shown
    run("predict", "--dev", "dev.csv", "--systems", "face,voice", "--largest", "2", "--out", "p.csv")
    assert Path("p.csv").read_text().splitlines()[1].startswith("face + voice,")


def test_chimeric_in_json_and_tables() -> None:
    parts = [part.select(["face", "voice"]) for part in (DEV, TEST)]
    options = ["--system", "face", "--system", "voice", "--move", "voice", "--assignments", "3", "--seed", "2"]
    expected = chimeric_study(parts[0], parts[1], moved=["voice"], assignments=3, rng=2)
    assert json.loads(run("chimeric", *FILES, *options, "--json")) == plain(expected.to_json())
    assert "\nmean of face with voice, normalisation none\n" in run("chimeric", *FILES, *options)


def test_chimeric_of_two_sets() -> None:
    files = ["--dev", "face-dev.csv", "--test", "face-test.csv", "--other-dev", "voice-dev.csv"]
    found = json.loads(run("chimeric", *files, "--other-test", "voice-test.csv", "--assignments", "2", "--json"))
    assert found["true"] is None
    assert len(found["hter"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chimeric", *FILES], "give either --move or --other-dev"),
        (["chimeric", *FILES, "--other-dev", "voice-dev.csv"], "give both --other-dev F and --other-test F"),
        (["chimeric", *FILES, "--move", "iris"], "there is no system 'iris'"),
        (["chimeric", *FILES, "--move", "voice", "--assignments", "0"], "at least one assignment"),
        (["predict", *FILES, "--normalise", "f-norm"], "--normalise f-norm is fitted for each client"),
        (["predict", *FILES, "--systems", "face"], "at least two systems"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
