"""Cells of lines, against Python's own reader."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from hypothesis import example, given
from hypothesis import strategies as st

from fairtrial.formats.text import QuotedRows, split_rows

TEXTS = st.text(alphabet='a," \n\r', max_size=30)


@given(TEXTS)
@example('a,"b"')
@example('"""')
@example('""""\n')
@example('"a""\nb",c\n')
@example('"a"b"c,d\n')
@example('a"b",c\n\n"",\n')
def test_as_python_reads_them(text: str) -> None:
    lines = list(io.StringIO(text, newline=""))
    expected = list(csv.reader(lines))
    assert list(QuotedRows(lines, ",")) == expected


def test_a_cell_may_be_longer_than_pythons() -> None:
    long = "x" * (csv.field_size_limit() + 1)
    assert split_rows([f'a,"{long}",b'], ",") == [["a", long, "b"]]


def test_a_quote_that_is_never_closed() -> None:
    rows = QuotedRows(["a,b\n", 'c,"d\n', "e,f\n"], ",")
    assert list(rows) == [["a", "b"], ["c", "d\ne,f\n"]]
    assert rows.unclosed


def test_a_quote_that_is_not_closed_for_long_is_given_up() -> None:
    read = []

    def lines() -> Iterator[str]:
        yield 'a,"b\n'
        for k in range(1000):
            read.append(k)
            yield "x" * (1 << 20) + "\n"

    rows = QuotedRows(lines(), ",")
    assert len(list(rows)) == 1
    assert rows.unclosed
    assert len(read) == 16
