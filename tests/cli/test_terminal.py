"""What commands print fits a real terminal of any width, and no number is broken."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from fairtrial import Trials, write_trials

SETS = "--dev dev.csv --test test.csv"
RATES = "--impostor 112000 --genuine 400"
COMMANDS = [
    f"evaluate {SETS}",
    f"evaluate {SETS} --all",
    f"compare {SETS} --resamples 50",
    f"epc {SETS} --points 11 --compare face,a_b --no-areas",
    f"operating-points {SETS} --far .1",
    f"groups {SETS} --system face --by claim",
    f"fuse {SETS}",
    f"calibrate {SETS}",
    f"interval rates --far .0115 --frr .025 {RATES} --measure all",
    "interval individuals counts.csv --resamples 50",
    f"compare-rates --a .0115 .025 --b .0195 .0275 {RATES}",
    "eer-bound TAN=.0057 .0008 0 --trials 285390",
    "mcnemar --b 3 --c 900",
    "plan --pi .02 --half-width .01",
    "coverage --n 20 --m 2 --pi .1 --rho .1 --datasets 10 --resamples 10",
    "test individuals counts.csv --rate .01",
    f"predict {SETS}",
    f"chimeric {SETS} --move face --assignments 2",
    "formats",
    "criteria",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminal")
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        claim, subject = np.divmod(np.arange(400), 20)
        scores = np.outer(claim == subject, [2.0, 3.0]) + rng.normal(size=(400, 2))
        trials = Trials.from_arrays(scores, claim == subject, systems=["face", "a_b"], claim=claim, subject=subject)
        write_trials(trials, place / f"{name}.csv")
    (place / "counts.csv").write_text("errors,attempts\n" + "".join(f"{x},5\n" for x in (0, 0, 0, 1, 0, 2, 0, 0, 5, 1)))
    return place


def transcript(command: str, width: int, folder: Path, **variables: str) -> str:
    """Run a command in a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-m", "fairtrial", *command.split()],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**environment, "TERM": "xterm", **variables},
    ) as process:
        os.close(theirs)
        data = b""
        while True:
            try:
                block = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            data += block
    os.close(ours)
    assert process.returncode == 0
    return data.decode()


def printed(command: str, width: int, folder: Path) -> list[str]:
    """Give the lines of a command in a terminal, without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", transcript(command, width, folder)).replace("\r", "").splitlines()


def numbers(lines: list[str]) -> set[str]:
    return set(re.findall(r"-?\d[\d,]*\.\d+", " ".join(lines)))


@pytest.mark.parametrize(("variables", "expected"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals_that_have_them(variables: dict[str, str], expected: bool, folder: Path) -> None:
    assert ("\x1b[" in transcript("mcnemar --b 3 --c 900", 80, folder, **variables)) == expected


@pytest.mark.parametrize(("command", "width"), [*zip(COMMANDS, cycle([80, 100, 120]))])
def test_lines_fit_the_terminal(command: str, width: int, folder: Path) -> None:
    whole = numbers(printed(command, 1000, folder))
    for columns in (50, width):
        lines = printed(command, columns, folder)
        assert max(map(len, lines)) <= columns, max(lines, key=len)
        assert numbers(lines) <= whole


@pytest.mark.parametrize(
    "command",
    [
        f"evaluate {SETS}",
        f"compare {SETS} --resamples 50",
        f"epc {SETS} --points 11 --compare face,a_b --no-areas",
        f"groups {SETS} --system face --by claim",
        f"fuse {SETS}",
        f"calibrate {SETS}",
    ],
)
def test_the_answer_and_its_interval_come_first(command: str, folder: Path) -> None:
    """Groups of which none differs have p values, and no interval of a difference."""
    first = " ".join(printed(command, 80, folder)[:5])
    assert re.search(r"p = " if command.startswith("groups") else r"-?\d[.\d]* to \d", first)
