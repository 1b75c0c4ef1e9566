"""Errors and notes of the library speak Python; the command line says the same as options."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import fairtrial
from fairtrial.cli.app import COMMANDS, main
from fairtrial.cli.output import print_notes
from fairtrial.cli.words import SPELLINGS, in_command_line_words

SOURCE = Path(fairtrial.__file__).parent


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ('nan="drop" leaves it out, nan="reject" rejects it', "--nan drop leaves it out, --nan reject rejects it"),
        ("cluster='claim' needs claim ids", "--cluster claim needs claim ids"),
        ('say cluster="none" if', "say --cluster none if"),
        ('missing="neutral"', "--missing neutral"),
        ('failed_enrolment="keep" keeps them', "--failed-enrolment keep keeps them"),
        ('as in columns={"label": "NAME"}', "as in --column label=NAME"),
        ("columns=... means nothing to the format bob4", "--column means nothing to the format bob4"),
        ("scores=... means nothing", "--column score=... means nothing"),
        ("genuine_labels=... means nothing", "--label means nothing"),
        ('genuine_labels="a", impostor_labels="b"', "--label genuine=a --label impostor=b"),
        ("with common=True", "with --common"),
        ("diagonal=True means nothing", "--diagonal means nothing"),
        ('names=["A", "B"]', "--name A --name B"),
        ('renamed(["NAME"])', "--name NAME"),
        ('select(["NAME"])', "--system NAME"),
        ("as in pi=.01", "as in --pi .01"),
        ("with n_resamples=100", "with --resamples 100"),
        ("nothing=1", "nothing=1"),
        ("rho_client must be between 0 and 1", "--rho must be between 0 and 1"),
        ("rho_impostor needs impostors=...", "--rho-impostor needs --impostors"),
        ("give alpha=..., as in alpha=0.001", "give --alpha, as in --alpha 0.001"),
        ("like these (study_like(...)) shows", "like these (fairtrial coverage --like) shows"),
        ("either far=... or false_accepts=...;", "either --far or --false-accepts;"),
        ("as CoverageStudy.write writes them", "as fairtrial coverage --out writes them"),
    ],
)
def test_python_spellings_become_options(python: str, shell: str) -> None:
    assert in_command_line_words(python) == shell


@pytest.mark.parametrize(
    "message", ["a.csv: there is no such file", "claim = subject", "the score of face is NaN", "scores.csv, row 3"]
)
def test_other_words_stay_as_they_are(message: str) -> None:
    assert in_command_line_words(message) == message


def options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        yield from parameter.opts
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from options(each)


def test_every_option_that_is_spoken_of_is_there() -> None:
    context = click.Context(main)
    known = {option for name in COMMANDS if (command := main.get_command(context, name)) for option in options(command)}
    spoken = {option for shell in SPELLINGS.values() for option in re.findall(r"--[a-z][a-z-]*", shell)}
    words = {
        name for python in SPELLINGS for group in re.findall(r"\(([a-z|]+)\)", python) for name in group.split("|")
    }
    spoken |= {f"--{word}" for word in words - {"genuine", "impostor"}}
    assert spoken <= known


def texts(path: Path) -> Iterator[str]:
    """The strings of a module, its docstrings left out."""
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if not {"cli", "explorer", "parameters.py", "comparison.py"} & set(path.relative_to(SOURCE).parts)
    ],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_the_library_speaks_of_no_option(path: Path) -> None:
    # one letter is a variable of CSS
    found = [text for text in texts(path) if re.search(r"(?<![\w-])--[a-z]{2}", text)]
    assert found == []


def test_errors_of_a_command_are_translated(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("a a p nan\na b q 0.1\n")
    result = CliRunner().invoke(main, ["convert", str(path), "--out", str(tmp_path / "out.csv")])
    assert result.exit_code == 2
    assert "--nan drop leaves it out, --nan reject rejects it" in result.stderr
    assert "nan=" not in result.stderr


def test_notes_of_a_command_are_translated(capsys: pytest.CaptureFixture[str]) -> None:
    print_notes(['trials were left out; failed_enrolment="keep" keeps them'])
    assert capsys.readouterr().out == "note: trials were left out; --failed-enrolment keep keeps them\n"
