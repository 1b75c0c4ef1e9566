"""No command writes over a file that it reads, by whatever name, nor twice to one file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import Counter, fuse, write_trials
from fairtrial.cli.app import main
from fairtrial.cli.command import Command
from fairtrial.cli.question import READ, WRITTEN
from simulated import crossed

OVER = "would be written over files that are read; name another file"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of every kind that commands read, under names that they may also write to."""
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(0)
    dev, test = (crossed(rng, clients=6, impostors=4) for _ in range(2))
    for name, trials in (("dev", dev), ("test", test)):
        for ending in (".csv", ".parquet"):
            write_trials(trials, folder / f"{name}{ending}")
        counter = Counter(trials.systems)
        counter.update(trials)
        counter.save(folder / f"{name}.ftc")
    (folder / "counts.csv").write_text("errors,attempts\n" + "1,5\n0,5\n2,5\n" * 5)
    fuse(dev, test).model.save(folder / "model.json")
    (folder / "parts").mkdir()
    write_trials(dev, folder / "parts" / "one.parquet")
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files by other names, to be broken; every one must be as before in the end."""
    place = tmp_path / "here"
    place.mkdir()
    for path in made.rglob("*"):
        target = place / path.relative_to(made)
        target.mkdir() if path.is_dir() else target.write_bytes(path.read_bytes())
    for name in ("dev.html", "dev.png", "counts.png", "counts.html"):
        (place / name).write_bytes((place / name).with_suffix(".csv").read_bytes())
    monkeypatch.chdir(place)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    yield place
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return result.stderr


SETS = ["--dev", "dev.csv", "--test", "test.csv"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "dev.csv", "--out", "dev.csv"],
        ["convert", "dev.csv", "test.csv", "--out", "test.csv"],
        ["convert", "*.parquet", "--out", "test.parquet"],
        ["convert", "parts", "--out", "parts/one.parquet"],
        ["convert", "parts", "--out", "parts/two.parquet"],
        ["count", "dev.csv", "test.ftc", "--out", "test.ftc"],
        ["merge", "dev.ftc", "test.ftc", "--out", "dev.ftc"],
        ["coverage", "--like", "counts.csv", "--out", "counts.csv"],
        ["coverage", "--like", "counts.html", "--report", "counts.html"],
        ["evaluate", *SETS, "--out", "dev.csv"],
        ["evaluate", "--dev", "dev.html", "--test", "test.csv", "--report", "dev.html"],
        ["compare", *SETS, "--out", "test.csv"],
        ["compare", "--dev", "dev.html", "--test", "test.csv", "--report", "dev.html"],
        ["epc", *SETS, "--out", "test.csv"],
        ["fuse", *SETS, "--out", "test.csv"],
        ["fuse", *SETS, "--out", "dev.csv"],
        ["fuse", "--dev", "model.json", "--test", "test.csv", "--save", "model.json"],
        ["fuse", "--model", "model.json", "--test", "test.csv", "--out", "model.json"],
        ["fuse", "--dev", "dev-x.csv", "--dev", "dev.csv", "--test", "test.csv", "--scores-out", "x.csv"],
        ["predict", *SETS, "--out", "test.csv"],
        ["chimeric", *SETS, "--other-dev", "dev.csv", "--other-test", "test.parquet", "--out", "test.parquet"],
        ["interval", "individuals", "counts.csv", "--out", "counts.csv"],
        ["test", "individuals", "counts.csv", "--rate", ".1", "--out", "counts.csv"],
        ["test", "fit", "counts.csv", "--out", "counts.csv"],
        ["plot", "det", "--dev", "dev.png", "--test", "test.csv", "--out", "dev.png"],
        ["plot", "fit", "counts.png", "--out", "counts.png"],
        ["plot", "coverage", "counts.png", "--out", "counts.png"],
        ["plot", "correlation", "--dev", "dev.png", "--out", "dev.png"],
    ],
    ids=" ".join,
)
def test_what_is_read_is_not_written_over(arguments: list[str], folder: Path) -> None:
    if "dev-x.csv" in arguments:
        os.link("dev.csv", "dev-x.csv")
        assert f"dev-x.csv: {OVER}" in refused(*arguments)
        Path("dev-x.csv").unlink()
        return
    assert OVER in refused(*arguments)


def test_whatever_the_file_is_called(folder: Path) -> None:
    os.link("dev.csv", "hard.csv")
    Path("soft.csv").symlink_to("dev.csv")
    Path("elsewhere").symlink_to(".")
    for read, written in (
        ("dev.csv", "hard.csv"),
        ("dev.csv", "soft.csv"),
        ("soft.csv", "dev.csv"),
        ("hard.csv", "elsewhere/soft.csv"),
        (str(folder / "dev.csv"), "parts/../dev.csv"),
        ("d*.csv", "dev.csv"),
    ):
        assert f"{written}: {OVER}" in refused("convert", read, "--out", written)
    for name in ("hard.csv", "soft.csv", "elsewhere"):
        Path(name).unlink()


def test_two_results_in_one_file(folder: Path) -> None:
    message = refused("fuse", *SETS, "--scores-out", "x.csv", "--out", "./x.csv")
    assert "x.csv: two results would be written to this file; name another for one of them" in message
    assert "dev-x.csv: two results" in refused("fuse", *SETS, "--scores-out", "x.csv", "--out", "dev-x.csv")
    refused("fuse", *SETS, "--scores-out", ".")


def test_other_files_may_be_written_over(folder: Path) -> None:
    Path("out.csv").write_text("old")
    result = CliRunner().invoke(main, ["convert", "dev.csv", "--out", "out.csv"])
    assert result.exit_code == 0, result.output
    assert Path("out.csv").read_bytes() == Path("dev.csv").read_bytes()
    Path("out.csv").unlink()


def test_a_missing_input_is_still_told_as_such(folder: Path) -> None:
    assert "none.csv: there is no such file" in refused("convert", "none.csv", "--out", "new.csv")


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for own in command.list_commands(context):
        found = command.get_command(context, own)
        assert found is not None
        yield from commands(found, f"{name} {own}")


FILE = re.compile(r"\[?(F|FILE|IN|OUT|[PM]\.(ftc|json)|FILE\.html)(\.\.\.|\]| \[FILE\])?")


@pytest.mark.parametrize(("name", "command"), list(commands(main, "fairtrial")), ids=lambda value: str(value))
def test_every_option_that_names_a_file_says_whether_it_is_read_or_written(name: str, command: click.Command) -> None:
    kinds = {parameter.name: parameter.type for parameter in command.params}
    named = [parameter.name for parameter in command.params if FILE.fullmatch(parameter.metavar or "")]
    assert all(kinds[parameter] in (READ, WRITTEN) for parameter in named), (name, named)
    for parameter in command.params:
        if {"--out", "--report", "--save", "--scores-out"} & set(parameter.opts):
            assert parameter.type is WRITTEN
    assert WRITTEN not in kinds.values() or isinstance(command, Command)


def test_the_shell_completes_files() -> None:
    (item,) = READ.shell_complete(click.Context(main), main.params[0], "de")
    assert (item.value, item.type) == ("de", "file")
