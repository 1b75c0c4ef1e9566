"""Tables: every rendering against what was written by hand."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from fairtrial.errors import FairtrialError, OutputError, ParameterError
from fairtrial.formats.results import check_target, write_tables
from fairtrial.tables import (
    Column,
    Result,
    Table,
    count_text,
    in_percent,
    interval_text,
    join_tables,
    latex_text,
    markdown_text,
    number_text,
    p_phrase,
    p_text,
    percent,
    plural,
    threshold_text,
    translate,
)

COLUMNS = (
    Column("system", "system"),
    Column("far", "FAR", "rate"),
    Column("interval", "95 % interval", "interval"),
    Column("p_value", "p", "p"),
    Column("trials", "trials", "count"),
    Column("threshold", "threshold", "threshold", detail=True),
)
TABLE = Table(
    "errors",
    "FAR on test",
    COLUMNS,
    (
        ("a_b <x>", 0.0123, (0.01, 0.02), 0.0321, 12345, 0.5),
        ("50 & 50", nan, None, 0.0, 7, -inf),
    ),
    notes=("the FAR of a_b is low",),
)


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
    table = Table("t", "FAR and FRR", (Column("system", "system"), Column("m", "measure", "term")), (("FAR", "FRR"),))
    assert table.to_markdown("iso") == "## FMR and FNMR\n\n| system | measure |\n|---|---|\n| FAR | FNMR |\n"
    for rendered in (TABLE.to_html("iso"), TABLE.to_markdown("iso"), TABLE.to_latex("iso")):
        assert rendered.count("FMR") == 3
        assert "FAR" not in rendered


def test_translate_knows_whole_words_only() -> None:
    assert translate("FAR, FRRs, HTER, AFAR, FARE, far", "iso") == "FMR, FNMRs, HTER, AFAR, FARE, far"
    assert translate("FAR") == "FAR"
    with pytest.raises(ParameterError, match="terms must be one of default, iso"):
        translate("FAR", "nist")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(0, "0.000"), (-0.0, "0.000"), (0.5, "50.00"), (0.005, "0.500"), (0.0009951, "0.100"), (0.00012345, "0.0123"),
     (-0.02, "-2.00"), (nan, "")],
)  # fmt: skip
def test_rates_in_percent(rate: float, shown: str) -> None:
    assert in_percent(rate) == shown
    assert percent(rate) == (f"{shown} %" if shown else "")


def test_p_is_never_shown_as_zero() -> None:
    assert [p_text(p) for p in (0.0, 1e-300, 0.00009999, 0.0001, 0.05, 1.0, nan)] == [
        "< 0.0001", "< 0.0001", "< 0.0001", "0.0001", "0.05", "1", "",
    ]  # fmt: skip
    assert (p_phrase(0.0), p_phrase(0.25)) == ("p < 0.0001", "p = 0.25")


def test_other_numbers() -> None:
    assert interval_text(-0.001, 0.1) == "-0.100 to 10.00"
    assert interval_text(nan, 0.1) == ""
    assert [count_text(n) for n in (0, 999, 1234567, nan)] == ["0", "999", "1,234,567", ""]
    assert (number_text(1234.56), number_text(0.00001234), number_text(nan)) == ("1235", "1.234e-05", "")
    assert (threshold_text(0.1234567), threshold_text(-inf)) == ("0.123457", "-inf")
    assert [plural(n, "error") for n in (0, 1, 1000)] == ["0 errors", "1 error", "1,000 errors"]


def test_every_kind_of_column() -> None:
    texts = {
        ("flag", True): "yes", ("flag", False): "", ("ratio", 1.239): "1.24", ("ratio", inf): "inf",
        ("range", (0.5, 2)): "0.5 to 2", ("range", (nan, 2)): "", ("level", 0.975): "97.5", ("term", "x"): "x",
        ("number", 12): "12", ("text", None): "",
    }  # fmt: skip
    for (kind, value), shown in texts.items():
        assert Column("k", "k", kind).text(value) == shown  # type: ignore[arg-type]
    assert [Column("k", "k", kind).heading() for kind in ("rate", "level", "interval")] == ["k %", "k %", "k"]
    with pytest.raises(ParameterError, match="kinds"):
        Column("k", "k", "rates")  # type: ignore[arg-type]


def test_text_that_would_be_markup() -> None:
    assert latex_text("\\a{b}^~#$|\n c") == (
        "\\textbackslash{}a\\{b\\}\\textasciicircum{}\\textasciitilde{}\\#\\$\\textbar{} c"
    )
    assert markdown_text("*a* `b` [c](d) | e\nf\\") == "\\*a\\* \\`b\\` \\[c\\](d) \\| e f\\\\"


def test_sections_and_rows_that_are_shown() -> None:
    rows = tuple((name, k) for name in "ab" for k in range(3))
    columns = (Column("system", "system"), Column("k", "k", "count"))
    table = Table("t", "c", columns, rows, section="system", shown=(0, 2, 3))
    assert list(table.sections(whole=False)) == [[["a", "0"], ["a", "2"]], [["b", "0"]]]
    assert [len(group) for group in table.sections()] == [3, 3]
    assert table.to_html().count("<tbody>") == 2
    assert table.to_latex().count("\\hline") == 2
    assert table.to_arrow().num_rows == 6
    assert Table("t", "c", columns, rows, ("n",), shown=()).to_html() == "<p>n</p>"


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


def test_counts_that_are_not_whole_stay_as_they_are() -> None:
    table = Table("t", "c", (Column("n", "n", "count"), Column("yes", "yes", "flag")), ((1.5, True), (None, None)))
    assert table.to_arrow().to_pydict() == {"n": [1.5, None], "yes": [True, None]}


def test_parquet_and_csv_round_trips(tmp_path: Path) -> None:
    write_tables([TABLE], tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").equals(TABLE.to_arrow())
    write_tables([TABLE], tmp_path / "a.tsv")
    with open(tmp_path / "a.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["system"] for row in rows] == ["a_b <x>", "50 & 50"]
    assert [row["far"] for row in rows] == ["0.0123", ""]
    write_tables([TABLE], tmp_path / "a.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_texts_hold_all_tables(tmp_path: Path) -> None:
    write_tables([TABLE, TABLE], tmp_path / "a.md", "iso")
    assert (tmp_path / "a.md").read_text().count("## FMR on test") == 2
    write_tables([TABLE], tmp_path / "a.tex")
    assert (tmp_path / "a.tex").read_text() == TABLE.to_latex()


def test_targets_are_checked_before_the_work(tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("label,s\n1,1\n")
    check_target(tmp_path / "out.md", [scores])
    for target, inputs, message in (
        (tmp_path / "out.doc", [], "should end in .csv, .tsv, .parquet, .md, .tex"),
        (tmp_path / "out.md.gz", [], "should end in"),
        (tmp_path / "nowhere" / "out.csv", [], "there is no directory"),
        (scores, [scores], "over files that are read"),
        (tmp_path / "out.parquet", [tmp_path], "over files that are read"),
    ):
        with pytest.raises(OutputError, match=message):
            check_target(target, inputs)
    with pytest.raises(OutputError, match="should end in"):
        write_tables([TABLE], tmp_path / "out.doc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.csv"]


def test_tables_of_several_results_are_joined_by_name() -> None:
    columns = (Column("k", "k", "count"),)
    first = [Table("a", "first", columns, ((1,), (2,)), ("x",), shown=(1,)), Table("b", "b", columns, ((3,),))]
    second = [Table("a", "second", columns, ((4,),), ("x", "y"))]
    a, b = join_tables([first, second])
    assert (a.caption, a.rows, a.notes, a.shown) == ("first", ((1,), (2,), (4,)), ("x", "y"), (1, 2))
    assert b == first[1]


def test_tables_that_contradict_themselves_are_refused() -> None:
    k = Column("k", "k")
    with pytest.raises(ParameterError, match="a row of 2 values in 1 columns"):
        Table("t", "c", (k,), ((1, 2),))
    with pytest.raises(ParameterError, match="the same key"):
        Table("t", "c", (k, k), ())
    with pytest.raises(ParameterError, match="no column 'x'"):
        Table("t", "c", (k,), (), section="x")


@dataclass(frozen=True, slots=True, repr=False)
class Small(Result):
    value: float

    def tables(self) -> tuple[Table, ...]:
        return (Table("t", "c", (Column("v", "v", "rate"),), ((self.value,),)), TABLE)

    def summary(self) -> str:
        return f"value {percent(self.value)}"


def test_results_show_their_tables() -> None:
    small = Small(0.25)
    assert repr(small) == "<Small: value 25.00 %>"
    assert small._repr_html_() == "".join(table.to_html() for table in small.tables())
    assert small.to_markdown() == f"{small.tables()[0].to_markdown()}\n{TABLE.to_markdown()}"
    assert small.to_latex("iso").endswith(TABLE.to_latex("iso"))
    assert small.to_arrow().to_pydict() == {"v": [0.25]}


def test_frames_are_of_pandas_if_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace())
    monkeypatch.setattr(Table, "to_arrow", lambda table: SimpleNamespace(to_pandas=lambda: ("pandas", table.name)))
    assert TABLE.to_frame() == ("pandas", "errors")
    assert Small(0.5).to_frame() == ("pandas", "t")


def test_frames_are_of_polars_if_there_is_no_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_arrow(table: pa.Table) -> Any:
        return table.column_names

    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(from_arrow=from_arrow))
    assert Small(0.5).to_frame() == ["v"]


def test_frames_need_one_of_the_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(FairtrialError, match="install one of them"):
        TABLE.to_frame()
