"""What a column of a table holds, and how its cells are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal, TypeAlias, get_args

from fairtrial.errors import ParameterError
from fairtrial.tables.words import (
    Terms,
    bound_text,
    count_text,
    figure_text,
    figures_text,
    in_percent,
    interval_text,
    number_text,
    p_text,
    range_text,
    sure_text,
    threshold_text,
    translate,
)

Kind: TypeAlias = Literal[
    "text",
    "term",
    "flag",
    "rate",
    "interval",
    "number",
    "statistic",
    "range",
    "ratio",
    "count",
    "p",
    "sure",
    "threshold",
    "level",
    "figure",
    "figures",
    "width",
    "bound",
]
"""What a column holds: free text; words of ours (``term``), which `translate` may change; yes or no; a rate or a pair
of rates, fractions shown in percent; a number or a pair of numbers; a statistic, with six digits; a ratio, with two
decimals; a count; a p value; 1 - p (``sure``), in percent; a threshold; a level of confidence, a fraction shown in
percent. Where the rows of a column differ in what they are, each says so: a ``figure``, the ``width`` of an
interval and a ``bound``, with six digits, are ``(value, is_share)``, and ``figures`` are ``(low, high, is_share)``; a
share is shown in percent, anything else, such as a cost, as it is."""

_LEFT = ("text", "term", "flag")
_PERCENT = ("rate", "sure", "level")
PAIRS = ("interval", "range", "figures")
"""Kinds whose values are two numbers, and perhaps what they are."""
SINGLES = ("figure", "width", "bound")
"""Kinds whose values are a number and what it is."""
_SHOWN: dict[Kind, Callable[[Any], str]] = {
    "text": str,
    "term": str,
    "flag": lambda value: "yes" if value else "",
    "rate": in_percent,
    "interval": lambda pair: interval_text(*pair),
    "number": number_text,
    "statistic": lambda value: number_text(value, 6),
    "range": lambda pair: range_text(*pair),
    "ratio": lambda value: "" if isnan(value) else f"{value:.2f}",
    "count": count_text,
    "p": p_text,
    "sure": sure_text,
    "threshold": threshold_text,
    "level": lambda value: "" if isnan(value) else f"{100 * value:g}",
    "figure": lambda found: figure_text(*found),
    "figures": lambda found: figures_text(*found),
    # three decimals, as papers print widths, and more digits only where there would be none
    "width": lambda found: f"{100 * found[0]:.3f} %" if found[1] and found[0] >= 0.01 else figure_text(*found),
    "bound": lambda found: bound_text(*found),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        What programs call it: the name in CSV files and data frames.
    title : str
        What people read above it; the percent sign of rates is added.
    kind : str, default "text"
        What it holds, which decides how it is written and aligned; such as ``text``, ``count``, ``rate``, ``interval``,
        ``p``.
    detail : bool, default False
        Whether it is for files and data frames only, and not for people.

    Raises
    ------
    ParameterError
        A kind that is not known.

    Examples
    --------
    >>> Column("far", "FAR", "rate").text(0.0123)
    '1.23'
    """

    key: str
    title: str
    kind: Kind = "text"
    detail: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ParameterError(f"a column must be of one of the kinds {', '.join(get_args(Kind))}, not {self.kind!r}")

    @property
    def is_numeric(self) -> bool:
        """Whether it is aligned to the right."""
        return self.kind not in _LEFT

    def heading(self, terms: Terms = "default") -> str:
        """Give the title with its percent sign.

        Parameters
        ----------
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            What stands above the column.
        """
        return translate(f"{self.title} %" if self.kind in _PERCENT else self.title, terms)

    def text(self, value: Any, terms: Terms = "default") -> str:
        """Give what a cell shows; nothing for None and NaN.

        Parameters
        ----------
        value : object
            The raw value.
        terms : {"default", "iso"}, default "default"
            The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).

        Returns
        -------
        str
            What people read.
        """
        if value is None:
            return ""
        shown = _SHOWN[self.kind](value)
        return translate(shown, terms) if self.kind == "term" else shown


RATE_COLUMNS = tuple(Column(name, name.upper(), "rate") for name in ("far", "frr", "hter"))
"""The three error rates of an `ErrorCounts`."""
COUNT_COLUMNS = tuple(
    Column(name, name.replace("_", " "), "count", detail=True)
    for name in ("false_accepts", "false_rejects", "genuine", "impostor")
)
"""The counts behind them."""
