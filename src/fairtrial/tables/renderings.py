"""Every way in which a table is rendered: HTML, Markdown, LaTeX, Arrow, a data frame."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

from fairtrial.errors import FairtrialError
from fairtrial.tables.columns import PAIRS, SINGLES
from fairtrial.tables.words import Terms, latex_text, markdown_text, translate

if TYPE_CHECKING:
    import pyarrow as pa

    from fairtrial.tables.table import Table


def html_of(table: Table, terms: Terms) -> str:
    """The table as plain HTML with everything escaped, for notebooks."""
    style = [' style="text-align:right"' if column.is_numeric else "" for column in table.visible_columns]

    def line(tag: str, cells: Sequence[str]) -> str:
        inside = (f"<{tag}{look}>{escape(cell)}</{tag}>" for look, cell in zip(style, cells, strict=True))
        return f"<tr>{''.join(inside)}</tr>"

    groups = table.sections(terms, whole=False)
    body = "".join(f"<tbody>{''.join(line('td', row) for row in group)}</tbody>" for group in groups)
    below = "".join(f"<p>{escape(translate(note, terms))}</p>" for note in table.notes)
    if not body:
        return below
    caption = escape(translate(table.caption, terms))
    head = line("th", table.headings(terms))
    return f"<table><caption>{caption}</caption><thead>{head}</thead>{body}</table>{below}"


def markdown_of(table: Table, terms: Terms) -> str:
    """The whole table as Markdown, below a heading."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown_text, cells))} |"

    rule = "".join("---:|" if column.is_numeric else "---|" for column in table.visible_columns)
    rows = [line(row) for group in table.sections(terms) for row in group]
    parts = [f"## {markdown_text(translate(table.caption, terms))}"]
    parts.append("\n".join([line(table.headings(terms)), f"|{rule}", *rows]))
    parts += [markdown_text(translate(note, terms)) for note in table.notes]
    return "\n\n".join(parts) + "\n"


def latex_of(table: Table, terms: Terms) -> str:
    """The whole table as a LaTeX ``table`` with its notes below."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(latex_text, cells)) + " \\\\"

    layout = "".join("r" if column.is_numeric else "l" for column in table.visible_columns)
    body = " \\hline\n".join("\n".join(map(line, group)) for group in table.sections(terms))
    notes = [f"\n\\par {latex_text(translate(note, terms))}" for note in table.notes]
    return (
        f"\\begin{{table}}\n\\caption{{{latex_text(translate(table.caption, terms))}}}\n"
        f"\\begin{{tabular}}{{{layout}}}\n{line(table.headings(terms))} \\hline\n{body}\n"
        f"\\end{{tabular}}{''.join(notes)}\n\\end{{table}}\n"
    )


def arrow_of(table: Table) -> pa.Table:
    """The whole table with all columns, for programs."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for column in table.columns:
        values = table.column(column.key)
        if column.kind in PAIRS:
            for end, name in enumerate(("low", "high")):
                ends = [None if pair is None else pair[end] for pair in values]
                found[f"{column.key}_{name}"] = pa.array(map(_number_or_none, ends), pa.float64())
        elif column.kind in ("text", "term"):
            found[column.key] = pa.array([None if value is None else str(value) for value in values], pa.string())
        elif column.kind == "flag":
            found[column.key] = pa.array([None if value is None else bool(value) for value in values], pa.bool_())
        else:
            if column.kind in SINGLES:
                values = [None if found is None else found[0] for found in values]
            numbers = [_number_or_none(value) for value in values]
            whole = column.kind == "count" and all(n is None or (n.is_integer() and n < 2**53) for n in numbers)
            kept = [None if n is None else int(n) for n in numbers] if whole else numbers
            found[column.key] = pa.array(kept, pa.int64() if whole else pa.float64())
    return pa.table(found)


def frame_of(table: Table) -> Any:
    """The whole table as a data frame of pandas, or of polars where there is no pandas."""
    found = table.to_arrow()
    if _installed("pandas") is not None:
        return found.to_pandas()
    polars = _installed("polars")
    if polars is not None:
        return polars.from_arrow(found)
    raise FairtrialError("a data frame needs pandas or polars: install one of them, or take to_arrow()")


def _number_or_none(value: Any) -> float | None:
    return None if value is None or isnan(value) else float(value)


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
