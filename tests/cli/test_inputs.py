"""What commands say of the files they read, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial.cli.app import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = [
        f"{c},{s},{c}{s}{k},{rng.normal() + 2 * (c == s):.4f},{rng.normal() + (c == s):.4f},{rng.integers(20, 60)},f"
        for c in "abcdefgh"
        for s in "abcdefgh"
        for k in range(3)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["claim,subject,probe,face,voice,age,gender", *rows]) + "\n")
    return path


TAKEN = "read as csv: scores face, voice; claim, subject, probe; kept besides: age, gender"


@pytest.mark.parametrize("command", ["evaluate", "compare", "epc", "fuse"])
def test_every_command_says_what_was_taken_for_what(command: str, scores: Path) -> None:
    result = run(command, "--dev", scores, "--test", scores, "-v")
    assert result.exit_code == 0, result.output
    assert TAKEN not in run(command, "--dev", scores, "--test", scores).stdout
    assert f"note: dev and test: {TAKEN}" in result.stdout
    assert TAKEN in run(command, "--dev", scores, "--test", scores, "--json").stdout


def test_a_figure_says_it_too(scores: Path, tmp_path: Path) -> None:
    words = ("plot", "det", "--dev", scores, "--test", scores, "--out", tmp_path / "det.png")
    assert f"note: dev and test: {TAKEN}" in run(*words, "-v").stderr
    assert json.loads(run(*words, "--json").stdout)["notes"][0]["code"] == "read-as"


def test_convert_keeps_columns_and_says_what_it_could_not(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert json.loads(run("convert", scores, "--out", out, "--json").stdout)["columns"] == ["age", "gender"]
    assert out.read_text().splitlines()[0] == "claim,subject,probe,label,age,gender,face,voice"
    result = run("convert", scores, "--out", tmp_path / "out.txt", "--system", "face")
    assert "has no room for age, gender" in result.stdout


def test_other_columns_people_and_what_is_genuine_by_options(scores: Path) -> None:
    result = run("evaluate", "--dev", scores, "--test", scores, "--column", "other=voice", "--json")
    assert [one["system"] for one in json.loads(result.stdout)["systems"]] == ["face"]
    result = run("evaluate", "--dev", scores, "--test", scores, "--person", "(", "--json")
    assert result.exit_code == 2
    assert "--person ( is not a regular expression" in result.output
    result = run("evaluate", "--dev", scores, "--test", scores, "--genuine-by", "label")
    assert result.exit_code == 2
    assert "has no labels, as --genuine-by label asks" in result.output
    assert (
        "--column claim=... was given twice"
        in run(
            "evaluate", "--dev", scores, "--test", scores, "--column", "claim=claim", "--column", "claim=probe"
        ).output
    )


def test_one_class_only_is_named_by_its_file(scores: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    lines = scores.read_text().splitlines()
    one.write_text("\n".join([lines[0], *(line for line in lines if line.startswith("c,a"))]))
    result = run("evaluate", "--dev", scores, "--test", one)
    assert result.exit_code == 2
    assert f"{one}, test: there is no genuine trial" in result.output


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("interval", "individuals", "counts.csv", "--by", "subject"), "--by"),
        (("interval", "individuals", "counts.csv", "--error", "far"), "--error"),
        (("interval", "individuals", "counts.csv", "--negate"), "--negate"),
        (("plan", "--pi", ".02", "--half-width", ".005", "--attempts", "5", "--power", ".9"), "--power"),
        (("plan", "--pi", ".02", "--half-width", ".005", "--attempts", "5", "--impostors", "9"), "--impostors"),
        (("plan", "--pi", ".005", "--below", ".01", "--scale", "logit"), "--scale"),
        (("plan", "--a", ".01", ".02", "--b", ".02", ".03", "--person-cost", "3"), "--person-cost"),
    ],
)
def test_options_that_do_not_apply_are_refused(words: tuple[str, ...], flag: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("errors,attempts\n1,5\n0,5\n2,5\n")
    result = run(*(tmp_path / word if word == "counts.csv" else word for word in words))
    assert result.exit_code == 2
    assert f"error: {flag} " in result.output
