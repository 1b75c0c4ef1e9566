"""Commands that are killed at a chosen step or moment, and called again: a script of its own, as it forks.

    python tests/killed_runs.py FOLDER [--times N --seed S]

prints one JSON object per run. Without --times, every command is killed once at each step of writing; with it, so often
at a random moment.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairtrial import write_trials
from fairtrial.cli.app import main
from fairtrial.repeated.journal import Journal
from simulated import crossed

MANIFEST = """
name = "lab"
title = "Our lab"
[[set]]
name = "P1"
dev = "dev.csv"
test = "test.csv"
[[set.system]]
name = "a"
modality = "face"
[[set.system]]
name = "b"
modality = "speech"
"""
GRID = ["--n", "20,30", "--m", "2,3", "--pi", ".1", "--rho", ".1,.2", "--datasets", "60", "--resamples", "20"]
COMMANDS = {
    "out.parquet": ["convert", "../dev.csv", "--out", "out.parquet"],
    "page.html": ["evaluate", "--dev", "../dev.csv", "--test", "../test.csv", "--report", "page.html"],
    "results.csv": ["benchmark", "--data", "..", "--out", "results.csv"],
    "rows.parquet": ["coverage", *GRID, "--workers", "1", "--out", "rows.parquet"],
}
DATES = re.compile(rb"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?( UTC|Z)?)?")
"""A page may say when it was made."""


def kill(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_replace() -> None:
    os.replace = kill  # type: ignore[assignment]


def after_replace() -> None:
    real = os.replace

    def replace(*given: Any) -> None:
        real(*given)
        kill()

    os.replace = replace  # type: ignore[assignment]


def after(seconds: float) -> Callable[[], None]:
    """The alarm that nobody handles ends a process as SIGKILL does, in the midst of anything."""

    def prepare() -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    return prepare


def after_three_notes() -> None:
    real, count = Journal.note, 0

    def note(self: Journal, *given: Any) -> None:
        nonlocal count
        real(self, *given)
        count += 1
        if count == 3:
            kill()

    Journal.note = note  # type: ignore[method-assign,assignment]


STEPS: dict[str, Callable[[], None]] = {
    "before it has its name": before_replace,
    "after it has its name": after_replace,
}


def run(arguments: list[str], folder: Path, prepare: Callable[[], None] = lambda: None) -> int:
    """How a command in a process of its own ended."""
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        sys.argv = ["fairtrial", *arguments]
        prepare()
        try:
            main(arguments, standalone_mode=False)
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    return os.waitpid(child, 0)[1]


def content(path: Path) -> bytes | None:
    return DATES.sub(b"", path.read_bytes()) if path.exists() else None


def again(name: str, folder: Path, expected: bytes | None, status: int) -> dict[str, Any]:
    """What a killed command left, and what there is after it was called again."""
    left = content(folder / name)
    found: dict[str, Any] = {
        "command": COMMANDS[name][0],
        "file": name,
        "killed": os.WIFSIGNALED(status),
        "whole_or_nothing": left in (None, expected),
        "leftovers": sum(path.name.endswith(".part") for path in folder.iterdir()),
    }
    found["again"] = run(COMMANDS[name], folder)
    found["same_bytes"] = content(folder / name) == expected
    found["files"] = sorted(path.name for path in folder.iterdir())
    return found


LOADED_ONCE = [
    "joblib",
    "pyarrow.csv",
    "pyarrow.parquet",
    "fairtrial.benchmark.pooling",
    "fairtrial.benchmark.manifest",
    "fairtrial.benchmark.pooling",
    "fairtrial.cli.commands",
    "fairtrial.cli.question",
    "fairtrial.pages.results",
]
"""By the process that forks, which saves the others the time."""


def main_script() -> None:
    """Make the data, and kill."""
    for module in LOADED_ONCE:
        importlib.import_module(module)
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    root = given.folder
    rng = np.random.default_rng(0)
    for name in ("dev.csv", "test.csv"):
        write_trials(crossed(rng, clients=8, impostors=5), root / name)
    (root / "benchmark.toml").write_text(MANIFEST)
    chance = random.Random(given.seed)
    for name, arguments in COMMANDS.items():
        folder = root / f"{name}-whole"
        folder.mkdir()
        start = time.monotonic()
        if run(arguments, folder) != 0:
            raise SystemExit(f"{arguments} failed")
        lasts = time.monotonic() - start
        expected = content(folder / name)
        steps = dict(STEPS, **({"after three cells": after_three_notes} if name == "rows.parquet" else {}))
        if given.times:
            steps = {f"after {t:.4f} s": after(t) for t in (chance.uniform(0, lasts) for _ in range(given.times))}
        for number, (step, prepare) in enumerate(steps.items()):
            own = root / f"{name}-{number}"
            own.mkdir()
            status = run(arguments, own, prepare)
            print(json.dumps({"step": step, **again(name, own, expected, status)}), flush=True)


if __name__ == "__main__":
    main_script()
