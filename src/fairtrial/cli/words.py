"""From the words of the library to those of the command line: errors and notes say nan="drop", a shell --nan drop."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairtrial.core.notes import Note

if TYPE_CHECKING:
    from fairtrial.core.tables import Table

_CHOICES = "nan|cluster|missing|format|fusion|normalise|inner|criterion|measure|method|convention"
SPELLINGS: dict[str, str] = {
    r'\bfit_calibration\(method="(\w+)"\)': r"fairtrial calibrate --method \1",
    rf"""\b({_CHOICES})=(["'])([^"']*)\2""": r"--\1 \3",
    r"""\bgenuine_by=(["'])([^"']*)\1""": r"--genuine-by \2",
    r"\bperson=(?=['\"])": "--person ",
    r"\bothers=\.\.\.": "--column other=...",
    r"""\bfailed_enrolment=(["'])([^"']*)\1""": r"--failed-enrolment \2",
    r'\bcolumns=\{"(\w+)": "([^"]*)"\}': r"--column \1=\2",
    r"\bcolumns=\.\.\.": "--column",
    r"\bscores=\.\.\.": "--column score=...",
    r'\bgenuine_labels="([^"]*)", impostor_labels="([^"]*)"': r"--label genuine=\1 --label impostor=\2",
    r"\bgenuine_labels=\.\.\.": "--label",
    r"\b(diagonal|transpose|common|negate)=True\b": r"--\1",
    r'\bnames=\["([^"]*)", "([^"]*)"\]': r"--name \1 --name \2",
    r'\brenamed\(\["([^"]*)"\]\)': r"--name \1",
    r'\bselect\(\["([^"]*)"\]\)': r"--system \1",
    r"\b(pi|rho|alpha|confidence|folds|margin|power|attempts|individuals)=(\.?\d[\d.]*\b)": r"--\1 \2",
    r"\beer_m=(\.?\d[\d.]*\b)": r"--eer-m \1",
    r"\b(alpha|far|frr)=\.\.\.": r"--\1",
    r"\bfalse_accepts=\.\.\.": "--false-accepts",
    r"\bfalse_rejects=\.\.\.": "--false-rejects",
    r"\brho_client\b": "--rho",
    r"\brho_impostor\b": "--rho-impostor",
    r"\bimpostors=\.\.\.": "--impostors",
    r"\bpeople=\.\.\.": "--people",
    r"\bimpostor_by=\.\.\.": "--impostor-by",
    r"\bn_resamples=(\d+)": r"--resamples \1",
    r"\bmax_size=(\d+)": r"--max-size \1",
    r"\boutside=True\b": "--outside",
    r"\bstudy_like\(\.\.\.\)": "fairtrial coverage --like",
    r"\bFusionModel\.save\b": "fairtrial fuse --save",
    r"\bCoverageStudy\.write\b": "fairtrial coverage --out",
}
"""What the library says, as regular expressions, and what it is called on the command line."""

_NOTES = ("note", "notes", "recommendation")
"""Under which names JSON has sentences of the library."""
_COMPILED = [(re.compile(python), shell) for python, shell in SPELLINGS.items()]


def in_command_line_words(message: object) -> str:
    """Translate a message of the library for those who type commands.

    Parameters
    ----------
    message
        An error or a note; arguments are spelled as in Python, ``name="value"``.

    Returns
    -------
    str
        The same with arguments spelled as options.

    Examples
    --------
    >>> in_command_line_words('leave it out with nan="drop"')
    'leave it out with --nan drop'
    """
    text = str(message)
    for python, shell in _COMPILED:
        text = python.sub(shell, text)
    return text


def table_in_command_line_words(table: Table) -> Table:
    """Give the same table with its notes for those who type commands, also those in a column."""
    places = {k for k, column in enumerate(table.columns) if column.key == "notes"}
    rows = (
        tuple(in_command_line_words(cell) if k in places and cell else cell for k, cell in enumerate(row))
        for row in table.rows
    )
    notes = (note if isinstance(note, Note) else in_command_line_words(note) for note in table.notes)
    return replace(table, rows=tuple(rows), notes=tuple(notes))


def json_in_command_line_words(found: Any) -> Any:
    """The same object with its notes and recommendations for those who type commands."""
    if isinstance(found, dict):
        return {
            key: _notes_in_words(value) if key in _NOTES else json_in_command_line_words(value)
            for key, value in found.items()
        }
    return [json_in_command_line_words(value) for value in found] if isinstance(found, list | tuple) else found


def _notes_in_words(value: Any) -> Any:
    if isinstance(value, Note):
        return value.to_dict()
    if isinstance(value, str):
        return in_command_line_words(value)
    return [_notes_in_words(own) for own in value] if isinstance(value, list | tuple) else value
