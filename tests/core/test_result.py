"""Results show their tables, and become frames."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from core.small import TABLE
from fairtrial.core.errors import FairtrialError
from fairtrial.core.results import Result
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
