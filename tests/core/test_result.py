"""Results show their tables, and become frames."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import inf, nan
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from core.small import TABLE
from fairtrial.core.errors import FairtrialError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import percent


@dataclass(frozen=True, slots=True, repr=False)
class Small(Result):
    value: float

    def tables(self) -> tuple[Table, ...]:
        return (Table("t", "c", (Column("v", "v", "rate"),), ((self.value,),)), TABLE)

    def answer(self) -> str:
        return f"value {percent(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}


@dataclass(frozen=True, slots=True)
class Limits:
    """An interval."""

    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Declared(Record):
    FIELDS: ClassVar = (
        Field("ratio", "a / b", "ratio", in_json="finite"),
        Field("band", in_json="finite"),
        Field("bound", in_json="if known"),
        Field("other", in_json="if known"),
        Field("limits", "limits", "interval", in_json=False),
        Field("rare", "rare", "count", optional=True),
    )
    ratio: float
    band: list[float]
    bound: float | None
    other: float | None
    limits: Limits | None
    rare: int = 3


def test_json_leaves_out_what_is_unknown_and_has_null_for_what_is_infinite() -> None:
    assert Declared(inf, [nan, 1.0], None, 0.0, None).to_dict() == {
        "ratio": None,
        "band": [None, 1.0],
        "other": 0.0,
        "rare": 3,
    }


def test_tables_show_limits_of_intervals_and_keep_infinite_numbers() -> None:
    rows = [Declared(inf, [], None, None, Limits((0.1, 0.2))), Declared(2.0, [], None, None, None)]
    table = table_of("t", "c", Declared.FIELDS, rows, titles={"limits": "95 %"})
    assert table.rows == ((inf, (0.1, 0.2), 3), (2.0, None, 3))
    assert [(column.title, column.optional) for column in table.columns] == [
        ("a / b", False),
        ("95 %", False),
        ("rare", True),
    ]


def test_results_show_their_tables() -> None:
    small = Small(0.25)
    assert repr(small) == "<Small: value 25.00 %>"
    assert small._repr_html_().endswith("".join(table.to_html() for table in small.tables()))
    assert small.to_markdown() == f"{small.tables()[0].to_markdown()}\n{TABLE.to_markdown()}"
    assert small.to_latex().endswith(TABLE.to_latex())
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


def test_a_notebook_shows_warnings_once_and_no_details() -> None:
    @dataclass(frozen=True, slots=True, repr=False)
    class Noted(Small):
        def tables(self) -> tuple[Table, ...]:
            notes = Note("a", "careful", warning=True), Note("b", "aside"), Note("c", "definition", detail=True)
            return (TABLE.with_notes(*notes),)

    html = Noted(0.5)._repr_html_()
    assert [html.count(word) for word in ("careful", "aside", "definition")] == [1, 1, 0]
    assert html.index("careful") < html.index("<table>") < html.index("aside")
