"""Tables: rows, sections, and tables of several results."""

from __future__ import annotations

import pytest

from fairtrial.core.errors import ParameterError
from fairtrial.core.tables import Column, Table, join_tables, wrapped
from fairtrial.core.words import use_distances, wording


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


@pytest.mark.parametrize("width", range(26, 60))
def test_headings_that_wrap_do_not_overrun(width: int) -> None:
    columns = tuple(Column(f"c{k}", title, "rate") for k, title in enumerate(("mean width", "too high", "too low")))
    table = Table("t", "at thresholds by wer-equal", columns, ((0.01, 0.02, 0.03),))
    lines = table.to_text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("wer-equal" in line for line in lines)


def test_intervals_stay_on_one_line() -> None:
    assert wrapped("HTER 1.34 to 2.98 of trials", 12) == ["HTER", "1.34 to 2.98", "of trials"]
    assert wrapped("-0.26 % to 4.50 %, p = 0.1", 17) == ["-0.26 % to 4.50 %,", "p = 0.1"]


def test_thresholds_of_distances_are_those_of_the_files() -> None:
    columns = (Column("system", "system"), Column("threshold", "threshold", "threshold"))
    table = Table("t", "c", columns, (("face", -1.5), ("voice", -1.5), ("face", None)))
    with wording():
        use_distances(["face"])
        assert list(table.sections()) == [[["face", "1.5"], ["voice", "-1.5"], ["face", ""]]]
        assert table.to_arrow().column("threshold").to_pylist() == [1.5, -1.5, None]
    assert table.column("threshold") == [-1.5, -1.5, None]


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (37, "system kind FAR % EER %"),
        (29, "system FAR % EER %"),  # the wide one is left out, and the narrow one after it stays
        (19, "system FAR %"),
    ],
)
def test_optional_columns_are_kept_if_they_fit(width: int, headings: str) -> None:
    columns = (
        Column("system", "system"),
        Column("kind", "kind", optional=True),
        Column("far", "FAR", "rate"),
        Column("eer", "EER", "rate", optional=True),
    )
    lines = Table("t", "", columns, (("face", "cross-validated", 0.1234, 0.2345),)).to_text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines[0].split()) == headings
    assert "12.34" in " ".join(lines)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (33, ["pair          test     p adjusted", "-" * 33, "face - voice  cluster        0.25"]),
        (31, ["pair          test            p", "                       adjusted", "-" * 31]),
        (30, ["  test     p adjusted", "-" * 21, "face - voice", "  cluster        0.25", "  mcnemar        0.25", ""]),
        (19, ["  test            p", "           adjusted", "-" * 19, "face - voice", "  cluster      0.25"]),
    ],
)
def test_a_section_becomes_a_line_above_its_rows(width: int, expected: list[str]) -> None:
    columns = (Column("pair", "pair"), Column("test", "test"), Column("p", "p adjusted", "p"))
    rows = tuple((pair, test, 0.25) for pair in ("face - voice", "face - phone") for test in ("cluster", "mcnemar"))
    lines = Table("t", "", columns, rows, section="pair").to_text(width).splitlines()
    assert lines[: len(expected)] == expected
    assert " ".join(lines).count("face - phone") == 1
