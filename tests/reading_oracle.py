"""A reader of score tables and bob files written apart from fairtrial's: letter by letter, from the rules alone.

It knows one reading of a text, or says that there is none. The rules are those of docs/formats.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
ODD_NUMBER = re.compile(r"[+-]?(inf|infinity|nan|nan\(\w*\))", re.ASCII | re.IGNORECASE)


class Refused(Exception):
    """There is no reading of this text."""


@dataclass
class Reading:
    """Rows of fields; ids as text, the score as a number."""

    rows: list[list[str]]
    scores: list[float]


def score_of(field: str, *, may_be_empty: bool) -> float:
    """The number that a field says, exactly."""
    text = field.strip(" \t\n\r\x0b\x0c")
    if not field and may_be_empty:
        return float("nan")
    if ODD_NUMBER.fullmatch(text):
        return float("nan" if "nan" in text.lower() else text)
    if not NUMBER.fullmatch(text):
        raise Refused(f"not a number: {field!r}")
    value = float(text)
    whole = re.fullmatch(r"[+-]?\d+", text, re.ASCII)
    if value in (float("inf"), float("-inf")) or (whole and int(text) != value):
        raise Refused(f"not a float: {field!r}")
    return value


def lines_of(text: str) -> list[str]:
    """The lines, without their ends: \\n, \\r or both."""
    found = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return found[:-1] if found[-1] == "" else found


def cells_of(text: str, delimiter: str) -> list[list[str]]:
    """Rows of cells; a cell that begins with a quote goes to the next single quote, and two are one."""
    rows: list[list[str]] = []
    row: list[str] = []
    cell = ""
    state = "start"
    place = 0
    while place < len(text):
        letter = text[place]
        place += 1
        if state == "quoted":
            if letter != '"':
                cell += letter
            elif text[place : place + 1] == '"':
                cell += '"'
                place += 1
            else:
                state = "plain"
        elif letter == '"' and state == "start":
            state = "quoted"
        elif letter == delimiter:
            row.append(cell)
            cell, state = "", "start"
        elif letter in "\r\n":
            if letter == "\r" and text[place : place + 1] == "\n":
                place += 1
            rows.append([*row, cell])
            row, cell, state = [], "", "start"
        else:
            cell += letter
            state = "plain"
    if state == "quoted":
        raise Refused("a quote is not closed")
    if row or cell or state == "plain":
        rows.append([*row, cell])
    return rows


def read_table(text: str, delimiter: str, width: int) -> Reading:
    """Rows below a header line, the score last."""
    below = _first_line(_without_mark(text))[2]
    rows = []
    for row in cells_of(below, delimiter):
        if row == [""]:
            continue
        if len(row) != width:
            raise Refused(f"{len(row)} cells")
        for cell in row:
            if any(line.count(delimiter) >= width - 1 for line in lines_of(cell)[1:]):
                raise Refused("rows within quotes")
        rows.append(row)
    return Reading([row[:-1] for row in rows], [score_of(row[-1], may_be_empty=True) for row in rows])


def _first_line(text: str) -> tuple[str, str, str]:
    found = re.search(r"\r\n|\r|\n", text)
    return (text, "", "") if found is None else (text[: found.start()], found.group(), text[found.end() :])


def read_lines(text: str, delimiter: str, width: int) -> Reading:
    """Lines of fields without quotes; those that begin with # are comments. A space stands for spaces and tabs."""
    rows = []
    for line in lines_of(_without_mark(text)):
        fields = re.split(r"[ \t]+", line.strip(" \t")) if delimiter == " " else line.split(delimiter)
        if fields == [""] or fields[0].startswith("#"):
            continue
        if len(fields) != width:
            raise Refused(f"{len(fields)} fields")
        rows.append(fields)
    return Reading([row[:-1] for row in rows], [score_of(row[-1], may_be_empty=False) for row in rows])


def _without_mark(text: str) -> str:
    """The text without the mark that UTF-8 may begin with."""
    if "\x00" in text:
        raise Refused("a NUL")
    return text.removeprefix("\ufeff")
