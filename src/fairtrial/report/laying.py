"""Tables as a page lays them out: what each cell shows, and the number it is sorted by."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from fairtrial.tables import Column, Table, Terms, translate


@dataclass(frozen=True, slots=True)
class LaidCell:
    """What a cell shows, and the number it is sorted by, if it is one."""

    text: str
    sort: float | None


@dataclass(frozen=True, slots=True)
class LaidTable:
    """A table as it is laid out on a page."""

    caption: str
    headings: list[str]
    numeric: list[bool]
    rows: list[list[LaidCell]]

    @classmethod
    def of(cls, table: Table, terms: Terms = "default") -> LaidTable:
        """Lay out the columns that people get to see."""
        columns = table.visible_columns
        values = zip(*(table.column(column.key) for column in columns), strict=True)
        rows = [[_cell(column, value, terms) for column, value in zip(columns, row, strict=True)] for row in values]
        numeric = [column.is_numeric for column in columns]
        return cls(translate(table.caption, terms), table.headings(terms), numeric, rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists."""
        return asdict(self)


def _cell(column: Column, value: Any, terms: Terms) -> LaidCell:
    """A pair is sorted by its lower end, what is not known comes before all else."""
    number = value[0] if isinstance(value, tuple) else value
    unknown = number is None or (isinstance(number, float) and math.isnan(number))
    sort = (-math.inf if unknown else float(number)) if column.is_numeric else None
    return LaidCell(column.text(value, terms), sort)
