"""The commands that docs/planning.md shows print what it shows."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairtrial.cli.app import main

PAGE = Path(__file__).parents[1] / "docs" / "planning.md"


def blocks() -> list[tuple[str, list[str]]]:
    """Commands after a `$`, and the lines below them; `...` stands for what is left out."""
    found: list[tuple[str, list[str]]] = []
    text = PAGE.read_text(encoding="utf-8").replace("\\\n", "")
    for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("    $ "):
                found.append((line.removeprefix("    $ "), []))
            elif found and line.strip() != "..." and block.startswith("    $ "):
                found[-1][1].append(line.removeprefix("    ").rstrip())
    return found


def test_there_are_commands_to_try() -> None:
    assert len(blocks()) >= 7
    assert all(lines for _, lines in blocks())


@pytest.mark.parametrize(("command", "lines"), blocks(), ids=lambda value: value if isinstance(value, str) else "")
def test_command_prints_what_the_page_shows(command: str, lines: list[str]) -> None:
    result = CliRunner().invoke(main, shlex.split(command)[1:], catch_exceptions=False)
    printed = [line.rstrip() for line in result.output.splitlines()]
    assert [line for line in lines if line not in printed] == []
