"""How a result shows itself in a notebook: a small table of plain HTML, every name in it as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isnan


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table with a caption, and notes below."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


def in_percent(rate: float) -> str:
    """The number of a rate as people read it, with enough digits for small ones; nothing where there is none."""
    if isnan(rate):
        return ""
    value = 100 * rate
    if 0 < abs(value) < 0.0995:
        return f"{value:.3g}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def percent(rate: float) -> str:
    """The same with its sign."""
    return "" if isnan(rate) else f"{in_percent(rate)} %"


def limits(low: float, high: float) -> str:
    """Two limits as people read them."""
    return f"{percent(low)} to {percent(high)}"
