"""What people and programs get to see: tables, one JSON object, notes, files of them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fairtrial.cli.words import in_command_line_words, json_in_command_line_words, table_in_command_line_words
from fairtrial.core.notes import Note, gather_notes
from fairtrial.core.tables import json_text
from fairtrial.core.words import visible

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table as RichTable

    from fairtrial.cli.options import OutputOptions
    from fairtrial.core.results import Result
    from fairtrial.core.tables import Table


def say(text: str = "", *, aside: bool = False) -> None:
    """Lines for people, or aside on standard error; what a terminal would take for a command is spelled out."""
    click.echo("\n".join(visible(line) for line in text.split("\n")), err=aside)


def print_result(output: OutputOptions, result: Result) -> None:
    """Print the answer of a result and its tables, or one JSON object; see `print_tables_or_json`."""
    print_tables_or_json(output, result.tables(), result.to_json(), answer=result.answer())


def print_tables_or_json(
    output: OutputOptions, tables: Sequence[Table], found: dict[str, Any], *, answer: str = ""
) -> None:
    """Print tables below an answer, or one JSON object, after writing them to the file that was asked for.

    Parameters
    ----------
    output
        What was asked for.
    tables
        The tables of the result, the main one first.
    found
        The same as one JSON object.
    answer
        The answer in one sentence.
    """
    tables = [table_in_command_line_words(table) for table in tables]
    if output.out is not None:
        _write(output.out, tables, json_in_command_line_words(found))
    if output.json:
        print_json(found)
    else:
        if answer:
            words = in_command_line_words(answer)
            width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(words) + 1
            say("\n".join([*textwrap.wrap(words, width), ""]))
        print_tables(tables)
        if output.out is not None:
            say(f"results in {output.out}")
    print_notes(notes_of_options(), aside=True)


_NOTES = "fairtrial.notes of options"


def note_later(note: str) -> None:
    """Keep a note on the options of the present command until its result is shown."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_NOTES, []).append(note)


def notes_of_options() -> list[str]:
    """What is to be known of the options of the present command."""
    return list(click.get_current_context().meta.get(_NOTES, []))


def _write(path: str, tables: Sequence[Table], found: dict[str, Any]) -> None:
    from fairtrial.formats.files import write_whole
    from fairtrial.formats.results import write_tables

    if not path.lower().endswith(".json"):
        write_tables(tables, path)
        return
    with write_whole(path) as place:
        place.write_text(json_text(found, indent=2) + "\n", encoding="utf-8")


def print_json(found: dict[str, Any]) -> None:
    """One JSON object, its notes in words of the command line; infinite numbers as the strings "inf" and "-inf"."""
    say(json_text(json_in_command_line_words(found), indent=2))


def print_tables(tables: Sequence[Table]) -> None:
    """Tables as people read them, and the notes of all of them below, each once.

    Parameters
    ----------
    tables
        Tables of results; one that shows no row is left out.
    terms
        The names of error rates.
    """
    for table in tables:
        groups = list(table.sections(whole=False))
        if groups:
            say(str(table.caption))
            _print(table, groups)
    print_notes([note for table in tables for note in table.notes])


def _print(table: Table, groups: Sequence[Sequence[Sequence[str]]]) -> None:
    """A table as wide as the terminal, or as wide as it needs where there is none; names are never markup.

    A terminal that is too narrow folds headings and names; numbers are never cut, even if the table then is wider.
    """
    from rich.console import Console

    text: dict[str, Any] = {"markup": False, "highlight": False, "emoji": False}
    console, wide = Console(**text), Console(width=10_000, **text)
    shown = _laid_out(table, groups, fold=False)
    width = wide.measure(shown).maximum
    if console.is_terminal and width > console.width:
        shown = _laid_out(table, groups, fold=True)
        width = max(console.width, wide.measure(shown).minimum)
    Console(width=width, **text).print(shown)
    say()


def _laid_out(table: Table, groups: Sequence[Sequence[Sequence[str]]], *, fold: bool) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable

    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for k, column in enumerate(table.visible_columns):
        heading, width = visible(column.heading), None
        if fold and column.is_numeric:
            longest = max(len(word) for word in (*heading.split(), *(row[k] for group in groups for row in group)))
            heading, width = textwrap.fill(heading, longest, break_on_hyphens=False), longest
        side: JustifyMethod = "right" if column.is_numeric else "left"
        shown.add_column(heading, justify=side, no_wrap=column.is_numeric, width=width, overflow="fold")
    place = [column.key for column in table.visible_columns]
    grouped = place.index(table.section) if table.section in place else None
    for group in groups:
        for k, row in enumerate(group):
            cells = ["" if k and index == grouped else visible(cell) for index, cell in enumerate(row)]
            shown.add_row(*cells, end_section=k == len(group) - 1 and len(groups) > 1)
    return shown


def print_notes(notes: Sequence[Note | str], *, aside: bool = False) -> None:
    """Notes below tables, alike ones as one; aside, on standard error, where the output is what a script would read."""
    for note in gather_notes(notes):
        say(f"note: {in_command_line_words(note)}", aside=aside)
