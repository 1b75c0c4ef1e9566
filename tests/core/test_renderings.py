"""Renderings: every one against what was written by hand."""

from __future__ import annotations

from math import inf

from core.small import TABLE
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import Text, wording


def test_table_as_html_is_escaped() -> None:
    right = ' style="text-align:right"'
    assert TABLE.to_html() == (
        "<table><caption>FAR on test</caption>"
        f"<thead><tr><th>system</th><th{right}>FAR %</th><th{right}>95 % interval</th><th{right}>p</th>"
        f"<th{right}>trials</th></tr></thead>"
        f"<tbody><tr><td>a_b &lt;x&gt;</td><td{right}>1.23</td><td{right}>1.00 to 2.00</td><td{right}>0.0321</td>"
        f"<td{right}>12,345</td></tr>"
        f"<tr><td>50 &amp; 50</td><td{right}></td><td{right}></td><td{right}>&lt; 0.0001</td><td{right}>7</td></tr>"
        "</tbody></table><p>the FAR of a_b is low</p>"
    )


def test_table_as_markdown_is_escaped() -> None:
    assert TABLE.to_markdown() == (
        "## FAR on test\n"
        "\n"
        "| system | FAR % | 95 % interval | p | trials |\n"
        "|---|---:|---:|---:|---:|\n"
        "| a\\_b &lt;x&gt; | 1.23 | 1.00 to 2.00 | 0.0321 | 12,345 |\n"
        "| 50 &amp; 50 |  |  | &lt; 0.0001 | 7 |\n"
        "\n"
        "the FAR of a\\_b is low\n"
    )


def test_table_as_latex_is_escaped() -> None:
    assert TABLE.to_latex() == (
        "\\begin{table}\n"
        "\\caption{FAR on test}\n"
        "\\begin{tabular}{lrrrr}\n"
        "system & FAR \\% & 95 \\% interval & p & trials \\\\ \\hline\n"
        "a\\_b \\textless{}x\\textgreater{} & 1.23 & 1.00 to 2.00 & 0.0321 & 12,345 \\\\\n"
        "50 \\& 50 &  &  & \\textless{} 0.0001 & 7 \\\\\n"
        "\\end{tabular}\n"
        "\\par the FAR of a\\_b is low\n"
        "\\end{table}\n"
    )


def test_iso_terms_in_titles_captions_and_notes_but_not_in_names() -> None:
    caption = Text("{FAR} and {FRR}")
    table = Table("t", caption, (Column("system", "system"), Column("m", "measure", "term")), (("FAR", "FRR"),))
    with wording(terms="iso"):
        assert table.to_markdown() == "## FMR and FNMR\n\n| system | measure |\n|---|---|\n| FAR | FNMR |\n"
        everything = TABLE.to_html(), TABLE.to_markdown(), TABLE.to_latex()
    for rendered in everything:
        assert rendered.count("FMR") == 3
        assert "FAR" not in rendered


def test_arrow_holds_fractions_pairs_as_two_columns_and_nulls() -> None:
    found = TABLE.to_arrow()
    assert found.to_pydict() == {
        "system": ["a_b <x>", "50 & 50"],
        "far": [0.0123, None],
        "interval_low": [0.01, None],
        "interval_high": [0.02, None],
        "p_value": [0.0321, 0.0],
        "trials": [12345, 7],
        "threshold": [0.5, -inf],
    }
    assert [str(kind) for kind in found.schema.types] == ["string", *["double"] * 4, "int64", "double"]


def test_arrow_writes_the_bytes_of_names_that_are_not_utf_8() -> None:
    table = Table("t", "c", (Column("file", "file", "text"),), (("\udce9.csv",), (None,)))
    assert table.to_arrow().to_pydict() == {"file": ["\\udce9.csv", None]}


def test_counts_that_are_not_whole_stay_as_they_are() -> None:
    table = Table("t", "c", (Column("n", "n", "count"), Column("yes", "yes", "flag")), ((1.5, True), (None, None)))
    assert table.to_arrow().to_pydict() == {"n": [1.5, None], "yes": [True, None]}
