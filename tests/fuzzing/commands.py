"""Command lines with other options and values, on good and damaged files: a result, or exit code 2 and one error."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from click.testing import CliRunner, Result

from fairtrial.cli.app import main
from fairtrial.cli.entry import is_of_memory
from fairtrial.core.errors import FairtrialError
from fuzzing.cases import Case, Target, contents, lay_out
from fuzzing.manifests import MANIFESTS, SCORES
from fuzzing.mutations import Files, damage
from fuzzing.vocabulary import GOOD, MUCH_WORK, commands, words_for
from fuzzing.watching import Misread

_DRAWN = 0.12
"""The share of figures, which take longest."""
_ENVIRONMENT = {"FAIRTRIAL_DATA": "data", "FAIRTRIAL_CACHE": "cache", "FAIRTRIAL_MIRROR": "http://127.0.0.1:9/none"}


def _trials(seed: int) -> list[tuple[str, str, float, float]]:
    dice = random.Random(seed)
    people = [f"p{number}" for number in range(8)]
    return [(c, s, 2 * (c == s) + dice.gauss(0, 1), 3 * (c == s) + dice.gauss(0, 1)) for c in people for s in people]


@cache
def folder_of_files() -> Files:
    """Good files of every kind that a command reads."""
    files = {f"lab/{name}": data for name, data in SCORES.items()} | {"lab/benchmark.toml": MANIFESTS[0].encode()}
    for seed, name in enumerate(("dev", "test")):
        rows = _trials(seed)
        table = "claim,subject,face,voice\n" + "".join(f"{c},{s},{a:.4f},{b:.4f}\n" for c, s, a, b in rows)
        files[f"{name}.csv"] = table.encode()
        files[f"{name}.txt"] = "".join(f"{c} {s} {s}-1 {a:.4f}\n" for c, s, a, _ in rows).encode()
    dice = random.Random(5)
    for name in ("counts.csv", "other.csv"):
        files[name] = b"errors,attempts\n" + b"".join(b"%d,5\n" % dice.choice([0, 0, 0, 1, 2]) for _ in range(20))
    cells = [(n, m, rho) for n in (100, 200) for m in (2, 5) for rho in (0.1, 0.4)]
    rows_of_study = "".join(f"{n},{m},.01,{rho},lbb,{0.8 + m / 100}\n" for n, m, rho in cells)
    files["study.csv"] = b"n,m,pi,rho,method,coverage\n" + rows_of_study.encode()
    return files | _made_by_commands(files)


def _made_by_commands(files: Files) -> Files:
    with tempfile.TemporaryDirectory() as name, _working_in(Path(name)):
        lay_out(files, Path(name))
        for words in (
            "count dev.csv --out dev.ftc",
            "count test.csv --out test.ftc",
            "convert dev.csv --out dev.parquet",
            "fuse --dev dev.csv --test test.csv --fusion logistic --save model.json",
        ):
            result = CliRunner().invoke(main, words.split(), catch_exceptions=False)
            assert result.exit_code == 0, result.output
        return {made: (Path(name) / made).read_bytes() for made in ("dev.ftc", "test.ftc", "dev.parquet", "model.json")}


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """In a folder, with nothing known of other score sets and no network."""
    before, path, environment = os.getcwd(), sys.path.copy(), os.environ.copy()
    os.environ.update(_ENVIRONMENT)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path
        for name in _ENVIRONMENT:
            os.environ.pop(name)
        os.environ.update(environment)


def make_command_line(seed: str) -> Case:
    """A good command line with words put in, changed and left out; sometimes with one of its files damaged."""
    rng = random.Random(seed)
    drawn = rng.random() < _DRAWN
    name = rng.choice([one for one in sorted(GOOD) if one.startswith("plot ") == drawn])
    words = rng.choice(GOOD[name]).split()
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        _change(rng, name, words)
    files = folder_of_files()
    done = ""
    named = [word for word in words if word in files] + (["lab/benchmark.toml"] if "lab" in words else [])
    if named and rng.random() < 0.35:
        victim = rng.choice(named)
        damaged, done, _ = damage({victim: files[victim]}, seed)
        files = files | damaged
    return Case(files, (*name.split(), *words), done)


def _change(rng: random.Random, name: str, words: list[str]) -> None:
    parameters = commands()[name].params
    known = {flag: parameter for parameter in parameters for flag in parameter.opts}
    kept = [place for place, word in enumerate(words) if word in known and word != "--data"]
    if kept and rng.random() < 0.5:
        place = rng.choice(kept)
        parameter = known[words[place]]
        stop = place + 1 + (0 if getattr(parameter, "is_flag", False) else parameter.nargs)
        words[place:stop] = [] if rng.random() < 0.2 and words[place] not in MUCH_WORK else words_for(parameter, rng)
    elif parameters:
        words += words_for(rng.choice(parameters), rng)


class _Refused(FairtrialError):
    """Exit code 2, and what was said."""


def call(folder: Path, case: Case) -> None:
    """Call the command, and see that it ended as it should."""
    with _working_in(folder):
        result = CliRunner().invoke(main, list(case.words))
    if isinstance(result.exception, Exception) and is_of_memory(result.exception):
        raise _Refused("there is not enough memory for this")  # as the command line says, in a worker with its limit
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if "\x1b" in result.output:
        raise Misread(f"an escape is sent to the terminal: {result.output[:300]!r}")
    if result.exit_code == 0:
        _check_success(result, case, contents(folder))
    elif result.exit_code == 2:
        _check_refusal(result, case, contents(folder))
        raise _Refused(*result.stderr.splitlines()[-1:])
    else:
        raise Misread(f"exit code {result.exit_code}: {result.output[-300:]}")


def _check_success(result: Result, case: Case, files: Files) -> None:
    left = [name for name in files if name.endswith(".part")]
    if left:
        raise Misread(f"left behind: {left}")
    for name in case.files:
        roles = {before for before, word in pairwise(case.words) if word.endswith(name)}
        if files.get(name) != case.files[name] and len(roles) > 1:  # read and written, not written twice
            raise Misread(f"an input is written over: {name}")
    if "--json" in case.words and not {"-h", "--help", "--help-all"}.intersection(case.words):
        try:
            json.loads(result.stdout, parse_constant=_refuse_constant)
        except ValueError as error:
            raise Misread(f"--json: {error}: {result.stdout[:200]!r}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_refusal(result: Result, case: Case, files: Files) -> None:
    lines = result.stderr.splitlines()
    if "--json" in case.words:
        if result.stdout and set(json.loads(result.stdout)["error"]) < {"code", "message"}:
            raise Misread(f"--json: {result.stdout[:200]!r}")
    elif result.stdout:
        raise Misread(f"refused, but says {result.stdout[:200]!r}")
    if not lines or not (lines[-1].startswith("Error: ") or (len(lines) == 1 and lines[0].startswith("error: "))):
        raise Misread(f"not one line of error: {result.stderr[:300]!r}")
    if files != case.files:
        changed = sorted(name for name in files | case.files if files.get(name) != case.files.get(name))
        raise Misread(f"refused, but changed {changed}")


COMMANDS = Target("commands", make_command_line, call, seconds=60)
