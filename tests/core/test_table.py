"""Tables: rows, sections, and tables of several results."""

from __future__ import annotations

import pytest

from fairtrial.core.errors import ParameterError
from fairtrial.core.tables import Column, Table, join_tables


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
