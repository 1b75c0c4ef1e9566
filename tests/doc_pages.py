"""What a page of the documentation shows: its files, its commands and what they print."""

import random
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE_PAGE = ROOT / "docs" / "getting-started.md"
COUNTS_PAGE = ROOT / "docs" / "individuals.md"
LEFT_OUT = "..."
PROGRAMS = ("$", "fairtrial", "head", "make", "pip", "python")
"""A block whose first line begins with one of these is one of commands."""


@dataclass(frozen=True)
class Step:
    """A command, the lines below it (None if the page does not show its output), and the width of the terminal."""

    command: str
    lines: tuple[str, ...] | None = None
    width: int | None = None

    @property
    def is_refused(self) -> bool:
        return any(line.startswith("error: ") for line in self.lines or ())

    def missing(self, printed: str) -> list[str]:
        """The first run of lines that is not printed, in this order; `...` stands for any lines between two runs."""
        if self.lines is None:
            return []
        rest = [line.rstrip() for line in printed.rstrip().splitlines()]
        exact = LEFT_OUT not in self.lines
        for run in self._runs(self.lines):
            places = [at for at in range(len(rest) - len(run) + 1) if rest[at : at + len(run)] == run]
            if not places or (exact and len(run) != len(rest)):
                return run
            rest = rest[places[0] + len(run) :]
        return []

    @staticmethod
    def _runs(lines: tuple[str, ...]) -> list[list[str]]:
        runs: list[list[str]] = [[]]
        for line in lines:
            if line == LEFT_OUT:
                runs.append([])
            else:
                runs[-1].append(line)
        return [run for run in runs if run]


@dataclass(frozen=True)
class Block:
    """An indented block of commands, and why they are not run, if a comment above it says so."""

    lines: tuple[str, ...]
    not_run: str | None

    @property
    def steps(self) -> list[Step]:
        """With a `$` before commands, the other lines are what they print; without, every line is a command."""
        if not any(line.startswith("$ ") for line in self.lines):
            return [Step(call.strip()) for line in self.lines if line.strip() for call in line.split("&&")]
        assert self.lines[0].startswith("$ "), f"{self.lines[0]}: with a `$` before commands, a block begins with one"
        found: list[tuple[str, list[str]]] = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line.rstrip())
        return [Step(command, tuple("\n".join(lines).rstrip().splitlines())) for command, lines in found]


@dataclass(frozen=True)
class Page:
    """A page as text."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def files(self) -> dict[str, str]:
        """What stands in fences that say a file name after the language."""
        return dict(re.findall(r"^```\w+ (\S+\.\w+)\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL))

    @property
    def needs_example(self) -> bool:
        return f"{EXAMPLE_PAGE.name}#the-example-files" in self.text

    @property
    def steps(self) -> list[Step]:
        """Commands to run, in order, on a terminal as wide as a comment on the page says."""
        width = re.search(r"<!-- terminal of (\d+) columns -->", self.text)
        columns = int(width[1]) if width else None
        steps = (step for block in self.blocks if block.not_run is None for step in block.steps)
        return [replace(step, width=columns) for step in steps]

    @property
    def unrun(self) -> list[Block]:
        return [block for block in self.blocks if block.not_run is not None]

    @cached_property
    def blocks(self) -> list[Block]:
        """The indented blocks of commands."""
        outside = re.sub(r"^```.*?^```", "```", self.text, flags=re.MULTILINE | re.DOTALL).replace("\\\n", "")
        found = re.findall(r"(?:^<!-- not run: (.+?) -->\n\n)?((?:^    .*\n(?:\n(?=    ))*)+)", outside, re.MULTILINE)
        blocks = [
            Block(tuple(line.removeprefix("    ") for line in text.splitlines()), why or None) for why, text in found
        ]
        return [block for block in blocks if block.lines[0].split()[0] in PROGRAMS]


def make_stand_ins() -> None:
    """Write files that stand for those of a reader, beside the example files in the current directory."""
    shutil.copy("dev.csv", "scores.csv")
    shutil.copy("test.csv", "others.csv")
    Path("counts.csv").write_text(Page(COUNTS_PAGE).files["counts.csv"], encoding="utf-8")
    dev, test = ft.read_pair("dev.csv", "test.csv")
    for system in ("face", "voice"):
        ft.write_trials(dev.select([system]), f"{system}-dev.csv")
        ft.write_trials(test.select([system]), f"{system}-test.csv")
    draw = random.Random(0)
    everybody = _people(dev) | _people(test)
    rows = [f"{person},{draw.choice(['female', 'male'])},{draw.randint(18, 70)}" for person in sorted(everybody)]
    Path("people.csv").write_text("\n".join(["person,sex,age", *rows, ""]), encoding="utf-8")


def _people(trials: ft.Trials) -> set[str]:
    assert trials.claim is not None
    assert trials.subject is not None
    return {*trials.claim.decode(), *trials.subject.decode()}


def run(step: Step) -> str:
    """What a command prints in the current directory."""
    program, *arguments = shlex.split(step.command, comments=True)
    if program == "fairtrial":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("fairtrial.cli.output.terminal_width", lambda: step.width)
            result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert result.exit_code == (2 if step.is_refused else 0), f"{step.command} prints\n{result.output}"
        return result.output
    if program == "python" and len(arguments) == 1:
        with redirect_stdout(StringIO()) as printed:
            runpy.run_path(arguments[0])
        return printed.getvalue()
    if program == "python":
        return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout
    assert program == "head", f"{step.command}: the tests do not run {program}; say why above it: <!-- not run: ... -->"
    return "\n".join(Path(arguments[1]).read_text(encoding="utf-8").splitlines()[: int(arguments[0][1:])])


def is_form(call: str) -> bool:
    """Whether it says how a command is called, rather than being one."""
    return bool(re.search(r"\[|\.\.\.|\||\s[FN](\s|$)", call))


def understand(call: str) -> None:
    """Parse a command without running it; click raises an error for what it does not know."""
    _, *words = shlex.split(call, comments=True)
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found, f"{call}: no command {words[0]}"
        context, command, words = click.Context(found, parent=context), found, words[1:]
    command.make_context(command.name, words, parent=context.parent)
