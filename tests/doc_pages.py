"""What a page of the documentation shows: its files, its commands and what they print."""

import re
import runpy
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click
from click.testing import CliRunner

from fairtrial.cli.app import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE_PAGE = ROOT / "docs" / "getting-started.md"
LEFT_OUT = "..."


@dataclass(frozen=True)
class Shown:
    """A command after a `$`, and the lines that the page shows below it."""

    command: str
    lines: tuple[str, ...]

    def missing(self, printed: str) -> list[str]:
        """The first run of lines that is not printed, in this order; `...` stands for any lines between two runs."""
        rest = [line.rstrip() for line in printed.rstrip().splitlines()]
        exact = LEFT_OUT not in self.lines
        for run in self._runs():
            places = [at for at in range(len(rest) - len(run) + 1) if rest[at : at + len(run)] == run]
            if not places or (exact and len(run) != len(rest)):
                return run
            rest = rest[places[0] + len(run) :]
        return []

    def _runs(self) -> list[list[str]]:
        runs: list[list[str]] = [[]]
        for line in self.lines:
            if line == LEFT_OUT:
                runs.append([])
            else:
                runs[-1].append(line)
        return [run for run in runs if run]


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
    def shown(self) -> list[Shown]:
        """Commands to run, in order."""
        found: list[tuple[str, list[str]]] = []
        for block in self._blocks():
            printing = False
            for line in block:
                if line.startswith("$ "):
                    found.append((line.removeprefix("$ "), []))
                    printing = True
                elif line.startswith("fairtrial "):
                    printing = False
                elif printing:
                    found[-1][1].append(line.rstrip())
        return [Shown(command, tuple("\n".join(lines).rstrip().splitlines())) for command, lines in found]

    @property
    def forms(self) -> list[str]:
        """Commands that are only there to be copied."""
        calls = [call.strip() for block in self._blocks() for line in block for call in line.split("&&")]
        return [call for call in calls if call.startswith("fairtrial ") and not _is_synopsis(call)]

    def _blocks(self) -> Iterator[list[str]]:
        """The lines of indented blocks."""
        outside = re.sub(r"^```.*?^```", "", self.text, flags=re.MULTILINE | re.DOTALL)
        for block in re.findall(r"(?:(?:^    .*|^)\n)+", outside.replace("\\\n", ""), re.MULTILINE):
            yield [line.removeprefix("    ") for line in block.strip("\n").splitlines()]


def _is_synopsis(call: str) -> bool:
    return bool(re.search(r"\[|\.\.\.|\||\s[FN](\s|$)", call))


def run(command: str) -> str:
    """What a command prints in the current directory."""
    program, *arguments = shlex.split(command)
    if program == "fairtrial":
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
        refused = any(line.startswith("error: ") for line in result.output.splitlines())
        assert result.exit_code == (2 if refused else 0), result.output
        return result.output
    if program == "python":
        runpy.run_path(arguments[0])
        return ""
    assert program == "head", f"{command}: the tests do not know {program}"
    return "\n".join(Path(arguments[1]).read_text(encoding="utf-8").splitlines()[: int(arguments[0][1:])])


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
