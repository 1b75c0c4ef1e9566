"""Run a case in a folder of its own, and collect what it prints and writes."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from contract.inputs import write_inputs
from fairtrial.cli.app import main

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
OPTIONS = HERE / "options.json"
THEN = "&&"
"""Stands between commands of one case, which run one after the other."""
_NO_JSON = {"completion", "--help", "--version"}
_MAGIC = {b"\x89PNG": "png", b"%PDF": "pdf", b"<?xml": "svg", b"<!doctype html": "html"}


@dataclass(frozen=True)
class Outcome:
    """What a case printed and wrote."""

    exit_code: int
    stdout: str
    stderr: str
    files: dict[str, Any] = field(default_factory=dict)
    """By the name of each file that is new or was changed: its table, its JSON, or its kind."""

    def golden(self, arguments: list[str]) -> dict[str, Any]:
        """Give what is recorded of it."""
        answer = json.loads(self.stdout) if self.stdout.startswith("{") else None
        return {"args": arguments, "exit_code": self.exit_code, "json": answer, "files": self.files}


def options_of_commands(group: click.Group = main, *words: str) -> dict[str, list[str]]:
    """List the options of every command, by the words that call it."""
    found: dict[str, list[str]] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= options_of_commands(command, *words, name)
        elif command is not None:
            flags = [flag for each in command.params if isinstance(each, click.Option) for flag in each.opts]
            found[" ".join([*words, name])] = sorted(flags)
    return found


_LARGE = 1 << 20


def make_inputs(folder: Path) -> Path:
    """Write the inputs and the files that were written before into a folder."""
    write_inputs(folder)
    shutil.copytree(HERE / "files", folder / "files")
    return folder


def run_case(arguments: list[str], inputs: Path, folder: Path, *, as_json: bool = True) -> Outcome:
    """Run the commands of a case in a fresh folder with the inputs in it."""
    shutil.copytree(inputs, folder, copy_function=_place)
    before = _states(folder)
    commands = list(_commands(arguments))
    with chdir(folder):
        for command in commands[:-1]:
            first = _run(command, folder)
            if first.exit_code:
                raise AssertionError(f"{command}: {first.stderr}")
        outcome = _run([*commands[-1], *_json_flag(commands[-1], as_json)], folder)
    after = _states(folder)
    written = sorted(name for name in after if before.get(name) != after[name])
    gone = sorted(set(before) - set(after))
    files = {name: _described(folder / name) for name in written} | dict.fromkeys(gone, "removed")
    return Outcome(outcome.exit_code, outcome.stdout.replace(str(folder), "FOLDER"), outcome.stderr, files)


def _commands(arguments: list[str]) -> Iterator[list[str]]:
    begin = 0
    for k, word in enumerate([*arguments, THEN]):
        if word == THEN:
            yield arguments[begin:k]
            begin = k + 1


def _json_flag(command: list[str], wanted: bool) -> list[str]:
    return ["--json"] if wanted and not _NO_JSON & set(command) else []


def _run(command: list[str], folder: Path) -> Outcome:
    """Run one command as the program does: warnings of libraries are not shown; nothing outside is looked at."""
    environment = {"FAIRTRIAL_DATA": None, "FAIRTRIAL_CACHE": str(folder / "cache"), "MPLBACKEND": "Agg"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner(env=environment).invoke(main, command)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def _place(source: str, target: str) -> None:
    """Link a file, which costs nothing; copy a journal, which is written to in place."""
    if source.endswith(".journal"):
        shutil.copyfile(source, target)
    else:
        os.link(source, target)


def _states(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Give what changes with the content of a file, for each file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            state = path.stat()
            found[path.relative_to(folder).as_posix()] = (state.st_ino, state.st_size, state.st_mtime_ns)
    return found


def _described(path: Path) -> Any:
    """Give the columns of a table, the content of a JSON file, or the kind of another file."""
    data = path.read_bytes()
    if path.name.startswith("saved."):
        return "saved"
    if len(data) > _LARGE:
        return "large"
    if path.suffix == ".json":
        return json.loads(data)
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pydict()
    if path.suffix == ".gz":
        return _columns(path.with_suffix(""), gzip.decompress(data))
    if path.suffix == ".zst":
        with pa.input_stream(str(path), compression="zstd") as stream:
            return _columns(path.with_suffix(""), stream.read())
    if path.suffix in (".csv", ".tsv"):
        return _columns(path, data)
    found = next((kind for magic, kind in _MAGIC.items() if data[:20].lower().startswith(magic.lower())), None)
    if found is None and not data:
        return "empty"
    return found or path.suffix.removeprefix(".")


def _columns(path: Path, data: bytes) -> dict[str, list[Any]]:
    """Give the columns of a text table by their names."""
    head, *rows = csv.reader(data.decode().splitlines(), delimiter="\t" if path.suffix == ".tsv" else ",")
    return {name: [_value(row[k]) for row in rows] for k, name in enumerate(head)}


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
