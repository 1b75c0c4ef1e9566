"""Blocks are whole lines, in order, nothing lost, and never end within quotes."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import InputError
from fairtrial.formats import text as blocks
from fairtrial.formats.pieces import _numbered_blocks

cells = st.text(st.sampled_from(list('ab,\n" ')), max_size=6)


@given(rows=st.lists(st.tuples(cells, cells), max_size=30), size=st.integers(1, 80), newline=st.booleans())
def test_blocks_parse_to_the_rows_of_the_whole(rows: list[tuple[str, str]], size: int, newline: bool) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL).writerows(rows)
    data = text.getvalue().encode()
    data = data if newline else data.removesuffix(b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_LEAST", 1)
        numbered = list(_numbered_blocks(io.BytesIO(data), size, quotes=True, lines=0, origin="f"))
    found = [block.to_pybytes() for block, _ in numbered]
    assert b"".join(found) == data
    whole = list(csv.reader(io.StringIO(data.decode())))
    parts = [row for block in found for row in csv.reader(io.StringIO(block.decode()))]
    assert parts == whole
    assert [lines for _, lines in numbered] == [b"".join(found[:k]).count(b"\n") for k in range(len(found))]


def test_a_line_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_LINE", 100)
    monkeypatch.setattr(blocks, "_LEAST", 10)
    with pytest.raises(InputError, match=r"a line that begins in line 2 is longer than"):
        list(_numbered_blocks(io.BytesIO(b"short\n" + b"x" * 500), 20, quotes=False, lines=0, origin="f"))
