"""What people and programs get to see: tables, one JSON object, notes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli.words import in_command_line_words
from fairtrial.display import in_percent

if TYPE_CHECKING:
    from rich.table import Table


def print_json(result: dict[str, Any]) -> None:
    """One JSON object; infinite numbers, which JSON has not, as the strings "inf" and "-inf"."""
    click.echo(json.dumps(plain(result), indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """The same in what JSON has: infinite numbers as strings, NaN as null."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def print_table(table: Table) -> None:
    """A table as wide as the terminal, or as wide as it needs where there is none; names are never markup."""
    from rich.console import Console

    plain: dict[str, Any] = {"markup": False, "highlight": False, "emoji": False}
    console = Console(**plain)
    if not console.is_terminal:
        wide = Console(width=10_000, **plain)
        console = Console(width=max(wide.measure(table).maximum, len(str(table.title or ""))), **plain)
    console.print(table)


def print_notes(notes: Sequence[str]) -> None:
    """Notes below a table, each once."""
    for note in dict.fromkeys(notes):
        click.echo(f"note: {in_command_line_words(note)}")


def percent(rate: float) -> str:
    """A rate as people read it, with enough digits for small ones; nothing where there is none."""
    return in_percent(rate)


def number(value: float) -> str:
    """A threshold or a score."""
    return f"{value:.6g}"
