"""docs/papers.md: every command runs, prints our number, and that number is the printed one or has an erratum."""

import re
import shlex
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d+|(?<=\d))(?:e-?\d+)?")


@dataclass(frozen=True)
class Line:
    where: str
    what: str
    command: str
    printed: str
    ours: str
    note: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def lines() -> list[Line]:
    cells = [
        re.split(r"(?<!\\)\|", row)[1:-1]
        for row in PAGE.read_text(encoding="utf-8").splitlines()
        if row.startswith("| ")
    ]
    rows = [[cell.strip().replace(r"\|", "|") for cell in row] for row in cells]
    return [Line(*row) for row in rows if row[0] != "Where"]


def files() -> dict[str, str]:
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


def numbers(text: str) -> list[Decimal]:
    return [Decimal(number.replace(",", "")) for number in NUMBER.findall(text)]


def output(code: str) -> str:
    if code.startswith("fairtrial "):
        result = CliRunner().invoke(main, shlex.split(code)[1:], catch_exceptions=False, env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.output
    return str(eval(code, {"ft": ft, "np": np}))


@pytest.fixture
def files_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in files().items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", lines(), ids=str)
def test_command_prints_our_number(line: Line, files_of_the_page: Path) -> None:
    code = line.command.strip("`")
    printed = output(code)
    assert [number for number in numbers(line.ours) if number not in numbers(printed)] == []
    drawn = re.search(r"--out (\S+)", code)
    assert numbers(line.ours) or (drawn and (files_of_the_page / drawn[1]).stat().st_size > 0)


@pytest.mark.parametrize("line", [line for line in lines() if numbers(line.printed)], ids=str)
def test_our_number_is_the_printed_one_or_an_erratum_says_why(line: Line) -> None:
    printed, ours = numbers(line.printed), numbers(line.ours)
    assert len(ours) >= len(printed)
    unit = [Decimal(1).scaleb(int(number.as_tuple().exponent)) for number in printed]
    same = all(abs(a - b) <= u / 2 + Decimal(10) ** -9 for a, b, u in zip(printed, ours, unit, strict=False))
    assert same != line.note.startswith(("Erratum", "Rounding"))
    if line.note.startswith("Rounding"):
        low, high = numbers(line.note)[:2]
        assert low <= printed[0] <= high
        assert low <= ours[0] <= high


def test_the_page_says_how_many_rows_it_has() -> None:
    assert f"in {len(lines())} rows" in PAGE.read_text(encoding="utf-8")
