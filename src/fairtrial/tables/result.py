"""What all results have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from fairtrial.tables.table import Table
from fairtrial.tables.words import Terms

if TYPE_CHECKING:
    import pyarrow as pa


class Result(ABC):
    """What all results can do: say their tables, and show them."""

    __slots__ = ()

    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """The tables of the result, the main one first."""

    @abstractmethod
    def summary(self) -> str:
        """The result in one line."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())

    def to_markdown(self, terms: Terms = "default") -> str:
        """All tables as Markdown."""
        return "\n".join(table.to_markdown(terms) for table in self.tables())

    def to_latex(self, terms: Terms = "default") -> str:
        """All tables as LaTeX."""
        return "\n".join(table.to_latex(terms) for table in self.tables())

    def to_arrow(self) -> pa.Table:
        """The main table for programs; see `Table.to_arrow`."""
        return self.tables()[0].to_arrow()

    def to_frame(self) -> Any:
        """The main table as a data frame; see `Table.to_frame`."""
        return self.tables()[0].to_frame()
