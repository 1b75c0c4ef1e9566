"""What the quick reader of text, the careful one and the oracle make of the same text."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fairtrial.formats.text as text_module
import reading_oracle as oracle
from fairtrial.core.errors import InputError
from fairtrial.formats.files import Head, read_head
from fairtrial.formats.text import Kind, Layout

NAMES = ("claim", "subject", "probe", "score")
KINDS: tuple[Kind, ...] = ("text", "text", "text", "score")
DELIMITERS = ((" ", False), ("\t", False), ("\t", True), (",", True), (";", True))
"""What separates fields, and whether there is a header line."""
Columns = dict[str, Any]
Comparison = tuple[Columns, Columns | InputError]
"""What the quick reader made of a file, and what the careful one did."""


def read_twice(head: Head, layout: Layout, quick: Callable[..., Columns | None]) -> Comparison | None:
    """Both readings of a file, if the quick reader takes it."""
    columns = quick(head, layout, None)
    if columns is None:
        return None
    try:
        return dict(columns), text_module._read_slowly(head, layout).columns
    except InputError as error:
        return dict(columns), error


def difference(pair: Comparison) -> str | None:
    """How the two readings differ; None where they do not."""
    quick, slow = pair
    if isinstance(slow, InputError):
        return f"read quickly, but slowly: {slow}"
    if list(quick) != list(slow):
        return f"columns {list(quick)} and {list(slow)}"
    for name in quick:
        one, other = (
            c.tolist() if isinstance(c, np.ndarray) else c.decode().tolist() for c in (quick[name], slow[name])
        )
        if len(one) != len(other):
            return f"{len(one)} and {len(other)} rows"
        for a, b in zip(one, other, strict=True):
            if a != b and not (a != a and b != b):
                return f"column {name}: quickly {a!r:.80}, slowly {b!r:.80}"
    return None


def difference_from_oracle(path: Path, delimiter: str, *, header: bool) -> str | None:
    """How a reader differs from the oracle on a file of claim, subject, probe and score; None where none does.

    Parameters
    ----------
    path
        Text in UTF-8.
    delimiter
        What separates fields; a space stands for spaces and tabs.
    header
        Whether the first line that is no comment names the columns.
    """
    try:
        head = read_head(path)
    except InputError:
        return None
    if head.has_counts:  # a first row of counts, of which the oracle knows nothing
        return None
    expected = _by_oracle(path.read_bytes().decode(), delimiter, header=header)
    layout = Layout(dict(zip(NAMES, KINDS, strict=True)), delimiter, header=header)
    quickly = text_module._read_quickly(head, layout, None)
    slowly: Columns | None = None
    with contextlib.suppress(InputError):
        slowly = text_module._read_slowly(head, layout).columns
    if (slowly is None) != (expected is None):
        return f"the careful reader {'refuses' if slowly is None else 'reads'} what the oracle does not"
    for columns in (slowly, quickly):
        if columns is None:
            continue
        if expected is None:
            return "the quick reader reads what the oracle refuses"
        differs = _differs(columns, expected)
        if differs:
            return differs
    return None


def _by_oracle(text: str, delimiter: str, *, header: bool) -> oracle.Reading | None:
    begin = re.match(r"(\s*(#[^\r\n]*)?[\r\n])*", text)  # comments and blank lines before a header are no part of it
    read = oracle.read_table if header else oracle.read_lines
    try:
        return read(text[begin.end() :] if header and begin else text, delimiter, len(NAMES))
    except oracle.Refused:
        return None


def _differs(columns: Columns, expected: oracle.Reading) -> str | None:
    ids = [columns[name].decode().tolist() for name in NAMES[:-1]]
    rows = [list(row) for row in zip(*ids, strict=True)]
    if rows != expected.rows:
        return f"ids {rows}, not {expected.rows}"
    same = np.array_equal(columns["score"], np.array(expected.scores), equal_nan=True)
    return None if same else f"scores {columns['score'].tolist()}, not {expected.scores}"
