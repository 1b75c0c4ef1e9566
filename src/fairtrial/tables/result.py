"""What all results have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from fairtrial.tables.table import Table
from fairtrial.tables.words import Terms

if TYPE_CHECKING:
    import pyarrow as pa


class Result(ABC):
    """What all results can do: say their tables, and show them.

    A result prints as one line and shows itself in a notebook. Rates are fractions in its attributes, in `to_dict`,
    `to_arrow` and `to_frame`, and percent where people read them.

    Examples
    --------
    >>> import fairtrial as ft
    >>> result = ft.mcnemar_test(10, 2)
    >>> isinstance(result, Result), [table.name for table in result.tables()]
    (True, ['versions'])
    """

    __slots__ = ()

    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """Give the tables of the result, the main one first.

        Returns
        -------
        tuple of Table
            The tables.
        """

    @abstractmethod
    def summary(self) -> str:
        """Give the result in one line.

        Returns
        -------
        str
            One line, without its end.
        """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain numbers, texts, lists and dicts, under the names of the command line's JSON.

        Returns
        -------
        dict
            Rates are fractions.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())

    def to_markdown(self, terms: Terms = "default") -> str:
        """Give all tables as Markdown.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            Markdown.
        """
        return "\n".join(table.to_markdown(terms) for table in self.tables())

    def to_latex(self, terms: Terms = "default") -> str:
        """Give all tables as LaTeX.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            LaTeX.
        """
        return "\n".join(table.to_latex(terms) for table in self.tables())

    def to_arrow(self) -> pa.Table:
        """Give the main table for programs; see `Table.to_arrow`.

        Returns
        -------
        pyarrow.Table
            Rates are fractions.
        """
        return self.tables()[0].to_arrow()

    def to_frame(self) -> Any:
        """Give the main table as a data frame; see `Table.to_frame`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Rates are fractions.
        """
        return self.tables()[0].to_frame()
