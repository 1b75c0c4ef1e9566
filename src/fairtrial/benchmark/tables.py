"""Tables as Markdown and LaTeX, with names that are escaped."""

from __future__ import annotations

from collections.abc import Sequence

_LATEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
_LATEX |= {char: f"\\{char}" for char in "&%$#_{}"}
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "\\|"}


def markdown_text(text: str) -> str:
    """Text on one line, in which nothing is HTML or the border of a cell."""
    return "".join(_MARKDOWN.get(char, char) for char in " ".join(text.split()))


def latex_text(text: str) -> str:
    """Text in which nothing is a command."""
    return "".join(_LATEX.get(char, char) for char in text)


def markdown_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = [_markdown_row(head), "|" + "---|" * len(head)]
    return [*lines, *(_markdown_row([markdown_text(cell) for cell in row]) for row in rows)]


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex_rows(caption: str, columns: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; its head is LaTeX already."""
    return [
        "\\begin{table}",
        f"\\caption{{{latex_text(caption)}}}",
        f"\\begin{{tabular}}{{{columns}}}",
        " & ".join(head) + " \\\\ \\hline",
        *(" & ".join(latex_text(cell) for cell in row) + " \\\\" for row in rows),
        "\\end{tabular}",
        "\\end{table}",
    ]
